/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Engines of blur promise, on the definition and on the processor alike: the sigma that was asked
 * for, to a thousandth; a constant picture as it is; energy; nothing beyond what there was. And
 * they refuse what they cannot do. */

#include "cmocka_all.h"
#include "images.h"

#include "core/thread_pool.h"
#include "kernels/blur/blur.h"
#include "kernels/blur/passes.h"
#include "kernels/blur/plan.h"
#if FOVEA_HAVE_CUDA
#include "kernels/blur/cuda/transform.h"
#endif
#include "kernels/operator/operator.h"

#include <locale.h>

#define SIDE 161 /* of most pictures: an impulse in the middle reaches no edge */

/* ---- Pictures of one colour in 32-bit floats */

enum way { BY_REFERENCE, BY_CPU, WAYS };

static struct fovea_settings settings_of(const struct blur_numbers *numbers)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.own.blur_engine = numbers->engine;
    settings.own.blur_sigma_px = settings.own.blur_sigma_max_px = numbers->sigma_px;
    settings.own.blur_box_passes = numbers->passes - 1;
    settings.own.blur_edge = numbers->edge;
    settings.own.blur_shape = numbers->shape;
    settings.own.blur_radius_px = numbers->radius_px;
    settings.own.blur_file_data = (struct shared_data *)(uintptr_t)numbers->table;
    return settings;
}

static struct fovea_image image_of(float *values, uint32_t width_px, uint32_t height_px)
{
    return (struct fovea_image){.data = values,
                                .format = FOVEA_FORMAT_R32F,
                                .width_px = width_px,
                                .height_px = height_px,
                                .row_stride_bytes = (ptrdiff_t)(width_px * sizeof *values)};
}

static void make_by_cpu(const struct blur_numbers *numbers, const struct blur_picture *picture,
                        const float *src, float *dst, float *sigmas)
{
    const uint32_t width = picture->width_px;
    const uint32_t height = picture->height_px;
    const struct fovea_settings settings = settings_of(numbers);
    const struct operator_plan_desc desc = {.settings = &settings,
                                            .width_px = width,
                                            .height_px = height,
                                            .has_sigmas = sigmas != NULL};
    const struct fovea_image images[3] = {image_of((float *)(uintptr_t)src, width, height),
                                          image_of(dst, width, height),
                                          image_of(sigmas, width, height)};
    const struct operator_images batch = {
        .count = 1, .src = &images[0], .dst = &images[1], .sigmas = sigmas ? &images[2] : NULL};
    const struct operator_frame frame = {.width_px = (int32_t)width, .height_px = (int32_t)height};
    struct operator_plan *plan = NULL;
    struct operator_host *host = NULL;
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    assert_ok(thread_pool_create(2, &pool));
    assert_ok(blur_operator.plan_create(&desc, &plan));
    assert_ok(operator_host_create(&operator_host_of(plan)->kind, pool, plan, &host));
    assert_ok(operator_host_of(plan)->reserve(host, &batch));
    operator_host_of(plan)->run(host, &batch, &frame);
    operator_host_destroy(&host);
    blur_operator.plan_destroy(&plan);
}

static void make_by_reference(const struct blur_numbers *numbers,
                              const struct blur_picture *picture, const float *src, float *dst,
                              const float *sigmas)
{
    const size_t count = (size_t)picture->width_px * picture->height_px;
    OWNED(owned_free) double *values = malloc(3 * count * sizeof *values);
    struct blur_picture with = *picture;
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)src[i];
        values[2 * count + i] = sigmas ? (double)sigmas[i] : 0.0;
    }
    with.sigmas_px = sigmas ? values + 2 * count : NULL;
    assert_ok(blur_reference_of(numbers, &with, values, values + count));
    for (size_t i = 0; i < count; i++) {
        dst[i] = (float)values[count + i];
    }
}

/* The caller frees it. */
static float *make(enum way way, const struct blur_numbers *numbers, uint32_t width_px,
                   uint32_t height_px, const float *src, float *sigmas)
{
    const struct blur_picture picture = {
        .width_px = width_px, .height_px = height_px, .channels = 1, .colors = 1, .white = 1.0};
    float *dst = test_memory((size_t)width_px * height_px, sizeof *dst);
    if (way == BY_CPU) {
        make_by_cpu(numbers, &picture, src, dst, sigmas);
    } else {
        make_by_reference(numbers, &picture, src, dst, sigmas);
    }
    return dst;
}

