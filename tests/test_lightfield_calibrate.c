/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Arrays of lenses from white pictures that are drawn here, whose arrays are known (LF8); what is
 * no white picture is refused in words; and vignetting, divided out. */

#include "random.h"
#include "recorded.h"

#include "fovea_lightfield.h"

#define WIDTH 700
#define HEIGHT 520
#define PIXELS ((size_t)WIDTH * HEIGHT)
#define DEGREE 0.017453292519943295
#define WHITE_LEVEL 180.0

static char said[RECORDED_WORDS];
static const struct fovea_log ears = {recorded_words, said, FOVEA_LOG_WARNING};

/* ---- White pictures */

struct camera {
    const char *name;
    double pitch_x, pitch_y, rotation, origin_x, origin_y;
    bool hexagonal;
    double radius; /* of a micro-image, lenses; 0: they fill the array but for a pixel's gap */
    double vignette; /* what is left in the corners */
    double noise; /* levels */
    double dead; /* part of the lenses */
    uint32_t black; /* columns at the left that no light reaches */
};

static const struct camera cameras[] = {
    {"plain", 20.0, 20.0, 0.0, 3.0, 4.0, false, 0.45, 1.0, 0.0, 0.0, 0},
    {"like the ant leg's", 27.56, 27.56, 0.26, 9.0, 2.0, false, 0.45, 0.4, 3.0, 0.0, 20},
    {"like the sea urchin's", 17.2, 17.2, 0.18, 5.5, 8.1, false, 0.42, 0.3, 3.0, 0.01, 0},
    {"like the vesicle's", 15.38, 15.41, -0.12, 7.0, 7.7, false, 0.4, 0.7, 3.0, 0.0, 0},
    {"small lenses", 6.3, 6.3, 1.7, 3.0, 2.0, false, 0.4, 0.7, 2.0, 0.01, 0},
    {"large lenses", 74.75, 74.75, -0.4, 30.0, 22.0, false, 0.45, 0.6, 3.0, 0.0, 0},
    {"tall lenses", 14.0, 21.0, 12.0, 6.0, 6.0, false, 0.4, 0.7, 2.0, 0.0, 0},
    {"gaps of a pixel", 24.2, 24.2, 0.5, 6.0, 6.0, false, 0.0, 0.5, 2.0, 0.02, 0},
    {"much turned", 19.0, 19.0, -41.0, 6.0, 6.0, false, 0.4, 0.7, 2.0, 0.0, 0},
    {"hexagonal", 22.0, 19.0525589, 0.3, 6.0, 6.0, true, 0.45, 0.5, 3.0, 0.01, 0},
    {"hexagonal and turned", 12.4, 10.738715, -17.0, 6.0, 6.0, true, 0.42, 0.5, 3.0, 0.03, 0},
    {"many dead, much noise", 21.3, 21.3, 2.0, 6.0, 6.0, false, 0.42, 0.5, 20.0, 0.12, 0},
};

/* Steps of lenses from the array's origin to a pixel, along its axes. */
static void place_of(const struct camera *camera, double x, double y, double out[2])
{
    const double turn = camera->rotation * DEGREE;
    const double right = x - camera->origin_x;
    const double down = y - camera->origin_y;
    out[0] = (cos(turn) * right + sin(turn) * down) / camera->pitch_x;
    out[1] = (cos(turn) * down - sin(turn) * right) / camera->pitch_y;
}

static double aside_of(const struct camera *camera, double row)
{
    return camera->hexagonal && fmod(row, 2.0) != 0.0 ? 0.5 : 0.0;
}

/* Finds the nearest centre of the lenses around a place; distances in pixels. */
static double nearest(const struct camera *camera, const double place[2], double out_lens[2],
                      double out_from[2])
{
    double least = INFINITY;
    out_lens[0] = out_lens[1] = out_from[0] = out_from[1] = 0.0;
    for (int i = -1; i <= 1; i++) {
        const double row = round(place[1]) + i;
        const double aside = aside_of(camera, row);
        const double column = round(place[0] - aside) + aside;
        const double x = (place[0] - column) * camera->pitch_x;
        const double y = (place[1] - row) * camera->pitch_y;
        if (hypot(x, y) < least) {
            least = hypot(x, y);
            out_lens[0] = column;
            out_lens[1] = row;
            out_from[0] = x;
            out_from[1] = y;
        }
    }
    return least;
}

