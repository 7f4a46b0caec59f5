/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A picture takes the way of the frame that it is made in: a dispatch among its commands writes to
 * memory that the host sees, and when the frame's slot is found to be over that is given to the
 * source's thread. There is one at a time, of the first view. Frames wait for nobody here, and
 * whatever is missing, the frame is not. */
#include "frame_watch.h"

#include "core/ending.h"
#include "core/log.h"

#include <math.h>
#include <string.h>

#define FRAMES_A_PICTURE 8 /* at least: where frames are slow, so is the dispatch */

static uint32_t *words_of(const struct fovea_vk *fovea)
{
    return fovea->watch.picture.mapped;
}

/* ---- Following a source ---- */

/* Its memory stays for the next one. */
static enum fovea_result make_picture(struct fovea_vk *fovea)
{
    struct frame_watch *watch = &fovea->watch;
    if (!watch->picture.handle) {
        FOVEA_TRY(vk_buffer_init_shared(&watch->picture, &fovea->device,
                                        sizeof(uint32_t) *
                                            (GAZE_WATCH_HEAD_WORDS + GAZE_WATCH_PIXELS_MAX),
                                        VK_BUFFER_READ_BY_HOST));
    }
    return watch->set ? FOVEA_OK
                      : vk_compute_allocate_set(&fovea->compute, &fovea->device, &watch->set);
}

void frame_watch_leave(struct fovea_vk *fovea)
{
    struct frame_watch *watch = &fovea->watch;
    if (watch->of && watch->number) {
        gaze_watch_take_back(watch->of, watch->number);
    }
    watch->number = 0;
    watch->next_frame = 0;
    watch->place_count = 0;
    watch->proposals.count = 0;
    watch->shown_number = 0;
    gaze_watch_leave(&watch->of);
}

void frame_watch_finish(struct fovea_vk *fovea)
{
    vk_buffer_finish(&fovea->watch.picture, &fovea->device);
}

static enum fovea_result show_to(struct fovea_vk *fovea, struct gaze_watch *of)
{
    if (!of) {
        return FOVEA_OK;
    }
    if (!ending_enter()) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    const enum fovea_result result = make_picture(fovea);
    ending_leave();
    if (result == FOVEA_OK) {
        fovea->watch.of = gaze_watch_keep(of);
    }
    return result;
}

enum fovea_result fovea_vk_show_frames(struct fovea_vk *fovea, struct fovea_gaze_source *source,
                                       bool bottom_up)
{
    if (!fovea) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(fovea)) {
        return source ? FOVEA_ERROR_INVALID_STATE : FOVEA_OK;
    }
    fovea->watch.bottom_up = bottom_up;
    struct gaze_watch *of = source ? gaze_source_watch(source) : NULL;
    if (of == fovea->watch.of) {
        return FOVEA_OK;
    }
    frame_watch_leave(fovea);
    return show_to(fovea, of);
}

/* ---- A frame ---- */

struct vk_compute_kind frame_watch_kind(const struct frame_work *work)
{
    return (struct vk_compute_kind){.shader.shader = &shader_reduce,
                                    .format = work->src.format->pixel};
}

static VkImageView source_of(const struct frame_work *work)
{
    return work->read.shared ? work->read.raw_view : work->views[0].src_raw_view;
}

/* Without its kernel there are no pictures, until settings are set. */
static bool can_make(struct fovea_vk *fovea, const struct frame_work *work)
{
    if (vk_compute_prepare(&fovea->compute, &fovea->device, frame_watch_kind(work)) == FOVEA_OK) {
        return true;
    }
    log_warning(fovea->log, "frame: no kernel makes pictures for the gaze source; it sees none");
    fovea->watch.cannot = true;
    return false;
}

void frame_watch_choose(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    struct frame_watch *watch = &fovea->watch;
    if (!watch->of || watch->cannot || watch->slot || fovea->frame < watch->next_frame ||
        !source_of(work) || !can_make(fovea, work)) {
        return;
    }
    const uint64_t number = gaze_watch_wants(watch->of, fovea, now_ns);
    if (!number) {
        return; /* the former one may not be copied yet: its number is still needed */
    }
    watch->number = number;
    watch->next_frame = fovea->frame + FRAMES_A_PICTURE;
    watch->size = gaze_watch_size(watch->of, work->view_width_px, work->view_height_px);
    words_of(fovea)[0] = 0;
    vk_compute_write_reduce_set(&fovea->device, watch->set, source_of(work), watch->picture.handle);
    work->watched = true;
}

/* The host reads it once the frame is over. */
static void picture_barrier(struct fovea_vk *fovea, VkCommandBuffer commands)
{
    const VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    fovea->device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &info, 0, NULL, 0, NULL);
}

