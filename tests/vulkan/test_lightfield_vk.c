/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields in a program's command buffers: formats of pictures, what is refused, and calls that
 * are not finished. test_lightfield_vulkan has the numbers. */

#include "cmocka_all.h"
#include "fovea_lightfield_vk.h"
#include "recorded.h"
#include "rig.h"

#define SIDE_PX 40
#define RAW_PX 80
#define CALLS 3

struct bed {
    struct engine engine;
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_vk *field;
    struct engine_image raw_image;
    struct fovea_lightfield_vk_raw raw;
    struct fovea_vk_recording recording;
    char said[RECORDED_WORDS];
};

static struct fovea_lightfield_vk_desc desc_of(struct bed *bed)
{
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_vk_desc_init(&desc);
    ENGINE_DESCRIBE(&bed->engine, &desc);
    desc.queue_family = bed->engine.family;
    desc.geometry = &bed->geometry;
    desc.width_px = desc.height_px = SIDE_PX;
    desc.calls_in_flight = CALLS;
    desc.log = (struct fovea_log){.fn = recorded_words, .user = bed->said};
    return desc;
}

static void bed_open(struct bed *bed)
{
    const struct engine_options options = rig_engine_options();
    uint8_t pixels[RAW_PX * RAW_PX * 4];
    *bed = (struct bed){0};
    assert_true(engine_open(&bed->engine, &options));
    fovea_lightfield_geometry_init(&bed->geometry);
    bed->geometry.raw_width_px = bed->geometry.raw_height_px = RAW_PX;
    bed->geometry.columns = bed->geometry.rows = 4;
    bed->geometry.pitch_x_px = bed->geometry.pitch_y_px = 20.0;
    bed->geometry.origin_x_px = bed->geometry.origin_y_px = 10.0;
    const struct fovea_lightfield_vk_desc desc = desc_of(bed);
    assert_ok(fovea_lightfield_vk_create(&desc, &bed->field));
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(i * i / 97 + i / 3);
    }
    bed->raw_image = engine_seen_create(&bed->engine, VK_FORMAT_R8G8B8A8_UNORM, RAW_PX, RAW_PX, 1);
    engine_write(&bed->engine, bed->raw_image.image, RAW_PX, RAW_PX, VK_FORMAT_R8G8B8A8_UNORM,
                 pixels, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkImageViewCreateInfo view =
        vulkan_view_info(bed->raw_image.image, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(
        vkCreateImageView(bed->engine.device, &view, NULL, &bed->raw_image.raw_layers[1]),
        VK_SUCCESS);
    fovea_lightfield_vk_raw_init(&bed->raw);
    bed->raw.view = bed->raw_image.raw_layers[1];
    bed->raw.format = VK_FORMAT_R8G8B8A8_UNORM;
    bed->raw.layout = VK_IMAGE_LAYOUT_GENERAL;
    fovea_vk_recording_init(&bed->recording);
    bed->recording.frame = 1;
}

static void bed_close(struct bed *bed)
{
    fovea_lightfield_vk_destroy(&bed->field);
    fovea_lightfield_vk_destroy(&bed->field);
    engine_image_destroy(&bed->engine, &bed->raw_image);
    engine_close(&bed->engine);
}

static struct fovea_lightfield_rendering rendering_of(void)
{
    struct fovea_lightfield_rendering rendering;
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = 5.3;
    rendering.range = 1;
    return rendering;
}

/* ---- Formats */

/* A picture's pixels, as they are stored. */
static void render(struct bed *bed, VkFormat format, void *out)
{
    const struct fovea_lightfield_rendering rendering = rendering_of();
    struct engine_image image = engine_seen_create(&bed->engine, format, SIDE_PX, SIDE_PX, 1);
    const struct fovea_lightfield_vk_image dst = {image.raw_view, format, VK_IMAGE_LAYOUT_GENERAL};
    bed->recording.commands = engine_begin(&bed->engine);
    engine_record_barrier(bed->recording.commands, image.image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    assert_ok(
        fovea_lightfield_vk_render(bed->field, &bed->recording, &bed->raw, &rendering, NULL, &dst));
    engine_submit(&bed->engine, bed->recording.commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&bed->engine);
    bed->recording.finished_frame = bed->recording.frame++;
    engine_read(&bed->engine, image.image, SIDE_PX, SIDE_PX, format, out, VK_IMAGE_LAYOUT_GENERAL,
                VK_IMAGE_LAYOUT_GENERAL);
    engine_image_destroy(&bed->engine, &image);
}

static double half_of(uint16_t bits)
{
    return ldexp((bits & 0x3ff) + (bits >> 10 ? 1024 : 0), (bits >> 10 ? bits >> 10 : 1) - 25);
}

/* Red, green, blue and alpha, 1 is white. */
static void unpack(VkFormat format, const void *pixels, size_t number, double out[4])
{
    const uint32_t word = ((const uint32_t *)pixels)[number];
    const bool is_10 = format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ||
                       format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    const bool blue_first =
        format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned from = blue_first && c < 3 ? 2 - c : c;
        if (format == VK_FORMAT_R16G16B16A16_SFLOAT) {
            out[c] = half_of(((const uint16_t *)pixels)[4 * number + c]);
        } else if (is_10) {
            out[c] = c == 3 ? (word >> 30) / 3.0 : (word >> (10 * from) & 1023) / 1023.0;
        } else {
            out[c] = (word >> (8 * from) & 255) / 255.0;
        }
    }
}

TEST(every_format_has_the_same_picture)
{
    static const struct {
        VkFormat format;
        double step; /* within half of it, but for 1e-4 */
    } formats[] = {{VK_FORMAT_R8G8B8A8_UNORM, 1.0 / 255.0},
                   {VK_FORMAT_B8G8R8A8_SRGB, 1.0 / 255.0}, /* stored values, as all pictures */
                   {VK_FORMAT_B8G8R8A8_UNORM, 1.0 / 255.0},
                   {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 1.0 / 1023.0},
                   {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 1.0 / 1023.0}};
    static uint64_t halves[SIDE_PX * SIDE_PX];
    static uint64_t pixels[SIDE_PX * SIDE_PX];
    struct bed bed;
    bed_open(&bed);
    render(&bed, VK_FORMAT_R16G16B16A16_SFLOAT, halves);
    double brightest = 0.0;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const VkFormat as = formats[f].format == VK_FORMAT_B8G8R8A8_SRGB ? VK_FORMAT_B8G8R8A8_UNORM
                                                                         : formats[f].format;
        render(&bed, formats[f].format, pixels);
        for (size_t i = 0; i < SIDE_PX * SIDE_PX; i++) {
            double wanted[4];
            double found[4];
            unpack(VK_FORMAT_R16G16B16A16_SFLOAT, halves, i, wanted);
            unpack(as, pixels, i, found);
            for (int c = 0; c < 4; c++) {
                const double error = fabs(found[c] - wanted[c]);
                assert_that(error < 0.5 * formats[f].step + 3e-4 && (c < 3 || found[c] == 1.0),
                            "VkFormat %d, pixel %zu, channel %d: %g, not %g",
                            (int)formats[f].format, i, c, found[c], wanted[c]);
            }
            brightest = fmax(brightest, fabs(wanted[0] - wanted[2]));
        }
    }
    assert_true(brightest > 0.1); /* red is not blue */
    bed_close(&bed);
}