static float *picture_of(float value, size_t count)
{
    float *values = test_memory(1, count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = value;
    }
    return values;
}

/* ---- Moments */

struct moments {
    double sum;
    double sigma_px; /* root of the mean variance of both axes */
};

/* Sums moments around the place (at, at). */
static struct moments moments_of(const float *values, uint32_t side, double at)
{
    double sum = 0.0;
    double squares = 0.0;
    for (uint32_t i = 0; i < side * side; i++) {
        sum += (double)values[i];
        squares += 0.5 * (pow(i % side - at, 2.0) + pow(i / side - at, 2.0)) * (double)values[i];
    }
    return (struct moments){sum, sqrt(fmax(squares / sum, 0.0))};
}

static struct moments impulse(enum way way, const struct blur_numbers *numbers, uint32_t at)
{
    OWNED(owned_free) float *src = picture_of(0.0f, (size_t)SIDE * SIDE);
    src[(size_t)at * SIDE + at] = 1.0f;
    OWNED(owned_free) float *dst = make(way, numbers, SIDE, SIDE, src, NULL);
    const struct moments moments = moments_of(dst, SIDE, at);
    return moments;
}

static const struct blur_numbers all[] = {
    {.engine = BLUR_QUASI, .sigma_px = 0.7},
    {.engine = BLUR_QUASI, .sigma_px = 1.3463},
    {.engine = BLUR_QUASI, .sigma_px = 4.0},
    {.engine = BLUR_QUASI, .sigma_px = 9.0},
    {.engine = BLUR_BOX, .sigma_px = 0.4, .passes = 1},
    {.engine = BLUR_BOX, .sigma_px = 4.1, .passes = 1},
    {.engine = BLUR_BOX, .sigma_px = 4.1, .passes = 4},
    {.engine = BLUR_BOX, .sigma_px = 12.0, .passes = 8},
    {.engine = BLUR_DIFFUSION, .sigma_px = 0.5},
    {.engine = BLUR_DIFFUSION, .sigma_px = 2.0},
    {.engine = BLUR_DIFFUSION, .sigma_px = 3.3},
    {.engine = BLUR_SPREAD, .sigma_px = 0.3},
    {.engine = BLUR_SPREAD, .sigma_px = 6.5},
    {.engine = BLUR_SPREAD, .sigma_px = 16.329931618554520},
    {.engine = BLUR_FFT, .sigma_px = 0.4, .shape = BLUR_DISC},
    {.engine = BLUR_FFT, .sigma_px = 3.0, .shape = BLUR_DISC},
    {.engine = BLUR_FFT, .sigma_px = 2.5, .shape = BLUR_HEXAGON},
    {.engine = BLUR_FFT, .sigma_px = 2.0, .shape = BLUR_STAR},
    {.engine = BLUR_FFT, .sigma_px = 1.5, .shape = BLUR_EYE},
};
#define ALL (sizeof all / sizeof all[0])

/* A pyramid's kernel depends on where in its samples the impulse lies: the mean over 16 places. */
static double sigma_of(enum way way, const struct blur_numbers *numbers)
{
    double variance = 0.0;
    const uint32_t places = numbers->engine == BLUR_QUASI ? 16 : 1;
    for (uint32_t i = 0; i < places; i++) {
        variance += pow(impulse(way, numbers, SIDE / 2 + i).sigma_px, 2.0) / places;
    }
    return sqrt(variance);
}

TEST(an_impulse_has_the_sigma_that_was_asked_for)
{
    for (size_t i = 0; i < ALL; i++) {
        for (int way = 0; way < WAYS; way++) {
            const double sigma_px = sigma_of((enum way)way, &all[i]);
            assert_that(fabs(sigma_px / all[i].sigma_px - 1.0) <= 1e-3,
                        "engine %u, way %d: sigma %.6g instead of %.6g", all[i].engine, way,
                        sigma_px, all[i].sigma_px);
        }
    }
}

