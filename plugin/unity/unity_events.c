/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The functions that Unity's render thread calls, in the order of a frame's events. */

#include "unity.h"

#include "plugin/engine/frustum.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Unity keeps the texture in this layout, with these uses, from BEGIN to END. */
#define LAYOUT VK_IMAGE_LAYOUT_GENERAL
#define STAGES (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT)
#define ACCESS                                                                                     \
    (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |        \
     VK_ACCESS_TRANSFER_WRITE_BIT)
#define USAGE (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)

static struct unity_device device;
static _Atomic int32_t event_base = -1;

/* ---- What scripts hand over ---- */

static bool take_block(const void *data, struct fovea_unity_block *out_block)
{
    const struct fovea_unity_block *given = data;
    if (!given || given->struct_bytes < FOVEA_UNITY_LEAST_BYTES ||
        given->version != FOVEA_UNITY_VERSION || given->camera == 0 || given->eyes < 1 ||
        given->eyes > FOVEA_UNITY_EYES) {
        unity_camera_trouble(NULL, UNITY_TROUBLE_BLOCK,
                             "a frame's data are not as this plugin knows them: the scripts and "
                             "libGfxPluginFovea.so are of different versions of the package");
        return false;
    }
    const size_t bytes = given->struct_bytes < sizeof *given ? given->struct_bytes : sizeof *given;
    memset(out_block, 0, sizeof *out_block);
    memcpy(out_block, given, bytes);
    return true;
}

/* ---- Unity's image ---- */

static bool image_fits(struct unity_camera *camera, const struct fovea_unity_block *block,
                       const struct unity_vulkan_image *image)
{
    const char *wrong = NULL;
    if (image->samples != VK_SAMPLE_COUNT_1_BIT) {
        wrong = "it is multisampled: foveate after it has been resolved";
    } else if ((image->usage & USAGE) != USAGE) {
        wrong = "Unity made it without TRANSFER_SRC and TRANSFER_DST";
    } else if (image->layers < (int)block->eyes) {
        wrong = "it has a single layer, and there are two eyes";
    } else if (block->width_px > image->extent.width || block->height_px > image->extent.height) {
        wrong = "the picture is larger than it";
    }
    if (wrong) {
        unity_camera_trouble(camera, UNITY_TROUBLE_IMAGE,
                             "a texture of %ux%u cannot be foveated: %s", image->extent.width,
                             image->extent.height, wrong);
    }
    return !wrong;
}

static bool access_texture(const struct fovea_unity_block *block,
                           struct unity_vulkan_image *out_image)
{
    memset(out_image, 0, sizeof *out_image);
    return block->texture &&
           device.vulkan->access_texture(block->texture, NULL, LAYOUT, STAGES, ACCESS,
                                         UNITY_ACCESS_PIPELINE_BARRIER, out_image) &&
           out_image->image;
}

/* The camera, with its image in LAYOUT; NULL: nothing can be done in this frame. */
static struct unity_camera *begin(const struct fovea_unity_block *block,
                                  struct unity_vulkan_recording_state *out_state)
{
    struct unity_camera *camera = unity_camera_find(block->camera, true);
    if (!camera) {
        unity_camera_trouble(NULL, UNITY_TROUBLE_CAMERAS,
                             "there are more cameras than Fovea keeps: some are not foveated");
        return NULL;
    }
    camera->begun = false;
    if (!access_texture(block, &camera->image)) {
        unity_camera_trouble(camera, UNITY_TROUBLE_TEXTURE,
                             "Unity gives no Vulkan image for a camera's texture: its frames stay "
                             "as they are");
        return NULL;
    }
    unity_depth_access(camera, &device, block);
    if (!device.vulkan->command_recording_state(out_state, UNITY_QUEUE_DONT_CARE) ||
        !out_state->command_buffer) {
        unity_camera_trouble(camera, UNITY_TROUBLE_COMMANDS,
                             "Unity has no commands to record into: frames stay as they are");
        return NULL;
    }
    camera->frame = out_state->current_frame_number;
    unity_cameras_sweep(out_state->current_frame_number, out_state->safe_frame_number);
    return image_fits(camera, block, &camera->image) ? camera : NULL;
}

/* ---- The frame ---- */

static struct fovea_gaze gaze_of(const struct fovea_unity_block *block, uint32_t eye,
                                 uint32_t width_px, uint32_t height_px)
{
    struct fovea_gaze gaze = {.point = {block->eye[eye].x_uv, block->eye[eye].y_uv},
                              .usable = block->eye[eye].usable != 0};
    if (block->flags & FOVEA_UNITY_GAZE_OF_SOURCE) {
        gaze = unity_settings_gaze(width_px, height_px);
        if (block->flags & FOVEA_UNITY_BOTTOM_UP) {
            gaze.point.y_uv = 1.0 - gaze.point.y_uv;
        }
    }
    return gaze;
}

