/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene_vk.h"

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

struct engine_image scene_vk_sigmas(struct rig *rig, const struct operator_scene *scene,
                                    struct fovea_vk_sigmas *out_sigmas)
{
    *out_sigmas = (struct fovea_vk_sigmas){0};
    if (scene->sigmas == SIGMAS_NONE) {
        return (struct engine_image){0};
    }
    const VkFormat format =
        scene->sigmas_format == FOVEA_FORMAT_R16F ? VK_FORMAT_R16_SFLOAT : VK_FORMAT_R32_SFLOAT;
    const bool general = scene->random % 2;
    struct test_image packed =
        image_make_packed(scene->width_px, scene->height_px, scene->sigmas_format);
    for (uint32_t y = 0; y < scene->height_px; y++) {
        for (uint32_t x = 0; x < scene->width_px; x++) {
            image_set(&packed.view, x, y, 0, scene_sigma(scene, x, y));
        }
    }
    struct engine_image image =
        engine_sampled_create(&rig->engine, format, scene->width_px, scene->height_px);
    *out_sigmas = (struct fovea_vk_sigmas){image.raw_view,
                                           general ? VK_IMAGE_LAYOUT_GENERAL
                                                   : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    engine_write(&rig->engine, image.image, scene->width_px, scene->height_px, format,
                 packed.view.data, VK_IMAGE_LAYOUT_UNDEFINED, out_sigmas->layout);
    image_free(&packed);
    return image;
}

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
    *out_src = scene_draw(scene);
    *out_dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    assert_ok(rig_frame(rig, path, format, &out_src->view,
                        rig_gaze(scene->gaze.x_uv, scene->gaze.y_uv), &out_dst->view));
    rig_set_sigmas((struct fovea_vk_sigmas){0});
    engine_image_destroy(&rig->engine, &sigmas);
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
