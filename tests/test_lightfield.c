/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields: what the definition must be (LF1, LF2), and that the processor's pictures are its
 * (LF5, LF7), of every kind of array, raw picture and processor. */

#include "cmocka_all.h"
#include "lightfield_run.h"
#include "lightfield_scene.h"
#include "random.h"

#include "core/thread_pool.h"
#include "kernels/lightfield/cpu/lightfield_cpu.h"

#define TEXTURE_SIDE 256
#define MARGIN_PX 30

/* ---- Scenes */

static float texture_levels[3 * TEXTURE_SIDE * TEXTURE_SIDE];
static const struct scene_texture texture = {texture_levels, TEXTURE_SIDE, TEXTURE_SIDE};

/* Whole levels of bytes: what a lens sees of a plane through whole pixels has no rounding. */
static void make_texture(void)
{
    uint64_t random = 11;
    for (size_t i = 0; i < sizeof texture_levels / sizeof texture_levels[0]; i++) {
        texture_levels[i] = (float)(random_next(&random) % 256) / 255.0f;
    }
}

static struct fovea_lightfield_geometry array_of(uint32_t columns, uint32_t rows, double pitch_px)
{
    struct fovea_lightfield_geometry geometry;
    fovea_lightfield_geometry_init(&geometry);
    geometry.columns = columns;
    geometry.rows = rows;
    geometry.pitch_x_px = geometry.pitch_y_px = pitch_px;
    geometry.origin_x_px = geometry.origin_y_px = pitch_px / 2.0;
    geometry.raw_width_px = (uint32_t)ceil(columns * pitch_px);
    geometry.raw_height_px = (uint32_t)ceil(rows * pitch_px);
    return geometry;
}

static uint8_t *raw_of(const struct scene *scene, const struct fovea_lightfield_geometry *geometry,
                       uint32_t colors)
{
    uint8_t *raw = test_malloc((size_t)geometry->raw_width_px * geometry->raw_height_px * colors);
    make_texture();
    scene_raw_rows(scene, geometry, colors, 0, geometry->raw_height_px, raw);
    return raw;
}

/* ---- LF1, LF2: one plane */

enum formula { CORRECTED, AS_PRINTED, WRONG_SIGN };

/* The paper's loops, for pitch 75, patches of 11 pixels, and no weights. */
static double by_formula(enum formula formula, const uint8_t *raw, int32_t columns, int32_t x,
                         int32_t y)
{
    const int32_t patch = 11;
    const int32_t pitch = 75;
    const int32_t divisor = formula == AS_PRINTED ? pitch : patch;
    const int32_t sign = formula == CORRECTED ? -1 : formula == WRONG_SIGN ? 1 : 0;
    double sum = 0.0;
    for (int32_t i = -2; i <= 2; i++) {
        for (int32_t j = -2; j <= 2; j++) {
            const int32_t at_x = (x / divisor + sign * i) * pitch + x % divisor + 32 + i * patch;
            const int32_t at_y = (y / divisor + sign * j) * pitch + y % divisor + 32 + j * patch;
            sum += raw[(size_t)at_y * (size_t)columns * 75 + (size_t)at_x];
        }
    }
    return sum / 25.0;
}

TEST(the_corrected_formula_is_exact_and_the_printed_ones_are_not) /* LF1, LF2 */
{
    (void)state;
    static const double most[] = {400.0, 30.0, 30.0};
    const struct scene_layer layer = {.patch_px = 11.0, .texture = &texture};
    const struct scene scene = {&layer, 1};
    const struct fovea_lightfield_geometry geometry = array_of(16, 12, 75.0);
    uint8_t *raw = raw_of(&scene, &geometry, 1);
    for (int formula = CORRECTED; formula <= WRONG_SIGN; formula++) {
        double squares = 0.0;
        int count = 0;
        for (int32_t y = MARGIN_PX; y < 12 * 11 - MARGIN_PX; y++) {
            for (int32_t x = MARGIN_PX; x < 16 * 11 - MARGIN_PX; x++) {
                float ideal[3];
                scene_ideal(&scene, &geometry, (x + 0.5) / 11.0, (y + 0.5) / 11.0, ideal);
                const double error =
                    by_formula((enum formula)formula, raw, 16, x, y) - 255.0 * (double)ideal[0];
                squares += error * error;
                count++;
            }
        }
        const double psnr_db = 10.0 * log10(255.0 * 255.0 / fmax(squares / count, 1e-30));
        assert_that(psnr_db < most[formula] && (formula != CORRECTED || psnr_db > 110.0),
                    "formula %d: %.1f dB", formula, psnr_db);
    }
    test_free(raw);
}

