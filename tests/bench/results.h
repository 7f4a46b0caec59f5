/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This holds what was measured, in the order in which it was. */
#pragma once

#include "cases.h"
#include "times.h"

#define RESULT_NAME_BYTES 96
#define RESULT_TEXT_BYTES 160

/* A table of the report each. */
enum result_kind {
    RESULT_PICTURE, /* one picture: copies, and what Fovea does */
    RESULT_BATCH, /* many small ones at once */
    RESULT_LENS, /* ways to warp a picture for a lens */
    RESULT_FOVEATION, /* a paper's kernel for foveation, and others */
    RESULT_THESIS, /* a thesis's ways to blur */
    RESULT_LIGHTFIELD, /* a paper's kernels for light fields */
    RESULT_CSDD, /* a thesis's kernels for blobs */
    RESULT_KIND_COUNT,
};

struct result {
    enum result_kind kind;
    const char *backend;
    const struct bench_size *size;
    const char *what; /* a mode's name, "copy", or what else it is */
    const char *gaze; /* NULL: none */
    enum fovea_format format;
    uint32_t images; /* 1 but in batches */
    const char *way; /* how it was timed */
    struct bench_times times; /* of all images together */
    double reference_us; /* of a copy; 0: unknown */
    struct bench_times warm; /* lens: of one picture again and again, which caches may hold */
    double ours_us; /* lens: of Fovea's way that takes the same pixels; 0: there is none */
    char note[RESULT_TEXT_BYTES];
};

/* A random point of the domain (domain.h). */
struct domain_result {
    const char *backend;
    uint32_t number; /* of its seed */
    char words[RESULT_TEXT_BYTES];
    struct bench_size size;
    uint32_t images;
    double strength;
    struct bench_times times; /* of all images together */
    double copy_us; /* of as many bytes */
    double bound_us; /* 0: refused */
    const char *bound_words; /* NULL: refused */
};

struct result_note {
    char what[RESULT_NAME_BYTES];
    char why[RESULT_TEXT_BYTES];
};

struct results {
    struct result *rows;
    size_t row_count;
    struct domain_result *domain;
    size_t domain_count;
    uint64_t domain_seed;
    struct result_note *absent; /* what is not there, and why */
    size_t absent_count;
    struct result_note *machine; /* "cuda device", "NVIDIA H200" */
    size_t machine_count;
    char **words; /* names of ways that were put together */
    size_t word_count;
    size_t wrong_count; /* ways whose pictures are not what they were to be */
};

/* Gives a row to fill in; it stays where it is until the next one is added. */
struct result *results_add(struct results *results);
/* Adds one of many pictures at once, or of what no table of its own has. */
void results_add_batch(struct results *results, const char *backend, const struct bench_size *size,
                       const char *what, enum fovea_format format, uint32_t images, const char *way,
                       const struct bench_times *times);
struct domain_result *results_add_domain(struct results *results);
/* Said once. */
void results_absent(struct results *results, const char *what, const char *why);
void results_machine(struct results *results, const char *what, const char *value);
/* A text that stays until results_free. */
const char *results_words(struct results *results, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void results_free(struct results *results);

/* Bytes read and written at least: every pixel once each. */
double result_gb_per_s(const struct result *row);
double result_ps_per_pixel(const struct result *row);
/* The device's bandwidth: of that backend's copy of the most bytes, which no cache holds; 0: none
 * was measured. */
double results_copy_gb_per_s(const struct results *results, const char *backend);
