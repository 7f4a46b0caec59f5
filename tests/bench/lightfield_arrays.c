/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_arrays.h"

static const struct bench_array arrays[] = {
    [BENCH_ARRAY_PAPER] = {{"96x72 lenses, 1056x792", 1056, 792},
                           7176,
                           5382,
                           96,
                           72,
                           74.75,
                           74.75,
                           37.375,
                           37.375,
                           0.0},
    [BENCH_ARRAY_QUICK] =
        {{"16x12 lenses, 176x132", 176, 132}, 1196, 897, 16, 12, 74.75, 74.75, 37.375, 37.375, 0.0},
    [BENCH_ARRAY_ANT_LEG] = {{"93x77 lenses, 372x308", 372, 308},
                             2592,
                             2160,
                             93,
                             77,
                             27.553,
                             27.5637,
                             33.0204,
                             21.5567,
                             0.24707},
    [BENCH_ARRAY_SEA_URCHIN] = {{"118x118 lenses, 472x472", 472, 472},
                                2048,
                                2048,
                                118,
                                118,
                                17.2005,
                                17.2001,
                                27.5587,
                                16.9655,
                                0.17722},
    [BENCH_ARRAY_VESICLES] = {{"28x28 lenses, 112x112", 112, 112},
                              436,
                              436,
                              28,
                              28,
                              15.3882,
                              15.4102,
                              9.2974,
                              10.6653,
                              -0.11609},
};

const struct bench_array *bench_array_of(enum bench_array_kind kind)
{
    return &arrays[kind];
}

struct fovea_lightfield_geometry bench_array_geometry(const struct bench_array *array)
{
    struct fovea_lightfield_geometry geometry;
    fovea_lightfield_geometry_init(&geometry);
    geometry.raw_width_px = array->raw_width_px;
    geometry.raw_height_px = array->raw_height_px;
    geometry.columns = array->columns;
    geometry.rows = array->rows;
    geometry.pitch_x_px = array->pitch_x_px;
    geometry.pitch_y_px = array->pitch_y_px;
    geometry.origin_x_px = array->origin_x_px;
    geometry.origin_y_px = array->origin_y_px;
    geometry.rotation_deg = array->rotation_deg;
    return geometry;
}

struct fovea_lightfield_sum bench_array_sum(enum bench_array_kind kind)
{
    const bool is_real = kind > BENCH_ARRAY_QUICK;
    struct fovea_lightfield_sum sum;
    fovea_lightfield_sum_init(&sum);
    sum.shift = is_real ? 0.25 : 0.05;
    sum.radius_px = is_real ? arrays[kind].pitch_x_px / 2.0 : 5.0;
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
