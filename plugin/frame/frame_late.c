/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes. A source calls `heard` on the thread that brings its samples; that writes the gaze
 * into blocks of memory, which whoever foveates a frame reads when it starts on it. Nobody waits
 * for anybody: the blocks are sequence locks (gaze/late.h), written by one thread at a time because
 * the source calls its listener one sample after the other.
 *
 * What `heard` uses is the context's, so the source forgets it (gaze_source_unlisten, which waits
 * for a call that is under way) before anything of the context goes. */
#include "frame_late.h"

#include "core/ending.h"
#include "core/log.h"
#include "kernels/operator/gaze.h"

#include <string.h>

/* Offsets in buffers; more than any device asks for. */
#define PLACE_BYTES 256

/* The first place of the mapped buffer is the block; behind it there is one for each slot. */
static VkDeviceSize place_of_slot(uint32_t slot)
{
    return (VkDeviceSize)PLACE_BYTES * slot;
}

static VkDeviceSize report_of_slot(uint32_t slot)
{
    return (VkDeviceSize)PLACE_BYTES * (slot + 1);
}

static enum fovea_result make_set(struct fovea_vk *fovea, uint32_t slot)
{
    struct frame_late *late = &fovea->late;
    FOVEA_TRY(vk_compute_allocate_set(&fovea->compute, &fovea->device, &late->sets[slot]));
    const struct vk_compute_latch_bindings bindings = {.block = late->mapped.handle,
                                                       .latched = late->latched.handle,
                                                       .latched_offset = place_of_slot(slot),
                                                       .report = late->mapped.handle,
                                                       .report_offset = report_of_slot(slot)};
    vk_compute_write_latch_set(&fovea->device, late->sets[slot], &bindings);
    return FOVEA_OK;
}

enum fovea_result frame_late_init(struct fovea_vk *fovea)
{
    struct frame_late *late = &fovea->late;
    FOVEA_TRY(vk_buffer_init_shared(&late->mapped, &fovea->device,
                                    report_of_slot(fovea->slot_count), VK_BUFFER_READ_BY_HOST));
    memset(late->mapped.mapped, 0, late->mapped.bytes);
    FOVEA_TRY(vk_buffer_init_shared(&late->latched, &fovea->device,
                                    place_of_slot(fovea->slot_count), VK_BUFFER_READ_BY_KERNELS));
    memset(late->latched.mapped, 0, late->latched.bytes);
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        FOVEA_TRY(make_set(fovea, i));
    }
    late->writers[0].block = late->mapped.mapped;
    late->writer_count = 1;
    return FOVEA_OK;
}

void frame_late_meet_peer(struct fovea_vk *fovea)
{
    struct frame_late *late = &fovea->late;
    struct peer *peer = fovea->peer;
    uint32_t *block = peer && peer->api->late_block ? peer->api->late_block(peer) : NULL;
    if (block) {
        late->writers[late->writer_count++].block = block;
    }
}

void frame_late_finish(struct fovea_vk *fovea)
{
    vk_buffer_finish(&fovea->late.mapped, &fovea->device);
    vk_buffer_finish(&fovea->late.latched, &fovea->device);
}

void frame_late_bind(const struct fovea_vk *fovea, uint32_t slot,
                     struct vk_compute_bindings *bindings)
{
    bindings->latched = fovea->late.latched.handle;
    bindings->latched_offset = place_of_slot(slot);
}

/* ---- Following a source ---- */

/* The source's thread calls it. */
static void heard(void *user, const struct fovea_gaze_sample *sample)
{
    struct frame_late *late = user;
    const uint64_t size = atomic_load_explicit(&late->size, memory_order_relaxed);
    if (size == 0) {
        return; /* no frame has said yet what gazes are for */
    }
    const uint32_t width_px = (uint32_t)(size >> 32);
    const uint32_t height_px = (uint32_t)(size & UINT32_MAX);
    const struct fovea_point_uv point =
        gaze_source_point(late->source, width_px, height_px, sample);
    const struct late_sample written = {.gaze_x_q8 = gaze_to_q8(point.x_uv, (int32_t)width_px),
                                        .gaze_y_q8 = gaze_to_q8(point.y_uv, (int32_t)height_px),
                                        .width_px = width_px,
                                        .height_px = height_px,
                                        .t_ns = sample->t_ns};
    for (uint32_t i = 0; i < late->writer_count && ending_enter(); i++) {
        late_write(&late->writers[i], &written);
        ending_leave();
    }
}

