/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of a camera in Unity's place (host.h): what the texture has afterwards, compared with the
 * double-precision reference. The argument is the backend: vulkan records, cpu and cuda take the
 * queue. */

#include "cmocka_all.h"
#include "compare.h"
#include "host.h"
#include "rig.h"
#include "test_with.h"

#include <stdatomic.h>

#define WIDTH 97
#define HEIGHT 61

static const char *const settings_text =
    "{\"backend\": \"%s\", \"watchdog_ms\": 60000, \"foveation\": {\"method\": \"blockwise\", "
    "\"paper\": {\"fragment_px\": 16}}}";

static bool by_queue(void)
{
    return rig_backend() != FOVEA_BACKEND_VULKAN;
}

static void configure(struct host *host)
{
    char json[512];
    char error[256];
    snprintf(json, sizeof json, settings_text, fovea_backend_name(rig_backend()));
    assert_ok(host->plugin.configure(json, error, sizeof error));
    assert_string_equal(error, "");
}

static void open_host(struct host *host, struct host_options options)
{
    options.engine = rig_engine_options();
    assert_true(host_open(host, &options));
    configure(host);
    assert_int_equal(host->plugin.uses_queue(),
                     by_queue() && !(options.late && rig_backend() == FOVEA_BACKEND_CUDA));
}

static void close_host(struct host *host)
{
    engine_expect_silence(&host->engine);
    host_close(host);
}

#define HOST_TEST(name)                                                                            \
    TEST_WITH(name, struct host, host, open_host(&made, (struct host_options){0}), close_host)

/* Compares all that a picture has; rows from the top. */
static void expect_reference(const struct fovea_image *before, const struct fovea_image *after,
                             double x_uv, double y_uv, const char *what)
{
    const struct fovea_foveation foveation = rig_settings().foveation;
    struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&foveation, before->width_px, before->height_px, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){x_uv, y_uv});
    foveate_plan_destroy(&plan);
    OWNED(owned_free) double *expected = compare_expected(&foveation, before, &frame);
    compare_assert_close(after, expected, compare_budget_for(&foveation, before->format), what);
}

static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
                                   VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                   VK_FORMAT_R16G16B16A16_SFLOAT};
#define FORMATS (sizeof formats / sizeof formats[0])

/* Each frame draws the picture anew, as a camera does. */
static void check_format(struct host *host, VkFormat format, bool queue)
{
    char what[96];
    OWNED_IMAGE src = image_drawn(WIDTH, HEIGHT, rig_pixel_format(format), IMAGE_PHOTO, 7);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, rig_pixel_format(format));
    struct host_texture texture = host_texture_create(host, format, WIDTH, HEIGHT, 1);
    for (int i = 0; i < 5; i++) {
        const double x_uv = 0.1 + 0.2 * i;
        struct fovea_unity_block block = host_block(&texture, x_uv, 0.3);
        host_frame(host, &texture, &src.view, &block, queue);
        host_read(host, &texture, &dst.view);
        snprintf(what, sizeof what, "format %d, frame %d, %s", (int)format, i,
                 queue ? "queue" : "record");
        expect_reference(&src.view, &dst.view, x_uv, 0.3, what);
    }
    struct fovea_unity_block gone = host_block(&texture, 0, 0);
    host_frame_begin(host);
    host_event(host, FOVEA_UNITY_RELEASE, &gone);
    host_frame_end(host);
    host_texture_destroy(host, &texture);
}

TEST(frames_are_the_reference)
{
    for (int version = 1; version <= 2; version++) {
        OWNED(close_host) struct host host;
        open_host(&host, (struct host_options){.first_version = version == 1});
        for (size_t i = 0; i < (version == 1 ? 1 : FORMATS); i++) {
            check_format(&host, formats[i], by_queue());
        }
        if (!by_queue()) {
            check_format(&host, formats[0], true); /* the vulkan backend has both ways */
        }
        assert_int_equal(host_log(&host, FOVEA_LOG_WARNING, NULL, 0), 0);
    }
}

/* The next is drawn while the GPU has the one before, and nobody waits. */
HOST_TEST(frames_go_on_while_the_gpu_works)
{
    OWNED_IMAGE src = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    for (int i = 0; i < 100; i++) {
        image_draw(&src.view, IMAGE_PHOTO, (uint64_t)i);
        struct fovea_unity_block block = host_block(&texture, i / 99.0, 0.5);
        host_frame(host, &texture, &src.view, &block, by_queue());
    }
    host_read(host, &texture, &dst.view);
    expect_reference(&src.view, &dst.view, 1.0, 0.5, "the hundredth frame");
    struct fovea_unity_stats stats = {.struct_bytes = sizeof stats};
    assert_ok(host->plugin.stats(1, &stats));
    assert_int_equal(stats.backend, rig_backend());
    assert_true(stats.frames >= 70);
    host_texture_destroy(host, &texture);
}

