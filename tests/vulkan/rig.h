/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An engine with Fovea on it, for one backend, and whole frames through it. */
#pragma once

#include "engine.h"
#include "images.h"

struct CMUnitTest;

struct rig {
    struct engine engine;
    struct fovea_settings settings;
    struct fovea_vk *fovea;
    uint64_t recordings; /* frames that were recorded */
};

/* The backend of the whole test program, from its first argument: "vulkan", "cpu" or "cuda";
 * "binary" is cuda on a device without timeline semaphores, "nvidia" is vulkan on an NVIDIA GPU,
 * "recorded" is vulkan by fovea_vk_record. */
bool rig_choose_backend(int argc, char **argv);
enum fovea_backend rig_backend(void);
const char *rig_backend_name(void);
/* Returns what that backend needs of its engine. */
struct engine_options rig_engine_options(void);
bool rig_available(void);
/* All of main: the backend, then its tests. The status of a skipped test where there is no
 * device. */
#define RIG_RUN(argc, argv, tests) rig_run(argc, argv, tests, sizeof(tests) / sizeof((tests)[0]))
int rig_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count);
/* Keeps the first CUDA device's primary context to the end of the program, where the backend is
 * cuda: to make it takes half of the time of most tests. Not for tests that lose a device, after
 * which a kept context fails for ever. */
void rig_keep_cuda(void);
/* rig_keep_cuda, and the same of the tests of the program's file; a program without a main has this
 * for it. */
int rig_run_tests(int argc, char **argv);

struct fovea_settings rig_settings(void);
/* Settings of rig_settings where settings is NULL. */
void rig_open(struct rig *rig, const struct fovea_settings *settings);
/* Validation must have been silent. */
void rig_close(struct rig *rig);
/* A rig of its block. */
#define RIG(name, settings)                                                                        \
    OWNED(rig_close) struct rig name;                                                              \
    rig_open(&(name), settings)

struct fovea_vk_stats rig_stats(const struct rig *rig);

struct fovea_gaze rig_gaze(double x_uv, double y_uv);
/* Makes a frame of an engine's whole image, which is and stays in the general layout. */
struct fovea_vk_frame rig_frame_in_place(const struct engine_image *image);

enum rig_path {
    RIG_ENGINE_TO_ENGINE, /* copied in and out */
    RIG_MADE_TO_MADE, /* no copy */
    RIG_MADE_TO_ENGINE,
    RIG_ENGINE_TO_MADE,
    RIG_ENGINE_IN_PLACE,
    RIG_MADE_IN_PLACE,
    RIG_SEEN_TO_SEEN, /* the engine's, with views for kernels */
    RIG_SEEN_TO_ENGINE,
    RIG_ENGINE_TO_SEEN,
    RIG_SEEN_IN_PLACE,
    RIG_PATH_COUNT,
};

/* Whose images a path takes. */
enum rig_owner { RIG_ENGINES, RIG_MADE, RIG_SEEN };
enum rig_owner rig_src(enum rig_path path);
enum rig_owner rig_dst(enum rig_path path);
bool rig_in_place(enum rig_path path);

const char *rig_path_name(enum rig_path path);

/* One frame, waiting: src goes in, what comes out is in dst (both packed, of the size and pixel
 * format of `format`). Fails the test if src's image changed on a path that is not in place. */
enum fovea_result rig_frame(struct rig *rig, enum rig_path path, VkFormat format,
                            const struct fovea_image *src, struct fovea_gaze gaze,
                            const struct fovea_image *dst);

/* Frames of rig_frame have these from now on; none in the beginning. */
void rig_set_sigmas(struct fovea_vk_sigmas sigmas);
void rig_set_depth(struct fovea_vk_depth depth);
void rig_set_others(const struct fovea_point_uv *places, uint32_t count);

/* A frame of no semaphores, by fovea_vk_foveate or, if that is the backend, fovea_vk_record. */
enum fovea_result rig_foveate(struct rig *rig, const struct fovea_vk_frame *frame);

enum fovea_format rig_pixel_format(VkFormat format);
