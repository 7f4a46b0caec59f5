/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The source that looks at pictures: its path among what is proposed, what it makes of pictures,
 * who may show it any, and what stands in for a lost gaze. */
#include "clock.h"
#include "core/thread_pool.h"
#include "plugin/gaze/gaze_random.h"
#include "plugin/gaze/gaze_wander.h"
#include "sanitized.h"
#include "test_gaze_support.h"

#include <stdatomic.h>

#define ASPECT (720.0 / 1280.0)

static struct fovea_gaze_settings of_seed(uint64_t seed)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SALIENCY);
    settings.saliency_seed = seed;
    return settings;
}

/* All are as strong as each other, anywhere. */
static struct gaze_proposals everywhere(void)
{
    struct gaze_proposals proposals = {.count = GAZE_PROPOSALS_MAX};
    uint64_t random = 5;
    for (uint32_t i = 0; i < proposals.count; i++) {
        proposals.of[i] = (struct gaze_proposal){.x_uv = (float)gaze_random_unit(&random),
                                                 .y_uv = (float)gaze_random_unit(&random),
                                                 .radius_uv = 0.02f,
                                                 .strength = 1};
    }
    return proposals;
}

static double deg_of(double uv, double size_deg)
{
    return atan((2 * uv - 1) * tan(size_deg * M_PI / 360)) * 180 / M_PI;
}

static double apart_deg(struct fovea_point_uv a, struct fovea_point_uv b)
{
    const double height_deg = gaze_height_deg(47.7, ASPECT);
    return hypot(deg_of(a.x_uv, 47.7) - deg_of(b.x_uv, 47.7),
                 deg_of(a.y_uv, height_deg) - deg_of(b.y_uv, height_deg));
}

/* ---- The path ---- */

TEST_OF_NO_RACE(the_same_seed_pictures_and_times_give_the_same_path)
{
    const struct gaze_proposals proposals = everywhere();
    const struct fovea_gaze_settings settings[] = {of_seed(1), of_seed(1), of_seed(2)};
    struct gaze_path paths[3] = {{0}};
    int apart = 0;
    for (int64_t t_ns = 0; t_ns < 20000 * MS; t_ns += 7 * MS) {
        struct fovea_point_uv at[3];
        for (int i = 0; i < 3; i++) {
            at[i] = gaze_path_at(&paths[i], &settings[i], &proposals, ASPECT, t_ns);
        }
        assert_memory_equal(&at[0], &at[1], sizeof at[0]);
        apart += apart_deg(at[0], at[2]) > 1;
    }
    assert_true(apart > 1000);
}

struct fixation {
    struct fovea_point_uv point;
    int64_t from_ns;
    int64_t until_ns;
};

struct ten_minutes {
    struct fixation fixations[4000];
    int count;
    double amplitudes_deg[4000];
};

static void note(struct ten_minutes *all, const struct gaze_path *path)
{
    const struct fixation *before = all->count > 0 ? &all->fixations[all->count - 1] : NULL;
    if (before && before->from_ns == path->start_ns) {
        return;
    }
    assert_true(all->count < 4000);
    if (before) {
        const double deg = apart_deg(before->point, path->from);
        all->amplitudes_deg[all->count - 1] = deg;
        assert_near((double)(path->start_ns - before->until_ns),
                    (double)gaze_saccade_duration_ns(deg), 1);
    }
    all->fixations[all->count++] =
        (struct fixation){path->from, path->start_ns, path->start_ns + path->dwell_ns};
}

static void live(const struct fovea_gaze_settings *settings, const struct gaze_proposals *proposals,
                 struct ten_minutes *out)
{
    struct gaze_path path = {0};
    *out = (struct ten_minutes){.count = 0};
    for (int64_t t_ns = 0; t_ns < 600 * GAZE_NS_PER_S; t_ns += 5 * MS) {
        const struct fovea_point_uv at = gaze_path_at(&path, settings, proposals, ASPECT, t_ns);
        assert_that(at.x_uv >= 0 && at.x_uv <= 1 && at.y_uv >= 0 && at.y_uv <= 1,
                    "%g, %g is outside", at.x_uv, at.y_uv);
        note(out, &path);
    }
}

