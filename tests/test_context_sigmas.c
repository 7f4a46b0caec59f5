/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures of sigmas as a program gives them to fovea_context_run_batch. */

#include "test_context_support.h"

#include "operators/scene.h"

#define COUNT 3

/* A batch of images below each other, with sigmas of their own. */
struct given {
    struct said said;
    struct fovea_context *context;
    struct scene_batch pictures;
    struct test_image sigmas;
    struct fovea_batch batch;
};

static struct operator_scene scene_of(enum fovea_format format)
{
    struct operator_scene scene = operator_scene_of(&blur_under_test, 0);
    scene.settings = fovea_settings_default();
    scene.blue_first = false;
    scene.format = format;
    scene.width_px = 53;
    scene.sigmas = SIGMAS_RANDOM;
    scene.sigmas_format = FOVEA_FORMAT_R32F;
    scene.sigmas_most_px = 20.0;
    scene.settings.own.blur_sigma_max_px = 16.0;
    return scene;
}

static struct fovea_context *context_for(const char *operators, struct said *said)
{
    const char *const words[] = {"operators",         operators, "backend", "cpu",
                                 "blur.sigma_max_px", "16",      NULL};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = settings_with(words, said);
    struct fovea_context *context = context_of(settings, said);
    return context;
}

static struct given *given_make(const struct operator_scene *scene, const char *operators)
{
    struct given *given = test_memory(1, sizeof *given);
    given->context = context_for(operators, &given->said);
    given->pictures = scene_batch_make(scene, 41, COUNT, false);
    given->sigmas = scene_draw_sigmas(&given->pictures.scene, COUNT);
    struct fovea_image first[2];
    struct fovea_image first_sigmas;
    const struct operator_images alone = scene_batch_images(
        &given->pictures, &given->pictures.src.view, &given->pictures.dst.view, first);
    const struct operator_images images =
        scene_with_sigmas(&given->pictures.scene, &alone, &given->sigmas.view, &first_sigmas);
    fovea_batch_init(&given->batch);
    given->batch.count = COUNT;
    given->batch.src = first[0];
    given->batch.dst = first[1];
    given->batch.src_next_bytes = images.src_next_bytes;
    given->batch.dst_next_bytes = images.dst_next_bytes;
    given->batch.sigmas = first_sigmas;
    given->batch.sigmas_next_bytes = images.sigmas_next_bytes;
    return given;
}

static void given_free(struct given **own)
{
    OWNED(owned_free) struct given *given = *own;
    fovea_context_destroy(&given->context);
    scene_batch_free(&given->pictures);
    image_free(&given->sigmas);
}

static void run(struct given *given)
{
    assert_ok(fovea_context_run_batch(given->context, &given->batch, NULL));
    assert_silent(&given->said);
}

TEST(images_are_blurred_by_their_own_sigmas)
{
    for (int i = 0; i < 6; i++) {
        struct operator_scene scene = scene_of(i % 3 == 0   ? FOVEA_FORMAT_RGBA8
                                               : i % 3 == 1 ? FOVEA_FORMAT_RGB32F
                                                            : FOVEA_FORMAT_R16F);
        scene.sigmas_format = i % 2 ? FOVEA_FORMAT_R16F : FOVEA_FORMAT_R32F;
        scene.sigmas_shared = i >= 3;
        OWNED(given_free) struct given *given = given_make(&scene, "blur");
        run(given);
        scene_batch_assert_exact(&given->pictures, 1);
    }
}

/* The same context serves both, whichever came before. */
TEST(frames_with_and_without_sigmas_take_turns)
{
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_RGBA8);
    OWNED(given_free) struct given *given = given_make(&scene, "blur");
    const struct fovea_image sigmas = given->batch.sigmas;
    for (int i = 0; i < 4; i++) {
        given->batch.sigmas = i % 2 ? (struct fovea_image){0} : sigmas;
        given->pictures.scene.sigmas = i % 2 ? SIGMAS_NONE : SIGMAS_RANDOM;
        run(given);
        scene_batch_assert_exact(&given->pictures, 2);
    }
}

/* The memory behind the struct's size is not read. */
TEST(a_program_of_older_headers_gives_none)
{
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_RGBA8);
    OWNED(given_free) struct given *given = given_make(&scene, "blur");
    given->batch.struct_bytes = offsetof(struct fovea_batch, sigmas);
    given->pictures.scene.sigmas = SIGMAS_NONE;
    run(given);
    scene_batch_assert_exact(&given->pictures, 1);
}

