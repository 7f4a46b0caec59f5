/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD: what its definition must be (CS1 to CS3), how near to it the library is, on every kind
 * of processor with the same bits (CS4, CS8, CS10). */

#include "bench/csdd_thesis/csdd_recursive.h"
#include "blobs_run.h"
#include "random.h"
#include "recorded.h"
#include "sanitized.h"

#include "core/thread_pool.h"
#include "kernels/saliency/cpu/saliency_cpu.h"

#define BLOBS 500

/* ---- Pictures: levels 0 .. 255 of up to three colours */

struct drawn {
    uint32_t width, height, colors;
    unsigned char *bytes;
};

static struct drawn drawn_make(uint32_t width, uint32_t height, uint32_t colors)
{
    struct drawn drawn = {width, height, colors, test_calloc(width * height, colors)};
    return drawn;
}

static void drawn_free(struct drawn *drawn)
{
    test_free(drawn->bytes);
}

/* Waves, an edge and noise: all channels have many bins. */
static struct drawn draw_waves(uint32_t width, uint32_t height, uint32_t colors)
{
    struct drawn drawn = drawn_make(width, height, colors);
    uint64_t random = 7;
    for (uint32_t i = 0; i < width * height * colors; i++) {
        const uint32_t c = i % colors;
        const double x = i / colors % width;
        const double y = floor((double)i / colors / width);
        const double wave =
            sin(0.11 * x + c) + sin(0.07 * y + 0.03 * x * (c + 1)) + (x > y ? 1 : 0);
        drawn.bytes[i] = (unsigned char)(110.0 + 38.0 * wave + random_uniform(&random, 0.0, 25.0));
    }
    return drawn;
}

static struct fovea_blobs_desc desc_of(uint32_t scales)
{
    struct fovea_blobs_desc desc;
    fovea_blobs_desc_init(&desc);
    desc.scale_count = scales;
    desc.blob_max = BLOBS;
    desc.cpu_threads = 2;
    return desc;
}

static struct fovea_image image_of(const struct drawn *drawn)
{
    return (struct fovea_image){
        .data = drawn->bytes,
        .width_px = drawn->width,
        .height_px = drawn->height,
        .format = drawn->colors == 1 ? FOVEA_FORMAT_R8 : FOVEA_FORMAT_RGB8,
        .row_stride_bytes = (ptrdiff_t)(drawn->width * drawn->colors),
    };
}

/* ---- The definition */

static double *levels_of(const struct drawn *drawn)
{
    const size_t count = (size_t)drawn->width * drawn->height * drawn->colors;
    double *levels = test_calloc(count, sizeof *levels);
    for (size_t i = 0; i < count; i++) {
        levels[i] = drawn->bytes[i];
    }
    return levels;
}

static void define(const struct drawn *drawn, uint32_t channel, double sigma, enum saliency_sum sum,
                   double *out)
{
    OWNED(owned_test_free) double *levels = levels_of(drawn);
    const struct saliency_picture picture = {levels, drawn->width, drawn->height, drawn->colors,
                                             255.0};
    assert_ok(saliency_reference(&picture, channel, sigma, sum, out));
}

/* Minus the Laplacian of a Gaussian of sigma, e sigma^2 / 2 times. */
static double log_at(double sigma, long x, long y)
{
    const double u = (double)(x * x + y * y) / (2.0 * sigma * sigma);
    return 0.5 * M_E * (1.0 - u) * exp(-u) / (M_PI * sigma * sigma);
}

static long within(long at, uint32_t count)
{
    return at < 0 ? 0 : at >= (long)count ? (long)count - 1 : at;
}

TEST(a_signed_sum_is_the_plain_laplacian_of_the_binned_picture) /* CS1 */
{
    const double sigma = 2.5;
    OWNED(drawn_free) struct drawn drawn = draw_waves(23, 17, 1);
    double made[23 * 17];
    define(&drawn, 0, sigma, SALIENCY_SIGNED, made);
    for (long i = 0; i < 23 * 17; i++) {
        double expected = 0.0;
        for (long dy = -22; dy <= 22; dy++) {
            for (long dx = -22; dx <= 22; dx++) {
                const long at = within(i / 23 + dy, 17) * 23 + within(i % 23 + dx, 23);
                expected -= log_at(sigma, dx, dy) * (drawn.bytes[at] / 2);
            }
        }
        assert_true(fabs(made[i] - expected / SALIENCY_BINS) < 1e-9);
    }
}

