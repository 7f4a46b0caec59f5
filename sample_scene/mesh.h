/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Triangles of the whole scene, in one vertex and one index buffer. Fronts are anticlockwise. */
#pragma once

#include "textures.h"
#include "vec.h"

/* The input of the vertex shader; 32 bytes. */
struct vertex {
    float position[3];
    float uv[2];
    int8_t normal[4];
    uint8_t tint[4]; /* colour, and how open to the sky the place is */
    /* layer, second layer, how much of the second one, how much of the mirror */
    uint8_t layers[4];
};

struct mesh {
    struct vertex *vertices;
    uint32_t vertex_count;
    uint32_t vertex_capacity;
    uint32_t *indices;
    uint32_t index_count;
    uint32_t index_capacity;
    bool failed; /* out of memory somewhere; looked at once, when all is built */
};

/* How a face is covered. */
struct surface {
    enum layer layer;
    struct vec3 tint;
    float open; /* to the sky: 1 in the open, less in corners */
    float repeat_m; /* side of one repeat of the texture; 0: the texture once over the face */
    float mirror;
};

/* The place of a thing: its corner and its axes, of length 1. */
struct stand {
    struct vec3 origin;
    struct vec3 right;
    struct vec3 up;
    struct vec3 back; /* out of the face towards the viewer */
};

static inline struct surface surface(enum layer layer, struct vec3 tint, float repeat_m)
{
    return (struct surface){layer, tint, 1.0f, repeat_m, 0.0f};
}

struct vec3 stand_point(const struct stand *stand, float right_m, float up_m, float back_m);
/* The same axes, origin moved. */
struct stand stand_move(const struct stand *stand, float right_m, float up_m, float back_m);
/* Turned by quarter turns about its up axis: the stand of a box's next side. */
struct stand stand_turn(const struct stand *stand, int quarters);

void mesh_finish(struct mesh *mesh);
uint32_t mesh_add_vertex(struct mesh *mesh, const struct vertex *vertex);
void mesh_add_triangle(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c);

struct vertex mesh_vertex(struct vec3 position, struct vec3 normal, float u, float v,
                          const struct surface *surface);

/* Corners in the order bottom left, bottom right, top right, top left, seen from the front. uv is
 * left, top, right, bottom. */
void mesh_quad(struct mesh *mesh, const struct vec3 corners[4], const float uv[4],
               const struct surface *surface);
/* A rectangle in the stand's plane, x to the right and y up. */
void mesh_panel(struct mesh *mesh, const struct stand *stand, const float size_m[2],
                const struct surface *surface);
/* The stand's origin is the bottom left corner at the back; all sides but the bottom. */
void mesh_box(struct mesh *mesh, const struct stand *stand, const float size_m[3],
              const struct surface *surface);

struct tube {
    struct vec3 from;
    struct vec3 to;
    float from_radius_m;
    float to_radius_m;
    int sides;
};

void mesh_tube(struct mesh *mesh, const struct tube *tube, const struct surface *surface);
