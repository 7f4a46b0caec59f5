/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The newest gaze for a frame that is already queued: a block of memory that the host writes with
 * every sample, whenever it comes, and that the GPU reads once when it starts on the frame.
 *
 * The block is a sequence lock of eight 32-bit words. The host makes the sequence odd, writes the
 * others, and makes the sequence even again. A reader copies the words between two looks at the
 * sequence; where that is odd, or has changed, it tries again, a bounded number of times, and then
 * keeps the gaze that the frame was submitted with. Because no specification says in what order a
 * device sees words that the host writes while it runs, the last word is a sum of the others: a
 * mixture of two samples does not pass for one whatever order they arrive in.
 *
 * Words and decisions are shared by C, CUDA C and GLSL; how a word is loaded is each one's own. */
#ifndef FOVEA_KERNELS_GAZE_LATE_H
#define FOVEA_KERNELS_GAZE_LATE_H

/* The words of the block. */
#define LATE_SEQUENCE 0 /* 0: nothing was written yet; odd: being written */
#define LATE_GAZE_X 1 /* in q8, as in struct operator_frame */
#define LATE_GAZE_Y 2
#define LATE_WIDTH 3 /* pixels of the frames that the gaze is for */
#define LATE_HEIGHT 4
#define LATE_T_LOW 5 /* when it was measured, fovea_time_ns */
#define LATE_T_HIGH 6
#define LATE_SUM 7
#define LATE_WORDS 8

#define LATE_TRIES 16

/* The words that a frame's latch leaves, for the kernels (the gaze) and for the statistics (the
 * others). */
#define LATCHED_GAZE_X 0
#define LATCHED_GAZE_Y 1
#define LATCHED_T_LOW 2 /* the gaze's sample's time */
#define LATCHED_T_HIGH 3
#define LATCHED_CLOCK_LOW 4 /* when it was read, on the device's clock; 0: it has none */
#define LATCHED_CLOCK_HIGH 5
#define LATCHED_TAKEN 6 /* 1: from the block; 0: the frame's own */
#define LATCHED_WORDS 8

#if defined(VULKAN)
#define LATE_SHARED
#define LATE_U32 uint
#define LATE_I32 int
#define LATE_AS_U32(value) uint(value)
#define LATE_AS_I32(value) int(value)
#define LATE_COPY uint words[LATE_WORDS]
#define LATE_OWN late_own
#else
#include <stdbool.h>
#include <stdint.h>
#if defined(__CUDACC__)
#define LATE_SHARED static __device__ inline
#else
#define LATE_SHARED static inline
#endif
#define LATE_U32 uint32_t
#define LATE_I32 int32_t
#define LATE_AS_U32(value) ((uint32_t)(value))
#define LATE_AS_I32(value) ((int32_t)(value))
#define LATE_COPY const uint32_t words[LATE_WORDS]
#define LATE_OWN struct late_own
#endif

/* The gaze that a frame was submitted with, and when that was measured. */
struct late_own {
    LATE_I32 width_px;
    LATE_I32 height_px;
    LATE_I32 gaze_x_q8;
    LATE_I32 gaze_y_q8;
    LATE_U32 t_low;
    LATE_U32 t_high;
};

/* Sums a copy's other words; the constants are those of FNV-1a. */
LATE_SHARED LATE_U32 late_sum(LATE_COPY)
{
    LATE_U32 sum = 2166136261u;
    for (int i = 0; i < LATE_SUM; i++) {
        sum = (sum ^ words[i]) * 16777619u;
    }
    return sum;
}

/* Returns whether a copy is of one sample, and whole. */
LATE_SHARED bool late_is_whole(LATE_COPY)
{
    return words[LATE_SEQUENCE] != 0u && (words[LATE_SEQUENCE] & 1u) == 0u &&
           words[LATE_SUM] == late_sum(words);
}

/* Returns whether a whole copy counts for a frame: it is for frames of that size, and newer than
 * the frame's own sample. */
LATE_SHARED bool late_is_for(LATE_COPY, LATE_OWN own)
{
    LATE_I32 high = LATE_AS_I32(words[LATE_T_HIGH]);
    LATE_I32 own_high = LATE_AS_I32(own.t_high);
    bool newer = high > own_high || (high == own_high && words[LATE_T_LOW] > own.t_low);
    return newer && words[LATE_WIDTH] == LATE_AS_U32(own.width_px) &&
           words[LATE_HEIGHT] == LATE_AS_U32(own.height_px);
}

/* ---- The host's side ---- */

#if !defined(VULKAN) && !defined(__CUDACC__)
struct operator_frame;

/* A sample on its way into the block. */
struct late_sample {
    int32_t gaze_x_q8;
    int32_t gaze_y_q8;
    uint32_t width_px;
    uint32_t height_px;
    int64_t t_ns;
};

/* The writer of a block: one thread at a time. */
struct late_writer {
    uint32_t *block; /* LATE_WORDS, zeroed before the first reader comes */
    uint32_t sequence;
    uint32_t pushed_out;
};

/* Never waits. What is written leaves the processor's buffers at once, also into write-combined
 * memory. */
void late_write(struct late_writer *writer, const struct late_sample *sample);

/* t_ns: of the sample behind the frame's gaze. */
struct late_own late_own_make(const struct operator_frame *frame, int64_t t_ns);

/* Does on the host what a device's latch does. clock_ns goes with the result. */
void late_latch(const uint32_t *block, const struct late_own *own, int64_t clock_ns,
                uint32_t out_latched[LATCHED_WORDS]);

static inline int64_t late_join(uint32_t low, uint32_t high)
{
    return (int64_t)((uint64_t)high << 32 | low);
}
#endif

#endif
