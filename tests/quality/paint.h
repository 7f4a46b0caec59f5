/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* pictures.c draws these: colours 0..1 of a pixel, from its place and a seed. */
#pragma once

#include <stdint.h>

struct place {
    uint32_t x, y;
    uint32_t width, height;
    uint64_t seed;
};

typedef void (*paint_fn)(const struct place *, double out_rgb[3]);

void paint_white_noise(const struct place *at, double out_rgb[3]);
void paint_binary_noise(const struct place *at, double out_rgb[3]);
void paint_dark_noise(const struct place *at, double out_rgb[3]);
void paint_pink_noise(const struct place *at, double out_rgb[3]);
void paint_checker(const struct place *at, double out_rgb[3]); /* squares of `seed` pixels */
void paint_rows(const struct place *at, double out_rgb[3]);
void paint_columns(const struct place *at, double out_rgb[3]);
void paint_dots(const struct place *at,
                double out_rgb[3]); /* seed 0: white on black, else the reverse */
void paint_zone_plate(const struct place *at,
                      double out_rgb[3]); /* colours apart where seed is not 0 */
void paint_star(const struct place *at, double out_rgb[3]);
void paint_gradient(const struct place *at, double out_rgb[3]);
void paint_colour_bars(const struct place *at, double out_rgb[3]);
void paint_edges(const struct place *at, double out_rgb[3]);
void paint_discs(const struct place *at, double out_rgb[3]);
void paint_strokes(const struct place *at, double out_rgb[3]);
void paint_photo(const struct place *at, double out_rgb[3]);
