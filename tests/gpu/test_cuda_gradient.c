/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of foveation and of the operator blur on a CUDA device against those of the cpu, which
 * test_gradient_exact.c compares with the formula: sizes, models, formats, strides, batches, gazes,
 * pictures of sigmas. */

#include "core/thread_pool.h"
#include "cuda_fixture.h"
#include "kernels/image/pixel.h"
#include "kernels/operator/operator_cuda.h"
#include "kernels/operators.h"
#include "sheet.h"

#define IMAGES 3
#define NUMBERS (2 * IMAGES * FOVEA_FOVEAS_MAX) /* of their gazes, at most */
/* This part of the largest derivative is allowed. The GPU fuses products and sums and adds up in
 * another order than the processor, which moves sigmas by some millionths and, where a map is
 * steep, derivatives by 4e-5.
 */
#define FLOAT_BUDGET 2e-4
#define HALF_BUDGET 1.5e-3
/* This part of the larger of the two is allowed, beside a pixel's worth of noise. */
#define GAZE_BUDGET 2e-3

struct scene {
    struct fovea_settings settings;
    enum fovea_format format;
    uint32_t width_px, height_px;
    enum sheet_order order;
    uint32_t foveas; /* 0: one */
    float gazes_uv[NUMBERS];
    enum fovea_format sigmas; /* of the operator blur's pictures; NONE: there are none */
    bool one_picture; /* of sigmas, for all images */
};

static struct scene scene_of(uint32_t i)
{
    static const uint32_t sizes[][2] = {{37, 29}, {84, 84}, {1, 1}, {1, 45}, {61, 3}, {64, 48}};
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
                                                FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGBA16F,
                                                FOVEA_FORMAT_R16F,    FOVEA_FORMAT_RGB16F};
    struct scene scene = {.settings = fovea_settings_default(),
                          .format = formats[i / 2 % 6],
                          .width_px = sizes[i % 6][0],
                          .height_px = sizes[i % 6][1],
                          .order = (enum sheet_order)(i % SHEET_ORDER_COUNT)};
    struct fovea_foveation *foveation = &scene.settings.foveation;
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_MAP, FOVEA_MODEL_RELATIVE};
    foveation->model = models[i / 3 % 4];
    foveation->map.kind = FOVEA_MAP_STREAK;
    foveation->method = i / 4 % 3 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
    foveation->alpha = (enum fovea_alpha)(i / 5 % 2);
    foveation->paper.fragment_px = 8;
    foveation->geometry.ppd = 2.5;
    foveation->strength = 0.6 + 0.7 * (i % 3);
    scene.foveas = i / 2 % (FOVEA_FOVEAS_MAX + 1);
    sheet_gazes(scene.gazes_uv, IMAGES * FOVEA_FOVEAS_MAX, i);
    return scene;
}

static struct scene blurred_scene_of(uint32_t i)
{
    static const enum fovea_format sigmas[] = {FOVEA_FORMAT_NONE, FOVEA_FORMAT_R32F,
                                               FOVEA_FORMAT_R16F};
    struct scene scene = scene_of(i);
    scene.settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_blur}};
    scene.settings.own.blur_sigma_px = scene.settings.own.blur_sigma_max_px =
        0.05 * pow(1.4, i % 19);
    scene.sigmas = sigmas[i / 2 % 3];
    scene.one_picture = i % 4 == 1;
    return scene;
}

static const struct operator_api *operator_of(const struct scene *scene)
{
    return operators_at(scene->settings.operators.order[0]);
}

struct pictures {
    struct sheet src, d_dst, cpu, gpu, sigmas;
    float cpu_gazes[NUMBERS], gpu_gazes[NUMBERS];
    float *cpu_sigmas, *gpu_sigmas; /* derivatives of a blur; NULL: of none */
    size_t sigmas_count;
};

static struct sheet sheet_for(const struct scene *scene, enum sheet_order order)
{
    return sheet_make(IMAGES, scene->width_px, scene->height_px, scene->format, order);
}

