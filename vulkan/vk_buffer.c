/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_buffer.h"

#include "core/log.h"
#include "vk_check.h"

/* The wanted type's heap may be small: 256 MB of it that the host sees are common, and others use
 * them too. Then, and where there is no such type, the memory that it must be is taken. */
static bool allocate_wanted(struct vk_buffer *buffer, struct vk_device *device,
                            const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted,
                            uint32_t plain_type)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs->size};
    if (!vk_device_has_memory_type(device, needs->memoryTypeBits, wanted) ||
        vk_device_memory_type(device, needs->memoryTypeBits, wanted, &info.memoryTypeIndex) < 0 ||
        info.memoryTypeIndex == plain_type) {
        return false;
    }
    if (device->vk.AllocateMemory(device->handle, &info, device->allocator, &buffer->memory) !=
        VK_SUCCESS) {
        log_debug(device->log, "vulkan: the heap of a buffer's best memory is full");
        buffer->memory = VK_NULL_HANDLE;
        return false;
    }
    return true;
}

static enum fovea_result allocate(struct vk_buffer *buffer, struct vk_device *device,
                                  VkMemoryPropertyFlags flags, VkMemoryPropertyFlags wanted)
{
    struct vk_functions *vk = &device->vk;
    VkMemoryRequirements needs;
    vk->GetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size};
    FOVEA_TRY(vk_device_memory_type(device, needs.memoryTypeBits, flags, &info.memoryTypeIndex));
    if (!allocate_wanted(buffer, device, &needs, flags | wanted, info.memoryTypeIndex)) {
        VK_TRY(device->log,
               vk->AllocateMemory(device->handle, &info, device->allocator, &buffer->memory));
    }
    VK_TRY(device->log, vk->BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0));
    return FOVEA_OK;
}

static enum fovea_result build(struct vk_buffer *buffer, struct vk_device *device,
                               VkMemoryPropertyFlags flags, VkMemoryPropertyFlags wanted)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = buffer->bytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VK_TRY(device->log,
           device->vk.CreateBuffer(device->handle, &info, device->allocator, &buffer->handle));
    FOVEA_TRY(allocate(buffer, device, flags, wanted));
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        VK_TRY(device->log, device->vk.MapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE,
                                                 0, &buffer->mapped));
    }
    return FOVEA_OK;
}

static enum fovea_result init(struct vk_buffer *buffer, struct vk_device *device,
                              VkDeviceSize bytes, VkMemoryPropertyFlags flags,
                              VkMemoryPropertyFlags wanted)
{
    *buffer = (struct vk_buffer){.bytes = bytes};
    enum fovea_result result = build(buffer, device, flags, wanted);
    if (result < 0) {
        vk_buffer_finish(buffer, device);
    }
    return result;
}

static const VkMemoryPropertyFlags host_writes =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

enum fovea_result vk_buffer_init_mapped(struct vk_buffer *buffer, struct vk_device *device,
                                        VkDeviceSize bytes)
{
    return init(buffer, device, bytes, host_writes, 0);
}

enum fovea_result vk_buffer_init_shared(struct vk_buffer *buffer, struct vk_device *device,
                                        VkDeviceSize bytes, enum vk_buffer_reader reader)
{
    return init(buffer, device, bytes, host_writes,
                reader == VK_BUFFER_READ_BY_HOST ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                                 : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

enum fovea_result vk_buffer_init_local(struct vk_buffer *buffer, struct vk_device *device,
                                       VkDeviceSize bytes)
{
    return init(buffer, device, bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
}

void vk_buffer_finish(struct vk_buffer *buffer, struct vk_device *device)
{
    device->vk.DestroyBuffer(device->handle, buffer->handle, device->allocator);
    device->vk.FreeMemory(device->handle, buffer->memory, device->allocator);
    *buffer = (struct vk_buffer){0};
}