HOST_TEST(a_texture_that_is_made_anew_is_foveated)
{
    static const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {40, 90}, {131, 33}};
    struct host_texture texture = host_texture_create(host, formats[0], 8, 8, 1);
    for (size_t i = 0; i < 3; i++) {
        OWNED_IMAGE src = image_drawn(sizes[i][0], sizes[i][1], FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, i);
        OWNED_IMAGE dst = image_make_packed(sizes[i][0], sizes[i][1], FOVEA_FORMAT_RGBA8);
        host_texture_resize(host, &texture, sizes[i][0], sizes[i][1]);
        for (int frame = 0; frame < 4; frame++) {
            struct fovea_unity_block block = host_block(&texture, 0.8, 0.2);
            host_frame(host, &texture, &src.view, &block, by_queue());
        }
        host_read(host, &texture, &dst.view);
        expect_reference(&src.view, &dst.view, 0.8, 0.2, "after a change of size");
    }
    host_texture_destroy(host, &texture);
}

static struct fovea_image rows(const struct fovea_image *image, uint32_t first, uint32_t count)
{
    struct fovea_image part = *image;
    part.data = image_pixel(image, 0, first);
    part.height_px = count;
    return part;
}

HOST_TEST(each_eye_has_its_gaze)
{
    OWNED_IMAGE src = image_drawn(WIDTH, 2 * HEIGHT, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 3);
    OWNED_IMAGE dst = image_make_packed(WIDTH, 2 * HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[1], WIDTH, HEIGHT, 2);
    struct fovea_unity_block block = host_block(&texture, 0.9, 0.4);
    block.eyes = 2;
    block.eye[1] = (struct fovea_unity_eye){.x_uv = 0.05, .y_uv = 0.7, .usable = 1};
    for (int i = 0; i < 4; i++) {
        host_frame(host, &texture, &src.view, &block, by_queue());
    }
    host_read(host, &texture, &dst.view);
    for (uint32_t eye = 0; eye < 2; eye++) {
        const struct fovea_image before = rows(&src.view, eye * HEIGHT, HEIGHT);
        const struct fovea_image after = rows(&dst.view, eye * HEIGHT, HEIGHT);
        expect_reference(&before, &after, block.eye[eye].x_uv, block.eye[eye].y_uv,
                         eye ? "right" : "left");
    }
    host_texture_destroy(host, &texture);
}

/* The source speaks of the picture, whose lowest row is the texture's first one. */
HOST_TEST(a_source_of_gaze_counts_where_the_block_says_so)
{
    assert_ok(host->plugin.set("gaze.fixed", "{\"x\": 0.2, \"y\": 0.25}", NULL, 0));
    OWNED_IMAGE src = image_drawn(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 5);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    struct fovea_unity_block block = host_block(&texture, 0.9, 0.9);
    block.flags = FOVEA_UNITY_GAZE_OF_SOURCE;
    host_frame(host, &texture, &src.view, &block, by_queue());
    host_read(host, &texture, &dst.view);
    expect_reference(&src.view, &dst.view, 0.2, 0.25, "from the top");
    block.flags |= FOVEA_UNITY_BOTTOM_UP;
    host_frame(host, &texture, &src.view, &block, by_queue());
    host_read(host, &texture, &dst.view);
    expect_reference(&src.view, &dst.view, 0.2, 0.75, "from the bottom");
    host_texture_destroy(host, &texture);
}

/* A law that goes by degrees, in an asymmetric frustum: the mirrored picture becomes the mirror
 * image, where the block says that it is upside down. */
