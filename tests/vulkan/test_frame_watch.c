/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A source that looks at pictures sees the engine's frames: on every path that images take, as the
 * engine has drawn them, and without a change of what is shown. */
#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame_watch.h"
#include "plugin/frame/frame_work.h"
#include "rig.h"

#define WIDTH_PX 200
#define HEIGHT_PX 121
#define PATIENCE_NS INT64_C(30000000000) /* of a busy machine */

static struct fovea_gaze_settings watching(void)
{
    struct fovea_gaze_settings settings = fovea_settings_default().gaze;
    settings.kind = FOVEA_GAZE_SALIENCY;
    settings.saliency_rate_hz = 120;
    return settings;
}

static struct fovea_gaze_source *open_watching(void)
{
    const struct fovea_gaze_settings settings = watching();
    struct fovea_gaze_source *source = NULL;
    assert_ok(gaze_source_open(&settings, (struct fovea_log){0}, &source));
    return source;
}

static int level(uint32_t word, int channel)
{
    return (int)(word >> 8 * channel & 255);
}

/* Asserts that the frames left for the source the mean of the same pixels as the processor takes.
 */
static void assert_is_picture_of(const struct rig *rig, const struct fovea_image *src,
                                 VkFormat format, bool bottom_up)
{
    const struct fovea_gaze_settings settings = watching();
    const struct gaze_seen_size size = gaze_seen_size_of(&settings, WIDTH_PX, HEIGHT_PX);
    const uint32_t *got = (const uint32_t *)rig->fovea->watch.picture.mapped + 1;
    const bool swapped = vk_format_find(format)->swap_red_blue;
    OWNED(gaze_seen_destroy) struct gaze_seen *seen = NULL;
    assert_ok(gaze_seen_create(&settings, &seen));
    struct fovea_image image = *src;
    if (bottom_up) {
        image.data = (char *)image.data + (HEIGHT_PX - 1) * image.row_stride_bytes;
        image.row_stride_bytes = -image.row_stride_bytes;
    }
    gaze_seen_reduce(seen, &image, size);
    for (uint32_t i = 0; i < size.width_px * size.height_px; i++) {
        const uint32_t wanted = gaze_seen_pixels(seen)[i];
        for (int c = 0; c < 3; c++) {
            const int of = level(wanted, swapped ? 2 - c : c);
            assert_that(abs(level(got[i], c) - of) <= 1, "cell %u,%u channel %d: %d, not %d",
                        i % size.width_px, i / size.width_px, c, level(got[i], c), of);
        }
    }
}

static void frame_until_seen(struct rig *rig, enum rig_path path, VkFormat format,
                             const struct test_image *src, const struct test_image *dst,
                             struct fovea_gaze_source *source)
{
    const int64_t until_ns = fovea_time_ns() + PATIENCE_NS;
    while (gaze_watch_count(gaze_source_watch(source)) == 0 && fovea_time_ns() < until_ns) {
        assert_ok(rig_frame(rig, path, format, &src->view, rig_gaze(0.5, 0.5), &dst->view));
    }
    assert_true(gaze_watch_count(gaze_source_watch(source)) > 0);
}

TEST(a_source_sees_what_is_drawn_on_every_path)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
        VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_B10G11R11_UFLOAT_PACK32};
    RIG(rig, NULL);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        const VkFormat format = formats[path % 5];
        const enum fovea_format pixel = rig_pixel_format(format);
        OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, pixel, IMAGE_RANDOM, 7 + path);
        OWNED_IMAGE unseen = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
        OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
        assert_ok(rig_frame(&rig, (enum rig_path)path, format, &src.view, rig_gaze(0.5, 0.5),
                            &unseen.view));
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_watching();
        assert_ok(fovea_vk_show_frames(rig.fovea, source, path % 2));
        frame_until_seen(&rig, (enum rig_path)path, format, &src, &dst, source);
        assert_is_picture_of(&rig, &src.view, format, path % 2);
        assert_memory_equal(dst.view.data, unseen.view.data,
                            image_bytes(pixel) * WIDTH_PX * HEIGHT_PX);
    }
}

/* Each may go first, also with a picture on its way. */
TEST(source_and_context_go_in_any_order)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 1);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *last = open_watching();
    struct fovea_gaze_source *source = open_watching();
    struct rig rig;
    rig_open(&rig, NULL);
    assert_int_equal(fovea_vk_show_frames(NULL, source, false), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_ok(fovea_vk_show_frames(rig.fovea, source, false));
    assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                        rig_gaze(0.5, 0.5), &dst.view));
    fovea_gaze_source_destroy(&source);
    assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                        rig_gaze(0.5, 0.5), &dst.view));
    assert_ok(fovea_vk_show_frames(rig.fovea, last, false));
    frame_until_seen(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src, &dst, last);
    rig_close(&rig);
    assert_true(gaze_watch_count(gaze_source_watch(last)) > 0);
}