TEST(an_impulse_away_from_edges_keeps_its_energy)
{
    for (size_t i = 0; i < ALL; i++) {
        for (int way = 0; way < WAYS; way++) {
            /* of a pyramid over the places of its samples */
            double sum = 0.0;
            const uint32_t places = all[i].engine == BLUR_QUASI ? 16 : 1;
            for (uint32_t k = 0; k < places; k++) {
                sum += impulse((enum way)way, &all[i], SIDE / 2 + k).sum / places;
            }
            assert_float_equal(sum, 1.0, 1e-4);
        }
    }
}

TEST(a_constant_picture_stays_as_it_is)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {7, 2}, {33, 20}};
    for (size_t i = 0; i < ALL * 4; i++) {
        const uint32_t *size = sizes[i % 4];
        OWNED(owned_free) float *src = picture_of(0.375f, (size_t)size[0] * size[1]);
        for (int way = 0; way < WAYS; way++) {
            float *dst = make((enum way)way, &all[i / 4], size[0], size[1], src, NULL);
            for (uint32_t k = 0; k < size[0] * size[1]; k++) {
                assert_float_equal(dst[k], 0.375, 1e-6);
            }
            free(dst);
        }
    }
}

/* Highlights of 1,000 times white on black: weights are nowhere negative. */
TEST(nothing_goes_beyond_what_there_was)
{
    for (size_t i = 0; i < ALL; i++) {
        OWNED(owned_free) float *src = picture_of(0.0f, 60 * 40);
        src[20 * 60 + 30] = src[20 * 60 + 31] = 1000.0f;
        for (int way = 0; way < WAYS; way++) {
            OWNED(owned_free) float *dst = make((enum way)way, &all[i], 60, 40, src, NULL);
            for (uint32_t k = 0; k < 60 * 40; k++) {
                assert_true(dst[k] >= -1e-9f && dst[k] <= 1000.0f);
            }
        }
    }
}

/* fft's tiles aside; heat goes a pixel a step, and a pyramid as far as its samples. */
TEST(what_is_not_finite_reaches_as_far_as_the_kernel)
{
    static const struct {
        struct blur_numbers numbers;
        int reach_px;
    } cases[] = {{{.engine = BLUR_BOX, .sigma_px = 3.0, .passes = 1}, 5},
                 {{.engine = BLUR_BOX, .sigma_px = 3.0, .passes = 4}, 12},
                 {{.engine = BLUR_SPREAD, .sigma_px = 3.0}, 7},
                 {{.engine = BLUR_DIFFUSION, .sigma_px = 2.0}, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(owned_free) float *src = picture_of(0.5f, 60 * 3);
        src[60 + 30] = NAN;
        OWNED(owned_free) float *dst = make(BY_CPU, &cases[i].numbers, 60, 3, src, NULL);
        assert_true(isnan(dst[60 + 30]) && isnan(dst[60 + 28]) && isnan(dst[60 + 32]));
        for (int x = 0; x < 60; x++) {
            assert_true(isfinite(dst[60 + x]) || abs(x - 30) <= cases[i].reach_px);
        }
    }
}

/* ---- Closed forms */

TEST(steps_of_heat_follow_from_sigma)
{
    for (double sigma_px = 0.3; sigma_px < 32.0; sigma_px *= 1.37) {
        const struct blur_heat heat = blur_heat_of(sigma_px);
        assert_float_equal(sqrt(2.0 * heat.rate * heat.steps), sigma_px, 1e-9);
        assert_true(heat.rate <= 1.0 / 6.0 + 1e-12);
    }
    assert_int_equal(blur_heat_of(5.0).steps, 75); /* the thesis's table A.5 has 50, of c = 1/4 */
    assert_int_equal(blur_heat_of(blur_range_of(BLUR_DIFFUSION).most_vulkan_px).steps,
                     BLUR_MOST_PASSES * BLUR_HEAT_STEPS);
}

/* Each step leaves a third of it, with the other sign; a step of c = 1/4 left all of it. */
TEST(heat_leaves_no_checkerboard)
{
    static const double numbers[][2] = {{1.0, 0.0}, {2.0, 0.0}, {4.0, 0.0}, {2.0, 0.5}};
    float src[31 * 31];
    for (int i = 0; i < 31 * 31; i++) {
        src[i] = i % 2 ? 0.6f : 0.4f;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] * WAYS; i++) {
        const struct blur_numbers heat = {.engine = BLUR_DIFFUSION,
                                          .sigma_px = numbers[i / WAYS][0],
                                          .edge = numbers[i / WAYS][1]};
        float *dst = make((enum way)(i % WAYS), &heat, 31, 31, src, NULL);
        assert_true(fabsf(dst[15 * 31 + 15] - dst[15 * 31 + 16]) < 0.04f * 0.2f);
        free(dst);
    }
}

