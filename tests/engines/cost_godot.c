/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* engine_cost_godot [--quick]: what a frame costs in Godot's extension, in the host of
 * tests/godot. The CPU's time is that of the whole callback, the host's RenderingDevice in it. */

#include "costs.h"
#include "host.h"
#include "host_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define LIBRARY "libfovea_godot.so"
#define HALF_ONE 0x3c00

/* Stripes, as half floats. */
static uint16_t *draw(struct costs_size size)
{
    const size_t values = (size_t)4 * size.width_px * size.height_px;
    uint16_t *pixels = malloc(values * sizeof *pixels);
    for (size_t i = 0; pixels && i < values; i++) {
        pixels[i] = (i >> 4) % 3 ? HALF_ONE : 0;
    }
    return pixels;
}

/* The picture is there once: what a frame leaves is the next one's. Uploads would let the GPU rest
 * meanwhile. */
static bool one_frame(struct object *effect, const struct host_frame *frame, uint32_t number)
{
    const float along = (float)(number % 64) / 63;
    struct host_frame now = *frame;
    now.pixels = number == 0 ? frame->pixels : NULL;
    return host_set(effect, "gaze_uv", host_vector2(0.1F + 0.8F * along, 0.4F)) &&
           host_frame(effect, &now);
}

static bool count_frames(struct object *effect, const struct host_frame *frame, bool quick,
                         struct costs *costs)
{
    for (uint32_t i = 0; i < COSTS_WARM_UP + costs_frames(quick); i++) {
        if (!one_frame(effect, frame, i)) {
            return false;
        }
        const struct host_counts counts = host_counts();
        if (counts.gpu_ns <= 0) {
            fprintf(stderr, "a frame was not foveated\n");
            return false;
        }
        if (i >= COSTS_WARM_UP) {
            costs->cpu_us[costs->frames] = (double)counts.callback_ns * 1e-3;
            costs->gpu_us[costs->frames] = (double)counts.gpu_ns * 1e-3;
            costs->kernels_us[costs->frames++] = (double)counts.kernels_ns * 1e-3;
        }
    }
    return true;
}

static bool measure(struct object *effect, struct costs_size size, bool quick)
{
    static struct costs costs;
    uint16_t *pixels = draw(size);
    const struct host_frame frame = {
        .width_px = size.width_px, .height_px = size.height_px, .pixels = pixels};
    costs = (struct costs){.way = "Godot", .size = size};
    const bool right = pixels && count_frames(effect, &frame, quick, &costs);
    if (right) {
        costs_print(&costs);
    }
    free(pixels);
    return right;
}

static bool measure_all(bool quick)
{
    struct object *effect = host_construct("FoveaEffect");
    bool right = effect;
    for (const struct costs_size *size = costs_sizes(quick); right && size->width_px; size++) {
        right = measure(effect, *size, quick);
    }
    if (effect) {
        host_release(effect);
    }
    const struct host_counts counts = host_counts();
    return right && counts.engine_errors + counts.extension_errors + counts.extension_warnings == 0;
}

int main(int count, char **arguments)
{
    bool quick = false;
    if (!costs_arguments(count, arguments, &quick)) {
        fprintf(stderr, "engine_cost_godot [--quick]\n");
        return 2;
    }
    const uint32_t busy_px = quick ? 64 : ENGINE_BUSY_PX;
    if (!host_open(&(struct host_options){.times = true, .busy_px = busy_px})) {
        fprintf(stderr, "there is no Vulkan device\n");
        return 77;
    }
    bool right = host_load(LIBRARY, "fovea_godot_init");
    if (right) {
        costs_head(the_host.engine.physical);
        right = measure_all(quick);
        host_unload();
    }
    fputs(host_console(), stderr);
    return host_close() == 0 && right ? 0 : 1;
}
