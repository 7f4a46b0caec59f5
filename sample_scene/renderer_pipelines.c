/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "renderer.h"

#include <stddef.h>

static const uint32_t scene_vert[] = {
#include "scene.vert.inc"
};
static const uint32_t scene_frag[] = {
#include "scene.frag.inc"
};
static const uint32_t sky_vert[] = {
#include "sky.vert.inc"
};
static const uint32_t sky_frag[] = {
#include "sky.frag.inc"
};
static const uint32_t shadow_vert[] = {
#include "shadow.vert.inc"
};
static const uint32_t shadow_cut_out_frag[] = {
#include "shadow_cut_out.frag.inc"
};

struct words {
    const uint32_t *code;
    size_t bytes;
};

#define WORDS(array)                                                                               \
    {                                                                                              \
        array, sizeof array                                                                        \
    }

/* The properties that tell the pipelines apart. */
struct recipe {
    struct words vertex;
    struct words fragment; /* none: depth only */
    int32_t material;
    bool shadow;
    bool vertices;
    bool two_sided;
};

static const struct recipe recipes[PIPELINE_COUNT] = {
    [PIPELINE_OPAQUE] = {WORDS(scene_vert), WORDS(scene_frag), MATERIAL_OPAQUE, .vertices = true},
    [PIPELINE_GROUND] = {WORDS(scene_vert), WORDS(scene_frag), MATERIAL_GROUND, .vertices = true},
    [PIPELINE_CUT_OUT] = {WORDS(scene_vert), WORDS(scene_frag), MATERIAL_CUT_OUT, .vertices = true,
                          .two_sided = true},
    [PIPELINE_SKY] = {.vertex = WORDS(sky_vert), .fragment = WORDS(sky_frag)},
    [PIPELINE_SHADOW] =
        {WORDS(shadow_vert), {0}, 0, .shadow = true, .vertices = true, .two_sided = true},
    [PIPELINE_SHADOW_CUT_OUT] = {WORDS(shadow_vert), WORDS(shadow_cut_out_frag), 0, .shadow = true,
                                 .vertices = true, .two_sided = true},
};

/* Constants 0, 1 and 2 of the shaders; a shader takes those that it declares. */
struct constants {
    int32_t material;
    VkBool32 encode;
    float cloud_layer;
};

static const VkSpecializationMapEntry constant_entries[] = {
    {0, offsetof(struct constants, material), sizeof(int32_t)},
    {1, offsetof(struct constants, encode), sizeof(VkBool32)},
    {2, offsetof(struct constants, cloud_layer), sizeof(float)},
};

/* The attachment holds sRGB numbers but does not convert by itself. */
static bool shader_must_encode(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_B8G8R8A8_UNORM:
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32:
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32:
        return true;
    default:
        return false;
    }
}

static bool make_module(const struct gpu *gpu, struct words words, VkShaderModule *out_module)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = words.bytes,
                                     .pCode = words.code};
    VK_TRY(vkCreateShaderModule(gpu->device, &info, NULL, out_module));
    return true;
}

static const VkVertexInputBindingDescription bindings[] = {
    {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX},
    {1, sizeof(struct instance), VK_VERTEX_INPUT_RATE_INSTANCE},
};

static const VkVertexInputAttributeDescription attributes[] = {
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(struct vertex, position)},
    {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(struct vertex, uv)},
    {4, 0, VK_FORMAT_R8G8B8A8_UINT, offsetof(struct vertex, layers)},
    {5, 1, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct instance, place)},
    {6, 1, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(struct instance, turn)},
    {2, 0, VK_FORMAT_R8G8B8A8_SNORM,
     offsetof(struct vertex, normal)}, /* not for shadows, from here */
    {3, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(struct vertex, tint)},
};

static VkPipelineVertexInputStateCreateInfo vertex_input(const struct recipe *recipe)
{
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    if (recipe->vertices) {
        input.vertexBindingDescriptionCount = 2;
        input.pVertexBindingDescriptions = bindings;
        input.vertexAttributeDescriptionCount = recipe->shadow ? 5 : 7;
        input.pVertexAttributeDescriptions = attributes;
    }
    return input;
}

static VkPipelineRasterizationStateCreateInfo rasterization(const struct recipe *recipe)
{
    return (VkPipelineRasterizationStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode =
            recipe->vertices && !recipe->two_sided ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
        .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .depthBiasEnable = recipe->shadow,
        .depthBiasConstantFactor = 2.0f,
        .depthBiasSlopeFactor = 2.0f,
        .lineWidth = 1.0f};
}

/* The picture's depth is 1 near and 0 far, the shadow map's the other way round. */
static VkPipelineDepthStencilStateCreateInfo depth_state(const struct recipe *recipe)
{
    bool sky = !recipe->vertices;
    return (VkPipelineDepthStencilStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = !sky,
        .depthCompareOp =
            recipe->shadow ? VK_COMPARE_OP_LESS_OR_EQUAL : VK_COMPARE_OP_GREATER_OR_EQUAL};
}

struct stages {
    VkShaderModule modules[2];
    VkPipelineShaderStageCreateInfo infos[2];
    uint32_t count;
};

static bool make_stages(const struct gpu *gpu, const struct recipe *recipe,
                        const VkSpecializationInfo *constants, struct stages *stages)
{
    const struct words words[2] = {recipe->vertex, recipe->fragment};
    static const VkShaderStageFlagBits bits[2] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                  VK_SHADER_STAGE_FRAGMENT_BIT};
    for (uint32_t i = 0; i < 2 && words[i].code; i++) {
        if (!make_module(gpu, words[i], &stages->modules[i])) {
            return false;
        }
        stages->infos[i] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = bits[i],
            .module = stages->modules[i],
            .pName = "main",
            .pSpecializationInfo = constants};
        stages->count++;
    }
    return true;
}

static bool build(struct renderer *renderer, const struct recipe *recipe,
                  const struct stages *stages, VkPipeline *out_pipeline)
{
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineVertexInputStateCreateInfo input = vertex_input(recipe);
    VkPipelineRasterizationStateCreateInfo raster = rasterization(recipe);
    VkPipelineDepthStencilStateCreateInfo depth = depth_state(recipe);
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1};
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = recipe->shadow ? 0 : 1,
        .pAttachments = &attachment};
    VkPipelineDynamicStateCreateInfo states = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = dynamic};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = stages->count,
                                         .pStages = stages->infos,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pDepthStencilState = &depth,
                                         .pColorBlendState = &blend,
                                         .pDynamicState = &states,
                                         .layout = renderer->pipeline_layout,
                                         .renderPass = recipe->shadow ? renderer->shadow_pass
                                                                      : renderer->main_pass};
    VK_TRY(vkCreateGraphicsPipelines(renderer->gpu->device, VK_NULL_HANDLE, 1, &info, NULL,
                                     out_pipeline));
    return true;
}

bool renderer_make_pipelines(struct renderer *renderer)
{
    bool made = true;
    for (int i = 0; i < PIPELINE_COUNT && made; i++) {
        const struct constants values = {recipes[i].material, shader_must_encode(renderer->format),
                                         (float)LAYER_CLOUDS};
        const VkSpecializationInfo constants = {3, constant_entries, sizeof values, &values};
        struct stages stages = {0};
        made = make_stages(renderer->gpu, &recipes[i], &constants, &stages) &&
               build(renderer, &recipes[i], &stages, &renderer->pipelines[i]);
        vkDestroyShaderModule(renderer->gpu->device, stages.modules[0], NULL);
        vkDestroyShaderModule(renderer->gpu->device, stages.modules[1], NULL);
    }
    return made;
}
