/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Hills around the road: a fine grid near it, cut into squares that are culled one by one, and a
 * coarse grid out to the horizon. */
#include "road.h"
#include "world.h"

#define NEAR_HALF_M 192
#define NEAR_CELL_M 2
#define CHUNK_CELLS 16
#define FAR_HALF_M 1152
#define FAR_CELL_M 16

static float rolling(const struct world *world, float x, float z)
{
    uint32_t seed = (uint32_t)world->seed + 900u;
    float u = x / 2400.0f + 0.5f;
    float v = z / 2400.0f + 0.5f;
    float from_middle = sqrtf(x * x + z * z);
    float swell = noise_fbm(seed, u, v, 24, 4) - 0.45f;
    float ridge = 1.0f - fabsf(2.0f * noise_fbm(seed + 20, u, v, 9, 5) - 1.0f);
    float hills = smoothstep_f(120.0f, 420.0f, from_middle);
    float mountains = smoothstep_f(330.0f, 1000.0f, from_middle);
    return 9.0f * swell + hills * 34.0f * ridge * ridge +
           mountains * 190.0f * ridge * ridge * ridge;
}

float terrain_height_m(const struct world *world, float x, float z)
{
    float natural = rolling(world, x, z);
    if (x * x + z * z > 200.0f * 200.0f) {
        return natural;
    }
    struct road_near road = road_find(world->road, x, z);
    float flat = road.height_m - 0.22f * smoothstep_f(8.0f, 4.5f, road.distance_m);
    return mix_f(flat, natural, smoothstep_f(21.0f, 60.0f, road.distance_m));
}

/* The fine grid meets the coarse one on the coarse one's straight edges. */
static float height_on_grid(const struct world *world, float x, float z)
{
    const float edge = NEAR_HALF_M;
    const float cell = FAR_CELL_M;
    if (fabsf(x) < edge && fabsf(z) < edge) {
        return terrain_height_m(world, x, z);
    }
    float along = fabsf(x) >= edge ? z : x;
    float low = floorf(along / cell) * cell;
    float t = (along - low) / cell;
    bool on_x = fabsf(x) >= edge;
    float a = on_x ? terrain_height_m(world, x, low) : terrain_height_m(world, low, z);
    float b =
        on_x ? terrain_height_m(world, x, low + cell) : terrain_height_m(world, low + cell, z);
    return mix_f(a, b, t);
}

/* Farmland: strips of pasture, corn, rape and ploughed earth in irregular cells. */
static struct vec3 field_tint(const struct world *world, float x, float z)
{
    struct noise_cell cell =
        noise_cells((uint32_t)world->seed + 77u, x / 2400.0f + 0.5f, z / 2400.0f + 0.5f, 26, 0.8f);
    static const struct vec3 tints[] = {{0.75f, 1.0f, 0.75f}, {1.0f, 0.95f, 0.55f},
                                        {0.6f, 0.85f, 0.6f},  {1.0f, 0.85f, 0.70f},
                                        {0.85f, 1.0f, 0.60f}, {0.7f, 0.8f, 0.5f}};
    struct vec3 tint = tints[(int)(cell.id * 5.999f)];
    float hedge = smoothstep_f(0.03f, 0.07f, cell.border);
    return vec3_scale(tint, 0.35f + 0.65f * hedge);
}

struct ground {
    struct vec3 tint;
    enum layer layer;
    enum layer second;
    float second_share;
};

