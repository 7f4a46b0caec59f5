/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze source that the configuration names, in place of the runtime's gaze: an eye tracker that
 * the runtime does not know, or a recording. What cannot be opened leaves what there was. */

#include "plugin/openxr/xr_layer.h"

#include "plugin/gaze/gaze_source.h"

#define FIRST_SOURCE_MS 100.0 /* the first frame has its gaze, unless the source is slower */

/* The next time that the files are read it is tried again. */
static void keep(struct openxr_session *session)
{
    session->source_wanted =
        session->source ? session->source_used : (struct fovea_gaze_settings){0};
}

static void use(struct openxr_session *session, struct fovea_gaze_source *source,
                const struct fovea_gaze_settings *settings)
{
    gaze_opener_close(session->opener, &session->source);
    session->source = source;
    session->source_wanted = session->source_used = *settings;
    openxr_say(FOVEA_LOG_INFO, "the gaze is the configuration's: %s",
               gaze_kind_name(settings->kind));
}

static void do_without(struct openxr_session *session, const struct fovea_gaze_settings *settings)
{
    if (settings->kind == FOVEA_GAZE_MOUSE) {
        openxr_say(FOVEA_LOG_WARNING, "gaze.source is mouse, and a headset has no pointer: the "
                                      "gaze is the runtime's");
    }
    gaze_opener_cancel(session->opener);
    session->source_opening = false;
    if (session->source) {
        gaze_opener_close(session->opener, &session->source);
        session->tracked = -1; /* the log says anew whether there is one */
    }
}

static void open_here(struct openxr_session *session, const struct fovea_gaze_settings *settings)
{
    struct fovea_gaze_source *source = NULL;
    gaze_opener_cancel(session->opener);
    if (gaze_source_open(settings, openxr_log(), &source) == FOVEA_OK) {
        use(session, source, settings);
    } else {
        openxr_say(FOVEA_LOG_WARNING, "the gaze source %s cannot be opened",
                   gaze_kind_name(settings->kind));
        keep(session);
    }
}

/* Two cannot have one port at a time: there the former one goes first, and comes back. */
static void open_source(struct openxr_session *session, const struct fovea_gaze_settings *settings)
{
    const bool changes_port = session->source && session->source_used.kind == FOVEA_GAZE_UDP &&
                              settings->kind == FOVEA_GAZE_UDP;
    if (changes_port) {
        gaze_opener_close(session->opener, &session->source);
    }
    session->source_opening =
        gaze_kind_opens_slowly(settings->kind) &&
        gaze_opener_ask(session->opener, settings, changes_port ? &session->source_used : NULL);
    if (!session->source_opening) {
        open_here(session, settings);
    }
}

void openxr_source_take(struct openxr_session *session, bool wait)
{
    const struct fovea_gaze_settings *settings = &session->settings->gaze;
    if (gaze_settings_same(settings, &session->source_wanted)) {
        return;
    }
    session->source_wanted = *settings;
    if (settings->kind == FOVEA_GAZE_OPENXR || settings->kind == FOVEA_GAZE_MOUSE) {
        do_without(session, settings);
        return;
    }
    open_source(session, settings);
    if (wait && session->source_opening) {
        gaze_opener_wait(session->opener, FIRST_SOURCE_MS);
        openxr_source_poll(session);
    }
}

/* The thread that opens sources has said it in the log where there is none. */
void openxr_source_poll(struct openxr_session *session)
{
    struct fovea_gaze_source *source = NULL;
    struct fovea_gaze_settings settings;
    if (!session->source_opening || !gaze_opener_take(session->opener, &source, &settings)) {
        return;
    }
    session->source_opening = false;
    if (source) {
        use(session, source, &settings);
    } else {
        keep(session);
    }
}

void openxr_source_read(struct openxr_session *session, const XrExtent2Di *size)
{
    if (session->source && size->width > 0 && size->height > 0 &&
        fovea_gaze_source_read(session->source, fovea_time_ns(), (uint32_t)size->width,
                               (uint32_t)size->height, &session->source_gaze) < 0) {
        session->source_gaze = (struct fovea_gaze){.point = {0.5, 0.5}};
    }
}

void openxr_source_gone(struct openxr_session *session)
{
    gaze_opener_close(session->opener, &session->source);
    gaze_opener_leave(&session->opener);
}
