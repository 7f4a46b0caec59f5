/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine as a whole: device, world, renderer, foveation. Images and frames are the caller's. */
#pragma once

#include "frames.h"
#include "settings.h"

struct engine {
    struct gpu gpu;
    struct world *world;
    struct renderer *renderer;
    struct lightfield *lightfield; /* NULL: the village is shown */
    struct foveation *foveation;
    struct targets targets;
    struct frames frames;
};

struct engine_desc {
    const struct options *options;
    const struct fovea_settings *settings;
    VkFormat format; /* of a window, whose instance and device are open then; UNDEFINED: of the
                        options, else the first that the device can draw in */
};

/* False with a message; engine_finish is to be called all the same. */
bool engine_init(struct engine *engine, const struct engine_desc *desc);
/* Sets settings for the frames after this; on failure the old ones stay. */
bool engine_set(struct engine *engine, const struct fovea_settings *settings);
/* Makes what frames of a size are drawn into; the GPU must be done with those before. */
bool engine_fit(struct engine *engine, const struct targets_desc *desc);
/* Waits for the GPU. */
void engine_finish(struct engine *engine);
