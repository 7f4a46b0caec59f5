/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/layer/layer.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"

#include <stdlib.h>

#define MIN_FRAMES_IN_FLIGHT                                                                       \
    8 /* the next swapchain may have more images than the one it is made for */
#define MAX_FRAMES_IN_FLIGHT 32 /* fovea_vulkan.h has no more */
#define FRAMES_A_LOOK 32
/* Pipelines may be made in vain by then, which takes some frames' time. */
#define RETRY_NS INT64_C(2000000000)
#define MAX_CONTEXTS 4 /* of a swapchain; programs present from one queue, a few from two */

/* The next one of a window that is resized is told of if it is seen in another way. */
static void describe(struct layer_context *context, const struct layer_swapchain *swapchain)
{
    const struct layer_seen seen = {swapchain->format, swapchain->color_space,
                                    swapchain->raw_views != NULL};
    if (context->seen.format == seen.format && context->seen.color_space == seen.color_space &&
        context->seen.by_kernels == seen.by_kernels) {
        return;
    }
    context->seen = seen;
    log_info(layer_log(), "swapchain of %u images, %ux%u, VkFormat %d, colour space %d, %s",
             swapchain->image_count, swapchain->width_px, swapchain->height_px,
             (int)swapchain->format, (int)swapchain->color_space,
             swapchain->raw_views ? "seen by kernels" : "copied by vkCmdCopyImage");
}

/* A program's first frame must not wait for a measurement that takes seconds: where a CPU draws it
 * is known that threads are faster than shaders. On a GPU measuring takes a tenth of a second,
 * once. */
