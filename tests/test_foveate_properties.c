/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What foveation must be true to, whatever the formula: identity, fovea, mirrors, motion,
 * threads. */

#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    struct test_image src;
    struct test_image dst;
};

static struct pair pair_make(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                             enum image_pattern pattern)
{
    struct pair pair = {
        .src = image_make_packed(width_px, height_px, format),
        .dst = image_make_packed(width_px, height_px, format),
    };
    image_draw(&pair.src.view, pattern, 23);
    return pair;
}

static void pair_free(struct pair *pair)
{
    image_free(&pair->src);
    image_free(&pair->dst);
}

TEST(strength_zero_is_the_identity_in_every_format)
{
    struct fovea_foveation settings = paper_settings(16);
    settings.strength = 0.0;
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        settings.alpha = (enum fovea_alpha)(format % 2);
        struct pair pair = pair_make(61, 47, (enum fovea_format)format, IMAGE_RANDOM);
        struct rig rig = rig_make(settings, 61, 47);
        rig_run(&rig, &pair.src.view, &pair.dst.view, 11, 13);
        compare_assert_all_same(&pair.dst.view, &pair.src.view, "strength 0");
        rig_finish(&rig);
        pair_free(&pair);
    }
}

/* The fragment that is copied, clipped to the image. */
static struct compare_rect fovea_rect(const struct foveate_frame *frame)
{
    const int32_t side = frame->fragment_px;
    const int32_t shift_x = foveate_grid_shift_px(frame->gaze_x_q8, side);
    const int32_t shift_y = foveate_grid_shift_px(frame->gaze_y_q8, side);
    const int32_t x = (frame->gaze_x_q8 / 256 + shift_x) / side * side - shift_x;
    const int32_t y = (frame->gaze_y_q8 / 256 + shift_y) / side * side - shift_y;
    const struct compare_rect rect = {(uint32_t)(x < 0 ? 0 : x), (uint32_t)(y < 0 ? 0 : y), 0, 0};
    const int32_t right = x + side < frame->width_px ? x + side : frame->width_px;
    const int32_t bottom = y + side < frame->height_px ? y + side : frame->height_px;
    return (struct compare_rect){rect.x, rect.y, (uint32_t)right - rect.x,
                                 (uint32_t)bottom - rect.y};
}

TEST(fovea_is_copied_bit_by_bit_and_nothing_around_it)
{
    for (int format = FOVEA_FORMAT_RGBA8; format <= FOVEA_FORMAT_R32F; format++) {
        struct pair pair = pair_make(200, 150, (enum fovea_format)format, IMAGE_RANDOM);
        struct rig rig = rig_make(paper_settings(32), 200, 150);
        const struct foveate_frame frame =
            rig_run(&rig, &pair.src.view, &pair.dst.view, 87.5, 61.25);
        const struct compare_rect fovea = fovea_rect(&frame);
        assert_int_equal(fovea.width * fovea.height, 32 * 32);
        compare_assert_same(&pair.dst.view, &pair.src.view, fovea, "fovea");
        for (uint32_t x = fovea.x; x < fovea.x + 32; x += 8) {
            const size_t bytes = image_bytes((enum fovea_format)format);
            assert_memory_not_equal(image_pixel(&pair.src.view, x, fovea.y - 1),
                                    image_pixel(&pair.dst.view, x, fovea.y - 1), bytes);
        }
        rig_finish(&rig);
        pair_free(&pair);
    }
}

/* Whole-pixel gaze and even fragments: the grid of the mirrored gaze is the mirrored grid. */
TEST(mirrored_picture_and_gaze_give_the_mirrored_result)
{
    for (int axes = 1; axes < 4; axes++) {
        const bool x = axes & 1;
        const bool y = axes & 2;
        struct pair pair = pair_make(173, 131, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM);
        struct pair mirrored = pair_make(173, 131, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM);
        struct test_image back = image_make_packed(173, 131, FOVEA_FORMAT_RGBA8);
        struct rig rig = rig_make(paper_settings(16), 173, 131);
        rig_run(&rig, &pair.src.view, &pair.dst.view, 37, 90);
        image_mirror(&pair.src.view, &mirrored.src.view, x, y);
        rig_run(&rig, &mirrored.src.view, &mirrored.dst.view, x ? 173 - 37 : 37, y ? 131 - 90 : 90);
        image_mirror(&mirrored.dst.view, &back.view, x, y);
        struct compare_rect where;
        assert_true(compare_largest(&back.view, &pair.dst.view, &where) <= 1.0);
        rig_finish(&rig);
        image_free(&back);
        pair_free(&pair);
        pair_free(&mirrored);
    }
}

/* ---- Motion */

struct motion {
    struct rig rig;
    struct pair pair;
    struct test_image before;
    struct foveate_frame frame_before;
    double largest_step; /* of a channel, in levels */
    double largest_sigma_step;
};

/* Two frames that differ in the gaze: where sigma is the same the pixel is the same, but for a
 * level: other pixels of its tile may ask for other nodes. */
