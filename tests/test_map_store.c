/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A map's picture in saved settings: read and decoded by the thread that reads the settings, never
 * by the one that runs frames, however slow the disk and however large the picture. The linker
 * turns open and read to wrappers. */

#include "support/clock.h"
#include "support/test_with.h"
#include "test_context_support.h"

#include "compare.h"
#include "png_file.h"
#include "process_counts.h"
#include "sanitized.h"
#include "settings_for.h"

#include <stdatomic.h>

#define SLOW_MS 700
/* Sanitizers mark all that is freed, which of a larger map would take longer than a frame may. */
#define LARGE (TEST_FOR_RACES ? 512 : TEST_SANITIZED ? 1024 : 2048)
#define SMALL 64

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *bytes, size_t count);
ssize_t __wrap_read(int fd, void *bytes, size_t count);

static pthread_t frames; /* the thread that runs them */
static atomic_int opened_by_frames;
static atomic_int opened_by_others;
static atomic_int delay_ms;

int __wrap_open(const char *path, int flags, ...)
{
    atomic_fetch_add(pthread_equal(pthread_self(), frames) ? &opened_by_frames : &opened_by_others,
                     1);
    rest_ms(atomic_load(&delay_ms));
    return __real_open(path, flags);
}

ssize_t __wrap_read(int fd, void *bytes, size_t count)
{
    rest_ms(atomic_load(&delay_ms));
    return __real_read(fd, bytes, count);
}

struct bench {
    char folder[64];
    char picture[96];
    char file[96];
    struct said said;
    struct fovea_config *config;
    struct fovea_context *context;
    struct test_image src;
    struct test_image dst;
    double longest_ms; /* of a poll with its settings */
    double longest_busy_ms; /* of the processor's time */
};

/* Falls from the middle, other each time. */
static void save_picture(const struct bench *bench, uint32_t side, uint16_t peak)
{
    OWNED(owned_free) uint16_t *samples = calloc((size_t)side * side, sizeof *samples);
    assert_non_null(samples);
    for (uint32_t i = 0; i < side * side; i++) {
        const int64_t x = (int64_t)(i % side) - side / 2;
        const int64_t y = (int64_t)(i / side) - side / 2;
        const int64_t fall = 4 * peak * (x * x + y * y) / ((int64_t)side * side);
        samples[i] = (uint16_t)(peak > fall ? peak - fall : 1);
    }
    size_t count = 0;
    const struct png_picture picture = {
        .width = side, .height = side, .depth = 16, .channels = 1, .samples = samples};
    OWNED(owned_free) unsigned char *bytes = png_file_bytes(&picture, &count);
    png_file_write(bench->picture, bytes, count);
}

static void save_settings(const struct bench *bench, const char *text)
{
    const char *other = test_text("%s.new", bench->file);
    png_file_write(other, text, strlen(text));
    assert_int_equal(rename(other, bench->file), 0);
}

static const char with_map[] = "{\"foveation\": {\"model\": \"map\", \"map\": {\"kind\": \"file\", "
                               "\"file\": \"map.png\"}}}";

