/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene_depths.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct operator_under_test *const operators_under_test[] = {
    &foveate_under_test,
    &blur_under_test,
    &lens_under_test,
    &dof_under_test,
};

uint64_t scene_mixed(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 27;
}

static void choose_light(uint64_t i, uint64_t random, struct fovea_foveation *foveation)
{
    switch (i / 3 % 5) {
    case 0:
        foveation->light = FOVEA_LIGHT_ENCODED;
        break;
    case 1:
        foveation->transfer = FOVEA_TRANSFER_PQ;
        break;
    case 2:
        foveation->transfer = FOVEA_TRANSFER_HLG;
        foveation->display.hlg_peak_cd_m2 = random & 1 ? 1000 : 400;
        break;
    case 3:
        foveation->light = compare_display((int)(random % COMPARE_DISPLAYS), &foveation->display);
        break;
    default:
        break; /* sRGB */
    }
}

struct operator_scene operator_scene_of(const struct operator_under_test *of, uint64_t i)
{
    static const enum fovea_format formats[] = {
        FOVEA_FORMAT_RGBA8,       FOVEA_FORMAT_RGB8,       FOVEA_FORMAT_R8,
        FOVEA_FORMAT_A2B10G10R10, FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F,
        FOVEA_FORMAT_RGBA32F,     FOVEA_FORMAT_RGB16F,     FOVEA_FORMAT_R16F,
        FOVEA_FORMAT_RGB32F,      FOVEA_FORMAT_R32F,
    };
    const uint64_t random = scene_mixed(i);
    struct operator_scene scene = {.of = of,
                                   .settings = fovea_settings_default(),
                                   .format = formats[i % COUNT(formats)],
                                   .width_px = 1 + (uint32_t)(random >> 8) % 150,
                                   .height_px = 1 + (uint32_t)(random >> 20) % 110,
                                   .picture = (int)(i / COUNT(formats) % IMAGE_CONTRAST_COUNT),
                                   .blue_first = random >> 32 & 1,
                                   .gaze = {0.3, 0.6},
                                   .random = random >> 34};
    scene.settings.foveation.alpha =
        random >> 33 & 1 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
    choose_light(i, random, &scene.settings.foveation);
    of->choose(i, &scene);
    return scene;
}

struct operator_scene operator_scene_of_set(const struct operator_under_test *of,
                                            const struct scene_set *set, uint64_t i)
{
    struct operator_scene scene = operator_scene_of(of, i);
    if (set->choose) {
        set->choose(i, &scene);
    }
    return scene;
}

struct operator_plan *scene_plan(const struct operator_scene *scene)
{
    const struct operator_api *api = scene->of->api;
    struct operator_plan *plan = NULL;
    const struct operator_plan_desc desc = {.settings = &scene->settings,
                                            .width_px = scene->width_px,
                                            .height_px = scene->height_px,
                                            .has_sigmas = scene->sigmas != SIGMAS_NONE};
    assert_ok(api->plan_create(&desc, &plan));
    assert_true(api->plan_fits(plan, &desc));
    return plan;
}

struct operator_frame scene_frame(const struct operator_scene *scene)
{
    struct operator_frame frame =
        operator_frame_make(scene->width_px, scene->height_px, scene->gaze);
    frame.blue_first = scene->blue_first;
    operator_frame_set_others(&frame, scene->others, scene->other_count);
    return frame;
}

struct test_image scene_draw(const struct operator_scene *scene)
{
    struct test_image image = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_draw_contrast(&image.view, scene->picture);
    return image;
}

/* ---- Pictures of sigmas */

static double odd_sigma(uint64_t random, double most_px)
{
    static const double odd[] = {(double)NAN, -3.0,  (double)-INFINITY, -0.0,   0.0,
                                 0.03,        1e-42, (double)INFINITY,  60000.0};
    const uint64_t i = random % (2 * COUNT(odd));
    return i < COUNT(odd) ? odd[i] : (double)(random >> 8 & 255) / 255.0 * most_px;
}

