/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_shared.h"

#include "core/log.h"
#include "core/said.h"
#include "core/struct_bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_gl_desc, reserved);
STRUCT_ENDS_WITH(struct fovea_gl_frame, reserved);

#define OPERATORS_BYTES 1024
#define ERRORS_AT_MOST 16 /* a lost context has one for each question */

enum trouble {
    TROUBLE_OLD_ERROR,
};

struct fovea_gl {
    struct gl_api api;
    enum fovea_gl_way way;
    struct gl_shared *shared; /* NULL: pixels are copied */
    struct fovea_settings *settings; /* those in force */
    struct fovea_context *context; /* for pixels that are copied; NULL: none were yet */
    bool only_looks; /* no operator is at work where there is no gaze */
    void *pixels; /* as read, and behind them as foveated; of the largest frame yet */
    size_t pixels_bytes;
    struct said said;
    char trouble[384]; /* of the frames before; "": they were right */
    struct fovea_log log;
    char reason[256];
};

/* The same trouble again is not said again. */
__attribute__((format(printf, 2, 3))) static void tell_trouble(struct fovea_gl *fovea,
                                                               const char *format, ...)
{
    char text[sizeof fovea->trouble];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strcmp(text, fovea->trouble) != 0) {
        snprintf(fovea->trouble, sizeof fovea->trouble, "%s", text);
        log_error(fovea->log, "%s", text);
    }
}

static void all_is_well(struct fovea_gl *fovea)
{
    fovea->trouble[0] = '\0';
    said_clear(&fovea->said);
}

/* The first of GL's error flags; all of them are taken. */
static uint32_t take_errors(const struct gl_api *api)
{
    const uint32_t first = api->GetError();
    for (int i = 0; first != GL_NO_ERROR && i < ERRORS_AT_MOST; i++) {
        if (api->GetError() == GL_NO_ERROR) {
            break;
        }
    }
    return first;
}

/* An error that is not ours would be taken for ours. */
static void take_old_errors(struct fovea_gl *fovea)
{
    const uint32_t first = take_errors(&fovea->api);
    if (first != GL_NO_ERROR) {
        log_once(&fovea->said, TROUBLE_OLD_ERROR, FOVEA_LOG_WARNING, fovea->log,
                 "OpenGL: the program left an error before a call of Fovea's: %s (0x%x)",
                 gl_error_name(first), first);
    }
}

/* ---- Create and destroy */

/* Foveate alone does nothing without a gaze. */
static bool only_looks(const struct fovea_settings *settings)
{
    char text[OPERATORS_BYTES] = "";
    if (fovea_settings_get(settings, "operators", text, sizeof text) < 0) {
        return false;
    }
    return !strcmp(text, "[\"foveate\"]") || !strcmp(text, "foveate");
}

static const char *refusal(const struct fovea_gl_desc *desc)
{
    if (desc->way != FOVEA_GL_WAY_AUTO && desc->way != FOVEA_GL_WAY_COPIED &&
        desc->way != FOVEA_GL_WAY_SHARED) {
        return "way is none of enum fovea_gl_way";
    }
    return desc->reserved != 0 ? "reserved is not 0" : NULL;
}

/* NULL: the standard ones. */
static enum fovea_result copy_settings(const struct fovea_gl *fovea,
                                       const struct fovea_settings *settings,
                                       struct fovea_settings **out)
{
    const enum fovea_result result =
        settings ? fovea_settings_copy(settings, out) : fovea_settings_create(out);
    if (result < 0) {
        log_error(fovea->log, "OpenGL: no memory for settings");
    }
    return result;
}

/* These are the copied way's. "backend" may be one that only the shared way has, where that was a
 * choice of ours. */
static enum fovea_result copied_settings(const struct fovea_gl *fovea,
                                         const struct fovea_settings *settings,
                                         struct fovea_settings **out)
{
    FOVEA_TRY(copy_settings(fovea, settings, out));
    return fovea->way == FOVEA_GL_WAY_AUTO ? fovea_settings_set(*out, "backend", "cpu", fovea->log)
                                           : FOVEA_OK;
}

static enum fovea_result set_copied(struct fovea_gl *fovea, const struct fovea_settings *settings)
{
    struct fovea_context_desc desc;
    struct fovea_settings *own = NULL;
    fovea_context_desc_init(&desc);
    desc.log = fovea->log;
    enum fovea_result result = copied_settings(fovea, settings, &own);
    desc.settings = own;
    if (result >= 0) {
        result = fovea->context ? fovea_context_set_settings(fovea->context, own)
                                : fovea_context_create(&desc, &fovea->context);
    }
    fovea_settings_destroy(&own);
    return result;
}

