/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_compute.h"

#include "core/log.h"
#include "kernels/gaze/late.h"
#include "vk_check.h"

#include <stdlib.h>
#include <string.h>

#define BINDING_COUNT VK_COMPUTE_BINDINGS
#define BINDING_SOURCE 0
#define BINDING_RESULT 1
#define BINDING_TABLES 2
#define BINDING_SCRATCH 3
#define BINDING_TEXT 4
#define BINDING_LATCHED 5
/* Where no pass reads one it is the source: lavapipe follows what a set has, whoever reads it, and
 * the picture of a former frame may be gone. */
#define BINDING_PICTURE 6
#define BINDING_FOCUS 7
#define BINDING_SAMPLER 8 /* the layout has it, and no set is written */

/* Every pipeline has one layout, whose push constants are what each device has. */
#define CONSTANT_BYTES OPERATOR_CONSTANT_BYTES

_Static_assert(sizeof(struct late_own) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(sizeof(struct shader_copy) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(sizeof(struct shader_reduce) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(VK_COMPUTE_LATCHED_BYTES == 4 * LATCHED_WORDS, "as gaze_latch.comp has it");

static const VkDescriptorType binding_types[BINDING_COUNT] = {
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

static enum fovea_result create_sampler(struct vk_compute *compute, struct vk_device *device)
{
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    VK_TRY(device->log,
           device->vk.CreateSampler(device->handle, &info, device->allocator, &compute->sampler));
    return FOVEA_OK;
}

static enum fovea_result create_set_layout(struct vk_compute *compute, struct vk_device *device)
{
    VkDescriptorSetLayoutBinding bindings[BINDING_COUNT + 1];
    for (uint32_t i = 0; i < BINDING_COUNT; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = binding_types[i],
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    bindings[BINDING_COUNT] =
        (VkDescriptorSetLayoutBinding){.binding = BINDING_SAMPLER,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
                                       .descriptorCount = 1,
                                       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                       .pImmutableSamplers = &compute->sampler};
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = BINDING_COUNT + 1,
                                            .pBindings = bindings};
    VK_TRY(device->log, device->vk.CreateDescriptorSetLayout(
                            device->handle, &info, device->allocator, &compute->set_layout));
    return FOVEA_OK;
}

static enum fovea_result create_layout(struct vk_compute *compute, struct vk_device *device)
{
    VkPushConstantRange constants = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                     .size = CONSTANT_BYTES};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &compute->set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &constants};
    VK_TRY(device->log, device->vk.CreatePipelineLayout(device->handle, &info, device->allocator,
                                                        &compute->layout));
    return FOVEA_OK;
}

static enum fovea_result create_pool(struct vk_compute *compute, struct vk_device *device,
                                     uint32_t set_count)
{
    /* Latches and copies, of which a frame has three, and small pictures take as many again. */
    set_count *= 2;
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2 * set_count},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, set_count},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * set_count},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, set_count},
                                    {VK_DESCRIPTOR_TYPE_SAMPLER, set_count}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = set_count,
                                       .poolSizeCount = sizeof sizes / sizeof sizes[0],
                                       .pPoolSizes = sizes};
    VK_TRY(device->log, device->vk.CreateDescriptorPool(device->handle, &info, device->allocator,
                                                        &compute->pool));
    return FOVEA_OK;
}

