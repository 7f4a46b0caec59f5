/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Asks loader and drivers in a process of its own: a driver that crashes or hangs there takes
 * nothing along, and its answers until then are kept. */
#pragma once

#include "run.h"

#include <stdint.h>

#define PROBE_DEVICES_MAX 8
#define PROBE_NAME_BYTES 256

struct probe_device {
    char name[PROBE_NAME_BYTES];
    char driver[2 * PROBE_NAME_BYTES + 1]; /* "": Vulkan below 1.2 does not say */
    uint8_t uuid[16];
    bool uuid_known;
    bool software;
};

struct probe {
    char stage[64]; /* what was being done; "": all of it was */
    bool asked_all; /* nothing but the display and OpenXR's runtime is left */
    int signal; /* that ended it before; 0: none */
    /* Vulkan */
    char loader_fault[PROBE_NAME_BYTES]; /* why it cannot be opened */
    char loader[PATH_MAX];
    uint32_t loader_version; /* as Vulkan writes versions */
    bool listed; /* the loader knows the layer's name */
    int32_t instance_result; /* VkResult */
    char active[PATH_MAX]; /* the layer's library in that instance; "": there was none */
    struct probe_device devices[PROBE_DEVICES_MAX];
    uint32_t device_count;
    /* The library itself */
    char library_fault[PROBE_NAME_BYTES]; /* why it cannot be opened, or is no layer */
    uint32_t library_version; /* 0: it does not say */
    /* CUDA */
    bool cuda_there;
    int cuda_result; /* CUresult of cuInit */
    int cuda_version; /* 1000 * major + 10 * minor */
    struct probe_device cuda_devices[PROBE_DEVICES_MAX];
    uint32_t cuda_device_count;
    /* X */
    char display_fault[PROBE_NAME_BYTES]; /* why there is no pointer; "": an X server answers */
    /* OpenXR */
    char openxr_fault[PROBE_NAME_BYTES]; /* why there is no runtime; "": it has told */
    bool openxr_both_eyes; /* it has extensions for a gaze of both eyes, of each eye */
    bool openxr_each_eye;
    bool openxr_centers; /* and for the centre of each eye's foveation */
};

/* Runs with those variables in its environment. It looks at library where the loader loads none,
 * "": at neither. NULL: no process could be made, and it is said. */
struct probe *probe_run(const struct variables *variables, const char *library);
void probe_free(struct probe *probe);

/* The child calls it. */
void probe_vulkan(struct probe *probe);
void probe_library(struct probe *probe, const char *library);
void probe_cuda(struct probe *probe);
void probe_display(struct probe *probe);
void probe_openxr(struct probe *probe);
