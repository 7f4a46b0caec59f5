/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Things to read along the road, at many distances, and flags across the street. */
#include "road.h"
#include "signs.h"
#include "world.h"

void board_panel(struct mesh *mesh, const struct stand *stand, const float size_m[2], int sign)
{
    struct sign_place place = sign_place((enum sign)sign);
    struct surface paper = surface((enum layer)place.layer, vec3(1, 1, 1), 0.0f);
    paper.mirror = 1.0f;
    const struct vec3 corners[4] = {stand->origin, stand_point(stand, size_m[0], 0, 0),
                                    stand_point(stand, size_m[0], size_m[1], 0),
                                    stand_point(stand, 0, size_m[1], 0)};
    mesh_quad(mesh, corners, place.uv, &paper);
}

struct board {
    enum sign sign;
    float along_m;
    float left_m;
    float turn_rad; /* towards the road, from facing traffic */
    float size_m[2];
    float up_m;
};

static const struct board boards[] = {
    {SIGN_NOTICE, 11.5f, 4.3f, 0.35f, {1.5f, 1.5f}, 1.0f},
    {SIGN_EYE_CHART, 15.0f, -4.5f, 0.25f, {1.7f, 1.7f}, 0.95f},
    {SIGN_STREET, 20.0f, 3.7f, 0.0f, {1.6f, 0.4f}, 2.6f},
    {SIGN_TIMETABLE, 27.0f, 4.6f, 0.2f, {1.6f, 1.6f}, 1.0f},
    {SIGN_STATION, 33.0f, -3.7f, 0.0f, {2.0f, 0.5f}, 2.5f},
    {SIGN_TOWN, 46.0f, 3.9f, 0.1f, {2.4f, 0.6f}, 2.2f},
    {SIGN_EYE_CHART, 60.0f, -4.4f, 0.2f, {1.7f, 1.7f}, 0.95f},
    {SIGN_NOTICE, 84.0f, 4.4f, 0.3f, {1.5f, 1.5f}, 1.0f},
    {SIGN_TOWN, 190.0f, -7.0f, 0.1f, {2.8f, 0.7f}, 1.7f},
    {SIGN_STATION, 235.0f, -7.0f, 0.1f, {2.8f, 0.7f}, 1.7f},
    {SIGN_TOWN, 292.0f, -6.6f, 0.1f, {2.8f, 0.7f}, 1.7f},
    {SIGN_EYE_CHART, 330.0f, 4.4f, 0.3f, {1.7f, 1.7f}, 0.95f},
    {SIGN_TIMETABLE, 360.0f, -4.6f, 0.2f, {1.6f, 1.6f}, 1.0f},
};

static void build_board(struct world *world, const struct board *board)
{
    struct road_point at = road_at(world->road, board->along_m);
    float side = board->left_m > 0.0f ? 1.0f : -1.0f;
    struct vec3 facing = vec3_madd(vec3_scale(at.along, -cosf(board->turn_rad)), at.left,
                                   -side * sinf(board->turn_rad));
    struct stand stand = {.origin = vec3_madd(at.position, at.left, board->left_m),
                          .up = vec3(0, 1, 0),
                          .back = facing};
    stand.right = vec3_cross(stand.up, facing);
    stand.origin.y += ROAD_KERB_M;
    struct surface post = surface(LAYER_WOOD, vec3(0.45f, 0.36f, 0.3f), 0.6f);
    float half = 0.5f * board->size_m[0];
    for (int i = -1; i <= 1; i += 2) {
        struct vec3 foot = stand_point(&stand, (float)i * half * 0.8f, -1.0f, -0.06f);
        struct vec3 top =
            stand_point(&stand, (float)i * half * 0.8f, board->up_m + board->size_m[1], -0.06f);
        mesh_tube(&world->mesh, &(struct tube){foot, top, 0.05f, 0.05f, 6}, &post);
    }
    struct stand back = stand_move(&stand, -half - 0.05f, board->up_m - 0.05f, -0.045f);
    mesh_box(&world->mesh, &back,
             (const float[3]){2.0f * half + 0.1f, board->size_m[1] + 0.1f, 0.045f}, &post);
    struct stand paper = stand_move(&stand, -half, board->up_m, 0.006f);
    board_panel(&world->mesh, &paper, board->size_m, (int)board->sign);
}

/* Both sides of a pennant, so that it needs no pipeline of its own. */
static void add_pennant(struct mesh *mesh, const struct vec3 corners[3], struct vec3 tint)
{
    struct surface cloth = surface(LAYER_PLAIN, tint, 0.0f);
    struct vec3 normal = vec3_normalize(
        vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0])));
    for (int side = 0; side < 2; side++) {
        uint32_t index[3];
        for (int i = 0; i < 3; i++) {
            struct vertex vertex =
                mesh_vertex(corners[i], vec3_scale(normal, side ? -1.0f : 1.0f), 0, 0, &cloth);
            index[i] = mesh_add_vertex(mesh, &vertex);
        }
        mesh_add_triangle(mesh, index[0], index[side ? 2 : 1], index[side ? 1 : 2]);
    }
}

static struct vec3 line_point(const struct road_point *at, float t)
{
    struct vec3 p = vec3_madd(at->position, at->left, mix_f(5.9f, -5.9f, t));
    p.y += 6.6f - 1.1f * 4.0f * t * (1.0f - t);
    return p;
}

static void build_pennants(struct world *world, float along_m)
{
    static const struct vec3 tints[] = {{0.85f, 0.12f, 0.10f},
                                        {0.98f, 0.80f, 0.10f},
                                        {0.10f, 0.30f, 0.70f},
                                        {0.95f, 0.95f, 0.92f},
                                        {0.10f, 0.50f, 0.25f}};
    const int flags = 26;
    struct road_point at = road_at(world->road, along_m);
    struct surface cord = surface(LAYER_PLAIN, vec3(0.25f, 0.22f, 0.2f), 0.0f);
    for (int i = 0; i < flags; i++) {
        struct vec3 a = line_point(&at, (float)i / (float)flags);
        struct vec3 b = line_point(&at, (float)(i + 1) / (float)flags);
        mesh_tube(&world->mesh, &(struct tube){a, b, 0.012f, 0.012f, 3}, &cord);
        struct vec3 tip = vec3_madd(vec3_scale(vec3_add(a, b), 0.5f), vec3(0, 1, 0), -0.5f);
        tip = vec3_madd(tip, at.along, 0.14f * sinf(3.0f * (float)i + along_m));
        const struct vec3 corners[3] = {vec3_madd(a, at.left, -0.05f), tip,
                                        vec3_madd(b, at.left, 0.05f)};
        add_pennant(&world->mesh, corners, tints[i % 5]);
    }
}

void boards_build(struct world *world)
{
    uint32_t first = world->mesh.index_count;
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        build_board(world, &boards[i]);
        world_add_part(world, MATERIAL_OPAQUE, first, true);
        first = world->mesh.index_count;
    }
    for (float along = 31.0f; along < 0.25f * road_length_m(world->road); along += 23.0f) {
        build_pennants(world, along);
        world_add_part(world, MATERIAL_OPAQUE, first, true);
        first = world->mesh.index_count;
    }
}
