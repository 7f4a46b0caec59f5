/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A camera's lens by its coefficients, whatever file they come from. The shown picture is what a
 * camera without distortion would have taken, with the same focal lengths and centre. */
#ifndef FOVEA_KERNELS_LENS_READ_CAMERA_H
#define FOVEA_KERNELS_LENS_READ_CAMERA_H

#include "read.h"

#define LENS_CAMERA_TERMS 14

struct lens_camera {
    double size_px[2];
    double focal_px[2];
    double center_px[2]; /* from the picture's corner */
    bool fisheye;
    /* k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 and two angles of a tilted sensor, which must be 0; of a
     * fisheye k1 k2 k3 k4 */
    double terms[LENS_CAMERA_TERMS];
};

/* Makes the map of it, or says what is wrong. */
bool lens_camera_finish(struct json_scan *scan, const struct lens_camera *camera,
                        struct lens_map *map);

#endif
