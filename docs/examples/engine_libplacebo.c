/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A picture that libplacebo draws (the renderer of mpv), foveated in place on libplacebo's own
 * device and queue. Settings come from fovea.json, FOVEA_CONFIG and FOVEA_SET. To build:
 *     cc engine_libplacebo.c $(pkg-config --cflags --libs fovea libplacebo vulkan) -lm */
#include <fovea_vulkan.h>
#include <libplacebo/renderer.h>
#include <libplacebo/vulkan.h>

#include <stdio.h>
#include <stdlib.h>
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

/* An example ends where a program would clean up. */
static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "engine_libplacebo: %s\n", what);
        exit(1);
    }
}

static void say(void *user, enum fovea_log_level level, const char *message)
{
    (void)level;
    fprintf(user, "fovea: %s\n", message);
}

/* libplacebo enables by itself what Fovea can use of the device (fovea_vk_query would say what),
 * timeline semaphores included. Its threads share its queues, which are locked while Fovea uses
 * one. */
static struct fovea_vk *open_fovea(pl_vulkan vk)
{
    struct fovea_vk *fovea = NULL;
    struct fovea_config *config = NULL;
    struct fovea_config_desc config_desc;
    struct fovea_vk_desc desc;
    fovea_config_desc_init(&config_desc);
    fovea_vk_desc_init(&desc);
    config_desc.log = desc.log = (struct fovea_log){say, stderr, FOVEA_LOG_INFO};
    must(fovea_config_create(&config_desc, &config) == FOVEA_OK, "the settings are wrong");
    desc.settings = fovea_config_settings(config);
    desc.instance = vk->instance;
    desc.physical_device = vk->phys_device;
    desc.device = vk->device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue_family = vk->queue_graphics.index;
    vkGetDeviceQueue(vk->device, desc.queue_family, 0, &desc.queue);
    desc.device_extensions = vk->extensions;
    desc.device_extension_count = (uint32_t)vk->num_extensions;
    desc.timeline_semaphore = true;
    vk->lock_queue(vk, (int)desc.queue_family, 0);
    must(fovea_vk_create(&desc, &fovea) == FOVEA_OK, "fovea_vk_create failed");
    vk->unlock_queue(vk, (int)desc.queue_family, 0);
    fovea_config_destroy(&config);
    return fovea;
}

/* The image goes from libplacebo to Fovea at one value of the timeline semaphore, and back at the
 * next. The CPU waits for neither. */
static void foveate(pl_vulkan vk, struct fovea_vk *fovea, pl_tex tex, pl_vulkan_sem *turn,
                    struct fovea_point_uv gaze)
{
    const struct fovea_vk_semaphore wait = {turn->sem, ++turn->value};
    const struct fovea_vk_semaphore signal = {turn->sem, wait.value + 1};
    struct fovea_vk_frame frame;
    fovea_vk_frame_init(&frame);
    frame.src.image = pl_vulkan_unwrap(vk->gpu, tex, &frame.src.format, NULL);
    frame.src.width_px = (uint32_t)tex->params.w;
    frame.src.height_px = (uint32_t)tex->params.h;
    frame.src.layout_before = frame.src.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    frame.dst = frame.src;
    frame.waits = &wait;
    frame.signals = &signal;
    frame.wait_count = frame.signal_count = 1;
    frame.gaze = (struct fovea_gaze){.point = gaze, .usable = true};
    must(pl_vulkan_hold(vk->gpu, tex, VK_IMAGE_LAYOUT_GENERAL, *turn), "pl_vulkan_hold failed");
    vk->lock_queue(vk, (int)vk->queue_graphics.index, 0);
    const enum fovea_result result = fovea_vk_foveate(fovea, &frame);
    vk->unlock_queue(vk, (int)vk->queue_graphics.index, 0);
    /* Otherwise nothing was submitted, and the picture is shown as it is. */
    turn->value += result == FOVEA_OK || result == FOVEA_PASSED_THROUGH;
    pl_vulkan_release(vk->gpu, tex, VK_IMAGE_LAYOUT_GENERAL, *turn);
}

/* A picture with these pixels, or one for libplacebo to draw and for Fovea, which needs
 * TRANSFER_SRC (host_readable) and TRANSFER_DST (blit_dst), to foveate. */
static struct pl_frame picture(pl_gpu gpu, int width, int height, const void *pixels)
{
    struct pl_tex_params params = {.w = width, .h = height, .initial_data = pixels};
    params.format = pl_find_named_fmt(gpu, "rgba8");
    params.sampleable = pixels != NULL;
    params.renderable = params.blit_dst = params.host_readable = !pixels;
    struct pl_plane plane = {.components = 3, .component_mapping = {0, 1, 2}};
    plane.texture = pl_tex_create(gpu, &params);
    must(plane.texture != NULL, "pl_tex_create failed");
    return (struct pl_frame){1, {plane}, .repr = pl_color_repr_rgb, .color = pl_color_space_srgb};
}

static void save(pl_gpu gpu, pl_tex tex, const char *path)
{
    const int w = tex->params.w, h = tex->params.h;
    unsigned char *pixels = malloc((size_t)w * (size_t)h * 4);
    must(pixels && pl_tex_download(gpu, pl_tex_transfer_params(.tex = tex, .ptr = pixels)),
         "no download");
    must(stbi_write_png(path, w, h, 4, pixels, w * 4), "a picture cannot be written");
    free(pixels);
}

int main(int argc, char **argv)
{
    must(argc == 6, "usage: IN.png BEFORE.png AFTER.png GAZE_X GAZE_Y, the gaze from 0 to 1");
    const struct fovea_point_uv gaze = {strtod(argv[4], NULL), strtod(argv[5], NULL)};
    int width, height;
    unsigned char *pixels = stbi_load(argv[1], &width, &height, NULL, 4);
    must(pixels != NULL, "IN.png cannot be read");
    pl_log log = pl_log_create(PL_API_VER, pl_log_params(pl_log_simple, stderr, PL_LOG_WARN));
    pl_vulkan vk = pl_vulkan_create(log, pl_vulkan_params(.allow_software = true));
    must(vk != NULL, "no Vulkan device");
    pl_renderer renderer = pl_renderer_create(log, vk->gpu);
    struct fovea_vk *fovea = open_fovea(vk);
    struct pl_frame in = picture(vk->gpu, width, height, pixels);
    struct pl_frame out = picture(vk->gpu, width * 3 / 2, height * 3 / 2, NULL);
    const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, NULL,
                                            VK_SEMAPHORE_TYPE_TIMELINE, 0};
    const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    pl_vulkan_sem turn = {0};
    must(vkCreateSemaphore(vk->device, &info, NULL, &turn.sem) == VK_SUCCESS, "no semaphore");
    for (int i = 0; i < 3; i++) { /* where a program would show each frame */
        must(pl_render_image(renderer, &in, &out, &pl_render_default_params), "no rendering");
        save(vk->gpu, out.planes[0].texture, argv[2]);
        foveate(vk, fovea, out.planes[0].texture, &turn, gaze);
        save(vk->gpu, out.planes[0].texture, argv[3]);
    }
    fovea_vk_destroy(&fovea);
    pl_tex_destroy(vk->gpu, &in.planes[0].texture);
    pl_tex_destroy(vk->gpu, &out.planes[0].texture);
    pl_renderer_destroy(&renderer);
    pl_gpu_finish(vk->gpu);
    vkDestroySemaphore(vk->device, turn.sem, NULL);
    pl_vulkan_destroy(&vk);
    pl_log_destroy(&log);
    stbi_image_free(pixels);
    return 0;
}
