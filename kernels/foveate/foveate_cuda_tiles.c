/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate/foveate_cuda_tiles.h"

#include <math.h>

extern const unsigned char foveate_tiles_fatbin[];

_Static_assert(sizeof(struct foveate_tiles_linear_params) <= 4096, "more than a launch carries");
_Static_assert(sizeof(struct foveate_tile_counts) % 16 == 0, "tasks lie after the counts");
_Static_assert(sizeof(struct foveate_tile_task) % 16 == 0, "tasks are read in vectors");

static const uint32_t formats = 1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 |
                                1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;

static enum fovea_result find_overlaps(const struct cuda_device *device, bool *out_overlaps)
{
    int major = 0;
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                          device->handle));
    *out_overlaps = major >= 9;
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_tiles_load(const struct cuda_device *device,
                                          struct foveate_cuda_tile_kernels *out_kernels)
{
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_tiles_fatbin));
    FOVEA_TRY(find_overlaps(device, &out_kernels->overlaps));
    CU_TRY(device->log, device->cu,
           device->cu->ModuleGetFunction(&out_kernels->decimate, out_kernels->module,
                                         "tile_decimate"));
    for (int light = 0; light < 2; light++) {
        FOVEA_TRY(foveate_cuda_get_kernels(device, out_kernels->module,
                                           light ? "tile_levels_light" : "tile_levels", formats,
                                           &out_kernels->levels[light]));
        FOVEA_TRY(foveate_cuda_get_kernels(device, out_kernels->module,
                                           light ? "tile_picture_light" : "tile_picture", formats,
                                           &out_kernels->picture[light]));
    }
    return FOVEA_OK;
}

void foveate_cuda_tiles_unload(const struct cuda_device *device,
                               struct foveate_cuda_tile_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
    }
}

bool foveate_cuda_tiles_take_format(enum fovea_format format)
{
    return format >= 0 && format < FOVEATE_CUDA_FORMATS && (formats >> format & 1u) != 0;
}

/* ---- How steep a law is ------------------------------------------------------------------------ */

struct table_bounds {
    double highest;
    double slope; /* an entry */
    bool rises; /* or stays */
};

static struct table_bounds bounds_of(const struct foveate_plan *plan)
{
    struct table_bounds bounds = {.highest = (double)plan->law_table[0], .rises = true};
    for (int32_t i = 1; i < plan->law.table_count; i++) {
        const double value = (double)plan->law_table[i];
        const double change = value - (double)plan->law_table[i - 1];
        bounds.highest = fmax(bounds.highest, value);
        bounds.slope = fmax(bounds.slope, fabs(change));
        bounds.rises = bounds.rises && change >= 0.0;
    }
    return bounds;
}

/* The largest tangent of an axis. */
static double farthest(double first, double per_px, uint32_t size_px)
{
    return fmax(fabs(first), fabs(first + per_px * (double)(size_px - 1)));
}

/* The largest tangent from the view's axis. */
static double farthest_tangent(const struct foveate_plan *plan)
{
    const struct foveate_law *law = &plan->law;
    const double x = farthest((double)law->tan_x0, (double)law->tan_x_per_px, plan->width_px);
    const double y = farthest((double)law->tan_y0, (double)law->tan_y_per_px, plan->height_px);
    return hypot(x, y);
}

static const double radians = 3.14159265358979 / 180.0;

/* Pixels of sigma a pixel at most, before the ramp. By angle, sigma = table(angle) (1 + r^2) / t, with r
 * the tangent from the axis and t the tangent of a pixel: the angle changes by no more than t /
 * sqrt(1 + r^2) a pixel, and r^2 by 2 r t. */
static double slope_of(const struct foveate_plan *plan, const struct table_bounds *bounds)
{
    const struct foveate_law *law = &plan->law;
    const double per_unit = bounds->slope * (double)law->table_per_unit;
    if (law->kind == FOVEATE_LAW_RADIAL) {
        return (double)law->strength * per_unit;
    }
    const double tan_x = (double)law->tan_x_per_px;
    const double tan_y = (double)law->tan_y_per_px;
    const double r = farthest_tangent(plan);
    const double shape = fmax(tan_x, tan_y) / sqrt(tan_x * tan_y);
    return (double)law->strength * shape *
           (per_unit * sqrt(1.0 + r * r) + radians * bounds->highest * 2.0 * r);
}

