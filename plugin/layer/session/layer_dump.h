/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tests and experiments use this: where FOVEA_LAYER_DUMP names a folder, every frame is written
 * there as the program drew it and as it is presented. Slow: each picture is waited for. Semaphores
 * that the copy waits for are signalled again, so that what comes after finds them as it would
 * without. With FOVEA_LAYER_DUMP_PICTURES=0 nothing is copied or waited for: only what a frame was
 * made with is written. It ends, and says so, when FOVEA_LAYER_DUMP_MAX_MB MiB are written, 1024
 * where nothing is said. */
#pragma once

#include "plugin/layer/layer.h"

/* Said by the environment of the process, which is asked once, before the first instance. */
void layer_dump_open(void);
bool layer_dump_wanted(void);

/* NUMBER-before.raw or NUMBER-after.raw: rows without gaps, in the image's own format. The image is
 * in PRESENT_SRC and stays there. */
struct layer_dump_picture {
    struct layer_device *device;
    VkQueue queue;
    uint32_t queue_family;
    const struct layer_swapchain *swapchain;
    uint32_t image;
    const VkSemaphore *waits; /* signalled again */
    uint32_t wait_count;
    uint32_t number; /* of its frame */
};
/* -> the frame's number, no other's in this process. */
uint32_t layer_dump_begin(void);
void layer_dump_before(const struct layer_dump_picture *picture);
/* With NUMBER.txt, which says what the picture is: "key value" a line. */
void layer_dump_after(const struct layer_dump_picture *picture, const struct fovea_gaze *gaze,
                      enum fovea_result result);
