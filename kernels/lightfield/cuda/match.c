/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The launches of depths, in as many parts as memory for costs asks for. */

#include "lightfield_cuda.h"

#include "core/bounds.h"
#include "kernels/cuda/cuda_capture.h"

struct match {
    struct lightfield_cuda *cuda;
    CUstream stream;
    enum lightfield_cuda_kind kind;
    uint32_t width_px, height_px;
    uint32_t rows; /* of a part */
    struct lightfield_tile tile;
    uint32_t shared_bytes; /* of tiles; 0: there are none */
    struct lightfield_cuda_matching params;
};

static uint64_t row_bytes(const struct match *match)
{
    const uint64_t images = match->params.box ? 2 : 1;
    return images * sizeof(float) * (uint64_t)match->params.size_count * match->width_px;
}

static uint32_t reach_of(const struct match *match)
{
    return match->params.box ? LIGHTFIELD_BOX_REACH : 0;
}

static uint32_t rows_for(const struct match *match)
{
    const uint64_t bytes = row_bytes(match);
    const uint64_t fit = bytes > 0 ? LIGHTFIELD_CUDA_MOST_BYTES / bytes : 0;
    const uint64_t reach = 2 * (uint64_t)reach_of(match);
    return bounds_smaller_u32(match->height_px, fit > reach ? (uint32_t)(fit - reach) : 1);
}

/* ---- Tiles: nearest pixels of bytes, some patch sizes at once */

static bool plan_tiles(const struct match *match, struct lightfield_tile *out,
                       uint32_t *out_shared_bytes)
{
    const struct lightfield_cuda_matching *params = &match->params;
    const struct lightfield_tile_wish wish = {
        .raw = &params->raw,
        .array = &params->array,
        .kind = match->kind,
        .width_px = (int32_t)match->width_px,
        .height_px = (int32_t)match->height_px,
        .range = params->range,
        .least_px = params->first_px,
        .most_px = params->first_px + (params->size_count - 1) * params->step_px,
    };
    return params->raw.nearest && params->size_count <= LIGHTFIELD_TILE_SIZES &&
           lightfield_tile_plan(match->cuda, &wish, out, out_shared_bytes);
}

static enum fovea_result match_tiles(const struct match *match, const struct lightfield_tile *tile,
                                     uint32_t shared_bytes)
{
    struct lightfield_tile_matching params = {
        .of = match->params,
        .tile = *tile,
        .size_count = match->params.size_count,
        .is_all = !match->params.box,
        .apart = lightfield_steps_apart(match->params.step_px, LIGHTFIELD_TILE_SIZES)};
    return lightfield_tile_match(match->cuda, match->stream, match->kind, &params, shared_bytes);
}

/* ---- Memory */

static enum fovea_result refuse_capture(const struct match *match)
{
    const struct cuda_device *device = match->cuda->device;
    struct cuda_capture capture;
    FOVEA_TRY(cuda_capture_of(device, match->stream, &capture));
    if (capture.id != 0) {
        log_error(device->log, "light field: the stream is being captured, and these depths need "
                               "memory that other calls use, too");
        return FOVEA_ERROR_INVALID_STATE;
    }
    return FOVEA_OK;
}

/* Work that uses the memory comes to its end before the memory goes. */
static enum fovea_result grow(struct lightfield_cuda *cuda, uint64_t bytes)
{
    const struct cuda_driver *cu = cuda->device->cu;
    CUdeviceptr made = 0;
    CU_TRY(cuda->device->log, cu, cu->MemAlloc(&made, bytes));
    if (cuda->was_used) {
        CU_WARN(cuda->device->log, cu, cu->EventSynchronize(cuda->done));
    }
    cuda_device_free(cuda->device, &cuda->memory);
    cuda->memory = made;
    cuda->bytes = bytes;
    return FOVEA_OK;
}

/* Another thread may be capturing. */
static enum fovea_result reserve(const struct match *match)
{
    const uint64_t bytes = (match->rows + 2 * (uint64_t)reach_of(match)) * row_bytes(match);
    const struct cuda_device *device = match->cuda->device;
    CUstreamCaptureMode before;
    if (bytes <= match->cuda->bytes) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_capture_relax(device, &before));
    const enum fovea_result result = grow(match->cuda, bytes);
    cuda_capture_restore(device, before);
    return result;
}

/* ---- Launches */