static enum fovea_result open_copying(struct fovea_gl *fovea)
{
    return fovea->context ? FOVEA_OK : set_copied(fovea, fovea->settings);
}

static void tell_way(struct fovea_gl *fovea, enum fovea_log_level level, const char *why_copied)
{
    const char *renderer = (const char *)fovea->api.GetString(GL_RENDERER);
    if (!renderer) {
        renderer = "OpenGL";
    }
    if (fovea->shared) {
        snprintf(fovea->reason, sizeof fovea->reason, "shared with Vulkan (%s) on %s",
                 gl_shared_words(fovea->shared), renderer);
    } else {
        snprintf(fovea->reason, sizeof fovea->reason, "copied through the processor, on %s: %s",
                 renderer, why_copied);
    }
    log_write(fovea->log, level, "OpenGL textures are %s", fovea->reason);
}

/* NULL: the shared way may be tried. */
static const char *why_not_shared(const struct fovea_gl *fovea)
{
    char backend[32] = "";
    if (fovea->way == FOVEA_GL_WAY_COPIED) {
        return "fovea_gl_desc.way says so";
    }
    const bool known =
        fovea_settings_get(fovea->settings, "backend", backend, sizeof backend) == FOVEA_OK;
    return known && fovea->way == FOVEA_GL_WAY_AUTO && strstr(backend, "cpu") ? "\"backend\" is cpu"
                                                                              : NULL;
}

