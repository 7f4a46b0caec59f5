/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the smooth method must be true to, whatever the formula. */

#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"
#include "kernels/foveate/cpu/nodes/nodes.h"

#include <inttypes.h>

struct pair {
    struct rig rig;
    struct test_image src;
    struct test_image dst;
};

static struct pair pair_make(struct fovea_foveation settings, uint32_t width_px, uint32_t height_px,
                             enum fovea_format format)
{
    return (struct pair){
        .rig = rig_make(settings, width_px, height_px),
        .src = image_make_packed(width_px, height_px, format),
        .dst = image_make_packed(width_px, height_px, format),
    };
}

static void pair_finish(struct pair *pair)
{
    rig_finish(&pair->rig);
    image_free(&pair->src);
    image_free(&pair->dst);
}

static struct foveate_frame pair_run(struct pair *pair, double x_px, double y_px)
{
    return rig_run(&pair->rig, &pair->src.view, &pair->dst.view, x_px, y_px);
}

/* ---- Identities */

TEST(strength_zero_is_the_identity_in_every_format)
{
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        struct fovea_foveation settings = smooth_settings((enum fovea_model)(format % 3));
        settings.strength = 0.0;
        settings.alpha = (enum fovea_alpha)(format % 2);
        struct pair pair = pair_make(settings, 61, 47, (enum fovea_format)format);
        image_draw(&pair.src.view, IMAGE_RANDOM, 3);
        pair_run(&pair, 11, 13);
        compare_assert_all_same(&pair.dst.view, &pair.src.view, "strength 0");
        pair_finish(&pair);
    }
}

TEST(pixels_without_sigma_are_copied_bit_by_bit)
{
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PHYSICAL);
        settings.geometry.ppd = 50.0;
        struct pair pair = pair_make(settings, 240, 160, (enum fovea_format)format);
        image_draw(&pair.src.view, IMAGE_RANDOM, 3);
        const struct foveate_frame frame = pair_run(&pair, 90, 70);
        int copied = 0;
        for (uint32_t y = 0; y < 160; y++) {
            for (uint32_t x = 0; x < 240; x++) {
                if (foveate_sigma_at(pair.rig.plan, &frame, (int32_t)x, (int32_t)y) == 0.0f) {
                    compare_assert_same(&pair.dst.view, &pair.src.view,
                                        (struct compare_rect){x, y, 1, 1}, "fovea");
                    copied++;
                }
            }
        }
        assert_in_range(copied, 2000, 240 * 160 / 2);
        pair_finish(&pair);
    }
}

static void check_flat(struct pair *pair, double level, const char *what)
{
    image_fill(&pair->src.view, level);
    pair_run(pair, 20, 70);
    compare_assert_all_same(&pair->dst.view, &pair->src.view, what);
}

TEST(flat_pictures_stay_flat_at_every_level)
{
    for (int light = FOVEA_LIGHT_ENCODED; light <= FOVEA_LIGHT_LINEAR; light++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.light = (enum fovea_light)light;
        settings.strength = 3.0;
        struct pair grey = pair_make(settings, 101, 83, FOVEA_FORMAT_R8);
        for (int level = 0; level < 256; level++) {
            check_flat(&grey, level, "8 bits");
        }
        pair_finish(&grey);
        struct pair ten = pair_make(settings, 40, 20, FOVEA_FORMAT_A2B10G10R10);
        for (int level = 0; level < 1024; level++) {
            image_fill(&ten.src.view, 0);
            for (uint32_t i = 0; i < 800; i++) {
                image_set(&ten.src.view, i % 40, i / 40, 1, level);
            }
            pair_run(&ten, 20, 7);
            compare_assert_all_same(&ten.dst.view, &ten.src.view, "10 bits");
        }
        pair_finish(&ten);
    }
}

/* To the rounding of sums taken from the other end. Sizes are whole multiples of every level's
 * step: otherwise the mirrored picture is decimated at other places. */
