/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "renderer.h"

#include <stdlib.h>
#include <string.h>

#define HAZE_PER_M 0.0011f

static bool add_buffers(struct renderer *renderer)
{
    const struct mesh *mesh = &renderer->world->mesh;
    const VkBufferUsageFlags to = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct arena_buffer_desc vertices = {(VkDeviceSize)mesh->vertex_count * sizeof(struct vertex),
                                         to | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, ARENA_DEVICE};
    struct arena_buffer_desc indices = {(VkDeviceSize)mesh->index_count * sizeof(uint32_t),
                                        to | VK_BUFFER_USAGE_INDEX_BUFFER_BIT, ARENA_DEVICE};
    VkDeviceSize step = renderer->gpu->properties.limits.minUniformBufferOffsetAlignment;
    step = step > 256 ? step : 256;
    renderer->eye_stride_bytes = (sizeof(struct frame_uniforms) + step - 1) / step * step;
    renderer->instances_offset_bytes = HEADSET_MOST_EYES * renderer->eye_stride_bytes;
    /* The eyes' instances and the shadow map's. */
    VkDeviceSize most = (HEADSET_MOST_EYES + 1) * (VkDeviceSize)renderer->world->placed_count + 1;
    VkDeviceSize bytes = renderer->instances_offset_bytes + most * sizeof(struct instance);
    renderer->frame_stride_bytes = (bytes + step - 1) / step * step;
    struct arena_buffer_desc frames = {
        renderer->frame_stride_bytes * FRAMES_IN_FLIGHT,
        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, ARENA_UPLOAD};
    return arena_add_buffer(&renderer->arena, &vertices, &renderer->vertices, NULL) &&
           arena_add_buffer(&renderer->arena, &indices, &renderer->indices, NULL) &&
           arena_add_buffer(&renderer->arena, &frames, &renderer->frame_data,
                            &renderer->frame_mapped);
}

static bool add_images(struct renderer *renderer)
{
    VkImageCreateInfo textures = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                  .imageType = VK_IMAGE_TYPE_2D,
                                  .format = VK_FORMAT_R8G8B8A8_SRGB,
                                  .extent = {TEXTURE_SIDE_PX, TEXTURE_SIDE_PX, 1},
                                  .mipLevels = TEXTURE_LEVELS,
                                  .arrayLayers = LAYER_COUNT,
                                  .samples = VK_SAMPLE_COUNT_1_BIT,
                                  .usage =
                                      VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkImageCreateInfo shadow = textures;
    shadow.format = DEPTH_FORMAT;
    shadow.extent = (VkExtent3D){SHADOW_SIDE_PX, SHADOW_SIDE_PX, 1};
    shadow.mipLevels = 1;
    shadow.arrayLayers = 1;
    shadow.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return arena_add_image(&renderer->arena, &textures, &renderer->textures) &&
           arena_add_image(&renderer->arena, &shadow, &renderer->shadow.image);
}

static bool make_texture_access(struct renderer *renderer)
{
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = renderer->textures,
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = VK_FORMAT_R8G8B8A8_SRGB,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, TEXTURE_LEVELS, 0, LAYER_COUNT}};
    VK_TRY(vkCreateImageView(renderer->gpu->device, &view, NULL, &renderer->textures_view));
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .magFilter = VK_FILTER_LINEAR,
                                   .minFilter = VK_FILTER_LINEAR,
                                   .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                   .mipLodBias =
                                       -0.35f, /* no anisotropy; keep oblique walls readable */
                                   .maxLod = VK_LOD_CLAMP_NONE};
    VK_TRY(vkCreateSampler(renderer->gpu->device, &sampler, NULL, &renderer->texture_sampler));
    return true;
}

