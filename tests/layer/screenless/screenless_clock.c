/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PRESENTS 256 /* that a run has at most */

struct shown {
    uint64_t id; /* of VkPresentIdKHR; 0: nobody has given it a number */
    uint32_t timing_id; /* of VkPresentTimesInfoGOOGLE */
    int64_t t_ns; /* a tick of the screen's; of a dropped one that of the next */
    bool dropped;
    bool told;
};

static struct {
    bool timing, waits; /* what the driver offers */
    bool at_once; /* waits for dropped pictures end when the next one is presented */
    bool has_timing, has_waits; /* what the device was made with */
    int64_t early_ns; /* its clock is behind by so much */
    bool mailbox;
    int64_t tick_ns; /* the newest that a picture has */
    uint32_t count;
    struct shown all[PRESENTS];
    uint32_t calls; /* of the driver's functions */
    _Atomic uint32_t waiting;
} screen;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_until(int64_t t_ns)
{
    const struct timespec until = {t_ns / 1000000000, t_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* ---- The screen ------------------------------------------------------------------------------ */

static struct shown number_of(const VkPresentInfoKHR *info)
{
    struct shown shown = {0};
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PRESENT_ID_KHR) {
            shown.id = ((const VkPresentIdKHR *)s)->pPresentIds[0];
        } else if (s->sType == VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE) {
            shown.timing_id = ((const VkPresentTimesInfoGOOGLE *)s)->pTimes[0].presentID;
        }
    }
    return shown;
}

/* Every fifth picture is late, and stays for another refresh where it is none of a mailbox, of
 * which every fourth is replaced. */
int64_t screenless_clock_show(const VkPresentInfoKHR *info)
{
    if ((!screen.timing && !screen.waits) || screen.count == PRESENTS) {
        return 0;
    }
    const uint32_t number = screen.count;
    const int64_t next_ns = (now_ns() / SCREENLESS_REFRESH_NS + 1) * SCREENLESS_REFRESH_NS;
    const bool dropped = screen.mailbox && number % 4 == 2;
    int64_t t_ns = next_ns > screen.tick_ns ? next_ns : screen.tick_ns + SCREENLESS_REFRESH_NS;
    t_ns += number % 5 == 4 ? SCREENLESS_REFRESH_NS : 0;
    screen.all[number] = number_of(info);
    screen.all[number].t_ns = t_ns;
    screen.all[number].dropped = dropped;
    screen.tick_ns = dropped ? screen.tick_ns : t_ns;
    screen.count++;
    return dropped ? 0 : t_ns;
}

void screenless_clock_acquire(int64_t shown_ns)
{
    if (shown_ns != 0) {
        sleep_until(shown_ns);
    }
}

void screenless_clock_begin(VkPresentModeKHR mode)
{
    if (screen.waiting != 0) {
        abort(); /* for one that is retired now */
    }
    screen.mailbox = mode == VK_PRESENT_MODE_MAILBOX_KHR;
    screen.count = 0;
}

/* Nobody may wait for a swapchain that is destroyed. */
void screenless_clock_end(void)
{
    uint32_t ids = 0;
    for (uint32_t i = 0; i < screen.count; i++) {
        ids += screen.all[i].id != 0 || screen.all[i].timing_id != 0;
    }
    if (screen.waiting != 0) {
        abort();
    }
    printf("clock_calls %u\nclock_ids %u\nclock_last %llu\n", screen.calls, ids,
           screen.count ? (unsigned long long)screen.all[screen.count - 1].id : 0);
}

/* ---- What the driver offers ------------------------------------------------------------------ */

static const char *const names[] = {VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME,
                                    VK_KHR_PRESENT_ID_EXTENSION_NAME,
                                    VK_KHR_PRESENT_WAIT_EXTENSION_NAME};

void screenless_clock_open(void)
{
    const char *offers = getenv("SCREENLESS_CLOCK");
    screen.timing = offers && strstr(offers, "timing");
    screen.waits = offers && strstr(offers, "wait");
    screen.at_once = offers && strstr(offers, "at once");
    screen.early_ns = offers && strstr(offers, "another") ? INT64_C(60000000000) : 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice physical,
                                                           const char *layer, uint32_t *count,
                                                           VkExtensionProperties *out)
{
    const uint32_t room = *count;
    const VkResult result =
        screenless.vk.EnumerateDeviceExtensionProperties(physical, layer, count, out);
    for (size_t i = 0; result == VK_SUCCESS && i < 3; i++) {
        if (!(i == 0 ? screen.timing : screen.waits)) {
            continue;
        }
        if (out && *count == room) {
            return VK_INCOMPLETE;
        }
        if (out) {
            strcpy(out[*count].extensionName, names[i]);
            out[*count].specVersion = 1;
        }
        ++*count;
    }
    return result;
}

