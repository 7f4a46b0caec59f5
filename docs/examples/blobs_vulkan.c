/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs on any Vulkan device, without a window: of a drawn picture of discs, a line each with its
 * place, its sigma and its strength, the strongest first.
 *
 *     cc blobs_vulkan.c $(pkg-config --cflags --libs fovea vulkan) -o blobs_vulkan
 *     ./blobs_vulkan */
#include "vulkan_program.h"

#include <fovea_blobs_vk.h>

#include <string.h>

#define WIDTH_PX 160
#define HEIGHT_PX 120
#define BLOB_MAX 20

struct scene {
    struct program p;
    struct buffer pixels, list;
    struct image picture;
    struct fovea_blobs_vk *blobs;
};

static void open_blobs(struct scene *scene)
{
    struct fovea_blobs_desc blobs;
    struct fovea_blobs_vk_desc desc;
    fovea_blobs_desc_init(&blobs);
    blobs.blob_max = BLOB_MAX;
    blobs.scale_count = 10;
    fovea_blobs_vk_desc_init(&desc);
    desc.instance = scene->p.instance;
    desc.physical_device = scene->p.physical;
    desc.device = scene->p.device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue_family = scene->p.family;
    desc.blobs = &blobs;
    desc.width_px = WIDTH_PX;
    desc.height_px = HEIGHT_PX;
    desc.log = (struct fovea_log){.fn = say, .min_level = FOVEA_LOG_INFO};
    must(fovea_blobs_vk_create(&desc, &scene->blobs) == FOVEA_OK, "fovea_blobs_vk_create");
}

/* Discs of 6 and of 9 px, on grey. */
static void draw(unsigned char *pixels)
{
    static const int discs[][3] = {{40, 30, 6}, {110, 40, 9}, {60, 90, 9}};
    memset(pixels, 100, (size_t)WIDTH_PX * HEIGHT_PX * 4);
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX * 3; i++) {
        const int *disc = discs[i % 3];
        const int x = i / 3 % WIDTH_PX - disc[0];
        const int y = i / 3 / WIDTH_PX - disc[1];
        if (x * x + y * y <= disc[2] * disc[2]) {
            pixels[i / 3 * 4] = 240;
        }
    }
}

static void find(const struct scene *scene)
{
    const struct fovea_blobs_vk_image picture = {scene->picture.view, VK_FORMAT_R8G8B8A8_UNORM,
                                                 VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const struct fovea_blobs_vk_buffer list = {scene->list.buffer, 0};
    struct fovea_vk_recording recording;
    fovea_vk_recording_init(&recording);
    recording.commands = begin_commands(&scene->p);
    recording.frame = 1;
    upload(recording.commands, &scene->pixels, &scene->picture, WIDTH_PX, HEIGHT_PX);
    must(fovea_blobs_vk_run(scene->blobs, &recording, &picture, &list) == FOVEA_OK,
         "fovea_blobs_vk_run");
    run_commands(&scene->p, recording.commands);
}

static void print_list(const unsigned char *list)
{
    uint32_t count = 0;
    memcpy(&count, list, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        struct fovea_blob blob;
        memcpy(&blob, list + FOVEA_BLOBS_VK_LIST_BYTES(i), sizeof blob);
        printf("%.2f %.2f %.2f %.3f\n", (double)blob.x_px, (double)blob.y_px, (double)blob.sigma_px,
               (double)blob.strength);
    }
}

int main(void)
{
    static struct scene scene;
    const struct program *p = &scene.p;
    open_device(&scene.p);
    scene.pixels =
        open_buffer(p, (VkDeviceSize)WIDTH_PX * HEIGHT_PX * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    scene.list =
        open_buffer(p, FOVEA_BLOBS_VK_LIST_BYTES(BLOB_MAX), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    scene.picture = open_image(p, VK_FORMAT_R8G8B8A8_UNORM, WIDTH_PX, HEIGHT_PX,
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    open_blobs(&scene);
    draw(scene.pixels.bytes);
    find(&scene);
    print_list(scene.list.bytes);
    fovea_blobs_vk_destroy(&scene.blobs);
    close_image(p, &scene.picture);
    close_buffer(p, &scene.list);
    close_buffer(p, &scene.pixels);
    close_device(p);
    return 0;
}
