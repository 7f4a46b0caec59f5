/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields of planes: that what is in focus is exact (LF1), that nothing else is sharp (LF4),
 * and how many depths are right (LF3), with the paper's pitch and half of its lenses to each side.
 */

#include "cmocka_all.h"
#include "fovea.h"
#include "lightfield_run.h"
#include "lightfield_scene.h"
#include "random.h"

#define COLUMNS 48
#define ROWS 36
#define PATCH 11 /* pixels of the picture for each lens */
#define WIDTH (COLUMNS * PATCH)
#define HEIGHT (ROWS * PATCH)
#define MARGIN_PX 33
#define TEXTURE_SIDE 128

static float texture_levels[3][3 * TEXTURE_SIDE * TEXTURE_SIDE];
static struct scene_texture textures[3];
static const struct scene_layer layers[] = {
    {13.0, 15.0, 18.0, 6.0, &textures[0]},
    {11.0, 33.0, 18.0, 7.0, &textures[1]},
    {8.0, 0.0, 0.0, 0.0, &textures[2]},
};
static const struct scene planes = {.layers = layers, .count = 3};
static const struct scene plane = {.layers = layers + 1, .count = 1};

/* Noise of a few pixels' width in whole levels of bytes, which a lens sees without rounding where
 * its pixels are those of the texture. */
static void make_texture(uint64_t seed, float *out)
{
    enum { COUNT = TEXTURE_SIDE * TEXTURE_SIDE };
    OWNED(owned_test_free) float *noise = test_calloc(3 * COUNT, sizeof *noise);
    for (int i = 0; i < 3 * COUNT; i++) {
        noise[i] = (float)random_uniform(&seed, -1.0, 1.0);
    }
    for (int i = 0; i < 3 * COUNT; i++) {
        float sum = 0.0f;
        for (int tap = 0; tap < 25; tap++) {
            const int row = (i / 3 / TEXTURE_SIDE + tap / 5) % TEXTURE_SIDE;
            const int column = (i / 3 % TEXTURE_SIDE + tap % 5) % TEXTURE_SIDE;
            const int weight = (3 - abs(tap / 5 - 2)) * (3 - abs(tap % 5 - 2));
            sum += (float)weight * noise[3 * (row * TEXTURE_SIDE + column) + i % 3];
        }
        out[i] = rintf(fminf(fmaxf(128.0f + 9.0f * sum, 0.0f), 255.0f)) / 255.0f;
    }
}

static void make_textures(void)
{
    for (size_t i = 0; i < 3; i++) {
        make_texture(17 + i, texture_levels[i]);
        textures[i] = (struct scene_texture){texture_levels[i], TEXTURE_SIDE, TEXTURE_SIDE};
    }
}

struct world {
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_raw raw;
    uint8_t *bytes;
    struct fovea_lightfield *field;
};

/* Grey, which is as hard. */
static struct world world_of(const struct scene *scene, double pitch_px)
{
    struct world world;
    struct fovea_lightfield_desc desc;
    fovea_lightfield_geometry_init(&world.geometry);
    world.geometry.columns = COLUMNS;
    world.geometry.rows = ROWS;
    world.geometry.pitch_x_px = world.geometry.pitch_y_px = pitch_px;
    world.geometry.origin_x_px = world.geometry.origin_y_px = pitch_px / 2.0;
    world.geometry.raw_width_px = (uint32_t)(COLUMNS * pitch_px);
    world.geometry.raw_height_px = (uint32_t)(ROWS * pitch_px);
    const size_t count = (size_t)world.geometry.raw_width_px * world.geometry.raw_height_px;
    world.bytes = test_memory(count, 1);
    make_textures();
    scene_raw_rows(scene, &world.geometry, 1, 0, world.geometry.raw_height_px, world.bytes);
    fovea_lightfield_raw_init(&world.raw);
    world.raw.data = world.bytes;
    world.raw.width_px = world.geometry.raw_width_px;
    world.raw.height_px = world.geometry.raw_height_px;
    world.raw.format = FOVEA_LIGHTFIELD_FORMAT_R8;
    world.raw.row_stride_bytes = (ptrdiff_t)world.raw.width_px;
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &world.geometry;
    assert_ok(fovea_lightfield_create(&desc, &world.field));
    return world;
}

