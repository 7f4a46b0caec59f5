/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Vertices, indices and textures to the GPU, once, through one staging buffer. */
#include "renderer.h"

#include <stdlib.h>
#include <string.h>

struct staging {
    struct arena arena;
    VkBuffer buffer;
    uint8_t *mapped;
    VkDeviceSize indices_offset;
    VkDeviceSize texels_offset;
    VkCommandPool pool;
    VkCommandBuffer commands;
};

static VkDeviceSize vertex_bytes(const struct mesh *mesh)
{
    return (VkDeviceSize)mesh->vertex_count * sizeof(struct vertex);
}

static VkDeviceSize index_bytes(const struct mesh *mesh)
{
    return (VkDeviceSize)mesh->index_count * sizeof(uint32_t);
}

static bool fill(struct renderer *renderer, struct staging *staging)
{
    const struct mesh *mesh = &renderer->world->mesh;
    staging->indices_offset = vertex_bytes(mesh);
    staging->texels_offset = (staging->indices_offset + index_bytes(mesh) + 255) / 256 * 256;
    const struct arena_buffer_desc desc = {staging->texels_offset + textures_total_bytes(),
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT, ARENA_UPLOAD};
    void *mapped = NULL;
    if (!arena_add_buffer(&staging->arena, &desc, &staging->buffer, &mapped) ||
        !arena_bind(&staging->arena)) {
        return false;
    }
    staging->mapped = mapped;
    /* Painting reads what it wrote, which is slow in memory that the GPU sees. */
    uint8_t *texels = malloc(textures_total_bytes());
    bool painted = texels && textures_paint((uint32_t)renderer->world->seed, texels);
    if (painted) {
        memcpy(staging->mapped, mesh->vertices, (size_t)vertex_bytes(mesh));
        memcpy(staging->mapped + staging->indices_offset, mesh->indices, (size_t)index_bytes(mesh));
        memcpy(staging->mapped + staging->texels_offset, texels, textures_total_bytes());
    }
    free(texels);
    return painted;
}

static bool begin(struct renderer *renderer, struct staging *staging)
{
    VkDevice device = renderer->gpu->device;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = renderer->gpu->family};
    VK_TRY(vkCreateCommandPool(device, &pool, NULL, &staging->pool));
    VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = staging->pool,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
    VK_TRY(vkAllocateCommandBuffers(device, &buffer, &staging->commands));
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_TRY(vkBeginCommandBuffer(staging->commands, &info));
    return true;
}

static void textures_barrier(const struct renderer *renderer, VkCommandBuffer commands, bool before)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = before ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = before ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_SHADER_READ_BIT,
        .oldLayout = before ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
        .newLayout = before ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
                            : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = renderer->textures,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, TEXTURE_LEVELS, 0, LAYER_COUNT}};
    vkCmdPipelineBarrier(
        commands, before ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
        before ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0, NULL,
        0, NULL, 1, &barrier);
}

static void record(const struct renderer *renderer, const struct staging *staging)
{
    const struct mesh *mesh = &renderer->world->mesh;
    VkBufferCopy vertices = {0, 0, vertex_bytes(mesh)};
    VkBufferCopy indices = {staging->indices_offset, 0, index_bytes(mesh)};
    VkBufferImageCopy levels[TEXTURE_LEVELS];
    for (uint32_t i = 0; i < TEXTURE_LEVELS; i++) {
        uint32_t side_px = TEXTURE_SIDE_PX >> i;
        levels[i] =
            (VkBufferImageCopy){.bufferOffset = staging->texels_offset + textures_level_offset(i),
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, LAYER_COUNT},
                                .imageExtent = {side_px, side_px, 1}};
    }
    textures_barrier(renderer, staging->commands, true);
    vkCmdCopyBuffer(staging->commands, staging->buffer, renderer->vertices, 1, &vertices);
    vkCmdCopyBuffer(staging->commands, staging->buffer, renderer->indices, 1, &indices);
    vkCmdCopyBufferToImage(staging->commands, staging->buffer, renderer->textures,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, TEXTURE_LEVELS, levels);
    textures_barrier(renderer, staging->commands, false);
}

static bool submit(const struct renderer *renderer, const struct staging *staging)
{
    VK_TRY(vkEndCommandBuffer(staging->commands));
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &staging->commands};
    VK_TRY(vkQueueSubmit(renderer->gpu->queue, 1, &info, VK_NULL_HANDLE));
    VK_TRY(vkQueueWaitIdle(renderer->gpu->queue));
    return true;
}

static bool upload(struct renderer *renderer, struct staging *staging)
{
    if (!fill(renderer, staging) || !begin(renderer, staging)) {
        return false;
    }
    record(renderer, staging);
    return submit(renderer, staging);
}

bool renderer_upload(struct renderer *renderer)
{
    struct staging staging = {0};
    arena_init(&staging.arena, renderer->gpu);
    bool done = upload(renderer, &staging);
    vkDestroyCommandPool(renderer->gpu->device, staging.pool, NULL);
    arena_finish(&staging.arena);
    return done;
}
