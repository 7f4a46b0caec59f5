/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens as an operator on CUDA: one launch a frame, or a batch. */

#include "core/log.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/lens/lens.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

#include <math.h>
#include <stdio.h>

extern const unsigned char lens_fatbin[];
extern const unsigned char lens_grid_fatbin[];

/* Kernels: of every format by its filter, which take any places; then RGBA8's. */
#define RGBA8 (1u << FOVEA_FORMAT_RGBA8)
enum {
    MOVED = LENS_BICUBIC + 1, /* one more where colours lie apart */
    BYTES = MOVED + 2, /* likewise */
    BYTES_SAMPLES = BYTES + 2, /* with several places a pixel */
    BYTES_BICUBIC = BYTES_SAMPLES + 2,
    LIGHT = BYTES_BICUBIC + 2,
    LIGHT_SAMPLES = LIGHT + 2,
    LIGHT_BICUBIC = LIGHT_SAMPLES + 2,
    KINDS = LIGHT_BICUBIC + 2,
};

/* A module's kernels: NULL until it is loaded. */
struct loaded {
    CUmodule module;
    struct cuda_kernels kinds[KINDS];
};

struct lens_cuda {
    struct operator_cuda base;
    struct loaded formula;
    struct loaded grid; /* from the first plan of a grid on */
};

struct lens_cuda_plan {
    struct operator_cuda_plan base; /* tables: what follows */
    uint64_t samples; /* a display's */
    uint64_t moves; /* a grid's */
};

static struct lens_cuda *own(struct operator_cuda *cuda)
{
    return (struct lens_cuda *)cuda;
}

static struct lens_cuda_plan *own_plan(struct operator_cuda_plan *plan)
{
    return (struct lens_cuda_plan *)plan;
}

/* ---- Kernels */

static enum fovea_result get_kernels(const struct cuda_device *device, CUmodule module,
                                     const char *prefix, int first,
                                     struct cuda_kernels kinds[KINDS])
{
    static const char *const names[MOVED] = {"nearest", "bilinear", "bicubic"};
    static const char *const pairs[(KINDS - MOVED) / 2] = {
        "moved", "bytes",         "bytes_samples", "bytes_bicubic",
        "light", "light_samples", "light_bicubic"};
    for (int i = first; i < KINDS; i++) {
        const int in_pairs = i - MOVED;
        char name[64];
        snprintf(name, sizeof name, "%s_%s%s", prefix, i < MOVED ? names[i] : pairs[in_pairs / 2],
                 i >= MOVED && in_pairs % 2 ? "_colored" : "");
        FOVEA_TRY(cuda_kernels_get(device, module, name, i < MOVED ? CUDA_EVERY_FORMAT : RGBA8,
                                   &kinds[i]));
    }
    return FOVEA_OK;
}

static enum fovea_result load_module(const struct cuda_device *device, const unsigned char *fatbin,
                                     const char *prefix, int first, struct loaded *loaded)
{
    if (loaded->module) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(device, fatbin, &loaded->module));
    const enum fovea_result result =
        get_kernels(device, loaded->module, prefix, first, loaded->kinds);
    if (result < 0) {
        cuda_module_unload(device, &loaded->module);
    }
    return result;
}

static enum fovea_result load(struct operator_cuda *cuda)
{
    FOVEA_TRY(load_module(cuda->device, lens_fatbin, "lens", LENS_NEAREST, &own(cuda)->formula));
    return operator_cuda_make_upload(cuda);
}

static void unload(struct operator_cuda *cuda)
{
    cuda_module_unload(cuda->device, &own(cuda)->grid.module);
    cuda_module_unload(cuda->device, &own(cuda)->formula.module);
}

/* ---- Plans */

