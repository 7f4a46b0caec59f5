/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A camera's picture in Unity's place, frame by frame. */
#pragma once

#include "host.h"
#include "test_with.h"

#define SCENE_WIDTH 64
#define SCENE_HEIGHT 48

/* One texture in a host, drawn frame by frame. */
struct scene {
    struct host host;
    struct host_texture texture;
    struct test_image src;
    struct test_image dst;
};

/* The test fails where there is no device. */
void scene_host_open(struct host *host, struct host_options options);
void scene_host_close(struct host *host);
void scene_open(struct scene *scene, struct host_options options);
void scene_close(struct scene *scene);
#define SCENE_TEST(name)                                                                           \
    TEST_WITH(name, struct scene, scene, scene_open(&made, (struct host_options){0}), scene_close)

/* Whether a frame with this block changed the picture. */
bool scene_foveates(struct scene *scene, struct fovea_unity_block *block, bool by_queue);
/* Takes all messages: how many warnings and errors there are; the last of them. */
int scene_warnings(struct scene *scene, char *out_last, int bytes);
/* A frame in which this camera goes. */
void scene_release(struct scene *scene, uint64_t camera);
