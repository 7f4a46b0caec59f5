/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Jobs of the CUDA peer with a driver that only keeps books: in which order each is enqueued, and
 * what is kept for as long as it may run. */

#include "cmocka_all.h"
#include "kernels/chain/chain_plan.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "peer_rig.h"

/* The only operator of the row. */
static const struct gauss_plan *foveate_of(const struct setup *s)
{
    return gauss_plan_of(chain_plan_of(s->plan)->parts[0].plan);
}

static enum peer_answer answer;

TEST(a_job_waits_works_and_signals_without_allocating_or_waiting)
{
    OWNED(tear_down) struct setup s = set_up();
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_string_equal(
        fake->calls, "CtxPushCurrent WaitExternalSemaphoresAsync EventRecord StreamWaitEvent "
                     "LaunchKernel LaunchKernel LaunchKernel "
                     "EventRecord SignalExternalSemaphoresAsync StreamWriteValue32 CtxPopCurrent ");
}

/* The engine's thread pays for no events: jobs of one stream follow each other anyway. */
TEST(a_job_that_is_not_timed_makes_no_call_too_many)
{
    OWNED(tear_down) struct setup s = set_up_for(FOVEA_METHOD_SMOOTH);
    double elapsed_us = 0.0;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_ok(s.peer->api->elapsed(s.peer, s.job.slot, &elapsed_us));
    fake->calls[0] = '\0';
    s.job.timed = false;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_string_equal(fake->calls,
                        "CtxPushCurrent WaitExternalSemaphoresAsync LaunchKernel "
                        "LaunchKernel LaunchKernel "
                        "SignalExternalSemaphoresAsync StreamWriteValue32 CtxPopCurrent ");
    assert_int_equal(s.peer->api->elapsed(s.peer, s.job.slot, &elapsed_us), FOVEA_NOT_READY);
}

/* The event that its jobs lack comes when the plan goes, and stands for them. */
TEST(a_plan_is_kept_for_jobs_that_have_no_event)
{
    OWNED(tear_down) struct setup s = set_up_for(FOVEA_METHOD_SMOOTH);
    const int memories = fake->memories;
    s.job.timed = false;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    fake->calls[0] = '\0';
    fake->busy = true;
    s.peer->api->forget_plan(s.peer, &s.job.views[0].plan);
    const char *recorded = strstr(fake->calls, "EventRecord");
    assert_non_null(recorded);
    assert_non_null(strstr(recorded, "EventQuery"));
    assert_null(strstr(recorded + 1, "EventRecord"));
    assert_int_equal(fake->memories, memories);
    fake->busy = false;
    assert_ok(s.peer->api->import_plan(s.peer, s.plan, &s.job.views[0].plan));
    assert_int_equal(fake->memories, memories);
}

/* Nothing of a lost context runs. */
TEST(a_job_whose_context_is_lost_signals_nothing)
{
    OWNED(tear_down) struct setup s = set_up();
    const char *signal = NULL;
    for (int n = 1; !signal; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_LAUNCH_FAILED);
        assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_DEVICE_LOST);
        assert_int_equal(fake->pushed, 0);
        double elapsed_us = 0.0;
        assert_int_equal(s.peer->api->elapsed(s.peer, 0, &elapsed_us), FOVEA_NOT_READY);
        signal = strstr(fake->calls, "SignalExternalSemaphoresAsync");
        assert_true(!signal || n >= 8);
        assert_int_equal(answer, PEER_IS_STILL);
    }
}

/* The queue waits for the signal, and what was launched is over by then. */
TEST(a_job_that_fails_half_way_signals_after_what_there_is_of_it)
{
    OWNED(tear_down) struct setup s = set_up();
    s.job.views[1] = s.job.views[0];
    s.job.view_count = 2;
    /* The context, the wait, an event, two views, an event, the signal, which comes at the second
     * attempt: that is all that a job needs. */
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    int n = 0;
    while (result == FOVEA_ERROR_OUT_OF_MEMORY) {
        fake_cuda_fail_at(fake, ++n, CUDA_ERROR_OUT_OF_MEMORY);
        result = s.peer->api->enqueue(s.peer, &s.job, &answer);
        assert_true(fake_cuda_has_failed(fake));
        assert_int_equal(fake->pushed, 0);
        const char *signal =
            strstr(fake->calls, "SignalExternalSemaphoresAsync StreamWriteValue32 CtxPop");
        const char *last = strstr(fake->calls, "LaunchKernel");
        for (const char *next = last; next; next = strstr(next + 1, "LaunchKernel")) {
            last = next;
        }
        assert_int_equal(signal != NULL, n > 2);
        assert_true(!last || last < signal);
        assert_int_equal(answer, n > 2 ? PEER_SIGNALS : PEER_IS_STILL);
    }
    assert_ok(result);
    assert_in_range(n, 11, 13);
}

