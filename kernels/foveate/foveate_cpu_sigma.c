/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_sigma.h"

static inline lanes smaller(const lanes *a, const lanes *b)
{
    const whole_lanes which = *a < *b;
    return lanes_choose(&which, a, b);
}

/* foveate_law_table, and foveate_law_ramp in one: a ramp is the lesser of its two lines. */
static inline lanes radial(const struct foveate_law *law, const float *table, const lanes *distance)
{
    const lanes zero = {0};
    const lanes last = (float)(law->table_count - 1) - zero;
    const lanes before = last - 1.0f;
    const lanes asked = *distance * law->table_per_unit;
    const lanes place = smaller(&asked, &last);
    const whole_lanes below = __builtin_convertvector(smaller(&place, &before), whole_lanes);
    const lanes here = lanes_gather(table, &below);
    const lanes next = lanes_gather(table + 1, &below);
    const lanes part = place - __builtin_convertvector(below, lanes);
    const lanes sigma = here + part * (next - here);
    const lanes rising = 2.0f * (sigma - law->sharp_px);
    const lanes ramp = smaller(&sigma, &rising);
    const whole_lanes blurred = ramp > zero;
    return law->strength * lanes_choose(&blurred, &ramp, &zero);
}

static void radial_row(const struct foveate_cpu_picture *picture, struct foveate_cpu_places places,
                       float *out)
{
    const struct foveate_frame *frame = &picture->view.frame;
    const float dy = places.y_px - (float)frame->gaze_y_q8 / 256.0f;
    const float dx = places.x_px - (float)frame->gaze_x_q8 / 256.0f;
    for (int32_t i = 0; i < places.count; i += LANES) {
        const lanes x = dx + places.apart_px * (lanes_ramp() + (float)i);
        const lanes square = x * x + dy * dy;
        const lanes distance = lanes_square_root(&square);
        *(lanes *)(out + i) = radial(&picture->plan->law, picture->plan->law_table, &distance);
    }
}

void foveate_cpu_sigma_row(const struct foveate_cpu_picture *picture,
                           struct foveate_cpu_places places, float *out)
{
    const struct foveate_plan *plan = picture->plan;
    const struct foveate_frame *frame = &picture->view.frame;
    if (plan->law.kind == FOVEATE_LAW_RADIAL) {
        radial_row(picture, places, out);
        return;
    }
    for (int32_t i = 0; i < places.count; i++) {
        out[i] = foveate_law_sigma_at(
            &plan->law, plan->law_table, places.x_px + (float)i * places.apart_px, places.y_px,
            (float)frame->gaze_x_q8 / 256.0f, (float)frame->gaze_y_q8 / 256.0f);
    }
}
