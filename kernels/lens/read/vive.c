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
#include "text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COEFFICIENTS 8
#define STEPS 4096 /* in which a fold is looked for */

enum { POLY3, DPOLY3, DPOLY3_SCALED, TYPES };

struct distortion {
    bool has_coefficients;
    uint32_t type; /* TYPES: not given */
    double center[2];
    double coefficients[COEFFICIENTS];
    double last; /* r up to which the formula counts; beyond it the factor stays as it is there */
};

struct eye {
    struct distortion colors[LENS_COLORS]; /* red, green, blue */
    double grow; /* below 0: not given */
    double
        cutoff; /* of r^2: up to here the source must come from farther out as r grows; likewise */
};

struct vive {
    struct eye eyes[LENS_EYES];
    bool has_eyes;
    double aspect; /* an eye's width over its height; 0: not given */
    double size_px[2]; /* an eye's, whose pixels are square: an Index gives no aspect */
};

/* ---- What the file says */

/* A member that is a number, and where it goes; the last one has no name. */
struct number {
    const char *name;
    double least, most;
    size_t at;
};

/* Passes over what is none of them. */
static bool read_number(struct json_scan *scan, const struct number *numbers, const char *name,
                        void *to)
{
    while (numbers->name && strcmp(numbers->name, name) != 0) {
        numbers++;
    }
    double *out = (double *)(void *)((char *)to + numbers->at);
    if (!numbers->name) {
        return json_pass(scan);
    }
    return json_number(scan, out) &&
           ((*out >= numbers->least && *out <= numbers->most) ||
            json_fail(scan, "\"%s\" is %g to %g", name, numbers->least, numbers->most));
}

static bool distortion_member(struct json_scan *scan, const char *name, void *user)
{
    static const struct number numbers[] = {
        {"center_x", -2.0, 2.0, offsetof(struct distortion, center[0])},
        {"center_y", -2.0, 2.0, offsetof(struct distortion, center[1])},
        {NULL, 0.0, 0.0, 0}};
    static const char *const types[] = {"DISTORT_POLY3", "DISTORT_DPOLY3", "DISTORT_DPOLY3_SCALED",
                                        NULL};
    struct distortion *distortion = user;
    if (strcmp(name, "coeffs") == 0) {
        distortion->has_coefficients = true;
        return lens_read_numbers(scan, COEFFICIENTS, COEFFICIENTS, distortion->coefficients);
    }
    return strcmp(name, "type") == 0 ? lens_read_choice(scan, types, &distortion->type)
                                     : read_number(scan, numbers, name, distortion);
}

static bool read_distortion(struct json_scan *scan, struct distortion *distortion)
{
    if (!json_object(scan, distortion_member, distortion)) {
        return false;
    }
    if (distortion->type == TYPES || !distortion->has_coefficients) {
        return json_fail(scan, "a distortion has no \"%s\"",
                         distortion->type == TYPES ? "type" : "coeffs");
    }
    const int used = distortion->type == DPOLY3_SCALED ? 4 : 3;
    for (int i = used; i < COEFFICIENTS; i++) {
        if (distortion->coefficients[i] != 0.0) {
            return json_fail(scan, "only the first %d of \"coeffs\" may be other than 0", used);
        }
    }
    return true;
}

static bool eye_member(struct json_scan *scan, const char *name, void *user)
{
    static const struct number numbers[] = {
        {"grow_for_undistort", 0.0, 10.0, offsetof(struct eye, grow)},
        {"undistort_r2_cutoff", 0.0, 1000.0, offsetof(struct eye, cutoff)},
        {NULL, 0.0, 0.0, 0}};
    static const char *const colors[] = {"distortion_red", "distortion", "distortion_blue", NULL};
    struct eye *eye = user;
    const uint32_t color = lens_read_index(colors, name);
    return color < LENS_COLORS ? read_distortion(scan, &eye->colors[color])
                               : read_number(scan, numbers, name, eye);
}

static bool read_eye(struct json_scan *scan, struct eye *eye)
{
    *eye = (struct eye){.colors = {{.type = TYPES}, {.type = TYPES}, {.type = TYPES}},
                        .grow = -1.0,
                        .cutoff = -1.0};
    if (!json_object(scan, eye_member, eye)) {
        return false;
    }
    const char *lacks = eye->colors[LENS_AXIS].type == TYPES ? "distortion"
                        : eye->grow < 0.0                    ? "grow_for_undistort"
                        : eye->cutoff < 0.0                  ? "undistort_r2_cutoff"
                                                             : NULL;
    for (int color = 0; color < LENS_COLORS; color++) {
        if (eye->colors[color].type == TYPES) {
            eye->colors[color] = eye->colors[LENS_AXIS];
        }
    }
    return !lacks || json_fail(scan, "an eye has no \"%s\"", lacks);
}

