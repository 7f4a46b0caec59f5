/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The configuration that Vive, Vive Pro, Index and others with Valve's tracking hold: of it what
 * lenses need. Lengths are in half widths of an eye's display from its middle:
 *
 *     source = (center + (p - center) D(|p - center|^2)) / (1 + grow_for_undistort)
 *
 *     DISTORT_POLY3          D(q) = 1 + c0 q + c1 q^2 + c2 q^3
 *     DISTORT_DPOLY3         D(q) = 1 / (1 + c0 q + c1 q^2 + c2 q^3)
 *     DISTORT_DPOLY3_SCALED  D(q) = 1 / (1 + c0 q + c1 q^2 + c2 q^3) + c3
 *
 * No polynomial of r with r^4 is that, so a grid is made of it. */
#include "read.h"

#include <math.h>

#define COEFFICIENTS 8
#define STEPS 4096 /* in which a fold is looked for */

enum { POLY3, DPOLY3, DPOLY3_SCALED };

struct distortion {
    uint32_t type;
    double center[2];
    double coefficients[COEFFICIENTS];
    double last; /* r up to which the formula counts; beyond it the factor stays as it is there */
};

struct eye {
    struct lens_formula formula;
    struct distortion colors[LENS_COLORS]; /* red, green, blue */
    double grow;
    double cutoff; /* of r^2: up to here the source must come from farther out as r grows */
};

struct vive {
    struct eye eyes[LENS_EYES];
    double aspect; /* an eye's width over its height; 0: not given */
    double size_px[2]; /* an eye's, whose pixels are square: an Index gives no aspect */
};

/* ---- What the file says, and more that does not count */

static const char *const types[] = {"DISTORT_POLY3", "DISTORT_DPOLY3", "DISTORT_DPOLY3_SCALED",
                                    NULL};
static const struct json_member distortion_members[] = {
    {.name = "type", .at = offsetof(struct distortion, type), .words = types},
    JSON_NUMBERS("coeffs", struct distortion, coefficients, 0.0, 0.0, false),
    JSON_NUMBERS("center_x", struct distortion, center[0], -2.0, 2.0, false),
    JSON_NUMBERS("center_y", struct distortion, center[1], -2.0, 2.0, false),
    {.name = NULL}};
static const struct json_members distortion_object = {
    .what = "a distortion", .passes = true, .needs = 3, .all = distortion_members};

static bool read_distortion(struct json_scan *scan, void *to)
{
    struct distortion *distortion = to;
    uint32_t has = 0;
    if (!json_members_read(scan, &distortion_object, distortion, &has)) {
        return false;
    }
    const int used = distortion->type == DPOLY3_SCALED ? 4 : 3;
    for (int i = used; i < COEFFICIENTS; i++) {
        if (distortion->coefficients[i] != 0.0) {
            return json_fail(scan, "only the first %d of \"coeffs\" may be other than 0", used);
        }
    }
    return true;
}

static const struct json_member eye_members[] = {
    {.name = "distortion_red", .at = offsetof(struct eye, colors[0]), .read = read_distortion},
    {.name = "distortion", .at = offsetof(struct eye, colors[1]), .read = read_distortion},
    {.name = "distortion_blue", .at = offsetof(struct eye, colors[2]), .read = read_distortion},
    JSON_NUMBERS("grow_for_undistort", struct eye, grow, 0.0, 10.0, false),
    JSON_NUMBERS("undistort_r2_cutoff", struct eye, cutoff, 0.0, 1000.0, false),
    {.name = NULL}};
static const struct json_members eye_object = {
    .what = "an eye", .passes = true, .needs = 1u << 1 | 1u << 3 | 1u << 4, .all = eye_members};

static bool read_eyes(struct json_scan *scan, void *to)
{
    struct eye *eyes = to;
    struct json_list list;
    int count = 0;
    bool good = json_open(scan, '[', &list);
    for (; good && json_next(scan, &list); count++) {
        uint32_t has = 0;
        good = count < LENS_EYES && json_members_read(scan, &eye_object, &eyes[count], &has);
        for (int color = 0; good && color < LENS_COLORS; color++) {
            if (!(has >> color & 1)) {
                eyes[count].colors[color] = eyes[count].colors[LENS_AXIS];
            }
        }
    }
    return (good && count == LENS_EYES) || json_fail(scan, "there must be two eyes");
}

