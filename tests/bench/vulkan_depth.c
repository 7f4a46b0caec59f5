/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Depths for the pictures that take turns, an image each: of R32_SFLOAT, which a queue without
 * graphics can fill, too. */

#include "vulkan_bench.h"

#include <math.h>

void vulkan_depths_make(struct vulkan_bench *b, const struct bench_size *size,
                        enum bench_depths kind, struct vulkan_depths *depths)
{
    if (depths->are_there) {
        return;
    }
    const size_t pixels = (size_t)size->width_px * size->height_px;
    OWNED(owned_free) float *values = bench_memory(pixels, sizeof *values);
    bench_draw_depths(size, kind, values);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        depths->images[i] = engine_sampled_create(&b->engine, VK_FORMAT_R32_SFLOAT, size->width_px,
                                                  size->height_px);
        engine_write(&b->engine, depths->images[i].image, size->width_px, size->height_px,
                     VK_FORMAT_R32_SFLOAT, values, VK_IMAGE_LAYOUT_UNDEFINED,
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
    fovea_depth_init(&depths->values);
    depths->values.kind = FOVEA_DEPTH_PERSPECTIVE;
    depths->values.zero_m = (double)INFINITY;
    depths->values.one_m = BENCH_NEAR_M;
    depths->values.elapsed_s = 0.01;
    depths->are_there = true;
}

struct fovea_vk_depth vulkan_depths_of(const struct vulkan_depths *depths, uint32_t picture)
{
    const struct engine_image *image = depths ? &depths->images[picture] : NULL;
    return depths ? (struct fovea_vk_depth){.view = image->raw_view,
                                            .format = image->format,
                                            .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                            .width_px = image->width_px,
                                            .height_px = image->height_px,
                                            .values = &depths->values}
                  : (struct fovea_vk_depth){0};
}

void vulkan_depths_free(struct vulkan_bench *b, struct vulkan_depths *depths)
{
    for (int i = 0; depths->are_there && i < BENCH_PICTURES; i++) {
        engine_image_destroy(&b->engine, &depths->images[i]);
    }
    *depths = (struct vulkan_depths){0};
}