/* Not near any place that was left within the last seconds. Where nothing was free it stays. */
static void assert_no_return(const struct ten_minutes *all, const struct fovea_gaze_settings *s)
{
    for (int i = 1; i < all->count; i++) {
        const struct fixation *now = &all->fixations[i];
        const int64_t chosen_ns = all->fixations[i - 1].until_ns;
        const bool stays = all->amplitudes_deg[i - 1] <= 0;
        for (int j = i - 1; j >= 0 && !stays; j--) {
            const double ago_s = (double)(chosen_ns - all->fixations[j].until_ns) * 1e-9;
            if (ago_s > s->saliency_inhibition_s) {
                break; /* and those before it are longer ago */
            }
            const double deg = apart_deg(now->point, all->fixations[j].point);
            assert_that(deg >= s->saliency_inhibition_deg - 1e-9,
                        "fixation %d is %g deg from where it was %g s ago", i, deg, ago_s);
        }
    }
}

TEST_OF_NO_RACE(ten_minutes_are_as_the_settings_say)
{
    const struct gaze_proposals proposals = everywhere();
    static struct ten_minutes all;
    for (uint64_t seed = 1; seed <= (TEST_SANITIZED ? 1 : 3); seed++) {
        const struct fovea_gaze_settings settings = of_seed(seed);
        live(&settings, &proposals, &all);
        double dwell_s = 0;
        for (int i = 0; i < all.count; i++) {
            dwell_s += (double)(all.fixations[i].until_ns - all.fixations[i].from_ns) * 1e-9;
        }
        assert_no_return(&all, &settings);
        const double median_deg = quantile(all.amplitudes_deg, (size_t)all.count - 1, 0.5);
        print_message("seed %d: %d fixations of %.0f ms, amplitudes of %.1f deg (median)\n",
                      (int)seed, all.count, dwell_s / all.count * 1e3, median_deg);
        /* exp(0.4^2 / 2) of 300 ms; four standard errors of 0.42 are 0.04. */
        assert_near(dwell_s / all.count, 0.3 * exp(0.08), 0.3 * 0.04);
        /* No saccade of less than 3 degrees, which the inhibition forbids: above the median 4. */
        assert_true(median_deg > 4 && median_deg < 6.5);
    }
}

/* Counts how often it was at each kind of two strong places, two weak ones and one far from the
 * middle. */
static void count_kinds(double center_deg, double out_parts[3])
{
    static const struct gaze_proposals proposals = {.of = {{0.35f, 0.4f, 0, 1},
                                                           {0.35f, 0.6f, 0, 1},
                                                           {0.65f, 0.4f, 0, 0.3f},
                                                           {0.65f, 0.6f, 0, 0.3f},
                                                           {0.98f, 0.98f, 0, 1}},
                                                    .count = 5};
    struct fovea_gaze_settings settings = of_seed(3);
    settings.saliency_inhibition_s = 0; /* of where it is alone */
    settings.saliency_amplitude_deg = 60;
    settings.saliency_center_deg = center_deg;
    static struct ten_minutes all;
    int at[5] = {0};
    live(&settings, &proposals, &all);
    assert_no_return(&all, &settings);
    for (int i = 0; i < all.count; i++) {
        for (int p = 0; p < 5; p++) {
            const struct fovea_point_uv point = {(double)proposals.of[p].x_uv,
                                                 (double)proposals.of[p].y_uv};
            at[p] += apart_deg(all.fixations[i].point, point) < 1;
        }
    }
    out_parts[0] = (double)(at[0] + at[1]) / all.count;
    out_parts[1] = (double)(at[2] + at[3]) / all.count;
    out_parts[2] = (double)at[4] / all.count;
}

TEST_OF_NO_RACE(strength_and_the_middle_count)
{
    double parts[2][3];
    count_kinds(15, parts[0]);
    count_kinds(0, parts[1]);
    for (int i = 0; i < 2; i++) {
        print_message("strong %.2f, weak %.2f, far from the middle %.2f\n", parts[i][0],
                      parts[i][1], parts[i][2]);
        assert_near(parts[i][0] + parts[i][1] + parts[i][2], 1, 0.01);
        assert_true(parts[i][0] > 3 * parts[i][1]);
    }
    assert_true(parts[0][2] < 0.25 && parts[1][2] > 1.3 * parts[0][2]);
}

