/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda.h"

#include "cuda/cuda_block.h"
#include "foveate/foveate_cuda_gaze.h"
#include "foveate/foveate_cuda_smooth.h"
#include "foveate/foveate_cuda_tiles.h"
#include "foveate/foveate_grid.h"

#include <stdatomic.h>
#include <stdlib.h>

extern const unsigned char foveate_fatbin[];

/* What batches of a plan need besides it. */
struct batch_memory {
    struct cuda_block *block; /* NULL: there was no batch yet */
    uint32_t levels; /* of so many images, first in the block */
    uint32_t gazes; /* of so many, after them */
    uint32_t states; /* of tiles, of so many, last */
    bool states_dirty;
};

struct foveate_cuda_plan {
    struct cuda_block *block; /* rings and taps, or levels and the law's table */
    struct foveate_cuda_tables tables;
    bool is_smooth;
    enum foveate_cuda_formats formats;
    struct foveate_cuda_smooth smooth;
    uint64_t level_samples; /* of one image */
    bool has_tiles; /* for the formats that tiles take; they use the levels' memory */
    struct foveate_tiles tiles;
    bool states_dirty;
    struct batch_memory batch;
};

struct foveate_cuda {
    const struct cuda_device *device;
    CUmodule module;
    struct foveate_cuda_kernels kernels; /* of the blockwise method */
    struct foveate_cuda_smooth_kernels smooth;
    struct foveate_cuda_tile_kernels tiles;
    struct foveate_cuda_gaze_kernels gaze;
    CUstream upload; /* of our own, so that tables wait for nobody's work */
    struct cuda_block *retired;
    atomic_bool abandoned;
};

/* ---- The kernels of a device ------------------------------------------------------------------ */

