/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The part of the world that a view sees, as draws in the best order. */
#pragma once

#include "world.h"

struct view {
    struct mat4 clip_from_world;
    struct vec3 eye; /* distances for levels of detail are from here */
    bool shadow; /* only what casts one, one level coarser */
};

struct draw {
    enum material material;
    uint32_t first_index;
    uint32_t index_count;
    uint32_t first_instance;
    uint32_t instance_count;
    float distance_m;
};

/* Room for everything at once; filled anew for each view. */
struct draw_list {
    struct draw *draws;
    uint32_t draw_count;
    uint8_t *lods; /* of each placed thing */
};

bool draw_list_init(struct draw_list *list, const struct world *world);
void draw_list_finish(struct draw_list *list);

/* Writes the instances that are seen to `instances` from *count on; there must be room for all of
 * the world's. instances[0] is the identity, for parts that stand where they are. */
void cull(const struct world *world, const struct view *view, struct draw_list *list,
          struct instance *instances, uint32_t *count);
