/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An eye that nobody measures goes to places that are proposed to it: it dwells, and jumps along
 * the main sequence. A proposal counts by its strength, by how far it is from the middle and from
 * the gaze, and not at all near where the eye has been a short time ago. Everything follows from
 * the seed, the proposals and the times that are asked for. */
#pragma once

#include "config/settings.h"

#define GAZE_PROPOSALS_MAX 96
/* The most places that it leaves within the longest inhibition. */
#define GAZE_PATH_PLACES 160
#define GAZE_OTHERS (FOVEA_FOVEAS_MAX - 1)

struct gaze_proposal {
    float x_uv;
    float y_uv;
    float radius_uv; /* of the picture's width */
    float strength;
};

struct gaze_proposals {
    struct gaze_proposal of[GAZE_PROPOSALS_MAX];
    uint32_t count;
};

struct gaze_path_place {
    struct fovea_point_uv point;
    int64_t left_ns;
};

/* All zero: not begun. */
struct gaze_path {
    uint64_t random;
    bool begun;
    double height_deg; /* of the picture that was read for last */
    double aspect;

    int64_t start_ns; /* of the fixation */
    int64_t dwell_ns;
    int64_t saccade_ns; /* 0: its end is not chosen yet */
    struct fovea_point_uv from;
    struct fovea_point_uv to;
    /* Foveas beside the gaze of this fixation, and of the next where that is chosen. */
    struct fovea_point_uv others[GAZE_OTHERS];
    struct fovea_point_uv next_others[GAZE_OTHERS];
    uint32_t other_count;
    uint32_t next_other_count;

    struct gaze_path_place places[GAZE_PATH_PLACES]; /* a ring */
    uint64_t place_count; /* that were left since it began */
};

/* The gaze is at `point` from t_ns on, and has not been anywhere. */
void gaze_path_begin(struct gaze_path *path, const struct fovea_gaze_settings *settings,
                     struct fovea_point_uv point, int64_t t_ns);

/* Says where the gaze is at t_ns, within 0..1. aspect: of the picture, height over width. It begins
 * in the middle where it has not begun, and where it is where time goes back, or leaps. */
struct fovea_point_uv gaze_path_at(struct gaze_path *path,
                                   const struct fovea_gaze_settings *settings,
                                   const struct gaze_proposals *proposals, double aspect,
                                   int64_t t_ns);
