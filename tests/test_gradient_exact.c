/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of foveation and of the operator blur against the double-precision reference, and
 * against differences of the frames that the library makes. */

#include "sanitized.h"
#include "test_context_support.h"
#include "test_foveate_support.h"
#include "test_gradient_support.h"

#include "kernels/operator/gaze.h"
#include "sheet.h"

/* Parts of the largest derivative: what interpolated nodes are off by, and rounding of halves. */
#define IMAGE_BUDGET 1e-3
#define HALF_BUDGET 2e-3
/* The reference cuts this off its filters, besides. */
#define BLOCKWISE_BUDGET 4e-3
/* A part of the root of the sum of the squares of what pixels add. */
#define GAZE_BUDGET 2e-2
/* A part of the largest derivative: what interpolated nodes' slopes are off by. */
#define SIGMA_BUDGET 1e-2
#define ROUNDING 1e-5 /* of values near 1 that cancel each other, as in a picture of one pixel */

struct kind {
    struct fovea_foveation foveation;
    uint32_t width_px, height_px;
    enum fovea_format format;
    uint32_t fovea_count; /* 0: one */
    float gazes_uv[2 * FOVEA_FOVEAS_MAX];
    bool rough; /* every pixel for itself; else smooth shades */
    double blur_px; /* the operator blur's sigma; 0: foveate runs */
    enum fovea_format sigmas; /* each pixel has one, up to that; NONE: none of its own */
};

static void draw(const struct fovea_image *image, bool rough, uint32_t seed)
{
    for (uint32_t i = 0; i < image->width_px * image->height_px; i++) {
        const uint32_t x = i % image->width_px;
        const uint32_t y = i / image->width_px;
        for (uint32_t c = 0; c < image_channels(image->format); c++) {
            const uint32_t hash = (i * 4 + c + 1) * 2654435761u + seed * 40503u;
            const double noise = ((hash ^ hash >> 15) * 2246822519u >> 8) / 16777216.0 - 0.5;
            const double shade = sin(0.31 * x + 0.17 * y + seed + c) * cos(0.23 * y - 0.07 * x);
            image_set(image, x, y, c, rough ? noise : shade + 0.1 * noise);
        }
    }
}

struct bench {
    struct said said;
    struct fovea_context *context;
    struct test_image src, d_dst, d_src, dst, sigmas;
    float d_gazes[2 * FOVEA_FOVEAS_MAX];
    float *d_sigmas; /* of the operator blur; NULL: another one runs */
    enum fovea_method method;
};

/* Some are larger than what counts, and some nothing. */
static void draw_sigmas(const struct fovea_image *image, double most_px)
{
    static const double odd[] = {NAN, -2.0, 0.0, 0.05, INFINITY};
    for (uint32_t i = 0; i < image->width_px * image->height_px; i++) {
        const uint32_t hash = (i + 1) * 2654435761u;
        const double part = ((hash ^ hash >> 15) * 2246822519u >> 8) / 16777216.0;
        const double sigma = hash % 7 ? 1.1 * most_px * part : odd[hash / 7 % 5];
        image_set(image, i % image->width_px, i / image->width_px, 0, sigma);
    }
}

static void blur(struct fovea_settings *settings, const struct kind *kind)
{
    settings->operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
    settings->own.blur_sigma_px = kind->sigmas ? 3.0 : kind->blur_px;
    settings->own.blur_sigma_max_px = kind->blur_px;
}

static void bench_make(struct bench *b, const struct kind *kind)
{
    struct fovea_settings settings = fovea_settings_default();
    *b = (struct bench){0};
    settings.foveation = kind->foveation;
    settings.cpu_threads = 2;
    b->method = kind->foveation.method;
    if (kind->blur_px > 0.0) {
        blur(&settings, kind);
        b->d_sigmas = test_memory((size_t)kind->width_px * kind->height_px, sizeof *b->d_sigmas);
    }
    b->context = context_of(&settings, &b->said);
    b->src = image_make_packed(kind->width_px, kind->height_px, kind->format);
    b->dst = image_make_packed(kind->width_px, kind->height_px, kind->format);
    b->d_dst = image_make(kind->width_px, kind->height_px, kind->format,
                          (struct image_layout){.bottom_up = true, .row_gap = 3});
    b->d_src = image_make(kind->width_px, kind->height_px, kind->format,
                          (struct image_layout){.row_gap = 1, .pixel_gap = 2});
    if (kind->sigmas) {
        b->sigmas = image_make(kind->width_px, kind->height_px, kind->sigmas,
                               (struct image_layout){.bottom_up = true, .row_gap = 1});
        draw_sigmas(&b->sigmas.view, kind->blur_px);
    }
    draw(&b->src.view, false, 1);
    draw(&b->d_dst.view, kind->rough, 2);
}

