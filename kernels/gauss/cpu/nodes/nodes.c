/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

#include "kernels/gauss/cpu/common/planes.h"
#include "kernels/gauss/cpu/common/words.h"
#include "tile.h"

#include <string.h>

#define PX GAUSS_CPU_NODE_PX
#define PIXELS GAUSS_CPU_NODE_PIXELS
#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS
#define SLACK 32 /* for whole registers, at the end of every part */
#define LINE 16 /* floats */
/* The nodes of one tile, from the picture itself to the largest sigma. */
#define MAX_NODES GAUSS_LADDER_NODES

/* ---- Scratch memory */

struct buffers {
    float *sigma_px;
    float *places;
    float *firsts;
    float *weights;
    float *pixels;
    float *across;
    float *window; /* rows of samples, for a tile that sees beyond the level's edges */
    float *values;
};

static size_t most_floats(const struct gauss_cpu_ladder *ladder)
{
    return (size_t)ladder->most_samples + SLACK;
}

/* With memory NULL the floats are only counted. */
static size_t lay_out(const struct gauss_cpu_ladder *ladder, float *memory, struct buffers *out)
{
    const size_t most = most_floats(ladder);
    float **const parts[] = {&out->sigma_px, &out->places, &out->firsts, &out->weights,
                             &out->pixels,   &out->across, &out->window, &out->values};
    const size_t floats[] = {PIXELS,
                             PIXELS,
                             PIXELS,
                             (size_t)GAUSS_LADDER_TOGETHER * PIXELS,
                             (size_t)MAX_CHANNELS * PIXELS,
                             most * MAX_CHANNELS * PX,
                             most * MAX_CHANNELS * most,
                             (size_t)MAX_CHANNELS * PX};
    size_t at = 0;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        *parts[i] = memory ? memory + at : NULL;
        at += (floats[i] + SLACK + LINE - 1) / LINE * LINE;
    }
    return at;
}

/* ---- The window */

struct axis {
    int32_t base; /* phases count from this sample */
    int32_t first; /* sample of the window, from base on */
    int32_t count;
};

/* The samples of a level that a tile's nodes see. */
struct window {
    int32_t level;
    struct axis x, y;
    const float *rows[GAUSS_LADDER_TAPS + PX + 2];
    ptrdiff_t plane;
};

/* Samples from `from` to before `to` are stored, of those that are asked for. */
struct stored {
    int32_t first, last; /* asked for: up to before last */
    int32_t from, to;
};

/* Copies samples, and repeats the outermost that are stored. */
#if LANES == 16
static void copy_samples(const float *in, const struct stored *stored, float *out)
{
    const __m512 left = _mm512_set1_ps(in[stored->from]);
    const __m512 right = _mm512_set1_ps(in[stored->to - 1]);
    const __m512i from = _mm512_set1_epi32(stored->from);
    const __m512i to = _mm512_set1_epi32(stored->to);
    const __m512i ramp = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int32_t i = stored->first; i < stored->last; i += LANES, out += LANES) {
        const __m512i at = _mm512_add_epi32(ramp, _mm512_set1_epi32(i));
        const __mmask16 inside =
            _mm512_mask_cmplt_epi32_mask(_mm512_cmpge_epi32_mask(at, from), at, to);
        const __m512 outside = _mm512_mask_blend_ps(_mm512_cmplt_epi32_mask(at, from), right, left);
        *(lanes *)out = (lanes)_mm512_mask_loadu_ps(outside, inside, in + i);
    }
}
#else
static void copy_samples(const float *in, const struct stored *stored, float *out)
{
    const int32_t before = stored->from - stored->first;
    const int32_t count = stored->to - stored->from;
    gauss_cpu_repeat(out, in[stored->from], before);
    memcpy(out + before, in + stored->from, (size_t)count * sizeof *out);
    gauss_cpu_repeat(out + before + count, in[stored->to - 1], stored->last - stored->to);
}
#endif

/* Up to a register more is written. */
static void copy_row(const struct gauss_cpu_picture *picture, const struct window *window,
                     int32_t row, float *out)
{
    const int32_t margin = gauss_level_margin(window->level);
    const int32_t end = picture->plan->levels[window->level].width + margin;
    const int32_t first = window->x.base + window->x.first;
    const int32_t last = first + window->x.count;
    const int32_t from = gauss_cpu_clamp(first, -margin, end - 1);
    const struct stored stored = {first, last, from, gauss_cpu_clamp(last, from + 1, end)};
    const float *in = gauss_cpu_plane_row(picture, window->level, 0, row);
    for (int32_t c = 0; c < picture->channels; c++, out += window->plane) {
        copy_samples(in, &stored, out);
        in += gauss_cpu_plane(picture);
    }
}

/* ---- A tile */

