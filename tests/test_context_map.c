/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Maps at the public face: arrays that are copied, pictures that are read, and what is refused. */

#include "support/test_with.h"
#include "test_context_support.h"

#include "compare.h"
#include "kernels/foveate/model/map_copy.h"
#include "plugin/context/context_sigma.h"
#include "plugin/context/settings_take.h"
#include "png_file.h"
#include "random.h"
#include "settings_for.h"

#include <sys/stat.h>

#define COLUMNS 9
#define ROWS 6
#define SAMPLES (COLUMNS * ROWS)
#define WIDTH_PX 90
#define HEIGHT_PX 70

static const struct fovea_point_uv gaze = {0.3, 0.6};
static const struct fovea_log silent = {0};

struct bench {
    char folder[64];
    char path[96];
    uint16_t samples[SAMPLES * 4];
    float values[SAMPLES]; /* of 16 bits a sample */
    struct said said;
};

static void bench_make(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    snprintf(bench->folder, sizeof bench->folder, "/tmp/fovea-map-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    snprintf(bench->path, sizeof bench->path, "%s/map.png", bench->folder);
    uint32_t word = 7;
    for (int i = 0; i < SAMPLES * 4; i++) {
        word = word * 1664525u + 1013904223u;
        bench->samples[i] = (uint16_t)(word >> 16);
    }
    for (int i = 0; i < SAMPLES; i++) {
        bench->values[i] = (float)bench->samples[i] / 65535.0f;
    }
}

static void bench_finish(struct bench *bench)
{
    unlink(bench->path);
    assert_int_equal(rmdir(bench->folder), 0);
}

static void write_picture(const struct bench *b, struct png_picture picture)
{
    size_t count = 0;
    OWNED(owned_free) unsigned char *bytes = png_file_bytes(&picture, &count);
    png_file_write(b->path, bytes, count);
}

static struct png_picture grey_16(const struct bench *b)
{
    return (struct png_picture){COLUMNS, ROWS, 16, 1, b->samples};
}

static struct fovea_foveation with_map(enum fovea_map_kind kind)
{
    struct fovea_foveation f = fovea_settings_default().foveation;
    f.model = FOVEA_MODEL_MAP;
    f.map.kind = kind;
    return f;
}

static struct fovea_foveation with_file(const struct bench *b)
{
    struct fovea_foveation f = with_map(FOVEA_MAP_FILE);
    snprintf(f.map.file, sizeof f.map.file, "%s", b->path);
    return f;
}

static struct fovea_foveation with_array(const struct bench *b)
{
    struct fovea_foveation f = with_map(FOVEA_MAP_ARRAY);
    f.map.values = b->values;
    f.map.width = COLUMNS;
    f.map.height = ROWS;
    return f;
}

static struct fovea_context *context_with(struct bench *b, const struct fovea_foveation *f)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = *f;
    return context_of(&settings, &b->said);
}

static struct test_image run(struct fovea_context *context)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 4);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    assert_ok(fovea_context_run(context, &src.view, &dst.view, gaze, NULL));
    return dst;
}

static void sigma_of(const struct fovea_foveation *f, float sigma_px[WIDTH_PX * HEIGHT_PX])
{
    assert_ok(fovea_sigma_map(&(struct fovea_settings){.foveation = *f}, WIDTH_PX, HEIGHT_PX, gaze,
                              sigma_px));
}

/* ---- What a picture says */

static void assert_same_sigma(const struct fovea_foveation *a, const struct fovea_foveation *b)
{
    static float of_a[WIDTH_PX * HEIGHT_PX];
    static float of_b[WIDTH_PX * HEIGHT_PX];
    sigma_of(a, of_a);
    sigma_of(b, of_b);
    assert_memory_equal(of_a, of_b, sizeof of_a);
    assert_true(of_a[0] > 0.5f);
}

#define WITH_BENCH(name) TEST_WITH(name, struct bench, b, bench_make(&made), bench_finish)

