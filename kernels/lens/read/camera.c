/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* With (x, y) the tangents of a direction, r their length and q = r^2, the source of a pixel lies
 * where the lens has put that direction:
 *
 *     x (1 + k1 q + k2 q^2 + k3 q^3) / (1 + k4 q + k5 q^2 + k6 q^3) + 2 p1 x y + p2 (q + 2 x^2) +
 *         s1 q + s2 q^2,   y likewise with p1 and p2 exchanged, s3 and s4
 *
 *     x a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8) / r,   a = atan r, of a fisheye */
#include "camera.h"

#include <math.h>

#define MOST_PX 65536.0
#define MOST_OFF 2.0 /* pictures that the centre may be off the middle, as the settings' shift */

static void bend(const double *t, const double at[2], double out[2])
{
    const double q = at[0] * at[0] + at[1] * at[1];
    const double factor =
        (1.0 + q * (t[0] + q * (t[1] + q * t[4]))) / (1.0 + q * (t[5] + q * (t[6] + q * t[7])));
    const double across = 2.0 * at[0] * at[1];
    out[0] =
        at[0] * factor + t[2] * across + t[3] * (q + 2.0 * at[0] * at[0]) + q * (t[8] + q * t[9]);
    out[1] =
        at[1] * factor + t[3] * across + t[2] * (q + 2.0 * at[1] * at[1]) + q * (t[10] + q * t[11]);
}

static void bend_fisheye(const double *t, const double at[2], double out[2])
{
    const double r = hypot(at[0], at[1]);
    const double angle = atan(r);
    const double q = angle * angle;
    const double distorted = angle * (1.0 + q * (t[0] + q * (t[1] + q * (t[2] + q * t[3]))));
    const double factor = r > 0.0 ? distorted / r : 1.0;
    out[0] = at[0] * factor;
    out[1] = at[1] * factor;
}

static void place_of(const void *user, int color, const double uv[2], double out_uv[2])
{
    const struct lens_camera *camera = user;
    double at[2];
    double to[2];
    (void)color;
    for (int i = 0; i < 2; i++) {
        at[i] = (uv[i] * camera->size_px[i] - camera->center_px[i]) / camera->focal_px[i];
    }
    (camera->fisheye ? bend_fisheye : bend)(camera->terms, at, to);
    for (int i = 0; i < 2; i++) {
        out_uv[i] = (camera->center_px[i] + to[i] * camera->focal_px[i]) / camera->size_px[i];
    }
}

static bool is_right(struct json_scan *scan, const struct lens_camera *camera)
{
    for (int i = 0; i < 2; i++) {
        if (!(camera->size_px[i] >= 1.0 && camera->size_px[i] <= MOST_PX)) {
            return json_fail(scan, "the picture's width and height are 1 to %g px", MOST_PX);
        }
        if (!(camera->focal_px[i] > 0.0)) {
            return json_fail(scan, "the focal lengths must be above 0 px");
        }
        if (!(fabs(camera->center_px[i] / camera->size_px[i] - 0.5) <= MOST_OFF)) {
            return json_fail(scan, "the centre is more than %g pictures off the middle", MOST_OFF);
        }
    }
    return camera->fisheye || (camera->terms[12] == 0.0 && camera->terms[13] == 0.0) ||
           json_fail(scan, "a tilted sensor is not read: make a grid of the map");
}

bool lens_camera_finish(struct json_scan *scan, const struct lens_camera *camera,
                        struct lens_map *map)
{
    return is_right(scan, camera) && lens_read_formula(scan, place_of, camera, 1, &map->points);
}
