/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A swapchain whose frames are watched, from inside. */
#pragma once

#include "plugin/fovea_present.h"
#include "plugin/record/record.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define PRESENT_FRAMES 64u /* that are waited for */
/* A line of the record waits as long. */
#define PRESENT_PATIENCE_NS INT64_C(500000000)

struct present_frame {
    struct fovea_vk *fovea;
    uint64_t frame; /* 0: it was told of */
    uint64_t id;
    int64_t since_ns; /* it was not presented before */
    bool after_others; /* as in struct record_shown */
};

struct present_functions {
    PFN_vkGetPastPresentationTimingGOOGLE GetPastPresentationTimingGOOGLE;
    PFN_vkGetRefreshCycleDurationGOOGLE GetRefreshCycleDurationGOOGLE;
    PFN_vkWaitForPresentKHR WaitForPresentKHR;
};

struct fovea_present {
    struct fovea_present_desc desc;
    struct present_functions vk;
    pid_t process; /* that has made it */
    const struct fovea_vk *introduced; /* whose record knows who tells it */
    uint64_t newest; /* of its frames, that was begun */
    uint64_t id; /* the newest of ours */
    struct present_frame begun;
    /* After the newest of the frames below another picture was presented, or is being presented
     * now; true before the first one. The presenting thread writes it. */
    atomic_bool others;
    atomic_bool over; /* nothing more is to be known */

    /* The presenting thread writes head; the tail is the thread's where there is one. */
    struct present_frame frames[PRESENT_FRAMES];
    _Atomic uint32_t head;
    _Atomic uint32_t tail;

    /* Display timing. */
    int64_t refresh_ns; /* 0: not known */
    bool numbered; /* a frame has had a number */
    uint32_t reported; /* the newest number of which a former call has told */

    /* The thread. */
    pthread_t thread;
    sem_t more; /* frames, or the end */
    bool started;
    atomic_bool stop;
};

/* present.c */
void present_tell(struct present_frame *frame, const struct record_shown *shown);

/* present_timing.c: asks the driver. */
void present_timing_poll(struct fovea_present *present);

/* present_wait.c */
FOVEA_MUST_CHECK enum fovea_result present_wait_start(struct fovea_present *present);
void present_wait_stop(struct fovea_present *present);
