/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate on a CUDA device, each way that its pictures are made: scenes of all operators' tests
 * made by nodes and by blocks, pictures that are large enough for tiles, large ones, and what is
 * promised beside nearness to the reference. test_cuda_operators and the search (search/) try
 * formats, lights, models, sizes, gazes and layouts, each in the way that the library chooses. */

#include "cuda_scene.h"
#include "operators/scene.h"

static const enum fovea_format formats[] = {
    FOVEA_FORMAT_RGBA8,      FOVEA_FORMAT_RGB8,    FOVEA_FORMAT_R8,      FOVEA_FORMAT_A2B10G10R10,
    FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGB16F,
    FOVEA_FORMAT_R16F,       FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
};
#define TILE_FORMATS 6 /* the first ones */
static const enum fovea_format halves[] = {FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F};
static const enum fovea_light lights[] = {FOVEA_LIGHT_LINEAR, FOVEA_LIGHT_ENCODED};

/* A size of which nothing is a multiple, which tiles have where small pictures do not. */
static struct scene scene_in(enum scene_way way)
{
    struct scene scene = scene_smooth();
    scene.way = way;
    if (way == SCENE_IN_TILES) {
        scene.width_px = 401;
        scene.height_px = 273;
    }
    return scene;
}

/* ---- Against the reference ------------------------------------------------------------------- */

TEST(scenes_by_nodes_and_by_blocks_are_the_reference)
{
    for (uint64_t i = 0; i < 330; i += fixture.quick ? 15 : 1) {
        const struct operator_scene drawn = operator_scene_of(&foveate_under_test, i);
        struct scene scene = {.foveation = drawn.settings.foveation,
                              .way = i % 2 ? SCENE_BY_BLOCKS : SCENE_BY_NODES,
                              .gaze = drawn.gaze,
                              .format = drawn.format,
                              .width_px = drawn.width_px,
                              .height_px = drawn.height_px,
                              .pattern = (enum image_pattern)(i % IMAGE_PATTERN_COUNT),
                              .layout = {i % 5 == 1, i % 3, i % 4 == 2}};
        scene.foveation.method = i % 7 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        scene_assert(&scene);
    }
}

/* Each has other gazes and places in memory. */
TEST(formats_patterns_and_lights_in_tiles_are_the_reference)
{
    static const struct fovea_point_uv gazes[] = {
        {0.41, 0.58}, {0, 0}, {0.04, 0.97}, {-0.3, 0.5}, {1.02, 4.9}, {0.16, 0.235}, {0.5, 0.5}};
    for (size_t i = 0; i < (size_t)TILE_FORMATS * IMAGE_PATTERN_COUNT * COUNT(lights);
         i += fixture.quick ? 29 : 1) {
        struct scene scene = scene_in(SCENE_IN_TILES);
        scene.format = formats[i % TILE_FORMATS];
        scene.pattern = (enum image_pattern)(i / TILE_FORMATS % IMAGE_PATTERN_COUNT);
        scene.foveation.light = lights[i / TILE_FORMATS / IMAGE_PATTERN_COUNT];
        scene.foveation.alpha = i % 4 == 3 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        scene.gaze = gazes[i % COUNT(gazes)];
        scene.layout = (struct image_layout){i % 5 == 1, (uint32_t)(i % 3), i % 8 == 2};
        scene.shift = i % 3 == 1 && i % TILE_FORMATS < 3 ? (uint32_t)i % 16 : 0;
        scene_assert(&scene);
    }
}

/* With a strength that leaves the law as flat as it is on a screen. */
TEST(every_size_in_tiles_is_the_reference)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 1},   {1, 3},   {4, 4},    {5, 7},
                                        {31, 33}, {33, 31}, {64, 64}, {65, 63},  {70, 70},
                                        {66, 3},  {3, 129}, {128, 1}, {321, 243}};
    for (size_t i = 0; i < COUNT(sizes) * COUNT(lights); i += fixture.quick ? 3 : 1) {
        struct scene scene = scene_in(SCENE_IN_TILES);
        scene.width_px = sizes[i / 2][0];
        scene.height_px = sizes[i / 2][1];
        scene.foveation.light = lights[i % 2];
        scene.foveation.strength = hypot(scene.width_px, scene.height_px) / 600.0;
        scene_assert(&scene);
    }
}