/* The sign as it is printed (eq. 3.20) would make the difference larger. */
TEST(heat_flows_from_warm_to_cold)
{
    const struct blur_numbers numbers = {.engine = BLUR_DIFFUSION, .sigma_px = 1.0};
    const float src[3] = {0.0f, 1.0f, 0.0f};
    for (int way = 0; way < WAYS; way++) {
        OWNED(owned_free) float *dst = make((enum way)way, &numbers, 3, 1, src, NULL);
        assert_true(dst[1] < 1.0f && dst[0] > 0.0f);
        assert_float_equal(dst[0] + dst[1] + dst[2], 1.0, 1e-6);
    }
}

TEST(heat_stops_at_edges_that_are_kept)
{
    const struct blur_numbers even = {.engine = BLUR_DIFFUSION, .sigma_px = 4.0};
    struct blur_numbers kept = even;
    kept.edge = 0.02;
    float src[40];
    for (int i = 0; i < 40; i++) {
        src[i] = (i < 20 ? 0.2f : 0.8f) + (i % 2 ? 0.005f : -0.005f);
    }
    for (int way = 0; way < WAYS; way++) {
        OWNED(owned_free) float *blurred = make((enum way)way, &even, 40, 1, src, NULL);
        OWNED(owned_free) float *sharp = make((enum way)way, &kept, 40, 1, src, NULL);
        assert_true(blurred[20] - blurred[19] < 0.1f);
        assert_true(sharp[20] - sharp[19] > 0.55f);
        assert_true(fabsf(sharp[10] - sharp[9]) < 0.002f); /* and what is small is gone */
    }
}

/* ---- Spreading */

TEST(pixels_of_one_sigma_gather_what_they_spread)
{
    const struct blur_numbers numbers = {.engine = BLUR_SPREAD, .sigma_px = 2.7};
    OWNED(owned_free) float *src = picture_of(0.0f, 31 * 23);
    OWNED(owned_free) float *sigmas = picture_of(2.7f, 31 * 23);
    for (int i = 0; i < 31 * 23; i++) {
        src[i] = (float)((i * 7919) % 101) / 101.0f;
    }
    for (int way = 0; way < WAYS; way++) {
        OWNED(owned_free) float *gathered = make((enum way)way, &numbers, 31, 23, src, NULL);
        OWNED(owned_free) float *spread = make((enum way)way, &numbers, 31, 23, src, sigmas);
        for (int i = 0; i < 31 * 23; i++) {
            assert_float_equal(spread[i], gathered[i], 1e-5);
        }
    }
}

TEST(pixels_that_spread_by_their_own_sigmas_keep_their_energy)
{
    const struct blur_numbers numbers = {.engine = BLUR_SPREAD, .sigma_px = 8.0};
    OWNED(owned_free) float *src = picture_of(0.0f, (size_t)SIDE * SIDE);
    OWNED(owned_free) float *sigmas = picture_of(0.0f, (size_t)SIDE * SIDE);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t x = i % SIDE;
        const uint32_t y = i / SIDE;
        const bool middle = x > 60 && x < 100 && y > 60 && y < 100;
        src[i] = middle ? (float)(1 + i % 5) : 0.0f;
        sigmas[i] = (float)(i % 9);
    }
    for (int way = 0; way < WAYS; way++) {
        OWNED(owned_free) float *dst = make((enum way)way, &numbers, SIDE, SIDE, src, sigmas);
        assert_float_equal(moments_of(dst, SIDE, 0.0).sum / moments_of(src, SIDE, 0.0).sum, 1.0,
                           1e-5);
    }
}

/* ---- Files of weights */