static struct pictures pictures_make(const struct scene *scene)
{
    struct pictures p = {.src = sheet_for(scene, scene->order),
                         .d_dst = sheet_for(scene, SHEET_GAPS),
                         .cpu = sheet_for(scene, scene->order),
                         .gpu = sheet_for(scene, scene->order)};
    sheet_draw(&p.src, IMAGE_PHOTO, 1);
    sheet_draw(&p.d_dst, IMAGE_RANDOM, 2);
    if (scene->settings.operators.order[0] == FOVEA_OPERATOR_blur) {
        p.sigmas_count = (size_t)IMAGES * scene->width_px * scene->height_px;
        p.cpu_sigmas = test_memory(p.sigmas_count, sizeof *p.cpu_sigmas);
        p.gpu_sigmas = test_memory(p.sigmas_count, sizeof *p.gpu_sigmas);
    }
    if (scene->sigmas) {
        p.sigmas = sheet_make(IMAGES, scene->width_px, scene->height_px, scene->sigmas, SHEET_GAPS);
        sheet_draw(&p.sigmas, IMAGE_RANDOM, 3);
        p.sigmas.next_bytes = scene->one_picture ? 0 : p.sigmas.next_bytes;
    }
    return p;
}

static void pictures_free(struct pictures *p)
{
    sheet_free(&p->src);
    sheet_free(&p->d_dst);
    sheet_free(&p->cpu);
    sheet_free(&p->gpu);
    if (p->sigmas.first.data) {
        sheet_free(&p->sigmas);
    }
    free(p->cpu_sigmas);
    free(p->gpu_sigmas);
}

static void run_cpu(const struct scene *scene, struct pictures *p)
{
    const struct operator_api *operator= operator_of(scene);
    const struct operator_gradient_api *api = operator->gradient;
    const struct operator_plan_desc desc = {.settings = &scene->settings,
                                            .width_px = scene->width_px,
                                            .height_px = scene->height_px,
                                            .has_sigmas = scene->sigmas != FOVEA_FORMAT_NONE};
    const struct operator_derivatives batch = {.count = IMAGES,
                                               .src = &p->src.first,
                                               .d_dst = &p->d_dst.first,
                                               .d_src = &p->cpu.first,
                                               .src_next_bytes = p->src.next_bytes,
                                               .d_dst_next_bytes = p->d_dst.next_bytes,
                                               .d_src_next_bytes = p->cpu.next_bytes,
                                               .gazes_uv = scene->gazes_uv,
                                               .d_gazes_uv = p->cpu_gazes,
                                               .foveas = scene->foveas,
                                               .sigmas = scene->sigmas ? &p->sigmas.first : NULL,
                                               .sigmas_next_bytes = p->sigmas.next_bytes,
                                               .d_sigmas = p->cpu_sigmas};
    struct operator_plan *plan = NULL;
    struct operator_host *gradient = NULL;
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    assert_ok(operator->plan_create(&desc, &plan));
    assert_ok(thread_pool_create(2, &pool));
    assert_ok(operator_host_create(&api->kind, pool, plan, &gradient));
    assert_ok(api->reserve(gradient, &batch));
    api->run(gradient, &batch);
    operator_host_destroy(&gradient);
    operator->plan_destroy(&plan);
}

static struct fovea_image on_device(const struct device_image *image, const struct sheet *sheet)
{
    struct fovea_image first = sheet->first;
    first.memory = FOVEA_MEMORY_CUDA;
    first.data = (unsigned char *)image->view.data +
                 ((unsigned char *)sheet->first.data - (unsigned char *)sheet->all.view.data);
    return first;
}

/* The call on images in the device's memory, with gazes there, too, or in the host's. */
struct called {
    const struct scene *scene;
    struct pictures *pictures;
    struct device_image src, d_dst, d_src, sigmas;
    CUdeviceptr d_sigmas; /* 0: of no blur */
    CUdeviceptr gazes; /* and their derivatives behind them; 0: they are the host's */
    struct fovea_context *context;
    struct fovea_batch_gradient batch;
};

static void make_gazes(struct called *c)
{
    const size_t bytes = sizeof c->scene->gazes_uv;
    CU_ASSERT(fixture.cu->MemAlloc(&c->gazes, 2 * bytes));
    CU_ASSERT(fixture.cu->MemsetD8(c->gazes, 0, 2 * bytes));
    CU_ASSERT(fixture.cu->StreamSynchronize(NULL));
    c->batch.gazes_memory = FOVEA_MEMORY_CUDA;
    c->batch.gazes_uv = (const float *)(uintptr_t)c->gazes;
    c->batch.d_gazes_uv = (float *)(uintptr_t)(c->gazes + bytes);
}

