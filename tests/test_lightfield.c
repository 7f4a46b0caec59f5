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
#define HOLE_SETTINGS 40

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
    static const double most[] = {400.0, 30.0, 30.0};
    const struct scene_layer layer = {.patch_px = 11.0, .texture = &texture};
    const struct scene scene = {.layers = &layer, .count = 1};
    const struct fovea_lightfield_geometry geometry = array_of(16, 12, 75.0);
    OWNED(owned_test_free) uint8_t *raw = raw_of(&scene, &geometry, 1);
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
    {"hexagonal, one lens each, narrow", 31.0, 0.866, 0.0, HEX, 0, FORMAT(RGB8), 0, 0, 0, 30.0, 0,
     231, 90, 0.0, 1.3, 7},
    {"hexagonal, narrow, from the side", 31.0, 0.9, 0.5, HEX, 0, FORMAT(RGBA8), 0, 0, 0, 9.9, 2, 71,
     50, 15.0, 1.3, 7},
    {"tall, narrow", 20.0, 3.4, 0.0, 0, 0, FORMAT(R8), 0, 0, 0, 19.0, 2, 70, 50, 0.0, 0.84, 7},
    {"nearest in tiles", 74.75, 1.0, 0.0, 0, 0, FORMAT(RGBA8), 0, 0, NEAREST, 11.0, 2, 132, 66, 0.0,
     0.0, 12},
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
    world.geometry.raw_height_px =
        (uint32_t)(world.geometry.raw_height_px * fmax(shape->tall, 1.0));
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
    assert_ok(fovea_lightfield_create(&desc, &world.field));
    lightfield_run_geometry(&world.geometry);
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

/* Each ring has some lenses of a picture of a few, and none is as far as a ring. */
static struct fovea_lightfield_foveation foveation_of(const struct shape *shape)
{
    struct fovea_lightfield_foveation foveation;
    fovea_lightfield_foveation_init(&foveation);
    foveation.gaze = (struct fovea_point_uv){0.37, 0.41};
    foveation.full_px = 0.211 * shape->width_px;
    foveation.next_px = 0.401 * shape->width_px;
    return foveation;
}

TEST(pictures_are_those_of_the_definition) /* LF5, LF7 */
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct shape *shape = &shapes[s];
        const size_t pixels = (size_t)shape->width_px * shape->height_px;
        OWNED(world_end) struct world world = world_of(shape);
        struct fovea_lightfield_rendering rendering = rendering_of(shape);
        OWNED(owned_test_free) float *made = test_calloc(3 * pixels, sizeof *made);
        OWNED(owned_test_free) float *patches = test_calloc(pixels, sizeof *patches);
        OWNED(owned_test_free) double *exact = test_calloc(3 * pixels, sizeof *exact);
        OWNED(owned_test_free) double *wide = test_calloc(pixels, sizeof *wide);
        const struct fovea_image image = floats_of(shape, made, true);
        const struct fovea_image patch_image = floats_of(shape, patches, false);
        const struct lightfield_size size = {shape->width_px, shape->height_px};
        uint64_t random = 5;
        assert_ok(lightfield_run_render(world.field, &world.raw, &rendering, &image));
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
        assert_ok(lightfield_run_render(world.field, &world.raw, &rendering, &image));
        lightfield_reference_render(&world.definition, &world.geometry, &rendering, size, wide,
                                    exact);
        compare("patch sizes", shape, &world, made, exact);
        const struct fovea_lightfield_foveation foveation = foveation_of(shape);
        rendering.foveation = &foveation;
        rendering.view_x_px = rendering.view_y_px = 0.0;
        for (int each = 0; each < 2; each++) {
            rendering.patches = each ? &patch_image : NULL;
            assert_ok(lightfield_run_render(world.field, &world.raw, &rendering, &image));
            lightfield_reference_render(&world.definition, &world.geometry, &rendering, size,
                                        each ? wide : NULL, exact);
            compare(each ? "a gaze, patch sizes" : "a gaze", shape, &world, made, exact);
        }
    }
}

