/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine fft has these on a device for settings and a size: the kernel's transform, planes of
 * images, and the transforms of these, which lie beside their planes and end with them. */

#include "blur_fft.h"

#include "core/large_memory.h"
#include "kernels/blur/plan.h"
#include "kernels/image/image_slice.h"
#include "kernels/image/light.h"
#include "kernels/image/pixel.h"

#include <stdlib.h>
#include <string.h>

static struct cuda_fft_shape shape_of(const struct blur_fft_plan *plan, uint32_t unit,
                                      uint32_t most)
{
    return (struct cuda_fft_shape){plan->planes.width, plan->planes.height,
                                   plan->planes.precise != 0, unit, most};
}

uint64_t blur_fft_plane_bytes(const struct blur_fft_plan *plan)
{
    const struct cuda_fft_shape shape = shape_of(plan, 1, 1);
    return cuda_fft_plane_bytes(&shape);
}

/* Single precision leaves some 1e-7 of the brightest everywhere: too much where levels of the dark
 * are as close together as in PQ, and for floats that hold more than that. */
static struct blur_planes planes_of(const struct blur_plan *plan, enum fovea_format format)
{
    const struct foveate_plan *machine = &plan->machine;
    const struct blur_kernel *kernel = &plan->kernel;
    return (struct blur_planes){
        .width = cuda_fft_length((int32_t)machine->width_px + 2 * kernel->reach_x_px),
        .height = cuda_fft_length((int32_t)machine->height_px + 2 * kernel->reach_y_px),
        .reach_x_px = kernel->reach_x_px,
        .reach_y_px = kernel->reach_y_px,
        .count = machine->foveation.alpha == FOVEA_ALPHA_KEEP ? 3 : 4,
        .precise =
            foveate_plan_light(machine) > IMAGE_LIGHT_SRGB || pixel_has_32_bit_floats(format)};
}

/* The kernel around the first place, with what both transforms multiply divided out. */
static void fill_kernel(const struct blur_kernel *kernel, const struct blur_planes *planes,
                        void *out)
{
    const double scale = 1.0 / ((double)planes->width * planes->height);
    const double *weight = kernel->weights;
    for (int32_t y = -kernel->reach_y_px; y <= kernel->reach_y_px; y++) {
        const size_t row =
            (size_t)((y + planes->height) % planes->height) * ((size_t)planes->width + 2);
        for (int32_t x = -kernel->reach_x_px; x <= kernel->reach_x_px; x++) {
            const size_t at = row + (size_t)((x + planes->width) % planes->width);
            if (planes->precise) {
                ((double *)out)[at] = scale * *weight++;
            } else {
                ((float *)out)[at] = (float)(scale * *weight++);
            }
        }
    }
}

/* Tables, the kernel, the planes of an image, and what transforms need. */
static enum fovea_result upload(struct operator_cuda *cuda, const struct blur_plan *source,
                                struct blur_fft_plan *plan, uint64_t work_bytes, float *light,
                                void *kernel)
{
    const size_t count = foveate_plan_light_samples(&source->machine);
    const uint64_t bytes = blur_fft_plane_bytes(plan);
    const struct operator_cuda_part parts[] = {
        {&plan->light_samples, light, count * sizeof *light},
        {&plan->kernel, kernel, bytes},
        {&plan->planes.at, NULL, (uint64_t)plan->planes.count * bytes},
        {&plan->work, NULL, work_bytes}};
    foveate_plan_fill_light(&source->machine, light);
    memset(kernel, 0, bytes);
    fill_kernel(&source->kernel, &plan->planes, kernel);
    return operator_cuda_plan_fill(cuda, &plan->base, parts, sizeof parts / sizeof *parts);
}

