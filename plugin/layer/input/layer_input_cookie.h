/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cookie that lets its owner into an X server, looked up in the file that xauth(1) writes.
 * libXau would do so too, but keeps the file's name in a static buffer without a lock, and the
 * program may be in it at the same time. Only MIT-MAGIC-COOKIE-1 is known; where a file has none
 * the server may let us in all the same (localuser, xhost). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COOKIE_NAME "MIT-MAGIC-COOKIE-1"
#define COOKIE_BYTES_MAX 256
#define COOKIE_PLACES_MAX 8
#define COOKIE_ADDRESS_MAX 256
/* A file that is longer is not read; thousands of servers fit into one. */
#define COOKIE_FILE_BYTES_MAX (1u << 20)

/* The file writes families so (Xauth.h, X.h). */
enum cookie_family {
    COOKIE_INTERNET = 0,
    COOKIE_INTERNET6 = 6,
    COOKIE_LOCAL = 256, /* the address is this machine's name */
    COOKIE_WILD = 65535, /* any server */
};

struct cookie_place {
    uint16_t family;
    uint16_t bytes;
    uint8_t address[COOKIE_ADDRESS_MAX];
};

/* The server that it is for may have several addresses. */
struct cookie_server {
    struct cookie_place places[COOKIE_PLACES_MAX];
    size_t place_count;
    char number[12]; /* of the display, in digits */
};

struct cookie {
    uint16_t bytes;
    uint8_t data[COOKIE_BYTES_MAX];
};

/* host as xcb_parse_display tells it: "" or "unix" is this machine, as every loopback address is.
 * Asks the resolver where it is another one, as libxcb does itself. */
void cookie_server_find(const char *host, int display, struct cookie_server *out_server);

/* The first entry that fits. False: there is none. What is cut off in the middle ends the list. */
bool cookie_find(const uint8_t *list, size_t bytes, const struct cookie_server *server,
                 struct cookie *out_cookie);

/* Looks in that file; NULL: there is none. Reads only a regular file. */
bool cookie_read(const char *file, const struct cookie_server *server, struct cookie *out_cookie);

/* $XAUTHORITY or ~/.Xauthority, to be freed; NULL: neither is set, or there is no memory. */
char *cookie_file(void);