static void bench_free(struct bench *b)
{
    fovea_context_destroy(&b->context);
    image_free(&b->src);
    image_free(&b->dst);
    image_free(&b->d_dst);
    image_free(&b->d_src);
    if (b->sigmas.memory) {
        image_free(&b->sigmas);
    }
    free(b->d_sigmas);
}

static void run(struct bench *b, const struct kind *kind)
{
    struct fovea_batch_gradient batch;
    fovea_batch_gradient_init(&batch);
    batch.count = 1;
    batch.src = b->src.view;
    batch.d_dst = b->d_dst.view;
    batch.d_src = b->d_src.view;
    batch.gazes_uv = kind->gazes_uv;
    batch.d_gazes_uv = b->d_gazes;
    batch.fovea_count = kind->fovea_count;
    batch.sigmas = b->sigmas.view;
    batch.d_sigmas = b->d_sigmas;
    assert_that(fovea_context_run_batch_gradient(b->context, &batch, NULL) == FOVEA_OK, "%s",
                b->said.last);
    assert_true(image_guards_intact(&b->d_src));
}

static double largest_of(const double *values, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

static double worst_image, worst_blockwise, worst_gaze,
    worst_sigma; /* printed, for docs/images.md */

static void assert_image(const struct bench *b, const double *expected, const char *what)
{
    const struct fovea_image *view = &b->d_src.view;
    const size_t count = (size_t)view->width_px * view->height_px * image_channels(view->format);
    const double largest = largest_of(expected, count);
    OWNED(owned_free) double *got = image_to_doubles(view);
    double worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double off = fabs(got[i] - expected[i]);
        worst = off > worst || isnan(off) ? off : worst;
    }
    const bool blockwise = b->method == FOVEA_METHOD_BLOCKWISE;
    const double budget = image_is_half(view->format) ? HALF_BUDGET
                          : blockwise                 ? BLOCKWISE_BUDGET
                                                      : IMAGE_BUDGET;
    if (!image_is_half(view->format)) {
        double *so_far = blockwise ? &worst_blockwise : &worst_image;
        *so_far = fmax(*so_far, worst / largest);
    }
    assert_that(worst <= budget * largest, "%s: %g of %g off, %g", what, worst, largest,
                worst / largest);
}

static struct gradient_case case_of(const struct kind *kind)
{
    struct gradient_case c = {.foveation = &kind->foveation,
                              .width_px = kind->width_px,
                              .height_px = kind->height_px,
                              .channels = image_channels(kind->format),
                              .fovea_count = kind->fovea_count > 0 ? kind->fovea_count : 1};
    for (uint32_t i = 0; i < 2 * c.fovea_count; i++) {
        const int32_t size_px = (int32_t)(i % 2 ? kind->height_px : kind->width_px);
        c.foveas_px[i] = gaze_to_q8((double)kind->gazes_uv[i], size_px) / 256.0;
    }
    return c;
}

static void assert_gazes(const struct bench *b, const struct kind *kind, const double *src,
                         const double *d_dst, const char *what)
{
    const struct gradient_case c = case_of(kind);
    double expected[2 * FOVEA_FOVEAS_MAX];
    double scale = 0.0;
    double tied = 0.0;
    gradient_of_gazes(&c, src, d_dst, expected, &scale, &tied);
    for (uint32_t i = 0; i < 2 * c.fovea_count; i++) {
        const double got = (double)b->d_gazes[i] / (i % 2 ? kind->height_px : kind->width_px);
        const double off = fabs(got - expected[i]);
        assert_that(off <= GAZE_BUDGET * scale + tied + 1e-7,
                    "%s: %s of fovea %u is %g px; expected %g; scale %g: %g, tied %g", what,
                    i % 2 ? "y" : "x", i / 2, got, expected[i], scale, off / scale, tied);
        worst_gaze = scale > 1e-4 ? fmax(worst_gaze, (off - tied) / scale) : worst_gaze;
    }
}

