/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "mesh.h"

#include <assert.h>
#include <stdlib.h>

struct vec3 stand_point(const struct stand *stand, float right_m, float up_m, float back_m)
{
    struct vec3 p = vec3_madd(stand->origin, stand->right, right_m);
    return vec3_madd(vec3_madd(p, stand->up, up_m), stand->back, back_m);
}

struct stand stand_move(const struct stand *stand, float right_m, float up_m, float back_m)
{
    struct stand moved = *stand;
    moved.origin = stand_point(stand, right_m, up_m, back_m);
    return moved;
}

struct stand stand_turn(const struct stand *stand, int quarters)
{
    struct stand turned = *stand;
    for (int i = 0; i < quarters; i++) {
        struct vec3 right = turned.right;
        turned.right = vec3_scale(turned.back, -1.0f);
        turned.back = right;
    }
    return turned;
}

void mesh_finish(struct mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (struct mesh){0};
}

/* Room for one more element, or mesh->failed. */
static bool grow(struct mesh *mesh, void **items, uint32_t count, uint32_t *capacity, size_t bytes)
{
    if (mesh->failed) {
        return false;
    }
    if (count < *capacity) {
        return true;
    }
    assert(bytes > 0 && *capacity < UINT32_MAX / 2);
    uint32_t wanted = *capacity ? *capacity * 2 : 4096;
    void *bigger = realloc(*items, wanted * bytes);
    if (!bigger) {
        mesh->failed = true;
        return false;
    }
    *items = bigger;
    *capacity = wanted;
    return true;
}

uint32_t mesh_add_vertex(struct mesh *mesh, const struct vertex *vertex)
{
    void *items = mesh->vertices;
    if (!grow(mesh, &items, mesh->vertex_count, &mesh->vertex_capacity, sizeof *vertex)) {
        return 0;
    }
    mesh->vertices = items;
    mesh->vertices[mesh->vertex_count] = *vertex;
    return mesh->vertex_count++;
}

static void add_index(struct mesh *mesh, uint32_t index)
{
    void *items = mesh->indices;
    if (grow(mesh, &items, mesh->index_count, &mesh->index_capacity, sizeof index)) {
        mesh->indices = items;
        mesh->indices[mesh->index_count++] = index;
    }
}

void mesh_add_triangle(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    add_index(mesh, a);
    add_index(mesh, b);
    add_index(mesh, c);
}

static int8_t snorm8(float v)
{
    return (int8_t)lrintf(clamp_f(v, -1.0f, 1.0f) * 127.0f);
}

static uint8_t unorm8(float v)
{
    return (uint8_t)lrintf(clamp_f(v, 0.0f, 1.0f) * 255.0f);
}

struct vertex mesh_vertex(struct vec3 position, struct vec3 normal, float u, float v,
                          const struct surface *surface)
{
    return (struct vertex){
        .position = {position.x, position.y, position.z},
        .uv = {u, v},
        .normal = {snorm8(normal.x), snorm8(normal.y), snorm8(normal.z), 0},
        .tint = {unorm8(surface->tint.x), unorm8(surface->tint.y), unorm8(surface->tint.z),
                 unorm8(surface->open)},
        .layers = {(uint8_t)surface->layer, (uint8_t)surface->layer, 0, unorm8(surface->mirror)},
    };
}

void mesh_quad(struct mesh *mesh, const struct vec3 corners[4], const float uv[4],
               const struct surface *surface)
{
    struct vec3 across = vec3_sub(corners[1], corners[0]);
    struct vec3 normal = vec3_normalize(vec3_cross(across, vec3_sub(corners[3], corners[0])));
    const float u[4] = {uv[0], uv[2], uv[2], uv[0]};
    const float v[4] = {uv[3], uv[3], uv[1], uv[1]};
    uint32_t index[4];
    for (int i = 0; i < 4; i++) {
        struct vertex vertex = mesh_vertex(corners[i], normal, u[i], v[i], surface);
        index[i] = mesh_add_vertex(mesh, &vertex);
    }
    mesh_add_triangle(mesh, index[0], index[1], index[2]);
    mesh_add_triangle(mesh, index[0], index[2], index[3]);
}

void mesh_panel(struct mesh *mesh, const struct stand *stand, const float size_m[2],
                const struct surface *surface)
{
    const struct vec3 corners[4] = {
        stand->origin,
        stand_point(stand, size_m[0], 0.0f, 0.0f),
        stand_point(stand, size_m[0], size_m[1], 0.0f),
        stand_point(stand, 0.0f, size_m[1], 0.0f),
    };
    float across = surface->repeat_m > 0.0f ? size_m[0] / surface->repeat_m : 1.0f;
    float down = surface->repeat_m > 0.0f ? size_m[1] / surface->repeat_m : 1.0f;
    const float uv[4] = {0.0f, 0.0f, across, down};
    mesh_quad(mesh, corners, uv, surface);
}

void mesh_box(struct mesh *mesh, const struct stand *stand, const float size_m[3],
              const struct surface *surface)
{
    struct stand corner = stand_move(stand, 0.0f, 0.0f, size_m[2]);
    for (int side = 0; side < 4; side++) {
        float across = side % 2 == 0 ? size_m[0] : size_m[2];
        mesh_panel(mesh, &corner, (const float[2]){across, size_m[1]}, surface);
        corner = stand_turn(&(struct stand){stand_point(&corner, across, 0.0f, 0.0f), corner.right,
                                            corner.up, corner.back},
                            1);
    }
    struct stand top = stand_move(stand, 0.0f, size_m[1], size_m[2]);
    top.back = stand->up;
    top.up = vec3_scale(stand->back, -1.0f);
    mesh_panel(mesh, &top, (const float[2]){size_m[0], size_m[2]}, surface);
}

void mesh_tube(struct mesh *mesh, const struct tube *tube, const struct surface *surface)
{
    struct vec3 axis = vec3_sub(tube->to, tube->from);
    float length = vec3_length(axis);
    axis = vec3_normalize(axis);
    struct vec3 helper = fabsf(axis.y) > 0.9f ? vec3(1, 0, 0) : vec3(0, 1, 0);
    struct vec3 side = vec3_normalize(vec3_cross(helper, axis));
    struct vec3 other = vec3_cross(axis, side);
    float around = 2.0f * SCENE_PI * tube->from_radius_m;
    float repeats =
        surface->repeat_m > 0.0f ? fmaxf(1.0f, roundf(around / surface->repeat_m)) : 1.0f;
    float rise = surface->repeat_m > 0.0f ? length / surface->repeat_m : 1.0f;
    uint32_t first = mesh->vertex_count;
    for (int i = 0; i <= tube->sides; i++) {
        float turn = (float)i / (float)tube->sides;
        float angle = turn * 2.0f * SCENE_PI;
        struct vec3 out = vec3_madd(vec3_scale(side, cosf(angle)), other, sinf(angle));
        struct vertex low = mesh_vertex(vec3_madd(tube->from, out, tube->from_radius_m), out,
                                        turn * repeats, 0.0f, surface);
        struct vertex high = mesh_vertex(vec3_madd(tube->to, out, tube->to_radius_m), out,
                                         turn * repeats, -rise, surface);
        mesh_add_vertex(mesh, &low);
        mesh_add_vertex(mesh, &high);
    }
    for (uint32_t i = 0; i < (uint32_t)tube->sides; i++) {
        uint32_t a = first + 2 * i;
        mesh_add_triangle(mesh, a, a + 2, a + 3);
        mesh_add_triangle(mesh, a, a + 3, a + 1);
    }
}
