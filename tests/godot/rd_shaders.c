/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shaders, pipelines and uniform sets, which match what the shader declares or are refused. */

#include "rd.h"
#include "resources.h"

#include "cmocka_all.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static VkDescriptorType descriptor_type(int type)
{
    switch (type) {
    case UNIFORM_SAMPLER:
        return VK_DESCRIPTOR_TYPE_SAMPLER;
    case UNIFORM_SAMPLER_WITH_TEXTURE:
        return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case UNIFORM_TEXTURE:
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case UNIFORM_IMAGE:
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case UNIFORM_BUFFER:
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    default:
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

/* ---- Shaders ---- */

static void create_layouts(struct resource *made)
{
    VkDevice device = the_host.engine.device;
    const struct shader_reflection *reflection = &made->shader.reflection;
    for (uint32_t s = 0; s < SETS_AT_MOST; s++) {
        VkDescriptorSetLayoutBinding bindings[BINDINGS_AT_MOST];
        uint32_t count = 0;
        for (uint32_t i = 0; i < reflection->binding_count; i++) {
            const struct shader_binding *from = &reflection->bindings[i];
            if (from->set == s) {
                bindings[count++] =
                    (VkDescriptorSetLayoutBinding){.binding = from->binding,
                                                   .descriptorType = descriptor_type(from->type),
                                                   .descriptorCount = 1,
                                                   .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
            }
        }
        const VkDescriptorSetLayoutCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = count,
            .pBindings = bindings};
        CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &made->shader.sets[s]));
    }
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, reflection->push_bytes};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = SETS_AT_MOST,
                                             .pSetLayouts = made->shader.sets,
                                             .pushConstantRangeCount = range.size > 0,
                                             .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(device, &info, NULL, &made->shader.layout));
}

void method_shader_create(struct call *call)
{
    const struct object *object = call->args[0].object;
    const struct spirv_data *spirv = object ? object->data : NULL;
    struct shader_reflection reflection;
    const char *wrong =
        spirv ? spirv_reflect(spirv->words, spirv->bytes, &reflection) : "no RDShaderSPIRV";
    /* 4.6 and 4.7 rewrite it first, by rules that leave some shaders broken. */
    if (!wrong && the_host.options.minor >= 6 && reflection.constant_count == 0) {
        wrong = "no specialization constant, and so not what it was";
    }
    if (wrong) {
        engine_error("shader_create_from_spirv: %s", wrong);
        return;
    }
    struct resource *made = rd_new(RD_SHADER);
    made->shader.reflection = reflection;
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = spirv->bytes,
                                           .pCode = (const uint32_t *)(const void *)spirv->words};
    CHECK(vkCreateShaderModule(the_host.engine.device, &info, NULL, &made->shader.module));
    create_layouts(made);
    call->ret.rid = made->rid;
}

/* ---- Pipelines ---- */

static const struct constant_data *constant_of(const struct array *array, uint32_t id)
{
    for (int64_t i = 0; i < array->count; i++) {
        const struct object *object = (struct object *)(uintptr_t)array->items[i].words[1];
        const struct constant_data *constant = object ? object->data : NULL;
        if (constant && constant->id == id) {
            return constant;
        }
    }
    return NULL;
}

static bool holds(const struct array *array, const char *class_name)
{
    for (int64_t i = 0; i < array->count; i++) {
        const struct variant *item = &array->items[i];
        const struct object *object = (struct object *)(uintptr_t)item->words[1];
        if (item->type != GD_OBJECT || !object_alive(object) ||
            !class_is(object->row, class_name)) {
            engine_error("item %lld of an Array is no %s", (long long)i, class_name);
            return false;
        }
    }
    return true;
}

void method_pipeline_create(struct call *call)
{
    struct resource *shader = rd_find(call->args[0].rid, RD_SHADER);
    const struct array *given = *(struct array *const *)call->args[1].opaque;
    if (!shader || !holds(given, "RDPipelineSpecializationConstant")) {
        return;
    }
    const struct shader_reflection *reflection = &shader->shader.reflection;
    VkSpecializationMapEntry entries[16];
    uint32_t values[16], count = 0;
    for (uint32_t i = 0; i < reflection->constant_count; i++) {
        const struct constant_data *constant = constant_of(given, reflection->constants[i].id);
        if (constant && constant->type != reflection->constants[i].type) {
            engine_error("specialization constant %u is of the wrong type",
                         reflection->constants[i].id);
            return;
        }
        if (constant) {
            entries[count] = (VkSpecializationMapEntry){reflection->constants[i].id, 4 * count, 4};
            values[count++] = constant->value;
        }
    }
    const VkSpecializationInfo constants = {count, entries, 4 * (size_t)count, values};
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader->shader.module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = shader->shader.layout};
    struct resource *made = rd_new(RD_PIPELINE);
    made->pipeline.shader = shader;
    rd_needs(made, shader->rid);
    CHECK(vkCreateComputePipelines(the_host.engine.device, VK_NULL_HANDLE, 1, &info, NULL,
                                   &made->pipeline.handle));
    call->ret.rid = made->rid;
}

/* ---- Uniform sets ---- */

/* A set is put together here: what is declared, what is given, and what Vulkan is told. */
struct set_writes {
    struct resource *set;
    VkDescriptorImageInfo images[BINDINGS_AT_MOST];
    VkDescriptorBufferInfo buffers[BINDINGS_AT_MOST];
    VkWriteDescriptorSet writes[BINDINGS_AT_MOST];
    uint32_t count;
};