/* Drawing one takes longer than all that is done with it. */
static const struct world *world_with(const struct scene *scene, double pitch_px)
{
    static struct world worlds[2][2];
    struct world *world = &worlds[scene == &planes][pitch_px == 75.0];
    if (!world->field) {
        *world = world_of(scene, pitch_px);
    }
    return world;
}

static struct fovea_image image_of(void *data, enum fovea_format format)
{
    return (struct fovea_image){.data = data,
                                .width_px = WIDTH,
                                .height_px = HEIGHT,
                                .format = format,
                                .row_stride_bytes =
                                    (ptrdiff_t)(WIDTH * fovea_format_bytes(format))};
}

static void render(const struct world *world, double patch_px, enum fovea_lightfield_filter filter,
                   uint8_t *out)
{
    struct fovea_lightfield_rendering rendering;
    const struct fovea_image image = image_of(out, FOVEA_FORMAT_R8);
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = patch_px;
    rendering.filter = filter;
    assert_ok(lightfield_run_render(world->field, &world->raw, &rendering, &image));
}

/* Finds what the scene has at a pixel; returns its patch size. */
static double ideal_at(const struct world *world, const struct scene *scene, int32_t x, int32_t y,
                       double *out_level)
{
    float colors[3];
    const double patch =
        scene_ideal(scene, &world->geometry, (x + 0.5) / PATCH, (y + 0.5) / PATCH, colors);
    *out_level = 255.0 * (double)colors[0];
    return patch;
}

#define INNER(x, y)                                                                                \
    for (int32_t y = MARGIN_PX; y < HEIGHT - MARGIN_PX; y++)                                       \
        for (int32_t x = MARGIN_PX; x < WIDTH - MARGIN_PX; x++)

/* Against the ideal picture, where that has the patch size. */
static double psnr_of(const struct world *world, const struct scene *scene, const uint8_t *made,
                      double patch_px)
{
    double squares = 0.0;
    double count = 0.0;
    INNER(x, y)
    {
        double level;
        if (ideal_at(world, scene, x, y, &level) == patch_px) {
            const double error = (double)made[y * WIDTH + x] - level;
            squares += error * error;
            count += 1.0;
        }
    }
    return 10.0 * log10(255.0 * 255.0 * count / fmax(squares, 1e-9));
}

TEST(a_plane_in_focus_is_exact) /* LF1, LF7 */
{
    /* If lenses stand between pixels, both the raw picture and its samples are interpolated. */
    static const struct {
        double pitch_px;
        enum fovea_lightfield_filter filter;
        double least_db;
    } rows[] = {{75.0, FOVEA_LIGHTFIELD_FILTER_LINEAR, 150.0},
                {75.0, FOVEA_LIGHTFIELD_FILTER_NEAREST, 150.0},
                {74.75, FOVEA_LIGHTFIELD_FILTER_LINEAR, 25.0},
                {74.75, FOVEA_LIGHTFIELD_FILTER_NEAREST, 27.0}};
    OWNED(owned_test_free) uint8_t *made = test_malloc((size_t)WIDTH * HEIGHT);
    for (size_t r = 0; r < 4; r++) {
        const struct world *world = world_with(&plane, rows[r].pitch_px);
        render(world, 11.0, rows[r].filter, made);
        const double psnr_db = psnr_of(world, &plane, made, 11.0);
        assert_that(psnr_db >= rows[r].least_db, "row %zu: %.1f dB", r, psnr_db);
    }
}