/* Of any gaze, however far outside. */
static double largest_sigma(const struct foveate_plan *plan, const struct table_bounds *bounds)
{
    const struct foveate_law *law = &plan->law;
    const double largest = (double)law->strength * bounds->highest;
    if (law->kind == FOVEATE_LAW_RADIAL) {
        return largest;
    }
    const double r = farthest_tangent(plan);
    const double pixel = sqrt((double)law->tan_x_per_px * (double)law->tan_y_per_px);
    return largest * radians * (1.0 + r * r) / pixel;
}

/* ---- Limits ------------------------------------------------------------------------------------ */

/* Level 1 begins at FOVEATE_TILE_SIGMA_1, and a tile that holds just less somewhere holds so much more
 * across. */
static struct foveate_tile_limits limits_of(const struct foveate_plan *plan,
                                            const struct foveate_frame *frame, double slope)
{
    const bool light = frame->light != 0;
    struct foveate_tile_limits limits = {
        .reach = light ? FOVEATE_TILE_REACH_LIGHT : FOVEATE_TILE_REACH_ENCODED,
        .slack = light ? FOVEATE_TILE_SLACK_LIGHT : FOVEATE_TILE_SLACK_ENCODED};
    const double diagonal_px = 1.4143 * (FOVEATE_TILE_PX + 10);
    const double widest =
        fmin((double)FOVEATE_TILE_SIGMA_1 + slope * diagonal_px, (double)plan->sigma_max_px);
    const int32_t wanted = (int32_t)ceil(widest * (double)(limits.reach * limits.slack));
    const int32_t near_bytes = foveate_tile_bytes(wanted, frame->blur_alpha ? 4 : 3);
    limits.shared_bytes = near_bytes > FOVEATE_TILE_FAR_BYTES ? near_bytes : FOVEATE_TILE_FAR_BYTES;
    limits.radius = foveate_tile_halo(wanted);
    return limits;
}

/* Levels that serve a sigma; 0: more than there are. Those beyond the second only where the tiles of the
 * one below do not reach: each is a launch. */
static int32_t count_levels(const struct foveate_plan *plan, double sigma_px)
{
    const int32_t count = (int32_t)plan->level_count;
    if (count < 3) {
        return count;
    }
    for (int32_t k = 2; k < FOVEATE_TILE_LEVELS && k < count; k++) {
        if (foveate_tile_reaches(k, (float)sigma_px)) {
            return k + 1;
        }
    }
    return 0;
}

/* ---- The layout of an image -------------------------------------------------------------------- */

/* How many `unit`s cover a value. */
static int32_t cover(int32_t value, int32_t unit)
{
    return (value + unit - 1) / unit;
}

/* Rows that the first kernel's warps make together. */
static int32_t count_made_rows(const struct foveate_level *level)
{
    return cover(level->height + 2 * FOVEATE_TILE_ROWS_BEFORE, FOVEATE_TILE_MADE_ROWS);
}

/* As foveate_smooth.h has it, in quads. */
static void fill_levels(const struct foveate_plan *plan, struct foveate_tiles *tiles)
{
    int32_t quads = 0;
    for (int32_t k = 1; k < tiles->level_count; k++) {
        struct foveate_level *level = &tiles->levels[k];
        *level = plan->levels[k];
        level->first = quads;
        level->pitch = cover(level->width + 4, FOVEATE_TILE_QUAD) + 2;
        quads += level->pitch * (level->height + 2 * FOVEATE_TILE_ROWS_BEFORE);
    }
    tiles->level_samples = quads * FOVEATE_TILE_QUAD;
}

/* Where the law first asks for a sigma: no nearer than that, or no farther. */
static double distance_of(const struct foveate_plan *plan, double sigma_px, bool no_nearer)
{
    const struct foveate_law *law = &plan->law;
    for (int32_t i = 0; i < law->table_count; i++) {
        const float plain = foveate_law_ramp(plan->law_table[i], law->sharp_px);
        if ((double)(law->strength * plain) >= sigma_px) {
            return (double)(no_nearer ? (i > 0 ? i - 1 : 0) : i) / (double)law->table_per_unit;
        }
    }
    return 1e9;
}

