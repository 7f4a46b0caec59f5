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
#include "text.h"

#include <math.h>

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

/* Values by their letters; those that are not there are 0. */
enum value { A, B, C, D, E, G, T, W, H, F, VALUES };

struct project {
    double values[VALUES];
    double terms[LENS_POWERS];
};

static bool read_values(struct json_scan *scan, struct lens_line line, struct project *out_project)
{
    static const char letters[] = "abcdegtwhf";
    bool has_terms = false;
    bool has_others = false;
    for (int i = 0; i < VALUES; i++) {
        out_project->values[i] =
            value_of(scan, line, letters[i], i <= C ? &has_terms : &has_others);
    }
    if (!has_terms) {
        scan->at = (size_t)(line.at - scan->bytes);
        return json_fail(scan, "the first image has none of a, b and c, which are the lens");
    }
    const double *v = out_project->values;
    const double terms[LENS_POWERS] = {1.0 - v[A] - v[B] - v[C], v[C], v[B], v[A], 0.0};
    for (int i = 0; i < LENS_POWERS; i++) {
        out_project->terms[i] = terms[i];
    }
    return !scan->problem[0];
}

static void place_of(const void *user, int color, const double uv[2], double out_uv[2])
{
    const struct project *project = user;
    const double *v = project->values;
    const double size[] = {v[W], v[H]};
    const double at[] = {(uv[0] - 0.5) * size[0], (uv[1] - 0.5) * size[1]};
    const double r = hypot(at[0], at[1]) / (0.5 * fmin(size[0], size[1]));
    (void)color;
    const double factor = lens_factor_at(project->terms, r);
    const double moved[] = {at[0] * factor + v[D], at[1] * factor + v[E]};
    out_uv[0] = 0.5 + (moved[0] + v[G] / size[1] * moved[1]) / size[0];
    out_uv[1] = 0.5 + (moved[1] + v[T] / size[0] * moved[0]) / size[1];
}

/* A polynomial, whose centre is the picture's; what is moved or sheared needs points. */
static bool take(struct json_scan *scan, struct lens_line line, const struct project *project,
                 struct lens_map *map)
{
    const double *v = project->values;
    scan->at = (size_t)(line.at - scan->bytes);
    if (v[F] != 0.0) {
        return json_fail(scan,
                         "the image's f is %g: of images that are not rectilinear (f0) no lens "
                         "is read; give a fisheye as OpenCV has it, or make a grid",
                         v[F]);
    }
    if (v[D] != 0.0 || v[E] != 0.0 || v[G] != 0.0 || v[T] != 0.0) {
        return (v[W] >= 1.0 && v[H] >= 1.0)
                   ? lens_read_formula(scan, place_of, project, 1, &map->points)
                   : json_fail(scan, "d, e, g and t, which are pixels, need w and h");
    }
    map->polynomial = (struct lens_polynomial){
        .unit = LENS_HALF_SHORT, .centered = true, .center_uv = {0.5, 0.5}};
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        map->polynomial.terms[i / LENS_POWERS][i % LENS_POWERS] = project->terms[i % LENS_POWERS];
    }
    return true;
}

static bool knows(struct json_scan *scan)
{
    size_t at = 0;
    struct lens_line line;
    return lens_text_line_of(scan, 'i', &at, &line);
}

/* The first line that begins with i is the lens. */
static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct project project;
    struct lens_line line = {scan->bytes, scan->bytes};
    size_t at = 0;
    return lens_text_line_of(scan, 'i', &at, &line) && read_values(scan, line, &project) &&
           take(scan, line, &project, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_panotools = {knows, read};

/* ---- PTGui: the dummy image is the lens, and its w and h are 1 */

static bool knows_ptgui(struct json_scan *scan)
{
    return lens_text_holds(scan, "# ptGui project file");
}

static bool read_ptgui(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct project project;
    struct lens_line line = {scan->bytes, scan->bytes};
    size_t at = 0;
    if (!lens_text_line_of(scan, 'o', &at, &line)) {
        return json_fail(scan, "there is no line that begins with o");
    }
    if (!read_values(scan, line, &project)) {
        return false;
    }
    for (int i = D; i <= T; i++) {
        if (project.values[i] != 0.0) {
            scan->at = (size_t)(line.at - scan->bytes);
            return json_fail(scan, "d, e, g and t of PTGui are not read: save the project "
                                   "with hugin, as .pto");
        }
    }
    return take(scan, line, &project, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_ptgui = {knows_ptgui, read_ptgui};
