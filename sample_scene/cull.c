/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "cull.h"

#include <stdlib.h>

#define NOT_SEEN 255

/* The four sides of the view, pointing inwards; near and far do not pay. */
struct sides {
    float plane[4][4];
};

static struct sides sides_of(const struct mat4 *m)
{
    struct sides sides;
    for (int side = 0; side < 4; side++) {
        float sign = side % 2 == 0 ? 1.0f : -1.0f;
        float length_sq = 0.0f;
        for (int k = 0; k < 4; k++) {
            sides.plane[side][k] = m->m[k * 4 + 3] + sign * m->m[k * 4 + side / 2];
            length_sq += k < 3 ? sides.plane[side][k] * sides.plane[side][k] : 0.0f;
        }
        for (int k = 0; k < 4; k++) {
            sides.plane[side][k] /= sqrtf(length_sq);
        }
    }
    return sides;
}

static bool seen(const struct sides *sides, struct vec3 centre, float radius_m)
{
    for (int i = 0; i < 4; i++) {
        const float *p = sides->plane[i];
        if (p[0] * centre.x + p[1] * centre.y + p[2] * centre.z + p[3] < -radius_m) {
            return false;
        }
    }
    return true;
}

bool draw_list_init(struct draw_list *list, const struct world *world)
{
    size_t most = world->part_count + (size_t)MODEL_COUNT * MODEL_LODS * MODEL_MAX_PARTS;
    *list = (struct draw_list){0};
    list->draws = calloc(most, sizeof *list->draws);
    list->lods = calloc(world->placed_count + 1, 1);
    return list->draws && list->lods;
}

void draw_list_finish(struct draw_list *list)
{
    free(list->draws);
    free(list->lods);
    *list = (struct draw_list){0};
}

static void add_parts(const struct world *world, const struct view *view, const struct sides *sides,
                      struct draw_list *list)
{
    for (uint32_t i = 0; i < world->part_count; i++) {
        const struct part *part = &world->parts[i];
        if ((view->shadow && !part->casts_shadow) || !seen(sides, part->centre, part->radius_m)) {
            continue;
        }
        float distance = vec3_length(vec3_sub(part->centre, view->eye)) - part->radius_m;
        list->draws[list->draw_count++] =
            (struct draw){part->material, part->first_index, part->index_count, 0, 1, distance};
    }
}

static uint8_t level_of(const struct world *world, const struct view *view,
                        const struct sides *sides, const struct placed *placed)
{
    const struct model *model = &world->models[placed->kind];
    const float *p = placed->instance.place;
    float half = 0.6f * model->height_m * p[3];
    struct vec3 centre = vec3(p[0], p[1] + half, p[2]);
    float distance = vec3_length(vec3_sub(centre, view->eye));
    if ((view->shadow && !model->casts_shadow) || !seen(sides, centre, half)) {
        return NOT_SEEN;
    }
    for (int lod = 0; lod < MODEL_LODS; lod++) {
        if (distance < model->lod_end_m[lod]) {
            return (uint8_t)(view->shadow && lod == 0 ? 1 : lod);
        }
    }
    return NOT_SEEN;
}

static void add_model(const struct world *world, enum model_kind kind, int lod,
                      struct draw_list *list, const uint32_t run[2])
{
    const struct model *model = &world->models[kind];
    for (uint32_t i = 0; i < model->part_count; i++) {
        const struct part *part = &model->parts[lod][i];
        float distance = lod > 0 ? model->lod_end_m[lod - 1] : 0.0f;
        list->draws[list->draw_count++] = (struct draw){
            part->material, part->first_index, part->index_count, run[0], run[1], distance};
    }
}

static void add_models(const struct world *world, const struct view *view,
                       const struct sides *sides, struct draw_list *list,
                       struct instance *instances, uint32_t *count)
{
    for (uint32_t i = 0; i < world->placed_count; i++) {
        list->lods[i] = level_of(world, view, sides, &world->placed[i]);
    }
    for (int group = 0; group < MODEL_COUNT * MODEL_LODS; group++) {
        uint32_t first = *count;
        for (uint32_t i = 0; i < world->placed_count; i++) {
            if (list->lods[i] == group % MODEL_LODS &&
                (int)world->placed[i].kind == group / MODEL_LODS) {
                instances[(*count)++] = world->placed[i].instance;
            }
        }
        if (*count > first) {
            add_model(world, (enum model_kind)(group / MODEL_LODS), group % MODEL_LODS, list,
                      (const uint32_t[2]){first, *count - first});
        }
    }
}

static int nearer_first(const void *a, const void *b)
{
    const struct draw *x = a;
    const struct draw *y = b;
    if (x->material != y->material) {
        return x->material < y->material ? -1 : 1;
    }
    return (x->distance_m > y->distance_m) - (x->distance_m < y->distance_m);
}

void cull(const struct world *world, const struct view *view, struct draw_list *list,
          struct instance *instances, uint32_t *count)
{
    struct sides sides = sides_of(&view->clip_from_world);
    list->draw_count = 0;
    add_parts(world, view, &sides, list);
    add_models(world, view, &sides, list, instances, count);
    qsort(list->draws, list->draw_count, sizeof *list->draws, nearer_first);
}
