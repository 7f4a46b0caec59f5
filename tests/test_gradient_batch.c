/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context_run_batch_gradient: batches, strides and arguments; that it is the transpose of
 * fovea_context_run_batch, and goes the way that its frames go when the gaze moves. */

#include "test_context_support.h"

#include "compare.h"
#include "kernels/blur/blur.h"
#include "sheet.h"

#define COUNT 5

struct kind {
    enum fovea_model model;
    enum fovea_method method;
    enum fovea_format format;
    enum sheet_order order;
    uint32_t threads;
    uint32_t foveas; /* 0: one */
    uint32_t width_px, height_px;
    double blur_px; /* the operator blur's sigma, or its pictures' largest; 0: foveate runs */
    enum fovea_format sigmas; /* of its pictures; NONE: there are none */
};

static const struct kind usual = {.method = FOVEA_METHOD_SMOOTH,
                                  .format = FOVEA_FORMAT_RGB32F,
                                  .threads = 2,
                                  .width_px = 37,
                                  .height_px = 29};

struct scene {
    struct said said;
    struct fovea_context *context;
    struct sheet src, dst, d_dst, d_src, sigmas;
    struct fovea_batch_gradient batch;
    size_t numbers; /* of an image's gazes */
    float gazes_uv[2 * COUNT * FOVEA_FOVEAS_MAX];
    float d_gazes_uv[2 * COUNT * FOVEA_FOVEAS_MAX];
    float *d_sigmas; /* of a blur; NULL: of none */
};

/* Sines of a few pixels, and noise. */
static void draw(const struct sheet *sheet, uint32_t seed)
{
    for (uint32_t i = 0; i < sheet->count; i++) {
        const struct fovea_image image = sheet_image(sheet, i);
        for (uint32_t p = 0; p < image.width_px * image.height_px; p++) {
            const uint32_t x = p % image.width_px;
            const uint32_t y = p / image.width_px;
            for (uint32_t c = 0; c < image_channels(image.format); c++) {
                const uint32_t hash = ((p * 4 + c) * COUNT + i + seed) * 2654435761u;
                const double noise = ((hash ^ hash >> 15) * 2246822519u >> 8) / 16777216.0 - 0.5;
                const double shade = sin(0.4 * x + 0.3 * y + c + seed) * cos(0.5 * y - 0.2 * x + i);
                image_set(&image, x, y, c, shade + 0.2 * noise);
            }
        }
    }
}

static struct sheet sheet_of(const struct kind *kind, enum sheet_order order)
{
    return sheet_make(COUNT, kind->width_px, kind->height_px, kind->format, order);
}

/* Up to 1.5 times the largest. */
static void give_sigmas(struct scene *s, const struct kind *kind)
{
    s->sigmas =
        sheet_make(COUNT, kind->width_px, kind->height_px, kind->sigmas, SHEET_ORDER_COUNT - 1);
    draw(&s->sigmas, 3);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fovea_image image = sheet_image(&s->sigmas, i);
        for (uint32_t p = 0; p < image.width_px * image.height_px; p++) {
            const uint32_t x = p % image.width_px;
            const uint32_t y = p / image.width_px;
            const double part = image_get(&image, x, y, 0);
            image_set(&image, x, y, 0, 1.5 * kind->blur_px * part * part);
        }
    }
    s->batch.sigmas = s->sigmas.first;
    s->batch.sigmas_next_bytes = s->sigmas.next_bytes;
}

