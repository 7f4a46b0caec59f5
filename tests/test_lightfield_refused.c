/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields that cannot be: an error that names the field, and no picture. */

#include "recorded.h"

#include "fovea_lightfield.h"

#include <sys/stat.h>

static char said[RECORDED_WORDS];
static const struct fovea_log ears = {recorded_words, said, FOVEA_LOG_WARNING};

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

/* It is the row that is asked for where as many were before it. */
#define SPOIL(change, words)                                                                       \
    if (row-- == 0) {                                                                              \
        change;                                                                                    \
        return words;                                                                              \
    }

/* Spoils what the row says, and returns words that are said of it; NULL: there is no such row. */
static const char *spoil(struct world *world, int row)
{
    struct fovea_lightfield_geometry *geometry = &world->geometry;
    struct fovea_lightfield_raw *raw = &world->raw;
    struct fovea_lightfield_rendering *rendering = &world->rendering;
    struct fovea_lightfield_matching *matching = &world->matching;
    struct fovea_lightfield_refocusing *refocusing = &world->refocusing;
    SPOIL(geometry->raw_width_px = 7, "raw_width_px")
    SPOIL(geometry->raw_height_px = 16385, "raw_height_px")
    SPOIL(geometry->columns = 0, "columns")
    SPOIL(geometry->columns = 5, "lens in column 4")
    SPOIL(geometry->rows = 4, "lens in column 0 of row 3")
    SPOIL(geometry->arrangement = (enum fovea_lightfield_rows)2, "arrangement")
    SPOIL(geometry->flip = 2, "flip")
    SPOIL(geometry->pitch_x_px = 1.0, "pitch_x_px")
    SPOIL(geometry->pitch_y_px = NAN, "pitch_y_px")
    SPOIL(geometry->origin_x_px = -1.0, "origin_x_px")
    SPOIL(geometry->rotation_deg = 46.0, "rotation_deg")
    SPOIL(raw->width_px = 39, "raw.width_px")
    SPOIL(raw->data = NULL, "raw.data")
    SPOIL(raw->format = (enum fovea_lightfield_format)7, "raw.format")
    SPOIL(raw->bayer = (enum fovea_lightfield_bayer)5, "raw.bayer")
    SPOIL(raw->maximum = 65536, "raw.maximum")
    SPOIL(raw->format = FOVEA_LIGHTFIELD_FORMAT_R8; raw->maximum = 100, "raw.maximum")
    SPOIL(raw->row_stride_bytes = 79, "raw.row_stride_bytes")
    SPOIL(world->depth.memory = FOVEA_MEMORY_CUDA, "CUDA")
    SPOIL(raw->bayer = FOVEA_LIGHTFIELD_BAYER_RGGB, "dst.format")
    SPOIL(rendering->patch_px = 0.9, "patch_px")
    SPOIL(rendering->patch_px = 10.1, "patch_px")
    SPOIL(rendering->range = 6, "range")
    SPOIL(rendering->filter = (enum fovea_lightfield_filter)2, "filter")
    SPOIL(rendering->sigma_px = 0.1, "sigma_px")
    SPOIL(rendering->view_x_px = -5.1, "view_x_px")
    SPOIL(world->patches.width_px = 19, "patches")
    SPOIL(world->patches.format = FOVEA_FORMAT_R16F, "patches.format")
    SPOIL(matching->first_px = 7.0, "first_px")
    SPOIL(matching->step_px = 0.0, "step_px")
    SPOIL(matching->step_px = 0.01, "step_px")
    SPOIL(matching->range = 0, "range")
    SPOIL(matching->box = 2, "box")
    SPOIL(world->depth.format = FOVEA_FORMAT_R16F, "depth.format")
    SPOIL(world->sum.shift = NAN, "shift")
    SPOIL(world->sum.radius_px = 5.1, "radius_px")
    SPOIL(world->sum.view_y_px = 5.1, "view_x_px")
    /* 257 sizes, as they are counted */
    SPOIL(matching->step_px = 4.0 / (256.0 - 1e-7), "step_px")
    SPOIL(world->foveation.gaze.x_uv = NAN, "foveation.gaze")
    SPOIL(world->foveation.full_px = 1.0, "foveation.full_px and foveation.next_px")
    SPOIL(rendering->foveation = &world->foveation; rendering->view_y_px = 1.0, "view_y_px")
    SPOIL(matching->foveation = &world->foveation; matching->box = 1, "box")
    SPOIL(refocusing->last_px = 1.0, "first_px and last_px")
    SPOIL(refocusing->elapsed_s = -1.0, "elapsed_s")
    SPOIL(refocusing->focus_hysteresis_px = NAN, "focus_hysteresis_px")
    SPOIL(refocusing->window_px = 64, "window_px")
    SPOIL(refocusing->focus = &world->depth, "focus is 20x15")
    /* 0 steps of it are no number */
    SPOIL(matching->step_px = INFINITY, "step_px")
    return NULL;
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
