/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Timestamps of the device on the clock of fovea_time_ns, where the device has
 * VK_KHR_calibrated_timestamps or the EXT and it is enabled. */
#pragma once

#include "vk_device.h"

/* Zeroed: not calibrated yet. */
struct vk_clock {
    uint64_t ticks; /* of the device, at host_ns */
    int64_t host_ns;
    bool known;
};

/* False: the device cannot tell. Looks at both clocks anew a few times a second; now_ns is the
 * host's. */
bool vk_clock_to_host(struct vk_clock *clock, const struct vk_device *device, uint64_t ticks,
                      int64_t now_ns, int64_t *out_ns);
