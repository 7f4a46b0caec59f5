/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes: a frame is queued behind a semaphore, a new gaze comes, the semaphore is signalled. Which
 * gaze the frame is foveated around is then no matter of luck. */

#include "cmocka_all.h"
#include "compare.h"
#include "frame.h"
#include "rig.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIDE_PX 256
#define MS INT64_C(1000000)

static const struct fovea_log silent = {0};

struct desk {
    struct rig rig;
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    struct engine_image src;
    struct engine_image dst;
    struct test_image drawn;
    struct test_image shown;
    struct test_image wanted;
    struct fovea_gaze_source *source;
    VkSemaphore gate;
    uint64_t gate_value;
    PFN_vkSignalSemaphore signal;
};

static struct fovea_gaze_source *open_source(enum fovea_gaze_kind kind)
{
    struct fovea_gaze_settings settings = fovea_settings_default().gaze;
    struct fovea_gaze_source *source = NULL;
    settings.kind = kind;
    settings.udp_port = 0;
    assert_int_equal(fovea_gaze_source_create(&settings, silent, &source), FOVEA_OK);
    return source;
}

static struct fovea_settings late_settings(void)
{
    struct fovea_settings settings = rig_settings();
    settings.gaze.late = true;
    return settings;
}

static void open_images(struct desk *desk, uint32_t width_px, uint32_t height_px)
{
    struct engine *engine = &desk->rig.engine;
    const enum fovea_format pixel = rig_pixel_format(desk->format);
    desk->width_px = width_px;
    desk->height_px = height_px;
    desk->src = engine_image_create(engine, desk->format, width_px, height_px);
    desk->dst = engine_image_create(engine, desk->format, width_px, height_px);
    desk->drawn = image_make_packed(width_px, height_px, pixel);
    desk->shown = image_make_packed(width_px, height_px, pixel);
    desk->wanted = image_make_packed(width_px, height_px, pixel);
    image_draw(&desk->drawn.view, IMAGE_RANDOM, 5);
    engine_write(engine, desk->src.image, width_px, height_px, desk->format, desk->drawn.view.data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void close_images(struct desk *desk)
{
    engine_idle(&desk->rig.engine);
    engine_image_destroy(&desk->rig.engine, &desk->src);
    engine_image_destroy(&desk->rig.engine, &desk->dst);
    image_free(&desk->drawn);
    image_free(&desk->shown);
    image_free(&desk->wanted);
}

static void open_desk(struct desk *desk, const struct fovea_settings *settings, VkFormat format)
{
    *desk = (struct desk){.format = format};
    const bool nvidia =
        rig_backend() == FOVEA_BACKEND_CUDA || strcmp(rig_backend_name(), "nvidia") == 0;
    const struct engine_options options = {.nvidia = nvidia, .host_signals = true};
    assert_true(engine_open(&desk->rig.engine, &options));
    desk->rig.settings = *settings;
    struct fovea_vk_desc desc = engine_fovea_desc(&desk->rig.engine, &desk->rig.settings);
    assert_int_equal(fovea_vk_create(&desc, &desk->rig.fovea), FOVEA_OK);
    open_images(desk, SIDE_PX, SIDE_PX);
    desk->source = open_source(FOVEA_GAZE_MOUSE);
    assert_int_equal(fovea_vk_follow_gaze(desk->rig.fovea, desk->source), FOVEA_OK);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkDevice device = desk->rig.engine.device;
    assert_int_equal(vkCreateSemaphore(device, &info, NULL, &desk->gate), VK_SUCCESS);
    desk->signal = (PFN_vkSignalSemaphore)vkGetDeviceProcAddr(device, "vkSignalSemaphore");
    assert_non_null(desk->signal);
}

static void close_desk(struct desk *desk)
{
    close_images(desk);
    vkDestroySemaphore(desk->rig.engine.device, desk->gate, NULL);
    rig_close(&desk->rig);
    fovea_gaze_source_destroy(&desk->source);
}

static void set(struct desk *desk, bool late)
{
    desk->rig.settings.gaze.late = late;
    assert_int_equal(fovea_vk_set(desk->rig.fovea, &desk->rig.settings), FOVEA_OK);
}

static void push(struct fovea_gaze_source *source, double x_uv, double y_uv, int64_t t_ns)
{
    const struct fovea_gaze_sample sample = {.x = x_uv, .y = y_uv, .t_ns = t_ns, .confidence = 1};
    assert_int_equal(fovea_gaze_source_push(source, &sample), FOVEA_OK);
}

/* The eye closes: from now on frames have no gaze of the source's at their submission. */
static void blink(struct fovea_gaze_source *source)
{
    const struct fovea_gaze_sample sample = {.t_ns = fovea_time_ns(), .blink = true};
    assert_int_equal(fovea_gaze_source_push(source, &sample), FOVEA_OK);
}

static struct fovea_vk_frame frame_of(const struct desk *desk, struct fovea_gaze gaze)
{
    const VkImageLayout layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    struct fovea_vk_frame frame = {.src = {.image = desk->src.image,
                                           .format = desk->format,
                                           .width_px = desk->width_px,
                                           .height_px = desk->height_px,
                                           .layout_before = layout,
                                           .layout_after = layout},
                                   .gaze = gaze};
    frame.dst = frame.src;
    frame.dst.image = desk->dst.image;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    return frame;
}

static void read_into(struct desk *desk, struct test_image *out)
{
    engine_idle(&desk->rig.engine);
    engine_read(&desk->rig.engine, desk->dst.image, desk->width_px, desk->height_px, desk->format,
                out->view.data, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

/* What a frame of that gaze shows, foveated at once. */
static void want(struct desk *desk, double x_uv, double y_uv)
{
    const struct fovea_vk_frame frame = frame_of(desk, rig_gaze(x_uv, y_uv));
    const bool late = desk->rig.settings.gaze.late;
    set(desk, false);
    assert_int_equal(fovea_vk_foveate(desk->rig.fovea, &frame), FOVEA_OK);
    read_into(desk, &desk->wanted);
    set(desk, late);
}

/* Queues a frame that cannot start before `start`. */
static void queue(struct desk *desk, struct fovea_vk_frame frame)
{
    const struct fovea_vk_semaphore wait = {desk->gate, desk->gate_value + 1};
    frame.waits = &wait;
    frame.wait_count = 1;
    assert_int_equal(fovea_vk_foveate(desk->rig.fovea, &frame), FOVEA_OK);
}

static void start(struct desk *desk)
{
    const VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                        .semaphore = desk->gate,
                                        .value = ++desk->gate_value};
    assert_int_equal(desk->signal(desk->rig.engine.device, &info), VK_SUCCESS);
    read_into(desk, &desk->shown);
}

static bool shows_what_is_wanted(const struct desk *desk)
{
    return memcmp(desk->shown.view.data, desk->wanted.view.data,
                  (size_t)desk->width_px * desk->height_px * engine_pixel_bytes(desk->format)) == 0;
}

static void assert_shown(struct desk *desk, double x_uv, double y_uv)
{
    want(desk, x_uv, y_uv);
    compare_assert_all_same(&desk->shown.view, &desk->wanted.view, "the frame and the gaze's");
}

/* ---- Which gaze counts ---- */

static void a_queued_frame_takes_the_newest_gaze(void **state)
{
    (void)state;
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT};
    for (int i = 0; i < 4; i++) {
        struct fovea_settings settings = late_settings();
        settings.foveation.method = i & 1 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        struct desk desk;
        open_desk(&desk, &settings, formats[i / 2]);
        queue(&desk, frame_of(&desk, rig_gaze(0.25, 0.25)));
        push(desk.source, 0.3, 0.6, fovea_time_ns());
        push(desk.source, 0.8, 0.7, fovea_time_ns());
        start(&desk);
        assert_shown(&desk, 0.8, 0.7);
        want(&desk, 0.25, 0.25);
        assert_false(shows_what_is_wanted(&desk));
        close_desk(&desk);
    }
}

static struct fovea_gaze read_gaze(struct fovea_gaze_source *source)
{
    struct fovea_gaze gaze;
    assert_int_equal(fovea_gaze_source_read(source, fovea_time_ns(), SIDE_PX, SIDE_PX, &gaze),
                     FOVEA_OK);
    return gaze;
}

/* The engine reads its gaze early, and the newest sample comes before it submits. */
static void a_sample_between_reading_and_submitting_counts(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    const struct timespec rest = {.tv_nsec = 5 * MS};
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    for (int i = 0; i < 5;) {
        const double at = 0.2 + 0.1 * i;
        push(desk.source, 0.25, 0.25, fovea_time_ns());
        const struct fovea_gaze gaze = read_gaze(desk.source);
        (void)nanosleep(&rest, NULL);
        const int64_t pushed_ns = fovea_time_ns();
        push(desk.source, at, 1 - at, pushed_ns);
        queue(&desk, frame_of(&desk, gaze));
        const bool in_time = fovea_time_ns() - pushed_ns < 90 * MS; /* else it counts as silent */
        start(&desk);
        if (in_time) {
            assert_shown(&desk, at, 1 - at);
            i++;
        }
    }
    close_desk(&desk);
}

/* What a source said that is not followed any more does not count, however new it is. */
static void another_source_begins_anew(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    struct fovea_gaze_source *other = open_source(FOVEA_GAZE_MOUSE);
    queue(&desk, frame_of(&desk, rig_gaze(0.5, 0.5)));
    start(&desk); /* from now on the size is known */
    push(other, 0.3, 0.6, fovea_time_ns());
    push(desk.source, 0.8, 0.7, fovea_time_ns() + 15 * MS); /* clocks of trackers may be ahead */
    assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, other), FOVEA_OK);
    queue(&desk, frame_of(&desk, read_gaze(other)));
    start(&desk);
    assert_shown(&desk, 0.3, 0.6);
    queue(&desk, frame_of(&desk, rig_gaze(0.25, 0.25)));
    push(other, 0.6, 0.2, fovea_time_ns());
    start(&desk);
    assert_shown(&desk, 0.6, 0.2);
    assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, desk.source), FOVEA_OK);
    fovea_gaze_source_destroy(&other);
    close_desk(&desk);
}

