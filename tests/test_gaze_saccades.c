/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The model eye: the same again for the same seed, and believable. Human ranges: fixations and
 * blinks as in scene viewing, the main sequence of Bahill, Clark and Stark 1975. */
#include "plugin/gaze/gaze_random.h"
#include "plugin/gaze/sources/gaze_saccade_model.h"
#include "support/clock.h"
#include "test_gaze_support.h"

#define STEP_NS (2 * MS)
#define WIDTH_DEG 47.7 /* of gaze_settings */
#define MINUTES_NS (120 * S)

static struct fovea_gaze_source *open_seed(uint64_t seed)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SACCADES);
    settings.saccades_seed = seed;
    return gaze_open(&settings);
}

static void assert_same(struct fovea_gaze a, struct fovea_gaze b)
{
    assert_near(a.point.x_uv, b.point.x_uv, 0);
    assert_near(a.point.y_uv, b.point.y_uv, 0);
    assert_int_equal(a.state, b.state);
    assert_int_equal(a.age_ns, b.age_ns);
    assert_int_equal(a.sample_count, b.sample_count);
}

TEST(the_same_seed_gives_the_same_gaze)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *a = open_seed(42);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *b = open_seed(42);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *other = open_seed(43);
    unsigned different = 0;
    for (int64_t t_ns = 0; t_ns < 20 * S; t_ns += 8333333) {
        const struct fovea_gaze gaze = gaze_at(a, t_ns);
        assert_same(gaze, gaze_at(b, 5 * S + t_ns)); /* it starts when it is first asked */
        different += fabs(gaze.point.x_uv - gaze_at(other, t_ns).point.x_uv) > 0.01;
    }
    assert_true(different > 1000);
}

TEST(any_order_of_times_gives_the_same_gaze)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *forward = open_seed(7);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *jumping = open_seed(7);
    assert_same(gaze_at(forward, 0), gaze_at(jumping, 0));
    for (int64_t t_ns = 0; t_ns < 30 * S; t_ns += 100 * MS) {
        (void)gaze_at(jumping, 30 * S - t_ns);
        assert_same(gaze_at(forward, t_ns), gaze_at(jumping, t_ns));
    }
}

/* The linker turns calls of these to wrappers. */
void __real_gaze_saccade_model_init(struct gaze_saccade_model *model,
                                    const struct gaze_saccade_desc *desc);
void __wrap_gaze_saccade_model_init(struct gaze_saccade_model *model,
                                    const struct gaze_saccade_desc *desc);
struct gaze_saccade_sample __real_gaze_saccade_model_at(struct gaze_saccade_model *model,
                                                        int64_t t_ns);
struct gaze_saccade_sample __wrap_gaze_saccade_model_at(struct gaze_saccade_model *model,
                                                        int64_t t_ns);

static uint64_t models_made;
static uint64_t cycles_made;

void __wrap_gaze_saccade_model_init(struct gaze_saccade_model *model,
                                    const struct gaze_saccade_desc *desc)
{
    models_made++;
    __real_gaze_saccade_model_init(model, desc);
}

struct gaze_saccade_sample __wrap_gaze_saccade_model_at(struct gaze_saccade_model *model,
                                                        int64_t t_ns)
{
    const uint64_t before = model->cycle_count;
    const struct gaze_saccade_sample sample = __real_gaze_saccade_model_at(model, t_ns);
    cycles_made += model->cycle_count - before;
    return sample;
}

static const uint32_t shapes_px[][2] = {{1280, 720}, {720, 1280}, {800, 600}, {640, 640}};

/* Cycles that pictures of so many shapes cost, read by turns for seven minutes; each has its own
 * gaze. */
static uint64_t count_cycles(size_t shape_count)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_seed(7);
    struct fovea_gaze_source *alone[4];
    for (size_t i = 0; i < shape_count; i++) {
        alone[i] = open_seed(7);
    }
    models_made = 0;
    uint64_t cycles = 0;
    for (int64_t t_ns = 0; t_ns < 420 * S; t_ns += 50 * MS) {
        for (size_t i = 0; i < shape_count; i++) {
            struct fovea_gaze together;
            struct fovea_gaze single;
            cycles_made = 0;
            assert_ok(
                fovea_gaze_source_read(source, t_ns, shapes_px[i][0], shapes_px[i][1], &together));
            cycles += cycles_made;
            assert_ok(
                fovea_gaze_source_read(alone[i], t_ns, shapes_px[i][0], shapes_px[i][1], &single));
            assert_near(together.point.x_uv, single.point.x_uv, 0);
            assert_near(together.point.y_uv, single.point.y_uv, 0);
        }
    }
    assert_int_equal(models_made, 2 * shape_count);
    for (size_t i = 0; i < shape_count; i++) {
        fovea_gaze_source_destroy(&alone[i]);
    }
    return cycles;
}

