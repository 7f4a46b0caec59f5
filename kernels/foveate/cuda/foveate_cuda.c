/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/cuda/common/code.h"
#include "kernels/foveate/cuda/nodes/plan.h"
#include "kernels/foveate/cuda/nodes_wide/plan.h"
#include "plan.h"

#include <stdlib.h>

/* ---- The kernels of a device ----------------------------------------------------------------- */

/* Somebody has built for other cards than this one. */
static enum fovea_result tell_of_old_code(const struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    int major = 0;
    struct foveate_cuda_code code;
    FOVEA_TRY(
        foveate_cuda_code_of(device, foveate->nodes.picture.linear[FOVEA_FORMAT_RGBA8], &code));
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                          device->handle));
    if (!code.has_mma && major >= 8) {
        log_info(device->log,
                 "cuda: this build has code of architecture %d.%d at most for %s, and leaves its "
                 "tensor cores idle (FOVEA_CUDA_ARCHITECTURES)",
                 code.architecture / 10, code.architecture % 10, device->name);
    }
    return FOVEA_OK;
}

static enum fovea_result load(struct foveate_cuda *foveate)
{
    const struct cuda_device *device = foveate->device;
    FOVEA_TRY(foveate_cuda_smooth_load(device, &foveate->smooth));
    FOVEA_TRY(foveate_cuda_tiles_load(device, &foveate->tiles));
    FOVEA_TRY(foveate_nodes_load(device, &foveate->nodes));
    FOVEA_TRY(tell_of_old_code(foveate));
    FOVEA_TRY(gaze_cuda_load(device, &foveate->gaze));
    FOVEA_TRY(cuda_device_create_stream(device, &foveate->upload));
    return cuda_memory_init(device, foveate->upload, &foveate->memory);
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
    foveate->tile_slope = FOVEATE_TILE_MAX_SLOPE;
    enum fovea_result result = load(foveate);
    if (result != FOVEA_OK) {
        foveate_cuda_destroy(&foveate);
        return result;
    }
    *out_foveate = foveate;
    return FOVEA_OK;
}

void foveate_cuda_set_tile_slope(struct foveate_cuda *foveate, double max_slope)
{
    foveate->tile_slope = max_slope;
}

/* ---- The tables of a plan -------------------------------------------------------------------- */

bool foveate_cuda_frees_without_waiting(const struct foveate_cuda *foveate)
{
    return cuda_memory_is_pooled(&foveate->memory);
}

static void part_with(struct foveate_cuda *foveate, struct foveate_cuda_plan **plan)
{
    cuda_block_retire(&foveate->retired, &(*plan)->block);
    cuda_block_retire(&foveate->retired, &(*plan)->batch.block);
    free(*plan);
    *plan = NULL;
}

void foveate_cuda_plan_retire(struct foveate_cuda *foveate, struct foveate_cuda_plan **plan)
{
    if (!*plan) {
        return;
    }
    part_with(foveate, plan);
    if (!atomic_load(&foveate->abandoned)) {
        cuda_block_free_idle(foveate->device, &foveate->retired);
    }
}

/* A program that makes plans and retires none frees blocks here, but only if nobody waits. */
static void tidy(struct foveate_cuda *foveate)
{
    if (foveate_cuda_frees_without_waiting(foveate) && !atomic_load(&foveate->abandoned)) {
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
        CU_WARN(device->log, device->cu, device->cu->StreamSynchronize(foveate->upload));
    }
    cuda_memory_finish(&foveate->memory);
    if (foveate->upload) {
        CU_WARN(device->log, device->cu, device->cu->StreamDestroy(foveate->upload));
    }
    gaze_cuda_unload(device, &foveate->gaze);
    foveate_nodes_unload(device, &foveate->nodes);
    foveate_cuda_tiles_unload(device, &foveate->tiles);
    foveate_cuda_smooth_unload(device, &foveate->smooth);
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

/* A table of host memory, and where it goes; it may be empty. */
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
        if (tables[i].bytes > 0) {
            CU_TRY(device->log, cu,
                   cu->MemcpyHtoDAsync(tables[i].to, tables[i].from, tables[i].bytes,
                                       foveate->upload));
        }
    }
    CU_TRY(device->log, cu, cu->StreamSynchronize(foveate->upload));
    return FOVEA_OK;
}

/* Light that tiles and nodes of halves know. */
static bool is_plain_light(const struct foveate_plan *plan)
{
    return foveate_plan_light(plan) <= IMAGE_LIGHT_SRGB;
}

uint64_t foveate_cuda_level_bytes(const struct foveate_cuda_plan *plan)
{
    const uint64_t plain = plan->level_samples * foveate_cuda_smooth_sample_bytes(
                                                     plan->formats == FOVEATE_CUDA_FORMATS_SURFACE);
    const uint64_t tiles = plan->has_tiles ? foveate_cuda_tiles_level_bytes(&plan->tiles) : 0;
    const uint64_t nodes = foveate_nodes_level_bytes(&plan->nodes);
    const uint64_t larger = plain > tiles ? plain : tiles;
    return foveate_cuda_aligned(larger > nodes ? larger : nodes);
}

uint64_t foveate_cuda_state_bytes(const struct foveate_cuda_plan *plan)
{
    return plan->has_tiles ? foveate_cuda_tiles_state_bytes(&plan->tiles) : 0;
}

