/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method on Vulkan images: every model and light against the double-precision reference,
 * at most three levels anywhere. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"
#include "sanitized.h"

#include <inttypes.h>
#include <unistd.h>

#define WIDTH_PX 160
#define HEIGHT_PX 90

/* ---- The reference, rounded, in levels ---- */

static double to_light(double level)
{
    double v = level / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double from_light(double light)
{
    double v = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
    return v * 255.0;
}

/* RGBA8, alpha kept. */
static double *expected_of(const struct fovea_foveation *foveation, const struct fovea_image *src,
                           struct foveate_frame frame)
{
    size_t count = (size_t)src->width_px * src->height_px * 4;
    double *in = image_to_doubles(src);
    double *out = malloc(count * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < count && frame.light; i++) {
        in[i] = i % 4 == 3 ? in[i] : to_light(in[i]);
    }
    assert_int_equal(foveate_reference_smooth(foveation, src->width_px, src->height_px, 4, in, out,
                                              frame.gaze_x_q8 / 256.0, frame.gaze_y_q8 / 256.0),
                     FOVEA_OK);
    for (size_t i = 0; i < count; i++) {
        double level = frame.light && i % 4 != 3 ? from_light(out[i]) : out[i];
        out[i] = i % 4 == 3 ? in[i] : floor(level + 0.5);
    }
    free(in);
    return out;
}

static struct foveate_frame frame_of(const struct fovea_foveation *foveation,
                                     const struct fovea_image *src, struct fovea_point_uv gaze)
{
    struct foveate_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(foveation, src->width_px, src->height_px, &plan),
                     FOVEA_OK);
    struct foveate_frame frame = foveate_frame_make(plan, gaze);
    foveate_plan_destroy(&plan);
    return frame;
}

static void check(struct rig *rig, const char *name, enum image_pattern pattern,
                  struct fovea_point_uv gaze)
{
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, pattern, 5);
    assert_int_equal(fovea_vk_set_settings(rig->fovea, &rig->settings), FOVEA_OK);
    assert_int_equal(rig_frame(rig, RIG_MADE_TO_MADE, VK_FORMAT_B8G8R8A8_SRGB, &src.view,
                               rig_gaze(gaze.x_uv, gaze.y_uv), &dst.view),
                     FOVEA_OK);
    const struct fovea_foveation *foveation = &rig->settings.foveation;
    double *expected = expected_of(foveation, &src.view, frame_of(foveation, &src.view, gaze));
    struct compare_budget budget = {.max_abs = 3.0, .max_mean_abs = 0.6};
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %s, gaze %.2f %.2f", rig_backend_name(), name,
             image_pattern_name(pattern), gaze.x_uv, gaze.y_uv);
    compare_assert_close(&dst.view, expected, budget, what);
    free(expected);
    image_free(&src);
    image_free(&dst);
}

static void check_patterns(struct rig *rig, const char *name)
{
    static const struct fovea_point_uv gazes[] = {{0.5, 0.5}, {0.07, 0.9}, {1.3, -0.2}};
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
        check(rig, name, (enum image_pattern)pattern, gazes[pattern % 3]);
    }
}

static struct fovea_settings smooth_settings(enum fovea_model model)
{
    struct fovea_settings settings = rig_settings();
    settings.foveation.method = FOVEA_METHOD_SMOOTH;
    settings.foveation.model = model;
    return settings;
}

TEST(the_papers_law_is_the_reference_in_either_light)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct rig rig;
    rig_open(&rig, &settings);
    rig.settings.foveation.light = FOVEA_LIGHT_ENCODED;
    check_patterns(&rig, "paper, encoded");
    rig.settings.foveation.light = FOVEA_LIGHT_LINEAR;
    check_patterns(&rig, "paper, linear");
    rig_close(&rig);
}

