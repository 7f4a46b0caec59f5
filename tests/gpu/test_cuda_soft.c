/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens behind foveate on CUDA, which reads what foveate made from a texture but for a surrounding
 * of the gaze (kernels/lens/cuda/soft.cuh): against the definition of the lens on what foveate
 * made, and against both operators one after the other. */

#include "compare.h"
#include "cuda_fixture.h"
#include "kernels/cuda/cuda_texture.h"
#include "kernels/lens/calibration.h"
#include "kernels/lens/lens.h"
#include "kernels/operator/operator_cuda.h"
#include "kernels/row/row_plan.h"
#include "operators/lens_scenes.h"

#define MOST_OF_OPERATORS 2.0 /* levels, between both as a row and apart */

static const struct lens_bound bound = {.off_px = 0.012,
                                        .levels = 0.85}; /* kernels/lens/README.md */
static struct cuda_fixture fixture;
static struct operator_cuda *kernels;

/* ---- Scenes */

struct scene {
    struct fovea_settings settings; /* of both operators */
    struct fovea_point_uv gaze;
    uint32_t width_px;
    uint32_t height_px;
    enum fovea_format format;
    int picture;
    bool opaque;
    bool blue_first;
    bool late; /* surfaces: the gaze lies on the device */
    uint32_t origin_x_px; /* surfaces: where the view begins */
    uint32_t origin_y_px;
    uint32_t beside_px; /* how far they go on beyond it */
};

static const struct fovea_operators both = {2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};
static const struct fovea_operators foveate = {1, {FOVEA_OPERATOR_foveate}};
static const struct fovea_operators lens = {1, {FOVEA_OPERATOR_lens}};

/* Laws are flat enough for tiles: sigma may grow with the size. */
static struct scene scene_of(uint32_t i, uint32_t width_px, uint32_t height_px)
{
    static const struct fovea_point_uv gazes[] = {
        {0.5, 0.5}, {0.05, 0.1}, {0.9, 0.4}, {0.3, 1.2}, {0.45, 0.55}};
    struct scene scene = {.settings = fovea_settings_default(),
                          .gaze = gazes[i % 5],
                          .width_px = width_px,
                          .height_px = height_px,
                          .format = FOVEA_FORMAT_RGBA8,
                          .picture = (int)(i % IMAGE_CONTRAST_COUNT),
                          .opaque = i % 3 > 0,
                          .blue_first = i % 5 == 1,
                          .late = i % 4 == 1,
                          .origin_x_px = 11,
                          .origin_y_px = 7,
                          .beside_px = 5};
    struct fovea_operator_settings *own = &scene.settings.own;
    scene.settings.operators = both;
    scene.settings.foveation.strength = fmin(1.0, width_px / 970.0);
    own->lens_r2 = i % 4 == 2 ? -0.05 : 0.22;
    own->lens_r1 = i % 7 == 5 ? 0.02 : 0.0;
    own->lens_r4 = i % 4 == 3 ? 0.24 : 0.0;
    own->lens_r0 = i % 4 == 3 ? 0.8 : 1.0;
    own->lens_shift_x = i % 4 == 1 ? 0.1 : 0.0;
    own->lens_blank_green = 0.4;
    if (i % 2) {
        own->lens_red_r2 = 0.013;
        own->lens_blue_r2 = -0.017;
    }
    return scene;
}

static struct test_image draw(const struct scene *scene)
{
    struct test_image image = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_draw_contrast(&image.view, scene->picture);
    for (uint32_t y = 0; scene->opaque && y < scene->height_px; y++) {
        for (uint32_t x = 0; x < scene->width_px; x++) {
            image_set(&image.view, x, y, 3, image_white(scene->format, 3));
        }
    }
    return image;
}

/* A lens's map as points; rotated by a right angle, so that rows of the source are columns. */
static float *points_of(const struct lens_points *points, uint32_t color, bool rotated)
{
    const size_t count = (size_t)points->columns * points->rows;
    float *places = calloc(2 * count, sizeof *places);
    assert_non_null(places);
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i % points->columns) / (points->columns - 1) - 0.5;
        const double y = (double)(i / points->columns) / (points->rows - 1) - 0.5;
        const double grow = 0.95 + (0.3 + 0.02 * color) * (x * x + y * y);
        places[2 * i] = (float)(0.5 + (rotated ? -y : x) * grow);
        places[2 * i + 1] = (float)(0.5 + (rotated ? x : y) * grow);
    }
    return places;
}