static enum fovea_result load(struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    CU_TRY(device->log, device->cu, device->cu->ModuleLoadData(&foveate->module, foveate_fatbin));
    FOVEA_TRY(foveate_cuda_get_kernels(device, foveate->module, "foveate",
                                       FOVEATE_CUDA_EVERY_FORMAT, &foveate->kernels));
    FOVEA_TRY(foveate_cuda_smooth_load(device, &foveate->smooth));
    FOVEA_TRY(foveate_cuda_tiles_load(device, &foveate->tiles));
    FOVEA_TRY(foveate_cuda_gaze_load(device, &foveate->gaze));
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

void foveate_cuda_plan_retire(struct foveate_cuda *foveate, struct foveate_cuda_plan **plan)
{
    if (!*plan) {
        return;
    }
    cuda_block_retire(&foveate->retired, &(*plan)->block);
    cuda_block_retire(&foveate->retired, &(*plan)->batch.block);
    free(*plan);
    *plan = NULL;
    if (!atomic_load(&foveate->abandoned)) {
        cuda_block_free_idle(foveate->device, &foveate->retired);
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
    foveate_cuda_gaze_unload(device, &foveate->gaze);
    foveate_cuda_tiles_unload(device, &foveate->tiles);
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
    if (atomic_load(&f->abandoned)) {
        cuda_block_abandon_all(&f->retired);
    } else {
        cuda_block_free_all(f->device, &f->retired);
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

static enum fovea_result fill_blockwise(struct foveate_cuda *foveate,
                                        const struct foveate_plan *source,
                                        struct foveate_cuda_plan *plan)
{
    const size_t ring_bytes = source->ring_count * sizeof *source->rings;
    const size_t tap_bytes = source->tap_count * sizeof *source->taps;
    const size_t law_bytes = (size_t)source->law.table_count * sizeof *source->law_table;
    cut_fragments(source, &plan->tables);
    FOVEA_TRY(cuda_block_create(foveate->device, ring_bytes + tap_bytes + law_bytes, &plan->block));
    if (source->ring_count == 0) {
        return FOVEA_OK;
    }
    plan->tables.rings = plan->block->memory;
    plan->tables.taps = plan->block->memory + ring_bytes;
    plan->tables.law = source->law;
    plan->tables.law_table = plan->tables.taps + tap_bytes;
    const struct table tables[] = {{plan->tables.rings, source->rings, ring_bytes},
                                   {plan->tables.taps, source->taps, tap_bytes},
                                   {plan->tables.law_table, source->law_table, law_bytes}};
    return upload(foveate, tables, law_bytes > 0 ? 3 : 2);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Whatever a table or another image follows is aligned to this. */
#define ALIGNMENT 16

/* Of one image, by the pixel or in tiles. */
static uint64_t level_bytes(const struct foveate_cuda_plan *plan)
{
    const uint64_t plain = plan->level_samples * foveate_cuda_smooth_sample_bytes(
                                                     plan->formats == FOVEATE_CUDA_FORMATS_SURFACE);
    const uint64_t tiles = plan->has_tiles ? foveate_cuda_tiles_level_bytes(&plan->tiles) : 0;
    return round_up(plain > tiles ? plain : tiles, ALIGNMENT);
}

static uint64_t state_bytes(const struct foveate_cuda_plan *plan)
{
    return plan->has_tiles ? foveate_cuda_tiles_state_bytes(&plan->tiles) : 0;
}

static void fill_smooth_params(const struct foveate_plan *source, struct foveate_cuda_plan *plan,
                               uint64_t table_bytes)
{
    plan->smooth.samples = plan->block->memory;
    plan->smooth.table = plan->block->memory + level_bytes(plan);
    plan->smooth.law = source->law;
    for (int i = 0; i < FOVEATE_MAX_LEVELS; i++) {
        plan->smooth.levels[i] = source->levels[i];
    }
    plan->tiles.samples = plan->smooth.samples;
    plan->tiles.table = plan->smooth.table;
    plan->tiles.state = plan->smooth.table + table_bytes;
    plan->states_dirty = true;
}

static enum fovea_result fill_smooth(struct foveate_cuda *foveate,
                                     const struct foveate_plan *source,
                                     struct foveate_cuda_plan *plan)
{
    plan->smooth.level_count = (int32_t)source->level_count;
    if (source->level_count == 0) {
        return cuda_block_create(foveate->device, 0, &plan->block);
    }
    plan->level_samples = source->level_samples;
    plan->has_tiles = foveate_cuda_tiles_plan(source, &plan->tiles);
    const size_t law_bytes = (size_t)source->law.table_count * sizeof *source->law_table;
    const uint64_t table_bytes = round_up(law_bytes, ALIGNMENT);
    FOVEA_TRY(cuda_block_create(foveate->device,
                                level_bytes(plan) + table_bytes + state_bytes(plan), &plan->block));
    fill_smooth_params(source, plan, table_bytes);
    const struct table table = {plan->smooth.table, source->law_table, law_bytes};
    return upload(foveate, &table, 1);
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
    const enum fovea_result result =
        plan->smooth ? fill_smooth(foveate, plan, created) : fill_blockwise(foveate, plan, created);
    if (result != FOVEA_OK) {
        foveate_cuda_plan_retire(foveate, &created);
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
                                CUfunction kernel, uint32_t image_count, void *params)
{
    const struct cuda_device *device = foveate->device;
    const struct foveate_cuda_tables *tables = &run->plan->tables;
    const uint32_t columns = tile_count(run->frame->width_px, run->frame, tables);
    const uint32_t rows = tile_count(run->frame->height_px, run->frame, tables);
    const uint32_t quads =
        ((uint32_t)tables->tile_px + FOVEATE_CUDA_OUTPUTS - 1) / FOVEATE_CUDA_OUTPUTS;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, columns, rows, image_count, FOVEATE_CUDA_TILE_PX, quads,
                                    1, 0, run->stream, (void *[]){params}, NULL));
    return FOVEA_OK;
}

/* The levels of a run, and who may use them: the plan's own for a frame, a batch's for its images. */
struct levels {
    struct foveate_cuda_smooth smooth;
    struct foveate_tiles tiles;
    bool *states_dirty;
    uint32_t states;
};

static struct levels frame_levels(struct foveate_cuda_plan *plan)
{
    return (struct levels){plan->smooth, plan->tiles, &plan->states_dirty, 1};
}

static struct foveate_cuda_smooth_run smooth_run(const struct foveate_cuda *foveate,
                                                 const struct foveate_cuda_run *run,
                                                 const struct levels *levels)
{
    return (struct foveate_cuda_smooth_run){.device = foveate->device,
                                            .kernels = &foveate->smooth,
                                            .smooth = &levels->smooth,
                                            .frame = run->frame,
                                            .stream = run->stream};
}

static struct foveate_cuda_tile_run tile_run(const struct foveate_cuda *foveate,
                                             const struct foveate_cuda_run *run,
                                             const struct levels *levels)
{
    return (struct foveate_cuda_tile_run){.device = foveate->device,
                                          .kernels = &foveate->tiles,
                                          .decimate = foveate->smooth.decimate_half,
                                          .tiles = &levels->tiles,
                                          .frame = run->frame,
                                          .stream = run->stream,
                                          .dirty = levels->states_dirty,
                                          .state_count = levels->states};
}

static bool in_tiles(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return plan->has_tiles && foveate_cuda_tiles_take_format(format);
}

/* Frames of one plan share its levels, so each waits on its stream for the one before. */
static enum fovea_result follow_frame(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run)
{
    return run->plan->is_smooth
               ? cuda_uses_follow(foveate->device, &run->plan->block->uses, run->stream)
               : FOVEA_OK;
}

/* What was launched when one fails still uses the block, hence the use is noted in any case. */
static enum fovea_result note_use(struct foveate_cuda *foveate, const struct foveate_cuda_run *run,
                                  struct cuda_block *block, enum fovea_result launched)
{
    const enum fovea_result noted = cuda_uses_add(foveate->device, &block->uses, run->stream);
    return launched < 0 ? launched : noted;
}

static bool has_surface(const struct foveate_cuda *foveate, enum fovea_format format)
{
    return format >= 0 && format < FOVEATE_CUDA_FORMATS && foveate->kernels.surface[format];
}

static enum fovea_result launch_surface(struct foveate_cuda *foveate,
                                        const struct foveate_cuda_run *run,
                                        enum fovea_format format, CUsurfObject src,
                                        CUsurfObject dst)
{
    if (run->plan->is_smooth) {
        const struct levels levels = frame_levels(run->plan);
        const struct foveate_cuda_smooth_run plain = smooth_run(foveate, run, &levels);
        const struct foveate_cuda_tile_run tiles = tile_run(foveate, run, &levels);
        return in_tiles(run->plan, format) ? foveate_cuda_tiles_surface(&tiles, format, src, dst)
                                           : foveate_cuda_smooth_surface(&plain, format, src, dst);
    }
    struct foveate_cuda_surface_params params = {
        .frame = *run->frame, .tables = run->plan->tables, .src = src, .dst = dst};
    return launch(foveate, run, foveate->kernels.surface[format], 1, &params);
}

enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                           const struct foveate_cuda_run *run,
                                           enum fovea_format format, CUsurfObject src,
                                           CUsurfObject dst)
{
    if (!has_surface(foveate, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(follow_frame(foveate, run));
    return note_use(foveate, run, run->plan->block, launch_surface(foveate, run, format, src, dst));
}

/* `levels` are those of the slice's images. */
static enum fovea_result launch_slice(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run,
                                      const struct levels *levels, enum fovea_format format,
                                      const struct foveate_cuda_slice *slice)
{
    if (run->plan->is_smooth) {
        const struct foveate_cuda_smooth_run plain = smooth_run(foveate, run, levels);
        const struct foveate_cuda_tile_run tiles = tile_run(foveate, run, levels);
        return in_tiles(run->plan, format) ? foveate_cuda_tiles_linear(&tiles, format, slice)
                                           : foveate_cuda_smooth_linear(&plain, format, slice);
    }
    struct foveate_cuda_linear_params params = {.frame = *run->frame,
                                                .tables = run->plan->tables,
                                                .batch = slice->batch,
                                                .src = slice->src,
                                                .dst = slice->dst};
    return launch(foveate, run, foveate->kernels.linear[format], slice->count, &params);
}

/* Levels of halves do not hold 32-bit floats. */
static bool takes(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return !plan->is_smooth || plan->formats == FOVEATE_CUDA_FORMATS_ALL ||
           format != FOVEA_FORMAT_RGBA32F;
}

enum fovea_result foveate_cuda_run_linear(struct foveate_cuda *foveate,
                                          const struct foveate_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst)
{
    if (!takes(run->plan, src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const struct foveate_cuda_slice slice = {.count = 1,
                                             .src = foveate_cuda_linear_view(src, 0),
                                             .dst = foveate_cuda_linear_view(dst, 0)};
    const struct levels levels = frame_levels(run->plan);
    FOVEA_TRY(follow_frame(foveate, run));
    return note_use(foveate, run, run->plan->block,
                    launch_slice(foveate, run, &levels, src->format, &slice));
}

/* ---- Batches ---------------------------------------------------------------------------------- */

static uint32_t smaller(uint32_t a, uint64_t b)
{
    return a < b ? a : (uint32_t)b;
}

/* How many images of a batch can have levels at a time. */
static uint32_t count_levels(const struct foveate_cuda_plan *plan,
                             const struct foveate_cuda_images *images)
{
    const uint32_t sources = images->src_next_bytes == 0 ? 1 : images->count;
    if (plan->level_samples == 0) {
        return 0;
    }
    const uint64_t most = FOVEATE_CUDA_LEVEL_BYTES / level_bytes(plan);
    return smaller(sources, most > 0 ? most : 1);
}

/* How many can have a state at a time: all that have levels, or that share one picture's. */
static uint32_t count_states(const struct foveate_cuda_plan *plan,
                             const struct foveate_cuda_images *images)
{
    if (!plan->has_tiles) {
        return 0;
    }
    const uint64_t most = FOVEATE_CUDA_LEVEL_BYTES / state_bytes(plan);
    return smaller(images->src_next_bytes == 0 ? images->count : count_levels(plan, images),
                   most > 0 ? most : 1);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint64_t gazes_at(const struct foveate_cuda_plan *plan, const struct batch_memory *batch)
{
    return batch->levels * level_bytes(plan);
}

static uint64_t states_at(const struct foveate_cuda_plan *plan, const struct batch_memory *batch)
{
    return gazes_at(plan, batch) +
           round_up(batch->gazes * (uint64_t)FOVEATE_CUDA_GAZE_BYTES, ALIGNMENT);
}

enum fovea_result foveate_cuda_reserve(struct foveate_cuda *foveate, struct foveate_cuda_plan *plan,
                                       const struct foveate_cuda_images *images)
{
    struct batch_memory grown = {.levels = larger(count_levels(plan, images), plan->batch.levels),
                                 .gazes = larger(images->count, plan->batch.gazes),
                                 .states = larger(count_states(plan, images), plan->batch.states),
                                 .states_dirty = true};
    if (grown.levels == plan->batch.levels && grown.gazes == plan->batch.gazes &&
        grown.states == plan->batch.states) {
        return FOVEA_OK;
    }
    cuda_block_free_idle(foveate->device, &foveate->retired);
    FOVEA_TRY(cuda_block_create(
        foveate->device, states_at(plan, &grown) + grown.states * state_bytes(plan), &grown.block));
    cuda_block_retire(&foveate->retired, &plan->batch.block);
    cuda_block_free_idle(foveate->device, &foveate->retired);
    plan->batch = grown;
    return FOVEA_OK;
}

static CUdeviceptr gaze_table(const struct foveate_cuda_plan *plan)
{
    return plan->batch.block->memory + gazes_at(plan, &plan->batch);
}

static enum fovea_result fill_gazes(struct foveate_cuda *foveate,
                                    const struct foveate_cuda_run *run,
                                    const struct foveate_cuda_images *images)
{
    const struct foveate_cuda_gaze_run gazes = {.device = foveate->device,
                                                .kernels = &foveate->gaze,
                                                .frame = run->frame,
                                                .stream = run->stream,
                                                .table = gaze_table(run->plan),
                                                .gazes_uv = images->gazes_uv,
                                                .count = images->count};
    return images->gazes_on_device ? foveate_cuda_gaze_take(&gazes) : foveate_cuda_gaze_put(&gazes);
}

static struct foveate_cuda_slice slice_of(const struct foveate_cuda_plan *plan,
                                          const struct foveate_cuda_images *images, uint32_t first,
                                          uint32_t count)
{
    struct foveate_cuda_slice slice = {
        .count = count,
        .batch = {.gazes = gaze_table(plan) + first * (uint64_t)FOVEATE_CUDA_GAZE_BYTES,
                  .src_next_bytes = images->src_next_bytes,
                  .dst_next_bytes = images->dst_next_bytes},
        .src = foveate_cuda_linear_view(images->src, images->src_next_bytes),
        .dst = foveate_cuda_linear_view(images->dst, images->dst_next_bytes),
    };
    slice.src.data += (uint64_t)((int64_t)first * images->src_next_bytes);
    slice.dst.data += (uint64_t)((int64_t)first * images->dst_next_bytes);
    return slice;
}

static struct levels batch_levels(struct foveate_cuda_plan *plan, bool one_source)
{
    struct levels levels = {plan->smooth, plan->tiles, &plan->batch.states_dirty,
                            plan->batch.states};
    levels.smooth.samples = levels.tiles.samples = plan->batch.block->memory;
    levels.smooth.next_samples = one_source ? 0 : (int64_t)plan->level_samples;
    levels.tiles.next_samples = one_source ? 0 : plan->tiles.level_samples;
    levels.tiles.state = plan->batch.block->memory + states_at(plan, &plan->batch);
    return levels;
}

/* Of a batch that was reserved for. */
static uint32_t images_at_a_time(const struct foveate_cuda_plan *plan,
                                 const struct foveate_cuda_images *images)
{
    uint32_t most = images->count;
    if (plan->level_samples > 0 && images->src_next_bytes != 0) {
        most = smaller(most, plan->batch.levels);
    }
    return in_tiles(plan, images->src->format) ? smaller(most, plan->batch.states) : most;
}

static enum fovea_result launch_batch(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run,
                                      const struct foveate_cuda_images *images)
{
    const uint32_t most = images_at_a_time(run->plan, images);
    const struct levels levels = batch_levels(run->plan, images->src_next_bytes == 0);
    FOVEA_TRY(fill_gazes(foveate, run, images));
    for (uint32_t first = 0; first < images->count;) {
        const uint32_t left = images->count - first;
        const struct foveate_cuda_slice slice =
            slice_of(run->plan, images, first, left < most ? left : most);
        FOVEA_TRY(launch_slice(foveate, run, &levels, images->src->format, &slice));
        first += slice.count;
    }
    return FOVEA_OK;
}

/* The plan's own block is read for its tables, the batch's holds gazes and levels, which the next batch
 * writes over: that one follows on its stream. */
enum fovea_result foveate_cuda_run_batch(struct foveate_cuda *foveate,
                                         const struct foveate_cuda_run *run,
                                         const struct foveate_cuda_images *images)
{
    struct cuda_block *block = run->plan->batch.block;
    if (!takes(run->plan, images->src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(follow_frame(foveate, run)); /* else the next frame would follow us alone */
    FOVEA_TRY(cuda_uses_follow(foveate->device, &block->uses, run->stream));
    const enum fovea_result launched = launch_batch(foveate, run, images);
    return note_use(foveate, run, run->plan->block, note_use(foveate, run, block, launched));
}