TEST(a_job_whose_signal_fails_twice_says_that_it_may_run)
{
    OWNED(tear_down) struct setup s = set_up();
    fake->fails = "SignalExternalSemaphoresAsync";
    fake->fail_at = 1;
    fake->fail_on = 1;
    fake->error = CUDA_ERROR_OUT_OF_MEMORY;
    assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(answer, PEER_MAY_RUN);
}

/* A watchdog knows by it without calling the driver. */
TEST(a_job_that_is_over_leaves_its_number_in_the_programs_memory)
{
    OWNED(tear_down) struct setup s = set_up();
    assert_int_equal(*s.peer->over, 0);
    s.job.number = 7;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_int_equal(*s.peer->over, 7);
    fake->busy = true;
    s.job.number = 8;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_int_equal(*s.peer->over, 7);
    fake->busy = false;
    /* A job that has signalled is done, and cannot be told to have failed. */
    fake->fails = "StreamWriteValue32";
    fake->fail_at = 1;
    fake->error = CUDA_ERROR_LAUNCH_FAILED;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_int_equal(*s.peer->over, 7);
}

TEST(a_job_that_does_not_fit_never_reaches_the_device)
{
    OWNED(tear_down) struct setup s = set_up();
    struct peer_job job = s.job;
    job.views[0].frame.width_px++;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job = s.job;
    job.views[0].frame.origin_y_px = 1;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job.views[0].frame.origin_y_px = -1;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job = s.job;
    job.views[0].plan = NULL;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job = s.job;
    job.view_count = 0;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job.view_count = PEER_MAX_VIEWS + 1;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    job = s.job;
    job.slot = SLOTS;
    assert_int_equal(s.peer->api->enqueue(s.peer, &job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_string_equal(fake->calls, "");
}

TEST(times_come_when_the_job_is_over)
{
    OWNED(tear_down) struct setup s = set_up();
    double elapsed_us = 0.0;
    assert_int_equal(s.peer->api->elapsed(s.peer, 1, &elapsed_us), FOVEA_NOT_READY);
    s.job.slot = 1;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    fake->busy = true;
    assert_int_equal(s.peer->api->elapsed(s.peer, 1, &elapsed_us), FOVEA_NOT_READY);
    fake->busy = false;
    assert_ok(s.peer->api->elapsed(s.peer, 1, &elapsed_us));
    assert_true(elapsed_us == 250.0);
    assert_int_equal(s.peer->api->elapsed(s.peer, 0, &elapsed_us), FOVEA_NOT_READY);
    assert_int_equal(s.peer->api->elapsed(s.peer, SLOTS, &elapsed_us), FOVEA_NOT_READY);
}

/* cuMemFree waits for the device, and jobs may wait for the engine. */
TEST(a_forgotten_plan_is_freed_when_no_job_is_left)
{
    OWNED(tear_down) struct setup s = set_up();
    struct peer_plan *plan = NULL;
    const int memories = fake->memories;
    assert_ok(s.peer->api->import_plan(s.peer, s.plan, &plan));
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    fake->busy = true;
    fake->calls[0] = '\0';
    s.peer->api->forget_plan(s.peer, &plan);
    assert_null(plan);
    assert_int_equal(fake->memories, memories + 1);
    assert_null(strstr(fake->calls, "MemFree"));
    assert_ok(s.peer->api->import_plan(s.peer, s.plan, &plan));
    fake->busy = false;
    s.peer->api->forget_plan(s.peer, &plan);
    assert_int_equal(fake->memories, memories);
}

/* cuMemFree may wait for the jobs: then the memory is kept, and so much of it is enough. */
TEST(without_pools_nothing_is_freed_while_jobs_wait)
{
    fake->no_pools = true;
    OWNED(tear_down) struct setup s = set_up();
    const int memories = fake->memories;
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    fake->busy = true;
    struct peer_plan *plan = NULL;
    enum fovea_result result = FOVEA_OK;
    int made = 0;
    fake->calls[0] = '\0';
    for (; result == FOVEA_OK && made < 100; made += result == FOVEA_OK) {
        result = s.peer->api->import_plan(s.peer, s.plan, &plan);
        s.peer->api->forget_plan(s.peer, &plan);
        assert_null(strstr(fake->calls, "MemFree"));
        fake->calls[0] = '\0';
    }
    assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(made, 16);
    assert_int_equal(fake->memories, memories + made);
    fake->busy = false;
    assert_ok(s.peer->api->import_plan(s.peer, s.plan, &plan));
    assert_int_equal(fake->memories, memories + 1);
    s.peer->api->forget_plan(s.peer, &plan);
    assert_int_equal(fake->memories, memories);
}

/* The first view is under way when the second fails: its images stay mapped until it is over. */
TEST(images_of_a_job_that_failed_half_way_are_kept_for_it)
{
    OWNED(tear_down) struct setup s = set_up();
    s.job.views[1] = s.job.views[0];
    s.job.view_count = 2;
    fake->fails = "LaunchKernel";
    fake->fail_at = 2;
    fake->error = CUDA_ERROR_OUT_OF_MEMORY;
    assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_OUT_OF_MEMORY);
    fake_cuda_calm(fake);
    fake->busy = true;
    const int surfaces = fake->surfaces;
    const int memories = fake->memories;
    s.peer->api->forget_image(s.peer, &s.job.src);
    s.peer->api->forget_image(s.peer, &s.job.dst);
    s.peer->api->forget_plan(s.peer, &s.job.views[0].plan);
    assert_null(s.job.src);
    assert_int_equal(fake->surfaces, surfaces);
    assert_int_equal(fake->memories, memories);
    assert_null(strstr(fake->calls, "Synchronize")); /* this may be within a frame */
    fake->busy = false;
    s.peer->api->drain(s.peer);
    assert_non_null(strstr(fake->calls, "StreamSynchronize"));
    assert_int_equal(fake->surfaces, surfaces - 2);
}

TEST(views_run_one_after_the_other_between_the_semaphores)
{
    struct setup s = set_up();
    struct operator_plan *half = NULL;
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = foveate_of(&s)->foveation;
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 32, .height_px = 48};
    assert_ok(chain_operator.plan_create(&desc, &half));
    for (int i = 0; i < 2; i++) {
        s.peer->api->forget_plan(s.peer, &s.job.views[i].plan);
        assert_ok(s.peer->api->import_plan(s.peer, half, &s.job.views[i].plan));
        s.job.views[i].frame = operator_frame_make(32, 48, (struct fovea_point_uv){0.5, 0.5});
        s.job.views[i].frame.origin_x_px = 32 * i;
    }
    s.job.view_count = 2;
    fake_cuda_calm(fake);
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    assert_string_equal(
        fake->calls, "CtxPushCurrent WaitExternalSemaphoresAsync EventRecord "
                     "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "
                     "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "
                     "EventRecord SignalExternalSemaphoresAsync StreamWriteValue32 CtxPopCurrent ");
    s.job.views[1].frame.origin_x_px++;
    assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_INVALID_ARGUMENT);
    s.peer->api->forget_plan(s.peer, &s.job.views[1].plan);
    tear_down(&s);
    chain_operator.plan_destroy(&half);
}

/* Its calls: the context, the events of its uses, memory, a copy for each table, the wait. */
TEST(a_plan_that_fails_anywhere_leaves_nothing_behind)
{
    OWNED(tear_down) struct setup s = set_up();
    const int living = fake_cuda_living(fake);
    for (int n = 1; n <= 12; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        struct peer_plan *plan = s.job.views[0].plan;
        assert_int_equal(s.peer->api->import_plan(s.peer, s.plan, &plan),
                         FOVEA_ERROR_OUT_OF_MEMORY);
        assert_null(plan);
        assert_int_equal(fake_cuda_living(fake), living);
    }
    fake_cuda_calm(fake);
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
}

int main(void)
{
    return peer_run_tests();
}