static enum fovea_result match_part(struct match *match, uint32_t first)
{
    const struct lightfield_cuda *cuda = match->cuda;
    struct lightfield_cuda_matching *params = &match->params;
    const uint32_t reach = reach_of(match);
    const uint32_t end = bounds_smaller_u32(first + match->rows, match->height_px);
    const uint32_t from = first > reach ? first - reach : 0;
    const uint32_t to = bounds_smaller_u32(end + reach, match->height_px);
    const uint32_t cost_pixels[2] = {match->width_px, to - from};
    const uint32_t pixels[2] = {match->width_px, end - first};
    const uint32_t sizes = (uint32_t)params->size_count;
    params->row_first = (int32_t)from;
    params->row_count = (int32_t)(to - from);
    params->out_first = (int32_t)first;
    params->out_count = (int32_t)(end - first);
    params->costs = cuda->memory;
    params->boxes = cuda->memory + sizeof(float) * (uint64_t)sizes * match->width_px * (to - from);
    if (match->shared_bytes > 0 && from == 0 && to == match->height_px) {
        FOVEA_TRY(match_tiles(match, &match->tile, match->shared_bytes));
    } else {
        FOVEA_TRY(lightfield_cuda_launch(cuda, match->stream, cuda->costs[match->kind], cost_pixels,
                                         sizes, params));
    }
    if (params->box) {
        FOVEA_TRY(lightfield_cuda_launch(cuda, match->stream, cuda->boxes, pixels, sizes, params));
    }
    return lightfield_cuda_launch(cuda, match->stream, cuda->choose, pixels, 1, params);
}

/* Streams take turns with the memory. */
static enum fovea_result match_parts(struct match *match)
{
    struct lightfield_cuda *cuda = match->cuda;
    const struct cuda_driver *cu = cuda->device->cu;
    match->rows = rows_for(match);
    FOVEA_TRY(refuse_capture(match));
    FOVEA_TRY(reserve(match));
    if (cuda->was_used) {
        CU_TRY(cuda->device->log, cu, cu->StreamWaitEvent(match->stream, cuda->done, 0));
    }
    for (uint32_t first = 0; first < match->height_px; first += match->rows) {
        FOVEA_TRY(match_part(match, first));
    }
    CU_TRY(cuda->device->log, cu, cu->EventRecord(cuda->done, match->stream));
    cuda->was_used = true;
    return FOVEA_OK;
}

/* Needs no memory. */
static enum fovea_result match_at_once(const struct match *match)
{
    struct cuda_capture capture;
    FOVEA_TRY(cuda_capture_of(match->cuda->device, match->stream, &capture));
    return match_tiles(match, &match->tile, match->shared_bytes);
}

static struct match match_of(struct lightfield_cuda *cuda, const struct fovea_lightfield_raw *raw,
                             const struct fovea_lightfield_matching *matching,
                             const struct fovea_image *depth, CUstream stream)
{
    return (struct match){
        .cuda = cuda,
        .stream = stream,
        .kind = lightfield_cuda_kind_of(raw),
        .width_px = depth->width_px,
        .height_px = depth->height_px,
        .params =
            {
                .raw = lightfield_cuda_raw_of(raw, matching->filter),
                .array = lightfield_cuda_array_of(&cuda->geometry, depth),
                .depth = lightfield_cuda_picture_of(depth, 1),
                .rings = lightfield_cuda_rings_of(matching->foveation, depth),
                .first_px = matching->first_px,
                .step_px = matching->step_px,
                .size_count = (int32_t)lightfield_size_count(matching),
                .range = (int32_t)matching->range,
                .box = (int32_t)matching->box,
            },
    };
}

enum fovea_result lightfield_cuda_depth(struct lightfield_cuda *cuda,
                                        const struct fovea_lightfield_raw *raw,
                                        const struct fovea_lightfield_matching *matching,
                                        const struct fovea_image *depth,
                                        const struct fovea_image *confidence, CUstream stream)
{
    uint32_t shared_bytes;
    struct match match = match_of(cuda, raw, matching, depth, stream);
    if (confidence) {
        match.params.confidence = lightfield_cuda_picture_of(confidence, 1);
    }
    match.shared_bytes = plan_tiles(&match, &match.tile, &shared_bytes) ? shared_bytes : 0;
    FOVEA_TRY(cuda_device_push(cuda->device));
    const enum fovea_result result =
        match.shared_bytes > 0 && !matching->box ? match_at_once(&match) : match_parts(&match);
    cuda_device_pop(cuda->device);
    return result;
}