static void upload_gazes(const struct called *c)
{
    if (c->gazes) {
        cuda_fixture_upload(c->gazes, c->scene->gazes_uv, sizeof c->scene->gazes_uv);
    }
}

static struct called called_make(const struct scene *scene, struct pictures *p,
                                 bool gazes_on_device)
{
    struct called c = {.scene = scene,
                       .pictures = p,
                       .src = device_image_make(&p->src.all, 0),
                       .d_dst = device_image_make(&p->d_dst.all, 0),
                       .d_src = device_image_make(&p->gpu.all, 0)};
    c.context = cuda_fixture_context(&scene->settings);
    fovea_batch_gradient_init(&c.batch);
    c.batch.count = IMAGES;
    c.batch.src = on_device(&c.src, &p->src);
    c.batch.d_dst = on_device(&c.d_dst, &p->d_dst);
    c.batch.d_src = on_device(&c.d_src, &p->gpu);
    c.batch.src_next_bytes = p->src.next_bytes;
    c.batch.d_dst_next_bytes = p->d_dst.next_bytes;
    c.batch.d_src_next_bytes = p->gpu.next_bytes;
    c.batch.gazes_uv = scene->gazes_uv;
    c.batch.d_gazes_uv = p->gpu_gazes;
    c.batch.fovea_count = scene->foveas;
    if (scene->sigmas) {
        c.sigmas = device_image_make(&p->sigmas.all, 0);
        c.batch.sigmas = on_device(&c.sigmas, &p->sigmas);
        c.batch.sigmas_next_bytes = p->sigmas.next_bytes;
    }
    if (p->gpu_sigmas) {
        CU_ASSERT(fixture.cu->MemAlloc(&c.d_sigmas, p->sigmas_count * sizeof(float)));
        c.batch.d_sigmas = (float *)(uintptr_t)c.d_sigmas;
    }
    if (gazes_on_device) {
        make_gazes(&c);
    }
    return c;
}

static void call(const struct called *c)
{
    assert_ok(fovea_context_run_batch_gradient(c->context, &c->batch, fixture.stream));
}

static void called_finish(struct called *c)
{
    struct pictures *p = c->pictures;
    cuda_fixture_wait();
    device_image_download(&c->d_src, &p->gpu.all);
    if (c->gazes) {
        const size_t bytes = sizeof p->gpu_gazes;
        CU_ASSERT(fixture.cu->MemcpyDtoH(p->gpu_gazes, c->gazes + bytes, bytes));
        CU_ASSERT(fixture.cu->MemFree(c->gazes));
    }
    if (c->d_sigmas) {
        CU_ASSERT(
            fixture.cu->MemcpyDtoH(p->gpu_sigmas, c->d_sigmas, p->sigmas_count * sizeof(float)));
        CU_ASSERT(fixture.cu->MemFree(c->d_sigmas));
    }
    fovea_context_destroy(&c->context);
    device_image_free(&c->src);
    device_image_free(&c->d_dst);
    device_image_free(&c->d_src);
    if (c->scene->sigmas) {
        device_image_free(&c->sigmas);
    }
}

static void run_gpu(const struct scene *scene, struct pictures *p, bool gazes_on_device)
{
    OWNED(called_finish) struct called c = called_make(scene, p, gazes_on_device);
    upload_gazes(&c);
    call(&c);
}

static double worst[3];

static void assert_images(const struct pictures *p, const char *what)
{
    const enum fovea_format format = p->cpu.first.format;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const struct fovea_image expected = sheet_image(&p->cpu, i);
        const struct fovea_image got = sheet_image(&p->gpu, i);
        const size_t count = (size_t)got.width_px * got.height_px * image_channels(got.format);
        OWNED(owned_free) double *a = image_to_doubles(&expected);
        OWNED(owned_free) double *b = image_to_doubles(&got);
        double largest = 0.0;
        double off = 0.0;
        for (size_t n = 0; n < count; n++) {
            largest = fmax(largest, fabs(a[n]));
            off = fabs(a[n] - b[n]) > off || isnan(b[n]) ? fabs(a[n] - b[n]) : off;
        }
        assert_that(off <= (image_is_half(format) ? HALF_BUDGET : FLOAT_BUDGET) * largest,
                    "%s image %u: %g of %g off", what, i, off, largest);
        worst[0] = image_is_half(format) ? worst[0] : fmax(worst[0], off / largest);
    }
    assert_true(image_guards_intact(&p->gpu.all));
}

