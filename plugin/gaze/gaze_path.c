/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_path.h"

#include "gaze_random.h"
#include "gaze_source.h"

#include <math.h>
#include <string.h>

/* The spread of the durations of fixations, and their ends. Of a log-normal distribution the mean
 * is then 1.083 medians: 325 ms at the default, where Rayner 1998 has 330 for scenes. */
#define DWELL_LOG_SPREAD 0.4
#define DWELL_MIN_MS 50.0
#define DWELL_MAX_MEDIANS 6.0
/* Amplitudes count by exp(-d/scale). Over places that are everywhere, of which there are the more
 * the farther, that is a gamma distribution of shape 2, whose median is so many scales. */
#define AMPLITUDE_SCALES 1.678347
/* A blob twice as strong is four times as likely. */
#define STRENGTH_POWER 2.0
#define LANDING_SPREAD 0.25 /* of the blob's radius */
#define MARGIN 0.05 /* of the picture, that nothing made up is aimed at */
#define ATTEMPTS 32
/* Longer than this after the end of a fixation and its saccade nobody has asked. */
#define LEAP_NS (10 * GAZE_NS_PER_S)
#define TIME_MAX_NS (INT64_MAX / 2) /* later, and as long ago, is like it: sums stay in range */

static const struct fovea_point_uv MIDDLE = {.x_uv = 0.5, .y_uv = 0.5};

/* ---- Angles: as the tangents from the middle, across and down separately ---- */

static double from_middle_deg(double uv, double size_deg)
{
    return atan((2.0 * uv - 1.0) * tan(0.5 * size_deg * M_PI / 180.0)) * 180.0 / M_PI;
}

static double distance_deg(const struct gaze_path *path, const struct fovea_gaze_settings *s,
                           struct fovea_point_uv a, struct fovea_point_uv b)
{
    const double x = from_middle_deg(a.x_uv, s->saliency_width_deg) -
                     from_middle_deg(b.x_uv, s->saliency_width_deg);
    const double y =
        from_middle_deg(a.y_uv, path->height_deg) - from_middle_deg(b.y_uv, path->height_deg);
    return hypot(x, y);
}

/* ---- Inhibition of return ---- */

static void leave_place(struct gaze_path *path, struct fovea_point_uv point, int64_t t_ns)
{
    path->places[path->place_count++ % GAZE_PATH_PLACES] = (struct gaze_path_place){point, t_ns};
}

static bool is_inhibited(const struct gaze_path *path, const struct fovea_gaze_settings *s,
                         struct fovea_point_uv point, int64_t t_ns)
{
    const int64_t since_ns = t_ns - llround(s->saliency_inhibition_s * (double)GAZE_NS_PER_S);
    const uint64_t kept =
        path->place_count < GAZE_PATH_PLACES ? path->place_count : GAZE_PATH_PLACES;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct gaze_path_place *place =
            &path->places[(path->place_count - i) % GAZE_PATH_PLACES];
        if (place->left_ns < since_ns) {
            return false; /* those before were left before */
        }
        if (distance_deg(path, s, place->point, point) < s->saliency_inhibition_deg) {
            return true;
        }
    }
    return false;
}

/* ---- Where to ---- */

static double preference(const struct gaze_path *path, const struct fovea_gaze_settings *s,
                         struct fovea_point_uv point)
{
    const double scale_deg = s->saliency_amplitude_deg / AMPLITUDE_SCALES;
    const double near_gaze = exp(-distance_deg(path, s, path->from, point) / scale_deg);
    const double off = s->saliency_center_deg > 0
                           ? distance_deg(path, s, MIDDLE, point) / s->saliency_center_deg
                           : 0.0;
    return near_gaze * exp(-0.5 * off * off);
}

static struct fovea_point_uv place_of(const struct gaze_proposal *proposal)
{
    return (struct fovea_point_uv){(double)proposal->x_uv, (double)proposal->y_uv};
}