TEST(one_frame_in_eight_makes_a_picture)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 1);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_watching();
    OWNED(rig_close) struct rig rig;
    rig_open(&rig, NULL);
    assert_ok(fovea_vk_show_frames(rig.fovea, source, false));
    uint64_t before = 0;
    uint32_t pictures = 0;
    const int64_t until_ns = fovea_time_ns() + PATIENCE_NS;
    for (uint64_t frame = 0, number = 0; pictures < 2 && fovea_time_ns() < until_ns; frame++) {
        assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                            rig_gaze(0.5, 0.5), &dst.view));
        if (rig.fovea->watch.number > number) {
            assert_true(pictures == 0 || frame - before >= 8);
            pictures++;
            number = rig.fovea->watch.number;
            before = frame;
            *(uint32_t *)rig.fovea->watch.picture.mapped = 0; /* nobody looks at it */
        }
    }
    assert_int_equal(pictures, 2);
    /* The next frame may have it, as if its frame had failed. */
    const struct frame_work failed = {.watched = true};
    frame_watch_conclude(rig.fovea, &failed, false);
    assert_int_equal(rig.fovea->watch.next_frame, 0);
}

/* ---- The HUD */

#define WIDE_PX 640
#define HIGH_PX 360
#define BELOW_TEXT_PX 160

static struct test_image hud_of(struct rig *rig, const struct fovea_image *src)
{
    static const double gazes[2][2] = {{0.2, 0.6}, {0.4, 0.8}};
    struct test_image dst = image_make_packed(WIDE_PX, HIGH_PX, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < 2; i++) {
        assert_ok(rig_frame(rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, src,
                            rig_gaze(gazes[i][0], gazes[i][1]), &dst.view));
    }
    return dst;
}

/* Returns the distance from the line between both gazes, within its ends. */
static double from_path_px(double x, double y)
{
    const double along[2] = {0.2 * WIDE_PX, 0.2 * HIGH_PX};
    const double from[2] = {x - 0.2 * WIDE_PX, y - 0.6 * HIGH_PX};
    const double part =
        (from[0] * along[0] + from[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]);
    const double at = fmin(fmax(part, 0), 1);
    return hypot(from[0] - at * along[0], from[1] - at * along[1]);
}

/* One blob is proposed, and the gaze has jumped once. */
TEST(the_hud_draws_blobs_and_the_path)
{
    struct fovea_settings settings = rig_settings();
    settings.overlay.hud = true;
    RIG(rig, &settings);
    OWNED_IMAGE src = image_drawn(WIDE_PX, HIGH_PX, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 1);
    OWNED_IMAGE plain = hud_of(&rig, &src.view);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_watching();
    assert_ok(fovea_vk_show_frames(rig.fovea, source, false));
    rig.fovea->watch.cannot = true; /* what it would find in this picture does not count */
    rig.fovea->watch.proposals =
        (struct gaze_proposals){.of = {{0.75f, 0.7f, 0.05f, 1}}, .count = 1};
    OWNED_IMAGE drawn = hud_of(&rig, &src.view);
    int on_circle = 0;
    int on_path = 0;
    for (int i = BELOW_TEXT_PX * WIDE_PX; i < WIDE_PX * HIGH_PX; i++) {
        const uint32_t x = (uint32_t)(i % WIDE_PX);
        const uint32_t y = (uint32_t)(i / WIDE_PX);
        const double circle_px =
            fabs(hypot(x + 0.5 - 0.75 * WIDE_PX, y + 0.5 - 0.7 * HIGH_PX) - 0.05 * WIDE_PX);
        const double path_px = from_path_px(x + 0.5, y + 0.5);
        const bool changed =
            memcmp(image_pixel(&drawn.view, x, y), image_pixel(&plain.view, x, y), 4) != 0;
        assert_that(changed ? circle_px < 3 || path_px < 5 : circle_px > 0.5 && path_px > 0.5,
                    "%u,%u: changed %d, %.1f px from the circle, %.1f from the path", x, y, changed,
                    circle_px, path_px);
        on_circle += changed && circle_px < 3;
        on_path += changed && path_px < 5;
    }
    assert_true(on_circle > 200 && on_path > 200);
}