static bool make_layouts(struct renderer *renderer)
{
    const VkShaderStageFlags both = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, both, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo set = {.sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 3,
                                           .pBindings = bindings};
    VK_TRY(vkCreateDescriptorSetLayout(renderer->gpu->device, &set, NULL, &renderer->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &renderer->set_layout};
    VK_TRY(
        vkCreatePipelineLayout(renderer->gpu->device, &layout, NULL, &renderer->pipeline_layout));
    return true;
}

static void write_set(struct renderer *renderer)
{
    VkDescriptorBufferInfo uniforms = {renderer->frame_data, 0, sizeof(struct frame_uniforms)};
    VkDescriptorImageInfo textures = {renderer->texture_sampler, renderer->textures_view,
                                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkDescriptorImageInfo shadow = {renderer->shadow_sampler, renderer->shadow.view,
                                    VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet writes[3];
    for (uint32_t i = 0; i < 3; i++) {
        writes[i] =
            (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = renderer->set,
                                   .dstBinding = i,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
    }
    writes[0].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    writes[0].pBufferInfo = &uniforms;
    writes[1].pImageInfo = &textures;
    writes[2].pImageInfo = &shadow;
    vkUpdateDescriptorSets(renderer->gpu->device, 3, writes, 0, NULL);
}

static bool make_set(struct renderer *renderer)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    VK_TRY(vkCreateDescriptorPool(renderer->gpu->device, &pool, NULL, &renderer->set_pool));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = renderer->set_pool,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &renderer->set_layout};
    VK_TRY(vkAllocateDescriptorSets(renderer->gpu->device, &set, &renderer->set));
    write_set(renderer);
    return true;
}

static bool build(struct renderer *renderer)
{
    if (!draw_list_init(&renderer->lists[0], renderer->world) ||
        !draw_list_init(&renderer->lists[1], renderer->world) ||
        !draw_list_init(&renderer->shadow_list, renderer->world)) {
        say_error("out of memory while preparing to draw");
        return false;
    }
    return add_buffers(renderer) && add_images(renderer) && arena_bind(&renderer->arena) &&
           renderer_make_passes(renderer) && shadow_make(renderer) &&
           make_texture_access(renderer) && make_layouts(renderer) && make_set(renderer) &&
           renderer_make_pipelines(renderer) && renderer_upload(renderer);
}

bool renderer_create(const struct gpu *gpu, const struct world *world, VkFormat format,
                     struct renderer **out_renderer)
{
    struct renderer *renderer = calloc(1, sizeof *renderer);
    *out_renderer = NULL;
    if (!renderer) {
        say_error("out of memory while preparing to draw");
        return false;
    }
    renderer->gpu = gpu;
    renderer->world = world;
    renderer->format = format;
    arena_init(&renderer->arena, gpu);
    if (!build(renderer)) {
        renderer_destroy(&renderer);
        return false;
    }
    *out_renderer = renderer;
    return true;
}

void renderer_destroy(struct renderer **renderer)
{
    struct renderer *r = *renderer;
    if (!r) {
        return;
    }
    VkDevice device = r->gpu->device;
    for (int i = 0; i < PIPELINE_COUNT; i++) {
        vkDestroyPipeline(device, r->pipelines[i], NULL);
    }
    vkDestroyPipelineLayout(device, r->pipeline_layout, NULL);
    vkDestroyDescriptorPool(device, r->set_pool, NULL);
    vkDestroyDescriptorSetLayout(device, r->set_layout, NULL);
    vkDestroyFramebuffer(device, r->shadow.framebuffer, NULL);
    vkDestroyRenderPass(device, r->main_pass, NULL);
    vkDestroyRenderPass(device, r->shadow_pass, NULL);
    vkDestroySampler(device, r->texture_sampler, NULL);
    vkDestroySampler(device, r->shadow_sampler, NULL);
    vkDestroyImageView(device, r->textures_view, NULL);
    vkDestroyImageView(device, r->shadow.view, NULL);
    arena_finish(&r->arena);
    draw_list_finish(&r->lists[0]);
    draw_list_finish(&r->lists[1]);
    draw_list_finish(&r->shadow_list);
    free(r);
    *renderer = NULL;
}

/* ---- A frame ---- */

static void store(float out[4], struct vec3 v, float w)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = w;
}

static struct frame_uniforms uniforms_of(const struct renderer *renderer, const struct eye *eye,
                                         struct vec3 forward, double time_s)
{
    struct frame_uniforms u;
    const struct vec3 up = vec3(0, 1, 0);
    const struct frustum f = eye->frustum;
    struct vec3 right = vec3_normalize(vec3_cross(forward, up));
    struct vec3 above = vec3_cross(right, forward);
    struct vec3 middle = vec3_madd(vec3_madd(forward, right, 0.5f * (f.right - f.left)), above,
                                   0.5f * (f.up - f.down));
    const float tangents[4] = {f.left, f.right, f.up, f.down};
    u.clip_from_world =
        mat4_mul(mat4_perspective(tangents, NEAR_M), mat4_look(eye->position, forward, up));
    u.shadow_from_world = shadow_matrix(renderer, renderer->shadow.cell);
    store(u.eye, eye->position, shadow_reach_m());
    store(u.to_sun, renderer->world->to_sun, HAZE_PER_M);
    store(u.look[0], vec3_scale(right, 0.5f * (f.left + f.right)), 0.0f);
    store(u.look[1], vec3_scale(above, -0.5f * (f.up + f.down)), 0.0f);
    store(u.look[2], middle, 0.0f);
    store(u.drift, vec3((float)fmod(time_s * 0.002, 1.0), 0, 0), 0.0f);
    return u;
}

void renderer_bind(const struct renderer *renderer, VkCommandBuffer commands, uint32_t slot,
                   const struct renderer_area *area)
{
    VkDeviceSize base = renderer->frame_stride_bytes * slot;
    uint32_t uniforms = (uint32_t)(base + renderer->eye_stride_bytes * area->eye);
    VkViewport viewport = {(float)area->px.offset.x,
                           (float)area->px.offset.y,
                           (float)area->px.extent.width,
                           (float)area->px.extent.height,
                           0.0f,
                           1.0f};
    const VkBuffer buffers[2] = {renderer->vertices, renderer->frame_data};
    const VkDeviceSize offsets[2] = {0, base + renderer->instances_offset_bytes};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &area->px);
    vkCmdBindVertexBuffers(commands, 0, 2, buffers, offsets);
    vkCmdBindIndexBuffer(commands, renderer->indices, 0, VK_INDEX_TYPE_UINT32);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, renderer->pipeline_layout, 0,
                            1, &renderer->set, 1, &uniforms);
}

