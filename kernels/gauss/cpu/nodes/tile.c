/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile's pixels: their places on the ladder, and their way back into the picture. */

#include "tile.h"

#include "kernels/gauss/cpu/common/light.h"
#include "kernels/gauss/cpu/common/planes.h"
#include "kernels/gauss/cpu/common/sigma.h"
#include "kernels/gauss/grid.h"

#include <string.h>

#define PX GAUSS_CPU_NODE_PX
#define PIXELS GAUSS_CPU_NODE_PIXELS

/* ---- Places */

/* gauss_ladder_place, of wide light */
static inline lanes wide_place_of(const lanes *sigma_px)
{
    const lanes ratio = *sigma_px * (1.0f / GAUSS_LADDER_WIDE_PX);
    const lanes one = 1.0f - (lanes){0};
    const lanes counted = lanes_greater(&ratio, &one);
    lanes logarithm;
    lanes_logarithm(&counted, &logarithm);
    return (float)GAUSS_LADDER_PER_OCTAVE * logarithm;
}

/* Pixels beyond the picture are treated as its last ones. */
static void repeat_last(float *row, int32_t count)
{
    for (int32_t i = count; i < PX; i++) {
        row[i] = row[count - 1];
    }
}

/* Returns whether a row lies in the fragments of the row before. */
static bool repeats_row(const struct gauss_cpu_node_tile *tile, int32_t y)
{
    const struct gauss_frame *frame = &tile->picture->view.frame;
    return y > 0 && frame->fragment_px > 0 &&
           (tile->y_px + y + gauss_grid_shift_px(frame->gaze_y_q8, frame->fragment_px)) %
                   frame->fragment_px !=
               0;
}

void gauss_cpu_node_sigmas(const struct gauss_cpu_node_tile *tiles, int32_t count, float *row)
{
    for (int32_t y = 0; y < tiles->height_px; y++) {
        const bool repeats = repeats_row(tiles, y);
        if (!repeats) {
            gauss_cpu_sigma_row(tiles->picture,
                                (struct gauss_cpu_places){(float)tiles->x_px + 0.5f,
                                                          (float)(tiles->y_px + y) + 0.5f, 1.0f,
                                                          count * PX},
                                row);
            repeat_last(row + (ptrdiff_t)(count - 1) * PX, tiles[count - 1].width_px);
        }
        for (int32_t i = 0; i < count; i++) {
            memcpy(tiles[i].sigma_px + (ptrdiff_t)y * PX, row + (ptrdiff_t)i * PX,
                   PX * sizeof *row);
        }
    }
}

void gauss_cpu_node_places(struct gauss_cpu_node_tile *tile)
{
    lanes lowest = {0};
    lanes highest = {0};
    for (int32_t y = 0; y < gauss_cpu_node_rows(tile); y++) {
        const float *sigma_px = tile->sigma_px + (ptrdiff_t)y * PX;
        float *places = tile->places + (ptrdiff_t)y * PX;
        if (y >= tile->height_px || repeats_row(tile, y)) {
            memcpy(places, places - PX, PX * sizeof *places);
            continue;
        }
        for (int32_t i = 0; i < PX; i += LANES) {
            const lanes place = tile->is_wide ? wide_place_of(lanes_at(sigma_px + i))
                                              : gauss_cpu_ladder_place(lanes_at(sigma_px + i));
            *(lanes *)(places + i) = place;
            lowest = y + i == 0 ? place : lanes_lesser(&place, &lowest);
            highest = y + i == 0 ? place : lanes_greater(&place, &highest);
        }
    }
    tile->lowest = lanes_least(&lowest);
    tile->highest = lanes_most(&highest);
}

/* ---- Weights */

/* gauss_ladder_weights */
static inline void weights_of(const lanes *at, int32_t together, float *out)
{
    const lanes a = *at;
    const lanes b = a - 1.0f;
    const lanes c = a - 2.0f;
    const lanes d = a - 3.0f;
    if (together == 1) {
        *(lanes *)out = 1.0f - (lanes){0};
    } else if (together == 2) {
        *(lanes *)out = -b;
        *(lanes *)(out + PIXELS) = a;
    } else if (together == 3) {
        *(lanes *)out = 0.5f * b * c;
        *(lanes *)(out + PIXELS) = -a * c;
        *(lanes *)(out + 2 * PIXELS) = 0.5f * a * b;
    } else {
        *(lanes *)out = b * c * d * (-1.0f / 6.0f);
        *(lanes *)(out + PIXELS) = a * c * d * 0.5f;
        *(lanes *)(out + 2 * PIXELS) = a * b * d * -0.5f;
        *(lanes *)(out + 3 * PIXELS) = a * b * c * (1.0f / 6.0f);
    }
}

/* gauss_ladder_close */
static inline void add_close(const lanes *at, float *out)
{
    static const float close[] = {GAUSS_LADDER_CLOSE_0, GAUSS_LADDER_CLOSE_1, GAUSS_LADDER_CLOSE_2,
                                  GAUSS_LADDER_CLOSE_3};
    const lanes two = 2.0f - (lanes){0};
    const lanes p = lanes_lesser(at, &two);
    const lanes factor = p * (p - 1.0f) * (p - 2.0f) * (p - 3.0f);
    for (int32_t i = 0; i < GAUSS_LADDER_TOGETHER; i++) {
        *(lanes *)(out + (ptrdiff_t)i * PIXELS) += factor * close[i];
    }
}

