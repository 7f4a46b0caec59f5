/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "road.h"
#include "signs.h"
#include "world.h"

#define FLOOR_M 3.0f
#define BURIED_M 1.5f
#define ROOF_OVER_M 0.45f

struct house {
    struct stand front; /* bottom left corner of the front wall */
    float width_m;
    float depth_m;
    int floors;
    bool gable_front;
    float pitch;
    struct surface wall;
    struct vec3 roof_tint;
    struct vec3 wood_tint; /* shutters and door */
    bool shutters;
    int sign; /* over the shop; -1: a home */
};

static const struct vec3 white = {1.0f, 1.0f, 1.0f};

static float wall_height_m(const struct house *house)
{
    return FLOOR_M * (float)house->floors + 0.3f;
}

/* Front 0, then right, rear, left as one walks around. */
static struct stand wall_stand(const struct house *house, int side)
{
    struct stand stand = house->front;
    for (int i = 0; i < side; i++) {
        float across = i % 2 == 0 ? house->width_m : house->depth_m;
        stand = stand_turn(
            &(struct stand){stand_point(&stand, across, 0, 0), stand.right, stand.up, stand.back},
            1);
    }
    return stand;
}

static float side_width_m(const struct house *house, int side)
{
    return side % 2 == 0 ? house->width_m : house->depth_m;
}

static void add_window(struct mesh *mesh, const struct house *house, const struct stand *wall,
                       float right_m, float up_m)
{
    const float size[2] = {1.1f, 1.5f};
    struct stand stand = stand_move(wall, right_m, up_m, 0.04f);
    struct surface look = surface(LAYER_WINDOW, white, 0.0f);
    look.mirror = 1.0f;
    mesh_panel(mesh, &stand, size, &look);
    struct surface stone = surface(LAYER_STONE, vec3(0.95f, 0.93f, 0.9f), 2.0f);
    struct stand sill = stand_move(wall, right_m - 0.1f, up_m - 0.1f, 0.0f);
    mesh_box(mesh, &sill, (const float[3]){size[0] + 0.2f, 0.1f, 0.18f}, &stone);
    struct stand lintel = stand_move(wall, right_m - 0.08f, up_m + size[1], 0.0f);
    mesh_box(mesh, &lintel, (const float[3]){size[0] + 0.16f, 0.18f, 0.07f}, &stone);
    if (house->shutters) {
        struct surface wood = surface(LAYER_WOOD, house->wood_tint, 0.8f);
        for (int i = 0; i < 2; i++) {
            struct stand leaf =
                stand_move(wall, right_m + (i ? size[0] + 0.03f : -0.56f), up_m, 0.0f);
            mesh_box(mesh, &leaf, (const float[3]){0.53f, size[1], 0.06f}, &wood);
        }
    }
}

static void add_window_row(struct mesh *mesh, const struct house *house, const struct stand *wall,
                           float width_m, float up_m)
{
    float pitch = house->shutters ? 2.75f : 2.1f;
    int count = (int)((width_m - 0.5f) / pitch);
    float gap = width_m / (float)(count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        add_window(mesh, house, wall, gap * ((float)i + 0.5f) - 0.55f, up_m);
    }
}

static void add_door(struct mesh *mesh, const struct house *house, float right_m)
{
    struct surface door = surface(LAYER_DOOR, house->wood_tint, 0.0f);
    struct surface stone = surface(LAYER_STONE, white, 2.0f);
    struct stand stand = stand_move(&house->front, right_m, 0.2f, 0.04f);
    door.mirror = 1.0f;
    mesh_panel(mesh, &stand, (const float[2]){1.1f, 2.3f}, &door);
    struct stand step = stand_move(&house->front, right_m - 0.2f, -0.3f, 0.0f);
    mesh_box(mesh, &step, (const float[3]){1.5f, 0.5f, 0.3f}, &stone);
    struct stand lintel = stand_move(&house->front, right_m - 0.12f, 2.5f, 0.0f);
    mesh_box(mesh, &lintel, (const float[3]){1.34f, 0.16f, 0.12f}, &stone);
}

