/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ring road that the camera follows and everything is placed along. */
#pragma once

#include "world.h"

#define ROAD_HALF_WIDTH_M 3.1f
#define ROAD_PAVEMENT_M 2.3f
#define ROAD_KERB_M 0.12f

/* A place on the road and its directions there; left is to the inside of the ring. */
struct road_point {
    struct vec3 position;
    struct vec3 along;
    struct vec3 left;
};

/* A place off the road: the nearest one on it, and how far. */
struct road_near {
    float along_m;
    float distance_m;
    float height_m;
};

struct road *road_create(uint64_t seed);
void road_destroy(struct road **road);
float road_length_m(const struct road *road);
/* along_m wraps around. */
struct road_point road_at(const struct road *road, float along_m);
struct road_near road_find(const struct road *road, float x, float z);
/* 1 in the village, 0 in the open country. */
float road_village(const struct road *road, float along_m);
void road_build(struct world *world);
