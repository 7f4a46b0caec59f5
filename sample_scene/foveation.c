/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "foveation.h"

#include "values.h"

#include <math.h>
#include <stdlib.h>

struct foveation {
    struct fovea_vk *fovea;
    bool taken; /* the newest frame was */
    bool failing; /* so that a failure is told once, and not each frame */
    uint64_t failed_frames;
};

/* Why has been logged: by the settings, or by the backend. */
static void say_refusal(enum fovea_result result, const struct fovea_settings *settings)
{
    if (result == FOVEA_ERROR_IO || result == FOVEA_ERROR_CONFIG ||
        result == FOVEA_ERROR_INVALID_ARGUMENT) {
        say_error("the settings cannot be taken: %s", fovea_result_name(result));
    } else {
        say_error("Fovea cannot run the %s backend on this device: %s",
                  value_words(settings, "backend").text, fovea_result_name(result));
    }
}

/* Gazes come here over the drawn picture. Late ones come as their source says them, so that where
 * that is another picture there are none. NULL: out of memory. */
static struct fovea_settings *with_drawn_gazes(const struct fovea_settings *settings)
{
    struct fovea_settings *drawn = NULL;
    if (fovea_settings_copy(settings, &drawn) < 0) {
        return NULL;
    }
    if (value_is(drawn, "gaze.over", "shown") && !value_is(drawn, "gaze.source", "mouse")) {
        value_set(drawn, "gaze.late", "false");
    }
    value_set(drawn, "gaze.over", "drawn");
    return drawn;
}

bool foveation_create(const struct gpu *gpu, const struct fovea_settings *settings,
                      uint32_t frames_in_flight, struct foveation **out_foveation)
{
    *out_foveation = NULL;
    struct fovea_settings *drawn = with_drawn_gazes(settings);
    struct foveation *foveation = drawn ? calloc(1, sizeof *foveation) : NULL;
    if (!foveation) {
        say_error("out of memory");
        fovea_settings_destroy(&drawn);
        return false;
    }
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = gpu->instance;
    desc.physical_device = gpu->physical;
    desc.device = gpu->device;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.queue = gpu->queue;
    desc.queue_family = gpu->family;
    desc.device_extensions = gpu->extensions;
    desc.device_extension_count = gpu->extension_count;
    desc.timeline_semaphore = gpu->timeline_semaphore;
    desc.frames_in_flight = frames_in_flight;
    desc.settings = drawn;
    desc.log = say_log(value_log_level(settings));
    enum fovea_result result = fovea_vk_create(&desc, &foveation->fovea);
    fovea_settings_destroy(&drawn);
    if (result < 0) {
        say_refusal(result, settings);
        free(foveation);
        return false;
    }
    *out_foveation = foveation;
    return true;
}

void foveation_destroy(struct foveation **foveation)
{
    if (*foveation) {
        fovea_vk_destroy(&(*foveation)->fovea);
        free(*foveation);
        *foveation = NULL;
    }
}

bool foveation_set(struct foveation *foveation, const struct fovea_settings *settings)
{
    struct fovea_settings *drawn = with_drawn_gazes(settings);
    if (!drawn) {
        say_error("out of memory");
        return false;
    }
    enum fovea_result result = fovea_vk_set_settings(foveation->fovea, drawn);
    fovea_settings_destroy(&drawn);
    if (result < 0) {
        say_error("these settings cannot be used: %s", fovea_result_name(result));
    }
    return result >= 0;
}

void foveation_follow(struct foveation *foveation, struct fovea_gaze_source *source)
{
    enum fovea_result result = fovea_vk_follow_gaze(foveation->fovea, source);
    if (result < 0) {
        say_note("frames keep the gaze they are drawn with: %s", fovea_result_name(result));
    }
}

void foveation_show(struct foveation *foveation, struct fovea_gaze_source *source)
{
    enum fovea_result result = fovea_vk_show_frames(foveation->fovea, source, false);
    if (result < 0) {
        say_note("the gaze source sees no frames: %s", fovea_result_name(result));
    }
}

static struct fovea_vk_view view_of_eye(uint32_t eye, const struct fovea_geometry *geometry,
                                        uint32_t width_px, uint32_t height_px)
{
    struct fovea_vk_view view;
    fovea_vk_view_init(&view);
    view.width_px = width_px;
    view.height_px = height_px;
    view.geometry = geometry;
    view.eye = eye == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT;
    return view;
}

