/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof in contexts on a CUDA device: the focus that is kept there from batch to batch, on streams
 * and in graphs, rows and their slices, and what is refused. Formats and lights are in
 * test_cuda_operators. */

#include "cuda_fixture.h"
#include "kernels/chain/chain_plan.h"
#include "operators/scene_depths.h"

#define WIDTH_PX 53
#define HEIGHT_PX 41
#define IMAGES 3

/* Keeps what a context said last. */
struct heard {
    int count;
    char last[256];
};

static void hear(void *user, enum fovea_log_level level, const char *message)
{
    struct heard *heard = user;
    heard->count += level >= FOVEA_LOG_WARNING;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

/* Images of a scene below each other, with their depths, on the device. */
struct given {
    struct heard heard;
    struct fovea_context *context;
    struct scene_batch pictures;
    struct depths depths;
    struct device_image src;
    struct device_image dst;
    struct device_image device_depths;
    struct fovea_depth depth;
    struct fovea_batch batch;
    CUdeviceptr gazes;
    float gazes_uv[2 * IMAGES];
};

static struct fovea_context *context_of(struct heard *heard, const struct fovea_settings *settings)
{
    struct fovea_context *context = NULL;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = (struct fovea_log){.fn = hear, .user = heard, .min_level = FOVEA_LOG_WARNING};
    assert_ok(fovea_context_create(&desc, &context));
    return context;
}

static struct operator_scene scene_of(enum scene_depths depths)
{
    struct operator_scene scene = operator_scene_of(&dof_under_test, 0);
    scene.settings.backend = FOVEA_BACKEND_CUDA;
    scene.settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_dof}};
    scene.settings.own.dof_focus = 0;
    scene.settings.own.dof_sensor_mm = 3.0;
    scene.format = FOVEA_FORMAT_RGBA8;
    scene.picture = IMAGE_PHOTO;
    scene.depths = depths;
    scene.depths_scale = 0;
    scene.depths_format = FOVEA_DEPTH_FORMAT_R32F;
    scene.width_px = WIDTH_PX;
    scene.height_px = HEIGHT_PX;
    return scene;
}

static void describe_batch(struct given *given)
{
    struct fovea_image first[2];
    const struct operator_images images =
        scene_batch_images(&given->pictures, &given->src.view, &given->dst.view, first);
    fovea_batch_init(&given->batch);
    given->batch.count = IMAGES;
    given->batch.src = first[0];
    given->batch.dst = first[1];
    given->batch.src_next_bytes = images.src_next_bytes;
    given->batch.dst_next_bytes = images.dst_next_bytes;
    given->depth = scene_depth_at(&given->depths, &given->device_depths.view);
    given->batch.depth = &given->depth;
}

static struct given *given_make(enum scene_depths depths, const struct fovea_operators *row)
{
    struct given *given = test_memory(1, sizeof *given);
    struct operator_scene scene = scene_of(depths);
    if (row) {
        scene.settings.operators = *row;
    }
    given->context = context_of(&given->heard, &scene.settings);
    given->pictures = scene_batch_make(&scene, HEIGHT_PX, IMAGES, false);
    given->depths = scene_draw_depths(&given->pictures.scene, IMAGES);
    given->src = device_image_make(&given->pictures.src, 0);
    given->dst = device_image_make(&given->pictures.dst, 0);
    given->device_depths = device_image_make(&given->depths.memory, 0);
    CU_ASSERT(fixture.cu->MemAlloc(&given->gazes, sizeof given->gazes_uv));
    describe_batch(given);
    return given;
}

static void given_free(struct given **own)
{
    OWNED(owned_free) struct given *given = *own;
    fovea_context_destroy(&given->context);
    device_image_free(&given->src);
    device_image_free(&given->dst);
    device_image_free(&given->device_depths);
    CU_ASSERT(fixture.cu->MemFree(given->gazes));
    scene_batch_free(&given->pictures);
    scene_depths_free(&given->depths);
}

