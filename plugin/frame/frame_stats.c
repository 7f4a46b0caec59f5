/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_journal.h"
#include "frame_late.h"
#include "frame_slot.h"

#include "core/struct_bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Times: the newest of a kind, and their percentiles ---- */

void frame_times_add(struct frame_times *times, double us)
{
    times->us[times->next] = us;
    times->next = (times->next + 1) % FRAME_TIME_COUNT;
    if (times->count < FRAME_TIME_COUNT) {
        times->count++;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double frame_times_percentile(const struct frame_times *times, double p)
{
    if (times->count == 0) {
        return 0;
    }
    double sorted[FRAME_TIME_COUNT];
    memcpy(sorted, times->us, times->count * sizeof sorted[0]);
    qsort(sorted, times->count, sizeof sorted[0], compare);
    return sorted[(uint32_t)(p * (times->count - 1) + 0.5)];
}

/* ---- What the GPU has taken ---- */

static bool read_ticks(struct fovea_vk *fovea, const struct frame_slot *slot, uint64_t ticks[2])
{
    struct vk_device *device = &fovea->device;
    uint32_t first = 2 * (uint32_t)(slot - fovea->slots);
    if (slot->recorded) {
        memcpy(ticks, (uint64_t *)fovea->ticks.mapped + first, 2 * sizeof ticks[0]);
        return ticks[0] != 0;
    }
    return device->vk.GetQueryPoolResults(device->handle, fovea->queries, first, 2,
                                          2 * sizeof ticks[0], ticks, sizeof ticks[0],
                                          VK_QUERY_RESULT_64_BIT) == VK_SUCCESS;
}

static double ticks_us(const struct vk_device *device, const uint64_t ticks[2])
{
    uint32_t bits = device->timestamp_bits;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (double)((ticks[1] - ticks[0]) & mask) *
           (double)device->properties.limits.timestampPeriod * 1e-3;
}

static struct frame_journal_end collect_queue(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct frame_journal_end end = {.gpu_us = -1, .late_age_ns = -1};
    uint64_t ticks[2] = {0};
    if (slot->timed && read_ticks(fovea, slot, ticks)) {
        end.gpu_us = ticks_us(&fovea->device, ticks);
        frame_times_add(&fovea->gpu_times, end.gpu_us);
        end.late_age_ns = frame_late_collect(fovea, slot, &ticks[0]);
    }
    return end;
}

static struct frame_journal_end collect_peer(struct fovea_vk *fovea, struct frame_slot *slot)
{
    struct frame_journal_end end = {.gpu_us = -1};
    double us = 0;
    const uint32_t index = (uint32_t)(slot - fovea->slots);
    if (slot->timed && fovea->peer->api->elapsed(fovea->peer, index, &us) == FOVEA_OK) {
        frame_times_add(&fovea->gpu_times, us);
        end.gpu_us = us;
    }
    end.late_age_ns = frame_late_collect(fovea, slot, NULL);
    return end;
}

void frame_stats_collect(struct fovea_vk *fovea, struct frame_slot *slot)
{
    if (slot->by_peer) {
        atomic_store(&fovea->watchdog.answered, true);
    }
    const struct frame_journal_end end =
        slot->by_peer ? collect_peer(fovea, slot) : collect_queue(fovea, slot);
    frame_journal_end(fovea, slot, &end);
    slot->by_peer = false;
    slot->timed = false;
}

STRUCT_ENDS_WITH(struct fovea_vk_stats, cpu_p99_us);

enum fovea_result fovea_vk_get_stats(const struct fovea_vk *fovea, struct fovea_vk_stats *out_stats)
{
    if (!fovea || !out_stats) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    bool peer = fovea->peer && !fovea->peer_closed && !atomic_load(&fovea->peer_lost);
    const struct fovea_vk_stats stats = {
        .struct_bytes = sizeof stats,
        .backend = peer ? fovea->backend : FOVEA_BACKEND_VULKAN,
        .backend_reason = fovea->reason,
        .device_name = fovea->device.properties.deviceName,
        .sync = !peer                  ? "queue"
                : fovea->link.timeline ? "timeline"
                                       : "binary",
        .frames = fovea->foveated,
        .frames_passed_through = fovea->passed_through,
        .gpu_time_known = fovea->gpu_times.count > 0,
        .gpu_is_cpu = (peer && fovea->backend == FOVEA_BACKEND_CPU) ||
                      fovea->device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
        .late_age_p50_ms = frame_times_percentile(&fovea->late.ages, 0.5) * 1e-3,
        .late_age_p99_ms = frame_times_percentile(&fovea->late.ages, 0.99) * 1e-3,
        .gpu_p50_us = frame_times_percentile(&fovea->gpu_times, 0.5),
        .gpu_p99_us = frame_times_percentile(&fovea->gpu_times, 0.99),
        .cpu_p50_us = frame_times_percentile(&fovea->cpu_times, 0.5),
        .cpu_p99_us = frame_times_percentile(&fovea->cpu_times, 0.99)};
    return struct_give(out_stats, &stats, sizeof stats) ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}
