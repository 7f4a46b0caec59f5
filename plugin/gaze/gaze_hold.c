/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_hold.h"

#include "gaze_state.h"

#include <math.h>

static const struct fovea_point_uv CENTER = {.x_uv = 0.5, .y_uv = 0.5};

static int64_t ms_to_ns(double ms)
{
    return llround(ms * (double)GAZE_NS_PER_MS);
}

static double smoothstep(double x)
{
    return x * x * (3.0 - 2.0 * x);
}

/* The last moment of holding. Where hold_ms is shorter than it takes to notice silence, the way
 * back starts when it is noticed, not with a jump into its middle. */
static int64_t hold_end_ns(const struct fovea_gaze_settings *settings,
                           const struct gaze_observation *seen)
{
    const int64_t held = gaze_time_add(seen->valid_t_ns, ms_to_ns(settings->hold_ms));
    return held > seen->missing_since_ns ? held : seen->missing_since_ns;
}

static struct fovea_point_uv on_the_way_to_center(const struct fovea_gaze_settings *settings,
                                                  struct fovea_point_uv last, int64_t lost_for_ns)
{
    const int64_t return_ns = ms_to_ns(settings->return_ms);
    if (lost_for_ns >= return_ns) {
        return CENTER;
    }
    const double part = smoothstep((double)lost_for_ns / (double)return_ns);
    return (struct fovea_point_uv){
        .x_uv = last.x_uv + (CENTER.x_uv - last.x_uv) * part,
        .y_uv = last.y_uv + (CENTER.y_uv - last.y_uv) * part,
    };
}

static struct fovea_point_uv fallback_point(const struct fovea_gaze_settings *settings,
                                            struct fovea_point_uv last, int64_t lost_for_ns)
{
    switch (settings->fallback) {
    case FOVEA_GAZE_FALLBACK_CENTER:
    case FOVEA_GAZE_FALLBACK_SALIENCY: /* a source that sees no picture; others go their own way */
        return on_the_way_to_center(settings, last, lost_for_ns);
    case FOVEA_GAZE_FALLBACK_LAST:
        return last;
    case FOVEA_GAZE_FALLBACK_NONE:
        break;
    }
    return CENTER;
}

/* Told apart where the settings say what a saccade is. */
static enum fovea_gaze_state state_of(const struct gaze_observation *seen, bool is_told)
{
    if (seen->missing) {
        return is_told && seen->closed ? FOVEA_GAZE_BLINK : FOVEA_GAZE_HELD;
    }
    switch (seen->movement) {
    case GAZE_FIXATION:
        return FOVEA_GAZE_FIXATION;
    case GAZE_SACCADE:
        return FOVEA_GAZE_SACCADE;
    default:
        return FOVEA_GAZE_TRACKED;
    }
}

struct fovea_gaze gaze_hold_apply(const struct fovea_gaze_settings *settings,
                                  const struct gaze_observation *seen, struct fovea_point_uv last,
                                  int64_t t_ns)
{
    struct fovea_gaze gaze = {
        .point = CENTER,
        .state = FOVEA_GAZE_LOST,
        .usable = settings->fallback != FOVEA_GAZE_FALLBACK_NONE,
        .rate_hz = seen->rate_hz,
        .sample_count = seen->sample_count,
        .rejected_count = seen->rejected_count,
    };
    if (!seen->any) {
        return gaze;
    }
    const int64_t age_ns = gaze_time_sub(t_ns, seen->valid_t_ns);
    gaze.age_ns = age_ns > 0 ? age_ns : 0;
    const int64_t lost_for_ns = gaze_time_sub(t_ns, hold_end_ns(settings, seen));
    if (seen->missing && lost_for_ns > 0) {
        gaze.point = fallback_point(settings, last, lost_for_ns);
        return gaze;
    }
    gaze.point = last;
    gaze.state = state_of(seen, settings->filter_velocity_deg_s > 0);
    gaze.usable = true;
    return gaze;
}
