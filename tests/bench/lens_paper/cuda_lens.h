/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The measurements of ways to warp for a lens share this. */
#pragma once

#include "check.h"
#include "papers/cuda_ways.h"

#define LENS_APART_K1 0.01 /* of red and blue from green, where colours lie apart */
#define LENS_BLANK 0xff000000u /* Fovea's and others'; the paper's ways write none */

/* Fovea's times that ways are compared with. */
struct cuda_lens_ours {
    double nearest_us;
    double bilinear_us;
    double colors_us;
};

struct cuda_lens {
    struct cuda_ways ways;
    struct thread_pool *pool;
    struct lens_paper_tables tables;
    uint32_t *src; /* the picture */
    struct cuda_lens_ours ours;
};

/* cuda_ways_check_fn; user: a struct cuda_lens. Between pixels others than Fovea may be as far off
 * as they are: that is said, not judged. */
bool cuda_lens_check_untouched(void *user, const void *made, char *words, size_t bytes);
bool cuda_lens_check_bilinear(void *user, const void *made, char *words, size_t bytes);
bool cuda_lens_check_colors(void *user, const void *made, char *words, size_t bytes);

/* cuda_lens_peers.c, cuda_lens_memory.c: ways of others; the paper's with copies from the host and
 * back, and in memory of both. */
void cuda_lens_peers(struct cuda_lens *lens);
void cuda_lens_memory(struct cuda_lens *lens, CUfunction backward,
                      const struct lens_paper_params *params);

/* Fovea's times behind random lenses at random sizes; x Fovea: against 4K's for a pixel. */
void cuda_lens_flat(struct cuda_bench *b);
