/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The program pushes the gaze: the pointer, or a tracker that the program reads itself. */
#include "plugin/gaze/gaze_intake.h"

#include <stdio.h>

struct mouse {
    struct fovea_gaze_source base;
    struct gaze_intake intake;
};

static enum fovea_result mouse_init(struct fovea_gaze_source *source)
{
    gaze_intake_init(&((struct mouse *)source)->intake);
    return FOVEA_OK;
}

static void mouse_finish(struct fovea_gaze_source *source)
{
    gaze_intake_finish(&((struct mouse *)source)->intake);
}

static enum fovea_result mouse_push(struct fovea_gaze_source *source,
                                    const struct fovea_gaze_sample *sample)
{
    return gaze_source_add(source, sample) ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}

static struct gaze_intake *mouse_intake(struct fovea_gaze_source *source)
{
    return &((struct mouse *)source)->intake;
}

static void mouse_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                          struct gaze_observation *out)
{
    (void)aspect;
    gaze_intake_observe(&((struct mouse *)source)->intake, t_ns, out);
}

static void mouse_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    (void)settings;
    snprintf(out, bytes, "the pointer");
}

const struct gaze_source_api gaze_mouse = {
    .name = "mouse",
    .bytes = sizeof(struct mouse),
    .describe = mouse_describe,
    .init = mouse_init,
    .finish = mouse_finish,
    .push = mouse_push,
    .intake = mouse_intake,
    .observe = mouse_observe,
};
