/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blobs_run_vk.h"

#include "cmocka_all.h"
#include "images.h"

static void record_responses(struct fovea_blobs_vk *blobs, uint32_t scales,
                             const struct fovea_vk_recording *recording,
                             const struct engine_image *map, const struct engine_buffer *buffer)
{
    const struct fovea_blobs_vk_image response = {map->raw_view, map->format,
                                                  VK_IMAGE_LAYOUT_GENERAL};
    const VkDeviceSize bytes = sizeof(float) * map->width_px * map->height_px;
    engine_record_barrier(recording->commands, map->image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t k = 0; k < scales; k++) {
        assert_ok(fovea_blobs_vk_response(blobs, recording, k, &response));
        engine_record_download(recording->commands, map->image, map->width_px, map->height_px,
                               buffer->buffer, k * bytes, VK_IMAGE_LAYOUT_GENERAL,
                               VK_IMAGE_LAYOUT_GENERAL);
    }
}

void blobs_run_vk(struct engine *engine, const struct fovea_blobs_vk_desc *desc, VkFormat format,
                  uint64_t plane_bytes, const struct fovea_image *image, struct blobs_found *out)
{
    struct fovea_blobs_vk *blobs = NULL;
    struct fovea_vk_recording recording;
    struct engine_image picture = engine_plain_create(engine, format, image->width_px,
                                                      image->height_px, VK_IMAGE_USAGE_SAMPLED_BIT);
    struct engine_image map = engine_plain_create(engine, VK_FORMAT_R32_SFLOAT, image->width_px,
                                                  image->height_px, VK_IMAGE_USAGE_STORAGE_BIT);
    const size_t pixels = (size_t)image->width_px * image->height_px;
    const uint32_t scales = desc->blobs->scale_count;
    struct engine_buffer list =
        engine_buffer_create(engine, 256 + FOVEA_BLOBS_VK_LIST_BYTES(desc->blobs->blob_max));
    struct engine_buffer responses = engine_buffer_create(engine, sizeof(float) * pixels * scales);
    const struct fovea_blobs_vk_image from = {picture.raw_view, format, VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_blobs_vk_buffer to = {list.buffer, 256};
    engine_plain_write(engine, &picture, image->data, pixels * image_bytes(image->format),
                       VK_IMAGE_LAYOUT_GENERAL);
    assert_ok(blobs_vk_create_within(desc, plane_bytes, &blobs));
    fovea_vk_recording_init(&recording);
    recording.commands = engine_begin(engine);
    recording.frame = 1;
    assert_ok(fovea_blobs_vk_run(blobs, &recording, &from, &to));
    record_responses(blobs, scales, &recording, &map, &responses);
    engine_submit(engine, recording.commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
    memcpy(&out->count, list.mapped + 256, sizeof out->count);
    memcpy(out->blobs, list.mapped + 272, sizeof *out->blobs * desc->blobs->blob_max);
    memcpy(out->responses, responses.mapped, responses.bytes);
    fovea_blobs_vk_destroy(&blobs);
    engine_buffer_destroy(engine, &responses);
    engine_buffer_destroy(engine, &list);
    engine_image_destroy(engine, &map);
    engine_image_destroy(engine, &picture);
    engine_expect_silence(engine);
}
