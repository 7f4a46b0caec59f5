/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Eyes over Open Sound Control: datagrams as programs for avatars send them. */
#include "gaze_datagrams.h"
#include "gaze_osc_packet.h"

#include <stdio.h>

struct osc {
    struct gaze_datagrams datagrams;
    struct gaze_osc_eyes eyes; /* the thread's own */
};

/* They are angles of each eye in a headset, and no places on a screen. Each eye may have a datagram
 * of its own: a new place of one with the former one of the other would be a distance where nobody
 * looks. */
static void take_eyes(struct osc *osc, int64_t t_ns)
{
    double right_deg[2];
    double up_deg[2];
    struct fovea_gaze_sample both = {.t_ns = t_ns};
    if (osc->eyes.anew[0] && osc->eyes.anew[1] &&
        gaze_osc_places(&osc->eyes, right_deg, up_deg, &both.confidence)) {
        osc->eyes.anew[0] = osc->eyes.anew[1] = false;
        gaze_feed_add_places(&osc->datagrams.feed, 0.0, right_deg, up_deg, &both);
    }
}

static void take(struct gaze_datagrams *datagrams, const uint8_t *bytes, size_t count)
{
    struct osc *osc = (struct osc *)datagrams;
    osc->eyes.changed = false;
    const char *why = gaze_osc_parse(bytes, count, &osc->eyes);
    struct fovea_gaze_sample sample;
    if (why) {
        gaze_feed_reject(&datagrams->feed, why);
    } else if (osc->eyes.changed &&
               gaze_osc_sample(&osc->eyes, datagrams->feed.base.settings.filter_eye, &sample)) {
        sample.t_ns = fovea_time_ns();
        gaze_feed_add(&datagrams->feed, &sample);
        take_eyes(osc, sample.t_ns);
    }
}

/* gaze.space is degrees (gaze_settings_check). */
static enum fovea_result osc_init(struct fovea_gaze_source *source)
{
    struct osc *osc = (struct osc *)source;
    source->settings.origin = FOVEA_GAZE_ORIGIN_CENTER;
    gaze_osc_eyes_init(&osc->eyes);
    osc->datagrams.limit_bytes = GAZE_DATAGRAM_BYTES;
    osc->datagrams.take = take;
    return gaze_datagrams_init(&osc->datagrams, source->settings.osc_port);
}

static void osc_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "OSC at %s, UDP port %u", settings->udp_bind, settings->osc_port);
}

const struct gaze_source_api gaze_osc = {
    .name = "osc",
    .bytes = sizeof(struct osc),
    .opens_slowly = true,
    .describe = osc_describe,
    .init = osc_init,
    .finish = gaze_datagrams_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .vergence_m = gaze_feed_vergence_m,
    .udp_port = gaze_datagrams_port,
};
