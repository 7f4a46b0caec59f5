/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calls that ask whether something is over, and find no memory: that is no answer. What a frame
 * uses is in use until one comes. */

#include "calls.h"
#include "clock.h"
#include "misuse.h"
#include "stand_in.h"

static atomic_int no_memory; /* so many of the next calls fail */
static atomic_int fences_destroyed;

static bool fails_now(void)
{
    int left = atomic_load(&no_memory);
    while (left > 0 && !atomic_compare_exchange_weak(&no_memory, &left, left - 1)) {
    }
    return left > 0;
}

#define ASKS(X)                                                                                    \
    X(GetFenceStatus, (VkDevice d, VkFence f), (d, f))                                             \
    X(WaitForFences, (VkDevice d, uint32_t n, const VkFence *f, VkBool32 all, uint64_t ns),        \
      (d, n, f, all, ns))                                                                          \
    X(WaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo *i, uint64_t ns), (d, i, ns))         \
    X(GetSemaphoreCounterValue, (VkDevice d, VkSemaphore s, uint64_t * v), (d, s, v))

#define DEFINE(name, parameters, arguments)                                                        \
    static VKAPI_ATTR VkResult VKAPI_CALL shim_##name parameters                                   \
    {                                                                                              \
        return fails_now() ? VK_ERROR_OUT_OF_HOST_MEMORY : vk##name arguments;                     \
    }
ASKS(DEFINE)
#undef DEFINE

static VKAPI_ATTR void VKAPI_CALL shim_DestroyFence(VkDevice device, VkFence fence,
                                                    const VkAllocationCallbacks *allocator)
{
    atomic_fetch_add(&fences_destroyed, 1);
    vkDestroyFence(device, fence, allocator);
}

static const struct shim shims[] = {ASKS(SHIM_OF) SHIM(DestroyFence), NO_MORE_SHIMS};

/* ---- Frames that wait for the host ---- */

struct gated {
    struct rig rig;
    struct engine_image image;
    struct fovea_vk_semaphore gate;
    struct fovea_vk_frame frame;
};

static void open_gated(struct gated *gated)
{
    struct rig *rig = &gated->rig;
    const struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&rig->engine, &options));
    rig->settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    desc.get_instance_proc_addr = shims_first(shims);
    desc.frames_in_flight = 1;
    assert_ok(fovea_vk_create(&desc, &rig->fovea));
    gated->image = drawn_image(rig, WIDTH_PX, HEIGHT_PX);
    gated->gate = closed_gate(&rig->engine);
    gated->frame = good_frame(&gated->image, &gated->image);
    gated->frame.waits = &gated->gate;
    gated->frame.wait_count = 1;
}

static void close_gated(struct gated *gated)
{
    struct engine *engine = &gated->rig.engine;
    atomic_store(&no_memory, 0);
    engine_idle(engine);
    vkDestroySemaphore(engine->device, gated->gate.semaphore, NULL);
    engine_image_destroy(engine, &gated->image);
    rig_close(&gated->rig);
}

/* Its fence is in use, or validation speaks. */
TEST(a_slot_whose_fence_cannot_be_asked_is_not_free)
{
    OWNED(close_gated) struct gated gated;
    open_gated(&gated);
    struct fovea_vk *fovea = gated.rig.fovea;
    for (int i = 0; i < 2; i++) { /* one place is spare */
        assert_ok(fovea_vk_foveate(fovea, &gated.frame));
    }
    atomic_store(&no_memory, 1);
    assert_int_equal(fovea_vk_foveate(fovea, &gated.frame), FOVEA_NOT_READY);
    atomic_store(&no_memory, 0);
    open_gate(&gated.rig.engine, gated.gate);
    engine_idle(&gated.rig.engine);
    assert_ok(fovea_vk_foveate(fovea, &gated.frame));
}

static void *open_late(void *argument)
{
    struct gated *gated = argument;
    rest_ms(100);
    open_gate(&gated->rig.engine, gated->gate);
    return NULL;
}

TEST(a_wait_that_finds_no_memory_is_tried_again)
{
    OWNED(close_gated) struct gated gated;
    open_gated(&gated);
    assert_ok(fovea_vk_foveate(gated.rig.fovea, &gated.frame));
    const pthread_t thread = test_thread(open_late, &gated);
    atomic_store(&no_memory, 5);
    fovea_vk_wait(gated.rig.fovea);
    uint64_t value = 0;
    assert_int_equal(
        vkGetSemaphoreCounterValue(gated.rig.engine.device, gated.gate.semaphore, &value),
        VK_SUCCESS);
    assert_int_equal(value, gated.gate.value);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Neither it nor its images are freed while they may be in use; the device is never closed
 * either. */
TEST(what_cannot_be_waited_for_is_kept)
{
    static struct gated gated;
    open_gated(&gated);
    struct engine *engine = &gated.rig.engine;
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = format,
                                             .width_px = WIDTH_PX,
                                             .height_px = HEIGHT_PX};
    struct fovea_vk_image *made = NULL;
    assert_ok(fovea_vk_image_create(gated.rig.fovea, &desc, &made));
    gated.frame.dst.made = made;
    assert_ok(fovea_vk_foveate(gated.rig.fovea, &gated.frame));
    if (rig_backend() == FOVEA_BACKEND_CPU) {
        open_gate(engine, gated.gate); /* what its threads do is waited for as ever */
        engine_idle(engine);
    }
    atomic_store(&no_memory, 1000000);
    fovea_vk_image_destroy(&made); /* or validation speaks */
    assert_null(made);
    atomic_store(&fences_destroyed, 0);
    fovea_vk_destroy(&gated.rig.fovea);
    assert_null(gated.rig.fovea);
    assert_int_equal(atomic_load(&fences_destroyed), 0);
    atomic_store(&no_memory, 0);
    if (rig_backend() != FOVEA_BACKEND_CPU) {
        open_gate(engine, gated.gate);
    }
    engine_idle(engine);
    engine_expect_silence(engine);
}

/* ---- The peer's turns ---- */

TEST(a_host_peer_that_finds_no_memory_waits_again)
{
    if (rig_backend() != FOVEA_BACKEND_CPU) {
        skip();
    }
    OWNED(close_gated) struct gated gated;
    open_gated(&gated);
    struct fovea_vk *fovea = gated.rig.fovea;
    for (int i = 0; i < 2; i++) { /* the watchdog believes a peer that has answered once */
        atomic_store(&no_memory, i ? 3 : 0);
        assert_ok(fovea_vk_foveate(fovea, &gated.frame));
        if (i == 0) {
            open_gate(&gated.rig.engine, gated.gate);
        }
        engine_idle(&gated.rig.engine); /* or for ever */
    }
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    assert_ok(fovea_vk_get_stats(fovea, &stats));
    assert_int_equal(stats.backend, FOVEA_BACKEND_CPU);
}

/* The watchdog's first looks find nothing out. */
TEST(a_stuck_peer_is_cut_loose_as_soon_as_its_turn_can_be_asked)
{
    if (rig_backend() != FOVEA_BACKEND_CPU) {
        skip();
    }
    OWNED(close_bench) struct bench bench;
    open_bench(&bench, NEVER_SIGNALS, shims_first(shims));
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    atomic_store(&no_memory, 3);
    assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
    engine_idle(&bench.rig.engine); /* or for ever */
    assert_int_equal(the_peer->abandoned, 1);
    assert_int_equal(atomic_load(&no_memory), 0);
    engine_image_destroy(&bench.rig.engine, &image);
}
