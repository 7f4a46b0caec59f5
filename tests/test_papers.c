/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* bench/foveation_paper/, bench/blur_thesis/ and bench/csdd_thesis/ compare kernels with these,
 * which are held against what the paper and the theses print, closed forms and definitions. */

#include "bench/blur_thesis/exact.h"
#include "bench/csdd_thesis/csdd_plan.h"
#include "bench/foveation_paper/plan.h"
#include "cmocka_all.h"
#include "kernels/saliency/saliency.h"

#define SIDE 128

static struct foveation_plan *plan_of(int32_t width_px, int32_t height_px, int32_t fragment_px)
{
    struct foveation_plan *plan = malloc(sizeof *plan);
    const struct foveation_plan_desc desc = {.width_px = width_px,
                                             .height_px = height_px,
                                             .fragment_px = fragment_px,
                                             .strength = 1.0,
                                             .gaze_px = {width_px / 2.0, height_px / 2.0}};
    assert_non_null(plan);
    assert_true(foveation_plan_make(&desc, plan));
    return plan;
}

static void drop(struct foveation_plan *plan)
{
    foveation_plan_free(plan);
    free(plan);
}

TEST(the_paper_has_26_regions_at_1080p)
{
    static const struct {
        int32_t width, height, fragment, regions;
    } cases[] = {{1920, 1080, 32, 26},
                 {1920, 1080, 16, 50},
                 {1920, 1080, 8, 99},
                 {2560, 1440, 32, 34},
                 {3840, 2160, 32, 50}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct foveation_plan *plan = plan_of(cases[i].width, cases[i].height, cases[i].fragment);
        assert_int_equal(plan->filters + 1, cases[i].regions);
        drop(plan);
    }
}

TEST(sigma_is_the_papers_in_every_ring)
{
    struct foveation_plan *plan = plan_of(1920, 1080, 32);
    assert_true(fabs(foveation_sigma_px(&plan->law, 38.4) - 0.612) < 0.0006);
    assert_true(fabs(foveation_sigma_px(&plan->law, 531.2) - 5.347) < 0.0006);
    assert_true(fabs(foveation_sigma_px(&plan->law, 1096.3) - 10.776) < 0.0006);
    assert_int_equal(plan->longest, 65);
    drop(plan);
}

TEST(one_fragment_is_copied_and_lies_around_the_gaze)
{
    struct foveation_plan *plan = plan_of(1920, 1080, 32);
    int copies = 0;
    for (int32_t i = 0; i < plan->columns * plan->rows; i++) {
        copies += plan->grid[i] == 0;
    }
    assert_int_equal(copies, 1);
    assert_int_equal(plan->columns, 61);
    assert_int_equal(plan->rows, 35);
    assert_int_equal(
        plan->grid[(540 - plan->first_y_px) / 32 * plan->columns + (960 - plan->first_x_px) / 32],
        0);
    drop(plan);
}

/* Second moment along x of what an impulse in the middle becomes. */
static double sigma_of(const double *made, double *out_sum)
{
    double sum = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        sum += made[i];
        mean += made[i] * (i % SIDE);
        square += made[i] * (i % SIDE) * (i % SIDE);
    }
    *out_sum = sum;
    mean /= sum;
    return sqrt(square / sum - mean * mean);
}

static float *impulse_at(int32_t x, int32_t y)
{
    float *src = test_memory((size_t)SIDE * SIDE * 4, sizeof *src);
    src[((size_t)y * SIDE + (size_t)x) * 4] = 1.0f;
    return src;
}

static double sigma_at_pixels(const struct exact_blur *blur, double *out_sum)
{
    OWNED(owned_free) float *src = impulse_at(SIDE / 2, SIDE / 2);
    OWNED(owned_free) double *made = calloc((size_t)SIDE * SIDE, sizeof *made);
    assert_non_null(made);
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        const int32_t x = i % SIDE;
        const int32_t y = i / SIDE;
        if (abs(x - SIDE / 2) < 14 && abs(y - SIDE / 2) < 14) {
            made[i] = exact_at(blur, src, SIDE, x, y, 0);
        }
    }
    const double sigma = sigma_of(made, out_sum);
    return sigma;
}

TEST(boxes_tents_and_diffusion_have_the_sigmas_of_their_closed_forms)
{
    static const int32_t nines[] = {9, 9, 9};
    const struct {
        struct exact_blur blur;
        double sigma;
    } cases[] = {{exact_boxes(nines, 3), sqrt(3.0 * 80.0 / 12.0)},
                 {exact_boxes(nines, 1), sqrt(80.0 / 12.0)},
                 {exact_tent(7), sqrt(48.0 / 6.0)},
                 {{.kind = EXACT_DIFFUSION, .levels = 10}, sqrt(5.0)}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double sum = 0.0;
        assert_true(fabs(sigma_at_pixels(&cases[i].blur, &sum) - cases[i].sigma) < 1e-6);
        assert_true(fabs(sum - 1.0) < 1e-9);
    }
}

