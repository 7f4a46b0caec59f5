/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ways that the processor makes pictures, tiles of one level and nodes: each beside the other,
 * and every compilation of both beside the plain one. Against the reference operators/ has them. */

#include "sanitized.h"
#include "test_foveate_support.h"

#include "kernels/gauss/cpu/nodes/nodes.h"
#include "kernels/gauss/cpu/tiles/tile.h"
#include "kernels/gauss/plan/slope.h"

static void assert_goes_by_tiles(const struct gauss_plan *plan)
{
    assert_true(gauss_slope_of(plan).slope <= GAUSS_CPU_TILE_MAX_SLOPE);
}

/* ---- Tiles beside nodes, which make float formats */

static double level_of(const struct fovea_image *floats, uint32_t x, uint32_t y, uint32_t c)
{
    return 255.0 * image_get(floats, x, y, c);
}

static void compare_both(const struct fovea_image *bytes, const struct fovea_image *floats,
                         const char *what)
{
    const uint32_t count = 3 * bytes->width_px * bytes->height_px;
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = i / 3 % bytes->width_px;
        const uint32_t y = i / 3 / bytes->width_px;
        const double error = fabs(level_of(floats, x, y, i % 3) - image_get(bytes, x, y, i % 3));
        sum += error;
        assert_that(error <= 2.0, "%s: %g levels at %u,%u", what, error, x, y);
    }
    if (sum / count > 0.51) { /* rounding alone is 0.25, and 0.5 where a checker becomes 127.5 */
        fail_msg("%s: %g levels on average", what, sum / count);
    }
}

/* All levels and the fovea in one picture; tiles meet others of every other size. */
TEST(whole_pictures_in_tiles_are_as_those_of_nodes)
{
    static const double gazes[][2] = {{640, 360}, {20, 700}, {-300, 100}, {1281.5, 333.25}};
    for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
        if (!test_turn(pattern, IMAGE_PATTERN_COUNT, TEST_SANITIZED ? IMAGE_PATTERN_COUNT : 1)) {
            continue;
        }
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.light = FOVEA_LIGHT_ENCODED;
        struct rig rig = rig_make(settings, 1281, 723);
        assert_goes_by_tiles(rig.plan);
        struct test_image images[4]; /* bytes, floats, and what becomes of them */
        for (int i = 0; i < 4; i++) {
            images[i] =
                image_make_packed(1281, 723, i % 2 ? FOVEA_FORMAT_RGBA32F : FOVEA_FORMAT_RGBA8);
        }
        image_draw(&images[0].view, (enum image_pattern)pattern, 3);
        for (uint32_t i = 0; i < 3 * 1281 * 723; i++) {
            image_set(&images[1].view, i / 3 % 1281, i / 3 / 1281, i % 3,
                      image_get(&images[0].view, i / 3 % 1281, i / 3 / 1281, i % 3) / 255.0);
        }
        for (int i = 0; i < 2; i++) {
            rig_run(&rig, &images[i].view, &images[2 + i].view, gazes[pattern % 4][0],
                    gazes[pattern % 4][1]);
        }
        compare_both(&images[2].view, &images[3].view,
                     image_pattern_name((enum image_pattern)pattern));
        rig_finish(&rig);
        for (int i = 0; i < 4; i++) {
            image_free(&images[i]);
        }
    }
}

/* ---- Threads */

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const uint32_t counts[] = {1, 2, 5, 256};
    OWNED(rig_finish) struct rig rig = rig_make(smooth_settings(FOVEA_MODEL_PAPER), 150, 110);
    OWNED_IMAGE src = image_drawn(150, 110, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 3);
    OWNED_IMAGE dst = image_make_packed(150, 110, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE other = image_make_packed(150, 110, FOVEA_FORMAT_RGBA8);
    const struct gauss_frame frame = rig_run(&rig, &src.view, &dst.view, 77, 30);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        OWNED(processor_finish) struct processor processor;
        assert_ok(processor_create(rig.plan, counts[i], &processor));
        for (int run = 0; run < 10; run++) {
            processor_run(&processor, &src.view, &other.view, &frame);
            compare_assert_all_same(&other.view, &dst.view, "threads");
        }
    }
}

/* ---- Compilations */

#ifdef GAUSS_CPU_HAVE_AVX2

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

/* A picture by plain code, by AVX2, and by the widest that the processor has. */
#define COMPILATIONS 3
struct compiled {
    struct gauss_plan *plan;
    struct gauss_cpu_picture picture;
    struct test_image src;
    struct test_image dst[COMPILATIONS];
};

