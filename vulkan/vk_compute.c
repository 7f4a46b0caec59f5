/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_compute.h"

#include "core/log.h"
#include "kernels/foveate/glsl/shader_tile_shape.h"
#include "kernels/gaze/late.h"
#include "kernels/overlay/overlay.h"
#include "vk_check.h"

#define BINDING_COUNT 7

/* Every pipeline has one layout, whose push constants are as large as the largest; each device has 128
 * bytes of them. */
#define CONSTANT_BYTES sizeof(struct overlay_constants)

_Static_assert(CONSTANT_BYTES <= 128, "more than every device has");
_Static_assert(sizeof(struct foveate_frame) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(sizeof(struct smooth_constants) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(sizeof(struct foveate_late_own) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(sizeof(struct shader_copy) <= CONSTANT_BYTES, "more than the layout has");
_Static_assert(VK_COMPUTE_LATCHED_BYTES == 4 * FOVEATE_LATCHED_WORDS, "as gaze_latch.comp has it");
/* The buffer Law of foveate/glsl/law.glsl. */
_Static_assert(sizeof(struct foveate_law) == 80, "std430 has no other padding");
_Static_assert(sizeof(struct foveate_level) == 16, "std430 has no other padding");

static const VkDescriptorType binding_types[BINDING_COUNT] = {
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

static enum fovea_result create_set_layout(struct vk_compute *compute, struct vk_device *device)
{
    VkDescriptorSetLayoutBinding bindings[BINDING_COUNT];
    for (uint32_t i = 0; i < BINDING_COUNT; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = binding_types[i],
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = BINDING_COUNT,
                                            .pBindings = bindings};
    VK_TRY(device->log,
           device->vk.CreateDescriptorSetLayout(device->handle, &info, NULL, &compute->set_layout));
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
    VK_TRY(device->log,
           device->vk.CreatePipelineLayout(device->handle, &info, NULL, &compute->layout));
    return FOVEA_OK;
}

static enum fovea_result create_pool(struct vk_compute *compute, struct vk_device *device,
                                     uint32_t set_count)
{
    /* And as many for latches and copies, of which a frame has three. */
    set_count *= 2;
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, set_count},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, set_count},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 * set_count},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, set_count}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = set_count,
                                       .poolSizeCount = sizeof sizes / sizeof sizes[0],
                                       .pPoolSizes = sizes};
    VK_TRY(device->log,
           device->vk.CreateDescriptorPool(device->handle, &info, NULL, &compute->pool));
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
    compute->takes_tiles =
        device->properties.limits.maxComputeSharedMemorySize >= SHADER_TILE_SHARED_BYTES;
    enum fovea_result result = create_set_layout(compute, device);
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
    VkPipeline *pipelines = &compute->pipelines[0][0][0][0];
    for (size_t i = 0; i < sizeof compute->pipelines / sizeof *pipelines; i++) {
        vk->DestroyPipeline(device->handle, pipelines[i], NULL);
    }
    vk->DestroyDescriptorPool(device->handle, compute->pool, NULL);
    vk->DestroyPipelineLayout(device->handle, compute->layout, NULL);
    vk->DestroyDescriptorSetLayout(device->handle, compute->set_layout, NULL);
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

void vk_compute_write_set(struct vk_device *device, VkDescriptorSet set,
                          const struct vk_compute_bindings *bindings)
{
    VkDescriptorImageInfo images[2] = {
        {.imageView = bindings->source, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
        {.imageView = bindings->result, .imageLayout = VK_IMAGE_LAYOUT_GENERAL}};
    VkDescriptorBufferInfo buffers[5] = {
        {.buffer = bindings->tables, .range = VK_WHOLE_SIZE},
        {.buffer = bindings->samples, .range = VK_WHOLE_SIZE},
        {bindings->text, bindings->text_offset, bindings->text_bytes},
        {bindings->latched, bindings->latched_offset, VK_COMPUTE_LATCHED_BYTES},
        {.buffer = bindings->filters, .range = VK_WHOLE_SIZE}};
    VkWriteDescriptorSet writes[BINDING_COUNT];
    for (uint32_t i = 0; i < BINDING_COUNT; i++) {
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = binding_types[i]};
        if (i < 2) {
            writes[i].pImageInfo = &images[i];
        } else {
            writes[i].pBufferInfo = &buffers[i - 2];
        }
    }
    device->vk.UpdateDescriptorSets(device->handle, BINDING_COUNT, writes, 0, NULL);
}

