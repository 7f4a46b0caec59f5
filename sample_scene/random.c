/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "random.h"

#include "vec.h"

/* Finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t scramble(uint64_t v)
{
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

struct random random_make(uint64_t seed, uint64_t stream)
{
    return (struct random){scramble(seed * 0x9e3779b97f4a7c15u + stream)};
}

static uint32_t next_u32(struct random *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return (uint32_t)(scramble(random->state) >> 32);
}

float random_range(struct random *random, float low, float high)
{
    return low + (high - low) * (float)(next_u32(random) >> 8) * (1.0f / 16777216.0f);
}

uint32_t random_index(struct random *random, uint32_t count)
{
    return (uint32_t)(((uint64_t)next_u32(random) * count) >> 32);
}

float hash_f(uint32_t seed, int32_t x, int32_t y)
{
    uint32_t h = seed * 0x9e3779b1u + (uint32_t)x * 0x85ebca77u + (uint32_t)y * 0xc2b2ae3du;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (float)((h ^ (h >> 15)) >> 8) * (1.0f / 16777216.0f);
}

/* Most numbers lie in the first period, and need no division. */
static int32_t wrap(int32_t v, int32_t period)
{
    if ((uint32_t)v < (uint32_t)period) {
        return v;
    }
    int32_t rest = v % period;
    return rest < 0 ? rest + period : rest;
}

/* Does as floorf, which is a call where nothing newer than SSE2 may be used. */
static int32_t floor_of(float v)
{
    int32_t whole = (int32_t)v;
    return whole - ((float)whole > v);
}

static float fade(float t)
{
    return t * t * (3.0f - 2.0f * t);
}

float noise_tile(uint32_t seed, float u, float v, int32_t columns, int32_t rows)
{
    float x = u * (float)columns;
    float y = v * (float)rows;
    int32_t left = floor_of(x);
    int32_t above = floor_of(y);
    int32_t x0 = wrap(left, columns);
    int32_t y0 = wrap(above, rows);
    int32_t x1 = x0 + 1 == columns ? 0 : x0 + 1;
    int32_t y1 = y0 + 1 == rows ? 0 : y0 + 1;
    float tx = fade(x - (float)left);
    float top = mix_f(hash_f(seed, x0, y0), hash_f(seed, x1, y0), tx);
    float bottom = mix_f(hash_f(seed, x0, y1), hash_f(seed, x1, y1), tx);
    return mix_f(top, bottom, fade(y - (float)above));
}

float noise_fbm(uint32_t seed, float u, float v, int32_t period, int octaves)
{
    float sum = 0.0f;
    float weight = 0.5f;
    float total = 0.0f;
    for (int octave = 0; octave < octaves; octave++) {
        sum += weight * noise_tile(seed + (uint32_t)octave, u, v, period, period);
        total += weight;
        weight *= 0.5f;
        period *= 2;
    }
    return sum / total;
}

struct noise_cell noise_cells(uint32_t seed, float u, float v, int32_t period, float jitter)
{
    float x = u * (float)period;
    float y = v * (float)period;
    int32_t cx = floor_of(x);
    int32_t cy = floor_of(y);
    float nearest = 8.0f;
    float second = 8.0f;
    float id = 0.0f;
    for (int32_t j = cy - 1; j <= cy + 1; j++) {
        for (int32_t i = cx - 1; i <= cx + 1; i++) {
            int32_t wi = wrap(i, period);
            int32_t wj = wrap(j, period);
            float px = (float)i + 0.5f + jitter * (hash_f(seed, wi, wj) - 0.5f);
            float py = (float)j + 0.5f + jitter * (hash_f(seed + 7, wi, wj) - 0.5f);
            float distance = (px - x) * (px - x) + (py - y) * (py - y);
            if (distance < nearest) {
                second = nearest;
                nearest = distance;
                id = hash_f(seed + 13, wi, wj);
            } else if (distance < second) {
                second = distance;
            }
        }
    }
    return (struct noise_cell){sqrtf(nearest), sqrtf(second) - sqrtf(nearest), id};
}
