/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_run_vk.h"

#include "cmocka_all.h"
#include "plugin/lightfield_vk/lightfield_vk.h"
#include "rig.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static struct engine engine;
static VkPipelineCache cache;
static struct fovea_lightfield_geometry array;
/* The focus stays from call to call. */
static struct engine_buffer focus;

static void open_engine(void)
{
    const struct engine_options options = rig_engine_options();
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (!engine.device) {
        assert_true(engine_open(&engine, &options));
        CHECK(vkCreatePipelineCache(engine.device, &info, NULL, &cache));
        focus = engine_buffer_create(&engine, FOVEA_LIGHTFIELD_VK_FOCUS_BYTES);
    }
}

void lightfield_run_geometry(const struct fovea_lightfield_geometry *geometry)
{
    array = *geometry;
    open_engine();
    memset(focus.mapped, 0, focus.bytes);
}

void lightfield_run_close(void)
{
    open_engine();
    engine_buffer_destroy(&engine, &focus);
    vkDestroyPipelineCache(engine.device, cache, NULL);
    engine_close(&engine);
}

/* ---- Images */

/* Channels of three get a fourth. */
static struct engine_image upload_raw(const struct fovea_lightfield_raw *raw)
{
    static const struct {
        uint32_t channels, bytes;
        VkFormat format;
    } kinds[] = {[FOVEA_LIGHTFIELD_FORMAT_R8] = {1, 1, VK_FORMAT_R8_UNORM},
                 [FOVEA_LIGHTFIELD_FORMAT_RGB8] = {3, 1, VK_FORMAT_R8G8B8A8_UNORM},
                 [FOVEA_LIGHTFIELD_FORMAT_RGBA8] = {4, 1, VK_FORMAT_R8G8B8A8_UNORM},
                 [FOVEA_LIGHTFIELD_FORMAT_R16] = {1, 2, VK_FORMAT_R16_UNORM},
                 [FOVEA_LIGHTFIELD_FORMAT_RGB16] = {3, 2, VK_FORMAT_R16G16B16A16_UNORM},
                 [FOVEA_LIGHTFIELD_FORMAT_RGBA16] = {4, 2, VK_FORMAT_R16G16B16A16_UNORM}};
    const size_t pixels = (size_t)raw->width_px * raw->height_px;
    const size_t from = (size_t)kinds[raw->format].channels * kinds[raw->format].bytes;
    const size_t to = from == 3 || from == 6 ? from / 3 * 4 : from;
    unsigned char *packed = test_memory(pixels, to);
    for (size_t i = 0; i < pixels; i++) {
        memcpy(packed + i * to, (const unsigned char *)raw->data + i * from, from);
    }
    struct engine_image image =
        engine_sampled_create(&engine, kinds[raw->format].format, raw->width_px, raw->height_px);
    engine_plain_write(&engine, &image, packed, pixels * to,
                       VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    free(packed);
    return image;
}

/* ---- Calls */

#define IMAGES 2

/* A picture of three or one channels on the host is one of four on the device. */
struct run {
    struct fovea_lightfield_vk *field;
    struct fovea_vk_recording recording;
    struct engine_image raw_image, patch_image, images[IMAGES];
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_vk_image patches, outs[IMAGES];
    const struct fovea_image *hosts[IMAGES];
};

static void print_log(void *user, enum fovea_log_level level, const char *message)
{
    fprintf(stderr, "log %d: %s\n", (int)level, message);
}

static void upload_patches(struct run *run, const struct fovea_image *patches)
{
    run->patch_image =
        engine_sampled_create(&engine, VK_FORMAT_R32_SFLOAT, patches->width_px, patches->height_px);
    engine_plain_write(&engine, &run->patch_image, patches->data,
                       sizeof(float) * patches->width_px * patches->height_px,
                       VK_IMAGE_LAYOUT_GENERAL);
    run->patches = (struct fovea_lightfield_vk_image){
        run->patch_image.raw_layers[0], VK_FORMAT_R32_SFLOAT, VK_IMAGE_LAYOUT_GENERAL};
}

static struct run begin(const struct fovea_lightfield_raw *raw, const struct fovea_image *patches,
                        const struct fovea_image *like)
{
    struct run run = {.raw_image = upload_raw(raw)};
    if (patches) {
        upload_patches(&run, patches);
    }
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_vk_desc_init(&desc);
    ENGINE_DESCRIBE(&engine, &desc);
    desc.queue_family = engine.family;
    desc.geometry = &array;
    desc.width_px = like->width_px;
    desc.height_px = like->height_px;
    desc.pipeline_cache = cache;
    desc.log.fn = print_log;
    assert_ok(fovea_lightfield_vk_create(&desc, &run.field));
    fovea_lightfield_vk_raw_init(&run.raw);
    run.raw.view = run.raw_image.raw_layers[0];
    run.raw.format = run.raw_image.format;
    run.raw.maximum = raw->maximum;
    run.raw.bayer = raw->bayer;
    fovea_vk_recording_init(&run.recording);
    run.recording.commands = engine_begin(&engine);
    run.recording.frame = 1;
    return run;
}

static const struct fovea_lightfield_vk_image *out_of(struct run *run, int number,
                                                      const struct fovea_image *host,
                                                      VkFormat format)
{
    if (!host) {
        return NULL;
    }
    struct engine_image *image = &run->images[number];
    run->hosts[number] = host;
    *image = engine_plain_create(&engine, format, host->width_px, host->height_px,
                                 VK_IMAGE_USAGE_STORAGE_BIT);
    engine_record_barrier(run->recording.commands, image->image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    run->outs[number] =
        (struct fovea_lightfield_vk_image){image->raw_layers[0], format, VK_IMAGE_LAYOUT_GENERAL};
    return &run->outs[number];
}

static void download(const struct run *run, int number)
{
    const struct fovea_image *host = run->hosts[number];
    const size_t channels = run->images[number].format == VK_FORMAT_R32_SFLOAT ? 1 : 4;
    const size_t wanted = host->format == FOVEA_FORMAT_RGB32F ? 3 : 1;
    const size_t pixels = (size_t)host->width_px * host->height_px;
    struct engine_buffer buffer = engine_buffer_create(&engine, pixels * channels * sizeof(float));
    VkCommandBuffer commands = engine_begin(&engine);
    engine_record_download(commands, run->images[number].image, host->width_px, host->height_px,
                           buffer.buffer, 0, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(&engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&engine);
    for (size_t i = 0; i < pixels; i++) {
        memcpy((char *)host->data + i * wanted * sizeof(float),
               buffer.mapped + i * channels * sizeof(float), wanted * sizeof(float));
    }
    engine_buffer_destroy(&engine, &buffer);
}

static enum fovea_result end(struct run *run, enum fovea_result result)
{
    engine_submit(&engine, run->recording.commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&engine);
    for (int i = 0; i < IMAGES; i++) {
        if (run->hosts[i]) {
            download(run, i);
            engine_image_destroy(&engine, &run->images[i]);
        }
    }
    if (run->patch_image.image) {
        engine_image_destroy(&engine, &run->patch_image);
    }
    engine_image_destroy(&engine, &run->raw_image);
    fovea_lightfield_vk_destroy(&run->field);
    engine_expect_silence(&engine);
    return result;
}

enum fovea_result lightfield_run_render(struct fovea_lightfield *field,
                                        const struct fovea_lightfield_raw *raw,
                                        const struct fovea_lightfield_rendering *rendering,
                                        const struct fovea_image *dst)
{
    struct fovea_lightfield_rendering own = *rendering;
    struct run run = begin(raw, rendering->patches, dst);
    own.patches = NULL;
    return end(&run,
               fovea_lightfield_vk_render(run.field, &run.recording, &run.raw, &own,
                                          rendering->patches ? &run.patches : NULL,
                                          out_of(&run, 0, dst, VK_FORMAT_R32G32B32A32_SFLOAT)));
}

enum fovea_result lightfield_run_refocus(struct fovea_lightfield *field,
                                         const struct fovea_lightfield_raw *raw,
                                         const struct fovea_lightfield_refocusing *refocusing,
                                         const struct fovea_image *dst)
{
    const struct fovea_lightfield_vk_focus kept = {focus.buffer, 0};
    struct fovea_lightfield_refocusing own = *refocusing;
    struct run run = begin(raw, NULL, dst);
    own.focus = NULL;
    const enum fovea_result result =
        end(&run, fovea_lightfield_vk_refocus(run.field, &run.recording, &run.raw, &own,
                                              out_of(&run, 0, dst, VK_FORMAT_R32G32B32A32_SFLOAT),
                                              &kept));
    if (refocusing->focus) {
        memcpy(refocusing->focus->data, focus.mapped, sizeof(float));
    }
    return result;
}

enum fovea_result lightfield_run_depth(struct fovea_lightfield *field,
                                       const struct fovea_lightfield_raw *raw,
                                       const struct fovea_lightfield_matching *matching,
                                       const struct fovea_image *depth,
                                       const struct fovea_image *confidence)
{
    struct run run = begin(raw, NULL, depth);
    /* So few rows of costs that a picture of them is made in parts. */
    assert_ok(vk_buffer_init_local(&run.field->costs, &run.field->recorder.device,
                                   11 * lightfield_glsl_row_bytes(&run.field->glsl, matching)));
    return end(&run, fovea_lightfield_vk_depth(run.field, &run.recording, &run.raw, matching,
                                               out_of(&run, 0, depth, VK_FORMAT_R32_SFLOAT),
                                               out_of(&run, 1, confidence, VK_FORMAT_R32_SFLOAT)));
}

enum fovea_result lightfield_run_sum(struct fovea_lightfield *field,
                                     const struct fovea_lightfield_raw *raw,
                                     const struct fovea_lightfield_sum *sum,
                                     const struct fovea_image *dst)
{
    struct run run = begin(raw, NULL, dst);
    return end(&run,
               fovea_lightfield_vk_sum_views(run.field, &run.recording, &run.raw, sum,
                                             out_of(&run, 0, dst, VK_FORMAT_R32G32B32A32_SFLOAT)));
}
