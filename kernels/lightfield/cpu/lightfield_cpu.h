/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on the processor. Strips of rows of the picture are shared out among the workers of
 * a pool. In each row, lens by lens of those around, all pixels take their samples. */
#pragma once

#include "core/bounds.h"
#include "kernels/lightfield/cpu/loops.h"
#include "kernels/lightfield/lightfield.h"
#include "kernels/operator/operator.h"

struct thread_pool;

#define LIGHTFIELD_LENSES (2 * LIGHTFIELD_RANGE_MAX + 1) /* of a row that count */
#define LIGHTFIELD_STRIP_ROWS 16
/* There are costs of a strip and of the box around it, and one row is for sums of boxes. */
#define LIGHTFIELD_BOX_ROW (LIGHTFIELD_STRIP_ROWS + 2 * LIGHTFIELD_BOX_REACH)
#define LIGHTFIELD_COST_ROWS (LIGHTFIELD_BOX_ROW + 1)

struct lightfield_worker {
    float *memory; /* of all but costs */
    /* Even and shifted rows of lenses have their own columns to the left and right. */
    struct lightfield_part columns[2][LIGHTFIELD_LENSES];
    struct lightfield_part rows[LIGHTFIELD_LENSES];
    /* The smallest squares of a pixel's distances from the view: along columns, of each kind of
     * row, and of all lenses that count. */
    float *column_least[2], *least;
    float *sum, *main; /* LIGHTFIELD_LANES numbers a pixel */
    float *packed;
    float *costs; /* of a strip, by patch size; NULL: no depths have been asked for */
};

struct lightfield_cpu {
    struct fovea_lightfield_geometry geometry;
    const struct lightfield_loops *loops;
    struct thread_pool *pool;
    struct lightfield_worker *workers;
    uint32_t worker_count;
    int32_t width_px; /* pixels that workers have memory for */
    size_t cost_count; /* numbers that they have for costs */
    struct operator_focus focus; /* of refocusing, a patch size in px */
};

FOVEA_MUST_CHECK enum fovea_result lightfield_cpu_create(
    const struct fovea_lightfield_geometry *geometry, struct thread_pool *pool,
    struct lightfield_cpu **out_cpu);
void lightfield_cpu_destroy(struct lightfield_cpu **cpu);
/* Memory for pictures of such a width, and for costs of so many sizes; keeps what it has. */
FOVEA_MUST_CHECK enum fovea_result lightfield_cpu_reserve(struct lightfield_cpu *cpu,
                                                          uint32_t width_px, uint32_t size_count);

size_t lightfield_cpu_bytes(const struct lightfield_cpu *cpu);

/* These three are for arguments that have been checked, and memory that is there. */
void lightfield_cpu_render(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                           const struct fovea_lightfield_rendering *rendering,
                           const struct fovea_image *dst);
void lightfield_cpu_depth(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                          const struct fovea_lightfield_matching *matching,
                          const struct fovea_image *depth, const struct fovea_image *confidence);
void lightfield_cpu_sum(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                        const struct fovea_lightfield_sum *given, const struct fovea_image *dst);

/* The patch size that is in focus from now on. By this thread. */
double lightfield_cpu_focus(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                            const struct fovea_lightfield_refocusing *refocusing,
                            const struct fovea_image *dst);

/* ---- Parts */

/* Runs fn for every strip of so many rows. */
struct lightfield_job {
    struct lightfield_cpu *cpu;
    void (*make)(const struct lightfield_job *job, struct lightfield_worker *worker, int32_t first,
                 int32_t end);
    const void *user;
    int32_t rows, strip_rows;
};
void lightfield_cpu_run(struct lightfield_job *job);

struct lightfield_source lightfield_source_of(const struct fovea_lightfield_raw *raw,
                                              enum fovea_lightfield_filter filter);
/* A row of sums, each divided by its weight, into the picture. */
void lightfield_write_row(const struct fovea_image *dst, int32_t y, const float *sums, float most,
                          float *packed);

/* How the pixels of a picture lie among the lenses. */
struct lightfield_view {
    const struct fovea_lightfield_geometry *geometry;
    int32_t width_px, height_px;
    double cos, sin, sign;
};
struct lightfield_view lightfield_view_of(const struct fovea_lightfield_geometry *geometry,
                                          const struct fovea_image *picture);
/* Counts in lenses; the centre of the first one is at 0. */
static inline double lightfield_at(int32_t pixel, int32_t pixels, uint32_t lenses)
{
    return (pixel + 0.5) / pixels * lenses - 0.5;
}
static inline int32_t lightfield_within(int32_t number, uint32_t count)
{
    return bounds_clamped(number, 0, (int32_t)count - 1);
}
/* A place in the raw picture as a whole number. */
static inline int32_t lightfield_fixed(double value)
{
    const double scaled = value * LIGHTFIELD_ONE;
    return (int32_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}
/* The nearest row of lenses. */
int32_t lightfield_row_of(const struct lightfield_view *view, int32_t y);

/* Pixels first .. end of a row, where it is not empty. */
struct lightfield_span {
    int32_t first, end;
};
/* Finds, for each number of lenses up to `range`, the pixels of a row that count so many to each
 * side. All rows of the picture with the same nearest row of lenses have the same. */
void lightfield_spans_find(const struct lightfield_view *view, const struct lightfield_rings *rings,
                           int32_t row, int32_t range,
                           struct lightfield_span out[LIGHTFIELD_RANGE_MAX + 1]);

/* Patch sizes of a row: one, or one each. */
struct lightfield_patches {
    double patch_px;
    const float *each; /* NULL: patch_px for all */
};

/* Places that pixels have in the column of lenses `right` of the nearest, in rows of a kind, and
 * as their weights the distances from those lenses' centres along the rows: NaN where the place is
 * out of the micro-image, infinity where there is no lens. */
void lightfield_columns_place(const struct lightfield_view *view, int32_t shifted, int32_t right,
                              const struct lightfield_patches *patches,
                              const struct lightfield_part *out);
/* These place one pixel x or y, as entry i. */
void lightfield_column_place(const struct lightfield_view *view, int32_t x, int32_t shifted,
                             int32_t right, double patch_px, const struct lightfield_part *out,
                             int32_t i);
void lightfield_row_place(const struct lightfield_view *view, int32_t y, int32_t row,
                          double patch_px, const struct lightfield_part *out, int32_t i);
/* In comparisons a lens counts or does not, by such a distance; those next to the nearest do
 * wherever there are any. */
static inline float lightfield_even(int32_t away, float from)
{
    return !isinf(from) && (away <= 1 || isfinite(from)) ? 1.0f : 0.0f;
}
/* The same from a pixel on. */
static inline struct lightfield_part lightfield_part_from(const struct lightfield_part *part,
                                                          int32_t first)
{
    return (struct lightfield_part){part->x + first, part->y + first, part->weight + first};
}
/* Places in a row of lenses. */
void lightfield_rows_place(const struct lightfield_view *view, int32_t y, int32_t row,
                           const struct lightfield_patches *patches,
                           const struct lightfield_part *out);
