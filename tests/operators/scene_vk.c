/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene_vk.h"

#include "depth_image.h"
#include "scene_depths.h"

struct fovea_operators scene_vk_operators(const struct operator_under_test *of)
{
    return (struct fovea_operators){1, {of->id}};
}

VkFormat scene_vk_format(unsigned i)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM,
                                       VK_FORMAT_B8G8R8A8_UNORM,
                                       VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_A2R10G10B10_UNORM_PACK32,
                                       VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                       VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_B8G8R8A8_SRGB,
                                       VK_FORMAT_R8G8B8A8_SRGB,
                                       VK_FORMAT_A8B8G8R8_UNORM_PACK32};
    return formats[i % (sizeof formats / sizeof formats[0])];
}

static VkImageLayout sigmas_layout(const struct engine *engine, const struct operator_scene *scene)
{
    return scene->random % 3 == 0 ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
           : scene->random % 3 == 1 && engine->has_synchronization2
               ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL
               : VK_IMAGE_LAYOUT_GENERAL;
}

struct engine_image scene_vk_sigmas(struct rig *rig, const struct operator_scene *scene,
                                    struct fovea_vk_sigmas *out_sigmas)
{
    *out_sigmas = (struct fovea_vk_sigmas){0};
    if (scene->sigmas == SIGMAS_NONE) {
        return (struct engine_image){0};
    }
    const VkFormat format =
        scene->sigmas_format == FOVEA_FORMAT_R16F ? VK_FORMAT_R16_SFLOAT : VK_FORMAT_R32_SFLOAT;
    struct test_image packed =
        image_make_packed(scene->width_px, scene->height_px, scene->sigmas_format);
    for (uint32_t y = 0; y < scene->height_px; y++) {
        for (uint32_t x = 0; x < scene->width_px; x++) {
            image_set(&packed.view, x, y, 0, scene_sigma(scene, x, y));
        }
    }
    struct engine_image image =
        engine_sampled_create(&rig->engine, format, scene->width_px, scene->height_px);
    *out_sigmas = (struct fovea_vk_sigmas){image.raw_view, sigmas_layout(&rig->engine, scene)};
    engine_write(&rig->engine, image.image, scene->width_px, scene->height_px, format,
                 packed.view.data, VK_IMAGE_LAYOUT_UNDEFINED, out_sigmas->layout);
    image_free(&packed);
    return image;
}

/* ---- Depths */

/* One that stores a scene's values as they are: floats of a depth buffer are 0 to 1. */
static VkFormat depths_format(const struct engine *engine, const struct operator_scene *scene)
{
    static const VkFormat floats[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_D32_SFLOAT,
                                      VK_FORMAT_D32_SFLOAT_S8_UINT};
    static const VkFormat wholes[] = {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_X8_D24_UNORM_PACK32};
    const bool any = scene->depths_scale == 0 || scene->depths == DEPTHS_ODD;
    switch (scene->depths_format) {
    case FOVEA_DEPTH_FORMAT_D16:
        return VK_FORMAT_D16_UNORM;
    case FOVEA_DEPTH_FORMAT_R16F:
        return VK_FORMAT_R16_SFLOAT;
    case FOVEA_DEPTH_FORMAT_D24:
        return depth_image_format_or(engine, wholes[scene->random % 2]);
    default:
        return depth_image_format_or(engine, floats[any ? 0 : scene->random % 3]);
    }
}

struct depths_of {
    const struct operator_scene *scene;
    const struct depths *depths;
};

static double value_at(const void *user, uint32_t x, uint32_t y)
{
    const struct depths_of *of = user;
    return of->depths->values[(size_t)y * of->scene->width_px + x];
}

/* The scene's depths as an image; none where it has none. */
static struct depth_image draw_depths(struct rig *rig, const struct operator_scene *scene,
                                      struct fovea_depth *out_values)
{
    if (scene->depths == DEPTHS_NONE) {
        return (struct depth_image){.values = NULL};
    }
    OWNED(scene_depths_free) struct depths depths = scene_draw_depths(scene, 1);
    fovea_depth_init(out_values);
    out_values->kind = depths.depth.kind;
    out_values->zero_m = depths.depth.zero_m;
    out_values->one_m = depths.depth.one_m;
    const struct depths_of of = {scene, &depths};
    return depth_image_create(&rig->engine, depths_format(&rig->engine, scene), scene->width_px,
                              scene->height_px, value_at, &of);
}

/* ---- Frames */

void scene_vk_run(struct rig *rig, VkFormat format, enum rig_path path,
                  struct operator_scene *scene, struct test_image *out_src,
                  struct test_image *out_dst)
{
    scene->format = rig_pixel_format(format);
    scene->blue_first = format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB ||
                        format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    rig->settings.foveation = scene->settings.foveation;
    rig->settings.foveation.map.serial = 0; /* the frame loop counts maps itself */
    rig->settings.own = scene->settings.own;
    rig->settings.operators = scene_vk_operators(scene->of);
    if (scene->settings.own.lens_file[0]) {
        rig->settings.own.lens_file_data = NULL; /* what the file says is the same */
    }
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
    struct fovea_vk_sigmas given;
    struct engine_image sigmas = scene_vk_sigmas(rig, scene, &given);
    rig_set_sigmas(given);
    struct fovea_depth values;
    struct depth_image depths = draw_depths(rig, scene, &values);
    rig_set_depth(depths.values ? depth_image_given(&depths, &values) : (struct fovea_vk_depth){0});
    rig_set_others(scene->other_count ? scene->others : NULL, scene->other_count);
    *out_src = scene_draw(scene);
    *out_dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    assert_ok(rig_frame(rig, path, format, &out_src->view,
                        rig_gaze(scene->gaze.x_uv, scene->gaze.y_uv), &out_dst->view));
    rig_set_sigmas((struct fovea_vk_sigmas){0});
    rig_set_depth((struct fovea_vk_depth){0});
    rig_set_others(NULL, 0);
    engine_image_destroy(&rig->engine, &sigmas);
    depth_image_destroy(&rig->engine, &depths);
}

void scene_vk_check(struct rig *rig, VkFormat format, enum rig_path path,
                    struct operator_scene *scene)
{
    struct test_image src;
    OWNED_IMAGE dst;
    scene_vk_run(rig, format, path, scene, &src, &dst);
    scene_assert_exact(scene, &src.view, &dst.view);
    image_free(&src);
}

void scene_vk_check_views(struct rig *rig, const struct stereo *views, enum rig_path path,
                          const struct operator_scene *const scenes[])
{
    OWNED_IMAGE src = stereo_picture(views, IMAGE_RANDOM, 11);
    OWNED_IMAGE dst = stereo_picture(views, IMAGE_STROKES, 12);
    assert_ok(stereo_run(rig, views, path, &src.view, &dst.view));
    for (uint32_t v = 0; v < views->view_count; v++) {
        OWNED_IMAGE in = stereo_cut_out(views, &views->views[v], &src.view);
        OWNED_IMAGE out = stereo_cut_out(views, &views->views[v], &dst.view);
        struct operator_scene scene = *scenes[v];
        scene.width_px = in.view.width_px;
        scene.height_px = in.view.height_px;
        scene.format = in.view.format;
        scene_assert_exact(&scene, &in.view, &out.view);
    }
}