static const struct gauss_cpu_node *node_of(const struct gauss_cpu_node_tile *tile,
                                            const struct gauss_cpu_ladder *ladder, int32_t index)
{
    const int32_t i = tile->nodes.first + index * tile->nodes.apart;
    return &ladder->nodes[i < ladder->count ? i : ladder->count - 1];
}

/* Finds the samples that the tile sees of a level along an axis: for node `index` and those after
 * it on the same level. */
static struct axis axis_of(const struct gauss_cpu_node_tile *tile,
                           const struct gauss_cpu_ladder *ladder, int32_t index, int32_t px)
{
    const int32_t level = node_of(tile, ladder, index)->level;
    struct axis axis = {.base = px >> level, .first = INT32_MAX};
    int32_t end = INT32_MIN;
    for (int32_t n = index; n < tile->nodes.count; n++) {
        const struct gauss_cpu_node *node = node_of(tile, ladder, n);
        if (node->level != level) {
            break;
        }
        const struct gauss_cpu_node_phase *phase = gauss_cpu_node_phase_at(node, px);
        axis.first = phase->first < axis.first ? phase->first : axis.first;
        end = phase->first + phase->count > end ? phase->first + phase->count : end;
    }
    axis.count = end - axis.first;
    return axis;
}

/* Returns the level's rows themselves if all samples are stored, or copies; beyond the outermost
 * there is none. */
static void open_window(const struct gauss_cpu_node_tile *tile,
                        const struct gauss_cpu_ladder *ladder, int32_t index,
                        const struct buffers *buffers, struct window *out)
{
    const struct gauss_cpu_picture *picture = tile->picture;
    out->level = node_of(tile, ladder, index)->level;
    out->x = axis_of(tile, ladder, index, tile->x_px);
    out->y = axis_of(tile, ladder, index, tile->y_px);
    const struct gauss_level *level = &picture->plan->levels[out->level];
    const int32_t margin = gauss_level_margin(out->level);
    const int32_t first = out->x.base + out->x.first;
    const bool inside = first >= -margin && first + out->x.count <= level->width + margin;
    out->plane = inside ? gauss_cpu_plane(picture) : out->x.count;
    int32_t before = INT32_MIN;
    float *copy = buffers->window;
    for (int32_t i = 0; i < out->y.count; i++) {
        const int32_t row =
            gauss_cpu_clamp(out->y.base + out->y.first + i, -margin, level->height + margin - 1);
        if (i > 0 && row == before) {
            out->rows[i] = out->rows[i - 1];
        } else if (inside) {
            out->rows[i] = gauss_cpu_plane_row(picture, out->level, 0, row) + first;
        } else {
            copy_row(picture, out, row, copy);
            out->rows[i] = copy;
            copy += picture->channels * out->plane;
        }
        before = row;
    }
}

/* Bytes, as there is one for each node on the stack. */
struct span {
    uint8_t first, end;
};

/* Finds the rows of pixels that blend each node. */
static void find_rows(const struct gauss_cpu_node_tile *tile, struct span *out)
{
    const bool all = tile->nodes.count == tile->nodes.together;
    for (int32_t n = 0; n < tile->nodes.count; n++) {
        out[n].first = all ? 0 : (uint8_t)tile->height_px;
        out[n].end = all ? (uint8_t)tile->height_px : 0;
    }
    if (all) {
        return;
    }
    for (int32_t y = 0; y < tile->height_px; y++) {
        const float *firsts = tile->firsts + (ptrdiff_t)y * PX;
        float low = lanes_least(lanes_at(firsts));
        float high = lanes_most(lanes_at(firsts));
        for (int32_t x = LANES; x < PX; x += LANES) {
            low = fminf(low, lanes_least(lanes_at(firsts + x)));
            high = fmaxf(high, lanes_most(lanes_at(firsts + x)));
        }
        for (int32_t n = (int32_t)low; n < (int32_t)high + tile->nodes.together; n++) {
            out[n].first = y < out[n].first ? (uint8_t)y : out[n].first;
            out[n].end = (uint8_t)(y + 1);
        }
    }
}

static void add_node(const struct gauss_cpu_node_tile *tile, const struct gauss_cpu_node *node,
                     const struct window *window, const struct buffers *buffers, int32_t index,
                     struct span rows)
{
    const struct gauss_cpu_node_phase *x = gauss_cpu_node_phase_at(node, tile->x_px);
    const struct gauss_cpu_node_phase *y = gauss_cpu_node_phase_at(node, tile->y_px);
    const int32_t first = y->row_first[rows.first];
    const struct gauss_cpu_node_window seen = {
        .rows = window->rows + (y->first - window->y.first) + first,
        .plane = window->plane,
        .count = y->row_first[rows.end - 1] + node->taps - first,
        .skip = x->first - window->x.first,
    };
    gauss_cpu_node_across(&seen, node, x, tile->picture->channels, buffers->across);
    gauss_cpu_node_down(tile, &(struct gauss_cpu_node_rows){.node = node,
                                                            .phase = y,
                                                            .across = buffers->across,
                                                            .across_first = first,
                                                            .first_y = rows.first,
                                                            .end_y = rows.end,
                                                            .index = index});
}

