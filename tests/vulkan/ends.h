/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program that draws some frames and ends, mostly against the rules. */
#ifndef FOVEA_TESTS_ENDS_H
#define FOVEA_TESTS_ENDS_H

#include <stdbool.h>

struct ending {
    const char *name;
    void (*run)(void);
    int status; /* that the program is to end with; negative: that signal */
    bool stand_in; /* breaks the host peer, so that there is one backend to try */
};

extern const struct ending endings[]; /* up to a name of NULL */

/* Runs as the program, with the backend that rig_choose_backend has chosen; returns main's result. */
int end_as(const char *name);

/* What the program that is stopped says on its standard output when a job has begun. */
#define END_JOB_BEGUN 'j'

#endif