TEST_OF_NO_RACE(without_proposals_it_wanders_and_everything_inhibited_it_stays)
{
    struct fovea_gaze_settings settings = of_seed(4);
    const struct gaze_proposals none = {.count = 0};
    static struct ten_minutes all;
    live(&settings, &none, &all);
    assert_true(all.count > 1000);
    assert_no_return(&all, &settings);
    settings.saliency_inhibition_deg = 60;
    settings.saliency_inhibition_s = 10;
    live(&settings, &none, &all);
    for (int i = 0; i < all.count; i++) {
        assert_near(all.fixations[i].point.x_uv, 0.5, 0);
    }
}

/* The best proposals beside the gaze: apart from each other and from it, and from where it has
 * been; the path is that of one fovea. */
TEST_OF_NO_RACE(other_foveas_are_the_best_that_are_free)
{
    static const struct gaze_proposals proposals = {.of = {{0.5f, 0.5f, 0, 1},
                                                           {0.52f, 0.5f, 0, 0.9f}, /* 1 degree */
                                                           {0.7f, 0.5f, 0, 0.8f},
                                                           {0.3f, 0.5f, 0, 0.7f},
                                                           {0.5f, 0.8f, 0, 0.6f}},
                                                    .count = 5};
    struct fovea_gaze_settings settings[2] = {of_seed(6), of_seed(6)};
    settings[1].saliency_foveas = 3;
    settings[0].saliency_inhibition_s = settings[1].saliency_inhibition_s = 0.2;
    struct gaze_path paths[2] = {{0}};
    int with_two = 0;
    for (int64_t t_ns = 0; t_ns < 30000 * MS; t_ns += 9 * MS) {
        const struct fovea_point_uv one =
            gaze_path_at(&paths[0], &settings[0], &proposals, ASPECT, t_ns);
        const struct fovea_point_uv at =
            gaze_path_at(&paths[1], &settings[1], &proposals, ASPECT, t_ns);
        assert_memory_equal(&one, &at, sizeof at);
        assert_int_equal(paths[0].other_count, 0);
        const struct gaze_path *path = &paths[1];
        assert_true(path->other_count <= 2);
        for (uint32_t i = 0; i < path->other_count; i++) {
            assert_true(apart_deg(path->from, path->others[i]) >= 3 - 1e-9);
            assert_true(apart_deg(path->others[1 - i], path->others[i]) >= 3 - 1e-9 ||
                        path->other_count < 2);
        }
        with_two += path->other_count == 2;
    }
    assert_true(with_two > 300);
}

TEST(time_may_go_back_and_leap)
{
    const struct fovea_gaze_settings settings = of_seed(1);
    const struct gaze_proposals proposals = everywhere();
    struct gaze_path path = {0};
    static const int64_t times[] = {0,         INT64_MAX, INT64_MIN, 3600 * GAZE_NS_PER_S,
                                    INT64_MIN, -1,        5,         INT64_MAX};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        const struct fovea_point_uv at =
            gaze_path_at(&path, &settings, &proposals, ASPECT, times[i]);
        assert_near(at.x_uv, 0.5, 0); /* nothing passes in a leap */
    }
    gaze_path_begin(&path, &settings, (struct fovea_point_uv){0.25, 0.5}, INT64_MAX);
    assert_near(gaze_path_at(&path, &settings, &proposals, ASPECT, INT64_MAX).x_uv, 0.25, 0);
}

/* ---- Pictures ---- */

#define WIDTH 96
#define HEIGHT 54

/* A disc on grey, of any format's zeros and 255s. */
static void draw_disc(unsigned char *pixels, int x, int y, unsigned char level)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int dx = i % WIDTH - x;
        const int dy = i / WIDTH - y;
        pixels[i] = dx * dx + dy * dy <= 36 ? level : pixels[i];
    }
}