/* gauss_tile_nodes_at */
void gauss_cpu_node_weigh(const struct gauss_cpu_node_tile *tile)
{
    const struct gauss_tile_nodes *nodes = &tile->nodes;
    const lanes zero = {0};
    const lanes last = (float)(nodes->count - nodes->together) + zero;
    const float scale = 1.0f / (float)nodes->apart;
    const bool is_close = gauss_tile_nodes_close(nodes);
    for (int32_t i = 0; i < gauss_cpu_node_rows(tile) * PX; i += LANES) {
        const lanes at = (*lanes_at(tile->places + i) - (float)nodes->first) * scale;
        const whole_lanes whole = __builtin_convertvector(at, whole_lanes) - 1;
        const lanes asked = __builtin_convertvector(whole, lanes);
        const lanes from = lanes_greater(&zero, &asked);
        const lanes first = lanes_lesser(&last, &from);
        const lanes residual = at - first;
        *(lanes *)(tile->firsts + i) = first;
        weights_of(&residual, nodes->together, tile->weights + i);
        if (is_close) {
            add_close(&at, tile->weights + i);
        }
    }
}

/* ---- Back into the picture */

/* Converts light to levels, by a display's samples or for one colour. */
static void encode_row(const struct gauss_cpu_node_tile *tile, float *row)
{
    const uint32_t channels = (uint32_t)tile->picture->channels;
    float values[PX * GAUSS_CPU_MAX_CHANNELS];
    for (uint32_t i = 0; i < PX * channels; i++) {
        values[i] = row[i % channels * PX + i / channels];
    }
    pixel_light_to_levels(tile->picture->light, values, PX, channels,
                          tile->picture->codec->color_channels);
    for (uint32_t i = 0; i < PX * channels; i++) {
        row[i % channels * PX + i / channels] = values[i];
    }
}

/* Converts square roots of wide light to it, and to its codes where the picture has such. */
static void encode_roots(const struct gauss_cpu_node_tile *tile, float *row)
{
    const struct pixel_light *light = tile->picture->light;
    const int32_t colors = (int32_t)tile->picture->codec->color_channels;
    const lanes zero = {0};
    for (int32_t i = 0; i < colors * PX; i += LANES) {
        const lanes root = *lanes_at(row + i);
        const lanes kept = lanes_greater(&root, &zero); /* weights may be negative */
        *(lanes *)(row + i) = kept * kept;
    }
    if (!light) {
        return;
    }
    if (colors < 3 || light->sample_count > 0) {
        encode_row(tile, row);
        return;
    }
    for (int32_t i = 0; i < PX; i += LANES) {
        lanes values[3] = {*lanes_at(row + i), *lanes_at(row + PX + i),
                           *lanes_at(row + 2 * PX + i)};
        if (light->system_gamma > 0.0f) {
            gauss_cpu_scene_of_display(light, values);
        }
        for (int32_t c = 0; c < 3; c++) {
            *(lanes *)(row + c * PX + i) = gauss_cpu_level_of(light, &values[c]);
        }
    }
}

/* Negative weights may make less than black, and more than white. */
static void clamp(const struct gauss_cpu_node_tile *tile, float *row, const lanes *most)
{
    const lanes zero = {0};
    for (int32_t i = 0; i < tile->picture->channels * PX; i += LANES) {
        const lanes value = *lanes_at(row + i);
        const lanes clamped = lanes_greater(&zero, &value);
        *(lanes *)(row + i) = lanes_lesser(most, &clamped);
    }
}

static bool is_finite(const struct gauss_cpu_node_tile *tile)
{
    lanes sum = {0};
    for (int32_t i = 0; i < tile->height_px * tile->picture->channels * PX; i += LANES) {
        sum += *lanes_at(tile->pixels + i) * 0.0f;
    }
    float all = 0.0f;
    for (int32_t i = 0; i < LANES; i++) {
        all += sum[i];
    }
    return all == 0.0f;
}

/* Copies the pixels of a row that are not blurred, run by run. */
static void copy_sharp(const struct gauss_cpu_node_tile *tile, int32_t y)
{
    const struct gauss_cpu_picture *picture = tile->picture;
    const float *places = tile->places + (ptrdiff_t)y * PX;
    for (int32_t x = 0; x < tile->width_px; x++) {
        const int32_t first = x;
        while (x < tile->width_px && places[x] <= 0.0f) {
            x++;
        }
        if (x > first) {
            const struct gauss_cpu_span span = {tile->x_px + first, tile->y_px + y, x - first};
            gauss_cpu_copy_span(picture, &span);
        }
    }
}

bool gauss_cpu_node_write(const struct gauss_cpu_node_tile *tile, float *values)
{
    struct gauss_cpu_picture picture = *tile->picture;
    const bool levels = pixel_light_known(picture.view.src.format);
    if (!levels && !is_finite(tile)) {
        return false;
    }
    picture.light = tile->blend == GAUSS_BLEND_WIDE ? NULL : picture.light;
    const bool words = gauss_cpu_is_words(&picture);
    const float highest = !words || picture.light ? 1.0f : 255.0f;
    const lanes most = highest - (lanes){0};
    for (int32_t y = 0; y < tile->height_px; y++) {
        const struct gauss_cpu_span span = {tile->x_px, tile->y_px + y, tile->width_px};
        float *row = tile->pixels + (ptrdiff_t)y * picture.channels * PX;
        if (tile->blend == GAUSS_BLEND_WIDE) {
            encode_roots(tile, row);
        }
        if (words) {
            clamp(tile, row, &most);
            gauss_cpu_write_words(&picture, &span, row, PX);
        } else {
            gauss_cpu_write(&picture, &span, row, PX, values);
        }
        if (tile->lowest <= 0.0f) {
            copy_sharp(tile, y);
        }
    }
    return true;
}
