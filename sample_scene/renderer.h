/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Draws the world into an image: a shadow map when the camera has moved on, then one pass with
 * depth. */
#pragma once

#include "arena.h"
#include "camera.h"
#include "cull.h"
#include "headset.h"

#define FRAMES_IN_FLIGHT 3

/* struct Frame of shaders/frame.glsl. */
struct frame_uniforms {
    struct mat4 clip_from_world;
    struct mat4 shadow_from_world;
    float eye[4];
    float to_sun[4];
    float look[3][4];
    float drift[4];
};

enum pipeline {
    PIPELINE_OPAQUE = MATERIAL_OPAQUE,
    PIPELINE_GROUND = MATERIAL_GROUND,
    PIPELINE_CUT_OUT = MATERIAL_CUT_OUT,
    PIPELINE_SKY,
    PIPELINE_SHADOW,
    PIPELINE_SHADOW_CUT_OUT,
    PIPELINE_COUNT,
};

struct shadow_map {
    VkImage image;
    VkImageView view;
    VkFramebuffer framebuffer;
    int cell[2]; /* which square of the world is in it */
    bool drawn;
};

struct renderer {
    const struct gpu *gpu;
    const struct world *world;
    VkFormat format;
    struct arena arena;
    VkBuffer vertices;
    VkBuffer indices;
    VkBuffer frame_data; /* uniforms and instances, FRAMES_IN_FLIGHT times */
    void *frame_mapped;
    VkDeviceSize frame_stride_bytes;
    VkDeviceSize eye_stride_bytes; /* from one eye's uniforms to the next's */
    VkDeviceSize instances_offset_bytes;
    VkImage textures;
    VkImageView textures_view;
    VkSampler texture_sampler;
    VkSampler shadow_sampler;
    struct shadow_map shadow;
    VkRenderPass main_pass;
    VkRenderPass shadow_pass;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkPipelineLayout pipeline_layout;
    VkPipeline pipelines[PIPELINE_COUNT];
    struct draw_list lists[HEADSET_MOST_EYES];
    struct draw_list shadow_list;
};

#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT
#define NEAR_M 0.15f /* where the depth is 1; it is 0 at infinity */
#define SHADOW_SIDE_PX 2048

/* The world must outlive it. format: of the images it will draw into. */
bool renderer_create(const struct gpu *gpu, const struct world *world, VkFormat format,
                     struct renderer **out_renderer);
/* The GPU must be done with it. */
void renderer_destroy(struct renderer **renderer);

struct render_target {
    VkFramebuffer framebuffer;
    VkExtent2D extent;
    uint32_t eyes; /* side by side */
};

/* Records frame `slot` (its last one must be finished). The image is in COLOR_ATTACHMENT_OPTIMAL
 * afterwards; what was in it is lost. */
void renderer_record(struct renderer *renderer, uint32_t slot, VkCommandBuffer commands,
                     const struct render_target *target, double time_s);

/* renderer_passes.c */
bool renderer_make_passes(struct renderer *renderer);
/* renderer_pipelines.c */
bool renderer_make_pipelines(struct renderer *renderer);
/* renderer_upload.c */
bool renderer_upload(struct renderer *renderer);
/* shadow.c */
bool shadow_make(struct renderer *renderer);
struct mat4 shadow_matrix(const struct renderer *renderer, const int cell[2]);
void shadow_cell(struct vec3 eye, int out_cell[2]);
float shadow_reach_m(void);
void shadow_record(struct renderer *renderer, uint32_t slot, VkCommandBuffer commands,
                   struct instance *instances, uint32_t *instance_count);
/* renderer.c */
void renderer_draw_list(const struct renderer *renderer, VkCommandBuffer commands,
                        const struct draw_list *list,
                        const enum pipeline pipelines[MATERIAL_COUNT]);
struct renderer_area {
    VkRect2D px;
    uint32_t eye; /* whose uniforms */
};
void renderer_bind(const struct renderer *renderer, VkCommandBuffer commands, uint32_t slot,
                   const struct renderer_area *area);
