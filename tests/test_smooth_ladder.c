/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ladder: coordinates, nodes, the weights of a node's samples and those that nodes are blended
 * by. */

#include "test_foveate_support.h"

#include "kernels/gauss/cuda/nodes/params.h"
#include "kernels/gauss/plan/ladder.h"

TEST(coordinates_are_the_sampled_sum_and_go_back)
{
    double before = -1.0;
    for (double sigma = 0.0; sigma < 1100.0; sigma = sigma * 1.013 + 0.001) {
        double sum = 1.0;
        for (int k = 1; sigma > 0.0 && k < 10 * sigma + 3; k++) {
            sum += 2.0 * exp(-k * k / (2.0 * sigma * sigma));
        }
        const double c = gauss_ladder_coordinate(sigma);
        assert_float_equal(c, log2(sum), 1e-9);
        assert_true(c >= before);
        before = c;
        if (sigma > 0.2) {
            assert_float_equal(gauss_ladder_sigma_px(c) / sigma, 1.0, 1e-6);
        }
        assert_float_equal(gauss_ladder_place((float)sigma), GAUSS_LADDER_PER_OCTAVE * c, 5e-4);
    }
    assert_true(gauss_ladder_place(0.0f) == 0.0f && gauss_ladder_sigma_px(0.0) == 0.0);
    assert_true(gauss_ladder_wide_place(0.05f) == 0.0f);
    assert_true(gauss_ladder_wide_place(1024.0f) + 12.0f < GAUSS_LADDER_NODES);
    assert_true(GAUSS_LADDER_PER_OCTAVE * gauss_ladder_coordinate(1024.0) + 12 <
                GAUSS_LADDER_NODES);
}

TEST(nodes_take_the_level_of_their_sigma)
{
    for (int light = 0; light < IMAGE_LIGHT_COUNT; light++) {
        for (int i = 0; i < GAUSS_LADDER_NODES; i++) {
            const struct gauss_node node = gauss_ladder_node(i, light, GAUSS_MAX_LEVELS);
            const double samples_sq = pow(4.0, node.level);
            assert_float_equal(node.residual * node.residual * samples_sq +
                                   5.0 / 12.0 * (samples_sq - 1.0),
                               node.sigma_px * node.sigma_px, 1e-6 * samples_sq);
            assert_float_equal(image_light_is_wide(light)
                                   ? gauss_ladder_wide_place((float)node.sigma_px)
                                   : gauss_ladder_place((float)node.sigma_px),
                               i, 1e-3);
            assert_true(node.level == 0 ||
                        node.residual >= (double)gauss_light_residual(light) * (1.0 - 1e-6));
        }
    }
}

/* The largest node that a sigma of 1024 px blends. */
#define LARGEST_PX 1750.0

static void check_row(const struct gauss_node *node, double reach, int32_t px)
{
    if (node->sigma_px > LARGEST_PX) {
        return;
    }
    const double centre = (px + 0.5) / (1 << node->level) - 0.5;
    struct gauss_node_row row;
    double sum = 0.0;
    double variance = 0.0;
    assert_true(gauss_node_taps(node, reach) <= GAUSS_LADDER_TAPS);
    gauss_node_row_of(node, reach, px, &row);
    assert_in_range(row.count, 1, gauss_node_taps(node, reach));
    for (int32_t i = 0; i < row.count; i++) {
        sum += row.weights[i];
        variance += row.weights[i] * (row.first + i - centre) * (row.first + i - centre);
    }
    assert_float_equal(sum, 1.0, 1e-12);
    if (node->residual > 1.0) { /* where samples of a Gaussian have its variance */
        assert_float_equal(variance / (node->residual * node->residual), 1.0, 0.01);
    }
}