double scene_sigma(const struct operator_scene *scene, uint32_t x, uint32_t y)
{
    static const double copied[] = {(double)NAN, -1.0, (double)-INFINITY, 0.0, 0.03, 1e-42};
    const double most_px = scene->sigmas_most_px;
    const uint32_t at = x + 3 * (uint32_t)scene->sigmas_of;
    const uint64_t random = scene_mixed((uint64_t)at << 32 | y);
    switch (scene->sigmas) {
    case SIGMAS_FLAT:
        return most_px / (double)(1 + scene->sigmas_of);
    case SIGMAS_RAMP:
        return most_px * (double)((at + y) % 96) / 96.0;
    case SIGMAS_STEP:
        return (at / 21 + y / 37) % 2 ? most_px : 0.0;
    case SIGMAS_CHECKER:
        return (at + y) % 2 ? most_px : 0.1 * most_px;
    case SIGMAS_RANDOM:
        return most_px * pow((double)(random >> 11) / 9007199254740992.0, 2.0);
    case SIGMAS_ODD:
        return odd_sigma(random, most_px);
    case SIGMAS_COPIED:
        return copied[random % COUNT(copied)];
    case SIGMAS_NONE:
    case SIGMAS_KINDS:
        break;
    }
    return 0.0;
}

struct test_image scene_draw_sigmas(const struct operator_scene *scene, uint32_t count)
{
    static const struct image_layout layouts[] = {
        {0}, {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1, .row_gap = 1}};
    const uint32_t pictures = scene->sigmas_shared ? 1 : count;
    struct operator_scene of = *scene;
    struct test_image image = image_make(scene->width_px, scene->height_px * pictures,
                                         scene->sigmas_format, layouts[scene->random % 4]);
    for (uint32_t y = 0; y < image.view.height_px; y++) {
        of.sigmas_of = scene->sigmas_of + y / scene->height_px;
        for (uint32_t x = 0; x < scene->width_px; x++) {
            image_set(&image.view, x, y, 0, scene_sigma(&of, x, y % scene->height_px));
        }
    }
    return image;
}

struct operator_images scene_with_sigmas(const struct operator_scene *scene,
                                         const struct operator_images *images,
                                         const struct fovea_image *sigmas,
                                         struct fovea_image *out_first)
{
    struct operator_images with = *images;
    *out_first = *sigmas;
    out_first->height_px = scene->height_px;
    with.sigmas = out_first;
    with.sigmas_next_bytes =
        scene->sigmas_shared ? 0 : (ptrdiff_t)scene->height_px * sigmas->row_stride_bytes;
    return with;
}

void scene_keep_alpha(const struct fovea_image *src, double *values)
{
    const uint32_t channels = image_channels(src->format);
    for (uint32_t i = 0; channels == 4 && i < src->width_px * src->height_px; i++) {
        values[4 * (size_t)i + 3] = image_get(src, i % src->width_px, i / src->width_px, 3);
    }
}

void scene_assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                        const struct fovea_image *actual)
{
    scene->of->assert_exact(scene, src, actual);
}

/* ---- On the processor */

static void run_on_host(struct thread_pool *pool, const struct operator_scene *scene,
                        const struct operator_images *images)
{
    const struct operator_api *api = scene->of->api;
    struct operator_plan *plan = scene_plan(scene);
    struct operator_host *host = NULL;
    const struct operator_frame frame = scene_frame(scene);
    assert_ok(operator_host_create(&operator_host_of(plan)->kind, pool, plan, &host));
    assert_ok(operator_host_of(plan)->reserve(host, images));
    operator_host_of(plan)->run(host, images, &frame);
    operator_host_destroy(&host);
    api->plan_destroy(&plan);
}

static void run_with_depths(struct thread_pool *pool, const struct operator_scene *scene,
                            const struct operator_images *images)
{
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(scene, images->count);
    struct operator_images with = *images;
    with.depth = &depths.depth;
    with.focuses = test_memory(images->count, sizeof *with.focuses);
    run_on_host(pool, scene, &with);
    assert_true(image_guards_intact(&depths.memory));
    free(with.focuses);
}

static void run_with_sigmas(struct thread_pool *pool, const struct operator_scene *scene,
                            const struct operator_images *images)
{
    struct fovea_image first;
    OWNED_IMAGE sigmas = scene_draw_sigmas(scene, images->count);
    const struct operator_images with = scene_with_sigmas(scene, images, &sigmas.view, &first);
    run_on_host(pool, scene, &with);
    assert_true(image_guards_intact(&sigmas));
}

void scene_run_on_host(struct thread_pool *pool, const struct operator_scene *scene,
                       const struct operator_images *images)
{
    if (scene->depths != DEPTHS_NONE) {
        run_with_depths(pool, scene, images);
    } else if (scene->sigmas != SIGMAS_NONE) {
        run_with_sigmas(pool, scene, images);
    } else {
        run_on_host(pool, scene, images);
    }
}

