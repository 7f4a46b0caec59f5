/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "sigma.h"

#include "kernels/gauss/grid.h"

/* The root of squares; at least 1e-15, so that it can divide. */
static inline lanes distance_of(const lanes square)
{
    const lanes least = 1e-30f - (lanes){0};
    const lanes counted = lanes_greater(&square, &least);
    return lanes_quick_root(&counted);
}

/* gauss_law_table */
static inline lanes table_at(const struct gauss_law *law, const float *table, const lanes *at)
{
    const lanes last = (float)(law->table_count - 1) - (lanes){0};
    const lanes before = last - 1.0f;
    const lanes asked = *at * law->table_per_unit;
    const lanes place = lanes_lesser(&asked, &last);
    const whole_lanes below = __builtin_convertvector(lanes_lesser(&place, &before), whole_lanes);
    const lanes part = place - __builtin_convertvector(below, lanes);
    lanes around[2];
    lanes_gather_two(table, &below, around);
    return around[0] + part * (around[1] - around[0]);
}

/* gauss_law_map */
static inline lanes map_at(const struct gauss_law *law, const float *table, const lanes *x,
                           const lanes *y)
{
    const lanes zero = {0};
    const lanes last_x = (float)(law->map_width - 1) + zero;
    const lanes last_y = (float)(law->map_height - 1) + zero;
    const lanes before_x = last_x - 1.0f;
    const lanes before_y = last_y - 1.0f;
    const lanes asked_x = *x * law->table_per_unit + 0.5f * last_x;
    const lanes asked_y = *y * law->table_per_unit + 0.5f * last_y;
    const lanes from_x = lanes_greater(&asked_x, &zero);
    const lanes from_y = lanes_greater(&asked_y, &zero);
    const lanes column = lanes_lesser(&from_x, &last_x);
    const lanes row = lanes_lesser(&from_y, &last_y);
    const whole_lanes left = __builtin_convertvector(lanes_lesser(&column, &before_x), whole_lanes);
    const whole_lanes top = __builtin_convertvector(lanes_lesser(&row, &before_y), whole_lanes);
    const lanes part_x = column - __builtin_convertvector(left, lanes);
    const lanes part_y = row - __builtin_convertvector(top, lanes);
    const whole_lanes at = top * law->map_width + left;
    const whole_lanes under = at + law->map_width;
    lanes above[2];
    lanes below[2];
    lanes_gather_two(table, &at, above);
    lanes_gather_two(table, &under, below);
    const lanes upper = above[0] + part_x * (above[1] - above[0]);
    const lanes lower = below[0] + part_x * (below[1] - below[0]);
    const lanes value = upper + part_y * (lower - upper);
    if (!law->map_root) {
        return value;
    }
    return 1.0f / lanes_square_root(&value);
}

/* gauss_law_map_projected */
static inline lanes map_projected(const struct gauss_law *law, const float *table, const lanes *x,
                                  float y, struct gauss_ray gaze)
{
    const float level_sq = 1.0f + gaze.x * gaze.x;
    const float gaze_sq = level_sq + gaze.y * gaze.y;
    const lanes dx = *x - gaze.x;
    const float dy = y - gaze.y;
    const lanes right = dx * (1.0f / sqrtf(level_sq));
    const lanes down =
        (dy + gaze.x * (gaze.x * dy - gaze.y * dx)) * (1.0f / sqrtf(level_sq * gaze_sq));
    const lanes ahead = (*x * gaze.x + (y * gaze.y + 1.0f)) * (1.0f / sqrtf(gaze_sq));
    const lanes side = distance_of(right * right + down * down);
    lanes angle;
    lanes_angle(&side, &ahead, &angle);
    const lanes per_side = 57.29577951f * angle * lanes_reciprocal(&side);
    const lanes right_deg = right * per_side;
    const lanes down_deg = down * per_side;
    return map_at(law, table, &right_deg, &down_deg);
}

/* gauss_law_angle_deg */
static inline lanes angle_deg(const lanes *x, float y, struct gauss_ray gaze)
{
    const float cx = y - gaze.y;
    const lanes cy = gaze.x - *x;
    const lanes cz = *x * gaze.y - y * gaze.x;
    const lanes cross = distance_of(cx * cx + cy * cy + cz * cz);
    const lanes dot = *x * gaze.x + (y * gaze.y + 1.0f);
    lanes angle;
    lanes_angle(&cross, &dot, &angle);
    return angle * 57.29577951f;
}

struct place {
    float y_px; /* the row's, from the gaze */
    struct gauss_ray ray; /* its first pixel's */
    struct gauss_ray gaze;
};

/* gauss_law_plain_at: `x_px` from the first pixel of the row, `dx` from the gaze. */
static inline lanes plain_at(const struct gauss_law *law, const float *table,
                             const struct place *place, const lanes *x_px, const lanes *dx)
{
    if (law->kind == GAUSS_LAW_RADIAL) {
        const lanes distance = distance_of(*dx * *dx + place->y_px * place->y_px);
        return table_at(law, table, &distance);
    }
    if (law->kind == GAUSS_LAW_MAP) {
        const lanes dy = place->y_px + (lanes){0};
        return map_at(law, table, dx, &dy);
    }
    const float y = place->ray.y;
    const lanes x = place->ray.x + *x_px * law->tan_x_per_px;
    lanes degrees;
    if (law->kind == GAUSS_LAW_MAP_PROJECTED) {
        degrees = map_projected(law, table, &x, y, place->gaze);
    } else {
        const lanes angle = angle_deg(&x, y, place->gaze);
        degrees = table_at(law, table, &angle);
    }
    const lanes square = 1.0f + y * y + x * x;
    const float per_tangent = 0.01745329252f / fmaxf(law->tan_x_per_px, law->tan_y_per_px);
    return degrees * lanes_quick_root(&square) * per_tangent;
}

