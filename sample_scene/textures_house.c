/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "random.h"
#include "textures.h"
#include "vec.h"

/* 1 inside the rectangle, 0 outside. */
static bool inside(float u, float v, float u0, float v0, float u1, float v1)
{
    return u >= u0 && u < u1 && v >= v0 && v < v1;
}

static float grain(uint32_t seed, float u, float v)
{
    return noise_tile(seed + 31, u, v, 256, 256) - 0.5f;
}

/* Running bond, 8 bricks by 24 courses a tile. */
struct paint texture_brick(uint32_t seed, float u, float v)
{
    float row = floorf(v * 24.0f);
    float x = u * 8.0f + (fmodf(row, 2.0f) > 0.5f ? 0.5f : 0.0f);
    float du = (0.5f - fabsf(x - floorf(x) - 0.5f)) * 0.25f;
    float dv = (0.5f - fabsf(v * 24.0f - row - 0.5f)) * 0.0833f;
    float edge = fminf(du, dv) + 0.004f * (noise_tile(seed, u, v, 128, 128) - 0.5f);
    float joint = 1.0f - smoothstep_f(0.003f, 0.008f, edge);
    float id = hash_f(seed, (int32_t)floorf(x) % 8, (int32_t)row);
    struct paint dark = {0.42f, 0.17f, 0.12f, 0.0f};
    struct paint light = {0.72f, 0.36f, 0.24f, 0.0f};
    struct paint burnt = {0.30f, 0.19f, 0.18f, 0.0f};
    struct paint brick = id > 0.93f ? burnt : paint_mix(dark, light, id);
    float wear = 0.85f + 0.3f * noise_fbm(seed + 2, u, v, 16, 4) + 0.16f * grain(seed, u, v);
    struct paint mortar = {0.70f, 0.67f, 0.61f, 0.0f};
    return paint_mix(paint_shade(brick, wear), paint_shade(mortar, 0.8f + 0.2f * wear), joint);
}

struct paint texture_plaster(uint32_t seed, float u, float v)
{
    float stain = noise_fbm(seed, u, v, 3, 5);
    float crack = fabsf(noise_fbm(seed + 15, u, v, 4, 5) - 0.5f);
    float shade = 0.84f + 0.16f * stain + 0.12f * grain(seed, u, v);
    shade *= crack < 0.004f ? 0.72f : 1.0f;
    return (struct paint){shade, shade * 0.985f, shade * 0.95f, 0.0f};
}

/* Ashlar: dressed blocks in courses of two heights. */
struct paint texture_stone(uint32_t seed, float u, float v)
{
    float row = floorf(v * 8.0f);
    float blocks = fmodf(row, 3.0f) > 1.5f ? 5.0f : 4.0f;
    float x = u * blocks + hash_f(seed, 5, (int32_t)row);
    float edge_u = (0.5f - fabsf(x - floorf(x) - 0.5f)) / blocks;
    float edge_v = (0.5f - fabsf(v * 8.0f - row - 0.5f)) / 8.0f;
    float joint = 1.0f - smoothstep_f(0.002f, 0.007f, fminf(edge_u, edge_v));
    float id = hash_f(seed, (int32_t)floorf(x) % (int32_t)blocks, (int32_t)row);
    float shade = 0.60f + 0.18f * id + 0.22f * (noise_fbm(seed, u, v, 12, 5) - 0.5f);
    shade = (shade + 0.08f * grain(seed, u, v)) * (1.0f - 0.45f * joint);
    return (struct paint){shade, shade * 0.95f, shade * 0.84f, 0.0f};
}

/* Beaver-tail tiles, 16 by 16 a repeat, each row over the one below. */
struct paint texture_roof(uint32_t seed, float u, float v)
{
    float row = floorf(v * 16.0f);
    float down = v * 16.0f - row;
    float x = u * 16.0f + (fmodf(row, 2.0f) > 0.5f ? 0.5f : 0.0f);
    float across = x - floorf(x) - 0.5f;
    float tip = 0.68f + 0.30f * sqrtf(fmaxf(0.0f, 1.0f - 4.0f * across * across));
    bool below = down > tip;
    float id = hash_f(seed, (int32_t)floorf(x) % 16, (int32_t)row + (below ? 57 : 0));
    struct paint dark = {0.46f, 0.19f, 0.12f, 0.0f};
    struct paint light = {0.74f, 0.38f, 0.24f, 0.0f};
    float shade =
        below ? 0.45f : 0.72f + 0.30f * down - 0.35f * smoothstep_f(0.40f, 0.5f, fabsf(across));
    shade *= 0.85f + 0.3f * noise_fbm(seed + 1, u, v, 8, 4);
    return paint_shade(paint_mix(dark, light, id), shade);
}

struct paint texture_wood(uint32_t seed, float u, float v)
{
    float plank = floorf(u * 5.0f);
    float across = u * 5.0f - plank;
    float gap = smoothstep_f(0.46f, 0.49f, fabsf(across - 0.5f));
    float id = hash_f(seed, (int32_t)plank, 1);
    float bend = 0.03f * noise_tile(seed + 3, u, v, 5, 6);
    float fibre = noise_tile(seed + 8, u + bend, v + id, 120, 8);
    float shade = (0.72f + 0.14f * id + 0.28f * (fibre - 0.5f)) * (1.0f - 0.7f * gap);
    return (struct paint){shade, shade * 0.88f, shade * 0.72f, 0.0f};
}

static struct paint glass(uint32_t seed, float u, float v)
{
    float depth = 0.10f + 0.10f * v + 0.03f * noise_fbm(seed, u, v, 4, 3);
    return (struct paint){depth * 0.9f, depth * 1.1f, depth * 1.3f, 1.0f};
}

