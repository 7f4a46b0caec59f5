/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Random points of everything that the library can be asked for: sizes that nobody chose,
 * strengths, laws, lights, formats, counts, gazes. A time at a few chosen sizes says nothing about
 * those beside them, so results are judged by points that a seed chooses. Each point has a bound; a
 * broken one fails the run. */
#pragma once

#include "bench.h"

#include <stdio.h>

struct domain_point {
    struct bench_size size; /* its name is empty */
    uint32_t images; /* 1: a picture; more: a batch whose images have a gaze each */
    enum fovea_format format;
    struct fovea_foveation foveation;
    struct fovea_point_uv gaze; /* of a picture */
};

/* A backend can be asked for this on this machine. */
struct domain_limits {
    uint64_t most_pixels; /* of a picture, and of a batch's images together */
    uint64_t
        /* full batches have at least so many together; 0: the backend has no batches */
        batch_pixels;
    bool surfaces_only; /* formats that Vulkan's images have */
};

/* The same on every machine for the same limits. */
struct domain_point domain_point(uint64_t seed, uint32_t number,
                                 const struct domain_limits *limits);
/* "1024 x 97x213 RGB8, paper x2.13, linear". */
void domain_words(const struct domain_point *point, char out[RESULT_TEXT_BYTES]);

/* A point's time is held against `factor` times something of the same run. */
enum domain_against {
    DOMAIN_COPY, /* of as many bytes */
    DOMAIN_COMPANION, /* the time of another point */
    DOMAIN_TIME, /* factor is in microseconds */
};

struct domain_bound {
    enum domain_against against;
    double factor;
    const char *words;
    struct domain_point companion;
};

struct domain_bound domain_bound(const char *backend, const struct domain_point *point,
                                 uint32_t threads);

/* How a backend times a point. FOVEA_ERROR_INVALID_ARGUMENT: the library refuses it. */
struct domain_device {
    const char *backend;
    struct domain_limits limits;
    uint32_t threads; /* of the cpu backend */
    enum fovea_result (*time)(void *user, const struct domain_point *point,
                              struct domain_result *out_result);
    void *user;
};

/* Times every point that is wished for. */
void domain_run(struct bench *bench, const struct domain_device *device);

/* domain_report.c: bounds and the worst points. True: no bound is broken. */
bool domain_report(const struct results *results, FILE *out);