/* Each operator of the row gets what the one before it has made, and blur the sigmas. */
TEST(a_row_hands_them_to_the_operator_that_takes_them)
{
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_RGBA8);
    OWNED(given_free) struct given *given = given_make(&scene, "foveate,blur");
    OWNED(fovea_context_destroy)
    struct fovea_context *foveate = context_for("foveate", &given->said);
    OWNED(fovea_context_destroy) struct fovea_context *blur = context_for("blur", &given->said);
    const float gazes_uv[2 * COUNT] = {0.1f, 0.2f, 0.5f, 0.9f, 0.7f, 0.4f};
    OWNED_IMAGE whole = image_make_packed(53, 41 * COUNT, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE between = image_make_packed(53, 41 * COUNT, FOVEA_FORMAT_RGBA8);
    struct fovea_batch one = given->batch;
    given->batch.gazes_uv = one.gazes_uv = gazes_uv;
    run(given);
    one.dst.data = between.view.data;
    one.sigmas.data = NULL;
    assert_ok(fovea_context_run_batch(foveate, &one, NULL));
    struct fovea_batch two = given->batch;
    two.src.data = between.view.data;
    two.dst.data = whole.view.data;
    assert_ok(fovea_context_run_batch(blur, &two, NULL));
    compare_assert_all_same(&given->pictures.dst.view, &whole.view, "a row");
}

/* Nobody looks at them. */
TEST(gazes_may_be_missing_where_no_operator_needs_them)
{
    struct operator_scene scene = scene_of(FOVEA_FORMAT_RGBA8);
    scene.sigmas = SIGMAS_NONE;
    OWNED(given_free) struct given *given = given_make(&scene, "blur");
    given->batch.sigmas.data = NULL;
    run(given);
    scene_batch_assert_exact(&given->pictures, 1);
}

static void refuse(struct given *given, const struct fovea_batch *batch, const char *word)
{
    assert_invalid(fovea_context_run_batch(given->context, batch, NULL));
    assert_said(&given->said, word);
}

TEST(operators_that_have_no_use_for_them_refuse_them)
{
    static const char *const rows[] = {"foveate", "lens", "foveate,lens"};
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_RGBA8);
    const float gazes_uv[2 * COUNT] = {0};
    for (int i = 0; i < 3; i++) {
        OWNED(given_free) struct given *given = given_make(&scene, rows[i]);
        given->batch.gazes_uv = gazes_uv;
        refuse(given, &given->batch, "no operator of the row takes it");
    }
}

/* The last arguments spoil a good batch. */
#define REFUSED(word, ...)                                                                         \
    do {                                                                                           \
        struct fovea_batch bad = given->batch;                                                     \
        __VA_ARGS__;                                                                               \
        refuse(given, &bad, word);                                                                 \
    } while (0)

TEST(wrong_sigmas_are_refused)
{
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_R32F);
    OWNED(given_free) struct given *given = given_make(&scene, "blur");
    REFUSED("sigmas is 52x41 and dst 53x41", bad.sigmas.width_px--);
    REFUSED("sigmas has format 3; it must be R16F or R32F", bad.sigmas.format = FOVEA_FORMAT_R8);
    REFUSED("sigmas.format is 0", bad.sigmas.format = FOVEA_FORMAT_NONE);
    REFUSED("sigmas is in CUDA memory and dst in CPU memory",
            bad.sigmas.memory = FOVEA_MEMORY_CUDA);
    REFUSED("sigmas.data is not aligned", bad.sigmas.data = (char *)bad.sigmas.data + 2);
    REFUSED("sigmas.row_stride_bytes is 8", bad.sigmas.row_stride_bytes = 8);
    REFUSED("sigmas_next_bytes is 3", bad.sigmas_next_bytes = 3);
    REFUSED("sigmas and dst overlap", bad.sigmas = bad.dst, bad.sigmas_next_bytes = 0);
    run(given);
    scene_batch_assert_exact(&given->pictures, 1);
}

/* The program reads them from what it blurs. */
TEST(sigmas_may_be_the_source)
{
    const struct operator_scene scene = scene_of(FOVEA_FORMAT_R32F);
    OWNED(given_free) struct given *given = given_make(&scene, "blur");
    given->batch.sigmas = given->batch.src;
    given->batch.sigmas_next_bytes = given->batch.src_next_bytes;
    run(given);
}
