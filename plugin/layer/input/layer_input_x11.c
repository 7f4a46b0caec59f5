/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_x11.h"

#include "core/log.h"
#include "layer_input_cookie.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum fovea_result x11_load(struct x11 *x11, struct fovea_log log)
{
    x11->library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!x11->library) {
        log_warning(log, "input: no pointer and no keys: %s", dlerror());
        return FOVEA_ERROR_UNSUPPORTED;
    }
#define X11_LOAD(name) {"xcb_" #name, &x11->name, sizeof x11->name},
    const struct {
        const char *name;
        void *member;
        size_t bytes;
    } functions[] = {X11_FUNCTIONS(X11_LOAD)};
#undef X11_LOAD
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(x11->library, functions[i].name);
        if (!found) {
            log_warning(log, "input: no pointer and no keys: libxcb.so.1 has no %s",
                        functions[i].name);
            return FOVEA_ERROR_UNSUPPORTED;
        }
        memcpy(functions[i].member, &found, functions[i].bytes);
    }
    return FOVEA_OK;
}

static bool find_cookie(const struct x11 *x11, const char *display, const char *cookie_file,
                        struct cookie *out_cookie)
{
    char *host = NULL;
    int number = 0;
    int screen = 0;
    struct cookie_server server;
    if (!x11->parse_display(display, &host, &number, &screen)) {
        return false;
    }
    cookie_server_find(host, number, &server);
    free(host);
    return cookie_read(cookie_file, &server, out_cookie);
}

/* libxcb asks libXau only where it is given no authority at all, not even an empty one. */
bool x11_connect(struct x11 *x11, const char *display, const char *cookie_file)
{
    char name[] = COOKIE_NAME;
    struct cookie cookie = {0};
    const bool found = find_cookie(x11, display, cookie_file, &cookie);
    xcb_auth_info_t authority = {.namelen = found ? (int)sizeof name - 1 : 0,
                                 .name = name,
                                 .datalen = cookie.bytes,
                                 .data = (char *)cookie.data};
    x11->connection = x11->connect_to_display_with_auth_info(display, &authority, NULL);
    return x11_is_alive(x11);
}

void x11_finish(struct x11 *x11)
{
    if (x11->connection) {
        x11->disconnect(x11->connection);
    }
    if (x11->library) {
        dlclose(x11->library);
    }
    x11->connection = NULL;
    x11->library = NULL;
}

bool x11_is_alive(const struct x11 *x11)
{
    return x11->connection && x11->connection_has_error(x11->connection) == 0;
}

/* libxcb's own wait would not hear of stop: a program that grabs the server may keep it for
 * long. */
void *x11_reply(const struct x11 *x11, unsigned sequence)
{
    struct pollfd fds[] = {{.fd = x11->stop, .events = POLLIN},
                           {.fd = x11->get_file_descriptor(x11->connection), .events = POLLIN}};
    if (x11->flush(x11->connection) <= 0) {
        return NULL;
    }
    for (;;) {
        void *reply = NULL;
        xcb_generic_error_t *error = NULL;
        const int done = x11->poll_for_reply(x11->connection, sequence, &reply, &error);
        free(error);
        if (done || !x11_is_alive(x11)) {
            return reply;
        }
        (void)poll(fds, 2, -1);
        if (fds[0].revents != 0) {
            return NULL;
        }
    }
}