static void count_changes(struct motion *m, const struct foveate_frame *frame)
{
    for (uint32_t y = 0; y < m->before.view.height_px; y++) {
        for (uint32_t x = 0; x < m->before.view.width_px; x++) {
            const float old_sigma =
                foveate_sigma_at(m->rig.plan, &m->frame_before, (int32_t)x, (int32_t)y);
            const float sigma = foveate_sigma_at(m->rig.plan, frame, (int32_t)x, (int32_t)y);
            const unsigned char *old_pixel = image_pixel(&m->before.view, x, y);
            const unsigned char *pixel = image_pixel(&m->pair.dst.view, x, y);
            m->largest_sigma_step =
                fmax(m->largest_sigma_step, fabs((double)sigma - (double)old_sigma));
            for (int c = 0; c < 3; c++) {
                const int step = abs(pixel[c] - old_pixel[c]);
                m->largest_step = fmax(m->largest_step, step);
                if (sigma == old_sigma && step > 1) {
                    fail_msg("pixel x %u, y %u changed though its sigma did not", x, y);
                }
            }
        }
    }
}

static void move(enum image_pattern pattern, double step_px, int steps, struct motion *m)
{
    *m = (struct motion){
        .rig = rig_make(paper_settings(16), 240, 160),
        .pair = pair_make(240, 160, FOVEA_FORMAT_RGBA8, pattern),
        .before = image_make_packed(240, 160, FOVEA_FORMAT_RGBA8),
    };
    for (int i = 0; i <= steps; i++) {
        const struct foveate_frame frame = rig_run(&m->rig, &m->pair.src.view, &m->pair.dst.view,
                                                   100 + i * step_px, 70 + i * step_px);
        if (i > 0) {
            count_changes(m, &frame);
        }
        m->frame_before = frame;
        image_mirror(&m->pair.dst.view, &m->before.view, false, false);
    }
    rig_finish(&m->rig);
    pair_free(&m->pair);
    image_free(&m->before);
}

/* Bounds of a frame's change: a pixel may pass into the next fragment and so into the next ring,
 * which at 240x160 with fragments of 16 px is a step of 1.65 px of sigma. On a picture without
 * pixel-fine contrast that is a quarter of the range. The smooth method is to do better. */
#define SIGMA_STEP_PX 1.66
#define PHOTO_STEP 64.0

static void check_step(const struct motion *m)
{
    if (m->largest_sigma_step > SIGMA_STEP_PX || m->largest_step > PHOTO_STEP) {
        fail_msg("sigma jumps by %.4f px, a value by %g levels", m->largest_sigma_step,
                 m->largest_step);
    }
    assert_true(m->largest_step > 0.0);
}

TEST(moving_by_a_pixel_changes_only_where_sigma_changes)
{
    struct motion m;
    move(IMAGE_PHOTO, 1.0, 34, &m);
    check_step(&m);
}

TEST(moving_by_a_tenth_changes_only_where_sigma_changes)
{
    struct motion m;
    move(IMAGE_PHOTO, 0.1, 60, &m);
    check_step(&m);
}

TEST(a_still_gaze_does_not_flicker)
{
    struct motion m;
    move(IMAGE_RANDOM, 0.0, 3, &m);
    assert_true(m.largest_step == 0.0);
}

/* ---- Means */

/* Far from the borders a blur moves light and makes none. */
TEST(mean_of_a_picture_is_kept)
{
    struct pair pair = pair_make(320, 240, FOVEA_FORMAT_RGBA32F, IMAGE_RANDOM);
    struct rig rig = rig_make(paper_settings(16), 320, 240);
    rig_run(&rig, &pair.src.view, &pair.dst.view, 160, 120);
    double before = 0.0;
    double after = 0.0;
    for (uint32_t y = 0; y < 240; y++) {
        for (uint32_t x = 0; x < 320; x++) {
            before += image_get(&pair.src.view, x, y, 0);
            after += image_get(&pair.dst.view, x, y, 0);
        }
    }
    assert_float_equal(after / before, 1.0, 0.003);
    rig_finish(&rig);
    pair_free(&pair);
}

/* Mirrored picture, gaze and eye: the mirrored result. */
TEST(eyes_are_each_others_mirror)
{
    struct fovea_foveation f = map_settings(FOVEA_MAP_HUMAN);
    f.map.eye = FOVEA_MAP_EYE_RIGHT;
    struct test_image src = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image mirrored_src = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image mirrored_dst = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    struct test_image expected = image_make_packed(140, 100, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_STROKES, 3);
    image_mirror(&src.view, &mirrored_src.view, true, false);
    struct rig right = rig_make(f, 140, 100);
    f.map.eye = FOVEA_MAP_EYE_LEFT;
    struct rig left = rig_make(f, 140, 100);
    struct compare_rect where;
    rig_run(&right, &src.view, &dst.view, 31, 66);
    image_mirror(&dst.view, &expected.view, true, false);
    rig_run(&left, &mirrored_src.view, &mirrored_dst.view, 109, 66);
    assert_true(compare_largest(&mirrored_dst.view, &expected.view, &where) <= 1.0);
    rig_run(&right, &mirrored_src.view, &mirrored_dst.view, 109, 66);
    assert_true(compare_largest(&mirrored_dst.view, &expected.view, &where) > 3.0);
    rig_finish(&right);
    rig_finish(&left);
    image_free(&src);
    image_free(&dst);
    image_free(&mirrored_src);
    image_free(&mirrored_dst);
    image_free(&expected);
}
