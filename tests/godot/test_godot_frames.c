/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Godot's extension in the host: every version of the engine, method and model against the
 * double-precision reference, two threads, and each method that may be missing. */

#include "cmocka_all.h"
#include "compare.h"
#include "host_internal.h"
#include "images.h"

#define ENTRY "fovea_godot_init"

/* An effect in a host, the settings that it should have, and what its frames are like. */
struct show {
    struct object *effect;
    struct fovea_settings settings;
    struct host_frame like;
};

static void expect_clean(const char *what)
{
    const struct host_counts counts = host_counts();
    if (counts.engine_errors + counts.extension_errors + counts.extension_warnings +
        counts.unexpected_lookups + counts.refused_hashes + counts.messages) {
        fail_msg("%s: %u messages of validation; console:\n%s", what, counts.messages,
                 host_console());
    }
}

static void set(struct show *show, const char *property, struct host_value value)
{
    if (!host_set(show->effect, property, value)) {
        fail_msg("there is no property %s", property);
    }
}

/* Both the effect's property and the reference's setting. */
static void set_both(struct show *show, const char *property, const char *path, const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    set(show, property,
        *end                              ? host_string(text)
        : strstr(property, "fragment_px") ? host_int((int64_t)number)
                                          : host_float(number));
    assert_int_equal(fovea_settings_set(&show->settings, path, text, (struct fovea_log){0}),
                     FOVEA_OK);
}

static struct show construct(void)
{
    struct show show = {.effect = host_construct("FoveaEffect"),
                        .settings = fovea_settings_default()};
    assert_non_null(show.effect);
    set_both(&show, "method", "foveation.method", "blockwise");
    set_both(&show, "paper_fragment_px", "foveation.paper.fragment_px", "16");
    set_both(&show, "geometry_ppd", "foveation.geometry.ppd", "10");
    set_both(&show, "physical_e2_deg", "foveation.physical.e2_deg", "0.3"); /* much blur soon */
    set(&show, "geometry_from_camera", host_bool(false));
    set(&show, "gaze_source", host_string("script"));
    set(&show, "gaze_valid", host_bool(true));
    return show;
}

static struct show open_show(const struct host_options *options)
{
    assert_true(host_open(options));
    assert_true(host_load(FOVEA_GODOT, ENTRY));
    return construct();
}

static void close_show(struct show *show)
{
    host_release(show->effect);
    host_unload();
    assert_int_equal(host_close(), 0);
}

static void look_at(struct show *show, double x_uv, double y_uv)
{
    set(show, "gaze_uv", host_vector2((float)x_uv, (float)y_uv));
}

/* ---- Pictures ---- */

struct pair {
    struct test_image src, dst; /* views below each other */
    uint32_t views;
};

static struct pair make_pair(uint32_t width_px, uint32_t height_px, uint32_t views, int pattern)
{
    struct pair pair = {.views = views};
    pair.src = image_make_packed(width_px, height_px * views, FOVEA_FORMAT_RGBA16F);
    pair.dst = image_make_packed(width_px, height_px * views, FOVEA_FORMAT_RGBA16F);
    image_draw(&pair.src.view, (enum image_pattern)pattern, width_px + 7 * height_px);
    return pair;
}

static void free_pair(struct pair *pair)
{
    image_free(&pair->src);
    image_free(&pair->dst);
}

static bool run(struct show *show, struct pair *pair)
{
    struct host_frame frame = show->like;
    frame.width_px = pair->src.view.width_px;
    frame.height_px = pair->src.view.height_px / pair->views;
    frame.views = pair->views;
    frame.pixels = pair->src.view.data;
    frame.out = pair->dst.view.data;
    return host_frame(show->effect, &frame);
}

static bool is_unchanged(const struct pair *pair)
{
    const struct fovea_image *src = &pair->src.view;
    return memcmp(src->data, pair->dst.view.data, 8 * (size_t)src->width_px * src->height_px) == 0;
}

static struct fovea_image view_of(const struct fovea_image *all, uint32_t view, uint32_t views)
{
    struct fovea_image part = *all;
    part.height_px = all->height_px / views;
    part.data = image_pixel(all, 0, view * part.height_px);
    return part;
}

