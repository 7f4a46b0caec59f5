/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_depth.h"
#include "frame_image.h"
#include "frame_late.h"
#include "frame_link.h"
#include "frame_record.h"
#include "frame_watch.h"

#include "core/log.h"

#include <math.h>
#include <string.h>

/* After a frame that found no memory: how long not to try again with others of its kind. */
#define RETRY_NS 1000000000

/* The kinds of work that a frame could not have. */
enum lack {
    LACK_PLAN,
    LACK_PEERS_PLAN,
    LACK_IMAGES,
    LACK_COPY_KERNEL,
    LACK_OVERLAY_KERNEL,
    LACK_KERNEL, /* of those that foveate */
};

static bool has_sigmas(const struct frame_work *work)
{
    bool any = false;
    for (uint32_t i = 0; i < work->view_count; i++) {
        any = any || work->views[i].sigmas.view;
    }
    return any;
}

static bool gaze_usable(const struct fovea_gaze *gaze)
{
    return gaze->usable && isfinite(gaze->point.x_uv) && isfinite(gaze->point.y_uv);
}

/* Over the picture that foveate reads. */
static struct fovea_point_uv drawn_gaze(const struct fovea_vk *fovea, const struct frame_plan *plan,
                                        struct fovea_point_uv point)
{
    const bool shown = fovea->settings.gaze.over == FOVEA_GAZE_OVER_SHOWN;
    return shown ? chain_gaze_at(plan->plan, point) : point;
}

/* False if there is nothing to do. */
static bool find_gazes(const struct fovea_vk *fovea, struct frame_work *work)
{
    const bool runs_blind = chain_runs_blind(&fovea->settings.operators);
    bool any = false;
    for (uint32_t i = 0; i < work->view_count; i++) {
        struct frame_view *view = &work->views[i];
        view->sighted = gaze_usable(view->gaze);
        view->runs = view->sighted || runs_blind;
        any = any || view->runs;
    }
    return any;
}

/* Kernels work on an image where it lies: on one of Fovea's own if the peer knows it, on the
 * engine's if it is to be seen and there is no peer, which never knows those. */
static bool direct(const struct frame_work *work, const struct frame_end *end)
{
    return work->use_peer ? end->made && end->made->shared.peer
                          : end->made || frame_sees(work, end);
}

static struct frame_target target_of(const struct frame_end *end)
{
    return (struct frame_target){.image = end->image,
                                 .raw_view = end->raw_view,
                                 .shared = end->made ? &end->made->shared : NULL,
                                 .layer_count = end->layer_count};
}

static struct frame_target scratch_target(struct frame_shared *shared)
{
    return (struct frame_target){shared->image.handle, shared->image.raw_view, shared, 1};
}

/* Layers lie above each other: in scratch, which has one, they would be at one place unless it
 * takes all of them, packed. */
static void choose_copies(struct frame_work *work)
{
    bool read = direct(work, &work->src);
    bool written = direct(work, &work->dst) && !work->in_place;
    if (!frame_in_layer_0(work)) {
        read = written = read && written;
    }
    work->copy_in = read ? FRAME_NO_COPY : frame_copy_by(work, &work->src);
    work->copy_out = written ? FRAME_NO_COPY : frame_copy_by(work, &work->dst);
}

static enum fovea_result find_scratch(struct fovea_vk *fovea, const struct frame_work *work,
                                      uint32_t between, struct frame_scratch **out_scratch)
{
    const struct vk_image_desc desc = {.format = work->src.format,
                                       .raw = true,
                                       .width_px = work->kernel_width_px,
                                       .height_px = work->kernel_height_px};
    FOVEA_TRY(frame_scratch_find(fovea, &desc, between, out_scratch));
    (*out_scratch)->last_frame = fovea->frame + 1;
    return FOVEA_OK;
}

/* A peer has its own. All views go through the same operators. */
static uint32_t count_between(const struct frame_work *work)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < work->view_count && !work->use_peer; i++) {
        const struct frame_view *view = &work->views[i];
        const uint32_t count = view->runs && view->plan ? view->plan->plan->images_between : 0;
        most = count > most ? count : most;
    }
    return most;
}

