/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of Pupil Labs' Neon and Invisible, by the RTSP server of their Companion app. A thread
 * asks for the stream, takes its packets, by datagrams or on the connection, and begins again when
 * the app has gone. Its time echo, where the settings name its port, says how far the two clocks
 * are apart. */
#include "gaze_connect.h"
#include "gaze_neon_message.h"
#include "gaze_neon_time.h"
#include "gaze_rtp_ports.h"
#include "gaze_rtsp.h"

#include "core/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STREAM "/?camera=gaze"
#define ENCODING "com.pupillabs.gaze1"
#define BUFFER_BYTES 16384
#define CONNECT_MS 2000
#define ANSWER_NS (2 * GAZE_NS_PER_S)
#define AGAIN_MS 500
#define LOOK_MS 250
#define SILENCE_NS (5 * GAZE_NS_PER_S) /* glasses that nobody wears send, too */
#define REPORT_EVERY_NS (5 * GAZE_NS_PER_S)
#define DATAGRAMS_A_TURN 64
#define DATAGRAM_BYTES 2048

struct neon {
    struct gaze_feed feed;
    char url[GAZE_RTSP_URL_BYTES];

    /* The thread's own. */
    int connection;
    struct gaze_address address; /* of whom it is to */
    struct gaze_address echo;
    struct gaze_rtp_ports ports; /* not open: packets come on the connection */
    char why[256]; /* that the connection is over; "": it is not */
    char session[sizeof((struct gaze_rtsp_reply *)0)->session];
    uint32_t cseq;
    struct gaze_rtsp_reply reply; /* to the request of that number, once its status is not 0 */
    uint8_t channels[2];
    uint16_t server_ports[2];
    struct gaze_rtsp_media media;
    bool has_media;
    bool has_sequence;
    uint16_t sequence; /* of the newest packet */
    uint32_t sender;
    int64_t heard_ns; /* a packet */
    struct gaze_neon_time time;
    char buffer[BUFFER_BYTES]; /* of the connection */
    size_t used;
};