/* Frames say what is wrong with such a view; until it is right, nothing is moved. */
struct fovea_point_uv foveation_gaze_at(struct foveation *foveation, VkExtent2D extent,
                                        uint32_t eye, const struct fovea_geometry *geometry,
                                        struct fovea_point_uv place)
{
    struct fovea_vk_view view = view_of_eye(eye, geometry, extent.width, extent.height);
    struct fovea_point_uv gaze = place;
    if (!geometry) {
        view.eye = (enum fovea_map_eye)0; /* the settings' */
    }
    return fovea_vk_gaze_at(foveation->fovea, &view, place, &gaze) < 0 ? place : gaze;
}

uint64_t foveation_present(struct foveation *foveation, struct fovea_present *present)
{
    return foveation->taken ? fovea_present_begin(present, foveation->fovea, 0) : 0;
}

bool foveation_stats(const struct foveation *foveation, struct fovea_vk_stats *out_stats)
{
    fovea_vk_stats_init(out_stats);
    return fovea_vk_get_stats(foveation->fovea, out_stats) >= 0;
}

uint64_t foveation_failed_frames(const struct foveation *foveation)
{
    return foveation->failed_frames;
}

bool foveation_image_create(struct foveation *foveation, const struct fovea_vk_image_desc *desc,
                            struct foveation_image *out_image)
{
    struct fovea_vk_image *made = NULL;
    enum fovea_result result = fovea_vk_image_create(foveation->fovea, desc, &made);
    if (result < 0) {
        say_error("Fovea cannot make a %ux%u image for this engine: %s", desc->width_px,
                  desc->height_px, fovea_result_name(result));
        return false;
    }
    *out_image = (struct foveation_image){.image = fovea_vk_image_handle(made),
                                          .view = fovea_vk_image_view(made),
                                          .made = made,
                                          .format = desc->format,
                                          .extent = {desc->width_px, desc->height_px}};
    return true;
}

void foveation_image_destroy(struct foveation_image *image)
{
    if (image->made) {
        fovea_vk_image_destroy(&image->made);
        *image = (struct foveation_image){0};
    }
}

bool foveation_acquire(struct foveation_image *image)
{
    VkImageLayout layout; /* our render pass discards what was there and does not ask */
    if (!image->made || image->held) {
        return true;
    }
    enum fovea_result result = fovea_vk_image_acquire(image->made, &layout);
    image->held = result >= 0;
    if (result < 0) {
        say_error("the image for this frame cannot be had: %s", fovea_result_name(result));
    }
    return image->held;
}

static struct fovea_vk_frame_target side_of(const struct foveation_image *image,
                                            VkImageLayout before, VkImageLayout after)
{
    return (struct fovea_vk_frame_target){.made = image->made,
                                          .image = image->image,
                                          .format = image->format,
                                          .width_px = image->extent.width,
                                          .height_px = image->extent.height,
                                          .layout_before = before,
                                          .layout_after = after,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED};
}

/* Gives back an image that was shown some frames ago: nobody needs it any more, and Fovea writes to
 * it next. */
static bool release(struct foveation_image *image, VkImageLayout layout)
{
    if (!image->made || !image->held) {
        return true;
    }
    image->held = fovea_vk_image_release(image->made, layout) < 0;
    return !image->held;
}

static bool is_lost(enum fovea_result result)
{
    return result == FOVEA_ERROR_FRAME_LOST || result == FOVEA_ERROR_DEVICE_LOST;
}

static void tell(struct foveation *foveation, enum fovea_result result)
{
    if (is_lost(result)) {
        say_error("Fovea has lost a frame: %s; no more can follow", fovea_result_name(result));
    } else if (result < 0 && !foveation->failing) {
        say_error("Fovea could not take a frame: %s; frames are shown as they were drawn",
                  fovea_result_name(result));
    } else if (result >= 0 && foveation->failing) {
        say_note("frames are foveated again");
    }
    foveation->failing = result < 0;
}

