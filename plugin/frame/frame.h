/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The frame loop of Vulkan engines, from inside: what a context has. One file an idea:
 *
 *     frame_create.c   the context: made, set, destroyed
 *     frame_choose.c   which backend, and why
 *     frame_cost*.c    what it costs, where there is a choice (frame_cost.h); frame_trial.c
 *                      measures it
 *     frame_copy.c     copies by kernels, of images that those may see
 *     frame_image.c    images made for the engine, and scratch between foreign images and kernels
 *     frame_plan.c     plans and their GPU tables, by size
 *     frame_pass_scratch.c   what passes leave for each other, for all plans
 *     frame_link.c     the peer's jobs, and the semaphores between the queue and it
 *     frame_watchdog.c cuts a stuck peer loose
 *     frame_check.c    what an engine may hand over
 *     frame_view.c     what each eye sees of it: checked, and placed where the kernels work
 *     frame_depth.c    pictures of depths, and what has been in focus
 *     frame_record.c   barriers and copies
 *     frame_keep.c     commands that are the same in many frames
 *     frame_dispatch.c the kernels of the vulkan backend
 *     frame_slot.c     what a frame in flight occupies
 *     frame_ready.c    what a frame needs: images, plans, pipelines; or why it passes through
 *     frame_submit.c   a frame's commands, in the order of the queue
 *     frame_trouble.c  what is told of frames that are not foveated, or refused
 *     frame_run.c      one frame: check, choose a slot, make ready, submit or record
 *     frame_late.c     late gazes: from a source to frames that are already queued
 *     frame_watch.c    small pictures of frames, for a source that looks at pictures
 *     frame_journal.c  a row of the record for each frame
 *     frame_overlay.c  marker, rings, heat map, wipe, HUD
 *     frame_stats.c    times
 *
 * Threads. The program's is whichever calls Fovea: one at a time for a context and its images. What
 * says nothing else is its own. Beside it there are
 *     the watchdog's   one for a context with a peer (frame_watchdog.c)
 *     the source's     which brings the gazes that a context follows; one at a time (frame_late.c)
 *     the record's     which writes rows that it was given
 *     the watch's      which looks at small pictures: it copies them from memory that it was given
 *     the peer's       they know jobs, images and plans of their own, and of what is here only the
 *                      memory behind `latched`
 * What is made with the context and never written again is read by all. Members that two of them
 * use while both run are atomic. The watchdog is started after what it uses was made, and joined
 * before any of that goes.
 */
#pragma once

#include "config/settings.h"
#include "core/process.h"
#include "fovea_vulkan.h"
#include "kernels/chain/chain.h"
#include "kernels/gaze/late.h"
#include "plugin/context/settings_take.h"
#include "plugin/gaze/gaze_source.h"
#include "plugin/gaze/gaze_watch.h"
#include "plugin/record/record.h"
#include "vulkan/interop/peer.h"
#include "vulkan/vk_clock.h"
#include "vulkan/vk_compute.h"
#include "vulkan/vk_image.h"

#include <pthread.h>
#include <stdatomic.h>

#define FRAME_MAX_IN_FLIGHT 32
#define FRAME_MAX_SLOTS (FRAME_MAX_IN_FLIGHT + 1)
/* More than all slots use: at least one is always free of unfinished frames. */
#define FRAME_MAX_PLANS ((FRAME_MAX_SLOTS + 1) * FOVEA_VK_MAX_VIEWS)
/* Plans take memory: those go that so many frames have not used, all where a new one is made, else
 * one of them every few frames. So does scratch. */
#define FRAME_PLAN_KEPT_FRAMES 120
#define FRAME_FORGET_EVERY 4
/* If others take more than so many bytes on the device, plans that so many frames have not used are
 * freed, too. A program that draws several targets in turn comes back to each sooner: making plans
 * in every frame is worse than their memory. */
#define FRAME_PLAN_BYTES ((uint64_t)256 << 20)
#define FRAME_PLAN_CYCLE_FRAMES 16
/* Each slot for copies and for a chain of operators, and one that is free. */
#define FRAME_MAX_SCRATCH (2 * FRAME_MAX_SLOTS + 1)
#define FRAME_TIME_COUNT 256
/* A peer that has handles of ours times one frame of so many: that costs the engine's thread a
 * quarter of all that a frame does. */
#define FRAME_TIMED_EVERY 8
#define FRAME_REFUSAL_BYTES 512
/* Refusals of further kinds are said at debug. */
#define FRAME_MAX_REFUSALS 32