HOST_TEST(a_picture_upside_down_has_its_frustum)
{
    assert_ok(host->plugin.set("foveation.model", "curve", NULL, 0));
    assert_ok(host->plugin.set("foveation.method", "smooth", NULL, 0));
    assert_ok(host->plugin.set("foveation.curve", "[[0, 60], [10, 0.3], [60, 0.02]]", NULL, 0));
    struct test_image src[2];
    struct test_image dst[2];
    OWNED_IMAGE back = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct compare_rect where;
    double difference[2] = {0};
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    for (int flag = 0; flag < 2; flag++) {
        for (int i = 0; i < 2; i++) {
            src[i] = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
            dst[i] = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
            image_draw(&src[0].view, IMAGE_STROKES, 3);
            image_mirror(&src[0].view, &src[i].view, false, i == 1);
            struct fovea_unity_block block = host_block(&texture, 0.3, i ? 0.9 : 0.1);
            const float tangents[4] = {1.0f, 1.2f, 2.5f, 0.3f};
            memcpy(block.eye[0].tangents, tangents, sizeof tangents);
            block.flags = i && flag ? FOVEA_UNITY_BOTTOM_UP : 0;
            host_frame(host, &texture, &src[i].view, &block, by_queue());
            host_read(host, &texture, &dst[i].view);
        }
        image_mirror(&dst[1].view, &back.view, false, true);
        difference[flag] = compare_largest(&dst[0].view, &back.view, &where);
        for (int i = 0; i < 2; i++) {
            image_free(&src[i]);
            image_free(&dst[i]);
        }
    }
    assert_that(difference[0] >= 20.0 && difference[1] <= 3.0, "%f without the flag, %f with it",
                difference[0], difference[1]);
    host_texture_destroy(host, &texture);
}

/* Dynamic resolution draws into a part. */
HOST_TEST(what_is_beside_the_picture_stays)
{
    OWNED_IMAGE src = image_drawn(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 6);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE part = image_make_packed(WIDTH - 20, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    struct fovea_unity_block block = host_block(&texture, 0.4, 0.4);
    block.width_px = WIDTH - 20;
    block.height_px = HEIGHT;
    host_frame(host, &texture, &src.view, &block, by_queue());
    host_read(host, &texture, &dst.view);
    compare_assert_same(&dst.view, &src.view, (struct compare_rect){WIDTH - 20, 0, 20, HEIGHT},
                        "beside");
    OWNED_IMAGE before = image_make_packed(WIDTH - 20, HEIGHT, FOVEA_FORMAT_RGBA8);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        memcpy(image_pixel(&part.view, 0, y), image_pixel(&dst.view, 0, y), 4 * (WIDTH - 20));
        memcpy(image_pixel(&before.view, 0, y), image_pixel(&src.view, 0, y), 4 * (WIDTH - 20));
    }
    expect_reference(&before.view, &part.view, 0.4, 0.4, "the part");
    host_texture_destroy(host, &texture);
}

HOST_TEST(a_gaze_may_be_anything)
{
    static const double gazes[][2] = {{NAN, 0.5}, {0.5, INFINITY}, {-3.0, 0.5}, {1.0, 2.5}};
    OWNED_IMAGE src = image_drawn(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 8);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    for (size_t i = 0; i <= 4; i++) {
        struct fovea_unity_block block =
            host_block(&texture, i < 4 ? gazes[i][0] : 0.5, i < 4 ? gazes[i][1] : 0.5);
        block.eye[0].usable = i < 4;
        host_frame(host, &texture, &src.view, &block, by_queue());
        host_read(host, &texture, &dst.view);
        if (i < 2 || i == 4) {
            compare_assert_all_same(&dst.view, &src.view, "no gaze");
        } else {
            expect_reference(&src.view, &dst.view, gazes[i][0], gazes[i][1], "far outside");
        }
    }
    host_texture_destroy(host, &texture);
}

static void *change_settings(void *user)
{
    struct host *host = ((void **)user)[0];
    atomic_bool *over = ((void **)user)[1];
    for (int i = 0; !atomic_load(over); i++) {
        assert_ok(host->plugin.set("foveation.strength", i % 2 ? "1" : "0.5", NULL, 0));
        char text[64];
        assert_ok(host->plugin.get("foveation.strength", text, sizeof text));
    }
    return NULL;
}

HOST_TEST(settings_change_while_frames_go_on)
{
    OWNED_IMAGE src = image_drawn(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 9);
    OWNED_IMAGE dst = image_make_packed(WIDTH, HEIGHT, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(host, formats[0], WIDTH, HEIGHT, 1);
    struct fovea_unity_block block = host_block(&texture, 0.5, 0.5);
    atomic_bool over = false;
    void *user[] = {host, &over};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, change_settings, user), 0);
    for (int i = 0; i < 50; i++) {
        host_frame(host, &texture, &src.view, &block, by_queue());
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    configure(host);
    for (int i = 0; i < 2; i++) {
        host_frame(host, &texture, &src.view, &block, by_queue());
    }
    host_read(host, &texture, &dst.view);
    expect_reference(&src.view, &dst.view, 0.5, 0.5, "when nothing changes any more");
    host_texture_destroy(host, &texture);
}