static struct scene *scene_make(struct kind kind)
{
    struct fovea_settings settings = fovea_settings_default();
    struct scene *s = test_memory(1, sizeof *s);
    settings.cpu_threads = kind.threads;
    settings.foveation.model = kind.model;
    settings.foveation.method = kind.method;
    settings.foveation.paper.fragment_px = 8;
    settings.foveation.geometry.ppd = 2.0;
    if (kind.blur_px > 0.0) {
        settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
        settings.own.blur_sigma_px = settings.own.blur_sigma_max_px = kind.blur_px;
    }
    s->context = context_of(&settings, &s->said);
    s->src = sheet_of(&kind, kind.order);
    s->dst = sheet_of(&kind, SHEET_STACKED);
    s->d_dst = sheet_of(&kind, (enum sheet_order)((kind.order + 1) % SHEET_ORDER_COUNT));
    s->d_src = sheet_of(&kind, (enum sheet_order)((kind.order + 2) % SHEET_ORDER_COUNT));
    draw(&s->src, 1);
    draw(&s->d_dst, 2);
    s->numbers = 2 * (size_t)(kind.foveas > 0 ? kind.foveas : 1);
    sheet_gazes(s->gazes_uv, COUNT * FOVEA_FOVEAS_MAX, 1);
    fovea_batch_gradient_init(&s->batch);
    s->batch.count = COUNT;
    s->batch.src = s->src.first;
    s->batch.d_dst = s->d_dst.first;
    s->batch.d_src = s->d_src.first;
    s->batch.src_next_bytes = s->src.next_bytes;
    s->batch.d_dst_next_bytes = s->d_dst.next_bytes;
    s->batch.d_src_next_bytes = s->d_src.next_bytes;
    s->batch.gazes_uv = s->gazes_uv;
    s->batch.d_gazes_uv = s->d_gazes_uv;
    s->batch.fovea_count = kind.foveas;
    if (kind.blur_px > 0.0) {
        s->batch.d_sigmas = s->d_sigmas =
            test_memory((size_t)COUNT * kind.width_px * kind.height_px, sizeof *s->d_sigmas);
    }
    if (kind.sigmas) {
        give_sigmas(s, &kind);
    }
    return s;
}

static void scene_free(struct scene **own)
{
    OWNED(owned_free) struct scene *s = *own;
    assert_silent(&s->said);
    fovea_context_destroy(&s->context);
    sheet_free(&s->src);
    sheet_free(&s->dst);
    sheet_free(&s->d_dst);
    sheet_free(&s->d_src);
    if (s->batch.sigmas.data) {
        sheet_free(&s->sigmas);
    }
    free(s->d_sigmas);
}

static void run(struct scene *s)
{
    assert_ok(fovea_context_run_batch_gradient(s->context, &s->batch, NULL));
    assert_true(image_guards_intact(&s->d_src.all));
}

/* ---- Batches */

/* Image i alone, from the scene's sheets into packed memory. */
static void assert_single(struct scene *s, uint32_t i)
{
    OWNED_IMAGE alone =
        image_make_packed(s->src.first.width_px, s->src.first.height_px, s->src.first.format);
    const struct fovea_image in_batch = sheet_image(&s->d_src, i);
    const size_t at = i * s->numbers;
    float d_gazes_uv[2 * FOVEA_FOVEAS_MAX];
    const size_t pixels = (size_t)in_batch.width_px * in_batch.height_px;
    OWNED(owned_free) float *d_sigmas = test_memory(pixels, sizeof *d_sigmas);
    struct fovea_batch_gradient single = s->batch;
    single.count = 1;
    single.d_sigmas = s->d_sigmas ? d_sigmas : NULL;
    single.src = sheet_image(&s->src, i);
    single.d_dst = sheet_image(&s->d_dst, i);
    single.d_src = alone.view;
    single.gazes_uv = s->gazes_uv + at;
    single.d_gazes_uv = d_gazes_uv;
    if (single.sigmas.data) {
        single.sigmas = sheet_image(&s->sigmas, i);
    }
    assert_ok(fovea_context_run_batch_gradient(s->context, &single, NULL));
    compare_assert_all_same(&in_batch, &alone.view, "alone");
    assert_memory_equal(d_gazes_uv, s->d_gazes_uv + at, s->numbers * sizeof(float));
    if (s->d_sigmas) {
        assert_memory_equal(d_sigmas, s->d_sigmas + i * pixels, pixels * sizeof(float));
    }
}

