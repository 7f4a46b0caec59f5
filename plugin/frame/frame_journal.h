/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tells a record (plugin/record) of each frame. A slot keeps its frame's row until the frame
 * is over; rows go to the record in the order of the frames. Nothing here waits. */
#pragma once

#include "frame_work.h"

/* Opens what "record.file" names, if anything; `given`: as the program gave them. */
FOVEA_MUST_CHECK enum fovea_result frame_journal_open(struct fovea_vk *fovea,
                                                      const struct fovea_settings *given);
/* Others are in force for the frames to come. */
void frame_journal_set(struct fovea_vk *fovea, const struct fovea_settings *given);
/* All frames are over, or will not be waited for. */
void frame_journal_close(struct fovea_vk *fovea);

/* The frame has its number. */
void frame_journal_note(struct fovea_vk *fovea, const struct frame_work *work, bool foveated);
void frame_journal_refused(struct fovea_vk *fovea);
/* Returns how many were refused since the newest frame that was taken. */
uint64_t frame_journal_refusals(const struct fovea_vk *fovea);
/* The same frame is given again: as many are refused as before it. */
void frame_journal_again(struct fovea_vk *fovea, uint64_t refusals);

/* The slot's frame is over. gpu_us is negative where it is not known, as is late_age_ns. */
struct frame_journal_end {
    double gpu_us;
    int64_t late_age_ns;
};
void frame_journal_end(struct fovea_vk *fovea, struct frame_slot *slot,
                       const struct frame_journal_end *end);

/* The number of the newest frame; 0: there is no record. */
uint64_t frame_journal_frame(const struct fovea_vk *fovea);
/* Who will say when frames were on the screen; and when one was. Any thread (record.h). */
void frame_journal_expect(struct fovea_vk *fovea, enum record_shown_by by);
void frame_journal_shown(struct fovea_vk *fovea, uint64_t frame, const struct record_shown *shown);
