/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields that the measurements on CUDA and on Vulkan share: arrays of lenses, and what is
 * done with their raw pictures. */
#pragma once

#include "bench.h"
#include "fovea_lightfield.h"

enum bench_lightfield_kind {
    BENCH_RENDER,
    BENCH_ALL_IN_FOCUS,
    BENCH_DEPTH,
    BENCH_SUM,
    BENCH_REFOCUS,
    BENCH_CHAIN, /* refocused, then foveated; on CUDA */
};

enum bench_array_kind {
    BENCH_ARRAY_PAPER,
    BENCH_ARRAY_QUICK,
    /* Those of the three raw pictures that come with napari-LF, as `./run lightfield calibrate`
     * finds them; pictures have four pixels to each side of a lens, as `./run lightfield --views`
     * makes them. */
    BENCH_ARRAY_ANT_LEG,
    BENCH_ARRAY_SEA_URCHIN,
    BENCH_ARRAY_VESICLES,
};

struct bench_lightfield_case {
    const char *name, *what;
    enum bench_lightfield_kind kind;
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    enum fovea_lightfield_filter filter;
    bool box;
    bool gaze; /* fewer micro-images away from it, and a coarse search */
    enum bench_array_kind array;
};

extern const struct bench_lightfield_case bench_lightfield_cases[];
extern const size_t bench_lightfield_case_count;

/* Holds what the calls of a case take. It stays where it is: its parts point to each other. */
struct bench_lightfield {
    const struct bench_lightfield_case *of;
    const struct bench_size *size;
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
    struct fovea_lightfield_sum sum;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
};

bool bench_lightfield_wants(const struct bench *bench, const char *backend, size_t number);
/* Describes a case; `small`: with an array of few lenses. */
void bench_lightfield_make(size_t number, bool small, struct bench_lightfield *out);
/* Adds a row. */
void bench_lightfield_add(struct bench *bench, const char *backend, const char *way,
                          const struct bench_lightfield *lightfield,
                          const struct bench_times *times);
/* Fills a raw picture with noise, the same each time. */
void bench_lightfield_noise(unsigned char *raw, size_t bytes);
/* Fills a picture of patch sizes. */
void bench_lightfield_patches(const struct bench_size *size, float *out_px);
