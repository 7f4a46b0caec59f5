/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "late.h"

#include "kernels/operator/operator.h"

static uint32_t low_of(int64_t t_ns)
{
    return (uint32_t)((uint64_t)t_ns & UINT32_MAX);
}

static uint32_t high_of(int64_t t_ns)
{
    return (uint32_t)((uint64_t)t_ns >> 32);
}

/* Stored with release and loaded with acquire order, as in gaze_slot.c: whoever sees a word of a
 * newer sample then also sees that the sequence has moved on. */
static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void late_write(struct late_writer *writer, const struct late_sample *sample)
{
    /* Even, and never 0 again, which means that nothing was written. */
    const uint32_t sequence = writer->sequence + 2 != 0 ? writer->sequence + 2 : 2;
    uint32_t words[LATE_WORDS] = {sequence,
                                  (uint32_t)sample->gaze_x_q8,
                                  (uint32_t)sample->gaze_y_q8,
                                  sample->width_px,
                                  sample->height_px,
                                  low_of(sample->t_ns),
                                  high_of(sample->t_ns)};
    words[LATE_SUM] = late_sum(words);
    store(&writer->block[LATE_SEQUENCE], sequence - 1);
    for (int i = LATE_SEQUENCE + 1; i < LATE_WORDS; i++) {
        store(&writer->block[i], words[i]);
    }
    store(&writer->block[LATE_SEQUENCE], sequence);
    writer->sequence = sequence;
    /* Drains write-combining buffers; a locked access to the block itself may fault there. */
    (void)__atomic_exchange_n(&writer->pushed_out, sequence, __ATOMIC_SEQ_CST);
}

struct late_own late_own_make(const struct operator_frame *frame, int64_t t_ns)
{
    return (struct late_own){.width_px = frame->width_px,
                             .height_px = frame->height_px,
                             .gaze_x_q8 = frame->gaze_x_q8,
                             .gaze_y_q8 = frame->gaze_y_q8,
                             .t_low = low_of(t_ns),
                             .t_high = high_of(t_ns)};
}

static bool read_whole(const uint32_t *block, uint32_t out_words[LATE_WORDS])
{
    for (int i = 0; i < LATE_WORDS; i++) {
        out_words[i] = load(&block[i]);
    }
    return load(&block[LATE_SEQUENCE]) == out_words[LATE_SEQUENCE] && late_is_whole(out_words);
}

static bool read_block(const uint32_t *block, uint32_t out_words[LATE_WORDS])
{
    bool whole = false;
    for (int i = 0; i < LATE_TRIES && !whole; i++) {
        whole = read_whole(block, out_words);
    }
    return whole;
}

void late_latch(const uint32_t *block, const struct late_own *own, int64_t clock_ns,
                uint32_t out_latched[LATCHED_WORDS])
{
    uint32_t words[LATE_WORDS];
    const bool taken = read_block(block, words) && late_is_for(words, *own);
    out_latched[LATCHED_GAZE_X] = taken ? words[LATE_GAZE_X] : (uint32_t)own->gaze_x_q8;
    out_latched[LATCHED_GAZE_Y] = taken ? words[LATE_GAZE_Y] : (uint32_t)own->gaze_y_q8;
    out_latched[LATCHED_T_LOW] = taken ? words[LATE_T_LOW] : own->t_low;
    out_latched[LATCHED_T_HIGH] = taken ? words[LATE_T_HIGH] : own->t_high;
    out_latched[LATCHED_CLOCK_LOW] = low_of(clock_ns);
    out_latched[LATCHED_CLOCK_HIGH] = high_of(clock_ns);
    out_latched[LATCHED_TAKEN] = taken;
    out_latched[LATCHED_WORDS - 1] = 0;
}