/* A pyramid's kernel differs by where the impulse lies: the mean over all of a coarse pixel. */
static double pyramid_sigma(enum exact_pyramid kind, int32_t levels)
{
    const struct exact_blur blur = {.kind = EXACT_PYRAMID, .pyramid = kind, .levels = levels};
    const int32_t phases = 1 << levels;
    double variance = 0.0;
    double weights = 0.0;
    for (int32_t phase = 0; phase < phases; phase++) {
        double sum = 0.0;
        const int32_t at = SIDE / 2 + phase;
        OWNED(owned_free) float *src = impulse_at(at, SIDE / 2);
        OWNED(owned_free) double *made = exact_pyramid_of(&blur, src, SIDE, 0);
        assert_non_null(made);
        for (int32_t i = 0; i < SIDE * SIDE; i++) {
            variance += made[i] * (i % SIDE - at) * (i % SIDE - at);
            sum += made[i];
        }
        weights += sum;
    }
    return sqrt(variance / weights);
}

TEST(pyramids_have_the_sigmas_of_their_closed_form)
{
    static const enum exact_pyramid kinds[] = {PYRAMID_BOX_2, PYRAMID_QUASI, PYRAMID_BOX_4};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int32_t levels = 1; levels <= 3; levels++) {
            const double expected = exact_pyramid_sigma(kinds[i], levels);
            assert_true(fabs(pyramid_sigma(kinds[i], levels) / expected - 1.0) < 1e-3);
        }
    }
    assert_true(fabs(exact_pyramid_sigma(PYRAMID_QUASI, 3) - 6.170) < 0.001);
}

/* ---- CSDD */

TEST(blocks_are_as_active_as_in_table_4_1)
{
    static const struct {
        int32_t threads, warps[2], blocks[2]; /* of kernels 1 and 2, of kernel 3 */
    } rows[] = {{64, {16, 16}, {8, 8}},  {128, {24, 32}, {6, 8}}, {192, {24, 30}, {4, 5}},
                {256, {24, 32}, {3, 4}}, {320, {20, 30}, {2, 3}}, {384, {24, 24}, {2, 2}},
                {512, {16, 32}, {1, 2}}};
    static const struct csdd_use uses[] = {{20, 368}, {8, 64}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const struct csdd_use *use = &uses[i % 2];
        const int32_t threads = rows[i / 2].threads;
        assert_int_equal(csdd_active_blocks(&csdd_gtx280, use, threads), rows[i / 2].blocks[i % 2]);
        assert_int_equal(csdd_active_warps(&csdd_gtx280, use, threads), rows[i / 2].warps[i % 2]);
    }
    assert_int_equal(csdd_most_threads(&csdd_gtx280, &uses[0]), 256);
}

TEST(padding_and_streams_are_those_of_table_4_2)
{
    static const struct {
        int32_t size[2], threads[2], padding[2], streams;
    } rows[] = {{{320, 240}, {64, 256}, {0, 16}, 1},   {{240, 380}, {256, 192}, {16, 4}, 1},
                {{512, 256}, {256, 256}, {0, 0}, 1},   {{576, 512}, {192, 256}, {0, 0}, 2},
                {{480, 640}, {256, 128}, {32, 0}, 2},  {{512, 768}, {256, 256}, {0, 0}, 2},
                {{800, 600}, {64, 128}, {32, 40}, 2},  {{768, 768}, {256, 256}, {0, 0}, 4},
                {{1280, 1024}, {256, 256}, {0, 0}, 8}, {{1600, 1200}, {64, 64}, {0, 16}, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t pixels = 1;
        for (int k = 0; k < 2; k++) {
            const int32_t threads = csdd_threads(rows[i].size[k], 256);
            const int32_t padded = csdd_padded(rows[i].size[k], threads);
            assert_int_equal(threads, rows[i].threads[k]);
            assert_int_equal(padded - rows[i].size[k], rows[i].padding[k]);
            pixels *= padded;
        }
        assert_int_equal(csdd_streams(pixels, (int64_t)1 << 30), rows[i].streams);
    }
}

/* A disc and a slope: Deriche's filters are some thousandths off. */
TEST(the_thesiss_filters_are_near_the_definition)
{
    enum { ROWS = 40, COLUMNS = 52, COUNT = ROWS * COLUMNS };
    const double sigma_px = 3.0;
    static double levels[COUNT], exact[COUNT], made[COUNT], work[3 * COUNT];
    static float bins[COUNT];
    struct csdd_thesis_filter filters[2];
    double off = 0.0;
    double all = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const bool disc = hypot(i % COLUMNS - 25.0, (double)(i / COLUMNS) - 19.0) < 7.0;
        levels[i] = disc ? 200.0 : 2.0 * (i % COLUMNS);
        bins[i % COLUMNS * ROWS + i / COLUMNS] = floorf((float)levels[i] / 2.0f);
    }
    const struct saliency_picture picture = {levels, COLUMNS, ROWS, 1, 255.0};
    assert_int_equal(saliency_reference(&picture, 0, sigma_px, SALIENCY_ABSOLUTE, exact), FOVEA_OK);
    csdd_filters(sigma_px, filters);
    struct csdd_cpu cpu = {bins, ROWS, COLUMNS, filters, work, work + COUNT, work + 2 * COUNT, {0}};
    for (int bin = 0; bin < CSDD_THESIS_BINS; bin++) {
        csdd_cpu_add(&cpu, bin, csdd_factor(sigma_px), made);
    }
    for (int i = 0; i < COUNT; i++) {
        const double is = exact[i];
        off += pow(made[i % COLUMNS * ROWS + i / COLUMNS] - is, 2.0);
        all += is * is;
    }
    assert_true(sqrt(off / all) > 1e-3 && sqrt(off / all) < 1.2e-2);
}