/* One view's picture against the reference. */
static void expect_reference(const struct show *show, const struct pair *pair, uint32_t view,
                             double x_uv, double y_uv, const char *what)
{
    const struct fovea_foveation *foveation = &show->settings.foveation;
    const struct fovea_image src = view_of(&pair->src.view, view, pair->views);
    const struct fovea_image dst = view_of(&pair->dst.view, view, pair->views);
    struct gauss_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(foveation, src.width_px, src.height_px, &plan), FOVEA_OK);
    const struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){x_uv, y_uv});
    foveate_plan_destroy(&plan);
    OWNED(owned_free) double *expected = compare_expected(foveation, &src, &frame);
    compare_assert_close(&dst, expected, compare_budget_for(foveation, src.format), what);
}

static void check(struct show *show, uint32_t width_px, uint32_t height_px, int pattern,
                  double x_uv, double y_uv)
{
    char what[96];
    snprintf(what, sizeof what, "%ux%u, model %d, method %d, pattern %d, gaze %.3f %.3f", width_px,
             height_px, (int)show->settings.foveation.model, (int)show->settings.foveation.method,
             pattern, x_uv, y_uv);
    OWNED(free_pair) struct pair pair = make_pair(width_px, height_px, 1, pattern);
    look_at(show, x_uv, y_uv);
    assert_true(run(show, &pair));
    expect_clean(what);
    assert_that(width_px * height_px < 2000 || !is_unchanged(&pair), "%s: unchanged", what);
    expect_reference(show, &pair, 0, x_uv, y_uv, what);
}

TEST(every_version_of_the_engine_gets_the_reference)
{
    for (uint32_t minor = 4; minor <= 7; minor++) {
        OWNED(close_show) struct show show = open_show(&(struct host_options){.minor = minor});
        expect_clean("loading");
        check(&show, 97, 61, IMAGE_RANDOM, 0.25, 0.75);
        check(&show, 97, 61, IMAGE_PHOTO, 0.5, 0.5);
    }
}

TEST(every_method_and_model_is_the_reference)
{
    static const char *const methods[] = {"blockwise", "smooth"};
    static const char *const models[] = {"paper", "physical", "map"};
    OWNED(close_show) struct show show = open_show(&(struct host_options){0});
    for (int i = 0; i < 6; i++) {
        set_both(&show, "method", "foveation.method", methods[i / 3]);
        set_both(&show, "model", "foveation.model", models[i % 3]);
        check(&show, 131, 83, IMAGE_RANDOM, 0.5, 0.5);
        check(&show, 131, 83, IMAGE_STROKES, 0, 1);
        set_both(&show, "strength", "foveation.strength", "0.5");
        check(&show, 64, 40, IMAGE_PHOTO, 0.75, 0.25);
        set_both(&show, "strength", "foveation.strength", "1");
    }
}

TEST(sizes_and_viewports_follow_each_frame_on_the_render_thread)
{
    static const uint32_t sizes[][2] = {{97, 61}, {16, 9}, {97, 61}, {1, 1}, {33, 64}, {200, 3}};
    OWNED(close_show) struct show show = open_show(&(struct host_options){.render_thread = true});
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        show.like.msaa = i % 2 == 1;
        for (show.like.viewport = 0; show.like.viewport < 3; show.like.viewport++) {
            check(&show, sizes[i][0], sizes[i][1], IMAGE_RANDOM, 0.25, 0.5);
            check(&show, sizes[i][0], sizes[i][1], IMAGE_CHECKER, 0.75, 0.5);
        }
    }
    host_frame(show.effect, &(struct host_frame){0}); /* no size yet */
    expect_clean("no size");
    check(&show, 97, 61, IMAGE_RANDOM, 0.25, 0.75);
}

/* One of two views, which has its eye's map. */
static void expect_eye(struct show *show, const struct pair *pair, uint32_t view, double x_uv,
                       double y_uv, const char *what)
{
    enum fovea_map_eye *eye = &show->settings.foveation.map.eye;
    *eye = view == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT;
    expect_reference(show, pair, view, x_uv, y_uv, what);
    *eye = FOVEA_MAP_EYE_BOTH;
}

static void expect_two_eyes(struct show *show)
{
    OWNED(free_pair) struct pair pair = make_pair(90, 50, 2, IMAGE_RANDOM);
    set(show, "gaze_per_eye", host_bool(false));
    look_at(show, 0.5, 0.25);
    assert_true(run(show, &pair));
    expect_eye(show, &pair, 0, 0.5, 0.25, "left, one gaze");
    expect_eye(show, &pair, 1, 0.5, 0.25, "right, one gaze");
    set(show, "gaze_per_eye", host_bool(true));
    set(show, "gaze_uv_left", host_vector2(0.25f, 0.5f));
    set(show, "gaze_uv_right", host_vector2(0.75f, 0.125f));
    assert_true(run(show, &pair));
    expect_eye(show, &pair, 0, 0.25, 0.5, "left");
    expect_eye(show, &pair, 1, 0.75, 0.125, "right");
    expect_clean("two views");
}

