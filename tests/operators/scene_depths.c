/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene_depths.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

double scene_distance(enum scene_depths depths, uint32_t x, uint32_t y)
{
    static const double odd_m[] = {(double)NAN, (double)INFINITY, 0.0, -1.0, 1.2, 1e-33, 1e30, 3.0};
    const uint64_t random = scene_mixed((uint64_t)x << 32 | y);
    const double part = (double)(random >> 11) / 9007199254740992.0;
    const bool in_block = (x / 13 + y / 11) % 3 == 1;
    switch (depths) {
    case DEPTHS_NEAR_BLOCKS:
        return in_block ? 1.1 : SCENE_FOCUS_M;
    case DEPTHS_FAR_BLOCKS:
        return in_block ? SCENE_FOCUS_M : 30.0;
    case DEPTHS_BLOCKS:
        return (x / 13 + 2 * (y / 11)) % 3 == 0   ? 0.9 + 0.02 * (double)(x / 13 % 5)
               : (x / 13 + 2 * (y / 11)) % 3 == 1 ? SCENE_FOCUS_M
                                                  : 9.0;
    case DEPTHS_SLOPE:
        return 0.8 + 0.09 * (double)x + 0.02 * (double)y;
    case DEPTHS_RANDOM:
        return 0.9 + 12.0 * pow(part, 4.0);
    case DEPTHS_ODD:
        return odd_m[(x / 5 + 3 * (y / 4)) % COUNT(odd_m)];
    case DEPTHS_SPOTS:
        return (x / 24 + 7 * (y / 24)) % 29 == 1    ? 1.1
               : (x / 24 + 7 * (y / 24)) % 29 == 15 ? 30.0
                                                    : SCENE_FOCUS_M;
    case DEPTHS_NOISE:
        return SCENE_FOCUS_M / fmax(1.3 * part, 1e-3);
    case DEPTHS_IN_FOCUS:
    case DEPTHS_NONE:
    case DEPTHS_KINDS:
        break;
    }
    return SCENE_FOCUS_M;
}

struct scale {
    enum fovea_depth_kind kind;
    double zero_m, one_m;
};
static const struct scale scales[SCENE_SCALES] = {
    {FOVEA_DEPTH_LINEAR, 0.0, 1.0}, /* metres, in floats alone */
    {FOVEA_DEPTH_LINEAR, 0.5, 40.5},
    {FOVEA_DEPTH_LINEAR, 65.535, 0.0},
    {FOVEA_DEPTH_PERSPECTIVE, 0.25, 100.0},
    {FOVEA_DEPTH_PERSPECTIVE, 60.0, 0.1},
    {FOVEA_DEPTH_PERSPECTIVE, (double)INFINITY, 0.25},
    {FOVEA_DEPTH_PERSPECTIVE, 0.25, (double)INFINITY},
};

static double value_of(const struct scale *scale, double distance_m)
{
    return scale->kind == FOVEA_DEPTH_LINEAR
               ? (distance_m - scale->zero_m) / (scale->one_m - scale->zero_m)
               : (1.0 / distance_m - 1.0 / scale->zero_m) /
                     (1.0 / scale->one_m - 1.0 / scale->zero_m);
}

/* Rounds to what the format has; returns what that is. */
static double store(enum fovea_depth_format format, double value, const struct fovea_image *image,
                    uint32_t x, uint32_t y)
{
    const double most = format == FOVEA_DEPTH_FORMAT_D16 ? 65535.0 : 16777215.0;
    const double inside = value > 0.0 ? fmin(value, 1.0) : 0.0;
    const uint32_t whole = (uint32_t)(inside * most + 0.5);
    const uint32_t word = whole | 0x5a000000u;
    const uint16_t half = (uint16_t)whole;
    switch (format) {
    case FOVEA_DEPTH_FORMAT_D16:
        memcpy(image_pixel(image, x, y), &half, sizeof half);
        return whole / most;
    case FOVEA_DEPTH_FORMAT_D24:
        memcpy(image_pixel(image, x, y), &word, sizeof word);
        return whole / most;
    default:
        image_set(image, x, y, 0, value);
        return image_get(image, x, y, 0);
    }
}

struct fovea_depth scene_depth_at(const struct depths *depths, const struct fovea_image *memory)
{
    struct fovea_depth depth = depths->depth;
    depth.data = memory->data;
    depth.memory = memory->memory;
    return depth;
}

static void describe(const struct operator_scene *scene, struct depths *depths)
{
    const struct scale *scale = &scales[scene->depths_scale];
    const struct fovea_image *image = &depths->memory.view;
    struct fovea_depth *depth = &depths->depth;
    fovea_depth_init(depth);
    depth->data = image->data;
    depth->width_px = image->width_px;
    depth->height_px = scene->height_px;
    depth->format = scene->depths_format;
    depth->row_stride_bytes = image->row_stride_bytes;
    depth->pixel_stride_bytes = image->pixel_stride_bytes;
    depth->next_bytes =
        scene->depths_shared ? 0 : (ptrdiff_t)scene->height_px * image->row_stride_bytes;
    depth->kind = scale->kind;
    depth->zero_m = scale->zero_m;
    depth->one_m = scale->one_m;
}

struct depths scene_draw_depths(const struct operator_scene *scene, uint32_t count)
{
    static const struct image_layout layouts[] = {
        {0}, {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1, .row_gap = 1}};
    const enum fovea_depth_format format = scene->depths_format;
    const bool is_short = format == FOVEA_DEPTH_FORMAT_D16 || format == FOVEA_DEPTH_FORMAT_R16F;
    const uint32_t height_px = scene->height_px * (scene->depths_shared ? 1 : count);
    struct depths depths = {.memory = image_make(scene->width_px, height_px,
                                                 is_short ? FOVEA_FORMAT_R16F : FOVEA_FORMAT_R32F,
                                                 layouts[scene->random % COUNT(layouts)]),
                            .values =
                                calloc((size_t)scene->width_px * height_px, sizeof *depths.values)};
    assert_non_null(depths.values);
    const struct fovea_image *image = &depths.memory.view;
    for (uint32_t y = 0; y < height_px; y++) {
        const uint32_t number = (uint32_t)scene->depths_of + y / scene->height_px;
        for (uint32_t x = 0; x < scene->width_px; x++) {
            const double distance_m =
                scene_distance(scene->depths, x + 3 * number, y % scene->height_px);
            depths.values[(size_t)y * scene->width_px + x] =
                store(format, value_of(&scales[scene->depths_scale], distance_m), image, x, y);
        }
    }
    describe(scene, &depths);
    return depths;
}

void scene_depths_free(struct depths *depths)
{
    image_free(&depths->memory);
    free(depths->values);
}
