/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The raw picture of a light-field camera, four bytes a pixel: from a file, or drawn. */
#pragma once

#include "fovea_lightfield.h"

struct raw_picture {
    struct fovea_lightfield_geometry geometry;
    uint8_t *rgba; /* of the geometry's size */
    double far_px, near_px; /* patch sizes of what is in it */
};

/* PNG or JPEG; of 16 bits the brightest of a thousandth of the pixels is white. False with a
 * message. */
bool raw_picture_load(const char *path, const char *geometry_path, struct raw_picture *out);
/* A wall and two things before it, behind 64x36 lenses. */
bool raw_picture_draw(struct raw_picture *out);
/* Accepts a zeroed one. */
void raw_picture_finish(struct raw_picture *raw);
