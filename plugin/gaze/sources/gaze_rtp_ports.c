/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_rtp_ports.h"

#include "core/descriptor.h"

#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#define PAIR_TRIES 16

void gaze_rtp_ports_init(struct gaze_rtp_ports *ports)
{
    ports->fds[GAZE_RTP] = ports->fds[GAZE_RTCP] = -1;
}

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

void gaze_rtp_ports_close(struct gaze_rtp_ports *ports)
{
    close_one(&ports->fds[GAZE_RTP]);
    close_one(&ports->fds[GAZE_RTCP]);
}

/* Bound where this machine speaks to the server. False: errno says why not. */
static bool bind_one(const struct gaze_address *local, uint16_t port, int *out_fd,
                     uint16_t *out_port)
{
    struct gaze_address address = *local;
    const int fd = descriptor_above_standard(
        socket(local->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP));
    gaze_address_set_port(&address, port);
    *out_fd = fd;
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address.storage, address.bytes) != 0 ||
        getsockname(fd, (struct sockaddr *)&address.storage, &address.bytes) != 0) {
        close_one(out_fd);
        return false;
    }
    *out_port = gaze_address_port(&address);
    return true;
}

bool gaze_rtp_ports_open(struct gaze_rtp_ports *ports, int connection, uint16_t *out_port)
{
    struct gaze_address local = {.bytes = sizeof local.storage};
    uint16_t next = 0;
    if (getsockname(connection, (struct sockaddr *)&local.storage, &local.bytes) != 0) {
        return false;
    }
    for (int i = 0; i < PAIR_TRIES; i++) {
        if (bind_one(&local, 0, &ports->fds[GAZE_RTP], out_port) && *out_port % 2 == 0 &&
            bind_one(&local, (uint16_t)(*out_port + 1), &ports->fds[GAZE_RTCP], &next)) {
            return true;
        }
        close_one(&ports->fds[GAZE_RTP]);
    }
    return false;
}

static bool is_from(const struct gaze_address *server, const struct sockaddr_storage *from)
{
    if (from->ss_family != server->storage.ss_family) {
        return false;
    }
    if (from->ss_family == AF_INET) {
        return ((const struct sockaddr_in *)from)->sin_addr.s_addr ==
               ((const struct sockaddr_in *)&server->storage)->sin_addr.s_addr;
    }
    return memcmp(&((const struct sockaddr_in6 *)from)->sin6_addr,
                  &((const struct sockaddr_in6 *)&server->storage)->sin6_addr,
                  sizeof(struct in6_addr)) == 0;
}

ssize_t gaze_rtp_ports_take(const struct gaze_rtp_ports *ports, int which,
                            const struct gaze_address *server, int *left, uint8_t *out,
                            size_t bytes)
{
    for (; *left > 0; --*left) {
        struct sockaddr_storage from = {.ss_family = AF_UNSPEC};
        socklen_t from_bytes = sizeof from;
        const ssize_t count = recvfrom(ports->fds[which], out, bytes, MSG_DONTWAIT,
                                       (struct sockaddr *)&from, &from_bytes);
        if (count < 0 || is_from(server, &from)) {
            --*left;
            return count;
        }
    }
    return -1;
}

void gaze_rtp_ports_report(const struct gaze_rtp_ports *ports, const struct gaze_address *server,
                           const uint16_t server_ports[2])
{
    static const uint8_t report[] = {0x80, 201, 0, 1, 0,    0, 0,   1,   0x81, 202, 0,   3,
                                     0,    0,   0, 1, 0x01, 5, 'f', 'o', 'v',  'e', 'a', 0};
    for (int i = 0; i < 2 && ports->fds[i] >= 0; i++) {
        struct gaze_address to = *server;
        gaze_address_set_port(&to, server_ports[i]);
        if (server_ports[i] != 0) {
            (void)sendto(ports->fds[i], report, sizeof report, MSG_DONTWAIT | MSG_NOSIGNAL,
                         (const struct sockaddr *)&to.storage, to.bytes);
        }
    }
}