TEST(shapes_by_turns_cost_no_more_than_each_alone)
{
    const uint64_t one = count_cycles(1);
    assert_true(one > 500);
    for (uint64_t count = 2; count <= 4; count++) {
        const uint64_t cycles = count_cycles(count);
        print_message("%llu shapes: %llu cycles\n", (unsigned long long)count,
                      (unsigned long long)cycles);
        assert_true(cycles < one * count * 5 / 4); /* saccades are shorter where a side is */
    }
}

TEST(a_jump_in_time_is_quick)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_seed(7);
    (void)gaze_at(source, -S);
    const int64_t before_ns = fovea_time_ns();
    for (int i = 0; i < 10; i++) {
        (void)gaze_at(source, INT64_MAX);
        (void)gaze_at(source, INT64_MIN);
    }
    assert_true(fovea_time_ns() - before_ns < S);
}

/* The angle from the middle of a flat picture, whose half is so wide. */
static double off_middle_deg(double uv, double half_tangent)
{
    return atan((2.0 * uv - 1.0) * half_tangent) * 180.0 / acos(-1.0);
}

static void place_deg(const struct fovea_gaze *gaze, double out_deg[2])
{
    const double half_tangent = tan(WIDTH_DEG / 2.0 * acos(-1.0) / 180.0);
    out_deg[0] = off_middle_deg(gaze->point.x_uv, half_tangent);
    out_deg[1] = off_middle_deg(gaze->point.y_uv, half_tangent * 720 / 1280);
}

#define AMPLITUDES_MAX 4000

/* One pass over the model's own samples finds this. */
struct findings {
    unsigned fixations;
    double fixation_sum_s;
    unsigned saccades;
    unsigned saccades_off_duration;
    double fastest_deg_s;
    double fastest_small_deg_s; /* of saccades up to 10 degrees */
    double drift_deg; /* length of the way during fixations */
    double largest_deg;
    double smallest_uv;
    double largest_uv;
    double drift_largest_deg; /* from where a fixation begins */
    unsigned amplitude_count;
    double amplitudes_deg[AMPLITUDES_MAX];
    double velocities_deg_s[AMPLITUDES_MAX]; /* the peaks of the same saccades */
};

/* A stretch of samples that are all fast, or all slow. */
struct stretch {
    bool fast;
    unsigned samples;
    double from_deg[2];
    double peak_deg_s;
    double way_deg;
    double farthest_deg;
};

static void close_stretch(struct findings *found, const struct stretch *stretch, double x_deg,
                          double y_deg)
{
    const double seconds = stretch->samples * 0.002;
    if (!stretch->fast) {
        found->fixations++;
        found->fixation_sum_s += seconds;
        found->drift_deg += stretch->way_deg;
        found->drift_largest_deg = fmax(found->drift_largest_deg, stretch->farthest_deg);
        return;
    }
    const double amplitude_deg = hypot(x_deg - stretch->from_deg[0], y_deg - stretch->from_deg[1]);
    const double wanted_s = 0.021 + 0.0022 * amplitude_deg;
    found->saccades++;
    found->saccades_off_duration += fabs(seconds - wanted_s) > 0.008;
    found->fastest_deg_s = fmax(found->fastest_deg_s, stretch->peak_deg_s);
    found->largest_deg = fmax(found->largest_deg, amplitude_deg);
    if (found->amplitude_count < AMPLITUDES_MAX) {
        found->velocities_deg_s[found->amplitude_count] = stretch->peak_deg_s;
        found->amplitudes_deg[found->amplitude_count++] = amplitude_deg;
    }
    if (amplitude_deg <= 10) {
        found->fastest_small_deg_s = fmax(found->fastest_small_deg_s, stretch->peak_deg_s);
    }
}

