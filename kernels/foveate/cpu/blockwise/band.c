/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "band.h"

#include "core/large_memory.h"
#include "kernels/foveate/grid.h"

#include <string.h>

struct band {
    int32_t index_y;
    int32_t y0_px; /* inside the image */
    int32_t y1_px;
    int32_t top_px; /* first decoded row */
};

/* A fragment, clipped to the picture. */
struct fragment {
    int32_t x0_px;
    int32_t x1_px;
    const struct foveate_ring *ring; /* NULL: copied */
};

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* ---- Scratch */

static size_t round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

enum fovea_result foveate_cpu_scratch_init(struct foveate_cpu_scratch *scratch,
                                           const struct foveate_plan *plan)
{
    const size_t channels = plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED ? 4 : 3;
    const size_t side = plan->fragment_px;
    const size_t reach = side + 2 * (size_t)plan->max_radius_px;
    const size_t row_count = reach < plan->height_px ? reach : plan->height_px;
    const size_t group = FOVEATE_CPU_GROUP;
    /* One group more than the pixels need, because the last group may begin at the last pixel. */
    const size_t row_floats =
        round_up((plan->width_px + 2 * (size_t)plan->max_radius_px) * channels + group, group);
    /* Rows of 2^n bytes would all map to the same few sets of the cache. */
    const size_t column_floats = round_up(side * channels, group) + 2 * group;

    const size_t total = row_count * row_floats + (reach + 1) * column_floats;
    scratch->memory = large_memory_make(total, sizeof *scratch->memory);
    if (!scratch->memory) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    scratch->rows = scratch->memory;
    scratch->row_floats = row_floats;
    scratch->pad_px = plan->max_radius_px;
    scratch->columns = scratch->rows + row_count * row_floats;
    scratch->column_floats = column_floats;
    scratch->result = scratch->columns + reach * column_floats;
    return FOVEA_OK;
}

void foveate_cpu_scratch_finish(struct foveate_cpu_scratch *scratch)
{
    large_memory_free(scratch->memory);
    *scratch = (struct foveate_cpu_scratch){0};
}

/* ---- Decoding */

static void repeat_pixel(const float *pixel, uint32_t channels, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < channels; c++) {
            *out++ = pixel[c];
        }
    }
}

static void decode_row(const struct foveate_cpu_job *job, const struct foveate_cpu_scratch *scratch,
                       int32_t y_px, float *out)
{
    const size_t channels = job->channels;
    const struct pixel_row row = pixel_row_of(job->src, job->codec, 0, y_px, job->frame->width_px);
    float *first = out + scratch->pad_px * channels;
    float *last = first + ((size_t)row.count - 1) * channels;
    job->codec->decode(&row, job->channels, first);
    if (job->light) {
        pixel_light_from_levels(job->light, first, row.count, job->channels,
                                job->codec->color_channels);
    }
    repeat_pixel(first, job->channels, scratch->pad_px, out);
    repeat_pixel(last, job->channels, scratch->pad_px, last + channels);
}

static struct fragment fragment_at(const struct foveate_cpu_job *job, int32_t index_x,
                                   int32_t index_y)
{
    const struct foveate_frame *frame = job->frame;
    const int32_t start_px = foveate_grid_start_px(index_x, frame->fragment_px, job->shift_x_px);
    const struct foveate_plan *plan = job->plan;
    const struct foveate_grid_filters filters = {plan->rings, &plan->law, plan->law_table};
    /* A plan that blurs nothing has no rings. */
    const int32_t ring =
        plan->rings ? foveate_grid_filter(&filters, frame, index_x, index_y) : FOVEATE_RING_NONE;
    return (struct fragment){
        .x0_px = clamp(start_px, 0, frame->width_px),
        .x1_px = clamp(start_px + frame->fragment_px, 0, frame->width_px),
        .ring = ring == FOVEATE_RING_NONE ? NULL : &plan->rings[ring],
    };
}

static int32_t columns_of(const struct foveate_cpu_job *job)
{
    return foveate_grid_count(job->frame->width_px, job->frame->fragment_px, job->shift_x_px);
}

/* -1 if every fragment is copied. */
static int32_t largest_radius_px(const struct foveate_cpu_job *job, int32_t index_y)
{
    int32_t radius_px = -1;
    for (int32_t i = 0; i < columns_of(job); i++) {
        const struct fragment fragment = fragment_at(job, i, index_y);
        if (fragment.ring && (int32_t)fragment.ring->radius_px > radius_px) {
            radius_px = (int32_t)fragment.ring->radius_px;
        }
    }
    return radius_px;
}