TEST(each_eye_has_a_gaze)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){.render_thread = true});
    expect_two_eyes(&show);
    check(&show, 90, 50, IMAGE_RANDOM, 0.25, 0.5); /* one view again: the left eye's */
}

TEST(each_eye_has_a_map)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){.render_thread = true});
    set_both(&show, "model", "foveation.model", "map");
    expect_two_eyes(&show);
    check(&show, 90, 50, IMAGE_RANDOM, 0.25, 0.5); /* one view again: that of both eyes */
}

/* A telescopic sight, of few degrees, of which steps of a fixed size would be a large part; and a
 * wide view, whose axis may lie beside its middle, as in a headset. */
TEST(the_camera_gives_the_view_its_angles)
{
    static const struct {
        double fov_y_deg, beside; /* tangents of the axis */
    } cameras[] = {{3.3, 0}, {90, 0}, {90, 0.5}};
    OWNED(close_show) struct show show = open_show(&(struct host_options){0});
    OWNED(free_pair) struct pair pair = make_pair(120, 60, 1, IMAGE_PHOTO);
    set_both(&show, "model", "foveation.model", "physical");
    set(&show, "geometry_from_camera", host_bool(true));
    look_at(&show, 0.25, 0.5);
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        const double up = tan(cameras[i].fov_y_deg / 2 * 3.14159265358979 / 180);
        const double beside = cameras[i].beside;
        show.settings.foveation.geometry = (struct fovea_geometry){.tan_left = 2 * up - beside,
                                                                   .tan_right = 2 * up + beside,
                                                                   .tan_up = up + beside,
                                                                   .tan_down = up - beside};
        show.like = (struct host_frame){
            .fov_y_deg = cameras[i].fov_y_deg, .up_tan = beside, .right_tan = beside};
        assert_true(run(&show, &pair));
        assert_false(is_unchanged(&pair));
        expect_reference(&show, &pair, 0, 0.25, 0.5, test_text("camera %zu", i));
    }
    expect_clean("camera");
}

/* Otherwise nobody would know that the effect's own barriers are enough. */
TEST(missing_barriers_are_seen_by_validation)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){.no_barriers = true});
    OWNED(free_pair) struct pair pair = make_pair(64, 48, 1, IMAGE_RANDOM);
    set_both(&show, "method", "foveation.method", "smooth");
    assert_true(run(&show, &pair));
    assert_true(host_counts().messages > 0 || !host_counts().validates);
    host_clear();
}

/* ---- What the engine and its scripts do ---- */

TEST(a_disabled_effect_changes_nothing)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){0});
    OWNED(free_pair) struct pair pair = make_pair(64, 48, 1, IMAGE_RANDOM);
    host_enable(show.effect, false);
    assert_false(run(&show, &pair));
    assert_true(is_unchanged(&pair));
    host_enable(show.effect, true);
    assert_true(run(&show, &pair));
    assert_false(is_unchanged(&pair));
    set(&show, "strength", host_float(0));
    assert_true(run(&show, &pair));
    assert_true(is_unchanged(&pair));
    expect_clean("off");
}

static void expect_command(const char *command, const char *expected)
{
    char text[2048];
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(text, expected);
}

/* The size, the gazes of both views, and whether the frame was foveated. */
TEST(frames_are_recorded_where_a_file_is_named)
{
    char folder[] = "/tmp/fovea-godot-XXXXXX";
    char name[64];
    char command[256];
    assert_non_null(mkdtemp(folder));
    struct show show = open_show(&(struct host_options){0});
    struct pair pair = make_pair(80, 50, 2, IMAGE_RANDOM);
    snprintf(name, sizeof name, "%s/no such folder/a", folder);
    set(&show, "record_file", host_string(name));
    look_at(&show, 0.25, 0.5);
    assert_true(run(&show, &pair));
    assert_int_equal(host_counts().extension_errors, 1);
    assert_true(host_said("no such folder"));
    host_clear();
    snprintf(name, sizeof name, "%s/sub-01", folder);
    set(&show, "record_file", host_string(name));
    assert_string_equal(host_get(show.effect, "record_file").s, name);
    assert_true(run(&show, &pair));
    set(&show, "strength", host_float(2)); /* other settings from here on */
    set(&show, "gaze_per_eye", host_bool(true));
    set(&show, "gaze_uv_left", host_vector2(0.5f, 0.25f));
    set(&show, "gaze_uv_right", host_vector2(0.75f, 0.125f));
    assert_true(run(&show, &pair));
    set(&show, "record_file", host_string(""));
    assert_true(run(&show, &pair));
    expect_clean("a record");
    snprintf(command, sizeof command, "gunzip -c %s_run-1_*physio.tsv.gz | cut -f 2-9,17,18,20,21",
             name);
    expect_command(command, "20\t25\t1\t0.25\t0.5\t0.25\t0.5\t0\t1\t0\t1\tn/a\n"
                            "40\t12.5\t2\t0.5\t0.25\t0.75\t0.125\t0\t1\t0\t2\tn/a\n");
    free_pair(&pair);
    close_show(&show);
    snprintf(command, sizeof command, "ls %s | wc -l; rm -r %s", folder, folder);
    expect_command(command, "4\n");
}