TEST(only_what_has_the_patch_size_is_sharp) /* LF4 */
{
    OWNED(owned_test_free) uint8_t *made = test_malloc((size_t)WIDTH * HEIGHT);
    const struct world *world = world_with(&planes, 75.0);
    for (size_t i = 0; i < 9; i++) {
        const double focus = layers[i / 3].patch_px;
        const double other = layers[i % 3].patch_px;
        render(world, focus, FOVEA_LIGHTFIELD_FILTER_LINEAR, made);
        const double psnr_db = psnr_of(world, &planes, made, other);
        assert_that(focus == other ? psnr_db > 26.0 : psnr_db < 16.0,
                    "focused at %g: %.1f dB at %g", focus, psnr_db, other);
    }
}

/* The part of the depths that are right. */
static double match(const struct world *world, uint32_t box, enum fovea_lightfield_filter filter)
{
    float *made = test_calloc((size_t)WIDTH * HEIGHT, sizeof *made);
    const struct fovea_image image = image_of(made, FOVEA_FORMAT_R32F);
    struct fovea_lightfield_matching matching;
    double right = 0.0;
    double count = 0.0;
    fovea_lightfield_matching_init(&matching);
    matching.first_px = 7.0;
    matching.last_px = 14.0;
    matching.box = box;
    matching.filter = filter;
    assert_ok(lightfield_run_depth(world->field, &world->raw, &matching, &image, NULL));
    INNER(x, y)
    {
        double level;
        const double patch = ideal_at(world, &planes, x, y, &level);
        right += (double)made[y * WIDTH + x] == patch ? 1.0 : 0.0;
        count += 1.0;
    }
    test_free(made);
    return right / count;
}

TEST(depths_are_right) /* LF3 */
{
    static const struct {
        double pitch_px;
        uint32_t box;
        enum fovea_lightfield_filter filter;
        double least;
    } rows[] = {{75.0, 0, FOVEA_LIGHTFIELD_FILTER_LINEAR, 0.994},
                {75.0, 0, FOVEA_LIGHTFIELD_FILTER_NEAREST, 0.994},
                {74.75, 0, FOVEA_LIGHTFIELD_FILTER_LINEAR, 0.994},
                {74.75, 0, FOVEA_LIGHTFIELD_FILTER_NEAREST, 0.967},
                {74.75, 1, FOVEA_LIGHTFIELD_FILTER_LINEAR, 0.994},
                {74.75, 1, FOVEA_LIGHTFIELD_FILTER_NEAREST, 0.993}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct world *world = world_with(&planes, rows[r].pitch_px);
        const double right = match(world, rows[r].box, rows[r].filter);
        assert_that(right >= rows[r].least, "row %zu: %.4f of the depths are right", r, right);
    }
}

/* ---- Fewer micro-images, foveated */

static void foveate(const struct fovea_settings *settings, const uint8_t *pixels,
                    struct fovea_point_uv gaze, uint8_t *out)
{
    OWNED(fovea_context_destroy) struct fovea_context *context = NULL;
    struct fovea_context_desc desc;
    const struct fovea_image src = image_of((void *)(uintptr_t)pixels, FOVEA_FORMAT_R8);
    const struct fovea_image dst = image_of(out, FOVEA_FORMAT_R8);
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    assert_ok(fovea_context_create(&desc, &context));
    assert_ok(fovea_context_run(context, &src, &dst, gaze, NULL));
}

/* Rings by a part of the width, or where next is 0 the settings' own. */
static struct fovea_lightfield_foveation foveation_of(const struct world *world,
                                                      const struct fovea_settings *settings,
                                                      double full, double next)
{
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_foveation_init(&foveation);
    fovea_lightfield_refocusing_init(&refocusing);
    foveation.full_px = full * WIDTH;
    foveation.next_px = next * WIDTH;
    refocusing.first_px = 8.0;
    refocusing.last_px = 13.0;
    if (next == 0.0) {
        assert_ok(fovea_lightfield_rings(settings, &world->geometry, &refocusing, WIDTH, HEIGHT,
                                         &foveation));
    }
    return foveation;
}

#define LEVELS_OFF 34 /* of 255, in one of 100 pixels or fewer with the settings' own rings */