static bool is_dead(const struct camera *camera, const double lens[2])
{
    uint64_t seed = (uint64_t)(int64_t)(lens[0] * 2.0) * 7919 + (uint64_t)(int64_t)lens[1] + 1;
    random_uniform(&seed, 0.0, 1.0);
    return random_uniform(&seed, 0.0, 1.0) < camera->dead;
}

/* 0 .. 1, with an edge as wide as a pixel. */
static double level_at(const struct camera *camera, double x, double y)
{
    double place[2];
    double lens[2];
    double from[2];
    place_of(camera, x, y, place);
    const double away = nearest(camera, place, lens, from);
    if (is_dead(camera, lens)) {
        return 0.0;
    }
    const double most = fmin(camera->pitch_x, camera->pitch_y);
    const double inside = camera->radius > 0.0
                              ? camera->radius * most - away
                              : most / 2.0 - 0.5 - fmax(fabs(from[0]), fabs(from[1]));
    const double corner = hypot(x / WIDTH - 0.5, y / HEIGHT - 0.5) / sqrt(0.5);
    return fmin(1.0, fmax(0.0, inside + 0.5)) * (1.0 - (1.0 - camera->vignette) * corner * corner);
}

static void draw(const struct camera *camera, uint64_t seed, uint8_t *out)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) + 0.5;
        const double y = (double)(i / WIDTH) + 0.5;
        const double level = x < camera->black ? 0.0 : level_at(camera, x, y);
        /* Two uniform numbers have a sigma of 0.4. */
        const double noise = random_uniform(&seed, -0.5, 0.5) + random_uniform(&seed, -0.5, 0.5);
        const double value = 8.0 + WHITE_LEVEL * level + camera->noise / 0.408 * noise;
        out[i] = (uint8_t)fmin(255.0, fmax(0.0, value + 0.5));
    }
}

static struct fovea_lightfield_raw raw_of(const uint8_t *pixels)
{
    struct fovea_lightfield_raw raw;
    fovea_lightfield_raw_init(&raw);
    raw.data = pixels;
    raw.width_px = WIDTH;
    raw.height_px = HEIGHT;
    raw.format = FOVEA_LIGHTFIELD_FORMAT_R8;
    raw.row_stride_bytes = WIDTH;
    return raw;
}

struct found {
    enum fovea_result result;
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_fit fit;
};

static struct found calibrate(const struct fovea_lightfield_raw *raw,
                              enum fovea_lightfield_rows_wanted rows, double pitch_px)
{
    struct found found;
    struct fovea_lightfield_calibration calibration;
    fovea_lightfield_calibration_init(&calibration);
    fovea_lightfield_geometry_init(&found.geometry);
    fovea_lightfield_fit_init(&found.fit);
    calibration.rows = rows;
    calibration.pitch_px = pitch_px;
    calibration.log = ears;
    said[0] = '\0';
    found.result = fovea_lightfield_calibrate(raw, &calibration, &found.geometry, &found.fit);
    return found;
}

/* ---- What is found */

/* How far the found array's corners are from lenses. */
static double off_px(const struct camera *camera, const struct fovea_lightfield_geometry *geometry)
{
    double most = 0.0;
    const double turn = geometry->rotation_deg * DEGREE;
    for (int i = 0; i < 4; i++) {
        const double row = i / 2 ? geometry->rows - 1 : 0;
        const double column = (i % 2 ? geometry->columns - 1 : 0) + aside_of(camera, row);
        const double x = column * geometry->pitch_x_px;
        const double y = row * geometry->pitch_y_px;
        double place[2];
        double lens[2];
        double from[2];
        place_of(camera, geometry->origin_x_px + cos(turn) * x - sin(turn) * y,
                 geometry->origin_y_px + sin(turn) * x + cos(turn) * y, place);
        most = fmax(most, nearest(camera, place, lens, from));
    }
    return most;
}