static enum fovea_result find_images(struct fovea_vk *fovea, struct frame_work *work)
{
    const uint32_t between = count_between(work);
    choose_copies(work);
    frame_views_place(fovea, work);
    work->read = target_of(&work->src);
    work->write = target_of(&work->dst);
    if (work->copy_in || work->copy_out) {
        struct frame_scratch *scratch = NULL;
        FOVEA_TRY(find_scratch(fovea, work, 0, &scratch));
        work->read = work->copy_in ? scratch_target(&scratch->src) : work->read;
        work->write = work->copy_out ? scratch_target(&scratch->dst) : work->write;
    }
    work->between = NULL;
    return between > 0 ? find_scratch(fovea, work, between, &work->between) : FOVEA_OK;
}

/* The HUD is drawn by view 0 in any case. */
static bool needs_plan(const struct fovea_vk *fovea, const struct frame_work *work, uint32_t index)
{
    return work->views[index].runs ||
           (work->overlay && index == 0 && frame_overlay_tells(&fovea->settings.overlay));
}

static enum fovea_result prepare(struct fovea_vk *fovea, struct vk_compute_kind kind)
{
    return vk_compute_prepare(&fovea->compute, &fovea->device, kind);
}

/* Those of any gaze, which a late one is; and of any depths, which need not be there yet. */
static enum fovea_result prepare_passes(struct fovea_vk *fovea, const struct frame_work *work,
                                        const struct frame_view *view)
{
    static const struct operator_depths none = {.values = {.zero_m = 1.0, .one_m = 2.0}};
    const enum fovea_format format = work->src.format->pixel;
    struct operator_pass *passes = fovea->scratch_passes;
    struct operator_frame frame = view->frame;
    frame.late = true;
    frame.depths = frame.depths ? frame.depths : &none;
    const uint32_t count = chain_operator.glsl->passes(view->plan->glsl, &frame, format, passes);
    for (uint32_t i = 0; i < count; i++) {
        FOVEA_TRY(prepare(fovea, vk_compute_kind_of(&passes[i].shader, format)));
    }
    return FOVEA_OK;
}

/* No gaze is tracked in advance, but the frame's may be. */
static bool needs_latch(const struct fovea_vk *fovea, const struct frame_work *work)
{
    const bool may_be_late = work->in_advance && fovea->settings.gaze.late && work->view_count == 1;
    return (work->late || may_be_late) && !work->use_peer;
}

static enum fovea_result find_pipelines(struct fovea_vk *fovea, const struct frame_work *work,
                                        enum lack *out_lack)
{
    *out_lack = LACK_KERNEL;
    for (uint32_t i = 0; i < work->view_count && !work->use_peer; i++) {
        if (work->views[i].plan) {
            FOVEA_TRY(prepare_passes(fovea, work, &work->views[i]));
        }
    }
    if (needs_latch(fovea, work)) {
        FOVEA_TRY(prepare(fovea, frame_late_kind()));
    }
    if (work->in_advance && fovea->watch.of) {
        (void)!prepare(fovea, frame_watch_kind(work)); /* a frame that lacks it says so */
    }
    if (work->overlay) {
        *out_lack = LACK_OVERLAY_KERNEL;
        FOVEA_TRY(prepare(fovea, frame_overlay_kind(work)));
    }
    if (work->copy_in == FRAME_COPY_KERNEL || work->copy_out == FRAME_COPY_KERNEL) {
        *out_lack = LACK_COPY_KERNEL;
        FOVEA_TRY(prepare(fovea, frame_copy_kind(work)));
    }
    return FOVEA_OK;
}

/* The program's, or those of the source that is shown the frames. */
static void set_others(const struct fovea_vk *fovea, const struct frame_work *work,
                       const struct frame_plan *plan, struct operator_frame *frame)
{
    struct fovea_point_uv places[GAZE_OTHERS_MAX];
    uint32_t count = 0;
    if (!work->desc->other_foveas) {
        count = frame_watch_others(fovea, places);
    }
    for (; work->desc->other_foveas && count < work->desc->other_fovea_count; count++) {
        places[count] = work->desc->other_foveas[count];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(places[i].x_uv) && isfinite(places[i].y_uv)) { /* others do not count */
            places[i] = drawn_gaze(fovea, plan, places[i]);
        }
    }
    operator_frame_set_others(frame, places, count);
}

