/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This decides which pictures and depths are made by tiles, and how large these are. */

#include "lightfield_cuda.h"

#include <math.h>

/* Copies of whole chunks reach no further than rows do. */
static bool has_chunks(const struct lightfield_cuda_raw *raw, enum lightfield_cuda_kind kind)
{
    const int64_t bytes = kind == LIGHTFIELD_CUDA_RGBA8 ? 16 : 4;
    return kind <= LIGHTFIELD_CUDA_RGBA8 && raw->data % (uint64_t)bytes == 0 &&
           raw->row_stride_bytes % bytes == 0 && raw->width_px % LIGHTFIELD_TILE_CHUNK == 0;
}

/* Chunks that pixels of a row may lie in whose first and last are so far apart. */
static int32_t chunks_of(double span_px)
{
    return (int32_t)floor((span_px + 1.0) / LIGHTFIELD_TILE_CHUNK + 1.75);
}

/* Counts chunks of the columns of lenses that a block's pixels are in, and of those beside them.
 * The first of its lenses has no pixels to its left that take its samples, the next one those of a
 * lens, and so from the right. */
static int32_t row_chunks(const struct lightfield_tile_wish *wish, int32_t lenses)
{
    const double reach_px = (wish->range + 0.5) * wish->most_px;
    int32_t chunks = 0;
    for (int32_t lens = 0; lens < lenses; lens++) {
        const int32_t left = lens < wish->range ? lens : wish->range;
        const int32_t right = lenses - 1 - lens < wish->range ? lenses - 1 - lens : wish->range;
        chunks += chunks_of((left + right + 1) * wish->most_px);
    }
    for (int32_t k = 1; k <= wish->range; k++) {
        chunks += 2 * chunks_of(reach_px - (k - 0.5) * wish->least_px);
    }
    return chunks;
}

/* Counts rows of the row of lenses of which they are most: the last one, or the nearest. */
static int32_t tile_rows(const struct lightfield_tile_wish *wish, double per_lens, int32_t rows)
{
    const double part = (rows - 1) / per_lens;
    const double least_px = wish->least_px * wish->array->tall;
    const double most_px = wish->most_px * wish->array->tall;
    const double last_px = (wish->range + 0.5) * (most_px - least_px) + part * least_px;
    return (int32_t)floor(fmax(part * most_px, last_px)) + 2;
}

/* Counts the lenses of a row that so many columns of the picture are nearest to, at most. */
static double lenses_of(double per_lens, int32_t columns, bool is_whole)
{
    return is_whole ? columns / per_lens : floor((columns - 1) / per_lens) + 2.0;
}

static bool has_tiles(const struct lightfield_cuda_raw *raw,
                      const struct lightfield_cuda_array *array, enum lightfield_cuda_kind kind,
                      int32_t range)
{
    return has_chunks(raw, kind) && array->sin == 0.0 && !array->hexagonal &&
           range <= LIGHTFIELD_TILE_RANGE;
}

/* The row of blocks at a gaze. */
static int32_t nearest_of(const struct lightfield_cuda_rings *rings,
                          const struct lightfield_cuda_axis *down, uint32_t rows)
{
    const double at = rings->gaze_y_px / down->pixels * rows;
    return rings->is_on ? (int32_t)fmin(fmax(at, 0.0), (double)rows - 1.0) : 0;
}

static bool has_slots(double lenses, int32_t range)
{
    return lenses + LIGHTFIELD_TILE_RANGE + range + 1.0 <= LIGHTFIELD_TILE_SLOTS;
}

/* Counts the blocks of a row of lenses. */
static int32_t parts_of_rows(int32_t height_px, int32_t lenses, int32_t *out_rows)
{
    const int32_t rows = height_px / lenses + (height_px % lenses ? 2 : 0);
    const int32_t parts = (int32_t)cuda_parts(rows > 0 ? rows : 1, LIGHTFIELD_TILE_ROWS);
    *out_rows = (int32_t)cuda_parts(rows, parts);
    return parts;
}

/* ---- Pictures */

/* Chunks of a row that pixels near so many lenses take, of the patch sizes up to most_px. Of the
 * lenses of the array each has the pixels of those of them that are in range. */
static int32_t picture_chunks(const struct lightfield_cuda_rendering *params, double most_px,
                              int32_t lenses)
{
    const double per_lens = (double)params->dst.width_px / params->array.columns;
    const bool is_even = params->dst.width_px % params->array.columns == 0;
    int32_t most = 0;
    for (int32_t range = params->range; range >= 0; range--) {
        const double patch_px = fmin(most_px, params->array.reach_px / (2.0 * range + 1.0));
        /* If each lens has as many pixels, none is nearer to its edge than half a pixel. */
        const double beyond_px = is_even ? 1.0 - patch_px / per_lens : 1.0;
        int32_t chunks = 0;
        for (int32_t lens = -range; lens < lenses + range; lens++) {
            const int32_t first = lens - range > 0 ? lens - range : 0;
            const int32_t last = lens + range < lenses ? lens + range : lenses - 1;
            chunks += chunks_of((last - first + 1) * patch_px + beyond_px);
        }
        most = chunks > most ? chunks : most;
    }
    return most;
}

/* Whole lenses have no pixels twice. */
static int32_t columns_of_lens(int32_t width_px, int32_t lenses)
{
    const int32_t each = width_px / lenses;
    return width_px % lenses == 0 && each > 0 && each <= LIGHTFIELD_TILE_COLUMNS / 4 ? each : 0;
}

