/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host's RenderingDevice: what stands behind an RID, and the commands of the frame. */
#pragma once

#include "host_internal.h"

enum {
    USAGE_SAMPLING = 1,
    USAGE_COLOR_ATTACHMENT = 2,
    USAGE_DEPTH_ATTACHMENT = 4,
    USAGE_STORAGE = 8,
    USAGE_CAN_UPDATE = 64,
    USAGE_COPY_FROM = 128,
    USAGE_COPY_TO = 256,
    USAGE_INPUT_ATTACHMENT = 512
};
enum {
    UNIFORM_SAMPLER,
    UNIFORM_SAMPLER_WITH_TEXTURE,
    UNIFORM_TEXTURE,
    UNIFORM_IMAGE,
    UNIFORM_BUFFER = 7,
    UNIFORM_STORAGE_BUFFER
};
enum rd_kind { RD_NONE, RD_TEXTURE, RD_BUFFER, RD_SHADER, RD_PIPELINE, RD_SET };

#define SETS_AT_MOST 4
#define BINDINGS_AT_MOST 24
#define PUSH_BYTES_AT_MOST 128 /* what every device has */

/* A shader declares this. */
struct shader_binding {
    uint32_t set, binding;
    int type; /* UNIFORM_... */
    VkFormat format; /* of an image with one */
    bool writable; /* of images and storage buffers: the shader may write it */
    uint32_t bytes; /* of a uniform buffer's block, rounded up to 16 */
};
struct shader_constant {
    uint32_t id;
    int type; /* enum gd_type */
};
struct shader_reflection {
    struct shader_binding bindings[BINDINGS_AT_MOST];
    uint32_t binding_count;
    struct shader_constant constants[16];
    uint32_t constant_count;
    uint32_t push_bytes; /* rounded up to 16, as the engine's reflection does */
};
/* NULL, or what is wrong with it. */
const char *spirv_reflect(const uint8_t *bytes, size_t size, struct shader_reflection *out);

struct rd_texture {
    VkImage image; /* the root's */
    VkDeviceMemory memory; /* of roots */
    VkImageView view;
    VkFormat format;
    int type; /* 1: 2D, 4: 2D array */
    uint32_t width_px, height_px, layers, mips, first_layer, first_mip;
    int64_t usage, samples;
    struct resource *root; /* itself, if it is one */
    VkImageLayout *layouts; /* of roots: one for each mip of each layer */
    uint8_t *uses; /* of roots: in the list that is recorded; 0: none */
};

struct set_binding {
    uint32_t binding;
    int type;
    bool writable;
    struct resource *texture, *buffer;
};

struct resource {
    struct resource *next;
    uint64_t rid;
    enum rd_kind kind;
    bool of_engine;
    uint64_t needs[BINDINGS_AT_MOST]; /* when one of these goes, this goes, too */
    uint32_t need_count;
    union {
        struct rd_texture texture;
        struct {
            VkBuffer handle;
            VkDeviceMemory memory;
            uint32_t bytes;
            bool storage;
            uint8_t use; /* in the list that is recorded; 0: none */
        } buffer;
        struct {
            VkShaderModule module;
            VkDescriptorSetLayout sets[SETS_AT_MOST];
            VkPipelineLayout layout;
            struct shader_reflection reflection;
        } shader;
        struct {
            VkPipeline handle;
            struct resource *shader;
        } pipeline;
        struct {
            VkDescriptorPool pool;
            VkDescriptorSet handle;
            struct resource *shader;
            uint32_t index;
            struct set_binding bindings[BINDINGS_AT_MOST];
            uint32_t count;
        } set;
    };
};

struct resource *rd_new(enum rd_kind kind);
/* NULL and an error where there is no such RID of this kind. */
struct resource *rd_find(uint64_t rid, enum rd_kind kind);
bool rd_is(uint64_t rid, enum rd_kind kind);
void rd_needs(struct resource *resource, uint64_t rid);
void rd_forget(uint64_t rid); /* frees it and all that needs it, at the frame's end */
void rd_destroy_freed(void);

VkDeviceMemory rd_allocate(VkMemoryRequirements needs);
VkCommandBuffer rd_commands(void); /* the frame's */
void rd_barrier(void); /* all writes before it are seen by all that comes after */
/* A buffer that lives as long as the frame. */
struct engine_buffer rd_staging(VkDeviceSize bytes);
void rd_transition(struct resource *resource, VkImageLayout layout);
bool rd_list_is_open(const char *what); /* and an error if so */
void rd_lists_open(void);
void rd_lists_close(void);
void rd_lists_end_frame(void);
void rd_lists_read_times(void);
void rd_flush(void); /* runs what was recorded, and waits */

struct texture_desc {
    VkFormat format;
    uint32_t width_px, height_px, layers, mips;
    int64_t usage, samples;
    int type;
};
struct resource *rd_texture_create(const struct texture_desc *desc);
struct resource *rd_texture_share(struct resource *of, uint32_t layer);
/* Layers below each other, 4 bytes a pixel of the first aspect. */
void rd_texture_write(struct resource *resource, const void *pixels, VkImageLayout after);