static void expect(const struct camera *camera, const struct found *found)
{
    const struct fovea_lightfield_geometry *geometry = &found->geometry;
    assert_that(found->result == FOVEA_OK && said[0] == '\0', "%s: %s '%s'", camera->name,
                fovea_result_name(found->result), said);
    assert_that(geometry->arrangement == (camera->hexagonal ? FOVEA_LIGHTFIELD_ROWS_HEXAGONAL
                                                            : FOVEA_LIGHTFIELD_ROWS_RECTANGULAR),
                "%s: rows", camera->name);
    assert_that(fabs(geometry->pitch_x_px - camera->pitch_x) < 0.02 &&
                    fabs(geometry->pitch_y_px - camera->pitch_y) < 0.02 &&
                    fabs(geometry->rotation_deg - camera->rotation) < 0.02 &&
                    off_px(camera, geometry) < 0.15,
                "%s: pitch %.4f %.4f, rotation %.4f, off %.4f px", camera->name,
                geometry->pitch_x_px, geometry->pitch_y_px, geometry->rotation_deg,
                off_px(camera, geometry));
    const double lenses = WIDTH * HEIGHT / (camera->pitch_x * camera->pitch_y);
    assert_that(found->fit.residual_px < 0.5 && found->fit.lenses_used <= found->fit.lenses_seen &&
                    found->fit.lenses_used > 0.3 * lenses &&
                    geometry->columns * geometry->rows > 0.3 * lenses,
                "%s: residual %.3f px, seen %u, used %u, %ux%u", camera->name,
                found->fit.residual_px, found->fit.lenses_seen, found->fit.lenses_used,
                geometry->columns, geometry->rows);
}

TEST(arrays_are_found_as_they_were_drawn)
{
    OWNED(owned_test_free) uint8_t *pixels = test_malloc(PIXELS);
    const struct fovea_lightfield_raw raw = raw_of(pixels);
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        draw(&cameras[i], i + 1, pixels);
        const struct found found = calibrate(&raw, FOVEA_LIGHTFIELD_ROWS_WANTED_ANY, 0.0);
        expect(&cameras[i], &found);
    }
}

/* ---- What is none */

static void draw_lines(uint8_t *out)
{
    for (size_t i = 0; i < PIXELS; i++) {
        out[i] = (uint8_t)(100.0 + 80.0 * cos((double)(i % WIDTH) * 0.4));
    }
}

static void draw_noise(uint8_t *out)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < PIXELS; i++) {
        out[i] = (uint8_t)random_uniform(&seed, 0.0, 200.0);
    }
}

static void draw_two(uint8_t *out)
{
    static const struct camera other = {"",    31.0, 31.0, 20.0, 0.0, 0.0,
                                        false, 0.42, 1.0,  0.0,  0.0, 0};
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) + 0.5;
        const double y = (double)(i / WIDTH) + 0.5;
        out[i] = (uint8_t)(120.0 * level_at(&cameras[0], x, y) + 60.0 * level_at(&other, x, y));
    }
}

/* Discs lie in rows, each some pixels off, as somebody lays coins. */
static void draw_coins(uint8_t *out)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const double x = (double)(i % WIDTH) + 0.5;
        const double y = (double)(i / WIDTH) + 0.5;
        uint64_t seed = 31 * (uint64_t)(x / 58.0) + 17 * (uint64_t)(y / 58.0) + 1;
        random_uniform(&seed, 0.0, 1.0);
        const double right = fmod(x, 58.0) - 29.0 - random_uniform(&seed, -7.0, 7.0);
        const double down = fmod(y, 58.0) - 29.0 - random_uniform(&seed, -7.0, 7.0);
        out[i] = hypot(right, down) < 21.0 ? 170 : 40;
    }
}

struct refusal {
    const char *name;
    enum fovea_lightfield_rows_wanted rows;
    double pitch_px;
    const char *words;
};

