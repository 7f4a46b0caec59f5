/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's ways in GLSL as it has them: fragment shaders of a triangle over the picture, which
 * run the text of the compute shaders. */

#include "vulkan_thesis.h"

#include "vulkan_shaders.inc"

#define FORMAT VK_FORMAT_R32G32B32A32_SFLOAT

struct code {
    const uint32_t *words;
    size_t bytes;
};

#define CODE_OF_look_ups(name) {code_fragment_##name, sizeof code_fragment_##name},
#define CODE_OF_tables(name) CODE_OF_look_ups(name)
#define CODE_OF_shared(name) {NULL, 0},
static const struct code shaders[] = {
#define GLSL_SHADER(name, file) CODE_OF_##file(name)
#include "vulkan_shaders.def"
#undef GLSL_SHADER
};

bool glsl_fragments_blend(const struct glsl_thesis *t)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->b->engine.physical, FORMAT, &properties);
    return properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
}

void glsl_fragments_make(struct glsl_thesis *t)
{
    const VkAttachmentDescription attachment = {.format = FORMAT,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VULKAN_MUST(vkCreateRenderPass(t->b->engine.device, &info, NULL, &t->render_pass));
}

void glsl_fragments_add_target(struct glsl_thesis *t, struct glsl_image *image)
{
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = t->render_pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &image->view,
                                          .width = (uint32_t)image->side_px,
                                          .height = (uint32_t)image->side_px,
                                          .layers = 1};
    VULKAN_MUST(vkCreateFramebuffer(t->b->engine.device, &info, NULL, &image->framebuffer));
}

static VkPipelineShaderStageCreateInfo stage_of(VkDevice device, VkShaderStageFlagBits stage,
                                                struct code code)
{
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = code.bytes,
                                           .pCode = code.words};
    VkPipelineShaderStageCreateInfo made = {.sType =
                                                VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                            .stage = stage,
                                            .pName = "main"};
    VULKAN_MUST(vkCreateShaderModule(device, &info, NULL, &made.module));
    return made;
}

static VkPipeline make(struct glsl_thesis *t, const VkPipelineShaderStageCreateInfo stages[2],
                       bool adds)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineVertexInputStateCreateInfo no_vertices = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo triangles = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1};
    const VkPipelineRasterizationStateCreateInfo filled = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1.0f};
    const VkPipelineMultisampleStateCreateInfo one_sample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState attachment = {
        .blendEnable = adds,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                          VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment};
    const VkPipelineDynamicStateCreateInfo sizes = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = dynamic};
    const VkGraphicsPipelineCreateInfo info = {.sType =
                                                   VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = 2,
                                               .pStages = stages,
                                               .pVertexInputState = &no_vertices,
                                               .pInputAssemblyState = &triangles,
                                               .pViewportState = &viewport,
                                               .pRasterizationState = &filled,
                                               .pMultisampleState = &one_sample,
                                               .pColorBlendState = &blend,
                                               .pDynamicState = &sizes,
                                               .layout = t->layout,
                                               .renderPass = t->render_pass};
    VkPipeline pipeline = VK_NULL_HANDLE;
    VULKAN_MUST(
        vkCreateGraphicsPipelines(t->b->engine.device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

VkPipeline glsl_fragments_pipeline(struct glsl_thesis *t, enum glsl_shader shader,
                                   const struct glsl_constants *constants)
{
    static const VkSpecializationMapEntry entry = {2, offsetof(struct glsl_constants, known_taps),
                                                   4};
    const VkSpecializationInfo special = {1, &entry, sizeof *constants, constants};
    const VkDevice device = t->b->engine.device;
    VkPipelineShaderStageCreateInfo stages[] = {
        stage_of(device, VK_SHADER_STAGE_VERTEX_BIT,
                 (struct code){code_triangle, sizeof code_triangle}),
        stage_of(device, VK_SHADER_STAGE_FRAGMENT_BIT, shaders[shader])};
    stages[1].pSpecializationInfo = &special;
    const VkPipeline pipeline = make(t, stages, shader == GLSL_SPREAD);
    vkDestroyShaderModule(device, stages[0].module, NULL);
    vkDestroyShaderModule(device, stages[1].module, NULL);
    return pipeline;
}

static void after_fragments(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                                                      VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                                                      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |
                             VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                         0, 1, &barrier, 0, NULL, 0, NULL);
}

void glsl_fragments_draw(struct glsl_thesis *t, VkCommandBuffer commands,
                         const struct glsl_image *to, VkPipeline pipeline)
{
    const uint32_t side = (uint32_t)to->side_px;
    const VkRect2D all = {{0, 0}, {side, side}};
    const VkViewport viewport = {0.0f, 0.0f, (float)side, (float)side, 0.0f, 1.0f};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = t->render_pass,
                                         .framebuffer = to->framebuffer,
                                         .renderArea = all};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &all);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    after_fragments(commands);
}
