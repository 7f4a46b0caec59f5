/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of an OpenXR runtime, which is a direction in a program's space: the OpenXR layer asks
 * the runtime itself (plugin/openxr/openxr_gaze.c). Elsewhere there is no runtime, and none opens.
 */
#include "plugin/gaze/gaze_source.h"

#include "core/log.h"

static enum fovea_result openxr_init(struct fovea_gaze_source *source)
{
    log_error(source->log, "gaze.source is openxr, which only the OpenXR layer has, in programs "
                           "for headsets: choose another one here");
    return FOVEA_ERROR_UNSUPPORTED;
}

static void openxr_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                           struct gaze_observation *out)
{
    (void)source;
    (void)t_ns;
    (void)aspect;
    (void)out;
}

const struct gaze_source_api gaze_openxr = {
    .name = "openxr",
    .bytes = sizeof(struct fovea_gaze_source),
    .init = openxr_init,
    .observe = openxr_observe,
};