/* Fresh contexts: lavapipe waits for the device to be idle before it gives the times of frames gone by. */
static void frames_queued_deep_take_what_is_newest_when_they_start(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    for (int i = 1; i < 5; i++) {
        const double at = 0.2 * i;
        struct desk desk;
        open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
        queue(&desk, frame_of(&desk, rig_gaze(0.5, 0.5)));
        for (int j = 1; j < 3; j++) {
            const struct fovea_vk_frame behind = frame_of(&desk, rig_gaze(0.1, 0.3 * j));
            assert_int_equal(fovea_vk_foveate(desk.rig.fovea, &behind), FOVEA_OK);
        }
        push(desk.source, at, 1 - at, fovea_time_ns());
        start(&desk);
        assert_shown(&desk, at, 1 - at);
        close_desk(&desk);
    }
}

static void everything_that_is_drawn_follows(void **state)
{
    (void)state;
    struct fovea_settings settings = late_settings();
    settings.overlay = (struct fovea_overlay){.marker = true, .rings = true, .heatmap = true};
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    queue(&desk, frame_of(&desk, rig_gaze(0.25, 0.25)));
    push(desk.source, 0.7, 0.6, fovea_time_ns());
    start(&desk);
    assert_shown(&desk, 0.7, 0.6);
    close_desk(&desk);
}