bool lightfield_tile_plan_picture(const struct lightfield_cuda_rendering *params,
                                  enum lightfield_cuda_kind kind, double most_px,
                                  struct lightfield_tile *out)
{
    const struct lightfield_cuda_array *array = &params->array;
    const double per_lens = (double)params->dst.width_px / array->columns;
    const int32_t each = columns_of_lens(params->dst.width_px, array->columns);
    const int32_t step = each > 0 ? each : LIGHTFIELD_TILE_COLUMNS / 4;
    int32_t rows;
    *out =
        (struct lightfield_tile){.parts = parts_of_rows(params->dst.height_px, array->rows, &rows)};
    if (!has_tiles(&params->raw, array, kind, params->range)) {
        return false;
    }
    if (params->rings.is_on) {
        out->columns = LIGHTFIELD_RINGS_COLUMNS;
        out->threads = LIGHTFIELD_RINGS_THREADS;
        out->parts *= LIGHTFIELD_TILE_ROWS / LIGHTFIELD_RINGS_ROWS;
        return true;
    }
    for (int32_t columns = LIGHTFIELD_TILE_COLUMNS / step * step; columns > 0; columns -= step) {
        const double lenses = lenses_of(per_lens, columns, each > 0);
        const int32_t chunks = has_slots(lenses, params->range)
                                   ? picture_chunks(params, most_px, (int32_t)lenses)
                                   : INT32_MAX;
        if (chunks <= LIGHTFIELD_TILE_THREADS) {
            out->columns = columns;
            out->threads = 32 * (int32_t)cuda_parts(chunks > columns ? chunks : columns, 32);
            return true;
        }
    }
    return false;
}

enum fovea_result lightfield_tile_render(const struct lightfield_cuda *cuda, CUstream stream,
                                         enum lightfield_cuda_kind kind,
                                         struct lightfield_tile_rendering *params)
{
    const struct lightfield_cuda_picture *dst = &params->of.dst;
    struct lightfield_tile *tile = &params->tile;
    const bool has_rings = params->of.rings.is_on != 0;
    const bool is_gray = kind == LIGHTFIELD_CUDA_R8;
    const int32_t plane =
        tile->threads + (is_gray ? LIGHTFIELD_TILE_BESIDE_GRAY : LIGHTFIELD_TILE_BESIDE);
    const struct cuda_launch launch = {
        .kernel = has_rings ? cuda->render_rings[kind] : cuda->render_tile[kind],
        .blocks = {cuda_parts(dst->width_px, tile->columns),
                   (uint32_t)(params->of.array.rows * tile->parts), 1},
        .threads = {(uint32_t)tile->threads, 1},
        .shared_bytes = has_rings ? 0
                                  : (uint32_t)(LIGHTFIELD_TILE_BATCH * LIGHTFIELD_TILE_CHUNK *
                                               plane * (is_gray ? 1 : 4) * (int32_t)sizeof(float)),
    };
    tile->nearest = nearest_of(&params->of.rings, &params->of.array.down, launch.blocks[1]);
    return cuda_launch(cuda->device, stream, &launch, params);
}

/* ---- Depths */

bool lightfield_tile_plan(const struct lightfield_cuda *cuda,
                          const struct lightfield_tile_wish *wish, struct lightfield_tile *out,
                          uint32_t *out_shared_bytes)
{
    const struct lightfield_cuda_array *array = wish->array;
    const double per_lens = (double)wish->width_px / array->columns;
    const double rows_per_lens = (double)wish->height_px / array->rows;
    const double lenses = lenses_of(per_lens, LIGHTFIELD_TILE_COLUMNS, false);
    int32_t rows;
    *out = (struct lightfield_tile){
        .columns = LIGHTFIELD_TILE_COLUMNS,
        .parts = parts_of_rows(wish->height_px, array->rows, &rows),
    };
    if (!has_tiles(wish->raw, array, wish->kind, wish->range) || !has_slots(lenses, wish->range)) {
        return false;
    }
    const int32_t chunks = row_chunks(wish, (int32_t)lenses);
    const int32_t texel_bytes = wish->kind == LIGHTFIELD_CUDA_R8 ? 1 : 4;
    const int64_t texels =
        (int64_t)chunks * LIGHTFIELD_TILE_CHUNK * tile_rows(wish, rows_per_lens, rows);
    const int64_t bytes = texels * texel_bytes;
    *out_shared_bytes = (uint32_t)bytes;
    return chunks <= LIGHTFIELD_TILE_CHUNKS && bytes <= cuda->tile_bytes &&
           texels <= LIGHTFIELD_TILE_TEXELS;
}

enum fovea_result lightfield_tile_match(const struct lightfield_cuda *cuda, CUstream stream,
                                        enum lightfield_cuda_kind kind,
                                        struct lightfield_tile_matching *params,
                                        uint32_t shared_bytes)
{
    const struct cuda_launch launch = {
        .kernel = cuda->depth_tile[kind],
        .blocks = {cuda_parts(params->of.depth.width_px, params->tile.columns),
                   (uint32_t)(params->of.array.rows * params->tile.parts), 1},
        .threads = {LIGHTFIELD_TILE_COLUMNS, LIGHTFIELD_TILE_ROWS / LIGHTFIELD_TILE_GROUP},
        .shared_bytes = shared_bytes,
    };
    params->tile.nearest = nearest_of(&params->of.rings, &params->of.array.down, launch.blocks[1]);
    return cuda_launch(cuda->device, stream, &launch, params);
}
