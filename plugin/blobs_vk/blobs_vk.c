/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blobs_vk.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "plugin/context/blobs_check.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_blobs_vk_desc, log);

#define PLANES_MOST_BYTES (UINT64_C(256) << 20)

/* ---- Create and destroy */

static enum fovea_result take_desc(const struct fovea_blobs_vk_desc *given,
                                   struct recorder_desc *out, struct saliency_numbers *out_numbers)
{
    struct fovea_blobs_vk_desc own;
    struct fovea_blobs_desc defaults;
    struct fovea_blobs_desc blobs;
    if (!given || !struct_take(&own, sizeof own, given)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    fovea_blobs_desc_init(&defaults);
    *out = (struct recorder_desc)RECORDER_DESC(&own, "blobs", "fovea_blobs_vk_desc");
    FOVEA_TRY(recorder_check_desc(out));
    return blobs_take_desc(own.blobs ? own.blobs : &defaults, &own.log, &blobs, out_numbers);
}

static enum fovea_result check_limits(const struct fovea_blobs_vk *blobs)
{
    const struct operator_glsl_limits *limits = &blobs->recorder.compute.limits;
    const uint64_t work = blobs->glsl->work_bytes;
    const uint64_t planes = blobs->glsl->plane_bytes;
    const uint64_t more = work > planes ? work : planes;
    if (limits->shared_bytes < SALIENCY_GLSL_SHARED_BYTES) {
        log_error(blobs->recorder.device.log, "blobs: workgroups of %d bytes are needed, not %llu",
                  SALIENCY_GLSL_SHARED_BYTES, (unsigned long long)limits->shared_bytes);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (more > limits->buffer_bytes) {
        log_error(blobs->recorder.device.log,
                  "blobs: a buffer of %llu bytes is needed; the device binds %llu",
                  (unsigned long long)more, (unsigned long long)limits->buffer_bytes);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result create_buffers(struct fovea_blobs_vk *blobs)
{
    struct vk_device *device = &blobs->recorder.device;
    struct saliency_glsl *glsl = blobs->glsl;
    const size_t bytes = glsl->table_count * sizeof *glsl->tables;
    FOVEA_TRY(vk_buffer_init_shared(&blobs->tables, device, bytes, VK_BUFFER_READ_BY_KERNELS));
    memcpy(blobs->tables.mapped, glsl->tables, bytes);
    FOVEA_TRY(vk_buffer_init_local(&blobs->work, device, glsl->work_bytes));
    return glsl->plane_bytes > 0 ? vk_buffer_init_local(&blobs->planes, device, glsl->plane_bytes)
                                 : FOVEA_OK;
}

static enum fovea_result build(struct fovea_blobs_vk *blobs, const struct recorder_desc *desc,
                               const struct saliency_numbers *numbers, uint64_t plane_bytes_most)
{
    const uint64_t most = blobs->recorder.compute.limits.buffer_bytes;
    FOVEA_TRY(saliency_glsl_create(numbers, desc->width_px, desc->height_px,
                                   most < plane_bytes_most ? most : plane_bytes_most,
                                   &blobs->glsl));
    FOVEA_TRY(check_limits(blobs));
    return create_buffers(blobs);
}

enum fovea_result blobs_vk_create_within(const struct fovea_blobs_vk_desc *desc,
                                         uint64_t plane_bytes_most,
                                         struct fovea_blobs_vk **out_blobs)
{
    struct recorder_desc own;
    struct saliency_numbers numbers;
    if (!out_blobs) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_blobs = NULL;
    FOVEA_TRY(take_desc(desc, &own, &numbers));
    struct fovea_blobs_vk *blobs = calloc(1, sizeof *blobs);
    FOVEA_TRY_MEMORY(blobs);
    enum fovea_result result = recorder_init(&blobs->recorder, &own);
    if (result < 0) {
        free(blobs);
        return result;
    }
    result = build(blobs, &own, &numbers, plane_bytes_most);
    if (result < 0) {
        fovea_blobs_vk_destroy(&blobs);
        return result;
    }
    *out_blobs = blobs;
    return FOVEA_OK;
}

enum fovea_result fovea_blobs_vk_create(const struct fovea_blobs_vk_desc *desc,
                                        struct fovea_blobs_vk **out_blobs)
{
    return blobs_vk_create_within(desc, PLANES_MOST_BYTES, out_blobs);
}

void fovea_blobs_vk_destroy(struct fovea_blobs_vk **blobs)
{
    if (!blobs || !*blobs) {
        return;
    }
    struct vk_device *device = &(*blobs)->recorder.device;
    vk_buffer_finish(&(*blobs)->planes, device);
    vk_buffer_finish(&(*blobs)->work, device);
    vk_buffer_finish(&(*blobs)->tables, device);
    recorder_finish(&(*blobs)->recorder);
    saliency_glsl_destroy(&(*blobs)->glsl);
    free(*blobs);
    *blobs = NULL;
}

size_t fovea_blobs_vk_bytes(const struct fovea_blobs_vk *blobs)
{
    return blobs ? (size_t)(blobs->tables.bytes + blobs->work.bytes + blobs->planes.bytes) : 0;
}

/* ---- Arguments */

struct picture_format {
    VkFormat format;
    bool is_grey;
    int32_t most; /* the level that is 1; 0: of floats */
};

static const struct picture_format *find_format(VkFormat format)
{
    static const struct picture_format formats[] = {
        {VK_FORMAT_R8_UNORM, true, 255},
        {VK_FORMAT_R8G8B8A8_UNORM, false, 255},
        {VK_FORMAT_B8G8R8A8_UNORM, false, 255},
        {VK_FORMAT_A8B8G8R8_UNORM_PACK32, false, 255},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, false, 1023},
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, false, 1023},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, false, 0},
        {VK_FORMAT_R16_SFLOAT, true, 0},
        {VK_FORMAT_R16G16B16A16_SFLOAT, false, 0},
        {VK_FORMAT_R32_SFLOAT, true, 0},
        {VK_FORMAT_R32G32B32A32_SFLOAT, false, 0},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format == format) {
            return &formats[i];
        }
    }
    return NULL;
}