/* Every pixel of a white raw picture is white, or a sample is missing. */
static void check_white(const struct shape *shape, const struct world *world,
                        const struct fovea_lightfield_rendering *rendering)
{
    const size_t count = (size_t)3 * shape->width_px * shape->height_px;
    OWNED(owned_test_free) float *made = test_calloc(count, sizeof *made);
    const struct fovea_image image = floats_of(shape, made, true);
    assert_ok(lightfield_run_render(world->field, &world->raw, rendering, &image));
    for (size_t i = 0; i < count; i++) {
        assert_that(
            fabsf(made[i] - 1.0f) < 1e-3f,
            "number %zu of %ux%u is %g: pitch %.2f, tall %.2f, turned %.2f, arrangement %d, "
            "flip %u, patch %.2f, range %u, sigma %.3f, view %.2f, a gaze: %d",
            i, shape->width_px, shape->height_px, (double)made[i], shape->pitch_px, shape->tall,
            shape->rotation_deg, (int)shape->arrangement, shape->flip, rendering->patch_px,
            rendering->range, rendering->sigma_px, rendering->view_x_px,
            rendering->foveation != NULL);
    }
}

TEST(no_setting_leaves_a_hole)
{
    uint64_t random = 45;
    for (int i = 0; i < HOLE_SETTINGS; i++) {
        const struct shape shape = {
            .name = "drawn",
            .pitch_px = random_uniform(&random, 10.0, 40.0),
            .tall = random_uniform(&random, 0.4, 3.0),
            .rotation_deg = i % 3 ? 0.0 : random_uniform(&random, -1.0, 1.0),
            .arrangement = i % 5 < 3 ? HEX : FOVEA_LIGHTFIELD_ROWS_RECTANGULAR,
            .flip = random_next(&random) % 2,
            .format = i % 4 ? FORMAT(RGBA8) : FORMAT(R16),
            .columns = 2 + (uint32_t)(random_next(&random) % 6),
            .width_px = 8 + (uint32_t)(random_next(&random) % 90),
            .height_px = 8 + (uint32_t)(random_next(&random) % 40),
        };
        OWNED(world_end) struct world world = world_of(&shape);
        struct fovea_lightfield_rendering rendering;
        memset(world.bytes, 255, (size_t)world.raw.row_stride_bytes * world.raw.height_px);
        fovea_lightfield_rendering_init(&rendering);
        rendering.patch_px = random_uniform(&random, 1.0, shape.pitch_px);
        rendering.range = (uint32_t)(random_next(&random) % 4);
        rendering.sigma_px = shape.pitch_px / random_uniform(&random, 1.0, 23.9);
        const struct fovea_lightfield_foveation foveation = foveation_of(&shape);
        if (i % 2) {
            rendering.foveation = &foveation;
        } else {
            rendering.view_x_px = shape.pitch_px * random_uniform(&random, -0.5, 0.5);
            rendering.view_y_px = shape.pitch_px * random_uniform(&random, -0.5, 0.5);
        }
        check_white(&shape, &world, &rendering);
    }
}

TEST(depths_are_those_of_the_definition)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const struct shape *shape = &shapes[s];
        const size_t pixels = (size_t)shape->width_px * shape->height_px;
        OWNED(world_end) struct world world = world_of(shape);
        struct fovea_lightfield_matching matching;
        fovea_lightfield_matching_init(&matching);
        matching.first_px = shape->patch_px * 0.6;
        matching.last_px = matching.first_px + 3.0;
        matching.step_px = s % 2 ? 1.0 : 0.75;
        matching.box = s % 3 == 0;
        matching.range = s % 4 == 1 ? 1 : 2;
        matching.filter = shape->filter;
        const struct fovea_lightfield_foveation foveation = foveation_of(shape);
        matching.foveation = s % 3 == 1 ? &foveation : NULL;
        const uint32_t sizes = lightfield_size_count(&matching);
        OWNED(owned_test_free) float *made = test_calloc(2 * pixels, sizeof *made);
        OWNED(owned_test_free) double *costs = test_calloc((sizes + 1) * pixels, sizeof *costs);
        OWNED(owned_test_free) double *exact = test_calloc(2 * pixels, sizeof *exact);
        const struct fovea_image depth = floats_of(shape, made, false);
        const struct fovea_image confidence = floats_of(shape, made + pixels, false);
        const struct lightfield_size size = {shape->width_px, shape->height_px};
        assert_ok(lightfield_run_depth(world.field, &world.raw, &matching, &depth, &confidence));
        lightfield_reference_costs(&world.definition, &world.geometry, &matching, size, costs);
        lightfield_reference_choose(&matching, size, costs, exact, exact + pixels);
        size_t wrong = 0;
        for (size_t i = 0; i < 2 * pixels; i++) {
            wrong += !(fabs((double)made[i] - exact[i]) < 1e-3);
        }
        assert_that(wrong * 1000 <= 2 * pixels, "%s: %zu of %zu numbers differ", shape->name, wrong,
                    2 * pixels);
    }
}

