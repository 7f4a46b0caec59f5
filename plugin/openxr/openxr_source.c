/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze source that the configuration names, in place of the runtime's gaze: an eye tracker that
 * the runtime does not know, or a recording. What cannot be opened leaves what there was. */

#include "plugin/openxr/xr_layer.h"

#include "plugin/gaze/gaze_source.h"

static void on_open(void *user, const struct fovea_gaze_settings *settings)
{
    (void)user;
    openxr_say(FOVEA_LOG_INFO, "the gaze is the configuration's: %s",
               gaze_kind_name(settings->kind));
}

void openxr_source_begin(struct openxr_session *session, const struct fovea_gaze_settings *standard)
{
    const struct gaze_switch_desc desc = {.log = openxr_log, .on_open = on_open};
    gaze_switch_begin(&session->gaze_switch, &desc);
    gaze_switch_close(&session->gaze_switch, standard);
}

static void leave_to_runtime(struct openxr_session *session,
                             const struct fovea_gaze_settings *settings)
{
    if (settings->kind == FOVEA_GAZE_MOUSE) {
        openxr_say(FOVEA_LOG_WARNING, "gaze.source is mouse, and a headset has no pointer: the "
                                      "gaze is the runtime's");
    }
    if (session->gaze_switch.source) {
        session->told_gaze = OPENXR_TOLD_NOTHING; /* the log says anew whether there is one */
        session->told_before = 0;
    }
    gaze_switch_close(&session->gaze_switch, settings);
}

void openxr_source_take(struct openxr_session *session)
{
    const struct fovea_gaze_settings *settings = &session->settings->gaze;
    if (!session->foveates && !session->instance->offers) {
        return; /* nobody would read it */
    }
    pthread_mutex_lock(&session->gaze_lock);
    if (gaze_switch_has(&session->gaze_switch, settings)) {
        pthread_mutex_unlock(&session->gaze_lock);
        return;
    }
    if (settings->kind == FOVEA_GAZE_OPENXR || settings->kind == FOVEA_GAZE_MOUSE) {
        leave_to_runtime(session, settings);
    } else {
        gaze_switch_open(&session->gaze_switch, settings);
    }
    pthread_mutex_unlock(&session->gaze_lock);
}

void openxr_source_poll(struct openxr_session *session)
{
    pthread_mutex_lock(&session->gaze_lock);
    gaze_switch_poll(&session->gaze_switch);
    pthread_mutex_unlock(&session->gaze_lock);
}

/* If the pictures of two eyes lie in swapchains of their own, only the first is shown. */
void openxr_source_show(const struct openxr_swapchain *swapchain)
{
    const bool is_first = swapchain->view_count > 0 && swapchain->views[0].index == 0;
    struct fovea_gaze_source *source = is_first ? swapchain->session->gaze_switch.source : NULL;
    (void)!fovea_vk_show_frames(swapchain->fovea, source, false); /* or it sees nothing */
}

bool openxr_source_saw(const struct openxr_session *session)
{
    const struct fovea_gaze_settings *settings = &session->settings->gaze;
    return settings->kind == FOVEA_GAZE_SALIENCY ||
           (settings->fallback == FOVEA_GAZE_FALLBACK_SALIENCY &&
            session->source_gaze.state == FOVEA_GAZE_LOST);
}

void openxr_source_read(struct openxr_session *session, const XrExtent2Di *size)
{
    if (!session->gaze_switch.source || size->width <= 0 || size->height <= 0) {
        return;
    }
    pthread_mutex_lock(&session->gaze_lock);
    const int64_t now_ns = fovea_time_ns();
    struct fovea_gaze_source *source = session->gaze_switch.source;
    if (fovea_gaze_source_read(source, now_ns, (uint32_t)size->width, (uint32_t)size->height,
                               &session->source_gaze) < 0) {
        session->source_gaze = (struct fovea_gaze){.point = {0.5, 0.5}};
    }
    session->vergence_m = fovea_gaze_source_vergence_m(source, now_ns);
    pthread_mutex_unlock(&session->gaze_lock);
}
