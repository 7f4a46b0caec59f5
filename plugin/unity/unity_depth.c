/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Cameras' depths. Unity names images and no views: these are made here when an image is another
 * one, and stay until the frames that had them are over. */

#include "unity.h"

#include <string.h>

/* Shaders read colours and depths in this one. */
#define LAYOUT VK_IMAGE_LAYOUT_GENERAL
#define RETIRED 64

static struct {
    VkDevice device;
    PFN_vkCreateImageView create;
    PFN_vkDestroyImageView destroy;
} vk;

static struct {
    VkImageView view;
    uint64_t frame; /* the last that has used it */
} retired[RETIRED];

void unity_depths_start(const struct unity_device *device)
{
    const PFN_vkGetInstanceProcAddr get = device->made.get_instance_proc_addr;
    vk.device = device->made.device;
    vk.create = (PFN_vkCreateImageView)get(device->made.instance, "vkCreateImageView");
    vk.destroy = (PFN_vkDestroyImageView)get(device->made.instance, "vkDestroyImageView");
}

void unity_depths_sweep(uint64_t finished_frame)
{
    for (int i = 0; i < RETIRED; i++) {
        if (retired[i].view && retired[i].frame <= finished_frame) {
            vk.destroy(vk.device, retired[i].view, NULL);
            retired[i].view = VK_NULL_HANDLE;
        }
    }
}

/* False: too many wait for the GPU, and this one stays. */
static bool retire(VkImageView *view, uint64_t frame)
{
    for (int i = 0; *view && i < RETIRED; i++) {
        if (!retired[i].view) {
            retired[i].view = *view;
            retired[i].frame = frame;
            *view = VK_NULL_HANDLE;
        }
    }
    return !*view;
}

bool unity_depth_release(struct unity_camera *camera)
{
    bool all = true;
    for (uint32_t i = 0; i < FOVEA_UNITY_EYES; i++) {
        all = retire(&camera->depth.views[i], camera->frame) && all;
    }
    camera->depth.given = false;
    return all;
}

/* ---- Views ---- */

static bool is_color(VkFormat format)
{
    return format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_R16_SFLOAT;
}

static VkImageView make_view(const struct unity_vulkan_image *image, uint32_t layer)
{
    const VkImageAspectFlags aspect =
        is_color(image->format) ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT;
    const VkImageViewUsageCreateInfo usage = {.sType =
                                                  VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .pNext = &usage,
                                        .image = image->image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = image->format,
                                        .subresourceRange = {aspect, 0, 1, layer, 1}};
    VkImageView view = VK_NULL_HANDLE;
    return vk.create(vk.device, &info, NULL, &view) == VK_SUCCESS ? view : VK_NULL_HANDLE;
}

/* Unity may give another image the handle of one that has gone; then it has other memory, or the
 * same for the same pixels. */
static bool is_same(const struct unity_vulkan_image *a, const struct unity_vulkan_image *b)
{
    return a->image == b->image && a->memory.memory == b->memory.memory &&
           a->memory.offset == b->memory.offset && a->format == b->format &&
           memcmp(&a->extent, &b->extent, sizeof a->extent) == 0 && a->layers == b->layers;
}

static bool make_views(struct unity_camera *camera, const struct unity_vulkan_image *image,
                       uint32_t eyes)
{
    bool all = true;
    if (!is_same(&camera->depth.image, image) && !unity_depth_release(camera)) {
        return false;
    }
    camera->depth.image = *image;
    for (uint32_t i = 0; all && i < eyes; i++) {
        VkImageView *view = &camera->depth.views[i];
        *view = *view ? *view : make_view(image, i);
        all = *view != VK_NULL_HANDLE;
    }
    return all;
}

/* ---- A frame ---- */

static const char *obstacle_to(const struct fovea_unity_block *block,
                               const struct unity_vulkan_image *image)
{
    if (image->samples != VK_SAMPLE_COUNT_1_BIT) {
        return "they are multisampled";
    }
    if (!(image->usage & VK_IMAGE_USAGE_SAMPLED_BIT)) {
        return "Unity made them without SAMPLED";
    }
    if (block->width_px > image->extent.width || block->height_px > image->extent.height) {
        return "they are smaller than the picture";
    }
    return image->layers < (int)block->eyes ? "they have a single layer, and there are two eyes"
                                            : NULL;
}

void unity_depth_access(struct unity_camera *camera, const struct unity_device *device,
                        const struct fovea_unity_block *block)
{
    struct unity_vulkan_image image = {.image = VK_NULL_HANDLE};
    camera->depth.given = false;
    if (!block->depth.texture || !unity_settings_need_depth()) {
        return;
    }
    const char *wrong = "Unity gives no Vulkan image for them";
    if (device->vulkan->access_texture(
            block->depth.texture, NULL, LAYOUT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT, UNITY_ACCESS_PIPELINE_BARRIER, &image) &&
        image.image) {
        wrong = obstacle_to(block, &image);
    }
    if (!wrong && !make_views(camera, &image, block->eyes)) {
        wrong = "there is no view of them";
    }
    if (wrong) {
        unity_camera_trouble(camera, UNITY_TROUBLE_DEPTH,
                             "a camera's depths cannot be read: %s; its frames stay as they are",
                             wrong);
    }
    camera->depth.given = !wrong;
}

void unity_depth_describe(const struct unity_camera *camera, const struct fovea_unity_block *block,
                          struct fovea_depth *out_values, struct fovea_vk_view *view)
{
    const VkExtent3D *whole = &camera->depth.image.extent;
    fovea_depth_init(out_values);
    out_values->kind = block->depth.is_linear ? FOVEA_DEPTH_LINEAR : FOVEA_DEPTH_PERSPECTIVE;
    out_values->zero_m = block->depth.zero_m;
    out_values->one_m = block->depth.one_m;
    out_values->focus_m = block->depth.focus_m;
    out_values->elapsed_s = block->depth.elapsed_s;
    if (camera->depth.given) {
        view->depth = (struct fovea_vk_depth){
            .view = camera->depth.views[view->layer],
            .format = camera->depth.image.format,
            .layout = LAYOUT,
            .width_px = block->width_px ? block->width_px : whole->width,
            .height_px = block->height_px ? block->height_px : whole->height,
            .values = out_values,
            .focus_stays = view->layer > 0};
    }
}
