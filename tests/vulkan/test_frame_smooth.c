/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveated Vulkan images beside the cpu backend's, where they are too large or too many for the
 * reference, to which test_frame_operators holds both. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"
#include "sanitized.h"

#include <inttypes.h>

#define WIDTH_PX 160
#define HEIGHT_PX 90

static struct fovea_settings smooth_settings(enum fovea_model model)
{
    struct fovea_settings settings = rig_settings();
    settings.foveation.method = FOVEA_METHOD_SMOOTH;
    settings.foveation.model = model;
    return settings;
}

/* A file that is no picture. */
static void write_words(char path[], int path_bytes)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, (size_t)path_bytes, "%s/fovea-words-XXXXXX", folder ? folder : "/tmp");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "no picture", 10), 10);
    assert_int_equal(close(file), 0);
}

/* The picture stays as the old settings made it. */
TEST(maps_that_cannot_be_taken_change_nothing)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_MAP);
    RIG(rig, &settings);
    rig.settings.foveation.map.kind = FOVEA_MAP_ARRAY;
    rig.settings.foveation.map.values = image_map;
    rig.settings.foveation.map.width = IMAGE_MAP_WIDTH;
    rig.settings.foveation.map.height = IMAGE_MAP_HEIGHT;
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    struct fovea_settings wrong = rig.settings;
    wrong.foveation.map.kind = FOVEA_MAP_FILE;
    snprintf(wrong.foveation.map.file, sizeof wrong.foveation.map.file, "/nowhere/map.png");
    assert_int_equal(fovea_vk_set_settings(rig.fovea, &wrong), FOVEA_ERROR_IO);
    write_words(wrong.foveation.map.file, sizeof wrong.foveation.map.file);
    const enum fovea_result no_picture = fovea_vk_set_settings(rig.fovea, &wrong);
    assert_int_equal(unlink(wrong.foveation.map.file), 0);
    assert_int_equal(no_picture, FOVEA_ERROR_CONFIG);
    wrong = rig.settings;
    wrong.foveation.map.values = NULL;
    assert_int_equal(fovea_vk_set_settings(rig.fovea, &wrong), FOVEA_ERROR_INVALID_ARGUMENT);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 5);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE after = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                        rig_gaze(0.4, 0.6), &after.view));
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                        rig_gaze(0.4, 0.6), &dst.view));
    compare_assert_all_same(&after.view, &dst.view, "the old map");
}

/* ---- Against the cpu backend, which has tests of its own against the reference */

struct beside_cpu {
    struct rig rig;
    struct fovea_context *context;
};

static void open_beside_cpu(struct beside_cpu *both, const struct fovea_settings *settings)
{
    rig_open(&both->rig, settings);
    struct fovea_settings cpu = *settings;
    cpu.backend = FOVEA_BACKEND_CPU;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &cpu;
    assert_ok(fovea_context_create(&desc, &both->context));
}

static void close_beside_cpu(struct beside_cpu *both)
{
    fovea_context_destroy(&both->context);
    rig_close(&both->rig);
}

struct beside_case {
    VkFormat format;
    double largest; /* of white: three levels of eight bits, and a step where it is coarser */
    uint32_t width_px;
    uint32_t height_px;
    int pattern; /* of either enum */
    struct fovea_point_uv gaze;
};

/* A value that is rounded twice is within the bound, and off by this on average. */
#define MOST_ON_AVERAGE 0.25 /* levels */

static double mean_difference(const struct fovea_image *one, const struct fovea_image *other)
{
    double sum = 0.0;
    for (uint32_t y = 0; y < one->height_px; y++) {
        for (uint32_t x = 0; x < one->width_px; x++) {
            for (uint32_t c = 0; c < 3; c++) {
                sum += fabs(image_get(one, x, y, c) - image_get(other, x, y, c));
            }
        }
    }
    return sum / (3.0 * one->width_px * one->height_px);
}

