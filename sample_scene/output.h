/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files of a run without a window: chosen frames, the video, and the four panels. */
#pragma once

#include "frames.h"
#include "panels.h"
#include "video.h"

#define OUTPUT_CHOSEN 5

struct output {
    const char *folder;
    VkFormat format;
    uint32_t eyes;
    const struct fovea_settings *settings;
    uint64_t chosen[OUTPUT_CHOSEN];
    struct picture drawn;
    struct picture shown;
    struct picture pair; /* a frame of the video: drawn on the left, shown on the right */
    struct video *video;
    struct {
        struct picture drawn;
        struct picture shown;
        float *depth; /* a value a pixel */
        struct fovea_gaze gaze;
        bool taken;
    } panel;
    bool failed;
};

struct output_desc {
    const char *folder; /* is made */
    VkFormat format;
    VkExtent2D extent;
    uint32_t eyes; /* side by side */
    uint64_t frames;
    bool video;
    const struct fovea_settings *settings; /* outlives the output */
};

/* False with a message; output_finish is to be called all the same. */
bool output_init(struct output *output, const struct output_desc *desc);
bool output_wants(const struct output *output, uint64_t number);
/* The sink of frames.h; user is the output. Failures are told and kept in output->failed. */
void output_take(void *user, const struct frames_picture *picture);
/* passed_through: no frame was foveated. */
bool output_write_panels(struct output *output, const char *const caption[PANELS_CAPTION_LINES],
                         bool passed_through);
void output_finish(struct output *output);