/* An image the kernels can work on, known to the peer if there is one. */
struct frame_shared {
    struct vk_image image;
    struct peer_image *peer; /* NULL: not shared; frames with it are copied */
    bool general; /* it has been brought to GENERAL (scratch only) */
};

enum frame_holder { FRAME_HELD_BY_FOVEA, FRAME_HELD_BY_ENGINE };

struct fovea_vk_image {
    struct fovea_vk *fovea;
    struct frame_shared shared;
    enum frame_holder holder;
    VkImageLayout layout;
    uint64_t last_frame; /* the last frame that uses it */
    struct fovea_vk_image *next;
};

/* Scratch of one size and format; used by frames one after the other. */
struct frame_scratch {
    /* 0: for copies, src and dst; else so many images between operators, src and then dst */
    uint32_t between;
    struct frame_shared src;
    struct frame_shared dst;
    uint64_t last_frame; /* 0: never used */
};

struct frame_plan {
    struct operator_plan *plan; /* NULL: the place is free */
    struct peer_plan *peer; /* NULL until a frame goes to the peer */
    struct operator_glsl *glsl;
    bool described; /* the log was told of it */
    /* The next plan takes that of a free place, if it is as large and at most twice so. */
    struct vk_buffer tables;
    uint64_t last_frame;
};

/* It holds what passes leave for each other. Frames follow each other on the queue, and so do the
 * views of one: plans of any number use the same, each from the beginning. */
struct frame_pass_scratch {
    struct vk_buffer buffer;
    uint64_t last_frame;
};

/* One that frames grow out of is in use until they are over. At least one is always free. */
#define FRAME_MAX_PASS_SCRATCH (FRAME_MAX_SLOTS + 1)

struct frame_kept_end {
    const struct fovea_vk_image *image;
    VkImageLayout layout_before;
    VkImageLayout layout_after;
    uint32_t family;
};

/* The commands before a peer and after it, for these two. */
struct frame_kept {
    VkCommandBuffer commands[2];
    bool whole;
    struct frame_kept_end src;
    struct frame_kept_end dst;
    uint64_t last_frame;
};

/* Pairs of images that come by turns in a slot: with two slots an engine with three images has as
 * many. */
#define FRAME_KEPT 4

struct frame_slot {
    VkCommandPool pool;
    bool pool_reset; /* since the frame before */
    /* before the peer, after it, and instead of what comes after it where it refuses; without a
     * peer only the first */
    VkCommandBuffer commands[3];
    VkFence fence;
    bool pending;
    bool recorded; /* into commands of the engine's, which says when they are over */
    uint64_t frame;
    uint64_t engines_frame; /* of a recorded one: the engine's number */
    VkDescriptorSet sets[FOVEA_VK_MAX_VIEWS][OPERATOR_MAX_STEPS];
    VkDescriptorSet copy_in_set;
    VkDescriptorSet copy_out_set;
    bool late; /* the sample's age was not looked at yet */
    bool timed; /* timestamps were written, or the peer times it */
    bool by_peer;
    struct record_row row; /* for the record, where there is one */
    bool row_over; /* it has not gone there, and may */
    VkFence taken; /* binary links only: the batch before the peer is over */
    VkSemaphore to_peer; /* likewise */
    VkSemaphore from_peer;
    struct peer_semaphore *peer_to_peer;
    struct peer_semaphore *peer_from_peer;
    VkCommandPool kept_pool;
    struct frame_kept kept[FRAME_KEPT];
};

/* The semaphores between the queue and the peer. */
struct frame_link {
    /* Made with the context. */
    bool timeline;
    VkSemaphore semaphore;
    struct peer_semaphore *peer_semaphore;
    /* Even: the queue's turn; batch A signals value + 1, the peer value + 2. The program's thread
     * writes it; the watchdog's reads it when exit() is called. */
    _Atomic uint64_t value;
};

/* A frame of whose two batches the second was refused. */
struct frame_half {
    bool lost; /* there was one; no more frames */
    bool pending; /* what was submitted of it was not waited for yet */
    bool answered; /* the peer signals */
    struct frame_slot *slot;
};

struct frame_watchdog {
    /* The program's thread's, which writes the other two before it starts the watchdog's. */
    pthread_t thread;
    bool started;
    bool sees_jobs; /* else it acts only where the peer has lost its device */
    double patience_ms;

