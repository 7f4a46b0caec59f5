/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images and plans that frames use one after the other. */
#pragma once

#include "frame.h"

/* frame_image.c */
void frame_shared_finish(struct fovea_vk *fovea, struct frame_shared *shared);
/* Finds one of the size of what the kernels work on. between: how many images between operators; 0:
 * for copies. */
FOVEA_MUST_CHECK enum fovea_result frame_scratch_find(struct fovea_vk *fovea,
                                                      const struct vk_image_desc *desc,
                                                      uint32_t between,
                                                      struct frame_scratch **out_scratch);
void frame_images_finish(struct fovea_vk *fovea);

/* Memory that no frame has used for long goes, a piece at a time: _forget. All that no unfinished
 * frame uses, nor the one that is being made ready: _give_up, true if there was any. */
void frame_scratch_forget(struct fovea_vk *fovea);
bool frame_scratch_give_up(struct fovea_vk *fovea);
void frame_pass_scratch_forget(struct fovea_vk *fovea);
bool frame_pass_scratch_give_up(struct fovea_vk *fovea);
bool frame_plans_give_up(struct fovea_vk *fovea); /* what plans have left for others */
/* The last frames that used what there is. */
struct frame_uses {
    uint64_t plans[FRAME_MAX_PLANS];
    uint64_t scratch[FRAME_MAX_SCRATCH];
    uint64_t pass_scratch[FRAME_MAX_PASS_SCRATCH];
};
void frame_uses_note(const struct fovea_vk *fovea, struct frame_uses *out_uses);
/* Things made in advance since then are no frame's and may go; those that a frame uses are still
 * that one's. */
void frame_uses_put_back(struct fovea_vk *fovea, const struct frame_uses *uses);

/* Notes that a picture has grown. True: it has done so before within a while, and what is made for
 * it is to have some room. Two pictures by turns have grown once. */
static inline bool frame_grows(const struct fovea_vk *fovea, uint64_t *grown)
{
    const bool again = *grown > 0 && *grown + FRAME_PLAN_KEPT_FRAMES > fovea->frame;
    *grown = fovea->frame + 1;
    return again;
}

/* Whom a plan is for. */
enum frame_plan_for {
    FRAME_PLAN_FOR_FRAME, /* the next one, before which has retired the plan is not replaced */
    FRAME_PLAN_FOR_LATER, /* as if for the next one; the log hears nothing of it */
    FRAME_PLAN_FOR_CALL, /* the next call may replace it */
};

struct frame_view;
/* frame_plan.c: for such a view, by its eye and frustum and whether it has sigmas.
 * FOVEA_ERROR_INVALID_ARGUMENT: an operator refuses such views, and the log was told why. */
FOVEA_MUST_CHECK enum fovea_result frame_plan_find(struct fovea_vk *fovea,
                                                   const struct frame_view *view, uint32_t width_px,
                                                   uint32_t height_px, enum frame_plan_for whom,
                                                   struct frame_plan **out_plan);
/* A faithful view looks mild: the log says how strong a frame's plan is, once for each time that
 * settings are set; frustums of an engine's own are many, and the others are said at debug. */
void frame_plan_describe(struct fovea_vk *fovea, struct frame_plan *entry);
/* The peer gets to know it, once. */
FOVEA_MUST_CHECK enum fovea_result frame_plan_share(struct fovea_vk *fovea,
                                                    struct frame_plan *entry);
void frame_plans_finish(struct fovea_vk *fovea);

/* frame_pass_scratch.c: so many bytes or more, for the next frame. */
FOVEA_MUST_CHECK enum fovea_result frame_pass_scratch_find(struct fovea_vk *fovea, uint64_t bytes,
                                                           struct frame_pass_scratch **out_scratch);
void frame_pass_scratch_finish(struct fovea_vk *fovea);
