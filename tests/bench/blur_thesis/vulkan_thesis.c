/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vulkan_thesis.h"

#include "papers/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT VK_FORMAT_R32G32B32A32_SFLOAT
#define TILE 16u
#define ROUNDS_MOST 16
#define ROUNDS_US 3e4 /* so long a way is timed at least, unless it takes 16 rounds */
#define WARM_UP_US 3e5 /* a resting GPU's clocks are low */
#define SETS 4096

/* ---- Shaders --------------------------------------------------------------------------------- */

#include "vulkan_shaders.inc"

static const struct {
    const uint32_t *code;
    size_t bytes;
} shaders[] = {
#define GLSL_SHADER(name, file) {code_##name, sizeof code_##name},
#include "vulkan_shaders.def"
#undef GLSL_SHADER
};

static VkPipeline make_pipeline(struct glsl_thesis *t, enum glsl_shader shader,
                                const struct glsl_constants *constants)
{
    if (t->form == GLSL_FRAGMENT) {
        return glsl_fragments_pipeline(t, shader, constants);
    }
    static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
    const VkDevice device = t->b->engine.device;
    const VkShaderModuleCreateInfo module_info = {.sType =
                                                      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = shaders[shader].bytes,
                                                  .pCode = shaders[shader].code};
    const VkSpecializationInfo special = {4, entries, sizeof *constants, constants};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main",
                  .pSpecializationInfo = &special},
        .layout = t->layout};
    VkPipeline pipeline = VK_NULL_HANDLE;
    VULKAN_MUST(vkCreateShaderModule(device, &module_info, NULL, &info.stage.module));
    VULKAN_MUST(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vkDestroyShaderModule(device, info.stage.module, NULL);
    return pipeline;
}

static void drop_pipelines(struct glsl_thesis *t)
{
    for (int i = 0; i < t->pipeline_count; i++) {
        vkDestroyPipeline(t->b->engine.device, t->pipelines[i].pipeline, NULL);
    }
    t->pipeline_count = 0;
}

static VkPipeline pipeline_of(struct glsl_thesis *t, const struct glsl_step *step)
{
    for (int i = 0; i < t->pipeline_count; i++) {
        const struct glsl_pipeline *made = &t->pipelines[i];
        if (made->shader == step->shader &&
            memcmp(&made->constants, &step->constants, sizeof step->constants) == 0) {
            return made->pipeline;
        }
    }
    bench_need(t->pipeline_count < GLSL_PIPELINES, "too many pipelines");
    struct glsl_pipeline *fresh = &t->pipelines[t->pipeline_count++];
    *fresh = (struct glsl_pipeline){step->shader, step->constants,
                                    make_pipeline(t, step->shader, &step->constants)};
    return fresh->pipeline;
}

/* ---- What all pipelines share ---------------------------------------------------------------- */

static VkShaderStageFlags stage_of(const struct glsl_thesis *t)
{
    return t->form == GLSL_FRAGMENT ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_COMPUTE_BIT;
}

static VkPipelineBindPoint bind_point_of(const struct glsl_thesis *t)
{
    return t->form == GLSL_FRAGMENT ? VK_PIPELINE_BIND_POINT_GRAPHICS
                                    : VK_PIPELINE_BIND_POINT_COMPUTE;
}

static void make_layouts(struct glsl_thesis *t)
{
    static const VkDescriptorType types[] = {
        VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
    const VkDevice device = t->b->engine.device;
    VkDescriptorSetLayoutBinding bindings[4];
    VkDescriptorPoolSize sizes[4];
    for (uint32_t i = 0; i < 4; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, stage_of(t), NULL};
        sizes[i] = (VkDescriptorPoolSize){types[i], SETS};
    }
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 4,
        .pBindings = bindings};
    VULKAN_MUST(vkCreateDescriptorSetLayout(device, &set_info, NULL, &t->set_layout));
    const VkPushConstantRange range = {stage_of(t), 0, sizeof(struct glsl_params)};
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &t->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range};
    VULKAN_MUST(vkCreatePipelineLayout(device, &layout_info, NULL, &t->layout));
    const VkDescriptorPoolCreateInfo pool_info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = SETS,
                                                  .poolSizeCount = 4,
                                                  .pPoolSizes = sizes};
    VULKAN_MUST(vkCreateDescriptorPool(device, &pool_info, NULL, &t->sets_pool));
    const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                              .magFilter = VK_FILTER_LINEAR,
                                              .minFilter = VK_FILTER_LINEAR,
                                              .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                              .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                              .addressModeW =
                                                  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    VULKAN_MUST(vkCreateSampler(device, &sampler_info, NULL, &t->sampler));
    if (t->form == GLSL_FRAGMENT) {
        glsl_fragments_make(t);
    }
}

