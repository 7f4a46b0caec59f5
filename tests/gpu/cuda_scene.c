/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_scene.h"

#include "compare.h"

#include "core/thread_pool.h"
#include "kernels/gauss/cuda/tiles/common/params.h"
#include "kernels/gauss/cuda/ways.h"

struct scene scene_default(void)
{
    struct scene scene = {.foveation = fovea_settings_default().foveation,
                          .gaze = {0.41, 0.58},
                          .format = FOVEA_FORMAT_RGBA8,
                          .width_px = 203,
                          .height_px = 117,
                          .pattern = IMAGE_RANDOM};
    scene.foveation.method = FOVEA_METHOD_BLOCKWISE;
    scene.foveation.paper.fragment_px = 16;
    return scene;
}

struct scene scene_smooth(void)
{
    struct scene scene = scene_default();
    scene.foveation.method = FOVEA_METHOD_SMOOTH;
    scene.foveation.light = FOVEA_LIGHT_LINEAR;
    return scene;
}

/* ---- Running --------------------------------------------------------------------------------- */

static void choose_way(enum scene_way way)
{
    static const double slopes[] = {GAUSS_TILE_MAX_SLOPE, GAUSS_TILE_SLOPE_FOR_TESTS, 1e-9, 1e-9};
    gauss_cuda_set_tile_slope(fixture.foveate, slopes[way]);
    gauss_nodes_make_whole(&gauss_cuda_of(fixture.foveate)->nodes, way == SCENE_BY_BLOCKS);
}

static void assert_way(const struct prepared *p, const struct scene *scene)
{
    const bool in_tiles =
        gauss_cuda_plan_of(p->tables)->ways[scene->format] == &gauss_cuda_ways[GAUSS_CUDA_TILES];
    const struct gauss_cuda_tile_kernels *kernels = &gauss_cuda_of(fixture.foveate)->tiles;
    if (scene->way != SCENE_ANY_WAY) {
        assert_int_equal(in_tiles, scene->way == SCENE_IN_TILES &&
                                       scene->foveation.alpha == FOVEA_ALPHA_KEEP &&
                                       cuda_kernels_has(kernels->picture.linear, scene->format));
    }
}

void scene_prepare(struct prepared *p, const struct scene *scene)
{
    choose_way(scene->way);
    assert_ok(foveate_plan_create(&scene->foveation, scene->width_px, scene->height_px, &p->plan));
    p->plan->base.api = &foveate_operator;
    assert_ok(operator_cuda_plan_create(fixture.foveate, &p->plan->base, FOVEA_FORMAT_RGBA32F,
                                        &p->tables));
    /* Plans leave a map's samples with their owner; the reference reads them again. */
    p->plan->foveation.map.values = scene->foveation.map.values;
    p->plan->foveation.map.own_values = scene->foveation.map.own_values;
    scene_look(p, scene->gaze);
    p->run = (struct operator_cuda_run){.plan = &p->plan->base,
                                        .cuda_plan = p->tables,
                                        .frame = &p->view,
                                        .stream = fixture.stream};
    assert_way(p, scene);
}

void scene_look(struct prepared *p, struct fovea_point_uv gaze)
{
    p->frame = gauss_frame_make(p->plan, gaze);
    p->view = (struct operator_frame){.width_px = p->frame.width_px,
                                      .height_px = p->frame.height_px,
                                      .gaze_x_q8 = p->frame.gaze_x_q8,
                                      .gaze_y_q8 = p->frame.gaze_y_q8};
}

void scene_finish(struct prepared *p)
{
    operator_cuda_plan_retire(fixture.foveate, &p->tables);
    foveate_plan_destroy(&p->plan);
}

void scene_run_linear(const struct prepared *p, const struct test_image *src,
                      const struct test_image *dst, uint32_t shift)
{
    OWNED(device_image_free) struct device_image device_src = device_image_make(src, shift);
    OWNED(device_image_free) struct device_image device_dst = device_image_make(dst, shift);
    assert_ok(cuda_fixture_run_linear(&p->run, &device_src.view, &device_dst.view));
    cuda_fixture_wait();
    device_image_download(&device_dst, dst);
    const struct test_image after = {.memory = malloc(src->memory_bytes)};
    assert_non_null(after.memory);
    device_image_download(&device_src, &after);
    assert_memory_equal(after.memory, src->memory, src->memory_bytes);
    free(after.memory);
}

void scene_run_surface(const struct prepared *p, const struct fovea_image *src,
                       const struct fovea_image *dst)
{
    OWNED(device_array_free) struct device_array device_src = device_array_make(src);
    OWNED(device_array_free) struct device_array device_dst = device_array_make(dst);
    assert_ok(gauss_operator_cuda.run_surface(fixture.foveate, &p->run, src->format,
                                              device_src.surface, device_dst.surface));
    cuda_fixture_wait();
    device_array_download(&device_dst, dst);
}

