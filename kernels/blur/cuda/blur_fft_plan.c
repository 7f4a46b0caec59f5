/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft has these on a device for settings and a size: turns of both transforms, the
 * kernel's transform, and planes of images. */

#include "blur_fft.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/blur/plan.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/light.h"
#include "kernels/image/pixel.h"

#include <stdlib.h>
#include <string.h>

uint64_t blur_fft_plane_bytes(const struct blur_fft_plan *plan)
{
    return (uint64_t)plan->planes.across.length * (uint64_t)plan->planes.rows *
           blur_fft_number_bytes(&plan->planes);
}

static uint64_t kernel_bytes(const struct blur_planes *planes)
{
    return (uint64_t)planes->across.length * (uint64_t)planes->down.length *
           blur_fft_number_bytes(planes);
}

/* The length of a transform of at least so many numbers, which a block's memory must hold. */
static bool length_of(const struct blur_fft_limits *limits, const struct blur_planes *planes,
                      int32_t least, struct fovea_log log, struct blur_transform *out)
{
    int32_t most = limits->shared_bytes / (int32_t)blur_fft_number_bytes(planes);
    while (most > 0 && (uint64_t)blur_transform_places(most) * blur_fft_number_bytes(planes) >
                           (uint64_t)limits->shared_bytes) {
        most -= 16;
    }
    const int32_t length = blur_transform_length(least, most);
    if (length == 0) {
        log_error(log,
                  "blur.engine fft: a line of %d numbers is more than a block of this GPU holds, "
                  "%d in %s precision",
                  least, most, planes->precise ? "double" : "single");
        return false;
    }
    blur_transform_make(length, out);
    return true;
}

/* Single precision leaves some 1e-7 of the brightest everywhere: too much where levels of the dark
 * are as close together as in PQ, and for floats that hold more than that. */
static bool make_planes(const struct blur_fft_limits *limits, const struct blur_plan *plan,
                        enum fovea_format format, struct fovea_log log, struct blur_planes *out)
{
    const struct gauss_plan *machine = &plan->machine;
    const struct blur_kernel *kernel = &plan->kernel;
    const int32_t half_px = ((int32_t)machine->height_px + 1) / 2;
    *out = (struct blur_planes){.reach_x_px = kernel->reach_x_px,
                                .reach_y_px = kernel->reach_y_px,
                                .half_px = half_px,
                                .rows = half_px + 2 * kernel->reach_y_px,
                                .count = machine->foveation.alpha == FOVEA_ALPHA_KEEP ? 3 : 4,
                                .precise = gauss_plan_light(machine) > IMAGE_LIGHT_SRGB ||
                                           pixel_has_32_bit_floats(format)};
    const int32_t columns = (int32_t)machine->width_px + 2 * kernel->reach_x_px;
    return length_of(limits, out, columns, log, &out->across) &&
           length_of(limits, out, out->rows, log, &out->down);
}

/* The most columns of which two blocks fit on a multiprocessor; one, where none do. */
static uint32_t columns_of(const struct blur_fft_limits *limits, const struct blur_planes *planes)
{
    const uint64_t each =
        (uint64_t)blur_transform_places(planes->down.length) * blur_fft_number_bytes(planes);
    for (uint32_t columns = 8; columns > 1; columns /= 2) {
        if (2 * columns * each <= (uint64_t)limits->shared_bytes) {
            return columns;
        }
    }
    return 1;
}

/* The kernel around the first place, with what both transforms multiply divided out. */
static void fill_kernel(const struct blur_kernel *kernel, const struct blur_planes *planes,
                        void *out)
{
    const int32_t width = planes->across.length;
    const int32_t height = planes->down.length;
    const double scale = 1.0 / ((double)width * height);
    const double *weight = kernel->weights;
    for (int32_t y = -kernel->reach_y_px; y <= kernel->reach_y_px; y++) {
        const size_t row = (size_t)((y + height) % height) * (size_t)width;
        for (int32_t x = -kernel->reach_x_px; x <= kernel->reach_x_px; x++) {
            const size_t at = 2 * (row + (size_t)((x + width) % width));
            if (planes->precise) {
                ((double *)out)[at] = scale * *weight++;
            } else {
                ((float *)out)[at] = (float)(scale * *weight++);
            }
        }
    }
}