TEST(real_views_are_the_reference)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PHYSICAL);
    struct rig rig;
    rig_open(&rig, &settings);
    rig.settings.foveation.geometry.ppd = 4.0;
    check_patterns(&rig, "physical, 4 ppd");
    rig.settings.foveation.geometry = (struct fovea_geometry){.tan_left = 1.3,
                                                              .tan_right = 0.9,
                                                              .tan_up = 0.8,
                                                              .tan_down = 1.1,
                                                              .screen_width_m = 0.5,
                                                              .distance_m = 0.6};
    check_patterns(&rig, "physical, asymmetric");
    rig.settings.foveation.model = FOVEA_MODEL_CURVE;
    rig.settings.foveation.strength = 2.0;
    check_patterns(&rig, "curve, twice as strong");
    rig.settings.foveation.strength = 1.0;
    rig.settings.foveation.curve = (struct fovea_curve){
        .count = 4, .eccentricity_deg = {0, 15, 15.2, 90}, .cutoff_cpd = {0.2, 0.2, 60, 60}};
    check(&rig, "a scotoma", IMAGE_STROKES, (struct fovea_point_uv){0.5, 0.5});
    rig_close(&rig);
}

/* Ten degrees a sample, two peaks, no symmetry. */
static const float samples[] = {
    3,  1, 0,  2, 5, 1, 0.5f, 2, 4, 6,  9, 7, 2, 1, 1, 5, 9, 20,
    12, 8, 11, 0, 2, 5, 8,    7, 9, 14, 1, 0, 1, 3, 2, 6, 8,
};

static void set_map(struct rig *rig, int i)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    struct fovea_foveation *f = &rig->settings.foveation;
    const bool view = i / 3 % 2;
    f->map.kind = kinds[i % 3];
    f->map.degrees = view ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
    f->map.law = (enum fovea_map_law)(i / 6);
    f->map.eye = (enum fovea_map_eye)(i % 2);
    f->map.values = samples;
    f->map.width = 7;
    f->map.height = 5;
    f->map.width_deg = 70.0;
    /* Few pixels a degree, so that a small picture is a wide view. */
    f->map.cutoff_cpd = view ? 4.0 : 0.0;
    f->paper.alpha = view ? 0.4 : 0.106;
    f->geometry.tan_left = 0.7;
    f->geometry.tan_right = 1.1;
    f->geometry.tan_up = 0.8;
    f->geometry.tan_down = 0.4;
}

TEST(maps_are_the_reference)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_MAP);
    struct rig rig;
    rig_open(&rig, &settings);
    for (int i = test_first(12); i < 12; i += TEST_STEP(i)) {
        char name[64];
        set_map(&rig, i);
        snprintf(name, sizeof name, "map %d, law %d, degrees %d", i % 3, i / 6, i / 3 % 2);
        static const struct fovea_point_uv gazes[] = {{0.5, 0.5}, {0, 1}, {1.3, -0.2}, {0.2, 0.7}};
        check(&rig, name, (enum image_pattern)(i % IMAGE_PATTERN_COUNT), gazes[i % 4]);
    }
    rig_close(&rig);
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
    struct rig rig;
    rig_open(&rig, &settings);
    set_map(&rig, 2);
    check(&rig, "before", IMAGE_STROKES, (struct fovea_point_uv){0.4, 0.6});
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
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    struct test_image after = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_STROKES, 5);
    assert_int_equal(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                               rig_gaze(0.4, 0.6), &after.view),
                     FOVEA_OK);
    assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
    assert_int_equal(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                               rig_gaze(0.4, 0.6), &dst.view),
                     FOVEA_OK);
    compare_assert_all_same(&after.view, &dst.view, "the old map");
    image_free(&src);
    image_free(&dst);
    image_free(&after);
    rig_close(&rig);
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
    assert_int_equal(fovea_context_create(&desc, &both->context), FOVEA_OK);
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
    enum image_pattern pattern;
    struct fovea_point_uv gaze;
};