__attribute__((format(printf, 2, 3))) static bool give_up(struct neon *neon, const char *format,
                                                          ...)
{
    if (neon->why[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(neon->why, sizeof neon->why, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* ---- Packets */

static void take_gaze(struct neon *neon, const struct gaze_rtp_packet *packet, int64_t now_ns)
{
    struct gaze_neon_datum datum;
    struct fovea_gaze_sample sample;
    struct gaze_sight eyes[2];
    const struct fovea_gaze_settings *settings = &neon->feed.base.settings;
    const char *why = gaze_neon_parse(packet->payload, packet->payload_bytes, &datum);
    if (why) {
        gaze_feed_reject(&neon->feed, why);
        return;
    }
    gaze_neon_sample(&datum, settings->filter_eye, settings->neon_closed_mm, &sample);
    sample.t_ns = gaze_neon_time_place(&neon->time, packet->time, now_ns);
    gaze_feed_good(&neon->feed);
    gaze_feed_add(&neon->feed, &sample);
    if (gaze_neon_sights(&datum, settings->neon_closed_mm, eyes)) {
        gaze_feed_add_eyes(&neon->feed, eyes, sample.confidence, sample.t_ns);
    }
}

/* A packet that another has overtaken, or that has come twice, is of no use. */
static bool is_next(struct neon *neon, const struct gaze_rtp_packet *packet)
{
    const uint16_t ahead = (uint16_t)(packet->sequence - neon->sequence);
    if (neon->has_sequence && packet->source == neon->sender && (ahead == 0 || ahead >= 0x8000)) {
        return false;
    }
    if (neon->has_sequence && packet->source != neon->sender) {
        gaze_neon_time_begin(&neon->time, neon->media.clock_hz);
    }
    neon->has_sequence = true;
    neon->sequence = packet->sequence;
    neon->sender = packet->source;
    return true;
}

static void take_packet(struct neon *neon, const uint8_t *bytes, size_t count)
{
    const int64_t now_ns = fovea_time_ns();
    struct gaze_rtp_packet packet;
    const char *why = gaze_rtp_parse(bytes, count, &packet);
    if (!why && packet.payload_type != neon->media.payload_type) {
        why = "it is of another payload type than was agreed on";
    }
    if (!why && !is_next(neon, &packet)) {
        why = "another has overtaken it";
    }
    if (why) {
        gaze_feed_reject(&neon->feed, why);
        return;
    }
    neon->heard_ns = now_ns;
    take_gaze(neon, &packet, now_ns);
}

static void take_report(struct neon *neon, const uint8_t *bytes, size_t count)
{
    struct gaze_rtcp_report report;
    const char *why = gaze_rtcp_parse(bytes, count, &report);
    if (why) {
        gaze_feed_reject(&neon->feed, why);
        return;
    }
    if (report.is_sent && (!neon->has_sequence || report.source == neon->sender)) {
        gaze_neon_time_report(&neon->time, report.time, report.unix_ns);
    }
    if (report.is_over) {
        (void)give_up(neon, "it has ended the stream");
    }
}

static void take_either(struct neon *neon, int which, const uint8_t *bytes, size_t count)
{
    if (!neon->has_media) {
        return;
    }
    if (which == GAZE_RTP) {
        take_packet(neon, bytes, count);
    } else {
        take_report(neon, bytes, count);
    }
}

/* ---- Datagrams */

static void take_datagrams(struct neon *neon, int which)
{
    uint8_t bytes[DATAGRAM_BYTES];
    int left = DATAGRAMS_A_TURN;
    ssize_t count = 0;
    while ((count = gaze_rtp_ports_take(&neon->ports, which, &neon->address, &left, bytes,
                                        sizeof bytes)) >= 0) {
        take_either(neon, which, bytes, (size_t)count);
    }
}

/* ---- The connection */

/* A description counts before the packets that follow it. */
static void take_reply(struct neon *neon, const struct gaze_rtsp_reply *reply)
{
    neon->reply = *reply;
    if (!neon->has_media && reply->body_bytes > 0) {
        neon->has_media =
            gaze_rtsp_find_media(reply->body, reply->body_bytes, ENCODING, &neon->media);
        gaze_neon_time_begin(&neon->time, neon->media.clock_hz);
    }
}

static void take_messages(struct neon *neon)
{
    size_t at = 0;
    enum gaze_rtsp_kind kind = GAZE_RTSP_REPLY;
    while (kind != GAZE_RTSP_NOTHING && kind != GAZE_RTSP_GARBAGE) {
        struct gaze_rtsp_message message;
        kind = gaze_rtsp_next(neon->buffer + at, neon->used - at, BUFFER_BYTES, &message);
        if (kind == GAZE_RTSP_PACKET && neon->ports.fds[GAZE_RTP] < 0) {
            for (int i = 0; i < 2; i++) {
                if (message.channel == neon->channels[i]) {
                    take_either(neon, i, message.packet, message.packet_bytes);
                    break;
                }
            }
        } else if (kind == GAZE_RTSP_REPLY && message.reply.status != 0 &&
                   message.reply.cseq == neon->cseq && neon->reply.status == 0) {
            take_reply(neon, &message.reply);
        }
        at += kind == GAZE_RTSP_PACKET || kind == GAZE_RTSP_REPLY ? message.bytes : 0;
    }
    neon->used -= at;
    memmove(neon->buffer, neon->buffer + at, neon->used);
    if (kind == GAZE_RTSP_GARBAGE) {
        gaze_feed_reject(&neon->feed, "it is not RTSP");
        (void)give_up(neon, "it does not speak RTSP");
    }
}

static void read_connection(struct neon *neon)
{
    const ssize_t count =
        recv(neon->connection, neon->buffer + neon->used, BUFFER_BYTES - neon->used, MSG_DONTWAIT);
    if (count > 0) {
        neon->used += (size_t)count;
        take_messages(neon);
    } else if (count == 0) {
        (void)give_up(neon, "it has ended");
    } else if (errno != EINTR && errno != EAGAIN) {
        (void)give_up(neon, "%s", strerrordesc_np(errno));
    }
}

/* Takes what comes for a while. False: the connection is over, or the thread shall end. */
static bool take_turn(struct neon *neon)
{
    struct pollfd fds[] = {{.fd = neon->feed.stop, .events = POLLIN},
                           {.fd = neon->connection, .events = POLLIN},
                           {.fd = neon->ports.fds[GAZE_RTP], .events = POLLIN},
                           {.fd = neon->ports.fds[GAZE_RTCP], .events = POLLIN},
                           {.fd = neon->time.echo, .events = POLLIN}};
    (void)poll(fds, sizeof fds / sizeof fds[0], LOOK_MS);
    if (fds[4].revents != 0) {
        gaze_neon_time_read(&neon->time);
    }
    if (fds[3].revents != 0) {
        take_datagrams(neon, GAZE_RTCP);
    }
    if (fds[2].revents != 0) {
        take_datagrams(neon, GAZE_RTP);
    }
    if (fds[1].revents != 0) {
        read_connection(neon);
    }
    return fds[0].revents == 0 && neon->why[0] == '\0';
}

/* False: the connection takes no more. */
static bool send_request(struct neon *neon, const char *method, const char *url,
                         const char *headers)
{
    char text[1024];
    char session[sizeof neon->session + sizeof "Session: \r\n"] = "";
    if (neon->session[0] != '\0') {
        snprintf(session, sizeof session, "Session: %s\r\n", neon->session);
    }
    neon->reply = (struct gaze_rtsp_reply){0};
    const int bytes =
        snprintf(text, sizeof text, "%s %s RTSP/1.0\r\nCSeq: %u\r\nUser-Agent: fovea\r\n%s%s\r\n",
                 method, url, ++neon->cseq, session, headers);
    const ssize_t sent = send(neon->connection, text, (size_t)bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == bytes || give_up(neon, "it takes no requests");
}

/* Until the answer is there. False: it is over, or the answer is no. */
static bool ask(struct neon *neon, const char *method, const char *url, const char *headers)
{
    const int64_t until_ns = gaze_time_add(fovea_time_ns(), ANSWER_NS);
    if (!send_request(neon, method, url, headers)) {
        return false;
    }
    while (neon->reply.status == 0) {
        if (!take_turn(neon)) {
            return false;
        }
        if (fovea_time_ns() > until_ns) {
            return give_up(neon, "it does not answer to %s", method);
        }
    }
    return neon->reply.status / 100 == 2 ||
           give_up(neon, "it answers to %s with %u%s", method, neon->reply.status,
                   neon->reply.status == 461 ? ": set gaze.neon.transport to the other one" : "");
}

/* ---- A stream */

static bool connect_to(struct neon *neon)
{
    const struct fovea_gaze_settings *settings = &neon->feed.base.settings;
    const char *why = NULL;
    neon->connection = gaze_connect(&neon->feed, settings->neon_address, settings->neon_port,
                                    CONNECT_MS, &neon->address, &why);
    if (neon->connection < 0) {
        return give_up(neon, "%s", why);
    }
    neon->echo = neon->address;
    gaze_address_set_port(&neon->echo, settings->neon_echo_port);
    return true;
}

static bool describe(struct neon *neon, char base[GAZE_RTSP_URL_BYTES])
{
    char described[GAZE_RTSP_URL_BYTES];
    if (!ask(neon, "DESCRIBE", neon->url, "Accept: application/sdp\r\n")) {
        return false;
    }
    if (!neon->has_media) {
        return give_up(neon, "it offers no %s", ENCODING);
    }
    snprintf(described, sizeof described, "%s", neon->reply.base[0] ? neon->reply.base : neon->url);
    return gaze_rtsp_url(described, neon->media.session_control, base) ||
           give_up(neon, "its names are too long");
}

static bool set_up(struct neon *neon, const char *base)
{
    char url[GAZE_RTSP_URL_BYTES];
    char transport[96];
    uint16_t port = 0;
    if (!gaze_rtsp_url(base, neon->media.control, url)) {
        return give_up(neon, "its names are too long");
    }
    if (neon->feed.base.settings.neon_transport == FOVEA_NEON_TCP) {
        snprintf(transport, sizeof transport, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n");
    } else if (gaze_rtp_ports_open(&neon->ports, neon->connection, &port)) {
        snprintf(transport, sizeof transport, "Transport: RTP/AVP;unicast;client_port=%u-%u\r\n",
                 port, port + 1u);
    } else {
        return give_up(neon, "there are no two UDP ports side by side: %s", strerrordesc_np(errno));
    }
    if (!ask(neon, "SETUP", url, transport)) {
        return false;
    }
    const struct gaze_rtsp_reply *reply = &neon->reply;
    memcpy(neon->session, reply->session, sizeof neon->session);
    for (int i = 0; i < 2; i++) {
        neon->channels[i] = reply->has_channels ? reply->channels[i] : (uint8_t)i;
        neon->server_ports[i] = reply->server_ports[i];
    }
    return true;
}

/* Until it is over. Asks again for the session before it times out, and the echo for its clock. */
static void follow(struct neon *neon, const char *keep_alive, const char *url, uint32_t timeout_s)
{
    const int64_t every_ns = (int64_t)timeout_s * GAZE_NS_PER_S / 2;
    int64_t now_ns = fovea_time_ns();
    int64_t ask_ns = gaze_time_add(now_ns, every_ns);
    int64_t report_ns = now_ns;
    neon->heard_ns = now_ns;
    while (take_turn(neon)) {
        now_ns = fovea_time_ns();
        if (now_ns > gaze_time_add(neon->heard_ns, SILENCE_NS)) {
            (void)give_up(neon, "no gaze comes%s",
                          neon->ports.fds[GAZE_RTP] >= 0
                              ? ": a firewall may keep its datagrams off; "
                                "gaze.neon.transport tcp needs none"
                              : "");
            return;
        }
        if (now_ns >= report_ns) {
            gaze_rtp_ports_report(&neon->ports, &neon->address, neon->server_ports);
            report_ns = gaze_time_add(now_ns, REPORT_EVERY_NS);
        }
        if (now_ns >= ask_ns && !send_request(neon, keep_alive, url, "")) {
            return;
        }
        ask_ns = now_ns >= ask_ns ? gaze_time_add(now_ns, every_ns) : ask_ns;
        gaze_neon_time_ask(&neon->time, &neon->echo, now_ns);
    }
}

static void play(struct neon *neon)
{
    char base[GAZE_RTSP_URL_BYTES];
    if (!connect_to(neon) || !ask(neon, "OPTIONS", neon->url, "")) {
        return;
    }
    const char *keep_alive = neon->reply.knows_get_parameter ? "GET_PARAMETER" : "OPTIONS";
    if (!describe(neon, base) || !set_up(neon, base)) {
        return;
    }
    const uint32_t timeout_s = neon->reply.timeout_s;
    if (ask(neon, "PLAY", base, "Range: npt=now-\r\n")) {
        follow(neon, keep_alive, base, timeout_s);
    }
    if (neon->session[0] != '\0' && neon->why[0] == '\0') {
        (void)send_request(neon, "TEARDOWN", base, "");
    }
}

static void forget(struct neon *neon)
{
    neon->why[0] = '\0';
    neon->session[0] = '\0';
    neon->has_media = false;
    neon->has_sequence = false;
    neon->used = 0;
}

static void *receive(void *user)
{
    struct neon *neon = user;
    struct gaze_feed *feed = &neon->feed;
    const struct fovea_gaze_settings *settings = &feed->base.settings;
    while (gaze_feed_wait(feed, -1, 0, 0)) {
        forget(neon);
        play(neon);
        if (neon->connection >= 0) {
            close(neon->connection);
        }
        neon->connection = -1;
        gaze_rtp_ports_close(&neon->ports);
        gaze_neon_time_end(&neon->time);
        if (!gaze_feed_wait(feed, -1, 0, AGAIN_MS)) {
            break;
        }
        gaze_feed_problem(feed,
                          "the Companion app at %s (gaze.neon.address), TCP port %u: %s; it is "
                          "tried again",
                          settings->neon_address, settings->neon_port, neon->why);
    }
    return NULL;
}

/* ---- The source */

/* The protocol says in what the gaze is given, but not of how large a picture, so gaze.screen_px
 * counts, and gaze.space and gaze.origin do not. */
static enum fovea_result neon_init(struct fovea_gaze_source *source)
{
    struct neon *neon = (struct neon *)source;
    struct fovea_gaze_settings *settings = &source->settings;
    neon->connection = neon->time.echo = -1;
    gaze_rtp_ports_init(&neon->ports);
    settings->space = FOVEA_GAZE_SPACE_PIXELS;
    settings->origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    FOVEA_TRY(gaze_feed_init(&neon->feed));
    FOVEA_TRY(gaze_host_check("gaze.neon.address", settings->neon_address, source->log));
    const bool is_ip6 = strchr(settings->neon_address, ':');
    snprintf(neon->url, sizeof neon->url, "rtsp://%s%s%s:%u" STREAM, is_ip6 ? "[" : "",
             settings->neon_address, is_ip6 ? "]" : "", settings->neon_port);
    return gaze_feed_start(&neon->feed, receive);
}

static void neon_finish(struct fovea_gaze_source *source)
{
    struct neon *neon = (struct neon *)source;
    gaze_feed_stop(&neon->feed);
    gaze_feed_finish(&neon->feed);
}

static void neon_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "Companion app at %s, TCP port %u", settings->neon_address,
             settings->neon_port);
}

const struct gaze_source_api gaze_neon = {
    .name = "neon",
    .bytes = sizeof(struct neon),
    .opens_slowly = true,
    .describe = neon_describe,
    .init = neon_init,
    .finish = neon_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .vergence_m = gaze_feed_vergence_m,
};
