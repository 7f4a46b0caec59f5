/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "present.h"

#include "core/log.h"
#include "core/process.h"
#include "core/struct_bytes.h"
#include "plugin/frame/frame_journal.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_present_desc, log);
STRUCT_ENDS_WITH(struct fovea_present_shown, reserved);

/* ---- What a program knows by itself ---------------------------------------------------------- */

uint64_t fovea_present_frame(const struct fovea_vk *fovea)
{
    return fovea ? frame_journal_frame(fovea) : 0;
}

enum fovea_result fovea_present_tell(struct fovea_vk *fovea, uint64_t frame,
                                     const struct fovea_present_shown *shown)
{
    struct fovea_present_shown taken;
    if (!fovea || frame == 0 || !shown || !struct_take(&taken, sizeof taken, shown) ||
        !struct_bytes_are_0(taken.reserved, sizeof taken.reserved) || taken.t_ns < 0 ||
        taken.refresh_ns < 0 || (taken.dropped && taken.t_ns != 0)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const struct record_shown told = {
        .t_ns = taken.t_ns, .refresh_ns = taken.refresh_ns, .dropped = taken.dropped};
    frame_journal_expect(fovea, RECORD_SHOWN_BY_PROGRAM);
    frame_journal_shown(fovea, frame, &told);
    return FOVEA_OK;
}

/* ---- What a device offers -------------------------------------------------------------------- */

static bool has_extensions(VkPhysicalDevice device, PFN_vkEnumerateDeviceExtensionProperties all_of,
                           const char *const *names, size_t name_count)
{
    uint32_t count = 0;
    if (!all_of || all_of(device, NULL, &count, NULL) < 0) {
        return false;
    }
    VkExtensionProperties *all = calloc((size_t)count + 1, sizeof *all);
    size_t found = 0;
    if (all && all_of(device, NULL, &count, all) >= 0) {
        for (size_t i = 0; i < (size_t)count * name_count; i++) {
            found += strcmp(all[i / name_count].extensionName, names[i % name_count]) == 0;
        }
    }
    free(all);
    return found == name_count;
}

static bool has_wait_features(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceFeatures2 features_of)
{
    VkPhysicalDevicePresentWaitFeaturesKHR wait = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR};
    VkPhysicalDevicePresentIdFeaturesKHR id = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, .pNext = &wait};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &id};
    if (features_of) {
        features_of(device, &all);
    }
    return id.presentId && wait.presentWait;
}

bool fovea_present_offers(VkInstance instance, VkPhysicalDevice physical_device,
                          PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                          enum fovea_present_way way)
{
    static const char *const timing[] = {VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME};
    static const char *const wait[] = {VK_KHR_PRESENT_ID_EXTENSION_NAME,
                                       VK_KHR_PRESENT_WAIT_EXTENSION_NAME};
    if (!instance || !physical_device || !get_instance_proc_addr || way == FOVEA_PRESENT_UNKNOWN) {
        return false;
    }
    const PFN_vkEnumerateDeviceExtensionProperties all_of =
        (PFN_vkEnumerateDeviceExtensionProperties)get_instance_proc_addr(
            instance, "vkEnumerateDeviceExtensionProperties");
    if (way == FOVEA_PRESENT_DISPLAY_TIMING) {
        return has_extensions(physical_device, all_of, timing, 1);
    }
    return has_extensions(physical_device, all_of, wait, 2) &&
           has_wait_features(physical_device,
                             (PFN_vkGetPhysicalDeviceFeatures2)get_instance_proc_addr(
                                 instance, "vkGetPhysicalDeviceFeatures2"));
}

/* ---- Create and destroy ---------------------------------------------------------------------- */

