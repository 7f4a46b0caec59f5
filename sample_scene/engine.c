/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "engine.h"

#include "values.h"

/* Can be drawn into and copied from. */
static bool format_usable(const struct gpu *gpu, VkFormat format)
{
    const VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
                                        VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
                                        VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(gpu->physical, format, &properties);
    return (properties.optimalTilingFeatures & needed) == needed;
}

static bool choose_format(const struct gpu *gpu, const struct engine_desc *desc,
                          VkFormat *out_format)
{
    const struct pixels_format *wanted = desc->options->format;
    if (desc->format != VK_FORMAT_UNDEFINED) {
        *out_format = desc->format;
        return true;
    }
    if (wanted && !format_usable(gpu, wanted->format)) {
        say_error("--format %s: %s cannot draw in it", wanted->name, gpu->properties.deviceName);
        return false;
    }
    for (size_t i = 0; !wanted && pixels_format_at(i); i++) {
        wanted = format_usable(gpu, pixels_format_at(i)->format) ? pixels_format_at(i) : NULL;
    }
    if (!wanted) {
        say_error("%s can draw in no format that Fovea takes", gpu->properties.deviceName);
        return false;
    }
    *out_format = wanted->format;
    return true;
}

bool engine_init(struct engine *engine, const struct engine_desc *desc)
{
    struct gpu *gpu = &engine->gpu;
    const struct gpu_instance_desc instance = {.validate = desc->options->validate};
    const struct gpu_device_desc device = {.index = desc->options->device,
                                           .backend = value_backend(desc->settings)};
    VkFormat format;
    if ((!gpu->instance && !gpu_open_instance(gpu, &instance)) ||
        (!gpu->device && !gpu_open_device(gpu, &device)) || !choose_format(gpu, desc, &format) ||
        !world_create(desc->options->seed, &engine->world) ||
        !renderer_create(gpu, engine->world, format, &engine->renderer) ||
        !foveation_create(gpu, desc->settings, FRAMES_IN_FLIGHT, &engine->foveation) ||
        (desc->options->lightfield &&
         (!lightfield_create(gpu, desc->options, format, &engine->lightfield) ||
          !lightfield_set(engine->lightfield, desc->settings)))) {
        return false;
    }
    engine->frames.gpu = gpu;
    engine->frames.renderer = engine->renderer;
    engine->frames.lightfield = engine->lightfield;
    engine->frames.foveation = engine->foveation;
    engine->frames.targets = &engine->targets;
    return frames_init(&engine->frames);
}

bool engine_set(struct engine *engine, const struct fovea_settings *settings)
{
    return foveation_set(engine->foveation, settings) &&
           (!engine->lightfield || lightfield_set(engine->lightfield, settings));
}

bool engine_fit(struct engine *engine, const struct targets_desc *desc)
{
    struct targets_desc targets = *desc;
    targets.copied = engine->lightfield != NULL;
    if (!targets_init(&engine->targets, engine->renderer, engine->foveation, &targets)) {
        return false;
    }
    frames_prepare(&engine->frames);
    return !engine->lightfield || lightfield_fit(engine->lightfield, targets.extent);
}

void engine_finish(struct engine *engine)
{
    if (engine->gpu.device && vkDeviceWaitIdle(engine->gpu.device) < 0) {
        say_note("the device did not finish its work");
    }
    frames_finish(&engine->frames);
    targets_finish(&engine->targets);
    lightfield_destroy(&engine->lightfield);
    foveation_destroy(&engine->foveation);
    renderer_destroy(&engine->renderer);
    world_destroy(&engine->world);
    gpu_close(&engine->gpu);
}
