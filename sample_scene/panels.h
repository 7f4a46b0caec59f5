/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* demo.png: what the engine drew, what Fovea made of it, how much it blurred where, and what that
 * took away, with a strip of words below. And the frames of the video. */
#pragma once

#include "fovea.h"
#include "picture.h"

#define PANELS_CAPTION_LINES 3

struct panels_marks {
    struct fovea_gaze gaze; /* with two eyes: over the picture that they share */
    uint32_t eyes; /* side by side */
    const struct fovea_settings *rings; /* NULL: no rings */
    const struct sign_font *font; /* NULL: no labels */
};

struct panels_desc {
    const struct picture *drawn;
    const struct picture *foveated;
    const float *depth; /* a value a pixel of `drawn`, as struct sigmas_view has them */
    struct panels_marks marks; /* without font */
    const struct fovea_settings *settings;
    bool passed_through; /* `foveated` is what was drawn */
    const char *caption[PANELS_CAPTION_LINES];
};

/* False with a message. */
bool panels_write(const struct panels_desc *desc, const char *path);

/* True if a lens is undone in what is shown: nothing is where it was drawn, and no mark fits. */
bool panels_warped(const struct fovea_settings *settings);

/* A cross and circles of 2, 5, 10 and 20 degrees, for each eye. */
bool panels_mark(const struct pane *pane, const struct panels_marks *marks);
