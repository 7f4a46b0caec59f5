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

/* ---- Order */

static int compare(const void *a, const void *b)
{
    return saliency_candidate_before(a, b) ? -1 : saliency_candidate_before(b, a) ? 1 : 0;
}

struct key {
    uint32_t weakness; /* bits of a strength that is not below 0, the strongest first */
    uint32_t from;
};

/* Puts keys in the order of eight bits of theirs; equal ones stay in their order. */
static void sort_keys(const struct key *in, uint32_t count, int shift, struct key *out)
{
    uint32_t next[256] = {0};
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        next[in[i].weakness >> shift & 255u]++;
    }
    for (int i = 0; i < 256; i++) {
        const uint32_t own = next[i];
        next[i] = before;
        before += own;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[next[in[i].weakness >> shift & 255u]++] = in[i];
    }
}

/* Makes the candidate that a key is from the one at the key's place, along each cycle of them. */
static void move_all(struct saliency_candidate *of, struct key *keys, uint32_t count)
{
    for (uint32_t first = 0; first < count; first++) {
        const struct saliency_candidate kept = of[first];
        uint32_t at = first;
        while (keys[at].from != first) {
            const uint32_t from = keys[at].from;
            of[at] = of[from];
            keys[at].from = at;
            at = from;
        }
        of[at] = kept;
        keys[at].from = at;
    }
}

static void sort_equal(struct saliency_candidate *of, uint32_t count)
{
    uint32_t end = 0;
    for (uint32_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && of[end].blob.strength == of[first].blob.strength;) {
            end++;
        }
        if (end > first + 1) {
            qsort(of + first, end - first, sizeof *of, compare);
        }
    }
}

/* By strength, eight bits after the other, which takes a fifth of the comparisons' time; without
 * memory by these. */
static void sort_all(struct saliency_candidate *of, uint32_t count)
{
    struct key *keys = malloc(2 * (size_t)count * sizeof *keys);
    if (!keys) {
        qsort(of, count, sizeof *of, compare);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &of[i].blob.strength, sizeof bits);
        keys[i] = (struct key){~bits, i};
    }
    for (int shift = 0; shift < 32; shift += 8) {
        const bool back = shift / 8 % 2 == 1;
        sort_keys(keys + (back ? count : 0), count, shift, keys + (back ? 0 : count));
    }
    move_all(of, keys, count);
    sort_equal(of, count);
    free(keys);
}

/* ---- Overlap */

/* Returns what two discs have in common, as a part of the smaller one's area. */
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

/* Two discs have in common what lies beyond a line across the smaller one, r1 before the centre of
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

double saliency_overlap_reach(double most, double ratio)
{
    double low = -1.0;
    double high = 1.0;
    if (most >= 1.0) {
        return -1e30;
    }
    if (ratio == 0.0) {
        return line_of(most);
    }
    for (int i = 0; i < 50; i++) {
        const double u = 0.5 * (low + high);
        const bool more = common(1.0, ratio, 1.0 + u * ratio) > most;
        low = more ? u : low;
        high = more ? high : u;
    }
    return high;
}

#define CELL_PX 32.0f
#define CELLS_ACROSS 32 /* beyond so many cells they begin again */
#define CELLS_DOWN 16
#define NONE UINT32_MAX
#define MORE 1.0001f /* than enough for what floats round */

/* A blob that was chosen, and the one before it in its list. It lies where a candidate lay that is
 * done with. */
struct link {
    float x_px, y_px, sigma_px;
    uint32_t before;
};
_Static_assert(sizeof(struct link) <= sizeof(struct saliency_candidate), "");

/* Those that were chosen. Of two small ones that have something to do with each other the cells
 * touch; of the others there are few. */
struct chosen {
    const struct saliency_plan *plan;
    struct saliency_candidate *of;
    struct fovea_blob *blobs;
    uint32_t count;
    float small_px; /* the largest sigma of small ones */
    uint32_t large; /* the last one */
    uint32_t cells[CELLS_DOWN * CELLS_ACROSS]; /* the last small one of each */
};

