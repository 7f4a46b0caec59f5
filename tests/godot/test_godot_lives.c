/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Godot's extension where lives cross: an effect that ends in its frame, a logger that asks back,
 * an engine that cannot make something, viewports that come and go. */

#include "cmocka_all.h"
#include "host.h"

#include <malloc.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#define WIDTH_PX 64
#define HEIGHT_PX 40
#define TEXELS ((size_t)WIDTH_PX * HEIGHT_PX * 4)
#define HALF 0x3800

/* The extension's clock is this one, which jumps, so that no test waits for what it waits for. */
static _Atomic int64_t jumped_ns;

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's are reserved */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out_now)
{
    const long failed = syscall(SYS_clock_gettime, clock, out_now);
    const int64_t ns = out_now->tv_nsec + atomic_load(&jumped_ns);
    out_now->tv_sec += ns / 1000000000;
    out_now->tv_nsec = ns % 1000000000;
    return (int)failed;
}

static void jump_ms(double ms)
{
    atomic_fetch_add(&jumped_ns, (int64_t)(ms * 1e6));
}

/* A board of half floats, which foveation changes, and what comes of it. */
static uint16_t drawn[TEXELS];
static uint16_t shown[TEXELS];

static struct host_frame board(void)
{
    for (size_t i = 0; i < TEXELS; i++) {
        drawn[i] = i / 4 % 2 == i / 4 / WIDTH_PX % 2 ? HALF : 0;
    }
    return (struct host_frame){
        .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .pixels = drawn, .out = shown};
}

static bool is_foveated(void)
{
    return memcmp(drawn, shown, sizeof drawn) != 0;
}

static void close_host(void)
{
    host_unload();
    assert_that(host_close() == 0, "something is left:\n%s", host_console());
}

/* ---- An effect that ends in its frame ---- */

struct crossing {
    struct object *effect;
    struct host_frame frame;
    sem_t inside;
    sem_t go_on;
};

static bool wait_inside(void *user)
{
    struct crossing *crossing = user;
    host_at(NULL, NULL, NULL);
    sem_post(&crossing->inside);
    sem_wait(&crossing->go_on);
    return true;
}

static void *run_frame(void *user)
{
    struct crossing *crossing = user;
    host_frame(crossing->effect, &crossing->frame);
    return NULL;
}

/* `early`: it is the first frame, which has not asked for the device yet. */
static void end_in_a_frame(bool early)
{
    struct crossing crossing = {.frame = board()};
    pthread_t thread;
    sem_init(&crossing.inside, 0, 0);
    sem_init(&crossing.go_on, 0, 0);
    crossing.effect = host_open_effect(FOVEA_GODOT, &(struct host_options){.render_thread = true});
    assert_true(host_set(crossing.effect, "gaze_validity_hold_ms", host_float(0)));
    if (!early) {
        assert_true(host_frame(crossing.effect, &crossing.frame));
        assert_true(is_foveated());
        assert_true(host_set(crossing.effect, "gaze_valid", host_bool(false))); /* to be told */
    }
    host_at(early ? "RenderingServer.get_rendering_device"
                  : "RenderSceneBuffersRD.get_internal_size",
            wait_inside, &crossing);
    assert_int_equal(pthread_create(&thread, NULL, run_frame, &crossing), 0);
    sem_wait(&crossing.inside);
    host_release(crossing.effect);
    sem_post(&crossing.go_on);
    pthread_join(thread, NULL);
    host_idle();
    assert_int_equal(host_emitted("gaze_lost"), 0);
    host_expect_clean();
    close_host();
    sem_destroy(&crossing.go_on);
    sem_destroy(&crossing.inside);
}

TEST(an_effect_may_end_in_its_frame)
{
    mallopt(M_PERTURB, 0xa5); /* what is freed is no longer what it was */
    end_in_a_frame(false);
    end_in_a_frame(true);
    mallopt(M_PERTURB, 0);
}

/* The render thread may be at the last lines of a call while its work is done already. */
TEST(unloading_waits_for_the_render_thread)
{
    struct object *effect =
        host_open_effect(FOVEA_GODOT, &(struct host_options){.render_thread = true});
    host_release(effect);
    const uint32_t before = host_counts().syncs;
    host_unload();
    assert_int_equal(host_counts().syncs, before + 1);
    assert_int_equal(host_close(), 0);
}

/* ---- Scripts that are called back */

static bool ask_back(void *user)
{
    host_at(NULL, NULL, NULL);
    assert_true(host_get(user, "strength").d == 2);
    assert_true(host_set(user, "blur_sigma_px", host_float(3)));
    return true;
}

