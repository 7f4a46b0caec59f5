/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lensfun's XML, with r over half of the picture's short side. Red and blue come from where the
 * colour's own polynomial puts green's source:
 *
 *     ptlens   r (1 - a - b - c + c r + b r^2 + a r^3)     linear   r k
 *     poly3    r (1 - k1 + k1 r^2)                         poly3    r (v + c r + b r^2)
 *     poly5    r (1 + k1 r^2 + k2 r^4) */
#include "read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A corner of 16:9 is 2.04 half short sides from the middle. */
#define FARTHEST 2.1
#define MOST_OFF 1e-4 /* of red and blue, in half short sides: 0.05 px at 1080 rows */
#define STEPS 256 /* at which that is looked for */

static bool knows(struct json_scan *scan)
{
    return lens_text_holds(scan, "<lensdatabase") || lens_text_holds(scan, "<distortion ");
}

/* ---- Elements, whose values are attributes. None is in a comment. */

static const char *find(const char *at, const char *end, const char *words)
{
    return at < end ? memmem(at, (size_t)(end - at), words, strlen(words)) : NULL;
}

/* The place behind the next element's name from the place on, or NULL. */
static const char *next_element(const char *at, const char *end, const char *name)
{
    for (at = find(at, end, "<"); at; at = find(at + 1, end, "<")) {
        const size_t left = (size_t)(end - at);
        if (left >= strlen(name) && memcmp(at, name, strlen(name)) == 0) {
            return at + strlen(name);
        }
        if (left >= 4 && memcmp(at, "<!--", 4) == 0) {
            at = find(at, end, "-->");
            at = at ? at : end - 1;
        }
    }
    return NULL;
}

/* One at most: only a person knows which focal length the picture has. Empty: there is none. */
static bool one_element(struct json_scan *scan, const char *name, struct lens_line *out_element)
{
    const char *end = scan->bytes + scan->count;
    const char *found = next_element(scan->bytes, end, name);
    *out_element = (struct lens_line){scan->bytes, scan->bytes};
    if (!found) {
        return true;
    }
    const char *close = find(found, end, ">");
    *out_element = (struct lens_line){found, close ? close : end};
    scan->at = (size_t)(found - scan->bytes);
    return !next_element(out_element->end, end, name) ||
           json_fail(scan,
                     "there are several %s...>: leave the one of your lens and focal "
                     "length",
                     name);
}

/* The value of an attribute, from the place behind its quote; NULL: it is not there. */
static const char *value_at(struct lens_line element, const char *name)
{
    char words[32];
    snprintf(words, sizeof words, " %s=\"", name);
    /* The white space before the first attribute ends the element's name. */
    const char *found = element.at < element.end ? find(element.at - 1, element.end, words) : NULL;
    return found ? found + strlen(words) : NULL;
}

static bool is_value(struct lens_line element, const char *name, const char *word)
{
    const char *at = value_at(element, name);
    const size_t length = strlen(word);
    return at && (size_t)(element.end - at) > length && memcmp(at, word, length) == 0 &&
           at[length] == '"';
}

/* A value that is left out is `otherwise`. */
static double number_of(struct json_scan *scan, struct lens_line element, const char *name,
                        double otherwise)
{
    const char *at = value_at(element, name);
    double number = otherwise;
    if (at && (!json_decimal(at, element.end, &number) || !isfinite(number))) {
        scan->at = (size_t)(at - scan->bytes);
        json_fail(scan, "expected a finite number");
    }
    return number;
}

/* ---- Polynomials */

static bool read_distortion(struct json_scan *scan, struct lens_line element,
                            double terms[LENS_POWERS])
{
    const bool poly5 = is_value(element, "model", "poly5");
    const double k1 = number_of(scan, element, "k1", 0.0);
    const double k2 = number_of(scan, element, "k2", 0.0);
    const double a = number_of(scan, element, "a", 0.0);
    const double b = number_of(scan, element, "b", 0.0);
    const double c = number_of(scan, element, "c", 0.0);
    const double ptlens[LENS_POWERS] = {1.0 - a - b - c, c, b, a, 0.0};
    const double poly[LENS_POWERS] = {poly5 ? 1.0 : 1.0 - k1, 0.0, k1, 0.0, poly5 ? k2 : 0.0};
    const bool is_ptlens = is_value(element, "model", "ptlens");
    memcpy(terms, is_ptlens ? ptlens : poly, sizeof ptlens);
    return is_ptlens || poly5 || is_value(element, "model", "poly3") ||
           json_fail(scan, "expected a distortion of model ptlens, poly3 or poly5");
}