static VkBool32 *bit_of(VkBaseOutStructure *s)
{
    return s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR
               ? &((VkPhysicalDevicePresentIdFeaturesKHR *)s)->presentId
           : s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR
               ? &((VkPhysicalDevicePresentWaitFeaturesKHR *)s)->presentWait
               : NULL;
}

static uint32_t set_bits(const void *chain, VkBool32 value)
{
    uint32_t set = 0;
    for (VkBaseOutStructure *s = (VkBaseOutStructure *)chain; s; s = s->pNext) {
        VkBool32 *bit = bit_of(s);
        if (bit) {
            set += *bit;
            *bit = value;
        }
    }
    return set;
}

static VKAPI_ATTR void VKAPI_CALL features(VkPhysicalDevice physical,
                                           VkPhysicalDeviceFeatures2 *out)
{
    screenless.vk.GetPhysicalDeviceFeatures2(physical, out);
    if (screen.waits) {
        set_bits(out->pNext, VK_TRUE);
    }
}

static bool has(const VkDeviceCreateInfo *info, const char *name)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (strcmp(info->ppEnabledExtensionNames[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The driver below has none of it. */
void screenless_clock_device(const VkDeviceCreateInfo *info, bool made)
{
    static uint32_t bits;
    if (!made) {
        bits = set_bits(info->pNext, VK_FALSE);
        screen.has_timing = has(info, names[0]);
        screen.has_waits = has(info, names[2]);
    } else if (bits > 0) {
        set_bits(info->pNext, VK_TRUE);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL refresh(VkDevice device, VkSwapchainKHR swapchain,
                                              VkRefreshCycleDurationGOOGLE *out)
{
    screen.calls++;
    out->refreshDuration = SCREENLESS_REFRESH_NS;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL past(VkDevice device, VkSwapchainKHR swapchain,
                                           uint32_t *count, VkPastPresentationTimingGOOGLE *out)
{
    uint32_t used = 0;
    screen.calls++;
    for (uint32_t i = 0; i < screen.count; i++) {
        struct shown *shown = &screen.all[i];
        if (shown->told || shown->dropped || shown->t_ns > now_ns()) {
            continue;
        }
        if (out && used == *count) {
            return VK_INCOMPLETE;
        }
        if (out) {
            out[used] = (VkPastPresentationTimingGOOGLE){
                .presentID = shown->timing_id,
                .actualPresentTime = (uint64_t)(shown->t_ns - screen.early_ns)};
            shown->told = true;
        }
        used++;
    }
    *count = used;
    return VK_SUCCESS;
}

static int64_t shown_at(uint64_t id)
{
    int64_t t_ns = INT64_MAX;
    pthread_mutex_lock(&screenless.lock);
    for (uint32_t i = 0; i < screen.count && t_ns == INT64_MAX; i++) {
        const struct shown *shown = &screen.all[i];
        if (shown->id == id && shown->dropped && screen.at_once && i + 1 < screen.count) {
            t_ns = 0;
        } else if (shown->id >= id && !shown->dropped) {
            t_ns = shown->t_ns;
        }
    }
    pthread_mutex_unlock(&screenless.lock);
    return t_ns;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_present(VkDevice device, VkSwapchainKHR swapchain,
                                                       uint64_t id, uint64_t timeout_ns)
{
    const int64_t until_ns = now_ns() + (int64_t)timeout_ns;
    int64_t t_ns = shown_at(id);
    screen.calls++;
    screen.waiting++;
    while (t_ns > until_ns && now_ns() < until_ns) {
        sleep_until(now_ns() + 1000000);
        t_ns = shown_at(id);
    }
    if (t_ns <= until_ns) {
        sleep_until(t_ns);
    }
    screen.waiting--;
    return t_ns <= until_ns ? VK_SUCCESS : VK_TIMEOUT;
}

PFN_vkVoidFunction screenless_clock_hook(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
        const bool *counts; /* NULL: where there is a clock */
    } hooks[] = {
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions, NULL},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)features, NULL},
        {"vkGetRefreshCycleDurationGOOGLE", (PFN_vkVoidFunction)refresh, &screen.has_timing},
        {"vkGetPastPresentationTimingGOOGLE", (PFN_vkVoidFunction)past, &screen.has_timing},
        {"vkWaitForPresentKHR", (PFN_vkVoidFunction)wait_for_present, &screen.has_waits},
    };
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        if ((screen.timing || screen.waits) && strcmp(hooks[i].name, name) == 0 &&
            (!hooks[i].counts || *hooks[i].counts)) {
            return hooks[i].function;
        }
    }
    return NULL;
}
