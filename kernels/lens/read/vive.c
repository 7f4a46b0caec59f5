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
#include <string.h>

#define COEFFICIENTS 8
#define STEPS 4096 /* in which a fold is looked for */

enum { POLY3, DPOLY3, DPOLY3_SCALED };

struct distortion {
    bool given;
    bool has_coefficients;
    bool has_type;
    uint32_t type;
    double center[2];
    double coefficients[COEFFICIENTS];
    double last; /* r up to which the formula counts; beyond it the factor stays as it is there */
};

struct eye {
    struct distortion colors[LENS_COLORS]; /* red, green, blue */
    bool has_grow;
    bool has_cutoff;
    double grow;
    double cutoff; /* of r^2: up to here the source must come from farther out as r grows */
};

struct vive {
    struct eye eyes[LENS_EYES];
    bool has_eyes;
    double aspect; /* an eye's width over its height; 0: not given */
    double size_px[2]; /* an eye's, whose pixels are square: an Index gives no aspect */
};

static bool in_range(struct lens_scan *scan, const char *name, double least, double most,
                     double *out_number)
{
    return lens_scan_number(scan, out_number) &&
           ((*out_number >= least && *out_number <= most) ||
            lens_scan_fail(scan, "\"%s\" is %g to %g", name, least, most));
}

/* ---- What the file says */

static bool type_of(struct lens_scan *scan, uint32_t *out_type)
{
    static const char *const types[] = {"DISTORT_POLY3", "DISTORT_DPOLY3", "DISTORT_DPOLY3_SCALED"};
    char word[LENS_SCAN_NAME_BYTES];
    if (!lens_scan_word(scan, word)) {
        return false;
    }
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i], word) == 0) {
            *out_type = i;
            return true;
        }
    }
    return lens_scan_fail(scan, "a distortion of type \"%s\" is not known", word);
}

static bool distortion_member(struct lens_scan *scan, const char *name, void *user)
{
    struct distortion *distortion = user;
    if (strcmp(name, "center_x") == 0 || strcmp(name, "center_y") == 0) {
        return in_range(scan, name, -2.0, 2.0, &distortion->center[name[7] == 'y']);
    }
    if (strcmp(name, "coeffs") == 0) {
        distortion->has_coefficients = true;
        return lens_scan_numbers(scan, COEFFICIENTS, distortion->coefficients);
    }
    if (strcmp(name, "type") == 0) {
        distortion->has_type = true;
        return type_of(scan, &distortion->type);
    }
    return lens_scan_pass(scan);
}

static bool read_distortion(struct lens_scan *scan, struct distortion *distortion)
{
    if (!lens_scan_object(scan, distortion_member, distortion)) {
        return false;
    }
    if (!distortion->has_type || !distortion->has_coefficients) {
        return lens_scan_fail(scan, "a distortion has no \"%s\"",
                              distortion->has_type ? "coeffs" : "type");
    }
    const int used = distortion->type == DPOLY3_SCALED ? 4 : 3;
    for (int i = used; i < COEFFICIENTS; i++) {
        if (distortion->coefficients[i] != 0.0) {
            return lens_scan_fail(scan, "only the first %d of \"coeffs\" may be other than 0",
                                  used);
        }
    }
    distortion->given = true;
    return true;
}

static bool eye_member(struct lens_scan *scan, const char *name, void *user)
{
    static const char *const names[LENS_COLORS] = {"distortion_red", "distortion",
                                                   "distortion_blue"};
    struct eye *eye = user;
    for (int color = 0; color < LENS_COLORS; color++) {
        if (strcmp(name, names[color]) == 0) {
            return read_distortion(scan, &eye->colors[color]);
        }
    }
    if (strcmp(name, "grow_for_undistort") == 0) {
        eye->has_grow = true;
        return in_range(scan, name, 0.0, 10.0, &eye->grow);
    }
    if (strcmp(name, "undistort_r2_cutoff") == 0) {
        eye->has_cutoff = true;
        return in_range(scan, name, 0.0, 1000.0, &eye->cutoff);
    }
    return lens_scan_pass(scan);
}

