/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_texture.h"

#include "core/log.h"
#include "core/said.h"
#include "core/struct_bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_gl_desc, reserved);
STRUCT_ENDS_WITH(struct fovea_gl_frame, reserved);

#define OPERATORS_BYTES 1024
#define ERRORS_AT_MOST 16 /* a lost context has one for each question */

enum trouble {
    TROUBLE_FRAME,
    TROUBLE_OLD_ERROR,
};

struct fovea_gl {
    struct gl_api api;
    struct fovea_context *context;
    bool only_looks; /* no operator is at work where there is no gaze */
    void *pixels; /* as read, and behind them as foveated; of the largest frame yet */
    size_t pixels_bytes;
    struct said said;
    struct fovea_log log;
    char reason[256];
};

/* ---- Create and destroy */

/* Foveate alone does nothing without a gaze. */
static bool only_looks(const struct fovea_settings *settings)
{
    char text[OPERATORS_BYTES] = "";
    if (!settings || fovea_settings_get(settings, "operators", text, sizeof text) < 0) {
        return !settings;
    }
    return !strcmp(text, "[\"foveate\"]") || !strcmp(text, "foveate");
}

static const char *refusal(const struct fovea_gl_desc *desc)
{
    if (desc->way != FOVEA_GL_WAY_AUTO && desc->way != FOVEA_GL_WAY_COPIED) {
        return "way is none of enum fovea_gl_way";
    }
    return desc->reserved != 0 ? "reserved is not 0" : NULL;
}

static enum fovea_result open_context(struct fovea_gl *fovea, const struct fovea_gl_desc *desc)
{
    struct fovea_context_desc context;
    fovea_context_desc_init(&context);
    context.settings = desc->settings;
    context.log = desc->log;
    FOVEA_TRY(gl_api_load(desc, &fovea->api));
    FOVEA_TRY(fovea_context_create(&context, &fovea->context));
    const char *renderer = (const char *)fovea->api.GetString(GL_RENDERER);
    snprintf(fovea->reason, sizeof fovea->reason,
             "copied through the processor, by OpenGL of %s (%s)", fovea->api.library,
             renderer ? renderer : "no name");
    log_info(desc->log, "OpenGL textures are %s", fovea->reason);
    return FOVEA_OK;
}

