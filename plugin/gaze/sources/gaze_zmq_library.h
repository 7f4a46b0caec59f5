/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This much is used of libzmq, as its header declares it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ZMQ_SUB 2
#define ZMQ_REQ 3
#define ZMQ_SUBSCRIBE 6
#define ZMQ_RCVMORE 13
#define ZMQ_LINGER 17
#define ZMQ_MAXMSGSIZE 22
#define ZMQ_IPV6 42
#define ZMQ_POLLIN 1
#define ZMQ_DONTWAIT 1

struct zmq_item {
    void *socket; /* NULL: fd counts */
    int fd;
    short events;
    short revents;
};

struct zmq_library {
    void *(*ctx_new)(void);
    int (*ctx_term)(void *context);
    void *(*socket)(void *context, int type);
    int (*close)(void *socket);
    int (*connect)(void *socket, const char *endpoint);
    int (*setsockopt)(void *socket, int option, const void *value, size_t bytes);
    int (*getsockopt)(void *socket, int option, void *value, size_t *bytes);
    int (*send)(void *socket, const void *bytes, size_t count, int flags);
    int (*recv)(void *socket, void *bytes, size_t count, int flags);
    int (*poll)(struct zmq_item *items, int count, long ms);
};

/* False: it is not here, and *out_why says so. */
bool zmq_library_open(struct zmq_library *out, const char **out_why);
