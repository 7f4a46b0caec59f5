/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_vergence.h"

#include "gaze_coords.h"
#include "gaze_source.h"

#include <math.h>
#include <stdio.h>

#define RAD (3.14159265358979323846 / 180.0)
#define LEAST_BASE_M 0.02 /* between eyes; what is nearer or farther is no pair of them */
#define MOST_BASE_M 0.2
#define STEEPEST_RAD (89.0 * RAD)
#define LEAST_AHEAD 0.01 /* of a line of sight that looks ahead, of unit length */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* False: it has no direction, or is not finite. */
static bool normalize(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
    return length > 0.0 && isfinite(length);
}

/* Finds the way from the left eye to the right one. False: they are no pair of eyes. */
static bool find_base(const struct gaze_sight eyes[2], double out[3], double *out_m)
{
    for (int i = 0; i < 3; i++) {
        out[i] = eyes[1].eye_m[i] - eyes[0].eye_m[i];
    }
    *out_m = sqrt(dot(out, out));
    return *out_m >= LEAST_BASE_M && *out_m <= MOST_BASE_M && normalize(out);
}

/* The middle of both lines of sight, less what of it is along the base. */
static bool find_ahead(double ways[2][3], const double base[3], double out[3])
{
    if (!normalize(ways[0]) || !normalize(ways[1])) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = ways[0][i] + ways[1][i];
    }
    const double along = dot(out, base);
    for (int i = 0; i < 3; i++) {
        out[i] -= along * base[i];
    }
    return normalize(out);
}

double gaze_vergence_diopters(const struct gaze_sight eyes[2], double added_deg)
{
    double base[3];
    double ahead[3];
    double base_m = 0.0;
    double ways[2][3];
    double tangents[2];
    for (int i = 0; i < 6; i++) {
        ways[i / 3][i % 3] = eyes[i / 3].way[i % 3];
    }
    if (!find_base(eyes, base, &base_m) || !find_ahead(ways, base, ahead)) {
        return (double)NAN;
    }
    for (int i = 0; i < 2; i++) {
        const double added_rad = (i == 0 ? 0.5 : -0.5) * added_deg * RAD;
        const double angle = atan2(dot(ways[i], base), dot(ways[i], ahead)) + added_rad;
        if (!(fabs(angle) <= STEEPEST_RAD)) {
            return (double)NAN;
        }
        tangents[i] = tan(angle);
    }
    /* A metre in that plane is so much of one along the view axis. */
    const double axis = ahead[2] + 0.5 * (tangents[0] + tangents[1]) * base[2];
    const double diopters = (tangents[0] - tangents[1]) / (base_m * axis);
    return axis >= LEAST_AHEAD && fabs(diopters) <= GAZE_VERGENCE_MOST_DIOPTERS ? diopters
                                                                                : (double)NAN;
}

void gaze_vergence_from_places(const struct fovea_gaze_settings *settings, double distance_m,
                               const double x[2], const double y[2], struct gaze_sight out[2])
{
    for (int i = 0; i < 2; i++) {
        const double from_m = (i == 0 ? -0.5e-3 : 0.5e-3) * settings->vergence_ipd_mm;
        const double across = tan(gaze_coords_to_deg(settings, 0, x[i]) * RAD);
        const double up = tan(gaze_coords_to_deg(settings, 1, y[i]) * RAD);
        const bool is_place = distance_m > 0.0;
        out[i] = (struct gaze_sight){
            .eye_m = {from_m, 0.0, 0.0},
            .way = {is_place ? across - from_m / distance_m : across, up, 1.0},
        };
    }
}

bool gaze_vergence_pass(struct gaze_vergence *vergence, const struct fovea_gaze_settings *settings,
                        const struct gaze_sight eyes[2], int64_t t_ns)
{
    if (!(settings->vergence_ipd_mm > 0.0) || (vergence->any && t_ns < vergence->t_ns)) {
        return false;
    }
    const double diopters = gaze_vergence_diopters(eyes, settings->vergence_offset_deg);
    if (isnan(diopters)) {
        return false;
    }
    const double step_ms = (double)gaze_time_sub(t_ns, vergence->t_ns) / (double)GAZE_NS_PER_MS;
    const double kept = vergence->any && settings->vergence_smooth_ms > 0.0
                            ? exp(-step_ms / settings->vergence_smooth_ms)
                            : 0.0;
    *vergence = (struct gaze_vergence){
        .diopters = diopters + kept * (vergence->diopters - diopters), .t_ns = t_ns, .any = true};
    return true;
}

double gaze_vergence_m(const struct gaze_vergence *vergence,
                       const struct fovea_gaze_settings *settings, int64_t t_ns)
{
    const double age_ms = (double)gaze_time_sub(t_ns, vergence->t_ns) / (double)GAZE_NS_PER_MS;
    if (!vergence->any || age_ms > settings->hold_ms) {
        return 0.0;
    }
    return vergence->diopters > 0.0 ? 1.0 / vergence->diopters : (double)INFINITY;
}

void gaze_vergence_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    const double at_diopters = 0.5;
    const double error = tan(0.5 * RAD) / (1e-3 * settings->vergence_ipd_mm);
    char far[32] = "infinity";
    if (error < at_diopters) {
        snprintf(far, sizeof far, "%.2f m", 1.0 / (at_diopters - error));
    }
    snprintf(out, bytes,
             "vergence by %g mm between the eyes: an error of half a degree between their lines of "
             "sight is %.2f diopters, and makes %.2f m to %s of a fixation at 2 m",
             settings->vergence_ipd_mm, error, 1.0 / (at_diopters + error), far);
}
