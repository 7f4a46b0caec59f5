/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plans of the engine fft, for settings and a size. */

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

static uint64_t plane_bytes(const struct blur_planes *planes)
{
    return (uint64_t)planes->across.length * (uint64_t)planes->rows * blur_fft_number_bytes(planes);
}

uint32_t blur_fft_planes_in(const struct blur_planes *planes, enum fovea_format format)
{
    const struct pixel_codec *codec = pixel_codec_of(format);
    return codec->color_channels + (codec->has_alpha && planes->count == 4 ? 1 : 0);
}

uint64_t blur_fft_bytes(const struct blur_planes *planes, enum fovea_format format)
{
    return blur_fft_planes_in(planes, format) * plane_bytes(planes);
}

static uint64_t kernel_bytes(const struct blur_planes *planes)
{
    return (uint64_t)planes->across.length * (uint64_t)planes->down.length *
           blur_fft_number_bytes(planes);
}

/* The longest transform that a block's memory holds; 0: there is none. */
static int32_t longest_in(int shared_bytes, uint32_t number_bytes)
{
    int32_t length = shared_bytes / (int32_t)number_bytes;
    length -= length % BLUR_TRANSFORM_GAP;
    while (length > 0 &&
           ((uint64_t)blur_transform_places(length) * number_bytes > (uint64_t)shared_bytes ||
            blur_transform_length(length, length) == 0)) {
        length -= BLUR_TRANSFORM_GAP;
    }
    return length;
}

/* The length of a transform of at least so many numbers, which a block's memory must hold. */
static bool length_of(int shared_bytes, const struct blur_planes *planes, int32_t least,
                      struct fovea_log log, struct blur_transform *out)
{
    const int32_t most = longest_in(shared_bytes, blur_fft_number_bytes(planes));
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
static bool make_planes(int shared_bytes, const struct blur_plan *plan, enum fovea_format format,
                        struct fovea_log log, struct blur_planes *out)
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
    return length_of(shared_bytes, out, columns, log, &out->across) &&
           length_of(shared_bytes, out, out->rows, log, &out->down);
}

/* The most columns of which two blocks fit on a multiprocessor; one, where none do. */
static uint32_t columns_of(int shared_bytes, const struct blur_planes *planes)
{
    const uint64_t each =
        (uint64_t)blur_transform_places(planes->down.length) * blur_fft_number_bytes(planes);
    for (uint32_t columns = 8; columns > 1; columns /= 2) {
        if (2 * columns * each <= (uint64_t)shared_bytes) {
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

enum fovea_result blur_fft_fill(struct operator_cuda *cuda, int shared_bytes,
                                const struct blur_plan *source, enum fovea_format format,
                                struct operator_cuda_plan *base,
                                const struct operator_cuda_part *light, uint64_t *out_memory,
                                struct blur_fft_plan *out)
{
    struct blur_planes *planes = &out->planes;
    if (!make_planes(shared_bytes, source, format, cuda->device->log, planes)) {
        return operator_cuda_plan_fill(cuda, base, light, 1);
    }
    const uint64_t bytes = blur_fft_number_bytes(planes);
    void *across = calloc((size_t)planes->across.length, bytes);
    void *down = calloc((size_t)planes->down.length, bytes);
    void *kernel = large_memory_make(kernel_bytes(planes), 1);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    if (across && down && kernel) {
        const struct operator_cuda_part parts[] = {
            *light,
            {&planes->across.turns, across, (uint64_t)planes->across.length * bytes},
            {&planes->down.turns, down, (uint64_t)planes->down.length * bytes},
            {&out->kernel, kernel, kernel_bytes(planes)},
            {out_memory, NULL, (uint64_t)planes->count * plane_bytes(planes)}};
        blur_transform_fill(&planes->across, planes->precise, across);
        blur_transform_fill(&planes->down, planes->precise, down);
        memset(kernel, 0, kernel_bytes(planes));
        fill_kernel(&source->kernel, planes, kernel);
        out->columns = columns_of(shared_bytes, planes);
        result = operator_cuda_plan_fill(cuda, base, parts, sizeof parts / sizeof *parts);
    }
    free(across);
    free(down);
    large_memory_free(kernel);
    return result;
}