static void check_beside_cpu(struct beside_cpu *both, const struct beside_case *c)
{
    enum fovea_format pixel = rig_pixel_format(c->format);
    OWNED_IMAGE src = image_make_packed(c->width_px, c->height_px, pixel);
    image_draw_contrast(&src.view, c->pattern);
    OWNED_IMAGE dst = image_make_packed(c->width_px, c->height_px, pixel);
    OWNED_IMAGE cpu = image_make_packed(c->width_px, c->height_px, pixel);
    assert_ok(rig_frame(&both->rig, RIG_MADE_TO_MADE, c->format, &src.view,
                        rig_gaze(c->gaze.x_uv, c->gaze.y_uv), &dst.view));
    assert_ok(fovea_context_run(both->context, &src.view, &cpu.view, c->gaze, NULL));
    struct compare_rect where;
    double largest = compare_largest(&dst.view, &cpu.view, &where);
    assert_that(largest <= c->largest * image_white(pixel, 0),
                "format %d, pattern %d, gaze %.2f %.2f: %f at %u %u", c->format, c->pattern,
                c->gaze.x_uv, c->gaze.y_uv, largest, where.x, where.y);
    /* Checkers and zone plates are at 127.5 where they are blurred, and either level is right. */
    const bool asks = pixel == FOVEA_FORMAT_RGBA8 && c->pattern != IMAGE_CHECKER &&
                      c->pattern != IMAGE_ZONE_PLATE;
    const double mean = asks ? mean_difference(&dst.view, &cpu.view) : 0.0;
    assert_that(mean <= MOST_ON_AVERAGE, "pattern %d, gaze %.2f %.2f: %.3f levels on average",
                c->pattern, c->gaze.x_uv, c->gaze.y_uv, mean);
}

static const struct {
    VkFormat format;
    double largest;
} other_formats[] = {{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 3.0 / 255},
                     {VK_FORMAT_R16G16B16A16_SFLOAT, 3.0 / 255},
                     {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 3.0 / 255 + 1.0 / 32}};

/* Large enough for the law to be as flat as tiles ask for, and no whole number of them. */
TEST(tiles_are_as_the_cpu_has_them)
{
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_MAP, FOVEA_MODEL_RELATIVE};
    static const struct fovea_point_uv gazes[] = {{0.5, 0.5}, {0.01, 0.98}, {1.1, -0.2}};
    static const int sample[] = {0, 3, 4,
                                 6}; /* each model in one of the lights, other formats once */
    const bool all = test_all_cases();
    for (int n = 0; n < (all ? 8 : 4); n++) {
        const int i = all ? n : sample[n];
        struct fovea_settings settings = smooth_settings(models[i / 2]);
        settings.foveation.light = i % 2 ? FOVEA_LIGHT_ENCODED : FOVEA_LIGHT_LINEAR;
        settings.foveation.geometry.screen_width_m = 0.5;
        settings.foveation.geometry.distance_m = 0.6;
        settings.foveation.strength = models[i / 2] == FOVEA_MODEL_PHYSICAL ? 2.0 : 1.0;
        OWNED(close_beside_cpu) struct beside_cpu both;
        open_beside_cpu(&both, &settings);
        for (int pattern = test_first(IMAGE_PATTERN_COUNT); pattern < IMAGE_PATTERN_COUNT;
             pattern += TEST_STEP(pattern)) {
            const struct beside_case c = {VK_FORMAT_R8G8B8A8_UNORM, 3.0 / 255, 1003, 571, pattern,
                                          gazes[pattern % 3]};
            check_beside_cpu(&both, &c);
        }
        const size_t formats = i % 2 ? sizeof other_formats / sizeof other_formats[0] : 0;
        for (size_t k = 0; k < formats; k++) {
            const struct beside_case c = {other_formats[k].format,
                                          other_formats[k].largest,
                                          1003,
                                          571,
                                          IMAGE_STROKES,
                                          gazes[k]};
            check_beside_cpu(&both, &c);
        }
    }
}

/* ---- NaN ---- */

#define NAN_WIDTH_PX 500
#define NAN_HEIGHT_PX 300
static const uint32_t nan_places[][2] = {{499, 0}, {130, 95}, {290, 210}, {420, 130}};

static int64_t away_px(uint32_t x, uint32_t y)
{
    int64_t nearest = INT64_MAX;
    for (size_t i = 0; i < sizeof nan_places / sizeof nan_places[0]; i++) {
        const int64_t across = imaxabs((int64_t)x - nan_places[i][0]);
        const int64_t down = imaxabs((int64_t)y - nan_places[i][1]);
        const int64_t away = across > down ? across : down;
        nearest = away < nearest ? away : nearest;
    }
    return nearest;
}

/* Returns the reach that fovea.h has, of the tile of 64 x 64 that the pixel lies in. */
static int64_t tile_reach_px(const struct gauss_plan *plan, const struct gauss_frame *frame,
                             uint32_t x, uint32_t y)
{
    const int32_t left = (int32_t)(x / 64 * 64) - 19;
    const int32_t top = (int32_t)(y / 64 * 64) - 19;
    float largest_px = 0;
    for (int32_t v = top; v < top + 64 + 38; v += 2) {
        for (int32_t u = left; u < left + 64 + 38; u += 2) {
            largest_px = fmaxf(largest_px, gauss_sigma_at(plan, frame, u, v));
        }
    }
    const int32_t k = gauss_level_for(largest_px, plan->level_count);
    return (int64_t)ceilf(GAUSS_REACH * largest_px) + 4 * ((1 << k) - 1) + 3 * (1 << k);
}

