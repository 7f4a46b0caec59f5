/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_connect.h"

#include "core/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* errno says why not. */
static bool finish(struct gaze_feed *feed, int connection, int ms)
{
    int error = ETIMEDOUT;
    socklen_t bytes = sizeof error;
    struct pollfd look = {.fd = connection, .events = POLLOUT};
    if (!gaze_feed_wait(feed, connection, POLLOUT, ms)) {
        errno = ECANCELED;
        return false;
    }
    if (poll(&look, 1, 0) == 1 &&
        getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        error = errno;
    }
    errno = error;
    return error == 0;
}

/* errno says why not. */
static int connect_to(struct gaze_feed *feed, const struct gaze_address *address, int ms)
{
    const int connection = descriptor_above_standard(
        socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connection < 0 ||
        connect(connection, (const struct sockaddr *)&address->storage, address->bytes) == 0 ||
        (errno == EINPROGRESS && finish(feed, connection, ms))) {
        return connection;
    }
    const int error = errno;
    close(connection);
    errno = error;
    return -1;
}

int gaze_connect(struct gaze_feed *feed, const char *host, uint16_t port, int ms,
                 struct gaze_address *out_address, const char **out_why)
{
    struct gaze_addresses found = {.count = 0};
    int connection = -1;
    *out_why = gaze_host_find(feed, host, port, &found);
    for (size_t i = 0; !*out_why && connection < 0 && i < found.count; i++) {
        *out_address = found.list[i];
        connection = connect_to(feed, out_address, ms);
        if (connection < 0 && (i + 1 == found.count || errno == ECANCELED)) {
            *out_why = strerrordesc_np(errno);
        }
    }
    return connection;
}