#define LOBE 21 /* sqrt(8) of the largest sigma, and more */

TEST(each_lobe_has_the_integral_that_the_scale_divides_by) /* CS2 */
{
    static const struct {
        double sigma, sampled;
    } rows[] = {{1.5, 0.3206}, {3.0, 0.0815}, {6.0, 0.0204}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const double sigma = rows[r].sigma;
        double lobe = 0.0;
        OWNED(drawn_free) struct drawn drawn = drawn_make(LOBE, LOBE, 1);
        double made[LOBE * LOBE];
        memset(drawn.bytes, 2, LOBE * LOBE); /* bin 1, and one pixel of bin 0 */
        drawn.bytes[LOBE * LOBE / 2] = 0;
        define(&drawn, 0, sigma, SALIENCY_SIGNED, made);
        for (size_t i = 0; i < LOBE * LOBE; i++) {
            lobe += made[i] > 0.0 ? made[i] : 0.0;
        }
        lobe *= SALIENCY_BINS * 2.0 / (M_E * sigma * sigma);
        assert_true(fabs(lobe - rows[r].sampled) < 0.5e-4);
        assert_true(fabs(lobe * M_E * sigma * sigma / 2.0 - 1.0) < 0.045 / (sigma * sigma));
    }
}

TEST(the_recursive_filters_have_the_published_coefficients) /* CS3 */
{
    static const struct {
        int derivative;
        double n[4], m[4];
    } rows[] = {
        {0, {.133361, -.167182, .094550, -.019853}, {.126159, -.170704, .096891, -.021090}},
        {2, {-.014957, .020470, -.009017, .002964}, {-.012429, .020733, -.010130, .002365}}};
    static const double d[4] = {-2.199601, 1.988997, -.875403, .158141};
    for (size_t r = 0; r < 2; r++) {
        struct csdd_recursive made;
        csdd_recursive_of(3.0, rows[r].derivative, &made);
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(made.causal[i] - rows[r].n[i]) < 1e-6);
            assert_true(fabs(made.anticausal[i] - rows[r].m[i]) < 1e-6);
            assert_true(fabs(made.feedback[i] - d[i]) < 1e-6);
        }
    }
}

/* ---- The library beside it */

/* In a photograph it is 3.6e-5 to 2.9e-4 (docs/saliency.md). */
#define RELATIVE_MOST 4e-4
#define WORST_MOST 1.2e-3
#define WORST_FAINT 1e-4 /* where responses are so small that a part of them says little */

struct errors {
    double squares, all, worst;
};