/* Rows count from the upper edge, as far as Fovea knows. */
static bool geometry_of(const struct fovea_unity_block *block, uint32_t eye,
                        struct fovea_geometry *out_geometry)
{
    const float *t = block->eye[eye].tangents;
    const bool bottom_up = block->flags & FOVEA_UNITY_BOTTOM_UP;
    const double tangents[4] = {(double)t[0], (double)t[1], (double)t[bottom_up ? 3 : 2],
                                (double)t[bottom_up ? 2 : 3]};
    *out_geometry = (struct fovea_geometry){0};
    return frustum_geometry(tangents, out_geometry); /* four times 0 is none */
}

/* Whose eye a view is; 0: nobody's, and the settings say whose map it takes. */
static enum fovea_map_eye eye_of(const struct fovea_unity_block *block, uint32_t view)
{
    const bool left = block->eyes == 2 ? view == 0 : block->flags & FOVEA_UNITY_LEFT_EYE;
    const bool right = block->eyes == 2 ? view == 1 : block->flags & FOVEA_UNITY_RIGHT_EYE;
    return left ? FOVEA_MAP_EYE_LEFT : right ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_BOTH;
}

static double strength_of(const struct fovea_unity_block *block)
{
    const bool given = (block->flags & FOVEA_UNITY_STRENGTH) && block->strength >= 0.0;
    return !given ? -1.0 : block->strength < 8.0 ? block->strength : 8.0;
}

struct frame {
    struct fovea_vk_frame vk;
    struct fovea_vk_view views[FOVEA_UNITY_EYES];
    struct fovea_geometry geometry[FOVEA_UNITY_EYES];
    struct fovea_depth depths[FOVEA_UNITY_EYES];
};

static void describe(const struct unity_camera *camera, const struct fovea_unity_block *block,
                     struct frame *out_frame)
{
    const struct unity_vulkan_image *image = &camera->image;
    const uint32_t width_px = block->width_px ? block->width_px : image->extent.width;
    const uint32_t height_px = block->height_px ? block->height_px : image->extent.height;
    memset(out_frame, 0, sizeof *out_frame);
    fovea_vk_frame_init(&out_frame->vk);
    out_frame->vk.src = (struct fovea_vk_frame_target){.image = image->image,
                                                       .format = image->format,
                                                       .width_px = image->extent.width,
                                                       .height_px = image->extent.height,
                                                       .layout_before = LAYOUT,
                                                       .layout_after = LAYOUT,
                                                       .queue_family = VK_QUEUE_FAMILY_IGNORED,
                                                       .layer_count = (uint32_t)image->layers};
    out_frame->vk.dst = out_frame->vk.src;
    out_frame->vk.views = out_frame->views;
    out_frame->vk.view_count = block->eyes;
    for (uint32_t i = 0; i < block->eyes; i++) {
        struct fovea_vk_view *view = &out_frame->views[i];
        fovea_vk_view_init(view);
        view->width_px = width_px;
        view->height_px = height_px;
        view->layer = i;
        view->gaze = gaze_of(block, i, width_px, height_px);
        view->eye = eye_of(block, i);
        if (geometry_of(block, i, &out_frame->geometry[i])) {
            view->geometry = &out_frame->geometry[i];
        }
        unity_depth_describe(camera, block, &out_frame->depths[i], view);
    }
    if (block->flags & FOVEA_UNITY_GAZE_OF_SOURCE) {
        out_frame->vk.vergence_m = unity_settings_vergence_m();
    }
}

/* Scripts' own gazes need no source. */
static void show(const struct unity_camera *camera, const struct fovea_unity_block *block)
{
    if (block->flags & FOVEA_UNITY_GAZE_OF_SOURCE) {
        unity_settings_show(camera->fovea, block->flags & FOVEA_UNITY_BOTTOM_UP);
    }
}

static void conclude(struct unity_camera *camera, enum fovea_result result)
{
    if (result == FOVEA_NOT_READY) {
        unity_camera_trouble(camera, UNITY_TROUBLE_BUSY,
                             "the GPU has more frames of a camera than Fovea keeps: some stay as "
                             "they are");
    } else if (result >= 0) {
        said_clear(&camera->said);
        unity_camera_count(camera);
    } else if (result == FOVEA_ERROR_OUT_OF_MEMORY) {
        unity_camera_lacks_memory(camera);
    } else if (result == FOVEA_ERROR_FRAME_LOST || result == FOVEA_ERROR_DEVICE_LOST) {
        unity_camera_trouble(camera, UNITY_TROUBLE_FRAME,
                             "a frame was lost (%s): this camera is not foveated any more until "
                             "settings are set",
                             fovea_result_name(result));
    }
}

