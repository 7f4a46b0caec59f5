/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A peer is whoever stands on the other side of an image that Vulkan shares: CUDA, or threads of
 * the host where there is no CUDA. It waits for a semaphore, works on shared images, signals.
 *
 * The protocol of a frame n is the same for every peer (specification: VK_KHR_external_memory,
 * VK_KHR_external_semaphore; values for one timeline):
 *
 *     queue: batch A   waits for the engine, releases src and dst to the peer, signals 2n+1
 *     peer:            waits 2n+1, job, signals 2n+2
 *     queue: batch B   waits 2n+2, acquires src and dst back, signals the engine
 *
 * With binary semaphores the pair is two semaphores, to_peer and from_peer, one pair a slot, and
 * the values do not matter. */
#pragma once

#include "kernels/gaze/late.h"
#include "kernels/operator/operator.h"
#include "vulkan/os_handle.h"

#include <stdatomic.h>
#include <vulkan/vulkan_core.h>

struct peer;
struct peer_image;
struct peer_plan;
struct peer_semaphore;

#define PEER_MAX_VIEWS 4

struct peer_image_desc {
    struct os_handle
        memory; /* the peer's on success, the caller's on failure; invalid for host peers */
    uint64_t allocation_bytes; /* of the whole dedicated allocation */
    void *mapped; /* host peers: the top left pixel */
    ptrdiff_t row_stride_bytes; /* host peers */
    enum fovea_format format; /* RGBA8, A2B10G10R10, B10G11R11F or RGBA16F */
    uint32_t width_px;
    uint32_t height_px;
    bool color_attachment; /* the VkImage has that usage */
};

struct peer_semaphore_desc {
    struct os_handle handle; /* as above; invalid for host peers */
    bool timeline;
    VkSemaphore semaphore; /* host peers wait for it and signal it through the device */
};

/* One eye's view: a rectangle of src and dst, from frame.origin_px on. */
struct peer_view {
    struct peer_plan *plan;
    struct operator_frame frame; /* of the same plan's size */
};

/* The gaze of a job's only view is what the peer's block holds when the job starts. */
struct peer_late {
    bool on;
    struct late_own own;
    uint32_t *latched; /* host peers leave LATCHED_WORDS here before they signal */
};

struct peer_job {
    uint32_t number; /* one more than that of the job before */
    struct peer_semaphore *wait;
    uint64_t wait_value;
    struct peer_semaphore *signal;
    uint64_t signal_value;
    struct peer_image *src;
    struct peer_image *dst; /* apart from src */
    /* apart from each other; dst is written nowhere else */
    struct peer_view views[PEER_MAX_VIEWS];
    uint32_t view_count; /* at least 1 */
    struct peer_late late;
    uint32_t slot; /* for times; below peer_create's slot count */
    /* `elapsed` will be asked; that may cost as much again as a kernel's launch does */
    bool timed;
};

/* The state of a job once enqueue has returned. */
enum peer_answer {
    PEER_SIGNALS, /* its signal comes when all that was started of it is over, be it a part */
    PEER_IS_STILL, /* nothing of it runs or will run; nothing is signalled */
    PEER_MAY_RUN, /* a part may run until the peer is drained; nothing is signalled */
};

/* One thread at a time, except where said. No entry is NULL but those of late jobs. */
struct peer_api {
    const char *name; /* "cuda", "host" */
    enum fovea_backend backend;
    bool imports_handles; /* needs exportable memory and semaphores; else maps linear images */

    void (*destroy)(struct peer *peer); /* waits for its jobs, unless abandoned */
    enum fovea_result (*import_image)(struct peer *, const struct peer_image_desc *,
                                      struct peer_image **);
    /* No job may use it but one that failed; waits for none. What that one still reads or writes is
     * kept for it. */
    void (*forget_image)(struct peer *, struct peer_image **);
    enum fovea_result (*import_semaphore)(struct peer *, const struct peer_semaphore_desc *,
                                          struct peer_semaphore **);
    void (*forget_semaphore)(struct peer *, struct peer_semaphore **);
    /* Allocates. The plan must outlive it. FOVEA_ERROR_OUT_OF_MEMORY may pass when jobs are over:
     * memory of plans that were forgotten is not freed where that would wait for jobs. */
    enum fovea_result (*import_plan)(struct peer *, const struct operator_plan *,
                                     struct peer_plan **);
    /* no job may use it; waits for none */
    void (*forget_plan)(struct peer *, struct peer_plan **);
    /* Returns at once; allocates nothing. PEER_SIGNALS on success. On failure the first views may
     * have been enqueued, and read src and write their part of dst when their turn comes, so that
     * nobody else may write there or show it before: the answer says how to know. A peer that can
     * still signal does, after what it has enqueued, and the queue waits for that as it does for a
     * job that was taken. FOVEA_ERROR_DEVICE_LOST, with PEER_IS_STILL: the peer can do nothing any
     * more; no earlier job that has not signalled ever will, and nothing of any writes. */
    enum fovea_result (*enqueue)(struct peer *, const struct peer_job *,
                                 enum peer_answer *out_answer);
    /* Microseconds that the timed job of a slot took, once finished; FOVEA_NOT_READY before, and
     * where it is not timed. */
    enum fovea_result (*elapsed)(struct peer *, uint32_t slot, double *out_us);
    /* LATE_WORDS that somebody keeps up to date (struct late_writer) for as long as the
     * peer lives; NULL, as an entry too: jobs cannot be late. */
    uint32_t *(*late_block)(struct peer *);
    /* Returns how old the sample of a slot's late job was when it was read, once the job has
     * signalled; FOVEA_NOT_READY if that is not known. */
    enum fovea_result (*late_age)(struct peer *, uint32_t slot, int64_t *out_age_ns);
    /* Waits until no job uses an image or semaphore any more; not for jobs that were abandoned and
     * are out of reach. Before anything that jobs use is forgotten or destroyed. */
    void (*drain)(struct peer *);
    /* Any thread, any number of times: the jobs are stuck. Stop waiting; where the peer can help
     * it, nothing is signalled after this returns; destroy does not wait for what is out of reach.
     * This is all of a peer that the watchdog's thread calls, and it calls it while the frame's
     * thread may be in any other entry or the process may be ending: it sets flags and takes locks
     * of the peer's own that nobody holds for long, and never calls CUDA, which may hold locks that
     * only its stuck jobs free. */
    void (*abandon)(struct peer *);
};

struct peer {
    const struct peer_api *api;
    /* The number of the newest job that is over: it has signalled, or never will. In memory of the
     * process's, which stays whatever becomes of drivers: whoever reads it calls none. NULL: that
     * is not known. */
    const _Atomic uint32_t *over;
};
