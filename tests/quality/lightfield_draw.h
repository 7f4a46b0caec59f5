/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pictures of the paper's array, drawn. */
#pragma once

#include "fovea_lightfield.h"

struct draw_wishes {
    /* A photograph, and how near its pixels are (white is near); NULL: a wall and two discs */
    const char *photo_path, *photo_depth_path;
    double far_px, near_px; /* its patch sizes, black and white */
};

/* False with a message; raw_free frees what it has made. */
bool lightfield_draw(const struct draw_wishes *wishes, struct fovea_lightfield_geometry *out_array,
                     struct fovea_lightfield_raw *out_raw);