static const struct json_member device_members[] = {
    JSON_NUMBERS("eye_target_width_in_pixels", struct vive, size_px[0], 1.0, 65536.0, false),
    JSON_NUMBERS("eye_target_height_in_pixels", struct vive, size_px[1], 1.0, 65536.0, false),
    JSON_NUMBERS("physical_aspect_x_over_y", struct vive, aspect, 0.1, 10.0, false),
    {.name = NULL}};

static bool read_device(struct json_scan *scan, void *to)
{
    static const struct json_members object = {.passes = true, .all = device_members};
    uint32_t has = 0;
    return json_members_read(scan, &object, to, &has);
}

static const struct json_member file_members[] = {
    {.name = "device", .read = read_device},
    {.name = "tracking_to_eye_transform", .at = offsetof(struct vive, eyes), .read = read_eyes},
    {.name = NULL}};
static const struct json_members file_object = {
    .what = "the file", .passes = true, .needs = 2, .all = file_members};

/* ---- Points of it */

static double factor_of(const struct distortion *distortion, double r)
{
    const double *c = distortion->coefficients;
    const double q = r * r;
    const double sum = 1.0 + q * (c[0] + q * (c[1] + q * c[2]));
    return distortion->type == POLY3    ? sum
           : distortion->type == DPOLY3 ? 1.0 / sum
                                        : 1.0 / sum + c[3];
}

/* Beyond `last` the formula folds or has a pole. Returns false if the picture is seen twice up to
 * the cutoff. */
static bool find_last(const struct eye *eye, double aspect, struct distortion *distortion)
{
    const double farthest =
        hypot(1.0 + fabs(distortion->center[0]), 1.0 / aspect + fabs(distortion->center[1]));
    const double beyond = 4.0 * (1.0 + eye->grow) * farthest; /* no source lies there */
    double source = 0.0;
    distortion->last = 0.0;
    for (int i = 1; i <= STEPS && source <= beyond; i++) {
        const double r = farthest * i / STEPS;
        const double next = r * factor_of(distortion, r);
        if (!(next > source)) {
            return r * r > eye->cutoff;
        }
        source = next;
        distortion->last = r;
    }
    return true;
}

static void source(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2])
{
    const struct eye *eye = (const struct eye *)formula;
    const struct distortion *distortion = &eye->colors[color];
    const double from[] = {at[0] - distortion->center[0], at[1] - distortion->center[1]};
    const double factor = factor_of(distortion, fmin(hypot(from[0], from[1]), distortion->last));
    for (int i = 0; i < 2; i++) {
        out_at[i] = (distortion->center[i] + from[i] * factor) / (1.0 + eye->grow);
    }
}

static bool take_eye(struct json_scan *scan, struct eye *eye, const char *name, double aspect,
                     struct lens_map *map)
{
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!find_last(eye, aspect, &eye->colors[color])) {
            return json_fail(scan, "the %s eye's %s folds back from r = %.4g on", name,
                             lens_color_names[color], eye->colors[color].last);
        }
    }
    eye->formula = (struct lens_formula){.size = {2.0, 2.0 / aspect},
                                         .center = {1.0, 1.0 / aspect},
                                         .unit = {1.0, 1.0},
                                         .source = source,
                                         .color_count = LENS_COLORS};
    return lens_read_formula(scan, &eye->formula, &map->points);
}

static bool knows(struct json_scan *scan)
{
    return lens_text_holds(scan, "\"tracking_to_eye_transform\"");
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct vive vive = {.aspect = 0.0};
    uint32_t has = 0;
    if (!json_members_read(scan, &file_object, &vive, &has) || !json_end(scan)) {
        return false;
    }
    const double aspect = vive.aspect > 0.0 || !(vive.size_px[1] > 0.0)
                              ? vive.aspect
                              : vive.size_px[0] / vive.size_px[1];
    calibration->eye_count = LENS_EYES;
    return aspect > 0.0 ? take_eye(scan, &vive.eyes[0], "left", aspect, &calibration->eyes[0]) &&
                              take_eye(scan, &vive.eyes[1], "right", aspect, &calibration->eyes[1])
                        : json_fail(scan, "there is no \"physical_aspect_x_over_y\"");
}

const struct lens_reader lens_reader_vive = {knows, read};