struct setter {
    struct object *effect;
    bool stop;
};

TEST(words_that_are_not_listed_are_answered_with_the_list)
{
    static const char *const words[] = {"",        "mouse",   "scrip",
                                        "scripts", "script,", "no such source"};
    OWNED(close_show) struct show show = open_show(&(struct host_options){.headless = true});
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        host_clear();
        set(&show, "gaze_source", host_string(words[i]));
        assert_int_equal(host_counts().extension_errors, 1);
        if (!host_said("it must be one of fixed,script,scanpath,saccades,udp")) {
            fail_msg("%s: %s", words[i], host_console());
        }
        assert_string_equal(host_get(show.effect, "gaze_source").s, "script");
    }
}

static void *set_forever(void *user)
{
    struct setter *setter = user;
    for (int i = 0; !__atomic_load_n(&setter->stop, __ATOMIC_ACQUIRE); i++) {
        host_set(setter->effect, "gaze_uv", host_vector2((float)(i % 16) / 16, 0.5f));
        host_set(setter->effect, "strength", host_float(i % 2 ? 0.5 : 1));
    }
    return NULL;
}

TEST(another_thread_sets_properties_while_frames_run)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){.render_thread = true});
    struct pair pair = make_pair(48, 32, 1, IMAGE_RANDOM);
    struct setter setter = {show.effect, false};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, set_forever, &setter), 0);
    for (int i = 0; i < 20; i++) {
        assert_true(run(&show, &pair));
        assert_false(is_unchanged(&pair));
    }
    __atomic_store_n(&setter.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    expect_clean("threads");
    set_both(&show, "strength", "foveation.strength", "1");
    free_pair(&pair);
    check(&show, 48, 32, IMAGE_RANDOM, 0.25, 0.5);
}

/* ---- Where it cannot work ---- */

/* The engine's own message is one for each lookup, and there is no other misuse. */
static void expect_told(const char *method, bool otherwise)
{
    const struct host_counts counts = host_counts();
    const bool told = counts.extension_errors > 0 && host_said(method);
    if (counts.messages || counts.engine_errors != counts.refused_hashes || (!told && !otherwise)) {
        fail_msg("%s: console:\n%s", method, host_console());
    }
}

/* Frames without a method that it loads without. */
static void run_without(const char *method)
{
    OWNED(close_show) struct show show = open_show(&(struct host_options){.refused = method});
    struct pair pair = make_pair(48, 32, 1, IMAGE_RANDOM);
    bool foveated = false;
    for (int i = 0; i < 2; i++) {
        foveated = run(&show, &pair) && !is_unchanged(&pair);
    }
    free_pair(&pair);
    expect_told(method, foveated);
}

/* How often the method was looked up. Most show in a host without a device, which opens at once. */
static uint32_t try_without(const char *method)
{
    assert_true(host_open(&(struct host_options){.refused = method, .headless = true}));
    const bool loaded = host_load(FOVEA_GODOT, ENTRY);
    struct object *effect = loaded ? host_construct("FoveaEffect") : NULL;
    const uint32_t lookups = host_counts().refused_hashes;
    if (effect) {
        host_release(effect);
    }
    host_unload();
    expect_told(method, effect);
    assert_int_equal(host_close(), 0);
    if (effect && lookups > 0) {
        run_without(method);
    }
    return lookups;
}

/* Whatever the engine lacks is named, or not needed, and nothing breaks or is left. */
TEST(every_method_may_be_missing)
{
    uint32_t lookups = 0;
    for (uint32_t i = 0; i < method_row_count; i++) {
        char method[128];
        snprintf(method, sizeof method, "%s.%s", method_rows[i].class_name, method_rows[i].name);
        lookups += try_without(method);
    }
    assert_true(lookups >= 40);
}