/* All images have this gaze, in the host's memory or the device's. */
static void look(struct given *given, float x_uv, float y_uv, bool on_device)
{
    for (int i = 0; i < IMAGES; i++) {
        given->gazes_uv[2 * i] = x_uv;
        given->gazes_uv[2 * i + 1] = y_uv;
    }
    cuda_fixture_upload(given->gazes, given->gazes_uv, sizeof given->gazes_uv);
    given->batch.gazes_uv =
        on_device ? (const float *)(uintptr_t)given->gazes : (const float *)given->gazes_uv;
    given->batch.gazes_memory = on_device ? FOVEA_MEMORY_CUDA : FOVEA_MEMORY_CPU;
}

static void run_on(struct given *given, CUstream stream)
{
    assert_ok(fovea_context_run_batch(given->context, &given->batch, stream));
    assert_int_equal(given->heard.count, 0);
}

static void download(struct given *given)
{
    cuda_fixture_wait();
    device_image_download(&given->dst, &given->pictures.dst);
}

static void assert_focused(struct given *given, double focus_m)
{
    download(given);
    for (int i = 0; i < IMAGES; i++) {
        struct fovea_image first[2];
        struct depths depths = given->depths;
        struct operator_scene scene = given->pictures.scene;
        const struct operator_images images = scene_batch_images(
            &given->pictures, &given->pictures.src.view, &given->pictures.dst.view, first);
        scene.depths_of = (uint64_t)i;
        depths.values += (size_t)i * WIDTH_PX * HEIGHT_PX;
        first[0].data = (char *)first[0].data + i * images.src_next_bytes;
        first[1].data = (char *)first[1].data + i * images.dst_next_bytes;
        dof_assert_focused(&scene, &depths, focus_m, &first[0], &first[1]);
    }
}

/* The left half of each is at 1 m, the other one at 4. */
static struct given *given_of_halves(void)
{
    struct given *given = given_make(DEPTHS_IN_FOCUS, NULL);
    const struct test_image *memory = &given->depths.memory;
    for (uint32_t k = 0; k < WIDTH_PX * HEIGHT_PX * IMAGES; k++) {
        given->depths.values[k] = k % WIDTH_PX < 26 ? 1.0 : 4.0;
        image_set(&memory->view, k % WIDTH_PX, k / WIDTH_PX, 0, given->depths.values[k]);
    }
    device_image_free(&given->device_depths);
    given->device_depths = device_image_make(memory, 0);
    describe_batch(given);
    return given;
}

/* ---- The focus */

TEST(focus_follows_the_gaze_in_time_on_the_device)
{
    for (int on_device = 0; on_device < 2; on_device++) {
        OWNED(given_free) struct given *given = given_of_halves();
        look(given, 0.2f, 0.5f, on_device);
        run_on(given, fixture.stream);
        assert_focused(given, 1.0);
        look(given, 0.8f, 0.5f, on_device);
        given->depth.elapsed_s = 0.1;
        for (int i = 1; i <= 3; i++) {
            run_on(given, fixture.stream);
            assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-0.1 * i / 0.3)));
        }
        given->depth.elapsed_s = 0.0; /* another picture */
        run_on(given, fixture.stream);
        assert_focused(given, 4.0);
    }
}

TEST(new_settings_and_blinks_do_not_move_the_focus)
{
    OWNED(given_free) struct given *given = given_of_halves();
    look(given, 0.2f, 0.5f, false);
    run_on(given, fixture.stream);
    given->pictures.scene.settings.own.dof_sensor_mm = 4.0;
    assert_ok(fovea_context_set_settings(given->context, &given->pictures.scene.settings));
    look(given, NAN, 0.5f, true);
    given->depth.elapsed_s = 0.3;
    run_on(given, fixture.stream);
    assert_focused(given, 1.0);
    given->batch.gazes_uv = NULL;
    given->batch.gazes_memory = FOVEA_MEMORY_CPU;
    run_on(given, fixture.stream);
    assert_focused(given, 1.0);
    look(given, 0.8f, 0.5f, false);
    run_on(given, fixture.stream);
    assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-1.0)));
    given->pictures.scene.settings.own.dof_focus =
        2; /* vergence, where the eyes' depth is unknown */
    assert_ok(fovea_context_set_settings(given->context, &given->pictures.scene.settings));
    look(given, NAN, 0.5f, true);
    given->depth.elapsed_s = 0.0;
    given->depth.vergence_m = 2.5;
    run_on(given, fixture.stream);
    assert_focused(given, 2.5);
}

