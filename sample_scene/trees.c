/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "road.h"
#include "world.h"

/* A crown is a cloud of leaf cards in an ellipsoid. Normals point away from its middle, as if it
 * were one soft body, so that cards are not seen as cards. */
struct crown {
    struct vec3 middle;
    struct vec3 half_m;
    enum layer layer;
    struct vec3 tint;
};

struct crown_lod {
    int cards;
    float card_m;
};

static struct vec3 random_direction(struct random *random)
{
    float y = random_range(random, -1.0f, 1.0f);
    float angle = random_range(random, 0.0f, 2.0f * SCENE_PI);
    float flat = sqrtf(1.0f - y * y);
    return vec3(flat * cosf(angle), y, flat * sinf(angle));
}

static void add_card(struct mesh *mesh, const struct stand *card, float size_m,
                     const struct surface *look, struct vec3 normal)
{
    uint32_t index[4];
    for (int i = 0; i < 4; i++) {
        float right = i == 1 || i == 2 ? 0.5f : -0.5f;
        float up = i >= 2 ? 0.5f : -0.5f;
        struct vertex vertex = mesh_vertex(stand_point(card, right * size_m, up * size_m, 0.0f),
                                           normal, right + 0.5f, 0.5f - up, look);
        index[i] = mesh_add_vertex(mesh, &vertex);
    }
    mesh_add_triangle(mesh, index[0], index[1], index[2]);
    mesh_add_triangle(mesh, index[0], index[2], index[3]);
}

static void add_crown(struct mesh *mesh, const struct crown *crown, const struct crown_lod *lod,
                      struct random *random)
{
    for (int i = 0; i < lod->cards; i++) {
        struct vec3 out = random_direction(random);
        float reach = powf(random_range(random, 0.05f, 1.0f), 0.4f);
        struct vec3 at = vec3(out.x * crown->half_m.x * reach, out.y * crown->half_m.y * reach,
                              out.z * crown->half_m.z * reach);
        struct surface look = surface(crown->layer, crown->tint, 0.0f);
        look.tint = vec3_scale(look.tint, random_range(random, 0.82f, 1.0f));
        look.open = clamp_f(0.25f + 0.55f * reach + 0.2f * out.y, 0.2f, 1.0f);
        struct vec3 face = vec3_normalize(vec3_madd(random_direction(random), out, 0.8f));
        struct stand card = {.origin = vec3_add(crown->middle, at), .back = face};
        card.right = vec3_normalize(vec3_cross(random_direction(random), face));
        card.up = vec3_cross(face, card.right);
        struct vec3 normal = vec3_normalize(vec3_add(out, vec3(0.0f, 0.35f, 0.0f)));
        add_card(mesh, &card, lod->card_m * random_range(random, 0.8f, 1.2f), &look, normal);
    }
}

/* Branches of a fir: whorls of flat cards that hang outwards from the trunk. */
static void add_whorls(struct mesh *mesh, int whorls, int cards, struct random *random)
{
    for (int i = 0; i < whorls; i++) {
        float up = ((float)i + 0.5f) / (float)whorls;
        float reach = 2.5f * (1.0f - up) + 0.5f;
        for (int k = 0; k < cards; k++) {
            float angle =
                ((float)k + random_range(random, 0.0f, 0.9f)) / (float)cards * 2.0f * SCENE_PI;
            struct vec3 out = vec3(cosf(angle), 0.0f, sinf(angle));
            struct vec3 along = vec3_normalize(vec3_madd(out, vec3(0, 1, 0), -0.45f + 0.3f * up));
            struct surface look = surface(LAYER_NEEDLES, vec3(0.9f, 1.0f, 0.9f), 0.0f);
            look.open = 0.45f + 0.5f * up;
            struct vec3 root = vec3(0.0f, 1.2f + up * 8.6f, 0.0f);
            struct stand card = {.origin = vec3_madd(root, along, 0.5f * reach),
                                 .up = vec3_scale(along, -1.0f)};
            card.right = vec3_normalize(vec3_cross(along, vec3(0, 1, 0)));
            struct vec3 normal = vec3_normalize(vec3_add(out, vec3(0.0f, 0.7f, 0.0f)));
            add_card(mesh, &card, reach, &look, normal);
        }
    }
}