WITH_BENCH(a_picture_is_the_array_of_its_grey)
{
    for (unsigned depth = 8; depth <= 16; depth += 8) {
        for (unsigned channels = 1; channels <= 2; channels++) {
            struct png_picture picture = {COLUMNS, ROWS, depth, channels, b->samples};
            for (int i = 0; i < SAMPLES; i++) {
                const uint16_t sample = b->samples[i * (int)channels];
                b->values[i] = depth == 16 ? (float)sample / 65535.0f
                                           : (float)((sample & 255) * 257) / 65535.0f;
            }
            write_picture(b, picture);
            const struct fovea_foveation array = with_array(b);
            const struct fovea_foveation file = with_file(b);
            assert_same_sigma(&array, &file);
        }
    }
}

/* 0.30, 0.59, 0.11 to the precision of eight bits. */
WITH_BENCH(colours_count_by_their_luma)
{
    for (unsigned channels = 3; channels <= 4; channels++) {
        float found[WIDTH_PX * HEIGHT_PX];
        float expected[WIDTH_PX * HEIGHT_PX];
        for (int i = 0; i < SAMPLES; i++) {
            const uint16_t *at = b->samples + i * (int)channels;
            b->values[i] = (float)((at[0] * 77.0 + at[1] * 150.0 + at[2] * 29.0) / 256.0 / 65535.0);
        }
        write_picture(b, (struct png_picture){COLUMNS, ROWS, 16, channels, b->samples});
        const struct fovea_foveation array = with_array(b);
        const struct fovea_foveation file = with_file(b);
        sigma_of(&array, expected);
        sigma_of(&file, found);
        for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
            assert_true(fabsf(found[i] - expected[i]) <= 0.01f * expected[i] + 0.001f);
        }
    }
}

WITH_BENCH(a_context_foveates_by_the_picture)
{
    write_picture(b, grey_16(b));
    const struct fovea_foveation array = with_array(b);
    const struct fovea_foveation file = with_file(b);
    OWNED(fovea_context_destroy) struct fovea_context *by_array = context_with(b, &array);
    OWNED(fovea_context_destroy) struct fovea_context *by_file = context_with(b, &file);
    unlink(b->path); /* read when the settings were taken, and never again */
    OWNED_IMAGE one = run(by_array);
    assert_non_null(strstr(b->said.info, "map array, 9x6 samples of 22.2222 degrees"));
    OWNED_IMAGE other = run(by_file);
    assert_non_null(strstr(b->said.info, "map map.png, 9x6 samples of 22.2222 degrees"));
    compare_assert_all_same(&one.view, &other.view, "file");
    assert_silent(&b->said);
}

/* ---- Whose samples they are */

WITH_BENCH(an_array_is_copied)
{
    float *values = test_memory(1, sizeof b->values);
    memcpy(values, b->values, sizeof b->values);
    struct fovea_foveation f = with_array(b);
    f.map.values = values;
    OWNED(fovea_context_destroy) struct fovea_context *context = context_with(b, &f);
    memset(values, 0xff, sizeof b->values); /* NaN */
    free(values);
    OWNED_IMAGE one = run(context);
    f = with_array(b);
    assert_ok(fovea_context_set_settings(context, settings_for(&f)));
    OWNED_IMAGE other = run(context);
    compare_assert_all_same(&one.view, &other.view, "the same array");
    b->values[30] += 1.0f;
    assert_ok(fovea_context_set_settings(context, settings_for(&f)));
    OWNED_IMAGE third = run(context);
    struct compare_rect where;
    assert_true(compare_largest(&one.view, &third.view, &where) > 3.0);
    assert_silent(&b->said);
}

static uint64_t take(const struct fovea_foveation *f, struct foveate_map_copy *copy)
{
    struct foveate_map_copy fresh;
    struct fovea_map map = f->map;
    assert_ok(foveate_map_copy_make(&map, copy, (struct fovea_log){0}, &fresh));
    if (fresh.samples) {
        foveate_map_copy_finish(copy);
        *copy = fresh;
    }
    assert_int_equal(map.kind, FOVEA_MAP_ARRAY);
    assert_ptr_equal(map.values, copy->samples->values);
    assert_int_equal(map.serial, copy->samples->serial);
    return map.serial;
}

