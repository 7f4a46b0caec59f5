/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_source.h"

#include "core/log.h"
#include "core/process.h"
#include "core/struct_bytes.h"
#include "gaze_coords.h"
#include "gaze_filter.h"
#include "gaze_hold.h"
#include "gaze_intake.h"
#include "gaze_library.h"
#include "gaze_settings.h"
#include "gaze_vergence.h"
#include "gaze_wander.h"
#include "kernels/image/pixel.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GAZE_SOURCE(kind, name) [FOVEA_GAZE_##kind] = &gaze_##name,
static const struct gaze_source_api *const APIS[] = {
#include "config/gaze_sources.def"
};
#undef GAZE_SOURCE

/* Contexts have the same bound. */
#define GAZE_SIDE_MAX_PX 16384

#define KINDS (sizeof APIS / sizeof APIS[0])

static bool is_kind(enum fovea_gaze_kind kind)
{
    return (size_t)kind < KINDS;
}

const char *gaze_kind_name(enum fovea_gaze_kind kind)
{
    return is_kind(kind) ? APIS[kind]->name : "unknown gaze source";
}

bool gaze_kind_opens_slowly(enum fovea_gaze_kind kind)
{
    return is_kind(kind) && APIS[kind]->opens_slowly;
}

bool gaze_kind_has_port(enum fovea_gaze_kind kind)
{
    return is_kind(kind) && APIS[kind]->udp_port;
}

void gaze_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    if (is_kind(settings->kind) && APIS[settings->kind]->describe) {
        APIS[settings->kind]->describe(settings, out, bytes);
    } else {
        snprintf(out, bytes, "%s", gaze_kind_name(settings->kind));
    }
}

static bool looks_at_pictures(const struct fovea_gaze_settings *settings)
{
    return settings->kind == FOVEA_GAZE_SALIENCY ||
           settings->fallback == FOVEA_GAZE_FALLBACK_SALIENCY;
}

static void say_vergence(const struct fovea_gaze_source *source)
{
    char text[256];
    if (!(source->settings.vergence_ipd_mm > 0.0)) {
        return;
    }
    if (source->api->vergence_m) {
        gaze_vergence_describe(&source->settings, text, sizeof text);
        log_info(source->log, "gaze: %s", text);
    } else {
        log_warning(source->log,
                    "gaze.vergence.ipd_mm has no effect: gaze.source %s tells no lines of sight of "
                    "two eyes",
                    source->api->name);
    }
}

static void say_filter(const struct fovea_gaze_source *source)
{
    const enum fovea_gaze_kind kind = source->settings.kind;
    const bool is_made_up =
        kind == FOVEA_GAZE_FIXED || kind == FOVEA_GAZE_SACCADES || kind == FOVEA_GAZE_SALIENCY;
    if (is_made_up && gaze_filter_is_wanted(&source->settings)) {
        log_warning(source->log,
                    "gaze.filter has no effect: gaze.source %s has no samples to filter",
                    source->api->name);
    }
}