static void check_singles(struct kind kind)
{
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run(s);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_single(s, i);
    }
}

TEST(batches_are_as_single_images)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_R16F,    FOVEA_FORMAT_RGB16F,
                                                FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_R32F,
                                                FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_RGBA32F};
    for (int i = 0; i < 2 * 6 * SHEET_ORDER_COUNT; i++) {
        struct kind kind = usual;
        kind.method = i % 2 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        kind.format = formats[i / 2 % 6];
        kind.order = (enum sheet_order)(i / 12);
        kind.threads = 1 + (uint32_t)i % 3;
        kind.foveas = (uint32_t)i % (FOVEA_FOVEAS_MAX + 1);
        check_singles(kind);
    }
}

TEST(one_gradient_alone_is_as_both)
{
    struct kind kind = usual;
    OWNED(scene_free) struct scene *both = scene_make(kind);
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run(both);
    s->batch.d_gazes_uv = NULL;
    memset(&s->batch.src, 0, sizeof s->batch.src);
    run(s);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fovea_image got = sheet_image(&s->d_src, i);
        const struct fovea_image expected = sheet_image(&both->d_src, i);
        compare_assert_all_same(&got, &expected, "alone");
    }
    s->batch.src = s->src.first;
    s->batch.d_gazes_uv = s->d_gazes_uv;
    s->batch.d_src.data = NULL;
    run(s);
    assert_memory_equal(s->d_gazes_uv, both->d_gazes_uv, sizeof s->d_gazes_uv);
}

/* One src, one d_dst. */
TEST(one_picture_serves_all_gazes)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    s->batch.src_next_bytes = 0;
    s->batch.d_dst_next_bytes = 0;
    run(s);
    s->src.next_bytes = 0;
    s->d_dst.next_bytes = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_single(s, i);
    }
}

/* ---- Of the frames that there are */

static double dot(const struct fovea_image *a, const struct fovea_image *b)
{
    OWNED(owned_free) double *left = image_to_doubles(a);
    OWNED(owned_free) double *right = image_to_doubles(b);
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)a->width_px * a->height_px * image_channels(a->format); i++) {
        sum += left[i] * right[i];
    }
    return sum;
}

static void run_frames(struct scene *s)
{
    const struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                      .count = COUNT,
                                      .src = s->src.first,
                                      .dst = s->dst.first,
                                      .src_next_bytes = s->src.next_bytes,
                                      .dst_next_bytes = s->dst.next_bytes,
                                      .gazes_uv = s->gazes_uv,
                                      .fovea_count = s->batch.fovea_count,
                                      .sigmas = s->batch.sigmas,
                                      .sigmas_next_bytes = s->batch.sigmas_next_bytes};
    assert_ok(fovea_context_run_batch(s->context, &batch, NULL));
}

static double worst_product[3], worst_difference;

/* <A src, d_dst> is <src, A' d_dst>: both are near the true product. */
static void check_products(struct kind kind)
{
    OWNED(scene_free) struct scene *s = scene_make(kind);
    run_frames(s);
    run(s);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fovea_image src = sheet_image(&s->src, i);
        const struct fovea_image dst = sheet_image(&s->dst, i);
        const struct fovea_image d_dst = sheet_image(&s->d_dst, i);
        const struct fovea_image d_src = sheet_image(&s->d_src, i);
        /* A blur leaves little of a small picture, and is off by a part of what it is made of. */
        const struct fovea_image *whole = kind.blur_px > 0.0 ? &src : &dst;
        const double scale = sqrt(dot(whole, whole) * dot(&d_dst, &d_dst));
        const double off = fabs(dot(&dst, &d_dst) - dot(&src, &d_src)) / scale;
        double *worst = &worst_product[kind.blur_px > 0.0 ? 2 : (int)kind.method];
        *worst = fmax(*worst, off);
        assert_that(off < 1e-3, "model %d method %d %ux%u image %u: products are %g apart",
                    (int)kind.model, (int)kind.method, kind.width_px, kind.height_px, i, off);
    }
}

