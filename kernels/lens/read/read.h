/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations from files. */
#ifndef FOVEA_KERNELS_LENS_READ_H
#define FOVEA_KERNELS_LENS_READ_H

#include "scan.h"

/* Reads a file's content, whose kind is told by what it begins with and by its names: JSON of ours,
 * with Monado's values or of a Vive, else a project of panotools (.pto). The caller owns one share.
 * FOVEA_ERROR_CONFIG: out_problem says what is wrong, after "line:column: " where there is a place.
 */
FOVEA_MUST_CHECK enum fovea_result lens_calibration_read(const char *bytes, size_t count,
                                                         char out_problem[LENS_PROBLEM_BYTES],
                                                         struct lens_calibration **out_calibration);

/* The same as struct operators_file asks for it. */
FOVEA_MUST_CHECK enum fovea_result lens_read_file(const char *bytes, size_t count,
                                                  char out_problem[LENS_PROBLEM_BYTES],
                                                  struct shared_data **out_data);

/* ---- One for each kind of file: they fill in what is empty, or say what is wrong */

/* Nothing is checked yet. Where a map has points they are in memory of their own. */
bool lens_read_json(struct lens_scan *scan, struct lens_calibration *calibration);
bool lens_read_vive(struct lens_scan *scan, struct lens_calibration *calibration);
bool lens_read_panotools(struct lens_scan *scan, struct lens_polynomial *out_polynomial);

/* ---- Formulas that are no polynomial of r in a picture's pixels: quadratic between points */

/* Gives the place of the source, in uv, that is shown at a place of the picture, in uv. */
typedef void (*lens_formula_fn)(const void *user, int color, const double uv[2], double out_uv[2]);
bool lens_read_formula(struct lens_scan *scan, lens_formula_fn place, const void *user,
                       struct lens_points *points);

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
bool lens_monado_member(struct lens_scan *scan, const char *name, struct lens_monado *monado);
/* Makes the map of them, a polynomial with points for pictures of another aspect. */
bool lens_monado_finish(struct lens_scan *scan, const struct lens_monado *monado,
                        struct lens_map *map);

#endif