enum fovea_result fovea_gl_create(const struct fovea_gl_desc *desc, struct fovea_gl **out_fovea)
{
    struct fovea_gl_desc own;
    if (!out_fovea) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_fovea = NULL;
    if (!desc || !struct_take(&own, sizeof own, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const char *why = refusal(&own);
    if (why) {
        log_error(own.log, "fovea_gl_desc: %s", why);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_gl *fovea = calloc(1, sizeof *fovea);
    if (!fovea) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    fovea->log = own.log;
    fovea->only_looks = only_looks(own.settings);
    const enum fovea_result result = open_context(fovea, &own);
    if (result < 0) {
        fovea_gl_destroy(&fovea);
        return result;
    }
    *out_fovea = fovea;
    return FOVEA_OK;
}

void fovea_gl_destroy(struct fovea_gl **fovea)
{
    if (fovea && *fovea) {
        fovea_context_destroy(&(*fovea)->context);
        free((*fovea)->pixels);
        free(*fovea);
        *fovea = NULL;
    }
}

enum fovea_result fovea_gl_set_settings(struct fovea_gl *fovea,
                                        const struct fovea_settings *settings)
{
    if (!fovea || !settings) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(fovea_context_set_settings(fovea->context, settings));
    fovea->only_looks = only_looks(settings);
    said_clear(&fovea->said);
    return FOVEA_OK;
}

const char *fovea_gl_way_reason(const struct fovea_gl *fovea)
{
    return fovea ? fovea->reason : "";
}

/* ---- A frame */

/* Two pictures of one size and kind: src as read, and what becomes of it. */
struct pictures {
    struct gl_texture src;
    struct gl_texture dst;
    struct fovea_image read;
    struct fovea_image made;
};

static bool same_texture(const struct gl_texture *a, const struct gl_texture *b)
{
    return a->given.name == b->given.name;
}

static enum fovea_result look(struct fovea_gl *fovea, const struct fovea_gl_frame *frame,
                              struct pictures *out)
{
    char why[256] = "";
    const char *which = "src";
    enum fovea_result result =
        gl_texture_look(&fovea->api, &frame->src, &out->src, why, sizeof why);
    if (result >= 0) {
        which = "dst";
        result = gl_texture_look(&fovea->api, &frame->dst, &out->dst, why, sizeof why);
    }
    const struct gl_texture *a = &out->src;
    const struct gl_texture *b = &out->dst;
    if (result >= 0 &&
        (a->width_px != b->width_px || a->height_px != b->height_px || a->format != b->format)) {
        snprintf(why, sizeof why, "texture %u is %ux%u of other values or size than src, %ux%u",
                 b->given.name, b->width_px, b->height_px, a->width_px, a->height_px);
        result = FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (result < 0) {
        log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log, "fovea_gl_frame: %s: %s",
                 which, why);
    }
    return result;
}

/* Rows of GL's count from the bottom: the picture's first row is the last in memory. */
static struct fovea_image image_of(const struct gl_texture *texture, void *pixels, bool top_down)
{
    const ptrdiff_t row =
        (ptrdiff_t)texture->width_px * (ptrdiff_t)fovea_format_bytes(texture->format);
    char *bottom = (char *)pixels + row * (ptrdiff_t)(texture->height_px - 1);
    return (struct fovea_image){
        .data = top_down ? pixels : bottom,
        .width_px = texture->width_px,
        .height_px = texture->height_px,
        .format = texture->format,
        .row_stride_bytes = top_down ? row : -row,
    };
}

static enum fovea_result make_room(struct fovea_gl *fovea, struct pictures *pictures, bool top_down)
{
    const struct gl_texture *texture = &pictures->src;
    const size_t bytes =
        (size_t)texture->width_px * texture->height_px * fovea_format_bytes(texture->format);
    if (fovea->pixels_bytes < 2 * bytes) {
        void *pixels = malloc(2 * bytes);
        if (!pixels) {
            log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log,
                     "OpenGL: no memory for %zu bytes of pixels", 2 * bytes);
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        free(fovea->pixels);
        fovea->pixels = pixels;
        fovea->pixels_bytes = 2 * bytes;
    }
    pictures->read = image_of(texture, fovea->pixels, top_down);
    pictures->made = image_of(texture, (char *)fovea->pixels + bytes, top_down);
    return FOVEA_OK;
}

/* Where memory begins, whichever row lies there. */
static void *pixels_of(const struct fovea_image *image)
{
    return image->row_stride_bytes > 0
               ? image->data
               : (char *)image->data + image->row_stride_bytes * (ptrdiff_t)(image->height_px - 1);
}

static enum fovea_result gl_result(struct fovea_gl *fovea, const char *what)
{
    const uint32_t error = fovea->api.GetError();
    if (error == GL_NO_ERROR) {
        return FOVEA_OK;
    }
    log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log, "%s: %s (0x%x)", what,
             gl_error_name(error), error);
    return FOVEA_ERROR_INTERNAL;
}

static enum fovea_result foveate_pixels(struct fovea_gl *fovea, const struct fovea_gaze *gaze,
                                        const struct pictures *pictures)
{
    const struct fovea_point_uv nowhere = {(double)NAN, (double)NAN};
    return fovea_context_run(fovea->context, &pictures->read, &pictures->made,
                             gaze->usable ? gaze->point : nowhere, NULL);
}

static bool is_seen(const struct fovea_gaze *gaze)
{
    return gaze->usable && isfinite(gaze->point.x_uv) && isfinite(gaze->point.y_uv);
}

/* State is taken. */
static enum fovea_result run(struct fovea_gl *fovea, const struct fovea_gl_frame *frame)
{
    struct pictures pictures;
    FOVEA_TRY(look(fovea, frame, &pictures));
    const bool passes = fovea->only_looks && !is_seen(&frame->gaze);
    if (passes && same_texture(&pictures.src, &pictures.dst)) {
        return FOVEA_PASSED_THROUGH;
    }
    FOVEA_TRY(make_room(fovea, &pictures, frame->top_down));
    gl_texture_read(&fovea->api, &pictures.src, pixels_of(&pictures.read));
    FOVEA_TRY(gl_result(fovea, "glGetTexImage"));
    if (!passes) {
        FOVEA_TRY(foveate_pixels(fovea, &frame->gaze, &pictures));
    }
    const struct fovea_image *shown = passes ? &pictures.read : &pictures.made;
    gl_texture_write(&fovea->api, &pictures.dst, pixels_of(shown));
    FOVEA_TRY(gl_result(fovea, "glTexSubImage2D"));
    return passes ? FOVEA_PASSED_THROUGH : FOVEA_OK;
}

/* An error that is not ours would be taken for ours. */
static void take_old_errors(struct fovea_gl *fovea)
{
    const uint32_t first = fovea->api.GetError();
    for (int i = 0; first != GL_NO_ERROR && i < ERRORS_AT_MOST; i++) {
        if (fovea->api.GetError() == GL_NO_ERROR) {
            break;
        }
    }
    if (first != GL_NO_ERROR) {
        log_once(&fovea->said, TROUBLE_OLD_ERROR, FOVEA_LOG_WARNING, fovea->log,
                 "OpenGL: the program left an error before fovea_gl_foveate: %s (0x%x)",
                 gl_error_name(first), first);
    }
}

enum fovea_result fovea_gl_foveate(struct fovea_gl *fovea, const struct fovea_gl_frame *frame)
{
    struct fovea_gl_frame own;
    if (!fovea || !frame) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, frame)) {
        log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log, "fovea_gl_frame: %s",
                 struct_refusal(frame));
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_bytes_are_0(own.reserved, sizeof own.reserved)) {
        log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log,
                 "fovea_gl_frame: reserved is not 0");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!gl_api_is_current(&fovea->api)) {
        log_once(&fovea->said, TROUBLE_FRAME, FOVEA_LOG_ERROR, fovea->log,
                 "OpenGL: no context is current on this thread");
        return FOVEA_ERROR_INVALID_STATE;
    }
    const bool with_rectangles =
        own.src.target == GL_TEXTURE_RECTANGLE || own.dst.target == GL_TEXTURE_RECTANGLE;
    struct gl_state state;
    take_old_errors(fovea);
    gl_state_take(&fovea->api, with_rectangles, &state);
    const enum fovea_result result = run(fovea, &own);
    gl_state_give_back(&fovea->api, with_rectangles, &state);
    if (result == FOVEA_OK) {
        said_clear(&fovea->said);
    }
    return result;
}
