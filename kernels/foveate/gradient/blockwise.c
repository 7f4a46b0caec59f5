/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blockwise.h"

#include "kernels/foveate/grid.h"

#include <string.h>

#define MAX_CHANNELS 4

/* Memory for one image: planes, one a channel. */
struct work {
    const struct foveate_plan *plan;
    const struct foveate_gradient_loops *loops;
    const struct foveate_gradient_image *image;
    struct foveate_frame frame;
    int32_t width, height, channels;
    int32_t reach; /* pixels kept beyond the sums' edges */
    float *derivative; /* of dst: height rows of width */
    float *sums; /* of src: height rows of width + 2 reach */
    float *column; /* a fragment after its columns: rows of fragment_px */
    float *taps; /* both halves */
    float *values; /* a row as the codec has it */
};

/* A fragment inside the picture. */
struct fragment {
    int32_t x0, x1, y0, y1;
    const struct foveate_ring *ring;
    const float *taps; /* the half filter */
    int32_t top, bottom; /* rows that it reaches */
};

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* With memory NULL the floats are only counted. */
static size_t lay_out(const struct foveate_plan *plan, float *memory, struct work *out)
{
    const size_t width = plan->width_px;
    const size_t height = plan->height_px;
    const size_t reach = plan->max_radius_px;
    float **const parts[] = {&out->derivative, &out->sums, &out->column, &out->taps, &out->values};
    const size_t floats[] = {MAX_CHANNELS * width * height,
                             MAX_CHANNELS * (width + 2 * reach) * height,
                             plan->fragment_px * height, 2 * reach + 1, MAX_CHANNELS * width};
    size_t at = 0;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        *parts[i] = memory ? memory + at : NULL;
        at += floats[i];
    }
    return at;
}

size_t foveate_gradient_blockwise_floats(const struct foveate_plan *plan)
{
    struct work work;
    return lay_out(plan, NULL, &work);
}

/* ---- Pixels */

static float *derivative_row(const struct work *work, int32_t channel, int32_t y)
{
    return work->derivative + ((ptrdiff_t)channel * work->height + y) * work->width;
}

/* Returns the row's pixel 0. */
static float *sum_row(const struct work *work, int32_t channel, int32_t y)
{
    const ptrdiff_t pitch = work->width + 2 * (ptrdiff_t)work->reach;
    return work->sums + ((ptrdiff_t)channel * work->height + y) * pitch + work->reach;
}

static void read_image(const struct work *work)
{
    const struct pixel_codec *codec = work->image->codec;
    for (int32_t y = 0; y < work->height; y++) {
        const struct pixel_row row = pixel_row_of(work->image->d_dst, codec, 0, y, work->width);
        codec->decode(&row, (uint32_t)work->channels, work->values);
        for (int32_t c = 0; c < work->channels; c++) {
            float *out = derivative_row(work, c, y);
            for (int32_t x = 0; x < work->width; x++) {
                out[x] = work->values[x * work->channels + c];
            }
        }
    }
}

/* The edge gets what went beyond it. */
static void fold(const struct work *work, float *sums)
{
    const int32_t last = work->width - 1;
    for (int32_t i = 1; i <= work->reach; i++) {
        sums[0] += sums[-i];
        sums[last] += sums[last + i];
    }
}

static void write_image(const struct work *work)
{
    const struct pixel_codec *codec = work->image->codec;
    for (int32_t y = 0; y < work->height; y++) {
        for (int32_t c = 0; c < work->channels; c++) {
            float *sums = sum_row(work, c, y);
            fold(work, sums);
            for (int32_t x = 0; x < work->width; x++) {
                work->values[x * work->channels + c] = sums[x];
            }
        }
        const struct pixel_row from = pixel_row_of(work->image->d_dst, codec, 0, y, work->width);
        const struct pixel_row to = pixel_row_of(work->image->d_src, codec, 0, y, work->width);
        codec->encode(work->values, (uint32_t)work->channels, &from, &to);
    }
}

/* ---- Fragments */

static void copy_fragment(const struct work *work, const struct fragment *fragment)
{
    for (int32_t c = 0; c < work->channels; c++) {
        for (int32_t y = fragment->y0; y < fragment->y1; y++) {
            work->loops->add(sum_row(work, c, y) + fragment->x0,
                             derivative_row(work, c, y) + fragment->x0, 1.0f,
                             fragment->x1 - fragment->x0);
        }
    }
}

/* Returns the filter's weight at pixel `from` of row `to`: the edge has those beyond it, too. */
static float weight_of(const struct work *work, const struct fragment *fragment, int32_t from,
                       int32_t to)
{
    const int32_t radius = (int32_t)fragment->ring->radius_px;
    const int32_t first = to == 0 ? from - radius : to;
    const int32_t last = to == work->height - 1 ? from + radius : to;
    float weight = 0.0f;
    for (int32_t i = first < from - radius ? from - radius : first; i <= last && i <= from + radius;
         i++) {
        weight += fragment->taps[i < from ? from - i : i - from];
    }
    return weight;
}