static enum fovea_result check_image(const struct fovea_blobs_vk *blobs, const char *name,
                                     const struct fovea_blobs_vk_image *image, bool is_read)
{
    return image ? recorder_check_image(&blobs->recorder, name, image->view, image->layout, is_read)
                 : recorder_refuse(&blobs->recorder, "%s is NULL", name);
}

static enum fovea_result check_picture(const struct fovea_blobs_vk *blobs,
                                       const struct fovea_blobs_vk_image *picture,
                                       const struct picture_format **out_format)
{
    FOVEA_TRY(check_image(blobs, "picture", picture, true));
    *out_format = find_format(picture->format);
    if (!*out_format || !recorder_samples(&blobs->recorder, picture->format)) {
        log_error(blobs->recorder.device.log, "blobs: picture.format is VkFormat %d, which %s",
                  (int)picture->format,
                  *out_format ? "the device does not sample" : "is none of those");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result check_list(const struct fovea_blobs_vk *blobs,
                                    const struct fovea_blobs_vk_buffer *list)
{
    if (!list || !list->buffer || list->offset % 256 != 0) {
        return recorder_refuse(&blobs->recorder,
                               "list.buffer is NULL, or list.offset is no multiple of 256");
    }
    return FOVEA_OK;
}

/* ---- Calls */

static VkDescriptorImageInfo image_of(const struct fovea_blobs_vk_image *image)
{
    return (VkDescriptorImageInfo){.imageView = image->view, .imageLayout = image->layout};
}

/* picture, response, list: NULL where the passes do not look at them */
static void write_set(struct fovea_blobs_vk *blobs, VkDescriptorSet set,
                      const struct fovea_blobs_vk_image *picture,
                      const struct fovea_blobs_vk_image *response,
                      const struct fovea_blobs_vk_buffer *list)
{
    struct vk_compute_set all = {.buffers = {[2] = {blobs->tables.handle, 0, VK_WHOLE_SIZE},
                                             [3] = {blobs->work.handle, 0, VK_WHOLE_SIZE},
                                             [4] = {blobs->planes.handle, 0, VK_WHOLE_SIZE}}};
    if (picture) {
        all.images[0] = image_of(picture);
    }
    if (response) {
        all.images[1] = image_of(response);
    }
    if (list) {
        const uint32_t blob_max = (uint32_t)blobs->glsl->constants.blob_max;
        all.buffers[7] = (VkDescriptorBufferInfo){list->buffer, list->offset,
                                                  FOVEA_BLOBS_VK_LIST_BYTES(blob_max)};
    }
    vk_compute_write(&blobs->recorder.device, set, &all);
}

enum fovea_result fovea_blobs_vk_run(struct fovea_blobs_vk *blobs,
                                     const struct fovea_vk_recording *recording,
                                     const struct fovea_blobs_vk_image *picture,
                                     const struct fovea_blobs_vk_buffer *list)
{
    struct fovea_vk_recording into;
    const struct picture_format *format = NULL;
    struct recorder_call *call = NULL;
    if (!blobs) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(recorder_take_recording(&blobs->recorder, recording, &into));
    FOVEA_TRY(check_picture(blobs, picture, &format));
    FOVEA_TRY(check_list(blobs, list));
    const struct saliency_glsl_way *way = saliency_glsl_way_of(blobs->glsl, format->is_grey);
    FOVEA_TRY(recorder_prepare(&blobs->recorder, way->passes, way->count));
    if (recorder_take_call(&blobs->recorder, &into, &call) != FOVEA_OK) {
        return FOVEA_NOT_READY;
    }
    write_set(blobs, call->sets[0], picture, NULL, list);
    recorder_begin(&blobs->recorder, into.commands);
    for (uint32_t i = 0; i < way->count; i++) {
        const struct operator_pass pass = saliency_glsl_pass_of(&way->passes[i], format->most);
        recorder_dispatch(&blobs->recorder, into.commands, &pass, call->sets[0],
                          i == way->count - 1);
    }
    blobs->ran = true;
    return FOVEA_OK;
}

enum fovea_result fovea_blobs_vk_response(struct fovea_blobs_vk *blobs,
                                          const struct fovea_vk_recording *recording,
                                          uint32_t scale,
                                          const struct fovea_blobs_vk_image *response)
{
    struct fovea_vk_recording into;
    struct recorder_call *call = NULL;
    struct operator_pass pass;
    if (!blobs) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(recorder_take_recording(&blobs->recorder, recording, &into));
    FOVEA_TRY(check_image(blobs, "response", response, false));
    if (response->format != VK_FORMAT_R32_SFLOAT) {
        return recorder_refuse(&blobs->recorder, "response.format is not R32_SFLOAT");
    }
    if (scale >= (uint32_t)blobs->glsl->constants.scale_count) {
        return recorder_refuse(&blobs->recorder, "scale is %u of %d", scale,
                               blobs->glsl->constants.scale_count);
    }
    if (!blobs->ran) {
        log_error(blobs->recorder.device.log, "blobs: no run was recorded");
        return FOVEA_ERROR_INVALID_STATE;
    }
    saliency_glsl_map(blobs->glsl, scale, &pass);
    FOVEA_TRY(recorder_prepare(&blobs->recorder, &pass, 1));
    if (recorder_take_call(&blobs->recorder, &into, &call) != FOVEA_OK) {
        return FOVEA_NOT_READY;
    }
    write_set(blobs, call->sets[0], NULL, response, NULL);
    recorder_begin(&blobs->recorder, into.commands);
    recorder_dispatch(&blobs->recorder, into.commands, &pass, call->sets[0], true);
    return FOVEA_OK;
}