struct points_kind {
    bool quadratic;
    bool colored;
    bool rotated;
};

static struct lens_calibration *calibration_of(const struct scene *scene, struct points_kind kind)
{
    const uint32_t step_px = kind.quadratic ? 32 : 16;
    struct lens_points points = {.columns = scene->width_px / step_px + 2,
                                 .rows = scene->height_px / step_px + 2,
                                 .quadratic = kind.quadratic};
    points.step_uv[0] = 1.0 / (points.columns - 1);
    points.step_uv[1] = 1.0 / (points.rows - 1);
    char problem[OPERATOR_PROBLEM_BYTES] = "";
    float *places[LENS_COLORS] = {NULL};
    struct lens_calibration *made = NULL;
    for (uint32_t i = 0; i < LENS_COLORS; i++) {
        places[i] = points_of(&points, kind.colored ? i : 1, kind.rotated);
        points.places_uv[i] = i == LENS_AXIS || kind.colored ? places[i] : NULL;
    }
    if (lens_calibration_of_points(&points, problem, &made) < 0) {
        fail_msg("%s", problem);
    }
    for (uint32_t i = 0; i < LENS_COLORS; i++) {
        free(places[i]);
    }
    return made;
}

/* ---- Runs on surfaces: a view of arrays, or all of them */

static struct test_image large_of(const struct scene *scene)
{
    return image_make_packed(scene->width_px + scene->origin_x_px + scene->beside_px,
                             scene->height_px + scene->origin_y_px + scene->beside_px,
                             scene->format);
}

static struct device_array array_of(const struct scene *scene, const struct fovea_image *view)
{
    struct test_image large = large_of(scene);
    const size_t row_bytes = (size_t)scene->width_px * image_bytes(scene->format);
    image_draw(&large.view, IMAGE_RANDOM, 3);
    for (uint32_t y = 0; view && y < scene->height_px; y++) {
        memcpy(image_pixel(&large.view, scene->origin_x_px, y + scene->origin_y_px),
               image_pixel(view, 0, y), row_bytes);
    }
    const struct device_array array = device_array_make(&fixture, &large.view);
    image_free(&large);
    return array;
}

static void take_view(const struct scene *scene, const struct device_array *array,
                      const struct fovea_image *view)
{
    struct test_image large = large_of(scene);
    const size_t row_bytes = (size_t)scene->width_px * image_bytes(scene->format);
    device_array_download(&fixture, array, &large.view);
    for (uint32_t y = 0; y < scene->height_px; y++) {
        memcpy(image_pixel(view, 0, y),
               image_pixel(&large.view, scene->origin_x_px, y + scene->origin_y_px), row_bytes);
    }
    image_free(&large);
}

static CUtexObject texture_of(const struct scene *scene, const struct device_array *array)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = array->array};
    CUtexObject texture = 0;
    if (scene->format == FOVEA_FORMAT_RGBA8) {
        assert_int_equal(cuda_texture_of_light(fixture.device, &resource, &texture), FOVEA_OK);
    }
    return texture;
}

/* The gaze where late ones lie. */
static CUdeviceptr upload_gaze(const struct operator_frame *frame)
{
    const int32_t q8[2] = {frame->gaze_x_q8, frame->gaze_y_q8};
    CUdeviceptr memory = 0;
    CU_ASSERT(&fixture, fixture.cu->MemAlloc(&memory, sizeof q8));
    cuda_fixture_upload(&fixture, memory, q8, sizeof q8);
    return memory;
}

struct surfaces {
    const struct device_array *src;
    const struct device_array *dst;
    const struct device_array *between; /* NULL: the row is of one operator */
};

