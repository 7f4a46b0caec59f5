/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/gaze/gaze_switch.h"

#include "core/log.h"
#include "plugin/gaze/gaze_library.h"
#include "plugin/gaze/gaze_source.h"

void gaze_switch_begin(struct gaze_switch *own, const struct gaze_switch_desc *desc)
{
    gaze_library_look();
    *own = (struct gaze_switch){.desc = *desc, .opener = gaze_opener_create(desc->log)};
}

void gaze_switch_end(struct gaze_switch *own)
{
    gaze_opener_close(own->opener, &own->source);
    gaze_opener_leave(&own->opener);
}

bool gaze_switch_has(const struct gaze_switch *own, const struct fovea_gaze_settings *settings)
{
    return gaze_settings_same(settings, &own->wanted) &&
           (own->source || own->opening || own->wants_none);
}

static void close_source(struct gaze_switch *own)
{
    if (own->source && own->desc.on_close) {
        own->desc.on_close(own->desc.user);
    }
    gaze_opener_close(own->opener, &own->source);
}

static void use_source(struct gaze_switch *own, struct fovea_gaze_source *source,
                       const struct fovea_gaze_settings *settings)
{
    close_source(own);
    own->source = source;
    own->used = *settings;
    own->desc.on_open(own->desc.user, settings);
}

/* The next time that the files are read it is tried again. */
static void do_without(struct gaze_switch *own)
{
    own->wanted = own->used;
}

static void open_here(struct gaze_switch *own, const struct fovea_gaze_settings *settings)
{
    struct fovea_gaze_source *source = NULL;
    if (gaze_source_open(settings, own->desc.log(), &source) == FOVEA_OK) {
        use_source(own, source, settings);
    } else {
        log_warning(own->desc.log(), "the gaze source %s cannot be opened",
                    gaze_kind_name(settings->kind));
        do_without(own);
    }
}

/* Two cannot have one port at a time: there the former one goes first, and comes back. */
void gaze_switch_open(struct gaze_switch *own, const struct fovea_gaze_settings *settings)
{
    own->wanted = *settings;
    own->wants_none = false;
    if (own->source && gaze_kind_has_port(own->used.kind) && gaze_kind_has_port(settings->kind)) {
        own->former = own->used;
        own->has_former = true;
        close_source(own);
    } else if (!own->opening) {
        own->has_former = false;
    }
    own->opening = gaze_kind_opens_slowly(settings->kind) &&
                   gaze_opener_ask(own->opener, settings, own->has_former ? &own->former : NULL);
    if (!own->opening) {
        gaze_opener_cancel(own->opener);
        open_here(own, settings);
    }
}

void gaze_switch_close(struct gaze_switch *own, const struct fovea_gaze_settings *settings)
{
    own->wanted = *settings;
    own->wants_none = true;
    own->has_former = false;
    own->opening = false;
    gaze_opener_cancel(own->opener);
    close_source(own);
}

/* The thread that opens sources has said it in the log where there is none. */
void gaze_switch_poll(struct gaze_switch *own)
{
    struct fovea_gaze_source *source = NULL;
    struct fovea_gaze_settings settings;
    if (!own->opening || !gaze_opener_take(own->opener, &source, &settings)) {
        return;
    }
    own->opening = false;
    if (source) {
        use_source(own, source, &settings);
    } else {
        do_without(own);
    }
}

void gaze_switch_wait(struct gaze_switch *own)
{
    if (own->opening) {
        gaze_opener_wait(own->opener, GAZE_SWITCH_FIRST_MS);
        gaze_switch_poll(own);
    }
}
