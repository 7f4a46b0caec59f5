/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens promises a program this beside what all operators do (test_context_operators):
 * files, fields, and pictures without a gaze. */

#include "test_context_support.h"

#include "operators/lens_scenes.h"

/* Makes settings for the cpu; the other setting may be NULL. */
static struct fovea_settings *settings_for(const char *operators, const char *path,
                                           const char *value, struct said *said)
{
    const char *const words[] = {"operators", operators, "backend", "cpu", path, value, NULL};
    return settings_with(words, said);
}

static struct fovea_context *context_for(const char *operators, struct said *said)
{
    struct fovea_settings *settings = settings_for(operators, "lens.r2", "0.3", said);
    struct fovea_context *context = context_of(settings, said);
    fovea_settings_destroy(&settings);
    return context;
}

#define BATCH 6
#define BATCH_ROWS 40

/* Pictures one below the other. */
static struct fovea_batch batch_of(const struct test_image *src, const struct test_image *dst,
                                   const float *gazes_uv)
{
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = BATCH;
    batch.src = src->view;
    batch.dst = dst->view;
    batch.src.height_px = batch.dst.height_px = BATCH_ROWS;
    batch.src_next_bytes = BATCH_ROWS * src->view.row_stride_bytes;
    batch.dst_next_bytes = BATCH_ROWS * dst->view.row_stride_bytes;
    batch.gazes_uv = gazes_uv;
    return batch;
}

static struct fovea_image picture_of(const struct test_image *images, uint32_t index)
{
    struct fovea_image picture = images->view;
    picture.height_px = BATCH_ROWS;
    picture.data =
        (char *)picture.data + (ptrdiff_t)(index * BATCH_ROWS) * picture.row_stride_bytes;
    return picture;
}

