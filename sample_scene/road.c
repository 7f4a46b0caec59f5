/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "road.h"

#include <stdlib.h>

#define SAMPLES 768

struct road {
    struct vec3 points[SAMPLES + 1];
    float along_m[SAMPLES + 1];
};

static struct vec3 ring_point(struct random random, float turn)
{
    float a = random_range(&random, 0.0f, 2.0f * SCENE_PI);
    float b = random_range(&random, 0.0f, 2.0f * SCENE_PI);
    float c = random_range(&random, 0.0f, 2.0f * SCENE_PI);
    float angle = turn * 2.0f * SCENE_PI;
    float radius = 92.0f + 15.0f * sinf(2.0f * angle + a) + 8.0f * sinf(3.0f * angle + b);
    float height = 1.6f * sinf(angle + c) + 0.9f * sinf(2.0f * angle + b);
    return vec3(radius * cosf(angle), height, -radius * sinf(angle));
}

struct road *road_create(uint64_t seed)
{
    struct road *road = calloc(1, sizeof *road);
    if (!road) {
        return NULL;
    }
    struct random random = random_make(seed, 11);
    for (int i = 0; i <= SAMPLES; i++) {
        road->points[i] = ring_point(random, (float)(i % SAMPLES) / SAMPLES);
        if (i > 0) {
            float step = vec3_length(vec3_sub(road->points[i], road->points[i - 1]));
            road->along_m[i] = road->along_m[i - 1] + step;
        }
    }
    return road;
}

void road_destroy(struct road **road)
{
    free(*road);
    *road = NULL;
}

float road_length_m(const struct road *road)
{
    return road->along_m[SAMPLES];
}

static int segment_of(const struct road *road, float along_m)
{
    int low = 0;
    int high = SAMPLES;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(road->along_m[middle] <= along_m ? &low : &high) = middle;
    }
    return low;
}

/* Catmull and Rom's spline through four points, and its derivative. */
static struct vec3 spline(const struct vec3 p[4], const float weights[4])
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        sum = vec3_madd(sum, p[i], weights[i]);
    }
    return sum;
}

struct road_point road_at(const struct road *road, float along_m)
{
    float length = road_length_m(road);
    along_m -= floorf(along_m / length) * length;
    int i = segment_of(road, along_m);
    float t = (along_m - road->along_m[i]) / (road->along_m[i + 1] - road->along_m[i]);
    struct vec3 p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = road->points[(i + k - 1 + SAMPLES) % SAMPLES];
    }
    float t2 = t * t;
    float t3 = t2 * t;
    const float w[4] = {-0.5f * t3 + t2 - 0.5f * t, 1.5f * t3 - 2.5f * t2 + 1.0f,
                        -1.5f * t3 + 2.0f * t2 + 0.5f * t, 0.5f * t3 - 0.5f * t2};
    const float d[4] = {-1.5f * t2 + 2.0f * t - 0.5f, 4.5f * t2 - 5.0f * t,
                        -4.5f * t2 + 4.0f * t + 0.5f, 1.5f * t2 - t};
    struct road_point point = {.position = spline(p, w), .along = vec3_normalize(spline(p, d))};
    point.left = vec3_normalize(vec3_cross(vec3(0, 1, 0), point.along));
    return point;
}

struct road_near road_find(const struct road *road, float x, float z)
{
    int best = 0;
    float best_sq = 1e30f;
    for (int i = 0; i < SAMPLES; i += 4) {
        float dx = road->points[i].x - x;
        float dz = road->points[i].z - z;
        if (dx * dx + dz * dz < best_sq) {
            best_sq = dx * dx + dz * dz;
            best = i;
        }
    }
    struct road_near near = {.distance_m = 1e30f};
    for (int k = -4; k < 4; k++) {
        int i = (best + k + SAMPLES) % SAMPLES;
        struct vec3 a = road->points[i];
        struct vec3 step = vec3_sub(road->points[i + 1], a);
        float t = ((x - a.x) * step.x + (z - a.z) * step.z) / (step.x * step.x + step.z * step.z);
        struct vec3 p = vec3_madd(a, step, clamp_f(t, 0.0f, 1.0f));
        float distance = sqrtf((p.x - x) * (p.x - x) + (p.z - z) * (p.z - z));
        if (distance < near.distance_m) {
            near =
                (struct road_near){mix_f(road->along_m[i], road->along_m[i + 1], t), distance, p.y};
        }
    }
    return near;
}

