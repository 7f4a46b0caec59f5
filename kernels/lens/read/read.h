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

/* ---- One for each kind of file: they fill in what is empty, or say what is wrong */

/* Nothing is checked yet. Where a map has points they are in memory of their own. */
bool lens_read_json(struct lens_scan *scan, struct lens_calibration *calibration);
bool lens_read_vive(struct lens_scan *scan, struct lens_calibration *calibration);
bool lens_read_panotools(struct lens_scan *scan, struct lens_polynomial *out_polynomial);

#endif