static bool load(struct fovea_present *present)
{
    const struct fovea_present_desc *desc = &present->desc;
#define LOAD(name)                                                                                 \
    present->vk.name = (PFN_vk##name)desc->get_device_proc_addr(desc->device, "vk" #name)
    LOAD(GetPastPresentationTimingGOOGLE);
    LOAD(GetRefreshCycleDurationGOOGLE);
    LOAD(WaitForPresentKHR);
#undef LOAD
    return desc->way == FOVEA_PRESENT_WAIT ? present->vk.WaitForPresentKHR != NULL
                                           : present->vk.GetPastPresentationTimingGOOGLE &&
                                                 present->vk.GetRefreshCycleDurationGOOGLE;
}

enum fovea_result fovea_present_create(const struct fovea_present_desc *desc,
                                       struct fovea_present **out_present)
{
    struct fovea_present_desc taken;
    if (!out_present) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_present = NULL;
    if (!desc || !struct_take(&taken, sizeof taken, desc) || !taken.device || !taken.swapchain ||
        !taken.get_device_proc_addr || (unsigned)taken.way > FOVEA_PRESENT_WAIT) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_present *present = calloc(1, sizeof *present);
    FOVEA_TRY_MEMORY(present);
    present->desc = taken;
    present->process = getpid();
    atomic_init(&present->others, true);
    enum fovea_result result = FOVEA_OK;
    if (taken.way != FOVEA_PRESENT_UNKNOWN && !load(present)) {
        result = FOVEA_ERROR_UNSUPPORTED;
    } else if (taken.way == FOVEA_PRESENT_WAIT) {
        result = present_wait_start(present);
    }
    *out_present = present;
    if (result < 0) {
        fovea_present_destroy(out_present);
    }
    return result;
}

void present_tell(struct present_frame *frame, const struct record_shown *shown)
{
    if (frame->frame != 0) {
        struct record_shown told = *shown;
        told.after_others = frame->after_others;
        frame_journal_shown(frame->fovea, frame->frame, &told);
        frame->frame = 0;
    }
}

static void give_up(struct present_frame *frame)
{
    const struct record_shown nobody_knows = {0};
    present_tell(frame, &nobody_knows);
}

void fovea_present_destroy(struct fovea_present **present)
{
    struct fovea_present *old = present ? *present : NULL;
    if (!old) {
        return;
    }
    *present = NULL;
    if (!process_is_child_of(old->process)) {
        present_wait_stop(old);
        if (old->desc.way == FOVEA_PRESENT_DISPLAY_TIMING && old->head != old->tail) {
            present_timing_poll(old);
        }
        give_up(&old->begun);
        for (uint32_t i = old->tail; i != old->head; i++) {
            give_up(&old->frames[i % PRESENT_FRAMES]);
        }
    }
    free(old);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static enum record_shown_by by_of(enum fovea_present_way way)
{
    return way == FOVEA_PRESENT_WAIT             ? RECORD_SHOWN_BY_PRESENT_WAIT
           : way == FOVEA_PRESENT_DISPLAY_TIMING ? RECORD_SHOWN_BY_DISPLAY_TIMING
                                                 : RECORD_SHOWN_CANNOT;
}

static bool is_full(const struct fovea_present *present)
{
    return atomic_load_explicit(&present->head, memory_order_relaxed) -
               atomic_load_explicit(&present->tail, memory_order_acquire) ==
           PRESENT_FRAMES;
}

uint64_t fovea_present_begin(struct fovea_present *present, struct fovea_vk *fovea, uint64_t own_id)
{
    const bool works = present && !process_is_child_of(present->process);
    const uint64_t number = works ? fovea_present_frame(fovea) : 0;
    if (number == 0) {
        return 0;
    }
    if (present->introduced != fovea) {
        present->introduced = fovea;
        present->newest = 0;
        frame_journal_expect(fovea, by_of(present->desc.way));
    }
    if (present->desc.way == FOVEA_PRESENT_UNKNOWN) {
        return 0;
    }
    const bool after_others = atomic_exchange(&present->others, true);
    give_up(&present->begun);
    if (number <= present->newest) {
        return 0; /* no frame was made: the picture is another one */
    }
    present->newest = number;
    present->begun = (struct present_frame){
        .fovea = fovea, .frame = number, .since_ns = fovea_time_ns(), .after_others = after_others};
    if (atomic_load(&present->over) || is_full(present)) {
        give_up(&present->begun);
        return 0;
    }
    present->begun.id = own_id ? own_id : ++present->id;
    if (!present->numbered) {
        present->numbered = true;
        present->reported = (uint32_t)present->begun.id - 1;
    }
    return present->begun.id;
}

void fovea_present_end(struct fovea_present *present, VkResult result)
{
    if (!present || process_is_child_of(present->process)) {
        return;
    }
    if (present->begun.frame == 0) {
        atomic_store(&present->others, true);
        return;
    }
    if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR) {
        give_up(&present->begun);
        return;
    }
    const uint32_t head = atomic_load_explicit(&present->head, memory_order_relaxed);
    present->frames[head % PRESENT_FRAMES] = present->begun;
    present->begun.frame = 0;
    atomic_store_explicit(&present->head, head + 1, memory_order_release);
    atomic_store(&present->others, false); /* after head: present_wait.c reads it before */
    if (present->desc.way == FOVEA_PRESENT_WAIT) {
        (void)sem_post(&present->more);
    } else {
        present_timing_poll(present);
    }
}