static void check_sum(const struct shape *shape, const struct world *world,
                      const struct fovea_lightfield_sum *sum)
{
    const size_t pixels = (size_t)shape->width_px * shape->height_px;
    OWNED(owned_test_free) float *made = test_calloc(3 * pixels, sizeof *made);
    OWNED(owned_test_free) double *exact = test_calloc(3 * pixels, sizeof *exact);
    const struct fovea_image image = floats_of(shape, made, true);
    const struct lightfield_size size = {shape->width_px, shape->height_px};
    assert_ok(lightfield_run_sum(world->field, &world->raw, sum, &image));
    lightfield_reference_sum(&world->definition, &world->geometry, sum, size, exact);
    compare("sum", shape, world, made, exact);
}

/* Pictures with more pixels than lenses and with fewer; a few views, and all that there are. */
TEST(sums_of_views_are_those_of_the_definition)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct shape shape = shapes[s];
        OWNED(world_end) struct world world = world_of(&shape);
        struct fovea_lightfield_sum sum;
        fovea_lightfield_sum_init(&sum);
        sum.shift = 0.01 * (double)s - 0.04;
        sum.radius_px = s % 3 * 1.7;
        sum.view_x_px = 1.25;
        check_sum(&shape, &world, &sum);
        shape.width_px = 83;
        shape.height_px = 67;
        sum.shift = s % 2 ? -1.0 : 0.7;
        check_sum(&shape, &world, &sum);
        shape.width_px = 5;
        shape.height_px = s % 2 ? 1 : 3;
        sum.shift = 0.13;
        sum.radius_px = shape.pitch_px / 2.0;
        check_sum(&shape, &world, &sum);
    }
}

#ifndef LIGHTFIELD_RUN_VULKAN
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
    assert_ok(thread_pool_create(threads, &pool));
    assert_ok(lightfield_cpu_create(&world->geometry, pool, &cpu));
    assert_ok(lightfield_cpu_reserve(cpu, shape->width_px, 0));
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

#endif

/* ---- Focus under a gaze */

static const struct array {
    const char *name;
    double pitch_px, tall, rotation_deg;
    enum fovea_lightfield_rows arrangement;
    uint32_t flip, colors;
    double near_px, far_px;
} arrays[] = {
    {"grey", 75.0, 1.0, 0.0, 0, 0, 1, 13.0, 8.0},
    {"flipped", 74.75, 1.0, 0.0, 0, 1, 3, 12.5, 9.25},
    {"turned", 51.3, 1.0, 0.8, 0, 0, 1, 9.0, 5.0},
    {"hexagonal", 56.0, 0.866, 0.0, HEX, 0, 3, 10.5, 6.0},
};