static struct fovea_image grey_image(unsigned char *pixels)
{
    return (struct fovea_image){.data = pixels,
                                .width_px = WIDTH,
                                .height_px = HEIGHT,
                                .format = FOVEA_FORMAT_R8,
                                .row_stride_bytes = WIDTH};
}

/* Says whether it is there for most of a time, seen every 10 ms. */
static bool is_looked_at(struct fovea_gaze_source *source, int64_t from_ns, double x, double y)
{
    const struct fovea_point_uv point = {x, y};
    int near = 0;
    for (int i = 0; i < 100; i++) {
        near += apart_deg(gaze_at(source, from_ns + i * 10 * MS).point, point) < 2.5;
    }
    return near >= 20;
}

TEST(it_goes_to_the_blob_of_a_picture)
{
    unsigned char pixels[WIDTH * HEIGHT];
    memset(pixels, 90, sizeof pixels);
    draw_disc(pixels, 24, 14, 250);
    const struct fovea_image image = grey_image(pixels);
    const struct fovea_gaze_settings settings = of_seed(1);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    const struct fovea_gaze first = gaze_at(source, 0);
    assert_near(first.point.x_uv, 0.5, 0);
    assert_int_equal(first.state, FOVEA_GAZE_TRACKED);
    assert_ok(fovea_gaze_source_show(source, &image));
    assert_true(is_looked_at(source, 1, 24.5 / WIDTH, 14.5 / HEIGHT));
    struct fovea_point_uv others[FOVEA_FOVEAS_MAX - 1];
    assert_int_equal(fovea_gaze_source_other_foveas(source, others), 0);
    assert_int_equal(gaze_at(source, 2 * GAZE_NS_PER_S).sample_count, 1);
}

/* Two discs that are alike, one of which has come since the picture before. */
TEST_OF_NO_RACE(what_has_changed_counts_on_request)
{
    unsigned char pixels[WIDTH * HEIGHT];
    struct fovea_gaze_settings settings = of_seed(1);
    double parts[2];
    for (int with = 0; with < 2; with++) {
        settings.saliency_motion = with ? 10 : 0;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        memset(pixels, 90, sizeof pixels);
        draw_disc(pixels, 30, 27, 250);
        const struct fovea_image image = grey_image(pixels);
        assert_ok(fovea_gaze_source_show(source, &image));
        draw_disc(pixels, 66, 27, 250);
        assert_ok(fovea_gaze_source_show(source, &image));
        struct gaze_proposals found = {.count = 0};
        uint64_t number = 0;
        gaze_watch_read(gaze_source_watch(source), &number, &found);
        assert_int_equal(number, 2);
        double sums[2] = {0};
        for (uint32_t i = 0; i < found.count; i++) {
            sums[found.of[i].x_uv > 0.5f] += (double)found.of[i].strength;
        }
        parts[with] = sums[1] / (sums[0] + sums[1]);
    }
    print_message("the disc that has come: %.2f of all, %.2f with motion\n", parts[0], parts[1]);
    assert_near(parts[0], 0.5, 0.05);
    assert_true(parts[1] > 0.8);
}