static void open_bench(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    snprintf(bench->folder, sizeof bench->folder, "/tmp/fovea-store-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    snprintf(bench->picture, sizeof bench->picture, "%s/map.png", bench->folder);
    snprintf(bench->file, sizeof bench->file, "%s/fovea.json", bench->folder);
    save_settings(bench, "{}");
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.file = bench->file;
    desc.ignore_environment = true;
    desc.log = said_log(&bench->said);
    assert_ok(fovea_config_create(&desc, &bench->config));
    bench->context = context_of(fovea_config_settings(bench->config), &bench->said);
    bench->src = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    bench->dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    image_draw(&bench->src.view, IMAGE_RANDOM, 1);
    frames = pthread_self();
    atomic_store(&opened_by_frames, 0);
    atomic_store(&opened_by_others, 0);
}

static void close_bench(struct bench *bench)
{
    fovea_config_destroy(&bench->config);
    fovea_context_destroy(&bench->context);
    image_free(&bench->src);
    image_free(&bench->dst);
    unlink(bench->picture);
    unlink(bench->file);
    assert_int_equal(rmdir(bench->folder), 0);
}

#define BENCH_TEST(name) TEST_WITH(name, struct bench, bench, open_bench(&made), close_bench)

static void run_frame(struct bench *bench)
{
    const struct fovea_point_uv gaze = {0.3, 0.6};
    assert_ok(fovea_context_run(bench->context, &bench->src.view, &bench->dst.view, gaze, NULL));
}

/* Frames until there is news; the settings are taken, and what that took is noted. */
static enum fovea_result run_until_news(struct bench *bench)
{
    enum fovea_result news = FOVEA_NOT_READY;
    for (const double end = now_ms() + 60000; news == FOVEA_NOT_READY && now_ms() < end;) {
        const double begin = now_ms();
        const double busy_begin_ms = busy_ms();
        news = fovea_config_poll(bench->config);
        if (news == FOVEA_OK) {
            assert_ok(
                fovea_context_set_settings(bench->context, fovea_config_settings(bench->config)));
        }
        const double took_ms = now_ms() - begin;
        const double busy = busy_ms() - busy_begin_ms;
        bench->longest_busy_ms = busy > bench->longest_busy_ms ? busy : bench->longest_busy_ms;
        bench->longest_ms = took_ms > bench->longest_ms ? took_ms : bench->longest_ms;
        if (news == FOVEA_NOT_READY) {
            run_frame(bench);
            rest_ms(1);
        }
    }
    return news;
}

static enum fovea_result reload(struct bench *bench)
{
    assert_ok(fovea_config_reload(bench->config));
    return run_until_news(bench);
}

/* A map's picture, and settings with it, saved and taken. */
static void take_map(struct bench *bench, uint32_t side, uint16_t peak)
{
    save_picture(bench, side, peak);
    save_settings(bench, with_map);
    assert_ok(run_until_news(bench));
}

/* Asserts what a context makes of it that reads the picture itself; returns how long that keeps its
 * thread busy. */
static double assert_in_force(struct bench *bench)
{
    struct fovea_settings settings = *fovea_config_settings(bench->config);
    settings.foveation.map.serial = 0;
    const double begin = busy_ms();
    OWNED(fovea_context_destroy) struct fovea_context *other = context_of(&settings, &bench->said);
    const double took_ms = busy_ms() - begin;
    OWNED_IMAGE expected = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    const struct fovea_point_uv gaze = {0.3, 0.6};
    assert_ok(fovea_context_run(other, &bench->src.view, &expected.view, gaze, NULL));
    run_frame(bench);
    compare_assert_all_same(&bench->dst.view, &expected.view, "in force");
    return took_ms;
}

BENCH_TEST(a_large_picture_keeps_no_frame_waiting)
{
    save_picture(bench, LARGE, 60000);
    save_settings(bench, with_map);
    const double begin = now_ms();
    assert_ok(run_until_news(bench));
    const double after_ms = now_ms() - begin;
    assert_int_equal(atomic_load(&opened_by_frames), 0);
    const double reading_ms = assert_in_force(bench);
    print_message("report: %d x %d taken after %.0f ms; the longest poll with its settings took "
                  "%.1f ms, %.1f ms of the processor's, settings that have to be read %.1f ms\n",
                  LARGE, LARGE, after_ms, bench->longest_ms, bench->longest_busy_ms, reading_ms);
    assert_true(bench->longest_busy_ms < reading_ms / 7);
}

/* All that the thread of a frame with new settings does: poll, settings, plan, image. */
static double busy_with_first_frame_ms(struct bench *bench, const char *settings)
{
    bench->longest_busy_ms = 0.0;
    save_settings(bench, settings);
    assert_ok(reload(bench));
    const double begin = busy_ms();
    run_frame(bench);
    return bench->longest_busy_ms + busy_ms() - begin;
}

/* Each time is another map, another plan. Work for a map is in the least of them too; what other
 * programs on these cores add to a thread's time is not. */
static double least_busy_ms(struct bench *bench, uint32_t side, const char *settings)
{
    double least_ms = INFINITY;
    for (uint16_t i = 0; i < 3; i++) {
        save_picture(bench, side, (uint16_t)(50000 + 1000 * i));
        least_ms = fmin(least_ms, busy_with_first_frame_ms(bench, settings));
    }
    (void)assert_in_force(bench);
    return least_ms;
}

/* Sanitizers mark what is freed, the map before, and look at every sample that is read: twice the
 * time of a small map was seen. Reading the picture takes longer than either bound allows. */
#define FIRST_FRAME_MS (TEST_SANITIZED ? 40.0 : 10.0)
#define FIRST_FRAME_FACTOR (TEST_SANITIZED ? 3.0 : 1.2)

TEST_OF_NO_RACE(the_first_frame_of_a_large_map_takes_no_longer_than_others)
{
    OWNED(close_bench) struct bench made;
    struct bench *const bench = &made;
    open_bench(bench);
#define MAP_FILE "\"map\": {\"kind\": \"file\", \"file\": \"map.png\""
    static const char *const cases[] = {
        "{\"foveation\": {\"model\": \"map\", " MAP_FILE "}}}",
        "{\"foveation\": {\"model\": \"map\", " MAP_FILE ", \"law\": \"linear\"}}}",
        "{\"foveation\": {\"model\": \"map\", " MAP_FILE ", \"degrees\": \"view\"}}}",
        "{\"foveation\": {\"model\": \"map\", \"method\": \"blockwise\", " MAP_FILE "}}}",
    };
    for (size_t i = (size_t)test_first((int)(sizeof cases / sizeof cases[0]));
         i < sizeof cases / sizeof cases[0]; i += TEST_STEP(i)) {
        const double small_ms = least_busy_ms(bench, SMALL, cases[i]);
        const double large_ms = least_busy_ms(bench, LARGE, cases[i]);
        print_message("report: %s: the first frame keeps its thread busy for %.2f ms with %d "
                      "samples each way, for %.2f ms with %d\n",
                      cases[i], small_ms, SMALL, large_ms, LARGE);
        assert_true(large_ms < FIRST_FRAME_FACTOR * small_ms + FIRST_FRAME_MS);
    }
}

BENCH_TEST(a_slow_disk_keeps_no_frame_waiting)
{
    save_picture(bench, SMALL, 60000);
    atomic_store(&delay_ms, SLOW_MS);
    save_settings(bench, with_map);
    assert_ok(run_until_news(bench));
    atomic_store(&delay_ms, 0);
    print_message("report: the longest poll with its settings took %.2f ms\n", bench->longest_ms);
    assert_int_equal(atomic_load(&opened_by_frames), 0);
    assert_true(atomic_load(&opened_by_others) >= 2);
    assert_true(bench->longest_ms < SLOW_MS / 4);
    (void)assert_in_force(bench);
}

BENCH_TEST(another_picture_counts_when_the_settings_are_read_again)
{
    for (uint16_t peak = 10000; peak <= 60000; peak = (uint16_t)(peak + 10000)) {
        save_picture(bench, SMALL, peak);
        save_settings(bench, with_map);
        assert_ok(reload(bench));
        atomic_store(&opened_by_frames, 0);
        (void)assert_in_force(bench);
        assert_int_equal(atomic_load(&opened_by_frames), 1); /* by the other context */
    }
}

BENCH_TEST(a_broken_picture_leaves_the_settings)
{
    take_map(bench, SMALL, 60000);
    const char text[] = "this is no picture";
    png_file_write(bench->picture, text, sizeof text);
    assert_int_equal(reload(bench), FOVEA_ERROR_CONFIG);
    run_frame(bench);
    unlink(bench->picture);
    assert_int_equal(reload(bench), FOVEA_ERROR_IO);
    run_frame(bench);
    save_picture(bench, SMALL, 50000);
    assert_ok(reload(bench));
    (void)assert_in_force(bench);
}

TEST_OF_NO_RACE(nothing_grows_while_pictures_are_saved)
{
    struct bench bench;
    struct process_counts warm = {0};
    open_bench(&bench);
    for (int i = 0; i < 90; i++) {
        if (i == 30) {
            warm = process_count();
        }
        save_picture(&bench, 256, (uint16_t)(20000 + 100 * i));
        save_settings(&bench, i % 5 == 4 ? "{}" : with_map);
        assert_ok(reload(&bench));
        run_frame(&bench);
    }
    assert_process_counts(warm, 6000);
    close_bench(&bench);
}

/* Frames may take settings long after they were read, with what others have saved in between. */
TEST(two_configurations_keep_their_pictures)
{
    struct bench first;
    struct bench second;
    open_bench(&first);
    open_bench(&second);
    take_map(&first, SMALL, 60000);
    const struct fovea_foveation of_first = fovea_config_settings(first.config)->foveation;
    take_map(&second, SMALL, 30000);
    struct fovea_context *fresh = context_of(fovea_config_settings(second.config), &second.said);
    assert_ok(fovea_context_set_settings(fresh, settings_for(&of_first)));
    assert_int_equal(atomic_load(&opened_by_frames), 0);
    /* One that has no map lets the others keep theirs. */
    save_settings(&second, "{}");
    assert_ok(run_until_news(&second));
    assert_ok(fovea_context_set_settings(second.context, settings_for(&of_first)));
    assert_int_equal(atomic_load(&opened_by_frames), 0);
    (void)assert_in_force(&first);
    fovea_context_destroy(&fresh);
    close_bench(&second);
    close_bench(&first);
}

#define TAKES (TEST_FOR_RACES ? 4000 : 20000)

struct taker {
    struct fovea_context *context;
    const struct fovea_foveation *foveation;
    unsigned refused;
};

static void *take_again_and_again(void *user)
{
    struct taker *taker = user;
    for (int i = 0; i < TAKES; i++) {
        taker->refused +=
            fovea_context_set_settings(taker->context, settings_for(taker->foveation)) != FOVEA_OK;
    }
    return NULL;
}

/* Who finds the store in use reads no file because of it. */
BENCH_TEST(threads_that_take_settings_at_once_read_no_picture)
{
    take_map(bench, SMALL, 60000);
    const struct fovea_settings *settings = fovea_config_settings(bench->config);
    struct taker takers[2] = {{context_of(settings, &bench->said), &settings->foveation, 0},
                              {context_of(settings, &bench->said), &settings->foveation, 0}};
    pthread_t threads[2];
    atomic_store(&opened_by_others, 0);
    for (int i = 0; i < 2; i++) {
        threads[i] = test_thread(take_again_and_again, &takers[i]);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(takers[i].refused, 0);
        fovea_context_destroy(&takers[i].context);
    }
    assert_int_equal(atomic_load(&opened_by_others), 0);
    assert_int_equal(atomic_load(&opened_by_frames), 0);
}