static void fill_smooth_params(const struct foveate_plan *source, struct foveate_cuda_plan *plan,
                               uint64_t table_bytes)
{
    plan->smooth.samples = plan->block->memory;
    plan->smooth.table = plan->block->memory + foveate_cuda_level_bytes(plan);
    plan->smooth.law = source->law;
    for (int i = 0; i < FOVEATE_MAX_LEVELS; i++) {
        plan->smooth.levels[i] = source->levels[i];
    }
    plan->tiles.samples = plan->smooth.samples;
    plan->tiles.table = plan->smooth.table;
    plan->tiles.state = plan->smooth.table + table_bytes;
    plan->nodes.samples = plan->smooth.samples;
    plan->nodes.table = plan->smooth.table;
    plan->states_dirty = true;
}

/* Bytes of nodes, of floats and of halves. */
struct smooth_tables {
    struct foveate_wide_tables wide;
    uint16_t *matrices; /* the nodes' */
    size_t matrix_bytes;
};

/* Returns the samples of the plan's light, which are too many for a stack, or NULL. */
static float *make_light(const struct foveate_plan *source)
{
    float *light = malloc((foveate_plan_light_samples(source) + 1) * sizeof *light);
    if (light) {
        foveate_plan_fill_light(source, light);
    }
    return light;
}

/* Their tables lie behind all else. */
static enum fovea_result upload_smooth(struct foveate_cuda *foveate,
                                       const struct foveate_plan *source,
                                       struct foveate_cuda_plan *plan,
                                       const struct smooth_tables *tables)
{
    const struct foveate_wide_tables *wide = &tables->wide;
    const size_t law_bytes = (size_t)source->law.table_count * sizeof *source->law_table;
    const size_t light_bytes = foveate_plan_light_samples(source) * sizeof(float);
    const uint64_t table_bytes = foveate_cuda_aligned(law_bytes + light_bytes);
    const uint64_t line_bytes = 128; /* bytes of a cache line */
    const uint64_t matrices_at = (foveate_cuda_level_bytes(plan) + table_bytes +
                                  foveate_cuda_state_bytes(plan) + line_bytes - 1) /
                                 line_bytes * line_bytes;
    const uint64_t wide_at = matrices_at + tables->matrix_bytes; /* a multiple of 256 further */
    float *light = make_light(source);
    if (!light) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result made =
        cuda_block_create(foveate->device, &foveate->memory,
                          wide_at + sizeof wide->nodes + wide->matrix_bytes, &plan->block);
    if (made < 0) {
        free(light);
        return made;
    }
    fill_smooth_params(source, plan, table_bytes);
    plan->nodes.matrices = plan->block->memory + matrices_at;
    plan->smooth.nodes = plan->block->memory + wide_at;
    plan->smooth.matrices = plan->smooth.nodes + sizeof wide->nodes;
    const struct table parts[] = {{plan->smooth.table, source->law_table, law_bytes},
                                  {plan->smooth.table + law_bytes, light, light_bytes},
                                  {plan->nodes.matrices, tables->matrices, tables->matrix_bytes},
                                  {plan->smooth.nodes, wide->nodes, sizeof wide->nodes},
                                  {plan->smooth.matrices, wide->matrices, wide->matrix_bytes}};
    const enum fovea_result result = upload(foveate, parts, sizeof parts / sizeof *parts);
    free(light);
    return result;
}

static enum fovea_result fill_nodes(const struct foveate_plan *source,
                                    struct foveate_cuda_plan *plan, struct smooth_tables *tables)
{
    foveate_nodes_fill(source, &plan->nodes);
    const size_t bytes = foveate_nodes_matrix_bytes(&plan->nodes);
    tables->matrices = malloc(bytes);
    if (!tables->matrices) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    tables->matrix_bytes = bytes;
    foveate_nodes_fill_matrices(&plan->nodes, tables->matrices);
    return FOVEA_OK;
}

static enum fovea_result fill_tables(const struct foveate_plan *source,
                                     struct foveate_cuda_plan *plan, struct smooth_tables *tables)
{
    FOVEA_TRY(foveate_wide_fill(source, &plan->smooth, &tables->wide));
    return fill_nodes(source, plan, tables);
}

static enum fovea_result fill_plan(struct foveate_cuda *foveate, const struct foveate_plan *source,
                                   struct foveate_cuda_plan *plan)
{
    plan->smooth.level_count = (int32_t)source->level_count;
    plan->light_is_plain = is_plain_light(source);
    if (source->level_count == 0) { /* kernels look into the light's table all the same */
        return upload_smooth(foveate, source, plan, &(struct smooth_tables){0});
    }
    plan->level_samples = source->level_samples;
    plan->has_tiles =
        plan->light_is_plain && foveate_cuda_tiles_plan(source, foveate->tile_slope, &plan->tiles);
    plan->blurs_alpha = source->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    struct smooth_tables tables = {0};
    enum fovea_result result = fill_tables(source, plan, &tables);
    if (result == FOVEA_OK) {
        result = upload_smooth(foveate, source, plan, &tables);
    }
    free(tables.wide.matrices);
    free(tables.matrices);
    return result;
}

enum fovea_result foveate_cuda_plan_create(struct foveate_cuda *foveate,
                                           const struct foveate_plan *plan,
                                           enum foveate_cuda_formats formats,
                                           struct foveate_cuda_plan **out_plan)
{
    *out_plan = NULL;
    tidy(foveate);
    struct foveate_cuda_plan *created = calloc(1, sizeof *created);
    if (!created) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    created->formats = formats;
    const enum fovea_result result = fill_plan(foveate, plan, created);
    if (result != FOVEA_OK) {
        part_with(foveate, &created);
        tidy(foveate);
        return result;
    }
    *out_plan = created;
    return FOVEA_OK;
}