static bool device_member(struct json_scan *scan, const char *name, void *user)
{
    static const struct number numbers[] = {
        {"eye_target_width_in_pixels", 1.0, 65536.0, offsetof(struct vive, size_px[0])},
        {"eye_target_height_in_pixels", 1.0, 65536.0, offsetof(struct vive, size_px[1])},
        {"physical_aspect_x_over_y", 0.1, 10.0, offsetof(struct vive, aspect)},
        {NULL, 0.0, 0.0, 0}};
    return read_number(scan, numbers, name, user);
}

static bool read_eyes(struct json_scan *scan, struct vive *vive)
{
    struct json_list list;
    int eye = 0;
    bool good = !vive->has_eyes && json_open(scan, '[', &list);
    for (vive->has_eyes = true; good && json_next(scan, &list); eye++) {
        good = eye < LENS_EYES && read_eye(scan, &vive->eyes[eye]);
    }
    return (good && eye == LENS_EYES) ||
           json_fail(scan, good ? "two eyes are needed" : "two eyes are enough");
}

static bool file_member(struct json_scan *scan, const char *name, void *user)
{
    struct vive *vive = user;
    if (strcmp(name, "device") == 0) {
        return json_object(scan, device_member, vive);
    }
    return strcmp(name, "tracking_to_eye_transform") == 0 ? read_eyes(scan, vive) : json_pass(scan);
}

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
static bool find_last(const struct vive *vive, const struct eye *eye, struct distortion *distortion)
{
    const double farthest =
        hypot(1.0 + fabs(distortion->center[0]), 1.0 / vive->aspect + fabs(distortion->center[1]));
    const double beyond = 4.0 * (1.0 + eye->grow) * farthest; /* no source lies there */
    double source = 0.0;
    distortion->last = 0.0;
    for (int i = 1; i <= STEPS; i++) {
        const double r = farthest * i / STEPS;
        const double next = r * factor_of(distortion, r);
        if (source > beyond) {
            return true;
        }
        if (!(next > source)) {
            return r * r > eye->cutoff;
        }
        source = next;
        distortion->last = r;
    }
    return true;
}

struct source_of {
    const struct vive *vive;
    const struct eye *eye;
};

static void place_of(const void *user, int color, const double uv[2], double out_uv[2])
{
    const struct source_of *of = user;
    const struct distortion *distortion = &of->eye->colors[color];
    const double *center = distortion->center;
    const double half[] = {1.0, 1.0 / of->vive->aspect};
    const double from[] = {(2.0 * uv[0] - 1.0) * half[0] - center[0],
                           (2.0 * uv[1] - 1.0) * half[1] - center[1]};
    const double factor = factor_of(distortion, fmin(hypot(from[0], from[1]), distortion->last));
    for (int i = 0; i < 2; i++) {
        const double source = (center[i] + from[i] * factor) / (1.0 + of->eye->grow);
        out_uv[i] = 0.5 + 0.5 * source / half[i];
    }
}

static bool take_eye(struct json_scan *scan, const struct vive *vive, struct eye *eye,
                     struct lens_map *map)
{
    for (int color = 0; color < LENS_COLORS; color++) {
        struct distortion *distortion = &eye->colors[color];
        if (!find_last(vive, eye, distortion)) {
            return json_fail(scan, "the %s eye's %s folds back from r = %.4g on",
                             eye == vive->eyes ? "left" : "right", lens_color_names[color],
                             distortion->last);
        }
    }
    const struct source_of source = {vive, eye};
    return lens_read_formula(scan, place_of, &source, LENS_COLORS, &map->points);
}

static bool knows(struct json_scan *scan)
{
    return lens_text_holds(scan, "\"tracking_to_eye_transform\"");
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct vive vive = {.has_eyes = false};
    if (!json_object(scan, file_member, &vive) || !json_end(scan)) {
        return false;
    }
    if (vive.aspect == 0.0 && vive.size_px[0] > 0.0 && vive.size_px[1] > 0.0) {
        vive.aspect = vive.size_px[0] / vive.size_px[1];
    }
    if (!vive.has_eyes || !(vive.aspect > 0.0)) {
        return json_fail(scan, "there is no \"%s\"",
                         vive.has_eyes ? "physical_aspect_x_over_y" : "tracking_to_eye_transform");
    }
    calibration->eye_count = LENS_EYES;
    return take_eye(scan, &vive, &vive.eyes[0], &calibration->eyes[0]) &&
           take_eye(scan, &vive, &vive.eyes[1], &calibration->eyes[1]);
}

const struct lens_reader lens_reader_vive = {knows, read};