/* foveate has nothing to do there, and lens does what it does. */
TEST(a_picture_without_a_gaze_is_warped)
{
    static const double none[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct said said = {0};
    struct fovea_context *warps = context_for("lens", &said);
    struct fovea_context *both = context_for("foveate,lens", &said);
    OWNED_IMAGE src = image_drawn(150, 100, FOVEA_FORMAT_RGBA8, IMAGE_STROKES, 3);
    OWNED_IMAGE expected = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    assert_ok(fovea_context_run(warps, &src.view, &expected.view, (struct fovea_point_uv){0.5, 0.5},
                                NULL));
    for (int i = 0; i < 6; i++) {
        OWNED_IMAGE dst = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
        const struct fovea_point_uv gaze = {i % 2 ? none[i / 2] : 0.5, i % 2 ? 0.5 : none[i / 2]};
        assert_ok(fovea_context_run(i < 3 ? warps : both, &src.view, &dst.view, gaze, NULL));
        compare_assert_all_same(&dst.view, &expected.view, "no gaze");
    }
    fovea_context_destroy(&warps);
    fovea_context_destroy(&both);
    assert_silent(&said);
}

/* Each picture of a batch is what it would be alone, whatever comes before and after it. */
TEST(pictures_of_a_batch_without_a_gaze_are_warped)
{
    static const float gazes_uv[2 * BATCH] = {0.3f, 0.6f, NAN,  0.5f, 0.5f, INFINITY,
                                              0.1f, 0.9f, 0.7f, 0.2f, NAN,  NAN};
    struct said said = {0};
    struct fovea_context *both = context_for("foveate,lens", &said);
    OWNED_IMAGE src = image_drawn(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 3);
    OWNED_IMAGE dst = image_make_packed(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE expected = image_make_packed(70, BATCH * BATCH_ROWS, FOVEA_FORMAT_RGBA8);
    for (uint32_t i = 0; i < BATCH; i++) {
        const struct fovea_image from = picture_of(&src, i);
        const struct fovea_image to = picture_of(&expected, i);
        const struct fovea_point_uv gaze = {(double)gazes_uv[2 * i], (double)gazes_uv[2 * i + 1]};
        assert_ok(fovea_context_run(both, &from, &to, gaze, NULL));
    }
    const struct fovea_batch batch = batch_of(&src, &dst, gazes_uv);
    assert_ok(fovea_context_run_batch(both, &batch, NULL));
    compare_assert_all_same(&dst.view, &expected.view, "a batch");
    fovea_context_destroy(&both);
    assert_silent(&said);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A polynomial is the same in a file as in settings, and a file that changes is read again. */
TEST(a_file_is_the_settings_that_it_stands_for)
{
    static const char path[] = "context_lens.json";
    struct said said = {0};
    OWNED(fovea_settings_destroy)
    struct fovea_settings *settings = settings_for("lens", "lens.file", path, &said);
    write_file(path, "{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0.3, 0, 0]}}");
    OWNED(fovea_context_destroy) struct fovea_context *by_file = context_of(settings, &said);
    OWNED(fovea_context_destroy) struct fovea_context *by_settings = context_for("lens", &said);
    struct test_image images[4];
    const struct fovea_point_uv gaze = {0.5, 0.5};
    for (int i = 0; i < 4; i++) {
        images[i] = image_make_packed(150, 100, FOVEA_FORMAT_RGBA8);
    }
    image_draw(&images[0].view, IMAGE_STROKES, 3);
    assert_ok(fovea_context_run(by_file, &images[0].view, &images[1].view, gaze, NULL));
    assert_ok(fovea_context_run(by_settings, &images[0].view, &images[2].view, gaze, NULL));
    compare_assert_all_same(&images[1].view, &images[2].view, "a file");
    write_file(path, "{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0.0, 0, 0]}}\n");
    assert_ok(fovea_context_set_settings(by_file, settings));
    assert_ok(fovea_context_run(by_file, &images[0].view, &images[3].view, gaze, NULL));
    compare_assert_all_same(&images[3].view, &images[0].view, "a file that changed");
    assert_int_equal(remove(path), 0);
    assert_silent(&said);
    assert_int_equal(fovea_context_set_settings(by_file, settings), FOVEA_ERROR_IO);
    assert_said(&said, "lens.file: ");
    for (int i = 0; i < 4; i++) {
        image_free(&images[i]);
    }
}

/* A context has one eye, which the settings name. */
TEST(an_eye_has_its_own_lens_of_a_file)
{
    static const char path[] = "context_lens_eyes.json";
    struct said said = {0};
    struct operator_scene eyes[] = {lens_scene_of(11), lens_scene_of(11)};
    for (int i = 0; i < 2; i++) {
        eyes[i].settings = fovea_settings_default();
        eyes[i].blue_first = false;
    }
    lens_scene_use_polynomial(&eyes[0]);
    lens_scene_use_points(5, &eyes[1]);
    lens_scenes_write_eyes(eyes, path);
    OWNED(fovea_settings_destroy)
    struct fovea_settings *settings = settings_for("lens", "lens.file", path, &said);
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(settings, &said);
    OWNED_IMAGE src = scene_draw(&eyes[0]);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"left", "right", "both"};
        const struct fovea_point_uv gaze = {0.5, 0.5};
        OWNED_IMAGE dst = scene_draw(&eyes[0]);
        assert_ok(fovea_settings_set(settings, "foveation.map.eye", names[i], said_log(&said)));
        assert_ok(fovea_context_set_settings(context, settings));
        assert_silent(&said);
        const enum fovea_result result =
            fovea_context_run(context, &src.view, &dst.view, gaze, NULL);
        if (i < 2) {
            assert_ok(result);
            scene_assert_exact(&eyes[i], &src.view, &dst.view);
        } else {
            assert_int_equal(result, FOVEA_ERROR_INVALID_ARGUMENT);
            assert_said(&said, "a lens for each eye");
        }
    }
    assert_int_equal(remove(path), 0);
}

TEST(a_file_that_is_wrong_is_said_with_its_place)
{
    static const char path[] = "context_lens_wrong.json";
    struct said said = {0};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = NULL;
    assert_ok(fovea_settings_create(&settings));
    write_file(path, "{\"fovea-lens\": 1,\n \"polynomial\": {\"green\": [1, 0, x, 0, 0]}}");
    assert_ok(fovea_settings_set(settings, "lens.file", path, said_log(&said)));
    OWNED(fovea_context_destroy)
    struct fovea_context *context = context_of(settings, &said); /* foveates alone: reads nothing */
    assert_silent(&said);
    assert_ok(fovea_settings_set(settings, "operators", "lens", said_log(&said)));
    assert_int_equal(fovea_context_set_settings(context, settings), FOVEA_ERROR_CONFIG);
    assert_said(&said, "context_lens_wrong.json:2:33: expected a finite number");
    assert_int_equal(remove(path), 0);
}

#define MAP_WIDTH 150
#define MAP_HEIGHT 100

/* A place for every pixel, by the settings' polynomial, in rows with a gap and points with one. */
static struct fovea_field dense_map(float *xy)
{
    struct fovea_field field;
    fovea_field_init(&field);
    field.xy = xy;
    field.width = MAP_WIDTH;
    field.height = MAP_HEIGHT;
    field.centered = true;
    field.point_bytes = 3 * sizeof *xy;
    field.row_bytes = (3 * MAP_WIDTH + 5) * sizeof *xy;
    for (int y = 0; y < MAP_HEIGHT; y++) {
        for (int x = 0; x < MAP_WIDTH; x++) {
            const double from_x = x + 0.5 - MAP_WIDTH / 2.0;
            const double from_y = y + 0.5 - MAP_HEIGHT / 2.0;
            const double r2 = (from_x * from_x + from_y * from_y) / (75.0 * 75.0);
            float *place = xy + y * (3 * MAP_WIDTH + 5) + 3 * x;
            place[0] = (float)(0.5 + from_x * (1.0 + 0.3 * r2) / MAP_WIDTH);
            place[1] = (float)(0.5 + from_y * (1.0 + 0.3 * r2) / MAP_HEIGHT);
        }
    }
    return field;
}

static float *make_dense_map(struct fovea_field *out_field)
{
    float *xy = test_memory(MAP_HEIGHT * (3 * MAP_WIDTH + 5), sizeof *xy);
    *out_field = dense_map(xy);
    return xy;
}

/* It outlives the program's points and the object that it was set in, and goes with NULL. */
TEST(a_field_is_the_lens_that_it_was_made_of)
{
    struct said said = {0};
    struct fovea_field field;
    float *xy = make_dense_map(&field);
    struct fovea_settings *settings = settings_for("lens", NULL, NULL, &said);
    struct fovea_settings *copy = NULL;
    assert_ok(fovea_settings_set_field(settings, "lens.file", &field, said_log(&said)));
    free(xy);
    assert_ok(fovea_settings_copy(settings, &copy));
    fovea_settings_destroy(&settings);
    struct fovea_context *by_field = context_of(copy, &said);
    struct fovea_context *by_settings = context_for("lens", &said);
    const struct fovea_point_uv gaze = {0.5, 0.5};
    struct test_image images[4];
    for (int i = 0; i < 4; i++) {
        images[i] = image_make_packed(MAP_WIDTH, MAP_HEIGHT, FOVEA_FORMAT_RGBA8);
    }
    image_draw(&images[0].view, IMAGE_PHOTO, 3);
    assert_ok(fovea_context_run(by_field, &images[0].view, &images[1].view, gaze, NULL));
    assert_ok(fovea_context_run(by_settings, &images[0].view, &images[2].view, gaze, NULL));
    for (uint32_t i = 0; i < MAP_WIDTH * MAP_HEIGHT * 4; i++) {
        const uint32_t x = i / 4 % MAP_WIDTH;
        const uint32_t y = i / 4 / MAP_WIDTH;
        assert_true(fabs(image_get(&images[1].view, x, y, i % 4) -
                         image_get(&images[2].view, x, y, i % 4)) <= 1.0);
    }
    assert_ok(fovea_settings_set_field(copy, "lens.file", NULL, said_log(&said)));
    assert_ok(fovea_settings_set(copy, "lens.r2", "0", said_log(&said)));
    assert_ok(fovea_context_set_settings(by_field, copy));
    fovea_settings_destroy(&copy);
    assert_ok(fovea_context_run(by_field, &images[0].view, &images[3].view, gaze, NULL));
    compare_assert_all_same(&images[3].view, &images[0].view, "no field");
    for (int i = 0; i < 4; i++) {
        image_free(&images[i]);
    }
    fovea_context_destroy(&by_field);
    fovea_context_destroy(&by_settings);
    assert_silent(&said);
}

/* Two or six layers: the left eye's, then the right eye's. */
TEST(a_field_has_a_lens_for_each_eye)
{
    struct said said = {0};
    struct fovea_field field;
    OWNED(owned_free) float *map = make_dense_map(&field);
    const size_t count = (size_t)MAP_HEIGHT * (3 * MAP_WIDTH + 5);
    OWNED(owned_free) float *layers = calloc(6 * count, sizeof *layers);
    assert_non_null(layers);
    for (size_t i = 0; i < 6 * count; i++) { /* the right eye's reach less far down */
        layers[i] = map[i % count] * (i / count < 3 ? 1.0f : 0.9f);
    }
    for (int way = 0; way < 4; way++) {
        const bool right = way % 2;
        struct fovea_context *contexts[2];
        struct test_image images[3];
        for (int i = 0; i < 2; i++) {
            OWNED(fovea_settings_destroy)
            struct fovea_settings *settings =
                settings_for("lens", "foveation.map.eye", right ? "right" : "left", &said);
            field.layers = i ? (way < 2 ? 2 : 6) : 1;
            field.xy = layers + (i ? 0 : right ? 3 * count : 0);
            field.layer_bytes = (ptrdiff_t)((field.layers == 2 ? 3 : 1) * count * sizeof *layers);
            assert_ok(fovea_settings_set_field(settings, "lens.file", &field, said_log(&said)));
            contexts[i] = context_of(settings, &said);
        }
        for (int i = 0; i < 3; i++) {
            images[i] = image_make_packed(MAP_WIDTH, MAP_HEIGHT, FOVEA_FORMAT_RGBA8);
        }
        image_draw(&images[0].view, IMAGE_PHOTO, 3);
        for (int i = 0; i < 2; i++) {
            assert_ok(fovea_context_run(contexts[i], &images[0].view, &images[i + 1].view,
                                        (struct fovea_point_uv){0.5, 0.5}, NULL));
            fovea_context_destroy(&contexts[i]);
        }
        compare_assert_all_same(&images[2].view, &images[1].view, right ? "right" : "left");
        for (int i = 0; i < 3; i++) {
            image_free(&images[i]);
        }
    }
    assert_silent(&said);
}

static void refuse_field(const struct fovea_field *field, const char *path,
                         enum fovea_result result, const char *word)
{
    struct said said = {0};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = NULL;
    assert_ok(fovea_settings_create(&settings));
    assert_int_equal(fovea_settings_set_field(settings, path, field, said_log(&said)), result);
    assert_said(&said, word);
}

TEST(fields_that_are_no_lens_are_refused_in_words)
{
    struct fovea_field good;
    OWNED(owned_free) float *xy = make_dense_map(&good);
    struct fovea_field bad = good;
    refuse_field(&good, "lens.filter", FOVEA_ERROR_CONFIG, "there is no setting lens.filter");
    bad.struct_bytes = 0;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "struct_bytes is not set");
    bad = good;
    bad.layers = 4;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "layers are 1, 2, 3 or 6");
    bad = good;
    bad.layers = 2; /* the second one lies at the same place: both are wrong */
    bad.layer_bytes = 3 * sizeof *xy;
    float *first = xy + 20 * (3 * MAP_WIDTH + 5) + 3;
    const float x = first[0];
    first[0] = 101.0f; /* of column 1, which is the right eye's column 0 */
    refuse_field(&bad, "lens.file", FOVEA_ERROR_CONFIG,
                 "left eye: green: column 1 of row 20 is (101");
    first[0] = x;
    bad = good;
    bad.xy = NULL;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "xy is NULL");
    bad = good;
    bad.width = 1;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "are 2 to 16385 points");
    bad.width = 16386;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "are 2 to 16385 points");
    bad.width = bad.height = UINT32_MAX; /* a layer has more bytes than there are numbers for */
    bad.point_bytes = bad.row_bytes = bad.layer_bytes = 0;
    refuse_field(&bad, "lens.file", FOVEA_ERROR_INVALID_ARGUMENT, "are 2 to 16385 points");
    float *place = xy + 50 * (3 * MAP_WIDTH + 5) + 3 * 70;
    const float was = place[0];
    place[0] = NAN;
    refuse_field(&good, "lens.file", FOVEA_ERROR_CONFIG, "green: column 70 of row 50 is (nan");
    place[0] = was + 0.05f; /* beyond its neighbour's */
    refuse_field(&good, "lens.file", FOVEA_ERROR_CONFIG, "folds over between column");
}

/* The program is told what is wrong, and gets no picture. */
TEST(a_map_that_folds_is_refused_in_words)
{
    struct said said = {0};
    OWNED(fovea_settings_destroy)
    struct fovea_settings *settings = settings_for("lens", "lens.r2", "-1", &said);
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(settings, &said);
    OWNED_IMAGE src = image_drawn(32, 32, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 3);
    OWNED_IMAGE dst = image_make_packed(32, 32, FOVEA_FORMAT_RGBA8);
    assert_silent(&said);
    assert_int_equal(
        fovea_context_run(context, &src.view, &dst.view, (struct fovea_point_uv){0.5, 0.5}, NULL),
        FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&said, "the map folds back");
    assert_true(image_guards_intact(&dst));
}
