/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A server of the Open Gaze API, as Gazepoint's trackers have one: TCP, a line a sample. A thread
 * connects, takes lines, and connects again when the server has gone. */
#include "gaze_connect.h"
#include "gaze_opengaze_line.h"
#include "plugin/gaze/gaze_clock.h"

#include "core/log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048
#define CONNECT_MS 2000
#define AGAIN_MS 500
#define SILENCE_MS 5000 /* a server that was cut off says nothing, and no end either */

struct opengaze {
    struct gaze_feed feed;

    /* The thread's own. */
    int socket;
    struct gaze_clock clock;
    char line[LINE_BYTES];
    size_t used;
    bool overlong; /* what comes until the end of the line is of no use */
};

/* The server says of both eyes no more than that they are seen. */
static void take_eyes(struct gaze_feed *feed, const struct gaze_opengaze_record *record,
                      const struct fovea_gaze_sample *sample)
{
    struct fovea_gaze_sample seen = *sample;
    seen.confidence = 1.0;
    if (record->has_eyes) {
        gaze_feed_add_places(feed, feed->base.settings.vergence_distance_m, record->eyes_x,
                             record->eyes_y, &seen);
    }
}

static void take_line(struct opengaze *opengaze, const char *line, size_t bytes)
{
    struct gaze_feed *feed = &opengaze->feed;
    struct gaze_opengaze_record record;
    const char *why = gaze_opengaze_parse(line, bytes, feed->base.settings.opengaze_point, &record);
    struct fovea_gaze_sample sample = {.x = record.x, .y = record.y};
    const int64_t now_ns = fovea_time_ns();
    sample.t_ns = now_ns;
    if (!why && record.has_gaze && record.has_time &&
        !gaze_clock_place(&opengaze->clock, record.time_s, now_ns, &sample.t_ns)) {
        why = "it is older than the one before";
    }
    if (why) {
        gaze_feed_reject(feed, why);
    } else if (record.has_gaze) {
        sample.confidence = record.valid ? 1.0 : 0.0;
        gaze_feed_good(feed);
        gaze_feed_add(feed, &sample);
        take_eyes(feed, &record, &sample);
    }
}

static void end_line(struct opengaze *opengaze)
{
    if (opengaze->overlong) {
        gaze_feed_reject(&opengaze->feed, "a line is longer than 2048 bytes");
    } else {
        take_line(opengaze, opengaze->line, opengaze->used);
    }
    opengaze->used = 0;
    opengaze->overlong = false;
}

static void take_bytes(struct opengaze *opengaze, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            end_line(opengaze);
        } else if (opengaze->used < LINE_BYTES) {
            opengaze->line[opengaze->used++] = bytes[i];
        } else {
            opengaze->overlong = true;
        }
    }
}

/* False: the connection is over. */
static bool read_some(struct opengaze *opengaze)
{
    char bytes[1024];
    const ssize_t count = recv(opengaze->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) {
        take_bytes(opengaze, bytes, (size_t)count);
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

static bool wants(const struct fovea_gaze_settings *settings, enum fovea_opengaze_point point)
{
    const bool is_eye = point == FOVEA_OPENGAZE_LEFT || point == FOVEA_OPENGAZE_RIGHT;
    return point == settings->opengaze_point || (is_eye && settings->vergence_ipd_mm > 0.0);
}

/* errno says why not. */
static bool ask_for_gaze(struct opengaze *opengaze)
{
    char text[512] = "<SET ID=\"ENABLE_SEND_TIME\" STATE=\"1\" />\r\n";
    size_t bytes = strlen(text);
    for (int point = FOVEA_OPENGAZE_BEST; point <= FOVEA_OPENGAZE_RIGHT; point++) {
        if (wants(&opengaze->feed.base.settings, (enum fovea_opengaze_point)point)) {
            bytes += (size_t)snprintf(text + bytes, sizeof text - bytes,
                                      "<SET ID=\"ENABLE_SEND_POG_%s\" STATE=\"1\" />\r\n",
                                      gaze_opengaze_name((enum fovea_opengaze_point)point));
        }
    }
    bytes += (size_t)snprintf(text + bytes, sizeof text - bytes,
                              "<SET ID=\"ENABLE_SEND_DATA\" STATE=\"1\" />\r\n");
    const ssize_t sent = send(opengaze->socket, text, bytes, MSG_NOSIGNAL);
    if (sent >= 0 && (size_t)sent != bytes) {
        errno = ENOBUFS;
    }
    return sent >= 0 && (size_t)sent == bytes;
}

static void listen_to(struct opengaze *opengaze)
{
    opengaze->clock = (struct gaze_clock){0};
    opengaze->used = 0;
    opengaze->overlong = false;
    while (gaze_feed_wait(&opengaze->feed, opengaze->socket, POLLIN, SILENCE_MS)) {
        if (!read_some(opengaze)) {
            return;
        }
    }
}

static void *receive(void *user)
{
    struct opengaze *opengaze = user;
    struct gaze_feed *feed = &opengaze->feed;
    const struct fovea_gaze_settings *settings = &feed->base.settings;
    while (gaze_feed_wait(feed, -1, 0, 0)) {
        const char *why = NULL;
        struct gaze_address address;
        opengaze->socket = gaze_connect(feed, settings->opengaze_address, settings->opengaze_port,
                                        CONNECT_MS, &address, &why);
        if (opengaze->socket >= 0) {
            why = "it has ended, or says nothing";
            if (ask_for_gaze(opengaze)) {
                listen_to(opengaze);
            } else {
                why = strerrordesc_np(errno);
            }
            close(opengaze->socket);
        }
        if (!gaze_feed_wait(feed, -1, 0, AGAIN_MS)) {
            break;
        }
        gaze_feed_problem(feed,
                          "the Open Gaze server at %s (gaze.opengaze.address), TCP port %u: %s; it "
                          "is tried again",
                          settings->opengaze_address, settings->opengaze_port, why);
    }
    return NULL;
}

/* The protocol says in what the gaze is given, so gaze.space and gaze.origin do not. */
static enum fovea_result opengaze_init(struct fovea_gaze_source *source)
{
    struct opengaze *opengaze = (struct opengaze *)source;
    source->settings.space = FOVEA_GAZE_SPACE_UV;
    source->settings.origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    FOVEA_TRY(gaze_feed_init(&opengaze->feed));
    FOVEA_TRY(
        gaze_host_check("gaze.opengaze.address", source->settings.opengaze_address, source->log));
    return gaze_feed_start(&opengaze->feed, receive);
}

static void opengaze_finish(struct fovea_gaze_source *source)
{
    struct opengaze *opengaze = (struct opengaze *)source;
    gaze_feed_stop(&opengaze->feed);
    gaze_feed_finish(&opengaze->feed);
}

static void opengaze_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "Open Gaze server at %s, TCP port %u", settings->opengaze_address,
             settings->opengaze_port);
}

const struct gaze_source_api gaze_opengaze = {
    .name = "opengaze",
    .bytes = sizeof(struct opengaze),
    .opens_slowly = true,
    .describe = opengaze_describe,
    .init = opengaze_init,
    .finish = opengaze_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .vergence_m = gaze_feed_vergence_m,
};
