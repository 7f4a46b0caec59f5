/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Boxes and tents along lines. A box's sum is what is left of one block of its width and what has
 * come of the next one: two running sums of numbers that are only added. So nothing drifts, and
 * what is not finite reaches as far as the box, which costs the same however wide it is. */

#include "blur_cpu.h"

#include <string.h>

#define LANES 16 /* lines at a time: a place of all of them is so many floats */

/* Says what an engine makes of a line. */
struct lines {
    int32_t (*margin)(const struct blur_plan *plan);
    /* buffers[0] has the line with its margins, so many places; returns the buffer that has it
     * made, without them. */
    float *(*make)(const struct blur_plan *plan, float *const buffers[4], int32_t places);
};

/* ---- Sums */

static void copy_place(const float *from, float *to)
{
    memcpy(to, from, LANES * sizeof *to);
}

static void add_places(const float *a, const float *b, float *to)
{
    for (int32_t i = 0; i < LANES; i++) {
        to[i] = a[i] + b[i];
    }
}

/* to: of `width` places from each on, as far as there are so many; to has it of places - width + 1.
 * scratch: as long as the line. */
static void sum_windows(const float *line, int32_t places, int32_t width, float *scratch, float *to)
{
    for (int32_t first = 0; first < places; first += width) {
        const int32_t last = (first + width < places ? first + width : places) - 1;
        copy_place(line + (size_t)first * LANES, scratch + (size_t)first * LANES);
        for (int32_t i = first + 1; i <= last; i++) {
            add_places(scratch + (size_t)(i - 1) * LANES, line + (size_t)i * LANES,
                       scratch + (size_t)i * LANES);
        }
        copy_place(line + (size_t)last * LANES, to + (size_t)last * LANES);
        for (int32_t i = last - 1; i >= first; i--) {
            add_places(to + (size_t)(i + 1) * LANES, line + (size_t)i * LANES,
                       to + (size_t)i * LANES);
        }
    }
    for (int32_t i = 0; i + width <= places; i++) {
        const float *come = scratch + (size_t)(i + width - 1) * LANES;
        if (i % width == 0) {
            copy_place(come, to + (size_t)i * LANES);
        } else {
            add_places(to + (size_t)i * LANES, come, to + (size_t)i * LANES);
        }
    }
}

/* ---- Boxes */

static int32_t box_margin(const struct blur_plan *plan)
{
    return (int32_t)plan->numbers.passes * blur_box_reach(&plan->box);
}

/* Leaves the means in `to`, which has twice the reach less. */
static void average(const struct blur_box *box, const float *line, int32_t places, float *scratch,
                    float *to)
{
    const int32_t width = 2 * box->half_px + 1;
    const int32_t reach = blur_box_reach(box);
    const float scale = (float)box->scale;
    const float end = (float)box->end;
    sum_windows(line, places, width, scratch, to);
    for (int32_t i = 0; i + 2 * reach < places; i++) {
        float *own = to + (size_t)i * LANES;
        const float *sum = to + (size_t)(i + reach - box->half_px) * LANES;
        const float *first = line + (size_t)i * LANES;
        const float *last = line + (size_t)(i + 2 * reach) * LANES;
        for (int32_t k = 0; k < LANES; k++) {
            const float ends = reach > box->half_px ? end * (first[k] + last[k]) : 0.0f;
            own[k] = scale * (sum[k] + ends);
        }
    }
}

static float *make_boxes(const struct blur_plan *plan, float *const buffers[4], int32_t places)
{
    float *line = buffers[0];
    float *to = buffers[2];
    for (uint32_t i = 0; i < plan->numbers.passes; i++) {
        average(&plan->box, line, places, buffers[1], to);
        places -= 2 * blur_box_reach(&plan->box);
        float *made = to;
        to = line;
        line = made;
    }
    return line;
}

/* ---- Tents: a box of the whole radius twice, and a wide one for what is left of the radius */

static int32_t tent_margin(const struct blur_plan *plan)
{
    return plan->tent.reach_px;
}

static float *make_tents(const struct blur_plan *plan, float *const buffers[4], int32_t places)
{
    const struct blur_tent *tent = &plan->tent;
    const int32_t reach = tent->reach_px;
    const float scale = (float)tent->scale;
    const float part = (float)tent->part;
    sum_windows(buffers[0], places, reach, buffers[1], buffers[2]);
    sum_windows(buffers[2], places - reach + 1, reach, buffers[1], buffers[3]);
    sum_windows(buffers[0], places, 2 * reach + 1, buffers[1], buffers[2]);
    for (size_t i = 0; i < (size_t)(places - 2 * reach) * LANES; i++) {
        buffers[2][i] = scale * (buffers[3][i + LANES] + part * buffers[2][i]);
    }
    return buffers[2];
}

/* ---- Lines of the picture */

static size_t buffer_floats(const struct blur_plan *plan, const struct lines *lines)
{
    const uint32_t width = plan->machine.width_px;
    const uint32_t height = plan->machine.height_px;
    const size_t length = width > height ? width : height;
    return (length + 2 * (size_t)lines->margin(plan)) * LANES;
}