enum hindrance { SETTING_OFF, NO_SOURCE, HELD, TWO_VIEWS, OLD_SAMPLE, BLINK, HINDRANCES };

static void frame_keeps_its_own(struct desk *desk, enum hindrance hindrance)
{
    struct fovea_vk_frame frame = frame_of(desk, rig_gaze(0.25, 0.25));
    struct fovea_vk_view views[2] = {
        {.width_px = SIDE_PX / 2, .height_px = SIDE_PX},
        {.x_px = SIDE_PX / 2, .width_px = SIDE_PX / 2, .height_px = SIDE_PX}};
    struct fovea_gaze_sample sample = {.x = 0.8, .y = 0.7, .confidence = 1};
    blink(desk->source);
    set(desk, hindrance != SETTING_OFF);
    if (hindrance == NO_SOURCE) {
        assert_int_equal(fovea_vk_follow_gaze(desk->rig.fovea, NULL), FOVEA_OK);
    }
    frame.gaze.state = hindrance == HELD ? FOVEA_GAZE_HELD : FOVEA_GAZE_TRACKED;
    if (hindrance == TWO_VIEWS) {
        views[0].gaze = views[1].gaze = frame.gaze;
        frame.views = views;
        frame.view_count = 2;
    }
    sample.t_ns = fovea_time_ns();
    queue(desk, frame);
    sample.t_ns = hindrance == OLD_SAMPLE ? sample.t_ns : fovea_time_ns();
    sample.blink = hindrance == BLINK;
    assert_int_equal(fovea_gaze_source_push(desk->source, &sample), FOVEA_OK);
    start(desk);
    frame.waits = NULL;
    frame.wait_count = 0;
    set(desk, false);
    assert_int_equal(fovea_vk_foveate(desk->rig.fovea, &frame), FOVEA_OK);
    read_into(desk, &desk->wanted);
    compare_assert_all_same(&desk->shown.view, &desk->wanted.view, "the frame and its own gaze's");
    assert_int_equal(fovea_vk_follow_gaze(desk->rig.fovea, desk->source), FOVEA_OK);
}