static struct paint room(uint32_t seed, float u, float v)
{
    float fold = 0.5f + 0.5f * sinf(u * 190.0f);
    float drape = u < 0.5f ? u : 1.0f - u;
    if (drape < 0.26f - 0.12f * v) {
        float shade = 0.55f + 0.25f * fold;
        return (struct paint){shade, shade * 0.96f, shade * 0.88f, 0.45f};
    }
    bool pot = inside(u, v, 0.40f, 0.80f, 0.60f, 0.94f);
    bool plant =
        noise_fbm(seed + 3, u, v, 16, 2) > 0.52f && inside(u, v, 0.34f, 0.58f, 0.66f, 0.81f);
    if (pot) {
        return (struct paint){0.60f, 0.30f, 0.18f, 0.4f};
    }
    return plant ? (struct paint){0.22f, 0.42f, 0.16f, 0.4f} : glass(seed, u, v);
}

/* One sash window, 2 by 3 panes, in its frame. */
struct paint texture_window(uint32_t seed, float u, float v)
{
    struct paint frame = {0.90f, 0.89f, 0.85f, 0.05f};
    float edge = fminf(fminf(u, 1.0f - u), fminf(v, 1.0f - v));
    float bar_u = fabsf(u - 0.5f);
    float bar_v = fminf(fabsf(v - 0.36f), fabsf(v - 0.68f));
    if (edge < 0.07f || bar_u < 0.028f || bar_v < 0.014f) {
        float bevel = edge < 0.012f || (edge > 0.058f && edge < 0.07f) ? 0.66f : 1.0f;
        return paint_shade(frame, bevel * (0.94f + 0.1f * grain(seed, u, v)));
    }
    return room(seed, u, v);
}

static struct paint shop_goods(uint32_t seed, float u, float v)
{
    float shelf = floorf(v * 5.0f);
    float x = u * 22.0f + 3.0f * hash_f(seed, (int32_t)shelf, 9);
    float height = 0.35f + 0.5f * hash_f(seed, (int32_t)floorf(x), (int32_t)shelf);
    float down = v * 5.0f - shelf;
    if (down > 0.93f) {
        return (struct paint){0.50f, 0.36f, 0.22f, 0.25f};
    }
    if (down < 0.93f - height || x - floorf(x) > 0.86f) {
        return (struct paint){0.19f, 0.15f, 0.12f, 0.35f};
    }
    static const struct paint goods[] = {
        {0.62f, 0.22f, 0.16f, 0.25f}, {0.80f, 0.66f, 0.30f, 0.25f}, {0.24f, 0.36f, 0.50f, 0.25f},
        {0.36f, 0.46f, 0.26f, 0.25f}, {0.78f, 0.74f, 0.64f, 0.25f}, {0.46f, 0.30f, 0.20f, 0.25f}};
    int kind = (int)(hash_f(seed + 1, (int32_t)floorf(x), (int32_t)shelf) * 5.999f);
    return paint_shade(goods[kind], 0.75f + 0.35f * down);
}

/* A shop's front: three tall panes over a panelled base. */
struct paint texture_shopfront(uint32_t seed, float u, float v)
{
    struct paint frame = {0.86f, 0.84f, 0.78f, 0.05f};
    float pane = u * 3.0f - floorf(u * 3.0f);
    if (v > 0.80f) {
        bool bevel = fabsf(fabsf(pane - 0.5f) - 0.38f) < 0.012f || fabsf(v - 0.84f) < 0.006f;
        return paint_shade(frame, bevel ? 0.6f : 0.92f + 0.1f * grain(seed, u, v));
    }
    if (pane < 0.045f || pane > 0.955f || v < 0.03f || fabsf(v - 0.22f) < 0.012f) {
        return paint_shade(frame, 0.94f + 0.08f * grain(seed, u, v));
    }
    return v < 0.22f ? glass(seed, u, v) : shop_goods(seed, u, (v - 0.22f) / 0.58f);
}

/* A panelled door with a light above and a knob. White, to be tinted. */
struct paint texture_door(uint32_t seed, float u, float v)
{
    float edge = fminf(fminf(u, 1.0f - u), v);
    if (v < 0.16f && edge > 0.05f) {
        return glass(seed, u, v);
    }
    float knob = (u - 0.86f) * (u - 0.86f) * 0.25f + (v - 0.60f) * (v - 0.60f);
    if (knob < 0.00016f) {
        return (struct paint){0.85f, 0.68f, 0.25f, 0.3f};
    }
    float pu = fabsf(fabsf(u - 0.5f) - 0.21f);
    float pv = v < 0.55f ? fabsf(v - 0.36f) / 0.15f : fabsf(v - 0.78f) / 0.17f;
    float panel = fmaxf(pu / 0.15f, pv);
    float shade = panel > 0.9f && panel < 1.0f ? 0.55f : panel < 0.9f ? 0.86f : 0.95f;
    shade *= edge < 0.05f ? 0.8f : 1.0f;
    shade *= 0.94f + 0.12f * noise_tile(seed, u, v, 90, 9);
    return (struct paint){shade, shade, shade, 0.04f};
}

struct paint texture_stripes(uint32_t seed, float u, float v)
{
    float weave = 0.92f + 0.16f * grain(seed, u, v);
    float stripe = u * 8.0f - floorf(u * 8.0f) < 0.5f ? 1.0f : 0.0f;
    struct paint white = {0.95f, 0.94f, 0.90f, 0.0f};
    struct paint red = {0.72f, 0.15f, 0.13f, 0.0f};
    return paint_shade(paint_mix(white, red, stripe), weave);
}
