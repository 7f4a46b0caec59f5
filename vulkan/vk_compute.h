/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compute pipelines of the operators' shaders, and the descriptor sets that feed them. */
#pragma once

#include "kernels/operator/operator_glsl.h"
#include "vk_buffer.h"
#include "vk_format.h"

/* The kind of a pipeline. */
struct vk_compute_kind {
    struct operator_shader shader;
    enum fovea_format format;
};

struct vk_compute_pipeline {
    struct vk_compute_kind kind;
    VkPipeline handle;
};

struct vk_compute {
    VkSampler sampler; /* for gathers: it filters nothing */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    struct operator_glsl_limits limits;
    struct vk_compute_pipeline *pipelines; /* made when first asked for */
    uint32_t pipeline_count;
    uint32_t pipeline_room;
};

/* Bytes of a buffer. */
struct vk_compute_range {
    VkBuffer buffer;
    VkDeviceSize offset;
    VkDeviceSize bytes;
};

/* The bindings of a descriptor set; images are in GENERAL. */
struct vk_compute_bindings {
    VkImageView source;
    VkImageView result;
    struct vk_compute_range tables;
    struct vk_compute_range scratch;
    VkBuffer text;
    VkDeviceSize text_offset;
    VkDeviceSize text_bytes;
    VkBuffer latched; /* never without; read where a frame's gaze is late */
    VkDeviceSize latched_offset;
    VkImageView picture; /* of sigmas or depths; none: no pass reads any */
    VkImageLayout picture_layout;
    VkBuffer focus; /* never without; read and written where depths are read */
    VkDeviceSize focus_offset;
};

#define VK_COMPUTE_LATCHED_BYTES 32 /* LATCHED_WORDS */

/* The latch's own set: the block it reads, and the places for its results. */
struct vk_compute_latch_bindings {
    VkBuffer block;
    VkDeviceSize block_offset;
    VkBuffer latched;
    VkDeviceSize latched_offset;
    VkBuffer report;
    VkDeviceSize report_offset;
};

FOVEA_MUST_CHECK enum fovea_result vk_compute_init(struct vk_compute *compute,
                                                   struct vk_device *device, uint32_t set_count);
void vk_compute_finish(struct vk_compute *compute, struct vk_device *device);

/* One of the set_count sets, or of as many for latches and copies; freed with the compute. */
FOVEA_MUST_CHECK enum fovea_result vk_compute_allocate_set(struct vk_compute *compute,
                                                           struct vk_device *device,
                                                           VkDescriptorSet *out_set);
/* The bindings' resources, by number; one that is none stays as it is. */
#define VK_COMPUTE_BINDINGS 8
struct vk_compute_set {
    VkDescriptorImageInfo images[VK_COMPUTE_BINDINGS];
    VkDescriptorBufferInfo buffers[VK_COMPUTE_BINDINGS];
};

/* No queued work may use the set. */
void vk_compute_write(struct vk_device *device, VkDescriptorSet set,
                      const struct vk_compute_set *bindings);
void vk_compute_write_set(struct vk_device *device, VkDescriptorSet set,
                          const struct vk_compute_bindings *bindings);
void vk_compute_write_latch_set(struct vk_device *device, VkDescriptorSet set,
                                const struct vk_compute_latch_bindings *bindings);
void vk_compute_write_copy_set(struct vk_device *device, VkDescriptorSet set, VkImageView source,
                               VkImageView result);
/* Writes the set of shader_reduce: the image that it reads, and the buffer that it writes to. */
void vk_compute_write_reduce_set(struct vk_device *device, VkDescriptorSet set, VkImageView source,
                                 VkBuffer reduced);

/* The kind of a pass on images of a format. */
static inline struct vk_compute_kind vk_compute_kind_of(const struct operator_shader *shader,
                                                        enum fovea_format of_images)
{
    const bool own = shader->format != FOVEA_FORMAT_NONE;
    return (struct vk_compute_kind){*shader, own ? shader->format : of_images};
}

/* None where it was not made. */
VkPipeline vk_compute_find(const struct vk_compute *compute, const struct vk_compute_kind *kind);
/* Makes the pipeline if it is not there yet. */
FOVEA_MUST_CHECK enum fovea_result vk_compute_prepare(struct vk_compute *compute,
                                                      struct vk_device *device,
                                                      struct vk_compute_kind kind);

struct vk_dispatch {
    struct vk_compute_kind kind; /* prepared */
    VkDescriptorSet set;
    const void *constants;
    uint32_t constant_bytes;
    uint32_t groups[2];
};

void vk_compute_record(struct vk_compute *compute, struct vk_device *device,
                       VkCommandBuffer commands, const struct vk_dispatch *dispatch);
