/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Everything that an engine does to use Fovea, and nothing else: the file to read, and to copy
 * from, when you integrate it into an engine of your own.
 *
 * What it adds to an engine:
 *     before the device is made   fovea_vk_query: extensions and a feature (gpu_device.c)
 *     once                        foveation_create
 *     for each size               foveation_image_create, where the copies are to be saved;
 *                                 foveation_prepare
 *     each frame                  foveation_acquire, draw, foveation_run
 *     for a record                foveation_present, around vkQueuePresentKHR (swapchain.c)
 *     at the end                  vkDeviceWaitIdle, foveation_destroy */
#pragma once

#include "gpu.h"

struct foveation;

/* False with a message: the settings name a backend that this device cannot have. */
bool foveation_create(const struct gpu *gpu, const struct fovea_settings *settings,
                      uint32_t frames_in_flight, struct foveation **out_foveation);
/* The images made here go with it. */
void foveation_destroy(struct foveation **foveation);
/* Sets settings for the frames after this; on failure the old ones stay. */
bool foveation_set(struct foveation *foveation, const struct fovea_settings *settings);
/* Frames that foveation_run has refused. */
uint64_t foveation_failed_frames(const struct foveation *foveation);
/* With the setting gaze.late on, frames take the newest gaze of this source when the GPU starts on
 * them. The source must stay until it is taken away with NULL. */
void foveation_follow(struct foveation *foveation, struct fovea_gaze_source *source);
/* Shows the frames that are drawn from now on to a source that looks at pictures; NULL: to none. */
void foveation_show(struct foveation *foveation, struct fovea_gaze_source *source);
/* The gaze of somebody who looks at a place of a picture that is shown, which a lens may have
 * moved. The picture is of that size and an eye's; geometry is NULL where it is no eye's. */
struct fovea_point_uv foveation_gaze_at(struct foveation *foveation, VkExtent2D extent,
                                        uint32_t eye, const struct fovea_geometry *geometry,
                                        struct fovea_point_uv place);
/* The number that the present of the newest frame gets; 0: none, as Fovea did not take it, or there
 * is no record. */
uint64_t foveation_present(struct foveation *foveation, struct fovea_present *present);
bool foveation_stats(const struct foveation *foveation, struct fovea_vk_stats *out_stats);

/* One side of a frame. The engine made the image itself, or Fovea made it for the engine: then
 * frames go without a copy on that side. */
struct foveation_image {
    VkImage image;
    VkImageView view;
    struct fovea_vk_image *made; /* NULL: the engine's own */
    bool held; /* made, and the engine's at the moment */
    VkFormat format;
    VkExtent2D extent;
};

bool foveation_image_create(struct foveation *foveation, const struct fovea_vk_image_desc *desc,
                            struct foveation_image *out_image);
/* The GPU must be done with it. Leaves images of the engine's own alone. */
void foveation_image_destroy(struct foveation_image *image);
/* Before the engine draws into it. */
bool foveation_acquire(struct foveation_image *image);

struct foveation_eye {
    struct fovea_gaze gaze; /* in its own picture */
    struct fovea_geometry geometry;
};

/* It covers the whole picture: 1 where the near plane is, 0 at infinity. */
struct foveation_depth {
    VkImageView view;
    VkFormat format;
    VkImageLayout layout;
    double near_m;
    double elapsed_s; /* since the frame before; 0: it does not follow on one */
};

#define FOVEATION_MOST_EYES 2

struct foveation_frame {
    struct foveation_image *src; /* drawn */
    VkImageLayout src_layout; /* before and after */
    struct foveation_image *dst;
    VkImageLayout dst_layout_after;
    VkSemaphore wait; /* VK_NULL_HANDLE: none */
    VkSemaphore signal;
    struct foveation_depth depth; /* what the operator dof reads */
    struct fovea_gaze gaze;
    double vergence_m; /* 0: not known */
    const struct foveation_eye *eyes; /* side by side, in place of `gaze` */
    uint32_t eye_count; /* 0: one picture */
    const char *hud;
};

enum foveation_outcome {
    FOVEATION_DONE, /* dst shows the frame, foveated or passed through; `signal` will be signalled
                     */
    FOVEATION_REFUSED, /* not a thing has happened: show src */
    /* `wait` is taken and nothing will be signalled, or the device is lost: show nothing. All of
     * this is to be made anew before the next frame. */
    FOVEATION_LOST,
};

/* Makes what the first frame like this one would make; semaphores and gazes are of no account, nor
 * is the image of a window's dst. */
void foveation_prepare(struct foveation *foveation, const struct foveation_frame *frame);
/* The first failure is told, and the first success after it. */
enum foveation_outcome foveation_run(struct foveation *foveation,
                                     const struct foveation_frame *frame);
