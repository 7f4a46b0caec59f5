/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveation must have these properties beside nearness to the reference (test_operators_exact),
 * whatever method and model: identity, fovea, mirrors, motion, light, numbers that are none. */

#include "test_foveate_support.h"

#include <inttypes.h>

/* Paper and law models; maps by degrees of the view and of the paper. In a view so wide that there
 * is something to blur. */
#define LAWS 10
static struct fovea_foveation law_at(int i, enum fovea_method method)
{
    static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_ARRAY};
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_CURVE, FOVEA_MODEL_RELATIVE};
    struct fovea_foveation settings =
        i < 4 ? smooth_settings(models[i]) : map_settings(kinds[(i - 4) % 3]);
    settings.method = method;
    settings.paper.fragment_px = 16;
    settings.geometry.ppd = 4.0;
    if (i >= 4) {
        settings.map.degrees = i % 2 ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
        settings.map.cutoff_cpd = i % 2 ? 8.0 : 0.0;
        settings.map.eye = FOVEA_MAP_EYE_LEFT;
    }
    return settings;
}

struct pair {
    struct rig rig;
    struct test_image src;
    struct test_image dst;
};

static struct pair pair_make(struct fovea_foveation settings, uint32_t width_px, uint32_t height_px,
                             enum fovea_format format)
{
    struct pair pair = {
        .rig = rig_make(settings, width_px, height_px),
        .src = image_make_packed(width_px, height_px, format),
        .dst = image_make_packed(width_px, height_px, format),
    };
    image_draw(&pair.src.view, IMAGE_RANDOM, 23);
    return pair;
}

static void pair_finish(struct pair *pair)
{
    rig_finish(&pair->rig);
    image_free(&pair->src);
    image_free(&pair->dst);
}

static struct gauss_frame pair_run(struct pair *pair, double x_px, double y_px)
{
    return rig_run(&pair->rig, &pair->src.view, &pair->dst.view, x_px, y_px);
}

/* ---- Identities */

static int count_sharp(const struct pair *pair, const struct gauss_frame *frame)
{
    int count = 0;
    for (uint32_t i = 0; i < pair->src.view.width_px * pair->src.view.height_px; i++) {
        const uint32_t x = i % pair->src.view.width_px;
        const uint32_t y = i / pair->src.view.width_px;
        if (gauss_sigma_at(pair->rig.plan, frame, (int32_t)x, (int32_t)y) == 0.0f) {
            compare_assert_same(&pair->dst.view, &pair->src.view, (struct compare_rect){x, y, 1, 1},
                                "sharp");
            count++;
        }
    }
    return count;
}

/* This holds in every format: where the law is sharp, in a strength that is next to nothing, and in
 * none. */
TEST(what_is_sharp_is_copied_bit_by_bit)
{
    static const double strengths[] = {1.0, 1.0, 1e-9, 0.0};
    for (int i = 0; i < 8 * (FOVEA_FORMAT_R32F - FOVEA_FORMAT_RGBA8 + 1); i++) {
        const enum fovea_format format = (enum fovea_format)(FOVEA_FORMAT_RGBA8 + i / 8);
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PHYSICAL);
        settings.method = (enum fovea_method)(i % 2);
        settings.strength = strengths[i / 2 % 4];
        settings.alpha = (enum fovea_alpha)(i / 8 % 2);
        settings.light = i / 16 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        settings.geometry.ppd = 50.0;
        OWNED(pair_finish) struct pair pair = pair_make(settings, 240, 160, format);
        const struct gauss_frame frame = pair_run(&pair, 90, 70);
        const int count = count_sharp(&pair, &frame);
        if (settings.strength < 1.0) {
            assert_int_equal(count, 240 * 160);
        } else {
            assert_in_range(count, 2000, 240 * 160 / 2);
        }
    }
}