void vk_compute_write_latch_set(struct vk_device *device, VkDescriptorSet set,
                                const struct vk_compute_latch_bindings *bindings)
{
    VkDescriptorBufferInfo buffers[3] = {
        {bindings->block, bindings->block_offset, VK_COMPUTE_LATCHED_BYTES},
        {bindings->latched, bindings->latched_offset, VK_COMPUTE_LATCHED_BYTES},
        {bindings->report, bindings->report_offset, VK_COMPUTE_LATCHED_BYTES}};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (uint32_t i = 0; i < 3; i++) {
        write.dstBinding = 2 + i;
        write.pBufferInfo = &buffers[i];
        device->vk.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    }
}

void vk_compute_write_copy_set(struct vk_device *device, VkDescriptorSet set, VkImageView source,
                               VkImageView result)
{
    VkDescriptorImageInfo images[2] = {
        {.imageView = source, .imageLayout = VK_IMAGE_LAYOUT_GENERAL},
        {.imageView = result, .imageLayout = VK_IMAGE_LAYOUT_GENERAL}};
    VkWriteDescriptorSet writes[2];
    for (uint32_t i = 0; i < 2; i++) {
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = binding_types[i],
                                           .pImageInfo = &images[i]};
    }
    device->vk.UpdateDescriptorSets(device->handle, 2, writes, 0, NULL);
}

static VkPipeline *find(struct vk_compute *compute, struct vk_compute_kind kind)
{
    return &compute->pipelines[kind.which][kind.format][kind.light][kind.blur_alpha];
}

static enum fovea_result create_pipeline(struct vk_compute *compute, struct vk_device *device,
                                         VkShaderModule module, struct vk_compute_kind kind)
{
    const bool staged = compute->takes_tiles && kind.format != FOVEA_FORMAT_RGBA16F;
    const int32_t constants[4] = {(int32_t)kind.format, kind.light, kind.blur_alpha, staged};
    const size_t each = sizeof constants[0];
    const VkSpecializationMapEntry entries[4] = {
        {0, 0, each}, {1, each, each}, {2, 2 * each, each}, {3, 3 * each, each}};
    VkSpecializationInfo special = {.mapEntryCount = 4,
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
    VK_TRY(device->log, device->vk.CreateComputePipelines(device->handle, VK_NULL_HANDLE, 1, &info,
                                                          NULL, find(compute, kind)));
    return FOVEA_OK;
}

enum fovea_result vk_compute_prepare(struct vk_compute *compute, struct vk_device *device,
                                     struct vk_compute_kind kind)
{
    if (*find(compute, kind)) {
        return FOVEA_OK;
    }
    struct shader shader = shader_get(kind.which, kind.format == FOVEA_FORMAT_RGBA16F ? 4 : 1);
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = shader.bytes,
                                     .pCode = shader.code};
    VkShaderModule module = VK_NULL_HANDLE;
    VK_TRY(device->log, device->vk.CreateShaderModule(device->handle, &info, NULL, &module));
    enum fovea_result result = create_pipeline(compute, device, module, kind);
    device->vk.DestroyShaderModule(device->handle, module, NULL);
    return result;
}

void vk_compute_record(struct vk_compute *compute, struct vk_device *device,
                       VkCommandBuffer commands, const struct vk_dispatch *dispatch)
{
    struct vk_functions *vk = &device->vk;
    vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, *find(compute, dispatch->kind));
    vk->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1,
                              &dispatch->set, 0, NULL);
    vk->CmdPushConstants(commands, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         dispatch->constant_bytes, dispatch->constants);
    vk->CmdDispatch(commands, dispatch->groups[0], dispatch->groups[1], 1);
}