/* ---- The processor beside the definition */

struct shape {
    const char *name;
    double pitch_px, tall, rotation_deg;
    enum fovea_lightfield_rows arrangement;
    uint32_t flip;
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    uint32_t maximum;
    enum fovea_lightfield_filter filter;
    double patch_px;
    uint32_t range, width_px, height_px;
    double view_x_px, sigma_px;
    uint32_t columns; /* of lenses */
};

#define HEX FOVEA_LIGHTFIELD_ROWS_HEXAGONAL
#define FORMAT(name) FOVEA_LIGHTFIELD_FORMAT_##name
#define BAYER(name) FOVEA_LIGHTFIELD_BAYER_##name
#define NEAREST FOVEA_LIGHTFIELD_FILTER_NEAREST

static const struct shape shapes[] = {
    {"the paper's", 75.0, 1.0, 0.0, 0, 0, FORMAT(RGB8), 0, 0, 0, 11.0, 2, 77, 66, 0.0, 0.0, 7},
    {"74.75", 74.75, 1.0, 0.0, 0, 0, FORMAT(RGBA8), 0, 0, 0, 11.0, 2, 77, 66, 0.0, 0.0, 7},
    {"turned", 37.3, 1.0, 1.5, 0, 0, FORMAT(R8), 0, 0, 0, 6.7, 2, 80, 61, 3.0, 0.0, 7},
    {"turned back", 27.56, 1.0, -0.26, 0, 1, FORMAT(R16), 0, 4095, 0, 5.5, 2, 49, 42, -4.0, 2.0, 7},
    {"hexagonal", 31.0, 0.866, 0.4, HEX, 0, FORMAT(RGB16), 0, 0, 0, 6.0, 2, 63, 50, 0.0, 40.0, 7},
    {"hexagonal, flipped", 31.0, 0.866, 0.0, HEX, 1, FORMAT(RGBA16), 0, 1000, 0, 20.5, 3, 63, 50,
     0.0, 0.0, 7},
    {"nearest", 74.75, 1.0, 0.3, 0, 0, FORMAT(RGB8), 0, 0, NEAREST, 8.3, 2, 77, 66, 0.0, 0.0, 7},
    {"nearest, 16 bits", 31.7, 1.0, 0.0, 0, 0, FORMAT(R16), 0, 0, NEAREST, 5.1, 4, 30, 70, 0.0, 0.0,
     7},
    {"a row's end, flipped", 74.75, 1.0, 0.0, 0, 1, FORMAT(R8), 0, 0, 0, 11.3, 2, 104, 88, 2.0, 0.0,
     7},
    {"nearest in rows", 74.75, 1.1, 0.0, 0, 0, FORMAT(RGB8), 0, 0, NEAREST, 8.3, 1, 230, 66, -3.0,
     0.0, 7},
    {"one lens each", 20.0, 1.0, 0.0, 0, 0, FORMAT(RGB8), 0, 0, 0, 19.0, 0, 140, 120, 0.0, 0.0, 7},
    {"a third of a lens", 14.0, 1.0, 0.0, 0, 0, FORMAT(RGBA8), 0, 0, 0, 8.0, 0, 105, 20, 0.0, 0.0,
     33},
    {"RGGB", 31.4, 1.0, 0.2, 0, 0, FORMAT(R8), BAYER(RGGB), 0, 0, 6.1, 2, 56, 48, 0.0, 0.0, 7},
    {"GRBG", 31.4, 1.0, 0.0, 0, 0, FORMAT(R16), BAYER(GRBG), 1023, 0, 6.1, 2, 56, 48, 0.0, 0.0, 7},
    {"GBRG", 31.4, 1.0, 0.0, HEX, 0, FORMAT(R8), BAYER(GBRG), 0, 0, 6.1, 2, 56, 48, 0.0, 0.0, 7},
    {"BGGR", 31.4, 1.0, 0.0, 0, 0, FORMAT(R8), BAYER(BGGR), 0, NEAREST, 6.1, 2, 56, 48, 0.0, 0.0,
     7},
};

struct world {
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_raw raw;
    unsigned char *bytes;
    double *levels; /* 0 .. 1 */
    struct lightfield_levels definition;
    struct fovea_lightfield *field;
};

static uint32_t channels_of(enum fovea_lightfield_format format)
{
    static const uint32_t channels[] = {0, 1, 3, 4, 1, 3, 4};
    return channels[format];
}

