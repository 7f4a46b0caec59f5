/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_settings_check: settings that a program has filled in itself. */
#include "test_config_support.h"

#include "config/key.h"
#include "config/value.h"

#define CURVE_STEP_DEG (180.0 / (FOVEA_CURVE_MAX - 1))

static void assert_wrong(const struct fovea_settings *settings, const char *message)
{
    struct recorded recorded = {0};
    assert_result(fovea_settings_check(settings, recorded_log(&recorded)),
                  FOVEA_ERROR_INVALID_ARGUMENT);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], message);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
}

static void assert_right(const struct fovea_settings *settings)
{
    struct recorded recorded = {0};
    enum fovea_result result = fovea_settings_check(settings, recorded_log(&recorded));
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
}

TEST(the_defaults_are_right)
{
    struct fovea_settings settings = fovea_settings_default();
    assert_right(&settings);
    struct fovea_log silent = {0};
    assert_result(fovea_settings_check(&settings, silent), FOVEA_OK);
}

TEST(null_is_wrong)
{
    assert_wrong(NULL, "settings is NULL");
    struct fovea_log silent = {0};
    assert_result(fovea_settings_check(NULL, silent), FOVEA_ERROR_INVALID_ARGUMENT);
}

/* The defaults with what the last arguments do to them. */
#define WRONG(message, ...)                                                                        \
    do {                                                                                           \
        struct fovea_settings settings = fovea_settings_default();                                 \
        __VA_ARGS__;                                                                               \
        assert_wrong(&settings, message);                                                          \
    } while (0)

TEST(the_wrong_setting_is_named)
{
    WRONG("foveation.paper.fragment_px is 3; it must be 4 to 128",
          settings.foveation.paper.fragment_px = 3);
    WRONG("foveation.paper.ct0 is 1; it must be above 0, below 1",
          settings.foveation.paper.ct0 = 1);
    WRONG("foveation.strength is nan; it must be 0 to 8", settings.foveation.strength = NAN);
    WRONG("gaze.fixed.y is inf; it must be -1000000 to 1000000",
          settings.gaze.fixed.y_uv = INFINITY);
    WRONG("backend is 7; it must be one of \"auto\", \"cuda\", \"vulkan\", \"cpu\"",
          settings.backend = (enum fovea_backend)7);
    WRONG("foveation.transfer is 3; it must be a number of enum fovea_transfer",
          settings.foveation.transfer = (enum fovea_transfer)3);
    WRONG("gaze.screen_px is [0, 70000]; it must be 0 to 65536",
          settings.gaze.screen_px[1] = 70000);
    WRONG("gaze.udp.bind is \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"; "
          "it must be at most 63 bytes",
          memset(settings.gaze.udp_bind, 'x', sizeof settings.gaze.udp_bind));
    WRONG("overlay.hud is not a bool; it must be true or false",
          memset(&settings.overlay.hud, 0x55, sizeof settings.overlay.hud));
    WRONG("layer.keys.hud is \"Shift_R+F99\"; it must be 1 to 4 names of keys with + between them, "
          "such as \"Shift_R+F2\", or \"\"",
          strcpy(settings.layer.keys.hud, "Shift_R+F99"));
    WRONG("layer.keys.toggle and layer.keys.hud are both F2+Shift_R; give one of them other keys, "
          "or \"\"",
          strcpy(settings.layer.keys.hud, "F2+Shift_R"));
    struct fovea_settings settings = fovea_settings_default();
    memset(settings.layer.keys.hud, 'x', sizeof settings.layer.keys.hud);
    assert_false(fovea_settings_check(&settings, (struct fovea_log){0}) == FOVEA_OK);
}

