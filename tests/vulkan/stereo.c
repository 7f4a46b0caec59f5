/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "stereo.h"

#include "cmocka_all.h"
#include "compare.h"

static VkFormat image_format = STEREO_FORMAT;

void stereo_set_format(VkFormat format)
{
    image_format = format;
}

struct test_image stereo_picture(const struct stereo *scene, enum image_pattern pattern,
                                 uint64_t seed)
{
    struct test_image image = image_make_packed(
        scene->width_px, scene->height_px * scene->layer_count, rig_pixel_format(image_format));
    image_draw(&image.view, pattern, seed);
    return image;
}

void stereo_copy(const struct fovea_image *from, uint32_t from_x, uint32_t from_y,
                 const struct fovea_image *to, uint32_t to_x, uint32_t to_y,
                 const struct fovea_vk_view *size)
{
    for (uint32_t y = 0; y < size->height_px; y++) {
        memcpy(image_pixel(to, to_x, to_y + y), image_pixel(from, from_x, from_y + y),
               image_bytes(from->format) * (size_t)size->width_px);
    }
}

uint32_t stereo_row(const struct stereo *scene, const struct fovea_vk_view *view)
{
    return view->y_px + view->layer * scene->height_px;
}

struct test_image stereo_cut_out(const struct stereo *scene, const struct fovea_vk_view *view,
                                 const struct fovea_image *from)
{
    struct test_image part = image_make_packed(view->width_px, view->height_px, from->format);
    stereo_copy(from, view->x_px, stereo_row(scene, view), &part.view, 0, 0, view);
    return part;
}

struct stereo_end stereo_end_open(struct rig *rig, const struct stereo *scene, enum rig_owner owner)
{
    struct stereo_end end = {0};
    if (owner != RIG_MADE) {
        end.image = (owner == RIG_SEEN ? engine_seen_create : engine_array_create)(
            &rig->engine, image_format, scene->width_px, scene->height_px, scene->layer_count);
        return end;
    }
    struct fovea_vk_image_desc desc = {
        .struct_bytes = sizeof desc, image_format, scene->width_px, scene->height_px, 0};
    assert_ok(fovea_vk_image_create(rig->fovea, &desc, &end.made));
    end.image = (struct engine_image){.image = fovea_vk_image_handle(end.made),
                                      .format = image_format,
                                      .width_px = scene->width_px,
                                      .height_px = scene->height_px,
                                      .layer_count = 1};
    return end;
}

void stereo_end_close(struct rig *rig, struct stereo_end *end)
{
    if (end->made) {
        fovea_vk_image_destroy(&end->made);
    } else {
        engine_image_destroy(&rig->engine, &end->image);
    }
}

void stereo_fill(struct rig *rig, const struct stereo_end *end, const struct fovea_image *pixels)
{
    engine_write_array(&rig->engine, &end->image, pixels->data, VK_IMAGE_LAYOUT_UNDEFINED,
                       VK_IMAGE_LAYOUT_GENERAL);
}

void stereo_read(struct rig *rig, const struct stereo_end *end, const struct fovea_image *pixels)
{
    engine_read_array(&rig->engine, &end->image, pixels->data, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static struct fovea_vk_frame_target frame_image(const struct stereo *scene,
                                                const struct stereo_end *end)
{
    return (struct fovea_vk_frame_target){.made = end->made,
                                          .image = end->made ? VK_NULL_HANDLE : end->image.image,
                                          .format = image_format,
                                          .width_px = scene->width_px,
                                          .height_px = scene->height_px,
                                          .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                          .layout_after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED,
                                          .layer_count = scene->layer_count,
                                          .raw_view = end->image.raw_view};
}

struct fovea_vk_frame stereo_frame(const struct stereo *scene, const struct stereo_end *src,
                                   const struct stereo_end *dst)
{
    return (struct fovea_vk_frame){.struct_bytes = sizeof(struct fovea_vk_frame),
                                   .src = frame_image(scene, src),
                                   .dst = frame_image(scene, dst),
                                   .gaze = scene->views[0].gaze,
                                   .views = scene->view_count ? scene->views : NULL,
                                   .view_count = scene->view_count,
                                   .sigmas = scene->views[0].sigmas,
                                   .depth = scene->views[0].depth};
}

static void acquire(struct stereo_end *end)
{
    VkImageLayout layout;
    assert_ok(fovea_vk_image_acquire(end->made, &layout));
}

static bool layers_are_seen;

void stereo_see_layers(bool see)
{
    layers_are_seen = see;
}

static struct stereo see_layers(const struct stereo *scene, const struct stereo_end *src,
                                const struct stereo_end *dst)
{
    struct stereo seen = *scene;
    for (uint32_t i = 0; layers_are_seen && i < scene->view_count; i++) {
        seen.views[i].src_raw_view = src->image.raw_layers[scene->views[i].layer];
        seen.views[i].dst_raw_view = dst->image.raw_layers[scene->views[i].layer];
    }
    return seen;
}

enum fovea_result stereo_run(struct rig *rig, const struct stereo *scene, enum rig_path path,
                             const struct fovea_image *src, const struct fovea_image *dst)
{
    const bool in_place = rig_in_place(path);
    struct stereo_end a = stereo_end_open(rig, scene, rig_src(path));
    struct stereo_end b = {0};
    stereo_fill(rig, &a, src);
    if (a.made) {
        acquire(&a);
    }
    if (!in_place) {
        b = stereo_end_open(rig, scene, rig_dst(path));
        stereo_fill(rig, &b, dst);
    }
    const struct stereo seen = see_layers(scene, &a, in_place ? &a : &b);
    struct fovea_vk_frame frame = stereo_frame(&seen, &a, in_place ? &a : &b);
    const enum fovea_result result = rig_foveate(rig, &frame);
    if (result >= 0) {
        stereo_read(rig, in_place ? &a : &b, dst);
    }
    if (result >= 0 && !in_place) {
        OWNED_IMAGE now = stereo_picture(scene, IMAGE_RANDOM, 0);
        stereo_read(rig, &a, &now.view);
        compare_assert_all_same(&now.view, src, "src after the frame");
    }
    if (!in_place) {
        stereo_end_close(rig, &b);
    }
    stereo_end_close(rig, &a);
    return result;
}

struct fovea_vk_view stereo_view(uint32_t x_px, uint32_t y_px, uint32_t layer, double gaze_x_uv,
                                 double gaze_y_uv)
{
    return (struct fovea_vk_view){.struct_bytes = sizeof(struct fovea_vk_view),
                                  .x_px = x_px,
                                  .y_px = y_px,
                                  .width_px = 67,
                                  .height_px = 45,
                                  .layer = layer,
                                  .gaze = rig_gaze(gaze_x_uv, gaze_y_uv)};
}

struct stereo stereo_side_by_side(void)
{
    return (struct stereo){
        134, 45, 1, {stereo_view(0, 0, 0, 0.95, 0.4), stereo_view(67, 0, 0, 0.02, 0.7)}, 2};
}