static bool read_eye(struct lens_scan *scan, struct eye *eye)
{
    if (!lens_scan_object(scan, eye_member, eye)) {
        return false;
    }
    const char *lacks = !eye->colors[LENS_AXIS].given ? "distortion"
                        : !eye->has_grow              ? "grow_for_undistort"
                        : !eye->has_cutoff            ? "undistort_r2_cutoff"
                                                      : NULL;
    for (int color = 0; color < LENS_COLORS; color++) {
        if (!eye->colors[color].given) {
            eye->colors[color] = eye->colors[LENS_AXIS];
        }
    }
    return !lacks || lens_scan_fail(scan, "an eye has no \"%s\"", lacks);
}

static bool device_member(struct lens_scan *scan, const char *name, void *user)
{
    static const char *const sizes[] = {"eye_target_width_in_pixels",
                                        "eye_target_height_in_pixels"};
    struct vive *vive = user;
    for (int i = 0; i < 2; i++) {
        if (strcmp(name, sizes[i]) == 0) {
            return in_range(scan, name, 1.0, 65536.0, &vive->size_px[i]);
        }
    }
    return strcmp(name, "physical_aspect_x_over_y") == 0
               ? in_range(scan, name, 0.1, 10.0, &vive->aspect)
               : lens_scan_pass(scan);
}

static bool file_member(struct lens_scan *scan, const char *name, void *user)
{
    struct vive *vive = user;
    if (strcmp(name, "device") == 0) {
        return lens_scan_object(scan, device_member, vive);
    }
    if (strcmp(name, "tracking_to_eye_transform") != 0) {
        return lens_scan_pass(scan);
    }
    if (vive->has_eyes) {
        return lens_scan_fail(scan, "two eyes are enough");
    }
    vive->has_eyes = true;
    for (int eye = 0; eye < LENS_EYES; eye++) {
        if (!lens_scan_take(scan, eye ? ',' : '[') || !read_eye(scan, &vive->eyes[eye])) {
            return false;
        }
        if (eye == 0 && lens_scan_sees(scan, ']')) {
            return lens_scan_fail(scan, "two eyes are needed");
        }
    }
    return lens_scan_take(scan, ']');
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

static bool take_eye(struct lens_scan *scan, const struct vive *vive, struct eye *eye,
                     struct lens_map *map)
{
    for (int color = 0; color < LENS_COLORS; color++) {
        struct distortion *distortion = &eye->colors[color];
        if (!find_last(vive, eye, distortion)) {
            return lens_scan_fail(scan, "the %s eye's %s folds back from r = %.4g on",
                                  eye == vive->eyes ? "left" : "right", lens_color_names[color],
                                  distortion->last);
        }
    }
    const struct source_of source = {vive, eye};
    return lens_read_formula(scan, place_of, &source, LENS_COLORS, &map->points);
}

static bool knows(struct lens_scan *scan)
{
    return lens_text_holds(scan, "\"tracking_to_eye_transform\"");
}

static bool read(struct lens_scan *scan, struct lens_calibration *calibration)
{
    struct vive vive = {.has_eyes = false};
    if (!lens_scan_object(scan, file_member, &vive) || !lens_scan_end(scan)) {
        return false;
    }
    if (vive.aspect == 0.0 && vive.size_px[0] > 0.0 && vive.size_px[1] > 0.0) {
        vive.aspect = vive.size_px[0] / vive.size_px[1];
    }
    if (!vive.has_eyes || !(vive.aspect > 0.0)) {
        return lens_scan_fail(scan, "there is no \"%s\"",
                              vive.has_eyes ? "physical_aspect_x_over_y"
                                            : "tracking_to_eye_transform");
    }
    calibration->eye_count = LENS_EYES;
    return take_eye(scan, &vive, &vive.eyes[0], &calibration->eyes[0]) &&
           take_eye(scan, &vive, &vive.eyes[1], &calibration->eyes[1]);
}

const struct lens_reader lens_reader_vive = {knows, read};