TEST(mirrored_picture_and_gaze_give_the_mirrored_result)
{
    for (int axes = 1; axes < 4; axes++) {
        const bool x = axes & 1;
        const bool y = axes & 2;
        const struct fovea_foveation settings = smooth_settings((enum fovea_model)(axes - 1));
        struct pair pair = pair_make(settings, 176, 128, FOVEA_FORMAT_RGBA32F);
        struct pair mirrored = pair_make(settings, 176, 128, FOVEA_FORMAT_RGBA32F);
        struct test_image back = image_make_packed(176, 128, FOVEA_FORMAT_RGBA32F);
        image_draw(&pair.src.view, IMAGE_RANDOM, 5);
        image_mirror(&pair.src.view, &mirrored.src.view, x, y);
        pair_run(&pair, 37.5, 90.25);
        pair_run(&mirrored, x ? 176 - 37.5 : 37.5, y ? 128 - 90.25 : 90.25);
        image_mirror(&mirrored.dst.view, &back.view, x, y);
        struct compare_rect where = {0};
        const double largest = compare_largest(&back.view, &pair.dst.view, &where);
        if (largest > 16.0 * 1e-5) {
            fail_msg("axes %d: %g at %u,%u", axes, largest, where.x, where.y);
        }
        image_free(&back);
        pair_finish(&pair);
        pair_finish(&mirrored);
    }
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
    struct test_image before = image_make_packed(240, 160, FOVEA_FORMAT_RGBA8);
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
    image_free(&before);
    return largest;
}

/* Where the blur begins sigma grows by 0.02 px a step on a picture so small, and one black pixel
 * among white ones shows every bit of it: a twentieth of the range at most, where a fragment of the
 * blockwise method takes half of it at once. On pictures without pixel-fine contrast it is 1/64. */
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
        if (step > bounds[pattern][i % 2] || step == 0.0 || jump < 8.0 * step) {
            fail_msg("%s, light %d: a value changes by %g levels, blockwise by %g",
                     image_pattern_name(pattern), (int)light, step, jump);
        }
    }
}

TEST(a_still_gaze_does_not_flicker)
{
    assert_true(largest_step(FOVEA_METHOD_SMOOTH, IMAGE_RANDOM, FOVEA_LIGHT_LINEAR, 0.0) == 0.0);
}

/* ---- Light */

/* Away from the borders and where sigma hardly varies a blur moves light and makes none. */
TEST(energy_is_kept_in_light)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_CURVE);
    settings.curve = (struct fovea_curve){.count = 1, .cutoff_cpd = {1.0}};
    settings.geometry = (struct fovea_geometry){.ppd = 40.0};
    struct pair pair = pair_make(settings, 256, 256, FOVEA_FORMAT_RGBA32F);
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
    pair_finish(&pair);
}

TEST(a_checker_becomes_the_grey_that_has_half_its_light)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct pair pair = pair_make(settings, 200, 150, FOVEA_FORMAT_RGB8);
    image_draw(&pair.src.view, IMAGE_CHECKER, 0);
    pair_run(&pair, 0, 0);
    assert_int_equal(image_get(&pair.dst.view, 150, 100, 0), 188); /* sRGB of 0.5 is 187.5 */
    pair_finish(&pair);
    settings.light = FOVEA_LIGHT_ENCODED;
    pair = pair_make(settings, 200, 150, FOVEA_FORMAT_RGB8);
    image_draw(&pair.src.view, IMAGE_CHECKER, 0);
    pair_run(&pair, 0, 0);
    assert_in_range(image_get(&pair.dst.view, 150, 100, 0), 127, 128);
    pair_finish(&pair);
}

/* ---- NaN */

/* How far a value may be seen: the Gaussian's reach on its level, and what decimation put into
 * it. */
static int64_t reach_px(float sigma_px, int32_t levels)
{
    const int32_t k = foveate_level_for(sigma_px, levels);
    const float rest_px = sqrtf(sigma_px * sigma_px - foveate_level_variance(k));
    return (int64_t)ceilf(FOVEATE_REACH * rest_px) + 4 * ((1 << k) - 1);
}

TEST(nan_stays_within_reach)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F,
                                                FOVEA_FORMAT_B10G11R11F};
    for (int i = 0; i < 12; i++) {
        struct fovea_foveation settings =
            i < 6 ? smooth_settings(FOVEA_MODEL_PAPER) : paper_settings(8);
        settings.strength = 0.8;
        struct pair pair = pair_make(settings, 200, 150, formats[i / 2 % 3]);
        image_draw(&pair.src.view, IMAGE_RANDOM, 3);
        const uint32_t at_x = i % 2 ? 199 : 105;
        const uint32_t at_y = i % 2 ? 0 : 63;
        image_set(&pair.src.view, at_x, at_y, 1, (double)NAN);
        const struct foveate_frame frame = pair_run(&pair, 80, 70);
        int seen = 0;
        for (uint32_t y = 0; y < 150; y++) {
            for (uint32_t x = 0; x < 200; x++) {
                const float sigma = foveate_sigma_at(pair.rig.plan, &frame, (int32_t)x, (int32_t)y);
                const int64_t away = imaxabs((int64_t)x - at_x) > imaxabs((int64_t)y - at_y)
                                         ? imaxabs((int64_t)x - at_x)
                                         : imaxabs((int64_t)y - at_y);
                const bool is_nan = isnan(image_get(&pair.dst.view, x, y, 1));
                const bool others = isnan(image_get(&pair.dst.view, x, y, 0));
                seen += is_nan;
                if ((is_nan && away > reach_px(sigma, (int32_t)pair.rig.plan->level_count)) ||
                    others) {
                    fail_msg("format %d: NaN at %u,%u, %d away", (int)formats[i / 2 % 3], x, y,
                             (int)away);
                }
            }
        }
        assert_in_range(seen, 4, 3000);
        pair_finish(&pair);
    }
}