static enum fovea_result open_way(struct fovea_gl *fovea, const struct fovea_gl_desc *desc)
{
    FOVEA_TRY(gl_api_load(desc, &fovea->api));
    take_old_errors(fovea);
    const bool must = desc->way == FOVEA_GL_WAY_SHARED;
    const char *why = why_not_shared(fovea);
    if (!why) {
        why = gl_shared_create(&fovea->api, desc, must, &fovea->shared);
        (void)take_errors(&fovea->api);
    }
    if (must && why) {
        log_error(desc->log, "OpenGL textures cannot be shared: %s", why);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (!fovea->shared) {
        FOVEA_TRY(open_copying(fovea));
    }
    tell_way(fovea, FOVEA_LOG_INFO, why);
    return FOVEA_OK;
}

static enum fovea_result take_settings(struct fovea_gl *fovea,
                                       const struct fovea_settings *settings)
{
    struct fovea_settings *own = NULL;
    FOVEA_TRY(copy_settings(fovea, settings, &own));
    fovea_settings_destroy(&fovea->settings);
    fovea->settings = own;
    fovea->only_looks = only_looks(own);
    return FOVEA_OK;
}

static enum fovea_result open_parts(struct fovea_gl *fovea, const struct fovea_gl_desc *desc)
{
    FOVEA_TRY(take_settings(fovea, desc->settings));
    return open_way(fovea, desc);
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
        log_error(own.log, "OpenGL: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    fovea->log = own.log;
    fovea->way = own.way;
    const enum fovea_result result = open_parts(fovea, &own);
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
        gl_shared_destroy(&(*fovea)->shared);
        fovea_context_destroy(&(*fovea)->context);
        fovea_settings_destroy(&(*fovea)->settings);
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
    if (fovea->shared) {
        FOVEA_TRY(gl_shared_set_settings(fovea->shared, settings));
    }
    if (fovea->context) {
        FOVEA_TRY(set_copied(fovea, settings));
    }
    FOVEA_TRY(take_settings(fovea, settings));
    all_is_well(fovea);
    return FOVEA_OK;
}

const char *fovea_gl_way_reason(const struct fovea_gl *fovea)
{
    return fovea ? fovea->reason : "";
}

enum fovea_result fovea_gl_shown(struct fovea_gl *fovea, int64_t t_ns, int64_t refresh_ns)
{
    if (!fovea || t_ns <= 0 || refresh_ns < 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return fovea->shared ? gl_shared_shown(fovea->shared, t_ns, refresh_ns) : FOVEA_OK;
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
        tell_trouble(fovea, "fovea_gl_frame: %s: %s", which, why);
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
            tell_trouble(fovea, "OpenGL: no memory for %zu bytes of pixels", 2 * bytes);
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

/* Finds where memory begins, whichever row lies there. */
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
    tell_trouble(fovea, "%s: %s (0x%x)", what, gl_error_name(error), error);
    return FOVEA_ERROR_INTERNAL;
}

static enum fovea_result run_pixels(struct fovea_gl *fovea, const struct fovea_gaze *gaze,
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

static enum fovea_result run_copied(struct fovea_gl *fovea, const struct fovea_gl_frame *frame,
                                    struct pictures *pictures)
{
    const bool passes = fovea->only_looks && !is_seen(&frame->gaze);
    if (passes && same_texture(&pictures->src, &pictures->dst)) {
        return FOVEA_PASSED_THROUGH;
    }
    FOVEA_TRY(open_copying(fovea));
    FOVEA_TRY(make_room(fovea, pictures, frame->top_down));
    gl_texture_read(&fovea->api, &pictures->src, pixels_of(&pictures->read));
    FOVEA_TRY(gl_result(fovea, "glGetTexImage"));
    if (!passes) {
        FOVEA_TRY(run_pixels(fovea, &frame->gaze, pictures));
    }
    const struct fovea_image *shown = passes ? &pictures->read : &pictures->made;
    gl_texture_write(&fovea->api, &pictures->dst, pixels_of(shown));
    FOVEA_TRY(gl_result(fovea, "glTexSubImage2D"));
    return passes ? FOVEA_PASSED_THROUGH : FOVEA_OK;
}

/* State is taken. Where the shared way was a choice of ours and fails, pixels are copied from then
 * on. */
static enum fovea_result run(struct fovea_gl *fovea, const struct fovea_gl_frame *frame)
{
    struct pictures pictures;
    const char *why = "";
    FOVEA_TRY(look(fovea, frame, &pictures));
    if (!fovea->shared) {
        return run_copied(fovea, frame, &pictures);
    }
    const enum fovea_result result = gl_shared_foveate(fovea->shared, &pictures.src, &pictures.dst,
                                                       &frame->gaze, frame->top_down, &why);
    if (result >= 0) {
        return result;
    }
    if (fovea->way == FOVEA_GL_WAY_SHARED || result == FOVEA_ERROR_INVALID_ARGUMENT ||
        result == FOVEA_ERROR_INVALID_STATE) {
        tell_trouble(fovea, "fovea_gl_foveate: %s", why);
        return result;
    }
    gl_shared_destroy(&fovea->shared);
    (void)take_errors(&fovea->api);
    tell_way(fovea, FOVEA_LOG_WARNING, why);
    return run_copied(fovea, frame, &pictures);
}

static bool is_rectangle(const struct fovea_gl_texture *texture)
{
    return texture->target == GL_TEXTURE_RECTANGLE;
}

static enum fovea_result check_current(struct fovea_gl *fovea)
{
    if (gl_api_is_current(&fovea->api)) {
        return FOVEA_OK;
    }
    tell_trouble(fovea, "OpenGL: no context is current on this thread");
    return FOVEA_ERROR_INVALID_STATE;
}

enum fovea_result fovea_gl_size(struct fovea_gl *fovea, const struct fovea_gl_texture *texture,
                                uint32_t *out_width_px, uint32_t *out_height_px)
{
    if (!fovea || !texture || !out_width_px || !out_height_px) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(check_current(fovea));
    char why[256] = "";
    struct gl_texture found;
    struct gl_state state;
    take_old_errors(fovea);
    gl_state_take(&fovea->api, is_rectangle(texture), &state);
    const enum fovea_result result = gl_texture_look(&fovea->api, texture, &found, why, sizeof why);
    gl_state_give_back(&fovea->api, is_rectangle(texture), &state);
    if (result < 0) {
        tell_trouble(fovea, "fovea_gl_size: %s", why);
        return result;
    }
    *out_width_px = found.width_px;
    *out_height_px = found.height_px;
    return FOVEA_OK;
}

static enum fovea_result foveate(struct fovea_gl *fovea, const struct fovea_gl_frame *frame)
{
    struct fovea_gl_frame own;
    if (!struct_take(&own, sizeof own, frame)) {
        tell_trouble(fovea, "fovea_gl_frame: %s", struct_refusal(frame));
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_bytes_are_0(own.reserved, sizeof own.reserved)) {
        tell_trouble(fovea, "fovea_gl_frame: reserved is not 0");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(check_current(fovea));
    const bool with_rectangles = is_rectangle(&own.src) || is_rectangle(&own.dst);
    struct gl_state state;
    take_old_errors(fovea);
    gl_state_take(&fovea->api, with_rectangles, &state);
    const enum fovea_result result = run(fovea, &own);
    gl_state_give_back(&fovea->api, with_rectangles, &state);
    if (result >= 0) {
        all_is_well(fovea);
    }
    return result;
}

enum fovea_result fovea_gl_foveate(struct fovea_gl *fovea, const struct fovea_gl_frame *frame)
{
    if (!fovea || !frame) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const uint64_t refusals = fovea->shared ? gl_shared_refusals(fovea->shared) : 0;
    const enum fovea_result result = foveate(fovea, frame);
    if (result < 0 && fovea->shared) {
        gl_shared_refused(fovea->shared, refusals);
    }
    return result;
}
