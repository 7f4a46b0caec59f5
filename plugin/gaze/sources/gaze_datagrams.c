/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_datagrams.h"

#include "gaze_udp_socket.h"

#include "core/log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* A flood must not keep the thread from hearing that it shall stop. */
#define DATAGRAMS_A_TURN 64
#define PAUSE_AFTER_ERROR_MS 100
#define FIRST_WITHIN_MS 5000

static void take(struct gaze_datagrams *datagrams, const uint8_t *bytes, size_t count)
{
    datagrams->has_heard = true;
    if (count > datagrams->limit_bytes) {
        char why[64];
        snprintf(why, sizeof why, "it is longer than %zu bytes", datagrams->limit_bytes);
        gaze_feed_reject(&datagrams->feed, why);
        return;
    }
    datagrams->take(datagrams, bytes, count);
}

/* False when the socket reports an error that does not go away by reading on. */
static bool drain(struct gaze_datagrams *datagrams)
{
    uint8_t bytes[GAZE_DATAGRAM_BYTES];
    for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
        /* MSG_TRUNC: the length as it was sent, also when that is longer than the buffer. */
        const ssize_t count =
            recv(datagrams->socket, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC);
        if (count >= 0) {
            take(datagrams, bytes, (size_t)count);
        } else if (errno != EINTR) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
    }
    return true;
}

/* A sender that has another port is as silent as none. False: the thread shall end. */
static bool wait_for_first(struct gaze_datagrams *datagrams)
{
    struct gaze_feed *feed = &datagrams->feed;
    if (!gaze_feed_wait(feed, datagrams->socket, POLLIN, FIRST_WITHIN_MS)) {
        return false;
    }
    if (drain(datagrams) && !datagrams->has_heard) {
        log_warning(feed->base.log,
                    "gaze: nothing has come to UDP %s port %u in %d s; it is waited for",
                    feed->base.settings.udp_bind, datagrams->port, FIRST_WITHIN_MS / 1000);
    }
    return true;
}

static void *receive(void *user)
{
    struct gaze_datagrams *datagrams = user;
    struct gaze_feed *feed = &datagrams->feed;
    if (!wait_for_first(datagrams)) {
        return NULL;
    }
    while (gaze_feed_wait(feed, datagrams->socket, POLLIN, -1)) {
        if (!drain(datagrams)) {
            gaze_feed_problem(feed, "UDP port %u cannot be read: %s", datagrams->port,
                              strerrordesc_np(errno));
            if (!gaze_feed_wait(feed, -1, 0, PAUSE_AFTER_ERROR_MS)) {
                break;
            }
        }
    }
    return NULL;
}

enum fovea_result gaze_datagrams_init(struct gaze_datagrams *datagrams, uint16_t port)
{
    const struct fovea_gaze_source *source = &datagrams->feed.base;
    datagrams->socket = -1;
    FOVEA_TRY(gaze_feed_init(&datagrams->feed));
    FOVEA_TRY(gaze_udp_socket_open(source->settings.udp_bind, port, source->log, &datagrams->socket,
                                   &datagrams->port));
    FOVEA_TRY(gaze_feed_start(&datagrams->feed, receive));
    log_info(source->log, "gaze: listening on UDP %s port %u", source->settings.udp_bind,
             datagrams->port);
    return FOVEA_OK;
}

void gaze_datagrams_finish(struct fovea_gaze_source *source)
{
    struct gaze_datagrams *datagrams = (struct gaze_datagrams *)source;
    gaze_feed_stop(&datagrams->feed);
    if (datagrams->socket >= 0) {
        close(datagrams->socket);
    }
    gaze_feed_finish(&datagrams->feed);
}

uint16_t gaze_datagrams_port(const struct fovea_gaze_source *source)
{
    return ((const struct gaze_datagrams *)source)->port;
}
