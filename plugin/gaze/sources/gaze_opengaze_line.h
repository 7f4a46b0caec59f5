/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One line of an Open Gaze server: <REC TIME="8.1" BPOGX="0.47" BPOGY="0.43" BPOGV="1" />, which
 * may have the same of each eye (LPOGX, RPOGX), or an
 * answer to a request, which says nothing of the gaze. */
#pragma once

#include "config/settings.h"

struct gaze_opengaze_record {
    bool has_gaze; /* else the line is of something else */
    double x; /* over the screen from its left edge, 0..1 */
    double y; /* from its upper edge */
    bool valid;
    bool has_time;
    double time_s; /* on the server's clock */
    bool has_eyes; /* both are seen: where the left and the right one look, likewise */
    double eyes_x[2];
    double eyes_y[2];
};

/* NULL: understood. Else why not. */
const char *gaze_opengaze_parse(const char *line, size_t bytes, enum fovea_opengaze_point point,
                                struct gaze_opengaze_record *out);

/* The name of a point in a request: ENABLE_SEND_POG_<name>. */
const char *gaze_opengaze_name(enum fovea_opengaze_point point);
