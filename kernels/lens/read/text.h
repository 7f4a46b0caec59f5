/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads what is no JSON of ours: lines, and values by their names as YAML and JSON have them. Of
 * these it knows no more than names, words and numbers, because that is all that lenses need. */
#ifndef FOVEA_KERNELS_LENS_READ_TEXT_H
#define FOVEA_KERNELS_LENS_READ_TEXT_H

#include "core/json_scan.h"

struct lens_line {
    const char *at;
    const char *end;
};

/* The next line from *at on, which moves behind it. */
struct lens_line lens_text_line(const struct json_scan *scan, size_t *at);
/* The next line of that letter and white space; false: there is none. */
bool lens_text_line_of(const struct json_scan *scan, char letter, size_t *at,
                       struct lens_line *out_line);
bool lens_text_is_space(char c);
bool lens_text_holds(const struct json_scan *scan, const char *words);

/* Goes behind the first of the names, which end with NULL, that has a value from the place on; the
 * order of names counts first. False: none has, and the place stays. */
bool lens_text_go(struct json_scan *scan, size_t from, const char *const *names);

/* ---- At the place: 0 numbers or letters where there are none */

/* In brackets, by rows in brackets, or as items of a YAML list. False: there are more than so many,
 * or a bracket stays open, which is said. */
bool lens_text_numbers(struct json_scan *scan, size_t most, double *out_numbers, size_t *out_count);
/* A word consists of letters, digits, _ and -, in quotes or not. */
void lens_text_word(struct json_scan *scan, char out_word[JSON_NAME_BYTES]);

#endif