static struct shared_data *read_text(const char *text, enum fovea_result expected,
                                     const char *problem)
{
    char words[BLUR_PROBLEM_BYTES] = "";
    struct shared_data *data = NULL;
    assert_int_equal(blur_read_file(text, strlen(text), words, &data), expected);
    assert_that(!problem || strcmp(words, problem) == 0, "\"%s\" instead of \"%s\"", words,
                problem);
    assert_int_equal(data != NULL, expected == FOVEA_OK);
    return data;
}

TEST(a_file_is_read_by_rows)
{
    OWNED(shared_data_release)
    struct shared_data *data =
        read_text("# a corner\n1, 2 ,+3.\r\n\n \t0 0\t4.5e-1# and so on\r\n", FOVEA_OK, NULL);
    const struct blur_table *table = (const struct blur_table *)data;
    static const double weights[] = {1.0, 2.0, 3.0, 0.0, 0.0, 0.45};
    assert_int_equal(table->columns, 3);
    assert_int_equal(table->rows, 2);
    assert_memory_equal(table->weights, weights, sizeof weights);
}

TEST(a_file_is_the_same_in_a_locale_with_commas)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool has_comma = false;
    for (size_t i = 0; i < 3 && !has_comma; i++) {
        has_comma = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    }
    if (!has_comma) {
        assert_non_null(setlocale(LC_ALL, "C"));
        skip();
    }
    OWNED(shared_data_release) struct shared_data *data = read_text("0.25,1\n", FOVEA_OK, NULL);
    assert_non_null(setlocale(LC_ALL, "C"));
    const struct blur_table *table = (const struct blur_table *)data;
    assert_int_equal(table->columns, 2);
    assert_true(table->weights[0] == 0.25);
}

