/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small things that stand along the road: lamps, fences, benches, tufts of grass. */
#include "road.h"
#include "world.h"

static struct stand model_stand(float x, float y, float z)
{
    return (struct stand){vec3(x, y, z), vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};
}

static void box(struct mesh *mesh, const float from[3], const float size_m[3],
                const struct surface *look)
{
    struct stand stand = model_stand(from[0], from[1], from[2]);
    mesh_box(mesh, &stand, size_m, look);
}

static void build_lamp(struct world *world)
{
    struct surface iron = surface(LAYER_PLAIN, vec3(0.05f, 0.07f, 0.06f), 0.0f);
    struct surface glass = surface(LAYER_WINDOW, vec3(1.0f, 0.95f, 0.8f), 0.0f);
    glass.mirror = 1.0f;
    struct mesh *mesh = &world->mesh;
    mesh_tube(mesh, &(struct tube){vec3(0, 0, 0), vec3(0, 0.8f, 0), 0.11f, 0.07f, 8}, &iron);
    mesh_tube(mesh, &(struct tube){vec3(0, 0.8f, 0), vec3(0, 3.4f, 0), 0.05f, 0.035f, 6}, &iron);
    mesh_tube(mesh, &(struct tube){vec3(-0.3f, 3.1f, 0), vec3(0.3f, 3.1f, 0), 0.02f, 0.02f, 4},
              &iron);
    mesh_tube(mesh, &(struct tube){vec3(0, 3.4f, 0), vec3(0, 3.85f, 0), 0.10f, 0.19f, 6}, &glass);
    mesh_tube(mesh, &(struct tube){vec3(0, 3.85f, 0), vec3(0, 4.1f, 0), 0.24f, 0.02f, 6}, &iron);
}

static void build_fence(struct world *world)
{
    struct surface wood = surface(LAYER_WOOD, vec3(0.86f, 0.82f, 0.76f), 0.7f);
    for (int i = 0; i < 2; i++) {
        box(&world->mesh, (const float[3]){-1.5f + 1.45f * (float)i, -0.5f, -0.05f},
            (const float[3]){0.1f, 1.65f, 0.1f}, &wood);
    }
    for (int i = 0; i < 2; i++) {
        box(&world->mesh, (const float[3]){-1.5f, 0.32f + 0.5f * (float)i, 0.04f},
            (const float[3]){3.0f, 0.09f, 0.04f}, &wood);
    }
    for (int i = 0; i < 15; i++) {
        box(&world->mesh, (const float[3]){-1.46f + 0.2f * (float)i, 0.05f, 0.08f},
            (const float[3]){0.11f, 1.0f, 0.025f}, &wood);
    }
}

static void build_bench(struct world *world)
{
    struct surface wood = surface(LAYER_WOOD, vec3(0.62f, 0.36f, 0.2f), 0.9f);
    struct surface iron = surface(LAYER_PLAIN, vec3(0.06f, 0.08f, 0.07f), 0.0f);
    for (int i = 0; i < 4; i++) {
        float k = (float)i;
        box(&world->mesh, (const float[3]){-0.8f, 0.44f, 0.12f * k - 0.2f},
            (const float[3]){1.6f, 0.04f, 0.1f}, &wood);
        box(&world->mesh, (const float[3]){-0.8f, 0.52f + 0.11f * k, -0.26f - 0.02f * k},
            (const float[3]){1.6f, 0.09f, 0.03f}, &wood);
    }
    for (int i = -1; i <= 1; i += 2) {
        box(&world->mesh, (const float[3]){0.68f * (float)i - 0.03f, 0.0f, -0.24f},
            (const float[3]){0.06f, 0.44f, 0.5f}, &iron);
    }
}

