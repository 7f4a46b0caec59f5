/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Buffers and images that live and die together, in one allocation for each kind of memory. Add
 * them all, then bind once. */
#pragma once

#include "gpu.h"

enum arena_kind {
    ARENA_DEVICE = 0, /* only the GPU */
    ARENA_UPLOAD, /* the CPU writes, mapped */
    ARENA_READBACK, /* the CPU reads, mapped */
    ARENA_KIND_COUNT,
};

#define ARENA_MAX_ITEMS 32
#define ARENA_MAX_BLOCKS 8

struct arena_item {
    VkBuffer buffer; /* one of the two */
    VkImage image;
    uint32_t type;
    VkDeviceSize offset;
    void **out_mapped;
};

struct arena_block {
    uint32_t type;
    VkDeviceSize bytes;
    VkDeviceMemory memory;
    uint8_t *mapped;
};

struct arena {
    const struct gpu *gpu;
    struct arena_item items[ARENA_MAX_ITEMS];
    uint32_t item_count;
    struct arena_block blocks[ARENA_MAX_BLOCKS];
    uint32_t block_count;
};

void arena_init(struct arena *arena, const struct gpu *gpu);
/* The GPU must be done with everything in it. Accepts one that is zeroed or half filled. */
void arena_finish(struct arena *arena);

struct arena_buffer_desc {
    VkDeviceSize bytes;
    VkBufferUsageFlags usage;
    enum arena_kind kind;
};

/* *out_mapped, where it is not NULL, is written by arena_bind. */
bool arena_add_buffer(struct arena *arena, const struct arena_buffer_desc *desc,
                      VkBuffer *out_buffer, void **out_mapped);
bool arena_add_image(struct arena *arena, const VkImageCreateInfo *info, VkImage *out_image);
bool arena_bind(struct arena *arena);
