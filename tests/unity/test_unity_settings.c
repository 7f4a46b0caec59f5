/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings that scripts change while frames run in Unity's place (host.h): all that may fail, wait
 * or take long happens where they are set, and no frame sees any of it. */

#include "clock.h"
#include "cmocka_all.h"
#include "png_file.h"
#include "rig.h"
#include "scene.h"

#include "kernels/foveate/model/map.h"

#include <stdatomic.h>

#define MAP_SIDE 64
#define SCANPATH_LINES 300000

static char folder[64];

static void write_map(const char *path)
{
    uint16_t samples[MAP_SIDE * MAP_SIDE];
    size_t count = 0;
    for (size_t i = 0; i < MAP_SIDE * MAP_SIDE; i++) {
        samples[i] = (uint16_t)(i % MAP_SIDE * 4);
    }
    const struct png_picture picture = {
        .width = MAP_SIDE, .height = MAP_SIDE, .depth = 8, .channels = 1, .samples = samples};
    OWNED(owned_free) unsigned char *bytes = png_file_bytes(&picture, &count);
    png_file_write(path, bytes, count);
}

/* The answer to settings whose map is this file. */
static int32_t configure_map(struct scene *scene, const char *path, char *out_error, int bytes)
{
    char json[256];
    snprintf(
        json, sizeof json,
        "{\"foveation\": {\"model\": \"map\", \"map\": {\"kind\": \"file\", \"file\": \"%s\"}}}",
        path);
    return scene->host.plugin.configure(json, out_error, bytes);
}

TEST(settings_that_cannot_work_change_nothing)
{
    OWNED(scene_close) struct scene scene;
    char path[96];
    char text[64];
    scene_open(&scene, (struct host_options){0});
    snprintf(path, sizeof path, "%s/map.png", folder);
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    assert_true(scene_foveates(&scene, &block, false));
    for (int is_there = 0; is_there < 2; is_there++) {
        char error[512] = "";
        if (is_there) {
            png_file_write(path, "no picture", 10);
        }
        assert_true(configure_map(&scene, path, error, sizeof error) < 0);
        assert_non_null(strstr(error, path));
        assert_ok(scene.host.plugin.get("foveation.model", text, sizeof text));
        assert_string_not_equal(text, "map");
        assert_true(scene_foveates(&scene, &block, false));
        block.camera = 2; /* one that has had no settings before */
    }
    assert_int_equal(unlink(path), 0);
}

/* The file is gone before a frame could open it. */
TEST(no_frame_reads_a_maps_file)
{
    OWNED(scene_close) struct scene scene;
    char path[96];
    char error[512] = "";
    scene_open(&scene, (struct host_options){0});
    snprintf(path, sizeof path, "%s/map.png", folder);
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    write_map(path);
    assert_ok(configure_map(&scene, path, error, sizeof error));
    assert_true(scene_foveates(&scene, &block, false));
    assert_ok(scene.host.plugin.set("foveation.strength", "2", error, sizeof error));
    assert_int_equal(unlink(path), 0);
    assert_true(scene_foveates(&scene, &block, false));
    block.camera = 2;
    assert_true(scene_foveates(&scene, &block, false));
    assert_int_equal(scene_warnings(&scene, NULL, 0), 0);
}

/* ---- A map of a formula ---- */

static double evaluation_ms(void)
{
    static float values[FOVEATE_MAP_GENERATED_SIDE * FOVEATE_MAP_GENERATED_SIDE];
    const double start = busy_ms();
    foveate_map_generate(FOVEA_MAP_HUMAN, values);
    return busy_ms() - start;
}

/* The processor's time of the event that is a frame. */
static double frame_ms(struct scene *scene, struct fovea_unity_block *block)
{
    host_frame_begin(&scene->host);
    host_draw(&scene->host, &scene->texture, &scene->src.view);
    const double start = busy_ms();
    host_event(&scene->host, FOVEA_UNITY_RECORD, block);
    const double took = busy_ms() - start;
    host_frame_end(&scene->host);
    return took;
}

static void set_foveation(struct scene *scene, const char *setting, const char *value)
{
    char path[64];
    char error[512] = "";
    snprintf(path, sizeof path, "foveation.%s", setting);
    assert_ok(scene->host.plugin.set(path, value, error, sizeof error));
}

