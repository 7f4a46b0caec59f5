/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's frame loop: several frames in flight, each guarded by a fence of the engine's
 * own. */
#pragma once

#include "lightfield.h"
#include "targets.h"

/* A frame that was read back. Pixels are in the engine's format and stay until the sink returns. */
struct frames_picture {
    uint64_t number;
    struct fovea_gaze gaze;
    bool foveated; /* false: Fovea refused it and `shown` is what the engine drew */
    const void *drawn;
    const void *shown;
    const float *depth; /* NEAR_M / distance; NULL: not known */
};

struct frames_slot {
    VkCommandPool pool;
    VkCommandBuffer draw;
    VkCommandBuffer
        finish; /* after the foveation: reading back, or showing the engine's own image */
    VkFence fence;
    bool pending;
    bool captured;
    struct frames_picture picture;
};

struct frames {
    const struct gpu *gpu;
    struct renderer *renderer;
    struct lightfield *lightfield; /* NULL: the renderer draws */
    struct foveation *foveation;
    struct targets *targets;
    struct frames_slot slots[FRAMES_IN_FLIGHT];
    void (*sink)(void *user, const struct frames_picture *picture);
    void *sink_user;
    int64_t sink_ns; /* spent in the sink so far */
    double sink_cpu_s; /* of this thread */
    double last_time_s; /* of the frame before */
    double elapsed_s; /* since then; 0: this frame does not follow on it */
};

/* All but the slots is the caller's to fill before. */
bool frames_init(struct frames *frames);
/* Makes what Fovea needs for targets of another size, before their first frame. */
void frames_prepare(struct frames *frames);
/* Waits for everything; the sink gets what is still to come. False: the device is lost. */
bool frames_drain(struct frames *frames);
void frames_finish(struct frames *frames);

/* The surface on which a frame is shown, if not in the targets' own result. */
struct frames_surface {
    struct foveation_image image;
    VkSemaphore acquired;
    VkSemaphore finished;
};

struct frames_request {
    uint64_t number;
    double time_s;
    struct fovea_gaze gaze;
    double vergence_m; /* 0: not known */
    bool capture;
    struct frames_surface *surface; /* NULL: no window */
    const char *hud;
};

/* Draws, foveates and submits. Waits only for the frame FRAMES_IN_FLIGHT before this one. False:
 * nothing of it is to be shown, and no frame can follow. */
bool frames_run(struct frames *frames, const struct frames_request *request);
/* CPU time of the calling thread. */
double frames_thread_cpu_s(void);
/* The slot of a frame is free again; frames_run does it by itself. */
bool frames_wait(struct frames *frames, uint64_t number);