static struct findings watch(struct fovea_gaze_source *source, int64_t how_long_ns)
{
    static struct findings found;
    found = (struct findings){.smallest_uv = 1};
    struct stretch stretch = {0};
    double last_deg[2] = {0, 0};
    for (int64_t t_ns = 0; t_ns < how_long_ns; t_ns += STEP_NS) {
        const struct fovea_gaze gaze = gaze_at(source, t_ns);
        double deg[2];
        place_deg(&gaze, deg);
        const double speed = hypot(deg[0] - last_deg[0], deg[1] - last_deg[1]) / 0.002;
        if (stretch.samples > 0 && (speed > 2.0) != stretch.fast) {
            close_stretch(&found, &stretch, last_deg[0], last_deg[1]);
            stretch = (struct stretch){.from_deg = {last_deg[0], last_deg[1]}};
        }
        stretch.fast = speed > 2.0;
        stretch.samples++;
        stretch.peak_deg_s = fmax(stretch.peak_deg_s, speed);
        stretch.way_deg += speed * 0.002;
        stretch.farthest_deg = fmax(stretch.farthest_deg, hypot(deg[0] - stretch.from_deg[0],
                                                                deg[1] - stretch.from_deg[1]));
        found.smallest_uv = fmin(found.smallest_uv, fmin(gaze.point.x_uv, gaze.point.y_uv));
        found.largest_uv = fmax(found.largest_uv, fmax(gaze.point.x_uv, gaze.point.y_uv));
        memcpy(last_deg, deg, sizeof deg);
    }
    return found;
}

TEST(eye_movements_are_humanly_possible)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SACCADES);
        settings.saccades_seed = seed;
        settings.saccades_blinks_per_minute = 0;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        const struct findings found = watch(source, MINUTES_NS);
        const double drift_deg_s = found.drift_deg / found.fixation_sum_s;
        print_message("seed %llu: %u fixations of %.0f ms, %u saccades up to %.1f deg, %.0f deg/s "
                      "(%.0f up to 10 deg), drift %.2f deg/s, %u off duration\n",
                      (unsigned long long)seed, found.fixations,
                      1000 * found.fixation_sum_s / found.fixations, found.saccades,
                      found.largest_deg, found.fastest_deg_s, found.fastest_small_deg_s,
                      drift_deg_s, found.saccades_off_duration);
        const double mean_ms = 1000 * found.fixation_sum_s / found.fixations;
        assert_true(mean_ms > 250 && mean_ms < 420);
        assert_in_range(found.saccades, 240, 450);
        assert_true(found.largest_deg > 15 && found.largest_deg < 60);
        assert_true(found.fastest_deg_s > 300 && found.fastest_deg_s < 700);
        assert_true(found.fastest_small_deg_s > 150 && found.fastest_small_deg_s < 420);
        assert_true(drift_deg_s > 0.1 && drift_deg_s < 0.8);
        assert_true(found.saccades_off_duration * 20 <= found.saccades);
        assert_true(found.smallest_uv >= 0 && found.largest_uv <= 1);
    }
}

static double share_below(const double *sorted, unsigned count, double limit)
{
    unsigned below = 0;
    while (below < count && sorted[below] < limit) {
        below++;
    }
    return (double)below / count;
}

/* Peak velocity of saccades of about that size, on average. */
static double velocity_near(const struct findings *found, double amplitude_deg)
{
    double sum = 0.0;
    unsigned count = 0;
    for (unsigned i = 0; i < found->amplitude_count; i++) {
        if (fabs(found->amplitudes_deg[i] - amplitude_deg) < 0.05 * amplitude_deg) {
            sum += found->velocities_deg_s[i];
            count++;
        }
    }
    assert_true(count > 0);
    return sum / count;
}

/* The ranges that docs/gaze.md states, in ten minutes of four seeds without blinks. */
TEST(ten_minutes_are_like_published_eye_movements)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SACCADES);
        settings.saccades_seed = seed;
        settings.saccades_blinks_per_minute = 0;
        struct fovea_gaze_source *source = gaze_open(&settings);
        struct findings found = watch(source, 600 * S - STEP_NS);
        fovea_gaze_source_destroy(&source);
        const double fast_5 = velocity_near(&found, 5);
        const double fast_10 = velocity_near(&found, 10);
        const double fast_20 = velocity_near(&found, 20);
        const double median = quantile(found.amplitudes_deg, found.amplitude_count, 0.5);
        const double small = share_below(found.amplitudes_deg, found.amplitude_count, 1.0);
        const double usual = share_below(found.amplitudes_deg, found.amplitude_count, 15.0);
        const double a_second = found.saccades / 600.0;
        const double fixation_ms = 1000 * found.fixation_sum_s / found.fixations;
        print_message(
            "seed %llu: %.2f saccades a second, median %.2f deg, %.1f %% below 1, %.1f %% "
            "below 15; fixations %.0f ms; %.0f, %.0f, %.0f deg/s at 5, 10, 20; drift up "
            "to %.3f deg\n",
            (unsigned long long)seed, a_second, median, 100 * small, 100 * usual, fixation_ms,
            fast_5, fast_10, fast_20, found.drift_largest_deg);
        assert_true(a_second > 2.5 && a_second < 3.5);
        assert_true(median > 4 && median < 6);
        assert_true(small > 0.02 && small < 0.08);
        assert_true(usual > 0.8 && usual < 0.97);
        assert_true(fixation_ms > 280 && fixation_ms < 360);
        assert_true(fast_5 > 150 && fast_5 < 270);
        assert_true(fast_10 > 260 && fast_10 < 420);
        assert_true(fast_20 > 370 && fast_20 < 550);
        assert_true(found.drift_largest_deg > 0.1 && found.drift_largest_deg < 0.2);
    }
}