/* Red or blue comes from here, over r: its own polynomial at green's source. */
struct color {
    double green[LENS_POWERS];
    double vcb[3];
};

static double color_at(const struct color *color, double r)
{
    const double green = lens_factor_at(color->green, r);
    const double *vcb = color->vcb;
    return green * (vcb[0] + r * green * (vcb[1] + r * green * vcb[2]));
}

/* The polynomial that meets the colour's at Chebyshev's places up to FARTHEST, by Newton's
 * differences. Returns how far apart the sources are at most between them. */
static double meet(const struct color *color, double out_terms[LENS_POWERS])
{
    double at[LENS_POWERS];
    double difference[LENS_POWERS];
    double off = 0.0;
    for (int i = 0; i < LENS_POWERS; i++) {
        at[i] = 0.5 * FARTHEST * (1.0 - cos(M_PI * (2 * i + 1) / (2 * LENS_POWERS)));
        difference[i] = color_at(color, at[i]);
        out_terms[i] = 0.0;
    }
    for (int order = 1; order < LENS_POWERS; order++) {
        for (int i = LENS_POWERS - 1; i >= order; i--) {
            difference[i] = (difference[i] - difference[i - 1]) / (at[i] - at[i - order]);
        }
    }
    for (int i = LENS_POWERS - 1; i >= 0; i--) { /* times r - at[i], plus the difference */
        for (int power = LENS_POWERS - 1; power > 0; power--) {
            out_terms[power] = out_terms[power - 1] - at[i] * out_terms[power];
        }
        out_terms[0] = difference[i] - at[i] * out_terms[0];
    }
    for (int i = 0; i <= STEPS; i++) {
        const double r = FARTHEST * i / STEPS;
        off = fmax(off, r * fabs(color_at(color, r) - lens_factor_at(out_terms, r)));
    }
    return off;
}

static bool read_color(struct json_scan *scan, struct lens_line element, char letter,
                       const double green[LENS_POWERS], double terms[LENS_POWERS])
{
    static const char letters[] = "vcb";
    struct color color = {.vcb = {1.0, 0.0, 0.0}};
    memcpy(color.green, green, sizeof color.green);
    for (int i = 0; i < 3; i++) {
        const char name[] = {letters[i], letter, '\0'};
        color.vcb[i] = number_of(scan, element, name, color.vcb[i]);
    }
    const char linear[] = {'k', letter, '\0'};
    color.vcb[0] = number_of(scan, element, linear, color.vcb[0]);
    if (color.vcb[1] == 0.0 && color.vcb[2] == 0.0) {
        for (int i = 0; i < LENS_POWERS; i++) {
            terms[i] = color.vcb[0] * green[i];
        }
        return true;
    }
    return meet(&color, terms) <= MOST_OFF ||
           json_fail(scan, "the lateral colour is too strong for five powers: make a grid");
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct lens_polynomial *own = &calibration->eyes[0].polynomial;
    struct lens_line distortion;
    struct lens_line tca;
    if (!one_element(scan, "<tca ", &tca) || !one_element(scan, "<distortion ", &distortion)) {
        return false;
    }
    if (distortion.at == distortion.end || lens_text_holds(scan, "<center ")) {
        return json_fail(scan, distortion.at == distortion.end
                                   ? "there is no <distortion ...>"
                                   : "a lens with a <center> is not read: make a grid");
    }
    *own = (struct lens_polynomial){
        .unit = LENS_HALF_SHORT, .centered = true, .center_uv = {0.5, 0.5}};
    return read_distortion(scan, distortion, own->terms[LENS_AXIS]) &&
           read_color(scan, tca, 'r', own->terms[LENS_AXIS], own->terms[0]) &&
           read_color(scan, tca, 'b', own->terms[LENS_AXIS], own->terms[2]) && !scan->problem[0];
}

const struct lens_reader lens_reader_lensfun = {knows, read};
