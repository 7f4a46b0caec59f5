/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Projects of panotools and PTGui. With p from the picture's middle and r over half of its short
 * side, the source lies at
 *
 *     q = p (1 - a - b - c + c r + b r^2 + a r^3) + (d, e)
 *     (q.x + g q.y / h, q.y + t q.x / w)                       from the middle, too
 *
 * as hugin's nona has it. */
#include "read.h"

#include <math.h>
#include <string.h>

/* Values by their letters; those that are not there are 0. */
enum { A, B, C, D, E, G, T, W, H, F, VALUES };

struct project {
    struct lens_formula formula;
    double values[VALUES];
    double terms[LENS_POWERS];
};

/* The first line of that letter and white space. */
static bool find_line(const struct json_scan *scan, char letter, struct lens_line *out_line)
{
    bool found = false;
    for (size_t at = 0; !found && at < scan->count;) {
        *out_line = lens_text_line(scan, &at);
        found = out_line->end - out_line->at > 1 && out_line->at[0] == letter &&
                lens_text_is_space(out_line->at[1]);
    }
    return found;
}

/* A word of one letter and a number, as in b-0.02; 0 where there is none, and *found stays as it
 * is. Names of files are in quotes, and may have words of any kind. */
static double value_of(struct json_scan *scan, struct lens_line line, char letter, bool *found)
{
    bool quoted = false;
    for (const char *at = line.at + 1; at + 1 < line.end; at++) {
        double number = 0.0;
        quoted = quoted != (*at == '"');
        if (quoted || !lens_text_is_space(at[-1]) || *at != letter) {
            continue;
        }
        const char *end = json_decimal(at + 1, line.end, &number);
        if (end && (end == line.end || lens_text_is_space(*end)) && isfinite(number)) {
            *found = true;
            return number;
        }
        scan->at = (size_t)(at - scan->bytes);
        if (at[1] == '=') {
            json_fail(scan, "%c= takes the number of another image; the first image needs its own",
                      letter);
        }
        json_fail(scan, "expected a finite number after %c", letter);
    }
    return 0.0;
}

static bool read_values(struct json_scan *scan, struct lens_line line, struct project *project)
{
    static const char letters[] = "abcdegtwhf";
    double *v = project->values;
    bool has_terms = false;
    bool has_others = false;
    for (int i = 0; i < VALUES; i++) {
        v[i] = value_of(scan, line, letters[i], i <= C ? &has_terms : &has_others);
    }
    scan->at = scan->problem[0] ? scan->at : (size_t)(line.at - scan->bytes);
    const double terms[LENS_POWERS] = {1.0 - v[A] - v[B] - v[C], v[C], v[B], v[A], 0.0};
    memcpy(project->terms, terms, sizeof terms);
    return (has_terms ||
            json_fail(scan, "the first image has none of a, b and c, which are the lens")) &&
           !scan->problem[0];
}

static void source(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2])
{
    const struct project *project = (const struct project *)formula;
    const double *v = project->values;
    const double factor = lens_factor_at(project->terms, hypot(at[0], at[1]));
    const double moved[] = {at[0] * factor + v[D] / formula->unit[0],
                            at[1] * factor + v[E] / formula->unit[1]};
    (void)color;
    out_at[0] = moved[0] + v[G] / v[H] * moved[1];
    out_at[1] = moved[1] + v[T] / v[W] * moved[0];
}

/* A polynomial, whose centre is the picture's; what is moved or sheared needs points. */
static bool take(struct json_scan *scan, struct project *project, struct lens_map *map)
{
    const double *v = project->values;
    const double half_short = 0.5 * fmin(v[W], v[H]);
    if (v[F] != 0.0) {
        return json_fail(scan,
                         "the image's f is %g: of images that are not rectilinear (f0) no lens "
                         "is read; give a fisheye as OpenCV has it, or make a grid",
                         v[F]);
    }
    if (v[D] != 0.0 || v[E] != 0.0 || v[G] != 0.0 || v[T] != 0.0) {
        project->formula = (struct lens_formula){.size = {v[W], v[H]},
                                                 .center = {0.5 * v[W], 0.5 * v[H]},
                                                 .unit = {half_short, half_short},
                                                 .source = source,
                                                 .color_count = 1};
        return (v[W] >= 1.0 && v[H] >= 1.0)
                   ? lens_read_formula(scan, &project->formula, &map->points)
                   : json_fail(scan, "d, e, g and t, which are pixels, need w and h");
    }
    map->polynomial = (struct lens_polynomial){
        .unit = LENS_HALF_SHORT, .centered = true, .center_uv = {0.5, 0.5}};
    for (int color = 0; color < LENS_COLORS; color++) {
        memcpy(map->polynomial.terms[color], project->terms, sizeof project->terms);
    }
    return true;
}

/* PTGui's dummy image is the lens, and its w and h are 1. */
static bool is_ptgui(const struct json_scan *scan)
{
    return lens_text_holds(scan, "# ptGui project file");
}

static bool knows(struct json_scan *scan)
{
    struct lens_line line;
    return is_ptgui(scan) || find_line(scan, 'i', &line);
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct project project;
    struct lens_line line = {scan->bytes, scan->bytes};
    if (!find_line(scan, is_ptgui(scan) ? 'o' : 'i', &line)) {
        return json_fail(scan, "there is no line that begins with o");
    }
    if (!read_values(scan, line, &project)) {
        return false;
    }
    for (int i = D; i <= T && is_ptgui(scan); i++) {
        if (project.values[i] != 0.0) {
            return json_fail(scan, "d, e, g and t of PTGui are not read: save the project "
                                   "with hugin, as .pto");
        }
    }
    return take(scan, &project, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_panotools = {knows, read};