/* Kept alpha is bits, not a number: signalling NaN, denormals and minus zero come through. */
TEST(kept_alpha_comes_through_bit_by_bit)
{
    static const uint32_t bits[] = {0x7f800001u, 0xffc12345u, 0x80000000u, 0x00000001u, 0x7c01u};
    static const enum fovea_format floats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F};
    for (size_t i = 0; i < 4; i++) {
        const size_t bytes = i / 2 ? 4 : 2;
        OWNED(pair_finish)
        struct pair pair = pair_make(law_at(0, (enum fovea_method)(i % 2)), 75, 50, floats[i / 2]);
        for (uint32_t k = 0; k < 75 * 50; k++) {
            const uint32_t alpha = bits[k % 5] + (k << 8 & 0xff00u);
            memcpy(image_pixel(&pair.src.view, k % 75, k / 75) + 3 * bytes, &alpha, bytes);
        }
        pair_run(&pair, 20, 20);
        for (uint32_t k = 0; k < 75 * 50; k++) {
            assert_memory_equal(image_pixel(&pair.dst.view, k % 75, k / 75) + 3 * bytes,
                                image_pixel(&pair.src.view, k % 75, k / 75) + 3 * bytes, bytes);
        }
    }
}

/* This holds by nodes, by tiles of each level, by fragments, and of one channel beside others that
 * are dark. */
TEST(flat_pictures_stay_flat)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10,
                                                FOVEA_FORMAT_R8};
    static const double sigmas_px[] = {0.6, 2.7, 5.0};
    for (int i = 0; i < 30; i++) {
        struct fovea_foveation settings =
            i % 5 < 3 ? even_settings(sigmas_px[i % 5]) : law_at(0, (enum fovea_method)(i % 5 - 3));
        settings.light = i / 5 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        settings.strength = i % 5 < 3 ? 1.0 : 3.0;
        const enum fovea_format format = formats[i / 10];
        const uint32_t channel = format == FOVEA_FORMAT_R8 ? 0 : 1;
        OWNED(pair_finish) struct pair pair = pair_make(settings, 48, 24, format);
        const int step = format == FOVEA_FORMAT_A2B10G10R10 ? 3 : 1;
        for (int level = 0; level <= (int)image_white(format, channel); level += step) {
            image_fill(&pair.src.view, 0);
            for (uint32_t at = 0; at < 48 * 24; at++) {
                image_set(&pair.src.view, at % 48, at / 48, channel, level);
            }
            pair_run(&pair, 20, 10);
            compare_assert_all_same(&pair.dst.view, &pair.src.view, "flat");
        }
    }
}

/* Every law is tried, and the largest sigma that there is. */
TEST(a_flat_picture_of_the_largest_value_stays_so)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_RGBA16F,
                                                FOVEA_FORMAT_B10G11R11F};
    for (int i = 0; i < 6 * (LAWS + 1); i++) {
        struct fovea_foveation settings = law_at(i / 6 % LAWS, (enum fovea_method)(i % 2));
        settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        if (i / 6 == LAWS) {
            settings.paper.fragment_px = 32;
            settings.paper.f_max_cpd = 30.0 * 11.8;
            settings.strength = 8.0;
        }
        OWNED(pair_finish) struct pair pair = pair_make(settings, 40, 30, formats[i / 2 % 3]);
        assert_true(i / 6 < LAWS || i % 2 || pair.rig.plan->sigma_bound_px > 800.0f);
        image_fill(&pair.src.view, image_is_float(formats[i / 2 % 3]) ? 65504.0 : 255.0);
        pair_run(&pair, 11, 9);
        compare_assert_all_same(&pair.dst.view, &pair.src.view, "flat");
    }
}

/* ---- Mirrors */

/* The largest difference of a picture's result and of what the mirrored settings make of the
 * mirrored picture. */