TEST(batches_on_two_streams_follow_each_other)
{
    CUstream other = NULL;
    OWNED(given_free) struct given *given = given_of_halves();
    assert_ok(cuda_device_create_stream(fixture.device, &other));
    look(given, 0.2f, 0.5f, true);
    run_on(given, fixture.stream);
    cuda_fixture_wait();
    look(given, 0.8f, 0.5f, false);
    given->depth.elapsed_s = 0.1;
    run_on(given, other);
    run_on(given, fixture.stream);
    assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-0.2 / 0.3)));
    CU_ASSERT(fixture.cu->StreamSynchronize(other));
    CU_ASSERT(fixture.cu->StreamDestroy(other));
}

TEST(replays_of_a_graph_move_the_focus_on)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    OWNED(given_free) struct given *given = given_of_halves();
    look(given, 0.2f, 0.5f, true);
    run_on(given, fixture.stream);
    given->depth.elapsed_s = 0.1;
    CU_ASSERT(fixture.cu->StreamBeginCapture(fixture.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    run_on(given, fixture.stream);
    CU_ASSERT(fixture.cu->StreamEndCapture(fixture.stream, &graph));
    CU_ASSERT(fixture.cu->GraphInstantiateWithFlags(&exec, graph, 0));
    look(given, 0.8f, 0.5f, true);
    for (int i = 1; i <= 3; i++) {
        CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
        assert_focused(given, 1.0 / (0.25 + 0.75 * exp(-0.1 * i / 0.3)));
    }
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
    CU_ASSERT(fixture.cu->GraphDestroy(graph));
}

/* ---- Rows */

static struct test_image made_by(enum scene_depths depths, const struct fovea_operators *row,
                                 const struct test_image *src, bool has_depth)
{
    OWNED(given_free) struct given *given = given_make(depths, row);
    if (src) {
        device_image_free(&given->src);
        given->src = device_image_make(src, 0);
        describe_batch(given);
    }
    look(given, 0.3f, 0.6f, true);
    given->batch.depth = has_depth ? &given->depth : NULL;
    run_on(given, fixture.stream);
    download(given);
    struct test_image made = image_make_packed(WIDTH_PX, HEIGHT_PX * IMAGES, FOVEA_FORMAT_RGBA8);
    image_mirror(&given->pictures.dst.view, &made.view, false, false);
    return made;
}

/* The row runs as a whole, and in slices of an image. */
TEST(a_row_is_its_operators_one_after_the_other)
{
    static const enum fovea_operator others[] = {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens};
    const uint64_t most_bytes = chain_most_between_bytes;
    for (size_t i = 0; i < 4; i++) {
        const bool dof_first = i % 2 == 0;
        const enum fovea_operator other = others[i / 2];
        const struct fovea_operators first = {1, {dof_first ? FOVEA_OPERATOR_dof : other}};
        const struct fovea_operators second = {1, {dof_first ? other : FOVEA_OPERATOR_dof}};
        const struct fovea_operators both = {2, {first.order[0], second.order[0]}};
        OWNED_IMAGE one = made_by(DEPTHS_SLOPE, &first, NULL, dof_first);
        OWNED_IMAGE two = made_by(DEPTHS_SLOPE, &second, &one, !dof_first);
        OWNED_IMAGE row = made_by(DEPTHS_SLOPE, &both, NULL, true);
        chain_most_between_bytes = 1;
        OWNED_IMAGE slices = made_by(DEPTHS_SLOPE, &both, NULL, true);
        chain_most_between_bytes = most_bytes;
        compare_assert_all_same(&row.view, &two.view, "a row");
        compare_assert_all_same(&slices.view, &two.view, "slices");
    }
}
