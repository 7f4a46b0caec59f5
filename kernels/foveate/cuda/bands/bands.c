/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "bands.h"

#include "core/log.h"
#include "kernels/foveate/cuda/common/code.h"
#include "kernels/foveate/grid.h"
#include "kernels/image/pixel_float.h"

extern const unsigned char foveate_bands_fatbin[];

#define FORMATS (1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 | 1u << FOVEA_FORMAT_R8)
#define RESERVED_BYTES 1024 /* CUDA reserves so much of every block's shared memory. */

/* ---- Kernels --------------------------------------------------------------------------------- */

static enum fovea_result ask(const struct cuda_device *device, CUdevice_attribute what, int *out)
{
    CU_TRY(device->log, device->cu, device->cu->DeviceGetAttribute(out, what, device->handle));
    return FOVEA_OK;
}

/* A block may take so much if the function asks for it beforehand. */
static enum fovea_result allow_window(const struct cuda_device *device, CUfunction kernel,
                                      int block_bytes, int32_t *window_bytes, int32_t *own_bytes)
{
    if (!kernel) {
        return FOVEA_OK;
    }
    int own = 0;
    CU_TRY(device->log, device->cu,
           device->cu->FuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel));
    const int window = block_bytes - own;
    CU_TRY(device->log, device->cu,
           device->cu->FuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        window));
    if (*window_bytes == 0 || window < *window_bytes) {
        *window_bytes = window;
        *own_bytes = own;
    }
    return FOVEA_OK;
}

/* Finds how large blocks' windows may be; a positive size also says that the kernels exist. */
static enum fovea_result allow_windows(const struct cuda_device *device,
                                       struct foveate_cuda_bands_kernels *out_kernels)
{
    int block_bytes = 0;
    int all_bytes = 0;
    int32_t own_bytes = 0;
    FOVEA_TRY(ask(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &block_bytes));
    FOVEA_TRY(ask(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &all_bytes));
    for (int i = 0; i < CUDA_FORMATS; i++) {
        FOVEA_TRY(allow_window(device, out_kernels->kernels.linear[i], block_bytes,
                               &out_kernels->window_bytes, &own_bytes));
        FOVEA_TRY(allow_window(device, out_kernels->kernels.surface[i], block_bytes,
                               &out_kernels->window_bytes, &own_bytes));
    }
    out_kernels->half_bytes = all_bytes / 2 - RESERVED_BYTES - own_bytes;
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_bands_load(const struct cuda_device *device,
                                          struct foveate_cuda_bands_kernels *out_kernels)
{
    struct foveate_cuda_code code;
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_bands_fatbin));
    FOVEA_TRY(
        cuda_kernels_get(device, out_kernels->module, "bands", FORMATS, &out_kernels->kernels));
    FOVEA_TRY(foveate_cuda_code_of(device, out_kernels->kernels.linear[FOVEA_FORMAT_RGBA8], &code));
    if (!code.has_mma) {
        foveate_cuda_bands_unload(device, out_kernels);
        return FOVEA_OK;
    }
    return allow_windows(device, out_kernels);
}

void foveate_cuda_bands_unload(const struct cuda_device *device,
                               struct foveate_cuda_bands_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
        *kernels = (struct foveate_cuda_bands_kernels){0};
    }
}

/* ---- Plans ----------------------------------------------------------------------------------- */

size_t foveate_cuda_bands_filter_bytes(const struct foveate_bands *bands,
                                       const struct foveate_plan *plan)
{
    return bands->radius_px >= 0 ? plan->ring_count * sizeof(struct foveate_bands_filter) : 0;
}

/* The largest tap, in the centre, takes what the others were rounded by. */
static uint16_t rounded_centre(const float *taps, int32_t radius_px)
{
    float centre = 1.0f;
    for (int32_t i = 1; i <= radius_px; i++) {
        centre -= 2.0f * pixel_half_to_float(pixel_float_to_half(taps[i]));
    }
    return pixel_float_to_half(centre);
}

static uint16_t half_tap(const float *taps, int32_t radius_px, uint16_t centre, int32_t tap)
{
    const int32_t distance = tap < 0 ? -tap : tap;
    return distance == 0 ? centre : distance > radius_px ? 0 : pixel_float_to_half(taps[distance]);
}