static enum fovea_result transform_kernel(const struct operator_cuda *cuda,
                                          const struct blur_fft_plan *plan)
{
    const struct cuda_device *device = cuda->device;
    const struct cuda_fft *fft = plan->base.tables ? plan->base.tables->fft : NULL;
    if (!fft) {
        return FOVEA_ERROR_INTERNAL;
    }
    FOVEA_TRY(cuda_fft_set_work(device, fft, plan->work));
    FOVEA_TRY(cuda_fft_run(device, fft, CUDA_FFT_THERE, 1, plan->kernel, cuda->upload));
    return CU_CHECK(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
}

static enum fovea_result fill_with(struct operator_cuda *cuda, const struct blur_plan *source,
                                   struct blur_fft_plan *plan, struct cuda_fft **fft)
{
    const size_t count = foveate_plan_light_samples(&source->machine);
    float *light = calloc(count + 1, sizeof *light);
    void *kernel = large_memory_make(blur_fft_plane_bytes(plan), 1);
    const enum fovea_result result =
        light && kernel ? upload(cuda, source, plan, cuda_fft_work_bytes(*fft), light, kernel)
                        : FOVEA_ERROR_OUT_OF_MEMORY;
    free(light);
    large_memory_free(kernel);
    if (plan->base.tables) {
        plan->base.tables->fft = *fft;
        *fft = NULL;
    }
    return result < 0 ? result : transform_kernel(cuda, plan);
}

enum fovea_result blur_fft_plan_make(struct operator_cuda *cuda, const struct operator_plan *plan,
                                     enum fovea_format format, struct blur_fft_plan *made)
{
    struct cuda_fft *fft = NULL;
    made->planes = planes_of(blur_plan_of(plan), format);
    const uint32_t planes = (uint32_t)made->planes.count;
    const struct cuda_fft_shape shape = shape_of(made, planes, planes);
    FOVEA_TRY(cuda_fft_create(cuda->device, &shape, &fft));
    const enum fovea_result result = fill_with(cuda, blur_plan_of(plan), made, &fft);
    cuda_fft_destroy(cuda->device, &fft);
    return result;
}

/* Planes of an image of that format. */
uint32_t blur_fft_planes_in(const struct blur_fft_plan *plan, enum fovea_format format)
{
    const struct pixel_codec *codec = pixel_codec_of(format);
    return codec->color_channels + (codec->has_alpha && plan->planes.count == 4 ? 1 : 0);
}

static enum fovea_result grow(struct operator_cuda *cuda, struct blur_fft_plan *plan, uint32_t unit,
                              uint32_t planes)
{
    struct cuda_fft *fft = NULL;
    const struct cuda_fft_shape shape = shape_of(plan, unit, planes);
    const uint64_t bytes = planes * blur_fft_plane_bytes(plan);
    const uint64_t work = (bytes + 255) / 256 * 256;
    FOVEA_TRY(cuda_fft_create(cuda->device, &shape, &fft));
    const enum fovea_result result =
        operator_cuda_plan_grow(cuda, &plan->base, work + cuda_fft_work_bytes(fft));
    if (result < 0) {
        cuda_fft_destroy(cuda->device, &fft);
        return result;
    }
    plan->base.batch->fft = fft;
    plan->batch_planes = 0;
    FOVEA_TRY(cuda_fft_set_work(cuda->device, fft, plan->base.batch->memory + work));
    plan->batch_planes = planes;
    return FOVEA_OK;
}

/* One image has the plan's memory. */
enum fovea_result blur_fft_reserve(struct operator_cuda *cuda, struct operator_cuda_plan *plan,
                                   const struct operator_images *images)
{
    struct blur_fft_plan *fft = (struct blur_fft_plan *)plan;
    const uint32_t each = blur_fft_planes_in(fft, images->src->format);
    const uint32_t wanted =
        each * image_slice_capacity(images->count, each * blur_fft_plane_bytes(fft),
                                    BLUR_CUDA_MOST_BATCH_BYTES);
    return images->count == 1 || wanted <= fft->batch_planes ? FOVEA_OK
                                                             : grow(cuda, fft, each, wanted);
}