static enum fovea_result open_source(const struct fovea_gaze_settings *settings,
                                     struct fovea_log log, struct fovea_gaze_source **out_source)
{
    const struct gaze_source_api *api = APIS[settings->kind];
    struct fovea_gaze_source *source = calloc(1, api->bytes);
    if (!source) {
        log_error(log, "gaze: out of memory for the %s source", api->name);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    source->api = api;
    source->settings = *settings;
    source->log = log;
    source->tells_movements = true;
    source->process = getpid();
    *out_source = source;
    /* First, since what ends a source ends what this has made. */
    FOVEA_TRY(api->init ? api->init(source) : FOVEA_OK);
    say_vergence(source);
    say_filter(source);
    return looks_at_pictures(settings) ? gaze_wander_create(settings, log, &source->wander)
                                       : FOVEA_OK;
}

enum fovea_result gaze_source_open(const struct fovea_gaze_settings *settings, struct fovea_log log,
                                   struct fovea_gaze_source **out_source)
{
    *out_source = NULL;
    if (!is_kind(settings->kind)) {
        log_error(log, "gaze.source is number %d; there are 0 to %zu", (int)settings->kind,
                  KINDS - 1);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(gaze_settings_check(settings, log));
    const enum fovea_result result = open_source(settings, log, out_source);
    if (result < 0) {
        fovea_gaze_source_destroy(out_source);
    }
    return result;
}

STRUCT_ENDS_WITH(struct fovea_gaze_source_desc, reserved);

enum fovea_result fovea_gaze_source_create(const struct fovea_gaze_source_desc *desc,
                                           struct fovea_gaze_source **out_source)
{
    if (!out_source) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_source = NULL;
    struct fovea_gaze_source_desc taken;
    if (!desc || !struct_take(&taken, sizeof taken, desc) ||
        !struct_bytes_are_0(taken.reserved, sizeof taken.reserved)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!taken.settings) {
        log_error(taken.log, "fovea_gaze_source_create: settings are required");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    gaze_library_look();
    FOVEA_TRY(gaze_source_open(&taken.settings->gaze, taken.log, out_source));
    (*out_source)->tells_movements = taken.movements;
    return FOVEA_OK;
}

/* In a child of fork a thread of the parent's may have been calling them: it never gets over
 * here. */
static void let_listeners_go(struct fovea_gaze_source *source)
{
    if (source->api->intake && !process_is_child_of(source->process)) {
        gaze_intake_let_go(source->api->intake(source));
    }
}

void fovea_gaze_source_destroy(struct fovea_gaze_source **source)
{
    if (!source || !*source) {
        return;
    }
    let_listeners_go(*source);
    if ((*source)->api->finish) {
        (*source)->api->finish(*source);
    }
    gaze_wander_destroy(&(*source)->wander);
    free(*source);
    *source = NULL;
}

uint16_t fovea_gaze_source_udp_port(const struct fovea_gaze_source *source)
{
    return source && source->api->udp_port ? source->api->udp_port(source) : 0;
}

/* Two pictures beside the image nobody looks. */
static bool is_far(const struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample)
{
    if (source->settings.space != FOVEA_GAZE_SPACE_UV || sample->blink) {
        return false;
    }
    const struct fovea_point_uv at =
        gaze_coords_to_uv(&source->settings, 1, 1, sample->x, sample->y);
    return !(at.x_uv >= -2.0 && at.x_uv <= 3.0 && at.y_uv >= -2.0 && at.y_uv <= 3.0);
}

bool gaze_source_add(struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample)
{
    const bool added = gaze_intake_add(source->api->intake(source), &source->settings, sample);
    if (added && is_far(source, sample) && !atomic_exchange(&source->said_far, true)) {
        log_warning(
            source->log,
            "gaze: %g, %g of %s cannot be uv, 0 to 1 over the image; where positions are in "
            "pixels set gaze.space=pixels and gaze.screen_px",
            sample->x, sample->y, source->api->name);
    }
    return added;
}

enum fovea_result fovea_gaze_source_push(struct fovea_gaze_source *source,
                                         const struct fovea_gaze_sample *sample)
{
    if (!source || !sample) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!source->api->push) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    return source->api->push(source, sample);
}

enum fovea_result gaze_source_listen(struct fovea_gaze_source *source,
                                     struct gaze_listener *listener)
{
    if (!source->api->intake) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    gaze_intake_listen(source->api->intake(source), listener);
    return FOVEA_OK;
}

void gaze_source_unlisten(struct fovea_gaze_source *source, struct gaze_listener *listener)
{
    gaze_intake_unlisten(source->api->intake(source), listener);
}

bool gaze_source_counts_reads(const struct fovea_gaze_source *source)
{
    return source && source->api->answer;
}

struct gaze_watch *gaze_source_watch(const struct fovea_gaze_source *source)
{
    return source->wander ? gaze_wander_watch(source->wander) : NULL;
}

static bool is_read_from_memory(const struct fovea_image *image)
{
    const struct pixel_codec *codec = pixel_codec_of(image->format);
    return image->data && codec && image->memory == FOVEA_MEMORY_CPU && image->width_px >= 1 &&
           image->width_px <= GAZE_SIDE_MAX_PX && image->height_px >= 1 &&
           image->height_px <= GAZE_SIDE_MAX_PX &&
           (uintptr_t)image->data % codec->align_bytes == 0 &&
           image->row_stride_bytes % (ptrdiff_t)codec->align_bytes == 0 &&
           image->pixel_stride_bytes % (ptrdiff_t)codec->align_bytes == 0;
}

enum fovea_result fovea_gaze_source_show(struct fovea_gaze_source *source,
                                         const struct fovea_image *image)
{
    if (!source || !image || !is_read_from_memory(image)) {
        return image && image->memory == FOVEA_MEMORY_CUDA ? FOVEA_ERROR_UNSUPPORTED
                                                           : FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return source->wander ? gaze_watch_show(gaze_wander_watch(source->wander), image)
                          : FOVEA_ERROR_INVALID_STATE;
}

double fovea_gaze_source_vergence_m(struct fovea_gaze_source *source, int64_t t_ns)
{
    return source && source->api->vergence_m ? source->api->vergence_m(source, t_ns) : 0.0;
}

uint32_t fovea_gaze_source_other_foveas(const struct fovea_gaze_source *source,
                                        struct fovea_point_uv out_places[FOVEA_FOVEAS_MAX - 1])
{
    struct gaze_watch *watch = source && out_places ? gaze_source_watch(source) : NULL;
    return watch ? gaze_watch_others(watch, out_places) : 0;
}

static struct fovea_point_uv to_uv(const struct fovea_gaze_source *source, uint32_t width_px,
                                   uint32_t height_px, double x, double y)
{
    if (source->api->in_uv) {
        return (struct fovea_point_uv){.x_uv = x, .y_uv = y};
    }
    return gaze_coords_to_uv(&source->settings, width_px, height_px, x, y);
}

struct fovea_point_uv gaze_source_point(const struct fovea_gaze_source *source, uint32_t width_px,
                                        uint32_t height_px, const struct fovea_gaze_sample *sample)
{
    return to_uv(source, width_px, height_px, sample->x, sample->y);
}

/* Programs of 0.2 know three states. */
static enum fovea_gaze_state plain_state(enum fovea_gaze_state state)
{
    if (state == FOVEA_GAZE_BLINK) {
        return FOVEA_GAZE_HELD;
    }
    return fovea_gaze_is_tracked(state) ? FOVEA_GAZE_TRACKED : state;
}

static void tell_state(const struct fovea_gaze_source *source, struct fovea_gaze *gaze)
{
    if (!source->tells_movements) {
        gaze->state = plain_state(gaze->state);
    }
}

enum fovea_result fovea_gaze_source_read(struct fovea_gaze_source *source, int64_t t_ns,
                                         uint32_t width_px, uint32_t height_px,
                                         struct fovea_gaze *out_gaze)
{
    if (!source || !out_gaze || width_px == 0 || height_px == 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (source->api->answer) {
        source->api->answer(source, t_ns, out_gaze);
        tell_state(source, out_gaze);
        return FOVEA_OK;
    }
    struct gaze_observation seen = {.any = false};
    const double aspect = (double)height_px / (double)width_px;
    source->api->observe(source, t_ns, aspect, &seen);
    struct fovea_point_uv last = {.x_uv = 0.5, .y_uv = 0.5};
    if (seen.any) {
        last = to_uv(source, width_px, height_px, seen.x, seen.y);
    }
    *out_gaze = gaze_hold_apply(&source->settings, &seen, last, t_ns);
    tell_state(source, out_gaze);
    if (source->wander && out_gaze->state != FOVEA_GAZE_LOST) {
        gaze_wander_found(source->wander);
    } else if (source->wander) {
        out_gaze->point = gaze_wander_lost(source->wander, last, aspect, t_ns);
    }
    return FOVEA_OK;
}