/* Forgets the former source's samples, which may be newer than all that the next source has said so
 * far. Nobody else writes, since nobody listens. */
static void forget_samples(struct frame_late *late)
{
    const struct late_sample none = {.width_px = 0};
    for (uint32_t i = 0; i < late->writer_count && ending_enter(); i++) {
        late_write(&late->writers[i], &none);
        ending_leave();
    }
}

/* The source goes, and has forgotten us. */
static void gone(void *user)
{
    struct frame_late *late = user;
    late->source = NULL;
    forget_samples(late);
}

void frame_late_leave(struct fovea_vk *fovea)
{
    if (fovea->late.source) {
        gaze_source_unlisten(fovea->late.source, &fovea->late.listener);
        fovea->late.source = NULL;
        forget_samples(&fovea->late);
    }
}

/* `heard` may be called as soon as it is known, so the source is set before. */
static enum fovea_result follow(struct fovea_vk *fovea, struct fovea_gaze_source *source)
{
    struct frame_late *late = &fovea->late;
    late->listener = (struct gaze_listener){.heard = heard, .gone = gone, .user = late};
    late->source = source;
    const enum fovea_result result = gaze_source_listen(source, &late->listener);
    if (result < 0) {
        late->source = NULL;
        log_error(fovea->log,
                  "fovea_vk_follow_gaze: samples of this source do not come from outside");
    }
    return result;
}

enum fovea_result fovea_vk_follow_gaze(struct fovea_vk *fovea, struct fovea_gaze_source *source)
{
    if (!fovea) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (frame_is_parents(fovea)) {
        /* A thread of the parent's may have been calling the listeners: it never gets over here. */
        return source ? FOVEA_ERROR_INVALID_STATE : FOVEA_OK;
    }
    if (source && source == fovea->late.source) {
        return FOVEA_OK;
    }
    struct fovea_gaze_source *const old = fovea->late.source;
    frame_late_leave(fovea);
    enum fovea_result result = source ? follow(fovea, source) : FOVEA_OK;
    if (result < 0 && old && follow(fovea, old) < 0) {
        log_error(fovea->log, "fovea_vk_follow_gaze: the source before is lost too");
    }
    return result;
}

/* ---- A frame ---- */

/* Samples are written as they come: whoever writes them has no plan that moves them. */
static bool is_moved(const struct fovea_vk *fovea, const struct frame_view *view)
{
    return fovea->settings.gaze.over == FOVEA_GAZE_OVER_SHOWN &&
           chain_moves_places(view->plan->plan);
}

static bool is_late(const struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct frame_view *view = &work->views[0];
    /* The first block is for kernels of the queue, the second for the peer. */
    const bool has_block = !work->use_peer || fovea->late.writer_count > 1;
    return fovea->settings.gaze.late && fovea->late.source && has_block && work->view_count == 1 &&
           view->sighted && fovea_gaze_is_tracked(view->gaze->state) && !is_moved(fovea, view);
}

/* The newest sample of the source, with its exact time: since the engine read its gaze, others may
 * have come, and a frame without a newer one in its block keeps this. Takes no lock. Where the
 * source is not tracked any more, the engine's gaze; its sample is then as old as it was when it
 * was read, or older. */
static int64_t choose_own(struct fovea_vk *fovea, const struct frame_work *work,
                          struct frame_view *view)
{
    const int64_t now_ns = fovea_time_ns();
    struct fovea_gaze gaze = {.state = FOVEA_GAZE_LOST};
    if (fovea_gaze_source_read(fovea->late.source, now_ns, work->view_width_px,
                               work->view_height_px, &gaze) < 0 ||
        !fovea_gaze_is_tracked(gaze.state)) {
        return now_ns - (view->gaze->age_ns > 0 ? view->gaze->age_ns : 0);
    }
    view->frame.gaze_x_q8 = gaze_to_q8(gaze.point.x_uv, (int32_t)work->view_width_px);
    view->frame.gaze_y_q8 = gaze_to_q8(gaze.point.y_uv, (int32_t)work->view_height_px);
    return now_ns - gaze.age_ns;
}

