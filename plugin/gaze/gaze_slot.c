/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_slot.h"

/* The words are stored with release and loaded with acquire order: whoever sees a word of a newer
 * generation then also sees that the copy's generation is no longer the one it came for. It does
 * what fences do for the usual sequence lock, and ThreadSanitizer understands it. */

void gaze_slot_publish(struct gaze_slot *slot, const uint64_t words[GAZE_SLOT_WORDS])
{
    const uint64_t generation = atomic_load_explicit(&slot->newest, memory_order_relaxed) + 1;
    struct gaze_slot_copy *copy = &slot->copies[generation % GAZE_SLOT_COPIES];
    atomic_store_explicit(&copy->generation, 0, memory_order_relaxed);
    for (int i = 0; i < GAZE_SLOT_WORDS; i++) {
        atomic_store_explicit(&copy->words[i], words[i], memory_order_release);
    }
    atomic_store_explicit(&copy->generation, generation, memory_order_release);
    atomic_store_explicit(&slot->newest, generation, memory_order_release);
}

static bool read_copy(struct gaze_slot_copy *copy, uint64_t generation, uint64_t *out_words)
{
    if (atomic_load_explicit(&copy->generation, memory_order_acquire) != generation) {
        return false;
    }
    for (int i = 0; i < GAZE_SLOT_WORDS; i++) {
        out_words[i] = atomic_load_explicit(&copy->words[i], memory_order_acquire);
    }
    return atomic_load_explicit(&copy->generation, memory_order_relaxed) == generation;
}

bool gaze_slot_read(struct gaze_slot *slot, uint64_t out_words[GAZE_SLOT_WORDS])
{
    uint64_t generation = atomic_load_explicit(&slot->newest, memory_order_acquire);
    while (generation != 0 &&
           !read_copy(&slot->copies[generation % GAZE_SLOT_COPIES], generation, out_words)) {
        generation = atomic_load_explicit(&slot->newest, memory_order_acquire);
    }
    return generation != 0;
}