static const uint32_t sizes[][2] = {{84, 84}, {37, 29}, {1, 1}, {1, 33}, {33, 1}, {160, 120}};

TEST(products_with_frames_agree)
{
    for (int i = 0; i < 24; i++) {
        struct kind kind = usual;
        kind.model = (enum fovea_model)(i / 2 % 4);
        kind.method = i % 2 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        kind.width_px = sizes[i / 4][0];
        kind.height_px = sizes[i / 4][1];
        kind.foveas = (uint32_t)i % (FOVEA_FOVEAS_MAX + 1);
        check_products(kind);
    }
    print_message("products are at most %.2e apart, smooth %.2e\n", worst_product[0],
                  worst_product[1]);
}

TEST(products_with_blurred_frames_agree)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB32F, FOVEA_FORMAT_R32F,
                                                FOVEA_FORMAT_RGBA32F};
    static const enum fovea_format sigmas[] = {FOVEA_FORMAT_NONE, FOVEA_FORMAT_R32F,
                                               FOVEA_FORMAT_R16F, FOVEA_FORMAT_NONE};
    for (int i = 0; i < 24; i++) {
        struct kind kind = usual;
        kind.format = formats[i % 3];
        kind.width_px = sizes[i / 4][0];
        kind.height_px = sizes[i / 4][1];
        kind.blur_px = 0.3 * pow(1.3, i * 7 % 24);
        kind.sigmas = sigmas[i % 4];
        check_products(kind);
        check_singles(kind);
    }
    print_message("products are at most %.2e apart\n", worst_product[2]);
}

/* The frames' loss with a number of each image's gazes moved by that many pixels. */
static void losses_at(struct scene *s, size_t number, float by_px, double out[COUNT])
{
    const uint32_t size_px = number % 2 ? s->src.first.height_px : s->src.first.width_px;
    float before[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = s->gazes_uv[i * s->numbers + number];
        s->gazes_uv[i * s->numbers + number] += by_px / (float)size_px;
    }
    run_frames(s);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fovea_image dst = sheet_image(&s->dst, i);
        const struct fovea_image d_dst = sheet_image(&s->d_dst, i);
        out[i] = dot(&dst, &d_dst);
        s->gazes_uv[i * s->numbers + number] = before[i];
    }
}

static void assert_differences(struct scene *s, size_t number, const char *what)
{
    const uint32_t size_px = number % 2 ? s->src.first.height_px : s->src.first.width_px;
    /* This part of two pixels of gaze may jump; pixels that are another fovea's after it have
     * another derivative. */
    const double jumps = s->batch.fovea_count > 1 ? 0.5 : 0.2;
    double moved[2][COUNT];
    losses_at(s, number, 1.0f, moved[0]);
    losses_at(s, number, -1.0f, moved[1]);
    for (size_t i = 0; i < COUNT; i++) {
        const double expected = (moved[0][i] - moved[1][i]) / 2.0;
        const double got = (double)s->d_gazes_uv[i * s->numbers + number] / size_px;
        const double off = fabs(got - expected);
        worst_difference =
            fabs(expected) > 5.0 ? fmax(worst_difference, off / fabs(expected)) : worst_difference;
        assert_that(off < 0.05 * fabs(expected) + jumps,
                    "%s image %zu number %zu: %g px, expected %g", what, i, number, got, expected);
    }
}

TEST(losses_change_with_the_gaze_as_said)
{
    for (int model = FOVEA_MODEL_PAPER; model <= FOVEA_MODEL_MAP; model++) {
        struct kind kind = usual;
        kind.model = (enum fovea_model)model;
        kind.width_px = 120;
        kind.height_px = 90;
        kind.foveas = model % 2 ? 3 : 1;
        OWNED(scene_free) struct scene *s = scene_make(kind);
        run(s);
        for (size_t number = 0; number < s->numbers; number++) {
            assert_differences(s, number, test_text("model %d", model));
        }
    }
    print_message("differences are at most %.2e apart\n", worst_difference);
}

