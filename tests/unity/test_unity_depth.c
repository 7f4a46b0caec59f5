/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Cameras with depths in Unity's place (host.h): dof against its reference, both ways, one focus
 * for both eyes, images that change, and what is wrong. */

#include "cmocka_all.h"
#include "rig.h"
#include "scene.h"
#include "vulkan/depth_scene.h"

#define WIDTH 67 /* of depth_plain_scene */
#define HEIGHT 45

static const char *const settings_text =
    "{\"backend\": \"%s\", \"operators\": [\"%s\"], \"dof\": {\"focal_mm\": 60, \"f_number\": 1.4, "
    "\"sensor_mm\": 3, \"sigma_max_px\": 9}}";

static void configure(struct host *host, const char *backend, const char *name)
{
    char json[512];
    char error[256];
    snprintf(json, sizeof json, settings_text, backend, name);
    assert_int_equal(host->plugin.configure(json, error, sizeof error), FOVEA_OK);
    assert_int_equal(host->plugin.needs_depth(), strcmp(name, "dof") == 0);
}

/* One camera of one eye or two, whose depths lie one below the other. */
struct focused {
    struct host host;
    struct depth_drawn drawn;
    struct host_texture texture;
    struct host_texture depths;
    float *values;
    struct test_image src;
    struct test_image dst;
    uint32_t eyes;
};

static struct fovea_unity_block block_of(struct focused *focused)
{
    struct fovea_unity_block block = host_block(&focused->texture, 0.2, 0.5);
    block.eyes = focused->eyes;
    block.eye[1] = (struct fovea_unity_eye){.x_uv = 0.8, .y_uv = 0.5, .usable = 1};
    block.depth.texture = &focused->depths;
    block.depth.is_linear = focused->drawn.values.kind == FOVEA_DEPTH_LINEAR;
    block.depth.zero_m = focused->drawn.values.zero_m;
    block.depth.one_m = focused->drawn.values.one_m;
    return block;
}

/* scale: as depth_scale_of has them; the second one is of a perspective. */
static void open_focused(struct focused *focused, uint32_t eyes, VkFormat format, uint64_t scale)
{
    *focused = (struct focused){.eyes = eyes};
    scene_host_open(&focused->host, (struct host_options){0});
    configure(&focused->host, "vulkan", "dof");
    focused->drawn = (struct depth_drawn){DEPTHS_SLOPE, depth_scale_of(scale, format)};
    focused->values = malloc(eyes * WIDTH * HEIGHT * sizeof *focused->values);
    assert_non_null(focused->values);
    for (uint32_t i = 0; i < eyes * WIDTH * HEIGHT; i++) {
        focused->values[i] = (float)depth_value_at(&focused->drawn, i % WIDTH, i / WIDTH);
    }
    focused->depths =
        host_depths_create(&focused->host, format, WIDTH, HEIGHT, eyes, focused->values);
    focused->texture =
        host_texture_create(&focused->host, VK_FORMAT_B8G8R8A8_UNORM, WIDTH, HEIGHT, eyes);
    focused->src = image_make_packed(WIDTH, eyes * HEIGHT, FOVEA_FORMAT_RGBA8);
    focused->dst = image_make_packed(WIDTH, eyes * HEIGHT, FOVEA_FORMAT_RGBA8);
    image_draw(&focused->src.view, IMAGE_RANDOM, 3);
}

static void close_focused(struct focused *focused)
{
    host_texture_destroy(&focused->host, &focused->texture);
    host_texture_destroy(&focused->host, &focused->depths);
    image_free(&focused->src);
    image_free(&focused->dst);
    free(focused->values);
    scene_host_close(&focused->host);
}

static void show(struct focused *focused, struct fovea_unity_block *block, bool by_queue)
{
    host_frame(&focused->host, &focused->texture, &focused->src.view, block, by_queue);
    host_read(&focused->host, &focused->texture, &focused->dst.view);
}

static struct fovea_image eye_of(const struct fovea_image *image, uint32_t eye)
{
    struct fovea_image part = *image;
    part.data = image_pixel(image, 0, eye * HEIGHT);
    part.height_px = HEIGHT;
    return part;
}

/* Both eyes have in focus what lies under the left one's gaze. */
static void expect_reference(struct focused *focused, const struct fovea_unity_block *block)
{
    const struct operator_scene scene = depth_plain_scene();
    const struct fovea_depth *values = &focused->drawn.values;
    const struct dof_reference reference = {
        .kind = values->kind, .zero_m = values->zero_m, .one_m = values->one_m};
    const uint32_t x = (uint32_t)(block->eye[0].x_uv * WIDTH);
    const uint32_t y = (uint32_t)(block->eye[0].y_uv * HEIGHT);
    const double focus_m =
        dof_reference_distance(&reference, (double)focused->values[y * WIDTH + x]);
    for (uint32_t eye = 0; eye < focused->eyes; eye++) {
        double own[WIDTH * HEIGHT];
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            own[i] = (double)focused->values[eye * WIDTH * HEIGHT + i];
        }
        const struct fovea_image src = eye_of(&focused->src.view, eye);
        const struct fovea_image dst = eye_of(&focused->dst.view, eye);
        depth_assert_exact(&scene, values, own, focus_m, &src, &dst);
    }
}