    /* The program's thread writes these, the watchdog's reads them; it writes `answered`, too. */
    atomic_bool stop;
    _Atomic uint32_t given; /* the number of the newest job that the peer has taken */
    atomic_bool answered; /* a frame of the peer's is off the queue: its signals arrive */
    /* of the link, once nobody gives the peer a job any more; 0: not known yet */
    _Atomic uint64_t last_value;
};

struct frame_times {
    double us[FRAME_TIME_COUNT];
    uint32_t count;
    uint32_t next;
};

/* The newest gaze for frames that are already queued. */
struct frame_late {
    /* Written while nobody listens; the source's thread reads them. */
    struct fovea_gaze_source *source; /* NULL: none is followed */
    struct gaze_listener listener;
    uint32_t writer_count;

    _Atomic uint64_t size; /* of frames: width << 32 | height; 0: there was none yet */
    struct late_writer writers[2]; /* the source's thread's, and the program's if nobody listens */

    struct vk_buffer mapped; /* the block, and what each slot's latch reports */
    struct vk_buffer latched; /* the gaze of each slot, for the kernels */
    VkDescriptorSet sets[FRAME_MAX_SLOTS]; /* of the latch */
    struct vk_clock clock;
    /* in microseconds, of the samples in late frames when they started */
    struct frame_times ages;
};

/* A small picture of a frame, now and then, for a source that looks at pictures. */
struct frame_watch {
    struct gaze_watch *of; /* NULL: no source is shown frames */
    bool cannot; /* there is no kernel for it */
    bool bottom_up; /* frames are */
    struct vk_buffer picture; /* none until there was a source */
    VkDescriptorSet set;
    struct gaze_seen_size size; /* of the picture that is on its way, or was the last one */
    uint64_t number; /* its number; 0: the source waits for none */
    uint64_t next_frame; /* no frame before makes one */
    const struct frame_slot *slot; /* whose commands write it; NULL: none do */
    /* The HUD shows these. */
    uint64_t shown_number; /* of the proposals */
    struct gaze_proposals proposals;
    struct fovea_point_uv places[OPERATOR_POINTS]; /* where the gaze was; the newest comes last */
    uint32_t place_count;
};

/* The properties that decide which operators and copies a frame takes. A kind that lacks something
 * logs it without silencing other kinds. */
struct frame_kind {
    const struct vk_format *format;
    uint32_t width_px; /* of the engine's images */
    uint32_t height_px;
    uint32_t view_width_px;
    uint32_t view_height_px;
    uint32_t view_count;
    uint32_t ends; /* a bit each: which are made, seen by kernels, or one image */
};

/* Frames of this kind pass through until then. */
struct frame_pause {
    struct frame_kind kind;
    int64_t until_ns; /* 0: the place is free */
};

/* If more kinds fail, the one that waits least is tried again sooner. */
#define FRAME_MAX_PAUSES 16

/* Why a frame was not foveated. */
enum frame_trouble {
    FRAME_FINE,
    FRAME_NO_GAZE,
    FRAME_BLIND, /* no view has a gaze, and operators that need none are at work */
    FRAME_VIEW_WITHOUT_GAZE, /* others are foveated */
    FRAME_PEER_FAILED,
    FRAME_PEER_REPLACED, /* the frame is foveated all the same */
    FRAME_NO_MEMORY,
    FRAME_CANNOT,
    FRAME_TROUBLE_COUNT,
};

/* Troubles may come by turns, with every frame: each is said at most once in that time. */
#define FRAME_SAY_EVERY_NS INT64_C(10000000000)

struct frame_said {
    enum frame_trouble last;
    int64_t next_ns[FRAME_TROUBLE_COUNT]; /* when it may be said again */
    uint32_t unsaid[FRAME_TROUBLE_COUNT]; /* how often it has begun since it was said */
};

struct fovea_vk {
    /* Made with the context; all threads read them. The log is called from the watchdog's, too. */
    struct vk_device device;
    struct fovea_log log;
    pid_t process; /* that has made it */
    struct peer *peer;

    struct fovea_vk *left_before; /* of those that were destroyed after exit(): the one before */
    struct fovea_settings settings; /* as they were taken: a map is one of ours */
    struct settings_kept kept;
    /* A call uses them, which has no stack for them. */
    struct fovea_settings scratch_settings;
    struct operator_pass scratch_passes[OPERATOR_CHAIN_PASSES];
    enum fovea_backend backend; /* VULKAN, or the peer's */
    char reason[256];

