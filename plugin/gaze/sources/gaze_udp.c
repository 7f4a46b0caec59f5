/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Datagrams of one sample each, in the format that gaze.udp.format names. */
#include "gaze_datagrams.h"
#include "gaze_udp_message.h"

#include <stdio.h>

/* Older by more than this is a sender that started again, not a datagram that came late. */
#define SENDER_RESTART_S 1.0

struct udp {
    struct gaze_datagrams datagrams;
    bool sender_has_time; /* the thread's own, as what follows */
    double sender_t_s;
};

/* The sender's time only tells the order; when a sample was taken is when it arrived, because the
 * two clocks have nothing in common. */
static bool is_in_order(struct udp *udp, const struct gaze_udp_message *message)
{
    if (!message->has_time) {
        return true;
    }
    const double behind_s = udp->sender_t_s - message->t_s;
    if (udp->sender_has_time && behind_s > 0.0 && behind_s <= SENDER_RESTART_S) {
        return false;
    }
    udp->sender_has_time = true;
    udp->sender_t_s = message->t_s;
    return true;
}

static void take(struct gaze_datagrams *datagrams, const uint8_t *bytes, size_t count)
{
    struct udp *udp = (struct udp *)datagrams;
    struct gaze_udp_message message;
    const enum fovea_udp_format format = datagrams->feed.base.settings.udp_format;
    const char *why = gaze_udp_message_parse(format, bytes, count, &message);
    if (!why && !is_in_order(udp, &message)) {
        why = "it is older than the one before";
    }
    if (why) {
        gaze_feed_reject(&datagrams->feed, why);
        return;
    }
    message.sample.t_ns = fovea_time_ns();
    gaze_feed_add(&datagrams->feed, &message.sample);
}

static enum fovea_result udp_init(struct fovea_gaze_source *source)
{
    struct gaze_datagrams *datagrams = &((struct udp *)source)->datagrams;
    datagrams->limit_bytes = GAZE_UDP_MESSAGE_BYTES;
    datagrams->take = take;
    return gaze_datagrams_init(datagrams, source->settings.udp_port);
}

static void udp_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "datagrams at %s, UDP port %u", settings->udp_bind, settings->udp_port);
}

const struct gaze_source_api gaze_udp = {
    .name = "udp",
    .bytes = sizeof(struct udp),
    .opens_slowly = true,
    .describe = udp_describe,
    .init = udp_init,
    .finish = gaze_datagrams_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .udp_port = gaze_datagrams_port,
};
