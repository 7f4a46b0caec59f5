/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates in their order, and those that overlap a stronger one left out. */

#include "saliency_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES_LEAST 8192
#define CANDIDATES_PER_BLOB 8

uint32_t saliency_candidates_most(const struct saliency_plan *plan)
{
    const uint32_t most = plan->numbers.blob_max * CANDIDATES_PER_BLOB;
    return most > CANDIDATES_LEAST ? most : CANDIDATES_LEAST;
}

bool saliency_candidate_before(const struct saliency_candidate *a,
                               const struct saliency_candidate *b)
{
    if (a->blob.strength != b->blob.strength) {
        return a->blob.strength > b->blob.strength;
    }
    return a->scale != b->scale ? a->scale < b->scale : a->place < b->place;
}

/* ---- A heap with the weakest at its top */

static void swap(struct saliency_candidate *a, struct saliency_candidate *b)
{
    const struct saliency_candidate kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(struct saliency_candidates *heap, uint32_t i)
{
    while (i > 0 && saliency_candidate_before(&heap->of[(i - 1) / 2], &heap->of[i])) {
        swap(&heap->of[i], &heap->of[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void sink(struct saliency_candidates *heap)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t weakest = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap->count; child++) {
            if (saliency_candidate_before(&heap->of[weakest], &heap->of[child])) {
                weakest = child;
            }
        }
        if (weakest == i) {
            return;
        }
        swap(&heap->of[i], &heap->of[weakest]);
        i = weakest;
    }
}

void saliency_candidates_add(struct saliency_candidates *candidates,
                             const struct saliency_candidate *candidate)
{
    if (candidates->count < candidates->most) {
        candidates->of[candidates->count] = *candidate;
        rise(candidates, candidates->count++);
    } else if (saliency_candidate_before(candidate, &candidates->of[0])) {
        candidates->of[0] = *candidate;
        sink(candidates);
    }
}

/* ---- Overlap */

static int compare(const void *a, const void *b)
{
    return saliency_candidate_before(a, b) ? -1 : saliency_candidate_before(b, a) ? 1 : 0;
}

/* What two discs have in common, of the smaller one's area. */
static double common(double r1, double r2, double distance)
{
    const double small = r1 < r2 ? r1 : r2;
    if (distance <= fabs(r1 - r2)) {
        return 1.0;
    }
    const double d1 = (distance * distance + r1 * r1 - r2 * r2) / (2.0 * distance);
    const double d2 = distance - d1;
    const double c1 = fmin(fmax(d1 / r1, -1.0), 1.0);
    const double c2 = fmin(fmax(d2 / r2, -1.0), 1.0);
    const double area = r1 * r1 * (acos(c1) - c1 * sqrt(1.0 - c1 * c1)) +
                        r2 * r2 * (acos(c2) - c2 * sqrt(1.0 - c2 * c2));
    return area / (M_PI * small * small);
}

static bool overlap_more(const struct fovea_blob *a, const struct fovea_blob *b, double most)
{
    const double x = (double)a->x_px - (double)b->x_px;
    const double y = (double)a->y_px - (double)b->y_px;
    const double r1 = M_SQRT2 * (double)a->sigma_px;
    const double r2 = M_SQRT2 * (double)b->sigma_px;
    const double distance2 = x * x + y * y;
    return distance2 < (r1 + r2) * (r1 + r2) && common(r1, r2, sqrt(distance2)) > most;
}

/* What two discs have in common lies beyond a line across the smaller one, r1 before the centre of
 * the larger one. This is where, in radii of the smaller one from its centre, a line cuts off the
 * part `most`: a line beyond it cuts off less. */
static double line_of(double most)
{
    double low = -1.0;
    double high = 1.0;
    for (int i = 0; i < 50; i++) {
        const double u = 0.5 * (low + high);
        const bool more = (acos(u) - u * sqrt(1.0 - u * u)) / M_PI > most;
        low = more ? u : low;
        high = more ? high : u;
    }
    return high;
}

#define BLOCK 16 /* blobs that are looked at together */
#define MORE 1.0001f /* than enough for what floats round */

struct block {
    float x_px[BLOCK];
    float y_px[BLOCK];
    float sigma_px[BLOCK];
};

/* Which may have too much in common with the blob, 1 each: of most blocks none. How many are not 0:
 * the result, or more. */
static int mark(const struct fovea_blob *blob, const struct block *block, float line,
                int marks[BLOCK])
{
    int some = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
        const float x = blob->x_px - block->x_px[i];
        const float y = blob->y_px - block->y_px[i];
        const float a = blob->sigma_px;
        const float b = block->sigma_px[i];
        const float reach = (a > b ? a : b) + line * (a > b ? b : a);
        marks[i] = x * x + y * y <= 2.0f * MORE * reach * reach;
        some |= marks[i];
    }
    return some;
}

/* Those that were chosen. Whole blocks lie where candidates lay that are done with: of so many as a
 * block has there is always room for one. */
struct chosen {
    struct saliency_candidate *of;
    struct fovea_blob *blobs;
    uint32_t count;
    struct block last;
    double overlap;
    float line;
};

static bool has_overlap(const struct chosen *chosen, const struct fovea_blob *blob,
                        const struct block *block, uint32_t first)
{
    int marks[BLOCK];
    if (mark(blob, block, chosen->line, marks) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < BLOCK && first + i < chosen->count; i++) {
        if (marks[i] && overlap_more(blob, &chosen->blobs[first + i], chosen->overlap)) {
            return true;
        }
    }
    return false;
}

static bool is_free(const struct chosen *chosen, const struct fovea_blob *blob)
{
    uint32_t first = chosen->count / BLOCK * BLOCK;
    if (has_overlap(chosen, blob, &chosen->last, first)) {
        return false;
    }
    while (first > 0) {
        first -= BLOCK;
        if (has_overlap(chosen, blob, (const struct block *)(const void *)&chosen->of[first],
                        first)) {
            return false;
        }
    }
    return true;
}

static void choose(struct chosen *chosen, const struct fovea_blob *blob)
{
    const uint32_t i = chosen->count % BLOCK;
    chosen->blobs[chosen->count] = *blob;
    chosen->last.x_px[i] = blob->x_px;
    chosen->last.y_px[i] = blob->y_px;
    chosen->last.sigma_px[i] = blob->sigma_px;
    if (i + 1 == BLOCK) {
        memcpy(&chosen->of[chosen->count + 1 - BLOCK], &chosen->last, sizeof chosen->last);
    }
    chosen->count++;
}

uint32_t saliency_prune(struct saliency_candidates *candidates, double overlap, uint32_t blob_max,
                        struct fovea_blob *out_blobs)
{
    struct chosen chosen = {.of = candidates->of,
                            .blobs = out_blobs,
                            .overlap = overlap,
                            .line = (float)line_of(overlap)};
    const uint32_t count =
        candidates->count < candidates->most ? candidates->count : candidates->most;
    if (count == 0) {
        return 0;
    }
    qsort(candidates->of, candidates->count, sizeof *candidates->of, compare);
    for (uint32_t i = 0; i < count && chosen.count < blob_max; i++) {
        const struct fovea_blob blob = candidates->of[i].blob;
        if (is_free(&chosen, &blob)) {
            choose(&chosen, &blob);
        }
    }
    return chosen.count;
}