/* A gaze's derivative is a sum over all pixels, of both signs, each in proportion to the picture's
 * values. What cancels leaves its rounding: a pixel's worth of it is the picture's white, and a
 * picture of few pixels, which has next to no derivative, counts as four pixels a side. */
#define LEAST_SIDE_PX 4

static void assert_gazes(const struct pictures *p, const char *what)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        const double expected = (double)p->cpu_gazes[i];
        const double side = i % 2 ? p->cpu.first.height_px : p->cpu.first.width_px;
        const double size = fmax(side, LEAST_SIDE_PX) * image_white(p->cpu.first.format, 0);
        const double off = fabs((double)p->gpu_gazes[i] - expected);
        assert_that(off <= GAZE_BUDGET * fmax(fabs(expected), size),
                    "%s: gaze %zu is %g, expected %g", what, i, (double)p->gpu_gazes[i], expected);
        worst[1] = fmax(worst[1], off / fmax(fabs(expected), size));
    }
}

/* A pixel's is a sum over its neighbours, as a gaze's is over the picture: what is left of values
 * near white that cancel each other is their rounding. */
static void assert_sigmas(const struct pictures *p, const char *what)
{
    double largest = 0.0;
    for (size_t i = 0; i < p->sigmas_count; i++) {
        largest = fmax(largest, fabs((double)p->cpu_sigmas[i]));
    }
    for (size_t i = 0; i < p->sigmas_count; i++) {
        const double expected = (double)p->cpu_sigmas[i];
        const double off = fabs((double)p->gpu_sigmas[i] - expected);
        const double rounding = 1e-5 * image_white(p->cpu.first.format, 0);
        assert_that(off <= FLOAT_BUDGET * largest + rounding,
                    "%s: sigma %zu has %g, expected %g of %g", what, i, (double)p->gpu_sigmas[i],
                    expected, largest);
        worst[2] = largest > 0.01 ? fmax(worst[2], off / largest) : worst[2];
    }
}

static void check(const struct scene *scene, uint32_t i)
{
    const char *what =
        test_text("scene %u: %ux%u format %d model %d method %d sigmas %d", i, scene->width_px,
                  scene->height_px, (int)scene->format, (int)scene->settings.foveation.model,
                  (int)scene->settings.foveation.method, (int)scene->sigmas);
    OWNED(pictures_free) struct pictures p = pictures_make(scene);
    run_cpu(scene, &p);
    run_gpu(scene, &p, i % 2);
    assert_images(&p, what);
    assert_gazes(&p, what);
    assert_sigmas(&p, what);
}

TEST(gradients_are_the_cpus)
{
    for (uint32_t i = 0; i < (fixture.quick ? 24 : 240); i++) {
        const struct scene scene = scene_of(i);
        check(&scene, i);
    }
    print_message("image %.2e of the largest, gaze %.2e\n", worst[0], worst[1]);
}

TEST(blurs_are_the_cpus)
{
    for (uint32_t i = 0; i < (fixture.quick ? 18 : 114); i++) {
        const struct scene scene = blurred_scene_of(i);
        check(&scene, i);
    }
    print_message("image %.2e of the largest, sigma %.2e\n", worst[0], worst[2]);
}

TEST(no_gaze_changes_a_blur)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct scene scene = blurred_scene_of(5 + 2 * i);
        OWNED(pictures_free) struct pictures with = pictures_make(&scene);
        OWNED(pictures_free) struct pictures without = pictures_make(&scene);
        run_gpu(&scene, &with, true);
        scene.gazes_uv[2] = NAN;
        run_gpu(&scene, &without, true);
        assert_memory_equal(with.gpu.all.memory, without.gpu.all.memory, with.gpu.all.memory_bytes);
        for (uint32_t n = 0; n < NUMBERS; n++) {
            assert_true(without.gpu_gazes[n] == 0.0f);
        }
    }
}