static void check(const struct kind *kind)
{
    const char *what =
        test_text("%ux%u format %d model %d method %d strength %g, %u foveas at %g,%g",
                  kind->width_px, kind->height_px, (int)kind->format, (int)kind->foveation.model,
                  (int)kind->foveation.method, kind->foveation.strength, kind->fovea_count,
                  (double)kind->gazes_uv[0], (double)kind->gazes_uv[1]);
    OWNED(bench_free) struct bench b;
    bench_make(&b, kind);
    const struct gradient_case c = case_of(kind);
    OWNED(owned_free) double *src = image_to_doubles(&b.src.view);
    OWNED(owned_free) double *d_dst = image_to_doubles(&b.d_dst.view);
    OWNED(owned_free)
    double *expected = test_memory((size_t)kind->width_px * kind->height_px * 4, sizeof *expected);
    run(&b, kind);
    if (kind->foveation.method == FOVEA_METHOD_SMOOTH) {
        gradient_of_image(&c, d_dst, expected);
    } else {
        gradient_by_impulses(&c, d_dst, expected);
    }
    assert_image(&b, expected, what);
    assert_gazes(&b, kind, src, d_dst, what);
    assert_silent(&b.said);
}

/* ---- The operator blur */

/* Sigma of each pixel as blur.h has it. */
static double *blurred_by(const struct bench *b, const struct kind *kind)
{
    const size_t count = (size_t)kind->width_px * kind->height_px;
    double *sigmas =
        kind->sigmas ? image_to_doubles(&b->sigmas.view) : test_memory(count, sizeof *sigmas);
    for (size_t i = 0; i < count; i++) {
        const double sigma = kind->sigmas ? sigmas[i] : kind->blur_px;
        sigmas[i] = sigma >= 0.1 ? fmin(sigma, kind->blur_px) : 0.0;
    }
    return sigmas;
}

/* A sigma beyond the largest counts as the largest, whatever it is. */
static void assert_sigmas(const struct bench *b, const struct kind *kind,
                          const struct gradient_case *c, const double *d_dst, const char *what)
{
    const size_t count = (size_t)kind->width_px * kind->height_px;
    OWNED(owned_free) double *src = image_to_doubles(&b->src.view);
    OWNED(owned_free) double *given = kind->sigmas ? image_to_doubles(&b->sigmas.view) : NULL;
    OWNED(owned_free) double *expected = test_memory(count, sizeof *expected);
    gradient_of_sigmas(c, src, d_dst, expected);
    const double largest = largest_of(expected, count);
    for (size_t i = 0; i < count; i++) {
        const bool counts = !given || given[i] <= kind->blur_px;
        const double off = fabs((double)b->d_sigmas[i] - (counts ? expected[i] : 0.0));
        assert_that(off <= SIGMA_BUDGET * largest + ROUNDING,
                    "%s: sigma %g of pixel %zu has %g; expected %g of at most %g", what,
                    c->sigmas_px[i], i, (double)b->d_sigmas[i], expected[i], largest);
        worst_sigma = largest > 1e-4 ? fmax(worst_sigma, off / largest) : worst_sigma;
    }
}

static void check_blur(const struct kind *kind)
{
    const char *what =
        test_text("blur %g, sigmas %d, %ux%u format %d", kind->blur_px, (int)kind->sigmas,
                  kind->width_px, kind->height_px, (int)kind->format);
    OWNED(bench_free) struct bench b;
    bench_make(&b, kind);
    OWNED(owned_free) double *sigmas = blurred_by(&b, kind);
    OWNED(owned_free) double *d_dst = image_to_doubles(&b.d_dst.view);
    OWNED(owned_free)
    double *expected = test_memory((size_t)kind->width_px * kind->height_px * 4, sizeof *expected);
    struct gradient_case c = case_of(kind);
    c.sigmas_px = sigmas;
    memset(b.d_gazes, 0xff, sizeof b.d_gazes);
    run(&b, kind);
    gradient_of_image(&c, d_dst, expected);
    assert_image(&b, expected, what);
    assert_sigmas(&b, kind, &c, d_dst, what);
    for (uint32_t i = 0; i < 2 * c.fovea_count; i++) {
        assert_true(b.d_gazes[i] == 0.0f);
    }
    assert_silent(&b.said);
}

/* ---- Against the reference */

static struct fovea_foveation law_of(enum fovea_model model)
{
    struct fovea_foveation settings = fovea_settings_default().foveation;
    settings.model = model;
    settings.method = FOVEA_METHOD_SMOOTH;
    settings.curve = smooth_settings(model).curve;
    settings.map = map_settings(FOVEA_MAP_ARRAY).map;
    settings.map.serial = 0;
    settings.geometry.ppd = model == FOVEA_MODEL_MAP ? 2.0 : 3.0;
    return settings;
}

static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
                                            FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGBA16F,
                                            FOVEA_FORMAT_RGB16F,  FOVEA_FORMAT_R16F};
static const float gazes[][2] = {{0.5f, 0.5f}, {0.13f, 0.81f}, {1.2f, -0.15f}, {0.93f, 0.08f}};

