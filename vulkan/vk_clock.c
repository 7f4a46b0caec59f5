/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_clock.h"

/* Two clocks that differ by 100 parts in a million are 25 us apart after this time. */
#define CALIBRATION_NS 250000000

static bool calibrate(struct vk_clock *clock, const struct vk_device *device)
{
    const VkCalibratedTimestampInfoEXT infos[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
    uint64_t times[2] = {0};
    uint64_t deviation_ns = 0;
    clock->known = device->vk.GetCalibratedTimestampsEXT(device->handle, 2, infos, times,
                                                         &deviation_ns) == VK_SUCCESS;
    clock->ticks = times[0];
    clock->host_ns = (int64_t)times[1];
    return clock->known;
}

/* Timestamps have timestamp_bits; differences may be negative. */
static int64_t ticks_between(const struct vk_device *device, uint64_t from, uint64_t to)
{
    const uint32_t unused_bits = 64 - device->timestamp_bits;
    return (int64_t)((to - from) << unused_bits) >> unused_bits;
}

bool vk_clock_to_host(struct vk_clock *clock, const struct vk_device *device, uint64_t ticks,
                      int64_t now_ns, int64_t *out_ns)
{
    if (!device->calibrated || device->timestamp_bits == 0) {
        return false;
    }
    const bool old = !clock->known || now_ns - clock->host_ns > CALIBRATION_NS;
    if (old && !calibrate(clock, device)) {
        return false;
    }
    const double period_ns = (double)device->properties.limits.timestampPeriod;
    *out_ns =
        clock->host_ns + (int64_t)((double)ticks_between(device, clock->ticks, ticks) * period_ns);
    return true;
}