static void run_surfaces(const struct scene *scene, const struct fovea_operators *operators,
                         const struct surfaces *surfaces)
{
    struct fovea_settings settings = scene->settings;
    settings.operators = *operators;
    const struct operator_plan_desc desc = {&settings, scene->width_px, scene->height_px};
    struct operator_frame frame =
        operator_frame_make(scene->width_px, scene->height_px, scene->gaze);
    struct operator_cuda_run run = {.frame = &frame, .stream = fixture.stream};
    struct operator_plan *plan = NULL;
    frame.origin_x_px = (int32_t)scene->origin_x_px;
    frame.origin_y_px = (int32_t)scene->origin_y_px;
    frame.blue_first = scene->blue_first;
    assert_int_equal(row_operator.plan_create(&desc, &plan), FOVEA_OK);
    assert_int_equal(row_operator.cuda->plan_create(kernels, plan, scene->format, &run.cuda_plan),
                     FOVEA_OK);
    run.plan = plan;
    run.gazes = scene->late ? upload_gaze(&frame) : 0;
    if (scene->late) {
        frame.gaze_x_q8 = frame.gaze_y_q8 = -12345;
    }
    if (surfaces->between) {
        run.between[0] = surfaces->between->surface;
        run.between_light[0] = texture_of(scene, surfaces->between);
        run.between_is_view[0] = scene->origin_x_px + scene->origin_y_px + scene->beside_px == 0;
    }
    assert_int_equal(row_operator.cuda->run_surface(kernels, &run, scene->format,
                                                    surfaces->src->surface, surfaces->dst->surface),
                     FOVEA_OK);
    cuda_fixture_wait(&fixture);
    if (run.between_light[0]) {
        CU_ASSERT(&fixture, fixture.cu->TexObjectDestroy(run.between_light[0]));
    }
    if (run.gazes) {
        CU_ASSERT(&fixture, fixture.cu->MemFree(run.gazes));
    }
    row_operator.cuda->plan_retire(kernels, &run.cuda_plan);
    row_operator.plan_destroy(&plan);
}

/* ---- Runs on linear memory */

static struct test_image run_linear(const struct scene *scene,
                                    const struct fovea_operators *operators,
                                    const struct test_image *host_src)
{
    struct fovea_settings settings = scene->settings;
    settings.operators = *operators;
    const struct operator_plan_desc desc = {&settings, scene->width_px, scene->height_px};
    struct operator_frame frame =
        operator_frame_make(scene->width_px, scene->height_px, scene->gaze);
    struct operator_cuda_run run = {.frame = &frame, .stream = fixture.stream};
    struct operator_plan *plan = NULL;
    struct test_image host_dst =
        image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct device_image src = device_image_make(&fixture, host_src, 0);
    struct device_image dst = device_image_make(&fixture, &host_dst, 0);
    const struct operator_images images = {.count = 1, .src = &src.view, .dst = &dst.view};
    frame.blue_first = scene->blue_first;
    assert_int_equal(row_operator.plan_create(&desc, &plan), FOVEA_OK);
    assert_int_equal(row_operator.cuda->plan_create(kernels, plan, scene->format, &run.cuda_plan),
                     FOVEA_OK);
    run.plan = plan;
    assert_int_equal(row_operator.cuda->reserve(kernels, run.cuda_plan, &images), FOVEA_OK);
    assert_int_equal(row_operator.cuda->run_linear(kernels, &run, &images), FOVEA_OK);
    cuda_fixture_wait(&fixture);
    device_image_download(&fixture, &dst, &host_dst);
    assert_true(image_guards_intact(&host_dst));
    row_operator.cuda->plan_retire(kernels, &run.cuda_plan);
    row_operator.plan_destroy(&plan);
    device_image_free(&fixture, &src);
    device_image_free(&fixture, &dst);
    return host_dst;
}

/* ---- Both, one after the other, and as a row */

struct results {
    struct test_image src, foveated, apart, row;
};

static void results_free(struct results *results)
{
    image_free(&results->src);
    image_free(&results->foveated);
    image_free(&results->apart);
    image_free(&results->row);
}