/* If the file's status is the one that is known nobody reads it: garbage of the same size and time
 * would not be noticed. */
static void assert_is_not_read_again(const struct fovea_foveation *f, struct foveate_map_copy *copy)
{
    struct stat status;
    assert_int_equal(stat(f->map.file, &status), 0);
    assert_true(copy->status.st_mtim.tv_sec == status.st_mtim.tv_sec &&
                copy->status.st_mtim.tv_nsec == status.st_mtim.tv_nsec &&
                copy->status.st_ino == status.st_ino);
}

WITH_BENCH(what_did_not_change_keeps_its_serial)
{
    OWNED(foveate_map_copy_finish) struct foveate_map_copy copy = {0};
    struct fovea_foveation f = with_array(b);
    const uint64_t first = take(&f, &copy);
    assert_int_equal(take(&f, &copy), first);
    b->values[SAMPLES - 1] += 0.5f;
    const uint64_t second = take(&f, &copy);
    assert_int_equal(second, first + 1);
    f.map.width = ROWS; /* as many, in other rows */
    f.map.height = COLUMNS;
    assert_int_equal(take(&f, &copy), second + 1);
    write_picture(b, grey_16(b));
    f = with_file(b);
    const uint64_t of_file = take(&f, &copy);
    assert_int_equal(take(&f, &copy), of_file);
    write_picture(b, grey_16(b)); /* written again, with the same in it */
    assert_int_equal(take(&f, &copy), of_file);
    assert_is_not_read_again(&f, &copy);
    b->samples[3] ^= 0x4000;
    unlink(b->path);
    write_picture(b, grey_16(b));
    assert_int_equal(take(&f, &copy), of_file + 1);
}

/* ---- What is refused */

/* The samples of a formula are made once, for all eyes together, and plans of them are those of
 * plans that evaluate it. */
WITH_BENCH(formulas_are_evaluated_once)
{
    OWNED(foveate_map_copy_finish) struct foveate_map_copy copy = {0};
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation f = with_map(i < 3 ? FOVEA_MAP_HUMAN : FOVEA_MAP_STREAK);
        f.map.eye = i < 3 ? (enum fovea_map_eye)i : FOVEA_MAP_EYE_BOTH;
        struct foveate_map_copy fresh;
        struct fovea_foveation taken = f;
        assert_ok(foveate_map_copy_make(&taken.map, &copy, silent, &fresh));
        assert_true((fresh.samples != NULL) == (i == 0 || i == 3));
        if (fresh.samples) {
            foveate_map_copy_finish(&copy);
            copy = fresh;
        }
        assert_int_equal(taken.map.kind, f.map.kind);
        assert_ptr_equal(taken.map.values, copy.samples->values);
        struct fovea_foveation again = f;
        assert_ok(foveate_map_copy_make(&again.map, &copy, silent, &fresh));
        assert_null(fresh.samples);
        assert_ptr_equal(again.map.values, copy.samples->values);
        OWNED(foveate_plan_destroy) struct gauss_plan *made = NULL;
        OWNED(foveate_plan_destroy) struct gauss_plan *evaluated = NULL;
        assert_ok(foveate_plan_create(&taken, WIDTH_PX, HEIGHT_PX, &made));
        assert_ok(foveate_plan_create(&f, WIDTH_PX, HEIGHT_PX, &evaluated));
        assert_int_equal(made->law.table_count, evaluated->law.table_count);
        assert_true(made->law.table_count > 0);
        assert_memory_equal(made->law_table, evaluated->law_table,
                            (size_t)made->law.table_count * sizeof *made->law_table);
    }
}