static void otherwise_a_frame_keeps_its_own_gaze(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    for (int i = 0; i < HINDRANCES; i++) {
        frame_keeps_its_own(&desk, (enum hindrance)i);
    }
    close_desk(&desk);
}

static void a_gaze_for_another_size_waits_for_the_next_sample(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    queue(&desk, frame_of(&desk, rig_gaze(0.25, 0.25)));
    push(desk.source, 0.8, 0.7, fovea_time_ns());
    start(&desk);
    assert_shown(&desk, 0.8, 0.7);
    close_images(&desk);
    open_images(&desk, 320, 200);
    struct fovea_gaze gaze = rig_gaze(0.25, 0.25);
    gaze.age_ns = 10000 * MS; /* older than the block's */
    blink(desk.source);
    queue(&desk, frame_of(&desk, gaze));
    start(&desk);
    assert_shown(&desk, 0.25, 0.25);
    queue(&desk, frame_of(&desk, gaze));
    push(desk.source, 0.8, 0.7, fovea_time_ns());
    start(&desk);
    assert_shown(&desk, 0.8, 0.7);
    close_desk(&desk);
}

static void ages_are_those_when_frames_start(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    struct fovea_vk_stats stats;
    assert_int_equal(fovea_vk_get_stats(desk.rig.fovea, &stats), FOVEA_OK);
    assert_true(stats.late_age_p50_ms == 0 && stats.late_age_p99_ms == 0);
    const int64_t begin_ns = fovea_time_ns();
    for (int i = 0; i < 6; i++) {
        struct fovea_gaze gaze = rig_gaze(0.25, 0.25);
        gaze.age_ns = 1000 * MS;
        queue(&desk, frame_of(&desk, gaze));
        push(desk.source, 0.8, 0.7, fovea_time_ns() - 20 * MS);
        start(&desk);
    }
    engine_idle(&desk.rig.engine);
    const double most_ms = (double)(fovea_time_ns() - begin_ns) * 1e-6 + 20;
    for (int i = 0; i < 4; i++) { /* every slot is looked at */
        const struct fovea_vk_frame frame = frame_of(&desk, rig_gaze(0.5, 0.5));
        set(&desk, false);
        assert_int_equal(fovea_vk_foveate(desk.rig.fovea, &frame), FOVEA_OK);
        engine_idle(&desk.rig.engine);
    }
    assert_int_equal(fovea_vk_get_stats(desk.rig.fovea, &stats), FOVEA_OK);
    if (rig_backend() == FOVEA_BACKEND_CPU || desk.rig.fovea->device.calibrated) {
        if (!(stats.late_age_p50_ms >= 19.9 && stats.late_age_p99_ms <= most_ms)) {
            fail_msg("ages of %.3f and %.3f ms, not 20 to %.3f", stats.late_age_p50_ms,
                     stats.late_age_p99_ms, most_ms);
        }
    }
    close_desk(&desk);
}

/* ---- Following ---- */

