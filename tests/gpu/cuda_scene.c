/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_scene.h"

#include "compare.h"

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

bool scene_has_surface(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10 ||
           format == FOVEA_FORMAT_B10G11R11F || format == FOVEA_FORMAT_RGBA16F;
}

/* ---- Running --------------------------------------------------------------------------------- */

void scene_prepare(const struct cuda_fixture *fixture, struct prepared *p,
                   const struct scene *scene)
{
    assert_int_equal(
        foveate_plan_create(&scene->foveation, scene->width_px, scene->height_px, &p->plan),
        FOVEA_OK);
    p->plan->base.api = &foveate_operator;
    assert_int_equal(foveate_operator_cuda.plan_create(fixture->foveate, &p->plan->base,
                                                       FOVEA_FORMAT_RGBA32F, &p->tables),
                     FOVEA_OK);
    /* Plans leave a map's samples with their owner; the reference reads them again. */
    p->plan->foveation.map.values = scene->foveation.map.values;
    p->plan->foveation.map.own_values = scene->foveation.map.own_values;
    scene_look(p, scene->gaze);
    p->run = (struct operator_cuda_run){.plan = &p->plan->base,
                                        .cuda_plan = p->tables,
                                        .frame = &p->view,
                                        .stream = fixture->stream};
}

void scene_look(struct prepared *p, struct fovea_point_uv gaze)
{
    p->frame = foveate_frame_make(p->plan, gaze);
    p->view = (struct operator_frame){.width_px = p->frame.width_px,
                                      .height_px = p->frame.height_px,
                                      .gaze_x_q8 = p->frame.gaze_x_q8,
                                      .gaze_y_q8 = p->frame.gaze_y_q8};
}

void scene_finish(const struct cuda_fixture *fixture, struct prepared *p)
{
    foveate_operator_cuda.plan_retire(fixture->foveate, &p->tables);
    foveate_plan_destroy(&p->plan);
}

void scene_run_linear(const struct cuda_fixture *fixture, const struct prepared *p,
                      const struct test_image *src, const struct test_image *dst, uint32_t shift)
{
    struct device_image device_src = device_image_make(fixture, src, shift);
    struct device_image device_dst = device_image_make(fixture, dst, shift);
    assert_int_equal(cuda_fixture_run_linear(fixture, &p->run, &device_src.view, &device_dst.view),
                     FOVEA_OK);
    cuda_fixture_wait(fixture);
    device_image_download(fixture, &device_dst, dst);
    const struct test_image after = {.memory = malloc(src->memory_bytes)};
    assert_non_null(after.memory);
    device_image_download(fixture, &device_src, &after);
    assert_memory_equal(after.memory, src->memory, src->memory_bytes);
    free(after.memory);
    device_image_free(fixture, &device_src);
    device_image_free(fixture, &device_dst);
}

void scene_run_surface(const struct cuda_fixture *fixture, const struct prepared *p,
                       const struct fovea_image *src, const struct fovea_image *dst)
{
    struct device_array device_src = device_array_make(fixture, src);
    struct device_array device_dst = device_array_make(fixture, dst);
    assert_int_equal(foveate_operator_cuda.run_surface(fixture->foveate, &p->run, src->format,
                                                       device_src.surface, device_dst.surface),
                     FOVEA_OK);
    cuda_fixture_wait(fixture);
    device_array_download(fixture, &device_dst, dst);
    device_array_free(fixture, &device_src);
    device_array_free(fixture, &device_dst);
}

double *scene_run_cpu(const struct prepared *p, const struct fovea_image *src)
{
    struct test_image dst = image_make_packed(src->width_px, src->height_px, src->format);
    struct foveate_cpu *cpu = NULL;
    assert_int_equal(foveate_cpu_create(p->plan, 0, &cpu), FOVEA_OK);
    foveate_cpu_run(cpu, src, &dst.view, &p->frame);
    foveate_cpu_destroy(&cpu);
    double *values = image_to_doubles(&dst.view);
    image_free(&dst);
    return values;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static const char *describe(const struct scene *scene, const char *what, char text[256])
{
    snprintf(text, 256, "%s: format %d, %ux%u, fragment %u, gaze %.4f %.4f, strength %.2f", what,
             (int)scene->format, scene->width_px, scene->height_px,
             scene->foveation.paper.fragment_px, scene->gaze.x_uv, scene->gaze.y_uv,
             scene->foveation.strength);
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
            if (expected != actual && !(isnan(expected) && isnan(actual))) {
                fail_msg("alpha at %u, %u is %.9g, expected %.9g", x, y, actual, expected);
            }
        }
    }
}