/* A frame that takes another formula is no slower than one that takes another strength. */
TEST(no_frame_evaluates_a_formula)
{
    OWNED(scene_close) struct scene scene;
    double least_formula = 1e9;
    double least_strength = 1e9;
    double least_evaluation = 1e9;
    scene_open(&scene, (struct host_options){0});
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    set_foveation(&scene, "map.kind", "streak");
    set_foveation(&scene, "model", "map");
    assert_true(scene_foveates(&scene, &block, false));
    for (int i = 0; i < 5; i++) {
        set_foveation(&scene, "map.kind", "streak"); /* far quicker to evaluate */
        (void)frame_ms(&scene, &block);
        set_foveation(&scene, "map.kind", "human");
        least_formula = fmin(least_formula, frame_ms(&scene, &block));
        set_foveation(&scene, "strength", i % 2 ? "1" : "2");
        least_strength = fmin(least_strength, frame_ms(&scene, &block));
        least_evaluation = fmin(least_evaluation, evaluation_ms());
    }
    print_message("formula %.3f ms, strength %.3f ms, evaluation %.3f ms\n", least_formula,
                  least_strength, least_evaluation);
    assert_true(least_formula < least_strength + 0.5 * least_evaluation);
    assert_true(scene_foveates(&scene, &block, false));
}

SCENE_TEST(a_camera_may_have_a_strength_of_its_own)
{
    struct fovea_unity_block own = host_block(&scene->texture, 0.1, 0.1);
    struct fovea_unity_block other = own;
    other.camera = own.camera + 1;
    own.flags |= FOVEA_UNITY_STRENGTH;
    for (int i = 0; i < 3; i++) {
        own.strength = i == 1 ? 2 : 0;
        assert_int_equal(scene_foveates(scene, &own, false), i == 1);
        assert_true(scene_foveates(scene, &other, false));
    }
    own.flags &= ~(uint32_t)FOVEA_UNITY_STRENGTH;
    assert_true(scene_foveates(scene, &own, false));
}

/* ---- The gaze's source ---- */

struct change {
    struct scene *scene;
    char path[96];
    atomic_bool done;
};

/* ---- Whose eye a picture is ---- */

#define PICTURE_BYTES ((size_t)4 * SCENE_WIDTH * SCENE_HEIGHT)

/* With the human map, which is another one for each eye. */
static void draw_eye(struct scene *scene, const char *setting, uint32_t flags, uint8_t *out_picture)
{
    struct fovea_unity_block block = host_block(&scene->texture, 0.5, 0.5);
    block.flags = flags;
    set_foveation(scene, "map.eye", setting);
    assert_true(scene_foveates(scene, &block, false));
    memcpy(out_picture, scene->dst.view.data, PICTURE_BYTES);
}

/* The layers of one texture; the settings' eye is no single-pass eye's. */
static void draw_layers(struct scene *scene, uint8_t *out_pictures)
{
    struct host_texture texture =
        host_texture_create(&scene->host, VK_FORMAT_R8G8B8A8_UNORM, SCENE_WIDTH, SCENE_HEIGHT, 2);
    OWNED_IMAGE both = image_make_packed(SCENE_WIDTH, 2 * SCENE_HEIGHT, FOVEA_FORMAT_RGBA8);
    struct fovea_unity_block block = host_block(&texture, 0.5, 0.5);
    block.camera = 2;
    block.eyes = 2;
    block.eye[1] = block.eye[0];
    set_foveation(scene, "map.eye", "both");
    memcpy(both.view.data, scene->src.view.data, PICTURE_BYTES);
    memcpy((uint8_t *)both.view.data + PICTURE_BYTES, scene->src.view.data, PICTURE_BYTES);
    host_frame(&scene->host, &texture, &both.view, &block, false);
    host_read(&scene->host, &texture, &both.view);
    memcpy(out_pictures, both.view.data, 2 * PICTURE_BYTES);
    host_texture_destroy(&scene->host, &texture);
}