/* Values that a program left in fields that the kind does not use are not looked at. */
WITH_BENCH(values_beside_a_formula_do_not_count)
{
    static float plain[WIDTH_PX * HEIGHT_PX];
    static float beside[WIDTH_PX * HEIGHT_PX];
    struct fovea_foveation f = with_map(FOVEA_MAP_HUMAN);
    sigma_of(&f, plain);
    f.map.values = b->values; /* by far fewer than it says */
    f.map.width = f.map.height = 801;
    f.map.serial = 5;
    sigma_of(&f, beside);
    assert_memory_equal(plain, beside, sizeof plain);
    struct fovea_context *context = context_with(b, &f);
    OWNED_IMAGE with = run(context);
    fovea_context_destroy(&context);
    f = with_map(FOVEA_MAP_HUMAN);
    context = context_with(b, &f);
    OWNED_IMAGE without = run(context);
    fovea_context_destroy(&context);
    compare_assert_all_same(&with.view, &without.view, "values beside a formula");
}

WITH_BENCH(a_name_without_an_end_is_refused)
{
    static float sigma_px[WIDTH_PX * HEIGHT_PX];
    OWNED(owned_free) struct fovea_foveation *f = malloc(sizeof *f);
    assert_non_null(f);
    *f = with_map(FOVEA_MAP_FILE);
    memset(f->map.file, 'x', sizeof f->map.file);
    assert_invalid(fovea_sigma_map(&(struct fovea_settings){.foveation = *f}, WIDTH_PX, HEIGHT_PX,
                                   gaze, sigma_px));
}

static void assert_file_refused(struct bench *b, const struct fovea_foveation *f,
                                enum fovea_result result, const char *word)
{
    float sigma_px[4];
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = *f;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = said_log(&b->said);
    OWNED(fovea_context_destroy) struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), result);
    assert_null(context);
    assert_said(&b->said, word);
    assert_int_equal(
        fovea_sigma_map(&(struct fovea_settings){.foveation = *f}, 2, 2, gaze, sigma_px), result);
    context = context_of(NULL, &b->said);
    OWNED_IMAGE before = run(context);
    assert_int_equal(fovea_context_set_settings(context, settings_for(f)), result);
    assert_said(&b->said, word);
    OWNED_IMAGE after = run(context);
    compare_assert_all_same(&before.view, &after.view, "the old settings");
}

WITH_BENCH(files_that_cannot_be_read_are_refused)
{
    struct fovea_foveation f = with_file(b);
    assert_file_refused(b, &f, FOVEA_ERROR_IO, "map.png cannot be read: No such file");
    assert_int_equal(mkdir(b->path, 0700), 0);
    assert_file_refused(b, &f, FOVEA_ERROR_IO, "it is not a file");
    assert_int_equal(rmdir(b->path), 0);
    assert_int_equal(mkfifo(b->path, 0600), 0);
    assert_file_refused(b, &f, FOVEA_ERROR_IO, "it is not a file");
    unlink(b->path);
    png_file_write(b->path, "", 0);
    assert_int_equal(truncate(b->path, 200 << 20), 0);
    assert_file_refused(b, &f, FOVEA_ERROR_IO, "larger than 129 MiB");
}

WITH_BENCH(pictures_that_are_no_map_are_refused)
{
    struct fovea_foveation f = with_file(b);
    png_file_write(b->path, "", 0);
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "it is not a PNG picture");
    png_file_write(b->path, "P5 2 2 255 ....this is another format of pictures.", 48);
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "it is not a PNG picture");
    write_picture(b, (struct png_picture){1, 1, 8, 1, b->samples});
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "it is 1x1; a map is 2 to 4096 each way");
    OWNED(owned_free) uint16_t *large = calloc(4097 * 2, sizeof *large);
    assert_non_null(large);
    write_picture(b, (struct png_picture){4097, 2, 8, 1, large});
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "it is 4097x2");
    write_picture(b, (struct png_picture){2, 4096, 16, 1, large});
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "all of the picture is black");
    memset(large, 0x21, 4097 * 2 * sizeof *large);
    write_picture(b, (struct png_picture){4096, 2, 16, 1, large});
    f.map.law = FOVEA_MAP_LAW_LINEAR;
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "all of the picture is the same grey");
    f.map.law = FOVEA_MAP_LAW_SQRT;
    struct fovea_context *context = context_with(b, &f);
    fovea_context_destroy(&context);
}

