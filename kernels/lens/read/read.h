/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations from files. */
#ifndef FOVEA_KERNELS_LENS_READ_H
#define FOVEA_KERNELS_LENS_READ_H

#include "core/json_scan.h"
#include "kernels/lens/calibration.h"

/* Reads a file's content, whose kind the content tells. The caller owns one share.
 * FOVEA_ERROR_CONFIG: out_problem says what is wrong, after "line:column: " where there is a place.
 */
FOVEA_MUST_CHECK enum fovea_result lens_calibration_read(const char *bytes, size_t count,
                                                         char out_problem[LENS_PROBLEM_BYTES],
                                                         struct lens_calibration **out_calibration);

/* The same as struct operators_file asks for it. */
FOVEA_MUST_CHECK enum fovea_result lens_read_file(const char *bytes, size_t count,
                                                  char out_problem[LENS_PROBLEM_BYTES],
                                                  struct shared_data **out_data);

/* ---- One for each kind of file. The first that knows the content reads it: fills in what is
 * empty, or says what is wrong. Nothing is checked yet. Where a map has points they are in memory
 * of their own. */

struct lens_reader {
    bool (*knows)(struct json_scan *scan);
    bool (*read)(struct json_scan *scan, struct lens_calibration *calibration);
};

extern const struct lens_reader lens_reader_vive;
extern const struct lens_reader lens_reader_json; /* ours and Monado's; knows all JSON */
extern const struct lens_reader lens_reader_opencv; /* and ROS's */
extern const struct lens_reader lens_reader_kalibr;
extern const struct lens_reader lens_reader_colmap;
extern const struct lens_reader lens_reader_lensfun;
extern const struct lens_reader lens_reader_ptgui;
extern const struct lens_reader lens_reader_panotools;

/* ---- Values of JSON */

/* The number of a name among those that end with NULL; how many there are: it is none of them. */
uint32_t lens_read_index(const char *const *names, const char *name);
/* For a member that an object has at most once: fails if *has is true, and makes it so. */
bool lens_read_once(struct json_scan *scan, const char *name, bool *has);
/* One of the words, which end with NULL: its number. */
bool lens_read_choice(struct json_scan *scan, const char *const *words, uint32_t *out_number);
/* At least and at most so many numbers in brackets, which may be in brackets by rows and pairs; one
 * needs none. Those that are not there stay as they are. */
bool lens_read_numbers(struct json_scan *scan, size_t least, size_t most, double *out_numbers);
bool lens_read_floats(struct json_scan *scan, size_t count, float *out_floats);

/* ---- Formulas that are no polynomial of r in a picture's pixels: quadratic between points */

/* Gives the place of the source, in uv, that is shown at a place of the picture, in uv. */
typedef void (*lens_formula_fn)(const void *user, int color, const double uv[2], double out_uv[2]);
/* For 1 color, which is all colours', or LENS_COLORS. */
bool lens_read_formula(struct json_scan *scan, lens_formula_fn place, const void *user,
                       int color_count, struct lens_points *points);

/* ---- The values that Monado and OpenHMD have of a headset, by their names in Monado */

#define LENS_MONADO_MEMBERS 5

struct lens_monado {
    double k[LENS_POWERS];
    double aberration[LENS_COLORS];
    double scale;
    double center[2], viewport[2]; /* in the unit of scale */
    bool has[LENS_MONADO_MEMBERS];
};

/* Before the first member. */
extern const struct lens_monado lens_monado_empty;
bool lens_monado_member(struct json_scan *scan, const char *name, struct lens_monado *monado);
/* Makes the map of them, a polynomial with points for pictures of another aspect. */
bool lens_monado_finish(struct json_scan *scan, const struct lens_monado *monado,
                        struct lens_map *map);

#endif
