/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "clock.h"
#include "cmocka_all.h"

#include "compare.h"
#include "stand_in.h"
#include "vulkan/interop/peer_host.h"

#define LATE_MS 150
#define SPOILT 0xee

struct faulty_peer *the_peer;

static struct faulty_peer *faulty(struct peer *peer)
{
    return (struct faulty_peer *)peer;
}

static void destroy(struct peer *peer)
{
    if (faulty(peer)->late_started) {
        pthread_join(faulty(peer)->late, NULL);
    }
    faulty(peer)->host->api->destroy(faulty(peer)->host);
    free(peer);
}

static enum fovea_result import_image(struct peer *peer, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    struct faulty_peer *self = faulty(peer);
    if (self->fault == LOSES_ITS_DEVICE) {
        return FOVEA_ERROR_DEVICE_LOST;
    }
    const enum fovea_result result = self->host->api->import_image(self->host, desc, out_image);
    for (int i = 0; result == FOVEA_OK && i < STAND_IN_IMAGES; i++) {
        if (!self->images[i].image) {
            self->images[i] =
                (struct stand_in_image){.image = *out_image,
                                        .mapped = desc->mapped,
                                        .bytes = (size_t)desc->row_stride_bytes * desc->height_px};
            break;
        }
    }
    return result;
}

static void forget_image(struct peer *peer, struct peer_image **image)
{
    for (int i = 0; i < STAND_IN_IMAGES; i++) {
        if (faulty(peer)->images[i].image == *image) {
            faulty(peer)->images[i] = (struct stand_in_image){.image = NULL};
        }
    }
    faulty(peer)->host->api->forget_image(faulty(peer)->host, image);
}

static enum fovea_result import_semaphore(struct peer *peer, const struct peer_semaphore_desc *desc,
                                          struct peer_semaphore **out_semaphore)
{
    faulty(peer)->link = desc->semaphore;
    return faulty(peer)->host->api->import_semaphore(faulty(peer)->host, desc, out_semaphore);
}

static void forget_semaphore(struct peer *peer, struct peer_semaphore **semaphore)
{
    faulty(peer)->host->api->forget_semaphore(faulty(peer)->host, semaphore);
}

static enum fovea_result import_plan(struct peer *peer, const struct operator_plan *plan,
                                     struct peer_plan **out_plan)
{
    return faulty(peer)->host->api->import_plan(faulty(peer)->host, plan, out_plan);
}

static void forget_plan(struct peer *peer, struct peer_plan **plan)
{
    faulty(peer)->host->api->forget_plan(faulty(peer)->host, plan);
}

void stand_in_spoil(const struct stand_in_image *image)
{
    memset(image->mapped, SPOILT, image->bytes);
}

/* A kernel that was launched before the one that failed. */
static void *write_late(void *argument)
{
    struct faulty_peer *self = argument;
    const VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                          .semaphore = self->link,
                                          .value = self->late_job.signal_value};
    rest_ms(LATE_MS);
    stand_in_spoil(&self->dst);
    atomic_store(&self->late_over, true);
    if (self->fault == FAILS_HALF_WAY) {
        /* Validation of this version counts a semaphore only where somebody looks at it. */
        const VkSemaphoreWaitInfo turn = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                          .semaphoreCount = 1,
                                          .pSemaphores = &self->link,
                                          .pValues = &self->late_job.wait_value};
        assert_int_equal(vkWaitSemaphores(self->device, &turn, UINT64_MAX), VK_SUCCESS);
        assert_int_equal(vkSignalSemaphore(self->device, &signal), VK_SUCCESS);
    }
    return NULL;
}

static void start_late(struct faulty_peer *self, const struct peer_job *job)
{
    self->late_job = *job;
    self->late_started = true;
    self->late = test_thread(write_late, self);
}

/* In steps, so that who is stopped in the middle has work left afterwards. */
static void work_slowly(void)
{
    putchar('j'); /* END_JOB_BEGUN */
    fflush(stdout);
    for (int i = 0; i < 20; i++) {
        rest_ms(30);
    }
}

static enum fovea_result enqueue(struct peer *peer, const struct peer_job *job,
                                 enum peer_answer *out_answer)
{
    struct faulty_peer *self = faulty(peer);
    self->jobs++;
    for (int i = 0; i < STAND_IN_IMAGES; i++) {
        self->dst = self->images[i].image == job->dst ? self->images[i] : self->dst;
    }
    *out_answer = PEER_IS_STILL;
    switch (self->fault) {
    case NEVER_SIGNALS:
    case NEVER_SIGNALS_NOR_SAYS:
        *out_answer = PEER_SIGNALS;
        return FOVEA_OK;
    case IS_SLOW:
        work_slowly();
        break;
    case REFUSES:
        return FOVEA_ERROR_OUT_OF_MEMORY;
    case LOSES_ITS_DEVICE:
        return FOVEA_ERROR_DEVICE_LOST;
    case FAILS_HALF_WAY:
    case FAILS_HALF_WAY_SILENTLY:
        *out_answer = self->fault == FAILS_HALF_WAY ? PEER_SIGNALS : PEER_MAY_RUN;
        start_late(self, job);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    default:
        break;
    }
    return self->host->api->enqueue(self->host, job, out_answer);
}

