/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A light field that is refocused where somebody looks, and then foveated, frame by frame. */
#pragma once

#include "fovea_gaze.h"
#include "fovea_lightfield.h"

#include "picture.h"

#define GAZE_FRAMES 96
#define GAZE_HZ 24

struct gaze_wishes {
    struct fovea_lightfield *field;
    const struct fovea_lightfield_raw *raw;
    const struct fovea_lightfield_geometry *geometry;
    int width_px, height_px; /* of pictures */
    double far_px, near_px; /* patch sizes that are looked for */
    const char *output;
    const char *config; /* a settings file; NULL: what Fovea finds */
    const char *const *sets; /* settings */
    size_t set_count;
    uint32_t frames; /* 0: GAZE_FRAMES, or a window until it is closed */
    /* a source that looks at pictures sees this, RGBA8 of that size; NULL: the first frame */
    const struct picture *shown;
};

struct gaze_chain {
    const struct gaze_wishes *wishes;
    struct fovea_config *config;
    struct fovea_settings *settings;
    struct fovea_gaze_source *source;
    struct fovea_context *context;
    struct picture refocused, foveated;
    bool is_mouse; /* whose the gaze is */
    int64_t last_ns; /* of the frame before; -1: there is none */
    struct fovea_gaze gaze; /* of the last frame */
    struct fovea_lightfield_foveation foveation; /* rings of the settings */
    float focus_px; /* the patch size that was in focus in it */
};

/* Whether its settings can be read; said where not. Reads config, sets and set_count alone. */
bool gaze_wishes_are_fine(const struct gaze_wishes *wishes);
/* usual: the source where nobody names one. False with a message. */
bool gaze_chain_open(struct gaze_chain *chain, const struct gaze_wishes *wishes, const char *usual);
/* The frame of a time, which goes on: chain->foveated, with a ring at the gaze, but for the
 * mouse's, whose pointer is there. */
bool gaze_chain_frame(struct gaze_chain *chain, int64_t t_ns);
void gaze_chain_close(struct gaze_chain *chain);

/* gaze-*.png, GAZE_HZ a second: blobs of the picture are looked at one after the other, where no
 * setting says otherwise. */
bool gaze_write(const struct gaze_wishes *wishes);
/* Until it is closed: the mouse is the gaze, where no setting says otherwise. */
bool gaze_window(const struct gaze_wishes *wishes);
