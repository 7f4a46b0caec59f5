/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_udp_socket.h"

#include "gaze_address.h"

#include "core/descriptor.h"
#include "core/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_loopback(const struct gaze_address *address)
{
    if (address->storage.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address->storage;
        return ntohl(in->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;
    return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) && in6->sin6_addr.s6_addr[12] == 127);
}

static uint16_t bound_port(int fd)
{
    struct gaze_address address = {.bytes = sizeof address.storage};
    if (getsockname(fd, (struct sockaddr *)&address.storage, &address.bytes) != 0) {
        return 0;
    }
    return address.storage.ss_family == AF_INET
               ? ntohs(((const struct sockaddr_in *)&address.storage)->sin_port)
               : ntohs(((const struct sockaddr_in6 *)&address.storage)->sin6_port);
}

enum fovea_result gaze_udp_socket_open(const char *bind_address, uint16_t port,
                                       struct fovea_log log, int *out_socket, uint16_t *out_port)
{
    *out_socket = -1;
    struct gaze_address address;
    FOVEA_TRY(gaze_address_parse("gaze.udp.bind", bind_address, port, log, &address));
    const int fd = descriptor_above_standard(
        socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP));
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address.storage, address.bytes) != 0) {
        log_error(log, "gaze: UDP %s port %u cannot be bound: %s", bind_address, port,
                  strerrordesc_np(errno));
        if (fd >= 0) {
            close(fd);
        }
        return FOVEA_ERROR_IO;
    }
    if (!is_loopback(&address)) {
        log_warning(log, "gaze: UDP %s is not a loopback address: other machines can send gaze",
                    bind_address);
    }
    *out_socket = fd;
    *out_port = bound_port(fd);
    return FOVEA_OK;
}