static bool texture_fits(const struct shader_binding *declared, const struct resource *texture)
{
    const bool image = declared->type == UNIFORM_IMAGE;
    if (!texture) {
        return false;
    }
    if (!(texture->texture.usage & (image ? USAGE_STORAGE : USAGE_SAMPLING))) {
        engine_error("binding %u: the texture has no usage %s", declared->binding,
                     image ? "STORAGE" : "SAMPLING");
        return false;
    }
    if (image && declared->format && declared->format != texture->texture.format) {
        engine_error("binding %u: the shader's format %d is not the texture's %d",
                     declared->binding, declared->format, texture->texture.format);
        return false;
    }
    if (image && texture->texture.mips != 1) {
        engine_error("binding %u: an image has one mip", declared->binding);
        return false;
    }
    return true;
}

static bool buffer_fits(const struct shader_binding *declared, const struct resource *buffer)
{
    const bool storage = declared->type == UNIFORM_STORAGE_BUFFER;
    if (buffer && buffer->buffer.storage != storage) {
        engine_error("binding %u: a buffer of the other kind", declared->binding);
    } else if (buffer && buffer->buffer.bytes < declared->bytes) {
        engine_error("Uniform buffer supplied (binding: %u) size (%u) is smaller than size of "
                     "shader uniform: (%u).",
                     declared->binding, buffer->buffer.bytes, declared->bytes);
        return false;
    }
    return buffer && buffer->buffer.storage == storage;
}

static bool take(struct set_writes *out, const struct shader_binding *declared,
                 const struct uniform_data *given)
{
    const uint32_t i = out->count;
    struct set_binding *kept = &out->set->set.bindings[i];
    *kept = (struct set_binding){
        .binding = declared->binding, .type = declared->type, .writable = declared->writable};
    if (given->type != declared->type || given->id_count != 1) {
        engine_error("binding %u: type %lld with %u ids, the shader has type %d", declared->binding,
                     (long long)given->type, given->id_count, declared->type);
        return false;
    }
    out->images[i] = (VkDescriptorImageInfo){0};
    if (declared->type == UNIFORM_BUFFER || declared->type == UNIFORM_STORAGE_BUFFER) {
        kept->buffer = rd_find(given->ids[0], RD_BUFFER);
        if (!buffer_fits(declared, kept->buffer)) {
            return false;
        }
        out->buffers[i] = (VkDescriptorBufferInfo){kept->buffer->buffer.handle, 0, VK_WHOLE_SIZE};
    } else {
        kept->texture = rd_find(given->ids[0], RD_TEXTURE);
        if (!texture_fits(declared, kept->texture)) {
            return false;
        }
        out->images[i].imageView = kept->texture->texture.view;
        out->images[i].imageLayout = declared->type == UNIFORM_IMAGE
                                         ? VK_IMAGE_LAYOUT_GENERAL
                                         : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    }
    rd_needs(out->set, given->ids[0]);
    out->writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstBinding = declared->binding,
                                            .descriptorCount = 1,
                                            .descriptorType = descriptor_type(declared->type),
                                            .pImageInfo = &out->images[i],
                                            .pBufferInfo = &out->buffers[i]};
    out->count++;
    return true;
}

static const struct uniform_data *uniform_of(const struct array *array, uint32_t binding)
{
    for (int64_t i = 0; i < array->count; i++) {
        const struct object *object = (struct object *)(uintptr_t)array->items[i].words[1];
        const struct uniform_data *uniform = object->data;
        if (uniform->binding == binding) {
            return uniform;
        }
    }
    return NULL;
}

static bool take_all(struct set_writes *out, const struct shader_reflection *reflection,
                     uint32_t index, const struct array *given)
{
    for (uint32_t i = 0; i < reflection->binding_count; i++) {
        const struct shader_binding *declared = &reflection->bindings[i];
        const struct uniform_data *uniform = uniform_of(given, declared->binding);
        if (declared->set == index && !uniform) {
            engine_error("All the shader bindings for the given set must be covered by the "
                         "uniforms provided. Binding (%u), set (%u) was not provided.",
                         declared->binding, index);
            return false;
        }
        if (declared->set == index && !take(out, declared, uniform)) {
            return false;
        }
    }
    if (out->count == 0 || out->count != given->count) {
        engine_error("%lld uniforms for %u bindings of set %u", (long long)given->count, out->count,
                     index);
        return false;
    }
    return true;
}

static void write_set(struct set_writes *with)
{
    VkDevice device = the_host.engine.device;
    struct resource *set = with->set;
    VkDescriptorPoolSize sizes[BINDINGS_AT_MOST];
    for (uint32_t i = 0; i < with->count; i++) {
        sizes[i] = (VkDescriptorPoolSize){with->writes[i].descriptorType, 1};
    }
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = with->count,
                                             .pPoolSizes = sizes};
    CHECK(vkCreateDescriptorPool(device, &pool, NULL, &set->set.pool));
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = set->set.pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set->set.shader->shader.sets[set->set.index]};
    CHECK(vkAllocateDescriptorSets(device, &info, &set->set.handle));
    for (uint32_t i = 0; i < with->count; i++) {
        with->writes[i].dstSet = set->set.handle;
    }
    vkUpdateDescriptorSets(device, with->count, with->writes, 0, NULL);
}

void method_set_create(struct call *call)
{
    const struct array *given = *(struct array *const *)call->args[0].opaque;
    struct resource *shader = rd_find(call->args[1].rid, RD_SHADER);
    if (!shader || !holds(given, "RDUniform")) {
        return;
    }
    struct set_writes with = {.set = rd_new(RD_SET)};
    with.set->set.shader = shader;
    with.set->set.index = (uint32_t)call->args[2].i;
    rd_needs(with.set, shader->rid);
    if (!take_all(&with, &shader->shader.reflection, with.set->set.index, given)) {
        rd_forget(with.set->rid);
        return;
    }
    with.set->set.count = with.count;
    write_set(&with);
    call->ret.rid = with.set->rid;
}
