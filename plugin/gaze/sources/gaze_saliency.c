/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze without an eye: from blob to blob of the pictures that programs show it. The source has what
 * it takes as any does whose fallback this is (gaze_source.c). */
#include "plugin/gaze/gaze_source.h"
#include "plugin/gaze/gaze_wander.h"

#include <stdio.h>

static void saliency_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                             struct gaze_observation *out)
{
    const struct fovea_point_uv point = gaze_wander_at(source->wander, aspect, t_ns);
    out->any = true;
    out->x = point.x_uv;
    out->y = point.y_uv;
    out->valid_t_ns = t_ns;
    out->sample_count = gaze_watch_count(gaze_wander_watch(source->wander));
    out->rate_hz = gaze_watch_rate_hz(gaze_wander_watch(source->wander));
}

static void saliency_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "blobs of the picture, %g times a second, made up",
             settings->saliency_rate_hz);
}

const struct gaze_source_api gaze_saliency = {
    .name = "saliency",
    .bytes = sizeof(struct fovea_gaze_source),
    .describe = saliency_describe,
    .in_uv = true,
    .observe = saliency_observe,
};