/* Nothing lies in memory between, whatever the format. */
static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan)
{
    const struct lens_plan *lens = lens_plan_of(source);
    const struct operator_cuda_part parts[] = {
        {&own_plan(plan)->samples, lens->samples, lens->sample_count * sizeof lens->samples[0]},
        {&own_plan(plan)->moves, lens->moves, lens->move_count * sizeof lens->moves[0]}};
    (void)format;
    if (lens->moves) {
        FOVEA_TRY(
            load_module(cuda->device, lens_grid_fatbin, "lens_grid", MOVED, &own(cuda)->grid));
    }
    return operator_cuda_plan_fill(cuda, plan, parts, sizeof parts / sizeof *parts);
}

static enum fovea_result reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                 const struct operator_images *images)
{
    (void)cuda;
    (void)plan;
    (void)images; /* a batch takes no memory of its own */
    return FOVEA_OK;
}

/* ---- What the kernels of RGBA8 take of a shape, whose places are whole numbers of steps */

/* 2^22 steps reach over the picture. */
static int32_t fixed_bits(const struct lens_shape *shape)
{
    const int32_t most_px = shape->width_px > shape->height_px ? shape->width_px : shape->height_px;
    int32_t bits = 16;
    while (bits > 0 && (int64_t)most_px << bits > 1 << 22) {
        bits--;
    }
    return bits;
}

static void set_terms(const struct lens_shape *shape, struct lens_fixed *fixed)
{
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        const int power = i % LENS_POWERS;
        fixed->terms[i] =
            (float)(ldexp(shape->terms[i], fixed->bits) * pow((double)shape->per_px, power));
        fixed->is_even = fixed->is_even && (power % 2 == 0 || shape->terms[i] == 0.0f);
    }
}

static struct lens_fixed fixed_of(const struct lens_plan *plan, const struct lens_shape *shape)
{
    const int32_t bits = fixed_bits(shape);
    struct lens_fixed fixed = {
        .bits = bits,
        .is_even = 1,
        .first_x_px = 0.5f - shape->center_x_px,
        .first_y_px = 0.5f - shape->center_y_px,
        .half = 1u << (bits - 1),
        .width = (uint32_t)shape->width_px << bits,
        .height = (uint32_t)shape->height_px << bits,
        .blank = (uint32_t)shape->blank[0] | (uint32_t)shape->blank[1] << 8 |
                 (uint32_t)shape->blank[2] << 16 | 0xff000000u,
        .steps_a_px = (float)(1u << bits),
    };
    if (!plan->moves) {
        set_terms(shape, &fixed);
    }
    return fixed;
}

/* ---- Frames */

/* packed: or a surface, in which pixels lie as densely. */
static int kind_of(const struct lens_plan *plan, enum fovea_format format, bool packed)
{
    if (!packed || format != FOVEA_FORMAT_RGBA8 || plan->light > IMAGE_LIGHT_SRGB) {
        return plan->filter;
    }
    if (plan->filter == LENS_NEAREST) {
        return MOVED + plan->colored;
    }
    const int kind = plan->light == IMAGE_LIGHT_STORED ? BYTES : LIGHT;
    const int more = plan->filter == LENS_BICUBIC ? BYTES_BICUBIC - BYTES
                     : plan->samples_across > 1   ? BYTES_SAMPLES - BYTES
                                                  : 0;
    return kind + more + plan->colored;
}

static const struct cuda_kernels *kernels_of(const struct lens_cuda *lens,
                                             const struct operator_cuda_run *run, int kind)
{
    const bool by_grid = lens_plan_of(run->plan)->moves && kind >= MOVED;
    return by_grid ? &lens->grid.kinds[kind] : &lens->formula.kinds[kind];
}

static struct lens_frame frame_of(const struct operator_cuda_run *run, enum fovea_format format)
{
    const struct lens_plan *plan = lens_plan_of(run->plan);
    const bool blue_first = run->frame->blue_first;
    const struct lens_shape shape = lens_shape_of(plan, format, blue_first);
    const struct lens_cuda_plan *tables = own_plan(run->cuda_plan);
    return (struct lens_frame){.shape = shape,
                               .fixed = fixed_of(plan, &shape),
                               .origin_x_px = run->frame->origin_x_px,
                               .origin_y_px = run->frame->origin_y_px,
                               .light = image_light_in_order(plan->light, blue_first),
                               .light_value = plan->light_value,
                               .samples_across = plan->samples_across,
                               .averages_alpha = plan->averages_alpha,
                               .colored = plan->colored,
                               .most = plan->most,
                               .samples = tables->samples,
                               .moves = tables->moves};
}

