/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs in a program's command buffers beside the processor's: on a device that is a processor
 * every bit of responses and lists, on others up to what follows; and what is refused. */

#include "blobs_run_vk.h"
#include "cmocka_all.h"
#include "recorded.h"
#include "rig.h"

#define BLOBS 3000
#define RESPONSE_OFF 1e-6f
#define STRENGTH_OFF 4e-6f
#define PLACE_OFF 2e-3f /* of sigma */
#define ALL_PLANES (UINT64_C(1) << 27)

struct row {
    uint32_t width, height;
    enum fovea_format format;
    VkFormat vk;
    enum image_pattern pattern;
    uint32_t scales;
    double sigma_min_px, threshold, overlap;
    uint32_t blob_max;
    uint64_t plane_bytes; /* at once */
    bool slow; /* without a GPU */
};

struct bed {
    struct engine engine;
    VkPipelineCache cache;
    struct fovea_blobs_desc blobs;
    struct fovea_blobs_vk_desc desc;
    char said[RECORDED_WORDS];
};

static void bed_open(struct bed *bed)
{
    const struct engine_options options = rig_engine_options();
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    struct fovea_blobs_vk_desc *desc = &bed->desc;
    *bed = (struct bed){0};
    assert_true(engine_open(&bed->engine, &options));
    assert_int_equal(vkCreatePipelineCache(bed->engine.device, &info, NULL, &bed->cache), 0);
    fovea_blobs_desc_init(&bed->blobs);
    fovea_blobs_vk_desc_init(desc);
    ENGINE_DESCRIBE(&bed->engine, desc);
    desc->queue_family = bed->engine.family;
    desc->calls_in_flight = 2 + SALIENCY_SCALES_MAX;
    desc->blobs = &bed->blobs;
    desc->width_px = desc->height_px = 20;
    desc->pipeline_cache = bed->cache;
    desc->log = (struct fovea_log){.fn = recorded_words, .user = bed->said};
}

static void bed_close(struct bed *bed)
{
    vkDestroyPipelineCache(bed->engine.device, bed->cache, NULL);
    engine_close(&bed->engine);
}