/* Any numbers, some of 16 bits beyond the maximum. */
static void fill_world(const struct shape *shape, struct world *world)
{
    const uint32_t channels = channels_of(shape->format);
    const uint32_t bytes = shape->format >= FORMAT(R16) ? 2 : 1;
    const uint32_t most = shape->maximum ? shape->maximum : bytes == 2 ? 65535 : 255;
    const size_t count = (size_t)world->raw.width_px * world->raw.height_px * channels;
    const uint32_t colors = channels == 1 ? 1 : 3;
    uint64_t random = 3;
    world->bytes = test_malloc(count * bytes);
    world->levels = test_calloc(count, sizeof *world->levels);
    for (size_t i = 0; i < count; i++) {
        const uint16_t any =
            (uint16_t)(random_next(&random) % (bytes == 2 ? most + most / 8 : 256));
        const uint16_t value = any < most ? any : bytes == 2 ? (uint16_t)most : any;
        memcpy(world->bytes + i * bytes, bytes == 2 ? &any : &(uint16_t){any & 255}, bytes);
        if (i % channels < colors) {
            world->levels[i / channels * colors + i % channels] = (double)value / most;
        }
    }
    world->raw.data = world->bytes;
    world->raw.row_stride_bytes = (ptrdiff_t)world->raw.width_px * channels * bytes;
    world->definition = (struct lightfield_levels){world->levels, world->raw.width_px,
                                                   world->raw.height_px, colors, shape->bayer};
}

static struct world world_of(const struct shape *shape)
{
    struct world world = {.geometry = array_of(shape->columns, 6, shape->pitch_px)};
    struct fovea_lightfield_desc desc;
    world.geometry.pitch_y_px *= shape->tall;
    world.geometry.rotation_deg = shape->rotation_deg;
    world.geometry.arrangement = shape->arrangement;
    world.geometry.flip = shape->flip;
    world.geometry.origin_x_px += shape->rotation_deg > 0.0 ? 4.0 : 0.0;
    world.geometry.origin_y_px += shape->rotation_deg < 0.0 ? 4.0 : 0.0;
    world.geometry.raw_width_px += shape->rotation_deg != 0.0 || shape->arrangement == HEX ? 9 : 0;
    fovea_lightfield_raw_init(&world.raw);
    world.raw.width_px = world.geometry.raw_width_px;
    world.raw.height_px = world.geometry.raw_height_px;
    world.raw.format = shape->format;
    world.raw.bayer = shape->bayer;
    world.raw.maximum = shape->maximum;
    fill_world(shape, &world);
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &world.geometry;
    desc.cpu_threads = 2;
    assert_int_equal(fovea_lightfield_create(&desc, &world.field), FOVEA_OK);
    return world;
}

static void world_end(struct world *world)
{
    fovea_lightfield_destroy(&world->field);
    test_free(world->levels);
    test_free(world->bytes);
}

static struct fovea_image floats_of(const struct shape *shape, float *data, bool colors)
{
    return (struct fovea_image){
        .data = data,
        .width_px = shape->width_px,
        .height_px = shape->height_px,
        .format = colors ? FOVEA_FORMAT_RGB32F : FOVEA_FORMAT_R32F,
        .row_stride_bytes = (ptrdiff_t)(shape->width_px * (colors ? 12 : 4)),
    };
}

/* Places are whole parts of a pixel, 1 / 65536: the largest difference of neighbours is 1. */
#define ERROR_MOST 2e-4

static void compare(const char *what, const struct shape *shape, const struct world *world,
                    const float *made, const double *exact)
{
    const uint32_t colors = world->definition.bayer ? 3 : world->definition.colors;
    const size_t count = (size_t)shape->width_px * shape->height_px * 3;
    double worst = 0.0;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const double wanted = exact[i / 3 * colors + (colors == 3 ? i % 3 : 0)];
        const double error = fabs((double)made[i] - wanted);
        worst = error > worst || isnan(error) ? error : worst;
        wrong += !(error < ERROR_MOST);
    }
    /* A place near the edge of a pixel may be in either one. */
    assert_that(wrong * 100 <= (shape->filter == NEAREST ? count : 0),
                "%s, %s: %zu numbers differ, %.2g at worst", shape->name, what, wrong, worst);
}