/* What is rounded twice is within the bound for each value, and off by this on average. */
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
    struct test_image src = image_make_packed(c->width_px, c->height_px, pixel);
    struct test_image dst = image_make_packed(c->width_px, c->height_px, pixel);
    struct test_image cpu = image_make_packed(c->width_px, c->height_px, pixel);
    image_draw(&src.view, c->pattern, 3);
    assert_int_equal(rig_frame(&both->rig, RIG_MADE_TO_MADE, c->format, &src.view,
                               rig_gaze(c->gaze.x_uv, c->gaze.y_uv), &dst.view),
                     FOVEA_OK);
    assert_int_equal(fovea_context_run(both->context, &src.view, &cpu.view, c->gaze, NULL),
                     FOVEA_OK);
    struct compare_rect where;
    double largest = compare_largest(&dst.view, &cpu.view, &where);
    if (!(largest <= c->largest * image_white(pixel, 0))) {
        fail_msg("format %d, %s, gaze %.2f %.2f: %f at %u %u", c->format,
                 image_pattern_name(c->pattern), c->gaze.x_uv, c->gaze.y_uv, largest, where.x,
                 where.y);
    }
    /* Checkers and zone plates are at 127.5 where they are blurred, and either level is right. */
    const bool asks = pixel == FOVEA_FORMAT_RGBA8 && c->pattern != IMAGE_CHECKER &&
                      c->pattern != IMAGE_ZONE_PLATE;
    const double mean = asks ? mean_difference(&dst.view, &cpu.view) : 0.0;
    if (!(mean <= MOST_ON_AVERAGE)) {
        fail_msg("%s, gaze %.2f %.2f: %.3f levels on average", image_pattern_name(c->pattern),
                 c->gaze.x_uv, c->gaze.y_uv, mean);
    }
    image_free(&src);
    image_free(&dst);
    image_free(&cpu);
}

static const struct {
    VkFormat format;
    double largest;
} other_formats[] = {{VK_FORMAT_A2B10G10R10_UNORM_PACK32, 3.0 / 255},
                     {VK_FORMAT_R16G16B16A16_SFLOAT, 3.0 / 255},
                     {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 3.0 / 255 + 1.0 / 32}};