SCENE_TEST(an_eyes_picture_has_its_map)
{
    static uint8_t asked[3][PICTURE_BYTES]; /* by the settings: both, left, right */
    static uint8_t flagged[PICTURE_BYTES];
    static uint8_t layers[2][PICTURE_BYTES];
    static const char *const settings[] = {"both", "left", "right"};
    static const uint32_t flags[] = {0, FOVEA_UNITY_LEFT_EYE, FOVEA_UNITY_RIGHT_EYE};
    set_foveation(scene, "model", "map");
    set_foveation(scene, "strength", "4");
    for (int i = 0; i < 3; i++) {
        draw_eye(scene, settings[i], 0, asked[i]);
    }
    assert_memory_not_equal(asked[0], asked[1], PICTURE_BYTES);
    assert_memory_not_equal(asked[0], asked[2], PICTURE_BYTES);
    assert_memory_not_equal(asked[1], asked[2], PICTURE_BYTES);
    for (int i = 1; i < 3; i++) {
        draw_eye(scene, "both", flags[i], flagged);
        assert_memory_equal(flagged, asked[i], PICTURE_BYTES);
        draw_eye(scene, settings[3 - i], flags[i], flagged); /* the pass knows better */
        assert_memory_equal(flagged, asked[i], PICTURE_BYTES);
    }
    draw_layers(scene, layers[0]);
    assert_memory_equal(layers[0], asked[1], PICTURE_BYTES);
    assert_memory_equal(layers[1], asked[2], PICTURE_BYTES);
    assert_int_equal(scene_warnings(scene, NULL, 0), 0);
}

static void *open_scanpath(void *user)
{
    struct change *change = user;
    const char *json = test_text(
        "{\"gaze\": {\"source\": \"scanpath\", \"scanpath\": {\"file\": \"%s\"}}}", change->path);
    if (change->scene->host.plugin.configure(json, NULL, 0) == FOVEA_OK) {
        atomic_store(&change->done, true);
    }
    return NULL;
}

static void write_scanpath(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "t,x,y\n");
    for (int i = 0; i < SCANPATH_LINES; i++) {
        fprintf(file, "%.3f,0.1,0.1\n", i * 0.004);
    }
    assert_int_equal(fclose(file), 0);
}

/* By Unity's queue and by its commands, whose frames are over when it says so. */
TEST(a_source_that_looks_at_pictures_is_shown_a_cameras)
{
    for (int by_queue = 0; by_queue < 2; by_queue++) {
        OWNED(scene_close) struct scene scene;
        scene_open(&scene, (struct host_options){0});
        /* Validation may stand still for 10 s over the host's signals (docs/layer.md). */
        assert_ok(scene.host.plugin.set("backend", "vulkan", NULL, 0));
        assert_ok(scene.host.plugin.set("gaze.source", "saliency", NULL, 0));
        struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
        block.flags |= FOVEA_UNITY_GAZE_OF_SOURCE;
        char said[256] = "";
        for (int i = 0; i < 20000 && !strstr(said, "sees pictures"); i++) {
            (void)scene_foveates(&scene, &block, by_queue);
            (void)host_log(&scene.host, FOVEA_LOG_INFO, said, sizeof said);
        }
        assert_non_null(strstr(said, "sees pictures, 64x48 pixels"));
    }
}

TEST(the_gaze_stays_while_another_source_is_opened)
{
    OWNED(scene_close) struct scene scene;
    struct change change = {.scene = &scene};
    scene_open(&scene, (struct host_options){0});
    struct fovea_unity_block block = host_block(&scene.texture, 0.1, 0.1);
    block.flags |= FOVEA_UNITY_GAZE_OF_SOURCE;
    assert_true(scene_foveates(&scene, &block, false));
    snprintf(change.path, sizeof change.path, "%s/path.csv", folder);
    write_scanpath(change.path);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_scanpath, &change), 0);
    int without = 0;
    for (int i = 0; i < 20000 && !atomic_load(&change.done); i++) {
        without += scene_foveates(&scene, &block, false) ? 0 : 1;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&change.done));
    assert_int_equal(without, 0);
    assert_true(scene_foveates(&scene, &block, false));
    assert_int_equal(unlink(change.path), 0);
}

int main(int argc, char **argv)
{
    snprintf(folder, sizeof folder, "/tmp/fovea-unity-XXXXXX");
    if (!mkdtemp(folder)) {
        return EXIT_FAILURE;
    }
    const int result = rig_run_tests(argc, argv);
    (void)rmdir(folder); /* a test that fails leaves its file */
    return result;
}