TEST(a_file_that_is_no_kernel_says_where)
{
    static const struct {
        const char *text;
        const char *problem;
    } files[] = {{"1 2\n3\n", "2:1: this row has another number of weights than the first one"},
                 {"1 2\n3 x\n", "2:3: this is no number"},
                 {"1 -2\n", "1:3: weights are numbers from 0 on, below 1.8e308"},
                 {"1e999\n", "1:1: weights are numbers from 0 on, below 1.8e308"},
                 {"1 nan\n", "1:3: this is no number"},
                 {"inf\n", "1:1: this is no number"},
                 {"2 0x10\n", "1:3: this is no number"},
                 {"1;2\n", "1:1: this is no number"},
                 {"1 2\r3 4\n", "1:3: this is no number"},
                 {"1,,1\n", "1:3: there is no number before this comma"},
                 {"1\n , 1\n", "2:2: there is no number before this comma"},
                 {"1 2, # 3\n", "1:4: there is no number behind this comma"},
                 {"1e308 1e308\n", "the weights are too large to be added"},
                 {"0 0\n0 0\n", "there is no weight above 0"},
                 {"# nothing\n", "there is no weight above 0"},
                 {"", "there is no weight above 0"},
                 {"\x89PNG and nothing else", "it is no picture that can be read"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_null(read_text(files[i].text, FOVEA_ERROR_CONFIG, files[i].problem));
    }
}

/* Even and odd sizes, one that is not round, and one whose weights lie to a side. */
TEST(a_file_is_scaled_to_sigma_or_radius_and_is_its_definition)
{
    static const char *const texts[] = {"1", "1 0 2\n0 5 0\n", "0 1 1 0\n1 2 2 1\n1 2 2 1\n0 1 1 0",
                                        "0 0 0 1 1\n"};
    OWNED(owned_free) float *src = picture_of(0.0f, 41 * 33);
    for (int i = 0; i < 41 * 33; i++) {
        src[i] = (float)((i * 7919) % 101) / 101.0f;
    }
    for (size_t i = 0; i < 8; i++) {
        OWNED(shared_data_release)
        struct shared_data *data = read_text(texts[i / 2], FOVEA_OK, NULL);
        const struct blur_numbers numbers = {.engine = BLUR_FFT,
                                             .sigma_px = i % 2 ? 0.0 : 2.2,
                                             .radius_px = i % 2 ? 3.7 : 0.0,
                                             .table = (const struct blur_table *)data};
        OWNED(owned_free) float *made = make(BY_CPU, &numbers, 41, 33, src, NULL);
        OWNED(owned_free) float *defined = make(BY_REFERENCE, &numbers, 41, 33, src, NULL);
        for (int k = 0; k < 41 * 33; k++) {
            assert_float_equal(made[k], defined[k], 2e-6);
        }
    }
}

/* Most weights read edges where the picture is smaller than what the kernel reaches. */
TEST(a_kernel_wider_than_the_picture_is_its_definition)
{
    static const uint32_t sizes[][2] = {{1, 1}, {7, 2}, {33, 20}, {5, 90}, {2, 7}};
    OWNED(shared_data_release)
    struct shared_data *data = read_text("1 0 2\n0 5 0\n3 0 0.5\n", FOVEA_OK, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t width = sizes[i][0];
        const uint32_t height = sizes[i][1];
        OWNED(owned_free) float *src = picture_of(0.0f, (size_t)width * height);
        for (uint32_t k = 0; k < width * height; k++) {
            src[k] = (float)((k * 7919) % 101) / 101.0f;
        }
        const struct blur_numbers numbers = {.engine = BLUR_FFT,
                                             .radius_px = 6.0 + 13.3 * (double)i,
                                             .table = (const struct blur_table *)data};
        OWNED(owned_free) float *made = make(BY_CPU, &numbers, width, height, src, NULL);
        OWNED(owned_free) float *defined = make(BY_REFERENCE, &numbers, width, height, src, NULL);
        for (uint32_t k = 0; k < width * height; k++) {
            assert_float_equal(made[k], defined[k], 2e-6);
        }
    }
}

/* Its weights are less than doubles have beside 1. */
TEST(a_shape_of_no_radius_is_a_point)
{
    const struct blur_numbers numbers = {.engine = BLUR_FFT, .radius_px = 1e-17};
    const float src[4] = {0.0f, 1.0f, 0.25f, 0.5f};
    float *made = make(BY_CPU, &numbers, 2, 2, src, NULL);
    for (int i = 0; i < 4; i++) {
        assert_float_equal(made[i], src[i], 1e-6);
    }
    free(made);
}

/* Numbers on the right of a file come to lie on the right of a point. */
TEST(a_point_becomes_what_the_file_shows)
{
    OWNED(shared_data_release)
    struct shared_data *data = read_text("0 0 0\n0 0 3\n0 1 0\n", FOVEA_OK, NULL);
    const struct blur_numbers numbers = {
        .engine = BLUR_FFT, .radius_px = 1.5, .table = (const struct blur_table *)data};
    OWNED(owned_free) float *src = picture_of(0.0f, 5 * 5);
    src[2 * 5 + 2] = 1.0f;
    OWNED(owned_free) float *dst = make(BY_CPU, &numbers, 5, 5, src, NULL);
    assert_float_equal(dst[2 * 5 + 3], 0.75, 1e-6);
    assert_float_equal(dst[3 * 5 + 2], 0.25, 1e-6);
}

/* ---- What is refused */

static void assert_refused(const struct blur_numbers *numbers, bool has_sigmas, const char *setting)
{
    const struct fovea_settings settings = settings_of(numbers);
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = 40, .height_px = 30, .has_sigmas = has_sigmas};
    struct operator_plan *plan = NULL;
    char words[OPERATOR_PROBLEM_BYTES] = "";
    assert_int_equal(blur_operator.plan_create(&desc, &plan), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(plan);
    assert_true(blur_operator.plan_complain(&desc, words, sizeof words));
    assert_non_null(strstr(words, setting));
}

TEST(a_sigma_beyond_an_engines_range_is_refused_by_the_settings_name)
{
    assert_refused(&(struct blur_numbers){.engine = BLUR_DIFFUSION, .sigma_px = 33.0}, false,
                   "blur.sigma_px is 33, and blur.engine diffusion goes up to 32");
    assert_refused(&(struct blur_numbers){.engine = BLUR_FFT, .sigma_px = 129.0}, false,
                   "blur.sigma_px");
    assert_refused(&(struct blur_numbers){.engine = BLUR_SPREAD, .sigma_px = 65.0}, true,
                   "blur.sigma_max_px");
}

TEST(a_picture_of_sigmas_is_refused_by_engines_that_take_none)
{
    static const uint32_t without[] = {BLUR_QUASI, BLUR_BOX, BLUR_DIFFUSION, BLUR_FFT};
    for (size_t i = 0; i < 4; i++) {
        const struct blur_numbers numbers = {.engine = without[i], .sigma_px = 4.0, .passes = 1};
        assert_refused(&numbers, true, "blur.engine");
    }
}

static void assert_lacks(const struct blur_numbers *numbers, bool has_sigmas,
                         enum fovea_backend backend, const char *words)
{
    const struct fovea_settings settings = settings_of(numbers);
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = 40, .height_px = 30, .has_sigmas = has_sigmas};
    struct operator_plan *plan = NULL;
    char said[OPERATOR_PROBLEM_BYTES] = "";
    assert_ok(blur_operator.plan_create(&desc, &plan));
    assert_int_equal(blur_operator.plan_lacks(plan, backend, said, sizeof said), words != NULL);
    assert_int_equal(blur_lacks(&desc, backend, said, sizeof said), words != NULL);
    if (words) {
        assert_non_null(strstr(said, words));
    }
    blur_operator.plan_destroy(&plan);
}