static struct fovea_lightfield_rendering rendering_of(const struct shape *shape)
{
    struct fovea_lightfield_rendering rendering;
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = shape->patch_px;
    rendering.range = shape->range;
    rendering.filter = shape->filter;
    rendering.view_x_px = shape->view_x_px;
    rendering.view_y_px = -shape->view_x_px / 2.0;
    rendering.sigma_px = shape->sigma_px;
    return rendering;
}

TEST(pictures_are_those_of_the_definition) /* LF5, LF7 */
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct shape *shape = &shapes[s];
        const size_t pixels = (size_t)shape->width_px * shape->height_px;
        struct world world = world_of(shape);
        struct fovea_lightfield_rendering rendering = rendering_of(shape);
        float *made = test_calloc(3 * pixels, sizeof *made);
        float *patches = test_calloc(pixels, sizeof *patches);
        double *exact = test_calloc(3 * pixels, sizeof *exact);
        double *wide = test_calloc(pixels, sizeof *wide);
        const struct fovea_image image = floats_of(shape, made, true);
        const struct fovea_image patch_image = floats_of(shape, patches, false);
        const struct lightfield_size size = {shape->width_px, shape->height_px};
        uint64_t random = 5;
        assert_int_equal(lightfield_run_render(world.field, &world.raw, &rendering, &image),
                         FOVEA_OK);
        lightfield_reference_render(&world.definition, &world.geometry, &rendering, size, NULL,
                                    exact);
        compare("one patch size", shape, &world, made, exact);
        for (size_t i = 0; i < pixels; i++) {
            patches[i] = (float)random_uniform(&random, 0.5, shape->pitch_px * 0.6);
            wide[i] = (double)patches[i];
        }
        patches[3] = NAN;
        wide[3] = NAN;
        rendering.patches = &patch_image;
        assert_int_equal(lightfield_run_render(world.field, &world.raw, &rendering, &image),
                         FOVEA_OK);
        lightfield_reference_render(&world.definition, &world.geometry, &rendering, size, wide,
                                    exact);
        compare("patch sizes", shape, &world, made, exact);
        test_free(wide);
        test_free(exact);
        test_free(patches);
        test_free(made);
        world_end(&world);
    }
}

TEST(depths_are_those_of_the_definition)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct shape *shape = &shapes[s];
        const size_t pixels = (size_t)shape->width_px * shape->height_px;
        struct world world = world_of(shape);
        struct fovea_lightfield_matching matching;
        fovea_lightfield_matching_init(&matching);
        matching.first_px = shape->patch_px * 0.6;
        matching.last_px = matching.first_px + 3.0;
        matching.step_px = s % 2 ? 1.0 : 0.75;
        matching.box = s % 3 == 0;
        matching.range = s % 4 == 1 ? 1 : 2;
        matching.filter = shape->filter;
        const uint32_t sizes = lightfield_size_count(&matching);
        float *made = test_calloc(2 * pixels, sizeof *made);
        double *costs = test_calloc((sizes + 1) * pixels, sizeof *costs);
        double *exact = test_calloc(2 * pixels, sizeof *exact);
        const struct fovea_image depth = floats_of(shape, made, false);
        const struct fovea_image confidence = floats_of(shape, made + pixels, false);
        const struct lightfield_size size = {shape->width_px, shape->height_px};
        assert_int_equal(
            lightfield_run_depth(world.field, &world.raw, &matching, &depth, &confidence),
            FOVEA_OK);
        lightfield_reference_costs(&world.definition, &world.geometry, &matching, size, costs);
        lightfield_reference_choose(&matching, size, costs, exact, exact + pixels);
        size_t wrong = 0;
        for (size_t i = 0; i < 2 * pixels; i++) {
            wrong += !(fabs((double)made[i] - exact[i]) < 1e-3);
        }
        assert_that(wrong * 1000 <= 2 * pixels, "%s: %zu of %zu numbers differ", shape->name, wrong,
                    2 * pixels);
        test_free(exact);
        test_free(costs);
        test_free(made);
        world_end(&world);
    }
}

TEST(sums_of_views_are_those_of_the_definition)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct shape *shape = &shapes[s];
        const size_t pixels = (size_t)shape->width_px * shape->height_px;
        struct world world = world_of(shape);
        struct fovea_lightfield_sum sum;
        fovea_lightfield_sum_init(&sum);
        sum.shift = 0.01 * (double)s - 0.04;
        sum.radius_px = s % 3 * 1.7;
        sum.view_x_px = 1.25;
        float *made = test_calloc(3 * pixels, sizeof *made);
        double *exact = test_calloc(3 * pixels, sizeof *exact);
        const struct fovea_image image = floats_of(shape, made, true);
        const struct lightfield_size size = {shape->width_px, shape->height_px};
        assert_int_equal(lightfield_run_sum(world.field, &world.raw, &sum, &image), FOVEA_OK);
        lightfield_reference_sum(&world.definition, &world.geometry, &sum, size, exact);
        compare("sum", shape, &world, made, exact);
        test_free(exact);
        test_free(made);
        world_end(&world);
    }
}