static void add_awning(struct mesh *mesh, const struct house *house, float right_m, float width_m)
{
    struct surface cloth = surface(LAYER_STRIPES, vec3(1, 1, 1), 1.6f);
    struct vec3 slope =
        vec3_normalize(vec3_madd(vec3_scale(house->front.up, 0.55f), house->front.back, -1.0f));
    struct stand stand = stand_move(&house->front, right_m, 2.45f, 1.25f);
    stand.up = slope;
    mesh_panel(mesh, &stand, (const float[2]){width_m, 1.4f}, &cloth);
    struct stand under = stand_move(&stand, width_m, 0.0f, 0.0f);
    under.right = vec3_scale(stand.right, -1.0f);
    cloth.tint = vec3(0.55f, 0.55f, 0.55f);
    mesh_panel(mesh, &under, (const float[2]){width_m, 1.4f}, &cloth);
    struct stand hem = stand_move(&house->front, right_m, 2.2f, 1.25f);
    cloth.tint = white;
    mesh_panel(mesh, &hem, (const float[2]){width_m, 0.25f}, &cloth);
}

/* A sign that hangs out over the pavement and is read from both ways along the street. */
static void add_hanging_sign(struct mesh *mesh, const struct house *house, float right_m)
{
    struct surface iron = surface(LAYER_PLAIN, vec3(0.05f, 0.05f, 0.05f), 0.0f);
    struct vec3 from = stand_point(&house->front, right_m, 4.12f, 0.0f);
    struct vec3 to = stand_point(&house->front, right_m, 4.12f, 2.1f);
    mesh_tube(mesh, &(struct tube){from, to, 0.025f, 0.025f, 5}, &iron);
    struct stand left =
        stand_turn(&(struct stand){stand_point(&house->front, right_m + 0.04f, 3.6f, 2.05f),
                                   house->front.right, house->front.up, house->front.back},
                   1);
    board_panel(mesh, &left, (const float[2]){1.8f, 0.45f}, house->sign);
    struct stand right =
        stand_turn(&(struct stand){stand_point(&house->front, right_m - 0.04f, 3.6f, 0.25f),
                                   house->front.right, house->front.up, house->front.back},
                   3);
    board_panel(mesh, &right, (const float[2]){1.8f, 0.45f}, house->sign);
}

static void add_ground_floor(struct mesh *mesh, const struct house *house)
{
    if (house->sign < 0) {
        float middle = house->width_m * 0.5f - 0.55f;
        add_door(mesh, house, middle);
        add_window_row(mesh, house, &house->front, middle, 1.0f);
        struct stand rest = stand_move(&house->front, middle + 1.1f, 0, 0);
        add_window_row(mesh, house, &rest, house->width_m - middle - 1.1f, 1.0f);
        return;
    }
    struct surface front = surface(LAYER_SHOPFRONT, white, 0.0f);
    front.mirror = 1.0f;
    float width = house->width_m - 2.6f;
    int panes = (int)(width / 2.4f + 0.5f);
    float pane_m = width / (float)(panes > 0 ? panes : 1);
    for (int i = 0; i < panes; i++) {
        struct stand pane = stand_move(&house->front, 0.5f + pane_m * (float)i, 0.1f, 0.05f);
        mesh_panel(mesh, &pane, (const float[2]){pane_m, 2.5f}, &front);
    }
    add_door(mesh, house, width + 0.9f);
    float board = fminf(width, 4.4f);
    struct stand sign = stand_move(&house->front, 0.5f + 0.5f * (width - board), 2.95f, 0.1f);
    board_panel(mesh, &sign, (const float[2]){board, board * 0.25f}, house->sign);
    add_hanging_sign(mesh, house, house->width_m - 0.4f);
    if (house->sign % 2 == 0) {
        add_awning(mesh, house, 0.5f, width);
    }
}

static void add_walls(struct mesh *mesh, const struct house *house)
{
    for (int side = 0; side < 4; side++) {
        struct stand wall = wall_stand(house, side);
        float width = side_width_m(house, side);
        struct stand buried = stand_move(&wall, 0.0f, -BURIED_M, 0.0f);
        mesh_panel(mesh, &buried, (const float[2]){width, wall_height_m(house) + BURIED_M},
                   &house->wall);
        struct surface plinth = surface(LAYER_STONE, vec3(0.8f, 0.8f, 0.8f), 2.0f);
        struct stand base = stand_move(&wall, -0.04f, -BURIED_M, 0.0f);
        mesh_box(mesh, &base, (const float[3]){width + 0.08f, BURIED_M + 0.5f, 0.05f}, &plinth);
        int first = side == 0 ? 1 : 0;
        for (int level = first; level < house->floors; level++) {
            add_window_row(mesh, house, &wall, width, FLOOR_M * (float)level + 1.0f);
        }
    }
    add_ground_floor(mesh, house);
    struct surface cornice = surface(LAYER_PLASTER, vec3(0.95f, 0.93f, 0.88f), 2.0f);
    struct stand top = stand_move(&house->front, -0.1f, wall_height_m(house) - 0.25f, 0.0f);
    mesh_box(mesh, &top, (const float[3]){house->width_m + 0.2f, 0.25f, 0.16f}, &cornice);
}

