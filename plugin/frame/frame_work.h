/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame on its way: what the engine gave, resolved, and who takes it from one step to the
 * next. */
#pragma once

#include "frame.h"

/* One image of a frame, src or dst, resolved. */
struct frame_end {
    VkImage image;
    VkImageView raw_view; /* of layer 0, for kernels; none: they cannot see the image */
    struct fovea_vk_image *made;
    const struct vk_format *format;
    uint32_t width_px;
    uint32_t height_px;
    VkImageLayout layout_before;
    VkImageLayout layout_after;
    uint32_t family; /* VK_QUEUE_FAMILY_IGNORED: no transfer */
    uint32_t layer_count;
};

/* One eye's view, of the size that all views of a frame have. */
struct frame_view {
    const struct fovea_gaze *gaze;
    struct fovea_geometry geometry;
    enum fovea_map_eye eye;
    uint32_t x_px; /* in the engine's images */
    uint32_t y_px;
    uint32_t layer;
    VkImageView src_raw_view; /* of the layer, where kernels see the engine's image there */
    VkImageView dst_raw_view;
    struct fovea_vk_sigmas sigmas;
    VkImageView depth; /* none: no operator needs any */
    VkImageLayout depth_layout; /* while it is read */
    VkImage depth_attachment; /* its image, where that is brought to the layout and back */
    VkImageLayout depth_attachment_layout; /* which it is in otherwise */
    uint32_t depth_layer;
    VkImageAspectFlags depth_aspects;
    VkBuffer focus; /* the engine's; none: the context's */
    VkDeviceSize focus_offset;
    struct operator_depths depths; /* what it says */
    uint32_t kernel_x_px; /* in the images that the kernels read and write */
    uint32_t kernel_y_px;
    bool sighted; /* it has a gaze */
    bool runs; /* operators are at work on it; else it is copied as it is */
    struct frame_plan *plan; /* NULL: nothing is at work on it, and nothing drawn */
    struct operator_frame frame;
};

/* An image as kernels have it: raw words in layout GENERAL. */
struct frame_target {
    VkImage image;
    VkImageView raw_view; /* of layer 0 */
    struct frame_shared *shared; /* NULL: the engine's own */
    uint32_t layer_count;
};

enum frame_copy {
    FRAME_NO_COPY,
    FRAME_COPY_COMMAND, /* vkCmdCopyImage */
    FRAME_COPY_KERNEL,
};

struct frame_work {
    const struct fovea_vk_frame *desc;
    const struct fovea_vk_recording *recording; /* NULL: the frame is submitted */
    bool in_advance; /* what it needs is made, and no more: it has no slot */
    struct frame_slot *slot;
    uint32_t slot_index;
    struct frame_end src;
    struct frame_end dst;
    bool in_place; /* src and dst are one image */
    struct frame_target read; /* what the kernels read and write */
    struct frame_target write;
    struct frame_pass_scratch *pass_scratch; /* NULL: no pass needs any */
    uint64_t pass_scratch_bytes; /* of it, that passes may use */
    struct frame_scratch *between; /* images between operators; NULL: there are none */
    enum frame_copy copy_in; /* read is scratch */
    enum frame_copy copy_out; /* write is scratch */
    struct frame_view views[FOVEA_VK_MAX_VIEWS];
    uint32_t view_count;
    uint32_t view_width_px;
    uint32_t view_height_px;
    bool copy_by_command; /* no kernel copies, and none sees the engine's images */
    uint32_t kernel_width_px; /* of the images that the kernels read and write */
    uint32_t kernel_height_px;
    bool use_peer;
    bool overlay;
    bool late; /* the gaze is the newest when the GPU starts */
    struct late_own late_own;
    bool watched; /* a small picture of it is made */
};

/* frame_check.c: the argument errors of a frame; resolves both ends of it. */
FOVEA_MUST_CHECK enum fovea_result frame_check(struct fovea_vk *fovea, struct frame_work *work);

/* frame_view.c: both ends are resolved. */
FOVEA_MUST_CHECK enum fovea_result frame_views_check(struct fovea_vk *fovea,
                                                     struct frame_work *work);
/* It is known which images are copied; the views' frames are made. */
void frame_views_place(const struct fovea_vk *fovea, struct frame_work *work);

/* frame_ready.c: finds or makes all that foveating takes; false: this frame passes through. */
bool frame_ready(struct fovea_vk *fovea, struct frame_work *work, int64_t now_ns);
/* Makes the same for a frame to come. FOVEA_PASSED_THROUGH: such frames pass through. */
FOVEA_MUST_CHECK enum fovea_result frame_prepare(struct fovea_vk *fovea, struct frame_work *work,
                                                 int64_t now_ns);
/* The next frame asks for what could not be had, without the usual wait. */
void frame_ready_try_again(struct fovea_vk *fovea);

/* frame_submit.c: a frame of the vulkan backend, or nothing but a copy, into open commands. */
void frame_record_alone(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands, bool foveate);
/* The same as a batch. */
FOVEA_MUST_CHECK enum fovea_result frame_submit_alone(struct fovea_vk *fovea,
                                                      const struct frame_work *work, bool foveate);
/* FOVEA_PASSED_THROUGH: the peer did not take it. FOVEA_ERROR_FRAME_LOST: its first batch runs
 * alone. */
FOVEA_MUST_CHECK enum fovea_result frame_submit_with_peer(struct fovea_vk *fovea,
                                                          const struct frame_work *work);
