/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_vk.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "plugin/context/lightfield_check.h"

STRUCT_ENDS_WITH(struct fovea_lightfield_vk_desc, log);
STRUCT_ENDS_WITH(struct fovea_lightfield_vk_raw, bayer);

enum fovea_result lightfield_vk_take_desc(const struct fovea_lightfield_vk_desc *given,
                                          struct recorder_desc *out,
                                          struct lightfield_glsl *out_glsl)
{
    struct fovea_lightfield_vk_desc own;
    if (!given || !struct_take(&own, sizeof own, given)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out = (struct recorder_desc)RECORDER_DESC(&own, "light field", "fovea_lightfield_vk_desc");
    FOVEA_TRY(recorder_check_desc(out));
    if (!own.geometry) {
        return recorder_refuse_desc(out, "geometry is NULL");
    }
    const struct fovea_lightfield_desc plain = {
        .struct_bytes = sizeof plain, .geometry = own.geometry, .log = own.log};
    *out_glsl = (struct lightfield_glsl){.width_px = own.width_px, .height_px = own.height_px};
    return lightfield_take_geometry(&plain, &out_glsl->geometry);
}

/* ---- Calls */

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

enum fovea_result lightfield_vk_take_raw(const struct fovea_lightfield_vk *field,
                                         const struct fovea_lightfield_vk_raw *given,
                                         struct lightfield_vk_raw *out)
{
    struct fovea_lightfield_vk_raw raw;
    if (!given || !struct_take(&raw, sizeof raw, given)) {
        return recorder_refuse(&field->recorder, "raw %s",
                               given ? struct_refusal(given) : "is NULL");
    }
    const struct raw_format *format = find_raw_format(raw.format);
    FOVEA_TRY(recorder_check_image(&field->recorder, "raw", raw.view, raw.layout, true));
    if (!format || !recorder_samples(&field->recorder, raw.format)) {
        log_error(field->recorder.device.log, "light field: raw.format is VkFormat %d, which %s",
                  (int)raw.format, format ? "the device does not sample" : "is none of those");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (raw.maximum > format->most ||
        (raw.maximum != 0 && format->most == 255 && raw.maximum != 255)) {
        return recorder_refuse(
            &field->recorder,
            "raw.maximum is %u; of 8 bits it is 0 or 255, of 16 bits 65535 at most", raw.maximum);
    }
    if ((uint32_t)raw.bayer > FOVEA_LIGHTFIELD_BAYER_BGGR ||
        (raw.bayer != FOVEA_LIGHTFIELD_BAYER_NONE && !format->is_grey)) {
        return recorder_refuse(&field->recorder,
                               "raw.bayer is %d; mosaics are of R8_UNORM and R16_UNORM",
                               (int)raw.bayer);
    }
    *out =
        (struct lightfield_vk_raw){.image = {.imageView = raw.view, .imageLayout = raw.layout},
                                   .kind = {format->is_grey, format->most,
                                            raw.maximum ? raw.maximum : format->most, raw.bayer}};
    return FOVEA_OK;
}

static enum fovea_result check_image(const struct fovea_lightfield_vk *field, const char *name,
                                     const struct fovea_lightfield_vk_image *given, bool is_read)
{
    return given ? recorder_check_image(&field->recorder, name, given->view, given->layout, is_read)
                 : recorder_refuse(&field->recorder, "%s is NULL", name);
}

enum fovea_result lightfield_vk_take_picture(const struct fovea_lightfield_vk *field,
                                             const struct fovea_lightfield_vk_image *given,
                                             struct lightfield_glsl_picture *out)
{
    FOVEA_TRY(check_image(field, "dst", given, false));
    const struct vk_format *format = vk_format_find(given->format);
    if (!format && given->format != VK_FORMAT_R32G32B32A32_SFLOAT) {
        log_error(field->recorder.device.log,
                  "light field: dst.format is VkFormat %d, which no picture has",
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
               : recorder_refuse(&field->recorder, "%s.format is not R32_SFLOAT", name);
}
