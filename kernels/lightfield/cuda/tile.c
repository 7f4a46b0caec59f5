/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Which pictures and depths are made by tiles, and how large these are. */

#include "run.h"

#include <math.h>

/* Of sums that are being stored. */
#define STORE_BYTES (LIGHTFIELD_TILE_COLUMNS * LIGHTFIELD_TILE_ROWS * 3 * (int32_t)sizeof(float))

static int32_t parts_of(int32_t size, int32_t part)
{
    return (size + part - 1) / part;
}

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

/* Of the columns of lenses that a block's pixels are in, and of those beside them. Where each lens
 * has as many pixels, none is nearer to its edge than half a pixel. */
static int32_t row_chunks(const struct lightfield_tile_wish *wish, int32_t lenses)
{
    const int32_t columns = wish->array->columns;
    const double inset_px =
        wish->width_px % columns == 0 ? wish->least_px * columns / wish->width_px : 0.0;
    const double beyond_px = wish->beyond_px - inset_px;
    const double reach_px = (wish->range + 0.5) * wish->most_px;
    int32_t chunks = lenses * chunks_of(2.0 * reach_px + beyond_px);
    for (int32_t k = 1; k <= wish->range; k++) {
        chunks += 2 * chunks_of(reach_px - (k - 0.5) * wish->least_px + beyond_px);
    }
    return chunks;
}

/* Of the row of lenses of which they are most: the last one, or the nearest. */
static int32_t tile_rows(const struct lightfield_tile_wish *wish, double per_lens, int32_t rows)
{
    const double part = (rows - 1) / per_lens;
    const double least_px = wish->least_px * wish->array->tall;
    const double most_px = wish->most_px * wish->array->tall;
    const double last_px = (wish->range + 0.5) * (most_px - least_px) + part * least_px;
    return (int32_t)floor(fmax(part * most_px, last_px)) + 2 + wish->beyond_px;
}

/* Whole lenses have no pixels twice. */
static int32_t columns_of(int32_t width_px, int32_t lenses)
{
    const int32_t each = width_px / lenses;
    return width_px % lenses == 0 && each <= LIGHTFIELD_TILE_COLUMNS / 4
               ? LIGHTFIELD_TILE_COLUMNS / each * each
               : LIGHTFIELD_TILE_COLUMNS;
}

bool lightfield_tile_plan(const struct lightfield_cuda *cuda,
                          const struct lightfield_tile_wish *wish, struct lightfield_tile *out,
                          uint32_t *out_shared_bytes)
{
    const struct lightfield_cuda_array *array = wish->array;
    const double per_lens = (double)wish->width_px / array->columns;
    const double rows_per_lens = (double)wish->height_px / array->rows;
    const int32_t columns = wish->has_whole_lenses ? columns_of(wish->width_px, array->columns)
                                                   : LIGHTFIELD_TILE_COLUMNS;
    const double lenses = columns < LIGHTFIELD_TILE_COLUMNS ? columns / per_lens
                                                            : floor((columns - 1) / per_lens) + 2.0;
    if (!has_chunks(wish->raw, wish->kind) || array->sin != 0.0 || array->hexagonal ||
        wish->range > LIGHTFIELD_TILE_RANGE ||
        lenses + LIGHTFIELD_TILE_RANGE + wish->range + 1.0 > LIGHTFIELD_TILE_SLOTS) {
        return false;
    }
    const int32_t rows = (int32_t)rows_per_lens + (wish->height_px % array->rows ? 2 : 0);
    const int32_t parts = parts_of(rows > 0 ? rows : 1, LIGHTFIELD_TILE_ROWS);
    const int32_t chunks = row_chunks(wish, (int32_t)lenses);
    const int32_t texel_bytes = wish->kind == LIGHTFIELD_CUDA_R8 ? 1 : 4;
    const int64_t texels = (int64_t)chunks * LIGHTFIELD_TILE_CHUNK *
                           tile_rows(wish, rows_per_lens, parts_of(rows, parts));
    const int64_t bytes = texels * texel_bytes;
    *out = (struct lightfield_tile){.columns = columns, .parts = parts};
    *out_shared_bytes = (uint32_t)(bytes > STORE_BYTES ? bytes : STORE_BYTES);
    return chunks <= LIGHTFIELD_TILE_CHUNKS && bytes <= cuda->tile_bytes &&
           texels <= LIGHTFIELD_TILE_TEXELS;
}

static enum fovea_result launch(const struct lightfield_cuda *cuda, CUstream stream,
                                CUfunction kernel, const struct lightfield_cuda_picture *picture,
                                const struct lightfield_cuda_array *array,
                                const struct lightfield_tile *tile, uint32_t threads_y,
                                uint32_t shared_bytes, void *params)
{
    const struct cuda_launch launch = {
        .kernel = kernel,
        .blocks = {cuda_parts(picture->width_px, tile->columns),
                   (uint32_t)(array->rows * tile->parts), 1},
        .threads = {LIGHTFIELD_TILE_COLUMNS, threads_y},
        .shared_bytes = shared_bytes,
    };
    return cuda_launch(cuda->device, stream, &launch, params);
}

enum fovea_result lightfield_tile_render(const struct lightfield_cuda *cuda, CUstream stream,
                                         enum lightfield_cuda_kind kind,
                                         struct lightfield_tile_rendering *params,
                                         uint32_t shared_bytes)
{
    return launch(cuda, stream, cuda->render_tile[kind], &params->of.dst, &params->of.array,
                  &params->tile, 1, shared_bytes, params);
}

enum fovea_result lightfield_tile_match(const struct lightfield_cuda *cuda, CUstream stream,
                                        enum lightfield_cuda_kind kind,
                                        struct lightfield_tile_matching *params,
                                        uint32_t shared_bytes)
{
    return launch(cuda, stream, cuda->depth_tile[kind], &params->of.depth, &params->of.array,
                  &params->tile, LIGHTFIELD_TILE_ROWS / LIGHTFIELD_TILE_GROUP, shared_bytes,
                  params);
}
