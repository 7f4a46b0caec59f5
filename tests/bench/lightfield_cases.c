/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cases.h"

#include <stdio.h>

#define CASE(name_, what_, kind_, format_, ...)                                                    \
    {                                                                                              \
        .name = name_, .what = what_, .kind = BENCH_##kind_,                                       \
        .format = FOVEA_LIGHTFIELD_FORMAT_##format_, __VA_ARGS__                                   \
    }

/* Those without an array have the paper's. */
const struct bench_lightfield_case bench_lightfield_cases[] = {
    CASE("render/rgba8", "light field of RGBA8", RENDER, RGBA8),
    CASE("render/rgba8/nearest", "light field of RGBA8, nearest", RENDER, RGBA8,
         .filter = FOVEA_LIGHTFIELD_FILTER_NEAREST),
    CASE("render/rgb8", "light field of RGB8", RENDER, RGB8),
    CASE("render/r8", "light field of R8", RENDER, R8),
    CASE("render/rgb16", "light field of RGB16", RENDER, RGB16),
    CASE("render/bayer", "light field of R8, mosaic", RENDER, R8,
         .bayer = FOVEA_LIGHTFIELD_BAYER_RGGB),
    CASE("focus/rgba8", "light field of RGBA8, all in focus", ALL_IN_FOCUS, RGBA8),
    CASE("depth/rgba8", "light field's depth of RGBA8", DEPTH, RGBA8),
    CASE("depth/rgba8/nearest", "light field's depth of RGBA8, nearest", DEPTH, RGBA8,
         .filter = FOVEA_LIGHTFIELD_FILTER_NEAREST),
    CASE("depth/rgba8/box", "light field's depth of RGBA8, nearest, box", DEPTH, RGBA8,
         .filter = FOVEA_LIGHTFIELD_FILTER_NEAREST, .box = true),
    CASE("depth/r8", "light field's depth of R8", DEPTH, R8),
    CASE("sum/r8", "light field of R8, 81 views", SUM, R8),
    CASE("sum/ant-leg", "light field of R16, the ant leg's 593 views", SUM, R16,
         .array = BENCH_ARRAY_ANT_LEG),
    CASE("sum/sea-urchin", "light field of R8, the sea urchin's 233 views", SUM, R8,
         .array = BENCH_ARRAY_SEA_URCHIN),
    CASE("sum/vesicles", "light field of R16, the vesicles' 185 views", SUM, R16,
         .array = BENCH_ARRAY_VESICLES),
    CASE("render/rgba8/gaze", "light field of RGBA8, a gaze", RENDER, RGBA8, .gaze = true),
    CASE("focus/rgba8/gaze", "light field of RGBA8, all in focus, a gaze", ALL_IN_FOCUS, RGBA8,
         .gaze = true),
    CASE("depth/rgba8/nearest/gaze", "light field's depth of RGBA8, nearest, a gaze", DEPTH, RGBA8,
         .filter = FOVEA_LIGHTFIELD_FILTER_NEAREST, .gaze = true),
    CASE("refocus/rgba8", "light field of RGBA8, refocused", REFOCUS, RGBA8),
    CASE("refocus/rgba8/gaze", "light field of RGBA8, refocused, a gaze", REFOCUS, RGBA8,
         .gaze = true),
    CASE("chain/rgba8", "light field of RGBA8, refocused, foveated", CHAIN, RGBA8),
    CASE("chain/rgba8/gaze", "light field of RGBA8, refocused, a gaze, foveated", CHAIN, RGBA8,
         .gaze = true),
};
const size_t bench_lightfield_case_count =
    sizeof bench_lightfield_cases / sizeof bench_lightfield_cases[0];

static const struct array {
    struct bench_size size; /* of the picture */
    uint32_t raw_px[2], lenses[2];
    double pitch_px[2], origin_px[2], rotation_deg;
} arrays[] = {
    [BENCH_ARRAY_PAPER] = {{"96x72 lenses, 1056x792", 1056, 792},
                           {7176, 5382},
                           {96, 72},
                           {74.75, 74.75},
                           {37.375, 37.375},
                           0.0},
    [BENCH_ARRAY_QUICK] = {{"16x12 lenses, 176x132", 176, 132},
                           {1196, 897},
                           {16, 12},
                           {74.75, 74.75},
                           {37.375, 37.375},
                           0.0},
    [BENCH_ARRAY_ANT_LEG] = {{"93x77 lenses, 372x308", 372, 308},
                             {2592, 2160},
                             {93, 77},
                             {27.553, 27.5637},
                             {33.0204, 21.5567},
                             0.24707},
    [BENCH_ARRAY_SEA_URCHIN] = {{"118x118 lenses, 472x472", 472, 472},
                                {2048, 2048},
                                {118, 118},
                                {17.2005, 17.2001},
                                {27.5587, 16.9655},
                                0.17722},
    [BENCH_ARRAY_VESICLES] = {{"28x28 lenses, 112x112", 112, 112},
                              {436, 436},
                              {28, 28},
                              {15.3882, 15.4102},
                              {9.2974, 10.6653},
                              -0.11609},
};