static void blend_nodes(const struct gauss_cpu_node_tile *tile,
                        const struct gauss_cpu_ladder *ladder, const struct buffers *buffers)
{
    struct span rows[MAX_NODES];
    struct window window;
    const struct gauss_cpu_node *seen = NULL; /* the level that the window was opened for */
    find_rows(tile, rows);
    memset(tile->pixels, 0,
           (size_t)(tile->height_px * tile->picture->channels * PX) * sizeof *tile->pixels);
    for (int32_t n = 0; n < tile->nodes.count; n++) {
        const struct gauss_cpu_node *node = node_of(tile, ladder, n);
        if (rows[n].first >= rows[n].end) {
            continue;
        }
        if (!seen || node->level != seen->level) {
            open_window(tile, ladder, n, buffers, &window);
            seen = node;
        }
        add_node(tile, node, &window, buffers, n, rows[n]);
    }
}

static int32_t blend_of(const struct gauss_cpu_picture *picture)
{
    if (!pixel_light_known(picture->view.src.format)) {
        const bool wide = image_light_is_wide(gauss_plan_light(picture->plan));
        return wide && picture->of_light ? GAUSS_BLEND_WIDE : GAUSS_BLEND_FLOATS;
    }
    return gauss_light_blend(picture->light ? picture->view.frame.light : IMAGE_LIGHT_STORED);
}

static void make_tile(struct gauss_cpu_node_tile *tile, const struct gauss_cpu_ladder *ladder,
                      const struct buffers *buffers)
{
    gauss_cpu_node_places(tile);
    if (tile->highest <= 0.0f) {
        gauss_cpu_copy_rows(tile->picture,
                            (struct gauss_cpu_span){tile->x_px, tile->y_px, tile->width_px},
                            tile->height_px);
        return;
    }
    tile->nodes = gauss_tile_nodes_of(tile->lowest, tile->highest,
                                      tile->is_wide ? GAUSS_BLEND_WIDE : tile->blend);
    gauss_cpu_node_weigh(tile);
    blend_nodes(tile, ladder, buffers);
    if (!gauss_cpu_node_write(tile, buffers->values)) {
        gauss_cpu_node_gather(tile->picture, tile->sigma_px, tile->x_px, tile->y_px);
    }
}

static void tiles(const struct gauss_cpu_picture *picture, const struct gauss_cpu_ladder *ladder,
                  float *scratch, int32_t y_px)
{
    const int32_t width_px = picture->view.frame.width_px;
    const int32_t residual_px = picture->view.frame.height_px - y_px;
    struct buffers buffers;
    lay_out(ladder, scratch, &buffers);
    for (int32_t x_px = 0; x_px < width_px; x_px += PX) {
        struct gauss_cpu_node_tile tile = {
            .picture = picture,
            .blend = blend_of(picture),
            .is_wide = image_light_is_wide(gauss_plan_light(picture->plan)),
            .x_px = x_px,
            .y_px = y_px,
            .width_px = width_px - x_px < PX ? width_px - x_px : PX,
            .height_px = residual_px < PX ? residual_px : PX,
            .sigma_px = buffers.sigma_px,
            .places = buffers.places,
            .firsts = buffers.firsts,
            .weights = buffers.weights,
            .pixels = buffers.pixels,
        };
        make_tile(&tile, ladder, &buffers);
    }
    gauss_cpu_finish_streams();
}

/* ---- Level 0 */

static void read_rows(const struct gauss_cpu_picture *picture, float *values, int32_t first_row,
                      int32_t end_row)
{
    for (int32_t y = first_row; y < end_row; y++) {
        const struct gauss_cpu_span span = {0, y, picture->view.frame.width_px};
        gauss_cpu_read(picture, &span, values, gauss_cpu_plane_row(picture, 0, 0, y),
                       gauss_cpu_plane(picture));
    }
}

const struct gauss_cpu_nodes GAUSS_CPU_NAME(gauss_cpu_nodes) = {.read_rows = read_rows,
                                                                .tiles = tiles};
#if !defined GAUSS_CPU_AVX2 && !defined GAUSS_CPU_AVX512
size_t gauss_cpu_nodes_floats(const struct gauss_cpu_ladder *ladder)
{
    struct buffers buffers;
    return lay_out(ladder, NULL, &buffers);
}
#endif
