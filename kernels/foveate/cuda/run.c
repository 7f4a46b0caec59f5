/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/image/pixel.h"
#include "plan.h"

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

bool foveate_cuda_in_tiles(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return plan->has_tiles && foveate_cuda_tiles_take_format(format);
}

/* The table is at enum foveate_cuda_way; kernels/foveate/README.md has it with the files. */
enum foveate_cuda_way foveate_cuda_way_of(const struct foveate_cuda *foveate,
                                          const struct foveate_cuda_plan *plan,
                                          struct foveate_cuda_image image)
{
    if (foveate_cuda_in_tiles(plan, image.format)) {
        return FOVEATE_CUDA_TILES;
    }
    return cuda_kernels_has(foveate->smooth.picture.linear, image.format) &&
                   (!plan->light_is_plain ||
                    !cuda_kernels_has(foveate->nodes.picture.linear, image.format))
               ? FOVEATE_CUDA_WIDE
               : FOVEATE_CUDA_NODES;
}

enum fovea_result foveate_cuda_follow(struct foveate_cuda *foveate,
                                      const struct foveate_cuda_run *run)
{
    return cuda_uses_follow(foveate->device, &run->plan->block->uses, run->stream);
}

enum fovea_result foveate_cuda_note_use(struct foveate_cuda *foveate,
                                        const struct foveate_cuda_run *run,
                                        struct cuda_block *block, enum fovea_result launched)
{
    const enum fovea_result noted =
        cuda_uses_note(foveate->device, &block->uses, run->stream, run->stream_kept);
    return launched < 0 ? launched : noted;
}

static enum fovea_result launch_surface(struct foveate_cuda *foveate,
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

enum fovea_result foveate_cuda_run_surface(struct foveate_cuda *foveate,
                                           const struct foveate_cuda_run *run,
                                           enum fovea_format format, CUsurfObject src,
                                           CUsurfObject dst)
{
    if (!cuda_kernels_has(foveate->nodes.picture.surface, format) &&
        !cuda_kernels_has(foveate->smooth.picture.surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(foveate_cuda_follow(foveate, run));
    return foveate_cuda_note_use(foveate, run, run->plan->block,
                                 launch_surface(foveate, run, format, src, dst));
}

enum fovea_result foveate_cuda_launch_slice(struct foveate_cuda *foveate,
                                            const struct foveate_cuda_run *run,
                                            const struct foveate_cuda_levels *levels,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    const struct foveate_cuda_tile_run tiles = tile_run(foveate, run, levels);
    const struct foveate_nodes_run nodes = nodes_run(foveate, run, levels);
    const struct foveate_cuda_smooth_run wide = smooth_run(foveate, run, levels);
    switch (foveate_cuda_way_of(foveate, run->plan, (struct foveate_cuda_image){format, false})) {
    case FOVEATE_CUDA_TILES:
        return foveate_cuda_tiles_linear(&tiles, format, slice);
    case FOVEATE_CUDA_NODES:
        return foveate_nodes_linear(&nodes, format, slice);
    default:
        return foveate_cuda_smooth_linear(&wide, format, slice);
    }
}

bool foveate_cuda_takes(const struct foveate_cuda_plan *plan, enum fovea_format format)
{
    return plan->formats == FOVEATE_CUDA_FORMATS_ALL || !pixel_has_32_bit_floats(format);
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
    FOVEA_TRY(foveate_cuda_follow(foveate, run));
    return foveate_cuda_note_use(
        foveate, run, run->plan->block,
        foveate_cuda_launch_slice(foveate, run, &levels, src->format, &slice));
}
