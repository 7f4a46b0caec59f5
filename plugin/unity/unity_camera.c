/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "unity.h"

#include "plugin/frame/create/frame_settings.h"

#include <pthread.h>
#include <stdatomic.h>

#define CAMERAS 16
#define RETIRED 32
#define FORGOTTEN_AFTER 600 /* frames without this camera */
#define STATS_EVERY 30
#define RETRY_AFTER 30 /* frames without memory for a context */
/* Unity's safe frame is two to four behind, and a camera may be drawn several times in each. */
#define FRAMES_IN_FLIGHT 16

static struct unity_camera cameras[CAMERAS];
static uint64_t newest; /* the last frame of any camera */
static struct fovea_vk *retired[RETIRED];
static uint64_t retired_frames[RETIRED]; /* the last that has used it */

/* The figures of the cameras that scripts may read. */
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t stats_ids[CAMERAS]; /* 0, without the lock: that camera is gone */
static struct fovea_unity_stats stats[CAMERAS];

/* ---- Troubles ---- */

static struct said said_of_none;

struct said *unity_camera_said(struct unity_camera *camera)
{
    return camera ? &camera->said : &said_of_none;
}

void unity_camera_lacks_memory(struct unity_camera *camera)
{
    unity_camera_trouble(camera, UNITY_TROUBLE_MEMORY,
                         "there is no memory for a camera's frames: they stay as they are until "
                         "there is some");
}

/* ---- The table ---- */

struct unity_camera *unity_camera_find(uint64_t id, bool make)
{
    struct unity_camera *vacant = NULL;
    for (int i = 0; i < CAMERAS; i++) {
        if (cameras[i].id == id) {
            /* Also where nothing comes of its frame: it would be forgotten, and complain anew. */
            cameras[i].frame = make ? newest : cameras[i].frame;
            return &cameras[i];
        }
        vacant = cameras[i].id == 0 && !vacant ? &cameras[i] : vacant;
    }
    if (!make || !vacant) {
        return NULL;
    }
    *vacant = (struct unity_camera){.id = id, .frame = newest};
    return vacant;
}

/* False: too many are waiting for the GPU, and this one stays. */
static bool retire(struct unity_camera *camera)
{
    for (int i = 0; camera->fovea && i < RETIRED; i++) {
        if (!retired[i]) {
            retired[i] = camera->fovea;
            retired_frames[i] = camera->frame;
            camera->fovea = NULL;
        }
    }
    return !camera->fovea;
}

void unity_camera_release(struct unity_camera *camera)
{
    const bool released = unity_depth_release(camera);
    if (retire(camera) && released) {
        atomic_store(&stats_ids[camera - cameras], 0);
        *camera = (struct unity_camera){0};
    }
}

void unity_cameras_sweep(uint64_t frame, uint64_t finished_frame)
{
    for (int i = 0; i < RETIRED; i++) {
        if (retired[i] && retired_frames[i] <= finished_frame) {
            fovea_vk_destroy(&retired[i]);
        }
    }
    unity_depths_sweep(finished_frame);
    newest = frame;
    for (int i = 0; i < CAMERAS; i++) {
        if (cameras[i].frame == 0) {
            cameras[i].frame = frame; /* it came before any frame had a number */
        } else if (cameras[i].id && cameras[i].frame + FORGOTTEN_AFTER < frame) {
            unity_camera_release(&cameras[i]);
        }
    }
}

void unity_cameras_end(void)
{
    for (int i = 0; i < CAMERAS; i++) {
        fovea_vk_destroy(&cameras[i].fovea);
        unity_depths_sweep(UINT64_MAX);
        (void)unity_depth_release(&cameras[i]);
        atomic_store(&stats_ids[i], 0);
        cameras[i] = (struct unity_camera){0};
    }
    for (int i = 0; i < RETIRED; i++) {
        fovea_vk_destroy(&retired[i]);
    }
    unity_depths_sweep(UINT64_MAX);
    said_clear(&said_of_none);
    newest = 0;
}

/* ---- Contexts ---- */

static struct fovea_settings made_with[CAMERAS];
/* Contexts that are tried again are quiet: the first try has said it. */
static atomic_bool quiet[CAMERAS];

static void say(void *user, enum fovea_log_level level, const char *message)
{
    if (!atomic_load((const atomic_bool *)user)) {
        unity_say(level, "%s", message);
    }
}

/* Recorded frames need compute shaders alone, and CUDA needs a device that was made for it. */
static void choose_backend(struct fovea_settings *settings, bool by_queue, bool saw)
{
    const bool cuda = settings->backend == FOVEA_BACKEND_CUDA;
    if (by_queue && (saw || !cuda)) {
        return;
    }
    if (cuda && !saw) {
        unity_camera_trouble(
            NULL, UNITY_TROUBLE_CUDA,
            "Unity's Vulkan device was not made for CUDA, and the vulkan backend is used: the "
            "plugin needs \"Load on startup\", and the editor a restart after it was "
            "imported");
    }
    settings->backend = FOVEA_BACKEND_VULKAN;
}