void frame_watch_record(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands)
{
    const struct frame_watch *watch = &fovea->watch;
    const struct frame_view *view = &work->views[0];
    if (!work->watched) {
        return;
    }
    const struct shader_reduce constants = {
        .from_px = {(int32_t)view->kernel_x_px, (int32_t)view->kernel_y_px},
        .size_px = {(int32_t)work->view_width_px, (int32_t)work->view_height_px},
        .cells = {(int32_t)watch->size.width_px, (int32_t)watch->size.height_px},
        .mark = gaze_watch_mark_of(watch->number),
        .blue_first = work->src.format->swap_red_blue,
        .bottom_up = watch->bottom_up};
    struct vk_dispatch dispatch = {.kind = frame_watch_kind(work),
                                   .set = watch->set,
                                   .constants = &constants,
                                   .constant_bytes = sizeof constants};
    shader_pixel_groups(watch->size.width_px, watch->size.height_px, dispatch.groups);
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
    picture_barrier(fovea, commands);
}

void frame_watch_conclude(struct fovea_vk *fovea, const struct frame_work *work, bool handed_over)
{
    struct frame_watch *watch = &fovea->watch;
    if (work->watched && handed_over) {
        watch->slot = work->slot;
    } else if (work->watched) {
        gaze_watch_take_back(watch->of, watch->number);
        watch->number = 0;
        watch->next_frame = 0; /* the next frame may have it */
    }
}

/* Commands of an engine's that were dropped have written nothing. */
void frame_watch_collect(struct fovea_vk *fovea, const struct frame_slot *slot)
{
    struct frame_watch *watch = &fovea->watch;
    if (watch->slot != slot) {
        return;
    }
    watch->slot = NULL;
    if (watch->number == 0) {
        return; /* its source is another one by now */
    }
    if (words_of(fovea)[0] == gaze_watch_mark_of(watch->number)) {
        gaze_watch_give(watch->of, watch->number, words_of(fovea) + GAZE_WATCH_HEAD_WORDS,
                        watch->size);
    } else {
        gaze_watch_take_back(watch->of, watch->number);
        watch->number = 0;
    }
}

/* ---- The HUD ---- */

#define JUMP_UV 0.02 /* of the picture's width: the gaze is elsewhere */

static void note_place(struct frame_watch *watch, struct fovea_point_uv point)
{
    struct fovea_point_uv *places = watch->places;
    const struct fovea_point_uv *last = watch->place_count ? &places[watch->place_count - 1] : NULL;
    if (last && hypot(point.x_uv - last->x_uv, point.y_uv - last->y_uv) < JUMP_UV) {
        return;
    }
    if (watch->place_count == OPERATOR_POINTS) {
        memmove(places, places + 1, (OPERATOR_POINTS - 1) * sizeof *places);
        watch->place_count--;
    }
    places[watch->place_count++] = point;
}

static void set_circles(const struct frame_watch *watch, float width_px, float height_px,
                        struct operator_hud *hud)
{
    hud->circle_count =
        watch->proposals.count < OPERATOR_CIRCLES ? watch->proposals.count : OPERATOR_CIRCLES;
    for (uint32_t i = 0; i < hud->circle_count; i++) {
        const struct gaze_proposal *blob = &watch->proposals.of[i];
        hud->circles[i][0] = blob->x_uv * width_px;
        hud->circles[i][1] = (watch->bottom_up ? 1 - blob->y_uv : blob->y_uv) * height_px;
        hud->circles[i][2] = blob->radius_uv * width_px;
    }
}

uint32_t frame_watch_others(const struct fovea_vk *fovea,
                            struct fovea_point_uv out_places[GAZE_OTHERS])
{
    const struct frame_watch *watch = &fovea->watch;
    const uint32_t count = watch->of ? gaze_watch_others(watch->of, out_places) : 0;
    for (uint32_t i = 0; i < count && watch->bottom_up; i++) {
        out_places[i].y_uv = 1.0 - out_places[i].y_uv;
    }
    return count;
}

void frame_watch_show(struct fovea_vk *fovea, const struct frame_work *work,
                      struct operator_hud *hud)
{
    struct frame_watch *watch = &fovea->watch;
    const struct fovea_gaze *gaze = work->views[0].gaze;
    const float width_px = (float)work->view_width_px;
    const float height_px = (float)work->view_height_px;
    hud->circle_count = hud->point_count = 0;
    if (!watch->of) {
        return;
    }
    if (gaze->usable) {
        note_place(watch, gaze->point);
    }
    gaze_watch_read(watch->of, &watch->shown_number, &watch->proposals);
    set_circles(watch, width_px, height_px, hud);
    hud->point_count = watch->place_count;
    for (uint32_t i = 0; i < watch->place_count; i++) {
        hud->points[i][0] = (float)watch->places[i].x_uv * width_px;
        hud->points[i][1] = (float)watch->places[i].y_uv * height_px;
    }
}
