/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/frame/frame.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "frame_cost.h"
#include "vulkan/interop/peer_host.h"
#include "vulkan/vk_semaphore.h"

#if FOVEA_HAVE_CUDA
#include "vulkan/interop/peer_cuda.h"
#endif

static void because(struct fovea_vk *fovea, enum fovea_backend backend, const char *reason)
{
    fovea->backend = backend;
    snprintf(fovea->reason, sizeof fovea->reason, "%s", reason);
}

/* Why this device's images cannot be shared; NULL if they can. */
static const char *sharing_obstacle(const struct vk_device *device)
{
    if (!device->memory_fd) {
        return "the device was made without VK_KHR_external_memory_fd";
    }
    if (!device->semaphore_fd) {
        return "the device was made without VK_KHR_external_semaphore_fd";
    }
    if (!vk_semaphore_exportable(device, true) && !vk_semaphore_exportable(device, false)) {
        return "the device cannot export semaphores";
    }
    return NULL;
}

#if FOVEA_HAVE_CUDA
static enum fovea_result make_cuda(struct fovea_vk *fovea, const char **out_obstacle)
{
    *out_obstacle = sharing_obstacle(&fovea->device);
    if (*out_obstacle) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out_obstacle = "no CUDA device has this Vulkan device's UUID";
    return peer_cuda_create(fovea->device.uuid, fovea->slot_count, fovea->settings.cuda_context,
                            fovea->log, &fovea->peer);
}
#else
static enum fovea_result make_cuda(struct fovea_vk *fovea, const char **out_obstacle)
{
    (void)fovea;
    (void)sharing_obstacle;
    *out_obstacle = "this library was built without CUDA";
    return FOVEA_ERROR_UNSUPPORTED;
}
#endif

static enum fovea_result choose_cuda(struct fovea_vk *fovea, bool required)
{
    const char *obstacle = NULL;
    enum fovea_result result = make_cuda(fovea, &obstacle);
    if (result == FOVEA_OK) {
        because(fovea, FOVEA_BACKEND_CUDA,
                required ? "the settings ask for it" : "a CUDA device has this device's UUID");
    } else if (required) {
        log_error(fovea->log, "cuda backend: %s", obstacle);
    } else {
        snprintf(fovea->reason, sizeof fovea->reason, "no cuda: %s", obstacle);
    }
    return result;
}

static enum fovea_result make_host(struct fovea_vk *fovea)
{
    return peer_host_create(&fovea->device, fovea->slot_count, fovea->settings.cpu_threads,
                            &fovea->peer);
}

static bool threads_possible(const struct vk_device *device)
{
    return device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && device->timeline;
}

/* Threads on mapped images take a thirtieth of the time of compute shaders that a CPU runs. */
static bool choose_threads(struct fovea_vk *fovea)
{
    if (!threads_possible(&fovea->device) || make_host(fovea) < 0) {
        return false;
    }
    because(fovea, FOVEA_BACKEND_CPU, "the Vulkan device is a CPU, and threads are faster on it");
    return true;
}

/* The usual order; where that gives a peer, frame_cost_choose has the last word. A peer takes a
 * while to make, so that one which is known to cost more is not made. */
static void choose_best(struct fovea_vk *fovea)
{
    const struct vk_device *device = &fovea->device;
    const bool choice = threads_possible(device) || (FOVEA_HAVE_CUDA && !sharing_obstacle(device));
    if (choice && frame_cost_known_for_vulkan(fovea)) {
        return;
    }
    if (choose_cuda(fovea, false) < 0 && !choose_threads(fovea)) {
        fovea->backend = FOVEA_BACKEND_VULKAN;
    }
}

enum fovea_result frame_choose_backend(struct fovea_vk *fovea)
{
    switch (fovea->settings.backend) {
    case FOVEA_BACKEND_CUDA:
        return choose_cuda(fovea, true);
    case FOVEA_BACKEND_CPU:
        because(fovea, FOVEA_BACKEND_CPU, "the settings ask for it");
        return make_host(fovea);
    case FOVEA_BACKEND_VULKAN:
        because(fovea, FOVEA_BACKEND_VULKAN, "the settings ask for it");
        return FOVEA_OK;
    default:
        choose_best(fovea);
        return FOVEA_OK;
    }
}

static void list_extensions(const struct vk_offer *offer, struct fovea_vk_requirements *needs)
{
    const char *const names[] = {
        offer->memory_fd ? VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME : NULL,
        offer->semaphore_fd ? VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME : NULL,
        offer->format_list ? VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME : NULL,
        offer->timeline_extension ? VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME : NULL,
        offer->calibrated_timestamps};
    _Static_assert(sizeof names / sizeof names[0] <= FOVEA_VK_MAX_EXTENSIONS,
                   "as many as there are");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i]) {
            needs->device_extensions[needs->device_extension_count++] = names[i];
        }
    }
}

static enum fovea_result query(VkInstance instance, VkPhysicalDevice physical_device,
                               PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                               struct vk_offer *out_offer,
                               struct fovea_vk_requirements *out_requirements)
{
    if (!instance || !physical_device || !get_instance_proc_addr) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_requirements = (struct fovea_vk_requirements){
        .struct_bytes = sizeof(struct fovea_vk_requirements), .device_extension_count = 0};
    struct fovea_log silent = {0};
    struct vk_functions vk;
    FOVEA_TRY(vk_functions_load_instance(&vk, instance, get_instance_proc_addr, silent));
    FOVEA_TRY(vk_device_offer(&vk, physical_device, silent, out_offer));
    out_requirements->timeline_semaphore = out_offer->timeline;
    list_extensions(out_offer, out_requirements);
    return FOVEA_OK;
}

STRUCT_ENDS_WITH(struct fovea_vk_requirements, reserved);

static enum fovea_result give(struct fovea_vk_requirements *out_requirements,
                              const struct fovea_vk_requirements *needs)
{
    return out_requirements && struct_give(out_requirements, needs, sizeof *needs)
               ? FOVEA_OK
               : FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result fovea_vk_query_vulkan(VkInstance instance, VkPhysicalDevice physical_device,
                                        PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                        struct fovea_vk_requirements *out_requirements)
{
    struct vk_offer offer;
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    FOVEA_TRY(query(instance, physical_device, get_instance_proc_addr, &offer, &needs));
    return give(out_requirements, &needs);
}

enum fovea_result fovea_vk_query(VkInstance instance, VkPhysicalDevice physical_device,
                                 PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                 struct fovea_vk_requirements *out_requirements)
{
    struct vk_offer offer;
    struct fovea_vk_requirements needs = {.struct_bytes = sizeof needs};
    FOVEA_TRY(query(instance, physical_device, get_instance_proc_addr, &offer, &needs));
#if FOVEA_HAVE_CUDA
    needs.cuda = offer.memory_fd && offer.semaphore_fd &&
                 peer_cuda_available(offer.uuid, (struct fovea_log){0}) == FOVEA_OK;
#endif
    return give(out_requirements, &needs);
}
