/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Prints what a frame costs in an adapter, as rows of a table in Markdown: for engine_cost_godot
 * and engine_cost_unity, which ./run bench --engines runs. openxr_cost shares what it counts by. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define COSTS_FRAMES 240 /* that are counted */
#define COSTS_WARM_UP 40 /* before them: pipelines, tables and memory are made */

struct costs_size {
    uint32_t width_px;
    uint32_t height_px;
};

/* A case is measured in COSTS_FRAMES frames at most. */
struct costs {
    const char *way; /* the first column */
    struct costs_size size;
    double cpu_us[COSTS_FRAMES]; /* in the adapter, of the thread that calls it */
    double gpu_us[COSTS_FRAMES]; /* from the engine's picture to the foveated one */
    double kernels_us[COSTS_FRAMES]; /* of those, in what foveates; the rest are copies */
    uint32_t frames;
};

/* --quick [gpu]: one tiny picture, few frames; whether it works. With gpu the program ends with 77
 * where there is no NVIDIA GPU. False: these are no arguments. */
bool costs_arguments(int count, char **arguments, bool *out_quick);
/* The sizes to take; ends with width 0. */
const struct costs_size *costs_sizes(bool quick);
uint32_t costs_frames(bool quick);

/* The value that `percent` of 100 are below. Sorts. */
double costs_percentile(double *values, uint32_t count, uint32_t percent);
/* The table's head, with the device's name above. */
void costs_head(VkPhysicalDevice device);
/* A row: medians, and of the CPU's time the 99th percentile. Sorts. */
void costs_print(struct costs *costs);