static void fill_makings(const struct foveate_plan *plan, struct foveate_tiles *tiles)
{
    int32_t flags = 0;
    for (int32_t k = 1; k < 3 && k < tiles->level_count; k++) {
        struct foveate_tile_making *making = &tiles->making[k];
        making->first_flag = flags;
        flags += tiles->levels[k].pitch * count_made_rows(&tiles->levels[k]);
        const double from = (double)foveate_tile_sigma_from(k);
        making->from_px = (float)distance_of(plan, from, true);
        making->to_px = k > 1 ? 1e9f : (float)distance_of(plan, tiles->most_sigma_1, false);
    }
    tiles->state_bytes = cover(tiles->flag_bytes + flags, 16) * 16;
}

static void fill_state(const struct foveate_plan *plan, struct foveate_tiles *tiles)
{
    tiles->columns = 2 * cover((int32_t)plan->width_px, FOVEATE_TILE_PX);
    tiles->rows = 2 * cover((int32_t)plan->height_px, FOVEATE_TILE_PX);
    const int32_t quarters = tiles->columns * tiles->rows;
    tiles->listing_blocks = cover(quarters, FOVEATE_TILE_MAKERS);
    tiles->entry_bytes = (int32_t)sizeof(struct foveate_tile_counts) +
                         quarters * (int32_t)sizeof(struct foveate_tile_task);
    tiles->flag_bytes = tiles->entry_bytes + 4 * quarters;
    fill_makings(plan, tiles);
}

/* The units of an axis, `unit_px` wide, that lie within reach_px of a gaze. */
struct span {
    int32_t first;
    int32_t count;
};

static struct span span_around(double gaze_px, double reach_px, double unit_px, int32_t count)
{
    const double first = fmax(floor((gaze_px - reach_px) / unit_px), 0.0);
    const double end = fmin(floor((gaze_px + reach_px) / unit_px) + 1.0, (double)count);
    return (struct span){(int32_t)fmin(first, (double)count),
                         end > first ? (int32_t)(end - first) : 0};
}

/* The first kernel's grid: all of a level, or what lies around the gaze where that
 * is known and nothing beyond reads the level. */
static void fill_grid(struct foveate_tiles *tiles, const struct foveate_frame *frame)
{
    const int32_t quads = FOVEATE_TILE_MAKERS / 32 * FOVEATE_TILE_MADE_QUADS; /* a block */
    for (int32_t k = 1; k < 3 && k < tiles->level_count; k++) {
        struct foveate_tile_making *making = &tiles->making[k];
        struct span across = {0, cover(tiles->levels[k].pitch, quads)};
        struct span down = {0, count_made_rows(&tiles->levels[k])};
        if (frame && tiles->radial && tiles->next_samples == 0 && k == 1) {
            const double reach = (double)(making->to_px + foveate_tile_margin(k));
            const double quad_px = (double)(FOVEATE_TILE_QUAD << k);
            across = span_around((double)frame->gaze_x_q8 / 256.0, reach + quad_px, quad_px * quads,
                                 across.count);
            down = span_around((double)frame->gaze_y_q8 / 256.0, reach + 2.0 * quad_px,
                               (double)(FOVEATE_TILE_MADE_ROWS << k), down.count);
        }
        making->first_column = across.first;
        making->first_row = down.first;
        making->columns = across.count;
        making->blocks = across.count * down.count;
    }
}

/* Blocks of the second kernel: about as many as it can need. Where distance says what becomes of a quarter, those near
 * any gaze; most near tiles are squares. What is missing is made by those that there are. */
static void fill_blocks(struct foveate_tiles *tiles)
{
    const double pi = 3.14159265358979;
    const double quarters = (double)tiles->columns * (double)tiles->rows;
    const double squares = quarters / 4.0;
    const double area_px = (double)FOVEATE_TILE_QUARTER_PX * FOVEATE_TILE_QUARTER_PX;
    const double near_px = (double)tiles->making[1].from_px + FOVEATE_TILE_QUARTER_PX;
    const double middle_px = (double)tiles->making[1].to_px + FOVEATE_TILE_PX;
    const double near = pi * near_px * near_px / area_px / 2.0;
    const double middle = pi * middle_px * middle_px / area_px;
    const double far = fmin(middle, quarters) + squares;
    const bool none = tiles->level_count < 2;
    tiles->near_blocks = (int32_t)(tiles->radial && !none ? fmin(near + 1.0, squares) : squares);
    tiles->far_blocks =
        none ? 0 : cover((int32_t)(tiles->radial ? far : squares), FOVEATE_TILE_WARPS);
}

