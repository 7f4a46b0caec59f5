/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Commands that are kept: between the same images of Fovea's nothing is recorded again, and
 * whatever differs from what was recorded is seen. */

#include "calls.h"
#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "rig.h"

#define WIDTH_PX 40
#define HEIGHT_PX 30
#define PAIRS 3
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

static int recorded; /* command buffers of Fovea's */

static VKAPI_ATTR VkResult VKAPI_CALL shim_BeginCommandBuffer(VkCommandBuffer commands,
                                                              const VkCommandBufferBeginInfo *info)
{
    recorded++;
    return vkBeginCommandBuffer(commands, info);
}

static const struct shim shims[] = {SHIM(BeginCommandBuffer), NO_MORE_SHIMS};

struct pair {
    struct fovea_vk_image *src;
    struct fovea_vk_image *dst;
};

/* An engine with some pairs of images that come by turns. */
struct show {
    struct rig rig;
    struct pair pairs[PAIRS];
    struct test_image src;
    struct test_image dst;
    struct test_image expected; /* of the gaze in the middle */
    VkImageLayout after; /* of dst */
};

static struct fovea_vk_image *make_image(struct show *show)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = format,
                                             .width_px = WIDTH_PX,
                                             .height_px = HEIGHT_PX};
    struct fovea_vk_image *image = NULL;
    assert_ok(fovea_vk_image_create(show->rig.fovea, &desc, &image));
    return image;
}

static void open_show(struct show *show, uint32_t frames_in_flight)
{
    memset(show, 0, sizeof *show);
    const bool cuda = rig_backend() == FOVEA_BACKEND_CUDA;
    const struct engine_options options = {.nvidia = cuda, .host_signals = !cuda};
    assert_true(engine_open(&show->rig.engine, &options));
    show->rig.settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&show->rig.engine, &show->rig.settings);
    desc.get_instance_proc_addr = shims_first(shims);
    desc.frames_in_flight = frames_in_flight;
    assert_ok(fovea_vk_create(&desc, &show->rig.fovea));
    show->src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    show->dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    show->expected = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&show->src.view, IMAGE_RANDOM, 9);
    assert_ok(rig_frame(&show->rig, RIG_ENGINE_TO_ENGINE, format, &show->src.view,
                        rig_gaze(0.5, 0.5), &show->expected.view));
    for (int i = 0; i < PAIRS; i++) {
        show->pairs[i] = (struct pair){make_image(show), make_image(show)};
    }
    show->after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
}

static void close_show(struct show *show)
{
    for (int i = 0; i < PAIRS; i++) {
        fovea_vk_image_destroy(&show->pairs[i].src);
        fovea_vk_image_destroy(&show->pairs[i].dst);
    }
    image_free(&show->src);
    image_free(&show->dst);
    image_free(&show->expected);
    rig_close(&show->rig);
}

static enum fovea_result run_frame(struct show *show, const struct pair *pair, double x_uv)
{
    const VkImageLayout drawn = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    VkImageLayout layout;
    assert_ok(fovea_vk_image_acquire(pair->src, &layout));
    engine_write(&show->rig.engine, fovea_vk_image_handle(pair->src), WIDTH_PX, HEIGHT_PX, format,
                 show->src.view.data, VK_IMAGE_LAYOUT_UNDEFINED, drawn);
    const struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame,
        .src = {.made = pair->src, .layout_before = drawn, .layout_after = drawn},
        .dst = {.made = pair->dst, .layout_after = show->after},
        .gaze = rig_gaze(x_uv, 0.5)};
    const enum fovea_result result = fovea_vk_foveate(show->rig.fovea, &frame);
    if (result >= 0) {
        engine_read(&show->rig.engine, fovea_vk_image_handle(pair->dst), WIDTH_PX, HEIGHT_PX,
                    format, show->dst.view.data, show->after, show->after);
        assert_ok(fovea_vk_image_release(pair->dst, show->after));
    }
    return result;
}

/* Every pair so often that every slot has had it. */
static void run_frames(struct show *show, int pairs)
{
    for (int i = 0; i < 12; i++) {
        assert_ok(run_frame(show, &show->pairs[i % pairs], 0.5));
        compare_assert_all_same(&show->dst.view, &show->expected.view, "kept");
    }
}

static int recorded_by(struct show *show, int pairs)
{
    recorded = 0;
    run_frames(show, pairs);
    return recorded;
}

/* ---- Tests ---- */

TEST(frames_between_the_same_images_record_nothing)
{
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        OWNED(close_show) struct show show;
        open_show(&show, in_flight);
        for (int pairs = 1; pairs <= PAIRS; pairs++) {
            run_frames(&show, pairs);
            assert_int_equal(recorded_by(&show, pairs), 0);
        }
    }
}

TEST(another_gaze_needs_no_other_commands)
{
    OWNED(close_show) struct show show;
    open_show(&show, 1);
    run_frames(&show, 1);
    recorded = 0;
    assert_ok(run_frame(&show, &show.pairs[0], 0.1));
    assert_memory_not_equal(show.dst.view.data, show.expected.view.data, 4 * WIDTH_PX * HEIGHT_PX);
    assert_int_equal(recorded, 0);
}

TEST(another_layout_is_recorded)
{
    OWNED(close_show) struct show show;
    open_show(&show, 1);
    run_frames(&show, 1);
    show.after = VK_IMAGE_LAYOUT_GENERAL;
    assert_int_equal(recorded_by(&show, 1), 2 * 2); /* of two slots, before and after */
}

static bool any_kept(const struct show *show)
{
    const struct fovea_vk *fovea = show->rig.fovea;
    bool any = false;
    for (uint32_t i = 0; i < fovea->slot_count; i++) {
        for (int j = 0; j < FRAME_KEPT; j++) {
            any = any || fovea->slots[i].kept[j].whole;
        }
    }
    return any;
}

/* The one that comes may have the handle and the address of the one that went. */
TEST(another_image_is_recorded)
{
    OWNED(close_show) struct show show;
    open_show(&show, 1);
    run_frames(&show, 1);
    assert_true(any_kept(&show));
    fovea_vk_image_destroy(&show.pairs[0].dst);
    assert_false(any_kept(&show));
    show.pairs[0].dst = make_image(&show);
    assert_int_equal(recorded_by(&show, 1), 2 * 2);
}

/* Those record; what was kept is good again behind them. */
TEST(frames_that_pass_through_come_between)
{
    OWNED(close_show) struct show show;
    open_show(&show, 1);
    run_frames(&show, 1);
    recorded = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_frame(&show, &show.pairs[0], NAN), FOVEA_PASSED_THROUGH);
        compare_assert_all_same(&show.dst.view, &show.src.view, "passed through");
    }
    assert_int_equal(recorded, 2);
    assert_int_equal(recorded_by(&show, 1), 0);
}
