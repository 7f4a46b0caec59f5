/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_saccade_model.h"
#include "plugin/gaze/gaze_random.h"

#include <math.h>

#define STEP_NS GAZE_SACCADE_STEP_NS
#define NS_PER_MS 1e6
#define NS_PER_S 1e9

#define FIXATION_LOG_SPREAD 0.4
#define FIXATION_MIN_MS 50.0
#define FIXATION_MAX_MEDIANS 6.0
#define AMPLITUDE_LOG_SPREAD 0.9 /* some 4 % of 5 degrees' saccades are below 1 */
#define AMPLITUDE_MIN_DEG 0.2
#define AMPLITUDE_MAX_DEG 40.0
#define DRIFT_DEG 0.06
#define DRIFT_MIN_HZ 0.5
#define DRIFT_MAX_HZ 1.5
#define MARGIN 0.05 /* of the picture, that no saccade aims at */
#define AIM_ATTEMPTS 16
#define HORIZONTAL_SPREAD_RAD 0.35
#define BLINK_MEDIAN_MS 150.0
#define BLINK_LOG_SPREAD 0.4
#define BLINK_MIN_MS 80.0
#define BLINK_MAX_MS 400.0
#define BLINK_LONGEST_WAIT_S 1e6

static int64_t to_steps_ns(double ns)
{
    return (int64_t)ceil(ns / (double)STEP_NS) * STEP_NS;
}

static double drift_deg(const struct gaze_saccade_cycle *cycle, int axis, int64_t since_start_ns)
{
    const double angle = GAZE_TWO_PI * cycle->drift_hz * (double)since_start_ns / NS_PER_S;
    const double phase = cycle->drift_phase[axis];
    return DRIFT_DEG * (sin(angle + phase) - sin(phase));
}

static double position_deg(const struct gaze_saccade_cycle *cycle, int axis, int64_t t_ns)
{
    const int64_t since_start_ns = t_ns - cycle->start_ns;
    if (since_start_ns < cycle->fixation_ns) {
        return cycle->from_deg[axis] + drift_deg(cycle, axis, since_start_ns);
    }
    const double from = cycle->from_deg[axis] + drift_deg(cycle, axis, cycle->fixation_ns);
    const double part = (double)(since_start_ns - cycle->fixation_ns) / (double)cycle->saccade_ns;
    return from + (cycle->to_deg[axis] - from) * gaze_saccade_profile(fmin(part, 1.0));
}

static bool is_aimed_at(double value_deg, double size_deg)
{
    return value_deg >= MARGIN * size_deg && value_deg <= (1.0 - MARGIN) * size_deg;
}

/* Half of all saccades are nearly horizontal. */
static double random_direction_rad(uint64_t *state)
{
    if (gaze_random_unit(state) > 0.5) {
        return gaze_random_between(state, 0.0, GAZE_TWO_PI);
    }
    const double side = gaze_random_unit(state) > 0.5 ? 0.0 : GAZE_TWO_PI / 2.0;
    return side + HORIZONTAL_SPREAD_RAD * gaze_random_normal(state);
}

static void aim(struct gaze_saccade_model *model, const double from_deg[2], double to_deg[2])
{
    const struct gaze_saccade_desc *desc = &model->desc;
    uint64_t *random = &model->motion_random;
    const double amplitude =
        gaze_clamp(gaze_random_log_normal(random, desc->amplitude_deg, AMPLITUDE_LOG_SPREAD),
                   AMPLITUDE_MIN_DEG, AMPLITUDE_MAX_DEG);
    for (int i = 0; i < AIM_ATTEMPTS; i++) {
        const double direction = random_direction_rad(random);
        to_deg[0] = from_deg[0] + amplitude * cos(direction);
        to_deg[1] = from_deg[1] + amplitude * sin(direction);
        if (is_aimed_at(to_deg[0], desc->width_deg) && is_aimed_at(to_deg[1], desc->height_deg)) {
            return;
        }
    }
    /* So long a saccade does not fit from here: anywhere in the picture. */
    to_deg[0] = desc->width_deg * gaze_random_between(random, MARGIN, 1.0 - MARGIN);
    to_deg[1] = desc->height_deg * gaze_random_between(random, MARGIN, 1.0 - MARGIN);
}

