/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of blur_box.cu: which pictures they make, and how lines are parted among blocks. */

#include "blur_cuda.h"

#include "kernels/blur/engine.h"
#include "kernels/image/pixel_light.h"

extern const unsigned char blur_box_fatbin[];

#define COLUMNS 4 /* of a block: 32 bytes of each row */
#define ROWS_THREADS 256 /* of a block that makes several rows */
#define USUAL_PLACES 2176 /* of a block's lines, where boxes reach less far than that */

/* ---- Kernels */

static enum fovea_result allow_shared(const struct cuda_device *device, int32_t bytes,
                                      const CUfunction kernels[CUDA_FORMATS])
{
    for (int i = 0; i < CUDA_FORMATS; i++) {
        if (kernels[i]) {
            CU_TRY(device->log, device->cu,
                   device->cu->FuncSetAttribute(
                       kernels[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
        }
    }
    return FOVEA_OK;
}

static enum fovea_result get_kernels(const struct cuda_device *device, struct blur_box_cuda *box)
{
    const uint32_t levels = 1u << FOVEA_FORMAT_RGBA8 | 1u << FOVEA_FORMAT_RGB8 |
                            1u << FOVEA_FORMAT_R8 | 1u << FOVEA_FORMAT_A2B10G10R10;
    CU_TRY(device->log, device->cu,
           device->cu->DeviceGetAttribute(&box->shared_bytes,
                                          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                          device->handle));
    const struct {
        const char *prefix;
        struct cuda_kernels *kernels;
    } both[] = {{"blur_box_rows", &box->rows}, {"blur_box_columns", &box->columns}};
    for (int i = 0; i < 2; i++) {
        struct cuda_kernels *kernels = both[i].kernels;
        FOVEA_TRY(cuda_kernels_get(device, box->module, both[i].prefix, levels, kernels));
        FOVEA_TRY(allow_shared(device, box->shared_bytes, kernels->linear));
        FOVEA_TRY(allow_shared(device, box->shared_bytes, kernels->surface));
    }
    return FOVEA_OK;
}

enum fovea_result blur_box_cuda_load(const struct cuda_device *device, struct blur_box_cuda *box)
{
    if (box->module) {
        return FOVEA_OK;
    }
    FOVEA_TRY(cuda_module_load(device, blur_box_fatbin, &box->module));
    const enum fovea_result result = get_kernels(device, box);
    if (result < 0) {
        cuda_module_unload(device, &box->module);
    }
    return result;
}

/* In other lights 16 bits are too few for the dark. */
bool blur_box_cuda_makes(const struct blur_plan *plan, int32_t light, enum fovea_format format)
{
    return plan->engine->passes == &blur_passes_box && light <= IMAGE_LIGHT_SRGB &&
           pixel_light_known(format);
}

/* ---- Frames */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct blur_box_lines lines_of(const struct blur_box *box, int32_t boxes)
{
    const int32_t reach_px = box->half_px + (box->end > 0.0 ? 1 : 0);
    return (struct blur_box_lines){.half_px = box->half_px,
                                   .reach_px = reach_px,
                                   .boxes = boxes,
                                   .margin = boxes * reach_px,
                                   .end = (float)box->end,
                                   .scale = (float)box->scale,
                                   .inner = (float)(box->scale * (1.0 - box->end)),
                                   .outer = (float)(box->scale * box->end)};
}

/* A line's threads, of parts of equal length. Half of a part at least is made, of which the widest
 * boxes leave less than 2,600 places around. */
static uint32_t part_line(int32_t length, struct blur_box_lines *lines)
{
    const int32_t around = 2 * lines->margin;
    const int32_t most = BLUR_BOX_EACH * (BLUR_BOX_MOST_THREADS / COLUMNS);
    const int32_t wanted = 3 * around > USUAL_PLACES ? 3 * around : USUAL_PLACES;
    const int32_t parts = (int32_t)cuda_parts(length, (wanted < most ? wanted : most) - around);
    lines->made = (length + parts - 1) / parts;
    const uint32_t threads = cuda_parts(lines->made + around, BLUR_BOX_EACH);
    const int32_t places = ((int32_t)threads + 2 * BLUR_BOX_AROUND) * BLUR_BOX_EACH;
    lines->line_places = places + (20 - places % 16) % 16; /* neighbours lie in different banks */
    return threads;
}

static uint32_t shared_bytes_of(const struct blur_box_lines *lines, uint32_t threads,
                                uint32_t count)
{
    return count * ((uint32_t)lines->line_places * 2 * (uint32_t)sizeof(uint32_t) +
                    (threads + 2 * BLUR_BOX_AROUND) * 4 * (uint32_t)sizeof(float));
}

static enum fovea_result launch(const struct cuda_device *device, const struct blur_box_cuda *box,
                                const struct blur_box_run *run, int axis,
                                struct blur_box_lines *lines, void *params)
{
    const int32_t width = (int32_t)run->plan->machine.width_px;
    const int32_t height = (int32_t)run->plan->machine.height_px;
    const int32_t length = axis == 0 ? width : height;
    const uint32_t threads = part_line(length, lines);
    uint32_t count = axis == 0 ? 1 + (ROWS_THREADS - 1) / threads : COLUMNS;
    count = smaller(count, BLUR_BOX_MOST_THREADS / threads);
    while (count > 1 && shared_bytes_of(lines, threads, count) > (uint32_t)box->shared_bytes) {
        count /= 2;
    }
    const struct cuda_launch launch = {
        .kernel = run->kernels[axis],
        .blocks = {cuda_parts(axis == 0 ? height : width, (int32_t)count),
                   cuda_parts(length, lines->made), run->count},
        .threads = {threads, count},
        .shared_bytes = shared_bytes_of(lines, threads, count)};
    return cuda_launch(device, run->stream, &launch, params);
}

enum fovea_result blur_box_cuda_run(const struct cuda_device *device,
                                    const struct blur_box_cuda *box, const struct blur_box_run *run,
                                    struct blur_box_lines *lines, void *params)
{
    *lines = lines_of(&run->plan->box, (int32_t)run->plan->numbers.passes);
    FOVEA_TRY(launch(device, box, run, 0, lines, params));
    return launch(device, box, run, 1, lines, params);
}