/* Where a square's variance lies within what FOVEATE_TILE_BLURS span, level 2 serves it: sigma grows across by
 * no more than so much of itself. */
static double most_sigma_1(double slope)
{
    const double steps = (FOVEATE_TILE_BLURS - 1) * (double)FOVEATE_TILE_VARIANCE_STEP;
    const double diagonal_px = 1.4143 * 4.0 * (FOVEATE_TILE_OUTPUTS - 1);
    return fmax(FOVEATE_TILE_SIGMA_2, slope * diagonal_px / (sqrt(1.0 + steps) - 1.0));
}

bool foveate_cuda_tiles_plan(const struct foveate_plan *plan, double max_slope,
                             struct foveate_tiles *out_tiles)
{
    *out_tiles = (struct foveate_tiles){.law = plan->law};
    const bool line =
        plan->law.kind == FOVEATE_LAW_RADIAL || plan->law.kind == FOVEATE_LAW_PROJECTED;
    if (!plan->smooth || plan->level_count == 0 || !line) {
        return false;
    }
    const struct table_bounds bounds = bounds_of(plan);
    const double slope = slope_of(plan, &bounds);
    if (!(slope <= max_slope)) {
        return false;
    }
    const struct foveate_frame frame = foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    out_tiles->limits = limits_of(plan, &frame, slope);
    /* The ramp is twice as steep as the law. */
    out_tiles->slope = (float)(2.0 * slope);
    out_tiles->radial = plan->law.kind == FOVEATE_LAW_RADIAL && bounds.rises;
    /* What is not radial is known less well. */
    out_tiles->most_sigma_1 = (float)most_sigma_1(out_tiles->radial ? 1.02 * slope : 4.0 * slope);
    /* Tiles stick out of the picture by a few pixels. */
    const double largest = largest_sigma(plan, &bounds);
    const double near = fmin((double)plan->sigma_max_px + 12.0 * slope, largest);
    out_tiles->level_count = count_levels(plan, largest);
    out_tiles->near_level_count = count_levels(plan, near);
    fill_levels(plan, out_tiles);
    fill_state(plan, out_tiles);
    fill_blocks(out_tiles);
    return out_tiles->level_count > 0 && out_tiles->near_level_count > 0;
}

size_t foveate_cuda_tiles_level_bytes(const struct foveate_tiles *tiles)
{
    return (size_t)tiles->level_samples / FOVEATE_TILE_QUAD * FOVEATE_TILE_QUAD_BYTES;
}

size_t foveate_cuda_tiles_state_bytes(const struct foveate_tiles *tiles)
{
    return (size_t)tiles->state_bytes;
}

/* ---- Launches ---------------------------------------------------------------------------------- */

static enum fovea_result clear_states(const struct foveate_cuda_tile_run *run)
{
    const struct cuda_device *device = run->device;
    CU_TRY(device->log, device->cu,
           device->cu->MemsetD8Async(run->tiles->state, 0,
                                     (size_t)run->tiles->state_bytes * run->state_count,
                                     run->stream));
    return FOVEA_OK;
}

/* The gazes of a batch are on the device. */
static int32_t levels_for(const struct foveate_cuda_tile_run *run, bool own_gazes)
{
    return own_gazes ? run->tiles->level_count : foveate_tile_level_count(run->tiles, run->frame);
}

/* A launch that takes what the one before it in the stream has made: its blocks may begin as soon as all of
 * that one's have begun, and wait in the kernel (foveate_tile_levels.cuh). */
struct tile_launch {
    CUfunction kernel;
    uint32_t blocks;
    uint32_t images;
    uint32_t threads;
    uint32_t shared_bytes;
    void *params;
};

static enum fovea_result launch_next(const struct foveate_cuda_tile_run *run,
                                     const struct tile_launch *launch)
{
    const struct cuda_device *device = run->device;
    CUlaunchAttribute overlap = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value = {.programmaticStreamSerializationAllowed = 1}};
    const CUlaunchConfig config = {.gridDimX = launch->blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = launch->images,
                                   .blockDimX = launch->threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = launch->shared_bytes,
                                   .hStream = run->stream,
                                   .attrs = &overlap,
                                   .numAttrs = 1};
    if (run->kernels->overlaps) {
        CU_TRY(
            device->log, device->cu,
            device->cu->LaunchKernelEx(&config, launch->kernel, (void *[]){launch->params}, NULL));
        return FOVEA_OK;
    }
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(launch->kernel, launch->blocks, 1, launch->images,
                                    launch->threads, 1, 1, launch->shared_bytes, run->stream,
                                    (void *[]){launch->params}, NULL));
    return FOVEA_OK;
}

