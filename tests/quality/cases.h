/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This lists what is measured: settings, and the exact picture of them. */
#pragma once

#include "images.h"

#include <stdbool.h>

struct quality_case {
    const char *name;
    enum fovea_method method;
    enum fovea_model model;
    enum fovea_light light;
    uint32_t fragment_px;
    double ppd; /* 0: the default view */
    double worse; /* divides the cutoffs of models with a view: an eye so much worse */
    enum fovea_map_kind map; /* by the paper's degrees where there is no ppd */
    bool larger; /* of the larger size too */
};

extern const struct quality_case quality_cases[];
extern const size_t quality_case_count;
/* The case of the smooth method that the paper's protocol compares with. */
#define CASE_PAPER_32 0
#define CASE_PAPER_ENCODED 3
#define CASE_PAPER_LINEAR 4
#define CASE_PHYSICAL_SMOOTH 6
#define CASE_PHYSICAL_32 8

struct quality_gaze {
    const char *name;
    struct fovea_point_uv point;
};

/* The sizes of the report. At the first the paper's law is steeper than the fast paths serve
 * (GAUSS_TILE_MAX_SLOPE, GAUSS_CPU_TILE_MAX_SLOPE), as laws are in small pictures; at the
 * second, half as steep, they take it. */
struct quality_size {
    uint32_t width_px, height_px;
};

#define SIZE_COUNT 2
extern const struct quality_size quality_sizes[SIZE_COUNT];
extern const struct quality_size quality_paper; /* of the paper's own figure */

#define GAZE_COUNT 2
extern const struct quality_gaze quality_gazes[GAZE_COUNT];

struct fovea_foveation quality_foveation(const struct quality_case *c);

/* The settings' double-precision reference of src, in levels; the caller frees it. Any thread. */
double *exact_levels(const struct fovea_foveation *foveation, const struct fovea_image *src,
                     struct fovea_point_uv gaze);

/* A value so close to the middle between two levels may be rounded to either: a checker's average
 * is 127.5, and no arithmetic agrees with another one about where that belongs. All of a fragment
 * has one sigma, so where a pixel of it is near to the middle, all of them are. */
#define EXACT_TIE_LEVELS 0.01
#define EXACT_TIE_LEVELS_BLOCKWISE 0.25

/* Rounds to 8 bits, where there is a tie as `actual` has it (unless NULL). Returns how many values
 * that made equal which plain rounding would not. */
size_t exact_round(const double *levels, const struct fovea_image *actual, double tie_levels,
                   const struct fovea_image *dst);
