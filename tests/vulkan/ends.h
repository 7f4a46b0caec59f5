/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program that draws some frames and ends, mostly against the rules. */
#pragma once

struct ending {
    const char *name;
    void (*run)(void);
    int status; /* that the program is to end with; negative: that signal */
    enum ending_kind {
        ENDS_ALIKE, /* can be run without Fovea too, and is then to end as it does with Fovea */
        ENDS_FOVEA, /* is about Fovea */
        ENDS_STAND_IN, /* breaks the host peer, so that there is one backend to try */
    } kind;
};

extern const struct ending endings[]; /* up to a name of NULL */

/* Runs as the program, with the backend that rig_choose_backend has chosen; returns main's
 * result. */
int end_as(const char *name);

/* Does the same for ENDS_ALIKE, but the program only submits and never makes Fovea. */
int end_bare_as(const char *name);

/* The program that is stopped says this on its standard output when a job has begun. */
#define END_JOB_BEGUN 'j'
/* It is stopped so often, in a job each: the first, and one after it. */
#define END_STOPS 2