static struct fovea_depth values_of(const struct foveation_depth *depth)
{
    struct fovea_depth values;
    fovea_depth_init(&values);
    values.kind = FOVEA_DEPTH_PERSPECTIVE;
    values.zero_m = (double)INFINITY;
    values.one_m = depth->near_m;
    values.elapsed_s = depth->elapsed_s;
    return values;
}

/* The part of a picture of that size which begins at x_px. */
static struct fovea_vk_depth depth_of(const struct foveation_depth *depth,
                                      const struct fovea_depth *values, uint32_t x_px,
                                      VkExtent2D extent)
{
    return (struct fovea_vk_depth){.view = depth->view,
                                   .format = depth->format,
                                   .layout = depth->layout,
                                   .x_px = x_px,
                                   .width_px = extent.width,
                                   .height_px = extent.height,
                                   .values = values};
}

/* The eyes' parts of the picture. */
static void views_of(const struct foveation_frame *frame, const struct fovea_depth *depths,
                     struct fovea_vk_view out_views[FOVEATION_MOST_EYES])
{
    for (uint32_t i = 0; i < frame->eye_count; i++) {
        const uint32_t width_px = frame->src->extent.width / frame->eye_count;
        out_views[i] =
            view_of_eye(i, &frame->eyes[i].geometry, width_px, frame->src->extent.height);
        out_views[i].x_px = i * width_px;
        out_views[i].depth = depth_of(&frame->depth, depths, i * width_px,
                                      (VkExtent2D){width_px, frame->src->extent.height});
        out_views[i].gaze = frame->eyes[i].gaze;
    }
}

/* A frame as Fovea has it, with what it points at. */
struct handed {
    struct fovea_vk_semaphore wait;
    struct fovea_vk_semaphore signal;
    struct fovea_depth depths;
    struct fovea_vk_view views[FOVEATION_MOST_EYES];
    struct fovea_vk_frame frame;
};

static void fill(struct handed *handed, const struct foveation_frame *frame)
{
    handed->wait = (struct fovea_vk_semaphore){.semaphore = frame->wait};
    handed->signal = (struct fovea_vk_semaphore){.semaphore = frame->signal};
    handed->depths = values_of(&frame->depth);
    handed->frame = (struct fovea_vk_frame){
        .struct_bytes = sizeof handed->frame,
        .src = side_of(frame->src, frame->src_layout, frame->src_layout),
        .dst = side_of(frame->dst, VK_IMAGE_LAYOUT_UNDEFINED, frame->dst_layout_after),
        .waits = &handed->wait,
        .wait_count = frame->wait ? 1 : 0,
        .signals = &handed->signal,
        .signal_count = frame->signal ? 1 : 0,
        .gaze = frame->gaze,
        .vergence_m = frame->vergence_m,
        .depth = depth_of(&frame->depth, &handed->depths, 0, frame->src->extent),
    };
    if (frame->eye_count > 0) {
        views_of(frame, &handed->depths, handed->views);
        handed->frame.views = handed->views;
        handed->frame.view_count = frame->eye_count;
    }
}

void foveation_prepare(struct foveation *foveation, const struct foveation_frame *frame)
{
    struct handed handed;
    fill(&handed, frame);
    /* Frames try again what failed, and say what is wrong. */
    const enum fovea_result prepared = fovea_vk_prepare(foveation->fovea, &handed.frame);
    (void)prepared;
}

enum foveation_outcome foveation_run(struct foveation *foveation,
                                     const struct foveation_frame *frame)
{
    struct handed handed;
    fill(&handed, frame);
    fovea_vk_set_hud_text(foveation->fovea, frame->hud, NULL);
    enum fovea_result result = release(frame->dst, frame->dst_layout_after)
                                   ? fovea_vk_foveate(foveation->fovea, &handed.frame)
                                   : FOVEA_ERROR_INVALID_STATE;
    tell(foveation, result);
    foveation->taken = result == FOVEA_OK || result == FOVEA_PASSED_THROUGH;
    if (is_lost(result)) {
        return FOVEATION_LOST;
    }
    if (result < 0 || result == FOVEA_NOT_READY) {
        foveation->failed_frames++;
        return FOVEATION_REFUSED; /* nothing changed hands: src is still the engine's */
    }
    frame->src->held = false;
    frame->dst->held = frame->dst->made != NULL;
    return FOVEATION_DONE;
}