TEST(wrong_curves_are_named)
{
    static const char must[] = "; it must be 1 to 32 points [degrees, cycles per degree]; degrees "
                               "rise from 0 or more to 180 or less, cycles are 0.01 to 1000";
    static const struct {
        struct fovea_curve curve;
        uint32_t wrong_point;
    } cases[] = {
        {{1, {0}, {0}}, 1},
        {{1, {0}, {-1}}, 1},
        {{1, {0}, {1e-9}}, 1},
        {{1, {0}, {1001}}, 1},
        {{1, {-0.1}, {1}}, 1},
        {{1, {NAN}, {1}}, 1},
        {{1, {0}, {NAN}}, 1},
        {{2, {0, 180.1}, {2, 1}}, 2},
        {{2, {0, INFINITY}, {2, 1}}, 2},
        {{3, {0, 10, 10}, {3, 2, 1}}, 3},
        {{3, {0, 10, 5}, {3, 2, 1}}, 3},
        {{33, {0}, {1}}, 2},
        {{UINT32_MAX, {0}, {1}}, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("case %zu\n", i);
        struct fovea_settings settings = fovea_settings_default();
        settings.foveation.curve = cases[i].curve;
        assert_wrong(&settings, test_text("foveation.curve is wrong at point %u%s",
                                          cases[i].wrong_point, must));
    }
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.curve.count = 0;
    assert_wrong(&settings, test_text("foveation.curve is without points%s", must));
}

TEST(a_full_curve_is_right_and_one_more_point_is_wrong)
{
    struct fovea_settings settings = fovea_settings_default();
    struct fovea_curve *curve = &settings.foveation.curve;
    curve->count = FOVEA_CURVE_MAX;
    for (uint32_t i = 0; i < FOVEA_CURVE_MAX; i++) {
        curve->eccentricity_deg[i] = i * CURVE_STEP_DEG;
        curve->cutoff_cpd[i] = i % 2 ? 0.01 : 1000; /* need not fall */
    }
    assert_right(&settings);
    curve->count = FOVEA_CURVE_MAX + 1;
    struct fovea_log silent = {0};
    assert_result(fovea_settings_check(&settings, silent), FOVEA_ERROR_INVALID_ARGUMENT);
}

TEST(wrong_displays_are_named)
{
    static const char must[] = "it must be 2 to 1024 numbers, 0 or more, that do not fall and do "
                               "rise; or the name of a file of them; or \"\"";
    static const struct {
        uint32_t count;
        float table[3];
        uint32_t wrong;
    } cases[] = {{1, {1}, 1},           {2, {1, 1}, 2},
                 {2, {-0.1f, 1}, 1},    {3, {0, 2, 1.9f}, 3},
                 {2, {0, INFINITY}, 2}, {3, {0, NAN, 1}, 2},
                 {1025, {0, 1, 2}, 4},  {UINT32_MAX, {0, 1, 2}, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("case %zu\n", i);
        struct fovea_settings settings = fovea_settings_default();
        settings.foveation.display.table_count = cases[i].count;
        memcpy(settings.foveation.display.table, cases[i].table, sizeof cases[i].table);
        assert_wrong(&settings, test_text("foveation.display.table is wrong at number %u; %s",
                                          cases[i].wrong, must));
    }
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.light = FOVEA_LIGHT_TABLE;
    assert_wrong(&settings, "foveation.light is \"table\" and there is no foveation.display.table");
    settings.foveation.display.table_count = FOVEA_DISPLAY_MAX;
    settings.foveation.display.table[FOVEA_DISPLAY_MAX - 1] = 100;
    assert_right(&settings);
    settings.foveation.display.gamma = 3.01;
    assert_wrong(&settings, "foveation.display.gamma is 3.01; it must be 0 or 1 to 3");
}

TEST(geometries_that_are_no_view_are_wrong)
{
    static const struct {
        struct fovea_geometry geometry;
        const char *message; /* NULL: right */
    } cases[] = {
        {{1, 1, 1, 1, 0, 0.53, 0.6}, NULL},
        {{-0.2, 0.5, 1, -0.7, 0, 0.53, 0.6}, NULL},
        {{1e-9, 1, 1, 1, 0, 0.53, 0.6}, NULL},
        {{0, 0, 0, 0, 1, 0.53, 0.6}, NULL},
        {{1, 1, 1, 0, 0, 0.53, 0.6},
         "foveation.geometry.tan_down is 0 and others are not; give all four tangents or none "
         "(1e-9 "
         "is an edge on the view axis)"},
        {{0, 1, 1, 1, 0, 0.53, 0.6},
         "foveation.geometry.tan_left is 0 and others are not; give all four tangents or none "
         "(1e-9 "
         "is an edge on the view axis)"},
        {{1, -1, 1, 1, 0, 0.53, 0.6},
         "foveation.geometry: tan_left + tan_right is 0; it must be at least 0.001"},
        {{-1, 0.5, 1, 1, 0, 0.53, 0.6},
         "foveation.geometry: tan_left + tan_right is -0.5; it must be at least 0.001"},
        {{1, 1, 0.5, -0.4999, 0, 0.53, 0.6},
         "foveation.geometry: tan_up + tan_down is 0.0001; it must be at least 0.001"},
        {{1, 1, 1, 101, 0, 0.53, 0.6},
         "foveation.geometry.tan_down is 101; it must be -100 to 100"},
        {{0, 0, 0, 0, 0.5, 0.53, 0.6}, "foveation.geometry.ppd is 0.5; it must be 0 or 1 to 1000"},
        {{0, 0, 0, 0, -60, 0.53, 0.6}, "foveation.geometry.ppd is -60; it must be 0 or 1 to 1000"},
        {{0, 0, 0, 0, 0, 0, 0.6}, "foveation.geometry.screen_width_m is 0; it must be 0.01 to 100"},
        {{0, 0, 0, 0, 0, 0.53, -1}, "foveation.geometry.distance_m is -1; it must be 0.01 to 100"},
        {{0, 0, 0, 0, 0, 100, 0.5}, NULL}, /* just as wide as it may be */
        {{0, 0, 0, 0, 0, 100, 0.01},
         "foveation.geometry.screen_width_m is 100 and foveation.geometry.distance_m is 0.01; the "
         "width must be at most 200 times the distance"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("case %zu\n", i);
        struct fovea_settings settings = fovea_settings_default();
        settings.foveation.geometry = cases[i].geometry;
        if (cases[i].message) {
            assert_wrong(&settings, cases[i].message);
        } else {
            assert_right(&settings);
        }
    }
}

TEST(an_eye_that_sees_nothing_is_wrong)
{
    WRONG("foveation.physical.ct0 is 0.9 and foveation.physical.alpha is 10, a cutoff of 0.01054 "
          "cycles per degree at the gaze; it must be 0.1 to 1000",
          settings.foveation.physical.ct0 = 0.9;
          settings.foveation.physical.alpha = 10);
    WRONG("foveation.physical.ct0 is 1e-06 and foveation.physical.alpha is 0.005, a cutoff of 2763 "
          "cycles per degree at the gaze; it must be 0.1 to 1000",
          settings.foveation.physical.ct0 = 1e-6;
          settings.foveation.physical.alpha = 0.005);
}

static void set_number(struct fovea_settings *settings, const struct config_key *key, double value)
{
    unsigned char *member = (unsigned char *)settings + key->offset;
    if (key->type == CONFIG_DOUBLE) {
        memcpy(member, &value, sizeof value);
    } else {
        uint32_t u32 = (uint32_t)value;
        memcpy(member, &u32, sizeof u32);
    }
}

static double outside(const struct config_key *key, double bound, double direction)
{
    return key->type == CONFIG_DOUBLE ? nextafter(bound, direction)
                                      : bound + copysign(1, direction);
}

static void check_number(const struct config_key *key, double value, bool right)
{
    struct fovea_settings settings = fovea_settings_default();
    set_number(&settings, key, value);
    struct fovea_log silent = {0};
    print_message("%s = %.17g\n", key->path, value);
    struct config_words found;
    assert_int_equal(config_value_check(key, &settings, &found), right);
    /* One tangent alone is wrong whatever it is. */
    bool together = value == 0 || strncmp(key->path, "foveation.geometry.tan_", 23) != 0;
    assert_result(fovea_settings_check(&settings, silent),
                  right && together ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT);
}

TEST(ranges_end_where_they_say)
{
    size_t count = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->type != CONFIG_DOUBLE && key->type != CONFIG_U32) {
            continue;
        }
        count++;
        check_number(key, key->min, !key->min_excluded);
        check_number(key, key->max, !key->max_excluded);
        check_number(key, outside(key, key->max, INFINITY), false);
        if (key->type == CONFIG_DOUBLE || key->min > 0) {
            check_number(key, outside(key, key->min, -INFINITY), false);
        }
        if (key->type == CONFIG_DOUBLE) {
            check_number(key, nextafter(key->min, INFINITY), true);
            check_number(key, nextafter(key->max, -INFINITY), true);
            check_number(key, 0, key->or_zero || (key->min <= 0 && !key->min_excluded));
            check_number(key, NAN, false);
            check_number(key, INFINITY, false);
            check_number(key, -INFINITY, false);
        }
    }
    assert_in_range(count, 20, 200);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static struct fovea_settings array_settings(float values[6])
{
    static const float good[6] = {1, 2, 3, 4, 5, 0};
    memcpy(values, good, sizeof good);
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.model = FOVEA_MODEL_MAP;
    settings.foveation.map.kind = FOVEA_MAP_ARRAY;
    settings.foveation.map.values = values;
    settings.foveation.map.width = 3;
    settings.foveation.map.height = 2;
    return settings;
}

#define ARRAY_WRONG(message, ...)                                                                  \
    do {                                                                                           \
        float v[6];                                                                                \
        struct fovea_settings settings = array_settings(v);                                        \
        struct fovea_map *map = &settings.foveation.map;                                           \
        (void)map;                                                                                 \
        __VA_ARGS__;                                                                               \
        assert_wrong(&settings, message);                                                          \
    } while (0)

TEST(arrays_that_are_no_map_are_named)
{
    float values[6];
    struct fovea_settings right = array_settings(values);
    assert_right(&right);
    right.foveation.map.law = FOVEA_MAP_LAW_LINEAR;
    assert_right(&right);
    ARRAY_WRONG(
        "foveation.map.kind is \"array\" and foveation.map.values is NULL; arrays are given "
        "by programs",
        map->values = NULL);
    ARRAY_WRONG("foveation.map.width is 1; it must be 2 to 4096", map->width = 1);
    ARRAY_WRONG("foveation.map.width is 4097; it must be 2 to 4096", map->width = 4097);
    ARRAY_WRONG("foveation.map.height is 0; it must be 2 to 4096", map->height = 0);
    ARRAY_WRONG(
        "foveation.map.values: column 1 of row 1 is nan; it must be finite and not negative",
        v[4] = NAN);
    ARRAY_WRONG(
        "foveation.map.values: column 2 of row 0 is inf; it must be finite and not negative",
        v[2] = INFINITY);
    ARRAY_WRONG("foveation.map.values: column 0 of row 1 is -0.5; it must be finite and not "
                "negative",
                v[3] = -0.5f);
    ARRAY_WRONG("foveation.map.values are all 0; one must be above", memset(v, 0, sizeof v));
    ARRAY_WRONG(
        "foveation.map.values are all 2; with foveation.map.law \"linear\" they must not "
        "all be the same",
        map->law = FOVEA_MAP_LAW_LINEAR;
        for (int i = 0; i < 6; i++) { v[i] = 2.0f; });
    ARRAY_WRONG("foveation.map.width_deg is 0.5; it must be 1 to 720", map->width_deg = 0.5);
    ARRAY_WRONG("foveation.map.floor is 0; it must be 1e-06 to 1", map->floor = 0.0);
    ARRAY_WRONG("foveation.map.cutoff_cpd is 0.05; it must be 0 or 0.1 to 1000",
                map->cutoff_cpd = 0.05);
}

/* A map that no model uses may be anything: it is not read. */
TEST(maps_that_are_not_used_are_not_looked_at)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.map.kind = FOVEA_MAP_ARRAY;
    assert_right(&settings);
    settings.foveation.map.kind = FOVEA_MAP_FILE;
    assert_right(&settings);
    settings.foveation.model = FOVEA_MODEL_MAP;
    assert_wrong(&settings,
                 "foveation.map.kind is \"file\" and foveation.map.file is empty; it must "
                 "name a PNG picture");
}
