/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda.h"

#include "cuda/cuda_uses.h"
#include "foveate/foveate_cuda_params.h"
#include "foveate/foveate_grid.h"
#include "pixel.h"

#include <stdatomic.h>
#include <stdlib.h>

extern const unsigned char foveate_fatbin[];

#define FORMAT_COUNT (FOVEA_FORMAT_RGBA32F + 1)

static const char *const linear_kernels[FORMAT_COUNT] = {
    [FOVEA_FORMAT_RGBA8] = "foveate_linear_rgba8",
    [FOVEA_FORMAT_RGB8] = "foveate_linear_rgb8",
    [FOVEA_FORMAT_R8] = "foveate_linear_r8",
    [FOVEA_FORMAT_A2B10G10R10] = "foveate_linear_a2b10g10r10",
    [FOVEA_FORMAT_B10G11R11F] = "foveate_linear_b10g11r11f",
    [FOVEA_FORMAT_RGBA16F] = "foveate_linear_rgba16f",
    [FOVEA_FORMAT_RGBA32F] = "foveate_linear_rgba32f",
};

static const char *const surface_kernels[FORMAT_COUNT] = {
    [FOVEA_FORMAT_RGBA8] = "foveate_surface_rgba8",
    [FOVEA_FORMAT_A2B10G10R10] = "foveate_surface_a2b10g10r10",
    [FOVEA_FORMAT_B10G11R11F] = "foveate_surface_b10g11r11f",
    [FOVEA_FORMAT_RGBA16F] = "foveate_surface_rgba16f",
};

struct foveate_cuda_plan {
    struct foveate_cuda_plan *next; /* of those that are retired */
    CUdeviceptr memory; /* rings, then taps */
    struct foveate_cuda_tables tables;
    struct cuda_uses uses;
};

struct foveate_cuda {
    const struct cuda_device *device;
    CUmodule module;
    CUfunction linear[FORMAT_COUNT];
    CUfunction surface[FORMAT_COUNT];
    CUstream upload; /* of our own, so that tables wait for nobody's work */
    struct foveate_cuda_plan *retired;
    atomic_bool abandoned;
};

/* ---- The kernels of a device ------------------------------------------------------------------ */

/* Each kernel is loaded now: loaded at its first launch, it could allocate or wait in a frame. */
static enum fovea_result get_kernels(const struct cuda_device *device, CUmodule module,
                                     const char *const names[FORMAT_COUNT],
                                     CUfunction functions[FORMAT_COUNT])
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (names[i]) {
            CU_TRY(device->log, device->cu,
                   device->cu->ModuleGetFunction(&functions[i], module, names[i]));
            CU_TRY(device->log, device->cu, device->cu->FuncLoad(functions[i]));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result load(struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(&foveate->module, foveate_fatbin));
    FOVEA_TRY(get_kernels(device, foveate->module, linear_kernels, foveate->linear));
    FOVEA_TRY(get_kernels(device, foveate->module, surface_kernels, foveate->surface));
    return cuda_device_create_stream(device, &foveate->upload);
}

enum fovea_result foveate_cuda_create(const struct cuda_device *device,
                                      struct foveate_cuda **out_foveate)
{
    *out_foveate = NULL;
    struct foveate_cuda *foveate = calloc(1, sizeof *foveate);
    if (!foveate) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    foveate->device = device;
    enum fovea_result result = load(foveate);
    if (result != FOVEA_OK) {
        foveate_cuda_destroy(&foveate);
        return result;
    }
    *out_foveate = foveate;
    return FOVEA_OK;
}

/* ---- The tables of a plan --------------------------------------------------------------------- */

static void free_plan(const struct cuda_device *device, struct foveate_cuda_plan *plan)
{
    cuda_uses_finish(device, &plan->uses);
    if (plan->memory) {
        CU_WARN(device->log, device->cu, device->cu->MemFree(plan->memory));
    }
    free(plan);
}

static void free_idle_plans(struct foveate_cuda *foveate)
{
    struct foveate_cuda_plan **link = &foveate->retired;
    while (*link) {
        struct foveate_cuda_plan *plan = *link;
        if (cuda_uses_query(foveate->device, &plan->uses) == FOVEA_NOT_READY) {
            link = &plan->next;
            continue;
        }
        *link = plan->next;
        free_plan(foveate->device, plan);
    }
}

void foveate_cuda_plan_retire(struct foveate_cuda *foveate, struct foveate_cuda_plan **plan)
{
    if (!*plan) {
        return;
    }
    (*plan)->next = foveate->retired;
    foveate->retired = *plan;
    *plan = NULL;
    if (!atomic_load(&foveate->abandoned)) {
        free_idle_plans(foveate);
    }
}

void foveate_cuda_abandon(struct foveate_cuda *foveate)
{
    atomic_store(&foveate->abandoned, true);
}

static void destroy_on_device(struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    if (foveate->upload) {
        CU_WARN(device->log, device->cu, device->cu->StreamDestroy(foveate->upload));
    }
    if (foveate->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(foveate->module));
    }
}

void foveate_cuda_destroy(struct foveate_cuda **foveate)
{
    if (!foveate || !*foveate) {
        return;
    }
    struct foveate_cuda *f = *foveate;
    const bool abandoned = atomic_load(&f->abandoned);
    while (f->retired) {
        struct foveate_cuda_plan *plan = f->retired;
        f->retired = plan->next;
        if (abandoned) {
            free(plan);
            continue;
        }
        if (cuda_uses_wait(f->device, &plan->uses) < 0) {
            log_warning(f->device->log, "cuda: freeing tables after an error of the device");
        }
        free_plan(f->device, plan);
    }
    if (!abandoned) {
        destroy_on_device(f);
    }
    free(f);
    *foveate = NULL;
}