static const struct refusal refusals[] = {
    {"flat", 0, 0.0, "no regular pattern"},
    {"noise", 0, 0.0, "no regular pattern"},
    {"lines", 0, 0.0, "lines 15.7 px apart"},
    {"two arrays", 0, 0.0, "several patterns"},
    {"bright", 0, 0.0, "expose it shorter"},
    {"four lenses", 0, 0.0, "pattern"},
    {"other pitch", 0, 33.0, "33 px apart"},
    {"hexagonal of squares", FOVEA_LIGHTFIELD_ROWS_WANTED_HEXAGONAL, 0.0, "not hexagonal"},
    {"a few pixels", 0, 0.0, "too small"},
    {"coins", 0, 0.0, "unsure at the picture's corners"},
};

static struct fovea_lightfield_raw draw_refused(size_t row, uint8_t *pixels)
{
    struct fovea_lightfield_raw raw = raw_of(pixels);
    memset(pixels, 128, PIXELS);
    if (row == 1) {
        draw_noise(pixels);
    } else if (row == 2) {
        draw_lines(pixels);
    } else if (row == 3) {
        draw_two(pixels);
    } else if (row == 9) {
        draw_coins(pixels);
        raw.width_px = 384;
        raw.height_px = 303;
    } else if (row > 3) {
        draw(&cameras[row == 7 ? 6 : 0], 1, pixels);
    }
    for (size_t i = 0; row == 4 && i < PIXELS; i++) {
        pixels[i] = pixels[i] > 100 ? 255 : pixels[i];
    }
    if (row == 5 || row == 8) {
        raw.width_px = raw.height_px = row == 5 ? 84 : 30;
    }
    return raw;
}

TEST(what_is_no_white_picture_is_refused_in_words)
{
    OWNED(owned_test_free) uint8_t *pixels = test_malloc(PIXELS);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct fovea_lightfield_raw raw = draw_refused(i, pixels);
        const struct found found = calibrate(&raw, refusals[i].rows, refusals[i].pitch_px);
        assert_that(found.result == FOVEA_ERROR_CONFIG && strstr(said, refusals[i].words),
                    "%s: %s '%s' %g", refusals[i].name, fovea_result_name(found.result), said,
                    found.geometry.pitch_x_px);
    }
    draw_two(pixels);
    /* The other array moves centres, and that is said. */
    const struct fovea_lightfield_raw raw = raw_of(pixels);
    const struct found found = calibrate(&raw, FOVEA_LIGHTFIELD_ROWS_WANTED_ANY, 20.5);
    assert_that(found.result == FOVEA_OK && fabs(found.geometry.pitch_x_px - 20.0) < 0.05,
                "of two arrays the one with the pitch: '%s' %g", said, found.geometry.pitch_x_px);
    assert_non_null(strstr(said, "is it a white picture"));
}

/* ---- Vignetting */

