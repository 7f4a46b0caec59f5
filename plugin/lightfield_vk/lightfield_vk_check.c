/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_vk.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "plugin/context/lightfield_check.h"

#include <stdarg.h>
#include <stdio.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_vk_desc, log);
STRUCT_ENDS_WITH(struct fovea_lightfield_vk_raw, reserved);

#define CALLS_MOST 1024
#define CALLS_DEFAULT 16

enum fovea_result lightfield_vk_refuse(const struct fovea_lightfield_vk *field, const char *format,
                                       ...)
{
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return lightfield_refuse(field->device.log, problem);
}

/* ---- Creation */

static enum fovea_result refuse_desc(const struct fovea_lightfield_vk_desc *desc, const char *what)
{
    log_error(desc->log, "fovea_lightfield_vk_desc: %s", what);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

static bool is_side(uint32_t length_px)
{
    return length_px >= 1 && length_px <= OPERATOR_MAX_SIZE_PX;
}

enum fovea_result lightfield_vk_take_desc(const struct fovea_lightfield_vk_desc *given,
                                          struct fovea_lightfield_vk_desc *out,
                                          struct lightfield_glsl *out_glsl)
{
    if (!given || !struct_take(out, sizeof *out, given)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!out->instance || !out->physical_device || !out->device || !out->get_instance_proc_addr) {
        return refuse_desc(out, "instance, physical_device, device and get_instance_proc_addr are "
                                "required");
    }
    if (!is_side(out->width_px) || !is_side(out->height_px)) {
        return refuse_desc(out, "width_px or height_px is not 1 .. 16384");
    }
    if (out->calls_in_flight > CALLS_MOST) {
        return refuse_desc(out, "calls_in_flight is more than 1024");
    }
    if (!out->geometry) {
        return refuse_desc(out, "geometry is NULL");
    }
    out->calls_in_flight = out->calls_in_flight ? out->calls_in_flight : CALLS_DEFAULT;
    const struct fovea_lightfield_desc plain = {
        .struct_bytes = sizeof plain, .geometry = out->geometry, .log = out->log};
    *out_glsl = (struct lightfield_glsl){.width_px = out->width_px, .height_px = out->height_px};
    return lightfield_take_geometry(&plain, &out_glsl->geometry);
}

/* ---- Calls */

enum fovea_result lightfield_vk_take_recording(const struct fovea_lightfield_vk *field,
                                               const struct fovea_vk_recording *given,
                                               struct fovea_vk_recording *out)
{
    if (!given || !struct_take(out, sizeof *out, given)) {
        return lightfield_vk_refuse(field, "recording %s",
                                    given ? struct_refusal(given) : "is NULL");
    }
    if (!out->commands) {
        return lightfield_vk_refuse(field, "recording.commands is NULL");
    }
    if (out->frame <= out->finished_frame) {
        return lightfield_vk_refuse(field, "recording.frame is %llu, not above finished_frame",
                                    (unsigned long long)out->frame);
    }
    return FOVEA_OK;
}

struct raw_format {
    VkFormat format;
    bool is_grey;
    uint32_t most;
};

static const struct raw_format raw_formats[] = {
    {VK_FORMAT_R8_UNORM, true, 255},        {VK_FORMAT_R8G8B8A8_UNORM, false, 255},
    {VK_FORMAT_B8G8R8A8_UNORM, false, 255}, {VK_FORMAT_A8B8G8R8_UNORM_PACK32, false, 255},
    {VK_FORMAT_R16_UNORM, true, 65535},     {VK_FORMAT_R16G16B16A16_UNORM, false, 65535},
};

static const struct raw_format *find_raw_format(VkFormat format)
{
    for (size_t i = 0; i < sizeof raw_formats / sizeof raw_formats[0]; i++) {
        if (raw_formats[i].format == format) {
            return &raw_formats[i];
        }
    }
    return NULL;
}

static bool is_sampled(const struct vk_device *device, VkFormat format)
{
    VkFormatProperties properties;
    device->vk.GetPhysicalDeviceFormatProperties(device->physical, format, &properties);
    return ((properties.optimalTilingFeatures | properties.linearTilingFeatures) &
            VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
}

static bool is_read_layout(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_GENERAL || layout == VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

enum fovea_result lightfield_vk_take_raw(const struct fovea_lightfield_vk *field,
                                         const struct fovea_lightfield_vk_raw *given,
                                         struct lightfield_vk_raw *out)
{
    struct fovea_lightfield_vk_raw raw;
    if (!given || !struct_take(&raw, sizeof raw, given)) {
        return lightfield_vk_refuse(field, "raw %s", given ? struct_refusal(given) : "is NULL");
    }
    const struct raw_format *format = find_raw_format(raw.format);
    if (!raw.view) {
        return lightfield_vk_refuse(field, "raw.view is NULL");
    }
    if (!format || !is_sampled(&field->device, raw.format)) {
        log_error(field->device.log, "light field: raw.format is VkFormat %d, which %s",
                  (int)raw.format, format ? "the device does not sample" : "is none of those");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (!is_read_layout(raw.layout)) {
        return lightfield_vk_refuse(field, "raw.layout is not GENERAL or SHADER_READ_ONLY_OPTIMAL");
    }
    if (raw.maximum > format->most ||
        (raw.maximum != 0 && format->most == 255 && raw.maximum != 255)) {
        return lightfield_vk_refuse(
            field, "raw.maximum is %u; of 8 bits it is 0 or 255, of 16 bits 65535 at most",
            raw.maximum);
    }
    if (raw.reserved != 0) {
        return lightfield_vk_refuse(field, "raw.reserved is not 0");
    }
    *out = (struct lightfield_vk_raw){
        .image = {.imageView = raw.view, .imageLayout = raw.layout},
        .kind = {format->is_grey, format->most, raw.maximum ? raw.maximum : format->most}};
    return FOVEA_OK;
}

static enum fovea_result check_image(const struct fovea_lightfield_vk *field, const char *name,
                                     const struct fovea_lightfield_vk_image *given, bool is_read)
{
    if (!given || !given->view) {
        return lightfield_vk_refuse(field, "%s%s is NULL", name, given ? ".view" : "");
    }
    if (is_read ? !is_read_layout(given->layout) : given->layout != VK_IMAGE_LAYOUT_GENERAL) {
        return lightfield_vk_refuse(field, "%s.layout is not GENERAL%s", name,
                                    is_read ? " or SHADER_READ_ONLY_OPTIMAL" : "");
    }
    return FOVEA_OK;
}

enum fovea_result lightfield_vk_take_picture(const struct fovea_lightfield_vk *field,
                                             const struct fovea_lightfield_vk_image *given,
                                             struct lightfield_glsl_picture *out)
{
    FOVEA_TRY(check_image(field, "dst", given, false));
    const struct vk_format *format = vk_format_find(given->format);
    if (!format && given->format != VK_FORMAT_R32G32B32A32_SFLOAT) {
        log_error(field->device.log, "light field: dst.format is VkFormat %d, which no picture has",
                  (int)given->format);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out = (struct lightfield_glsl_picture){.format = format ? format->pixel : FOVEA_FORMAT_RGBA32F,
                                            .blue_first = format && format->swap_red_blue};
    return FOVEA_OK;
}

enum fovea_result lightfield_vk_check_floats(const struct fovea_lightfield_vk *field,
                                             const char *name,
                                             const struct fovea_lightfield_vk_image *given,
                                             bool is_read)
{
    FOVEA_TRY(check_image(field, name, given, is_read));
    return given->format == VK_FORMAT_R32_SFLOAT
               ? FOVEA_OK
               : lightfield_vk_refuse(field, "%s.format is not R32_SFLOAT", name);
}