/* ---- Threads and processors */

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const uint32_t counts[] = {1, 2, 5, 256};
    struct pair pair = pair_make(smooth_settings(FOVEA_MODEL_PAPER), 150, 110, FOVEA_FORMAT_RGBA8);
    struct test_image other = image_make_packed(150, 110, FOVEA_FORMAT_RGBA8);
    image_draw(&pair.src.view, IMAGE_RANDOM, 3);
    const struct foveate_frame frame = pair_run(&pair, 77, 30);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct foveate_cpu *cpu = NULL;
        assert_int_equal(foveate_cpu_create(pair.rig.plan, counts[i], &cpu), FOVEA_OK);
        for (int run = 0; run < 10; run++) {
            foveate_cpu_run(cpu, &pair.src.view, &other.view, &frame);
            compare_assert_all_same(&other.view, &pair.dst.view, "threads");
        }
        foveate_cpu_destroy(&cpu);
    }
    image_free(&other);
    pair_finish(&pair);
}

/* All of a picture's tiles, from level 0 alone, by one of the compilations. */
static void run_nodes(const struct foveate_cpu_nodes *nodes,
                      const struct foveate_cpu_ladder *ladder, struct foveate_cpu_picture picture,
                      const struct fovea_image *dst)
{
    float *scratch = aligned_alloc(64, (foveate_cpu_nodes_floats(ladder) + 16) / 16 * 64);
    assert_non_null(scratch);
    picture.view.dst = *dst;
    nodes->read_rows(&picture, scratch, 0, picture.view.frame.height_px);
    for (int32_t y = 0; y < picture.view.frame.height_px; y += FOVEATE_CPU_NODE_PX) {
        nodes->tiles(&picture, ladder, scratch, y);
    }
    free(scratch);
}

TEST(all_compilations_agree)
{
    for (int light = FOVEA_LIGHT_ENCODED; light <= FOVEA_LIGHT_LINEAR; light++) {
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.light = (enum fovea_light)light;
        settings.strength = 0.08; /* no level but the picture */
        struct pair pair = pair_make(settings, 101, 67, FOVEA_FORMAT_RGBA32F);
        struct test_image other = image_make_packed(101, 67, FOVEA_FORMAT_RGBA32F);
        struct foveate_plan *plan = pair.rig.plan;
        image_draw(&pair.src.view, IMAGE_RANDOM, 3);
        const struct foveate_frame frame = pair_run(&pair, 20, 30);
        struct foveate_cpu_ladder ladder;
        assert_int_equal(foveate_cpu_ladder_init(&ladder, plan, 1.5f * plan->sigma_max_px),
                         FOVEA_OK);
        const struct foveate_cpu_picture picture = {
            .plan = plan,
            .view = {.src = pair.src.view, .frame = frame},
            .codec = pixel_codec_of(FOVEA_FORMAT_RGBA32F),
            .channels = 3 + frame.blur_alpha,
            .samples = calloc(plan->level_samples * 4 + 64, sizeof(float)),
        };
        assert_true(picture.samples && plan->level_count == 1);
        const struct foveate_cpu_nodes *all[] = {
            &foveate_cpu_nodes_base,
#ifdef FOVEATE_CPU_HAVE_AVX2
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                ? &foveate_cpu_nodes_avx2
                : &foveate_cpu_nodes_base,
#endif
        };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            struct compare_rect where = {0};
            run_nodes(all[i], &ladder, picture, &other.view);
            assert_true(compare_largest(&other.view, &pair.dst.view, &where) < 1e-4);
        }
        free(picture.samples);
        foveate_cpu_ladder_finish(&ladder);
        image_free(&other);
        pair_finish(&pair);
    }
}
