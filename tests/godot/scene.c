/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A viewport's frame: the buffers and the camera that an effect
 * is given. RenderData goes right after the call, and a resize gives every texture a new RID. */

#include "rd.h"
#include "resources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VIEWPORTS 4
#define SLICES_AT_MOST 128

struct slice {
    uint64_t of, rid;
    uint32_t layer;
};
struct buffers {
    uint32_t width_px, height_px, views;
    bool msaa, has_depths, depths_unread;
    uint32_t viewport;
    struct resource *color, *depth;
    struct object *object;
    struct slice slices[SLICES_AT_MOST];
};
static struct buffers viewports[VIEWPORTS];

void scene_open(void)
{
    memset(viewports, 0, sizeof viewports);
    for (uint32_t i = 0; i < VIEWPORTS; i++) {
        struct object *object = object_create_of("RenderSceneBuffersRD");
        object->of_host = true;
        the_host.counts.objects--;
        viewports[i].object = object;
        viewports[i].viewport = i;
        *(struct buffers **)object->data = &viewports[i];
    }
}

/* ---- RenderSceneBuffersRD ---- */

static struct buffers *buffers_of(const struct call *call)
{
    return *(struct buffers **)call->self->data;
}

static void forget(struct resource **texture)
{
    if (*texture) {
        rd_forget((*texture)->rid);
    }
    *texture = NULL;
}

/* The resolved depth has no depth format. */
static void create_depth(struct buffers *buffers)
{
    const int64_t read = buffers->depths_unread ? 0 : USAGE_SAMPLING;
    const struct texture_desc desc = {
        .format = buffers->msaa ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_D32_SFLOAT_S8_UINT,
        .width_px = buffers->width_px,
        .height_px = buffers->height_px,
        .layers = buffers->views,
        .mips = 1,
        .usage = read | (buffers->msaa ? USAGE_STORAGE | USAGE_COPY_TO : USAGE_DEPTH_ATTACHMENT),
        .type = buffers->views > 1 ? 4 : 1};
    buffers->depth = rd_texture_create(&desc);
    buffers->depth->of_engine = true;
}

static bool is_configured(const struct buffers *buffers, const struct host_frame *frame)
{
    return buffers->color && buffers->width_px == frame->width_px &&
           buffers->height_px == frame->height_px &&
           buffers->views == (frame->views ? frame->views : 1) && buffers->msaa == frame->msaa &&
           buffers->has_depths == (frame->depths != NULL) &&
           buffers->depths_unread == frame->depths_unread;
}

static void configure(struct buffers *buffers, const struct host_frame *frame)
{
    if (is_configured(buffers, frame)) {
        return;
    }
    const uint32_t views = frame->views ? frame->views : 1;
    forget(&buffers->color);
    forget(&buffers->depth);
    memset(buffers->slices, 0, sizeof buffers->slices);
    buffers->width_px = frame->width_px;
    buffers->height_px = frame->height_px;
    buffers->views = views;
    buffers->msaa = frame->msaa;
    buffers->has_depths = frame->depths != NULL;
    buffers->depths_unread = frame->depths_unread;
    if (frame->width_px == 0 || frame->height_px == 0) {
        return; /* while the program starts */
    }
    if (buffers->has_depths) {
        create_depth(buffers);
    }
    const bool mobile = the_host.options.mobile;
    const struct texture_desc desc = {
        .format = mobile ? VK_FORMAT_A2B10G10R10_UNORM_PACK32 : VK_FORMAT_R16G16B16A16_SFLOAT,
        .width_px = frame->width_px,
        .height_px = frame->height_px,
        .layers = views,
        .mips = 1,
        .usage = USAGE_SAMPLING | USAGE_COLOR_ATTACHMENT | USAGE_INPUT_ATTACHMENT |
                 (mobile ? 0 : USAGE_STORAGE) | (frame->msaa ? USAGE_COPY_TO : 0),
        .type = views > 1 ? 4 : 1};
    buffers->color = rd_texture_create(&desc);
    buffers->color->of_engine = true;
}

void method_get_buffers(struct call *call)
{
    struct object *object = ((struct render_data *)call->self->data)->buffers;
    object_reference(object);
    call->ret.object = object;
}

static uint64_t layer_of(struct buffers *buffers, struct resource *texture, uint32_t layer)
{
    if (layer >= texture->texture.layers) {
        engine_error("a slice outside its texture: layer %u", layer);
        return 0;
    }
    for (int i = 0; i < SLICES_AT_MOST; i++) {
        struct slice *slice = &buffers->slices[i];
        if (slice->rid == 0) {
            struct resource *made = rd_texture_share(texture, layer);
            made->of_engine = true;
            *slice = (struct slice){texture->rid, made->rid, layer};
        }
        if (slice->of == texture->rid && slice->layer == layer) {
            return slice->rid;
        }
    }
    engine_error("more slices than the host keeps");
    return 0;
}

void method_color_layer(struct call *call)
{
    struct buffers *buffers = buffers_of(call);
    if (call->args[1].b || !buffers->color) {
        engine_error("get_color_layer: multisampled, or there is no colour");
        return;
    }
    call->ret.rid = layer_of(buffers, buffers->color, (uint32_t)call->args[0].i);
}

void method_depth_layer(struct call *call)
{
    struct buffers *buffers = buffers_of(call);
    if (call->args[1].b) {
        engine_error("get_depth_layer: multisampled");
    } else if (buffers->depth) {
        call->ret.rid = layer_of(buffers, buffers->depth, (uint32_t)call->args[0].i);
    }
}

void method_buffers_size(struct call *call)
{
    const struct buffers *buffers = buffers_of(call);
    const int32_t size[2] = {(int32_t)buffers->width_px, (int32_t)buffers->height_px};
    memcpy(&call->ret, size, sizeof size);
}