/* However much of it is there. */
WITH_BENCH(broken_pictures_are_refused)
{
    const struct fovea_foveation f = with_file(b);
    const struct png_picture picture = grey_16(b);
    size_t count = 0;
    OWNED(owned_free) unsigned char *bytes = png_file_bytes(&picture, &count);
    for (size_t cut = 34; cut < count - 16; cut += 7) {
        png_file_write(b->path, bytes, cut);
        assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "the picture is broken");
    }
    unsigned char empty[33 + 12]; /* head and end */
    memcpy(empty, bytes, 33);
    memcpy(empty + 33, bytes + count - 12, 12);
    png_file_write(b->path, empty, sizeof empty);
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "no IDAT");
    bytes[33 + 8 + 2] |= 6; /* the kind of the first block: there is no fourth one */
    png_file_write(b->path, bytes, count);
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "the picture is broken (its data is damaged)");
    bytes[24] = 3; /* bits of a sample */
    png_file_write(b->path, bytes, count);
    assert_file_refused(b, &f, FOVEA_ERROR_CONFIG, "the picture is broken");
}

WITH_BENCH(arrays_that_are_no_map_are_refused)
{
    struct fovea_foveation f = with_array(b);
    b->values[20] = NAN;
    assert_file_refused(b, &f, FOVEA_ERROR_INVALID_ARGUMENT, "column 2 of row 2 is nan");
    b->values[20] = -1.0f;
    assert_file_refused(b, &f, FOVEA_ERROR_INVALID_ARGUMENT, "column 2 of row 2 is -1");
    b->values[20] = 1.0f;
    f.map.values = NULL;
    assert_file_refused(b, &f, FOVEA_ERROR_INVALID_ARGUMENT, "foveation.map.values is NULL");
    f = with_array(b);
    f.map.width = 1;
    assert_file_refused(b, &f, FOVEA_ERROR_INVALID_ARGUMENT, "foveation.map.width is 1");
    f = with_array(b);
    f.map.cutoff_cpd = 0.1;
    f.map.floor = 1e-6;
    b->values[0] = 0.0f;
    f.strength = 8.0;
    assert_file_refused(b, &f, FOVEA_ERROR_INVALID_ARGUMENT, "a blur that no image needs");
}

WITH_BENCH(where_foveate_does_not_run_its_map_is_not_opened_and_asks_for_no_blur)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = with_file(b); /* which is not there */
    settings.operators.order[0] = FOVEA_OPERATOR_blur;
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &b->said);
    OWNED_IMAGE of_file = run(context);
    settings.foveation = fovea_settings_default().foveation;
    settings.foveation.paper.e2_deg = 3e-4;
    assert_int_equal(fovea_context_set_settings(context, &settings), FOVEA_OK);
    OWNED_IMAGE of_paper = run(context);
    compare_assert_all_same(&of_file.view, &of_paper.view, "the same blur");
    settings.operators.order[0] = FOVEA_OPERATOR_foveate;
    assert_int_equal(fovea_context_set_settings(context, &settings), FOVEA_ERROR_INVALID_ARGUMENT);
    settings.foveation = with_file(b);
    assert_int_equal(fovea_context_set_settings(context, &settings), FOVEA_ERROR_IO);
}

/* ---- Places */

