/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whose CUDA context the peer uses, what is said and done when that is lost, and that a fork uses
 * none: with a driver that only keeps books. */

#include "cmocka_all.h"
#include "kernels/chain/chain.h"
#include "peer_rig.h"
#include "recorded.h"

#include "vulkan/interop/peer_cuda_state.h"

TEST(a_context_of_our_own_leaves_the_primary_one_alone)
{
    fake_cuda_calm(fake);
    struct peer *peer = peer_open_in(FOVEA_CUDA_CONTEXT_OWN, (struct fovea_log){0});
    assert_int_equal(fake->own_contexts, 1);
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->pushed, 0);
    assert_null(strstr(fake->calls, "DevicePrimaryCtx"));
    peer_close(peer);
    assert_non_null(strstr(fake->calls, "CtxDestroy"));
    peer = peer_open();
    assert_int_equal(fake->own_contexts, 0);
    assert_int_equal(fake->contexts, 1);
    peer_close(peer);
}

TEST(a_creation_that_fails_anywhere_leaves_no_context_behind)
{
    int n = 1;
    for (bool failed = true; failed; n++) {
        struct peer *peer = NULL;
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result =
            peer_cuda_create((const uint8_t *)FAKE_CUDA_UUID, SLOTS, FOVEA_CUDA_CONTEXT_OWN,
                             (struct fovea_log){0}, &peer);
        failed = fake_cuda_has_failed(fake);
        fake->pushed = 0; /* taking the context off again may fail unseen */
        if (result == FOVEA_OK) {
            peer_close(peer);
        }
        assert_int_equal(fake_cuda_living(fake), 0);
    }
    assert_true(n > 20);
}

/* Every error that ends a context; in words that somebody can act upon, once. */
TEST(a_lost_context_is_told_of_once)
{
    static const CUresult errors[] = {
        CUDA_ERROR_ILLEGAL_ADDRESS,      CUDA_ERROR_MISALIGNED_ADDRESS,
        CUDA_ERROR_LAUNCH_FAILED,        CUDA_ERROR_ASSERT,
        CUDA_ERROR_LAUNCH_TIMEOUT,       CUDA_ERROR_HARDWARE_STACK_ERROR,
        CUDA_ERROR_ILLEGAL_INSTRUCTION,  CUDA_ERROR_INVALID_PC,
        CUDA_ERROR_INVALID_ADDRESS_SPACE};
    static const char *const words[] = {"every call in it fails from now on, the program's own too",
                                        "the program's is not touched"};
    for (size_t i = 0; i < 2 * sizeof errors / sizeof errors[0]; i++) {
        struct recorded said = {0};
        const bool own = i % 2;
        struct peer *peer = peer_open_in(own ? FOVEA_CUDA_CONTEXT_OWN : FOVEA_CUDA_CONTEXT_SHARED,
                                         recorded_log(&said));
        struct setup s = set_up_with(peer, FOVEA_METHOD_BLOCKWISE);
        enum peer_answer answer = PEER_SIGNALS;
        fake->fails = NULL;
        fake->fail_at = 4;
        fake->fail_on = 1000; /* as a lost context does */
        fake->error = errors[i / 2];
        for (int n = 0; n < 3; n++) {
            assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer),
                             FOVEA_ERROR_DEVICE_LOST);
            assert_int_equal(answer, PEER_IS_STILL);
        }
        struct peer_plan *plan = NULL;
        assert_int_equal(s.peer->api->import_plan(s.peer, s.plan, &plan), FOVEA_ERROR_DEVICE_LOST);
        s.peer->api->drain(s.peer);
        assert_int_equal(said.count[FOVEA_LOG_ERROR], 1);
        assert_non_null(strstr(said.last[FOVEA_LOG_ERROR], words[own]));
        fake->pushed = 0;
        tear_down(&s);
    }
}

/* Others are no loss, and every one of them is told of. */
TEST(an_error_that_passes_is_no_loss)
{
    struct recorded said = {0};
    struct setup s = set_up_with(peer_open_in(FOVEA_CUDA_CONTEXT_OWN, recorded_log(&said)),
                                 FOVEA_METHOD_BLOCKWISE);
    for (int i = 1; i <= 3; i++) {
        enum peer_answer answer = PEER_IS_STILL;
        fake_cuda_fail_at(fake, 4, CUDA_ERROR_OUT_OF_MEMORY);
        assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_OUT_OF_MEMORY);
        assert_int_equal(said.count[FOVEA_LOG_ERROR], i);
        assert_null(strstr(said.last[FOVEA_LOG_ERROR], "is lost"));
    }
    tear_down(&s);
}

/* Its parent has made the peer: nothing reaches the driver, which a fork must not use. */
TEST(a_fork_makes_no_call)
{
    struct setup s = set_up();
    fake->calls[0] = '\0';
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        enum peer_answer answer = PEER_SIGNALS;
        struct peer_plan *plan = NULL;
        struct peer *other = NULL;
        const bool refused =
            s.peer->api->enqueue(s.peer, &s.job, &answer) < 0 && answer == PEER_IS_STILL &&
            s.peer->api->import_plan(s.peer, s.plan, &plan) < 0 &&
            peer_cuda_create((const uint8_t *)FAKE_CUDA_UUID, SLOTS, FOVEA_CUDA_CONTEXT_OWN,
                             (struct fovea_log){0}, &other) == FOVEA_ERROR_UNSUPPORTED;
        s.peer->api->drain(s.peer);
        s.peer->api->forget_image(s.peer, &s.job.src);
        s.peer->api->forget_plan(s.peer, &s.job.views[0].plan);
        s.peer->api->destroy(s.peer);
        _exit(refused && fake->calls[0] == '\0' ? 0 : 1);
    }
    assert_int_equal(test_status_of(child), 0);
    tear_down(&s);
}

/* The watchdog's thread calls it. */
int main(void)
{
    return peer_run_tests();
}