void frame_late_choose(struct fovea_vk *fovea, struct frame_work *work)
{
    struct frame_view *view = &work->views[0];
    work->late = is_late(fovea, work);
    if (!work->late) {
        return;
    }
    const uint64_t size = (uint64_t)work->view_width_px << 32 | work->view_height_px;
    atomic_store_explicit(&fovea->late.size, size, memory_order_relaxed);
    const int64_t own_t_ns = choose_own(fovea, work, view);
    work->late_own = late_own_make(&view->frame, own_t_ns);
    view->frame.late = !work->use_peer || !fovea->peer->api->imports_handles;
}

/* Makes the latch's values visible to the kernels that follow, and to the host once the frame is
 * over. */
static void latch_barrier(struct fovea_vk *fovea, VkCommandBuffer commands)
{
    const VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_HOST_READ_BIT};
    fovea->device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                            VK_PIPELINE_STAGE_HOST_BIT,
                                        0, 1, &info, 0, NULL, 0, NULL);
}

/* It knows no pixels. */
struct vk_compute_kind frame_late_kind(void)
{
    return (struct vk_compute_kind){.shader.shader = &shader_latch, .format = FOVEA_FORMAT_RGBA8};
}

void frame_late_record(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands)
{
    if (!work->late) {
        return;
    }
    const struct vk_dispatch dispatch = {.kind = frame_late_kind(),
                                         .set = fovea->late.sets[work->slot_index],
                                         .constants = &work->late_own,
                                         .constant_bytes = sizeof work->late_own,
                                         .groups = {1, 1}};
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
    latch_barrier(fovea, commands);
}

static uint32_t *latched_words(const struct fovea_vk *fovea, uint32_t slot)
{
    return (uint32_t *)((char *)fovea->late.latched.mapped + place_of_slot(slot));
}

void frame_late_job(const struct fovea_vk *fovea, const struct frame_work *work,
                    struct peer_late *out_late)
{
    *out_late = (struct peer_late){
        .on = work->late, .own = work->late_own, .latched = latched_words(fovea, work->slot_index)};
}

/* ---- How old the samples were ---- */

static bool queue_age(struct fovea_vk *fovea, uint32_t slot, const uint64_t *start_ticks,
                      int64_t *out_age_ns)
{
    const uint32_t *report =
        (const uint32_t *)((char *)fovea->late.mapped.mapped + report_of_slot(slot));
    int64_t start_ns = 0;
    if (!start_ticks || !vk_clock_to_host(&fovea->late.clock, &fovea->device, *start_ticks,
                                          fovea_time_ns(), &start_ns)) {
        return false;
    }
    *out_age_ns = start_ns - late_join(report[LATCHED_T_LOW], report[LATCHED_T_HIGH]);
    return true;
}

/* The report is written by the latch of the queue, and the words of a host peer are what it left.
 * A peer that imports handles keeps them to itself. */
bool frame_late_place(const struct fovea_vk *fovea, const struct frame_slot *slot,
                      struct record_row *row)
{
    const uint32_t *words = latched_words(fovea, (uint32_t)(slot - fovea->slots));
    if (slot->by_peer && fovea->peer->api->imports_handles) {
        return false;
    }
    row->late_gaze.x_uv = (int32_t)words[LATCHED_GAZE_X] / 256.0 / row->width_px;
    row->late_gaze.y_uv = (int32_t)words[LATCHED_GAZE_Y] / 256.0 / row->height_px;
    return true;
}

int64_t frame_late_collect(struct fovea_vk *fovea, struct frame_slot *slot,
                           const uint64_t *start_ticks)
{
    if (!slot->late) {
        return -1;
    }
    slot->late = false;
    const uint32_t index = (uint32_t)(slot - fovea->slots);
    int64_t age_ns = 0;
    const bool known = slot->by_peer
                           ? fovea->peer->api->late_age(fovea->peer, index, &age_ns) == FOVEA_OK
                           : queue_age(fovea, index, start_ticks, &age_ns);
    if (known) {
        /* A sample may be stamped a little ahead of our clock. */
        age_ns = age_ns > 0 ? age_ns : 0;
        frame_times_add(&fovea->late.ages, (double)age_ns * 1e-3);
    }
    return known ? age_ns : -1;
}