static void only_live_sources_are_followed_and_by_one_context(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    struct desk other;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    open_desk(&other, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    struct fovea_vk *fovea = desk.rig.fovea;
    assert_int_equal(fovea_vk_follow_gaze(NULL, desk.source), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_follow_gaze(fovea, desk.source), FOVEA_OK);
    assert_int_equal(fovea_vk_follow_gaze(other.rig.fovea, desk.source), FOVEA_ERROR_INVALID_STATE);
    static const enum fovea_gaze_kind others[] = {FOVEA_GAZE_FIXED, FOVEA_GAZE_SACCADES};
    for (int i = 0; i < 2; i++) {
        struct fovea_gaze_source *source = open_source(others[i]);
        assert_int_equal(fovea_vk_follow_gaze(fovea, source), FOVEA_ERROR_UNSUPPORTED);
        fovea_gaze_source_destroy(&source);
    }
    /* What was followed before still is, by both. */
    struct desk *const desks[] = {&desk, &other};
    for (int i = 0; i < 2; i++) {
        queue(desks[i], frame_of(desks[i], rig_gaze(0.25, 0.25)));
        push(desks[i]->source, 0.8, 0.7, fovea_time_ns());
        start(desks[i]);
        assert_shown(desks[i], 0.8, 0.7);
    }
    struct fovea_gaze_source *udp = open_source(FOVEA_GAZE_UDP);
    assert_int_equal(fovea_vk_follow_gaze(fovea, udp), FOVEA_OK);
    assert_int_equal(fovea_vk_follow_gaze(fovea, NULL), FOVEA_OK);
    assert_int_equal(fovea_vk_follow_gaze(fovea, NULL), FOVEA_OK);
    fovea_gaze_source_destroy(&udp);
    /* Taken away, it is free for another; which may be destroyed while it follows. */
    struct fovea_gaze_source *source = desk.source;
    assert_int_equal(fovea_vk_follow_gaze(other.rig.fovea, source), FOVEA_OK);
    close_desk(&other);
    push(source, 0.1, 0.1, fovea_time_ns());
    assert_int_equal(fovea_vk_follow_gaze(fovea, source), FOVEA_OK);
    close_desk(&desk);
}

/* ---- While samples pour in ---- */

struct pour {
    struct fovea_gaze_source *source;
    atomic_bool done;
    _Atomic uint64_t count;
};

/* x and y are the same: a mixture of two samples shows. */
static void *pour(void *user)
{
    struct pour *p = user;
    for (uint64_t i = 0; !atomic_load(&p->done); i++) {
        const double at = (double)(i * 7919 % 65536) / 65536.0;
        const struct fovea_gaze_sample sample = {
            .x = at, .y = at, .t_ns = fovea_time_ns(), .confidence = 1};
        (void)!fovea_gaze_source_push(p->source, &sample);
        atomic_fetch_add(&p->count, 1);
    }
    return NULL;
}

static void no_frame_mixes_two_samples(void **state)
{
    (void)state;
    struct fovea_settings settings = late_settings();
    settings.foveation.paper.fragment_px = 64; /* the less to do for each frame */
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    struct frame_late *late = &desk.rig.fovea->late;
    struct pour p = {.source = desk.source};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, pour, &p), 0);
    unsigned taken = 0;
    const int64_t end_ns = fovea_time_ns() + 1500 * MS;
    while (fovea_time_ns() < end_ns) {
        const struct fovea_vk_frame frame = frame_of(&desk, rig_gaze(0.5, 0.25));
        assert_int_equal(fovea_vk_foveate(desk.rig.fovea, &frame), FOVEA_OK);
        engine_idle(&desk.rig.engine);
        const uint32_t slot = (uint32_t)(desk.rig.fovea->frame % desk.rig.fovea->slot_count);
        const uint32_t *latched = (const uint32_t *)late->latched.mapped + 64 * (size_t)slot;
        const bool took = latched[FOVEATE_LATCHED_TAKEN] == 1;
        taken += took;
        if (took && latched[FOVEATE_LATCHED_GAZE_X] != latched[FOVEATE_LATCHED_GAZE_Y]) {
            fail_msg("x is %u, y is %u", latched[FOVEATE_LATCHED_GAZE_X],
                     latched[FOVEATE_LATCHED_GAZE_Y]);
        }
    }
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (rig_backend() != FOVEA_BACKEND_CUDA) { /* which keeps its latches to itself */
        assert_true(taken > 0);
    }
    close_desk(&desk);
}

static void a_source_is_let_go_while_samples_pour_in(void **state)
{
    (void)state;
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    queue(&desk, frame_of(&desk, rig_gaze(0.5, 0.5)));
    start(&desk);
    struct pour p = {.source = desk.source};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, pour, &p), 0);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, i % 2 ? desk.source : NULL),
                         FOVEA_OK);
    }
    /* The context goes, the source stays. */
    struct desk second;
    open_desk(&second, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, NULL), FOVEA_OK);
    assert_int_equal(fovea_vk_follow_gaze(second.rig.fovea, desk.source), FOVEA_OK);
    queue(&second, frame_of(&second, rig_gaze(0.5, 0.5)));
    start(&second);
    close_desk(&second);
    const uint64_t count = atomic_load(&p.count);
    while (atomic_load(&p.count) < count + 1000) {
    }
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close_desk(&desk);
}