static bool is_cpu(const struct bed *bed)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(bed->engine.physical, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* ---- Numbers */

static void find_on_host(const struct bed *bed, const struct fovea_image *image,
                         struct blobs_found *out)
{
    const size_t pixels = (size_t)image->width_px * image->height_px;
    const ptrdiff_t pitch = (ptrdiff_t)(sizeof(float) * image->width_px);
    OWNED(fovea_blobs_destroy) struct fovea_blobs *blobs = NULL;
    assert_ok(fovea_blobs_create(&bed->blobs, &blobs));
    assert_ok(fovea_blobs_run(blobs, image, 1, 0, out->blobs, &out->count, NULL));
    for (uint32_t k = 0; k < bed->blobs.scale_count; k++) {
        assert_ok(fovea_blobs_response(blobs, k, out->responses + k * pixels, pitch));
    }
}

/* A NaN here and there, which is black. */
static void spoil_floats(const struct test_image *image)
{
    for (uint32_t i = 0; i < image->view.width_px * image->view.height_px; i += 37) {
        const uint32_t nan = i % 2 ? 0x7fc00000u : 0xffa00001u;
        memcpy((char *)image->view.data + i * image_bytes(image->view.format), &nan, sizeof nan);
    }
}

static bool alike(const struct fovea_blob *a, const struct fovea_blob *b)
{
    const float off_px = PLACE_OFF * a->sigma_px;
    return fabsf(a->strength - b->strength) <= STRENGTH_OFF && fabsf(a->x_px - b->x_px) <= off_px &&
           fabsf(a->y_px - b->y_px) <= off_px && fabsf(a->sigma_px - b->sigma_px) <= off_px;
}

/* Looks in the list, among those of its strength. */
static bool is_in(const struct blobs_found *list, const struct fovea_blob *blob, bool exact,
                  uint32_t at)
{
    if (exact) {
        return memcmp(&list->blobs[at], blob, sizeof *blob) == 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (alike(&list->blobs[i], blob)) {
            return true;
        }
    }
    return false;
}

/* How many blobs. */
static uint32_t compare(struct bed *bed, const struct row *row)
{
    const size_t pixels = (size_t)row->width * row->height;
    const bool exact = is_cpu(bed);
    const char *what = test_text("%ux%u, format %d, %s", row->width, row->height, (int)row->format,
                                 image_pattern_name(row->pattern));
    OWNED_IMAGE image = image_drawn(row->width, row->height, row->format, row->pattern, 7);
    struct blobs_found found[2];
    for (int i = 0; i < 2; i++) {
        found[i].blobs = test_calloc(row->blob_max, sizeof *found[i].blobs);
        found[i].responses = test_calloc(pixels * row->scales, sizeof(float));
    }
    if (row->format == FOVEA_FORMAT_R32F || row->format == FOVEA_FORMAT_RGBA32F) {
        spoil_floats(&image);
    }
    bed->blobs.scale_count = row->scales;
    bed->blobs.sigma_min_px = row->sigma_min_px;
    bed->blobs.threshold = row->threshold;
    bed->blobs.overlap = row->overlap;
    bed->blobs.blob_max = row->blob_max;
    bed->desc.width_px = row->width;
    bed->desc.height_px = row->height;
    find_on_host(bed, &image.view, &found[0]);
    blobs_run_vk(&bed->engine, &bed->desc, row->vk, row->plane_bytes, &image.view, &found[1]);
    for (size_t i = 0; i < pixels * row->scales; i++) {
        const float a = found[0].responses[i];
        const float b = found[1].responses[i];
        assert_that(exact ? a == b : fabsf(a - b) <= RESPONSE_OFF,
                    "%s: scale %zu, pixel %zu: %.9g, not %.9g", what, i / pixels, i % pixels,
                    (double)b, (double)a);
    }
    assert_that(found[0].count == found[1].count, "%s: %u blobs, not %u", what, found[1].count,
                found[0].count);
    for (uint32_t i = 0; i < found[0].count; i++) {
        const struct fovea_blob *a = &found[0].blobs[i];
        const struct fovea_blob *b = &found[1].blobs[i];
        assert_that(is_in(&found[1], a, exact, i),
                    "%s: blob %u is at %.9g %.9g, sigma %.9g, %.9g, not %.9g %.9g, %.9g, %.9g",
                    what, i, (double)b->x_px, (double)b->y_px, (double)b->sigma_px,
                    (double)b->strength, (double)a->x_px, (double)a->y_px, (double)a->sigma_px,
                    (double)a->strength);
    }
    for (int i = 0; i < 2; i++) {
        test_free(found[i].blobs);
        test_free(found[i].responses);
    }
    return found[0].count;
}

TEST(responses_and_lists_are_the_processors)
{
#define FORMAT(name, vk) FOVEA_FORMAT_##name, VK_FORMAT_##vk
    static const struct row rows[] = {
        {1, 1, FORMAT(RGBA8, R8G8B8A8_UNORM), IMAGE_RANDOM, 19, 2.0, 0.02, 0.5, 9, ALL_PLANES,
         false},
        {54, 40, FORMAT(RGBA8, R8G8B8A8_UNORM), IMAGE_PHOTO, 11, 2.0, 0.02, 0.5, BLOBS, ALL_PLANES,
         false},
        {33, 40, FORMAT(R32F, R32_SFLOAT), IMAGE_ZONE_PLATE, 13, 2.0, 0.02, 0.3, BLOBS, ALL_PLANES,
         false},
        {5, 3, FORMAT(RGBA16F, R16G16B16A16_SFLOAT), IMAGE_RANDOM, 25, 1.0, 0.02, 0.5, BLOBS,
         ALL_PLANES, false},
        {40, 37, FORMAT(A2B10G10R10, A2B10G10R10_UNORM_PACK32), IMAGE_STROKES, 7, 5.0, 0.02, 0.5,
         BLOBS, ALL_PLANES, false},
        /* planes in bands, one after the other; more blobs than are wanted, and a tie of many */
        {150, 96, FORMAT(R8, R8_UNORM), IMAGE_CHECKER, 7, 3.9, -1.0, 1.0, 40, 1, false},
        {48, 48, FORMAT(R8, R8_UNORM), IMAGE_RANDOM, 5, 1.0, -1.0, 0.01, BLOBS, ALL_PLANES, false},
        /* more candidates than a workgroup sorts, and than one pass merges */
        {480, 480, FORMAT(R8, R8_UNORM), IMAGE_ZONE_PLATE, 3, 1.0, -1.0, 1.0, BLOBS, ALL_PLANES,
         false},
        {1700, 1700, FORMAT(R8, R8_UNORM), IMAGE_ZONE_PLATE, 3, 1.0, -1.0, 1.0, 20000, ALL_PLANES,
         true},
        {64, 64, FORMAT(RGBA32F, R32G32B32A32_SFLOAT), IMAGE_PHOTO, 25, 64.0, -1.0, 0.5, BLOBS,
         ALL_PLANES, true},
        {90, 70, FORMAT(B10G11R11F, B10G11R11_UFLOAT_PACK32), IMAGE_RANDOM, 8, 1.3, 0.02, 0.5,
         BLOBS, ALL_PLANES, true},
        {640, 480, FORMAT(RGBA8, R8G8B8A8_UNORM), IMAGE_PHOTO, 19, 2.0, 0.02, 0.5, BLOBS,
         ALL_PLANES, true},
        {1280, 720, FORMAT(RGBA8, R8G8B8A8_UNORM), IMAGE_RANDOM, 19, 2.0, 0.02, 0.5, 60000,
         ALL_PLANES, true},
    };
    struct bed bed;
    uint32_t count = 0;
    bed_open(&bed);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].slow || !is_cpu(&bed)) {
            count += compare(&bed, &rows[i]);
        }
    }
    assert_that(count > 20, "%u blobs of all pictures", count);
    bed_close(&bed);
}

