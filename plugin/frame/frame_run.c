/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_link.h"
#include "frame_slot.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/struct_bytes.h"

static void hand_over(struct fovea_vk *fovea, struct frame_work *work, enum fovea_result result)
{
    fovea->frame++;
    work->slot->frame = fovea->frame;
    work->slot->pending = true;
    work->slot->late = work->late && result == FOVEA_OK;
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

/* These commands never ran: scratch may not be in GENERAL. */
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

static bool all_foveated(const struct frame_work *work)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (!work->views[i].foveated) {
            return false;
        }
    }
    return true;
}

static enum fovea_result run(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    FOVEA_TRY(frame_check(fovea, work));
    enum fovea_result result = frame_slot_take(fovea, work);
    if (result != FOVEA_OK) {
        return result;
    }
    frame_peer_notice(fovea);
    if (!frame_ready(fovea, work, now_ns)) {
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
    if (result == FOVEA_OK) {
        frame_trouble_is(fovea, all_foveated(work) ? FRAME_FINE : FRAME_VIEW_WITHOUT_GAZE);
    }
    return result;
}

static enum fovea_result foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    int64_t start_ns = fovea_time_ns();
    struct frame_work work = {.desc = frame};
    enum fovea_result result = run(fovea, &work, start_ns);
    if (result == FOVEA_ERROR_DEVICE_LOST) {
        fovea->device_lost = true;
    }
    if (result == FOVEA_OK) {
        frame_times_add(&fovea->cpu_times, (double)(fovea_time_ns() - start_ns) * 1e-3);
    }
    return result;
}

STRUCT_ENDS_WITH(struct fovea_vk_view, geometry);
STRUCT_ENDS_WITH(struct fovea_vk_frame, reserved);

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
    if (taken->frame.reserved != 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "the frame: reserved is not 0");
    }
    return take_views(fovea, taken);
}

enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    if (!fovea || !frame) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (fovea->device_lost) {
        return FOVEA_ERROR_DEVICE_LOST;
    }
    if (fovea->half.lost || frame_is_parents(fovea)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (!ending_enter_frame()) {
        return FOVEA_NOT_READY; /* exit() has begun */
    }
    struct taken taken;
    enum fovea_result result = take(fovea, frame, &taken);
    if (result == FOVEA_OK) {
        result = foveate(fovea, &taken.frame);
    }
    ending_leave_frame();
    return result;
}