static void make_weights(struct glsl_thesis *t)
{
    const VkDevice device = t->b->engine.device;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = GLSL_WEIGHTS * sizeof(float),
                                     .usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                              VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    VULKAN_MUST(vkCreateBuffer(device, &info, NULL, &t->weights));
    vkGetBufferMemoryRequirements(device, t->weights, &needs);
    t->weights_memory = engine_allocate(&t->b->engine, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VULKAN_MUST(vkBindBufferMemory(device, t->weights, t->weights_memory, 0));
    const VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                         .buffer = t->weights,
                                         .format = VK_FORMAT_R32_SFLOAT,
                                         .range = VK_WHOLE_SIZE};
    VULKAN_MUST(vkCreateBufferView(device, &view, NULL, &t->weights_view));
}

/* Submits a command buffer, waits until it is over and frees it. */
static void run(struct glsl_thesis *t, VkCommandBuffer commands)
{
    struct engine *engine = &t->b->engine;
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
    vkFreeCommandBuffers(engine->device, engine->pool, 1, &commands);
}

void glsl_set_weights(struct glsl_thesis *t, const float *weights, size_t count)
{
    bench_need(count <= GLSL_WEIGHTS, "too many weights");
    if (t->counts) {
        return;
    }
    VkCommandBuffer commands = engine_begin(&t->b->engine);
    vkCmdUpdateBuffer(commands, t->weights, 0, count * sizeof *weights, weights);
    vulkan_barrier(commands);
    run(t, commands);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

int glsl_add_image(struct glsl_thesis *t, int32_t side_px)
{
    const VkDevice device = t->b->engine.device;
    const VkImageCreateInfo info =
        vulkan_image_info(FORMAT, (uint32_t)side_px, (uint32_t)side_px,
                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                              (t->form == GLSL_FRAGMENT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : 0));
    const int last = (int)(sizeof t->images / sizeof t->images[0]);
    VkMemoryRequirements needs;
    bench_need(t->image_count < last, "too many pictures");
    struct glsl_image *image = &t->images[t->image_count];
    *image = (struct glsl_image){.side_px = side_px};
    if (t->counts) {
        return t->image_count++ - 2 * BENCH_PICTURES + GLSL_A;
    }
    VULKAN_MUST(vkCreateImage(device, &info, NULL, &image->image));
    vkGetImageMemoryRequirements(device, image->image, &needs);
    image->memory = engine_allocate(&t->b->engine, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VULKAN_MUST(vkBindImageMemory(device, image->image, image->memory, 0));
    const VkImageViewCreateInfo view = vulkan_view_info(image->image, FORMAT);
    VULKAN_MUST(vkCreateImageView(device, &view, NULL, &image->view));
    if (t->form == GLSL_FRAGMENT) {
        glsl_fragments_add_target(t, image);
    }
    VkCommandBuffer commands = engine_begin(&t->b->engine);
    engine_record_barrier(commands, image->image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    run(t, commands);
    return t->image_count++ - 2 * BENCH_PICTURES + GLSL_A;
}

/* The pictures that are read come first, those that are written after them. */
static struct glsl_image *image_of(struct glsl_thesis *t, int number, uint32_t picture)
{
    return number == GLSL_SRC   ? &t->images[picture]
           : number == GLSL_DST ? &t->images[BENCH_PICTURES + picture]
                                : &t->images[2 * BENCH_PICTURES + number - GLSL_A];
}

static VkDescriptorSet set_of(struct glsl_thesis *t, int from, int to, uint32_t picture)
{
    VkDescriptorSet *set = &t->sets[from][to][picture];
    if (*set) {
        return *set;
    }
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = t->sets_pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &t->set_layout};
    VULKAN_MUST(vkAllocateDescriptorSets(t->b->engine.device, &info, set));
    const VkDescriptorImageInfo src = {t->sampler, image_of(t, from, picture)->view,
                                       VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorImageInfo dst = {VK_NULL_HANDLE, image_of(t, to, picture)->view,
                                       VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorBufferInfo weights = {t->weights, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[4] = {
        {.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .pImageInfo = &src},
        {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .pImageInfo = &dst},
        {.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .pBufferInfo = &weights},
        {.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
         .pTexelBufferView = &t->weights_view}};
    for (uint32_t i = 0; i < 4; i++) {
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = *set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
    }
    vkUpdateDescriptorSets(t->b->engine.device, 4, writes, 0, NULL);
    return *set;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

struct glsl_way glsl_begin(struct glsl_thesis *t, const char *format, ...)
{
    char words[RESULT_NAME_BYTES];
    char name[2 * RESULT_NAME_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    static const char *const formats[] = {"GLSL, %s", "GLSL beside fragments, %s",
                                          "GLSL fragments, %s"};
    const char *what = results_words(&t->b->bench->results, formats[t->form], words);
    snprintf(name, sizeof name, "vulkan/%s/blur-thesis/%s", t->size->name, what);
    const bool wanted = bench_wants(t->b->bench, name);
    t->wanted += wanted;
    return (struct glsl_way){.t = t, .what = wanted ? what : NULL};
}

struct glsl_step *glsl_add(struct glsl_way *way, enum glsl_shader shader, int from, int to)
{
    struct glsl_step *steps = realloc(way->steps, (way->count + 1) * sizeof *steps);
    bench_need(steps, "out of memory");
    way->steps = steps;
    struct glsl_step *step = &steps[way->count++];
    const int32_t side_px = image_of(way->t, to, 0)->side_px;
    const int32_t from_px = image_of(way->t, from, 0)->side_px;
    *step = (struct glsl_step){.shader = shader,
                               .constants = {{TILE, TILE}, 0, 1},
                               .params = {.width_px = side_px,
                                          .height_px = side_px,
                                          .from_width_px = from_px,
                                          .from_height_px = from_px},
                               .from = from,
                               .to = to};
    return step;
}

static void after_compute(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask =
                                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void clear(struct glsl_thesis *t, VkCommandBuffer commands, int to, uint32_t picture)
{
    const VkClearColorValue nothing = {.float32 = {0.0f}};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, image_of(t, to, picture)->image, VK_IMAGE_LAYOUT_GENERAL,
                         &nothing, 1, &all);
    vulkan_barrier(commands);
}

static void record(struct glsl_way *way, VkCommandBuffer commands, uint32_t picture)
{
    struct glsl_thesis *t = way->t;
    for (size_t i = 0; i < way->count; i++) {
        const struct glsl_step *step = &way->steps[i];
        const uint32_t *group = step->constants.group;
        if (step->clears) {
            clear(t, commands, step->to, picture);
            continue;
        }
        const VkDescriptorSet set = set_of(t, step->from, step->to, picture);
        vkCmdBindDescriptorSets(commands, bind_point_of(t), t->layout, 0, 1, &set, 0, NULL);
        vkCmdPushConstants(commands, t->layout, stage_of(t), 0, sizeof step->params, &step->params);
        if (t->form == GLSL_FRAGMENT) {
            glsl_fragments_draw(t, commands, image_of(t, step->to, picture), pipeline_of(t, step));
            continue;
        }
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_of(t, step));
        vkCmdDispatch(commands, ((uint32_t)step->params.width_px + group[0] - 1) / group[0],
                      ((uint32_t)step->params.height_px + group[1] - 1) / group[1], 1);
        after_compute(commands);
    }
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Each picture once; way NULL: a copy of each. */
static void time_round(struct glsl_thesis *t, struct glsl_way *way, double us[BENCH_PICTURES])
{
    struct vulkan_bench *b = t->b;
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy whole = {.srcSubresource = layer,
                               .dstSubresource = layer,
                               .extent = {t->size->width_px, t->size->height_px, 1}};
    VkCommandBuffer commands = engine_begin(&b->engine);
    for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
        vulkan_stamp(b, commands, 2 * i);
        if (way) {
            record(way, commands, i);
        } else {
            vkCmdCopyImage(commands, t->images[i].image, VK_IMAGE_LAYOUT_GENERAL,
                           t->images[BENCH_PICTURES + i].image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
        }
        vulkan_stamp(b, commands, 2 * i + 1);
    }
    run(t, commands);
    for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
        us[i] = vulkan_between_us(b, 2 * i, 2 * i + 1);
    }
}

static struct bench_times time_way(struct glsl_thesis *t, struct glsl_way *way)
{
    double us[ROUNDS_MOST * BENCH_PICTURES];
    double sum_us = 0.0;
    size_t count = 0;
    const bool once = t->b->bench->wishes.quick || t->b->is_cpu;
    time_round(t, way, us);
    do {
        time_round(t, way, us + count);
        for (size_t i = 0; i < BENCH_PICTURES; i++) {
            sum_us += us[count++];
        }
    } while (!once && sum_us < ROUNDS_US && count < ROUNDS_MOST * BENCH_PICTURES);
    return bench_times_of(us, count);
}

static struct result *add_row(struct glsl_thesis *t, const char *what)
{
    struct result *row = results_add(&t->b->bench->results);
    row->kind = RESULT_THESIS;
    row->backend = "vulkan";
    row->size = t->size;
    row->what = what;
    row->format = FOVEA_FORMAT_RGBA32F;
    row->images = 1;
    row->way = "timestamps";
    return row;
}

static void add_copies(struct glsl_thesis *t)
{
    double us[BENCH_PICTURES];
    for (double warm_us = 0.0; !t->b->is_cpu && warm_us < WARM_UP_US;) {
        time_round(t, NULL, us);
        warm_us += BENCH_PICTURES * us[0];
    }
    if (!t->b->bench->wishes.check) {
        struct result *row =
            add_row(t, t->form == GLSL_COMPUTE          ? "GLSL, vkCmdCopyImage"
                       : t->form == GLSL_COMPUTE_BESIDE ? "GLSL beside fragments, vkCmdCopyImage"
                                                        : "GLSL fragments, vkCmdCopyImage");
        row->times = time_way(t, NULL);
        t->copy_us = row->reference_us = row->times.median_us;
    }
}

static bool look(struct glsl_way *way, char *words, size_t bytes)
{
    struct glsl_thesis *t = way->t;
    const size_t side = t->size->width_px;
    const double most = way->exact.tolerance > 0.0 ? way->exact.tolerance : EXACT_BY_FLOATS;
    OWNED(owned_free) float *made = bench_memory(side * side, 4 * sizeof *made);
    VkCommandBuffer commands = engine_begin(&t->b->engine);
    vulkan_barrier(commands);
    record(way, commands, 0);
    vulkan_barrier(commands);
    run(t, commands);
    engine_read(&t->b->engine, t->images[BENCH_PICTURES].image, t->size->width_px,
                t->size->height_px, FORMAT, made, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    const double worst = exact_worst(&way->exact, t->src, (int32_t)side, made);
    const bool right = worst <= most;
    snprintf(words, bytes, "%s%.1e off its definition", right ? "" : "WRONG: ", worst);
    if (!right) {
        bench_say("WRONG: %s: %s", way->what, words);
        t->b->bench->results.wrong_count++;
    }
    return right;
}

void glsl_end(struct glsl_way *way)
{
    struct glsl_thesis *t = way->t;
    if (way->what && !t->counts) {
        char words[RESULT_TEXT_BYTES];
        const bool right = look(way, words, sizeof words);
        struct result *row = add_row(t, way->what);
        snprintf(row->note, sizeof row->note, "%s", words);
        row->reference_us = t->copy_us;
        if (right && !t->b->bench->wishes.check) {
            row->times = time_way(t, way);
        }
    }
    free(way->steps);
    way->steps = NULL;
    drop_pipelines(t);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Discs, whose alpha is another channel like the others: the pictures of CUDA's ways. */
static void draw(struct glsl_thesis *t)
{
    const size_t values = (size_t)t->size->width_px * t->size->height_px * 4;
    OWNED(owned_free) uint8_t *pixels = bench_memory(1, values);
    t->src = bench_memory(values, sizeof *t->src);
    papers_draw(pixels, t->size, 0);
    for (size_t i = 0; i < values; i++) {
        t->src[i] = (float)pixels[i % 4 == 3 ? i - 3 : i] / 255.0f;
    }
    for (int i = 0; i < 2 * BENCH_PICTURES; i++) {
        glsl_add_image(t, (int32_t)t->size->width_px);
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        engine_write(&t->b->engine, t->images[i].image, t->size->width_px, t->size->height_px,
                     FORMAT, t->src, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    }
    glsl_add_image(t, (int32_t)t->size->width_px); /* A and B */
    glsl_add_image(t, (int32_t)t->size->width_px);
}

static void finish(struct glsl_thesis *t)
{
    const VkDevice device = t->b->engine.device;
    for (int i = 0; i < t->image_count; i++) {
        vkDestroyFramebuffer(device, t->images[i].framebuffer, NULL);
        vkDestroyImageView(device, t->images[i].view, NULL);
        vkDestroyImage(device, t->images[i].image, NULL);
        vkFreeMemory(device, t->images[i].memory, NULL);
    }
    vkDestroyBufferView(device, t->weights_view, NULL);
    vkDestroyBuffer(device, t->weights, NULL);
    vkFreeMemory(device, t->weights_memory, NULL);
    vkDestroyRenderPass(device, t->render_pass, NULL);
    vkDestroySampler(device, t->sampler, NULL);
    vkDestroyDescriptorPool(device, t->sets_pool, NULL);
    vkDestroyPipelineLayout(device, t->layout, NULL);
    vkDestroyDescriptorSetLayout(device, t->set_layout, NULL);
    free(t->src);
}

static void run_size(struct vulkan_bench *b, const struct bench_size *size, enum glsl_form form)
{
    OWNED(owned_free) struct glsl_thesis *t = bench_memory(1, sizeof *t);
    VkPhysicalDeviceProperties properties;
    t->b = b;
    t->size = size;
    t->form = form;
    vkGetPhysicalDeviceProperties(b->engine.physical, &properties);
    t->most_shared_bytes = properties.limits.maxComputeSharedMemorySize;
    t->counts = true;
    t->image_count = 2 * BENCH_PICTURES + 2; /* with A and B */
    glsl_ways(t);
    if (t->wanted > 0) {
        t->counts = false;
        t->image_count = 0;
        make_layouts(t);
        make_weights(t);
        draw(t);
        add_copies(t);
        glsl_ways(t);
        finish(t);
    }
}

static void run_sizes(struct vulkan_bench *b, enum glsl_form form)
{
    static const struct bench_size sizes[] = {{"1024^2", 1024, 1024},
                                              {"256^2", 256, 256},
                                              {"512^2", 512, 512},
                                              {"2048^2", 2048, 2048},
                                              {"4096^2", 4096, 4096}};
    static const struct bench_size quick = {"128^2", 128, 128};
    if (b->is_cpu || b->bench->wishes.quick) {
        run_size(b, &quick, form);
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run_size(b, &sizes[i], form);
    }
}

bool vulkan_blur_thesis(struct vulkan_bench *b)
{
    struct vulkan_bench beside = {.bench = b->bench, .with_graphics = true};
    if (!vulkan_open(b)) {
        return false;
    }
    run_sizes(b, GLSL_COMPUTE);
    if (vulkan_open(&beside)) {
        if (!beside.is_cpu) { /* whose queues are alike */
            run_sizes(&beside, GLSL_COMPUTE_BESIDE);
        }
        run_sizes(&beside, GLSL_FRAGMENT);
        vulkan_close(&beside);
    }
    return true;
}