static enum fovea_result find_plan(struct fovea_vk *fovea, const struct frame_work *work,
                                   struct frame_view *view, enum lack *out_lack)
{
    struct frame_plan *plan = NULL;
    *out_lack = LACK_PLAN;
    FOVEA_TRY(frame_plan_find(fovea, view, work->view_width_px, work->view_height_px,
                              work->in_advance ? FRAME_PLAN_FOR_LATER : FRAME_PLAN_FOR_FRAME,
                              &plan));
    view->plan = plan;
    if (!work->in_advance) {
        frame_plan_describe(fovea, plan);
    }
    struct fovea_point_uv gaze = {0.5, 0.5};
    if (view->sighted) {
        gaze = drawn_gaze(fovea, plan, view->gaze->point);
    }
    view->frame = operator_frame_make(work->view_width_px, work->view_height_px, gaze);
    view->frame.blind = !view->sighted;
    set_others(fovea, work, plan, &view->frame);
    view->frame.blue_first = work->src.format->swap_red_blue;
    view->frame.depths = view->depth ? &view->depths : NULL;
    if (!view->runs || !work->use_peer) {
        return FOVEA_OK;
    }
    *out_lack = LACK_PEERS_PLAN;
    return frame_plan_share(fovea, plan);
}

/* A peer has memory of its own. */
static enum fovea_result find_pass_scratch(struct fovea_vk *fovea, struct frame_work *work)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < work->view_count && !work->use_peer; i++) {
        const struct frame_view *view = &work->views[i];
        const uint64_t bytes =
            view->runs
                ? chain_operator.glsl->scratch_bytes(view->plan->glsl, work->src.format->pixel)
                : 0;
        most = bytes > most ? bytes : most;
    }
    work->pass_scratch_bytes = most;
    work->pass_scratch = NULL;
    return most > 0 ? frame_pass_scratch_find(fovea, most, &work->pass_scratch) : FOVEA_OK;
}

/* After this frame's are found: they are none of those. */
static void forget_scratch(struct fovea_vk *fovea)
{
    if (fovea->frame % FRAME_FORGET_EVERY == 0) {
        frame_scratch_forget(fovea);
        frame_pass_scratch_forget(fovea);
    }
}

/* If it fails, it says what the frame lacks. */
static enum fovea_result gather(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns,
                                enum lack *out_lack)
{
    /* Peers do not know the engine's images. */
    work->use_peer = !work->recording && !has_sigmas(work) && !frame_depth_needed(fovea) &&
                     frame_peer_usable(fovea);
    work->overlay =
        now_ns >= fovea->overlay_retry_ns && frame_overlay_wanted(&fovea->settings.overlay);
    work->copy_by_command = now_ns < fovea->copy_retry_ns;
    for (uint32_t i = 0; i < work->view_count; i++) {
        work->views[i].plan = NULL;
        if (needs_plan(fovea, work, i)) {
            FOVEA_TRY(find_plan(fovea, work, &work->views[i], out_lack));
        }
    }
    *out_lack = LACK_PLAN;
    FOVEA_TRY(find_pass_scratch(fovea, work));
    work->overlay = work->overlay && frame_overlay_kind(work).shader.shader;
    frame_late_choose(fovea, work);
    *out_lack = LACK_IMAGES;
    FOVEA_TRY(find_images(fovea, work));
    forget_scratch(fovea);
    return find_pipelines(fovea, work, out_lack);
}

/* None: an image between of a frame that has none. */
static VkImageView view_of(const struct frame_work *work, uint32_t index, uint32_t image)
{
    const struct frame_view *view = &work->views[index];
    if (image == OPERATOR_SOURCE) {
        return work->read.shared ? work->read.raw_view : view->src_raw_view;
    }
    if (image == OPERATOR_RESULT) {
        return work->write.shared ? work->write.raw_view : view->dst_raw_view;
    }
    const struct frame_scratch *between = work->between;
    return !between                    ? VK_NULL_HANDLE
           : image == OPERATOR_BETWEEN ? between->src.image.raw_view
                                       : between->dst.image.raw_view;
}

static struct vk_compute_range range_of(const struct vk_buffer *buffer, struct operator_range range)
{
    return (struct vk_compute_range){buffer->handle, range.offset, range.bytes};
}