static void sum_columns(const struct work *work, const struct fragment *fragment, int32_t channel)
{
    const int32_t width = fragment->x1 - fragment->x0;
    const int32_t radius = (int32_t)fragment->ring->radius_px;
    float *out = work->column;
    for (int32_t to = fragment->top; to < fragment->bottom; to++, out += width) {
        memset(out, 0, (size_t)width * sizeof *out);
        for (int32_t y = fragment->y0; y < fragment->y1; y++) {
            if (y - to <= radius && to - y <= radius) {
                work->loops->add(out, derivative_row(work, channel, y) + fragment->x0,
                                 weight_of(work, fragment, y, to), width);
            }
        }
    }
}

static void sum_rows(const struct work *work, const struct fragment *fragment, int32_t channel)
{
    const int32_t radius = (int32_t)fragment->ring->radius_px;
    const float *in = work->column;
    for (int32_t y = fragment->top; y < fragment->bottom; y++) {
        float *out = sum_row(work, channel, y) - radius;
        for (int32_t x = fragment->x0; x < fragment->x1; x++) {
            work->loops->add(out + x, work->taps, *in++, 2 * radius + 1);
        }
    }
}

static void do_fragment(const struct work *work, struct fragment *fragment)
{
    const int32_t radius = (int32_t)fragment->ring->radius_px;
    fragment->taps = work->plan->taps + fragment->ring->first_tap;
    fragment->top = clamp(fragment->y0 - radius, 0, work->height);
    fragment->bottom = clamp(fragment->y1 + radius, 0, work->height);
    for (int32_t i = -radius; i <= radius; i++) {
        work->taps[i + radius] = fragment->taps[i < 0 ? -i : i];
    }
    for (int32_t c = 0; c < work->channels; c++) {
        sum_columns(work, fragment, c);
        sum_rows(work, fragment, c);
    }
}

static struct fragment fragment_at(const struct work *work, int32_t index_x, int32_t index_y)
{
    const struct foveate_plan *plan = work->plan;
    const struct foveate_frame *frame = &work->frame;
    const int32_t side = frame->fragment_px;
    const int32_t x =
        foveate_grid_start_px(index_x, side, foveate_grid_shift_px(frame->gaze_x_q8, side));
    const int32_t y =
        foveate_grid_start_px(index_y, side, foveate_grid_shift_px(frame->gaze_y_q8, side));
    const struct foveate_grid_filters filters = {plan->rings, &plan->law, plan->law_table};
    const int32_t ring =
        plan->rings ? foveate_grid_filter(&filters, frame, index_x, index_y) : FOVEATE_RING_NONE;
    return (struct fragment){
        .x0 = clamp(x, 0, work->width),
        .x1 = clamp(x + side, 0, work->width),
        .y0 = clamp(y, 0, work->height),
        .y1 = clamp(y + side, 0, work->height),
        .ring = ring == FOVEATE_RING_NONE ? NULL : &plan->rings[ring],
    };
}

void foveate_gradient_blockwise_run(const struct foveate_plan *plan,
                                    const struct foveate_gradient_loops *loops, float *scratch,
                                    const struct foveate_gradient_image *image)
{
    struct work work = {.plan = plan,
                        .loops = loops,
                        .image = image,
                        .frame = {.width_px = (int32_t)plan->width_px,
                                  .height_px = (int32_t)plan->height_px,
                                  .fragment_px = (int32_t)plan->fragment_px,
                                  .gaze_x_q8 = image->gaze_x_q8,
                                  .gaze_y_q8 = image->gaze_y_q8,
                                  .ring_count = (int32_t)plan->ring_count},
                        .width = (int32_t)plan->width_px,
                        .height = (int32_t)plan->height_px,
                        .channels = image->channels,
                        .reach = (int32_t)plan->max_radius_px};
    lay_out(plan, scratch, &work);
    const int32_t side = work.frame.fragment_px;
    const int32_t columns =
        foveate_grid_count(work.width, side, foveate_grid_shift_px(image->gaze_x_q8, side));
    const int32_t rows =
        foveate_grid_count(work.height, side, foveate_grid_shift_px(image->gaze_y_q8, side));
    memset(work.sums, 0, (size_t)(work.column - work.sums) * sizeof *work.sums);
    read_image(&work);
    for (int32_t i = 0; i < rows * columns; i++) {
        struct fragment fragment = fragment_at(&work, i % columns, i / columns);
        if (fragment.ring) {
            do_fragment(&work, &fragment);
        } else {
            copy_fragment(&work, &fragment);
        }
    }
    write_image(&work);
}
