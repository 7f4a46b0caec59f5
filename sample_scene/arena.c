/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "arena.h"

/* Drivers dislike small allocations, and the validation layer says so. */
#define LEAST_BYTES (1u << 20)

void arena_init(struct arena *arena, const struct gpu *gpu)
{
    *arena = (struct arena){.gpu = gpu};
}

void arena_finish(struct arena *arena)
{
    for (uint32_t i = 0; i < arena->item_count; i++) {
        vkDestroyBuffer(arena->gpu->device, arena->items[i].buffer, NULL);
        vkDestroyImage(arena->gpu->device, arena->items[i].image, NULL);
    }
    for (uint32_t i = 0; i < arena->block_count; i++) {
        vkFreeMemory(arena->gpu->device, arena->blocks[i].memory, NULL);
    }
    *arena = (struct arena){.gpu = arena->gpu};
}

static int find_type(const struct gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed & 1u << i) && (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags) {
            return (int)i;
        }
    }
    return -1;
}

static int choose_type(const struct gpu *gpu, uint32_t allowed, enum arena_kind kind)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    static const VkMemoryPropertyFlags best[ARENA_KIND_COUNT] = {
        [ARENA_DEVICE] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        [ARENA_UPLOAD] = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        [ARENA_READBACK] = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    };
    int type = find_type(gpu, allowed, best[kind]);
    return type >= 0 ? type : find_type(gpu, allowed, kind == ARENA_DEVICE ? 0 : host);
}

static struct arena_block *block_of(struct arena *arena, uint32_t type)
{
    for (uint32_t i = 0; i < arena->block_count; i++) {
        if (arena->blocks[i].type == type) {
            return &arena->blocks[i];
        }
    }
    if (arena->block_count == ARENA_MAX_BLOCKS) {
        return NULL;
    }
    arena->blocks[arena->block_count] = (struct arena_block){.type = type};
    return &arena->blocks[arena->block_count++];
}

static bool place(struct arena *arena, struct arena_item *item, const VkMemoryRequirements *needs,
                  enum arena_kind kind)
{
    int type = choose_type(arena->gpu, needs->memoryTypeBits, kind);
    struct arena_block *block = type >= 0 ? block_of(arena, (uint32_t)type) : NULL;
    if (!block) {
        say_error("this device has no memory for a buffer or image that the scene needs");
        return false;
    }
    VkDeviceSize step = needs->alignment;
    VkDeviceSize granularity = arena->gpu->properties.limits.bufferImageGranularity;
    step = step > granularity ? step : granularity;
    item->type = (uint32_t)type;
    item->offset = (block->bytes + step - 1) / step * step;
    block->bytes = item->offset + needs->size;
    return true;
}

static struct arena_item *next_item(struct arena *arena)
{
    if (arena->item_count == ARENA_MAX_ITEMS) {
        say_error("an arena has room for %d items", ARENA_MAX_ITEMS);
        return NULL;
    }
    struct arena_item *item = &arena->items[arena->item_count++];
    *item = (struct arena_item){0};
    return item;
}

bool arena_add_buffer(struct arena *arena, const struct arena_buffer_desc *desc,
                      VkBuffer *out_buffer, void **out_mapped)
{
    struct arena_item *item = next_item(arena);
    if (!item) {
        return false;
    }
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = desc->bytes, .usage = desc->usage};
    VK_TRY(vkCreateBuffer(arena->gpu->device, &info, NULL, &item->buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(arena->gpu->device, item->buffer, &needs);
    item->out_mapped = out_mapped;
    *out_buffer = item->buffer;
    return place(arena, item, &needs, desc->kind);
}

bool arena_add_image(struct arena *arena, const VkImageCreateInfo *info, VkImage *out_image)
{
    struct arena_item *item = next_item(arena);
    if (!item) {
        return false;
    }
    VK_TRY(vkCreateImage(arena->gpu->device, info, NULL, &item->image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(arena->gpu->device, item->image, &needs);
    *out_image = item->image;
    return place(arena, item, &needs, ARENA_DEVICE);
}

static bool allocate(struct arena *arena, struct arena_block *block)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize =
                                     block->bytes > LEAST_BYTES ? block->bytes : LEAST_BYTES,
                                 .memoryTypeIndex = block->type};
    VK_TRY(vkAllocateMemory(arena->gpu->device, &info, NULL, &block->memory));
    return true;
}

static bool bind_item(struct arena *arena, const struct arena_item *item)
{
    struct arena_block *block = block_of(arena, item->type);
    if (item->buffer) {
        VK_TRY(vkBindBufferMemory(arena->gpu->device, item->buffer, block->memory, item->offset));
    } else {
        VK_TRY(vkBindImageMemory(arena->gpu->device, item->image, block->memory, item->offset));
    }
    if (item->out_mapped && !block->mapped) {
        void *mapped = NULL;
        VK_TRY(vkMapMemory(arena->gpu->device, block->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
        block->mapped = mapped;
    }
    if (item->out_mapped) {
        *item->out_mapped = block->mapped + item->offset;
    }
    return true;
}

bool arena_bind(struct arena *arena)
{
    for (uint32_t i = 0; i < arena->block_count; i++) {
        if (!allocate(arena, &arena->blocks[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < arena->item_count; i++) {
        if (!bind_item(arena, &arena->items[i])) {
            return false;
        }
    }
    return true;
}
