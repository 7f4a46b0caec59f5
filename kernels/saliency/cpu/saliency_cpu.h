/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD on the processor. A picture takes steps that are shared out among the workers of a pool:
 * bins of rows; pixels in the order of their bins; of each channel tiles of step 2, planes of the
 * levels beyond, and these levels' tiles, and beside them tiles of level 0; maxima. The responses
 * of all scales are kept, as whole numbers. */
#pragma once

#include "kernels/saliency/candidate.h"
#include "kernels/saliency/cpu/loops.h"
#include "kernels/saliency/plan.h"

struct thread_pool;

#define SALIENCY_TILE_WIDTH 128 /* samples of a response, or pixels */
#define SALIENCY_FINE_ROWS 32
#define SALIENCY_COARSE_ROWS 64

/* Levels of a format: 0 .. most, of which a bin of I1 has so many. */
struct saliency_range {
    float most;
    float bin;
};
struct saliency_range saliency_range_of(enum fovea_format format);

struct saliency_place {
    uint16_t x, y;
};

/* The strongest candidates that a worker has seen: the weakest of them comes first (a heap). */
struct saliency_candidates {
    struct saliency_candidate *of;
    uint32_t count, most;
};

/* Planes of steps from 4 on, of one channel: of each bin all levels behind each other. */
struct saliency_kept {
    int16_t *planes; /* NULL: there are no such levels */
    size_t of_bin; /* numbers */
    size_t first[SALIENCY_LEVELS_MAX];
    int32_t pitch[SALIENCY_LEVELS_MAX];
    uint32_t *bins; /* that tiles of step 2 have pixels of, a bit each */
};

struct saliency_fine;
struct saliency_coarse;
struct saliency_maxima;

struct saliency_worker {
    struct saliency_fine *fine;
    struct saliency_coarse *coarse;
    struct saliency_maxima *maxima;
    float *colors; /* a row of the picture */
    struct saliency_candidates candidates;
};

struct saliency_cpu {
    const struct saliency_plan *plan;
    const struct saliency_loops *loops;
    struct thread_pool *pool;
    struct saliency_worker *workers;
    uint32_t worker_count;
    uint32_t channels; /* 1 or 3 */
    bool adds_every_plane; /* for tests: also those that are like the one before */
    struct fovea_image src;
    unsigned char *bins; /* of each channel, with SALIENCY_FINE_REACH more on all sides */
    ptrdiff_t bin_pitch;
    struct saliency_place *order[SALIENCY_CHANNELS]; /* pixels by bin, of one bin from the top */
    uint32_t start[SALIENCY_CHANNELS][SALIENCY_BINS + 1];
    struct saliency_kept kept;
    int32_t *response;
    struct saliency_candidates merged;
    size_t bytes;
};

static inline unsigned char *saliency_cpu_bins_at(const struct saliency_cpu *cpu, uint32_t channel,
                                                  int32_t y)
{
    const ptrdiff_t rows = cpu->plan->height_px + 2 * SALIENCY_FINE_REACH;
    return cpu->bins + (channel * rows + SALIENCY_FINE_REACH + y) * cpu->bin_pitch +
           SALIENCY_FINE_REACH;
}

/* Memory for pictures of the plan's size; the plan stays the caller's, and outlives it. */
FOVEA_MUST_CHECK enum fovea_result saliency_cpu_create(const struct saliency_plan *plan,
                                                       struct thread_pool *pool, uint32_t channels,
                                                       struct saliency_cpu **out_cpu);
void saliency_cpu_destroy(struct saliency_cpu **cpu);

/* Makes the responses of a picture in CPU memory, and writes its blobs, blob_max of the plan at
 * most. How many: the result. */
uint32_t saliency_cpu_run(struct saliency_cpu *cpu, const struct fovea_image *src,
                          struct fovea_blob *out_blobs);
/* The response of the last picture at a row of its pixels. */
void saliency_cpu_response_row(const struct saliency_cpu *cpu, uint32_t scale, int32_t y_px,
                               float *out);

/* ---- Its parts */

void saliency_cpu_bins_row(struct saliency_cpu *cpu, int32_t y, float *colors);
void saliency_cpu_bins_ends(struct saliency_cpu *cpu);
void saliency_cpu_order(struct saliency_cpu *cpu, uint32_t channel);

extern const size_t saliency_fine_bytes;
int32_t saliency_fine_tiles(const struct saliency_plan *plan);
void saliency_fine_make(const struct saliency_cpu *cpu, struct saliency_fine *fine, int32_t tile);

extern const size_t saliency_coarse_bytes;
/* kept: those whose planes are kept, else those of step 2 */
int32_t saliency_coarse_tiles(const struct saliency_plan *plan, bool kept);
void saliency_coarse_make(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                          uint32_t channel, bool kept, int32_t tile);
/* Places planes. The result: how many numbers all are. */
size_t saliency_planes_place(const struct saliency_plan *plan, struct saliency_kept *kept);
/* Makes a bin's planes of those of step 4. */
void saliency_planes_halve(const struct saliency_cpu *cpu, struct saliency_coarse *coarse,
                           uint32_t channel, int32_t v);

extern const size_t saliency_maxima_bytes;
void saliency_maxima_find(const struct saliency_cpu *cpu, struct saliency_maxima *maxima,
                          int32_t number, struct saliency_candidates *out);

/* The strongest that are looked at. */
uint32_t saliency_candidates_most(const struct saliency_plan *plan);
/* True where a comes before b. */
bool saliency_candidate_before(const struct saliency_candidate *a,
                               const struct saliency_candidate *b);
/* If there are `most` already, the weakest gives way. */
void saliency_candidates_add(struct saliency_candidates *candidates,
                             const struct saliency_candidate *candidate);
/* Sorts them, and leaves out those that overlap a stronger one, and those beyond the strongest
 * `most`. How many are written. */
uint32_t saliency_prune(const struct saliency_plan *plan, struct saliency_candidates *candidates,
                        struct fovea_blob *out_blobs);
