/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "transform.h"

#include <math.h>
#include <string.h>

/* Steps divide the length by these, the last step first. */
static const int32_t radices[] = {BLUR_TRANSFORM_LAST, 4, 2, 5, 3};

/* Splits the length, and returns how many steps it takes; 0: it has another factor. */
static int32_t split(int32_t length, int32_t radix[2 * BLUR_TRANSFORM_STEPS])
{
    int32_t from_last[2 * BLUR_TRANSFORM_STEPS];
    int32_t steps = 0;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        for (; length % radices[i] == 0; length /= radices[i]) {
            from_last[steps++] = radices[i];
        }
    }
    for (int32_t i = 0; i < steps; i++) {
        radix[i] = from_last[steps - 1 - i];
    }
    return length == 1 ? steps : 0;
}

/* A step reads and writes each number in shared memory; what is around the steps counts as two of
 * them. */
int32_t blur_transform_length(int32_t least, int32_t most)
{
    int32_t best = 0;
    int64_t best_cost = INT64_MAX;
    const int32_t first =
        (least + BLUR_TRANSFORM_GAP - 1) / BLUR_TRANSFORM_GAP * BLUR_TRANSFORM_GAP;
    for (int32_t length = first; length <= most && length <= 2 * first;
         length += BLUR_TRANSFORM_GAP) {
        int32_t radix[2 * BLUR_TRANSFORM_STEPS];
        const int32_t steps = split(length, radix);
        const int64_t cost = (int64_t)length * (steps + 2);
        if (steps > 0 && steps <= BLUR_TRANSFORM_STEPS && cost < best_cost) {
            best = length;
            best_cost = cost;
        }
    }
    return best;
}

void blur_transform_make(int32_t length, struct blur_transform *out)
{
    memset(out, 0, sizeof *out);
    out->length = length;
    int32_t radix[2 * BLUR_TRANSFORM_STEPS];
    out->steps = split(length, radix);
    memcpy(out->radix, radix, sizeof out->radix);
    for (int32_t i = 0, left = length; i < out->steps; i++) {
        left /= out->radix[i];
        out->inverse[i] = (uint32_t)(((uint64_t)1 << 32) / (uint64_t)left +
                                     (((uint64_t)1 << 32) % (uint64_t)left != 0));
    }
}

void blur_transform_fill(const struct blur_transform *transform, int32_t precise, void *out)
{
    for (int32_t i = 0; i < transform->length; i++) {
        const double angle = -2.0 * M_PI * i / transform->length;
        if (precise) {
            ((double *)out)[2 * i] = cos(angle);
            ((double *)out)[2 * i + 1] = sin(angle);
        } else {
            ((float *)out)[2 * i] = (float)cos(angle);
            ((float *)out)[2 * i + 1] = (float)sin(angle);
        }
    }
}
