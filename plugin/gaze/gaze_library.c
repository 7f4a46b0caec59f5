/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_library.h"

#include "config/settings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOW (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)

static const char *const VARIABLES[GAZE_LIBRARIES] = {
    [GAZE_LIBRARY_LSL] = "PYLSL_LIB", [GAZE_LIBRARY_ZMQ] = "FOVEA_LIBZMQ"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the files */
static char files[GAZE_LIBRARIES][FOVEA_PATH_MAX]; /* "": none is named */

void gaze_library_look(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < GAZE_LIBRARIES; i++) {
        const char *file = secure_getenv(VARIABLES[i]);
        snprintf(files[i], sizeof files[i], "%s", file ? file : "");
    }
    pthread_mutex_unlock(&lock);
}

static _Thread_local char missing[128];

static void *open_first(enum gaze_library which, const char *const *names)
{
    char named[FOVEA_PATH_MAX];
    pthread_mutex_lock(&lock);
    memcpy(named, files[which], sizeof named);
    pthread_mutex_unlock(&lock);
    if (named[0] != '\0') {
        return dlopen(named, HOW);
    }
    void *library = NULL;
    for (size_t i = 0; names[i] && !library; i++) {
        library = dlopen(names[i], HOW);
    }
    return library;
}

bool gaze_library_open(enum gaze_library which, const char *const *names,
                       const struct gaze_symbol *symbols, size_t count, void *table,
                       const char **out_why)
{
    void *library = open_first(which, names);
    if (!library) {
        const char *error = dlerror();
        *out_why = error ? error : "it cannot be opened";
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function) {
            snprintf(missing, sizeof missing, "it has no %s: it is too old, or another library",
                     symbols[i].name);
            *out_why = missing;
            dlclose(library);
            return false;
        }
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
    }
    return true;
}