static struct results run_on_surfaces(const struct scene *scene)
{
    struct results results = {draw(scene), draw(scene), draw(scene), draw(scene)};
    struct device_array src = array_of(scene, &results.src.view);
    struct device_array arrays[4];
    for (int i = 0; i < 4; i++) {
        arrays[i] = array_of(scene, NULL);
    }
    run_surfaces(scene, &foveate, &(const struct surfaces){&src, &arrays[0], NULL});
    run_surfaces(scene, &lens, &(const struct surfaces){&arrays[0], &arrays[1], NULL});
    run_surfaces(scene, &both, &(const struct surfaces){&src, &arrays[2], &arrays[3]});
    take_view(scene, &arrays[0], &results.foveated.view);
    take_view(scene, &arrays[1], &results.apart.view);
    take_view(scene, &arrays[2], &results.row.view);
    device_array_free(&fixture, &src);
    for (int i = 0; i < 4; i++) {
        device_array_free(&fixture, &arrays[i]);
    }
    return results;
}

static struct results run_on_memory(const struct scene *scene)
{
    struct results results = {.src = draw(scene)};
    results.foveated = run_linear(scene, &foveate, &results.src);
    results.apart = run_linear(scene, &lens, &results.foveated);
    results.row = run_linear(scene, &both, &results.src);
    return results;
}

/* A texture's light is never all the same as that of bytes. */
static bool took_texture(const struct scene *scene, const struct results *results)
{
    return memcmp(results->row.view.data, results->apart.view.data,
                  (size_t)scene->width_px * scene->height_px * image_bytes(scene->format)) != 0;
}

/* A place on the line between two pixels, or on the picture's edge, is found on either side of it:
 * alpha is the nearest pixel's, and blank is another colour. */
static void assert_as_apart(const struct scene *scene, const struct results *results)
{
    const uint32_t channels = image_channels(scene->format);
    const size_t count = (size_t)scene->width_px * scene->height_px * channels;
    size_t astray = 0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = (uint32_t)(i / channels % scene->width_px);
        const uint32_t y = (uint32_t)(i / channels / scene->width_px);
        const uint32_t channel = (uint32_t)(i % channels);
        const double off = fabs(image_get(&results->row.view, x, y, channel) -
                                image_get(&results->apart.view, x, y, channel));
        astray += off > (channel == 3 ? 0.0 : MOST_OF_OPERATORS);
        sum += off > MOST_OF_OPERATORS ? 0.0 : off;
    }
    if (astray > count / 2000 || sum / (double)count > 0.3) {
        fail_msg("%ux%u, picture %d: %zu values of %zu are astray, the others %.3f levels off",
                 scene->width_px, scene->height_px, scene->picture, astray, count,
                 sum / (double)count);
    }
}

/* As the lens is defined, on what foveate made. */
static void assert_as_defined(const struct scene *scene, const struct results *results)
{
    const struct operator_scene defined = {.settings = scene->settings,
                                           .format = scene->format,
                                           .width_px = scene->width_px,
                                           .height_px = scene->height_px,
                                           .picture = scene->picture,
                                           .blue_first = scene->blue_first};
    const double most =
        lens_assert_within(&defined, bound, &results->foveated.view, &results->row.view);
    print_message("%ux%u, picture %d: at most %.3f levels beyond rounding\n", scene->width_px,
                  scene->height_px, scene->picture, most);
}

/* Coordinates of a texture are counted from where it begins, so that surfaces and linear memory are
 * rounded differently. */
static void check(const struct scene *scene, bool defines_memory)
{
    struct results surfaces = run_on_surfaces(scene);
    struct results memory = run_on_memory(scene);
    assert_true(took_texture(scene, &surfaces));
    assert_true(took_texture(scene, &memory));
    assert_as_apart(scene, &surfaces);
    assert_as_apart(scene, &memory);
    assert_as_defined(scene, defines_memory ? &memory : &surfaces);
    results_free(&surfaces);
    results_free(&memory);
}

static int open_kernels(void **state)
{
    return row_operator.cuda->create(fixture.device, &kernels) == FOVEA_OK ? 0 : -1;
}

static int close_kernels(void **state)
{
    row_operator.cuda->destroy(&kernels);
    return 0;
}

#define WITH_KERNELS(test) TEST_AROUND(test, open_kernels, close_kernels)

/* ---- Tests */

