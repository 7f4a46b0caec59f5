/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of an engine's that kernels see: who copies what. What comes out is compared in
 * test_frame_operators, test_frame_views and test_frame_overlay. */

#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "stereo.h"

#define WIDTH_PX 70
#define HEIGHT_PX 131 /* beyond two workgroups of the copying kernel */
static const VkFormat format = VK_FORMAT_B8G8R8A8_SRGB;

/* ---- Between Fovea and the device ---- */

static struct {
    struct rig *rig;
    struct vk_functions vk; /* the real ones */
    bool copying; /* the pipeline that is bound copies */
    int commands; /* that copy images */
    int kernels;
} spy;

static VKAPI_ATTR void VKAPI_CALL copy_image(VkCommandBuffer commands, VkImage from,
                                             VkImageLayout from_layout, VkImage to,
                                             VkImageLayout to_layout, uint32_t count,
                                             const VkImageCopy *regions)
{
    spy.commands++;
    spy.vk.CmdCopyImage(commands, from, from_layout, to, to_layout, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    const struct vk_compute *compute = &spy.rig->fovea->compute;
    const struct vk_compute_kind copy = {.shader.shader = &shader_copy,
                                         .format = FOVEA_FORMAT_RGBA8};
    spy.copying = pipeline == vk_compute_find(compute, &copy);
    spy.vk.CmdBindPipeline(commands, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                                           uint32_t z)
{
    spy.kernels += spy.copying;
    spy.vk.CmdDispatch(commands, x, y, z);
}

static void open_spied(struct rig *rig)
{
    rig_open(rig, NULL);
    memset(&spy, 0, sizeof spy);
    spy.rig = rig;
    spy.vk = rig->fovea->device.vk;
    struct vk_functions *vk = &rig->fovea->device.vk;
    vk->CmdCopyImage = copy_image;
    vk->CmdBindPipeline = bind_pipeline;
    vk->CmdDispatch = dispatch;
}

struct pictures {
    struct test_image src, dst;
};

static struct pictures make_pictures(void)
{
    struct pictures p = {image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8),
                         image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8)};
    image_draw(&p.src.view, IMAGE_RANDOM, 3);
    return p;
}

static void free_pictures(struct pictures *p)
{
    image_free(&p->src);
    image_free(&p->dst);
}

static void run(struct rig *rig, enum rig_path path, const struct pictures *p)
{
    assert_ok(rig_frame(rig, path, format, &p->src.view, rig_gaze(0.4, 0.6), &p->dst.view));
}

/* ---- Tests ---- */

TEST(nothing_is_copied_that_need_not_be)
{
    static const struct {
        enum rig_path path;
        int commands, kernels; /* that copy, with the vulkan backend */
        int shared_commands, shared_kernels; /* where a peer makes the frame */
    } cases[] = {
        {RIG_ENGINE_TO_ENGINE, 2, 0, 2, 0}, {RIG_ENGINE_IN_PLACE, 2, 0, 2, 0},
        {RIG_MADE_TO_MADE, 0, 0, 0, 0},     {RIG_SEEN_TO_SEEN, 0, 0, 0, 2},
        {RIG_SEEN_TO_ENGINE, 1, 0, 1, 1},   {RIG_ENGINE_TO_SEEN, 1, 0, 1, 1},
        {RIG_SEEN_IN_PLACE, 0, 1, 0, 2},
    };
    const bool shared = rig_backend() != FOVEA_BACKEND_VULKAN;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(rig_close) struct rig rig;
        open_spied(&rig);
        OWNED(free_pictures) struct pictures p = make_pictures();
        run(&rig, cases[i].path, &p);
        assert_int_equal(spy.commands, shared ? cases[i].shared_commands : cases[i].commands);
        assert_int_equal(spy.kernels, shared ? cases[i].shared_kernels : cases[i].kernels);
    }
}

/* A peer never knows images of the engine's: its views are copied, and layers by commands. */
TEST(layers_are_seen_by_views_of_their_own)
{
    const struct stereo scene = {
        67, 45, 2, {stereo_view(0, 0, 0, 0.5, 0.4), stereo_view(0, 0, 1, 0.3, 0.7)}, 2};
    const bool shared = rig_backend() != FOVEA_BACKEND_VULKAN;
    stereo_see_layers(true);
    for (int in_place = 0; in_place < 2; in_place++) {
        OWNED(rig_close) struct rig rig;
        open_spied(&rig);
        OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 3);
        OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_STROKES, 4);
        assert_ok(stereo_run(&rig, &scene, in_place ? RIG_SEEN_IN_PLACE : RIG_SEEN_TO_SEEN,
                             &src.view, &dst.view));
        assert_int_equal(spy.commands, shared || in_place ? 2 : 0);
        assert_int_equal(spy.kernels, 0);
    }
}

TEST(a_frame_that_passes_through_needs_no_kernel)
{
    OWNED(rig_close) struct rig rig;
    open_spied(&rig);
    OWNED(free_pictures) struct pictures p = make_pictures();
    const struct fovea_gaze none = {.usable = false};
    assert_int_equal(rig_frame(&rig, RIG_SEEN_TO_SEEN, format, &p.src.view, none, &p.dst.view),
                     FOVEA_PASSED_THROUGH);
    compare_assert_all_same(&p.dst.view, &p.src.view, "passed through");
    assert_int_equal(spy.commands, 1);
    assert_int_equal(spy.kernels, 0);
}

TEST(raw_formats_are_words_of_their_size)
{
    assert_int_equal(fovea_vk_raw_format(VK_FORMAT_B8G8R8A8_SRGB), VK_FORMAT_R32_UINT);
    assert_int_equal(fovea_vk_raw_format(VK_FORMAT_B10G11R11_UFLOAT_PACK32), VK_FORMAT_R32_UINT);
    assert_int_equal(fovea_vk_raw_format(VK_FORMAT_R16G16B16A16_SFLOAT),
                     VK_FORMAT_R16G16B16A16_UINT);
    assert_int_equal(fovea_vk_raw_format(VK_FORMAT_D32_SFLOAT), VK_FORMAT_UNDEFINED);
}