static struct fovea_lightfield_geometry geometry_of(const struct array *array)
{
    struct fovea_lightfield_geometry geometry;
    fovea_lightfield_geometry_init(&geometry);
    geometry.raw_width_px = array->raw_px[0];
    geometry.raw_height_px = array->raw_px[1];
    geometry.columns = array->lenses[0];
    geometry.rows = array->lenses[1];
    geometry.pitch_x_px = array->pitch_px[0];
    geometry.pitch_y_px = array->pitch_px[1];
    geometry.origin_x_px = array->origin_px[0];
    geometry.origin_y_px = array->origin_px[1];
    geometry.rotation_deg = array->rotation_deg;
    return geometry;
}

/* 81 views of the paper's array, all that there are of the others. */
static struct fovea_lightfield_sum sum_of(const struct array *array)
{
    const bool is_real = array > &arrays[BENCH_ARRAY_QUICK];
    struct fovea_lightfield_sum sum;
    fovea_lightfield_sum_init(&sum);
    sum.shift = is_real ? 0.25 : 0.05;
    sum.radius_px = is_real ? array->pitch_px[0] / 2.0 : 5.0;
    return sum;
}

void bench_lightfield_make(size_t number, bool small, struct bench_lightfield *out)
{
    const struct bench_lightfield_case *of = &bench_lightfield_cases[number];
    const struct array *array = &arrays[small ? BENCH_ARRAY_QUICK : of->array];
    *out = (struct bench_lightfield){
        .of = of, .size = &array->size, .geometry = geometry_of(array), .sum = sum_of(array)};
    /* Rings of docs/lightfield.md, or all lenses everywhere. */
    fovea_lightfield_foveation_init(&out->foveation);
    out->foveation.gaze = (struct fovea_point_uv){0.5, 0.5};
    out->foveation.full_px = of->gaze ? 0.15 * array->size.width_px : 1e5;
    out->foveation.next_px = of->gaze ? 0.38 * array->size.width_px : 1e5;
    fovea_lightfield_rendering_init(&out->rendering);
    out->rendering.patch_px = 11.0;
    out->rendering.filter = of->filter;
    fovea_lightfield_matching_init(&out->matching);
    out->matching.first_px = 7.0;
    out->matching.last_px = 14.0;
    out->matching.filter = of->filter;
    out->matching.box = of->box;
    out->rendering.foveation = out->matching.foveation = of->gaze ? &out->foveation : NULL;
    fovea_lightfield_refocusing_init(&out->refocusing);
    out->refocusing.first_px = 7.0;
    out->refocusing.last_px = 14.0;
    out->refocusing.elapsed_s = 1e-3;
    out->refocusing.foveation = &out->foveation;
}

bool bench_lightfield_wants(const struct bench *bench, const char *backend, size_t number)
{
    char name[RESULT_NAME_BYTES];
    snprintf(name, sizeof name, "%s/lightfield/%s", backend, bench_lightfield_cases[number].name);
    return bench_wants(bench, name);
}

void bench_lightfield_add(struct bench *bench, const char *backend, const char *way,
                          const struct bench_lightfield *lightfield,
                          const struct bench_times *times)
{
    results_add_batch(&bench->results, backend, lightfield->size, lightfield->of->what,
                      lightfield->of->kind == BENCH_DEPTH ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGBA8,
                      1, way, times);
}

void bench_lightfield_noise(unsigned char *raw, size_t bytes)
{
    uint32_t random = 1;
    for (size_t i = 0; i < bytes; i++) {
        random = random * 1664525u + 1013904223u;
        raw[i] = (unsigned char)(random >> 24);
    }
}

void bench_lightfield_patches(const struct bench_size *size, float *out_px)
{
    for (size_t i = 0; i < (size_t)size->width_px * size->height_px; i++) {
        out_px[i] = 7.0f + 0.5f * (float)(i / 40 % 14);
    }
}
