/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "peer_rig.h"
#include "cmocka_all.h"

#include "kernels/chain/chain.h"

#include <fcntl.h>

struct fake_cuda *fake;

struct peer *peer_open_in(enum fovea_cuda_context context, struct fovea_log log)
{
    struct peer *peer = NULL;
    assert_ok(peer_cuda_create((const uint8_t *)FAKE_CUDA_UUID, SLOTS, context, log, &peer));
    return peer;
}

struct peer *peer_open(void)
{
    return peer_open_in(FOVEA_CUDA_CONTEXT_SHARED, (struct fovea_log){0});
}

void peer_close(struct peer *peer)
{
    fake_cuda_calm(fake);
    peer->api->destroy(peer);
    assert_int_equal(fake_cuda_living(fake), 0);
}

int new_descriptor(void)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        count += is_open(fd);
    }
    return count;
}

struct peer_image_desc image_desc(int fd)
{
    return (struct peer_image_desc){.memory = {.fd = fd},
                                    .allocation_bytes = 65536,
                                    .format = FOVEA_FORMAT_RGBA8,
                                    .width_px = 64,
                                    .height_px = 48,
                                    .color_attachment = true};
}

struct operator_plan *make_plan(enum fovea_method method)
{
    struct operator_plan *plan = NULL;
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = method;
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 64, .height_px = 48};
    assert_ok(chain_operator.plan_create(&desc, &plan));
    return plan;
}

struct setup set_up_for(enum fovea_method method)
{
    return set_up_with(peer_open(), method);
}

struct setup set_up_with(struct peer *peer, enum fovea_method method)
{
    struct setup s = {.peer = peer, .plan = make_plan(method)};
    const struct peer_api *api = s.peer->api;
    struct peer_image_desc src = image_desc(new_descriptor());
    struct peer_image_desc dst = image_desc(new_descriptor());
    struct peer_semaphore_desc wait = {.handle = {.fd = new_descriptor()}, .timeline = true};
    struct peer_semaphore_desc signal = {.handle = {.fd = new_descriptor()}, .timeline = true};
    assert_ok(api->import_image(s.peer, &src, &s.job.src));
    assert_ok(api->import_image(s.peer, &dst, &s.job.dst));
    assert_ok(api->import_semaphore(s.peer, &wait, &s.job.wait));
    assert_ok(api->import_semaphore(s.peer, &signal, &s.job.signal));
    assert_ok(api->import_plan(s.peer, s.plan, &s.job.views[0].plan));
    s.job.wait_value = 1;
    s.job.signal_value = 2;
    s.job.views[0].frame = operator_frame_make(64, 48, (struct fovea_point_uv){0.5, 0.5});
    s.job.view_count = 1;
    s.job.timed = true;
    fake_cuda_calm(fake);
    return s;
}

struct setup set_up(void)
{
    return set_up_for(FOVEA_METHOD_BLOCKWISE);
}

void forget(struct setup *s)
{
    const struct peer_api *api = s->peer->api;
    api->forget_image(s->peer, &s->job.src);
    api->forget_image(s->peer, &s->job.dst);
    api->forget_semaphore(s->peer, &s->job.wait);
    api->forget_semaphore(s->peer, &s->job.signal);
    api->forget_plan(s->peer, &s->job.views[0].plan);
    assert_null(s->job.views[0].plan);
    assert_null(s->job.src);
    assert_null(s->job.signal);
}

void tear_down(struct setup *s)
{
    fake_cuda_calm(fake);
    forget(s);
    peer_close(s->peer);
    chain_operator.plan_destroy(&s->plan);
}

int peer_run_tests(void)
{
    fake = fake_cuda_open();
    return fake ? tests_run(NULL, NULL) : EXIT_FAILURE;
}