/* A triangle of wall under the roof, on a wall's top edge. */
static void add_gable(struct mesh *mesh, const struct stand *wall, float width_m, float rise_m,
                      const struct surface *look)
{
    float repeat = look->repeat_m;
    const float places[3][2] = {{0.0f, 0.0f}, {width_m, 0.0f}, {0.5f * width_m, rise_m}};
    uint32_t index[3];
    for (int i = 0; i < 3; i++) {
        struct vertex vertex =
            mesh_vertex(stand_point(wall, places[i][0], places[i][1], 0), wall->back,
                        places[i][0] / repeat, -places[i][1] / repeat, look);
        index[i] = mesh_add_vertex(mesh, &vertex);
    }
    mesh_add_triangle(mesh, index[0], index[1], index[2]);
}

/* One side of the roof, with a thickness at the eaves. `eaves` is the wall below it. */
static void add_slope(struct mesh *mesh, const struct house *house, const struct stand *eaves,
                      const float size_m[2], float rise_m)
{
    struct surface tiles = surface(LAYER_ROOF, house->roof_tint, 2.4f);
    struct surface edge = surface(LAYER_WOOD, vec3(0.5f, 0.42f, 0.35f), 1.0f);
    float run = 0.5f * size_m[1];
    struct stand low = stand_move(eaves, -ROOF_OVER_M, -ROOF_OVER_M * rise_m / run, ROOF_OVER_M);
    low.up = vec3_normalize(vec3_madd(vec3_scale(eaves->up, rise_m), eaves->back, -run));
    float length = sqrtf(rise_m * rise_m + run * run) * (run + ROOF_OVER_M) / run;
    float width = size_m[0] + 2.0f * ROOF_OVER_M;
    struct stand raised = stand_move(&low, 0, 0.0f, 0.0f);
    raised.origin.y += 0.16f;
    mesh_panel(mesh, &raised, (const float[2]){width, length}, &tiles);
    struct stand face = low;
    face.up = eaves->up;
    mesh_panel(mesh, &face, (const float[2]){width, 0.16f}, &edge);
    struct stand under = stand_move(&low, width, 0, 0);
    under.right = vec3_scale(low.right, -1.0f);
    mesh_panel(mesh, &under, (const float[2]){width, length}, &edge);
}

static void add_roof(struct mesh *mesh, const struct house *house)
{
    int eaves = house->gable_front ? 1 : 0;
    float span = side_width_m(house, eaves + 1);
    float rise = 0.5f * span * house->pitch;
    for (int side = 0; side < 4; side++) {
        struct stand wall = wall_stand(house, side);
        wall.origin.y += wall_height_m(house);
        if (side % 2 == eaves) {
            add_slope(mesh, house, &wall, (const float[2]){side_width_m(house, side), span}, rise);
        } else {
            add_gable(mesh, &wall, span, rise, &house->wall);
            struct stand loft = stand_move(&wall, 0.5f * span - 0.55f, 0.25f, 0.0f);
            struct house plain = *house;
            plain.shutters = false;
            if (rise > 2.2f) {
                add_window(mesh, &plain, &loft, 0.0f, 0.0f);
            }
        }
    }
    struct surface brick = surface(LAYER_BRICK, vec3(0.9f, 0.85f, 0.85f), 1.6f);
    struct stand chimney =
        stand_move(&house->front, house->width_m * 0.22f, wall_height_m(house) + 0.3f * rise,
                   -0.5f * house->depth_m - 0.35f);
    mesh_box(mesh, &chimney, (const float[3]){0.7f, rise * 0.7f + 1.3f, 0.7f}, &brick);
}

static void build_house(struct world *world, const struct house *house)
{
    uint32_t first = world->mesh.index_count;
    add_walls(&world->mesh, house);
    add_roof(&world->mesh, house);
    world_add_part(world, MATERIAL_OPAQUE, first, true);
}