TEST_OF_NO_RACE(pictures_of_all_shapes_and_formats_are_taken_and_wrong_ones_refused)
{
    static float pixels[4 * 40 * 3000];
    const struct fovea_gaze_settings settings = of_seed(1);
    const struct fovea_gaze_settings fixed = gaze_settings(FOVEA_GAZE_FIXED);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *blind = gaze_open(&fixed);
    static const uint32_t sizes[][2] = {{1, 1}, {3000, 1}, {1, 3000}, {40, 3000}, {17, 5}};
    struct fovea_image image = {.data = pixels};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        image.width_px = sizes[i][0];
        image.height_px = sizes[i][1];
        image.format = (enum fovea_format)(1 + i * 2 % 11);
        image.row_stride_bytes = 16 * (ptrdiff_t)image.width_px;
        assert_ok(fovea_gaze_source_show(source, &image));
    }
    assert_int_equal(fovea_gaze_source_show(blind, &image), FOVEA_ERROR_INVALID_STATE);
    assert_int_equal(fovea_gaze_source_show(NULL, &image), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_show(source, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    image.memory = FOVEA_MEMORY_CUDA;
    assert_int_equal(fovea_gaze_source_show(source, &image), FOVEA_ERROR_UNSUPPORTED);
    image = (struct fovea_image){.data = pixels, .width_px = 1, .height_px = 1};
    assert_int_equal(fovea_gaze_source_show(source, &image), FOVEA_ERROR_INVALID_ARGUMENT);
}

/* ---- Who shows them ---- */

static void wait_for(struct gaze_watch *watch, uint64_t count)
{
    for (int i = 0; i < 10000 && gaze_watch_count(watch) < count; i++) {
        nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
    }
    assert_int_equal(gaze_watch_count(watch), count);
}

TEST(one_picture_at_a_time_is_wanted_of_one_who_shows)
{
    static uint32_t pixels[160 * 90];
    const struct gaze_seen_size size = {160, 90};
    const struct fovea_gaze_settings settings = of_seed(1); /* 5 Hz */
    struct gaze_watch *watch = NULL;
    assert_ok(gaze_watch_create(&settings, (struct fovea_log){0}, &watch));
    struct gaze_watch *kept = gaze_watch_keep(watch);
    const int64_t t_ns = 77 * GAZE_NS_PER_S;
    const uint64_t first = gaze_watch_wants(watch, "a", t_ns);
    assert_true(first > 0);
    assert_int_equal(gaze_watch_wants(watch, "a", t_ns + 300 * MS), 0); /* it is being drawn */
    gaze_watch_give(watch, first, pixels, size);
    wait_for(watch, 1);
    gaze_watch_take_back(watch, first); /* it has been copied */
    assert_int_equal(gaze_watch_wants(watch, "a", t_ns + 199 * MS), 0); /* too soon */
    assert_int_equal(gaze_watch_wants(watch, "b", t_ns + 300 * MS), 0); /* a goes on */
    const uint64_t second = gaze_watch_wants(watch, "a", t_ns + 60 * GAZE_NS_PER_S);
    assert_true(second > first);
    gaze_watch_take_back(watch, second); /* its frame failed, and the next one has another */
    const uint64_t third = gaze_watch_wants(watch, "a", t_ns + 60 * GAZE_NS_PER_S);
    assert_true(third > second);
    gaze_watch_take_back(watch, third);
    assert_true(gaze_watch_wants(watch, "b", t_ns + 120 * GAZE_NS_PER_S) > third); /* a has gone */
    gaze_watch_close(watch);
    gaze_watch_leave(&watch);
    assert_null(watch);
    assert_true(gaze_watch_is_closed(kept));
    assert_int_equal(gaze_watch_wants(kept, "a", INT64_MAX), 0);
    gaze_watch_leave(&kept);
}

static int64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * GAZE_NS_PER_S + now.tv_nsec;
}

TEST(looking_has_a_fiftieth_of_the_cores_at_most)
{
    static uint32_t pixels[64 * 36];
    struct fovea_gaze_settings settings = of_seed(1);
    struct gaze_watch *watch = NULL;
    settings.saliency_rate_hz = 120;
    for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++) {
        pixels[i] = (uint32_t)(i * 2654435761u);
    }
    assert_ok(gaze_watch_create(&settings, (struct fovea_log){0}, &watch));
    const int64_t before_ns = processor_ns();
    gaze_watch_give(watch, gaze_watch_wants(watch, "a", 0), pixels,
                    (struct gaze_seen_size){64, 36});
    wait_for(watch, 1);
    const double rest_ns =
        (double)(processor_ns() - before_ns) * 50 / (double)thread_pool_core_count();
    int64_t t_ns = 0;
    while (gaze_watch_wants(watch, "a", t_ns) == 0 && t_ns < 2 * llround(rest_ns)) {
        t_ns += MS;
    }
    assert_that((double)t_ns > 0.5 * rest_ns && (double)t_ns < rest_ns + 10 * MS,
                "%.0f ms, not %.0f", 1e-6 * (double)t_ns, 1e-6 * rest_ns);
    gaze_watch_close(watch);
    gaze_watch_leave(&watch);
}

static atomic_bool shown_all;

