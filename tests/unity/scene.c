/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "scene.h"
#include "cmocka_all.h"
#include "rig.h"

void scene_host_open(struct host *host, struct host_options options)
{
    options.engine = rig_engine_options();
    assert_true(host_open(host, &options));
}

void scene_host_close(struct host *host)
{
    engine_expect_silence(&host->engine);
    host_close(host);
}

void scene_open(struct scene *scene, struct host_options options)
{
    scene_host_open(&scene->host, options);
    scene->texture =
        host_texture_create(&scene->host, VK_FORMAT_R8G8B8A8_UNORM, SCENE_WIDTH, SCENE_HEIGHT, 1);
    scene->src = image_make_packed(SCENE_WIDTH, SCENE_HEIGHT, FOVEA_FORMAT_RGBA8);
    scene->dst = image_make_packed(SCENE_WIDTH, SCENE_HEIGHT, FOVEA_FORMAT_RGBA8);
    image_draw(&scene->src.view, IMAGE_RANDOM, 1);
}

void scene_close(struct scene *scene)
{
    host_texture_destroy(&scene->host, &scene->texture);
    image_free(&scene->src);
    image_free(&scene->dst);
    scene_host_close(&scene->host);
}

bool scene_foveates(struct scene *scene, struct fovea_unity_block *block, bool by_queue)
{
    host_frame(&scene->host, &scene->texture, &scene->src.view, block, by_queue);
    host_read(&scene->host, &scene->texture, &scene->dst.view);
    return memcmp(scene->src.view.data, scene->dst.view.data,
                  (size_t)4 * SCENE_WIDTH * SCENE_HEIGHT) != 0;
}

int scene_warnings(struct scene *scene, char *out_last, int bytes)
{
    return host_log(&scene->host, FOVEA_LOG_WARNING, out_last, bytes);
}

void scene_release(struct scene *scene, uint64_t camera)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0, 0);
    block.camera = camera;
    host_frame_begin(&scene->host);
    host_event(&scene->host, FOVEA_UNITY_RELEASE, &block);
    host_frame_end(&scene->host);
}