static void write_set(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                      const struct operator_step *step, VkDescriptorSet set)
{
    const struct frame_plan *plan = work->views[index].plan;
    /* Every binding must be something, also where only the overlay runs. */
    const struct vk_compute_range tables = range_of(&plan->tables, step->tables);
    const struct operator_range scratch = {0, work->pass_scratch_bytes};
    struct vk_compute_bindings bindings = {
        .source = view_of(work, index, step->reads),
        .result = view_of(work, index, step->writes),
        .tables = tables,
        .scratch = work->pass_scratch ? range_of(&work->pass_scratch->buffer, scratch) : tables,
        .text = fovea->text.handle,
        .text_offset = work->slot_index * sizeof(struct operator_hud),
        .text_bytes = sizeof(struct operator_hud)};
    frame_depth_bind(fovea, work, index, step, &bindings);
    frame_late_bind(fovea, work->slot_index, &bindings);
    if (bindings.source && bindings.result) { /* else no pass of the step runs */
        vk_compute_write_set(&fovea->device, set, &bindings);
    }
}

static void write_sets(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index)
{
    const struct frame_plan *plan = work->views[index].plan;
    struct operator_step steps[OPERATOR_MAX_STEPS];
    const uint32_t count = chain_operator.glsl->steps(plan->glsl, steps);
    for (uint32_t i = 0; i < count; i++) {
        write_set(fovea, work, index, &steps[i], work->slot->sets[index][i]);
    }
}

/* An error that the peer may have caused, which knows nothing of the kernels of a frame. */
static bool blames_peer(const struct frame_work *work, enum fovea_result result, enum lack lack)
{
    return work->use_peer && result != FOVEA_ERROR_OUT_OF_MEMORY &&
           result != FOVEA_ERROR_INVALID_ARGUMENT &&
           (lack == LACK_PEERS_PLAN || lack == LACK_IMAGES);
}

/* When a kernel is asked for again, unless settings are set: memory may be there by then, and
 * nothing else will change. */
static int64_t kernel_retry_ns(enum fovea_result result, int64_t now_ns)
{
    return result == FOVEA_ERROR_OUT_OF_MEMORY ? now_ns + RETRY_NS : INT64_MAX;
}

/* The first time. */
static void say_without(const struct fovea_vk *fovea, int64_t retry_ns, const char *words)
{
    if (retry_ns == 0) {
        log_warning(fovea->log, "frame: %s", words);
    }
}

/* False: the frame needs what it lacks. True: it is to be gathered again, without that. */
static bool do_without(struct fovea_vk *fovea, const struct frame_work *work,
                       enum fovea_result result, enum lack lack, int64_t now_ns)
{
    if (blames_peer(work, result, lack)) {
        frame_peer_fail(fovea, result, FRAME_PEER_REPLACED);
        return true;
    }
    if (result == FOVEA_ERROR_DEVICE_LOST) {
        return false;
    }
    if (lack == LACK_COPY_KERNEL) {
        say_without(fovea, fovea->copy_retry_ns, "no kernel copies; vkCmdCopyImage does");
        fovea->copy_retry_ns = kernel_retry_ns(result, now_ns);
        return true;
    }
    if (lack == LACK_OVERLAY_KERNEL) {
        say_without(fovea, fovea->overlay_retry_ns,
                    "no kernel draws the overlay; frames have none");
        fovea->overlay_retry_ns = kernel_retry_ns(result, now_ns);
        return true;
    }
    return false;
}

/* False: nothing was kept that a frame in want of memory could have. */
static bool give_up_what_is_kept(struct fovea_vk *fovea)
{
    const bool plans = frame_plans_give_up(fovea);
    const bool passes = frame_pass_scratch_give_up(fovea);
    return frame_scratch_give_up(fovea) || passes || plans;
}

/* Each thing that can be done without is so only once in a frame, and there are three. */
static enum fovea_result gather_what_can_be_had(struct fovea_vk *fovea, struct frame_work *work,
                                                int64_t now_ns)
{
    enum lack lack = LACK_PLAN;
    enum fovea_result result = gather(fovea, work, now_ns, &lack);
    if (result == FOVEA_ERROR_OUT_OF_MEMORY && give_up_what_is_kept(fovea)) {
        result = gather(fovea, work, now_ns, &lack);
    }
    while (result < 0 && do_without(fovea, work, result, lack, now_ns)) {
        result = gather(fovea, work, now_ns, &lack);
    }
    return result;
}