/* Packed pixels, as they came back. */
struct expectation {
    double *reference;
    double *cpu;
};

static void assert_as_expected(const struct scene *scene, const struct expectation *expected,
                               const struct fovea_image *src, const struct fovea_image *dst,
                               const char *what)
{
    char text[256];
    const struct compare_budget budget = compare_budget_for(&scene->foveation, scene->format);
    struct compare_budget against_cpu = budget;
    if (expected->reference) {
        /* Half way between two levels each backend may choose its own, as often as that happens. */
        against_cpu.max_mean_abs = 1.0;
        compare_assert_close(dst, expected->reference, budget, describe(scene, what, text));
    }
    compare_assert_close(dst, expected->cpu, against_cpu, describe(scene, what, text));
    assert_alpha_kept(scene, src, dst);
}

static void assert_linear(const struct cuda_fixture *fixture, const struct scene *scene,
                          const struct prepared *p, const struct expectation *expected,
                          const struct test_image *src)
{
    struct test_image dst =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    scene_run_linear(fixture, p, src, &dst, scene->shift);
    assert_as_expected(scene, expected, &src->view, &dst.view, "linear");
    assert_true(image_guards_intact(&dst));
    image_free(&dst);
}

static void assert_surface(const struct cuda_fixture *fixture, const struct scene *scene,
                           const struct prepared *p, const struct expectation *expected,
                           const struct test_image *src)
{
    struct test_image packed = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_mirror(&src->view, &packed.view, false, false);
    scene_run_surface(fixture, p, &packed.view, &dst.view);
    assert_as_expected(scene, expected, &src->view, &dst.view, "surface");
    assert_true(image_guards_intact(&dst));
    image_free(&dst);
    image_free(&packed);
}

void scene_assert_picture(const struct cuda_fixture *fixture, const struct scene *scene,
                          const struct test_image *src)
{
    struct prepared p = {0};
    scene_prepare(fixture, &p, scene);
    struct expectation expected = {.cpu = scene_run_cpu(&p, &src->view)};
    if (!scene->no_reference) {
        expected.reference = compare_expected(&scene->foveation, &src->view, &p.frame);
    }
    assert_linear(fixture, scene, &p, &expected, src);
    if (scene_has_surface(scene->format)) {
        assert_surface(fixture, scene, &p, &expected, src);
    }
    free(expected.reference);
    free(expected.cpu);
    scene_finish(fixture, &p);
}

void scene_assert(const struct cuda_fixture *fixture, const struct scene *scene)
{
    struct test_image src =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    image_draw(&src.view, scene->pattern, 7);
    scene_assert_picture(fixture, scene, &src);
    image_free(&src);
}

/* ---- What every way has to do right ---------------------------------------------------------- */

void scene_scramble(const struct test_image *image)
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
            if (foveate_sigma_at(p->plan, &p->frame, (int32_t)x, (int32_t)y) == 0.0f) {
                compare_assert_same(dst, src, (struct compare_rect){x, y, 1, 1}, what);
                count++;
            }
        }
    }
    return count;
}

uint32_t scene_assert_sharp_is_copied(const struct cuda_fixture *fixture, const struct scene *scene)
{
    struct test_image src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct prepared p = {0};
    scene_prepare(fixture, &p, scene);
    scene_scramble(&src);
    scene_run_linear(fixture, &p, &src, &dst, 0);
    const uint32_t count = assert_sharp_same(&p, &src.view, &dst.view, "linear");
    if (scene_has_surface(scene->format)) {
        memset(dst.view.data, 0xa5, (size_t)dst.view.row_stride_bytes * scene->height_px);
        scene_run_surface(fixture, &p, &src.view, &dst.view);
        assert_sharp_same(&p, &src.view, &dst.view, "surface");
    }
    scene_finish(fixture, &p);
    image_free(&src);
    image_free(&dst);
    return count;
}

