/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_picture.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/calibrate/white.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_white_desc, log);

#define SIDE_MAX_PX 16384
#define GAIN_MAX 15.0
#define COUNTS ((size_t)4 * 65536)
#define STRIDE_MAX_BYTES ((ptrdiff_t)1 << 40)

struct fovea_lightfield_white {
    struct fovea_lightfield_raw kind; /* without data */
    double black;
    struct fovea_log log;
    uint16_t gains[];
};

/* ---- Raw pictures */

static const char *refusal(const struct fovea_lightfield_raw *raw)
{
    if (!raw->data) {
        return "data is NULL";
    }
    if (raw->format <= FOVEA_LIGHTFIELD_FORMAT_NONE ||
        raw->format > FOVEA_LIGHTFIELD_FORMAT_RGBA16) {
        return "format is no format";
    }
    if (raw->bayer < FOVEA_LIGHTFIELD_BAYER_NONE || raw->bayer > FOVEA_LIGHTFIELD_BAYER_BGGR ||
        (raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE && white_channels(raw->format) != 1)) {
        return "bayer is no mosaic, or not of the formats R8 and R16";
    }
    if (raw->width_px < LIGHTFIELD_RAW_LEAST_PX || raw->width_px > SIDE_MAX_PX ||
        raw->height_px < LIGHTFIELD_RAW_LEAST_PX || raw->height_px > SIDE_MAX_PX) {
        return "width_px and height_px are not 8 .. 16384";
    }
    return NULL;
}

static const char *refusal_of_rows(const void *data, ptrdiff_t stride,
                                   const struct fovea_lightfield_raw *raw)
{
    const uint32_t channel_bytes = white_is_16_bit(raw->format) ? 2 : 1;
    const ptrdiff_t row_bytes =
        (ptrdiff_t)raw->width_px * white_channels(raw->format) * channel_bytes;
    if (stride > STRIDE_MAX_BYTES || stride < -STRIDE_MAX_BYTES ||
        (stride < 0 ? -stride : stride) < row_bytes) {
        return "row_stride_bytes is less than a row has";
    }
    return (uintptr_t)data % channel_bytes == 0 && stride % (ptrdiff_t)channel_bytes == 0
               ? NULL
               : "data or row_stride_bytes is not aligned to its channels";
}

static const char *take_maximum(struct fovea_lightfield_raw *raw)
{
    const uint32_t most = white_is_16_bit(raw->format) ? 65535 : 255;
    raw->maximum = raw->maximum == 0 ? most : raw->maximum;
    return raw->maximum <= most && (most == 65535 || raw->maximum == most)
               ? NULL
               : "maximum is not 0, 255 of 8 bits, or 1 .. 65535 of 16 bits";
}

enum fovea_result lightfield_picture_take(const struct fovea_lightfield_raw *given,
                                          const char *name, struct fovea_log log,
                                          struct fovea_lightfield_raw *out)
{
    if (!struct_take(out, sizeof *out, given)) {
        log_error(log, "light field: %s: %s", name, struct_refusal(given));
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const char *why = refusal(out);
    why = why ? why : take_maximum(out);
    why = why ? why : refusal_of_rows(out->data, out->row_stride_bytes, out);
    if (why) {
        log_error(log, "light field: %s.%s", name, why);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (out->memory != FOVEA_MEMORY_CPU) {
        log_error(log, "light field: %s is in CUDA memory, and this version reads CPU memory alone",
                  name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

/* ---- Vignetting */

static size_t gain_count(const struct fovea_lightfield_raw *white)
{
    const size_t channels = white_channels(white->format);
    return (size_t)white->width_px * white->height_px * (channels < 3 ? channels : 3);
}

static enum fovea_result fill(struct fovea_lightfield_white *made,
                              const struct fovea_lightfield_raw *white, double gain_max)
{
    uint32_t *scratch = malloc(COUNTS * sizeof *scratch);
    if (!scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
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
    FOVEA_TRY(lightfield_picture_take(desc->white, "white", desc->log, white));
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
    if (!made) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
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
    FOVEA_TRY(lightfield_picture_take(raw, "raw", white->log, &own));
    const struct fovea_lightfield_raw *kind = &white->kind;
    if (own.width_px != kind->width_px || own.height_px != kind->height_px ||
        own.format != kind->format || own.bayer != kind->bayer) {
        log_error(white->log,
                  "light field: raw is no picture of the white one's size (%ux%u), "
                  "format and mosaic",
                  kind->width_px, kind->height_px);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const char *why = refusal_of_rows(out, out_stride_bytes, &own);
    if (why) {
        log_error(white->log, "light field: out: %s", why);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    white_divide(&own, white->black, white->gains, out, out_stride_bytes);
    return FOVEA_OK;
}