/* The host has these until they are on the device. */
struct tables {
    float *light;
    void *across;
    void *down;
    void *kernel;
};

static enum fovea_result upload(struct operator_cuda *cuda, const struct blur_plan *source,
                                struct blur_fft_plan *plan, const struct tables *tables)
{
    struct blur_planes *planes = &plan->planes;
    const size_t count = gauss_plan_light_samples(&source->machine);
    const struct operator_cuda_part parts[] = {
        {&plan->light_samples, tables->light, count * sizeof *tables->light},
        {&planes->across.turns, tables->across,
         (uint64_t)planes->across.length * blur_fft_number_bytes(planes)},
        {&planes->down.turns, tables->down,
         (uint64_t)planes->down.length * blur_fft_number_bytes(planes)},
        {&plan->kernel, tables->kernel, kernel_bytes(planes)},
        {&planes->at, NULL, (uint64_t)planes->count * blur_fft_plane_bytes(plan)}};
    gauss_plan_fill_light(&source->machine, tables->light);
    blur_transform_fill(&planes->across, planes->precise, tables->across);
    blur_transform_fill(&planes->down, planes->precise, tables->down);
    fill_kernel(&source->kernel, planes, tables->kernel);
    return operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
}

static enum fovea_result fill(struct operator_cuda *cuda, const struct blur_plan *source,
                              struct blur_fft_plan *plan)
{
    const struct blur_planes *planes = &plan->planes;
    const uint64_t bytes = blur_fft_number_bytes(planes);
    const struct tables tables = {
        calloc(gauss_plan_light_samples(&source->machine) + 1, sizeof(float)),
        calloc((size_t)planes->across.length, bytes), calloc((size_t)planes->down.length, bytes),
        large_memory_make(kernel_bytes(planes), 1)};
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (tables.light && tables.across && tables.down && tables.kernel) {
        memset(tables.kernel, 0, kernel_bytes(planes));
        result = upload(cuda, source, plan, &tables);
    }
    free(tables.light);
    free(tables.across);
    free(tables.down);
    large_memory_free(tables.kernel);
    return result;
}

enum fovea_result blur_fft_plan_make(struct operator_cuda *cuda,
                                     const struct blur_fft_limits *limits,
                                     const struct operator_plan *plan, enum fovea_format format,
                                     struct blur_fft_plan *made)
{
    const struct blur_plan *source = blur_plan_of(plan);
    made->runs = make_planes(limits, source, format, cuda->device->log, &made->planes);
    if (!made->runs) {
        return FOVEA_OK;
    }
    made->columns = columns_of(limits, &made->planes);
    return fill(cuda, source, made);
}

/* Planes of an image of that format. */
uint32_t blur_fft_planes_in(const struct blur_fft_plan *plan, enum fovea_format format)
{
    const struct pixel_codec *codec = pixel_codec_of(format);
    return codec->color_channels + (codec->has_alpha && plan->planes.count == 4 ? 1 : 0);
}

/* One image has the plan's memory. */
enum fovea_result blur_fft_reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                   const struct operator_images *images)
{
    struct blur_fft_plan *fft = (struct blur_fft_plan *)plan;
    const uint64_t bytes = blur_fft_planes_in(fft, images->src->format) * blur_fft_plane_bytes(fft);
    const uint64_t wanted =
        bytes * image_slice_capacity(images->count, bytes, BLUR_CUDA_MOST_BATCH_BYTES);
    if (!fft->runs || images->count == 1 || wanted <= fft->batch_bytes) {
        return FOVEA_OK;
    }
    FOVEA_TRY(operator_cuda_plan_grow(cuda, plan, wanted));
    fft->batch_bytes = wanted;
    return FOVEA_OK;
}
