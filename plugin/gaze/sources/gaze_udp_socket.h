/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "config/settings.h"

/* A bound socket that does not block; port 0 lets the system choose. The caller closes it.
 * FOVEA_ERROR_INVALID_ARGUMENT: bind_address is no numeric IPv4 or IPv6 address. FOVEA_ERROR_IO: it
 * cannot be bound. On failure *out_socket is -1. */
enum fovea_result gaze_udp_socket_open(const char *bind_address, uint16_t port,
                                       struct fovea_log log, int *out_socket, uint16_t *out_port);
