/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A libcuda.so.1 that computes nothing: it counts what lives, writes down what is called, and fails
 * where it is told to. With it in LD_LIBRARY_PATH a machine without a GPU runs everything of the
 * cuda backend but the kernels. One thread. */
#pragma once

#include <cuda.h>
#include <stdbool.h>

#define FAKE_CUDA_UUID "fake cuda device"

struct fake_cuda {
    /* The test sets these. */
    const char *lacks; /* a function that the driver does not have */
    const char *fails; /* a function that fails; NULL: any */
    int fail_at; /* how many of those calls from now on; 1: the next. 0: none fails */
    int fail_on; /* and so many of those after it */
    CUresult error; /* with what */
    bool busy; /* events have not happened yet */
    bool only_recorded; /* but those that nobody has recorded have, as the real driver says */
    bool no_timelines;
    bool no_pools;
    bool maps_wrongly; /* arrays come back one pixel too narrow */
    CUstreamCaptureStatus capturing; /* of every stream */
    bool captured_elsewhere; /* a stream that the default stream waits for is being captured */
    int code_of; /* the architecture that kernels were compiled for, 75 for 7.5; 0: 90, the card's
                    own */

    /* The driver counts what is there now. */
    int contexts; /* retained */
    int own_contexts; /* made */
    int pushed;
    int streams;
    int events;
    int modules;
    int memories; /* and arrays, external ones included */
    int pools;
    int surfaces;
    int semaphores;
    int graphs; /* watched, by objects of a user's that they keep (fake_cuda_end_graphs) */
    CUstreamCaptureMode mode; /* of the thread */

    unsigned images; /* that the last launch worked on: its grid's third axis */
    unsigned early; /* launches before the kernel ahead has ended, since fake_cuda_calm */
    size_t bytes; /* of the last memory that was allocated */

    /* The names of all calls since it was cleared, without "cu", a blank after each. */
    char calls[4096];
    char launched[4096]; /* and the kernels that were launched */
};

/* Counts what is there now, of all kinds. */
static inline int fake_cuda_living(const struct fake_cuda *fake)
{
    return fake->contexts + fake->own_contexts + fake->pushed + fake->streams + fake->events +
           fake->modules + fake->memories + fake->pools + fake->surfaces + fake->semaphores +
           fake->graphs;
}

#define FAKE_CUDA_MOST_GRAPHS 16

/* Graphs call this at their end. */
struct fake_cuda_object {
    void (*end)(void *user);
    void *user;
};

/* The library's own, for dlsym: struct fake_cuda fake_cuda, and struct fake_cuda_object
 * fake_cuda_objects[FAKE_CUDA_MOST_GRAPHS], of which fake_cuda.graphs are there. */
