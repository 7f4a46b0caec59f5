/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The CUDA peer with a driver that only keeps books: who owns what after success and after each
 * failure, and that nothing is left behind. */

#include "cmocka_all.h"
#include "kernels/chain/chain.h"
#include "peer_rig.h"

static enum peer_answer answer;

/* ---- Life ------------------------------------------------------------------------------------ */

/* The driver is open by now, so that every call left is one of the peer's. */
TEST(a_creation_that_fails_anywhere_leaves_nothing_behind)
{
    peer_close(peer_open());
    int n = 1;
    int late = 0, uncounted = 0;
    for (bool failed = true; failed; n++) {
        struct peer *peer = NULL;
        fake_cuda_fail_at(fake, n, CUDA_ERROR_OUT_OF_MEMORY);
        const enum fovea_result result =
            peer_cuda_create((const uint8_t *)FAKE_CUDA_UUID, SLOTS, FOVEA_CUDA_CONTEXT_SHARED,
                             (struct fovea_log){0}, &peer);
        failed = fake_cuda_has_failed(fake);
        if (!failed) {
            assert_ok(result);
            peer_close(peer);
        } else if (result < 0) {
            assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
            assert_null(peer);
            assert_int_equal(fake_cuda_living(fake), 0);
        } else {
            /* Only taking the context off again may fail unseen, and what late gazes and the count
             * need. */
            late += !peer->api->late_block(peer);
            uncounted += !peer->over;
            assert_true(fake->pushed == 1 || !peer->api->late_block(peer) || !peer->over);
            fake->pushed = 0;
            peer_close(peer);
        }
    }
    assert_true(n > 20);
    assert_true(late > 5);
    assert_int_equal(uncounted, 3);
}

TEST(a_device_with_another_uuid_is_no_peer)
{
    struct peer *peer = NULL;
    static const uint8_t other[16] = "another device";
    assert_ok(peer_cuda_available((const uint8_t *)FAKE_CUDA_UUID, (struct fovea_log){0}));
    assert_int_equal(peer_cuda_available(other, (struct fovea_log){0}), FOVEA_ERROR_UNSUPPORTED);
    assert_int_equal(
        peer_cuda_create(other, SLOTS, FOVEA_CUDA_CONTEXT_SHARED, (struct fovea_log){0}, &peer),
        FOVEA_ERROR_UNSUPPORTED);
    assert_null(peer);
    assert_int_equal(fake_cuda_living(fake), 0);
}

/* ---- Imports --------------------------------------------------------------------------------- */

TEST(an_import_that_fails_anywhere_leaves_the_descriptor_to_the_caller)
{
    struct peer *peer = peer_open();
    const int living = fake_cuda_living(fake);
    int failures = 0;
    for (int n = 1; n <= 6; n++) {
        const int fd = new_descriptor();
        const int before = count_descriptors();
        struct peer_image_desc desc = image_desc(fd);
        struct peer_image *image = NULL;
        fake_cuda_fail_at(fake, n, CUDA_ERROR_INVALID_VALUE);
        const enum fovea_result result = peer->api->import_image(peer, &desc, &image);
        assert_int_equal(result, FOVEA_ERROR_INTERNAL);
        assert_null(image);
        assert_true(is_open(fd));
        assert_int_equal(count_descriptors(), before);
        assert_int_equal(fake_cuda_living(fake), living);
        close(fd);
        failures++;
    }
    assert_int_equal(failures, 6);
    peer_close(peer);
}

TEST(an_image_that_is_mapped_differently_is_refused)
{
    struct peer *peer = peer_open();
    const int fd = new_descriptor();
    struct peer_image_desc desc = image_desc(fd);
    struct peer_image *image = NULL;
    fake->maps_wrongly = true;
    assert_int_equal(peer->api->import_image(peer, &desc, &image), FOVEA_ERROR_INTERNAL);
    assert_null(image);
    assert_true(is_open(fd));
    close(fd);
    peer_close(peer);
}

TEST(a_semaphore_is_the_peers_on_success_and_the_callers_on_failure)
{
    struct peer *peer = peer_open();
    const int fd = new_descriptor();
    struct peer_semaphore *semaphore = NULL;
    const struct peer_semaphore_desc desc = {.handle = {.fd = fd}, .timeline = false};
    fake->fails = "ImportExternalSemaphore";
    fake->fail_at = 1;
    fake->error = CUDA_ERROR_NOT_SUPPORTED;
    assert_int_equal(peer->api->import_semaphore(peer, &desc, &semaphore), FOVEA_ERROR_UNSUPPORTED);
    assert_null(semaphore);
    assert_true(is_open(fd));
    assert_ok(peer->api->import_semaphore(peer, &desc, &semaphore));
    peer->api->forget_semaphore(peer, &semaphore);
    assert_false(is_open(fd));
    peer_close(peer);
}

TEST(timelines_are_unsupported_where_the_device_has_none)
{
    struct peer *peer = peer_open();
    const int fd = new_descriptor();
    struct peer_semaphore *semaphore = NULL;
    const struct peer_semaphore_desc desc = {.handle = {.fd = fd}, .timeline = true};
    fake->no_timelines = true;
    assert_int_equal(peer->api->import_semaphore(peer, &desc, &semaphore), FOVEA_ERROR_UNSUPPORTED);
    assert_null(semaphore);
    assert_true(is_open(fd));
    close(fd);
    peer_close(peer);
}

/* ---- Stuck ----------------------------------------------------------------------------------- */

/* Last: what it leaves is never taken away. */
TEST(an_abandoned_peer_neither_waits_nor_takes_anything_away)
{
    struct setup s = set_up();
    assert_ok(s.peer->api->enqueue(s.peer, &s.job, &answer));
    fake->busy = true;
    const int living = fake_cuda_living(fake);
    s.peer->api->abandon(s.peer);
    fake->calls[0] = '\0';
    assert_int_equal(s.peer->api->enqueue(s.peer, &s.job, &answer), FOVEA_ERROR_INVALID_STATE);
    forget(&s);
    s.peer->api->destroy(s.peer);
    assert_string_equal(fake->calls, "");
    assert_int_equal(fake_cuda_living(fake), living);
    chain_operator.plan_destroy(&s.plan);
}

int main(void)
{
    return peer_run_tests();
}