static double mirror_error(struct fovea_foveation settings, struct fovea_foveation mirrored,
                           struct exact_case c, bool x, bool y)
{
    struct pair pair = pair_make(settings, c.width_px, c.height_px, c.format);
    struct pair other = pair_make(mirrored, c.width_px, c.height_px, c.format);
    OWNED_IMAGE back = image_make_packed(c.width_px, c.height_px, c.format);
    image_draw(&pair.src.view, c.pattern, 5);
    image_mirror(&pair.src.view, &other.src.view, x, y);
    pair_run(&pair, c.gaze_x_px, c.gaze_y_px);
    pair_run(&other, x ? c.width_px - c.gaze_x_px : c.gaze_x_px,
             y ? c.height_px - c.gaze_y_px : c.gaze_y_px);
    image_mirror(&other.dst.view, &back.view, x, y);
    struct compare_rect where = {0};
    const double largest = compare_largest(&back.view, &pair.dst.view, &where);
    pair_finish(&pair);
    pair_finish(&other);
    return largest;
}

/* To the rounding of sums taken from the other end. Sizes are whole multiples of every level's
 * step: otherwise the mirrored picture is decimated at other places. With fragments the gaze is a
 * whole pixel; the last one is large enough for tiles. */
TEST(mirrored_picture_and_gaze_give_the_mirrored_result)
{
    static const struct {
        int law;
        enum fovea_method method;
        struct exact_case at;
        double most;
    } cases[] = {
        {0, FOVEA_METHOD_BLOCKWISE, {173, 131, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 37, 90}, 1.0},
        {1, FOVEA_METHOD_BLOCKWISE, {176, 128, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 37, 90}, 1.0},
        {5, FOVEA_METHOD_BLOCKWISE, {176, 128, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 37, 90}, 1.0},
        {0, FOVEA_METHOD_SMOOTH, {176, 128, FOVEA_FORMAT_RGBA32F, IMAGE_RANDOM, 37.5, 90.25}, 2e-4},
        {1, FOVEA_METHOD_SMOOTH, {176, 128, FOVEA_FORMAT_RGBA32F, IMAGE_RANDOM, 37.5, 90.25}, 2e-4},
        {2, FOVEA_METHOD_SMOOTH, {176, 128, FOVEA_FORMAT_RGBA32F, IMAGE_RANDOM, 37.5, 90.25}, 2e-4},
        {0, FOVEA_METHOD_SMOOTH, {1280, 768, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 400.5, 300.25}, 1.0},
    };
    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        const size_t k = i / 3;
        const struct fovea_foveation settings = law_at(cases[k].law, cases[k].method);
        const double error =
            mirror_error(settings, settings, cases[k].at, (i % 3 + 1) & 1, (i % 3 + 1) & 2);
        assert_that(error <= cases[k].most, "case %zu, axes %zu: %g", k, i % 3 + 1, error);
    }
}

TEST(eyes_are_each_others_mirror)
{
    const struct exact_case c = {140, 100, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 31, 66};
    struct fovea_foveation right = map_settings(FOVEA_MAP_HUMAN);
    struct fovea_foveation left = right;
    right.map.eye = FOVEA_MAP_EYE_RIGHT;
    left.map.eye = FOVEA_MAP_EYE_LEFT;
    assert_true(mirror_error(right, left, c, true, false) <= 1.0);
    assert_true(mirror_error(right, right, c, true, false) > 3.0);
}

/* ---- Motion */

/* The largest change of a channel over small steps of the gaze. */
static double largest_step(enum fovea_method method, enum image_pattern pattern,
                           enum fovea_light light, double step_px)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.method = method;
    settings.light = light;
    struct pair pair = pair_make(settings, 240, 160, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE before = image_make_packed(240, 160, FOVEA_FORMAT_RGBA8);
    image_draw(&pair.src.view, pattern, 23);
    double largest = 0.0;
    for (int i = 0; i <= 40; i++) {
        pair_run(&pair, 100 + i * step_px, 70 + i * step_px);
        if (i > 0) {
            struct compare_rect where = {0};
            largest = fmax(largest, compare_largest(&pair.dst.view, &before.view, &where));
        }
        image_mirror(&pair.dst.view, &before.view, false, false);
    }
    pair_finish(&pair);
    return largest;
}

