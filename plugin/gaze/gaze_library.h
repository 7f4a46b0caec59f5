/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Libraries of trackers are opened at run time, where they are there. They stay: their threads may
 * still run when a source has gone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gaze_symbol {
    const char *name;
    size_t offset; /* of its pointer in the table of functions */
};

/* Those of which a variable of the environment may name the file. */
enum gaze_library {
    GAZE_LIBRARY_LSL, /* PYLSL_LIB, as pylsl has it */
    GAZE_LIBRARY_ZMQ, /* FOVEA_LIBZMQ */
    GAZE_LIBRARIES
};

/* Reads those variables. In calls of the program's: while another thread reads the environment the
 * program must not change it, and sources are opened on threads. */
void gaze_library_look(void);

/* Opens the file that its variable named then, else the first of the names that the system finds;
 * names end with NULL. The table gets all the functions. False: *out_why says what is missing,
 * until this thread opens another. */
bool gaze_library_open(enum gaze_library which, const char *const *names,
                       const struct gaze_symbol *symbols, size_t count, void *table,
                       const char **out_why);
