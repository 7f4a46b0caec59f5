/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "discs.h"

#include <math.h>
#include <stdlib.h>

#define DISCS 400

struct disc {
    double x, y, radius;
    double color[3];
};

static double random_of(uint32_t *random, double low, double high)
{
    *random = *random * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*random >> 8) * 0x1p-24;
}

static void add_disc(const struct bench_size *size, const struct disc *disc, float *levels)
{
    const int left = (int)fmax(disc->x - disc->radius, 0.0);
    const int top = (int)fmax(disc->y - disc->radius, 0.0);
    for (int y = top; y < (int)size->height_px && y < disc->y + disc->radius; y++) {
        for (int x = left; x < (int)size->width_px && x < disc->x + disc->radius; x++) {
            for (int c = 0; hypot(x - disc->x, y - disc->y) < disc->radius && c < 3; c++) {
                levels[3 * ((size_t)y * size->width_px + (size_t)x) + (size_t)c] +=
                    (float)disc->color[c];
            }
        }
    }
}

/* Slow shades, discs of all sizes, mostly brighter or darker, and a little noise. */
static void draw(const struct bench_size *size, uint32_t seed, float *levels)
{
    uint32_t random = seed;
    for (size_t i = 0; i < (size_t)size->width_px * size->height_px; i++) {
        const double x = (double)(i % size->width_px);
        const double y = (double)(i / size->width_px);
        const double light = 110.0 + 40.0 * sin(0.011 * x + 0.017 * y + seed) +
                             20.0 * sin(0.05 * x - 0.03 * y) + random_of(&random, -4.0, 4.0);
        for (size_t c = 0; c < 3; c++) {
            levels[3 * i + c] =
                (float)(light + 8.0 * sin(0.01 * (double)(c + 1) * x) + random_of(&random, -2, 2));
        }
    }
    for (int i = 0; i < DISCS; i++) {
        struct disc disc = {random_of(&random, 0.0, size->width_px),
                            random_of(&random, 0.0, size->height_px),
                            pow(2.0, random_of(&random, 1.5, 6.0)),
                            {0}};
        const double light = random_of(&random, -60.0, 60.0);
        for (int c = 0; c < 3; c++) {
            disc.color[c] = light + random_of(&random, -15.0, 15.0);
        }
        add_disc(size, &disc, levels);
    }
}

void discs_draw(const struct bench_size *size, uint32_t number, bool noise, unsigned char *out)
{
    const size_t bytes = 3 * (size_t)size->width_px * size->height_px;
    float *levels = bench_memory(bytes, sizeof *levels);
    uint32_t random = number + 1;
    draw(size, number + 1, levels);
    for (size_t i = 0; i < bytes; i++) {
        const float level =
            noise ? (float)random_of(&random, 0.0, 255.9) : fminf(levels[i], 255.0f);
        out[i] = (unsigned char)fmaxf(level, 0.0f);
    }
    free(levels);
}
