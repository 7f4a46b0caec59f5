/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads JSON from the front to the back: a grid has more numbers than a tree of them has room for.
 * Numbers are as JSON writes them, in any locale. Every function is false after the first problem,
 * which stays. */
#ifndef FOVEA_KERNELS_LENS_READ_SCAN_H
#define FOVEA_KERNELS_LENS_READ_SCAN_H

#include "kernels/lens/calibration.h"

struct lens_scan {
    const char *bytes;
    size_t count;
    size_t at;
    char *problem; /* LENS_PROBLEM_BYTES; "": none */
};

#define LENS_SCAN_NAME_BYTES 64

/* At the scan's place. Returns false. */
__attribute__((format(printf, 2, 3))) bool lens_scan_fail(struct lens_scan *scan,
                                                          const char *format, ...);

/* Passes over a character, which must come next but for white space. */
bool lens_scan_take(struct lens_scan *scan, char c);
/* Says whether it comes next, and passes over nothing else but white space. */
bool lens_scan_sees(struct lens_scan *scan, char c);
/* A word in quotes, without escapes. */
bool lens_scan_word(struct lens_scan *scan, char out_word[LENS_SCAN_NAME_BYTES]);
bool lens_scan_number(struct lens_scan *scan, double *out_number);
/* Exactly so many numbers in brackets, which may be in brackets by rows and pairs. */
bool lens_scan_numbers(struct lens_scan *scan, size_t count, double *out_numbers);
/* At least and at most so many; those that are not there stay as they are. */
bool lens_scan_some(struct lens_scan *scan, size_t least, size_t most, double *out_numbers);
bool lens_scan_floats(struct lens_scan *scan, size_t count, float *out_floats);

/* The members of an object, if there are any, each by the function, which reads the value. A name
 * is cut off and has question marks instead of all but plain letters. */
typedef bool (*lens_scan_member_fn)(struct lens_scan *scan, const char *name, void *user);
bool lens_scan_object(struct lens_scan *scan, lens_scan_member_fn member, void *user);

/* For a member that an object has at most once: fails if *has is true, and makes it so. */
bool lens_scan_once(struct lens_scan *scan, const char *name, bool *has);

/* Passes over any value. */
bool lens_scan_pass(struct lens_scan *scan);
/* Nothing but white space comes any more. */
bool lens_scan_end(struct lens_scan *scan);

/* A number as text has it that is not JSON's, too: 0.5, .5, +3. Returns where it ends; NULL: there
 * is none. */
const char *lens_scan_decimal(const char *at, const char *end, double *out_number);

#endif