static double weight_of(const struct gaze_path *path, const struct fovea_gaze_settings *s,
                        const struct gaze_proposal *proposal, int64_t t_ns)
{
    const struct fovea_point_uv point = place_of(proposal);
    const double strength = pow((double)proposal->strength, STRENGTH_POWER);
    return is_inhibited(path, s, point, t_ns) ? 0.0 : strength * preference(path, s, point);
}

/* NULL: none is free. */
static const struct gaze_proposal *draw(struct gaze_path *path, const struct fovea_gaze_settings *s,
                                        const struct gaze_proposals *proposals, int64_t t_ns)
{
    double sums[GAZE_PROPOSALS_MAX];
    double sum = 0.0;
    for (uint32_t i = 0; i < proposals->count; i++) {
        sum += weight_of(path, s, &proposals->of[i], t_ns);
        sums[i] = sum;
    }
    const double chance = sum * gaze_random_unit(&path->random);
    for (uint32_t i = 0; i < proposals->count && sum > 0.0; i++) {
        if (chance <= sums[i]) {
            return &proposals->of[i];
        }
    }
    return NULL;
}

static double inside(double uv)
{
    return gaze_clamp(uv, 0.0, 1.0);
}

/* Nobody lands in the middle of what he looks at. */
static struct fovea_point_uv landing(struct gaze_path *path, const struct fovea_gaze_settings *s,
                                     const struct gaze_proposal *proposal, int64_t t_ns)
{
    const double spread = LANDING_SPREAD * (double)proposal->radius_uv;
    const double x = spread * gaze_random_normal(&path->random);
    const double y = spread * gaze_random_normal(&path->random) / path->aspect;
    const struct fovea_point_uv middle = place_of(proposal);
    const struct fovea_point_uv point = {inside(middle.x_uv + x), inside(middle.y_uv + y)};
    return is_inhibited(path, s, point, t_ns) ? middle : point;
}

/* Nothing in the picture calls: anywhere that is free, or here. */
static struct fovea_point_uv anywhere(struct gaze_path *path, const struct fovea_gaze_settings *s,
                                      int64_t t_ns)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        const struct fovea_point_uv point = {
            gaze_random_between(&path->random, MARGIN, 1.0 - MARGIN),
            gaze_random_between(&path->random, MARGIN, 1.0 - MARGIN)};
        const bool is_liked = gaze_random_unit(&path->random) <= preference(path, s, point);
        if (is_liked && !is_inhibited(path, s, point, t_ns)) {
            return point;
        }
    }
    return path->from;
}

/* ---- Other foveas ---- */

static bool is_apart(const struct gaze_path *path, const struct fovea_gaze_settings *s,
                     struct fovea_point_uv point)
{
    bool apart = distance_deg(path, s, path->to, point) >= s->saliency_inhibition_deg;
    for (uint32_t i = 0; i < path->next_other_count; i++) {
        apart = apart &&
                distance_deg(path, s, path->next_others[i], point) >= s->saliency_inhibition_deg;
    }
    return apart;
}

/* The proposal that counts most of those that are apart from the foveas that are chosen and have
 * not been looked at for a while. No chance is in it. NULL: there is none. */
static const struct gaze_proposal *best_other(const struct gaze_path *path,
                                              const struct fovea_gaze_settings *s,
                                              const struct gaze_proposals *proposals, int64_t t_ns)
{
    const struct gaze_proposal *best = NULL;
    double most = 0.0;
    for (uint32_t i = 0; i < proposals->count; i++) {
        const struct gaze_proposal *proposal = &proposals->of[i];
        const double weight =
            is_apart(path, s, place_of(proposal)) ? weight_of(path, s, proposal, t_ns) : 0.0;
        best = weight > most ? proposal : best;
        most = fmax(most, weight);
    }
    return best;
}

static void choose_others(struct gaze_path *path, const struct fovea_gaze_settings *s,
                          const struct gaze_proposals *proposals, int64_t t_ns)
{
    path->next_other_count = 0;
    for (uint32_t k = 1; k < s->saliency_foveas; k++) {
        const struct gaze_proposal *best = best_other(path, s, proposals, t_ns);
        if (!best) {
            return;
        }
        path->next_others[path->next_other_count++] = place_of(best);
    }
}

