/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* JSON datagrams, by default from this machine only. A thread takes them from the socket and into
 * the intake, where the frame's thread reads the newest without waiting. */
#include "gaze_udp_message.h"
#include "gaze_udp_socket.h"
#include "plugin/gaze/gaze_intake.h"

#include "core/log.h"
#include "core/thread.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* A flood must not keep the thread from hearing that it shall stop. */
#define DATAGRAMS_A_TURN 64
/* Older by more than this is a sender that started again, not a datagram that came late. */
#define SENDER_RESTART_S 1.0
#define PAUSE_AFTER_ERROR_MS 100

struct udp {
    struct fovea_gaze_source base;
    struct gaze_intake intake;
    int socket; /* of init and finish: -1 where there is none */
    int stop; /* readable when the thread shall end */
    uint16_t port;
    pthread_t thread;
    bool running;

    /* The thread's own. */
    bool sender_has_time;
    double sender_t_s;
    bool said_rejected;
    bool said_error;
};

static void reject(struct udp *udp, const char *why)
{
    gaze_intake_count_rejected(&udp->intake);
    if (!udp->said_rejected) {
        udp->said_rejected = true;
        log_warning(udp->base.log,
                    "gaze: a datagram on UDP port %u is rejected: %s (said once, counted always)",
                    udp->port, why);
    }
}

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

static void take_datagram(struct udp *udp, const char *text, size_t bytes)
{
    struct gaze_udp_message message;
    const char *why = gaze_udp_message_parse(text, bytes, &message);
    if (!why && !is_in_order(udp, &message)) {
        why = "it is older than the one before";
    }
    if (why) {
        reject(udp, why);
        return;
    }
    message.sample.t_ns = fovea_time_ns();
    (void)gaze_intake_add(&udp->intake, udp->base.settings.min_confidence, &message.sample);
}

/* False when the socket reports an error that does not go away by reading on. */
static bool drain(struct udp *udp)
{
    char text[GAZE_UDP_MESSAGE_BYTES];
    for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
        /* MSG_TRUNC: the length as it was sent, also when that is longer than the buffer. */
        const ssize_t bytes = recv(udp->socket, text, sizeof text, MSG_DONTWAIT | MSG_TRUNC);
        if (bytes >= 0) {
            take_datagram(udp, text, (size_t)bytes);
        } else if (errno != EINTR) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
    }
    return true;
}

static void say_error(struct udp *udp)
{
    if (!udp->said_error) {
        udp->said_error = true;
        log_warning(udp->base.log, "gaze: UDP port %u cannot be read: %s", udp->port,
                    strerrordesc_np(errno));
    }
}

static void *receive(void *user)
{
    struct udp *udp = user;
    struct pollfd fds[] = {{.fd = udp->stop, .events = POLLIN},
                           {.fd = udp->socket, .events = POLLIN}};
    for (;;) {
        (void)poll(fds, 2, -1);
        if (fds[0].revents != 0) {
            return NULL;
        }
        if (fds[1].revents != 0 && !drain(udp)) {
            say_error(udp);
            (void)poll(fds, 1, PAUSE_AFTER_ERROR_MS);
        }
        fds[1].revents = 0;
    }
}

static int start_thread(struct udp *udp)
{
    const int error = thread_start(&udp->thread, receive, udp);
    if (error == 0) {
        (void)pthread_setname_np(udp->thread, "fovea-gaze-udp");
    }
    return error;
}

static enum fovea_result udp_init(struct fovea_gaze_source *source)
{
    struct udp *udp = (struct udp *)source;
    gaze_intake_init(&udp->intake);
    udp->socket = -1;
    udp->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (udp->stop < 0) {
        log_error(source->log, "gaze: no event for the UDP thread: %s", strerrordesc_np(errno));
        return FOVEA_ERROR_IO;
    }
    FOVEA_TRY(gaze_udp_socket_open(source->settings.udp_bind, source->settings.udp_port,
                                   source->log, &udp->socket, &udp->port));
    const int error = start_thread(udp);
    if (error != 0) {
        log_error(source->log, "gaze: the UDP thread cannot start: %s", strerrordesc_np(error));
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    udp->running = true;
    log_info(source->log, "gaze: listening on UDP %s port %u", source->settings.udp_bind,
             udp->port);
    return FOVEA_OK;
}

static void udp_finish(struct fovea_gaze_source *source)
{
    struct udp *udp = (struct udp *)source;
    if (udp->running) {
        (void)eventfd_write(udp->stop, 1);
        (void)pthread_join(udp->thread, NULL);
    }
    if (udp->socket >= 0) {
        close(udp->socket);
    }
    if (udp->stop >= 0) {
        close(udp->stop);
    }
    gaze_intake_finish(&udp->intake);
}

static struct gaze_intake *udp_intake(struct fovea_gaze_source *source)
{
    return &((struct udp *)source)->intake;
}

static void udp_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                        struct gaze_observation *out)
{
    (void)aspect;
    gaze_intake_observe(&((struct udp *)source)->intake, t_ns, out);
}

static uint16_t udp_port(const struct fovea_gaze_source *source)
{
    return ((const struct udp *)source)->port;
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
    .finish = udp_finish,
    .intake = udp_intake,
    .observe = udp_observe,
    .udp_port = udp_port,
};