/* ---- Refusals */

TEST(a_desc_is_refused_with_its_field)
{
    static const char *const fields[] = {"instance", "height_px", "calls_in_flight", "overlap"};
    struct bed bed;
    bed_open(&bed);
    const struct fovea_blobs_vk_desc fine = bed.desc;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct fovea_blobs_vk *blobs = NULL;
        bed.desc = fine;
        bed.desc.instance = i == 0 ? VK_NULL_HANDLE : fine.instance;
        bed.desc.height_px = i == 1 ? 16385 : 20;
        bed.desc.calls_in_flight = i == 2 ? 1025 : 1;
        bed.blobs.overlap = i == 3 ? 1.5 : 0.5;
        assert_int_equal(fovea_blobs_vk_create(&bed.desc, &blobs), FOVEA_ERROR_INVALID_ARGUMENT);
        assert_that(!blobs && strstr(bed.said, fields[i]), "%s: '%s'", fields[i], bed.said);
    }
    bed_close(&bed);
}

TEST(what_is_wrong_is_said_with_its_field_and_calls_wait_for_frames)
{
    static const char *const fields[] = {"recording.commands", "recording.frame", "picture.view",
                                         "picture.format",     "picture.layout",  "list.buffer",
                                         "list.offset"};
    struct bed bed;
    struct fovea_blobs_vk *blobs = NULL;
    bed_open(&bed);
    struct engine_image image =
        engine_plain_create(&bed.engine, VK_FORMAT_R32_SFLOAT, 20, 20,
                            VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
    struct engine_buffer buffer =
        engine_buffer_create(&bed.engine, FOVEA_BLOBS_VK_LIST_BYTES(FOVEA_BLOBS_DEFAULT));
    bed.desc.blobs = NULL;
    bed.desc.calls_in_flight = 2;
    assert_ok(fovea_blobs_vk_create(&bed.desc, &blobs));
    struct fovea_vk_recording recording;
    fovea_vk_recording_init(&recording);
    recording.frame = 1;
    recording.commands = engine_begin(&bed.engine);
    const struct fovea_blobs_vk_image fine = {image.raw_view, VK_FORMAT_R32_SFLOAT,
                                              VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_blobs_vk_buffer list = {buffer.buffer, 0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct fovea_vk_recording into = recording;
        struct fovea_blobs_vk_image picture = fine;
        struct fovea_blobs_vk_buffer to = list;
        into.commands = i == 0 ? VK_NULL_HANDLE : into.commands;
        into.frame = i == 1 ? 0 : 1;
        picture.view = i == 2 ? VK_NULL_HANDLE : picture.view;
        picture.format = i == 3 ? VK_FORMAT_R8G8B8A8_SRGB : picture.format;
        picture.layout = i == 4 ? VK_IMAGE_LAYOUT_UNDEFINED : picture.layout;
        to.buffer = i == 5 ? VK_NULL_HANDLE : to.buffer;
        to.offset = i == 6 ? 16 : 0;
        bed.said[0] = 0;
        assert_int_equal(fovea_blobs_vk_run(blobs, &into, &picture, &to),
                         i == 3 ? FOVEA_ERROR_UNSUPPORTED : FOVEA_ERROR_INVALID_ARGUMENT);
        assert_that(strstr(bed.said, fields[i]), "%s: '%s'", fields[i], bed.said);
    }
    assert_int_equal(fovea_blobs_vk_response(blobs, &recording, 3, &fine),
                     FOVEA_ERROR_INVALID_STATE);
    assert_ok(fovea_blobs_vk_run(blobs, &recording, &fine, &list));
    assert_int_equal(fovea_blobs_vk_response(blobs, &recording, 19, &fine),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_ok(fovea_blobs_vk_response(blobs, &recording, 18, &fine));
    assert_int_equal(fovea_blobs_vk_run(blobs, &recording, &fine, &list), FOVEA_NOT_READY);
    engine_idle(&bed.engine); /* they are dropped */
    fovea_blobs_vk_destroy(&blobs);
    fovea_blobs_vk_destroy(&blobs);
    engine_buffer_destroy(&bed.engine, &buffer);
    engine_image_destroy(&bed.engine, &image);
    bed_close(&bed);
}