static void fill_filter(const float *taps, int32_t radius_px, struct foveate_bands_filter *out)
{
    const uint16_t centre = rounded_centre(taps, radius_px);
    double sum = 0.0;
    for (int32_t i = -radius_px; i <= radius_px; i++) {
        sum += (double)pixel_half_to_float(half_tap(taps, radius_px, centre, i));
    }
    *out = (struct foveate_bands_filter){.begin = (float)(-(1024.0 + 128.0) * sum)};
    for (int32_t m = 0; m < 6; m++) {
        for (int32_t i = 0; i < FOVEATE_BANDS_PAIRS; i++) {
            const int32_t tap = FOVEATE_BANDS_FIRST_TAP + 4 * i + m;
            out->pairs[m][i][0] = half_tap(taps, radius_px, centre, tap);
            out->pairs[m][i][1] = half_tap(taps, radius_px, centre, tap + 1);
        }
    }
}

void foveate_cuda_bands_fill_filters(const struct foveate_bands *bands,
                                     const struct foveate_plan *plan,
                                     struct foveate_bands_filter *out)
{
    for (uint32_t i = 0; i < plan->ring_count && bands->radius_px >= 0; i++) {
        const struct foveate_ring *ring = &plan->rings[i];
        fill_filter(plan->taps + ring->first_tap, (int32_t)ring->radius_px, out + i);
    }
}

/* Chooses as many rows of fragments as fit into so much memory of a block. */
static bool shape_within(int32_t bytes, const struct foveate_plan *plan,
                         struct foveate_bands_shape *out)
{
    for (int32_t height_px = FOVEATE_BANDS_HEIGHT_PX; height_px > 0; height_px /= 2) {
        *out = foveate_bands_shape_of((int32_t)plan->fragment_px, height_px,
                                      (int32_t)plan->max_radius_px);
        if (foveate_bands_bytes(out) <= bytes) {
            return true;
        }
    }
    return false;
}

struct foveate_bands foveate_cuda_bands_plan(const struct foveate_cuda_bands_kernels *kernels,
                                             const struct foveate_plan *plan)
{
    struct foveate_bands bands = {.radius_px = -1};
    if (plan->ring_count == 0 || plan->ring_count >= UINT16_MAX ||
        plan->fragment_px > FOVEATE_BANDS_MAX_FRAGMENT_PX ||
        plan->max_radius_px > FOVEATE_BANDS_MAX_RADIUS_PX) {
        return bands;
    }
    /* Two blocks share a multiprocessor if its memory allows it. */
    if (shape_within(kernels->half_bytes, plan, &bands.shape) ||
        shape_within(kernels->window_bytes, plan, &bands.shape)) {
        bands.radius_px = (int32_t)plan->max_radius_px;
    }
    return bands;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

bool foveate_cuda_bands_take(const struct foveate_bands *bands, const struct foveate_frame *frame,
                             enum fovea_format format)
{
    return bands->radius_px >= 0 && (FORMATS >> format & 1u) != 0 &&
           !(frame->blur_alpha && format == FOVEA_FORMAT_RGBA8);
}

/* Counts blocks for the gaze that shifts the grid furthest, so that the grid does not depend on
 * it. */
static uint32_t block_count(int32_t size_px, int32_t fragment_px, int32_t fragments)
{
    const int32_t count = foveate_grid_count(size_px, fragment_px, fragment_px - 1);
    return (uint32_t)((count + fragments - 1) / fragments);
}

static enum fovea_result launch(const struct foveate_cuda_bands_run *run, CUfunction kernel,
                                uint32_t images, void *params)
{
    const struct cuda_device *device = run->device;
    const struct foveate_frame *frame = run->frame;
    const struct foveate_bands_shape *shape = &run->bands->shape;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(
               kernel, block_count(frame->width_px, frame->fragment_px, shape->fragments_x),
               block_count(frame->height_px, frame->fragment_px, shape->fragments_y), images,
               32 * FOVEATE_BANDS_WARPS, 1, 1, (unsigned)foveate_bands_bytes(shape), run->stream,
               (void *[]){params}, NULL));
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_bands_surface(const struct foveate_cuda_bands_run *run,
                                             enum fovea_format format, CUsurfObject src,
                                             CUsurfObject dst)
{
    struct foveate_bands_surface_params params = {.frame = *run->frame,
                                                  .bands = *run->bands,
                                                  .batch = {.gazes = run->gazes},
                                                  .src = src,
                                                  .dst = dst};
    return launch(run, run->kernels->kernels.surface[format], 1, &params);
}

enum fovea_result foveate_cuda_bands_linear(const struct foveate_cuda_bands_run *run,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    struct foveate_bands_linear_params params = {.frame = *run->frame,
                                                 .bands = *run->bands,
                                                 .batch = slice->batch,
                                                 .src = slice->src,
                                                 .dst = slice->dst};
    return launch(run, run->kernels->kernels.linear[format], slice->count, &params);
}