void scene_check_on_host(struct thread_pool *pool, const struct operator_scene *scene,
                         struct image_layout layout)
{
    OWNED_IMAGE src = scene_draw(scene);
    OWNED_IMAGE dst = image_make(scene->width_px, scene->height_px, scene->format, layout);
    scene_run_on_host(pool, scene,
                      &(struct operator_images){.count = 1, .src = &src.view, .dst = &dst.view});
    scene_assert_exact(scene, &src.view, &dst.view);
    assert_true(image_guards_intact(&dst));
}

/* ---- Pictures below each other in one */

struct scene_batch scene_batch_make(const struct operator_scene *scene, uint32_t height_px,
                                    uint32_t count, bool shared)
{
    struct scene_batch batch = {.scene = *scene, .whole = *scene, .count = count, .shared = shared};
    batch.scene.height_px = height_px;
    batch.whole.height_px = height_px * count;
    batch.src = scene_draw(&batch.whole);
    batch.dst = image_make_packed(scene->width_px, height_px * count, scene->format);
    return batch;
}

struct operator_images scene_batch_images(const struct scene_batch *batch,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst,
                                          struct fovea_image out_first[2])
{
    const ptrdiff_t next = (ptrdiff_t)batch->scene.height_px * src->row_stride_bytes;
    out_first[0] = *src;
    out_first[1] = *dst;
    out_first[0].height_px = out_first[1].height_px = batch->scene.height_px;
    return (struct operator_images){.count = batch->count,
                                    .src = &out_first[0],
                                    .dst = &out_first[1],
                                    .src_next_bytes = batch->shared ? 0 : next,
                                    .dst_next_bytes = next};
}

void scene_batch_assert_exact(const struct scene_batch *batch, uint32_t one_in)
{
    struct fovea_image first[2];
    const struct operator_images images =
        scene_batch_images(batch, &batch->src.view, &batch->dst.view, first);
    for (uint32_t k = 0; k < batch->count; k += one_in) {
        struct fovea_image src = first[0];
        struct fovea_image dst = first[1];
        src.data = (unsigned char *)src.data + k * images.src_next_bytes;
        dst.data = (unsigned char *)dst.data + k * images.dst_next_bytes;
        struct operator_scene scene = batch->scene;
        scene.sigmas_of = scene.sigmas_shared ? 0 : k;
        scene.depths_of = scene.depths_shared ? 0 : k;
        scene_assert_exact(&scene, &src, &dst);
    }
}

void scene_batch_free(struct scene_batch *batch)
{
    image_free(&batch->src);
    image_free(&batch->dst);
}

/* ---- Tests of all operators */

static void add(struct operator_tests *tests, const struct operator_under_test *of,
                const struct scene_set *set, const char *name, CMUnitTestFunction run)
{
    assert_true(tests->count < OPERATOR_TESTS_MOST);
    struct operator_test *state = &tests->states[tests->count];
    *state = (struct operator_test){.of = of, .set = set};
    snprintf(state->name, sizeof state->name, "%s_%s", of->name, name);
    tests->tests[tests->count] =
        (struct CMUnitTest){.name = state->name, .test_func = run, .initial_state = state};
    tests->count++;
}

static uint32_t count_of(const struct scene_set *set, enum scene_place place)
{
    return place == SCENES_ON_HOST ? set->host : place == SCENES_ON_CUDA ? set->cuda : set->frames;
}

void operator_tests_add_sets(struct operator_tests *tests, enum scene_place place,
                             const CMUnitTestFunction by_kind[SCENE_KINDS])
{
    for (size_t i = 0; i < COUNT(operators_under_test); i++) {
        const struct operator_under_test *of = operators_under_test[i];
        for (size_t k = 0; k < of->set_count; k++) {
            const struct scene_set *set = &of->sets[k];
            if (count_of(set, place) > 0) {
                add(tests, of, set, set->name, by_kind[set->kind]);
            }
        }
    }
}

void operator_tests_add(struct operator_tests *tests, const char *name, CMUnitTestFunction run)
{
    for (size_t i = 0; i < COUNT(operators_under_test); i++) {
        add(tests, operators_under_test[i], NULL, name, run);
    }
}