static double distance_deg(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static void start_deg(const struct gaze_saccade_desc *desc, double out_deg[2])
{
    out_deg[0] = desc->width_deg / 2.0;
    out_deg[1] = desc->height_deg / 2.0;
}

/* The cycle's saccade becomes the one that closes the period. */
static void close_period(const struct gaze_saccade_desc *desc, struct gaze_saccade_cycle *cycle)
{
    start_deg(desc, cycle->to_deg);
    cycle->saccade_ns = gaze_saccade_duration_ns(distance_deg(cycle->from_deg, cycle->to_deg));
    cycle->fixation_ns = desc->period_ns - cycle->start_ns - cycle->saccade_ns;
}

static void next_cycle(struct gaze_saccade_model *model, int64_t start_ns, const double from_deg[2])
{
    const struct gaze_saccade_desc *desc = &model->desc;
    uint64_t *random = &model->motion_random;
    const double fixation_ms =
        gaze_clamp(gaze_random_log_normal(random, desc->fixation_ms, FIXATION_LOG_SPREAD),
                   FIXATION_MIN_MS, desc->fixation_ms * FIXATION_MAX_MEDIANS);
    struct gaze_saccade_cycle cycle = {
        .start_ns = start_ns,
        .fixation_ns = llround(fixation_ms * NS_PER_MS),
        .from_deg = {from_deg[0], from_deg[1]},
        .drift_hz = gaze_random_between(random, DRIFT_MIN_HZ, DRIFT_MAX_HZ),
        .drift_phase = {gaze_random_between(random, 0.0, GAZE_TWO_PI),
                        gaze_random_between(random, 0.0, GAZE_TWO_PI)},
    };
    const double leave_deg[2] = {
        from_deg[0] + drift_deg(&cycle, 0, cycle.fixation_ns),
        from_deg[1] + drift_deg(&cycle, 1, cycle.fixation_ns),
    };
    aim(model, leave_deg, cycle.to_deg);
    cycle.saccade_ns = gaze_saccade_duration_ns(distance_deg(leave_deg, cycle.to_deg));
    const int64_t shortest_ns = llround((FIXATION_MIN_MS + GAZE_SACCADE_MAX_MS) * NS_PER_MS);
    const int64_t end_ns = start_ns + cycle.fixation_ns + cycle.saccade_ns;
    if (end_ns + shortest_ns > desc->period_ns) {
        close_period(desc, &cycle);
    }
    model->cycle = cycle;
    model->cycle_count++;
}

static void next_blink(struct gaze_saccade_model *model, int64_t after_ns)
{
    uint64_t *random = &model->blink_random;
    if (model->desc.blinks_per_minute <= 0.0) {
        model->blink = (struct gaze_saccade_blink){INT64_MAX, INT64_MAX};
        return;
    }
    /* Half of the time from blink to blink is certain, and longer than a blink, so that they never
     * meet; the rest is chance. */
    const double mean_s = 60.0 / model->desc.blinks_per_minute;
    const double wait_s = 0.5 * mean_s * (1.0 - log(gaze_random_unit(random)));
    const double closed_ms =
        gaze_clamp(gaze_random_log_normal(random, BLINK_MEDIAN_MS, BLINK_LOG_SPREAD), BLINK_MIN_MS,
                   fmin(BLINK_MAX_MS, 450.0 * mean_s));
    model->blink.start_ns = after_ns + to_steps_ns(fmin(wait_s, BLINK_LONGEST_WAIT_S) * NS_PER_S);
    model->blink.end_ns = model->blink.start_ns + to_steps_ns(closed_ms * NS_PER_MS);
}

static void rewind_model(struct gaze_saccade_model *model)
{
    model->motion_random = model->desc.seed;
    model->blink_random = model->desc.seed ^ UINT64_C(0x6C62272E07BB0142);
    model->now_ns = 0;
    double from_deg[2];
    start_deg(&model->desc, from_deg);
    next_cycle(model, 0, from_deg);
    next_blink(model, 0);
}

void gaze_saccade_model_init(struct gaze_saccade_model *model, const struct gaze_saccade_desc *desc)
{
    model->desc = *desc;
    model->cycle_count = 0;
    rewind_model(model);
}

/* While the eye is closed the cycles wait at the last sample before: nothing there is passed
 * over. */
static void advance_cycles(struct gaze_saccade_model *model, int64_t t_ns)
{
    const struct gaze_saccade_cycle *cycle = &model->cycle;
    int64_t end_ns = cycle->start_ns + cycle->fixation_ns + cycle->saccade_ns;
    while (end_ns <= t_ns) {
        const double from_deg[2] = {cycle->to_deg[0], cycle->to_deg[1]};
        next_cycle(model, end_ns, from_deg);
        end_ns = cycle->start_ns + cycle->fixation_ns + cycle->saccade_ns;
    }
}

/* Degrees lie on a flat picture as the tangents of their angles from its middle. */
static double to_uv(double position_deg, double size_deg)
{
    const double half = 0.5 * size_deg * GAZE_TWO_PI / 360.0;
    const double off_middle = position_deg * GAZE_TWO_PI / 360.0 - half;
    return gaze_clamp(0.5 + 0.5 * tan(gaze_clamp(off_middle, -half, half)) / tan(half), 0.0, 1.0);
}

struct gaze_saccade_sample gaze_saccade_model_at(struct gaze_saccade_model *model, int64_t t_ns)
{
    const int64_t in_period_ns = t_ns % model->desc.period_ns;
    const int64_t now_ns = in_period_ns - in_period_ns % STEP_NS;
    if (now_ns < model->now_ns) {
        rewind_model(model);
    }
    model->now_ns = now_ns;
    while (model->blink.end_ns <= now_ns) {
        next_blink(model, model->blink.start_ns);
    }
    const bool closed = now_ns >= model->blink.start_ns;
    const int64_t seen_ns = closed ? model->blink.start_ns - STEP_NS : now_ns;
    advance_cycles(model, seen_ns);

    const int64_t period_start_ns = t_ns - in_period_ns;
    const double x_deg = position_deg(&model->cycle, 0, seen_ns);
    const double y_deg = position_deg(&model->cycle, 1, seen_ns);
    return (struct gaze_saccade_sample){
        .point = {.x_uv = to_uv(x_deg, model->desc.width_deg),
                  .y_uv = to_uv(y_deg, model->desc.height_deg)},
        .t_ns = period_start_ns + seen_ns,
        .closed = closed,
        .closed_since_ns = closed ? period_start_ns + model->blink.start_ns : 0,
    };
}