TEST(every_format_is_as_the_cpu_has_it)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct beside_cpu both;
    open_beside_cpu(&both, &settings);
    for (size_t i = 0; i < sizeof other_formats / sizeof other_formats[0]; i++) {
        const struct beside_case c = {other_formats[i].format,
                                      other_formats[i].largest,
                                      WIDTH_PX,
                                      HEIGHT_PX,
                                      IMAGE_STROKES,
                                      {0.4, 0.6}};
        check_beside_cpu(&both, &c);
    }
    close_beside_cpu(&both);
}

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
        struct beside_cpu both;
        open_beside_cpu(&both, &settings);
        for (int pattern = test_first(IMAGE_PATTERN_COUNT); pattern < IMAGE_PATTERN_COUNT;
             pattern += TEST_STEP(pattern)) {
            const struct beside_case c = {VK_FORMAT_R8G8B8A8_UNORM,    3.0 / 255,         1003, 571,
                                          (enum image_pattern)pattern, gazes[pattern % 3]};
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
        close_beside_cpu(&both);
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

/* As fovea.h has it, of the tile of 64 x 64 that the pixel lies in. */
static int64_t tile_reach_px(const struct foveate_plan *plan, const struct foveate_frame *frame,
                             uint32_t x, uint32_t y)
{
    const int32_t left = (int32_t)(x / 64 * 64) - 19;
    const int32_t top = (int32_t)(y / 64 * 64) - 19;
    float largest_px = 0;
    for (int32_t v = top; v < top + 64 + 38; v += 2) {
        for (int32_t u = left; u < left + 64 + 38; u += 2) {
            largest_px = fmaxf(largest_px, foveate_sigma_at(plan, frame, u, v));
        }
    }
    const int32_t k = foveate_level_for(largest_px, plan->level_count);
    return (int64_t)ceilf(FOVEATE_REACH * largest_px) + 4 * ((1 << k) - 1) + 3 * (1 << k);
}

static void assert_nan_within_reach(const struct foveate_plan *plan,
                                    const struct foveate_frame *frame,
                                    const struct fovea_image *result)
{
    uint32_t seen = 0;
    for (uint32_t y = 0; y < NAN_HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < NAN_WIDTH_PX; x++) {
            const bool others =
                isnan(image_get(result, x, y, 0)) || isnan(image_get(result, x, y, 2));
            const bool own = isnan(image_get(result, x, y, 1));
            seen += own;
            if (others || (own && away_px(x, y) > tile_reach_px(plan, frame, x, y))) {
                fail_msg("NaN at %u,%u, %d away, reach %d", x, y, (int)away_px(x, y),
                         (int)tile_reach_px(plan, frame, x, y));
            }
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
    struct rig rig;
    rig_open(&rig, &settings);
    struct foveate_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(&settings.foveation, NAN_WIDTH_PX, NAN_HEIGHT_PX, &plan),
                     FOVEA_OK);
    const struct foveate_frame frame = foveate_frame_make(plan, (struct fovea_point_uv){0.2, 0.3});
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const enum fovea_format pixel = rig_pixel_format(formats[i]);
        struct test_image src = image_make_packed(NAN_WIDTH_PX, NAN_HEIGHT_PX, pixel);
        struct test_image dst = image_make_packed(NAN_WIDTH_PX, NAN_HEIGHT_PX, pixel);
        image_draw(&src.view, IMAGE_PHOTO, 3);
        for (size_t n = 0; n < sizeof nan_places / sizeof nan_places[0]; n++) {
            image_set(&src.view, nan_places[n][0], nan_places[n][1], 1, (double)NAN);
        }
        assert_int_equal(
            rig_frame(&rig, RIG_MADE_TO_MADE, formats[i], &src.view, rig_gaze(0.2, 0.3), &dst.view),
            FOVEA_OK);
        assert_nan_within_reach(plan, &frame, &dst.view);
        image_free(&src);
        image_free(&dst);
    }
    foveate_plan_destroy(&plan);
    rig_close(&rig);
}

TEST(strength_zero_is_the_identity_and_fovea_is_copied)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.foveation.strength = 0;
    struct rig rig;
    rig_open(&rig, &settings);
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_RANDOM, 2);
    struct fovea_gaze gaze = rig_gaze(0.5, 0.5);
    assert_int_equal(
        rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_UNORM, &src.view, gaze, &dst.view),
        FOVEA_OK);
    compare_assert_all_same(&dst.view, &src.view, "strength 0");
    rig.settings.foveation.strength = 1;
    rig.settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    rig.settings.foveation.geometry.ppd = 20;
    assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
    assert_int_equal(
        rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_UNORM, &src.view, gaze, &dst.view),
        FOVEA_OK);
    /* 20 pixels a degree: sharp to 6.7 degrees; the picture ends at 4.6. */
    compare_assert_all_same(&dst.view, &src.view, "all of it within the fovea");
    image_free(&src);
    image_free(&dst);
    rig_close(&rig);
}

TEST(flat_pictures_stay_flat)
{
    struct fovea_settings settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct rig rig;
    rig_open(&rig, &settings);
    for (int level = 0; level < 256; level += 5) {
        struct test_image src = image_make_packed(33, 21, FOVEA_FORMAT_RGBA8);
        struct test_image dst = image_make_packed(33, 21, FOVEA_FORMAT_RGBA8);
        image_fill(&src.view, level);
        assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_SRGB, &src.view,
                                   rig_gaze(0.2, 0.2), &dst.view),
                         FOVEA_OK);
        compare_assert_all_same(&dst.view, &src.view, "flat");
        image_free(&src);
        image_free(&dst);
    }
    rig_close(&rig);
}