static double *run_cpu(const struct prepared *p, const struct fovea_image *src)
{
    OWNED_IMAGE dst = image_make_packed(src->width_px, src->height_px, src->format);
    const struct operator_images one = {.count = 1, .src = src, .dst = &dst.view};
    struct thread_pool *pool = NULL;
    struct gauss_cpu *cpu = NULL;
    assert_ok(thread_pool_create(0, &pool));
    assert_ok(gauss_cpu_create(pool, p->plan, &cpu));
    gauss_cpu_run_batch(cpu, &one, &p->frame);
    gauss_cpu_destroy(&cpu);
    thread_pool_destroy(&pool);
    double *values = image_to_doubles(&dst.view);
    return values;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static const char *describe(const struct scene *scene, const char *what, char text[256])
{
    snprintf(text, 256,
             "%s: way %d, method %d, model %d, light %d, format %d, %ux%u, fragment %u, gaze %.4f "
             "%.4f, strength %.2f, pattern %d",
             what, (int)scene->way, (int)scene->foveation.method, (int)scene->foveation.model,
             (int)scene->foveation.light, (int)scene->format, scene->width_px, scene->height_px,
             scene->foveation.paper.fragment_px, scene->gaze.x_uv, scene->gaze.y_uv,
             scene->foveation.strength, (int)scene->pattern);
    return text;
}

static void assert_alpha_kept(const struct scene *scene, const struct fovea_image *src,
                              const struct fovea_image *dst)
{
    if (scene->foveation.alpha != FOVEA_ALPHA_KEEP || image_channels(scene->format) < 4) {
        return;
    }
    for (uint32_t y = 0; y < src->height_px; y++) {
        for (uint32_t x = 0; x < src->width_px; x++) {
            const double expected = image_get(src, x, y, 3);
            const double actual = image_get(dst, x, y, 3);
            assert_that(expected == actual || (isnan(expected) && isnan(actual)),
                        "alpha at %u, %u is %.9g, expected %.9g", x, y, actual, expected);
        }
    }
}

/* The pixels are to be these, and so near. */
struct expectation {
    double *values;
    struct compare_budget budget;
};

/* Two backends may be off to both sides, by four levels of 8 bits together. */
static struct expectation expect(const struct scene *scene, const struct prepared *p,
                                 const struct fovea_image *src)
{
    struct expectation expected = {.budget = compare_budget_for(&scene->foveation, scene->format)};
    if (!scene->no_reference) {
        expected.values = compare_expected(&scene->foveation, src, &p->frame);
        return expected;
    }
    expected.values = run_cpu(p, src);
    expected.budget.max_abs =
        fmax(expected.budget.max_abs, 4.0 / 255.0 * image_white(scene->format, 0));
    expected.budget.max_mean_abs *= 4.0;
    return expected;
}

static void assert_as_expected(const struct scene *scene, const struct expectation *expected,
                               const struct fovea_image *src, const struct fovea_image *dst,
                               const char *what)
{
    char text[256];
    compare_assert_close(dst, expected->values, expected->budget, describe(scene, what, text));
    assert_alpha_kept(scene, src, dst);
}

static void assert_linear(const struct scene *scene, const struct prepared *p,
                          const struct expectation *expected, const struct test_image *src)
{
    OWNED_IMAGE dst = image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    scene_run_linear(p, src, &dst, scene->shift);
    assert_as_expected(scene, expected, &src->view, &dst.view, "linear");
    assert_true(image_guards_intact(&dst));
}

static void assert_surface(const struct scene *scene, const struct prepared *p,
                           const struct expectation *expected, const struct test_image *src)
{
    OWNED_IMAGE packed = image_make_packed(scene->width_px, scene->height_px, scene->format);
    OWNED_IMAGE dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_mirror(&src->view, &packed.view, false, false);
    scene_run_surface(p, &packed.view, &dst.view);
    assert_as_expected(scene, expected, &src->view, &dst.view, "surface");
    assert_true(image_guards_intact(&dst));
}

void scene_assert(const struct scene *scene)
{
    OWNED_IMAGE src = image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    OWNED(scene_finish) struct prepared p = {0};
    image_draw(&src.view, scene->pattern, 7);
    scene_prepare(&p, scene);
    const struct expectation expected = expect(scene, &p, &src.view);
    assert_linear(scene, &p, &expected, &src);
    if (cuda_fixture_has_surface(scene->format)) {
        assert_surface(scene, &p, &expected, &src);
    }
    free(expected.values);
}

/* ---- Bit for bit ----------------------------------------------------------------------------- */

static void scramble(const struct test_image *image)
{
    uint32_t word = 1;
    for (size_t i = 0; i < (size_t)image->view.row_stride_bytes * image->view.height_px; i++) {
        word = word * 1664525u + 1013904223u;
        ((unsigned char *)image->view.data)[i] = (unsigned char)(word >> 24);
    }
}

static uint32_t assert_sharp_same(const struct prepared *p, const struct fovea_image *src,
                                  const struct fovea_image *dst, const char *what)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < src->height_px; y++) {
        for (uint32_t x = 0; x < src->width_px; x++) {
            if (gauss_sigma_at(p->plan, &p->frame, (int32_t)x, (int32_t)y) == 0.0f) {
                compare_assert_same(dst, src, (struct compare_rect){x, y, 1, 1}, what);
                count++;
            }
        }
    }
    return count;
}

uint32_t scene_assert_sharp_is_copied(const struct scene *scene)
{
    OWNED_IMAGE src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    OWNED_IMAGE dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct prepared p = {0};
    scene_prepare(&p, scene);
    scramble(&src);
    scene_run_linear(&p, &src, &dst, 0);
    const uint32_t count = assert_sharp_same(&p, &src.view, &dst.view, "linear");
    if (cuda_fixture_has_surface(scene->format)) {
        memset(dst.view.data, 0xa5, (size_t)dst.view.row_stride_bytes * scene->height_px);
        scene_run_surface(&p, &src.view, &dst.view);
        assert_sharp_same(&p, &src.view, &dst.view, "surface");
    }
    scene_finish(&p);
    return count;
}

void scene_assert_flat_stays_flat(const struct scene *scene)
{
    const int white = (int)image_white(scene->format, 0);
    OWNED_IMAGE src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    OWNED(scene_finish) struct prepared p = {0};
    scene_prepare(&p, scene);
    for (int level = 0; level <= white; level += fixture.quick ? white / 5 : 1) {
        OWNED_IMAGE dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
        image_fill(&src.view, level);
        scene_run_linear(&p, &src, &dst, 0);
        compare_assert_all_same(&dst.view, &src.view, "flat");
    }
}
