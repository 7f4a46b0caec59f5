/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The measurements on a Vulkan device share this: an engine without validation, and timestamps. */
#pragma once

#include "bench.h"
#include "engine.h"

#define VULKAN_TIMESTAMPS (2 * BENCH_PICTURES)

struct vulkan_bench {
    struct bench *bench;
    struct engine engine;
    bool open;
    bool without_timestamps; /* it was opened and cannot be used */
    bool with_graphics; /* on a queue that has them; set before it is opened */
    bool is_cpu; /* lavapipe and its like: small sizes only */
    double worked_s; /* when the device was last done with what was measured */
    double tick_us;
    uint64_t tick_mask; /* of the bits that timestamps of the queue's family have */
    VkQueryPool queries;
};

#define VULKAN_MUST(call)                                                                          \
    do {                                                                                           \
        const VkResult must_result = (call);                                                       \
        if (must_result < 0) {                                                                     \
            bench_fail("%s: %d", #call, (int)must_result);                                         \
        }                                                                                          \
    } while (0)

/* Opens the device where it is not open yet, NVIDIA's before others; false: there is none, or its
 * queue has no timestamps. */
bool vulkan_open(struct vulkan_bench *b);
void vulkan_close(struct vulkan_bench *b); /* where it is open */

/* Commands behind it begin when everything before it is over, earlier submits included. */
void vulkan_barrier(VkCommandBuffer commands);
/* The time at which everything before it is over. */
void vulkan_stamp(struct vulkan_bench *b, VkCommandBuffer commands, uint32_t index);
/* Returns the time from one timestamp to another; the GPU is done with them. */
double vulkan_between_us(struct vulkan_bench *b, uint32_t begin, uint32_t end);

/* Records number i of BENCH_PICTURES works. */
typedef void (*vulkan_record)(void *user, VkCommandBuffer commands, uint32_t i);
/* Runs them all, writes the time that each took and returns how many there are. */
size_t vulkan_play(struct vulkan_bench *b, vulkan_record record, void *user, double *out_us);

/* Plays something, waits for it, writes its times and returns how many there are. */
struct vulkan_rounds {
    size_t (*play)(void *user, double *out_us);
    void *user;
    size_t most; /* of them in a round */
};

#define VULKAN_TIMES_MOST 256 /* of all measured rounds */

/* Plays rounds until the device's clocks are up, after a rest of the device. */
void vulkan_warm_up(struct vulkan_bench *b, const struct vulkan_rounds *rounds);
/* Measures so many rounds behind others. With --quick, and on a processor, one. */
struct bench_times vulkan_time(struct vulkan_bench *b, const struct vulkan_rounds *rounds,
                               size_t count);

/* Depths of a size and a kind, for the operators that look at them. */
struct vulkan_depths {
    struct engine_image images[BENCH_PICTURES];
    struct fovea_depth values;
    bool are_there;
};

/* Makes them unless they are there. */
void vulkan_depths_make(struct vulkan_bench *b, const struct bench_size *size,
                        enum bench_depths kind, struct vulkan_depths *depths);
/* Describes them for a frame, and lasts as long as `depths`. NULL: none. */
struct fovea_vk_depth vulkan_depths_of(const struct vulkan_depths *depths, uint32_t picture);
/* After Fovea, which may hold their views. */
void vulkan_depths_free(struct vulkan_bench *b, struct vulkan_depths *depths);

/* False: there is no device. */
bool vulkan_domain(struct vulkan_bench *b); /* bench_vulkan.c */
bool vulkan_blur_thesis(struct vulkan_bench *b); /* blur_thesis/ */
bool vulkan_blobs(struct vulkan_bench *b); /* vulkan_blobs.c */
bool vulkan_lightfield(struct vulkan_bench *b); /* vulkan_lightfield.c */