TEST(rows_sum_to_one_and_have_the_variance_that_is_left)
{
    for (int i = 0; i < GAUSS_LADDER_NODES; i++) {
        for (int x = 0; x < 64; x++) {
            const struct gauss_node sharp =
                gauss_ladder_node(i, IMAGE_LIGHT_SRGB, GAUSS_MAX_LEVELS);
            const struct gauss_node wide = gauss_ladder_node(i, IMAGE_LIGHT_PQ, GAUSS_MAX_LEVELS);
            check_row(&sharp, (double)GAUSS_REACH, x);
            check_row(&wide, (double)GAUSS_WIDE_REACH, x);
        }
    }
    const struct gauss_node picture = gauss_ladder_node(0, IMAGE_LIGHT_SRGB, 7);
    struct gauss_node_row row;
    gauss_node_row_of(&picture, 4.2, 13, &row);
    assert_true(row.first == 13 && row.count == 1 && row.weights[0] == 1.0);
}

static double polynomial(double at, int degree)
{
    return 0.3 + at * (degree > 0 ? 1.1 : 0.0) + at * at * (degree > 1 ? -0.7 : 0.0) +
           at * at * at * (degree > 2 ? 0.2 : 0.0);
}

TEST(weights_sum_to_one_and_meet_polynomials)
{
    for (int together = 1; together <= GAUSS_LADDER_TOGETHER; together++) {
        for (float at = 0.0f; at <= (float)(together - 1); at += 0.0625f) {
            float weights[GAUSS_LADDER_TOGETHER];
            double sum = 0.0;
            double value = 0.0;
            gauss_ladder_weights(at, together, weights);
            for (int n = 0; n < together; n++) {
                sum += (double)weights[n];
                value += (double)weights[n] * polynomial(n, together - 1);
            }
            assert_float_equal(sum, 1.0, 1e-6);
            assert_float_equal(value, polynomial((double)at, together - 1), 1e-5);
        }
    }
}

#define AROUND 12 /* of a Gaussian below 0.6 px all that a double shows */

/* Adds a node's weights for pixels around one of a picture, times its own. */
static void add_node(const struct gauss_node *node, double weight,
                     double sums[AROUND + 1][AROUND + 1])
{
    struct gauss_node_row row;
    gauss_node_row_of(node, gauss_node_reach(node, (double)GAUSS_REACH), AROUND, &row);
    for (int y = 0; y <= AROUND; y++) {
        for (int x = 0; x <= AROUND; x++) {
            const int last = row.count - 1 - (AROUND - row.first); /* on either side */
            if (x <= last && y <= last) {
                sums[y][x] += weight * row.weights[AROUND - row.first + x] *
                              row.weights[AROUND - row.first + y];
            }
        }
    }
}

/* Returns what white neighbours of a black pixel have too much, of all that have. */
static double excess(double sums[AROUND + 1][AROUND + 1])
{
    double most = 0.0;
    for (int y = 0; y <= AROUND; y++) {
        for (int x = 0; x <= AROUND; x++) {
            const double alike = (x > 0 ? 2.0 : 1.0) * (y > 0 ? 2.0 : 1.0);
            most += x + y > 0 ? alike * fmax(sums[y][x], 0.0) : 0.0;
        }
    }
    return most;
}

TEST(a_row_from_the_picture_on_is_a_gaussian_beside_what_is_white)
{
    static const float close[] = {GAUSS_LADDER_CLOSE_0, GAUSS_LADDER_CLOSE_1, GAUSS_LADDER_CLOSE_2,
                                  GAUSS_LADDER_CLOSE_3};
    const struct gauss_tile_nodes nodes = gauss_tile_nodes_of(0.0f, 40.0f, GAUSS_BLEND_FLOATS);
    assert_true(gauss_tile_nodes_close(&nodes));
    for (float place = 0.05f; place < 6.0f; place += 0.05f) {
        double sums[AROUND + 1][AROUND + 1] = {{0.0}};
        float weights[GAUSS_LADDER_TOGETHER];
        float at = 0.0f;
        assert_int_equal(gauss_tile_nodes_at(&nodes, place, &at), 0);
        gauss_ladder_weights(at, GAUSS_LADDER_TOGETHER, weights);
        for (int n = 0; n < GAUSS_LADDER_TOGETHER; n++) {
            const struct gauss_node node =
                gauss_ladder_node(n * nodes.apart, IMAGE_LIGHT_SRGB, GAUSS_MAX_LEVELS);
            add_node(&node, (double)(weights[n] + close[n] * gauss_ladder_close(at)), sums);
        }
        struct gauss_node own = {.sigma_px = gauss_ladder_sigma_px((double)place / 16.0)};
        own.residual = own.sigma_px;
        struct gauss_node_row row;
        gauss_node_row_of(&own, AROUND / own.sigma_px, AROUND, &row);
        for (int i = 0; i < (AROUND + 1) * (AROUND + 1); i++) {
            sums[i / (AROUND + 1)][i % (AROUND + 1)] -=
                row.weights[AROUND - row.first + i % (AROUND + 1)] *
                row.weights[AROUND - row.first + i / (AROUND + 1)];
        }
        assert_true(excess(sums) < 3.3e-5);
    }
}

