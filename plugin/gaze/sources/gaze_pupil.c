/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze on a surface of Pupil Core, by the network of Pupil Capture. libzmq is opened at run time. A
 * thread asks Pupil Remote where messages are published and what its clock says, again and again:
 * one that does not answer has gone, and is looked for anew. */
#include "gaze_connect.h"
#include "gaze_pupil_message.h"
#include "gaze_zmq_library.h"

#include "core/json_text.h"
#include "core/log.h"
#include "core/process.h"

#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOPIC "surfaces."
#define TOPIC_EYES "gaze.3d.01." /* of both eyes, by their models */
#define MESSAGE_BYTES (256 << 10)
#define MESSAGES_A_TURN 64
#define ANSWER_NS GAZE_NS_PER_S
#define ASK_EVERY_NS GAZE_NS_PER_S
#define CONNECT_MS 2000
#define LOOK_MS 250
#define AGAIN_MS 500
/* An answer that was longer under way than others says little of the clock. */
#define QUICK_NS (5 * GAZE_NS_PER_MS)
#define OLD_NS (5 * GAZE_NS_PER_S)

struct pupil {
    struct gaze_feed feed;
    struct zmq_library library;

    /* The thread's own. */
    void *context;
    char host[NI_MAXHOST]; /* numeric: libzmq would look for a name while others wait for it */
    void *remote;
    void *published;
    bool knows_clock;
    int64_t apart_ns; /* our clock less Pupil's */
    int64_t quickest_ns; /* an answer that was no longer under way counts */
    int64_t asked_ns;
    bool is_asked; /* and there is no answer yet */
    int64_t now_ns; /* when the message came that is being read */
    char topic[256];
    uint8_t message[MESSAGE_BYTES];
};

static void set_option(struct pupil *pupil, void *socket, int option, int value)
{
    (void)pupil->library.setsockopt(socket, option, &value, sizeof value);
}

/* NULL: it cannot be. zmq connects when the other side is there. */
static void *open_socket(struct pupil *pupil, int type, unsigned port)
{
    const int64_t limit_bytes = MESSAGE_BYTES;
    const bool is_ip6 = strchr(pupil->host, ':');
    char endpoint[sizeof pupil->host + 32];
    snprintf(endpoint, sizeof endpoint, "tcp://%s%s%s:%u", is_ip6 ? "[" : "", pupil->host,
             is_ip6 ? "]" : "", port);
    void *socket = pupil->library.socket(pupil->context, type);
    if (!socket) {
        return NULL;
    }
    set_option(pupil, socket, ZMQ_LINGER, 0);
    set_option(pupil, socket, ZMQ_IPV6, is_ip6);
    (void)pupil->library.setsockopt(socket, ZMQ_MAXMSGSIZE, &limit_bytes, sizeof limit_bytes);
    if (pupil->library.connect(socket, endpoint) != 0) {
        pupil->library.close(socket);
        return NULL;
    }
    return socket;
}

static bool ask(struct pupil *pupil, const char *text)
{
    pupil->asked_ns = fovea_time_ns();
    pupil->is_asked = pupil->library.send(pupil->remote, text, strlen(text), ZMQ_DONTWAIT) >= 0;
    return pupil->is_asked;
}