static struct ground ground_at(const struct world *world, float x, float z, float y, float slope)
{
    struct ground ground = {vec3(1, 1, 1), LAYER_GRASS, LAYER_GRAVEL, 0.0f};
    float from_middle = sqrtf(x * x + z * z);
    float wild =
        noise_fbm((uint32_t)world->seed + 60u, x / 600.0f + 0.5f, z / 600.0f + 0.5f, 30, 3);
    if (from_middle < 200.0f) {
        float distance = road_find(world->road, x, z).distance_m;
        ground.second = distance > 12.0f ? LAYER_MEADOW : LAYER_GRAVEL;
        ground.second_share = distance > 12.0f ? smoothstep_f(0.42f, 0.58f, wild)
                                               : smoothstep_f(9.5f, 6.5f, distance);
    }
    float field = smoothstep_f(90.0f, 160.0f, from_middle);
    struct vec3 tint = field_tint(world, x, z);
    ground.tint = vec3_add(vec3_scale(vec3(1, 1, 1), 1.0f - field), vec3_scale(tint, field));
    float bare = fmaxf(smoothstep_f(0.55f, 0.85f, slope), smoothstep_f(70.0f, 120.0f, y) * 0.9f);
    if (bare > 0.0f && from_middle > 150.0f) {
        ground.second = LAYER_ROCK;
        ground.second_share = bare;
        ground.tint =
            vec3_add(vec3_scale(tint, 1.0f - bare), vec3_scale(vec3(0.8f, 0.8f, 0.8f), bare));
    }
    return ground;
}

static void add_point(struct world *world, float x, float z, float cell_m)
{
    float y = height_on_grid(world, x, z);
    float dx = terrain_height_m(world, x + cell_m, z) - terrain_height_m(world, x - cell_m, z);
    float dz = terrain_height_m(world, x, z + cell_m) - terrain_height_m(world, x, z - cell_m);
    struct vec3 normal = vec3_normalize(vec3(-dx, 2.0f * cell_m, -dz));
    struct ground ground = ground_at(world, x, z, y, sqrtf(dx * dx + dz * dz) / (2.0f * cell_m));
    struct surface turf = surface(ground.layer, ground.tint, 1.0f);
    struct vertex vertex = mesh_vertex(vec3(x, y, z), normal, x / 4.0f, z / 4.0f, &turf);
    vertex.layers[1] = (uint8_t)ground.second;
    vertex.layers[2] = (uint8_t)(ground.second_share * 255.0f);
    mesh_add_vertex(&world->mesh, &vertex);
}

/* A square of cells by cells from its corner; cells inside `hole_m` of the middle are left out. */
static void add_square(struct world *world, const float corner[2], int cells, float cell_m,
                       float hole_m)
{
    uint32_t first_vertex = world->mesh.vertex_count;
    uint32_t first_index = world->mesh.index_count;
    uint32_t row = (uint32_t)cells + 1;
    for (int j = 0; j <= cells; j++) {
        for (int i = 0; i <= cells; i++) {
            add_point(world, corner[0] + (float)i * cell_m, corner[1] + (float)j * cell_m, cell_m);
        }
    }
    for (uint32_t j = 0; j < (uint32_t)cells; j++) {
        for (uint32_t i = 0; i < (uint32_t)cells; i++) {
            float x = corner[0] + ((float)i + 0.5f) * cell_m;
            float z = corner[1] + ((float)j + 0.5f) * cell_m;
            if (fabsf(x) < hole_m && fabsf(z) < hole_m) {
                continue;
            }
            uint32_t a = first_vertex + j * row + i;
            mesh_add_triangle(&world->mesh, a, a + row, a + row + 1);
            mesh_add_triangle(&world->mesh, a, a + row + 1, a + 1);
        }
    }
    if (world->mesh.index_count > first_index) {
        world_add_part(world, MATERIAL_GROUND, first_index, false);
    }
}

void terrain_build(struct world *world)
{
    const int near_step = NEAR_CELL_M * CHUNK_CELLS;
    for (int z = -NEAR_HALF_M; z < NEAR_HALF_M; z += near_step) {
        for (int x = -NEAR_HALF_M; x < NEAR_HALF_M; x += near_step) {
            add_square(world, (const float[2]){(float)x, (float)z}, CHUNK_CELLS, NEAR_CELL_M, 0.0f);
        }
    }
    const int far_step = FAR_CELL_M * CHUNK_CELLS;
    for (int z = -FAR_HALF_M; z < FAR_HALF_M; z += far_step) {
        for (int x = -FAR_HALF_M; x < FAR_HALF_M; x += far_step) {
            add_square(world, (const float[2]){(float)x, (float)z}, CHUNK_CELLS, FAR_CELL_M,
                       NEAR_HALF_M);
        }
    }
}
