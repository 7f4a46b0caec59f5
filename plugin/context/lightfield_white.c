/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_check.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/calibrate/white.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_white_desc, log);

#define GAIN_MAX 15.0
#define COUNTS ((size_t)4 * 65536)

struct fovea_lightfield_white {
    struct fovea_lightfield_raw kind; /* without data */
    double black;
    struct fovea_log log;
    uint16_t gains[];
};

static size_t gain_count(const struct fovea_lightfield_raw *white)
{
    const size_t channels = white_channels(white->format);
    return (size_t)white->width_px * white->height_px * (channels < 3 ? channels : 3);
}

static enum fovea_result fill(struct fovea_lightfield_white *made,
                              const struct fovea_lightfield_raw *white, double gain_max)
{
    uint32_t *scratch = malloc(COUNTS * sizeof *scratch);
    FOVEA_TRY_MEMORY(scratch);
    const bool fine = white_gains(white, made->black, gain_max, scratch, made->gains);
    free(scratch);
    if (!fine) {
        log_error(made->log,
                  "light field: the white picture is as dark as black, which is %g: it needs more "
                  "light",
                  made->black);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

static enum fovea_result take(const struct fovea_lightfield_white_desc *desc,
                              struct fovea_lightfield_raw *white)
{
    if (!desc->white) {
        log_error(desc->log, "fovea_lightfield_white_desc: white is NULL");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(lightfield_take_raw_on_cpu(desc->log, "white", desc->white, white));
    if (!(desc->gain_max >= 1.0 && desc->gain_max <= GAIN_MAX) ||
        !(desc->black >= 0.0 && desc->black < white->maximum)) {
        log_error(desc->log, "fovea_lightfield_white_desc: gain_max is not 1 .. 15, or black is "
                             "not 0 .. the white picture's maximum");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_white_create(const struct fovea_lightfield_white_desc *desc,
                                                struct fovea_lightfield_white **out_white)
{
    struct fovea_lightfield_white_desc own;
    struct fovea_lightfield_raw white;
    if (!out_white) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_white = NULL;
    if (!desc || !struct_take(&own, sizeof own, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(take(&own, &white));
    struct fovea_lightfield_white *made =
        malloc(sizeof *made + gain_count(&white) * sizeof *made->gains);
    FOVEA_TRY_MEMORY(made);
    made->kind = white;
    made->kind.data = NULL;
    made->black = own.black;
    made->log = own.log;
    const enum fovea_result result = fill(made, &white, own.gain_max);
    if (result < 0) {
        fovea_lightfield_white_destroy(&made);
        return result;
    }
    *out_white = made;
    return FOVEA_OK;
}

void fovea_lightfield_white_destroy(struct fovea_lightfield_white **white)
{
    if (white) {
        free(*white);
        *white = NULL;
    }
}

enum fovea_result fovea_lightfield_white_divide(const struct fovea_lightfield_white *white,
                                                const struct fovea_lightfield_raw *raw, void *out,
                                                ptrdiff_t out_stride_bytes)
{
    struct fovea_lightfield_raw own;
    if (!white || !raw || !out) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(lightfield_take_raw_on_cpu(white->log, "raw", raw, &own));
    const struct fovea_lightfield_raw *kind = &white->kind;
    if (own.width_px != kind->width_px || own.height_px != kind->height_px ||
        own.format != kind->format || own.bayer != kind->bayer) {
        log_error(white->log,
                  "light field: raw is no picture of the white one's size (%ux%u), "
                  "format and mosaic",
                  kind->width_px, kind->height_px);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_lightfield_raw divided = own;
    struct fovea_lightfield_raw checked;
    divided.data = out;
    divided.row_stride_bytes = out_stride_bytes;
    FOVEA_TRY(lightfield_take_raw(white->log, "out", &divided, &checked));
    white_divide(&own, white->black, white->gains, out, out_stride_bytes);
    return FOVEA_OK;
}