/* ---- What is not a number */

TEST(nan_stays_in_its_channel)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        struct kind kind = usual;
        kind.method = (enum fovea_method)method;
        kind.width_px = 90;
        kind.height_px = 80;
        OWNED(scene_free) struct scene *s = scene_make(kind);
        const struct fovea_image first = sheet_image(&s->d_dst, 0);
        image_set(&first, 20, 11, 1, (double)NAN);
        run(s);
        int nans = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            const struct fovea_image image = sheet_image(&s->d_src, i);
            for (uint32_t p = 0; p < image.width_px * image.height_px; p++) {
                for (uint32_t c = 0; c < 3; c++) {
                    const bool is =
                        isnan(image_get(&image, p % image.width_px, p / image.width_px, c));
                    assert_true(!is || (i == 0 && c == 1));
                    nans += is;
                }
            }
            assert_true(i == 0 || isfinite((double)s->d_gazes_uv[2 * (size_t)i]));
        }
        assert_in_range(nans, 1, 80 * 90 / 2);
    }
}

TEST(gazes_out_of_reach_change_nothing)
{
    OWNED(scene_free) struct scene *s = scene_make(usual);
    s->gazes_uv[0] = 5.5f;
    s->gazes_uv[3] = -7.0f;
    run(s);
    assert_true(s->d_gazes_uv[0] == 0.0f);
    assert_true(s->d_gazes_uv[3] == 0.0f);
}

/* ---- Arguments */

static void refuse(struct scene *s, const struct fovea_batch_gradient *batch,
                   enum fovea_result result, const char *word)
{
    assert_int_equal(fovea_context_run_batch_gradient(s->context, batch, NULL), result);
    assert_said(&s->said, word);
}

/* The last arguments spoil a good batch. */
#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        struct fovea_batch_gradient bad = s->batch;                                                \
        __VA_ARGS__;                                                                               \
        refuse(s, &bad, FOVEA_ERROR_INVALID_ARGUMENT, word);                                       \
    } while (0)

TEST(wrong_arguments_are_refused)
{
    const enum fovea_result invalid = FOVEA_ERROR_INVALID_ARGUMENT;
    OWNED(scene_free) struct scene *s = scene_make(usual);
    OWNED(owned_free)
    float *apart = test_memory((size_t)COUNT * usual.width_px * usual.height_px, sizeof *apart);
    assert_int_equal(fovea_context_run_batch_gradient(NULL, &s->batch, NULL), invalid);
    refuse(s, NULL, invalid, "batch is NULL");
    REFUSED("struct_bytes", bad.struct_bytes = 0);
    REFUSED("count is 0", bad.count = 0);
    REFUSED("fovea_count is 5", bad.fovea_count = FOVEA_FOVEAS_MAX + 1);
    REFUSED("reserved", bad.reserved = 1);
    REFUSED("src.data is NULL", bad.src.data = NULL);
    REFUSED("d_dst.data is NULL", bad.d_dst.data = NULL);
    REFUSED("d_dst is 37x29 and d_src 36x29", bad.d_src.width_px--);
    REFUSED("src has format 11 and d_dst 10", bad.src.format = FOVEA_FORMAT_R32F);
    REFUSED("images of d_src overlap", bad.d_src_next_bytes = 0);
    REFUSED("src and d_src overlap", bad.d_src = bad.src,
            bad.d_src_next_bytes = bad.src_next_bytes);
    REFUSED("d_dst and d_src overlap", bad.d_src = bad.d_dst,
            bad.d_src_next_bytes = bad.d_dst_next_bytes);
    REFUSED("gazes_uv is NULL", bad.gazes_uv = NULL);
    REFUSED("gazes_uv and d_gazes_uv overlap", bad.fovea_count = 2,
            bad.d_gazes_uv = s->gazes_uv + 4 * COUNT - 1);
    REFUSED("d_sigmas is given, and no operator", bad.d_sigmas = apart);
    REFUSED("no gradient is asked for", bad.d_gazes_uv = NULL, bad.d_src.data = NULL);
    s->gazes_uv[5] = NAN;
    refuse(s, &s->batch, invalid, "the gaze of image 2");
    s->gazes_uv[5] = 0.5f;
    run(s);
}