/* A fragment is cut into tiles as equal as they can be. */
static void cut_fragments(const struct foveate_plan *plan, struct foveate_cuda_tables *tables)
{
    const int32_t side_px = (int32_t)plan->fragment_px;
    const int32_t count = (side_px + FOVEATE_CUDA_TILE_PX - 1) / FOVEATE_CUDA_TILE_PX;
    tables->tiles_per_side = count;
    tables->tile_px = (side_px + count - 1) / count;
}

static enum fovea_result upload(struct foveate_cuda *foveate, const struct foveate_plan *source,
                                struct foveate_cuda_plan *plan)
{
    const struct cuda_device *device = foveate->device;
    const struct cuda_driver *cu = device->cu;
    const size_t ring_bytes = source->ring_count * sizeof *source->rings;
    const size_t tap_bytes = source->tap_count * sizeof *source->taps;
    if (source->ring_count == 0) {
        return FOVEA_OK;
    }
    CU_TRY(device->log, cu, cu->MemAlloc(&plan->memory, ring_bytes + tap_bytes));
    plan->tables.rings = plan->memory;
    plan->tables.taps = plan->memory + ring_bytes;
    CU_TRY(device->log, cu,
           cu->MemcpyHtoDAsync(plan->tables.rings, source->rings, ring_bytes, foveate->upload));
    CU_TRY(device->log, cu,
           cu->MemcpyHtoDAsync(plan->tables.taps, source->taps, tap_bytes, foveate->upload));
    CU_TRY(device->log, cu, cu->StreamSynchronize(foveate->upload));
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_plan_create(struct foveate_cuda *foveate,
                                           const struct foveate_plan *plan,
                                           struct foveate_cuda_plan **out_plan)
{
    *out_plan = NULL;
    struct foveate_cuda_plan *created = calloc(1, sizeof *created);
    if (!created) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cut_fragments(plan, &created->tables);
    enum fovea_result result = cuda_uses_init(foveate->device, &created->uses);
    if (result == FOVEA_OK) {
        result = upload(foveate, plan, created);
    }
    if (result != FOVEA_OK) {
        free_plan(foveate->device, created);
        return result;
    }
    *out_plan = created;
    return FOVEA_OK;
}

/* ---- Launches --------------------------------------------------------------------------------- */

/* Enough blocks for the gaze that shifts the grid furthest, so that the grid does not depend on it. */
static uint32_t tile_count(int32_t size_px, const struct foveate_frame *frame,
                           const struct foveate_cuda_tables *tables)
{
    const int32_t shift_px = frame->fragment_px - 1;
    return (uint32_t)(foveate_grid_count(size_px, frame->fragment_px, shift_px) *
                      tables->tiles_per_side);
}

static enum fovea_result launch(struct foveate_cuda *foveate, const struct foveate_cuda_run *run,
                                CUfunction kernel, void *params)
{
    const struct cuda_device *device = foveate->device;
    const struct foveate_cuda_tables *tables = &run->plan->tables;
    const uint32_t columns = tile_count(run->frame->width_px, run->frame, tables);
    const uint32_t rows = tile_count(run->frame->height_px, run->frame, tables);
    const uint32_t quads =
        ((uint32_t)tables->tile_px + FOVEATE_CUDA_OUTPUTS - 1) / FOVEATE_CUDA_OUTPUTS;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, columns, rows, 1, FOVEATE_CUDA_TILE_PX, quads, 1, 0,
                                    run->stream, (void *[]){params}, NULL));
    return cuda_uses_add(device, &run->plan->uses, run->stream);
}

enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                           const struct foveate_cuda_run *run,
                                           enum fovea_format format, CUsurfObject src,
                                           CUsurfObject dst)
{
    if (format < 0 || format >= FORMAT_COUNT || !foveate->surface[format]) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct foveate_cuda_surface_params params = {
        .frame = *run->frame, .tables = run->plan->tables, .src = src, .dst = dst};
    return launch(foveate, run, foveate->surface[format], &params);
}

static bool is_multiple(intptr_t value, size_t unit)
{
    return value % (intptr_t)unit == 0;
}

static struct foveate_cuda_linear linear_view(const struct fovea_image *image)
{
    const size_t bytes = pixel_codec_of(image->format)->bytes;
    const ptrdiff_t pixel_stride =
        image->pixel_stride_bytes ? image->pixel_stride_bytes : (ptrdiff_t)bytes;
    const bool whole = is_multiple((intptr_t)image->data, bytes) &&
                       is_multiple(image->row_stride_bytes, bytes) &&
                       is_multiple(pixel_stride, bytes);
    return (struct foveate_cuda_linear){.data = (uintptr_t)image->data,
                                        .row_stride_bytes = image->row_stride_bytes,
                                        .pixel_stride_bytes = pixel_stride,
                                        .whole_pixels = whole};
}

enum fovea_result foveate_cuda_run_linear(struct foveate_cuda *foveate,
                                          const struct foveate_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst)
{
    struct foveate_cuda_linear_params params = {.frame = *run->frame,
                                                .tables = run->plan->tables,
                                                .src = linear_view(src),
                                                .dst = linear_view(dst)};
    return launch(foveate, run, foveate->linear[src->format], &params);
}
