/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "probe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The few calls that are needed, as xcb.h declares them. */
struct xcb {
    void *(*connect)(const char *display, int *out_screen);
    int (*has_error)(void *connection);
    void (*disconnect)(void *connection);
};

static bool find(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *fault(void)
{
    void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    struct xcb xcb;
    if (!library) {
        return "libxcb is not there (Debian: libxcb1)";
    }
    if (!find(library, "xcb_connect", &xcb.connect) ||
        !find(library, "xcb_connection_has_error", &xcb.has_error) ||
        !find(library, "xcb_disconnect", &xcb.disconnect)) {
        return "libxcb is not as it should be";
    }
    void *connection = xcb.connect(NULL, NULL);
    const bool failed = xcb.has_error(connection) != 0;
    xcb.disconnect(connection);
    return failed ? "no X server answers there" : "";
}

/* Asked as the layer asks. */
void probe_display(struct probe *probe)
{
    snprintf(probe->display_fault, sizeof probe->display_fault, "%s", fault());
}
