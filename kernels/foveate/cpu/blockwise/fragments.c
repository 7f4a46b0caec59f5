/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fragments.h"

#include "kernels/foveate/cpu/common/planes.h"
#include "kernels/foveate/cpu/common/words.h"
#include "kernels/foveate/grid.h"

#include <string.h>

#define MAX_CHANNELS FOVEATE_CPU_MAX_CHANNELS
#define ROWS 8 /* pixels at once, with a register of sums each */
#define RUN_PX 64 /* neighbouring fragments are written together up to here */
#define WIDEST 16 /* at most LANES: all compilations count the same scratch memory */
#define SLACK 32 /* for whole registers, at the end of every part */
#define LINE 16 /* floats */

#define INLINE __attribute__((always_inline)) static inline

/* ---- Scratch memory */

struct buffers {
    int32_t *places; /* rows of samples, from the level's first on */
    float *down; /* a row's weights in ROWS pixels */
    float *across; /* a sample's weights in each group of LANES pixels */
    float *summed; /* ROWS times the channels: the window's samples, summed along y */
    float *pixels; /* a run of fragments: rows, and in them channels */
    float *values;
    ptrdiff_t pitch; /* pixels of a channel */
    ptrdiff_t samples; /* sums of a channel */
};

static int32_t run_px(const struct foveate_plan *plan)
{
    return plan->fragment_px > RUN_PX ? (int32_t)plan->fragment_px : RUN_PX;
}

/* With memory NULL the floats are only counted. */
static size_t lay_out(const struct foveate_plan *plan,
                      const struct foveate_fragment_filters *filters, float *memory,
                      struct buffers *out)
{
    const size_t side = plan->fragment_px;
    const size_t most = (size_t)filters->most_samples + SLACK;
    const size_t pitch = (size_t)run_px(plan) + SLACK;
    float *places = NULL;
    float **const parts[] = {&places,      &out->down,   &out->across,
                             &out->summed, &out->pixels, &out->values};
    const size_t floats[] = {most,
                             most * ROWS,
                             (side + WIDEST) * most,
                             most * ROWS * MAX_CHANNELS,
                             (side + ROWS) * pitch * MAX_CHANNELS,
                             pitch * MAX_CHANNELS};
    size_t at = 0;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        *parts[i] = memory ? memory + at : NULL;
        at += (floats[i] + SLACK + LINE - 1) / LINE * LINE;
    }
    out->places = (int32_t *)places;
    out->pitch = (ptrdiff_t)pitch;
    out->samples = (ptrdiff_t)most;
    return at;
}

/* ---- A fragment */

/* A fragment, clipped to the picture. */
struct fragment {
    int32_t x_px, y_px;
    int32_t end_x_px, end_y_px;
    const struct foveate_fragment_filter *filter; /* NULL: copied */
};

/* The samples that pixels see along an axis. */
struct seen {
    int32_t first;
    int32_t count;
};

struct work {
    const struct foveate_cpu_picture *picture;
    const struct foveate_fragment_filters *filters;
    struct buffers buffers;
    int32_t index_y;
    int32_t shift_x_px;
    int32_t y_px, end_y_px; /* this row's fragments */
    int32_t run_x_px; /* the first ones that are not in the picture yet */
};

static struct seen seen_by(const struct foveate_fragment_filter *filter, int32_t px, int32_t end_px)
{
    const int32_t first = foveate_fragment_first(filter, px);
    return (struct seen){first, foveate_fragment_first(filter, end_px - 1) + filter->count - first};
}

/* out[i][x] is the weight of seen sample i in pixel px + x, in rows of `pitch` pixels. */
static void spread_weights(const struct foveate_fragment_filters *filters,
                           const struct foveate_fragment_filter *filter, struct seen seen,
                           int32_t px, int32_t count, int32_t pitch, float *out)
{
    memset(out, 0, (size_t)(seen.count * pitch) * sizeof *out);
    for (int32_t x = 0; x < count; x++) {
        const float *weights = filters->weights + foveate_fragment_row(filter, px + x);
        float *to = out + (foveate_fragment_first(filter, px + x) - seen.first) * pitch + x;
        for (int32_t i = 0; i < filter->count; i++) {
            to[(ptrdiff_t)i * pitch] = weights[i];
        }
    }
}

/* ---- Along y: all samples of a row alike */

INLINE void sum_rows(const struct work *work, const float *level, struct seen y, int32_t count,
                     float *out, const int32_t rows)
{
    const float *weights = work->buffers.down;
    const ptrdiff_t step = work->buffers.samples * work->picture->channels;
    for (int32_t i = 0; i < count; i += LANES) {
        lanes sums[ROWS];
        for (int32_t k = 0; k < rows; k++) {
            sums[k] = (lanes){0};
        }
        for (int32_t r = 0; r < y.count; r++) {
            const lanes samples = *lanes_at(level + work->buffers.places[r] + i);
            for (int32_t k = 0; k < rows; k++) {
                sums[k] += weights[r * ROWS + k] * samples;
            }
        }
        for (int32_t k = 0; k < rows; k++) {
            *(lanes *)(out + k * step + i) = sums[k];
        }
    }
}