static void choose_look(struct house *house, struct random *random)
{
    static const struct vec3 plasters[] = {{0.98f, 0.90f, 0.72f}, {0.93f, 0.74f, 0.60f},
                                           {0.80f, 0.88f, 0.92f}, {0.98f, 0.96f, 0.90f},
                                           {0.78f, 0.86f, 0.70f}, {0.95f, 0.80f, 0.78f}};
    static const struct vec3 woods[] = {{0.20f, 0.42f, 0.32f},
                                        {0.22f, 0.34f, 0.56f},
                                        {0.58f, 0.18f, 0.14f},
                                        {0.36f, 0.24f, 0.16f},
                                        {0.82f, 0.80f, 0.74f}};
    uint32_t kind = random_index(random, 5);
    house->wall =
        kind < 2 ? surface(LAYER_BRICK, vec3_scale(white, random_range(random, 0.8f, 1.0f)), 1.9f)
        : kind == 2 ? surface(LAYER_STONE, vec3(1.0f, 0.95f, 0.86f), 2.6f)
                    : surface(LAYER_PLASTER, plasters[random_index(random, 6)], 4.0f);
    house->wood_tint = woods[random_index(random, 5)];
    house->shutters = kind >= 2 && random_index(random, 3) > 0;
    house->gable_front = random_index(random, 5) < 2;
    house->pitch = random_range(random, 0.75f, 1.15f);
    float age = random_range(random, 0.65f, 1.0f);
    house->roof_tint = random_index(random, 4) == 0 ? vec3(0.5f * age, 0.62f * age, 0.75f * age)
                                                    : vec3(age, age * 0.95f, age * 0.9f);
    house->floors = 2 + (random_index(random, 5) > 1) + (random_index(random, 9) == 0);
}

static struct stand lot_stand(const struct road_point *at, float side, float width_m, float back_m)
{
    struct vec3 facing = vec3_scale(at->left, -side);
    struct vec3 right = vec3_cross(vec3(0, 1, 0), facing);
    struct vec3 middle = vec3_madd(at->position, at->left, side * back_m);
    middle.y += ROAD_KERB_M;
    return (struct stand){vec3_madd(middle, right, -0.5f * width_m), right, vec3(0, 1, 0), facing};
}

static void build_street(struct world *world, float side, struct random *random)
{
    float length = road_length_m(world->road);
    int shop = side > 0.0f ? 0 : 5;
    for (float along = -0.035f * length; along < 0.79f * length;) {
        struct house house = {.width_m = 2.1f * (float)(3 + random_index(random, 4)) + 0.9f,
                              .depth_m = random_range(random, 8.0f, 11.0f),
                              .sign = -1};
        choose_look(&house, random);
        float middle = along + 0.5f * house.width_m;
        float gap = random_index(random, 3) == 0 ? random_range(random, 2.0f, 5.0f) : 0.08f;
        along += house.width_m * (side > 0.0f ? 1.03f : 1.0f) + gap;
        if (road_village(world->road, middle) < 1.0f) {
            continue;
        }
        if (house.width_m > 6.0f && random_index(random, 3) > 0) {
            house.sign = SIGN_BAKERY + shop++ % (SIGN_MARKET - SIGN_BAKERY);
            house.sign += house.sign == SIGN_STATION || house.sign == SIGN_STREET;
        }
        struct road_point at = road_at(world->road, middle);
        house.front =
            lot_stand(&at, side, house.width_m, ROAD_HALF_WIDTH_M + ROAD_PAVEMENT_M + 0.35f);
        build_house(world, &house);
    }
}

/* A church behind the houses, to be seen from everywhere. */
static void build_church(struct world *world, float along_m)
{
    struct road_point at = road_at(world->road, along_m);
    struct house nave = {.width_m = 9.0f,
                         .depth_m = 20.0f,
                         .floors = 3,
                         .gable_front = true,
                         .pitch = 1.3f,
                         .wall = surface(LAYER_STONE, vec3(1.0f, 0.96f, 0.88f), 3.0f),
                         .roof_tint = {0.52f, 0.6f, 0.7f},
                         .wood_tint = {0.36f, 0.2f, 0.12f},
                         .sign = -1};
    nave.front = lot_stand(&at, 1.0f, nave.width_m, 30.0f);
    build_house(world, &nave);
    struct house tower = nave;
    tower.width_m = tower.depth_m = 5.6f;
    tower.floors = 7;
    tower.pitch = 4.2f;
    tower.front = lot_stand(&at, 1.0f, tower.width_m, 24.5f);
    build_house(world, &tower);
}

void buildings_build(struct world *world)
{
    struct random random = random_make(world->seed, 20);
    build_street(world, 1.0f, &random);
    build_street(world, -1.0f, &random);
    build_church(world, 0.17f * road_length_m(world->road));
}