struct trunk {
    float height_m;
    float radius_m;
    enum layer layer;
    struct vec3 tint;
    int branches;
};

static void add_trunk(struct mesh *mesh, const struct trunk *trunk, int sides,
                      struct random *random)
{
    struct surface bark = surface(trunk->layer, trunk->tint, 0.9f);
    bark.open = 0.75f;
    struct vec3 knee = vec3(random_range(random, -0.15f, 0.15f), trunk->height_m * 0.5f,
                            random_range(random, -0.15f, 0.15f));
    float r = trunk->radius_m;
    struct tube low = {vec3(0, -0.4f, 0), knee, r * 1.25f, r * 0.8f, sides};
    struct tube high = {knee, vec3(0, trunk->height_m, 0), r * 0.8f, r * 0.35f, sides};
    mesh_tube(mesh, &low, &bark);
    mesh_tube(mesh, &high, &bark);
    for (int i = 0; i < trunk->branches; i++) {
        float angle = (float)i * 2.4f;
        float up = random_range(random, 0.5f, 0.85f);
        struct vec3 from = vec3(0.0f, trunk->height_m * up, 0.0f);
        struct vec3 way = vec3(cosf(angle), random_range(random, 0.5f, 1.1f), sinf(angle));
        struct tube branch = {from, vec3_madd(from, way, trunk->height_m * 0.33f), r * 0.4f,
                              r * 0.1f, 4};
        mesh_tube(mesh, &branch, &bark);
    }
}

static void take_part(struct world *world, enum model_kind kind, int lod, enum material material,
                      uint32_t first_index)
{
    struct part part = world_part_since(&world->mesh, material, first_index);
    world->models[kind].parts[lod][material == MATERIAL_CUT_OUT ? 1 : 0] = part;
}

static void build_leafy(struct world *world, enum model_kind kind, const struct trunk *trunk,
                        const struct crown *crown)
{
    static const struct crown_lod lods[MODEL_LODS] = {{150, 1.9f}, {46, 3.0f}, {14, 4.6f}};
    float fit = crown->half_m.x / 3.4f;
    for (int lod = 0; lod < MODEL_LODS; lod++) {
        struct random random = random_make(world->seed, 40u + (uint64_t)kind);
        uint32_t first = world->mesh.index_count;
        struct trunk simple = *trunk;
        simple.branches = lod == 0 ? trunk->branches : 0;
        add_trunk(&world->mesh, &simple, lod == 0 ? 9 : 5, &random);
        take_part(world, kind, lod, MATERIAL_OPAQUE, first);
        first = world->mesh.index_count;
        struct crown_lod fitted = {lods[lod].cards, lods[lod].card_m * fit};
        add_crown(&world->mesh, crown, &fitted, &random);
        take_part(world, kind, lod, MATERIAL_CUT_OUT, first);
    }
}

static void build_fir(struct world *world)
{
    static const int whorls[MODEL_LODS] = {15, 9, 5};
    static const int cards[MODEL_LODS] = {9, 6, 5};
    const struct trunk trunk = {9.6f, 0.19f, LAYER_BARK, {0.8f, 0.7f, 0.65f}, 0};
    for (int lod = 0; lod < MODEL_LODS; lod++) {
        struct random random = random_make(world->seed, 50u);
        uint32_t first = world->mesh.index_count;
        add_trunk(&world->mesh, &trunk, lod == 0 ? 8 : 4, &random);
        take_part(world, MODEL_FIR, lod, MATERIAL_OPAQUE, first);
        first = world->mesh.index_count;
        add_whorls(&world->mesh, whorls[lod], cards[lod], &random);
        take_part(world, MODEL_FIR, lod, MATERIAL_CUT_OUT, first);
    }
}

