/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "world.h"

#include "road.h"
#include "say.h"

#include <stdlib.h>

/* Adds room for one more item of an array; world->mesh.failed on failure. */
static void *grow(struct world *world, void *items, uint32_t count, uint32_t *capacity,
                  size_t bytes)
{
    if (count < *capacity) {
        return items;
    }
    uint32_t wanted = *capacity ? *capacity * 2 : 256;
    void *bigger = realloc(items, wanted * bytes);
    if (!bigger) {
        world->mesh.failed = true;
        return items;
    }
    *capacity = wanted;
    return bigger;
}

struct part world_part_since(const struct mesh *mesh, enum material material, uint32_t first_index)
{
    struct part part = {.material = material,
                        .first_index = first_index,
                        .index_count = mesh->index_count - first_index};
    if (mesh->failed || part.index_count == 0) {
        return part;
    }
    struct vec3 low = vec3(1e30f, 1e30f, 1e30f);
    struct vec3 high = vec3_scale(low, -1.0f);
    for (uint32_t i = first_index; i < mesh->index_count; i++) {
        const float *p = mesh->vertices[mesh->indices[i]].position;
        low = vec3(fminf(low.x, p[0]), fminf(low.y, p[1]), fminf(low.z, p[2]));
        high = vec3(fmaxf(high.x, p[0]), fmaxf(high.y, p[1]), fmaxf(high.z, p[2]));
    }
    part.centre = vec3_scale(vec3_add(low, high), 0.5f);
    part.radius_m = 0.5f * vec3_length(vec3_sub(high, low));
    return part;
}

void world_add_part(struct world *world, enum material material, uint32_t first_index,
                    bool casts_shadow)
{
    struct part part = world_part_since(&world->mesh, material, first_index);
    part.casts_shadow = casts_shadow;
    world->parts = grow(world, world->parts, world->part_count, &world->part_capacity, sizeof part);
    if (!world->mesh.failed) {
        world->parts[world->part_count++] = part;
    }
}

void world_place(struct world *world, enum model_kind kind, struct vec3 place, float scale,
                 float turn_rad)
{
    world->placed = grow(world, world->placed, world->placed_count, &world->placed_capacity,
                         sizeof *world->placed);
    if (world->mesh.failed) {
        return;
    }
    float brightness =
        0.8f + 0.2f * hash_f((uint32_t)world->seed, (int32_t)world->placed_count, 17);
    world->placed[world->placed_count++] = (struct placed){
        kind,
        {{place.x, place.y, place.z, scale}, {cosf(turn_rad), sinf(turn_rad), brightness, 0.0f}}};
}

static void build(struct world *world)
{
    world->to_sun = vec3_normalize(vec3(0.52f, 0.62f, 0.42f));
    terrain_build(world);
    road_build(world);
    buildings_build(world);
    boards_build(world);
    trees_build_models(world);
    props_build_models(world);
    trees_plant(world);
    props_place(world);
}

bool world_create(uint64_t seed, struct world **out_world)
{
    struct world *world = calloc(1, sizeof *world);
    *out_world = NULL;
    if (world) {
        world->seed = seed;
        world->road = road_create(seed);
    }
    if (world && world->road) {
        build(world);
    }
    if (!world || !world->road || world->mesh.failed) {
        say_error("out of memory while building the scene");
        world_destroy(&world);
        return false;
    }
    *out_world = world;
    return true;
}

void world_destroy(struct world **world)
{
    if (!world || !*world) {
        return;
    }
    mesh_finish(&(*world)->mesh);
    free((*world)->parts);
    free((*world)->placed);
    road_destroy(&(*world)->road);
    free(*world);
    *world = NULL;
}
