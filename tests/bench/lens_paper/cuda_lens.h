/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the measurements of ways to warp for a lens share. */
#ifndef FOVEA_BENCH_CUDA_LENS_H
#define FOVEA_BENCH_CUDA_LENS_H

#include "check.h"
#include "cuda_bench.h"

#define LENS_RED_K1 (LENS_PAPER_K1 - 0.01) /* where colours lie apart */
#define LENS_BLUE_K1 (LENS_PAPER_K1 + 0.01)
#define LENS_BLANK 0xff000000u /* Fovea's and others'; the paper's ways write none */

/* Fovea's times that ways are compared with. */
struct cuda_lens_ours {
    double nearest_us;
    double bilinear_us;
    double colors_us;
};

struct cuda_lens {
    struct cuda_bench *b;
    struct thread_pool *pool;
    struct lens_paper_tables tables;
    uint32_t *src; /* the picture */
    uint32_t *out; /* room for one */
    struct cuda_lens_ours ours;
};

/* A way: how it is enqueued, and how its picture is looked at (NULL: not at all). */
struct cuda_lens_way {
    const char *what;
    cuda_enqueue_fn enqueue;
    void *user;
    void (*check)(const struct cuda_lens *lens, char *words, size_t bytes);
    double ours_us;
    /* Makes what user is anew, before each further use: what a graph has captured notes its
     * launches by events that nobody may ask for outside of it. NULL: there is nothing to do. */
    void (*renew)(struct cuda_bench *b, void *user);
};

/* True: the case is wished for. */
bool cuda_lens_wants(const struct cuda_lens *lens, const char *what);
/* Its time, over pictures that take turns and over one, as a row. Returns the first. */
double cuda_lens_measure(struct cuda_lens *lens, const struct cuda_lens_way *way);

void cuda_lens_check_bilinear(const struct cuda_lens *lens, char *words, size_t bytes);
void cuda_lens_check_colors(const struct cuda_lens *lens, char *words, size_t bytes);
void cuda_lens_check_nearest(const struct cuda_lens *lens, char *words, size_t bytes);

/* cuda_lens_peers.c, cuda_lens_memory.c: ways of others; the paper's with copies from the host and
 * back, and in memory of both. */
void cuda_lens_peers(struct cuda_lens *lens);
void cuda_lens_memory(struct cuda_lens *lens, CUfunction backward,
                      const struct lens_paper_params *params);

/* Fovea's times behind random lenses at random sizes; x Fovea: against 4K's for a pixel. */
void cuda_lens_flat(struct cuda_bench *b);

/* A function of the driver that the library does not call; NULL: it is not there. */
void *cuda_lens_driver_function(const char *name);

#endif
