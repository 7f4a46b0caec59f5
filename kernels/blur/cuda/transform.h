/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fourier transforms of lines of complex numbers in a block's shared memory, where they lie: there
 * by steps that leave the numbers in the order of their reversed digits, and back by the same steps
 * from that order. A convolution needs no other order. Included by C and CUDA. */
#pragma once

#include <stdint.h>

#define BLUR_TRANSFORM_STEPS 16
#define BLUR_TRANSFORM_LAST 8 /* radix of the last step */
#define BLUR_TRANSFORM_GAP 16 /* numbers between gaps in shared memory; lengths are multiples */

struct blur_transform {
    int32_t length; /* the product of the radices */
    int32_t steps; /* 2 and more */
    int32_t radix[BLUR_TRANSFORM_STEPS]; /* 3s and 5s, 2s and 4s, 8s */
    /* 2^32 over what is left of the length after a step, rounded up: a division by that number is
     * the upper half of a product. */
    uint32_t inverse[BLUR_TRANSFORM_STEPS];
    uint64_t turns; /* complex[length]: exp(-2 pi i k / length) */
};

/* A number's place in shared memory: without gaps neighbouring threads' numbers would lie in the
 * same bank. What lies k parts behind a number of a step is place(k parts) behind its place: parts
 * are multiples of a gap, or powers of 2 that go into it, as odd radices come first. */
#ifdef __CUDACC__
#define BLUR_TRANSFORM_ANYWHERE __host__ __device__
#else
#define BLUR_TRANSFORM_ANYWHERE
#endif
BLUR_TRANSFORM_ANYWHERE static inline int32_t blur_transform_place(int32_t number)
{
    return number + (int32_t)((uint32_t)number / BLUR_TRANSFORM_GAP);
}

/* Numbers' places of a line, of which several lie behind each other in different banks. */
BLUR_TRANSFORM_ANYWHERE static inline int32_t blur_transform_places(int32_t length)
{
    const int32_t places = blur_transform_place(length - 1) + 1;
    return places + (18 - places % 16) % 16;
}

#ifndef __CUDACC__

/* The length from `least` to `most` that takes the least time, by counts of steps; 0: there is
 * none. */
int32_t blur_transform_length(int32_t least, int32_t most);
/* All but the turns, for a length from there. */
void blur_transform_make(int32_t length, struct blur_transform *out);
/* Writes the turns, as double or as float. */
void blur_transform_fill(const struct blur_transform *transform, int32_t precise, void *out);

#endif