/* Two villages on the ring, the first one where the camera starts. */
float road_village(const struct road *road, float along_m)
{
    float turn = along_m / road_length_m(road);
    turn -= floorf(turn);
    float first = smoothstep_f(0.30f, 0.26f, turn) + smoothstep_f(0.955f, 0.965f, turn);
    float second = smoothstep_f(0.50f, 0.53f, turn) * smoothstep_f(0.80f, 0.77f, turn);
    return clamp_f(first + second, 0.0f, 1.0f);
}

/* ---- The surface: carriageway, kerbs, pavements, and a bank into the ground ---- */

struct lane {
    float from_m; /* from the middle, to the left */
    float from_up_m;
    float to_m;
    float to_up_m;
    enum layer layer;
    float repeat_m;
    float open;
};

#define KERB_EDGE_M (ROAD_HALF_WIDTH_M + ROAD_PAVEMENT_M)

static const struct lane lanes[] = {
    {-ROAD_HALF_WIDTH_M, 0.0f, 0.0f, 0.05f, LAYER_COBBLE, 3.0f, 1.0f},
    {0.0f, 0.05f, ROAD_HALF_WIDTH_M, 0.0f, LAYER_COBBLE, 3.0f, 1.0f},
    {ROAD_HALF_WIDTH_M, 0.0f, ROAD_HALF_WIDTH_M, ROAD_KERB_M, LAYER_STONE, 2.0f, 0.8f},
    {-ROAD_HALF_WIDTH_M, ROAD_KERB_M, -ROAD_HALF_WIDTH_M, 0.0f, LAYER_STONE, 2.0f, 0.8f},
    {ROAD_HALF_WIDTH_M, ROAD_KERB_M, KERB_EDGE_M, ROAD_KERB_M, LAYER_PAVEMENT, 2.3f, 1.0f},
    {-KERB_EDGE_M, ROAD_KERB_M, -ROAD_HALF_WIDTH_M, ROAD_KERB_M, LAYER_PAVEMENT, 2.3f, 1.0f},
    {KERB_EDGE_M, ROAD_KERB_M, KERB_EDGE_M + 0.9f, -0.35f, LAYER_GRAVEL, 2.0f, 0.9f},
    {-KERB_EDGE_M - 0.9f, -0.35f, -KERB_EDGE_M, ROAD_KERB_M, LAYER_GRAVEL, 2.0f, 0.9f},
};

static struct vec3 lane_point(const struct road_point *at, float off_m, float up_m)
{
    struct vec3 p = vec3_madd(at->position, at->left, off_m);
    p.y += up_m;
    return p;
}

static void build_lane(struct mesh *mesh, const struct lane *lane, const struct road_point *a,
                       const struct road_point *b, const float along_m[2])
{
    struct surface paving = surface(lane->layer, vec3(1, 1, 1), lane->repeat_m);
    paving.open = lane->open;
    paving.mirror = lane->layer == LAYER_COBBLE ? 1.0f : 0.0f;
    /* Looking along the road, left is +: bottom left corner is the far left one of the near
     * edge. */
    const struct vec3 corners[4] = {
        lane_point(a, lane->to_m, lane->to_up_m), lane_point(a, lane->from_m, lane->from_up_m),
        lane_point(b, lane->from_m, lane->from_up_m), lane_point(b, lane->to_m, lane->to_up_m)};
    float across = hypotf(lane->to_m - lane->from_m, lane->to_up_m - lane->from_up_m);
    const float uv[4] = {0.0f, along_m[1] / lane->repeat_m, across / lane->repeat_m,
                         along_m[0] / lane->repeat_m};
    mesh_quad(mesh, corners, uv, &paving);
}

void road_build(struct world *world)
{
    const int steps = 384;
    float length = road_length_m(world->road);
    /* A whole number of repeats around the ring, so that the pattern has no seam. */
    float stretch = roundf(length / 6.9f) * 6.9f / length;
    uint32_t first_index = world->mesh.index_count;
    for (int i = 0; i < steps; i++) {
        const float along_m[2] = {length * (float)i / (float)steps,
                                  length * (float)(i + 1) / (float)steps};
        struct road_point a = road_at(world->road, along_m[0]);
        struct road_point b = road_at(world->road, along_m[1]);
        const float pattern_m[2] = {along_m[0] * stretch, along_m[1] * stretch};
        for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++) {
            build_lane(&world->mesh, &lanes[k], &a, &b, pattern_m);
        }
        if (i % 16 == 15) {
            world_add_part(world, MATERIAL_OPAQUE, first_index, false);
            first_index = world->mesh.index_count;
        }
    }
}
