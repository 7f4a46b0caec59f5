/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Numbers by chance that a seed repeats, the same everywhere. */
#pragma once

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014): neighbouring seeds give unrelated numbers. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline double random_uniform(uint64_t *state, double from, double to)
{
    return from + (to - from) * (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Returns a number from 0 to 1, for the same three numbers always the same. It ends as splitmix64
 * does. */
static inline double random_hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ b * 0xc2b2ae3d27d4eb4fu ^ c * 0x165667b19e3779f9u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(h >> 11) / 9007199254740991.0;
}