/* Godot 4.5 and later call the Loggers of scripts from within a print. */
TEST(what_the_engine_calls_may_ask_the_effect)
{
    static const struct {
        const char *at;
        const char *property;
        const char *value;
    } cases[] = {{"print", "model", "cubic"},
                 {"print", "debug_view", "everything"},
                 {"print", "gaze_source", "mouse"},
                 {"ProjectSettings.globalize_path", "map_file", "res://maps/a.png"},
                 {"ProjectSettings.globalize_path", "lens_file", "res://a.json"},
                 {"ProjectSettings.globalize_path", "gaze_scanpath_file", "res://a.csv"}};
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){.headless = true});
    assert_true(host_set(effect, "strength", host_float(2)));
    alarm(20); /* it would wait for itself */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(host_set(effect, "blur_sigma_px", host_float(2)));
        host_at(cases[i].at, ask_back, effect);
        assert_true(host_set(effect, cases[i].property, host_string(cases[i].value)));
        host_at(NULL, NULL, NULL);
        assert_true(host_get(effect, "blur_sigma_px").d == 3);
    }
    alarm(0);
    host_release(effect);
    close_host();
}

/* The file is gone before a frame could open it. */
TEST(no_frame_opens_a_file)
{
    char path[] = "/tmp/fovea-godot-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] = "t,x,y\n0,0.1,0.1\n1000,0.1,0.1\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    const struct host_frame frame = board();
    assert_true(host_set(effect, "gaze_source", host_string("scanpath"))); /* of no file yet */
    assert_true(host_set(effect, "gaze_scanpath_file", host_string(path)));
    assert_int_equal(unlink(path), 0);
    assert_true(host_set(effect, "gaze_valid", host_bool(false))); /* not of this source */
    assert_true(host_frame(effect, &frame));
    assert_true(is_foveated());
    host_expect_clean();
    assert_true(host_set(effect, "gaze_scanpath_file", host_string("/no/such/path.csv")));
    host_expect_clean(); /* another property may follow */
    for (int i = 0; i < 2; i++) {
        assert_true(host_frame(effect, &frame));
        assert_true(is_foveated()); /* by the source before it */
    }
    assert_true(host_said("/no/such/path.csv"));
    assert_int_equal(host_counts().extension_errors, 1);
    host_release(effect);
    host_clear();
    close_host();
}

/* ---- An effect that is never called */

#define A_WHILE 215 /* times 10 ms, and longer than the effect waits */
#define A_MOMENT 20

/* In engines without callbacks of the main loop it is the script's setting that counts. */
static uint32_t warnings_after(int ticks, struct object *effect, bool by_setting)
{
    for (int i = 0; i < ticks; i++) {
        host_idle();
        if (by_setting) {
            assert_true(host_set(effect, "gaze_uv", host_vector2((float)i / (float)ticks, 0.5F)));
        }
        jump_ms(10.1);
    }
    return host_counts().extension_warnings;
}