WITH_KERNELS(textures_are_both_operators)
{
    static const uint32_t sizes[][2] = {{976, 549},  {1067, 671}, {960, 576}, {1104, 720},
                                        {1920, 400}, {640, 1040}, {431, 503}};
    for (uint32_t i = 0; i < (fixture.quick ? 3 : 7); i++) {
        const uint32_t *size = sizes[i % COUNT(sizes)];
        const struct scene scene =
            fixture.quick ? scene_of(i, 400 + i, 270) : scene_of(i, size[0] + i, size[1]);
        check(&scene, i % 2);
    }
}

WITH_KERNELS(textures_are_both_operators_with_samples)
{
    /* The reference takes four to sixteen times as long as without. */
    static const uint32_t sizes[][2] = {{620, 350}, {400, 307}, {320, 240}};
    for (uint32_t i = 0; i < (fixture.quick ? 2 : COUNT(sizes)); i++) {
        struct scene scene =
            fixture.quick ? scene_of(i, 300 + i, 200) : scene_of(i, sizes[i][0], sizes[i][1]);
        scene.settings.own.lens_samples = 1 + (int)i % 3;
        check(&scene, i % 2);
    }
}

static void check_points(struct points_kind kind, int samples, bool defines_memory)
{
    struct scene scene = scene_of(0, fixture.quick ? 320 : 1000, 230);
    struct lens_calibration *calibration = calibration_of(&scene, kind);
    struct shared_data *data = (struct shared_data *)calibration;
    scene.settings.own.lens_file_data = data;
    scene.settings.own.lens_samples = samples;
    check(&scene, defines_memory);
    shared_data_release(&data);
}

WITH_KERNELS(textures_go_with_points)
{
    static const struct points_kind kinds[] = {
        {false, true, true}, {true, false, false}, {false, false, false}, {true, true, true}};
    for (uint32_t i = 0; i < (fixture.quick ? 2 : 4); i++) {
        check_points(kinds[i], 0, i / 2);
        if (i == 0) {
            check_points(kinds[i], 1, i % 2);
        }
    }
}

/* ---- Views and rows */

WITH_KERNELS(a_view_is_the_same_at_every_origin)
{
    struct scene scene = scene_of(2, 300, 190);
    scene.origin_x_px = scene.origin_y_px = 0;
    struct results alone = run_on_surfaces(&scene);
    scene.origin_x_px = 4001;
    scene.origin_y_px = 333;
    struct results beside = run_on_surfaces(&scene);
    assert_true(took_texture(&scene, &alone));
    compare_assert_all_same(&alone.row.view, &beside.row.view, "another origin");
    results_free(&alone);
    results_free(&beside);
}

/* Nothing is added to its coordinates then, and nothing to those in memory. The gaze lies outside,
 * so that all comes from the texture: the threads near it are others, as blocks are. */
WITH_KERNELS(a_view_of_a_whole_surface_is_as_in_memory)
{
    for (uint32_t i = 2; i < 4; i++) {
        struct scene scene = scene_of(i, 430, 310);
        scene.origin_x_px = scene.origin_y_px = scene.beside_px = 0;
        scene.gaze = (struct fovea_point_uv){0.5, -1.5};
        struct results surfaces = run_on_surfaces(&scene);
        struct results memory = run_on_memory(&scene);
        assert_true(took_texture(&scene, &surfaces));
        assert_as_apart(&scene, &surfaces);
        compare_assert_all_same(&surfaces.row.view, &memory.row.view, "a whole surface");
        results_free(&surfaces);
        results_free(&memory);
    }
}