/* Level k from the one below, whole. */
static enum fovea_result decimate(const struct foveate_cuda_tile_run *run, int32_t k,
                                  uint32_t images)
{
    const struct foveate_level *level = &run->tiles->levels[k];
    struct foveate_tiles_decimate_params params = {.tiles = *run->tiles, .level = k};
    const int32_t threads = 4 * level->pitch * (level->height + 2 * FOVEATE_TILE_ROWS_BEFORE);
    return launch_next(run, &(struct tile_launch){run->kernels->decimate,
                                                  (uint32_t)cover(threads, FOVEATE_TILE_MAKERS),
                                                  images, FOVEATE_TILE_MAKERS, 0, &params});
}

/* The kernels of a format, with their parameters. */
struct stages {
    CUfunction levels;
    CUfunction picture;
    const struct foveate_tiles *tiles; /* of the parameters */
    void *params;
    int32_t level_count;
    uint32_t sources;
    uint32_t images;
};

static enum fovea_result launch_stages(const struct foveate_cuda_tile_run *run,
                                       const struct stages *stages)
{
    const struct cuda_device *device = run->device;
    const struct foveate_tiles *tiles = stages->tiles;
    const int32_t made = tiles->listing_blocks + tiles->making[1].blocks + tiles->making[2].blocks;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(stages->levels, (unsigned)made, 1, stages->images,
                                    FOVEATE_TILE_MAKERS, 1, 1, 0, run->stream,
                                    (void *[]){stages->params}, NULL));
    for (int32_t k = 3; k < stages->level_count; k++) {
        FOVEA_TRY(decimate(run, k, stages->sources));
    }
    return launch_next(run, &(struct tile_launch){
                                stages->picture, (uint32_t)(tiles->near_blocks + tiles->far_blocks),
                                stages->images, FOVEATE_TILE_THREADS,
                                (uint32_t)tiles->limits.shared_bytes, stages->params});
}

static enum fovea_result launch_all(const struct foveate_cuda_tile_run *run,
                                    const struct stages *stages)
{
    if (*run->dirty) {
        FOVEA_TRY(clear_states(run));
    }
    *run->dirty = true;
    FOVEA_TRY(launch_stages(run, stages));
    *run->dirty = false;
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_tiles_surface(const struct foveate_cuda_tile_run *run,
                                             enum fovea_format format, CUsurfObject src,
                                             CUsurfObject dst)
{
    struct foveate_tiles_surface_params params = {.frame = *run->frame,
                                                  .tiles = *run->tiles,
                                                  .batch = {.gazes = run->gazes},
                                                  .src = src,
                                                  .dst = dst};
    const int light = run->frame->light != 0;
    fill_grid(&params.tiles, run->gazes ? NULL : run->frame);
    const struct stages stages = {run->kernels->levels[light].surface[format],
                                  run->kernels->picture[light].surface[format],
                                  &params.tiles,
                                  &params,
                                  levels_for(run, run->gazes != 0),
                                  1,
                                  1};
    return launch_all(run, &stages);
}

enum fovea_result foveate_cuda_tiles_linear(const struct foveate_cuda_tile_run *run,
                                            enum fovea_format format,
                                            const struct foveate_cuda_slice *slice)
{
    struct foveate_tiles_linear_params params = {.frame = *run->frame,
                                                 .tiles = *run->tiles,
                                                 .batch = slice->batch,
                                                 .src = slice->src,
                                                 .dst = slice->dst};
    const int light = run->frame->light != 0;
    fill_grid(&params.tiles, slice->batch.gazes ? NULL : run->frame);
    const struct stages stages = {run->kernels->levels[light].linear[format],
                                  run->kernels->picture[light].linear[format],
                                  &params.tiles,
                                  &params,
                                  levels_for(run, slice->batch.gazes != 0),
                                  slice->batch.src_next_bytes == 0 ? 1 : slice->count,
                                  slice->count};
    return launch_all(run, &stages);
}
