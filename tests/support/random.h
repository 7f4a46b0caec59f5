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
