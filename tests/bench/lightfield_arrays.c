/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_arrays.h"

static const struct bench_array arrays[] = {
    [BENCH_ARRAY_PAPER] = {.size = {"96x72 lenses, 1056x792", 1056, 792},
                           .geometry = {.struct_bytes = sizeof(struct fovea_lightfield_geometry),
                                        .raw_width_px = 7176,
                                        .raw_height_px = 5382,
                                        .columns = 96,
                                        .rows = 72,
                                        .pitch_x_px = 74.75,
                                        .pitch_y_px = 74.75,
                                        .origin_x_px = 37.375,
                                        .origin_y_px = 37.375}},
    [BENCH_ARRAY_QUICK] = {.size = {"16x12 lenses, 176x132", 176, 132},
                           .geometry = {.struct_bytes = sizeof(struct fovea_lightfield_geometry),
                                        .raw_width_px = 1196,
                                        .raw_height_px = 897,
                                        .columns = 16,
                                        .rows = 12,
                                        .pitch_x_px = 74.75,
                                        .pitch_y_px = 74.75,
                                        .origin_x_px = 37.375,
                                        .origin_y_px = 37.375}},
    [BENCH_ARRAY_ANT_LEG] = {.size = {"93x77 lenses, 372x308", 372, 308},
                             .geometry = {.struct_bytes = sizeof(struct fovea_lightfield_geometry),
                                          .raw_width_px = 2592,
                                          .raw_height_px = 2160,
                                          .columns = 93,
                                          .rows = 77,
                                          .pitch_x_px = 27.553,
                                          .pitch_y_px = 27.5637,
                                          .origin_x_px = 33.0204,
                                          .origin_y_px = 21.5567,
                                          .rotation_deg = 0.24707}},
    [BENCH_ARRAY_SEA_URCHIN] = {.size = {"118x118 lenses, 472x472", 472, 472},
                                .geometry = {.struct_bytes =
                                                 sizeof(struct fovea_lightfield_geometry),
                                             .raw_width_px = 2048,
                                             .raw_height_px = 2048,
                                             .columns = 118,
                                             .rows = 118,
                                             .pitch_x_px = 17.2005,
                                             .pitch_y_px = 17.2001,
                                             .origin_x_px = 27.5587,
                                             .origin_y_px = 16.9655,
                                             .rotation_deg = 0.17722}},
    [BENCH_ARRAY_VESICLES] = {.size = {"28x28 lenses, 112x112", 112, 112},
                              .geometry = {.struct_bytes = sizeof(struct fovea_lightfield_geometry),
                                           .raw_width_px = 436,
                                           .raw_height_px = 436,
                                           .columns = 28,
                                           .rows = 28,
                                           .pitch_x_px = 15.3882,
                                           .pitch_y_px = 15.4102,
                                           .origin_x_px = 9.2974,
                                           .origin_y_px = 10.6653,
                                           .rotation_deg = -0.11609}},
};

const struct bench_array *bench_array_of(enum bench_array_kind kind)
{
    return &arrays[kind];
}

struct fovea_lightfield_sum bench_array_sum(enum bench_array_kind kind)
{
    const bool is_real = kind > BENCH_ARRAY_QUICK;
    struct fovea_lightfield_sum sum;
    fovea_lightfield_sum_init(&sum);
    sum.shift = is_real ? 0.25 : 0.05;
    sum.radius_px = is_real ? arrays[kind].geometry.pitch_x_px / 2.0 : 5.0;
    return sum;
}

void bench_array_noise(unsigned char *raw, size_t bytes)
{
    uint32_t random = 1;
    for (size_t i = 0; i < bytes; i++) {
        random = random * 1664525u + 1013904223u;
        raw[i] = (unsigned char)(random >> 24);
    }
}
