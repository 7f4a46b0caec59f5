/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/grid.h"
#include "kernels/image/pixel.h"
#include "plan.h"

/* Enough blocks for the gaze that shifts the grid furthest, so that the grid does not depend on
 * it. */
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

static enum fovea_result launch_lights(struct foveate_cuda *foveate,
                                       const struct foveate_cuda_run *run, CUfunction kernel,
                                       uint32_t source_count, void *params)
{
    const struct cuda_device *device = foveate->device;
    const uint32_t threads = FOVEATE_CUDA_LIGHT_THREADS;
    const uint32_t columns = ((uint32_t)run->frame->width_px + threads - 1) / threads;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, columns, (uint32_t)run->frame->height_px, source_count,
                                    threads, 1, 1, 0, run->stream, (void *[]){params}, NULL));
    return FOVEA_OK;
}

static struct foveate_cuda_levels frame_levels(struct foveate_cuda_plan *plan)
{
    return (struct foveate_cuda_levels){plan->smooth, plan->tiles, plan->nodes, &plan->states_dirty,
                                        1};
}

static struct foveate_cuda_smooth_run smooth_run(const struct foveate_cuda *foveate,
                                                 const struct foveate_cuda_run *run,
                                                 const struct foveate_cuda_levels *levels)
{
    return (struct foveate_cuda_smooth_run){.device = foveate->device,
                                            .kernels = &foveate->smooth,
                                            .smooth = &levels->smooth,
                                            .frame = run->frame,
                                            .stream = run->stream,
                                            .gazes = run->gazes};
}

static struct foveate_nodes_run nodes_run(const struct foveate_cuda *foveate,
                                          const struct foveate_cuda_run *run,
                                          const struct foveate_cuda_levels *levels)
{
    return (struct foveate_nodes_run){.device = foveate->device,
                                      .kernels = &foveate->nodes,
                                      .nodes = &levels->nodes,
                                      .frame = run->frame,
                                      .stream = run->stream,
                                      .gazes = run->gazes};
}

static struct foveate_fragments_run fragments_run(const struct foveate_cuda *foveate,
                                                  const struct foveate_cuda_run *run,
                                                  const struct foveate_cuda_levels *levels)
{
    return (struct foveate_fragments_run){.nodes = nodes_run(foveate, run, levels),
                                          .kernels = &foveate->fragments,
                                          .fragments = &run->plan->fragments};
}

static struct foveate_cuda_tile_run tile_run(const struct foveate_cuda *foveate,
                                             const struct foveate_cuda_run *run,
                                             const struct foveate_cuda_levels *levels)
{
    return (struct foveate_cuda_tile_run){.device = foveate->device,
                                          .kernels = &foveate->tiles,
                                          .decimate = foveate->smooth.decimate_half,
                                          .tiles = &levels->tiles,
                                          .frame = run->frame,
                                          .stream = run->stream,
                                          .gazes = run->gazes,
                                          .dirty = levels->states_dirty,
                                          .state_count = levels->states};
}

static struct foveate_cuda_bands_run bands_run(const struct foveate_cuda *foveate,
                                               const struct foveate_cuda_run *run)
{
    return (struct foveate_cuda_bands_run){.device = foveate->device,
                                           .kernels = &foveate->bands,
                                           .bands = &run->plan->bands,
                                           .frame = run->frame,
                                           .stream = run->stream,
                                           .gazes = run->gazes};
}

bool foveate_cuda_in_tiles(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return plan->has_tiles && foveate_cuda_tiles_take_format(format);
}

bool foveate_cuda_as_small(const struct foveate_cuda *foveate, const struct foveate_cuda_plan *plan,
                           enum fovea_format format)
{
    return plan->has_small && !plan->has_tiles &&
           foveate_cuda_small_takes(&foveate->small, &plan->small, format, plan->blurs_alpha);
}

bool foveate_cuda_in_fragments(const struct foveate_cuda *foveate,
                               const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    const struct foveate_frame frame = {.blur_alpha = plan->blurs_alpha};
    return !plan->is_smooth && plan->has_nodes &&
           cuda_kernels_has(foveate->fragments.picture.linear, format) &&
           (plan->is_wide || !foveate_cuda_bands_take(&plan->bands, &frame, format));
}