TEST(a_white_picture_divided_by_itself_is_flat)
{
    OWNED(owned_test_free) uint8_t *pixels = test_malloc(PIXELS);
    OWNED(owned_test_free) uint8_t *out = test_malloc(PIXELS);
    struct fovea_lightfield_white *white = NULL;
    struct fovea_lightfield_white_desc desc;
    struct fovea_lightfield_raw raw = raw_of(pixels);
    draw(&cameras[1], 2, pixels);
    fovea_lightfield_white_desc_init(&desc);
    desc.white = &raw;
    desc.black = 8.0;
    desc.log = ears;
    assert_ok(fovea_lightfield_white_create(&desc, &white));
    assert_ok(fovea_lightfield_white_divide(white, &raw, out, WIDTH));
    size_t middle = 0; /* a pixel in the light */
    while (pixels[middle] < 100) {
        middle++;
    }
    for (size_t i = 0; i < PIXELS; i++) {
        const int level = pixels[i] - 8;
        const double gained = fmax(0.0, 8.0 * level);
        const double expected = fmin(out[middle], gained);
        assert_that(fabs(out[i] - expected) <= 1.0, "pixel %zu of level %d is %d, not %g", i, level,
                    out[i], expected);
    }
    assert_ok(fovea_lightfield_white_divide(white, &raw, pixels, WIDTH));
    assert_memory_equal(pixels, out, PIXELS);
    assert_int_equal(fovea_lightfield_white_divide(white, &raw, out, WIDTH - 1),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(said, "out.row_stride_bytes"));
    raw.width_px--;
    assert_int_equal(fovea_lightfield_white_divide(white, &raw, out, WIDTH),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    fovea_lightfield_white_destroy(&white);
    memset(pixels, 8, PIXELS);
    assert_int_equal(fovea_lightfield_white_create(&desc, &white), FOVEA_ERROR_CONFIG);
    assert_non_null(strstr(said, "more light"));
}

/* ---- Other pictures */

TEST(mosaics_and_colours_have_the_array_of_their_light)
{
    static const double tint[4] = {1.0, 0.7, 0.7, 0.4};
    OWNED(owned_test_free) uint8_t *grey = test_malloc(PIXELS);
    OWNED(owned_test_free) uint16_t *wide = test_malloc(4 * PIXELS * sizeof *wide);
    struct fovea_lightfield_raw raw = raw_of((const uint8_t *)wide);
    draw(&cameras[9], 3, grey);
    raw.format = FOVEA_LIGHTFIELD_FORMAT_R16;
    raw.bayer = FOVEA_LIGHTFIELD_BAYER_RGGB;
    raw.maximum = 1023;
    raw.row_stride_bytes = 2 * WIDTH;
    for (size_t i = 0; i < PIXELS; i++) {
        wide[i] = (uint16_t)(4.0 * grey[i] * tint[2 * (i / WIDTH & 1) + (i % WIDTH & 1)]);
    }
    const struct found mosaic = calibrate(&raw, FOVEA_LIGHTFIELD_ROWS_WANTED_HEXAGONAL, 22.0);
    expect(&cameras[9], &mosaic);
    raw.format = FOVEA_LIGHTFIELD_FORMAT_RGBA16;
    raw.bayer = FOVEA_LIGHTFIELD_BAYER_NONE;
    raw.row_stride_bytes = 8 * WIDTH;
    for (size_t i = 0; i < 4 * PIXELS; i++) {
        wide[i] = (uint16_t)(4.0 * grey[i / 4] * tint[i % 4]);
    }
    const struct found colors = calibrate(&raw, FOVEA_LIGHTFIELD_ROWS_WANTED_ANY, 0.0);
    expect(&cameras[9], &colors);
}

TEST(wrong_arguments_are_refused)
{
    static const uint8_t pixels[64 * 64];
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_calibration calibration;
    fovea_lightfield_geometry_init(&geometry);
    for (int row = 0; row < 9; row++) {
        struct fovea_lightfield_raw raw = raw_of(pixels);
        raw.width_px = raw.height_px = 64;
        raw.row_stride_bytes = row == 0 ? 63 : 64;
        raw.format = row == 1 ? FOVEA_LIGHTFIELD_FORMAT_NONE : FOVEA_LIGHTFIELD_FORMAT_R8;
        raw.data = row == 2 ? NULL : pixels;
        raw.maximum = row == 3 ? 100 : 0;
        raw.memory = row == 4 ? FOVEA_MEMORY_CUDA : FOVEA_MEMORY_CPU;
        fovea_lightfield_calibration_init(&calibration);
        calibration.rows = row == 5 ? (enum fovea_lightfield_rows_wanted)3 : 0;
        calibration.pitch_px = row == 6 ? NAN : row == 7 ? 3.0 : 0.0;
        calibration.flip = row == 8 ? 2 : 0;
        calibration.log = ears;
        said[0] = '\0';
        const enum fovea_result result =
            fovea_lightfield_calibrate(&raw, &calibration, &geometry, NULL);
        assert_that(result == (row == 4 ? FOVEA_ERROR_UNSUPPORTED : FOVEA_ERROR_INVALID_ARGUMENT) &&
                        said[0] != '\0',
                    "row %d: %s '%s'", row, fovea_result_name(result), said);
    }
}