/* A disc before a wall. */
static struct world scene_of(const struct array *array)
{
    const struct scene_layer layers[] = {
        {.patch_px = array->near_px, .x = 4.0, .y = 5.0, .radius = 2.5, .texture = &texture},
        {.patch_px = array->far_px, .texture = &texture}};
    const struct scene scene = {.layers = layers, .count = 2};
    struct world world = {.geometry = array_of(16, 12, array->pitch_px)};
    struct fovea_lightfield_desc desc;
    world.geometry.pitch_y_px *= array->tall;
    world.geometry.rotation_deg = array->rotation_deg;
    world.geometry.arrangement = array->arrangement;
    world.geometry.flip = array->flip;
    world.geometry.origin_x_px += array->rotation_deg > 0.0 ? 10.0 : 0.0;
    world.geometry.raw_width_px += 60;
    world.geometry.raw_height_px += 60;
    world.bytes = raw_of(&scene, &world.geometry, array->colors);
    fovea_lightfield_raw_init(&world.raw);
    world.raw.data = world.bytes;
    world.raw.width_px = world.geometry.raw_width_px;
    world.raw.height_px = world.geometry.raw_height_px;
    world.raw.format = array->colors == 1 ? FORMAT(R8) : FORMAT(RGB8);
    world.raw.row_stride_bytes = (ptrdiff_t)world.raw.width_px * array->colors;
    const size_t count = (size_t)world.raw.width_px * world.raw.height_px * array->colors;
    world.levels = test_calloc(count, sizeof *world.levels);
    for (size_t i = 0; i < count; i++) {
        world.levels[i] = world.bytes[i] / 255.0;
    }
    world.definition = (struct lightfield_levels){world.levels, world.raw.width_px,
                                                  world.raw.height_px, array->colors, 0};
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &world.geometry;
    desc.cpu_threads = 2;
    assert_ok(fovea_lightfield_create(&desc, &world.field));
    lightfield_run_geometry(&world.geometry);
    return world;
}

static struct fovea_lightfield_refocusing refocusing_of(
    const struct array *array, const struct fovea_lightfield_foveation *foveation)
{
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_refocusing_init(&refocusing);
    refocusing.first_px = array->far_px - 2.0;
    refocusing.last_px = array->near_px + 1.5;
    refocusing.foveation = foveation;
    return refocusing;
}

/* The picture and the focus are the definition's; what is seen is what is there. */
static void check_seen(const struct array *array, const struct world *world,
                       struct fovea_point_uv gaze, double there_px)
{
    const struct shape shape = {.name = array->name, .width_px = 176, .height_px = 132};
    const struct lightfield_size size = {shape.width_px, shape.height_px};
    const size_t pixels = (size_t)shape.width_px * shape.height_px;
    struct fovea_lightfield_foveation foveation = foveation_of(&shape);
    foveation.gaze = gaze;
    struct fovea_lightfield_refocusing refocusing = refocusing_of(array, &foveation);
    OWNED(owned_test_free) float *made = test_calloc(3 * pixels, sizeof *made);
    OWNED(owned_test_free) double *exact = test_calloc(3 * pixels, sizeof *exact);
    float focus_px = 0.0f;
    const struct fovea_image image = floats_of(&shape, made, true);
    const struct fovea_image focus = {.data = &focus_px,
                                      .width_px = 1,
                                      .height_px = 1,
                                      .format = FOVEA_FORMAT_R32F,
                                      .row_stride_bytes = sizeof focus_px};
    refocusing.focus = &focus;
    assert_ok(lightfield_run_refocus(world->field, &world->raw, &refocusing, &image));
    const double seen_px =
        lightfield_reference_seen(&world->definition, &world->geometry, &refocusing, size);
    assert_that(fabs((double)focus_px - seen_px) < 1e-6 && fabs(seen_px - there_px) <= 0.25,
                "%s: %g is in focus, %g by the definition, and %g is there", array->name,
                (double)focus_px, seen_px, there_px);
    struct fovea_lightfield_rendering rendering;
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = seen_px;
    rendering.foveation = &foveation;
    lightfield_reference_render(&world->definition, &world->geometry, &rendering, size, NULL,
                                exact);
    compare("refocused", &shape, world, made, exact);
}

static const struct fovea_point_uv on_disc = {4.0 / 16.0, 5.0 / 12.0};
static const struct fovea_point_uv on_wall = {12.0 / 16.0, 8.0 / 12.0};

TEST(what_lies_under_the_gaze_is_in_focus)
{
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        OWNED(world_end) struct world world = scene_of(&arrays[i]);
        check_seen(&arrays[i], &world, on_disc, arrays[i].near_px);
        check_seen(&arrays[i], &world, on_wall, arrays[i].far_px);
    }
}