static void decode_band(const struct foveate_cpu_job *job, struct foveate_cpu_scratch *scratch,
                        struct band *band)
{
    const int32_t height_px = job->frame->height_px;
    const int32_t radius_px = largest_radius_px(job, band->index_y);
    if (radius_px < 0) {
        return;
    }
    band->top_px = clamp(band->y0_px - radius_px, 0, height_px);
    const int32_t bottom_px = clamp(band->y1_px + radius_px, 0, height_px);
    float *out = scratch->rows;
    for (int32_t y = band->top_px; y < bottom_px; y++, out += scratch->row_floats) {
        decode_row(job, scratch, y, out);
    }
}

/* ---- Fragments */

static void copy_fragment(const struct foveate_cpu_job *job, const struct band *band,
                          const struct fragment *fragment)
{
    const int32_t count = fragment->x1_px - fragment->x0_px;
    for (int32_t y = band->y0_px; y < band->y1_px; y++) {
        const struct pixel_row src = pixel_row_of(job->src, job->codec, fragment->x0_px, y, count);
        const struct pixel_row dst = pixel_row_of(job->dst, job->codec, fragment->x0_px, y, count);
        pixel_copy_row(job->codec, &src, &dst);
    }
}

static uint32_t fragment_floats(const struct foveate_cpu_job *job, const struct fragment *fragment)
{
    const uint32_t pixels = (uint32_t)(fragment->x1_px - fragment->x0_px);
    return (uint32_t)round_up(pixels * job->channels, FOVEATE_CPU_GROUP);
}

/* Rows beyond the image's edges are copies of the edge's row. */
static void blur_along_x(const struct foveate_cpu_job *job, struct foveate_cpu_scratch *scratch,
                         const struct band *band, const struct fragment *fragment)
{
    const struct foveate_ring *ring = fragment->ring;
    const int32_t radius_px = (int32_t)ring->radius_px;
    const uint32_t count = fragment_floats(job, fragment);
    const float *taps = job->plan->taps + ring->first_tap;
    const size_t start = (scratch->pad_px + (size_t)fragment->x0_px) * job->channels;
    float *out = scratch->columns;
    int32_t done_px = -1;
    for (int32_t y = band->y0_px - radius_px; y < band->y1_px + radius_px; y++) {
        const int32_t inside_px = clamp(y, 0, job->frame->height_px - 1);
        if (inside_px == done_px) {
            memcpy(out, out - scratch->column_floats, count * sizeof *out);
        } else {
            const float *row =
                scratch->rows + (size_t)(inside_px - band->top_px) * scratch->row_floats;
            job->line(out, row + start, (ptrdiff_t)job->channels, taps, ring->radius_px, count);
        }
        done_px = inside_px;
        out += scratch->column_floats;
    }
}

static void blur_along_y(const struct foveate_cpu_job *job, struct foveate_cpu_scratch *scratch,
                         const struct band *band, const struct fragment *fragment)
{
    const struct foveate_ring *ring = fragment->ring;
    const float *taps = job->plan->taps + ring->first_tap;
    const int32_t pixels = fragment->x1_px - fragment->x0_px;
    const float *in = scratch->columns + ring->radius_px * scratch->column_floats;
    for (int32_t y = band->y0_px; y < band->y1_px; y++, in += scratch->column_floats) {
        job->line(scratch->result, in, (ptrdiff_t)scratch->column_floats, taps, ring->radius_px,
                  fragment_floats(job, fragment));
        const struct pixel_row src = pixel_row_of(job->src, job->codec, fragment->x0_px, y, pixels);
        const struct pixel_row dst = pixel_row_of(job->dst, job->codec, fragment->x0_px, y, pixels);
        if (job->light) {
            pixel_light_to_levels(job->light, scratch->result, (uint32_t)pixels, job->channels,
                                  job->codec->color_channels);
        }
        job->codec->encode(scratch->result, job->channels, &src, &dst);
    }
}

void foveate_cpu_band(const struct foveate_cpu_job *job, struct foveate_cpu_scratch *scratch,
                      int32_t index_y)
{
    const int32_t side_px = job->frame->fragment_px;
    const int32_t height_px = job->frame->height_px;
    const int32_t start_px = foveate_grid_start_px(index_y, side_px, job->shift_y_px);
    struct band band = {
        .index_y = index_y,
        .y0_px = clamp(start_px, 0, height_px),
        .y1_px = clamp(start_px + side_px, 0, height_px),
    };
    decode_band(job, scratch, &band);
    for (int32_t i = 0; i < columns_of(job); i++) {
        const struct fragment fragment = fragment_at(job, i, index_y);
        if (fragment.ring) {
            blur_along_x(job, scratch, &band, &fragment);
            blur_along_y(job, scratch, &band, &fragment);
        } else {
            copy_fragment(job, &band, &fragment);
        }
    }
}