WITH_BENCH(degrees_lie_where_the_mapping_puts_them)
{
    struct fovea_foveation paper = fovea_settings_default().foveation;
    struct fovea_foveation physical = paper;
    physical.model = FOVEA_MODEL_PHYSICAL;
    struct fovea_foveation f = with_file(b); /* which is not there, and need not be */
    for (double e = 0.0; e < 80.0; e += 13.0) {
        f.map.degrees = FOVEA_MAP_DEGREES_PAPER;
        assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = f}, 640, 480,
                                          (struct fovea_point_uv){0.5, 0.5}, 0.0, e) ==
                    fovea_eccentricity_px(&(struct fovea_settings){.foveation = paper}, 640, 480,
                                          (struct fovea_point_uv){0.5, 0.5}, 0.0, e));
        f.map.degrees = FOVEA_MAP_DEGREES_VIEW;
        assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = f}, 640, 480,
                                          (struct fovea_point_uv){0.5, 0.5}, 0.0, e) ==
                    fovea_eccentricity_px(&(struct fovea_settings){.foveation = physical}, 640, 480,
                                          (struct fovea_point_uv){0.5, 0.5}, 0.0, e));
    }
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = f}, 640, 480,
                                      (struct fovea_point_uv){0.5, 0.5}, 0.0, 91.0) < 0.0);
}

/* Rings of light fields ask for it: the farthest pixel of the map of sigmas says what it is. */
TEST(how_far_a_picture_is_sharp_is_known_without_a_map)
{
    enum { RIGHT = 211, DOWN = 157, TRIALS = 40 };
    static float map[RIGHT * DOWN];
    uint64_t random = 23;
    int some = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct fovea_foveation f = with_map(FOVEA_MAP_HUMAN);
        f.model = (enum fovea_model)(trial % 5);
        f.method = trial % 3 ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        f.strength = random_uniform(&random, 0.5, 8.0);
        const struct fovea_settings settings = {.foveation = f};
        const struct fovea_point_uv at = {random_uniform(&random, -0.2, 1.2),
                                          random_uniform(&random, -0.2, 1.2)};
        const double sigmas_px[] = {random_uniform(&random, 0.1, 2.0),
                                    random_uniform(&random, 0.1, 8.0)};
        double found_px[2];
        assert_ok(context_sharp_px(&settings, RIGHT, DOWN, at, sigmas_px, found_px));
        assert_ok(fovea_sigma_map(&settings, RIGHT, DOWN, at, map));
        for (int i = 0; i < 2; i++) {
            double farthest_px = 0.0;
            for (int pixel = 0; pixel < RIGHT * DOWN; pixel++) {
                const double away_px = hypot(pixel % RIGHT + 0.5 - at.x_uv * RIGHT,
                                             pixel / RIGHT + 0.5 - at.y_uv * DOWN);
                farthest_px =
                    (double)map[pixel] < sigmas_px[i] ? fmax(farthest_px, away_px) : farthest_px;
            }
            some += farthest_px > 0.0 && farthest_px < 100.0;
            assert_that(found_px[i] >= farthest_px &&
                            found_px[i] <= farthest_px + OPERATOR_SHARP_STEP_PX,
                        "trial %d: sigma %.2f up to %.2f px, not %.2f", trial, sigmas_px[i],
                        farthest_px, found_px[i]);
        }
    }
    assert_true(some > TRIALS / 2);
}

/* A program frees its settings as soon as the call returns: nothing that stays may point there. */
WITH_BENCH(what_is_taken_points_to_no_samples_of_the_programs)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = NULL;
    assert_ok(fovea_settings_create(&settings));
    assert_ok(fovea_settings_set_map(settings, b->values, COLUMNS, ROWS));
    for (int with_map = 0; with_map < 2; with_map++) {
        OWNED(settings_kept_finish) struct settings_kept kept = {0};
        struct fovea_settings taken = *settings;
        taken.foveation.model = with_map ? FOVEA_MODEL_MAP : FOVEA_MODEL_PAPER;
        assert_ok(settings_take(&taken, &kept, silent));
        const struct foveate_map_copy *copy = (void *)kept.of[FOVEA_OPERATOR_foveate];
        assert_ptr_equal(taken.foveation.map.values, copy ? copy->samples->values : NULL);
        assert_true((copy != NULL) == with_map);
        assert_null(taken.foveation.map.own_values);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
        assert_ok(foveate_plan_create(&taken.foveation, WIDTH_PX, HEIGHT_PX, &plan));
        assert_null(plan->foveation.map.values);
    }
}