/* More than Vulkan promises, and what every GPU since has. */
static enum fovea_result check_limits(const struct vk_device *device)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    if (limits->maxComputeWorkGroupInvocations < 256 ||
        limits->maxComputeSharedMemorySize < 16384) {
        log_error(device->log,
                  "vulkan: workgroups of 256 with 16384 bytes are needed; the device has "
                  "%u and %u",
                  limits->maxComputeWorkGroupInvocations, limits->maxComputeSharedMemorySize);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

enum fovea_result vk_compute_init(struct vk_compute *compute, struct vk_device *device,
                                  uint32_t set_count)
{
    *compute = (struct vk_compute){0};
    FOVEA_TRY(check_limits(device));
    compute->limits = (struct operator_glsl_limits){
        .shared_bytes = device->properties.limits.maxComputeSharedMemorySize,
        .buffer_bytes = device->properties.limits.maxStorageBufferRange};
    enum fovea_result result = create_sampler(compute, device);
    if (result == FOVEA_OK) {
        result = create_set_layout(compute, device);
    }
    if (result == FOVEA_OK) {
        result = create_layout(compute, device);
    }
    if (result == FOVEA_OK) {
        result = create_pool(compute, device, set_count);
    }
    if (result < 0) {
        vk_compute_finish(compute, device);
    }
    return result;
}

void vk_compute_finish(struct vk_compute *compute, struct vk_device *device)
{
    struct vk_functions *vk = &device->vk;
    for (uint32_t i = 0; i < compute->pipeline_count; i++) {
        vk->DestroyPipeline(device->handle, compute->pipelines[i].handle, device->allocator);
    }
    free(compute->pipelines);
    vk->DestroyDescriptorPool(device->handle, compute->pool, device->allocator);
    vk->DestroyPipelineLayout(device->handle, compute->layout, device->allocator);
    vk->DestroyDescriptorSetLayout(device->handle, compute->set_layout, device->allocator);
    vk->DestroySampler(device->handle, compute->sampler, device->allocator);
    *compute = (struct vk_compute){0};
}

enum fovea_result vk_compute_allocate_set(struct vk_compute *compute, struct vk_device *device,
                                          VkDescriptorSet *out_set)
{
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = compute->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &compute->set_layout};
    VK_TRY(device->log, device->vk.AllocateDescriptorSets(device->handle, &info, out_set));
    return FOVEA_OK;
}

void vk_compute_write(struct vk_device *device, VkDescriptorSet set,
                      const struct vk_compute_set *bindings)
{
    VkWriteDescriptorSet writes[BINDING_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < BINDING_COUNT; i++) {
        if (bindings->images[i].imageView || bindings->buffers[i].buffer) {
            writes[count++] =
                (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstBinding = i,
                                       .descriptorCount = 1,
                                       .descriptorType = binding_types[i],
                                       .pImageInfo = &bindings->images[i],
                                       .pBufferInfo = &bindings->buffers[i]};
        }
    }
    device->vk.UpdateDescriptorSets(device->handle, count, writes, 0, NULL);
}

