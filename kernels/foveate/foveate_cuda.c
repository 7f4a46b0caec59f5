/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda.h"

#include "cuda/cuda_uses.h"
#include "foveate/foveate_cuda_smooth.h"
#include "foveate/foveate_grid.h"

#include <stdatomic.h>
#include <stdlib.h>

extern const unsigned char foveate_fatbin[];

struct foveate_cuda_plan {
    struct foveate_cuda_plan *next; /* of those that are retired */
    CUdeviceptr memory; /* rings and taps, or levels and the law's table */
    struct foveate_cuda_tables tables;
    bool is_smooth;
    enum foveate_cuda_formats formats;
    struct foveate_cuda_smooth smooth;
    struct cuda_uses uses;
};

struct foveate_cuda {
    const struct cuda_device *device;
    CUmodule module;
    struct foveate_cuda_kernels kernels; /* of the blockwise method */
    struct foveate_cuda_smooth_kernels smooth;
    CUstream upload; /* of our own, so that tables wait for nobody's work */
    struct foveate_cuda_plan *retired;
    atomic_bool abandoned;
};

/* ---- The kernels of a device ------------------------------------------------------------------ */

static enum fovea_result load(struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(&foveate->module, foveate_fatbin));
    FOVEA_TRY(foveate_cuda_get_kernels(device, foveate->module, "foveate", &foveate->kernels));
    FOVEA_TRY(foveate_cuda_smooth_load(device, &foveate->smooth));
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
    foveate_cuda_smooth_unload(device, &foveate->smooth);
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

/* A table of host memory, and where it goes. */
struct table {
    CUdeviceptr to;
    const void *from;
    size_t bytes;
};

static enum fovea_result upload(struct foveate_cuda *foveate, const struct table *tables,
                                size_t count)
{
    const struct cuda_device *device = foveate->device;
    const struct cuda_driver *cu = device->cu;
    for (size_t i = 0; i < count; i++) {
        CU_TRY(device->log, cu,
               cu->MemcpyHtoDAsync(tables[i].to, tables[i].from, tables[i].bytes, foveate->upload));
    }
    CU_TRY(device->log, cu, cu->StreamSynchronize(foveate->upload));
    return FOVEA_OK;
}

static enum fovea_result allocate(struct foveate_cuda *foveate, struct foveate_cuda_plan *plan,
                                  size_t bytes)
{
    const struct cuda_device *device = foveate->device;
    CU_TRY(device->log, device->cu, device->cu->MemAlloc(&plan->memory, bytes));
    return FOVEA_OK;
}

static enum fovea_result fill_blockwise(struct foveate_cuda *foveate,
                                        const struct foveate_plan *source,
                                        struct foveate_cuda_plan *plan)
{
    const size_t ring_bytes = source->ring_count * sizeof *source->rings;
    const size_t tap_bytes = source->tap_count * sizeof *source->taps;
    cut_fragments(source, &plan->tables);
    if (source->ring_count == 0) {
        return FOVEA_OK;
    }
    FOVEA_TRY(allocate(foveate, plan, ring_bytes + tap_bytes));
    plan->tables.rings = plan->memory;
    plan->tables.taps = plan->memory + ring_bytes;
    const struct table tables[] = {{plan->tables.rings, source->rings, ring_bytes},
                                   {plan->tables.taps, source->taps, tap_bytes}};
    return upload(foveate, tables, 2);
}

static enum fovea_result fill_smooth(struct foveate_cuda *foveate,
                                     const struct foveate_plan *source,
                                     struct foveate_cuda_plan *plan)
{
    const size_t sample_bytes =
        source->level_samples *
        foveate_cuda_smooth_sample_bytes(plan->formats == FOVEATE_CUDA_FORMATS_SURFACE);
    const size_t table_bytes = (size_t)source->law.table_count * sizeof *source->law_table;
    plan->smooth.level_count = (int32_t)source->level_count;
    if (source->level_count == 0) {
        return FOVEA_OK;
    }
    FOVEA_TRY(allocate(foveate, plan, sample_bytes + table_bytes));
    plan->smooth.samples = plan->memory;
    plan->smooth.table = plan->memory + sample_bytes;
    plan->smooth.law = source->law;
    for (int i = 0; i < FOVEATE_MAX_LEVELS; i++) {
        plan->smooth.levels[i] = source->levels[i];
    }
    const struct table table = {plan->smooth.table, source->law_table, table_bytes};
    return upload(foveate, &table, 1);
}

