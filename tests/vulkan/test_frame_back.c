/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A job that was cut loose and signals all the same, late: the timeline between the queue and the
 * peer goes back. Drivers whose timelines cannot are made to look as if theirs had. */

#include "calls.h"
#include "clock.h"
#include "cmocka_all.h"
#include "stand_in.h"

/* The link's counter shows this until somebody signals more; 0: what it is. */
static _Atomic uint64_t gone_back_to;
static atomic_bool goes_back;
static _Atomic(VkSemaphore) the_link;
static _Atomic uint64_t host_signalled; /* by Fovea's watchdog, last */

static VKAPI_ATTR VkResult VKAPI_CALL shim_GetSemaphoreCounterValue(VkDevice device,
                                                                    VkSemaphore semaphore,
                                                                    uint64_t *out_value)
{
    const VkResult result = vkGetSemaphoreCounterValue(device, semaphore, out_value);
    const uint64_t back = atomic_load(&gone_back_to);
    *out_value = back && semaphore == the_link ? back : *out_value;
    return result;
}

/* The late job's signal comes right after the one that was given in its place, and what the queue
 * signals next does not show. */
static VKAPI_ATTR VkResult VKAPI_CALL shim_SignalSemaphore(VkDevice device,
                                                           const VkSemaphoreSignalInfo *info)
{
    uint64_t real = 0;
    VkResult result = vkGetSemaphoreCounterValue(device, info->semaphore, &real);
    if (info->semaphore != the_link || !atomic_load(&goes_back)) {
        return vkSignalSemaphore(device, info);
    }
    if (result == VK_SUCCESS && info->value > real) {
        result = vkSignalSemaphore(device, info);
    }
    atomic_store(&gone_back_to, info->value == 2 ? 2 : 0);
    atomic_store(&host_signalled, info->value);
    return result;
}

static const struct shim shims[] = {SHIM(GetSemaphoreCounterValue), SHIM(SignalSemaphore),
                                    NO_MORE_SHIMS};

static bool comes(uint64_t value, int seconds)
{
    for (int i = 0; i < 100 * seconds && atomic_load(&host_signalled) != value; i++) {
        rest_ms(10);
    }
    return atomic_load(&host_signalled) == value;
}

/* Two frames in flight whose peer never answers; the first job signals its 2 when the queue is
 * at 3. */
TEST(a_job_that_signals_late_does_not_stop_the_queue)
{
    struct bench bench;
    open_bench(&bench, NEVER_SIGNALS, shims_first(shims));
    struct engine *engine = &bench.rig.engine;
    the_link = bench.rig.fovea->link.semaphore;
    atomic_store(&goes_back, true);
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
    assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
    const bool went_on = comes(4, 10);
    /* The second job is late too, when nothing is on the queue any more. */
    atomic_store(&host_signalled, 0);
    atomic_store(&gone_back_to, 2);
    const bool went_up = comes(4, 10);
    atomic_store(&goes_back, false); /* so that it ends in any case */
    atomic_store(&gone_back_to, 0);
    engine_idle(engine);
    assert_true(went_on);
    assert_true(went_up);
    assert_int_equal(the_peer->abandoned, 1);
    engine_image_destroy(engine, &image);
    close_bench(&bench);
    the_link = VK_NULL_HANDLE;
}

int main(int argc, char **argv)
{
    if (!rig_available()) {
        return 77;
    }
    return tests_run(NULL, NULL);
}