static void begin(struct chosen *chosen)
{
    const float reach = 1.0f + fmaxf(chosen->plan->overlaps[0], 0.0f);
    chosen->small_px = CELL_PX / (MORE * (float)M_SQRT2 * reach);
    chosen->large = NONE;
    memset(chosen->cells, 0xff, sizeof chosen->cells);
}

static struct link *link_of(const struct chosen *chosen, uint32_t i)
{
    return (struct link *)(void *)&chosen->of[i];
}

static uint32_t *cell_of(struct chosen *chosen, const struct fovea_blob *blob, int x, int y)
{
    const uint32_t column = (uint32_t)((int)floorf(blob->x_px / CELL_PX) + x) % CELLS_ACROSS;
    const uint32_t row = (uint32_t)((int)floorf(blob->y_px / CELL_PX) + y) % CELLS_DOWN;
    return &chosen->cells[row * CELLS_ACROSS + column];
}

/* The table's numbers go down. Areas are worked out only where it leaves it open. */
static bool discs_overlap(const struct chosen *chosen, const struct fovea_blob *blob, uint32_t i,
                          float large, float small, float distance)
{
    const float *table =
        chosen->plan->overlaps + (int)(small / large * (SALIENCY_OVERLAPS - 0.001f));
    const float most = large + table[0] * small;
    const float least = large + table[1] * small;
    if (distance > 2.0f * MORE * most * most) {
        return false;
    }
    return (least > 0.0f && MORE * distance < 2.0f * least * least) ||
           overlap_more(blob, &chosen->blobs[i], chosen->plan->numbers.overlap);
}

static bool has_overlap(const struct chosen *chosen, const struct fovea_blob *blob, uint32_t i)
{
    const struct link *other = link_of(chosen, i);
    const float x = blob->x_px - other->x_px;
    const float y = blob->y_px - other->y_px;
    const float a = blob->sigma_px;
    const float b = other->sigma_px;
    const float large = a > b ? a : b;
    const float small = a > b ? b : a;
    const float reach = large + chosen->plan->overlaps[0] * small;
    const float distance = x * x + y * y;
    return distance <= 2.0f * MORE * reach * reach &&
           discs_overlap(chosen, blob, i, large, small, distance);
}

static bool list_has_overlap(const struct chosen *chosen, const struct fovea_blob *blob,
                             uint32_t last)
{
    for (uint32_t i = last; i != NONE; i = link_of(chosen, i)->before) {
        if (has_overlap(chosen, blob, i)) {
            return true;
        }
    }
    return false;
}

static bool is_free(struct chosen *chosen, const struct fovea_blob *blob)
{
    if (blob->sigma_px > chosen->small_px) {
        for (uint32_t i = 0; i < chosen->count; i++) {
            if (has_overlap(chosen, blob, i)) {
                return false;
            }
        }
        return true;
    }
    for (int i = 0; i < 9; i++) {
        if (list_has_overlap(chosen, blob, *cell_of(chosen, blob, i % 3 - 1, i / 3 - 1))) {
            return false;
        }
    }
    return !list_has_overlap(chosen, blob, chosen->large);
}

static void choose(struct chosen *chosen, const struct fovea_blob *blob)
{
    uint32_t *last =
        blob->sigma_px > chosen->small_px ? &chosen->large : cell_of(chosen, blob, 0, 0);
    *link_of(chosen, chosen->count) = (struct link){blob->x_px, blob->y_px, blob->sigma_px, *last};
    chosen->blobs[chosen->count] = *blob;
    *last = chosen->count++;
}

uint32_t saliency_prune(const struct saliency_plan *plan, struct saliency_candidates *candidates,
                        struct fovea_blob *out_blobs)
{
    struct chosen chosen = {.plan = plan, .of = candidates->of, .blobs = out_blobs};
    const uint32_t count =
        candidates->count < candidates->most ? candidates->count : candidates->most;
    if (count == 0) {
        return 0;
    }
    begin(&chosen);
    sort_all(candidates->of, candidates->count);
    for (uint32_t i = 0; i < count && chosen.count < plan->numbers.blob_max; i++) {
        const struct fovea_blob blob = candidates->of[i].blob;
        if (is_free(&chosen, &blob)) {
            choose(&chosen, &blob);
        }
    }
    return chosen.count;
}
