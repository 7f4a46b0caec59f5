/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields that cannot be: an error that names the field, and no picture. */

#include "cmocka_all.h"

#include "fovea_lightfield.h"

#include <sys/stat.h>

static char said[512];

static void listen(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static const struct fovea_log ears = {listen, NULL, FOVEA_LOG_WARNING};

struct world {
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_raw raw;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
    struct fovea_lightfield_sum sum;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
    struct fovea_image dst, depth, patches;
};

static uint16_t raw_pixels[3 * 40 * 30];
static float pixels[3 * 20 * 15];

static struct world good(void)
{
    struct world world;
    fovea_lightfield_geometry_init(&world.geometry);
    world.geometry.raw_width_px = 40;
    world.geometry.raw_height_px = 30;
    world.geometry.columns = 4;
    world.geometry.rows = 3;
    world.geometry.pitch_x_px = world.geometry.pitch_y_px = 10.0;
    world.geometry.origin_x_px = world.geometry.origin_y_px = 5.0;
    fovea_lightfield_raw_init(&world.raw);
    world.raw.data = raw_pixels;
    world.raw.width_px = 40;
    world.raw.height_px = 30;
    world.raw.format = FOVEA_LIGHTFIELD_FORMAT_R16;
    world.raw.row_stride_bytes = 80;
    fovea_lightfield_rendering_init(&world.rendering);
    world.rendering.patch_px = 5.0;
    fovea_lightfield_matching_init(&world.matching);
    world.matching.first_px = 2.0;
    world.matching.last_px = 6.0;
    fovea_lightfield_sum_init(&world.sum);
    fovea_lightfield_foveation_init(&world.foveation);
    fovea_lightfield_refocusing_init(&world.refocusing);
    world.refocusing.first_px = 2.0;
    world.refocusing.last_px = 6.0;
    world.dst = (struct fovea_image){.data = pixels,
                                     .width_px = 20,
                                     .height_px = 15,
                                     .format = FOVEA_FORMAT_R32F,
                                     .row_stride_bytes = 80};
    world.depth = world.patches = world.dst;
    return world;
}

/* Spoils the array or the raw picture. */
static const char *spoil_given(struct world *world, int row)
{
    switch (row) {
    case 0:
        return world->geometry.raw_width_px = 7, "raw_width_px";
    case 1:
        return world->geometry.raw_height_px = 16385, "raw_height_px";
    case 2:
        return world->geometry.columns = 0, "columns";
    case 3:
        return world->geometry.columns = 5, "lens in column 4";
    case 4:
        return world->geometry.rows = 4, "lens in column 0 of row 3";
    case 5:
        return world->geometry.arrangement = (enum fovea_lightfield_rows)2, "arrangement";
    case 6:
        return world->geometry.flip = 2, "flip";
    case 7:
        return world->geometry.pitch_x_px = 1.0, "pitch_x_px";
    case 8:
        return world->geometry.pitch_y_px = NAN, "pitch_y_px";
    case 9:
        return world->geometry.origin_x_px = -1.0, "origin_x_px";
    case 10:
        return world->geometry.rotation_deg = 46.0, "rotation_deg";
    case 11:
        return world->raw.width_px = 39, "raw.width_px";
    case 12:
        return world->raw.data = NULL, "raw.data";
    case 13:
        return world->raw.format = (enum fovea_lightfield_format)7, "raw.format";
    case 14:
        return world->raw.bayer = (enum fovea_lightfield_bayer)5, "raw.bayer";
    case 15:
        return world->raw.maximum = 65536, "raw.maximum";
    case 16:
        return world->raw.format = FOVEA_LIGHTFIELD_FORMAT_R8, world->raw.maximum = 100,
               "raw.maximum";
    case 17:
        return world->raw.row_stride_bytes = 79, "raw.row_stride_bytes";
    default:
        return NULL;
    }
}

static const char *spoil_asked(struct world *world, int row)
{
    switch (row) {
    case 18:
        return world->depth.memory = FOVEA_MEMORY_CUDA, "CUDA";
    case 19:
        return world->raw.bayer = FOVEA_LIGHTFIELD_BAYER_RGGB, "dst.format";
    case 20:
        return world->rendering.patch_px = 0.9, "patch_px";
    case 21:
        return world->rendering.patch_px = 10.1, "patch_px";
    case 22:
        return world->rendering.range = 6, "range";
    case 23:
        return world->rendering.filter = (enum fovea_lightfield_filter)2, "filter";
    case 24:
        return world->rendering.sigma_px = 0.1, "sigma_px";
    case 25:
        return world->rendering.view_x_px = -5.1, "view_x_px";
    case 26:
        return world->patches.width_px = 19, "patches";
    case 27:
        return world->patches.format = FOVEA_FORMAT_R16F, "patches.format";
    case 28:
        return world->matching.first_px = 7.0, "first_px";
    case 29:
        return world->matching.step_px = 0.0, "step_px";
    case 30:
        return world->matching.step_px = 0.01, "step_px";
    case 31:
        return world->matching.range = 0, "range";
    case 32:
        return world->matching.box = 2, "box";
    case 33:
        return world->depth.format = FOVEA_FORMAT_R16F, "depth.format";
    case 34:
        return world->sum.shift = NAN, "shift";
    case 35:
        return world->sum.radius_px = 5.1, "radius_px";
    case 36:
        return world->sum.view_y_px = 5.1, "view_x_px";
    case 37: /* 257 sizes, as they are counted */
        return world->matching.step_px = 4.0 / (256.0 - 1e-7), "step_px";
    default:
        return NULL;
    }
}

static const char *spoil_gaze(struct world *world, int row)
{
    switch (row) {
    case 38:
        return world->foveation.gaze.x_uv = NAN, "foveation.gaze";
    case 39:
        return world->foveation.full_px = 1.0, "foveation.full_px and foveation.next_px";
    case 40:
        return world->rendering.foveation = &world->foveation, world->rendering.view_y_px = 1.0,
               "view_y_px";
    case 41:
        return world->matching.foveation = &world->foveation, world->matching.box = 1, "box";
    case 42:
        return world->refocusing.last_px = 1.0, "first_px and last_px";
    case 43:
        return world->refocusing.elapsed_s = -1.0, "elapsed_s";
    case 44:
        return world->refocusing.focus_hysteresis_px = NAN, "focus_hysteresis_px";
    case 45:
        return world->refocusing.window_px = 64, "window_px";
    case 46:
        return world->refocusing.focus = &world->depth, "focus is 20x15";
    case 47: /* 0 steps of it are no number */
        return world->matching.step_px = INFINITY, "step_px";
    default:
        return NULL;
    }
}

/* Spoils what the row says, and returns words that are said of it. */
static const char *spoil(struct world *world, int row)
{
    const char *words = spoil_given(world, row);
    words = words ? words : spoil_asked(world, row);
    return words ? words : spoil_gaze(world, row);
}

/* Everything that takes part of it, the first failure: its result. */
static enum fovea_result run(struct world *world)
{
    struct fovea_lightfield *field = NULL;
    struct fovea_lightfield_desc desc;
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &world->geometry;
    desc.cpu_threads = 1;
    desc.log = ears;
    world->rendering.patches = &world->patches;
    world->refocusing.foveation = &world->foveation;
    enum fovea_result result = fovea_lightfield_create(&desc, &field);
    if (result == FOVEA_OK) {
        result = fovea_lightfield_render(field, &world->raw, &world->rendering, &world->dst, NULL);
    }
    if (result == FOVEA_OK) {
        result =
            fovea_lightfield_depth(field, &world->raw, &world->matching, &world->depth, NULL, NULL);
    }
    if (result == FOVEA_OK) {
        result = fovea_lightfield_sum_views(field, &world->raw, &world->sum, &world->dst, NULL);
    }
    if (result == FOVEA_OK) {
        result =
            fovea_lightfield_refocus(field, &world->raw, &world->refocusing, &world->dst, NULL);
    }
    fovea_lightfield_destroy(&field);
    return result;
}

TEST(what_is_wrong_is_named)
{
    (void)state;
    struct world fine = good();
    assert_ok(run(&fine));
    fine.dst.format = FOVEA_FORMAT_R16;
    assert_int_equal(run(&fine), FOVEA_ERROR_UNSUPPORTED);
    for (int row = 0;; row++) {
        struct world world = good();
        said[0] = '\0';
        const char *words = spoil(&world, row);
        if (!words) {
            break;
        }
        const enum fovea_result result = run(&world);
        assert_that(result == FOVEA_ERROR_INVALID_ARGUMENT && strstr(said, words), "%s: %s, '%s'",
                    words, fovea_result_name(result), said);
    }
}

TEST(files_are_read_as_they_were_written_and_wrong_ones_are_refused)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"{\"raw\": [40, 30], \"lenses\": [4, 3], \"pitch\": [10, 10]}", "\"fovea-lightfield\""},
        {"{\"fovea-lightfield\": 2}", "1:23"},
        {"{\"fovea-lightfield\": 1,\n\"lens\": 3}", "2:8"},
        {"{\"fovea-lightfield\": 1, \"raw\": [40.5, 30]}", "whole"},
        {"{\"fovea-lightfield\": 1, \"raw\": [40]}", "there must be 2"},
        {"{\"fovea-lightfield\": 1, \"rows\": \"round\"}", "hexagonal"},
        {"{\"fovea-lightfield\": 1, \"raw\": [40, 30], \"lenses\": [5, 3], \"pitch\": [10, 10]}",
         "columns"},
        {"{\"flip\": 1}", "true or false"},
        {"{\"optics\": {\"focal_length_mm\": 80}}", "main_to_array_mm"},
        {"{\"optics\": {\"image\": \"above\"}}", "behind"},
        {"", "expected"},
    };
    const char *path = test_text("/tmp/fovea-lightfield-%d.json", (int)getpid());
    struct world world = good();
    struct fovea_lightfield_geometry read;
    fovea_lightfield_geometry_init(&read);
    world.geometry.rotation_deg = 0.1234567;
    world.geometry.arrangement = FOVEA_LIGHTFIELD_ROWS_HEXAGONAL;
    world.geometry.columns = 3;
    world.geometry.flip = 1;
    world.geometry.focal_length_m = 0.08;
    world.geometry.main_to_array_m = 0.105;
    world.geometry.array_to_sensor_m = 0.00198;
    world.geometry.image_behind = 1;
    assert_ok(fovea_lightfield_geometry_write(path, &ears, &world.geometry));
    assert_ok(fovea_lightfield_geometry_read(path, &ears, &read));
    assert_memory_equal(&read, &world.geometry, sizeof read);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_true(file && fputs(wrong[i][0], file) >= 0 && fclose(file) == 0);
        assert_int_equal(fovea_lightfield_geometry_read(path, &ears, &read), FOVEA_ERROR_CONFIG);
        assert_that(strstr(said, wrong[i][1]) != NULL, "%s: '%s'", wrong[i][0], said);
    }
    assert_int_equal(truncate(path, 2049), 0);
    assert_int_equal(fovea_lightfield_geometry_read(path, &ears, &read), FOVEA_ERROR_IO);
    assert_non_null(strstr(said, "it is larger than 2048 bytes"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(fovea_lightfield_geometry_read(path, &ears, &read), FOVEA_ERROR_IO);
    assert_int_equal(mkfifo(path, 0600), 0); /* which nobody writes to */
    assert_int_equal(fovea_lightfield_geometry_read(path, &ears, &read), FOVEA_ERROR_IO);
    assert_int_equal(unlink(path), 0);
}
