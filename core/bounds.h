/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smaller and the larger of two whole numbers, one that is kept within bounds, and parts. */
#pragma once

#include <stdint.h>

static inline int32_t bounds_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t bounds_larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t bounds_clamped(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns how many parts of a size there are, of which the last one may be smaller. */
static inline int32_t bounds_parts(int32_t all, int32_t part)
{
    return (all + part - 1) / part;
}

static inline uint32_t bounds_smaller_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t bounds_larger_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