void renderer_draw_list(const struct renderer *renderer, VkCommandBuffer commands,
                        const struct draw_list *list, const enum pipeline pipelines[MATERIAL_COUNT])
{
    VkPipeline bound = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < list->draw_count; i++) {
        const struct draw *draw = &list->draws[i];
        VkPipeline wanted = renderer->pipelines[pipelines[draw->material]];
        if (wanted != bound) {
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, wanted);
            bound = wanted;
        }
        vkCmdDrawIndexed(commands, draw->index_count, draw->instance_count, draw->first_index, 0,
                         draw->first_instance);
    }
}

static void record_main(struct renderer *renderer, uint32_t slot, VkCommandBuffer commands,
                        const struct render_target *target)
{
    static const enum pipeline pipelines[MATERIAL_COUNT] = {PIPELINE_OPAQUE, PIPELINE_GROUND,
                                                            PIPELINE_CUT_OUT};
    const VkClearValue clears[2] = {{.color = {{0}}}, {.depthStencil = {0.0f, 0}}};
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = renderer->main_pass,
                                   .framebuffer = target->framebuffer,
                                   .renderArea = {{0, 0}, target->extent},
                                   .clearValueCount = 2,
                                   .pClearValues = clears};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    const uint32_t width_px = headset_eye_width_px(target->extent.width, target->eyes);
    for (uint32_t eye = 0; eye < target->eyes; eye++) {
        const struct renderer_area area = {
            {{(int32_t)(eye * width_px), 0}, {width_px, target->extent.height}}, eye};
        renderer_bind(renderer, commands, slot, &area);
        renderer_draw_list(renderer, commands, &renderer->lists[eye], pipelines);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                          renderer->pipelines[PIPELINE_SKY]);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(commands);
}

/* True: the camera has walked into another square. */
static bool shadow_is_old(struct renderer *renderer, struct vec3 eye)
{
    int cell[2];
    shadow_cell(eye, cell);
    bool old = !renderer->shadow.drawn || memcmp(cell, renderer->shadow.cell, sizeof cell) != 0;
    memcpy(renderer->shadow.cell, cell, sizeof cell);
    renderer->shadow.drawn = true;
    return old;
}

void renderer_record(struct renderer *renderer, uint32_t slot, VkCommandBuffer commands,
                     const struct render_target *target, double time_s)
{
    uint8_t *mapped = (uint8_t *)renderer->frame_mapped + renderer->frame_stride_bytes * slot;
    struct instance *instances = (struct instance *)(mapped + renderer->instances_offset_bytes);
    uint32_t instance_count = 1;
    instances[0] = (struct instance){{0, 0, 0, 1}, {1, 0, 1, 0}};

    struct camera camera = camera_at(renderer->world->road, time_s);
    bool new_shadow = shadow_is_old(renderer, camera.eye);
    const uint32_t width_px = headset_eye_width_px(target->extent.width, target->eyes);
    for (uint32_t i = 0; i < target->eyes; i++) {
        struct eye eye = headset_eye(&camera, i, target->eyes, width_px, target->extent.height);
        struct frame_uniforms uniforms = uniforms_of(renderer, &eye, camera.forward, time_s);
        memcpy(mapped + renderer->eye_stride_bytes * i, &uniforms, sizeof uniforms);
        /* Both eyes show the same level of detail: distances are the head's. */
        struct view view = {.clip_from_world = uniforms.clip_from_world, .eye = camera.eye};
        cull(renderer->world, &view, &renderer->lists[i], instances, &instance_count);
    }
    if (new_shadow) {
        shadow_record(renderer, slot, commands, instances, &instance_count);
    }
    record_main(renderer, slot, commands, target);
}