TEST(a_blur_takes_no_gaze_and_pictures_that_fit)
{
    struct kind kind = usual;
    kind.blur_px = 2.0;
    kind.sigmas = FOVEA_FORMAT_R32F;
    OWNED(scene_free) struct scene *s = scene_make(kind);
    REFUSED("gazes_uv is NULL", bad.gazes_uv = NULL);
    REFUSED("sigmas is 36x29 and d_src 37x29", bad.sigmas.width_px--);
    REFUSED("sigmas has format 10", bad.sigmas = bad.src, bad.sigmas_next_bytes = 0);
    REFUSED("sigmas and d_src overlap", bad.sigmas.data = bad.d_src.data);
    /* All of d_sigmas lies in the one sheet, whatever the memory around it is of. */
    REFUSED("d_src and d_sigmas overlap", bad.d_sigmas = s->d_src.all.view.data);
    REFUSED("sigmas and d_sigmas overlap", bad.d_sigmas = s->sigmas.all.view.data);
    REFUSED("d_sigmas and gazes overlap", bad.d_sigmas = s->gazes_uv);
    run(s);
    OWNED_IMAGE with_gazes = image_make_packed(kind.width_px, kind.height_px, kind.format);
    const struct fovea_image last = sheet_image(&s->d_src, COUNT - 1);
    struct fovea_batch_gradient single = s->batch;
    single.count = 1;
    single.d_dst = sheet_image(&s->d_dst, COUNT - 1);
    single.sigmas = sheet_image(&s->sigmas, COUNT - 1);
    single.d_src = with_gazes.view;
    single.gazes_uv = single.d_gazes_uv = NULL;
    assert_ok(fovea_context_run_batch_gradient(s->context, &single, NULL));
    compare_assert_all_same(&last, &with_gazes.view, "without gazes");
    s->gazes_uv[1] = NAN;
    run(s);
    assert_true(s->d_gazes_uv[1] == 0.0f);
}

TEST(other_formats_and_operators_are_unsupported)
{
    struct fovea_settings settings = fovea_settings_default();
    struct scene *s = scene_make(usual);
    settings.operators = (struct fovea_operators){2, {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate}};
    assert_ok(fovea_context_set_settings(s->context, &settings));
    refuse(s, &s->batch, FOVEA_ERROR_UNSUPPORTED, "several operators have no gradient");
    settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_dof}};
    assert_ok(fovea_context_set_settings(s->context, &settings));
    refuse(s, &s->batch, FOVEA_ERROR_UNSUPPORTED, "this operator has no gradient");
    settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
    settings.own.blur_sigma_px = 2.0;
    settings.own.blur_engine = BLUR_BOX;
    assert_ok(fovea_context_set_settings(s->context, &settings));
    refuse(s, &s->batch, FOVEA_ERROR_UNSUPPORTED, "blur.engine has no gradient: gaussian has one");
    scene_free(&s);
    for (int k = 0; k < 2; k++) {
        s = scene_make(usual);
        struct fovea_batch_gradient whole = s->batch;
        whole.src.format = whole.d_dst.format = whole.d_src.format =
            k ? FOVEA_FORMAT_RGB16 : FOVEA_FORMAT_RGBA8;
        refuse(s, &whole, FOVEA_ERROR_UNSUPPORTED, "16 and 32-bit floats");
        scene_free(&s);
    }
}
