/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fragments lie at these places and belong to these rings. */

#include "test_foveate_support.h"

static const int32_t sides[] = {4, 5, 7, 8, 16, 31, 32, 64, 127, 128};
#define SIDE_COUNT ((int)(sizeof sides / sizeof *sides))

TEST(the_papers_example_has_its_shift_and_grid)
{
    const struct fovea_foveation settings = paper_settings(32);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 1920, 1080);
    const struct gauss_frame frame = frame_at(plan, 960, 540);
    assert_int_equal(gauss_grid_shift_px(frame.gaze_x_q8, 32), 16);
    assert_int_equal(gauss_grid_shift_px(frame.gaze_y_q8, 32), 20);
}

/* The formula as it is printed, in doubles; every number here is exact in them. */
static int32_t shift_by_formula(int32_t gaze_q8, int32_t side)
{
    const double gaze = gaze_q8 / 256.0;
    const double rest = gaze - side * floor(gaze / side);
    return (int32_t)floor(rest <= 0.5 * side ? 0.5 * side - rest : 1.5 * side - rest);
}

TEST(shift_is_the_formulas_for_every_gaze)
{
    for (int f = 0; f < SIDE_COUNT; f++) {
        const int32_t period = sides[f] * 256;
        for (int32_t gaze_q8 = -2 * period; gaze_q8 <= 2 * period; gaze_q8++) {
            const int32_t shift = gauss_grid_shift_px(gaze_q8, sides[f]);
            assert_that(shift == shift_by_formula(gaze_q8, sides[f]) && shift >= 0 &&
                            shift < sides[f],
                        "side %d, gaze %d/256: shift %d", sides[f], gaze_q8, shift);
        }
    }
}

TEST(centre_is_truncated_toward_zero)
{
    for (int f = 0; f < SIDE_COUNT; f++) {
        for (int32_t shift = 0; shift < sides[f]; shift++) {
            for (int32_t i = 0; i < 4; i++) {
                const double center = trunc(i * sides[f] + 0.5 * sides[f] - shift);
                assert_int_equal(gauss_grid_middle_px(i, sides[f], shift), (int32_t)center);
            }
        }
    }
    assert_int_equal(gauss_grid_middle_px(0, 5, 3), 0); /* -0.5 */
    assert_int_equal(gauss_grid_middle_px(0, 5, 4), -1); /* -1.5 */
}

/* Gaze inside the image: exactly the pixels of one fragment, the one with the gaze in it, are left
 * as they are. */
TEST(one_fragment_is_the_fovea)
{
    for (int f = 0; f < SIDE_COUNT; f++) {
        const struct fovea_foveation settings = paper_settings((uint32_t)sides[f]);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 400, 300);
        for (int32_t step = 0; step < 64; step += 7) {
            const struct gauss_frame frame =
                frame_at(plan, 200 + step * sides[f] / 64.0, 150 + step / 4.0);
            int copied = 0;
            for (int32_t y = 0; y < 300; y++) {
                for (int32_t x = 0; x < 400; x++) {
                    copied += gauss_sigma_at(plan, &frame, x, y) == 0.0f;
                }
            }
            assert_int_equal(copied, sides[f] * sides[f]);
            assert_true(
                gauss_sigma_at(plan, &frame, frame.gaze_x_q8 / 256, frame.gaze_y_q8 / 256) == 0.0f);
        }
    }
}

/* Compares with the formula in whole numbers of 128 bits, around every bound and at random. */
TEST(ring_begins_at_its_bound_exactly)
{
    srand(31);
    for (int i = 0; i < 40000; i++) {
        const int32_t side = sides[i % SIDE_COUNT];
        const int32_t count = 1 + rand() % 300;
        const int32_t ring = rand() % (count + 2) - 1;
        const double bound_q8 = 256.0 * side * (0.5 + 1.4 * ring);
        const double angle = rand() / (double)RAND_MAX * 6.2832;
        const int32_t x = i % 3 ? (int32_t)(bound_q8 * cos(angle)) : (int32_t)bound_q8;
        const int32_t y = i % 3 ? (int32_t)(bound_q8 * sin(angle)) + rand() % 3 - 1 : 0;
        int32_t expected = GAUSS_RING_NONE;
        const __int128 distance_sq = (__int128)25 * ((__int128)x * x + (__int128)y * y);
        for (int32_t r = 0; r < count; r++) {
            const __int128 bound = (__int128)128 * side * (5 + 14 * r);
            expected = distance_sq >= bound * bound ? r : expected;
        }
        assert_int_equal(gauss_grid_ring(x, y, side, count), expected);
    }
    assert_int_equal(gauss_grid_ring(0, 0, 4, 9), GAUSS_RING_NONE);
    assert_int_equal(gauss_grid_ring(5 * 16384 * 256, -5 * 16384 * 256, 4, 9), 8);
}

/* F = 5: bounds 2.5, 9.5, 16.5. A gaze at 2.5 puts middles at -0.5 + 5 k from it: 9.5 is met
 * exactly. Half the diagonal of 20x20 is 14.1, so 9.5 is the last bound too. */
TEST(distance_equal_to_the_last_bound_takes_the_last_ring)
{
    const struct fovea_foveation settings = paper_settings(5);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 20, 20);
    assert_int_equal(plan->law.table_count, 2);
    struct gauss_frame frame = frame_at(plan, 2.5, 2.0);
    assert_int_equal(gauss_grid_middle_of(10, frame.gaze_x_q8, 5), 12);
    assert_true(gauss_sigma_at(plan, &frame, 10, 0) == plan->law_table[1]);
    assert_true(gauss_sigma_at(plan, &frame, 9, 0) == plan->law_table[0]);
}

/* ---- Gaze */

TEST(gaze_is_rounded_to_256ths)
{
    const struct fovea_foveation settings = paper_settings(32);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 100, 50);
    const struct gauss_frame frame = frame_at(plan, 10.0 + 0.6 / 256, -3.0 - 0.6 / 256);
    assert_int_equal(frame.gaze_x_q8, 2561);
    assert_int_equal(frame.gaze_y_q8, -769);
}

TEST(gaze_far_outside_is_held_at_four_images)
{
    const struct fovea_foveation settings = paper_settings(32);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 16384, 100);
    const struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){1e300, -1e300});
    assert_int_equal(frame.gaze_x_q8, 5 * 16384 * 256);
    assert_int_equal(frame.gaze_y_q8, -4 * 100 * 256);
    assert_true(gauss_sigma_at(plan, &frame, 0, 0) == plan->law_table[plan->law.table_count - 1]);
}

/* Sigma follows the distance to every corner, for a gaze in a corner too. */
TEST(sigma_grows_with_distance_for_any_gaze)
{
    const struct fovea_foveation settings = paper_settings(8);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 320, 180);
    const struct gauss_frame frame = frame_at(plan, 4, 4);
    float before = 0.0f;
    for (int32_t x = 0; x < 320; x += 8) {
        const float sigma = gauss_sigma_at(plan, &frame, x, 0);
        assert_true(sigma >= before);
        before = sigma;
    }
    const float last = plan->law_table[plan->law.table_count - 1];
    assert_true(gauss_sigma_at(plan, &frame, 319, 179) == last);
}