/* At samples of the scale's level, a step apart: between them it is interpolated. */
static void compare(const struct drawn *drawn, const float *made, double sigma,
                    struct errors *errors)
{
    const size_t count = (size_t)drawn->width * drawn->height;
    OWNED(owned_test_free) double *channel = test_calloc(count, sizeof *channel);
    OWNED(owned_test_free) double *sum = test_calloc(count, sizeof *sum);
    const uint32_t step = sigma < 3.99 ? 1 : sigma < 7.99 ? 2 : sigma < 15.99 ? 4 : 8;
    for (uint32_t c = 0; c < (drawn->colors == 1 ? 1 : SALIENCY_CHANNELS); c++) {
        define(drawn, c, sigma, SALIENCY_ABSOLUTE, channel);
        for (size_t i = 0; i < count; i++) {
            assert_true(channel[i] >= 0.0 && channel[i] <= 1.0); /* CS10 */
            sum[i] += channel[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        const double error = (double)made[i] - sum[i];
        if (i % drawn->width % step == 0 && i / drawn->width % step == 0) {
            errors->squares += error * error;
            errors->all += sum[i] * sum[i];
            errors->worst = fmax(errors->worst, fabs(error));
        }
    }
}

/* A sanitizer makes the definition fifty times as slow: it gets smaller pictures, and a third of
 * the scales at each commit. */
#if TEST_SANITIZED
#define TURNS 3
static const uint32_t sizes[][3] = {{31, 26, 3}, {17, 40, 1}, {5, 3, 3}};
#else
#define TURNS 1
static const uint32_t sizes[][3] = {{70, 52, 3}, {33, 90, 1}, {5, 3, 3}};
#endif

TEST(responses_are_those_of_the_definition) /* CS4, CS10 */
{
    for (size_t r = 0; r < 3; r++) {
        OWNED(drawn_free) struct drawn drawn = draw_waves(sizes[r][0], sizes[r][1], sizes[r][2]);
        char said[RECORDED_WORDS] = "";
        struct fovea_blobs_desc desc = desc_of(11);
        desc.log = (struct fovea_log){recorded_words, said, FOVEA_LOG_ERROR};
        const struct fovea_image image = image_of(&drawn);
        const ptrdiff_t pitch = (ptrdiff_t)(drawn.width * sizeof(float));
        OWNED(owned_test_free)
        float *made = test_calloc((size_t)drawn.width * drawn.height, sizeof *made);
        struct fovea_blob found[BLOBS];
        OWNED(fovea_blobs_destroy) struct fovea_blobs *blobs = NULL;
        uint32_t count = 0;
        assert_ok(fovea_blobs_create(&desc, &blobs));
        assert_int_equal(fovea_blobs_response(blobs, 0, made, pitch), FOVEA_ERROR_INVALID_STATE);
        assert_ok(blobs_run(blobs, &image, 1, 0, found, &count));
        for (uint32_t k = 0; k < desc.scale_count; k++) {
            const double sigma = 2.0 * pow(2.0, k / 3.0);
            struct errors errors = {0};
            assert_ok(fovea_blobs_response(blobs, k, made, pitch));
            if (!test_turn((int)k, (int)desc.scale_count, TURNS)) {
                continue;
            }
            compare(&drawn, made, sigma, &errors);
            const double relative = sqrt(errors.squares / errors.all);
            if (errors.worst > (relative > RELATIVE_MOST ? WORST_FAINT : WORST_MOST)) {
                fail_msg("%ux%u, sigma %.2f: %.2g relative, %.2g at worst", drawn.width,
                         drawn.height, sigma, relative, errors.worst);
            }
        }
        assert_int_equal(fovea_blobs_response(blobs, desc.scale_count, made, pitch),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        assert_int_equal(fovea_blobs_response(blobs, 0, made, 4 - pitch),
                         FOVEA_ERROR_INVALID_ARGUMENT); /* rows over each other */
        assert_non_null(strstr(said, "row_stride_bytes"));
    }
}

static int32_t sum_of(const int32_t *line, int32_t reach, bool absolute)
{
    int32_t sum = absolute ? abs(line[0]) : line[0];
    for (int32_t i = 1; i <= reach; i++) {
        assert_true(abs(line[i]) <= 2048); /* a half */
        sum += 2 * (absolute ? abs(line[i]) : line[i]);
    }
    return sum;
}

/* Returns the most that a row's sum comes to once it is rounded, where weights come to so much
 * without their signs. */
static int32_t row_most(int32_t weights)
{
    return (weights * SALIENCY_SAMPLE_MIDDLE + (1 << (SALIENCY_ROW_SHIFT - 1))) >>
           SALIENCY_ROW_SHIFT;
}

#define EXACT (1 << 24) /* in floats, in whatever order */

static void assert_exact_coarse(const struct saliency_scale *scale, int32_t p, int32_t q)
{
    assert_true(scale->reach <= SALIENCY_COARSE_REACH);
    assert_true(p * SALIENCY_SAMPLE_MIDDLE + (1 << (SALIENCY_ROW_SHIFT - 1)) <= EXACT);
    assert_true(row_most(p) <= 2048 && row_most(q) <= 2048);
    assert_true(2 * q * SALIENCY_SAMPLE_MIDDLE < EXACT); /* with half a unit more, on CUDA */
    assert_true(q * row_most(p) + p * row_most(q) <= EXACT);
}

/* Sums of p along a row are counted from the middle on. */
static void assert_exact_fine(const struct saliency_scale *scale, int32_t p, int32_t q)
{
    assert_true(scale->reach <= SALIENCY_FINE_REACH);
    assert_true(p % 2 == 0 && p <= SALIENCY_FINE_SUM && p / 2 <= 2048 && q / 2 <= 2048);
    assert_true(q * (p / 2) + p * (q / 2) <= EXACT);
}

static void assert_exact_sums(const struct saliency_numbers *numbers)
{
    OWNED(saliency_plan_destroy) struct saliency_plan *plan = NULL;
    assert_ok(saliency_plan_create(numbers, 64, 48, &plan));
    for (uint32_t k = 0; k < numbers->scale_count; k++) {
        const struct saliency_scale *scale = &plan->scales[k];
        const int32_t p = sum_of(scale->p, scale->reach, true);
        const int32_t q = sum_of(scale->q, scale->reach, true);
        assert_true(abs(scale->p[0]) <= 2048 && abs(scale->q[0]) <= 2048);
        assert_true(sum_of(scale->p, scale->reach, false) <= SALIENCY_COARSE_SUM);
        assert_int_equal(sum_of(scale->q, scale->reach, false), 0);
        if (scale->kernels) {
            assert_exact_fine(scale, p, q);
        } else {
            assert_exact_coarse(scale, p, q);
        }
    }
}

/* Sigmas go in small steps to 25 px, and in those of scales to the largest that there may be. */
TEST(sums_are_exact_in_floats)
{
    for (int i = 0; i < 60; i++) {
        const struct saliency_numbers numbers = {9, BLOBS, 1.0 + 0.05 * i, 0.05, 0.5};
        assert_exact_sums(&numbers);
    }
    assert_exact_sums(&(struct saliency_numbers){25, BLOBS, 4.0, 0.05, 0.5});
    assert_exact_sums(&(struct saliency_numbers){25, BLOBS, 64.0, 0.05, 0.5});
}

struct variant {
    const struct saliency_loops *loops;
    uint32_t threads;
    bool every_plane;
};

/* All bits of the responses and of the list, as one number. */
static uint64_t bits_of(const struct drawn *drawn, const struct variant *variant)
{
    const struct saliency_numbers numbers = {14, BLOBS, 2.0, 0.05, 0.5};
    const struct fovea_image image = image_of(drawn);
    struct fovea_blob found[BLOBS] = {0};
    struct thread_pool *pool = NULL;
    struct saliency_plan *plan = NULL;
    struct saliency_cpu *cpu = NULL;
    uint64_t bits = 0;
    assert_ok(thread_pool_create(variant->threads, &pool));
    assert_ok(saliency_plan_create(&numbers, drawn->width, drawn->height, &plan));
    assert_ok(saliency_cpu_create(plan, pool, drawn->colors, &cpu));
    cpu->loops = variant->loops ? variant->loops : cpu->loops;
    cpu->adds_every_plane = variant->every_plane;
    assert_true(saliency_cpu_run(cpu, &image, found) > 20);
    for (size_t i = 0; i < plan->response_count; i++) {
        bits = bits * UINT64_C(1099511628211) + (uint32_t)cpu->response[i];
    }
    for (size_t i = 0; i < sizeof found; i++) {
        bits = bits * UINT64_C(1099511628211) + ((const unsigned char *)found)[i];
    }
    saliency_cpu_destroy(&cpu);
    saliency_plan_destroy(&plan);
    thread_pool_destroy(&pool);
    return bits;
}

TEST(every_processor_and_every_plane_give_the_same_bits) /* CS8 */
{
    OWNED(drawn_free) struct drawn drawn = draw_waves(300, 150, 3);
    const struct variant variants[] = {
        {NULL, 1, false},
        {NULL, 2, true},
        {&saliency_loops_base, 2, false},
#ifdef SALIENCY_HAVE_AVX2
        {__builtin_cpu_supports("avx2") ? &saliency_loops_avx2 : NULL, 2, false},
#endif
    };
    /* Large areas of one colour: planes that tiles do not have. */
    for (uint32_t i = 0; i < 300 * 60; i++) {
        memset(drawn.bytes + 3 * (size_t)(i / 300 * 300 + i % 300), 40 + (int)(i % 300) / 100, 3);
    }
    const uint64_t first = bits_of(&drawn, &variants[0]);
    for (size_t i = 1; i < sizeof variants / sizeof variants[0]; i++) {
        assert_int_equal(bits_of(&drawn, &variants[i]), first);
    }
}