/* With rings of docs/lightfield.md, and what lies under the gaze in focus. Noise of a few pixels is
 * the hardest: one lens of what is out of focus has it sharp. */
TEST(fewer_micro_images_show_little_after_foveation)
{
    static const struct {
        struct fovea_point_uv gaze;
        double patch_px, least_db;
        const char *model, *strength;
        double full, next; /* parts of the width */
    } rows[] = {{{15.0 / COLUMNS, 0.5}, 13.0, 25.5, "paper", "1", 0.15, 0.38},
                {{33.0 / COLUMNS, 0.5}, 11.0, 24.8, "paper", "1", 0.15, 0.38},
                {{0.1, 0.15}, 8.0, 30.0, "paper", "1", 0.15, 0.38},
                {{15.0 / COLUMNS, 0.5}, 13.0, 28.0, "paper", "1", 0.0, 0.0},
                {{0.1, 0.15}, 8.0, 31.0, "paper", "1", 0.0, 0.0},
                {{33.0 / COLUMNS, 0.5}, 11.0, 21.5, "paper", "4", 0.0, 0.0},
                {{0.1, 0.15}, 8.0, 30.0, "paper", "4", 0.0, 0.0},
                {{0.9, 0.9}, 8.0, 28.0, "relative", "6", 0.0, 0.0},
                {{33.0 / COLUMNS, 0.5}, 11.0, 80.0, "physical", "1", 0.0, 0.0}};
    const struct fovea_log none = {0};
    const size_t count = (size_t)WIDTH * HEIGHT;
    const struct world *world = world_with(&planes, 75.0);
    OWNED(owned_test_free)
    uint8_t *made = test_malloc(4 * count); /* all, fewer, and both foveated */
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct fovea_settings *settings = NULL;
        struct fovea_lightfield_rendering rendering;
        double squares = 0.0;
        size_t wrong = 0;
        size_t far = 0;
        assert_ok(fovea_settings_create(&settings));
        assert_ok(fovea_settings_set(settings, "foveation.model", rows[r].model, none));
        assert_ok(fovea_settings_set(settings, "foveation.strength", rows[r].strength, none));
        struct fovea_lightfield_foveation foveation =
            foveation_of(world, settings, rows[r].full, rows[r].next);
        foveation.gaze = rows[r].gaze;
        fovea_lightfield_rendering_init(&rendering);
        rendering.patch_px = rows[r].patch_px;
        for (int fewer = 0; fewer < 2; fewer++) {
            uint8_t *picture = made + (fewer ? count : 0);
            const struct fovea_image image = image_of(picture, FOVEA_FORMAT_R8);
            rendering.foveation = fewer ? &foveation : NULL;
            assert_ok(lightfield_run_render(world->field, &world->raw, &rendering, &image));
            foveate(settings, picture, rows[r].gaze, picture + 2 * count);
        }
        fovea_settings_destroy(&settings);
        for (size_t i = 0; i < count; i++) {
            const double x_px = (double)(i % WIDTH) + 0.5 - rows[r].gaze.x_uv * WIDTH;
            const double y_px = (double)(i / WIDTH) + 0.5 - rows[r].gaze.y_uv * HEIGHT;
            const double error = (double)made[2 * count + i] - (double)made[3 * count + i];
            squares += error * error;
            far += fabs(error) > LEVELS_OFF;
            wrong += hypot(x_px, y_px) < foveation.full_px - PATCH && made[i] != made[count + i];
        }
        const double psnr_db = 10.0 * log10(255.0 * 255.0 * (double)count / fmax(squares, 1e-9));
        assert_that(wrong == 0 && psnr_db >= rows[r].least_db &&
                        (rows[r].next > 0.0 || far * 100 <= count),
                    "row %zu: %.1f dB, %zu pixels differ where it looks, and %zu by more than %d "
                    "levels",
                    r, psnr_db, wrong, far, LEVELS_OFF);
    }
}