#define CASE(n)                                                                                    \
    case n:                                                                                        \
        sum_rows(work, level, y, count, out, n);                                                   \
        break;

static void sum_some_rows(const struct work *work, const float *level, struct seen y, int32_t count,
                          float *out, int32_t rows)
{
    switch (rows) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
    default:
        sum_rows(work, level, y, count, out, ROWS);
    }
}

/* Makes rows y_px .. y_px + rows - 1, for all samples that the fragment sees; beyond the stored
 * ones the level is constant. */
static void sum_down(const struct work *work, const struct fragment *fragment, struct seen x,
                     int32_t y_px, int32_t rows)
{
    const struct foveate_cpu_picture *picture = work->picture;
    const struct foveate_fragment_filter *filter = fragment->filter;
    const struct foveate_level *level = &picture->plan->levels[filter->level];
    const int32_t margin = foveate_level_margin(filter->level);
    const struct seen y = seen_by(filter, y_px, y_px + rows);
    spread_weights(work->filters, filter, y, y_px, rows, ROWS, work->buffers.down);
    for (int32_t i = 0; i < y.count; i++) {
        work->buffers.places[i] =
            foveate_cpu_clamp(y.first + i, -margin, level->height + margin - 1) * level->pitch;
    }
    const int32_t end = level->width + margin;
    const int32_t from = foveate_cpu_clamp(x.first, -margin, end - 1);
    const int32_t to = foveate_cpu_clamp(x.first + x.count, from + 1, end);
    for (int32_t c = 0; c < picture->channels; c++) {
        float *out = work->buffers.summed + c * work->buffers.samples;
        sum_some_rows(work, foveate_cpu_plane_row(picture, filter->level, c, 0) + from, y,
                      to - from, out + (from - x.first), rows);
        for (int32_t k = 0; k < rows; k++, out += work->buffers.samples * picture->channels) {
            foveate_cpu_repeat(out, out[from - x.first], from - x.first);
            foveate_cpu_repeat(out + (to - x.first), out[to - x.first - 1], x.first + x.count - to);
        }
    }
}

/* ---- Along x */

/* Makes pixels px .. px + LANES - 1 of some rows. */
INLINE void sum_columns(const struct work *work, const float *weights, const float *in,
                        int32_t count, float *out, const int32_t rows)
{
    const ptrdiff_t step = work->buffers.samples * work->picture->channels;
    lanes sums[ROWS];
    for (int32_t k = 0; k < rows; k++) {
        sums[k] = (lanes){0};
    }
    for (int32_t i = 0; i < count; i++) {
        const lanes weight = *lanes_at(weights + (ptrdiff_t)i * LANES);
        for (int32_t k = 0; k < rows; k++) {
            sums[k] += weight * in[k * step + i];
        }
    }
    for (int32_t k = 0; k < rows; k++) {
        *(lanes *)(out + k * work->buffers.pitch * work->picture->channels) = sums[k];
    }
}

static void sum_across(const struct work *work, const struct fragment *fragment, struct seen x,
                       int32_t y_px, int32_t rows)
{
    const int32_t channels = work->picture->channels;
    const float *weights = work->buffers.across;
    for (int32_t px = fragment->x_px; px < fragment->end_x_px; px += LANES) {
        const int32_t end_px = px + LANES < fragment->end_x_px ? px + LANES : fragment->end_x_px;
        const struct seen group = seen_by(fragment->filter, px, end_px);
        for (int32_t c = 0; c < channels; c++) {
            const float *in =
                work->buffers.summed + c * work->buffers.samples + (group.first - x.first);
            float *out = work->buffers.pixels +
                         ((y_px - work->y_px) * channels + c) * work->buffers.pitch +
                         (px - work->run_x_px);
            if (rows > ROWS / 2) {
                sum_columns(work, weights, in, group.count, out, ROWS);
            } else {
                sum_columns(work, weights, in, group.count, out, ROWS / 2);
            }
        }
        weights += (ptrdiff_t)group.count * LANES;
    }
}

static void blur(const struct work *work, const struct fragment *fragment)
{
    const struct seen x = seen_by(fragment->filter, fragment->x_px, fragment->end_x_px);
    float *weights = work->buffers.across;
    for (int32_t px = fragment->x_px; px < fragment->end_x_px; px += LANES) {
        const int32_t end_px = px + LANES < fragment->end_x_px ? px + LANES : fragment->end_x_px;
        const struct seen group = seen_by(fragment->filter, px, end_px);
        spread_weights(work->filters, fragment->filter, group, px, end_px - px, LANES, weights);
        weights += (ptrdiff_t)group.count * LANES;
    }
    for (int32_t y_px = fragment->y_px; y_px < fragment->end_y_px; y_px += ROWS) {
        const int32_t residual = fragment->end_y_px - y_px;
        const int32_t rows = residual < ROWS ? residual : ROWS;
        sum_down(work, fragment, x, y_px, rows);
        sum_across(work, fragment, x, y_px, rows);
    }
}

