/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A light field in place of the village: what lies under the gaze gets into focus, frame by frame,
 * and Fovea foveates that. Besides foveation.c it is the file to read for light fields. */
#pragma once

#include "arena.h"
#include "options.h"
#include "raw_picture.h"

struct lightfield {
    const struct gpu *gpu;
    struct arena arena; /* the raw picture, and what is in focus */
    VkImage raw;
    VkImageView raw_view;
    VkBuffer focus;
    const volatile float *focus_mapped; /* the patch size in focus */
    struct fovea_lightfield_geometry geometry;
    double far_px, near_px;
    VkFormat format; /* of pictures, as stored values */
    struct fovea_settings *settings; /* that foveate its pictures */
    /* All have one size. */
    struct arena picture_arena;
    VkImage picture;
    VkImageView picture_view;
    VkExtent2D extent;
    struct fovea_lightfield_vk *field;
    struct fovea_lightfield_foveation foveation; /* rings of these settings and this size */
    bool has_rings;
};

/* format: of the images that frames are copied to. False with a message, and it is to be destroyed
 * all the same. */
bool lightfield_create(const struct gpu *gpu, const struct options *options, VkFormat format,
                       struct lightfield **out_lightfield);
/* Frames are foveated with these settings from now on. */
bool lightfield_set(struct lightfield *lightfield, const struct fovea_settings *settings);
/* The GPU must be done with it. */
void lightfield_destroy(struct lightfield **lightfield);
/* Frames have this size from now on. The GPU must be done with those before. */
bool lightfield_fit(struct lightfield *lightfield, VkExtent2D extent);

struct lightfield_frame {
    VkCommandBuffer commands;
    VkImage to; /* it is in TRANSFER_DST_OPTIMAL afterwards; what was in it is lost */
    uint64_t number; /* the last one but frames_in_flight has left the GPU */
    uint32_t frames_in_flight;
    struct fovea_gaze gaze;
    double elapsed_s; /* since the frame before; 0: it does not follow on one */
};

bool lightfield_record(struct lightfield *lightfield, const struct lightfield_frame *frame);

#define LIGHTFIELD_WORDS_BYTES 96
/* `before`, and "patch size 9.00 px in focus", of a frame some frames ago. */
void lightfield_words(const struct lightfield *lightfield, const char *before,
                      char out[LIGHTFIELD_WORDS_BYTES]);