static void assert_nan_within_reach(const struct gauss_plan *plan, const struct gauss_frame *frame,
                                    const struct fovea_image *result)
{
    uint32_t seen = 0;
    for (uint32_t y = 0; y < NAN_HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < NAN_WIDTH_PX; x++) {
            const bool others =
                isnan(image_get(result, x, y, 0)) || isnan(image_get(result, x, y, 2));
            const bool own = isnan(image_get(result, x, y, 1));
            seen += own;
            assert_that(!others && !((own && away_px(x, y) > tile_reach_px(plan, frame, x, y))),
                        "NaN at %u,%u, %d away, reach %d", x, y, (int)away_px(x, y),
                        (int)tile_reach_px(plan, frame, x, y));
        }
    }
    print_message("%u pixels\n", seen);
    assert_in_range(seen, 16, NAN_WIDTH_PX * NAN_HEIGHT_PX / 4);
}

TEST(nan_stays_within_the_reach_of_its_tile)
{
    static const VkFormat formats[] = {VK_FORMAT_R16G16B16A16_SFLOAT,
                                       VK_FORMAT_B10G11R11_UFLOAT_PACK32};
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.foveation.strength = 0.5;
    RIG(rig, &settings);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&settings.foveation, NAN_WIDTH_PX, NAN_HEIGHT_PX, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){0.2, 0.3});
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const enum fovea_format pixel = rig_pixel_format(formats[i]);
        OWNED_IMAGE src = image_drawn(NAN_WIDTH_PX, NAN_HEIGHT_PX, pixel, IMAGE_PHOTO, 3);
        OWNED_IMAGE dst = image_make_packed(NAN_WIDTH_PX, NAN_HEIGHT_PX, pixel);
        for (size_t n = 0; n < sizeof nan_places / sizeof nan_places[0]; n++) {
            image_set(&src.view, nan_places[n][0], nan_places[n][1], 1, (double)NAN);
        }
        assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, formats[i], &src.view, rig_gaze(0.2, 0.3),
                            &dst.view));
        assert_nan_within_reach(plan, &frame, &dst.view);
    }
}

TEST(flat_pictures_stay_flat)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    RIG(rig, &settings);
    for (int level = 0; level < 256; level += 5) {
        OWNED_IMAGE src = image_make_packed(33, 21, FOVEA_FORMAT_RGBA8);
        OWNED_IMAGE dst = image_make_packed(33, 21, FOVEA_FORMAT_RGBA8);
        image_fill(&src.view, level);
        assert_ok(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_SRGB, &src.view,
                            rig_gaze(0.2, 0.2), &dst.view));
        compare_assert_all_same(&dst.view, &src.view, "flat");
    }
}

/* Fragments make it. A sample of the cases has 8K's width alone; under a sanitizer, a picture of 8K
 * says nothing more and takes long. */
TEST(eight_k_is_foveated_everywhere)
{
    static const uint32_t fragments_px[] = {32, 7};
    for (size_t i = 0; i < (TEST_SANITIZED ? 0 : 2); i++) {
        struct fovea_settings settings = rig_settings();
        settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
        settings.foveation.paper.fragment_px = fragments_px[i];
        settings.foveation.strength = 0.2;
        OWNED(close_beside_cpu) struct beside_cpu both;
        open_beside_cpu(&both, &settings);
        const struct beside_case c = {VK_FORMAT_R8G8B8A8_UNORM,      1.0 / 255,    7680,
                                      test_all_cases() ? 4320 : 270, IMAGE_RANDOM, {0.4, 0.6}};
        check_beside_cpu(&both, &c);
    }
}

/* Gaussians of floats end where the cpu's do, those of stored values nearer: beside a half of white
 * it shows. */
TEST(fragments_of_floats_reach_as_far_as_the_cpus)
{
    const struct fovea_settings settings = rig_settings();
    OWNED(close_beside_cpu) struct beside_cpu both;
    open_beside_cpu(&both, &settings);
    const struct beside_case c = {
        VK_FORMAT_R16G16B16A16_SFLOAT, 0.0085, 640, 360, IMAGE_HALF, {0.3, 0.5}};
    check_beside_cpu(&both, &c);
}