static void check_tile(float lowest, float highest, int32_t blend)
{
    const struct gauss_tile_nodes nodes = gauss_tile_nodes_of(lowest, highest, blend);
    assert_true(nodes.first >= 0 && nodes.apart >= 1 && nodes.count >= 1);
    assert_true(nodes.first + (nodes.count - 1) * nodes.apart < GAUSS_LADDER_NODES);
    assert_true(nodes.together == (nodes.count < 4 ? nodes.count : 4));
    for (int i = 0; i <= 20; i++) {
        const float place = lowest + (highest - lowest) * (float)i / 20.0f;
        float at = -1.0f;
        const int32_t first = gauss_tile_nodes_at(&nodes, place, &at);
        assert_true(first >= 0 && first + nodes.together <= nodes.count);
        assert_true(at >= -1e-4f && at <= (float)(nodes.together - 1) + 1e-4f);
        if (nodes.count > 4) { /* two on either side, but before the first two there is nothing */
            assert_true(at <= 2.0f + 1e-4f && (at >= 1.0f - 1e-4f || nodes.first == 0));
        }
    }
}

TEST(nodes_of_a_tile_hold_all_its_places)
{
    for (int32_t blend = GAUSS_BLEND_STORED; blend <= GAUSS_BLEND_FLOATS; blend++) {
        for (float lowest = 0.0f; lowest < 181.0f; lowest += 0.37f) {
            for (float span = 0.0f; lowest + span < 181.4f; span = span * 1.21f + 0.03f) {
                check_tile(lowest, lowest + span, blend);
            }
        }
    }
}

/* For a tile whose largest sigma has that place. */
static void check_levels(float highest, int32_t blend)
{
    const double sigma_px = gauss_ladder_sigma_px((double)highest / GAUSS_LADDER_PER_OCTAVE);
    for (int i = 0; i <= 40; i++) {
        const struct gauss_tile_nodes nodes =
            gauss_tile_nodes_of(highest * (float)i / 40.0f, highest, blend);
        const int32_t last = nodes.first + (nodes.count - 1) * nodes.apart;
        const struct gauss_node node =
            gauss_ladder_node(last, IMAGE_LIGHT_SRGB, GAUSS_NODES_LEVELS);
        assert_true(node.level == 0 || gauss_nodes_may_take((float)sigma_px, node.level));
    }
}

TEST(pixels_may_take_the_levels_of_all_nodes_that_tiles_blend)
{
    for (int32_t blend = GAUSS_BLEND_STORED; blend <= GAUSS_BLEND_FLOATS; blend++) {
        for (float highest = 0.25f; highest < 181.0f && blend != GAUSS_BLEND_WIDE;
             highest += 0.37f) {
            check_levels(highest, blend);
        }
    }
    /* The rest that is left to blur counts: the node of 2.163 px has a level. */
    for (int32_t i = 0; i < GAUSS_LADDER_NODES; i++) {
        const struct gauss_node node = gauss_ladder_node(i, IMAGE_LIGHT_SRGB, GAUSS_NODES_LEVELS);
        const double sigma_px = 1.00001 * (node.sigma_px - 0.7) / 1.69;
        assert_true(node.level == 0 || gauss_nodes_may_take((float)sigma_px, node.level));
    }
    assert_false(gauss_nodes_may_take(0.0f, 1) || gauss_nodes_may_take(0.8f, 1) ||
                 gauss_nodes_may_take(8.0f, 4));
}