static void choose(struct gaze_path *path, const struct fovea_gaze_settings *s,
                   const struct gaze_proposals *proposals, int64_t t_ns)
{
    leave_place(path, path->from, t_ns);
    const struct gaze_proposal *drawn = draw(path, s, proposals, t_ns);
    path->to = drawn ? landing(path, s, drawn, t_ns) : anywhere(path, s, t_ns);
    path->saccade_ns = gaze_saccade_duration_ns(distance_deg(path, s, path->from, path->to));
    choose_others(path, s, proposals, t_ns);
}

static void fixate(struct gaze_path *path, const struct fovea_gaze_settings *s,
                   struct fovea_point_uv point, int64_t t_ns)
{
    const double dwell_ms =
        gaze_clamp(gaze_random_log_normal(&path->random, s->saliency_dwell_ms, DWELL_LOG_SPREAD),
                   DWELL_MIN_MS, s->saliency_dwell_ms * DWELL_MAX_MEDIANS);
    path->from = path->to = point;
    path->start_ns = t_ns;
    path->dwell_ns = llround(dwell_ms * (double)GAZE_NS_PER_MS);
    path->saccade_ns = 0;
    memcpy(path->others, path->next_others, sizeof path->others);
    path->other_count = path->next_other_count;
}

/* ---- Reading ---- */

static int64_t within_range(int64_t t_ns)
{
    return t_ns > TIME_MAX_NS ? TIME_MAX_NS : t_ns < -TIME_MAX_NS ? -TIME_MAX_NS : t_ns;
}

void gaze_path_begin(struct gaze_path *path, const struct fovea_gaze_settings *settings,
                     struct fovea_point_uv point, int64_t t_ns)
{
    if (!path->begun) {
        path->random = settings->saliency_seed;
        path->begun = true;
    }
    path->place_count = 0;
    path->next_other_count = 0;
    fixate(path, settings, (struct fovea_point_uv){inside(point.x_uv), inside(point.y_uv)},
           within_range(t_ns));
}

static struct fovea_point_uv between(const struct gaze_path *path, int64_t t_ns)
{
    const int64_t under_way_ns = t_ns - path->start_ns - path->dwell_ns;
    if (path->saccade_ns == 0 || under_way_ns <= 0) {
        return path->from;
    }
    const double part =
        gaze_saccade_profile(fmin((double)under_way_ns / (double)path->saccade_ns, 1.0));
    return (struct fovea_point_uv){
        inside(path->from.x_uv + (path->to.x_uv - path->from.x_uv) * part),
        inside(path->from.y_uv + (path->to.y_uv - path->from.y_uv) * part)};
}

static bool leaps(const struct gaze_path *path, int64_t t_ns)
{
    const int64_t end_ns = path->start_ns + path->dwell_ns + path->saccade_ns;
    return t_ns < path->start_ns || gaze_time_sub(t_ns, end_ns) > LEAP_NS;
}

static void be_of_shape(struct gaze_path *path, const struct fovea_gaze_settings *settings,
                        double aspect)
{
    path->aspect = aspect;
    path->height_deg = gaze_height_deg(settings->saliency_width_deg, aspect);
}

struct fovea_point_uv gaze_path_at(struct gaze_path *path,
                                   const struct fovea_gaze_settings *settings,
                                   const struct gaze_proposals *proposals, double aspect,
                                   int64_t t_ns)
{
    t_ns = within_range(t_ns);
    be_of_shape(path, settings, aspect);
    if (!path->begun || leaps(path, t_ns)) {
        gaze_path_begin(path, settings, path->begun ? path->to : MIDDLE, t_ns);
    }
    while (t_ns >= path->start_ns + path->dwell_ns) {
        if (path->saccade_ns == 0) {
            choose(path, settings, proposals, path->start_ns + path->dwell_ns);
        }
        const int64_t end_ns = path->start_ns + path->dwell_ns + path->saccade_ns;
        if (t_ns < end_ns) {
            break;
        }
        fixate(path, settings, path->to, end_ns);
    }
    return between(path, t_ns);
}
