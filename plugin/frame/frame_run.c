/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_journal.h"
#include "frame_link.h"
#include "frame_slot.h"
#include "frame_watch.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/struct_bytes.h"

#include <math.h>

static void hand_over(struct fovea_vk *fovea, struct frame_work *work, enum fovea_result result)
{
    fovea->frame++;
    work->slot->frame = fovea->frame;
    work->slot->pending = true;
    if (work->recording) {
        work->slot->recorded = true;
        work->slot->engines_frame = work->recording->frame;
    }
    work->slot->late = work->late && result == FOVEA_OK;
    frame_journal_note(fovea, work, result == FOVEA_OK);
    struct fovea_vk_image *src = work->src.made;
    struct fovea_vk_image *dst = work->dst.made;
    if (src) {
        src->holder = FRAME_HELD_BY_FOVEA;
        src->layout = work->src.layout_after;
        src->last_frame = fovea->frame;
    }
    if (dst) {
        dst->holder = FRAME_HELD_BY_ENGINE;
        dst->layout = work->dst.layout_after;
        dst->last_frame = fovea->frame;
    }
    if (result == FOVEA_OK) {
        fovea->foveated++;
    } else {
        fovea->passed_through++;
    }
}

/* These commands never ran, or it is the engine's whether they will: scratch may not be in
 * GENERAL. */
static void forget_layouts(struct frame_work *work)
{
    if (work->read.shared) {
        work->read.shared->general = false;
    }
    if (work->write.shared) {
        work->write.shared->general = false;
    }
    if (work->between) {
        work->between->src.general = false;
        work->between->dst.general = false;
    }
}

static bool all_sighted(const struct frame_work *work)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (!work->views[i].sighted) {
            return false;
        }
    }
    return true;
}

static bool any_sighted(const struct frame_work *work)
{
    bool any = false;
    for (uint32_t i = 0; i < work->view_count; i++) {
        any = any || work->views[i].sighted;
    }
    return any;
}

/* The frame is one that operators were at work on. */
static enum frame_trouble gazes_of(const struct frame_work *work)
{
    return all_sighted(work)   ? FRAME_FINE
           : any_sighted(work) ? FRAME_VIEW_WITHOUT_GAZE
                               : FRAME_BLIND;
}

/* Scratch begins without contents: nobody says whether what was recorded before has run. */
static enum fovea_result record(struct fovea_vk *fovea, struct frame_work *work, bool foveate)
{
    if (foveate) {
        forget_layouts(work);
    }
    frame_record_alone(fovea, work, work->recording->commands, foveate);
    if (foveate) {
        forget_layouts(work);
    }
    return foveate ? FOVEA_OK : FOVEA_PASSED_THROUGH;
}

static enum fovea_result run(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    FOVEA_TRY(frame_check(fovea, work));
    enum fovea_result result = frame_slot_take(fovea, work);
    if (result != FOVEA_OK) {
        if (result == FOVEA_NOT_READY && work->recording && fovea->engines_finished == 0) {
            frame_warn(fovea, "no frame that was recorded is said to be finished (finished_frame); "
                              "until one is, no more are recorded");
        }
        return result;
    }
    frame_peer_notice(fovea);
    const bool ready = frame_ready(fovea, work, now_ns);
    if (work->recording) {
        result = record(fovea, work, ready);
    } else if (!ready) {
        result = frame_submit_alone(fovea, work, false);
        result = result == FOVEA_OK ? FOVEA_PASSED_THROUGH : result;
    } else if (work->use_peer) {
        result = frame_submit_with_peer(fovea, work);
    } else {
        result = frame_submit_alone(fovea, work, true);
    }
    if (result >= 0) {
        hand_over(fovea, work, result);
    } else {
        forget_layouts(work);
    }
    frame_watch_conclude(fovea, work, result >= 0);
    if (result == FOVEA_OK) {
        frame_trouble_is(fovea, gazes_of(work));
    }
    return result;
}

static enum fovea_result foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
                                 const struct fovea_vk_recording *recording)
{
    int64_t start_ns = fovea_time_ns();
    struct frame_work work = {.desc = frame, .recording = recording};
    enum fovea_result result = run(fovea, &work, start_ns);
    if (result == FOVEA_ERROR_DEVICE_LOST) {
        fovea->device_lost = true;
    }
    if (result == FOVEA_OK) {
        frame_times_add(&fovea->cpu_times, (double)(fovea_time_ns() - start_ns) * 1e-3);
    } else if (result != FOVEA_PASSED_THROUGH) {
        frame_journal_refused(fovea);
    }
    return result;
}

STRUCT_ENDS_WITH(struct fovea_vk_frame, vergence_m);
STRUCT_ENDS_WITH(struct fovea_vk_recording, finished_frame);

/* Converts the program's structs to ours. */
struct taken {
    struct fovea_vk_frame frame;
    struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
};

/* A wrong number of views stays and is refused by frame_check. */
static enum fovea_result take_views(struct fovea_vk *fovea, struct taken *taken)
{
    const char *given = (const char *)taken->frame.views;
    if (!given || taken->frame.view_count == 0 || taken->frame.view_count > FOVEA_VK_MAX_VIEWS) {
        return FOVEA_OK;
    }
    const size_t bytes = struct_bytes_of(given);
    for (uint32_t i = 0; i < taken->frame.view_count; i++) {
        const char *view = given + i * bytes;
        if (!struct_take(&taken->views[i], sizeof taken->views[i], view)) {
            return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: %s", i,
                                struct_refusal(view));
        }
        if (struct_bytes_of(view) != bytes) {
            return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                                "view %u: struct_bytes is not that of view 0", i);
        }
    }
    taken->frame.views = taken->views;
    return FOVEA_OK;
}

