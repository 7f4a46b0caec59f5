/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The generated village: a winding ring road with houses, trees and signs among hills. The same
 * seed makes the same world. */
#pragma once

#include "mesh.h"
#include "random.h"

/* How a part is shaded. */
enum material {
    MATERIAL_OPAQUE = 0,
    MATERIAL_GROUND, /* two layers mixed */
    MATERIAL_CUT_OUT,
    MATERIAL_COUNT,
};

/* A run of indices that is drawn or left out as one. */
struct part {
    enum material material;
    uint32_t first_index;
    uint32_t index_count;
    struct vec3 centre;
    float radius_m;
    bool casts_shadow;
};

#define MODEL_LODS 3
#define MODEL_MAX_PARTS 2 /* trunk and leaves */

/* Something that stands in many places. */
struct model {
    struct part parts[MODEL_LODS][MODEL_MAX_PARTS];
    uint32_t part_count;
    float height_m;
    float lod_end_m[MODEL_LODS]; /* distance at which the next level takes over; the last: not drawn
                                  */
    bool casts_shadow;
};

enum model_kind {
    MODEL_OAK = 0,
    MODEL_BIRCH,
    MODEL_FIR,
    MODEL_TUFT,
    MODEL_LAMP,
    MODEL_FENCE,
    MODEL_BENCH,
    MODEL_COUNT,
};

/* The input of the vertex shader for one instance; 32 bytes. */
struct instance {
    float place[4]; /* x, y, z, scale */
    float turn[4]; /* cosine, sine, brightness, 0 */
};

struct placed {
    enum model_kind kind;
    struct instance instance;
};

struct world {
    struct mesh mesh;
    struct part *parts;
    uint32_t part_count;
    uint32_t part_capacity;
    struct model models[MODEL_COUNT];
    struct placed *placed;
    uint32_t placed_count;
    uint32_t placed_capacity;
    uint64_t seed;
    struct road *road;
    struct vec3 to_sun;
};

/* False with a message when memory runs out. */
bool world_create(uint64_t seed, struct world **out_world);
void world_destroy(struct world **world);

/* Everything that was added to the mesh since `first_index` becomes a part. */
void world_add_part(struct world *world, enum material material, uint32_t first_index,
                    bool casts_shadow);
/* The same for a part of a model, which is measured from its own origin. */
struct part world_part_since(const struct mesh *mesh, enum material material, uint32_t first_index);
void world_place(struct world *world, enum model_kind kind, struct vec3 place, float scale,
                 float turn_rad);

/* terrain.c */
void terrain_build(struct world *world);
float terrain_height_m(const struct world *world, float x, float z);
/* trees.c */
void trees_build_models(struct world *world);
void trees_plant(struct world *world);
/* props.c */
void props_build_models(struct world *world);
void props_place(struct world *world);
/* buildings.c */
void buildings_build(struct world *world);
/* boards.c */
void boards_build(struct world *world);
void board_panel(struct mesh *mesh, const struct stand *stand, const float size_m[2], int sign);
