/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The sun stands still, so the map is drawn once for each square of the world that the camera walks
 * through. It depends on the square alone, which keeps frame n the same everywhere. */
#include "renderer.h"

#define CELL_M 14.0f
#define HALF_M 66.0f

float shadow_reach_m(void)
{
    return HALF_M - CELL_M;
}

static bool make_sampler(struct renderer *renderer)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(renderer->gpu->physical, DEPTH_FORMAT, &properties);
    bool linear =
        properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .magFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                .minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .compareEnable = VK_TRUE,
                                .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
    VK_TRY(vkCreateSampler(renderer->gpu->device, &info, NULL, &renderer->shadow_sampler));
    return true;
}

/* Comes after arena_bind. */
bool shadow_make(struct renderer *renderer)
{
    struct shadow_map *map = &renderer->shadow;
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = map->image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = DEPTH_FORMAT,
                                  .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
    VK_TRY(vkCreateImageView(renderer->gpu->device, &view, NULL, &map->view));
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = renderer->shadow_pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &map->view,
                                           .width = SHADOW_SIDE_PX,
                                           .height = SHADOW_SIDE_PX,
                                           .layers = 1};
    VK_TRY(vkCreateFramebuffer(renderer->gpu->device, &framebuffer, NULL, &map->framebuffer));
    return make_sampler(renderer);
}

void shadow_cell(struct vec3 eye, int out_cell[2])
{
    out_cell[0] = (int)floorf(eye.x / CELL_M);
    out_cell[1] = (int)floorf(eye.z / CELL_M);
}

static struct vec3 cell_centre(const struct renderer *renderer, const int cell[2])
{
    float x = ((float)cell[0] + 0.5f) * CELL_M;
    float z = ((float)cell[1] + 0.5f) * CELL_M;
    return vec3(x, terrain_height_m(renderer->world, x, z), z);
}

/* The middle is moved to a whole texel, so that edges of shadows do not jump from square to
 * square. */
struct mat4 shadow_matrix(const struct renderer *renderer, const int cell[2])
{
    struct vec3 to_sun = renderer->world->to_sun;
    struct vec3 centre = cell_centre(renderer, cell);
    struct mat4 view =
        mat4_look(vec3_madd(centre, to_sun, 150.0f), vec3_scale(to_sun, -1.0f), vec3(0, 1, 0));
    const float texel = 2.0f * HALF_M / SHADOW_SIDE_PX;
    view.m[12] = floorf(view.m[12] / texel) * texel;
    view.m[13] = floorf(view.m[13] / texel) * texel;
    return mat4_mul(mat4_ortho(HALF_M, 1.0f, 320.0f), view);
}

void shadow_record(struct renderer *renderer, uint32_t slot, VkCommandBuffer commands,
                   struct instance *instances, uint32_t *instance_count)
{
    static const enum pipeline pipelines[MATERIAL_COUNT] = {PIPELINE_SHADOW, PIPELINE_SHADOW,
                                                            PIPELINE_SHADOW_CUT_OUT};
    struct shadow_map *map = &renderer->shadow;
    struct view view = {.clip_from_world = shadow_matrix(renderer, map->cell),
                        .eye = cell_centre(renderer, map->cell),
                        .shadow = true};
    cull(renderer->world, &view, &renderer->shadow_list, instances, instance_count);
    VkClearValue clear = {.depthStencil = {1.0f, 0}};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = renderer->shadow_pass,
                                   .framebuffer = map->framebuffer,
                                   .renderArea = {{0, 0}, {SHADOW_SIDE_PX, SHADOW_SIDE_PX}},
                                   .clearValueCount = 1,
                                   .pClearValues = &clear};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    const struct renderer_area area = {{{0, 0}, {SHADOW_SIDE_PX, SHADOW_SIDE_PX}}, 0};
    renderer_bind(renderer, commands, slot, &area);
    renderer_draw_list(renderer, commands, &renderer->shadow_list, pipelines);
    vkCmdEndRenderPass(commands);
}