static bool is_slow_to_measure(const struct layer_device *device)
{
    VkPhysicalDeviceProperties properties;
    device->instance->vk.GetPhysicalDeviceProperties(device->physical, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* A frame for each image may be unfinished. One without a place is shown as it was drawn, which
 * flickers where those around it are foveated. */
static uint32_t frames_in_flight(const struct layer_swapchain *swapchain)
{
    const uint32_t images = swapchain->image_count;
    return images < MIN_FRAMES_IN_FLIGHT   ? MIN_FRAMES_IN_FLIGHT
           : images > MAX_FRAMES_IN_FLIGHT ? MAX_FRAMES_IN_FLIGHT
                                           : images;
}

/* Memory may be there again before the settings are others. That it lacks is said once for these
 * settings. */
static _Thread_local bool hushed;

static void write_line(void *user, enum fovea_log_level level, const char *message)
{
    const struct fovea_log log = layer_log();
    if (level != FOVEA_LOG_ERROR || !hushed) {
        log.fn(user, level, message);
    }
}

static void note_lack(struct layer_context *context, enum fovea_result result, bool is_again)
{
    const bool is_memory = result == FOVEA_ERROR_OUT_OF_MEMORY;
    if (!is_memory || !is_again) {
        log_error(layer_log(), "frames are presented as they are: %s", fovea_result_name(result));
    }
    context->again_ns = is_memory ? fovea_time_ns() + RETRY_NS : 0;
}

static void make_fovea(struct layer_context *context, const struct layer_swapchain *swapchain,
                       const struct layer_queue *queue)
{
    const struct layer_device *device = swapchain->device;
    struct fovea_settings *settings = &context->settings;
    const uint64_t former = context->settings_serial;
    context->settings_serial = layer_session_settings(swapchain->color_space, settings);
    const bool is_again = context->again_ns != 0 && context->settings_serial == former;
    context->again_ns = 0;
    if (settings->layer.frozen && settings->backend == FOVEA_BACKEND_AUTO) {
        context->fovea = NULL; /* it may choose another the next time */
        log_error(layer_log(), "frames are presented as they are: layer.frozen needs the name of "
                               "a backend, as in backend=vulkan");
        return;
    }
    if (settings->backend_measure == FOVEA_MEASURE_CACHED && is_slow_to_measure(device)) {
        settings->backend_measure = FOVEA_MEASURE_NEVER;
    }
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = device->instance->handle;
    desc.physical_device = device->physical;
    desc.device = device->handle;
    desc.get_instance_proc_addr = layer_proc_addr_for_fovea;
    desc.queue = queue->handle;
    desc.queue_family = queue->family;
    desc.device_extensions = device->extensions;
    desc.device_extension_count = device->extension_count;
    desc.timeline_semaphore = device->timeline;
    desc.frames_in_flight = context->frames_in_flight;
    desc.settings = settings;
    desc.log = layer_log();
    desc.log.fn = write_line;
    hushed = is_again;
    const enum fovea_result result = fovea_vk_create(&desc, &context->fovea);
    hushed = false;
    if (result < 0) {
        context->fovea = NULL;
        note_lack(context, result, is_again);
        return;
    }
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    context->is_signalled_by_host = fovea_vk_get_stats(context->fovea, &stats) == FOVEA_OK &&
                                    stats.backend == FOVEA_BACKEND_CPU;
}

static void free_context(const struct layer_device *device, struct layer_context *context)
{
    fovea_vk_destroy(&context->fovea);
    layer_gather_finish(device, context);
    free(context);
}

/* Asking sorts times, so not every frame does. */
static bool is_another_seen(struct layer_context *context)
{
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    if (context->frames_until_look > 0) {
        context->frames_until_look--;
        return false;
    }
    context->frames_until_look = FRAMES_A_LOOK - 1;
    return fovea_vk_get_stats(context->fovea, &stats) == FOVEA_OK &&
           stats.backend != context->settings.backend;
}

/* Shaders make the frames after one whose backend was lost, and have none to be lost to. */
bool layer_context_is_as_named(struct layer_device *device, struct layer_context *context)
{
    const enum fovea_backend named = context->settings.backend;
    if (!context->settings.layer.frozen || named == FOVEA_BACKEND_VULKAN) {
        return true;
    }
    if (!atomic_load(&device->backend_lost) && is_another_seen(context) &&
        !atomic_exchange(&device->backend_lost, true)) {
        log_error(layer_log(),
                  "layer.frozen: the %s backend is lost, and frames are presented as they are "
                  "from here on",
                  fovea_backend_name(named));
    }
    return !atomic_load(&device->backend_lost);
}

/* One that a former swapchain has left, or a new one. A former one may have been of another colour
 * space, or have places for fewer frames; it is idle. One that could not be had is not tried and
 * told of again before is_there_now() says so. */
static struct layer_context *get(const struct layer_swapchain *swapchain,
                                 const struct layer_queue *queue)
{
    const uint64_t serial = layer_session_settings(swapchain->color_space, NULL);
    struct layer_context *context = layer_registry_take_spare(swapchain->device, queue->handle);
    if (context && context->fovea && context->frames_in_flight >= frames_in_flight(swapchain)) {
        context->settings_serial = 0;
        return context;
    }
    if (context && !context->fovea && context->settings_serial == serial) {
        context->frames_in_flight = frames_in_flight(swapchain);
        return context;
    }
    if (context) {
        free_context(swapchain->device, context);
    }
    context = calloc(1, sizeof *context);
    if (context) {
        context->queue = queue->handle;
        context->queue_family = queue->family;
        context->frames_in_flight = frames_in_flight(swapchain);
        make_fovea(context, swapchain, queue);
    }
    return context;
}

/* A context whose settings could not be taken, as without the picture of a map, is tried again with
 * the next ones; one without memory every two seconds, too. */
static bool is_there_now(struct layer_context *context, const struct layer_swapchain *swapchain,
                         const struct layer_queue *queue)
{
    if (context->settings_serial != layer_session_settings(swapchain->color_space, NULL) ||
        (context->again_ns != 0 && fovea_time_ns() >= context->again_ns)) {
        make_fovea(context, swapchain, queue);
    }
    return context->fovea;
}

struct layer_context *layer_context_find(struct layer_swapchain *swapchain,
                                         const struct layer_queue *queue)
{
    uint32_t count = 0;
    for (struct layer_context *c = swapchain->contexts; c; c = c->next) {
        if (c->queue == queue->handle) {
            return c->fovea || is_there_now(c, swapchain, queue) ? c : NULL;
        }
        count++;
    }
    if (count == MAX_CONTEXTS) {
        layer_say_once(swapchain->device, LAYER_SAID_CONTEXTS,
                       "their swapchain is presented from more than four queues");
        return NULL;
    }
    struct layer_context *context = get(swapchain, queue);
    if (!context) {
        layer_say_once(swapchain->device, LAYER_SAID_MEMORY, "there is too little memory");
        return NULL;
    }
    describe(context, swapchain);
    context->next = swapchain->contexts;
    swapchain->contexts = context;
    return context->fovea ? context : NULL;
}

/* A context outlives swapchains: its frames are counted from the last one's end, its times are of
 * its newest frames. */
static void sum_up(struct layer_context *context)
{
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    if (fovea_vk_get_stats(context->fovea, &stats) == FOVEA_OK &&
        stats.frames > context->frames_said) {
        char late[48] = "";
        if (stats.late_age_p50_ms > 0.0) {
            snprintf(late, sizeof late, "; late gazes of %.1f ms p50", stats.late_age_p50_ms);
        }
        log_info(layer_log(),
                 "%llu frames foveated, %llu passed through; %s backend, sync %s; %s %.1f us "
                 "p50, %.1f p99; presenting thread %.1f us p50, %.1f p99%s",
                 (unsigned long long)(stats.frames - context->frames_said),
                 (unsigned long long)(stats.frames_passed_through - context->passed_said),
                 fovea_backend_name(stats.backend), stats.sync,
                 stats.gpu_is_cpu ? "CPU cores" : "GPU", stats.gpu_p50_us, stats.gpu_p99_us,
                 stats.cpu_p50_us, stats.cpu_p99_us, late);
        context->frames_said = stats.frames;
        context->passed_said = stats.frames_passed_through;
    }
}

/* One a queue; any that works is better than one that could not be had. */
static void keep_spare(struct layer_device *device, struct layer_context *context)
{
    struct layer_context *former = layer_registry_take_spare(device, context->queue);
    struct layer_context *worse = former;
    if (former && former->fovea && !context->fovea) {
        worse = context;
        context = former;
    }
    if (worse) {
        free_context(device, worse);
    }
    layer_registry_add_spare(device, context);
}

void layer_contexts_leave(struct layer_swapchain *swapchain)
{
    while (swapchain->contexts) {
        struct layer_context *context = swapchain->contexts;
        swapchain->contexts = context->next;
        if (context->fovea) {
            layer_session_part(context);
            fovea_vk_wait(context->fovea);
            sum_up(context);
        }
        if (context->fovea && swapchain->failed) {
            free_context(swapchain->device, context);
        } else {
            keep_spare(swapchain->device, context);
        }
    }
}

void layer_contexts_finish(struct layer_device *device)
{
    struct layer_context *context;
    while ((context = layer_registry_take_spare(device, VK_NULL_HANDLE)) != NULL) {
        free_context(device, context);
    }
}
