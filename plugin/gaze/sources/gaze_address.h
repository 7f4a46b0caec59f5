/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Addresses of sockets. gaze_host.h waits for names. */
#pragma once

#include "fovea.h"

#include <sys/socket.h>

struct gaze_address {
    struct sockaddr_storage storage;
    socklen_t bytes;
};

#define GAZE_ADDRESSES 8

struct gaze_addresses {
    struct gaze_address list[GAZE_ADDRESSES];
    size_t count;
};

/* The flags are getaddrinfo's: without AI_NUMERICHOST it may wait for many seconds. Returns 0 and
 * has at least one address, or one of gai_strerror's. */
int gaze_addresses_find(const char *text, uint16_t port, int flags, struct gaze_addresses *out);

/* FOVEA_ERROR_INVALID_ARGUMENT: the text, which the setting has, is no numeric IPv4 or IPv6
 * address. */
enum fovea_result gaze_address_parse(const char *setting, const char *text, uint16_t port,
                                     struct fovea_log log, struct gaze_address *out);

void gaze_address_set_port(struct gaze_address *address, uint16_t port);
uint16_t gaze_address_port(const struct gaze_address *address);