/* ---- Back into the picture */

static void write_run(struct work *work, int32_t end_px)
{
    const struct foveate_cpu_picture *picture = work->picture;
    const bool words = foveate_cpu_is_words(picture);
    const lanes zero = {0};
    const lanes most = zero + (picture->light ? 1.0f : 255.0f);
    float *row = work->buffers.pixels;
    for (int32_t y_px = work->y_px; y_px < work->end_y_px && end_px > work->run_x_px; y_px++) {
        const struct foveate_cpu_span span = {work->run_x_px, y_px, end_px - work->run_x_px};
        if (words) {
            for (int32_t i = 0; i < 3 * work->buffers.pitch; i += LANES) {
                const lanes value = *lanes_at(row + i);
                const whole_lanes above = value > zero;
                const lanes some = lanes_choose(&above, &value, &zero);
                const whole_lanes below = some < most;
                *(lanes *)(row + i) = lanes_choose(&below, &some, &most);
            }
            foveate_cpu_write_words(picture, &span, row, work->buffers.pitch);
        } else {
            foveate_cpu_write(picture, &span, row, work->buffers.pitch, work->buffers.values);
        }
        row += work->buffers.pitch * picture->channels;
    }
    work->run_x_px = end_px;
}

static struct fragment fragment_at(const struct work *work, int32_t index_x)
{
    const struct foveate_plan *plan = work->picture->plan;
    const struct foveate_frame *frame = &work->picture->view.frame;
    const int32_t start_px = foveate_grid_start_px(index_x, frame->fragment_px, work->shift_x_px);
    const struct foveate_grid_filters grid = {plan->rings, &plan->law, plan->law_table};
    const int32_t ring = foveate_grid_filter(&grid, frame, index_x, work->index_y);
    return (struct fragment){
        .x_px = foveate_cpu_clamp(start_px, 0, frame->width_px),
        .end_x_px = foveate_cpu_clamp(start_px + frame->fragment_px, 0, frame->width_px),
        .y_px = work->y_px,
        .end_y_px = work->end_y_px,
        .filter = ring == FOVEATE_RING_NONE ? NULL : &work->filters->filters[ring],
    };
}

static void make_fragment(struct work *work, const struct fragment *fragment)
{
    if (!fragment->filter) {
        write_run(work, fragment->x_px);
        foveate_cpu_copy_rows(work->picture,
                              (struct foveate_cpu_span){fragment->x_px, fragment->y_px,
                                                        fragment->end_x_px - fragment->x_px},
                              fragment->end_y_px - fragment->y_px);
        work->run_x_px = fragment->end_x_px;
        return;
    }
    if (fragment->end_x_px - work->run_x_px > run_px(work->picture->plan)) {
        write_run(work, fragment->x_px);
    }
    blur(work, fragment);
}

static void row(const struct foveate_cpu_picture *picture,
                const struct foveate_fragment_filters *filters, float *scratch, int32_t index_y)
{
    const struct foveate_frame *frame = &picture->view.frame;
    const int32_t side_px = frame->fragment_px;
    const int32_t shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, side_px);
    const int32_t start_px = foveate_grid_start_px(index_y, side_px, shift_y_px);
    struct work work = {
        .picture = picture,
        .filters = filters,
        .index_y = index_y,
        .shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, side_px),
        .y_px = foveate_cpu_clamp(start_px, 0, frame->height_px),
        .end_y_px = foveate_cpu_clamp(start_px + side_px, 0, frame->height_px),
    };
    if (work.y_px >= work.end_y_px) {
        return;
    }
    lay_out(picture->plan, filters, scratch, &work.buffers);
    const int32_t count = foveate_grid_count(frame->width_px, side_px, work.shift_x_px);
    for (int32_t i = 0; i < count; i++) {
        const struct fragment fragment = fragment_at(&work, i);
        if (fragment.x_px < fragment.end_x_px) {
            make_fragment(&work, &fragment);
        }
    }
    write_run(&work, frame->width_px);
    foveate_cpu_finish_streams();
}

const struct foveate_cpu_fragments FOVEATE_CPU_NAME(foveate_cpu_fragments) = {.row = row};

#if !defined FOVEATE_CPU_AVX2 && !defined FOVEATE_CPU_AVX512
size_t foveate_cpu_fragments_floats(const struct foveate_plan *plan,
                                    const struct foveate_fragment_filters *filters)
{
    struct buffers buffers;
    return lay_out(plan, filters, NULL, &buffers);
}
#endif
