/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "headset.h"

#define PUPILS_APART_M 0.063f
#define FIXATION_M 4.0 /* the distance at which both eyes meet */
/* The first headsets with lenses had 50 degrees towards the temple, 42 towards the nose. */
#define TEMPLE_TAN 1.19f
#define NOSE_TAN 0.90f

uint32_t headset_eye_width_px(uint32_t width_px, uint32_t eye_count)
{
    return width_px / eye_count;
}

/* Pixels are square: the height follows. */
static struct frustum frustum_of(uint32_t eye, uint32_t width_px, uint32_t height_px)
{
    const float half = 0.5f * (TEMPLE_TAN + NOSE_TAN) * (float)height_px / (float)width_px;
    return (struct frustum){.left = eye == 0 ? TEMPLE_TAN : NOSE_TAN,
                            .right = eye == 0 ? NOSE_TAN : TEMPLE_TAN,
                            .up = half,
                            .down = half};
}

static struct frustum frustum_of_camera(const struct camera *camera, uint32_t width_px,
                                        uint32_t height_px)
{
    const float half = tanf(camera->vertical_rad * 0.5f);
    const float aside = half * ((float)width_px / (float)height_px);
    return (struct frustum){aside, aside, half, half};
}

/* Metres to the right of the middle between the eyes. */
static float place_m(uint32_t eye)
{
    return eye == 0 ? -0.5f * PUPILS_APART_M : 0.5f * PUPILS_APART_M;
}

struct eye headset_eye(const struct camera *head, uint32_t eye, uint32_t eye_count,
                       uint32_t width_px, uint32_t height_px)
{
    if (eye_count == 1) {
        return (struct eye){head->eye, frustum_of_camera(head, width_px, height_px)};
    }
    const struct vec3 right = vec3_normalize(vec3_cross(head->forward, vec3(0, 1, 0)));
    return (struct eye){vec3_madd(head->eye, right, place_m(eye)),
                        frustum_of(eye, width_px, height_px)};
}

/* The shared picture is as wide as one eye's, and lies in the middle between them. */
static double across(const struct frustum *f)
{
    return 0.5 * (double)(f->left + f->right);
}

struct fovea_gaze headset_gaze(struct fovea_gaze gaze, uint32_t eye, uint32_t eye_count,
                               uint32_t width_px, uint32_t height_px)
{
    if (eye_count > 1) {
        const struct frustum f = frustum_of(eye, width_px, height_px);
        const double tan_x =
            (2.0 * gaze.point.x_uv - 1.0) * across(&f) - (double)place_m(eye) / FIXATION_M;
        gaze.point.x_uv = (tan_x + (double)f.left) / (2.0 * across(&f));
    }
    return gaze;
}

double headset_shared_x_uv(double x_uv, uint32_t eye, uint32_t eye_count, uint32_t width_px,
                           uint32_t height_px)
{
    if (eye_count == 1) {
        return x_uv;
    }
    const struct frustum f = frustum_of(eye, width_px, height_px);
    const double tan_x =
        x_uv * 2.0 * across(&f) - (double)f.left + (double)place_m(eye) / FIXATION_M;
    return 0.5 * (tan_x / across(&f) + 1.0);
}

struct fovea_geometry headset_geometry(uint32_t eye, uint32_t width_px, uint32_t height_px)
{
    const struct frustum f = frustum_of(eye, width_px, height_px);
    return (struct fovea_geometry){.tan_left = (double)f.left,
                                   .tan_right = (double)f.right,
                                   .tan_up = (double)f.up,
                                   .tan_down = (double)f.down};
}