/* Launches share nothing but what they read, so none waits for another. */
static enum fovea_result launch(const struct lens_cuda *lens, const struct operator_cuda_run *run,
                                int kind, bool surfaces, CUfunction kernel, uint32_t count,
                                void *params)
{
    const bool square = surfaces && kind >= MOVED;
    const uint32_t across = square ? LENS_SURFACE_SIDE : LENS_SIDE_X; /* threads of a block */
    const uint32_t down = square ? LENS_SURFACE_SIDE : LENS_SIDE_Y;
    const uint32_t rows = kind < MOVED           ? LENS_ROWS
                          : kind < LIGHT_SAMPLES ? LENS_BYTE_ROWS
                                                 : LENS_TABLE_ROWS;
    const struct cuda_launch one = {kernel,
                                    {cuda_parts(run->frame->width_px, (int32_t)across),
                                     cuda_parts(run->frame->height_px, (int32_t)(down * rows)),
                                     count},
                                    {across, down},
                                    0};
    return operator_cuda_note(&lens->base, run->cuda_plan->tables, run->stream, run->stream_kept,
                              cuda_launch(lens->base.device, run->stream, &one, params));
}

static enum fovea_result run_surface(struct operator_cuda *cuda,
                                     const struct operator_cuda_run *run, enum fovea_format format,
                                     CUsurfObject src, CUsurfObject dst)
{
    const struct lens_cuda *lens = own(cuda);
    const int kind = kind_of(lens_plan_of(run->plan), format, true);
    const struct cuda_kernels *kernels = kernels_of(lens, run, kind);
    if (!cuda_kernels_has(kernels->surface, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    struct lens_surface_params params = {.frame = frame_of(run, format), .src = src, .dst = dst};
    return launch(lens, run, kind, true, kernels->surface[format], 1, &params);
}

/* Pixels beside each other and rows downwards, whose offsets are 31 bits. */
static bool is_packed(const struct image_linear *image, int32_t rows)
{
    return image->whole_pixels && image->pixel_stride_bytes == 4 && image->row_stride_bytes > 0 &&
           image->row_stride_bytes <= INT32_MAX / rows;
}

static enum fovea_result run_linear(struct operator_cuda *cuda, const struct operator_cuda_run *run,
                                    const struct operator_images *images)
{
    const struct lens_cuda *lens = own(cuda);
    const enum fovea_format format = images->src->format;
    const int32_t rows = run->frame->height_px;
    struct lens_linear_params params = {.frame = frame_of(run, format)};
    params.src = operator_cuda_view_of(images->src, images->src_next_bytes, run->frame);
    params.dst = operator_cuda_view_of(images->dst, images->dst_next_bytes, run->frame);
    params.frame.src_next_bytes = images->src_next_bytes;
    params.frame.dst_next_bytes = images->dst_next_bytes;
    const bool packed = is_packed(&params.src, rows) && is_packed(&params.dst, rows);
    const int kind = kind_of(lens_plan_of(run->plan), format, packed);
    const struct cuda_kernels *kernels = kernels_of(lens, run, kind);
    if (!cuda_kernels_has(kernels->linear, format)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return launch(lens, run, kind, false, kernels->linear[format], images->count, &params);
}

const struct operator_cuda_api lens_operator_cuda = {
    .kind = {.bytes = sizeof(struct lens_cuda),
             .plan_bytes = sizeof(struct lens_cuda_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill},
    .reserve = reserve,
    .run_linear = run_linear,
    .run_surface = run_surface,
};
