/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "camera.h"

#define SPEED_M_S 4.6
#define START_M 2.0
#define EYE_M 1.95f

struct camera camera_at(const struct road *road, double time_s)
{
    double ring_m = road_length_m(road);
    float along = (float)fmod(START_M + SPEED_M_S * time_s, ring_m);
    float t = (float)fmod(time_s, 1000.0);
    struct road_point here = road_at(road, along);
    struct road_point ahead = road_at(road, along + 13.0f);
    struct camera camera = {.vertical_rad = 0.92f};
    camera.eye = vec3_madd(here.position, here.left, 0.55f * sinf(0.55f * t) - 0.25f);
    camera.eye.y += EYE_M + 0.05f * sinf(2.2f * t);
    struct vec3 aim = vec3_madd(ahead.position, ahead.left, 0.9f * sinf(0.41f * t + 0.5f));
    aim.y += EYE_M + 0.75f + 0.35f * sinf(0.7f * t);
    camera.forward = vec3_normalize(vec3_sub(aim, camera.eye));
    return camera;
}