void scene_assert_flat_stays_flat(const struct cuda_fixture *fixture, const struct scene *scene)
{
    const int white = (int)image_white(scene->format, 0);
    struct test_image src = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct prepared p = {0};
    scene_prepare(fixture, &p, scene);
    for (int level = 0; level <= white; level += fixture->quick ? white / 5 : 1) {
        struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
        image_fill(&src.view, level);
        scene_run_linear(fixture, &p, &src, &dst, 0);
        compare_assert_all_same(&dst.view, &src.view, "flat");
        image_free(&dst);
    }
    scene_finish(fixture, &p);
    image_free(&src);
}

static struct scene small_scene(const struct scene_way *way, enum fovea_format format)
{
    struct scene scene = way->scene();
    scene.format = format;
    if (way->small_px[0] > 0) {
        scene.width_px = way->small_px[0];
        scene.height_px = way->small_px[1];
    }
    return scene;
}

void way_has_every_format_pattern_and_light(const struct scene_way *way)
{
    const size_t patterns = way->fixture->quick ? 1 : IMAGE_PATTERN_COUNT;
    for (size_t i = 0; i < way->format_count * patterns * way->light_count; i++) {
        struct scene scene = way->scene();
        scene.format = way->formats[i / way->light_count / patterns];
        scene.pattern = (enum image_pattern)(i / way->light_count % patterns);
        scene.foveation.light = way->lights[i % way->light_count];
        way->check(&scene);
    }
}

void way_respects_strides_and_gaps(const struct scene_way *way)
{
    static const struct image_layout layouts[] = {
        {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1}, {true, 5, 3}};
    for (size_t i = 0; i < way->format_count; i++) {
        for (size_t k = 0; k < COUNT(layouts); k += way->fixture->quick ? 3 : 1) {
            struct scene scene = small_scene(way, way->formats[i]);
            scene.layout = layouts[k];
            way->check(&scene);
        }
    }
}

void way_needs_no_more_than_its_channels_alignment(const struct scene_way *way)
{
    static const struct {
        enum fovea_format format;
        uint32_t shift;
    } cases[] = {{FOVEA_FORMAT_RGBA8, 1},   {FOVEA_FORMAT_RGBA8, 2},   {FOVEA_FORMAT_RGB8, 1},
                 {FOVEA_FORMAT_R8, 3},      {FOVEA_FORMAT_RGBA16F, 2}, {FOVEA_FORMAT_RGBA16F, 4},
                 {FOVEA_FORMAT_RGBA32F, 4}, {FOVEA_FORMAT_RGBA32F, 8}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene = small_scene(way, cases[i].format);
        scene.shift = cases[i].shift;
        way->check(&scene);
    }
}

void way_blurs_premultiplied_alpha(const struct scene_way *way)
{
    for (size_t i = 0; i < way->format_count * way->light_count; i++) {
        struct scene scene = small_scene(way, way->formats[i / way->light_count]);
        scene.foveation.light = way->lights[i % way->light_count];
        scene.foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        way->check(&scene);
    }
}

void way_works_for_the_longest_sides(const struct scene_way *way)
{
    for (int i = 0; i < 2; i++) {
        struct scene scene = way->scene();
        scene.width_px = i ? 16384 : 9;
        scene.height_px = i ? 9 : 16384;
        scene.foveation.paper.fragment_px = 4;
        scene.no_reference = true;
        way->check(&scene);
    }
}

void way_keeps_bad_numbers_within_reach(const struct scene_way *way, const struct bad_number *bad,
                                        size_t count)
{
    for (size_t i = 0; i < way->format_count; i++) {
        struct scene scene = way->scene();
        scene.format = way->formats[i];
        scene.no_reference = scene.foveation.method == FOVEA_METHOD_SMOOTH;
        if (!image_is_float(scene.format)) {
            continue;
        }
        struct test_image src = image_make_packed(scene.width_px, scene.height_px, scene.format);
        image_draw(&src.view, IMAGE_PHOTO, 3);
        for (size_t k = 0; k < count; k++) {
            if (bad[k].channel < image_channels(scene.format)) {
                image_set(&src.view, bad[k].x, bad[k].y, bad[k].channel, bad[k].value);
            }
        }
        way->check_picture(&scene, &src);
        image_free(&src);
    }
}