static enum fovea_result elapsed(struct peer *peer, uint32_t slot, double *out_us)
{
    return faulty(peer)->host->api->elapsed(faulty(peer)->host, slot, out_us);
}

static void drain(struct peer *peer)
{
    faulty(peer)->drained++;
    faulty(peer)->host->api->drain(faulty(peer)->host);
}

static void abandon(struct peer *peer)
{
    faulty(peer)->abandoned++;
    faulty(peer)->host->api->abandon(faulty(peer)->host);
}

enum fovea_result make_stand_in(struct fovea_vk *fovea, void *user)
{
    static const struct peer_api api = {.name = "stand-in",
                                        .backend = FOVEA_BACKEND_CPU,
                                        .destroy = destroy,
                                        .import_image = import_image,
                                        .forget_image = forget_image,
                                        .import_semaphore = import_semaphore,
                                        .forget_semaphore = forget_semaphore,
                                        .import_plan = import_plan,
                                        .forget_plan = forget_plan,
                                        .enqueue = enqueue,
                                        .elapsed = elapsed,
                                        .drain = drain,
                                        .abandon = abandon};
    struct faulty_peer *peer = test_memory(1, sizeof *peer);
    peer->base.api = &api;
    peer->fault = *(enum fault *)user;
    peer->device = fovea->device.handle;
    assert_ok(peer_host_create(&fovea->device, fovea->slot_count, 1, &peer->host));
    peer->base.over = peer->fault == NEVER_SIGNALS            ? &peer->over
                      : peer->fault == NEVER_SIGNALS_NOR_SAYS ? NULL
                                                              : peer->host->over;
    fovea->peer = &peer->base;
    fovea->backend = FOVEA_BACKEND_CPU;
    the_peer = peer;
    return FOVEA_OK;
}

/* ---- A rig with it ---- */

static void count_log(void *user, enum fovea_log_level level, const char *message)
{
    struct log_count *count = user;
    if (level >= FOVEA_LOG_WARNING) {
        snprintf(count->last, sizeof count->last, "%s", message);
        atomic_fetch_add(&count->warnings, 1);
    }
}

void open_bench(struct bench *bench, enum fault fault, PFN_vkGetInstanceProcAddr get)
{
    *bench = (struct bench){0};
    struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&bench->rig.engine, &options));
    bench->rig.settings = rig_settings();
    bench->rig.settings.watchdog_ms = 200;
    struct fovea_vk_desc desc = engine_fovea_desc(&bench->rig.engine, &bench->rig.settings);
    desc.get_instance_proc_addr = get ? get : desc.get_instance_proc_addr;
    desc.log = (struct fovea_log){count_log, &bench->log, FOVEA_LOG_DEBUG};
    assert_ok(frame_create(&desc, make_stand_in, &fault, &bench->rig.fovea));
    bench->src = image_make_packed(STAND_IN_WIDTH_PX, STAND_IN_HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    bench->dst = image_make_packed(STAND_IN_WIDTH_PX, STAND_IN_HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&bench->src.view, IMAGE_RANDOM, 3);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&bench->rig.settings.foveation, STAND_IN_WIDTH_PX,
                                  STAND_IN_HEIGHT_PX, &plan));
    struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    bench->expected = compare_expected(&bench->rig.settings.foveation, &bench->src.view, &frame);
}

void bench_expect_warnings(struct bench *bench, int count)
{
    for (int ms = 0; ms < 10000 && atomic_load(&bench->log.warnings) < count; ms++) {
        rest_ms(1);
    }
    assert_int_equal(atomic_load(&bench->log.warnings), count);
}

void close_bench(struct bench *bench)
{
    free(bench->expected);
    image_free(&bench->src);
    image_free(&bench->dst);
    rig_close(&bench->rig);
}

struct fovea_vk_frame bench_frame_in_place(struct bench *bench, struct engine_image *out_image)
{
    struct engine *engine = &bench->rig.engine;
    *out_image =
        engine_image_create(engine, STAND_IN_FORMAT, STAND_IN_WIDTH_PX, STAND_IN_HEIGHT_PX);
    engine_write(engine, out_image->image, STAND_IN_WIDTH_PX, STAND_IN_HEIGHT_PX, STAND_IN_FORMAT,
                 bench->src.view.data, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    return rig_frame_in_place(out_image);
}