TEST(an_image_without_a_gaze_is_copied)
{
    for (uint32_t i = 0; i < 6; i++) {
        struct scene scene = scene_of(i);
        const uint32_t numbers = 2 * (scene.foveas > 0 ? scene.foveas : 1);
        scene.gazes_uv[numbers] = i % 2 ? NAN : -INFINITY;
        OWNED(pictures_free) struct pictures p = pictures_make(&scene);
        run_gpu(&scene, &p, true);
        const struct fovea_image expected = sheet_image(&p.d_dst, 1);
        const struct fovea_image got = sheet_image(&p.gpu, 1);
        for (uint32_t n = 0; n < got.width_px * got.height_px; n++) {
            assert_memory_equal(image_pixel(&got, n % got.width_px, n / got.width_px),
                                image_pixel(&expected, n % got.width_px, n / got.width_px),
                                image_bytes(got.format));
        }
        for (uint32_t n = 0; n < numbers; n++) {
            assert_true(p.gpu_gazes[numbers + n] == 0.0f);
        }
    }
}

TEST(a_fovea_that_is_not_finite_has_no_pixels)
{
    struct scene scene = scene_of(7);
    scene.foveas = 2;
    OWNED(pictures_free) struct pictures both = pictures_make(&scene);
    OWNED(pictures_free) struct pictures one = pictures_make(&scene);
    for (size_t i = 0; i < IMAGES; i++) {
        scene.gazes_uv[4 * i + 2] = NAN;
    }
    run_gpu(&scene, &both, true);
    for (size_t i = 0; i < IMAGES; i++) {
        scene.gazes_uv[2 * i] = scene.gazes_uv[4 * i];
        scene.gazes_uv[2 * i + 1] = scene.gazes_uv[4 * i + 1];
    }
    scene.foveas = 1;
    run_gpu(&scene, &one, true);
    assert_memory_equal(both.gpu.all.memory, one.gpu.all.memory, one.gpu.all.memory_bytes);
    for (size_t i = 0; i < 2 * IMAGES; i++) {
        assert_true(both.gpu_gazes[i + i / 2 * 2] == one.gpu_gazes[i]);
        assert_true(both.gpu_gazes[i + i / 2 * 2 + 2] == 0.0f);
    }
}

TEST(results_are_always_the_same)
{
    const struct scene scene = scene_of(7);
    OWNED(pictures_free) struct pictures a = pictures_make(&scene);
    OWNED(pictures_free) struct pictures b = pictures_make(&scene);
    run_gpu(&scene, &a, true);
    run_gpu(&scene, &b, false);
    assert_memory_equal(a.gpu.all.memory, b.gpu.all.memory, a.gpu.all.memory_bytes);
    assert_memory_equal(a.gpu_gazes, b.gpu_gazes, sizeof a.gpu_gazes);
}

static CUgraphExec capture(const struct called *c)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CU_ASSERT(fixture.cu->StreamBeginCapture(fixture.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    call(c);
    CU_ASSERT(fixture.cu->StreamEndCapture(fixture.stream, &graph));
    CU_ASSERT(fixture.cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CU_ASSERT(fixture.cu->GraphDestroy(graph));
    return exec;
}

/* Gazes come after the capture. `warm`: the context has made gradients of that size before. */
static void run_graph(const struct scene *scene, struct pictures *p, bool warm)
{
    OWNED(called_finish) struct called c = called_make(scene, p, true);
    if (warm) {
        call(&c);
        cuda_fixture_wait();
    }
    CUgraphExec exec = capture(&c);
    upload_gazes(&c);
    CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
    CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
    cuda_fixture_wait();
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
}

TEST(a_graph_gives_what_a_call_gives)
{
    for (uint32_t i = 0; i < (fixture.quick ? 8 : 32); i += 4) {
        const struct scene scene = scene_of(i + i / 8);
        OWNED(pictures_free) struct pictures called = pictures_make(&scene);
        OWNED(pictures_free) struct pictures replayed = pictures_make(&scene);
        run_gpu(&scene, &called, true);
        run_graph(&scene, &replayed, i / 4 % 2);
        assert_memory_equal(called.gpu.all.memory, replayed.gpu.all.memory,
                            called.gpu.all.memory_bytes);
        assert_memory_equal(called.gpu_gazes, replayed.gpu_gazes, sizeof called.gpu_gazes);
    }
}