/* gauss_law_ramp: the lesser of its two lines. */
static inline lanes ramped(const struct gauss_law *law, const lanes *sigma)
{
    const lanes zero = {0};
    const lanes rising = 2.0f * (*sigma - law->sharp_px);
    const lanes ramp = lanes_lesser(sigma, &rising);
    return law->strength * lanes_greater(&ramp, &zero);
}

/* Sigma of every place by a frame's gaze alone; `less`: where it is less than what is there. */
static inline void even_row(const struct gauss_cpu_picture *picture,
                            const struct gauss_frame *frame, const struct gauss_cpu_places *places,
                            bool less, float *out)
{
    const struct gauss_law *law = &picture->plan->law;
    const float gaze_x_px = (float)frame->gaze_x_q8 / 256.0f;
    const float gaze_y_px = (float)frame->gaze_y_q8 / 256.0f;
    const struct place place = {
        .y_px = places->y_px - gaze_y_px,
        .ray = gauss_law_ray(law, places->x_px - 0.5f, places->y_px - 0.5f),
        .gaze = gauss_law_ray(law, gaze_x_px - 0.5f, gaze_y_px - 0.5f),
    };
    for (int32_t i = 0; i < places->count; i += LANES) {
        const lanes x_px = places->apart_px * (lanes_ramp() + (float)i);
        const lanes dx = places->x_px - gaze_x_px + x_px;
        const lanes sigma = plain_at(law, picture->plan->law_table, &place, &x_px, &dx);
        const lanes own = ramped(law, &sigma);
        *(lanes *)(out + i) = less ? lanes_lesser(&own, (const lanes *)(out + i)) : own;
    }
}

static void even_row_of_all(const struct gauss_cpu_picture *picture,
                            const struct gauss_cpu_places *places, float *out)
{
    const struct gauss_frame *frame = &picture->view.frame;
    even_row(picture, frame, places, false, out);
    for (int32_t k = 0; k < frame->others.count; k++) {
        const struct gauss_frame there = gauss_frame_at_other(frame, k);
        even_row(picture, &there, places, true, out);
    }
}

/* Does gauss_sigma_at, once for the pixels of a fragment. */
static void stepped_row(const struct gauss_cpu_picture *picture,
                        const struct gauss_cpu_places *places, float *out)
{
    const struct gauss_plan *plan = picture->plan;
    const struct gauss_frame *frame = &picture->view.frame;
    const int32_t side_px = frame->fragment_px;
    const int32_t shift_px = gauss_grid_shift_px(frame->gaze_x_q8, side_px);
    const int32_t first_px = (int32_t)places->x_px;
    const int32_t y_px = gauss_grid_middle_of((int32_t)places->y_px, frame->gaze_y_q8, side_px);
    for (int32_t i = 0; i < places->count;) {
        const int32_t index = (first_px + i + shift_px) / side_px;
        const int32_t end = (index + 1) * side_px - shift_px - first_px;
        const int32_t x_px = gauss_grid_middle_px(index, side_px, shift_px);
        float sigma_px = gauss_grid_sigma(&plan->law, plan->law_table, frame, x_px, y_px);
        for (int32_t k = 0; k < frame->others.count; k++) {
            const struct gauss_frame there = gauss_frame_at_other(frame, k);
            sigma_px =
                fminf(sigma_px, gauss_grid_sigma(&plan->law, plan->law_table, &there, x_px, y_px));
        }
        for (; i < places->count && i < end; i++) {
            out[i] = sigma_px;
        }
    }
}

/* Pixels beyond the picture have the last one's. */
static void pictured_row(const struct gauss_cpu_picture *picture,
                         const struct gauss_cpu_places *places, float *out)
{
    const struct fovea_image *sigmas = &picture->view.sigmas;
    const struct pixel_codec *codec = pixel_codec_of(sigmas->format);
    const float most_px = picture->plan->law_table[0];
    const int32_t x_px = (int32_t)places->x_px;
    const int32_t left = picture->view.frame.width_px - x_px;
    const int32_t count = places->count < left ? places->count : left;
    const struct pixel_row row = pixel_row_of(sigmas, codec, x_px, (int32_t)places->y_px, count);
    codec->decode(&row, 1, out);
    for (int32_t i = 0; i < places->count; i++) {
        out[i] = i < count ? gauss_law_pictured(out[i], most_px) : out[count - 1];
    }
}

void gauss_cpu_sigma_row(const struct gauss_cpu_picture *picture, struct gauss_cpu_places places,
                         float *out)
{
    if (picture->plan->law.kind == GAUSS_LAW_PICTURE) {
        pictured_row(picture, &places, out);
    } else if (picture->view.frame.fragment_px == 0) {
        even_row_of_all(picture, &places, out);
    } else {
        stepped_row(picture, &places, out);
    }
}