    bool peer_closed; /* it refused a job: it gets no more, those that it has go on */
    /* Cut loose by the watchdog, or its device is lost: nobody waits for it. The program's thread
     * and the watchdog's set it. */
    atomic_bool peer_lost;
    bool peer_lost_noticed;
    struct frame_link link;
    struct frame_watchdog watchdog;
    struct frame_half half;

    struct vk_compute compute;
    struct frame_late late;
    struct frame_watch watch;
    struct vk_buffer text;
    struct vk_buffer focus; /* what has been in focus in each view; passes' own */
    bool depth_said; /* who makes frames with depths, in the log */
    VkQueryPool queries;
    struct vk_buffer ticks; /* of recorded frames: two for each slot, 0 until they have run */
    uint32_t slot_count;
    struct frame_slot slots[FRAME_MAX_SLOTS];
    uint64_t frame; /* number of the newest frame; the first is 1 */
    uint64_t engines_finished; /* recorded frames up to this number of the engine's are over */
    bool device_lost;
    struct frame_pause pauses[FRAME_MAX_PAUSES];
    /* Kernels that a frame can do without are not asked for before; 0: they are. */
    int64_t copy_retry_ns;
    int64_t overlay_retry_ns;
    bool described; /* the settings' view, in the log */
    bool lack_said; /* there was no memory for the newest settings, in the log */
    bool plan_refused; /* too much of it for a frame, in the log */

    struct frame_plan plans[FRAME_MAX_PLANS];
    struct frame_pass_scratch pass_scratch[FRAME_MAX_PASS_SCRATCH];
    uint64_t pass_scratch_grown; /* the frame that has last needed more; 0: none has */
    struct frame_scratch scratch[FRAME_MAX_SCRATCH];
    uint64_t scratch_grown; /* likewise */
    struct fovea_vk_image *images;

    struct record *record; /* NULL: none is wanted */
    uint64_t row_pushed; /* the number of the newest frame that the record has */
    uint64_t row_refused; /* frames since the newest that was taken */

    uint32_t timed_every; /* of the peer's frames */
    struct frame_times gpu_times;
    struct frame_times cpu_times;
    uint64_t foveated;
    uint64_t passed_through;
    enum frame_trouble trouble;
    struct frame_said said;
    char refusal[FRAME_REFUSAL_BYTES]; /* the newest */
    /* Each is the hash of something that was said of refused frames since settings were set. */
    uint32_t refusals[FRAME_MAX_REFUSALS];
    uint32_t refusal_count;
    struct fovea_geometry checked_geometries[FOVEA_VK_MAX_VIEWS];
    struct operator_hud hud;
    char hud_lines[sizeof(((struct operator_hud *)0)->text)]; /* the program's */
    char hud_gaze[OPERATOR_TEXT_COLUMNS]; /* the program's; "": the state of the gaze */
    int64_t hud_next_ns;
};

/* frame_create.c: fovea_vk_create with a peer of the caller's choice, for tests; NULL: by settings.
 * The peer belongs to the context on success and on failure. */
FOVEA_MUST_CHECK enum fovea_result frame_create(const struct fovea_vk_desc *desc,
                                                enum fovea_result (*make_peer)(struct fovea_vk *,
                                                                               void *user),
                                                void *user, struct fovea_vk **out_fovea);

/* frame_choose.c: sets backend, reason and peer. */
FOVEA_MUST_CHECK enum fovea_result frame_choose_backend(struct fovea_vk *fovea);

/* frame_stats.c */
void frame_times_add(struct frame_times *times, double us);
/* p in 0..1; 0 where there is none. */
double frame_times_percentile(const struct frame_times *times, double p);

/* frame_trouble.c: logs it where it is not what was said last; each one seldom, with a count. */
void frame_trouble_is(struct fovea_vk *fovea, enum frame_trouble trouble);
/* Says why, as an error, and gives `result` back. What was said since settings were set is said at
 * debug: good frames and bad ones may come by turns. */
__attribute__((format(printf, 3, 4))) enum fovea_result frame_refuse(struct fovea_vk *fovea,
                                                                     enum fovea_result result,
                                                                     const char *format, ...);
/* Warns with these words once, until settings are set. */
void frame_warn(struct fovea_vk *fovea, const char *words);

/* True in the child of a fork for what its parent has made: threads and drivers are not there. */
static inline bool frame_is_parents(const struct fovea_vk *fovea)
{
    return process_is_child_of(fovea->process);
}
