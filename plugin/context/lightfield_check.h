/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Arguments of light fields: each is copied as this library knows it, or the log says what is wrong
 * and with which field, and FOVEA_ERROR_INVALID_ARGUMENT comes back. */
#pragma once

#include "fovea_lightfield.h"

enum fovea_result lightfield_refuse(struct fovea_log log, const char *problem);

FOVEA_MUST_CHECK enum fovea_result lightfield_take_geometry(
    const struct fovea_lightfield_desc *desc, struct fovea_lightfield_geometry *out);

/* Fills in the maximum. The log has the picture's name before the field's. */
FOVEA_MUST_CHECK enum fovea_result lightfield_take_raw(struct fovea_log log, const char *name,
                                                       const struct fovea_lightfield_raw *given,
                                                       struct fovea_lightfield_raw *out);
/* Takes one of the geometry's size, which the log names raw. */
FOVEA_MUST_CHECK enum fovea_result lightfield_take_raw_of(
    const struct fovea_lightfield_geometry *geometry, struct fovea_log log,
    const struct fovea_lightfield_raw *given, struct fovea_lightfield_raw *out);
/* Takes one in CPU memory; FOVEA_ERROR_UNSUPPORTED of another one. */
FOVEA_MUST_CHECK enum fovea_result lightfield_take_raw_on_cpu(
    struct fovea_log log, const char *name, const struct fovea_lightfield_raw *given,
    struct fovea_lightfield_raw *out);
FOVEA_MUST_CHECK enum fovea_result lightfield_take_picture(struct fovea_log log,
                                                           const struct fovea_lightfield_raw *raw,
                                                           const struct fovea_image *given,
                                                           struct fovea_image *out);
/* One number a pixel, of the picture's size; NULL: of any. */
FOVEA_MUST_CHECK enum fovea_result lightfield_take_floats(
    struct fovea_log log, const struct fovea_lightfield_raw *raw, const char *name,
    const struct fovea_image *given, const struct fovea_image *picture, struct fovea_image *out);

/* NULL stays NULL; *given becomes out otherwise. */
FOVEA_MUST_CHECK enum fovea_result lightfield_take_foveation(
    struct fovea_log log, const struct fovea_lightfield_foveation **given,
    struct fovea_lightfield_foveation *out);

/* NULL: nothing is wrong. */
const char *lightfield_refusal(const struct fovea_lightfield_rendering *rendering, double pitch_px);
const char *lightfield_refusal_of_matching(const struct fovea_lightfield_matching *matching,
                                           const struct fovea_lightfield_geometry *geometry);
const char *lightfield_refusal_of_refocusing(const struct fovea_lightfield_refocusing *refocusing,
                                             const struct fovea_lightfield_geometry *geometry);
const char *lightfield_refusal_of_sum(const struct fovea_lightfield_sum *sum, double pitch_px);