static void build_tuft(struct world *world)
{
    struct surface blades = surface(LAYER_BLADES, vec3(0.9f, 0.95f, 0.8f), 0.0f);
    for (int i = 0; i < 3; i++) {
        float angle = (float)i * SCENE_PI / 3.0f;
        struct vec3 right = vec3(cosf(angle), 0.0f, sinf(angle));
        const struct vec3 low = vec3(0.0f, -0.05f, 0.0f);
        const struct vec3 corners[4] = {vec3_madd(low, right, -0.45f), vec3_madd(low, right, 0.45f),
                                        vec3_add(vec3_madd(low, right, 0.45f), vec3(0, 0.62f, 0)),
                                        vec3_add(vec3_madd(low, right, -0.45f), vec3(0, 0.62f, 0))};
        uint32_t first = world->mesh.vertex_count;
        mesh_quad(&world->mesh, corners, (const float[4]){0, 0, 1, 1}, &blades);
        for (uint32_t v = first; v < world->mesh.vertex_count; v++) {
            struct vertex *vertex = &world->mesh.vertices[v];
            vertex->normal[0] = vertex->normal[2] = 0;
            vertex->normal[1] = 127;
            vertex->tint[3] = vertex->uv[1] > 0.5f ? 120 : 255;
        }
    }
}

static void take_model(struct world *world, enum model_kind kind, void (*build)(struct world *),
                       float end_m)
{
    uint32_t first = world->mesh.index_count;
    build(world);
    struct model *model = &world->models[kind];
    enum material material = kind == MODEL_TUFT ? MATERIAL_CUT_OUT : MATERIAL_OPAQUE;
    model->parts[0][0] = world_part_since(&world->mesh, material, first);
    model->parts[1][0] = model->parts[2][0] = model->parts[0][0];
    model->part_count = 1;
    model->height_m = 4.2f;
    model->casts_shadow = kind != MODEL_TUFT;
    model->lod_end_m[0] = model->lod_end_m[1] = model->lod_end_m[2] = end_m;
}

void props_build_models(struct world *world)
{
    take_model(world, MODEL_TUFT, build_tuft, 26.0f);
    take_model(world, MODEL_LAMP, build_lamp, 140.0f);
    take_model(world, MODEL_FENCE, build_fence, 130.0f);
    take_model(world, MODEL_BENCH, build_bench, 70.0f);
}

/* The direction of the road as a turn about the vertical for models that face +z. */
static float turn_of(struct vec3 facing)
{
    return atan2f(facing.x, facing.z);
}

static void place_beside(struct world *world, enum model_kind kind, float along_m, float left_m)
{
    struct road_point at = road_at(world->road, along_m);
    struct vec3 p = vec3_madd(at.position, at.left, left_m);
    bool paved = fabsf(left_m) < ROAD_HALF_WIDTH_M + ROAD_PAVEMENT_M;
    p.y = paved ? p.y + ROAD_KERB_M : terrain_height_m(world, p.x, p.z);
    world_place(world, kind, p, 1.0f, turn_of(vec3_scale(at.left, left_m > 0.0f ? -1.0f : 1.0f)));
}

static void place_tufts(struct world *world, struct random *random)
{
    float length = road_length_m(world->road);
    for (int i = 0; i < 2600; i++) {
        float along = random_range(random, 0.0f, length);
        float off = random_range(random, 6.4f, 12.0f) * (random_index(random, 2) ? 1.0f : -1.0f);
        if (road_village(world->road, along) > 0.0f) {
            continue;
        }
        struct road_point at = road_at(world->road, along);
        struct vec3 p = vec3_madd(at.position, at.left, off);
        p.y = terrain_height_m(world, p.x, p.z);
        world_place(world, MODEL_TUFT, p, random_range(random, 0.6f, 1.3f),
                    random_range(random, 0.0f, 6.28f));
    }
}

void props_place(struct world *world)
{
    struct random random = random_make(world->seed, 60);
    float length = road_length_m(world->road);
    int side = 0;
    for (float along = 3.0f; along < length; along += 3.0f) {
        bool village = road_village(world->road, along) > 0.0f;
        side++;
        if (village && side % 6 == 0) {
            place_beside(world, MODEL_LAMP, along, side % 12 == 0 ? 3.6f : -3.6f);
        }
        if (village && side % 9 == 4) {
            place_beside(world, MODEL_BENCH, along, side % 2 == 0 ? 5.0f : -5.0f);
        }
        if (!village && hash_f((uint32_t)world->seed, side / 14, 5) > 0.35f) {
            place_beside(world, MODEL_FENCE, along, side / 14 % 2 == 0 ? 7.2f : -7.2f);
        }
    }
    place_tufts(world, &random);
}