/* The next frame may have other frustums and is tried at once; said once for each time that
 * settings are set, because such frames and others may come by turns. */
static void refuse_plan(struct fovea_vk *fovea)
{
    if (!fovea->plan_refused) {
        log_warning(fovea->log,
                    "frame: a view's frustum and the settings ask for a blur that no image "
                    "of this size needs; frames with it pass through");
        fovea->plan_refused = true;
    }
}

static struct frame_kind kind_of(const struct frame_work *work)
{
    const bool ends[] = {work->src.made, work->dst.made,   work->src.raw_view,  work->dst.raw_view,
                         work->in_place, has_sigmas(work), work->views[0].depth};
    struct frame_kind kind = {.format = work->src.format,
                              .width_px = work->src.width_px,
                              .height_px = work->src.height_px,
                              .view_width_px = work->view_width_px,
                              .view_height_px = work->view_height_px,
                              .view_count = work->view_count};
    for (uint32_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        kind.ends |= (uint32_t)ends[i] << i;
    }
    return kind;
}

static bool is_same_kind(const struct frame_kind *a, const struct frame_kind *b)
{
    return a->format == b->format && a->width_px == b->width_px && a->height_px == b->height_px &&
           a->view_width_px == b->view_width_px && a->view_height_px == b->view_height_px &&
           a->view_count == b->view_count && a->ends == b->ends;
}

static bool is_paused(const struct fovea_vk *fovea, const struct frame_kind *kind, int64_t now_ns)
{
    for (uint32_t i = 0; i < FRAME_MAX_PAUSES; i++) {
        const struct frame_pause *pause = &fovea->pauses[i];
        if (now_ns < pause->until_ns && is_same_kind(&pause->kind, kind)) {
            return true;
        }
    }
    return false;
}

static void pause_kind(struct fovea_vk *fovea, const struct frame_kind *kind, int64_t until_ns)
{
    struct frame_pause *first = &fovea->pauses[0];
    for (uint32_t i = 1; i < FRAME_MAX_PAUSES; i++) {
        if (fovea->pauses[i].until_ns < first->until_ns) {
            first = &fovea->pauses[i];
        }
    }
    *first = (struct frame_pause){*kind, until_ns};
}

void frame_ready_try_again(struct fovea_vk *fovea)
{
    memset(fovea->pauses, 0, sizeof fovea->pauses);
    fovea->copy_retry_ns = 0;
    fovea->overlay_retry_ns = 0;
    fovea->watch.cannot = false;
}

bool frame_ready(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    if (!find_gazes(fovea, work)) {
        frame_trouble_is(fovea, FRAME_NO_GAZE);
        return false;
    }
    const struct frame_kind kind = kind_of(work);
    if (is_paused(fovea, &kind, now_ns)) {
        return false;
    }
    const enum fovea_result result = gather_what_can_be_had(fovea, work, now_ns);
    if (result == FOVEA_ERROR_INVALID_ARGUMENT) {
        refuse_plan(fovea);
        return false;
    }
    if (result < 0) {
        frame_trouble_is(fovea,
                         result == FOVEA_ERROR_OUT_OF_MEMORY ? FRAME_NO_MEMORY : FRAME_CANNOT);
        pause_kind(fovea, &kind, now_ns + RETRY_NS);
        return false;
    }
    for (uint32_t i = 0; i < work->view_count && (!work->use_peer || work->overlay); i++) {
        if (work->views[i].plan) {
            write_sets(fovea, work, i);
        }
    }
    frame_copy_write_sets(fovea, work);
    frame_watch_choose(fovea, work, now_ns);
    return true;
}

enum fovea_result frame_prepare(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns)
{
    const int64_t copy_retry_ns = fovea->copy_retry_ns;
    const int64_t overlay_retry_ns = fovea->overlay_retry_ns;
    struct frame_uses uses;
    frame_uses_note(fovea, &uses);
    (void)find_gazes(fovea, work); /* in advance all have one */
    const enum fovea_result result = gather_what_can_be_had(fovea, work, now_ns);
    frame_uses_put_back(fovea, &uses);
    /* The first frame tries for itself. */
    fovea->copy_retry_ns = copy_retry_ns;
    fovea->overlay_retry_ns = overlay_retry_ns;
    return result == FOVEA_ERROR_INVALID_ARGUMENT ? FOVEA_PASSED_THROUGH : result;
}