static enum fovea_result fill_plan(struct foveate_cuda *foveate, const struct foveate_plan *source,
                                   struct foveate_cuda_plan *plan)
{
    FOVEA_TRY(cuda_uses_init(foveate->device, &plan->uses));
    return plan->is_smooth ? fill_smooth(foveate, source, plan)
                           : fill_blockwise(foveate, source, plan);
}

enum fovea_result foveate_cuda_plan_create(struct foveate_cuda *foveate,
                                           const struct foveate_plan *plan,
                                           enum foveate_cuda_formats formats,
                                           struct foveate_cuda_plan **out_plan)
{
    *out_plan = NULL;
    struct foveate_cuda_plan *created = calloc(1, sizeof *created);
    if (!created) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    created->is_smooth = plan->smooth;
    created->formats = formats;
    const enum fovea_result result = fill_plan(foveate, plan, created);
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

/* Frames of one plan share its levels, so each waits on its stream for the one before. What was
 * launched when one fails still uses the levels, hence the use is noted in any case. */
static enum fovea_result begin_smooth(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run,
                                      struct foveate_cuda_smooth_run *out)
{
    *out = (struct foveate_cuda_smooth_run){.device = foveate->device,
                                            .kernels = &foveate->smooth,
                                            .smooth = &run->plan->smooth,
                                            .frame = run->frame,
                                            .stream = run->stream};
    return cuda_uses_follow(foveate->device, &run->plan->uses, run->stream);
}

static enum fovea_result end_smooth(struct foveate_cuda *foveate,
                                    const struct foveate_cuda_run *run, enum fovea_result launched)
{
    const enum fovea_result noted = cuda_uses_add(foveate->device, &run->plan->uses, run->stream);
    return launched < 0 ? launched : noted;
}

static bool has_surface(const struct foveate_cuda *foveate, enum fovea_format format)
{
    return format >= 0 && format < FOVEATE_CUDA_FORMATS && foveate->kernels.surface[format];
}

enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                           const struct foveate_cuda_run *run,
                                           enum fovea_format format, CUsurfObject src,
                                           CUsurfObject dst)
{
    if (!has_surface(foveate, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (run->plan->is_smooth) {
        struct foveate_cuda_smooth_run smooth;
        FOVEA_TRY(begin_smooth(foveate, run, &smooth));
        return end_smooth(foveate, run, foveate_cuda_smooth_surface(&smooth, format, src, dst));
    }
    struct foveate_cuda_surface_params params = {
        .frame = *run->frame, .tables = run->plan->tables, .src = src, .dst = dst};
    return launch(foveate, run, foveate->kernels.surface[format], &params);
}

enum fovea_result foveate_cuda_run_linear(struct foveate_cuda *foveate,
                                          const struct foveate_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst)
{
    if (run->plan->is_smooth) {
        struct foveate_cuda_smooth_run smooth;
        if (run->plan->formats == FOVEATE_CUDA_FORMATS_SURFACE &&
            src->format == FOVEA_FORMAT_RGBA32F) {
            return FOVEA_ERROR_UNSUPPORTED;
        }
        FOVEA_TRY(begin_smooth(foveate, run, &smooth));
        return end_smooth(foveate, run, foveate_cuda_smooth_linear(&smooth, src, dst));
    }
    struct foveate_cuda_linear_params params = {.frame = *run->frame,
                                                .tables = run->plan->tables,
                                                .src = foveate_cuda_linear_view(src),
                                                .dst = foveate_cuda_linear_view(dst)};
    return launch(foveate, run, foveate->kernels.linear[src->format], &params);
}
