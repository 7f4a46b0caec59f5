/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's ways in GLSL on a Vulkan device: a way is a list of dispatches, or of triangles
 * whose fragments run the same text, between pictures of RGBA32F. */
#pragma once

#include "exact.h"
#include "vulkan_bench.h"

#define GLSL_SRC 0 /* the picture that is read, the one that is written, and others */
#define GLSL_DST 1
#define GLSL_A 2
#define GLSL_B 3
#define GLSL_IMAGES 40
#define GLSL_WEIGHTS 8192

enum glsl_shader {
#define GLSL_SHADER(name, file) GLSL_##name,
#include "vulkan_shaders.def"
#undef GLSL_SHADER
    GLSL_SHADER_COUNT,
};

/* Fragments need a queue with graphics, which has half the pace on GPUs for data centres; the same
 * dispatches on that queue say how much of a difference is the queue's. */
enum glsl_form { GLSL_COMPUTE, GLSL_COMPUTE_BESIDE, GLSL_FRAGMENT };

/* thesis.glsl has the same. */
struct glsl_params {
    int32_t width_px, height_px;
    int32_t from_width_px, from_height_px;
    int32_t taps;
    int32_t step_px;
    int32_t move_x_px, move_y_px;
    int32_t border_px;
    float factor;
};

struct glsl_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFramebuffer framebuffer; /* of fragments */
    int32_t side_px;
};

/* Constants of a pipeline: thesis.glsl says what they are. */
struct glsl_constants {
    uint32_t group[2];
    int32_t known_taps;
    int32_t tile_pixels;
};

struct glsl_pipeline {
    enum glsl_shader shader;
    struct glsl_constants constants;
    VkPipeline pipeline;
};

#define GLSL_PIPELINES 64

struct glsl_thesis {
    struct vulkan_bench *b;
    const struct bench_size *size;
    enum glsl_form form;
    float *src; /* the pictures' pixels */
    /* All pictures come first, then A, B, and levels of pyramids. */
    struct glsl_image images[2 * BENCH_PICTURES + GLSL_IMAGES];
    int image_count;
    VkDescriptorSet sets[GLSL_IMAGES][GLSL_IMAGES][BENCH_PICTURES];
    VkDescriptorPool sets_pool;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkSampler sampler;
    VkRenderPass render_pass; /* of fragments: over what there is */
    VkBuffer weights;
    VkDeviceMemory weights_memory;
    VkBufferView weights_view;
    struct glsl_pipeline pipelines[GLSL_PIPELINES];
    int pipeline_count;
    uint32_t most_shared_bytes;
    double copy_us;
    bool counts; /* only how many ways are wanted: nothing is made, drawn or run */
    int wanted;
};

struct glsl_step {
    enum glsl_shader shader;
    struct glsl_constants constants;
    struct glsl_params params;
    int from, to;
    bool clears; /* `to`, instead of a dispatch */
};

struct glsl_way {
    struct glsl_thesis *t;
    const char *what; /* NULL: nobody wishes for it */
    struct glsl_step *steps;
    size_t count;
    struct exact_blur exact;
};

/* ---- vulkan_thesis.c: pictures and steps */

/* Begins a way whose name is made as by printf, after "GLSL, ". */
struct glsl_way glsl_begin(struct glsl_thesis *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A dispatch that writes all of a picture, a thread a pixel in groups of 16x16; the step is the
 * caller's to change until the next one is added. */
struct glsl_step *glsl_add(struct glsl_way *way, enum glsl_shader shader, int from, int to);
void glsl_set_weights(struct glsl_thesis *t, const float *weights, size_t count);
/* The number of a further picture. */
int glsl_add_image(struct glsl_thesis *t, int32_t side_px);
/* Looks at it, times it, adds its row, frees its steps. */
void glsl_end(struct glsl_way *way);

/* ---- vulkan_fragments.c */

/* The device blends what spreading adds up. */
bool glsl_fragments_blend(const struct glsl_thesis *t);
void glsl_fragments_make(struct glsl_thesis *t);
void glsl_fragments_add_target(struct glsl_thesis *t, struct glsl_image *image);
VkPipeline glsl_fragments_pipeline(struct glsl_thesis *t, enum glsl_shader shader,
                                   const struct glsl_constants *constants);
/* Draws the triangle; whoever reads what it makes need not wait for more. */
void glsl_fragments_draw(struct glsl_thesis *t, VkCommandBuffer commands,
                         const struct glsl_image *to, VkPipeline pipeline);

/* ---- vulkan_ways.c */

void glsl_ways(struct glsl_thesis *t);