/* The texture is of the second image between. */
WITH_KERNELS(a_row_of_three_has_its_texture_too)
{
    static const struct fovea_operators blur = {1, {FOVEA_OPERATOR_blur}};
    static const struct fovea_operators three = {
        3, {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};
    struct scene scene = scene_of(5, 310, 200);
    scene.settings.own.blur_sigma_px = 0.7;
    struct results results = {.src = draw(&scene)};
    struct test_image blurred = run_linear(&scene, &blur, &results.src);
    results.foveated = run_linear(&scene, &foveate, &blurred);
    results.apart = run_linear(&scene, &lens, &results.foveated);
    results.row = run_linear(&scene, &three, &results.src);
    assert_true(took_texture(&scene, &results));
    assert_as_apart(&scene, &results);
    image_free(&blurred);
    results_free(&results);
}

static void check_not_taken(const struct scene *scene, const char *what)
{
    struct results surfaces = run_on_surfaces(scene);
    struct results memory = run_on_memory(scene);
    compare_assert_all_same(&surfaces.row.view, &surfaces.apart.view, what);
    compare_assert_all_same(&memory.row.view, &memory.apart.view, what);
    results_free(&surfaces);
    results_free(&memory);
}

WITH_KERNELS(all_else_takes_bytes)
{
    const struct scene usual = scene_of(0, 200, 120);
    struct scene scene = usual;
    scene.settings.foveation.light = FOVEA_LIGHT_ENCODED;
    check_not_taken(&scene, "stored");
    scene = usual;
    scene.settings.foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
    check_not_taken(&scene, "premultiplied");
    scene = usual;
    scene.settings.own.lens_filter = LENS_BICUBIC;
    check_not_taken(&scene, "bicubic");
    scene = usual;
    scene.settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
    check_not_taken(&scene, "blockwise");
    scene = usual;
    scene.settings.foveation.strength = 0.0;
    check_not_taken(&scene, "strength 0");
    scene = usual;
    scene.settings.foveation.strength = 0.05;
    check_not_taken(&scene, "nowhere soft");
    scene = usual;
    scene.format = FOVEA_FORMAT_RGBA16F;
    check_not_taken(&scene, "RGBA16F");
}

/* ---- Contexts: single images and batches, of a plan whose images come in turn */

#define BATCH 2

static void run_batch(struct fovea_context *context, const struct scene *scene,
                      const struct device_image *src, const struct device_image *dst)
{
    const float uv[2] = {(float)scene->gaze.x_uv, (float)scene->gaze.y_uv};
    const float gazes_uv[2 * BATCH] = {uv[0], uv[1], uv[0], uv[1]};
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = BATCH;
    batch.src = src->view;
    batch.dst = dst->view;
    batch.src.height_px = batch.dst.height_px = scene->height_px;
    batch.src_next_bytes = scene->height_px * batch.src.row_stride_bytes;
    batch.dst_next_bytes = scene->height_px * batch.dst.row_stride_bytes;
    batch.gazes_uv = gazes_uv;
    assert_int_equal(fovea_context_run_batch(context, &batch, fixture.stream), FOVEA_OK);
}

/* A single image before and after a batch is the same; and close to the batch's. */
WITH_KERNELS(batches_take_bytes)
{
    const struct scene scene = scene_of(0, 330, 210);
    struct scene tall = scene;
    tall.height_px *= BATCH;
    struct test_image source = draw(&tall);
    struct test_image made[3] = {draw(&tall), draw(&tall), draw(&tall)};
    struct device_image src = device_image_make(&fixture, &source, 0);
    struct fovea_context *context = cuda_fixture_context(&fixture, &scene.settings);
    struct results results = {.row = draw(&scene), .apart = draw(&scene)};
    for (int i = 0; i < 3; i++) {
        struct device_image dst = device_image_make(&fixture, &made[i], 0);
        struct fovea_image from = src.view;
        struct fovea_image to = dst.view;
        from.height_px = to.height_px = scene.height_px;
        if (i == 1) {
            run_batch(context, &scene, &src, &dst);
        } else {
            assert_int_equal(fovea_context_run(context, &from, &to, scene.gaze, fixture.stream),
                             FOVEA_OK);
        }
        cuda_fixture_wait(&fixture);
        device_image_download(&fixture, &dst, &made[i]);
        device_image_free(&fixture, &dst);
    }
    const size_t bytes = (size_t)scene.width_px * 4 * scene.height_px;
    assert_memory_equal(made[0].view.data, made[2].view.data, bytes);
    memcpy(results.row.view.data, made[0].view.data, bytes);
    memcpy(results.apart.view.data, made[1].view.data, bytes);
    assert_as_apart(&scene, &results);
    fovea_context_destroy(&context);
    device_image_free(&fixture, &src);
    image_free(&source);
    for (int i = 0; i < 3; i++) {
        image_free(&made[i]);
    }
    image_free(&results.row);
    image_free(&results.apart);
}

int main(void)
{
    return cuda_fixture_run_tests(&fixture);
}