void vk_compute_write_set(struct vk_device *device, VkDescriptorSet set,
                          const struct vk_compute_bindings *bindings)
{
    const VkDescriptorImageInfo source = {.imageView = bindings->source,
                                          .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorImageInfo picture = {.imageView = bindings->picture,
                                           .imageLayout = bindings->picture_layout};
    const struct vk_compute_set all = {
        .images = {[BINDING_SOURCE] = source,
                   [BINDING_RESULT] = {.imageView = bindings->result,
                                       .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
                   [BINDING_PICTURE] = bindings->picture ? picture : source},
        .buffers = {
            [BINDING_TABLES] = {bindings->tables.buffer, bindings->tables.offset,
                                bindings->tables.bytes},
            [BINDING_SCRATCH] = {bindings->scratch.buffer, bindings->scratch.offset,
                                 bindings->scratch.bytes},
            [BINDING_TEXT] = {bindings->text, bindings->text_offset, bindings->text_bytes},
            [BINDING_LATCHED] = {bindings->latched, bindings->latched_offset,
                                 VK_COMPUTE_LATCHED_BYTES},
            [BINDING_FOCUS] = {bindings->focus, bindings->focus_offset, SHADER_FOCUS_BYTES}}};
    vk_compute_write(device, set, &all);
}

void vk_compute_write_latch_set(struct vk_device *device, VkDescriptorSet set,
                                const struct vk_compute_latch_bindings *bindings)
{
    const struct vk_compute_set all = {
        .buffers = {
            [BINDING_TABLES] = {bindings->block, bindings->block_offset, VK_COMPUTE_LATCHED_BYTES},
            [BINDING_SCRATCH] = {bindings->latched, bindings->latched_offset,
                                 VK_COMPUTE_LATCHED_BYTES},
            [BINDING_TEXT] = {bindings->report, bindings->report_offset,
                              VK_COMPUTE_LATCHED_BYTES}}};
    vk_compute_write(device, set, &all);
}

void vk_compute_write_copy_set(struct vk_device *device, VkDescriptorSet set, VkImageView source,
                               VkImageView result)
{
    const struct vk_compute_set all = {
        .images = {
            [BINDING_SOURCE] = {.imageView = source, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
            [BINDING_RESULT] = {.imageView = result, .imageLayout = VK_IMAGE_LAYOUT_GENERAL}}};
    vk_compute_write(device, set, &all);
}

void vk_compute_write_reduce_set(struct vk_device *device, VkDescriptorSet set, VkImageView source,
                                 VkBuffer reduced)
{
    const struct vk_compute_set all = {
        .images = {[BINDING_SOURCE] = {.imageView = source,
                                       .imageLayout = VK_IMAGE_LAYOUT_GENERAL}},
        .buffers = {[BINDING_SCRATCH] = {reduced, 0, VK_WHOLE_SIZE}}};
    vk_compute_write(device, set, &all);
}

/* There are a dozen at most of what frames take; of one shader they differ by format and
 * settings. */
VkPipeline vk_compute_find(const struct vk_compute *compute, const struct vk_compute_kind *kind)
{
    for (uint32_t i = 0; i < compute->pipeline_count; i++) {
        const struct vk_compute_kind *made = &compute->pipelines[i].kind;
        if (made->shader.shader == kind->shader.shader && made->format == kind->format &&
            memcmp(made->shader.special, kind->shader.special, sizeof kind->shader.special) == 0) {
            return compute->pipelines[i].handle;
        }
    }
    return VK_NULL_HANDLE;
}

static enum fovea_result make_room(struct vk_compute *compute)
{
    if (compute->pipeline_count < compute->pipeline_room) {
        return FOVEA_OK;
    }
    const uint32_t room = compute->pipeline_room ? 2 * compute->pipeline_room : 16;
    struct vk_compute_pipeline *grown =
        realloc(compute->pipelines, room * sizeof *compute->pipelines);
    FOVEA_TRY_MEMORY(grown);
    compute->pipelines = grown;
    compute->pipeline_room = room;
    return FOVEA_OK;
}

static enum fovea_result create_pipeline(const struct vk_compute *compute, struct vk_device *device,
                                         VkShaderModule module, const struct vk_compute_kind *kind,
                                         VkPipeline *out_pipeline)
{
    const int32_t *own = kind->shader.special;
    const int32_t constants[1 + SHADER_SPECIAL_COUNT] = {(int32_t)kind->format, own[0], own[1],
                                                         own[2]};
    const size_t each = sizeof constants[0];
    const VkSpecializationMapEntry entries[1 + SHADER_SPECIAL_COUNT] = {
        {0, 0, each}, {1, each, each}, {2, 2 * each, each}, {3, 3 * each, each}};
    VkSpecializationInfo special = {.mapEntryCount = 1 + SHADER_SPECIAL_COUNT,
                                    .pMapEntries = entries,
                                    .dataSize = sizeof constants,
                                    .pData = constants};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &special},
        .layout = compute->layout};
    VK_TRY(device->log, device->vk.CreateComputePipelines(device->handle, device->pipeline_cache, 1,
                                                          &info, device->allocator, out_pipeline));
    return FOVEA_OK;
}

enum fovea_result vk_compute_prepare(struct vk_compute *compute, struct vk_device *device,
                                     struct vk_compute_kind kind)
{
    if (vk_compute_find(compute, &kind)) {
        return FOVEA_OK;
    }
    FOVEA_TRY(make_room(compute));
    const struct shader_code *code =
        &kind.shader.shader->words[kind.format == FOVEA_FORMAT_RGBA16F ? 1 : 0];
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = code->bytes,
                                     .pCode = code->code};
    VkShaderModule module = VK_NULL_HANDLE;
    VK_TRY(device->log,
           device->vk.CreateShaderModule(device->handle, &info, device->allocator, &module));
    VkPipeline pipeline = VK_NULL_HANDLE;
    enum fovea_result result = create_pipeline(compute, device, module, &kind, &pipeline);
    device->vk.DestroyShaderModule(device->handle, module, device->allocator);
    if (result == FOVEA_OK) {
        compute->pipelines[compute->pipeline_count++] =
            (struct vk_compute_pipeline){kind, pipeline};
    }
    return result;
}

void vk_compute_record(struct vk_compute *compute, struct vk_device *device,
                       VkCommandBuffer commands, const struct vk_dispatch *dispatch)
{
    struct vk_functions *vk = &device->vk;
    vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                        vk_compute_find(compute, &dispatch->kind));
    vk->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1,
                              &dispatch->set, 0, NULL);
    vk->CmdPushConstants(commands, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         dispatch->constant_bytes, dispatch->constants);
    vk->CmdDispatch(commands, dispatch->groups[0], dispatch->groups[1], 1);
}