TEST(a_backend_without_a_way_is_named_with_the_setting)
{
    const struct blur_numbers fft = {.engine = BLUR_FFT, .sigma_px = 3.0};
    const struct blur_numbers heat = {.engine = BLUR_DIFFUSION, .sigma_px = 9.0};
    const struct blur_numbers spread = {.engine = BLUR_SPREAD, .sigma_px = 3.0};
    const struct blur_numbers none = {.engine = BLUR_FFT};
    assert_lacks(&fft, false, FOVEA_BACKEND_VULKAN, "blur.engine fft does not run on the vulkan");
    assert_lacks(&fft, false, FOVEA_BACKEND_CPU, NULL);
    assert_lacks(&none, false, FOVEA_BACKEND_VULKAN, NULL);
    assert_lacks(&heat, false, FOVEA_BACKEND_VULKAN, "blur.sigma_px is 9");
    assert_lacks(&heat, false, FOVEA_BACKEND_CUDA, NULL);
    assert_lacks(&spread, false, FOVEA_BACKEND_VULKAN, NULL);
    assert_lacks(&spread, true, FOVEA_BACKEND_VULKAN, "picture of sigmas");
}

/* 4,096 takes four steps, and 3,888 takes seven. */
TEST(transforms_have_lengths_of_few_steps)
{
#if FOVEA_HAVE_CUDA
    static const int32_t lengths[][3] = {{1, 99, 16},        {17, 99, 32},       {97, 200, 128},
                                         {1128, 9999, 1280}, {2305, 9999, 2560}, {3888, 9999, 4096},
                                         {3888, 4000, 4000}, {4097, 4099, 0}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(blur_transform_length(lengths[i][0], lengths[i][1]), lengths[i][2]);
    }
#else
    skip();
#endif
}

TEST(weights_too_far_apart_are_refused_by_the_settings_name)
{
    char text[4 * 401 + 1] = "";
    for (int i = 0; i < 401; i++) {
        strcat(text, i == 200 ? "1 " : "0 ");
    }
    OWNED(shared_data_release) struct shared_data *data = read_text(text, FOVEA_OK, NULL);
    assert_refused(&(struct blur_numbers){.engine = BLUR_FFT,
                                          .sigma_px = 20.0,
                                          .table = (const struct blur_table *)data},
                   false, "blur.file");
}

/* Numbers of other engines do not make another plan. */
TEST(a_plan_is_of_its_engines_numbers_alone)
{
    struct fovea_settings settings = fovea_settings_default();
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 40, .height_px = 30};
    struct operator_plan *plan = NULL;
    settings.own.blur_engine = BLUR_BOX;
    assert_ok(blur_operator.plan_create(&desc, &plan));
    settings.own.blur_edge = 0.5;
    settings.own.blur_shape = BLUR_STAR;
    settings.own.blur_radius_px = 3.0;
    assert_true(blur_operator.plan_fits(plan, &desc));
    settings.own.blur_box_passes = 1;
    assert_false(blur_operator.plan_fits(plan, &desc));
    blur_operator.plan_destroy(&plan);
}