/* At the beginning of the blur sigma grows by 0.02 px a step on a picture so small, and one black
 * pixel among white ones shows every bit of it: a twentieth of the range at most, where a fragment
 * of the blockwise method takes half of it at once. On pictures without pixel-fine contrast it is
 * 1/64. */
TEST(moving_by_a_tenth_of_a_pixel_changes_little)
{
    static const double bounds[IMAGE_PATTERN_COUNT][2] = {
        [IMAGE_RANDOM] = {9, 13},   [IMAGE_CHECKER] = {12, 18}, [IMAGE_ZONE_PLATE] = {2, 3},
        [IMAGE_STROKES] = {11, 16}, [IMAGE_PHOTO] = {3, 4},
    };
    for (int i = 0; i < 2 * IMAGE_PATTERN_COUNT; i++) {
        const enum image_pattern pattern = (enum image_pattern)(i / 2);
        const enum fovea_light light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        const double step = largest_step(FOVEA_METHOD_SMOOTH, pattern, light, 0.1);
        const double jump = largest_step(FOVEA_METHOD_BLOCKWISE, pattern, light, 0.1);
        assert_that(step <= bounds[pattern][i % 2] && step != 0.0 && jump >= 8.0 * step,
                    "%s, light %d: a value changes by %g levels, blockwise by %g",
                    image_pattern_name(pattern), (int)light, step, jump);
    }
}

TEST(a_still_gaze_does_not_flicker)
{
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        assert_true(
            largest_step((enum fovea_method)method, IMAGE_RANDOM, FOVEA_LIGHT_LINEAR, 0.0) == 0.0);
    }
}

/* ---- Light */

/* Away from the borders and where sigma hardly varies a blur moves light and makes none. */
TEST(energy_is_kept_in_light)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_CURVE);
    settings.curve = (struct fovea_curve){.count = 1, .cutoff_cpd = {1.0}};
    settings.geometry = (struct fovea_geometry){.ppd = 40.0};
    OWNED(pair_finish) struct pair pair = pair_make(settings, 256, 256, FOVEA_FORMAT_RGBA32F);
    image_fill(&pair.src.view, 0);
    for (uint32_t i = 0; i < 64; i++) {
        image_set(&pair.src.view, 97 + i * 7 % 64, 95 + i, 0, 1.0 + i);
    }
    pair_run(&pair, 128, 128);
    double before = 0.0;
    double after = 0.0;
    for (uint32_t i = 0; i < 256 * 256; i++) {
        before += image_get(&pair.src.view, i % 256, i / 256, 0);
        after += image_get(&pair.dst.view, i % 256, i / 256, 0);
    }
    assert_float_equal(after / before, 1.0, 2e-4);
}

/* Black is where the slope of sRGB is steepest, so that an error of light is the most levels. */
static void draw_night(const struct fovea_image *image, uint32_t every)
{
    image_fill(image, 0);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            image_set(image, x, y, 0, x % every == 3 || y % (every + 2) == 5 ? 255 : 0);
            image_set(image, x, y, 1, (x * 7 + y * 13) % (every * every) == 0 ? 255 : 0);
            image_set(image, x, y, 2, (x / every + y / every) % 2 ? 255 : 0);
        }
    }
}

TEST(light_lines_dots_and_squares_on_dark_are_the_reference)
{
    const struct exact_case c = {120, 80, FOVEA_FORMAT_RGB8, IMAGE_RANDOM, 40, 30};
    for (uint32_t i = 0; i < 8; i++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.strength = 0.03 * pow(2.0, 0.75 * i);
        OWNED_IMAGE src = image_make_packed(c.width_px, c.height_px, c.format);
        draw_night(&src.view, 4 + 3 * (i % 4));
        assert_exact_picture(settings, &c, &src.view, 1.0);
    }
}

/* Up to half a pixel, weights are no line of sigma: between two nodes, or across a kink of the law.
 * And a blur far wider than its picture. */