/* So many foveas, of which the last but one asks for what the first does where there are four. */
static void look(struct kind *kind, size_t i, uint32_t fovea_count)
{
    kind->fovea_count = fovea_count;
    for (uint32_t k = 0; k == 0 || k < fovea_count; k++) {
        const uint32_t own = k == 2 && fovea_count == 4 ? 0 : k;
        kind->gazes_uv[2 * k] = gazes[(i + own) % 4][0];
        kind->gazes_uv[2 * k + 1] = gazes[(i / 3 + own) % 4][1];
    }
}

TEST(every_law_and_format)
{
    static const uint32_t sizes[][2] = {{84, 84}, {61, 37}, {33, 97}, {1, 1},  {1, 40},
                                        {40, 1},  {2, 3},   {17, 16}, {96, 64}};
    for (size_t i = (size_t)test_first(36); i < 36; i += TEST_STEP(i)) {
        struct kind kind = {.foveation = law_of((enum fovea_model)(i % 4)),
                            .width_px = sizes[i % 9][0],
                            .height_px = sizes[i % 9][1],
                            .format = formats[i % 6],
                            .rough = i % 5 < 3};
        kind.foveation.strength = 0.5 + 0.4 * (double)(i % 4);
        kind.foveation.alpha = (enum fovea_alpha)(i / 2 % 2);
        look(&kind, i, (uint32_t)(i / 2 % (FOVEA_FOVEAS_MAX + 1)));
        check(&kind);
    }
}

TEST(large_sigmas_from_coarse_levels)
{
    static const double strengths[] = {2.0, 4.0, 8.0};
    for (size_t i = (size_t)test_first(3); i < 3; i += TEST_STEP(i)) {
        struct kind kind = {.foveation = law_of(FOVEA_MODEL_PAPER),
                            .width_px = 96,
                            .height_px = 72,
                            .format = FOVEA_FORMAT_R32F,
                            .gazes_uv = {0.2f, 0.6f},
                            .rough = i % 2};
        kind.foveation.strength = strengths[i];
        check(&kind);
    }
}

TEST(a_large_picture)
{
    const struct kind kind = {.foveation = law_of(FOVEA_MODEL_PAPER),
                              .width_px = 256,
                              .height_px = 192,
                              .format = FOVEA_FORMAT_R32F,
                              .gazes_uv = {0.4f, 0.6f},
                              .rough = true};
    check(&kind);
}

TEST(blurs_of_one_sigma_and_by_pictures)
{
    static const uint32_t sizes[][2] = {{61, 37}, {1, 1}, {1, 40}, {17, 16}, {84, 84}, {40, 1}};
    static const enum fovea_format sigmas[] = {FOVEA_FORMAT_NONE, FOVEA_FORMAT_R32F,
                                               FOVEA_FORMAT_R16F};
    static const double most_px[] = {2.0, 0.05, 0.4, 9.0, 0.7, 30.0, 4.5, 1.3};
    for (size_t i = (size_t)test_first(48); i < 48; i += TEST_STEP(i)) {
        struct kind kind = {.foveation = law_of(FOVEA_MODEL_PAPER),
                            .width_px = sizes[i % 6][0],
                            .height_px = sizes[i % 6][1],
                            .format = formats[i / 2 % 6],
                            .rough = i % 5 < 3,
                            .blur_px = most_px[i % 8],
                            .sigmas = sigmas[i % 3],
                            .fovea_count = (uint32_t)i % 3};
        kind.foveation.alpha = (enum fovea_alpha)(i / 2 % 2);
        check_blur(&kind);
    }
}

TEST(blockwise_as_far_as_its_filters_reach)
{
    static const uint32_t sizes[][2] = {{29, 23}, {1, 17}, {40, 12}, {1, 1}};
    for (size_t i = (size_t)test_first(16); i < 16; i += TEST_STEP(i)) {
        struct kind kind = {.foveation = law_of((enum fovea_model)(i % 4)),
                            .width_px = sizes[i / 4][0],
                            .height_px = sizes[i / 4][1],
                            .format = i % 3 ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGBA32F,
                            .rough = true};
        kind.foveation.method = FOVEA_METHOD_BLOCKWISE;
        kind.foveation.paper.fragment_px = i % 2 ? 8 : 5;
        kind.foveation.strength = 0.7 + 0.5 * (double)(i % 3);
        look(&kind, i, (uint32_t)(i / 2 % (FOVEA_FOVEAS_MAX + 1)));
        check(&kind);
    }
}

int main(void)
{
    const int failed = tests_run(NULL, NULL);
    printf(
        "image %.2e of the largest (blockwise %.2e), gaze %.2e of the root of squares, sigma %.2e "
        "of the largest\n",
        worst_image, worst_blockwise, worst_gaze, worst_sigma);
    return failed;
}
