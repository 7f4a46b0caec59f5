/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The newest gaze for a frame that is already queued: a block of memory that the host writes with every
 * sample, whenever it comes, and that the GPU reads once when it starts on the frame.
 *
 * The block is a sequence lock of eight 32-bit words. The host makes the sequence odd, writes the others,
 * and makes the sequence even again. A reader copies the words between two looks at the sequence; where
 * that is odd, or has changed, it tries again, a bounded number of times, and then keeps the gaze that the
 * frame was submitted with. Because no specification says in what order a device sees words that the host
 * writes while it runs, the last word is a sum of the others: a mixture of two samples does not pass
 * for one whatever order they arrive in.
 *
 * Words and decisions are shared by C, CUDA C and GLSL; how a word is loaded is each one's own. */
#ifndef FOVEA_KERNELS_FOVEATE_LATE_H
#define FOVEA_KERNELS_FOVEATE_LATE_H

/* The words of the block. */
#define FOVEATE_LATE_SEQUENCE 0 /* 0: nothing was written yet; odd: being written */
#define FOVEATE_LATE_GAZE_X 1 /* in q8, as in struct foveate_frame */
#define FOVEATE_LATE_GAZE_Y 2
#define FOVEATE_LATE_WIDTH 3 /* pixels of the frames that the gaze is for */
#define FOVEATE_LATE_HEIGHT 4
#define FOVEATE_LATE_T_LOW 5 /* when it was measured, fovea_time_ns */
#define FOVEATE_LATE_T_HIGH 6
#define FOVEATE_LATE_SUM 7
#define FOVEATE_LATE_WORDS 8

#define FOVEATE_LATE_TRIES 16

/* What a frame's latch leaves, for the kernels (the gaze) and for the statistics (the rest). */
#define FOVEATE_LATCHED_GAZE_X 0
#define FOVEATE_LATCHED_GAZE_Y 1
#define FOVEATE_LATCHED_T_LOW 2 /* of the sample that the gaze is from */
#define FOVEATE_LATCHED_T_HIGH 3
#define FOVEATE_LATCHED_CLOCK_LOW 4 /* when it was read, on the device's clock; 0: it has none */
#define FOVEATE_LATCHED_CLOCK_HIGH 5
#define FOVEATE_LATCHED_TAKEN 6 /* 1: from the block; 0: the frame's own */
#define FOVEATE_LATCHED_WORDS 8

#if defined(VULKAN)
#define FOVEATE_LATE_SHARED
#define FOVEATE_LATE_U32 uint
#define FOVEATE_LATE_I32 int
#define FOVEATE_LATE_AS_U32(value) uint(value)
#define FOVEATE_LATE_AS_I32(value) int(value)
#define FOVEATE_LATE_COPY uint words[FOVEATE_LATE_WORDS]
#define FOVEATE_LATE_OWN foveate_late_own
#else
#include <stdbool.h>
#include <stdint.h>
#if defined(__CUDACC__)
#define FOVEATE_LATE_SHARED static __device__ inline
#else
#define FOVEATE_LATE_SHARED static inline
#endif
#define FOVEATE_LATE_U32 uint32_t
#define FOVEATE_LATE_I32 int32_t
#define FOVEATE_LATE_AS_U32(value) ((uint32_t)(value))
#define FOVEATE_LATE_AS_I32(value) ((int32_t)(value))
#define FOVEATE_LATE_COPY const uint32_t words[FOVEATE_LATE_WORDS]
#define FOVEATE_LATE_OWN struct foveate_late_own
#endif

/* The gaze that a frame was submitted with, and when that was measured. */
struct foveate_late_own {
    FOVEATE_LATE_I32 width_px;
    FOVEATE_LATE_I32 height_px;
    FOVEATE_LATE_I32 gaze_x_q8;
    FOVEATE_LATE_I32 gaze_y_q8;
    FOVEATE_LATE_U32 t_low;
    FOVEATE_LATE_U32 t_high;
};

/* Of a copy's other words; the constants are those of FNV-1a. */
FOVEATE_LATE_SHARED FOVEATE_LATE_U32 foveate_late_sum(FOVEATE_LATE_COPY)
{
    FOVEATE_LATE_U32 sum = 2166136261u;
    for (int i = 0; i < FOVEATE_LATE_SUM; i++) {
        sum = (sum ^ words[i]) * 16777619u;
    }
    return sum;
}

/* Of one sample, all of it. */
FOVEATE_LATE_SHARED bool foveate_late_is_whole(FOVEATE_LATE_COPY)
{
    return words[FOVEATE_LATE_SEQUENCE] != 0u && (words[FOVEATE_LATE_SEQUENCE] & 1u) == 0u &&
           words[FOVEATE_LATE_SUM] == foveate_late_sum(words);
}

/* Whether a whole copy counts for a frame: it is for frames of that size, and newer than the frame's own
 * sample. */
FOVEATE_LATE_SHARED bool foveate_late_is_for(FOVEATE_LATE_COPY, FOVEATE_LATE_OWN own)
{
    FOVEATE_LATE_I32 high = FOVEATE_LATE_AS_I32(words[FOVEATE_LATE_T_HIGH]);
    FOVEATE_LATE_I32 own_high = FOVEATE_LATE_AS_I32(own.t_high);
    bool newer = high > own_high || (high == own_high && words[FOVEATE_LATE_T_LOW] > own.t_low);
    return newer && words[FOVEATE_LATE_WIDTH] == FOVEATE_LATE_AS_U32(own.width_px) &&
           words[FOVEATE_LATE_HEIGHT] == FOVEATE_LATE_AS_U32(own.height_px);
}

/* ---- The host's side ---- */

#if !defined(VULKAN) && !defined(__CUDACC__)
struct operator_frame;

/* A sample on its way into the block. */
struct foveate_late_sample {
    int32_t gaze_x_q8;
    int32_t gaze_y_q8;
    uint32_t width_px;
    uint32_t height_px;
    int64_t t_ns;
};

/* Who writes a block: one thread at a time. */
struct foveate_late_writer {
    uint32_t *block; /* FOVEATE_LATE_WORDS, zeroed before the first reader comes */
    uint32_t sequence;
    uint32_t pushed_out;
};

/* Never waits. What is written leaves the processor's buffers at once, also into write-combined memory. */
void foveate_late_write(struct foveate_late_writer *writer,
                        const struct foveate_late_sample *sample);

/* t_ns: of the sample behind the frame's gaze. */
struct foveate_late_own foveate_late_own_make(const struct operator_frame *frame, int64_t t_ns);

/* What a device's latch does, on the host. clock_ns goes with the result. */
void foveate_late_latch(const uint32_t *block, const struct foveate_late_own *own, int64_t clock_ns,
                        uint32_t out_latched[FOVEATE_LATCHED_WORDS]);

static inline int64_t foveate_late_join(uint32_t low, uint32_t high)
{
    return (int64_t)((uint64_t)high << 32 | low);
}
#endif

#endif
