/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "random.h"
#include "textures.h"
#include "vec.h"

static float grain(uint32_t seed, float u, float v)
{
    return noise_tile(seed + 31, u, v, 256, 256) - 0.5f;
}

struct paint texture_grass(uint32_t seed, float u, float v)
{
    float patch = noise_fbm(seed, u, v, 4, 3);
    float bend = 0.04f * noise_tile(seed + 3, u, v, 8, 8);
    float blade = noise_tile(seed + 5, u + bend, v, 170, 60);
    float fine = noise_tile(seed + 6, u, v, 250, 125);
    struct paint dark = {0.13f, 0.24f, 0.07f, 0.0f};
    struct paint bright = {0.40f, 0.56f, 0.19f, 0.0f};
    struct paint dry = {0.58f, 0.57f, 0.30f, 0.0f};
    struct paint p = paint_mix(dark, bright, 0.25f * patch + 0.5f * blade + 0.35f * fine);
    return paint_mix(p, dry, smoothstep_f(0.55f, 0.85f, patch) * 0.6f * fine);
}

struct paint texture_meadow(uint32_t seed, float u, float v)
{
    struct paint p = texture_grass(seed, u, v);
    struct noise_cell cell = noise_cells(seed + 40, u, v, 28, 0.9f);
    struct paint petals = {0.95f, 0.93f, 0.86f, 0.0f};
    if (cell.id > 0.8f) {
        petals = (struct paint){0.93f, 0.77f, 0.15f, 0.0f};
    } else if (cell.id > 0.68f) {
        petals = (struct paint){0.80f, 0.20f, 0.14f, 0.0f};
    } else if (cell.id > 0.60f) {
        petals = (struct paint){0.48f, 0.36f, 0.78f, 0.0f};
    } else if (cell.id < 0.4f) {
        return p;
    }
    return cell.distance < 0.14f + 0.06f * cell.id ? petals : p;
}

struct paint texture_gravel(uint32_t seed, float u, float v)
{
    struct noise_cell big = noise_cells(seed, u, v, 40, 0.95f);
    struct noise_cell small = noise_cells(seed + 50, u, v, 96, 0.95f);
    struct noise_cell cell = big.id > 0.55f ? big : small;
    float shade = 0.42f + 0.36f * cell.id + 0.2f * clamp_f(cell.border * 3.0f, 0.0f, 0.7f);
    shade *= 0.9f + 0.2f * noise_fbm(seed + 2, u, v, 4, 3);
    float warm = hash_f(seed, (int32_t)(cell.id * 4096.0f), 3);
    return (struct paint){shade, shade * (0.96f - 0.05f * warm), shade * (0.88f - 0.14f * warm),
                          0.0f};
}

struct paint texture_rock(uint32_t seed, float u, float v)
{
    float bands = noise_fbm(seed, u, v + 0.15f * noise_fbm(seed + 9, u, v, 4, 3), 5, 5);
    float ridge = fabsf(2.0f * noise_fbm(seed + 20, u, v, 8, 5) - 1.0f);
    float shade = 0.3f + 0.35f * bands + 0.35f * smoothstep_f(0.0f, 0.25f, ridge);
    shade += 0.08f * grain(seed, u, v);
    return (struct paint){shade, shade * 0.95f, shade * 0.88f, 0.0f};
}

struct paint texture_cobble(uint32_t seed, float u, float v)
{
    struct noise_cell cell = noise_cells(seed, u, v, 20, 0.42f);
    float dome = smoothstep_f(0.02f, 0.30f, cell.border);
    float shade = 0.42f + 0.28f * cell.id + 0.12f * (noise_fbm(seed + 4, u, v, 16, 4) - 0.5f);
    shade *= 0.32f + 0.68f * dome;
    shade += 0.06f * grain(seed, u, v);
    float blue = hash_f(seed, (int32_t)(cell.id * 8192.0f), 5) - 0.4f;
    return (struct paint){shade * (1.0f - 0.06f * blue), shade * 0.98f,
                          shade * (0.95f + 0.1f * blue), 0.06f * dome};
}

struct paint texture_pavement(uint32_t seed, float u, float v)
{
    float row = floorf(v * 6.0f);
    float x = u * 4.0f + (fmodf(row, 2.0f) > 0.5f ? 0.5f : 0.0f);
    float edge_u = fabsf(x - floorf(x) - 0.5f) * 2.0f;
    float edge_v = fabsf(v * 6.0f - row - 0.5f) * 2.0f;
    float joint = smoothstep_f(0.95f, 0.985f, fmaxf(edge_u, edge_v));
    float slab = hash_f(seed, (int32_t)floorf(x) % 4, (int32_t)row);
    float shade = 0.62f + 0.12f * slab + 0.16f * (noise_fbm(seed, u, v, 8, 5) - 0.5f);
    shade += 0.09f * grain(seed, u, v);
    shade *= 1.0f - 0.55f * joint;
    return (struct paint){shade, shade * 0.97f, shade * 0.91f, 0.03f};
}

/* Red: how thick the cloud is; green: where the light comes through. */
struct paint texture_clouds(uint32_t seed, float u, float v)
{
    float warp_u = u + 0.05f * noise_fbm(seed + 60, u, v, 4, 4);
    float warp_v = v + 0.05f * noise_fbm(seed + 70, u, v, 4, 4);
    float thick = noise_fbm(seed, warp_u, warp_v, 5, 6);
    float lit = noise_fbm(seed, warp_u + 0.012f, warp_v + 0.012f, 5, 5);
    return (struct paint){smoothstep_f(0.44f, 0.74f, thick),
                          clamp_f(0.6f + 3.0f * (thick - lit), 0.0f, 1.0f), 0.0f, 0.0f};
}