TEST(blinks_come_as_often_and_last_as_long_as_they_should)
{
    static const double rates[] = {0, 12, 120};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SACCADES);
        settings.saccades_blinks_per_minute = rates[i];
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        unsigned blinks = 0;
        unsigned long_blinks = 0; /* longer than 150 ms */
        unsigned closed = 0; /* samples of the blink so far */
        struct fovea_gaze before = gaze_at(source, 0);
        for (int64_t t_ns = 0; t_ns < 5 * MINUTES_NS; t_ns += STEP_NS) {
            const struct fovea_gaze gaze = gaze_at(source, t_ns);
            if (gaze.state == FOVEA_GAZE_HELD) {
                closed++;
                assert_near(gaze.point.x_uv, before.point.x_uv, 0);
                assert_int_equal(gaze.age_ns, closed * STEP_NS);
            } else if (closed > 0) {
                assert_in_range(closed, 39, 201);
                long_blinks += closed > 75;
                closed = 0;
                blinks++;
            }
            assert_int_not_equal(gaze.state, FOVEA_GAZE_LOST);
            before = gaze;
        }
        const double per_minute = blinks / 10.0;
        assert_near(per_minute, rates[i], 0.25 * rates[i]);
        assert_near((double)long_blinks, 0.5 * blinks, 0.12 * blinks);
    }
}

TEST(samples_are_counted_and_rated)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_seed(1);
    struct fovea_gaze gaze = gaze_at(source, 3 * S);
    assert_int_equal(gaze.sample_count, 1);
    assert_near(gaze.rate_hz, 1, 0);
    gaze = gaze_at(source, 3 * S + 10 * MS);
    assert_int_equal(gaze.sample_count, 6);
    assert_near(gaze.rate_hz, 6, 0);
    gaze = gaze_at(source, 5 * S + 1);
    assert_int_equal(gaze.sample_count, 1001);
    assert_near(gaze.rate_hz, 500, 0);
    assert_int_equal(gaze.age_ns, 1);
}

TEST(the_pattern_closes_without_a_jump)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_seed(9);
    const struct fovea_gaze start = gaze_at(source, 0);
    const struct fovea_gaze end = gaze_at(source, 600 * S - STEP_NS);
    assert_near(end.point.x_uv, start.point.x_uv, 0.02);
    assert_near(end.point.y_uv, start.point.y_uv, 0.02);
    const struct fovea_gaze again = gaze_at(source, 601 * S);
    const struct fovea_gaze first = gaze_at(source, 1 * S);
    assert_near(again.point.x_uv, first.point.x_uv, 0);
}

TEST(the_picture_is_not_left_whatever_its_shape)
{
    static const struct {
        uint32_t width_px, height_px;
        double width_deg, amplitude_deg;
    } cases[] = {{16384, 1, 1, 60}, {1, 16384, 170, 0.1}, {1, 1, 1, 0.1}, {7680, 4320, 170, 60}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SACCADES);
        settings.saccades_width_deg = cases[i].width_deg;
        settings.saccades_amplitude_deg = cases[i].amplitude_deg;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        for (int64_t t_ns = 0; t_ns < 60 * S; t_ns += 10 * MS) {
            struct fovea_gaze gaze;
            assert_ok(
                fovea_gaze_source_read(source, t_ns, cases[i].width_px, cases[i].height_px, &gaze));
            assert_that(gaze.point.x_uv >= 0 && gaze.point.x_uv <= 1 && gaze.point.y_uv >= 0 &&
                            gaze.point.y_uv <= 1,
                        "case %zu: %g, %g", i, gaze.point.x_uv, gaze.point.y_uv);
        }
    }
}