/* A number. False: there is none yet. */
static bool take_answer(struct pupil *pupil, double *out)
{
    char text[64];
    const int bytes = pupil->library.recv(pupil->remote, text, sizeof text, ZMQ_DONTWAIT);
    if (bytes < 0) {
        return false;
    }
    pupil->is_asked = false;
    const size_t count = (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text;
    return json_decimal(text, text + count, out) && isfinite(*out);
}

/* Half of the time that the question and its answer took lies before the answer. What counts as
 * quick grows from answer to answer, so that a link that became slower is followed too. */
static void take_clock(struct pupil *pupil)
{
    double pupil_s = 0.0;
    const int64_t asked_ns = pupil->asked_ns;
    if (!take_answer(pupil, &pupil_s) || !(fabs(pupil_s) < 4e9)) {
        return;
    }
    const int64_t took_ns = fovea_time_ns() - asked_ns;
    if (!pupil->knows_clock || took_ns <= QUICK_NS || took_ns <= pupil->quickest_ns) {
        pupil->apart_ns = asked_ns + took_ns / 2 - llround(pupil_s * 1e9);
        pupil->quickest_ns = took_ns;
        pupil->knows_clock = true;
    }
    pupil->quickest_ns += pupil->quickest_ns / 8;
}

static bool is_over(const struct pupil *pupil)
{
    return pupil->is_asked && fovea_time_ns() > gaze_time_add(pupil->asked_ns, ANSWER_NS);
}

/* Waits until one of the sockets has something, or for a while. False: the thread shall end. */
static bool look(struct pupil *pupil, bool *out_answer, bool *out_message)
{
    struct zmq_item items[] = {{.fd = pupil->feed.stop, .events = ZMQ_POLLIN},
                               {.socket = pupil->remote, .events = ZMQ_POLLIN},
                               {.socket = pupil->published, .events = ZMQ_POLLIN}};
    (void)pupil->library.poll(items, pupil->published ? 3 : 2, LOOK_MS);
    *out_answer = items[1].revents != 0;
    *out_message = items[2].revents != 0;
    return gaze_feed_wait(&pupil->feed, -1, 0, 0);
}

static bool ask_for_port(struct pupil *pupil, unsigned *out_port)
{
    bool answer = false;
    bool message = false;
    double port = 0.0;
    if (!ask(pupil, "SUB_PORT")) {
        return false;
    }
    while (!answer && !is_over(pupil)) {
        if (!look(pupil, &answer, &message)) {
            return false;
        }
    }
    if (!answer || !take_answer(pupil, &port) || !(port >= 1.0 && port <= 65535.0)) {
        return false;
    }
    *out_port = (unsigned)port;
    return true;
}

static bool subscribe_to(struct pupil *pupil, const char *topic, size_t bytes)
{
    return pupil->library.setsockopt(pupil->published, ZMQ_SUBSCRIBE, topic, bytes) == 0;
}

/* libzmq does not say why it cannot connect, and takes no second address of a name: a connection
 * that is closed again finds out both. NULL; else why not. */
static const char *find_host(struct pupil *pupil)
{
    const struct fovea_gaze_settings *settings = &pupil->feed.base.settings;
    struct gaze_address address;
    const char *why = NULL;
    const int connection = gaze_connect(&pupil->feed, settings->pupil_address, settings->pupil_port,
                                        CONNECT_MS, &address, &why);
    if (connection < 0) {
        return why;
    }
    close(connection);
    const int error = getnameinfo((const struct sockaddr *)&address.storage, address.bytes,
                                  pupil->host, sizeof pupil->host, NULL, 0, NI_NUMERICHOST);
    return error == 0 ? NULL : gai_strerror(error);
}

/* NULL; else why not. */
static const char *subscribe(struct pupil *pupil)
{
    const struct fovea_gaze_settings *settings = &pupil->feed.base.settings;
    char topic[128];
    unsigned port = 0;
    const char *why = find_host(pupil);
    if (why) {
        return why;
    }
    pupil->remote = open_socket(pupil, ZMQ_REQ, settings->pupil_port);
    if (!pupil->remote || !ask_for_port(pupil, &port)) {
        return "it does not answer";
    }
    const int bytes = snprintf(topic, sizeof topic, TOPIC "%s", settings->pupil_surface);
    pupil->published = open_socket(pupil, ZMQ_SUB, port);
    return pupil->published && subscribe_to(pupil, topic, (size_t)bytes) &&
                   (!(settings->vergence_ipd_mm > 0.0) ||
                    subscribe_to(pupil, TOPIC_EYES, sizeof TOPIC_EYES - 1))
               ? NULL
               : "it cannot be listened to";
}

static void unsubscribe(struct pupil *pupil)
{
    if (pupil->published) {
        pupil->library.close(pupil->published);
    }
    if (pupil->remote) {
        pupil->library.close(pupil->remote);
    }
    pupil->published = NULL;
    pupil->remote = NULL;
    pupil->knows_clock = false;
    pupil->is_asked = false;
}

static int64_t place(const struct pupil *pupil, double pupil_s)
{
    if (!pupil->knows_clock || !(fabs(pupil_s) < 4e9)) {
        return pupil->now_ns;
    }
    const int64_t t_ns = gaze_time_add(llround(pupil_s * 1e9), pupil->apart_ns);
    const int64_t age_ns = gaze_time_sub(pupil->now_ns, t_ns);
    return age_ns > 0 && age_ns < OLD_NS ? t_ns : pupil->now_ns;
}

static void take_datum(void *user, const struct gaze_pupil_datum *datum)
{
    struct pupil *pupil = user;
    const struct fovea_gaze_sample sample = {.x = datum->x,
                                             .y = datum->y,
                                             .confidence = datum->confidence,
                                             .t_ns = place(pupil, datum->time_s)};
    gaze_feed_good(&pupil->feed);
    gaze_feed_add(&pupil->feed, &sample);
}

/* A subscription is for all topics that begin like it. */
static bool is_wanted(const struct pupil *pupil, size_t topic_bytes)
{
    const char *surface = pupil->feed.base.settings.pupil_surface;
    const size_t bytes = sizeof TOPIC - 1 + strlen(surface);
    return surface[0] == '\0' || topic_bytes == bytes;
}

static const char *take_eyes(struct pupil *pupil, size_t bytes)
{
    struct gaze_pupil_eyes both;
    const char *why = gaze_pupil_parse_eyes(pupil->message, bytes, &both);
    if (!why) {
        gaze_feed_add_eyes(&pupil->feed, both.eyes, both.confidence, place(pupil, both.time_s));
    }
    return why;
}

/* Topic and message are there. */
static const char *take_part(struct pupil *pupil, size_t topic_bytes, size_t bytes)
{
    if (topic_bytes >= sizeof TOPIC_EYES - 1 &&
        memcmp(pupil->topic, TOPIC_EYES, sizeof TOPIC_EYES - 1) == 0) {
        return take_eyes(pupil, bytes);
    }
    return is_wanted(pupil, topic_bytes)
               ? gaze_pupil_parse(pupil->message, bytes, take_datum, pupil)
               : NULL;
}

static bool has_more(struct pupil *pupil)
{
    int more = 0;
    size_t bytes = sizeof more;
    return pupil->library.getsockopt(pupil->published, ZMQ_RCVMORE, &more, &bytes) == 0 &&
           more != 0;
}

/* Topic, message, and perhaps more, all of which have arrived together. False: none has. */
static bool take_message(struct pupil *pupil)
{
    const struct zmq_library *library = &pupil->library;
    const int topic =
        library->recv(pupil->published, pupil->topic, sizeof pupil->topic, ZMQ_DONTWAIT);
    if (topic < 0) {
        return false;
    }
    int bytes = -1;
    for (int part = 0; has_more(pupil); part++) {
        uint8_t rest[1];
        const int got = part == 0
                            ? library->recv(pupil->published, pupil->message, sizeof pupil->message,
                                            ZMQ_DONTWAIT)
                            : library->recv(pupil->published, rest, sizeof rest, ZMQ_DONTWAIT);
        bytes = part == 0 ? got : bytes;
        if (got < 0) {
            return false;
        }
    }
    const char *why = "it has no second part, or a very long one";
    pupil->now_ns = fovea_time_ns();
    if (bytes >= 0 && bytes <= MESSAGE_BYTES) {
        why = take_part(pupil, (size_t)topic, (size_t)bytes);
    }
    if (why) {
        gaze_feed_reject(&pupil->feed, why);
    }
    return true;
}

static void follow(struct pupil *pupil)
{
    bool answer = false;
    bool message = false;
    int64_t ask_ns = 0;
    while (look(pupil, &answer, &message) && !is_over(pupil)) {
        if (answer) {
            take_clock(pupil);
        }
        for (int i = 0; message && i < MESSAGES_A_TURN && take_message(pupil); i++) {
        }
        if (!pupil->is_asked && fovea_time_ns() >= ask_ns) {
            if (!ask(pupil, "t")) {
                return;
            }
            ask_ns = gaze_time_add(pupil->asked_ns, ASK_EVERY_NS);
        }
    }
}

static void *receive(void *user)
{
    struct pupil *pupil = user;
    const struct fovea_gaze_settings *settings = &pupil->feed.base.settings;
    while (gaze_feed_wait(&pupil->feed, -1, 0, 0)) {
        const char *why = subscribe(pupil);
        if (!why) {
            follow(pupil);
            why = "it does not answer";
        }
        unsubscribe(pupil);
        if (!gaze_feed_wait(&pupil->feed, -1, 0, AGAIN_MS)) {
            break;
        }
        gaze_feed_problem(&pupil->feed,
                          "Pupil Remote at %s (gaze.pupil.address), TCP port %u: %s; it is tried "
                          "again",
                          settings->pupil_address, settings->pupil_port, why);
    }
    return NULL;
}

/* The protocol says in what the gaze is given, so gaze.space and gaze.origin do not. */
static enum fovea_result pupil_init(struct fovea_gaze_source *source)
{
    struct pupil *pupil = (struct pupil *)source;
    const char *why = NULL;
    source->settings.space = FOVEA_GAZE_SPACE_UV;
    source->settings.origin = FOVEA_GAZE_ORIGIN_BOTTOM_LEFT;
    FOVEA_TRY(gaze_feed_init(&pupil->feed));
    FOVEA_TRY(gaze_host_check("gaze.pupil.address", source->settings.pupil_address, source->log));
    if (!zmq_library_open(&pupil->library, &why)) {
        log_error(source->log,
                  "gaze: gaze.source is pupil, and libzmq is not here (%s): install libzmq5", why);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    pupil->context = pupil->library.ctx_new();
    if (!pupil->context) {
        log_error(source->log, "gaze: out of memory for libzmq");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return gaze_feed_start(&pupil->feed, receive);
}

static void pupil_finish(struct fovea_gaze_source *source)
{
    struct pupil *pupil = (struct pupil *)source;
    gaze_feed_stop(&pupil->feed);
    if (pupil->context && !process_is_child_of(source->process)) { /* else its threads are not */
        (void)pupil->library.ctx_term(pupil->context);
    }
    gaze_feed_finish(&pupil->feed);
}

static void pupil_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "Pupil Remote at %s, TCP port %u", settings->pupil_address,
             settings->pupil_port);
}

const struct gaze_source_api gaze_pupil = {
    .name = "pupil",
    .bytes = sizeof(struct pupil),
    .opens_slowly = true,
    .describe = pupil_describe,
    .init = pupil_init,
    .finish = pupil_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .vergence_m = gaze_feed_vergence_m,
};