TEST(a_camera_is_focused_by_its_depths)
{
    static const struct {
        VkFormat format;
        uint64_t scale;
        uint32_t eyes;
    } cases[] = {{VK_FORMAT_D32_SFLOAT, 0, 1}, /* perspective */
                 {VK_FORMAT_R32_SFLOAT, 2, 2}, /* reversed, without a far plane */
                 {VK_FORMAT_D32_SFLOAT, 2, 2}, /* linear */
                 {VK_FORMAT_R32_SFLOAT, 4, 1}}; /* reversed */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(close_focused) struct focused focused;
        open_focused(&focused, cases[i].eyes, cases[i].format, cases[i].scale);
        struct fovea_unity_block block = block_of(&focused);
        for (int by_queue = 0; by_queue < 2; by_queue++) {
            configure(&focused.host, by_queue ? "cpu" : "vulkan", "dof");
            show(&focused, &block, by_queue);
            expect_reference(&focused, &block);
        }
        assert_int_equal(host_log(&focused.host, FOVEA_LOG_WARNING, NULL, 0), 0);
    }
}

/* Unity makes both textures anew, often: their views go when the GPU is done with them. */
TEST(depths_may_be_other_images_in_every_frame)
{
    OWNED(close_focused) struct focused focused;
    open_focused(&focused, 1, VK_FORMAT_D32_SFLOAT, 0);
    struct host_texture other =
        host_depths_create(&focused.host, VK_FORMAT_D32_SFLOAT, WIDTH, HEIGHT, 1, focused.values);
    for (int i = 0; i < 40; i++) {
        struct fovea_unity_block block = block_of(&focused);
        block.depth.texture = i % 2 ? &other : &focused.depths;
        host_frame(&focused.host, &focused.texture, &focused.src.view, &block, false);
    }
    struct fovea_unity_block block = block_of(&focused);
    show(&focused, &block, false);
    expect_reference(&focused, &block);
    assert_true(focused.host.destroyed_views >= 30);
    host_texture_destroy(&focused.host, &other);
}

/* ---- What is wrong ---- */

static void none(struct focused *focused, struct fovea_unity_block *block)
{
    block->depth.texture = NULL;
}

static void older_scripts(struct focused *focused, struct fovea_unity_block *block)
{
    block->struct_bytes = FOVEA_UNITY_LEAST_BYTES;
}

static void no_image(struct focused *focused, struct fovea_unity_block *block)
{
    focused->host.deny_one = &focused->depths;
}

static void samples(struct focused *focused, struct fovea_unity_block *block)
{
    focused->depths.samples = VK_SAMPLE_COUNT_4_BIT;
}

static void unsampled(struct focused *focused, struct fovea_unity_block *block)
{
    focused->depths.usage &= ~(VkImageUsageFlags)VK_IMAGE_USAGE_SAMPLED_BIT;
}

static void one_plane(struct focused *focused, struct fovea_unity_block *block)
{
    block->depth.one_m = block->depth.zero_m;
}

static const struct {
    const char *says;
    void (*change)(struct focused *focused, struct fovea_unity_block *block);
    int warnings; /* with Fovea's own */
} wrongs[] = {
    {"view 0 has none (depth.view)", none, 1},
    {"view 0 has none (depth.view)", older_scripts, 1},
    {"view 0 has none (depth.view)", no_image, 2},
    {"view 0 has none (depth.view)", samples, 2},
    {"view 0 has none (depth.view)", unsampled, 2},
    {"depth.zero_m and depth.one_m are both", one_plane, 1},
};

TEST(what_is_wrong_with_depths_is_said_once_and_the_picture_stays)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char said[512] = "";
        OWNED(close_focused) struct focused focused;
        open_focused(&focused, 1, VK_FORMAT_D32_SFLOAT, 0);
        struct fovea_unity_block block = block_of(&focused);
        wrongs[i].change(&focused, &block);
        for (int k = 0; k < 3; k++) {
            show(&focused, &block, false);
            compare_assert_all_same(&focused.dst.view, &focused.src.view, "as drawn");
        }
        assert_int_equal(host_log(&focused.host, FOVEA_LOG_WARNING, said, sizeof said),
                         wrongs[i].warnings);
        assert_non_null(strstr(said, wrongs[i].says));
    }
}

/* Scripts may always give them; older ones do not know of them. */
TEST(depths_do_not_count_where_no_operator_needs_them)
{
    OWNED(close_focused) struct focused focused;
    open_focused(&focused, 1, VK_FORMAT_D32_SFLOAT, 0);
    configure(&focused.host, "vulkan", "foveate");
    focused.host.deny_one = &focused.depths; /* nobody asks for them */
    for (int older = 0; older < 2; older++) {
        struct fovea_unity_block block = block_of(&focused);
        block.struct_bytes = older ? FOVEA_UNITY_LEAST_BYTES : sizeof block;
        show(&focused, &block, false);
        assert_memory_not_equal(focused.dst.view.data, focused.src.view.data,
                                (size_t)4 * WIDTH * HEIGHT);
    }
    assert_int_equal(host_log(&focused.host, FOVEA_LOG_WARNING, NULL, 0), 0);
}