void trees_build_models(struct world *world)
{
    static const struct trunk oak_trunk = {5.4f, 0.30f, LAYER_BARK, {1.0f, 0.95f, 0.9f}, 6};
    static const struct crown oak_crown = {
        {0, 6.3f, 0}, {3.4f, 2.9f, 3.4f}, LAYER_LEAVES, {0.85f, 0.95f, 0.8f}};
    static const struct trunk birch_trunk = {6.0f, 0.14f, LAYER_PLASTER, {0.95f, 0.95f, 0.95f}, 4};
    static const struct crown birch_crown = {
        {0, 5.8f, 0}, {1.7f, 3.0f, 1.7f}, LAYER_LEAVES, {1.0f, 1.0f, 0.62f}};
    build_leafy(world, MODEL_OAK, &oak_trunk, &oak_crown);
    build_leafy(world, MODEL_BIRCH, &birch_trunk, &birch_crown);
    build_fir(world);
    for (int kind = MODEL_OAK; kind <= MODEL_FIR; kind++) {
        struct model *model = &world->models[kind];
        model->part_count = 2;
        model->height_m = 10.0f;
        model->casts_shadow = true;
        model->lod_end_m[0] = 26.0f;
        model->lod_end_m[1] = 70.0f;
        model->lod_end_m[2] = 330.0f;
    }
}

static void plant(struct world *world, float x, float z, enum model_kind kind,
                  struct random *random)
{
    struct vec3 place = vec3(x, terrain_height_m(world, x, z) - 0.1f, z);
    world_place(world, kind, place, random_range(random, 0.75f, 1.35f),
                random_range(random, 0.0f, 2.0f * SCENE_PI));
}

/* An avenue along the open road; in the villages small birches at the kerb, well apart. */
static void plant_avenue(struct world *world, struct random *random)
{
    float length = road_length_m(world->road);
    for (float along = 6.0f; along < length; along += 11.0f) {
        struct road_point at = road_at(world->road, along + random_range(random, -2.5f, 2.5f));
        bool village = road_village(world->road, along) > 0.0f;
        for (int side = -1; side <= 1; side += 2) {
            if (village && random_index(random, 3) != 0) {
                continue;
            }
            float off = village ? ROAD_HALF_WIDTH_M + 0.6f : random_range(random, 8.0f, 11.0f);
            struct vec3 p = vec3_madd(at.position, at.left, (float)side * off);
            p.y += village ? ROAD_KERB_M : -0.3f;
            enum model_kind kind =
                village || random_index(random, 4) == 0 ? MODEL_BIRCH : MODEL_OAK;
            world_place(world, kind, p, village ? 0.62f : random_range(random, 0.8f, 1.15f),
                        random_range(random, 0.0f, 6.28f));
        }
    }
}

static void plant_woods(struct world *world, struct random *random)
{
    for (int i = 0; i < 2600; i++) {
        float x = random_range(random, -300.0f, 300.0f);
        float z = random_range(random, -300.0f, 300.0f);
        float wood =
            noise_fbm((uint32_t)world->seed + 70u, x / 800.0f + 0.5f, z / 800.0f + 0.5f, 12, 3);
        if (wood < 0.53f + random_range(random, 0.0f, 0.14f)) {
            continue;
        }
        struct road_near near = road_find(world->road, x, z);
        if (near.distance_m < (road_village(world->road, near.along_m) > 0.0f ? 27.0f : 12.0f)) {
            continue;
        }
        uint32_t pick = random_index(random, 8);
        bool high = terrain_height_m(world, x, z) > 12.0f;
        enum model_kind kind = pick < (high ? 6u : 2u) ? MODEL_FIR
                               : pick == 7             ? MODEL_BIRCH
                                                       : MODEL_OAK;
        plant(world, x, z, kind, random);
    }
}

void trees_plant(struct world *world)
{
    struct random random = random_make(world->seed, 30);
    plant_avenue(world, &random);
    plant_woods(world, &random);
}
