/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Projects of panotools: the first line that begins with i is the lens. */

#include "read.h"

#include <math.h>

struct line {
    const char *at;
    const char *end;
};

/* The next line from *at on, which moves behind it. */
static struct line next_line(const struct lens_scan *scan, size_t *at)
{
    struct line line = {scan->bytes + *at, scan->bytes + *at};
    while (*at < scan->count && scan->bytes[*at] != '\n') {
        ++*at;
    }
    line.end = scan->bytes + *at;
    *at += *at < scan->count ? 1 : 0;
    return line;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A word of one letter and a number, as in b-0.02; 0 where there is none, and *found stays as it
 * is. Names of files are in quotes, and may have words of any kind. */
static double value_of(struct lens_scan *scan, struct line line, char letter, bool *found)
{
    bool quoted = false;
    for (const char *at = line.at + 1; at + 1 < line.end; at++) {
        double number = 0.0;
        quoted = quoted != (*at == '"');
        if (quoted || !is_space(at[-1]) || *at != letter) {
            continue;
        }
        const char *end = lens_scan_decimal(at + 1, line.end, &number);
        if (end && (end == line.end || is_space(*end)) && isfinite(number)) {
            *found = true;
            return number;
        }
        scan->at = (size_t)(at - scan->bytes);
        if (at[1] == '=') {
            lens_scan_fail(scan,
                           "%c= takes the number of another image; the first image needs its own",
                           letter);
        }
        lens_scan_fail(scan, "expected a finite number after %c", letter);
    }
    return 0.0;
}

bool lens_read_panotools(struct lens_scan *scan, struct lens_polynomial *out_polynomial)
{
    size_t at = 0;
    struct line line = {scan->bytes, scan->bytes};
    bool found = false;
    bool has_terms = false;
    bool has_others = false;
    while (!found && at < scan->count) {
        line = next_line(scan, &at);
        found = line.end - line.at > 1 && line.at[0] == 'i' && is_space(line.at[1]);
    }
    if (!found) {
        scan->at = 0;
        return lens_scan_fail(scan,
                              "expected an object of JSON, or a project of panotools, in which "
                              "the lens is in a line that begins with i");
    }
    const double a = value_of(scan, line, 'a', &has_terms);
    const double b = value_of(scan, line, 'b', &has_terms);
    const double c = value_of(scan, line, 'c', &has_terms);
    const double size_px[] = {value_of(scan, line, 'w', &has_others),
                              value_of(scan, line, 'h', &has_others)};
    const double shift_px[] = {value_of(scan, line, 'd', &has_others),
                               value_of(scan, line, 'e', &has_others)};
    if (!has_terms) {
        scan->at = (size_t)(line.at - scan->bytes);
        return lens_scan_fail(scan, "the first image has none of a, b and c, which are the lens");
    }
    for (int color = 0; color < LENS_COLORS; color++) {
        const double terms[LENS_POWERS] = {1.0 - a - b - c, c, b, a, 0.0};
        for (int i = 0; i < LENS_POWERS; i++) {
            out_polynomial->terms[color][i] = terms[i];
        }
    }
    out_polynomial->unit = LENS_HALF_SHORT;
    out_polynomial->centered = true; /* by the picture, as it is where d and e are 0 */
    for (int i = 0; i < 2; i++) {
        out_polynomial->center_uv[i] = 0.5;
        if (shift_px[i] != 0.0 && !(size_px[i] >= 1.0)) {
            scan->at = (size_t)(line.at - scan->bytes);
            return lens_scan_fail(scan, "d and e, which shift the centre, need w and h");
        }
        out_polynomial->center_uv[i] += shift_px[i] != 0.0 ? shift_px[i] / size_px[i] : 0.0;
    }
    return !scan->problem[0];
}
