/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_zmq_library.h"

#include "plugin/gaze/gaze_library.h"

#define SYMBOL(name)                                                                               \
    {                                                                                              \
        "zmq_" #name, offsetof(struct zmq_library, name)                                           \
    }

static const struct gaze_symbol SYMBOLS[] = {
    SYMBOL(ctx_new),    SYMBOL(ctx_term),   SYMBOL(socket), SYMBOL(close), SYMBOL(connect),
    SYMBOL(setsockopt), SYMBOL(getsockopt), SYMBOL(send),   SYMBOL(recv),  SYMBOL(poll),
};

bool zmq_library_open(struct zmq_library *out, const char **out_why)
{
    static const char *const names[] = {"libzmq.so.5", NULL};
    return gaze_library_open(GAZE_LIBRARY_ZMQ, names, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0],
                             out, out_why);
}
