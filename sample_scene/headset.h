/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A headset without a runtime: two eyes side by side in one picture, each with a place, a frustum
 * and a gaze of its own. With one eye it is the camera itself. */
#pragma once

#include "camera.h"
#include "fovea.h"

#define HEADSET_MOST_EYES 2

/* Tangents of the angles from the axis to the edges of the picture. */
struct frustum {
    float left, right, up, down;
};

struct eye {
    struct vec3 position;
    struct frustum frustum;
};

/* width_px and height_px: of one eye's picture. */
struct eye headset_eye(const struct camera *head, uint32_t eye, uint32_t eye_count,
                       uint32_t width_px, uint32_t height_px);

/* `gaze` is over one picture that both eyes share, as a source gives it: where this eye looks, in
 * its own picture, for both to meet a few metres away. */
struct fovea_gaze headset_gaze(struct fovea_gaze gaze, uint32_t eye, uint32_t eye_count,
                               uint32_t width_px, uint32_t height_px);

/* The other way round: where over the shared picture somebody looks who looks at x_uv of this eye's
 * picture. */
double headset_shared_x_uv(double x_uv, uint32_t eye, uint32_t eye_count, uint32_t width_px,
                           uint32_t height_px);

struct fovea_geometry headset_geometry(uint32_t eye, uint32_t width_px, uint32_t height_px);

/* Returns one eye's part of the width of a picture with both. */
uint32_t headset_eye_width_px(uint32_t width_px, uint32_t eye_count);