static void *push_at_1000_hz(void *user)
{
    struct pour *p = user;
    const struct timespec one_ms = {.tv_nsec = MS};
    while (!atomic_load(&p->done)) {
        push(p->source, 0.4, 0.6, fovea_time_ns());
        (void)nanosleep(&one_ms, NULL);
    }
    return NULL;
}

/* Frames as fast as the queue takes them, which is as deep as the context allows. Without late gazes: a
 * source is followed that says nothing, so that every frame starts with its own sample. */
static double measure_ms(bool newest, double *out_p99_ms)
{
    const struct fovea_settings settings = late_settings();
    struct fovea_vk_stats stats;
    struct desk desk;
    open_desk(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    close_images(&desk);
    open_images(&desk, 1280, 720);
    struct fovea_gaze_source *silent_one = open_source(FOVEA_GAZE_MOUSE);
    assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, newest ? desk.source : silent_one),
                     FOVEA_OK);
    struct pour p = {.source = desk.source};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, push_at_1000_hz, &p), 0);
    const int64_t end_ns = fovea_time_ns() + 1500 * MS;
    while (fovea_time_ns() < end_ns) {
        struct fovea_gaze gaze;
        assert_int_equal(fovea_gaze_source_read(desk.source, fovea_time_ns(), 1280, 720, &gaze),
                         FOVEA_OK);
        const struct fovea_vk_frame frame = frame_of(&desk, gaze);
        (void)!fovea_vk_foveate(desk.rig.fovea, &frame); /* NOT_READY: the queue is full */
    }
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    engine_idle(&desk.rig.engine);
    assert_int_equal(fovea_vk_get_stats(desk.rig.fovea, &stats), FOVEA_OK);
    assert_int_equal(fovea_vk_follow_gaze(desk.rig.fovea, NULL), FOVEA_OK);
    fovea_gaze_source_destroy(&silent_one);
    close_desk(&desk);
    *out_p99_ms = stats.late_age_p99_ms;
    return stats.late_age_p50_ms;
}

/* A measurement for docs/gaze.md. */
static void late_gazes_are_younger(void **state)
{
    (void)state;
    double own_p99_ms = 0;
    double late_p99_ms = 0;
    const double own_ms = measure_ms(false, &own_p99_ms);
    const double late_ms = measure_ms(true, &late_p99_ms);
    printf(
        "report: %s: age of the sample when frames start, 1280x720, 3 in flight, source of 1 kHz: "
        "%.3f ms p50, %.3f p99; late %.3f ms p50, %.3f p99\n",
        rig_backend_name(), own_ms, own_p99_ms, late_ms, late_p99_ms);
    assert_true(late_ms <= own_ms + 1.0);
}

int main(int argc, char **argv)
{
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    if (!rig_available()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queued_frame_takes_the_newest_gaze),
        cmocka_unit_test(a_sample_between_reading_and_submitting_counts),
        cmocka_unit_test(another_source_begins_anew),
        cmocka_unit_test(frames_queued_deep_take_what_is_newest_when_they_start),
        cmocka_unit_test(otherwise_a_frame_keeps_its_own_gaze),
        cmocka_unit_test(a_gaze_for_another_size_waits_for_the_next_sample),
        cmocka_unit_test(ages_are_those_when_frames_start),
        cmocka_unit_test(only_live_sources_are_followed_and_by_one_context),
        cmocka_unit_test(no_frame_mixes_two_samples),
        cmocka_unit_test(a_source_is_let_go_while_samples_pour_in),
        cmocka_unit_test(late_gazes_are_younger),
        cmocka_unit_test(everything_that_is_drawn_follows),
    };
    /* With cuda the overlay, which Vulkan draws, stays at the gaze of submission (docs/gaze.md): the last
     * case is not asked of it. */
    const size_t count =
        sizeof tests / sizeof tests[0] - (rig_backend() == FOVEA_BACKEND_CUDA ? 1 : 0);
    return _cmocka_run_group_tests(rig_backend_name(), tests, count, NULL, NULL);
}
