/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_draw.h"

#include "lightfield_scene.h"
#include "pictures.h"
#include "progress.h"
#include "raw_file.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

#define RAW_ROWS 128 /* drawn between two steps of the bar */
#define THINGS 3
#define TEXTURE_WIDTH 768 /* the wall: 96 lenses of 8 pixels */
#define TEXTURE_HEIGHT 576
#define TEXTURE_NUMBERS ((size_t)3 * TEXTURE_WIDTH * TEXTURE_HEIGHT)

static bool draw_texture(const char *name, struct scene_texture *out)
{
    size_t index = 0;
    struct sample sample;
    while (index + 1 < samples_count(false) && strcmp(sample_name(index), name) != 0) {
        index++;
    }
    if (!sample_draw(index, TEXTURE_WIDTH, TEXTURE_HEIGHT, &sample)) {
        return false;
    }
    float *levels = malloc(TEXTURE_NUMBERS * sizeof *levels);
    const unsigned char *pixels = sample.image.view.data;
    for (size_t i = 0; levels && i < TEXTURE_NUMBERS; i++) {
        levels[i] = (float)pixels[i / 3 * 4 + i % 3] / 255.0f;
    }
    sample_free(&sample);
    *out = (struct scene_texture){levels, TEXTURE_WIDTH, TEXTURE_HEIGHT};
    return levels != NULL;
}

static void draw_scene(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                       uint8_t *bytes)
{
    const uint32_t rows = geometry->raw_height_px;
    struct progress progress = progress_start(rows, true);
    progress.what = "row";
    for (uint32_t y = 0; y < rows; y += RAW_ROWS) {
        const uint32_t end = y + RAW_ROWS < rows ? y + RAW_ROWS : rows;
        scene_raw_rows(scene, geometry, 3, y, end, bytes);
        progress_update(&progress, end);
    }
    progress_end(&progress);
}

/* ---- A wall and two discs */

static bool draw_things(const struct fovea_lightfield_geometry *geometry, uint8_t *bytes)
{
    static const char *const names[THINGS] = {"discs", "landscape 2", "landscape 1"};
    struct scene_texture textures[THINGS] = {{0}};
    const struct scene_layer layers[THINGS] = {{13.0, 30.0, 36.0, 12.0, &textures[0]},
                                               {11.0, 66.0, 36.0, 14.0, &textures[1]},
                                               {8.0, 0.0, 0.0, 0.0, &textures[2]}};
    const struct scene scene = {.layers = layers, .count = THINGS};
    bool fine = true;
    for (int i = 0; fine && i < THINGS; i++) {
        fine = draw_texture(names[i], &textures[i]);
    }
    if (fine) {
        draw_scene(&scene, geometry, bytes);
    }
    for (int i = 0; i < THINGS; i++) {
        free((void *)(uintptr_t)textures[i].levels);
    }
    return fine;
}

/* ---- A photograph */

/* 0 .. 1 of a channel, of grey pictures the only one. */
static float level_at(const struct fovea_lightfield_raw *picture, size_t pixel, size_t channel)
{
    static const size_t channels[] = {1, 1, 3, 4, 1, 3, 4};
    const size_t count = channels[picture->format];
    const size_t row = pixel / picture->width_px;
    const size_t at = pixel % picture->width_px * count + (count > 1 ? channel : 0);
    const char *begin = (const char *)picture->data + row * (size_t)picture->row_stride_bytes;
    return picture->format >= FOVEA_LIGHTFIELD_FORMAT_R16
               ? (float)((const uint16_t *)(const void *)begin)[at] / 65535.0f
               : (float)((const uint8_t *)begin)[at] / 255.0f;
}

static float *levels_of(const struct fovea_lightfield_raw *picture, size_t channels)
{
    const size_t count = (size_t)picture->width_px * picture->height_px * channels;
    float *levels = malloc(count * sizeof *levels);
    for (size_t i = 0; levels && i < count; i++) {
        levels[i] = level_at(picture, i / channels, i % channels);
    }
    return levels;
}

static bool draw_relief(const struct draw_wishes *wishes, const struct fovea_lightfield_raw *photo,
                        const struct fovea_lightfield_raw *depth,
                        const struct fovea_lightfield_geometry *geometry, uint8_t *bytes)
{
    float *levels = levels_of(photo, 3);
    float *patches = levels_of(depth, 1);
    const struct scene_texture texture = {levels, photo->width_px, photo->height_px};
    const struct scene_relief relief = {&texture, patches, wishes->near_px, wishes->far_px};
    const struct scene scene = {.relief = &relief};
    const bool fine = levels && patches;
    for (size_t i = 0; fine && i < (size_t)depth->width_px * depth->height_px; i++) {
        patches[i] =
            (float)(wishes->far_px + (wishes->near_px - wishes->far_px) * (double)patches[i]);
    }
    if (fine) {
        draw_scene(&scene, geometry, bytes);
    }
    free(levels);
    free(patches);
    return fine;
}

static bool draw_photo(const struct draw_wishes *wishes,
                       const struct fovea_lightfield_geometry *geometry, uint8_t *bytes)
{
    struct fovea_lightfield_raw photo = {0};
    struct fovea_lightfield_raw depth = {0};
    bool fine = raw_load(wishes->photo_path, &photo) && raw_load(wishes->photo_depth_path, &depth);
    if (fine && (photo.width_px != depth.width_px || photo.height_px != depth.height_px)) {
        say_error("--photo-depth is %ux%u, but --photo %ux%u", depth.width_px, depth.height_px,
                  photo.width_px, photo.height_px);
        fine = false;
    }
    fine = fine && draw_relief(wishes, &photo, &depth, geometry, bytes);
    raw_free(&depth);
    raw_free(&photo);
    return fine;
}

bool lightfield_draw(const struct draw_wishes *wishes, struct fovea_lightfield_geometry *out_array,
                     struct fovea_lightfield_raw *out_raw)
{
    out_array->raw_width_px = out_raw->width_px = 7176;
    out_array->raw_height_px = out_raw->height_px = 5382;
    out_array->columns = 96;
    out_array->rows = 72;
    out_array->pitch_x_px = out_array->pitch_y_px = 74.75;
    out_array->origin_x_px = out_array->origin_y_px = 37.375;
    uint8_t *bytes = malloc((size_t)3 * 7176 * 5382);
    out_raw->data = bytes;
    out_raw->format = FOVEA_LIGHTFIELD_FORMAT_RGB8;
    out_raw->row_stride_bytes = 3 * 7176;
    return bytes && (wishes->photo_path ? draw_photo(wishes, out_array, bytes)
                                        : draw_things(out_array, bytes));
}