bool foveate_cuda_in_lights(const struct foveate_cuda *foveate,
                            const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return plan->has_lights && cuda_kernels_has(foveate->lights.linear, format);
}

/* The table is at enum foveate_cuda_way; kernels/foveate/README.md has it with the files. */
enum foveate_cuda_way foveate_cuda_way_of(const struct foveate_cuda *foveate,
                                          const struct foveate_cuda_plan *plan,
                                          struct foveate_cuda_image image)
{
    if (foveate_cuda_in_fragments(foveate, plan, image.format) ||
        foveate_cuda_in_lights(foveate, plan, image.format)) {
        return FOVEATE_CUDA_NODES;
    }
    if (!plan->is_smooth) {
        return FOVEATE_CUDA_WIDE;
    }
    if (foveate_cuda_in_tiles(plan, image.format)) {
        return FOVEATE_CUDA_TILES;
    }
    if (!image.is_surface && foveate_cuda_as_small(foveate, plan, image.format)) {
        return FOVEATE_CUDA_SMALL;
    }
    return cuda_kernels_has(foveate->smooth.picture.linear, image.format) &&
                   (!plan->light_is_plain ||
                    !cuda_kernels_has(foveate->nodes.picture.linear, image.format))
               ? FOVEATE_CUDA_WIDE
               : FOVEATE_CUDA_NODES;
}

enum fovea_result foveate_cuda_follow(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run, enum fovea_format format)
{
    return run->plan->is_smooth || foveate_cuda_in_fragments(foveate, run->plan, format) ||
                   foveate_cuda_in_lights(foveate, run->plan, format)
               ? cuda_uses_follow(foveate->device, &run->plan->block->uses, run->stream)
               : FOVEA_OK;
}

enum fovea_result foveate_cuda_note_use(struct foveate_cuda *foveate,
                                        const struct foveate_cuda_run *run,
                                        struct cuda_block *block, enum fovea_result launched)
{
    const enum fovea_result noted =
        cuda_uses_note(foveate->device, &block->uses, run->stream, run->stream_kept);
    return launched < 0 ? launched : noted;
}

static enum fovea_result launch_smooth_surface(struct foveate_cuda *foveate,
                                               const struct foveate_cuda_run *run,
                                               enum fovea_format format, CUsurfObject src,
                                               CUsurfObject dst)
{
    const struct foveate_cuda_levels levels = frame_levels(run->plan);
    const struct foveate_cuda_tile_run tiles = tile_run(foveate, run, &levels);
    const struct foveate_nodes_run nodes = nodes_run(foveate, run, &levels);
    const struct foveate_cuda_smooth_run wide = smooth_run(foveate, run, &levels);
    switch (foveate_cuda_way_of(foveate, run->plan, (struct foveate_cuda_image){format, true})) {
    case FOVEATE_CUDA_TILES:
        return foveate_cuda_tiles_surface(&tiles, format, src, dst);
    case FOVEATE_CUDA_NODES:
        return foveate_nodes_surface(&nodes, format, src, dst);
    default:
        return foveate_cuda_smooth_surface(&wide, format, src, dst);
    }
}

static enum fovea_result launch_surface(struct foveate_cuda *foveate,
                                        const struct foveate_cuda_run *run,
                                        enum fovea_format format, CUsurfObject src,
                                        CUsurfObject dst)
{
    if (run->plan->is_smooth) {
        return launch_smooth_surface(foveate, run, format, src, dst);
    }
    if (foveate_cuda_in_fragments(foveate, run->plan, format)) {
        const struct foveate_cuda_levels levels = frame_levels(run->plan);
        const struct foveate_fragments_run fragments = fragments_run(foveate, run, &levels);
        return foveate_fragments_surface(&fragments, format, src, dst);
    }
    if (foveate_cuda_bands_take(&run->plan->bands, run->frame, format)) {
        const struct foveate_cuda_bands_run bands = bands_run(foveate, run);
        return foveate_cuda_bands_surface(&bands, format, src, dst);
    }
    struct foveate_cuda_surface_params params = {.frame = *run->frame,
                                                 .tables = run->plan->tables,
                                                 .batch = {.gazes = run->gazes},
                                                 .src = src,
                                                 .dst = dst};
    if (foveate_cuda_in_lights(foveate, run->plan, format)) {
        params.tables.lights = run->plan->nodes.samples;
        FOVEA_TRY(launch_lights(foveate, run, foveate->lights.surface[format], 1, &params));
    }
    return launch(foveate, run, foveate->kernels.surface[format], 1, &params);
}

enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                           const struct foveate_cuda_run *run,
                                           enum fovea_format format, CUsurfObject src,
                                           CUsurfObject dst)
{
    if (!cuda_kernels_has(foveate->kernels.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(foveate_cuda_follow(foveate, run, format));
    return foveate_cuda_note_use(foveate, run, run->plan->block,
                                 launch_surface(foveate, run, format, src, dst));
}

static enum fovea_result launch_smooth_slice(struct foveate_cuda *foveate,
                                             const struct foveate_cuda_run *run,
                                             const struct foveate_cuda_levels *levels,
                                             enum fovea_format format,
                                             const struct foveate_cuda_slice *slice)
{
    const struct foveate_cuda_tile_run tiles = tile_run(foveate, run, levels);
    const struct foveate_cuda_small_run small = {.device = foveate->device,
                                                 .kernels = &foveate->small,
                                                 .small = &run->plan->small,
                                                 .frame = run->frame,
                                                 .stream = run->stream};
    const struct foveate_nodes_run nodes = nodes_run(foveate, run, levels);
    const struct foveate_cuda_smooth_run wide = smooth_run(foveate, run, levels);
    switch (foveate_cuda_way_of(foveate, run->plan, (struct foveate_cuda_image){format, false})) {
    case FOVEATE_CUDA_TILES:
        return foveate_cuda_tiles_linear(&tiles, format, slice);
    case FOVEATE_CUDA_SMALL:
        return foveate_cuda_small_linear(&small, format, slice);
    case FOVEATE_CUDA_NODES:
        return foveate_nodes_linear(&nodes, format, slice);
    default:
        return foveate_cuda_smooth_linear(&wide, format, slice);
    }
}

enum fovea_result foveate_cuda_launch_slice(struct foveate_cuda *foveate,
                                            const struct foveate_cuda_run *run,
                                            const struct foveate_cuda_levels *levels,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    if (run->plan->is_smooth) {
        return launch_smooth_slice(foveate, run, levels, format, slice);
    }
    if (foveate_cuda_in_fragments(foveate, run->plan, format)) {
        const struct foveate_fragments_run fragments = fragments_run(foveate, run, levels);
        return foveate_fragments_linear(&fragments, format, slice);
    }
    if (foveate_cuda_bands_take(&run->plan->bands, run->frame, format)) {
        const struct foveate_cuda_bands_run bands = bands_run(foveate, run);
        return foveate_cuda_bands_linear(&bands, format, slice);
    }
    struct foveate_cuda_linear_params params = {.frame = *run->frame,
                                                .tables = run->plan->tables,
                                                .batch = slice->batch,
                                                .src = slice->src,
                                                .dst = slice->dst};
    if (foveate_cuda_in_lights(foveate, run->plan, format)) {
        params.tables.lights = levels->nodes.samples;
        params.tables.lights_next_bytes = levels->nodes.next_bytes;
        FOVEA_TRY(launch_lights(foveate, run, foveate->lights.linear[format],
                                slice->batch.src_next_bytes == 0 ? 1 : slice->count, &params));
    }
    return launch(foveate, run, foveate->kernels.linear[format], slice->count, &params);
}

bool foveate_cuda_takes(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return !plan->is_smooth || plan->formats == FOVEATE_CUDA_FORMATS_ALL ||
           !pixel_has_32_bit_floats(format);
}

enum fovea_result foveate_cuda_run_linear(struct foveate_cuda *foveate,
                                          const struct foveate_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst)
{
    if (!foveate_cuda_takes(run->plan, src->format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const struct foveate_cuda_slice slice = {
        .count = 1, .src = image_linear_of(src, 0), .dst = image_linear_of(dst, 0)};
    const struct foveate_cuda_levels levels = frame_levels(run->plan);
    FOVEA_TRY(foveate_cuda_follow(foveate, run, src->format));
    return foveate_cuda_note_use(
        foveate, run, run->plan->block,
        foveate_cuda_launch_slice(foveate, run, &levels, src->format, &slice));
}