static void get_buffers(const struct blur_plan *plan, const struct lines *lines, float *scratch,
                        float *out_buffers[4])
{
    const size_t floats = buffer_floats(plan, lines);
    for (size_t i = 0; i < 4; i++) {
        out_buffers[i] = scratch + i * floats;
    }
}

static void repeat_ends(float *line, int32_t margin, int32_t length)
{
    const float *first = line + (size_t)margin * LANES;
    const float *last = first + (size_t)(length - 1) * LANES;
    for (int32_t i = 0; i < margin; i++) {
        copy_place(first, line + (size_t)i * LANES);
        copy_place(last, line + (size_t)(margin + length + i) * LANES);
    }
}

/* Lines side by side: lane k is channel k % channels of line k / channels. */
static int32_t rows_at_a_time(const struct blur_cpu *cpu)
{
    return LANES / (int32_t)cpu->channels;
}

static void make_rows(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                      float *scratch)
{
    const struct lines *lines = step->own;
    const int32_t channels = (int32_t)cpu->channels;
    const int32_t first = chunk * rows_at_a_time(cpu);
    const int32_t left = cpu->height_px - first;
    const int32_t count = left < rows_at_a_time(cpu) ? left : rows_at_a_time(cpu);
    const int32_t margin = lines->margin(cpu->plan);
    float *buffers[4];
    get_buffers(cpu->plan, lines, scratch, buffers);
    float *line = buffers[0] + (size_t)margin * LANES;
    memset(line, 0, (size_t)cpu->width_px * LANES * sizeof *line);
    for (int32_t k = 0; k < count; k++) {
        const float *row = cpu->pixels + (size_t)(first + k) * blur_cpu_row(cpu);
        for (int32_t x = 0; x < cpu->width_px; x++) {
            for (int32_t c = 0; c < channels; c++) {
                line[(size_t)x * LANES + (size_t)(k * channels + c)] = *row++;
            }
        }
    }
    repeat_ends(buffers[0], margin, cpu->width_px);
    const float *made = lines->make(cpu->plan, buffers, cpu->width_px + 2 * margin);
    for (int32_t k = 0; k < count; k++) {
        float *row = cpu->pixels + (size_t)(first + k) * blur_cpu_row(cpu);
        for (int32_t x = 0; x < cpu->width_px; x++) {
            for (int32_t c = 0; c < channels; c++) {
                *row++ = made[(size_t)x * LANES + (size_t)(k * channels + c)];
            }
        }
    }
}

/* Lane k is the float after so many others of a row. */
static void make_columns(const struct blur_cpu *cpu, const struct blur_cpu_step *step,
                         int32_t chunk, float *scratch)
{
    const struct lines *lines = step->own;
    const size_t first = (size_t)chunk * LANES;
    const size_t left = blur_cpu_row(cpu) - first;
    const size_t count = left < LANES ? left : LANES;
    const int32_t margin = lines->margin(cpu->plan);
    float *buffers[4];
    get_buffers(cpu->plan, lines, scratch, buffers);
    float *line = buffers[0] + (size_t)margin * LANES;
    memset(line, 0, (size_t)cpu->height_px * LANES * sizeof *line);
    for (int32_t y = 0; y < cpu->height_px; y++) {
        memcpy(line + (size_t)y * LANES, cpu->pixels + (size_t)y * blur_cpu_row(cpu) + first,
               count * sizeof *line);
    }
    repeat_ends(buffers[0], margin, cpu->height_px);
    const float *made = lines->make(cpu->plan, buffers, cpu->height_px + 2 * margin);
    for (int32_t y = 0; y < cpu->height_px; y++) {
        memcpy(cpu->pixels + (size_t)y * blur_cpu_row(cpu) + first, made + (size_t)y * LANES,
               count * sizeof *line);
    }
}

static float *add_lines(struct blur_cpu *cpu, const struct lines *lines)
{
    const int32_t at_a_time = rows_at_a_time(cpu);
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = make_rows, .own = lines},
                 (cpu->height_px + at_a_time - 1) / at_a_time);
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = make_columns, .own = lines},
                 (int32_t)((blur_cpu_row(cpu) + LANES - 1) / LANES));
    return cpu->pixels;
}

/* ---- The engines */

static const struct lines boxes = {box_margin, make_boxes};
static const struct lines tents = {tent_margin, make_tents};

static size_t box_floats(const struct blur_plan *plan)
{
    return 4 * buffer_floats(plan, &boxes);
}

static float *add_boxes(struct blur_cpu *cpu)
{
    return add_lines(cpu, &boxes);
}

const struct blur_cpu_engine blur_cpu_box = {.scratch_floats = box_floats, .add = add_boxes};

size_t blur_cpu_tent_floats(const struct blur_plan *plan)
{
    return 4 * buffer_floats(plan, &tents);
}

float *blur_cpu_tent_add(struct blur_cpu *cpu)
{
    return add_lines(cpu, &tents);
}