static void create(struct unity_camera *camera, const struct unity_device *device,
                   const struct fovea_settings *settings)
{
    atomic_bool *is_quiet = &quiet[camera - cameras];
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = device->made.instance;
    desc.physical_device = device->made.physical_device;
    desc.device = device->made.device;
    desc.get_instance_proc_addr = device->made.get_instance_proc_addr;
    desc.queue = device->made.graphics_queue;
    desc.queue_family = device->made.queue_family_index;
    desc.frames_in_flight = FRAMES_IN_FLIGHT;
    desc.log = unity_log();
    desc.log.fn = say;
    desc.log.user = is_quiet;
    (void)unity_intercept_describe(device->made.device, &desc);
    desc.settings = settings;
    const bool tries_again = camera->lacks_memory;
    atomic_store(is_quiet, tries_again);
    const enum fovea_result result = fovea_vk_create(&desc, &camera->fovea);
    atomic_store(is_quiet, false);
    if (result < 0) {
        camera->fovea = NULL; /* other settings are tried */
    }
    camera->lacks_memory = result == FOVEA_ERROR_OUT_OF_MEMORY;
    if (tries_again && result < 0 && !camera->lacks_memory) {
        unity_say(FOVEA_LOG_ERROR, "there is memory for a camera again, but no context: %s",
                  fovea_result_name(result));
    }
    camera->until_retry = RETRY_AFTER;
    if (camera->lacks_memory) {
        unity_camera_lacks_memory(camera);
    }
}

/* A context that refuses settings keeps those it has. False: there was no memory for them, or the
 * GPU is not done with former contexts; the next frame asks again. */
static bool bring_up_to_date(struct unity_camera *camera, const struct unity_device *device,
                             const struct fovea_settings *settings, bool by_queue)
{
    struct fovea_settings *made = &made_with[camera - cameras];
    if (camera->fovea && camera->by_queue == by_queue && frame_settings_fit(made, settings)) {
        return fovea_vk_set_settings(camera->fovea, settings) != FOVEA_ERROR_OUT_OF_MEMORY;
    }
    if (!retire(camera)) {
        return false;
    }
    camera->by_queue = by_queue;
    *made = *settings;
    create(camera, device, settings);
    return true;
}

/* The camera has no context of these settings yet, or had no memory for one. */
static bool is_due(struct unity_camera *camera, const struct engine_settings *now, bool by_queue,
                   double strength)
{
    if (camera->serial != now->serial || camera->by_queue != by_queue ||
        camera->strength != strength) {
        camera->lacks_memory = false;
        return true;
    }
    return camera->lacks_memory && camera->until_retry-- == 0;
}

bool unity_camera_prepare(struct unity_camera *camera, const struct unity_device *device,
                          bool by_queue, double strength)
{
    const struct engine_settings *now = unity_settings_take();
    if (now && is_due(camera, now, by_queue, strength)) {
        struct fovea_settings own = now->asked;
        if (strength >= 0) {
            own.foveation.strength = strength;
        }
        choose_backend(&own, by_queue, unity_intercept_saw(device->made.device));
        if (bring_up_to_date(camera, device, &own, by_queue)) {
            camera->serial = now->serial;
            camera->strength = strength;
        }
    }
    return camera->fovea != NULL;
}

/* ---- Stats ---- */

void unity_camera_count(struct unity_camera *camera)
{
    struct fovea_vk_stats now;
    fovea_vk_stats_init(&now);
    if (camera->until_stats > 0) {
        camera->until_stats--;
        return;
    }
    if (!camera->fovea || fovea_vk_get_stats(camera->fovea, &now) < 0 ||
        pthread_mutex_trylock(&stats_lock) != 0) {
        return;
    }
    camera->until_stats = STATS_EVERY - 1;
    stats_ids[camera - cameras] = camera->id;
    stats[camera - cameras] =
        (struct fovea_unity_stats){.struct_bytes = sizeof(struct fovea_unity_stats),
                                   .backend = (int32_t)now.backend,
                                   .frames = now.frames,
                                   .frames_passed_through = now.frames_passed_through,
                                   .gpu_p50_us = now.gpu_time_known ? now.gpu_p50_us : 0.0,
                                   .cpu_p50_us = now.cpu_p50_us};
    pthread_mutex_unlock(&stats_lock);
}

UNITY_EXPORT int32_t fovea_unity_get_stats(uint64_t camera, struct fovea_unity_stats *out_stats)
{
    if (!out_stats || out_stats->struct_bytes < sizeof *out_stats || camera == 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    int32_t result = FOVEA_NOT_READY;
    pthread_mutex_lock(&stats_lock);
    for (int i = 0; i < CAMERAS; i++) {
        if (stats_ids[i] == camera) {
            *out_stats = stats[i];
            result = FOVEA_OK;
        }
    }
    pthread_mutex_unlock(&stats_lock);
    return result;
}
