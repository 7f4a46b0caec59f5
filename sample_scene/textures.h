/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The scene's textures: layers of one array, painted from a seed, with all their mip levels.
 *
 * Texels are sRGB. Alpha is how much a surface mirrors the sky, or, in the cut-out layers, how much
 * of the texel is there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTURE_SIDE_PX 512
#define TEXTURE_LEVELS 10

enum layer {
    LAYER_PLAIN = 0,
    LAYER_GRASS,
    LAYER_MEADOW,
    LAYER_GRAVEL,
    LAYER_ROCK,
    LAYER_COBBLE,
    LAYER_PAVEMENT,
    LAYER_BRICK,
    LAYER_PLASTER,
    LAYER_STONE,
    LAYER_ROOF,
    LAYER_WOOD,
    LAYER_BARK,
    LAYER_WINDOW,
    LAYER_SHOPFRONT,
    LAYER_DOOR,
    LAYER_STRIPES,
    LAYER_CLOUDS,
    LAYER_LEAVES, /* cut out, from here on */
    LAYER_NEEDLES,
    LAYER_BLADES,
    LAYER_SIGNS, /* SIGN_LAYERS of them */
};

#define SIGN_LAYERS 6
#define LAYER_COUNT (LAYER_SIGNS + SIGN_LAYERS)

/* One layer at level 0 while it is painted. */
struct canvas {
    uint8_t texels[TEXTURE_SIDE_PX][TEXTURE_SIDE_PX][4];
};

struct paint {
    float r, g, b, a;
};

void canvas_put(struct canvas *canvas, int x, int y, struct paint paint);
/* Every texel from its place, u and v in 0..1. */
void canvas_fill(struct canvas *canvas, uint32_t seed,
                 struct paint (*fn)(uint32_t seed, float u, float v));

static inline struct paint paint_mix(struct paint a, struct paint b, float t)
{
    return (struct paint){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t,
                          a.a + (b.a - a.a) * t};
}

static inline struct paint paint_shade(struct paint a, float s)
{
    return (struct paint){a.r * s, a.g * s, a.b * s, a.a};
}

/* textures_ground.c */
struct paint texture_grass(uint32_t seed, float u, float v);
struct paint texture_meadow(uint32_t seed, float u, float v);
struct paint texture_gravel(uint32_t seed, float u, float v);
struct paint texture_rock(uint32_t seed, float u, float v);
struct paint texture_cobble(uint32_t seed, float u, float v);
struct paint texture_pavement(uint32_t seed, float u, float v);
struct paint texture_clouds(uint32_t seed, float u, float v);
/* textures_house.c */
struct paint texture_brick(uint32_t seed, float u, float v);
struct paint texture_plaster(uint32_t seed, float u, float v);
struct paint texture_stone(uint32_t seed, float u, float v);
struct paint texture_roof(uint32_t seed, float u, float v);
struct paint texture_wood(uint32_t seed, float u, float v);
struct paint texture_window(uint32_t seed, float u, float v);
struct paint texture_shopfront(uint32_t seed, float u, float v);
struct paint texture_door(uint32_t seed, float u, float v);
struct paint texture_stripes(uint32_t seed, float u, float v);
/* textures_plants.c */
struct paint texture_bark(uint32_t seed, float u, float v);
void texture_leaves(struct canvas *canvas, uint32_t seed);
void texture_needles(struct canvas *canvas, uint32_t seed);
void texture_blades(struct canvas *canvas, uint32_t seed);

/* Bytes of all layers of a level, and where the level starts in the buffer of textures_paint. */
size_t textures_level_offset(uint32_t level);
size_t textures_total_bytes(void);

/* Paints everything into textures_total_bytes() bytes: level by level, in a level layer by layer.
 * Uses two threads. False with a message: out of memory. */
bool textures_paint(uint32_t seed, uint8_t *out_texels);
