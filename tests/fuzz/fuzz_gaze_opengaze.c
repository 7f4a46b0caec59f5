/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a line of an Open Gaze server: what is understood is usable. */
#include "plugin/gaze/sources/gaze_opengaze_line.h"
#include "require.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int point = FOVEA_OPENGAZE_BEST; point <= FOVEA_OPENGAZE_RIGHT; point++) {
        struct gaze_opengaze_record out;
        if (!gaze_opengaze_parse((const char *)data, size, (enum fovea_opengaze_point)point,
                                 &out)) {
            REQUIRE(!out.has_gaze || (isfinite(out.x) && isfinite(out.y)));
            REQUIRE(!out.has_time || isfinite(out.time_s));
            for (int i = 0; i < 2; i++) {
                REQUIRE(!out.has_eyes || (isfinite(out.eyes_x[i]) && isfinite(out.eyes_y[i])));
            }
        }
    }
    return 0;
}