static struct compiled compiled_make(struct fovea_foveation settings, uint32_t width_px,
                                     uint32_t height_px, enum fovea_format format)
{
    struct compiled c = {.plan = plan_of(&settings, width_px, height_px),
                         .src = image_make_packed(width_px, height_px, format)};
    image_draw(&c.src.view, IMAGE_STROKES, 3);
    for (int i = 0; i < COMPILATIONS; i++) {
        c.dst[i] = image_make_packed(width_px, height_px, format);
    }
    c.picture = (struct gauss_cpu_picture){
        .plan = c.plan,
        .view = {.src = c.src.view, .frame = frame_at(c.plan, 0.3 * width_px, 0.6 * height_px)},
        .codec = pixel_codec_of(format),
        .channels = 3,
        .samples = calloc((size_t)c.plan->level_samples * 4 + 64, sizeof(float)),
        .slope = gauss_slope_of(c.plan).slope,
    };
    assert_non_null(c.picture.samples);
    return c;
}

static void compiled_finish(struct compiled *c, double most)
{
    for (int i = 0; i < COMPILATIONS; i++) {
        struct compare_rect where = {0};
        assert_true(compare_largest(&c->dst[i].view, &c->dst[0].view, &where) <= most);
        assert_true(image_guards_intact(&c->dst[i]));
    }
    for (int i = 0; i < COMPILATIONS; i++) {
        image_free(&c->dst[i]);
    }
    free(c->picture.samples);
    image_free(&c->src);
    foveate_plan_destroy(&c->plan);
}

static void run_tiles(const struct gauss_cpu_tiles *tiles, const struct gauss_cpu_picture *picture)
{
    const struct gauss_plan *plan = picture->plan;
    OWNED(owned_free)
    float *scratch = test_memory(gauss_cpu_tile_floats(plan->width_px), sizeof *scratch);
    for (int32_t k = 1; k < (int32_t)plan->level_count; k++) {
        tiles->level_rows(picture, scratch, k, -GAUSS_MARGIN,
                          plan->levels[k].height + GAUSS_MARGIN);
    }
    for (int32_t y = 0; y < (int32_t)plan->height_px; y += GAUSS_CPU_TILE_PX) {
        for (int32_t x = 0; x < (int32_t)plan->width_px; x += GAUSS_CPU_TILE_PX) {
            tiles->make(picture, scratch, x, y);
        }
    }
}

TEST(all_compilations_of_tiles_agree)
{
    if (!has_avx2()) {
        skip();
    }
    const struct gauss_cpu_tiles *all[COMPILATIONS] = {&gauss_cpu_tiles_base, &gauss_cpu_tiles_avx2,
                                                       has_avx512() ? &gauss_cpu_tiles_avx512
                                                                    : &gauss_cpu_tiles_avx2};
    struct pixel_light light;
    pixel_light_init(&light, FOVEA_FORMAT_RGBA8,
                     &(struct pixel_transfer){.light = IMAGE_LIGHT_SRGB});
    for (int linear = 0; linear < 2; linear++) {
        struct compiled c =
            compiled_make(smooth_settings(FOVEA_MODEL_PAPER), 1025, 633, FOVEA_FORMAT_RGBA8);
        c.picture.light = linear ? &light : NULL;
        for (int i = 0; i < COMPILATIONS; i++) {
            c.picture.view.dst = c.dst[i].view;
            run_tiles(all[i], &c.picture);
        }
        compiled_finish(&c, 1.0);
    }
}

/* The nodes are blended from level 0 alone. */
static void run_nodes(const struct gauss_cpu_nodes *nodes, const struct gauss_cpu_ladder *ladder,
                      const struct gauss_cpu_picture *picture)
{
    OWNED(owned_free) float *scratch = aligned_alloc(64, (gauss_cpu_nodes_floats() + 16) / 16 * 64);
    assert_non_null(scratch);
    nodes->read_rows(picture, scratch, 0, picture->view.frame.height_px);
    for (int32_t y = 0; y < picture->view.frame.height_px; y += GAUSS_CPU_NODE_PX) {
        nodes->tiles(picture, ladder, scratch, y);
    }
}

TEST(all_compilations_of_nodes_agree)
{
    if (!has_avx2()) {
        skip();
    }
    const struct gauss_cpu_nodes *all[COMPILATIONS] = {&gauss_cpu_nodes_base, &gauss_cpu_nodes_avx2,
                                                       has_avx512() ? &gauss_cpu_nodes_avx512
                                                                    : &gauss_cpu_nodes_avx2};
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.strength = 0.08; /* no level but the picture */
    struct compiled c = compiled_make(settings, 101, 67, FOVEA_FORMAT_RGBA32F);
    struct gauss_cpu_ladder ladder;
    assert_int_equal(c.plan->level_count, 1);
    assert_ok(gauss_cpu_ladder_init(&ladder, c.plan, 1.5f * c.plan->sigma_max_px));
    for (int i = 0; i < COMPILATIONS; i++) {
        c.picture.view.dst = c.dst[i].view;
        run_nodes(all[i], &ladder, &c.picture);
    }
    gauss_cpu_ladder_finish(&ladder);
    compiled_finish(&c, 1e-4);
}
#endif