/* A step of a program; returns the patch size in focus. */
static double refocus(const struct world *world, const struct fovea_point_uv *gaze,
                      double elapsed_s, double hysteresis_px, double first_px)
{
    const struct shape shape = {.width_px = 176, .height_px = 132};
    static float made[176 * 132];
    float focus_px = 0.0f;
    struct fovea_lightfield_foveation foveation = foveation_of(&shape);
    foveation.gaze = gaze ? *gaze : on_disc;
    struct fovea_lightfield_refocusing refocusing =
        refocusing_of(&arrays[0], gaze ? &foveation : NULL);
    const struct fovea_image image = floats_of(&shape, made, false);
    const struct fovea_image focus = {.data = &focus_px,
                                      .width_px = 1,
                                      .height_px = 1,
                                      .format = FOVEA_FORMAT_R32F,
                                      .row_stride_bytes = sizeof focus_px};
    refocusing.first_px = first_px > 0.0 ? first_px : refocusing.first_px;
    refocusing.elapsed_s = elapsed_s;
    refocusing.focus_hysteresis_px = hysteresis_px;
    refocusing.focus = &focus;
    assert_ok(lightfield_run_refocus(world->field, &world->raw, &refocusing, &image));
    return (double)focus_px;
}

/* After 0.3 s 1/e of the way is left. */
TEST(the_focus_takes_its_time)
{
    static const struct {
        const struct fovea_point_uv *gaze;
        double elapsed_s, hysteresis_px, wanted_px, seconds_left; /* since it began to go there */
        double first_px; /* of the sizes that are looked at; 0: of both */
    } steps[] = {
        {NULL, 0.0, 0.5, 10.25, 0.0, 0.0}, /* nothing is seen: the middle */
        {&on_disc, 0.0, 0.5, 13.0, 0.0, 0.0}, /* at once */
        {&on_wall, 0.1, 0.5, 8.0, 0.1, 0.0},
        {NULL, 0.1, 0.5, 8.0, 0.2, 0.0}, /* nobody looks: on the way still */
        {&on_disc, 0.1, 6.0, 8.0, 0.3, 0.0}, /* too near to go there */
        {&on_wall, 0.0, 0.5, 8.0, 0.0, 0.0},
        {NULL, 0.1, 0.5, 10.0, 0.0, 10.0}, /* it was at a size that this frame has not */
    };
    OWNED(world_end) struct world world = scene_of(&arrays[0]);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const double left_px =
            steps[i].seconds_left > 0.0 ? 5.0 * exp(-steps[i].seconds_left / 0.3) : 0.0;
        const double made_px = refocus(&world, steps[i].gaze, steps[i].elapsed_s,
                                       steps[i].hysteresis_px, steps[i].first_px);
        assert_that(fabs(made_px - steps[i].wanted_px - left_px) < 1e-5,
                    "step %zu: %g in focus, not %g", i, made_px, steps[i].wanted_px + left_px);
    }
    world.raw.format = FORMAT(R16);
    world.raw.maximum = 4095;
    world.raw.row_stride_bytes = 2 * (ptrdiff_t)world.raw.width_px;
    const size_t bytes = (size_t)world.raw.row_stride_bytes * world.raw.height_px;
    OWNED(owned_free)
    void *white = memset(test_memory(bytes, 1), 0xff, bytes); /* overexposed: nothing is seen */
    world.raw.data = white;
    assert_float_equal(refocus(&world, &on_disc, 0.0, 0.5, 0.0), steps[0].wanted_px, 1e-5);
}

#ifdef LIGHTFIELD_RUN_VULKAN
TEST(validation_has_nothing_to_say)
{
    lightfield_run_close();
}
#else
TEST(every_processor_gives_the_same_bits)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        OWNED(world_end) struct world world = world_of(&shapes[s]);
        const uint64_t first = bits_of(&world, &shapes[s], lightfield_loops_choose(), 2);
        assert_int_equal(bits_of(&world, &shapes[s], &lightfield_loops_base, 1), first);
    }
}

/* ---- Work, in samples a pixel, with the rings of docs/lightfield.md */

static double samples;

static void count_read(const struct lightfield_source *source, const struct lightfield_part *column,
                       const struct lightfield_part *row, int32_t count, float *out)
{
    samples += count;
    lightfield_loops_base.read(source, column, row, count, out);
}

