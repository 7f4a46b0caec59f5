/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A light field on any Vulkan device, without a window: a drawn raw picture of a chequered plane,
 * as an array of 24x18 lenses sees it, comes in focus under a gaze.
 *
 *     cc lightfield_vulkan.c $(pkg-config --cflags --libs fovea vulkan) -lm -o lightfield_vulkan
 *     ./lightfield_vulkan picture.ppm */
#include "vulkan_program.h"

#include <fovea_lightfield_vk.h>

#include <math.h>

#define COLUMNS 24
#define ROWS 18
#define PITCH_PX 40
#define RAW_WIDTH_PX (COLUMNS * PITCH_PX)
#define RAW_HEIGHT_PX (ROWS * PITCH_PX)
#define PATCH_PX 7 /* of the plane */
#define WIDTH_PX (COLUMNS * PATCH_PX)
#define HEIGHT_PX (ROWS * PATCH_PX)
#define BYTES ((VkDeviceSize)RAW_WIDTH_PX * RAW_HEIGHT_PX * 4)

struct scene {
    struct program p;
    struct buffer pixels; /* the raw picture, then the picture */
    struct image raw, picture;
    struct fovea_lightfield_vk *field;
};

static void open_field(struct scene *scene)
{
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_geometry_init(&geometry); /* or fovea_lightfield_geometry_read */
    geometry.raw_width_px = RAW_WIDTH_PX;
    geometry.raw_height_px = RAW_HEIGHT_PX;
    geometry.columns = COLUMNS;
    geometry.rows = ROWS;
    geometry.pitch_x_px = geometry.pitch_y_px = PITCH_PX;
    geometry.origin_x_px = geometry.origin_y_px = PITCH_PX / 2.0;
    fovea_lightfield_vk_desc_init(&desc);
    desc.instance = scene->p.instance;
    desc.physical_device = scene->p.physical;
    desc.device = scene->p.device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue_family = scene->p.family;
    desc.geometry = &geometry;
    desc.width_px = WIDTH_PX;
    desc.height_px = HEIGHT_PX;
    desc.log = (struct fovea_log){.fn = say, .min_level = FOVEA_LOG_INFO};
    must(fovea_lightfield_vk_create(&desc, &scene->field) == FOVEA_OK,
         "fovea_lightfield_vk_create");
}

/* A lens shows at u from its centre what is at its own place + u / PATCH_PX, in lenses. */
static void draw_raw(unsigned char *pixels)
{
    for (int y = 0; y < RAW_HEIGHT_PX; y++) {
        for (int x = 0; x < RAW_WIDTH_PX; x++) {
            const double u = x % PITCH_PX + 0.5 - PITCH_PX / 2.0;
            const double v = y % PITCH_PX + 0.5 - PITCH_PX / 2.0;
            const int column = (int)floor((x / PITCH_PX + 0.5 + u / PATCH_PX) * 0.8);
            const int row = (int)floor((y / PITCH_PX + 0.5 + v / PATCH_PX) * 0.8);
            unsigned char *pixel = pixels + 4 * ((size_t)y * RAW_WIDTH_PX + (size_t)x);
            pixel[0] = pixel[1] = pixel[2] = (column + row) & 1 ? 240 : 30;
            pixel[3] = 255;
        }
    }
}

static void refocus(const struct scene *scene, VkCommandBuffer commands)
{
    const struct fovea_vk_recording recording = {
        .struct_bytes = sizeof recording, .commands = commands, .frame = 1};
    const struct fovea_lightfield_vk_image picture = {scene->picture.view, VK_FORMAT_R8G8B8A8_UNORM,
                                                      VK_IMAGE_LAYOUT_GENERAL};
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_vk_raw_init(&raw);
    raw.view = scene->raw.view;
    raw.format = VK_FORMAT_R8G8B8A8_UNORM;
    fovea_lightfield_foveation_init(&foveation);
    foveation.gaze = (struct fovea_point_uv){0.4, 0.5};
    foveation.full_px = 0.15 * WIDTH_PX;
    foveation.next_px = 0.38 * WIDTH_PX;
    fovea_lightfield_refocusing_init(&refocusing);
    refocusing.first_px = 5.0;
    refocusing.last_px = 10.0;
    refocusing.foveation = &foveation;
    must(fovea_lightfield_vk_refocus(scene->field, &recording, &raw, &refocusing, &picture, NULL) ==
             FOVEA_OK,
         "fovea_lightfield_vk_refocus");
}

/* The raw picture goes up, the picture is made, and comes back. */
static void run(const struct scene *scene)
{
    const VkBufferImageCopy down = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH_PX, HEIGHT_PX, 1}};
    const VkImageLayout reading = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    VkCommandBuffer commands = begin_commands(&scene->p);
    upload(commands, &scene->pixels, &scene->raw, RAW_WIDTH_PX, RAW_HEIGHT_PX);
    barrier(commands, &scene->picture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    refocus(scene, commands);
    barrier(commands, &scene->picture, VK_IMAGE_LAYOUT_GENERAL, reading);
    vkCmdCopyImageToBuffer(commands, scene->picture.image, reading, scene->pixels.buffer, 1, &down);
    run_commands(&scene->p, commands);
}

static void write_picture(const struct scene *scene, const char *path)
{
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    fprintf(file, "P6\n%d %d\n255\n", WIDTH_PX, HEIGHT_PX);
    for (size_t i = 0; i < (size_t)WIDTH_PX * HEIGHT_PX; i++) {
        fwrite(scene->pixels.bytes + 4 * i, 3, 1, file);
    }
    must(fclose(file) == 0, path);
}

int main(int argc, char **argv)
{
    static struct scene scene;
    const struct program *p = &scene.p;
    open_device(&scene.p);
    scene.pixels =
        open_buffer(p, BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    scene.raw = open_image(p, VK_FORMAT_R8G8B8A8_UNORM, RAW_WIDTH_PX, RAW_HEIGHT_PX,
                           VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    scene.picture = open_image(p, VK_FORMAT_R32_UINT, WIDTH_PX, HEIGHT_PX,
                               VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    open_field(&scene);
    draw_raw(scene.pixels.bytes);
    run(&scene);
    write_picture(&scene, argc > 1 ? argv[1] : "picture.ppm");
    fovea_lightfield_vk_destroy(&scene.field);
    close_image(p, &scene.picture);
    close_image(p, &scene.raw);
    close_buffer(p, &scene.pixels);
    close_device(p);
    return 0;
}