/* ---- Against the cpu backend ----------------------------------------------------------------- */

#define LARGEST_MAP 4096 /* samples a side */

/* Sides as long as they may be, the widest blur, laws nearly as steep as tiles take them
 * (GAUSS_TILE_MAX_SLOPE), of which those of much strength have subtiles of small and of large sigma
 * at once, and whole screens. */
TEST(large_pictures_are_as_the_cpu_has_them)
{
    static const struct {
        struct scene scene;
        bool smooth;
        float strength, f_max_cpd;
        bool heavy;
    } cases[] = {
#define LARGE(w, h, x, y, ...) .scene = {.width_px = w, .height_px = h, .gaze = {x, y}, __VA_ARGS__}
        {LARGE(9, 16384, 0.41, 0.58, .pattern = IMAGE_RANDOM), false, 1, 0, false},
        {LARGE(16384, 9, 0.41, 0.58, .pattern = IMAGE_RANDOM), true, 1, 0, false},
        {LARGE(9, 16384, 0.41, 0.58, .way = SCENE_IN_TILES), true, 1, 0, false},
        {LARGE(16384, 9, 0.1, 0.5, .way = SCENE_IN_TILES), true, 8, 0, false},
        {LARGE(333, 58, 0.41, 0.58, .format = FOVEA_FORMAT_RGBA32F), true, 8, 270, false},
        {LARGE(2191, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 1e-3f, 0, false},
        {LARGE(2191, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 0.3f, 0, false},
        {LARGE(2191, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 2, 0, false},
        {LARGE(4300, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 4, 0, false},
        {LARGE(5400, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 5, 0, false},
        {LARGE(5400, 69, 0.41, 0.58, .way = SCENE_IN_TILES, .pattern = IMAGE_CHECKER), true, 5, 0,
         false},
        {LARGE(8600, 69, 0.41, 0.58, .way = SCENE_IN_TILES), true, 8, 0, false},
        {LARGE(1301, 97, 0.41, 0.58, .way = SCENE_IN_TILES, .pattern = IMAGE_CHECKER), true, 1, 0,
         false},
        {LARGE(1301, 97, 0.999, 0.4, .way = SCENE_IN_TILES, .pattern = IMAGE_STROKES), true, 1, 0,
         false},
        {LARGE(1280, 720, 0.41, 0.58, .way = SCENE_BY_NODES), true, 1, 0, true},
        {LARGE(9001, 563, 0.41, 0.58, .way = SCENE_IN_TILES), true, 1, 0, true},
        {LARGE(7680, 4320, 0.01, 0.03, .pattern = IMAGE_PHOTO), false, 1, 0, true},
#undef LARGE
    };
    for (size_t i = 0; i < COUNT(cases) * COUNT(lights); i++) {
        const size_t k = i / COUNT(lights);
        struct scene scene = cases[k].scene;
        if (fixture.quick && (cases[k].heavy || i % 7 > 0)) {
            continue;
        }
        scene.foveation = cases[k].smooth ? scene_smooth().foveation : scene_default().foveation;
        scene.foveation.strength = (double)cases[k].strength;
        scene.foveation.light = lights[i % COUNT(lights)];
        scene.foveation.paper.f_max_cpd =
            cases[k].f_max_cpd > 0 ? (double)cases[k].f_max_cpd : scene.foveation.paper.f_max_cpd;
        scene.format = scene.format ? scene.format : FOVEA_FORMAT_RGBA8;
        scene.no_reference = true;
        scene_assert(&scene);
    }
}

/* A table of as many samples as there may be. */
TEST(the_largest_map_works)
{
    const size_t side = fixture.quick ? 1024 : LARGEST_MAP;
    OWNED(owned_free) float *values = malloc(side * side * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < side * side; i++) {
        values[i] = (float)(1 + i % 97 + i / side);
    }
    struct scene scene = scene_smooth();
    scene.foveation.model = FOVEA_MODEL_MAP;
    scene.foveation.map.kind = FOVEA_MAP_ARRAY;
    scene.foveation.map.values = values;
    scene.foveation.map.width = scene.foveation.map.height = (uint32_t)side;
    scene.foveation.map.width_deg = 300.0;
    scene.foveation.geometry =
        (struct fovea_geometry){.tan_left = 0.7, .tan_right = 1.1, .tan_up = 0.8, .tan_down = 0.4};
    scene.no_reference = true;
    scene_assert(&scene);
}

/* ---- Bit for bit ----------------------------------------------------------------------------- */

/* The law is sharp there in all ways: a fragment, or some pixels around the gaze. */
TEST(what_is_sharp_is_copied_bit_by_bit)
{
    for (size_t i = 0; i < 4 * COUNT(formats); i += fixture.quick ? 3 : 1) {
        struct scene scene = scene_in((enum scene_way)(i % 4));
        scene.format = formats[i / 4];
        if (scene.way == SCENE_IN_TILES && i / 4 >= TILE_FORMATS) {
            continue;
        }
        scene.foveation.method =
            scene.way == SCENE_ANY_WAY ? FOVEA_METHOD_BLOCKWISE : FOVEA_METHOD_SMOOTH;
        scene.foveation.light = lights[i / 4 % 2];
        scene.foveation.alpha = i / 8 % 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        scene.foveation.paper.f_max_cpd = 10.0;
        assert_true(scene_assert_sharp_is_copied(&scene) > 100);
    }
}

TEST(flat_pictures_stay_flat)
{
    static const enum fovea_format unorm[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
    for (size_t i = 0; i < 4 * COUNT(unorm); i++) {
        struct scene scene = scene_in(i % 2 ? SCENE_IN_TILES : SCENE_BY_NODES);
        scene.format = unorm[i / 4];
        scene.width_px = 129;
        scene.height_px = 65;
        scene.foveation.strength = i % 2 ? 0.24 : 3.0; /* as flat as tiles ask for; steep */
        scene.foveation.light = lights[i / 2 % 2];
        scene_assert_flat_stays_flat(&scene);
    }
}

/* A view lies at any place of a larger picture, on bytes of any alignment, and gets the same
 * bits. */
TEST(a_view_is_as_it_would_be_alone)
{
    static const int32_t origins[][2] = {{0, 0}, {4, 1}, {2, 8}, {61, 5}, {7, 64}};
    for (size_t i = 0; i < COUNT(origins); i += fixture.quick ? 3 : 1) {
        struct scene scene = scene_in(SCENE_IN_TILES);
        OWNED(scene_finish) struct prepared p = {0};
        scene_prepare(&p, &scene);
        OWNED_IMAGE large = image_drawn(480, 340, scene.format, IMAGE_RANDOM, 3);
        OWNED_IMAGE large_dst = image_make_packed(480, 340, scene.format);
        OWNED_IMAGE alone = image_make_packed(401, 273, scene.format);
        OWNED_IMAGE expected = image_make_packed(401, 273, scene.format);
        struct fovea_image view = large_dst.view;
        view.width_px = 401;
        view.height_px = 273;
        view.data = image_pixel(&large.view, (uint32_t)origins[i][0], (uint32_t)origins[i][1]);
        image_mirror(&view, &alone.view, false, false);
        scene_run_linear(&p, &alone, &expected, 0);
        p.view.origin_x_px = origins[i][0];
        p.view.origin_y_px = origins[i][1];
        scene_run_linear(&p, &large, &large_dst, 0);
        view.data = image_pixel(&large_dst.view, (uint32_t)origins[i][0], (uint32_t)origins[i][1]);
        compare_assert_all_same(&view, &expected.view, "view");
        scene_run_surface(&p, &large.view, &large_dst.view);
        compare_assert_all_same(&view, &expected.view, "view of a surface");
    }
}

/* The list of tiles is left as the next frame wants it, whatever gaze the one before had. */
TEST(frames_leave_nothing_behind)
{
    struct scene scene = scene_in(SCENE_IN_TILES);
    OWNED_IMAGE src = image_drawn(401, 273, scene.format, IMAGE_RANDOM, 5);
    OWNED_IMAGE first = image_make_packed(401, 273, scene.format);
    OWNED_IMAGE later = image_make_packed(401, 273, scene.format);
    OWNED(scene_finish) struct prepared p = {0};
    scene_prepare(&p, &scene);
    scene_run_linear(&p, &src, &first, 0);
    for (int i = 0; i < (fixture.quick ? 2 : 9); i++) {
        scene_look(&p, (struct fovea_point_uv){i / 7.0 - 0.1, 1.1 - i / 8.0});
        scene_run_linear(&p, &src, &later, 0);
        scene_look(&p, scene.gaze);
        scene_run_linear(&p, &src, &later, 0);
        compare_assert_all_same(&later.view, &first.view, "again");
    }
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static struct test_image run_picture(const struct scene *scene, const struct test_image *src,
                                     struct prepared *p)
{
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    scene_prepare(p, scene);
    scene_run_linear(p, src, &dst, 0);
    return dst;
}

static const uint32_t bad_places[][3] = {{20, 30, 0}, {150, 90, 1}, {202, 116, 2}}; /* channel */

/* Whether samples of that pixel's level come near a place that is not finite, along both axes. */
static bool reaches_bad(const struct prepared *p, uint32_t x, uint32_t y)
{
    const float sigma_px = gauss_sigma_at(p->plan, &p->frame, (int32_t)x, (int32_t)y);
    const double reach_px = 6.0 * (double)sigma_px + 4.0;
    for (size_t k = 0; k < COUNT(bad_places); k++) {
        if (fabs((double)x - bad_places[k][0]) <= reach_px &&
            fabs((double)y - bad_places[k][1]) <= reach_px) {
            return true;
        }
    }
    return false;
}

/* A value that is not finite is seen as far as samples reach, and not in all of a tile. */
TEST(what_is_not_finite_stays_within_reach)
{
    for (size_t i = 0; i < 6 * COUNT(halves); i++) {
        struct scene scene = scene_in((enum scene_way)(1 + i % 3));
        scene.format = halves[i / 6];
        scene.foveation.alpha = i % 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        OWNED_IMAGE src =
            image_drawn(scene.width_px, scene.height_px, scene.format, IMAGE_PHOTO, 3);
        OWNED(scene_finish) struct prepared p = {0};
        OWNED_IMAGE clean = run_picture(&scene, &src, &p);
        scene_finish(&p);
        for (size_t k = 0; k < COUNT(bad_places); k++) {
            image_set(&src.view, bad_places[k][0], bad_places[k][1], bad_places[k][2],
                      k == 1 ? (double)INFINITY : (double)NAN);
        }
        OWNED_IMAGE dst = run_picture(&scene, &src, &p);
        assert_true(isnan(image_get(&dst.view, 20, 30, 0)));
        assert_true(isinf(image_get(&dst.view, 150, 90, 1)));
        assert_true(isnan(image_get(&dst.view, 202, 116, 2)));
        for (uint32_t at = 0; at < scene.width_px * scene.height_px; at++) {
            const uint32_t x = at % scene.width_px;
            const uint32_t y = at / scene.width_px;
            for (uint32_t c = 0; c < 3 && !reaches_bad(&p, x, y); c++) {
                assert_true(fabs(image_get(&dst.view, x, y, c) - image_get(&clean.view, x, y, c)) <=
                            0.02 * image_white(scene.format, c));
            }
        }
    }
}

TEST(the_largest_numbers_stay_as_they_are)
{
    static const double largest[] = {64512.0, 65504.0};
    for (size_t i = 0; i < 3 * COUNT(halves); i++) {
        struct scene scene = scene_in((enum scene_way)(1 + i % 3));
        scene.format = halves[i / 3];
        OWNED_IMAGE src = image_make_packed(scene.width_px, scene.height_px, scene.format);
        image_fill(&src.view, largest[i / 3]);
        OWNED(scene_finish) struct prepared p = {0};
        OWNED_IMAGE dst = run_picture(&scene, &src, &p);
        compare_assert_all_same(&dst.view, &src.view, "largest");
    }
}

/* A sun in the dark: what is within reach of it counts by the weight, and what is not is as dark as
 * ever. */
TEST(what_is_dark_stays_dark_beside_what_is_bright)
{
    struct scene scene = scene_in(SCENE_IN_TILES);
    scene.format = FOVEA_FORMAT_RGBA16F;
    OWNED_IMAGE src = image_make_packed(401, 273, scene.format);
    image_fill(&src.view, 0.001);
    image_set(&src.view, 40, 40, 0, 60000.0);
    image_set(&src.view, 180, 140, 1, 60000.0);
    OWNED(scene_finish) struct prepared p = {0};
    OWNED_IMAGE dst = run_picture(&scene, &src, &p);
    assert_float_equal(image_get(&dst.view, 350, 230, 0), 0.001, 2e-6);
    assert_float_equal(image_get(&dst.view, 250, 60, 1), 0.001, 2e-6);
    assert_true(image_get(&dst.view, 41, 41, 0) > 100.0);
}

enum bright {
    BRIGHT_NOISE, /* of all powers of two up to the largest */
    BRIGHT_BINARY, /* nothing or the largest */
    BRIGHT_CHECKER,
    BRIGHT_SPOTS, /* one in 400, of 1 to the largest */
    BRIGHT_COUNT,
};

static double bright_at(enum bright kind, double largest, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t word =
        (((x * 1949u + y * 24593u + channel * 7919u + 1u) * 2654435761u) ^ (x * y)) * 2246822519u;
    const double share = (word >> 8) / 16777216.0;
    switch (kind) {
    case BRIGHT_NOISE:
        return largest * exp2(-24.0 * share);
    case BRIGHT_BINARY:
        return share < 0.5 ? 0.0 : largest;
    case BRIGHT_CHECKER:
        return (x + y) % 2 ? largest : 0.0;
    default:
        return share < 1.0 / 400.0 ? pow(largest, share * 400.0) : 0.0;
    }
}

/* The largest part of the budget: three levels, or of what is far above white a five hundredth, are
 * 1. */
static double worst_part(struct scene scene, enum fovea_format format, double largest,
                         enum bright kind)
{
    double most = 0.0;
    scene.format = format;
    OWNED_IMAGE src = image_make_packed(scene.width_px, scene.height_px, format);
    for (uint32_t i = 0; i < 3 * scene.width_px * scene.height_px; i++) {
        const uint32_t x = i / 3 % scene.width_px;
        const uint32_t y = i / 3 / scene.width_px;
        image_set(&src.view, x, y, i % 3, bright_at(kind, largest, x, y, i % 3));
    }
    struct prepared p = {0};
    OWNED_IMAGE dst = run_picture(&scene, &src, &p);
    OWNED(owned_free) double *expected = compare_expected(&scene.foveation, &src.view, &p.frame);
    const uint32_t channels = image_channels(format);
    for (uint32_t i = 0; i < scene.width_px * scene.height_px * channels; i++) {
        const uint32_t at = i / channels;
        const double actual =
            image_get(&dst.view, at % scene.width_px, at / scene.width_px, i % channels);
        const double budget =
            fmax(3.0 / 255.0 * image_white(format, i % channels), fabs(expected[i]) / 500.0);
        const double half_step = format == FOVEA_FORMAT_B10G11R11F ? expected[i] / 64.0 : 0.0;
        assert_true(isfinite(actual));
        most =
            i % channels < 3 ? fmax(most, (fabs(actual - expected[i]) - half_step) / budget) : most;
    }
    scene_finish(&p);
    return most;
}

/* Beside nothing a tail of what is brightest is off by more than the budget, whatever nodes are
 * multiplied in: halves are to be no worse than floats. */
TEST(floats_far_above_white_are_right)
{
    static const double largest[] = {64512.0, 65504.0};
    for (int i = 0; i < BRIGHT_COUNT * (fixture.quick ? 1 : 3); i++) {
        struct scene scene = scene_in(SCENE_BY_NODES);
        scene.width_px = 107;
        scene.height_px = 61;
        scene.foveation.strength = exp2(i / BRIGHT_COUNT);
        const enum bright kind = (enum bright)(i % BRIGHT_COUNT);
        for (size_t k = 0; k < COUNT(halves); k++) {
            const double of_floats = worst_part(scene, FOVEA_FORMAT_RGBA32F, largest[k], kind);
            const double of_halves = worst_part(scene, halves[k], largest[k], kind);
            assert_that(of_halves <= fmax(1.0, 1.25 * of_floats),
                        "format %d, strength %g, kind %d: %.3f budgets off, floats %.3f",
                        (int)halves[k], scene.foveation.strength, (int)kind, of_halves, of_floats);
        }
    }
}

/* ---- Plans ----------------------------------------------------------------------------------- */

#define STREAMS 3

static struct device_pair pair_make(const struct scene *scene, uint64_t seed)
{
    return device_pair_make(scene->width_px, scene->height_px, scene->format, IMAGE_RANDOM, seed);
}

static enum fovea_result run(const struct prepared *p, const struct device_pair *picture,
                             CUstream stream)
{
    struct operator_cuda_run run = p->run;
    run.stream = stream;
    return cuda_fixture_run_linear(&run, &picture->device_src.view, &picture->device_dst.view);
}

/* Each plan is retired while launches on several streams that read its tables are queued; alone
 * each picture is as it is among the others. */
static void check_in_flight(const struct scene *scene)
{
    OWNED(scene_finish) struct prepared p = {0};
    struct device_pair pictures[STREAMS];
    CUstream streams[STREAMS] = {NULL};
    for (int i = 0; i < STREAMS; i++) {
        assert_ok(cuda_device_create_stream(fixture.device, &streams[i]));
        pictures[i] = pair_make(scene, 10 + (uint64_t)i);
    }
    for (int round = 0; round < (fixture.quick ? 2 : 20); round++) {
        scene_prepare(&p, scene);
        for (int i = 0; i < STREAMS * (fixture.quick ? 1 : 10); i++) {
            assert_ok(run(&p, &pictures[i % STREAMS], streams[i % STREAMS]));
        }
        scene_finish(&p);
    }
    scene_prepare(&p, scene);
    for (int i = 0; i < STREAMS; i++) {
        OWNED_IMAGE alone = image_make_packed(203, 117, scene->format);
        CU_ASSERT(fixture.cu->StreamSynchronize(streams[i]));
        CU_ASSERT(fixture.cu->StreamDestroy(streams[i]));
        device_image_download(&pictures[i].device_dst, &pictures[i].dst);
        scene_run_linear(&p, &pictures[i].src, &alone, 0);
        compare_assert_all_same(&pictures[i].dst.view, &alone.view, "stream");
        device_pair_free(&pictures[i]);
    }
}

TEST(plans_may_be_retired_in_flight)
{
    const struct scene blockwise = scene_default();
    const struct scene smooth = scene_smooth();
    check_in_flight(&blockwise);
    check_in_flight(&smooth);
}

TEST(formats_that_a_plan_or_a_surface_lacks_are_refused)
{
    struct scene scene = scene_smooth();
    scene.format = FOVEA_FORMAT_RGBA32F;
    OWNED(device_pair_free) struct device_pair picture = pair_make(&scene, 1);
    OWNED(scene_finish) struct prepared p = {0};
    scene_prepare(&p, &scene);
    assert_int_equal(
        gauss_operator_cuda.run_surface(fixture.foveate, &p.run, FOVEA_FORMAT_RGB8, 0, 0),
        FOVEA_ERROR_UNSUPPORTED);
    struct operator_cuda_plan *small = NULL;
    assert_ok(
        operator_cuda_plan_create(fixture.foveate, &p.plan->base, FOVEA_FORMAT_RGBA16F, &small));
    p.run.cuda_plan = small;
    assert_int_equal(run(&p, &picture, fixture.stream), FOVEA_ERROR_UNSUPPORTED);
    operator_cuda_plan_retire(fixture.foveate, &small);
}