static void count_blend(const struct lightfield_source *source,
                        const struct lightfield_part *column, const struct lightfield_part *row,
                        int32_t count, float *sum)
{
    samples += count;
    lightfield_loops_base.blend(source, column, row, count, sum);
}

static void count_differ(const struct lightfield_source *source,
                         const struct lightfield_part *column, const struct lightfield_part *row,
                         int32_t count, const float *main, float *sum)
{
    samples += count;
    lightfield_loops_base.differ(source, column, row, count, main, sum);
}

/* A pixel. */
static double samples_of(struct lightfield_cpu *cpu, const struct fovea_lightfield_raw *raw,
                         const struct fovea_lightfield_foveation *foveation, bool depth)
{
    const struct shape shape = {.width_px = 528, .height_px = 396};
    const size_t pixels = (size_t)shape.width_px * shape.height_px;
    float *made = test_calloc(pixels, sizeof *made);
    const struct fovea_image image = floats_of(&shape, made, false);
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = 2.2;
    rendering.foveation = foveation;
    fovea_lightfield_matching_init(&matching);
    matching.first_px = 1.4;
    matching.last_px = 2.8;
    matching.step_px = 0.2;
    matching.foveation = foveation;
    samples = 0.0;
    assert_ok(lightfield_cpu_reserve(cpu, shape.width_px, lightfield_size_count(&matching)));
    if (depth) {
        lightfield_cpu_depth(cpu, raw, &matching, &image, NULL);
    } else {
        lightfield_cpu_render(cpu, raw, &rendering, &image);
    }
    test_free(made);
    return samples / (double)pixels;
}

TEST(a_gaze_divides_work_by_three)
{
    static const struct lightfield_loops counting = {count_read, count_blend, count_differ};
    const struct fovea_lightfield_geometry geometry = array_of(96, 72, 15.0);
    struct thread_pool *pool = NULL;
    struct lightfield_cpu *cpu = NULL;
    struct fovea_lightfield_raw raw;
    struct fovea_lightfield_foveation foveation;
    fovea_lightfield_raw_init(&raw);
    raw.data = test_calloc((size_t)geometry.raw_width_px * geometry.raw_height_px, 1);
    raw.width_px = geometry.raw_width_px;
    raw.height_px = geometry.raw_height_px;
    raw.format = FORMAT(R8);
    raw.maximum = 255;
    raw.row_stride_bytes = (ptrdiff_t)raw.width_px;
    fovea_lightfield_foveation_init(&foveation);
    foveation.gaze = (struct fovea_point_uv){0.5, 0.5}; /* where it saves least */
    foveation.full_px = 0.15 * 528;
    foveation.next_px = 0.38 * 528;
    assert_ok(thread_pool_create(1, &pool));
    assert_ok(lightfield_cpu_create(&geometry, pool, &cpu));
    cpu->loops = &counting;
    for (int depth = 0; depth < 2; depth++) {
        const double all = samples_of(cpu, &raw, NULL, depth != 0);
        const double fewer = samples_of(cpu, &raw, &foveation, depth != 0);
        assert_that(all >= (depth ? 190.0 : 24.0) && 3.0 * fewer <= all,
                    "%.2f samples a pixel, %.2f with a gaze", all, fewer);
    }
    lightfield_cpu_destroy(&cpu);
    thread_pool_destroy(&pool);
    test_free((void *)(uintptr_t)raw.data);
}

/* ---- Streams that are being captured */

#if FOVEA_HAVE_CUDA
TEST(a_capture_takes_pictures_and_refuses_depths_that_need_memory)
{
    if (!getenv("FOVEA_TEST_LIGHTFIELD_CUDA")) {
        skip();
    }
    OWNED(world_end) struct world world = world_of(&shapes[1]);
    const struct fovea_lightfield_rendering rendering = rendering_of(&shapes[1]);
    const struct fovea_lightfield_refocusing refocusing = refocusing_of(&arrays[0], NULL);
    struct fovea_lightfield_matching matching;
    struct lightfield_run run;
    CUstream stream = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    OWNED(owned_test_free)
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
        assert_ok(fovea_lightfield_refocus(world.field, &run.raw, &refocusing, image, stream));
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
}
#endif
#endif
