/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveation.curve: in JSON a list of points, [eccentricity_deg, cutoff_cpd] each, because a person
 * reads, sorts and mends a curve by the point; in the settings two arrays, as programs want
 * them. */
#pragma once

#include "key.h"

#include <cjson/cJSON.h>

#define CONFIG_CURVE_MAX_DEG 180.0
#define CONFIG_CURVE_MIN_CPD 0.01
#define CONFIG_CURVE_MAX_CPD 1000.0

/* A point that is not a number becomes NAN. The count is 0 if item is no list, and all of a long
 * list's; points beyond FOVEA_CURVE_MAX are left out. */
struct fovea_curve config_curve_parse(const cJSON *item);

/* The first point that is out of range or does not rise, counted from 1; one too many counts, and
 * so does the missing first. 0: the curve is right. */
uint32_t config_curve_wrong_point(const struct fovea_curve *curve);

/* "[[0, 60], [5, 13]]", cut where it does not fit. */
struct config_words config_curve_words(const struct fovea_curve *curve);