TEST(an_effect_that_is_never_called_says_so_once)
{
    static const struct {
        struct host_options options;
        bool by_setting;
        const char *words;
    } cases[] = {
        {{.minor = 5, .headless = true, .compatibility = true}, false, "not Compatibility"},
        {{.minor = 4}, true, "must be in the Compositor"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct object *effect = host_open_effect(FOVEA_GODOT, &cases[i].options);
        assert_int_equal(warnings_after(A_WHILE, effect, cases[i].by_setting), 1);
        assert_true(host_said(cases[i].words));
        assert_int_equal(warnings_after(A_MOMENT, effect, cases[i].by_setting), 1);
        host_release(effect);
        assert_int_equal(host_counts().extension_errors, 0);
        close_host();
    }
}

TEST(what_is_called_disabled_edited_or_never_drawn_is_not_watched)
{
    for (int what = 0; what < 4; what++) {
        const struct host_options options = {.editor = what == 2, .headless = what == 3};
        struct object *effect = host_open_effect(FOVEA_GODOT, &options);
        const struct host_frame frame = board();
        if (what == 0) {
            assert_true(host_frame(effect, &frame));
        } else if (what == 1) {
            host_enable(effect, false);
        }
        assert_int_equal(warnings_after(A_WHILE, effect, true), 0);
        host_release(effect);
        assert_int_equal(warnings_after(A_MOMENT, NULL, false), 0);
        close_host();
    }
}

/* ---- Viewports, and an engine that cannot */

TEST(images_of_a_viewport_that_has_gone_are_freed)
{
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    struct host_frame frame = board();
    assert_true(host_frame(effect, &frame));
    const uint32_t alone = host_counts().rids;
    struct host_frame other = frame;
    other.viewport = 1;
    assert_true(host_frame(effect, &other));
    assert_true(host_counts().rids > alone);
    frame.out = NULL;
    for (int i = 0; i < 300; i++) {
        assert_true(host_frame(effect, &frame));
    }
    assert_int_equal(host_counts().rids, alone);
    host_expect_clean();
    host_release(effect);
    close_host();
}

struct failing {
    uint32_t call; /* this one and those after it fail */
    uint32_t calls;
};

static bool fail_from(void *user)
{
    struct failing *failing = user;
    return failing->calls++ < failing->call;
}

/* Whatever cannot be made is said once, nothing of it is left, and a second later all is well. */
TEST(what_cannot_be_made_is_said_once_and_made_later)
{
    static const struct {
        const char *method;
        uint32_t call;
    } cases[] = {{"RenderingDevice.storage_buffer_create", 0},
                 {"RenderingDevice.storage_buffer_create", 1},
                 {"RenderingDevice.storage_buffer_create", 2},
                 {"RenderingDevice.uniform_buffer_create", 0},
                 {"RenderingDevice.texture_create", 1},
                 {"RenderingDevice.shader_create_from_spirv", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
        const struct host_frame frame = board();
        struct failing failing = {.call = cases[i].call};
        host_at(cases[i].method, fail_from, &failing);
        for (int k = 0; k < 3; k++) {
            assert_true(host_frame(effect, &frame));
            assert_false(is_foveated());
        }
        assert_int_equal(host_counts().extension_warnings, 1);
        assert_int_equal(host_counts().extension_errors, 0);
        host_at(NULL, NULL, NULL);
        jump_ms(1050.0);
        host_clear();
        assert_true(host_frame(effect, &frame));
        assert_true(is_foveated());
        host_expect_clean();
        host_release(effect);
        close_host();
    }
}

static bool refuse(void *user)
{
    return false;
}

/* One viewport cannot be foveated beside one that can: neither is kept from it, nor says it again.
 */
TEST(a_viewport_that_fails_is_said_once_beside_one_that_works)
{
    struct object *effect = host_open_effect(FOVEA_GODOT, &(struct host_options){0});
    const struct host_frame works = board();
    struct host_frame fails = works;
    fails.viewport = 1;
    assert_true(host_frame(effect, &works));
    for (int i = 0; i < 5; i++) {
        host_at("RenderingDevice.texture_create", refuse, NULL);
        assert_true(host_frame(effect, &fails));
        assert_false(is_foveated());
        host_at(NULL, NULL, NULL);
        assert_true(host_frame(effect, &works));
        assert_true(is_foveated());
    }
    assert_int_equal(host_counts().extension_warnings, 1);
    host_release(effect);
    host_clear();
    close_host();
}

/* ---- A gaze that looks at what is drawn */

#define WIDE_PX 128
#define HIGH_PX 80
#define DISC_X 30
#define DISC_Y 25
#define DISC_PX 6
#define FRAMES_ON_DISC 12 /* longer than a gaze that wanders passes it */

static uint16_t grey[WIDE_PX * HIGH_PX * 4];
static uint16_t marked[WIDE_PX * HIGH_PX * 4];

static void draw_disc(void)
{
    for (int i = 0; i < WIDE_PX * HIGH_PX * 4; i++) {
        const int x = i / 4 % WIDE_PX - DISC_X;
        const int y = i / 4 / WIDE_PX - DISC_Y;
        grey[i] = x * x + y * y < DISC_PX * DISC_PX ? 0x3b00 : 0x3000;
    }
}

/* All that is changed is the marker: whether its middle is on the disc. */
static bool marker_is_on_disc(void)
{
    double x = 0;
    double y = 0;
    int count = 0;
    for (int i = 0; i < WIDE_PX * HIGH_PX; i++) {
        if (memcmp(&grey[4 * (size_t)i], &marked[4 * (size_t)i], 8) != 0) {
            count++;
            x += i % WIDE_PX - DISC_X;
            y += i / WIDE_PX - DISC_Y;
        }
    }
    assert_true(count > 0);
    return x * x + y * y < 1.5 * DISC_PX * 1.5 * DISC_PX * count * count;
}

/* Counts, in 80 frames or until there are enough. */
static int frames_on_disc(struct object *effect)
{
    const struct host_frame frame = {
        .width_px = WIDE_PX, .height_px = HIGH_PX, .pixels = grey, .out = marked};
    int on_disc = 0;
    for (int i = 0; i < 80 && on_disc < FRAMES_ON_DISC; i++) {
        assert_true(host_frame(effect, &frame));
        on_disc += marker_is_on_disc();
        usleep(10000);
    }
    return on_disc;
}

/* A disc on grey is the only blob; an engine that cannot read a buffer shows none. */
TEST(the_source_saliency_sees_what_the_engine_has_drawn)
{
    draw_disc();
    for (int blind = 0; blind < 2; blind++) {
        struct object *effect = host_open_effect(
            FOVEA_GODOT, &(struct host_options){
                             .refused = blind ? "RenderingDevice.buffer_get_data_async" : NULL});
        assert_true(host_set(effect, "strength", host_float(0)));
        assert_true(host_set(effect, "debug_view", host_string("marker")));
        assert_true(host_set(effect, "gaze_source", host_string("saliency")));
        host_clear();
        const int on_disc = frames_on_disc(effect);
        assert_that((on_disc < FRAMES_ON_DISC) == (blind != 0), "blind %d: %d frames", blind,
                    on_disc);
        host_expect_clean();
        host_release(effect);
        close_host();
    }
}