/* ---- Refusals */

struct given {
    struct fovea_vk_recording recording;
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_vk_image dst, patches;
};

static void expect_refused(struct bed *bed, const struct given *given, const char *field)
{
    bed->said[0] = 0;
    const enum fovea_result result =
        fovea_lightfield_vk_render(bed->field, &given->recording, &given->raw, &given->rendering,
                                   &given->patches, &given->dst);
    assert_that((result == FOVEA_ERROR_INVALID_ARGUMENT ||
                 (result == FOVEA_ERROR_UNSUPPORTED && strstr(field, "format"))) &&
                    strstr(bed->said, field),
                "%s: %d, '%s'", field, (int)result, bed->said);
}

/* A good call is refused when the last arguments have changed it. */
#define REFUSED(field, ...)                                                                        \
    do {                                                                                           \
        struct given given = {bed.recording, bed.raw, rendering_of(), any, any};                   \
        given.patches.format = VK_FORMAT_R32_SFLOAT;                                               \
        __VA_ARGS__;                                                                               \
        expect_refused(&bed, &given, field);                                                       \
    } while (0)

TEST(what_is_wrong_is_said_with_its_field)
{
    static const struct fovea_image no_image;
    struct bed bed;
    bed_open(&bed);
    bed.recording.commands = engine_begin(&bed.engine);
    const struct fovea_lightfield_vk_image any = {bed.raw.view, VK_FORMAT_R8G8B8A8_UNORM,
                                                  VK_IMAGE_LAYOUT_GENERAL};
    REFUSED("recording.commands", given.recording.commands = NULL);
    REFUSED("recording.frame", given.recording.frame = 0);
    REFUSED("raw.view", given.raw.view = NULL);
    REFUSED("raw.format", given.raw.format = VK_FORMAT_R8G8B8A8_SRGB);
    REFUSED("raw.layout", given.raw.layout = VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSED("raw.maximum", given.raw.maximum = 1023);
    REFUSED("raw.bayer", given.raw.bayer = FOVEA_LIGHTFIELD_BAYER_RGGB); /* of RGBA8 */
    REFUSED("patch_px", given.rendering.patch_px = 20.1);
    REFUSED("rendering.patches", given.rendering.patches = &no_image);
    REFUSED("dst.view", given.dst.view = NULL);
    REFUSED("dst.format", given.dst.format = VK_FORMAT_R8_UNORM);
    REFUSED("dst.layout", given.dst.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    REFUSED("patches.format", given.patches.format = VK_FORMAT_R16_SFLOAT);
    REFUSED("patches.layout", given.patches.layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    bed_close(&bed);
}

TEST(a_desc_is_refused_with_its_field)
{
    static const char *const fields[] = {"instance", "width_px", "calls_in_flight", "geometry",
                                         "columns"};
    struct bed bed;
    bed_open(&bed);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct fovea_lightfield_vk_desc desc = desc_of(&bed);
        struct fovea_lightfield_geometry geometry = bed.geometry;
        struct fovea_lightfield_vk *field = NULL;
        desc.instance = i == 0 ? VK_NULL_HANDLE : desc.instance;
        desc.width_px = i == 1 ? 0 : desc.width_px;
        desc.calls_in_flight = i == 2 ? 1025 : 1;
        desc.geometry = i == 3 ? NULL : &geometry;
        geometry.columns = i == 4 ? 0 : geometry.columns;
        assert_int_equal(fovea_lightfield_vk_create(&desc, &field), FOVEA_ERROR_INVALID_ARGUMENT);
        assert_that(!field && strstr(bed.said, fields[i]), "%s: '%s'", fields[i], bed.said);
    }
    bed_close(&bed);
}

/* ---- Calls in flight */

TEST(calls_wait_for_frames_that_are_finished)
{
    struct bed bed;
    bed_open(&bed);
    const struct fovea_lightfield_rendering rendering = rendering_of();
    struct engine_image image =
        engine_seen_create(&bed.engine, VK_FORMAT_R8G8B8A8_UNORM, SIDE_PX, SIDE_PX, 1);
    const struct fovea_lightfield_vk_image dst = {image.raw_view, VK_FORMAT_R8G8B8A8_UNORM,
                                                  VK_IMAGE_LAYOUT_GENERAL};
    bed.recording.commands = engine_begin(&bed.engine);
    for (int i = 0; i <= 2 * CALLS; i++) {
        if (i == CALLS + 1) {
            bed.recording.commands = engine_begin(&bed.engine);
        }
        bed.recording.frame = i < CALLS ? 1 : 2;
        bed.recording.finished_frame = i <= CALLS ? 0 : 1;
        assert_int_equal(
            fovea_lightfield_vk_render(bed.field, &bed.recording, &bed.raw, &rendering, NULL, &dst),
            i == CALLS ? FOVEA_NOT_READY : FOVEA_OK);
    }
    engine_idle(&bed.engine); /* they are dropped */
    engine_image_destroy(&bed.engine, &image);
    bed_close(&bed);
}