/* A reader that finds another one at it gets the answer before. */
static void *read_on(void *user)
{
    struct fovea_gaze_source *source = user;
    for (int64_t t_ns = 0; !atomic_load(&shown_all); t_ns += 3 * MS) {
        struct fovea_gaze gaze;
        const bool fine = fovea_gaze_source_read(source, t_ns, 1280, 720, &gaze) == FOVEA_OK &&
                          gaze.point.x_uv >= 0 && gaze.point.x_uv <= 1;
        if (!fine) {
            return source;
        }
    }
    return NULL;
}

TEST(several_threads_read_while_pictures_come)
{
    static uint32_t pixels[160 * 90];
    const struct fovea_gaze_settings settings = of_seed(1);
    unsigned char grey[WIDTH * HEIGHT] = {0};
    const struct fovea_image image = grey_image(grey);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    struct gaze_watch *watch = gaze_source_watch(source);
    pthread_t threads[2];
    atomic_store(&shown_all, false);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, source), 0);
    }
    for (int64_t i = 0; i < (TEST_FOR_RACES ? 3 : 10); i++) {
        const uint64_t number = gaze_watch_wants(watch, "a", 60 * i * GAZE_NS_PER_S);
        assert_true(number > 0);
        gaze_watch_give(watch, number, pixels, (struct gaze_seen_size){160, 90});
        draw_disc(grey, (int)(8 * i), 27, 250);
        assert_ok(fovea_gaze_source_show(source, &image));
        wait_for(watch, 2 * (uint64_t)i + 2);
    }
    atomic_store(&shown_all, true);
    for (int i = 0; i < 2; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

/* ---- As a fallback ---- */

TEST(a_lost_gaze_goes_on_from_where_it_was_and_a_measured_one_wins)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.fallback = FOVEA_GAZE_FALLBACK_SALIENCY;
    settings.hold_ms = 100;
    settings.saliency_foveas = 2;
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    struct fovea_point_uv others[FOVEA_FOVEAS_MAX - 1];
    uint32_t most_others = 0;
    unsigned char pixels[WIDTH * HEIGHT];
    memset(pixels, 90, sizeof pixels);
    draw_disc(pixels, 24, 14, 250);
    draw_disc(pixels, 70, 40, 10);
    const struct fovea_image image = grey_image(pixels);
    assert_ok(fovea_gaze_source_show(source, &image));
    const int64_t t_ns = fovea_time_ns();
    const struct fovea_gaze_sample sample = {.x = 0.8, .y = 0.3, .t_ns = t_ns, .confidence = 1};
    assert_ok(fovea_gaze_source_push(source, &sample));
    assert_int_equal(gaze_at(source, t_ns).state, FOVEA_GAZE_TRACKED);
    double moved_deg = 0;
    for (int64_t after_ms = 101; after_ms < 5000; after_ms += 20) {
        const struct fovea_gaze gaze = gaze_at(source, t_ns + after_ms * MS);
        const struct fovea_point_uv last = {sample.x, sample.y};
        assert_int_equal(gaze.state, FOVEA_GAZE_LOST);
        assert_true(gaze.usable);
        moved_deg = after_ms == 101 ? moved_deg : fmax(moved_deg, apart_deg(gaze.point, last));
        assert_true(after_ms > 101 || apart_deg(gaze.point, last) < 1e-4);
        const uint32_t count = fovea_gaze_source_other_foveas(source, others);
        most_others = count > most_others ? count : most_others;
    }
    assert_int_equal(most_others, 1);
    assert_true(moved_deg > 3);
    const struct fovea_gaze_sample again = {
        .x = 0.25, .y = 0.75, .t_ns = fovea_time_ns(), .confidence = 1};
    assert_ok(fovea_gaze_source_push(source, &again));
    const struct fovea_gaze found = gaze_at(source, again.t_ns + 50 * MS);
    assert_int_equal(found.state, FOVEA_GAZE_TRACKED);
    assert_near(found.point.x_uv, 0.25, 0);
    assert_int_equal(fovea_gaze_source_other_foveas(source, others), 0);
    const struct fovea_gaze lost = gaze_at(source, again.t_ns + 150 * MS);
    assert_near(lost.point.x_uv, 0.25, 1e-6);
}