/* ---- Events ---- */

static void on_begin(const struct fovea_unity_block *block)
{
    struct unity_vulkan_recording_state state = {0};
    struct unity_camera *camera = begin(block, &state);
    if (camera) {
        camera->begun = true;
    }
}

static void on_queue(const struct fovea_unity_block *block)
{
    struct unity_camera *camera = unity_camera_find(block->camera, false);
    if (!camera || !camera->begun ||
        !unity_camera_prepare(camera, &device, true, strength_of(block))) {
        return;
    }
    struct frame frame;
    show(camera, block);
    describe(camera, block, &frame);
    conclude(camera, fovea_vk_foveate(camera->fovea, &frame.vk));
}

static void on_end(const struct fovea_unity_block *block)
{
    struct unity_camera *camera = unity_camera_find(block->camera, false);
    if (camera && camera->begun) {
        (void)access_texture(block, &camera->image);
        camera->begun = false;
    }
}

static void on_record(const struct fovea_unity_block *block)
{
    struct unity_vulkan_recording_state state = {0};
    struct unity_camera *camera = begin(block, &state);
    if (!camera || !unity_camera_prepare(camera, &device, false, strength_of(block))) {
        return;
    }
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                                 .commands = state.command_buffer,
                                                 .frame = state.current_frame_number,
                                                 .finished_frame = state.safe_frame_number};
    struct frame frame;
    show(camera, block);
    describe(camera, block, &frame);
    conclude(camera, fovea_vk_record(camera->fovea, &frame.vk, &recording));
}

static void on_release(const struct fovea_unity_block *block)
{
    struct unity_vulkan_recording_state state = {0};
    struct unity_camera *camera = unity_camera_find(block->camera, false);
    if (camera) {
        unity_camera_release(camera);
    }
    if (device.vulkan->command_recording_state(&state, UNITY_QUEUE_DONT_CARE)) {
        unity_cameras_sweep(state.current_frame_number, state.safe_frame_number);
    }
}

/* Unity may call the event that takes the queue on another thread than the others, in turn with
 * them: nobody waits here but an event that comes while the device goes. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void on_event(int event, void *data)
{
    static void (*const functions[FOVEA_UNITY_EVENT_COUNT])(const struct fovea_unity_block *) = {
        [FOVEA_UNITY_BEGIN] = on_begin,
        [FOVEA_UNITY_QUEUE] = on_queue,
        [FOVEA_UNITY_END] = on_end,
        [FOVEA_UNITY_RECORD] = on_record,
        [FOVEA_UNITY_RELEASE] = on_release};
    const int which = event - event_base;
    struct fovea_unity_block block;
    pthread_mutex_lock(&turn);
    if (device.vulkan && which >= 0 && which < FOVEA_UNITY_EVENT_COUNT &&
        take_block(data, &block)) {
        functions[which](&block);
    }
    pthread_mutex_unlock(&turn);
}

UNITY_EXPORT void *fovea_unity_event_function(void)
{
    unity_event_and_data_fn function = on_event;
    void *pointer = NULL;
    memcpy(&pointer, &function, sizeof pointer);
    return pointer;
}

UNITY_EXPORT int32_t fovea_unity_event_base(void)
{
    return event_base;
}

static atomic_bool shares; /* CUDA may have Unity's images */

UNITY_EXPORT int32_t fovea_unity_uses_queue(void)
{
    const enum fovea_backend backend = unity_settings_backend();
    return backend == FOVEA_BACKEND_CPU || (backend == FOVEA_BACKEND_CUDA && shares);
}

UNITY_EXPORT int32_t fovea_unity_needs_depth(void)
{
    return unity_settings_need_depth();
}

/* ---- Unity's device ---- */

void unity_events_start(const struct unity_device *made, int base)
{
    pthread_mutex_lock(&turn);
    device = *made;
    unity_depths_start(made);
    shares = unity_intercept_saw(made->made.device);
    event_base = base;
    pthread_mutex_unlock(&turn);
}

/* Unity destroys the device after this, so that nothing is on its queues that could go on. */
void unity_events_stop(void)
{
    pthread_mutex_lock(&turn);
    PFN_vkDeviceWaitIdle wait_idle = (PFN_vkDeviceWaitIdle)device.made.get_instance_proc_addr(
        device.made.instance, "vkDeviceWaitIdle");
    if (wait_idle) {
        (void)wait_idle(device.made.device);
    }
    unity_cameras_end();
    unity_intercept_forget(device.made.device);
    shares = false;
    event_base = -1;
    device.vulkan = NULL;
    pthread_mutex_unlock(&turn);
}
