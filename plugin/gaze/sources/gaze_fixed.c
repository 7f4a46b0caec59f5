/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The simplest source and the template of the others: one point for ever. */
#include "plugin/gaze/gaze_source.h"

#include <stdio.h>

static void fixed_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                          struct gaze_observation *out)
{
    (void)aspect;
    out->any = true;
    out->x = source->settings.fixed.x_uv;
    out->y = source->settings.fixed.y_uv;
    out->valid_t_ns = t_ns;
}

static void fixed_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "fixed at %g, %g", settings->fixed.x_uv, settings->fixed.y_uv);
}

const struct gaze_source_api gaze_fixed = {
    .name = "fixed",
    .bytes = sizeof(struct fovea_gaze_source),
    .describe = fixed_describe,
    .observe = fixed_observe,
};