static enum fovea_result take(struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
                              struct taken *taken)
{
    if (!struct_take(&taken->frame, sizeof taken->frame, frame)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "the frame: %s",
                            struct_refusal(frame));
    }
    if (taken->frame.reserved != 0 || taken->frame.reserved_2 != 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "the frame: reserved is not 0");
    }
    if (taken->frame.other_foveas && taken->frame.other_fovea_count > FOVEA_FOVEAS_MAX - 1) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "the frame: other_fovea_count is %u; it must be 0 to %d",
                            taken->frame.other_fovea_count, FOVEA_FOVEAS_MAX - 1);
    }
    if (!(taken->frame.vergence_m >= 0.0)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "the frame: vergence_m is %g; it must be 0 or more",
                            taken->frame.vergence_m);
    }
    return take_views(fovea, taken);
}

static enum fovea_result take_recording(struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
                                        const struct fovea_vk_recording *given,
                                        struct fovea_vk_recording *recording)
{
    if (!struct_take(recording, sizeof *recording, given)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "the recording: %s",
                            struct_refusal(given));
    }
    if (!recording->commands) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "the recording has no commands");
    }
    if (recording->frame == 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "the recording is of frame 0; an engine's frames count from 1");
    }
    const uint64_t finished = recording->finished_frame > fovea->engines_finished
                                  ? recording->finished_frame
                                  : fovea->engines_finished;
    if (recording->frame <= finished) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "frame %llu is recorded, but %llu is said to be finished",
                            (unsigned long long)recording->frame, (unsigned long long)finished);
    }
    if (frame->wait_count > 0 || frame->signal_count > 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "a recorded frame waits for no semaphore and signals none");
    }
    fovea->engines_finished = finished;
    return FOVEA_OK;
}

/* A gaze that no sample of a source's takes the place of. */
static void look_straight_ahead(struct taken *taken)
{
    const struct fovea_gaze gaze = {.point = {0.5, 0.5}, .state = FOVEA_GAZE_HELD, .usable = true};
    taken->frame.gaze = gaze;
    for (uint32_t i = 0; i < FOVEA_VK_MAX_VIEWS; i++) {
        taken->views[i].gaze = gaze;
    }
}

static enum fovea_result take_and_prepare(struct fovea_vk *fovea,
                                          const struct fovea_vk_frame *frame)
{
    struct taken taken = {0};
    FOVEA_TRY(take(fovea, frame, &taken));
    look_straight_ahead(&taken);
    taken.frame.wait_count = taken.frame.signal_count = 0;
    struct frame_work work = {.desc = &taken.frame, .in_advance = true};
    FOVEA_TRY(frame_check(fovea, &work));
    const enum fovea_result result = frame_prepare(fovea, &work, fovea_time_ns());
    fovea->device_lost = fovea->device_lost || result == FOVEA_ERROR_DEVICE_LOST;
    return result;
}

/* A pointer may be some windows away. Numbers beyond that are an engine's mistake. */
static void warn_of_pixels(struct fovea_vk *fovea, const struct fovea_gaze *gaze)
{
    const double farthest = fmax(fabs(gaze->point.x_uv), fabs(gaze->point.y_uv));
    if (gaze->usable && farthest > 64.0 && farthest < INFINITY) {
        frame_warn(fovea, "a gaze is more than 64 pictures outside: it is probably in pixels, and "
                          "uv is 0 to 1");
    }
}

static void warn_of_gazes(struct fovea_vk *fovea, const struct taken *taken)
{
    if (!taken->frame.views) {
        warn_of_pixels(fovea, &taken->frame.gaze);
    }
    for (uint32_t i = 0; i < FOVEA_VK_MAX_VIEWS; i++) {
        warn_of_pixels(fovea, &taken->views[i].gaze); /* no gaze is usable where there is no view */
    }
}

/* given is NULL for a frame that is submitted. */
static enum fovea_result take_and_foveate(struct fovea_vk *fovea,
                                          const struct fovea_vk_frame *frame,
                                          const struct fovea_vk_recording *given)
{
    struct taken taken = {0};
    struct fovea_vk_recording recording = {0};
    FOVEA_TRY(take(fovea, frame, &taken));
    warn_of_gazes(fovea, &taken);
    if (given) {
        FOVEA_TRY(take_recording(fovea, &taken.frame, given, &recording));
    }
    return foveate(fovea, &taken.frame, given ? &recording : NULL);
}

static enum fovea_result enter(const struct fovea_vk *fovea)
{
    if (fovea->device_lost) {
        return FOVEA_ERROR_DEVICE_LOST;
    }
    if (fovea->half.lost || frame_is_parents(fovea)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    return ending_enter_frame() ? FOVEA_OK : FOVEA_NOT_READY; /* exit() has begun */
}

static enum fovea_result enter_and_foveate(struct fovea_vk *fovea,
                                           const struct fovea_vk_frame *frame,
                                           const struct fovea_vk_recording *recording)
{
    enum fovea_result result = enter(fovea);
    if (result == FOVEA_OK) {
        result = take_and_foveate(fovea, frame, recording);
        ending_leave_frame();
    }
    return result;
}

enum fovea_result fovea_vk_prepare(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    if (!fovea || !frame) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    enum fovea_result result = enter(fovea);
    if (result == FOVEA_OK) {
        result = take_and_prepare(fovea, frame);
        ending_leave_frame();
    }
    return result;
}

enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    return fovea && frame ? enter_and_foveate(fovea, frame, NULL) : FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result fovea_vk_record(struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
                                  const struct fovea_vk_recording *recording)
{
    return fovea && frame && recording ? enter_and_foveate(fovea, frame, recording)
                                       : FOVEA_ERROR_INVALID_ARGUMENT;
}