/* ---- Every processor */

static uint64_t bits_of(const struct world *world, const struct shape *shape,
                        const struct lightfield_loops *loops, uint32_t threads)
{
    const size_t pixels = (size_t)shape->width_px * shape->height_px;
    struct fovea_lightfield_raw raw = world->raw;
    const struct fovea_lightfield_rendering rendering = rendering_of(shape);
    float *made = test_calloc(3 * pixels, sizeof *made);
    const struct fovea_image image = floats_of(shape, made, true);
    struct thread_pool *pool = NULL;
    struct lightfield_cpu *cpu = NULL;
    uint64_t bits = 0;
    raw.maximum = raw.maximum ? raw.maximum : raw.format >= FORMAT(R16) ? 65535 : 255;
    assert_int_equal(thread_pool_create(threads, &pool), FOVEA_OK);
    assert_int_equal(lightfield_cpu_create(&world->geometry, pool, &cpu), FOVEA_OK);
    assert_int_equal(lightfield_cpu_reserve(cpu, shape->width_px, 0), FOVEA_OK);
    cpu->loops = loops;
    lightfield_cpu_render(cpu, &raw, &rendering, &image);
    for (size_t i = 0; i < 3 * pixels * sizeof *made; i++) {
        bits = bits * UINT64_C(1099511628211) + ((const unsigned char *)made)[i];
    }
    lightfield_cpu_destroy(&cpu);
    thread_pool_destroy(&pool);
    test_free(made);
    return bits;
}

TEST(every_processor_gives_the_same_bits)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct world world = world_of(&shapes[s]);
        const uint64_t first = bits_of(&world, &shapes[s], lightfield_loops_choose(), 2);
        assert_int_equal(bits_of(&world, &shapes[s], &lightfield_loops_base, 1), first);
        world_end(&world);
    }
}

/* ---- Streams that are being captured */

#if FOVEA_HAVE_CUDA
TEST(a_capture_takes_pictures_and_refuses_depths_that_need_memory)
{
    (void)state;
    if (!getenv("FOVEA_TEST_LIGHTFIELD_CUDA")) {
        skip();
    }
    struct world world = world_of(&shapes[1]);
    const struct fovea_lightfield_rendering rendering = rendering_of(&shapes[1]);
    struct fovea_lightfield_matching matching;
    struct lightfield_run run;
    CUstream stream = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    float *made = test_calloc((size_t)3 * shapes[1].width_px * shapes[1].height_px, sizeof *made);
    const struct fovea_image host = floats_of(&shapes[1], made, true);
    if (lightfield_run_begin(&world.raw, &run)) {
        const struct cuda_driver *cu = run.device->cu;
        const struct fovea_image *image = lightfield_run_image(&run, &host);
        struct fovea_image depth = *image;
        depth.format = FOVEA_FORMAT_R32F;
        fovea_lightfield_matching_init(&matching);
        matching.first_px = 7.0;
        matching.last_px = 9.0;
        assert_ok(cuda_device_create_stream(run.device, &stream));
        assert_int_equal(cu->StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
        assert_ok(fovea_lightfield_render(world.field, &run.raw, &rendering, image, stream));
        assert_int_equal(
            fovea_lightfield_depth(world.field, &run.raw, &matching, &depth, NULL, stream),
            FOVEA_ERROR_INVALID_STATE);
        assert_int_equal(cu->StreamEndCapture(stream, &graph), 0);
        assert_int_equal(cu->GraphInstantiateWithFlags(&exec, graph, 0), 0);
        assert_int_equal(cu->GraphLaunch(exec, stream), 0);
        assert_int_equal(cu->StreamSynchronize(stream), 0);
        assert_int_equal(cu->GraphExecDestroy(exec), 0);
        assert_int_equal(cu->GraphDestroy(graph), 0);
        assert_int_equal(cu->StreamDestroy(stream), 0);
        lightfield_run_end(&run);
        assert_true(made[0] > 0.0f);
    }
    test_free(made);
    world_end(&world);
}
#endif
