/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Numeric addresses. gaze_host.h has names. */
#ifndef FOVEA_GAZE_ADDRESS_H
#define FOVEA_GAZE_ADDRESS_H

#include "fovea.h"

#include <sys/socket.h>

struct gaze_address {
    struct sockaddr_storage storage;
    socklen_t bytes;
};

/* FOVEA_ERROR_INVALID_ARGUMENT: the text, which the setting has, is no numeric IPv4 or IPv6
 * address. */
enum fovea_result gaze_address_parse(const char *setting, const char *text, uint16_t port,
                                     struct fovea_log log, struct gaze_address *out);

void gaze_address_set_port(struct gaze_address *address, uint16_t port);
uint16_t gaze_address_port(const struct gaze_address *address);

#endif
