/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The samples of a map, from a program's array or from a formula; files are read elsewhere. Degrees
 * run right and down from the gaze, which is what the map's middle lies on. */
#pragma once

#include "config/settings.h"

/* Generated maps: a quarter of a degree a sample, 100 degrees to each side. */
#define FOVEATE_MAP_GENERATED_SIDE 801
#define FOVEATE_MAP_GENERATED_DEG 0.25
/* ON midget cells at the gaze resolve so many cycles a degree: sqrt(D / 2 / (2 sqrt 3)) for the
 * human map's density D. */
#define FOVEATE_MAP_HUMAN_CPD 65.4

/* Borrows the values of an array, or of a formula where its samples are made. */
struct foveate_map {
    enum fovea_map_kind kind;
    enum fovea_map_eye eye;
    const float *values; /* of an array; NULL: a formula is evaluated */
    int32_t width;
    int32_t height;
    double deg_per_sample;
    double largest;
    double smallest; /* the floor counted in */
    double floor; /* samples below count as this */
    struct fovea_map_ready *ready; /* of these samples; NULL: there is none */
};

/* All samples of a formula, FOVEATE_MAP_GENERATED_SIDE each way, the right eye's. Settings that
 * have them in `values`, with a serial, spare plans the work; what comes out is the same. */
void foveate_map_generate(enum fovea_map_kind kind, float *out_values);

/* False where an array's samples are all 0, or all the same with the linear law. The settings are
 * such as config_foveation_check lets through, and of no file. */
bool foveate_map_init(struct foveate_map *map, const struct fovea_map *settings);

/* Column i, row j. Beyond the edges the smallest. */
double foveate_map_sample(const struct foveate_map *map, int32_t i, int32_t j);

/* Linear between the samples; from the outermost to the smallest within one sample more. */
double foveate_map_at(const struct foveate_map *map, double x_deg, double y_deg);

/* The smallest sample that counts anywhere up to so many degrees to each side. */
double foveate_map_smallest_within(const struct foveate_map *map, double x_deg, double y_deg);

/* ---- Formulas: densities at a place of the visual field, y down ------------------------------ */

/* Receptive fields of midget cells a square degree, Watson 2014. */
double foveate_map_human(enum fovea_map_eye eye, double x_deg, double y_deg);
/* 1 at the gaze. */
double foveate_map_streak(double x_deg, double y_deg);
/* Kangaroo, hawk and dog: 1 at the gaze. Eyes differ in where the hawk's second fovea looks. */
double foveate_map_animal(enum fovea_map_kind kind, enum fovea_map_eye eye, double x_deg,
                          double y_deg);
