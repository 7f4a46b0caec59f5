/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Random numbers that are the same on every machine for the same seed, and noise made of them. */
#pragma once

#include <stdint.h>

struct random {
    uint64_t state;
};

struct random random_make(uint64_t seed, uint64_t stream);
/* low <= number < high */
float random_range(struct random *random, float low, float high);
/* 0 <= number < count */
uint32_t random_index(struct random *random, uint32_t count);

/* 0..1, a pure function of the arguments. */
float hash_f(uint32_t seed, int32_t x, int32_t y);
/* Value noise, 0..1, on columns x rows lattice cells that repeat; u and v run over 0..1 for one
 * tile. */
float noise_tile(uint32_t seed, float u, float v, int32_t columns, int32_t rows);
/* Octaves of it, each twice as fine, 0..1. */
float noise_fbm(uint32_t seed, float u, float v, int32_t period, int octaves);

/* Cells around jittered points on a lattice that repeats: distance to the nearest point, how much
 * further the second one is (0 on the border), and a number 0..1 of the cell. */
struct noise_cell {
    float distance;
    float border;
    float id;
};

struct noise_cell noise_cells(uint32_t seed, float u, float v, int32_t period, float jitter);