void method_buffers_views(struct call *call)
{
    call->ret.i = buffers_of(call)->views;
}

void method_render_target(struct call *call)
{
    call->ret.rid = 0x7000 + buffers_of(call)->viewport;
}

/* ---- RenderSceneData ---- */

void method_get_scene_data(struct call *call)
{
    call->ret.object = ((struct render_data *)call->self->data)->scene;
}

static void set_depth_terms(const struct scene_data *scene, float c[16])
{
    const double near = HOST_NEAR_M, far = HOST_FAR_M;
    const bool flat = scene->orthographic_m > 0;
    const double scale = flat ? 1 / (far - near) : (far + near) / (far - near) / 2 - 0.5;
    const double offset = flat ? far / (far - near) : near * far / (far - near);
    c[10] = (float)scale;
    c[11] = flat ? 0 : -1;
    c[14] = (float)offset;
    c[15] = flat;
}

/* The engine's own has the sign of y turned, and z reversed from 1 to 0. */
void method_view_projection(struct call *call)
{
    const struct scene_data *scene = call->self->data;
    if (call->args[0].i < 0 || call->args[0].i >= scene->views) {
        engine_error("get_view_projection: no view %lld", (long long)call->args[0].i);
        return;
    }
    const double angle = scene->fov_y_deg * 3.14159265358979 / 360;
    const double cotangent =
        scene->orthographic_m > 0 ? 2 / scene->orthographic_m : cos(angle) / sin(angle);
    memset(call->ret.f, 0, sizeof call->ret.f); /* columns */
    call->ret.f[0] = (float)(cotangent / scene->aspect);
    call->ret.f[5] = (float)-cotangent;
    call->ret.f[8] = (float)(scene->right_tan * cotangent / scene->aspect);
    call->ret.f[9] = (float)(-scene->up_tan * cotangent);
    set_depth_terms(scene, call->ret.f);
}

/* ---- A frame ---- */

struct frame_job {
    struct object *effect;
    const struct host_frame *frame;
    bool called;
};

static bool is_due(const struct object *effect)
{
    const struct effect_data *data = effect->data;
    const uint32_t minor = the_host.options.minor;
    /* 4.4 and 4.5 keep, until the type is set, a Callable that finds no virtual. */
    return effect->extension && !data->disabled &&
           (data->type_was_set || (minor != 4 && minor != 5));
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool call_effect(struct object *effect, struct buffers *buffers,
                        const struct host_frame *frame)
{
    struct object *render_data = object_create_of("RenderData");
    struct object *scene = object_create_of("RenderSceneData");
    const struct effect_data *effect_data = effect->data;
    const int64_t type = frame->early ? 0 : effect_data->type ? effect_data->type - 1 : 4;
    *(struct render_data *)render_data->data = (struct render_data){buffers->object, scene};
    *(struct scene_data *)scene->data = (struct scene_data){
        buffers->views,
        frame->fov_y_deg > 0 ? frame->fov_y_deg : 75,
        frame->up_tan,
        frame->right_tan,
        (double)buffers->width_px / (buffers->height_px ? buffers->height_px : 1),
        frame->orthographic_m};
    const uint32_t before = buffers->object->references;
    bool called = false;
    if (the_host.options.minor >= 4) {
        const int64_t start_ns = now_ns();
        called = extension_render(effect, type, render_data);
        the_host.counts.callback_ns = now_ns() - start_ns;
    }
    object_delete(render_data);
    object_delete(scene);
    if (buffers->object->references != before) {
        engine_error("the effect keeps %u references to RenderSceneBuffers",
                     buffers->object->references - before);
    }
    return called;
}

static struct engine_image image_of(const struct resource *color)
{
    return (struct engine_image){.image = color->texture.image,
                                 .format = color->texture.format,
                                 .width_px = color->texture.width_px,
                                 .height_px = color->texture.height_px,
                                 .layer_count = color->texture.layers};
}

static void draw(struct buffers *buffers, const struct engine_image *image, const void *pixels)
{
    const VkImageLayout drawn = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    if (!pixels) {
        rd_transition(buffers->color, drawn);
        return;
    }
    engine_write_array(&the_host.engine, image, pixels, VK_IMAGE_LAYOUT_UNDEFINED, drawn);
    for (uint32_t i = 0; i < buffers->views; i++) {
        buffers->color->texture.layouts[i] = drawn;
    }
}

static void run_frame(void *user)
{
    struct frame_job *job = user;
    const struct host_frame *frame = job->frame;
    struct buffers *buffers = &viewports[frame->viewport % VIEWPORTS];
    device_end_frame(); /* the pool of commands is reset below */
    configure(buffers, frame);
    struct engine_image image = {0};
    if (buffers->color) {
        image = image_of(buffers->color);
        draw(buffers, &image, frame->pixels);
    }
    if (buffers->depth) {
        rd_texture_write(buffers->depth, frame->depths,
                         buffers->msaa ? VK_IMAGE_LAYOUT_GENERAL
                                       : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    }
    if (the_host.options.busy_px > 0) {
        engine_busy_record(&the_host.busy, rd_commands());
    }
    if (is_due(job->effect)) {
        job->called = call_effect(job->effect, buffers, frame);
        the_host.counts.callbacks += job->called;
    }
    if (buffers->color) {
        rd_transition(buffers->color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    }
    device_end_frame();
    if (buffers->color && frame->out) {
        engine_read_array(&the_host.engine, &image, frame->out,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    }
}

bool host_frame(struct object *effect, const struct host_frame *frame)
{
    struct frame_job job = {effect, frame, false};
    if (the_host.options.headless) {
        return false;
    }
    render_thread_run(run_frame, &job);
    return job.called;
}