TEST(narrow_and_wide_blurs_are_the_reference)
{
    static const struct {
        enum fovea_model model;
        double strength, gain, ppd, e_max_deg, f_max_cpd;
        struct exact_case at;
    } cases[] = {
        {FOVEA_MODEL_PAPER, 0.0423, 0.6065, 0, 100, 30, {96, 79, 1, IMAGE_CHECKER, 152.25, 0}},
        {FOVEA_MODEL_PAPER, 0.2612, 0.6065, 0, 13.14, 30, {127, 49, 1, IMAGE_CHECKER, 0, 36.95}},
        {FOVEA_MODEL_CURVE, 1.5119, 0.7, 34.56, 100, 30, {72, 58, 2, IMAGE_ZONE_PLATE, 19.4, 58}},
        {FOVEA_MODEL_PAPER, 8, 0.6065, 0, 100, 60, {10, 6, FOVEA_FORMAT_R8, IMAGE_RANDOM, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fovea_foveation settings = smooth_settings(cases[i].model);
        settings.strength = cases[i].strength;
        settings.cutoff_gain = cases[i].gain;
        settings.paper.e_max_deg = cases[i].e_max_deg;
        settings.paper.f_max_cpd = cases[i].f_max_cpd;
        settings.geometry.ppd = cases[i].ppd;
        settings.light = FOVEA_LIGHT_LINEAR;
        settings.curve = (struct fovea_curve){
            .count = 3, .eccentricity_deg = {0.0, 6.08, 34.3}, .cutoff_cpd = {11.84, 23.03, 48.68}};
        assert_exact(settings, &cases[i].at);
    }
}

/* ---- NaN */

/* How far a value may be seen: the Gaussian's reach on its level, and what decimation put into
 * it. */
static int64_t reach_px(float sigma_px, int32_t levels)
{
    const int32_t k = gauss_level_for(sigma_px, levels);
    const float rest_px = sqrtf(sigma_px * sigma_px - gauss_level_variance(k));
    return (int64_t)ceilf(GAUSS_REACH * rest_px) + 4 * ((1 << k) - 1);
}

static int64_t away_px(uint32_t x, uint32_t y, uint32_t from_x, uint32_t from_y)
{
    const int64_t across = imaxabs((int64_t)x - from_x);
    const int64_t down = imaxabs((int64_t)y - from_y);
    return across > down ? across : down;
}

TEST(nan_stays_within_reach)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F,
                                                FOVEA_FORMAT_B10G11R11F};
    for (int i = 0; i < 12; i++) {
        struct fovea_foveation settings =
            i < 6 ? smooth_settings(FOVEA_MODEL_PAPER) : paper_settings(8);
        settings.strength = 0.8;
        OWNED(pair_finish) struct pair pair = pair_make(settings, 200, 150, formats[i / 2 % 3]);
        const uint32_t at_x = i % 2 ? 199 : 105;
        const uint32_t at_y = i % 2 ? 0 : 63;
        image_set(&pair.src.view, at_x, at_y, 1, (double)NAN);
        const struct gauss_frame frame = pair_run(&pair, 80, 70);
        int seen = 0;
        for (uint32_t at = 0; at < 200 * 150; at++) {
            const uint32_t x = at % 200;
            const uint32_t y = at / 200;
            const float sigma = gauss_sigma_at(pair.rig.plan, &frame, (int32_t)x, (int32_t)y);
            const bool is_nan = isnan(image_get(&pair.dst.view, x, y, 1));
            const bool far =
                away_px(x, y, at_x, at_y) > reach_px(sigma, (int32_t)pair.rig.plan->level_count);
            seen += is_nan;
            assert_false(isnan(image_get(&pair.dst.view, x, y, 0)));
            assert_that(!is_nan || !far, "format %d: NaN at %u,%u", (int)formats[i / 2 % 3], x, y);
        }
        assert_in_range(seen, 4, 3000);
    }
}
