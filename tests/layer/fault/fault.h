/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_LAYER_FOVEA_fault, below Fovea's layer: for tests of the tests, and of what Fovea does when
 * Vulkan fails. FOVEA_FAULT names one thing that goes wrong:
 *
 *     signal       Fovea's submits do not signal what the present waits for
 *     wait         they do not wait for what the program has signalled
 *     layout       its barriers have the old layout for the new one
 *                  (three mistakes, as if Fovea had made them: validation, below this layer, must
 *                  notice)
 *     instance     vkCreateInstance fails, the first time
 *     device       vkCreateDevice fails, the first time
 *     usage        surfaces do not support TRANSFER_SRC
 *     swapchain    vkCreateSwapchainKHR fails where TRANSFER_SRC is asked for
 *     storage      surfaces do not support STORAGE
 *     format       images of several formats are not supported
 *     mutable      vkCreateSwapchainKHR fails where images of several formats are asked for
 *     view         vkCreateImageView fails for Fovea, the second time
 *     sharing      the device pretends that it can share semaphores
 *     semaphore    vkCreateSemaphore fails for Fovea
 *     submit       Fovea's third to fifth submit fail: out of memory
 *     fourth       Fovea's fourth submit fails: out of memory
 *     fifth        Fovea's fourth and fifth submit fail: out of memory
 *     present      the program's third present fails: out of memory
 *     present-device    likewise, of the device
 *     present-twice     the fourth too
 *     present-stuck     likewise, and so do the next two submits of Fovea's
 *     present-khr  likewise, and the device has vkReleaseSwapchainImagesKHR, which does nothing;
 *                  present-ext: by its older name
 *     present-outdated  it is queued, but the swapchain is out of date; present-surface: its
 *                       surface is lost
 *     late-fences  Fovea's fences are ready eleven presents later, as behind a GPU that is as far
 *                  behind
 *     fifth-present     as fifth, and the second present fails too
 *     lost-half    Fovea's fourth submit fails, no other: the device is lost
 *     lost         Fovea's third submit fails: the device is lost
 *     nth:N:M:R    the N-th to the (N+M-1)-th of Fovea's calls that make, bind, record or submit
 *                  something fail with the VkResult R; with N 0 they are only counted
 *     names        nothing goes wrong; each of those calls is named on stderr
 *
 * With any other name nothing goes wrong. When a device ends, the calls are counted on stderr. One
 * instance and one device at a time. */
#pragma once

#include "tests/support/named.h"

#include <stdbool.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

struct fault_next {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
    PFN_vkGetPhysicalDeviceImageFormatProperties2 GetPhysicalDeviceImageFormatProperties2;
    PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR GetPhysicalDeviceSurfaceCapabilitiesKHR;
    PFN_vkDestroyDevice DestroyDevice;
    PFN_vkGetFenceStatus GetFenceStatus;
    PFN_vkCmdPipelineBarrier CmdPipelineBarrier;
    PFN_vkCreateImageView CreateImageView;
    PFN_vkCreateSemaphore CreateSemaphore;
    PFN_vkCreateSwapchainKHR CreateSwapchainKHR;
    PFN_vkQueuePresentKHR QueuePresentKHR;
    PFN_vkQueueSubmit QueueSubmit;
};
extern struct fault_next fault_next;

bool fault_is(const char *name);
/* Whether the code that a hook returns to is Fovea's layer. */
bool fault_is_foveas(const void *return_address);

/* VK_SUCCESS, or what a call of that name has to return to that address. */
VkResult fault_nth(const void *return_address, const char *name);
/* Counts an object of Fovea's, if that is what the call made. */
void fault_made(const void *return_address, const char *name, VkResult result);
void fault_nth_load(VkDevice device);
PFN_vkVoidFunction fault_nth_find(const char *name);
/* Reports on stderr. */
void fault_nth_report(void);

/* A function of that name that nothing below has; NULL: there is none. */
PFN_vkVoidFunction fault_find_more(const char *name);
/* The hook for a device's function, or for one of an instance's; NULL: there is none. */
PFN_vkVoidFunction fault_find_call(const char *name);
