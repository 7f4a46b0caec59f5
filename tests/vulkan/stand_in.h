/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea on the host peer in CUDA's role, which can be broken in one way at a time. */
#pragma once

#include "plugin/frame/frame.h"
#include "rig.h"

#define STAND_IN_WIDTH_PX 64
#define STAND_IN_HEIGHT_PX 48
#define STAND_IN_FORMAT VK_FORMAT_R8G8B8A8_UNORM

enum fault {
    NO_FAULT,
    NEVER_SIGNALS, /* takes the job and does nothing */
    NEVER_SIGNALS_NOR_SAYS, /* and nobody can read which jobs are over */
    REFUSES, /* enqueue fails */
    IS_SLOW, /* says so on the standard output, and works for 600 ms before the host peer does */
    LOSES_ITS_DEVICE, /* enqueue and images fail for good, and what it has will not signal */
    FAILS_HALF_WAY, /* enqueue fails; what there is of the job writes later, and then signals */
    FAILS_HALF_WAY_SILENTLY /* likewise, and does not signal */
};

/* The peer knows so many images at most. */
#define STAND_IN_IMAGES 32
struct stand_in_image {
    struct peer_image *image;
    unsigned char *mapped;
    size_t bytes;
};

struct faulty_peer {
    struct peer base;
    struct peer_api api;
    struct peer *host;
    _Atomic uint32_t over; /* of NEVER_SIGNALS */
    enum fault fault;
    int abandoned;
    int drained;
    int jobs;
    VkDevice device;
    struct stand_in_image images[STAND_IN_IMAGES];
    struct stand_in_image dst; /* of the newest job */
    struct peer_job late_job;
    VkSemaphore link;
    pthread_t late;
    atomic_bool late_over; /* it has written all that it will */
    bool late_started;
};

extern struct faulty_peer *the_peer; /* of the bench that was opened last */

struct log_count {
    atomic_int warnings; /* the watchdog's thread warns, too */
    char last[256];
};

struct bench {
    struct rig rig;
    struct log_count log;
    struct test_image src;
    struct test_image dst;
    double *expected;
};

/* Does to an image what a job does that nobody waits for. */
void stand_in_spoil(const struct stand_in_image *image);

/* frame_create calls it; the user is an enum fault. */
enum fovea_result make_stand_in(struct fovea_vk *fovea, void *user);

/* The functions are the loader's where get is NULL. */
void open_bench(struct bench *bench, enum fault fault, PFN_vkGetInstanceProcAddr get);
void close_bench(struct bench *bench);
/* A test sees what the watchdog does before it is said. */
void bench_expect_warnings(struct bench *bench, int count);

/* An image of the engine's with the bench's source in it, and a frame that foveates it in place.
 * The caller destroys the image when the queue is done. */
struct fovea_vk_frame bench_frame_in_place(struct bench *bench, struct engine_image *out_image);
