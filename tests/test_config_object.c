/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings as programs hold them: an object whose settings have paths and texts. */
#include "test_config_support.h"

#include "core/struct_bytes.h"

#include <locale.h>

static struct fovea_settings *create(void)
{
    struct fovea_settings *settings = NULL;
    assert_result(fovea_settings_create(&settings), FOVEA_OK);
    return settings;
}

static enum fovea_result set(struct fovea_settings *settings, const char *path, const char *value)
{
    return fovea_settings_set(settings, path, value, (struct fovea_log){0});
}

static const char *get(const struct fovea_settings *settings, const char *path)
{
    static char text[FOVEA_SETTING_TEXT_MAX];
    assert_result(fovea_settings_get(settings, path, text, sizeof text), FOVEA_OK);
    return text;
}

TEST(new_settings_are_the_defaults)
{
    struct fovea_settings *settings = create();
    const struct fovea_settings defaults = fovea_settings_default();
    assert_same_settings(settings, &defaults);
    assert_result(fovea_settings_check(settings, (struct fovea_log){0}), FOVEA_OK);
    fovea_settings_destroy(&settings);
    assert_null(settings);
    fovea_settings_destroy(&settings);
    fovea_settings_destroy(NULL);
}

TEST(what_is_set_is_what_one_gets)
{
    static const char *const cases[][3] = {
        {"foveation.strength", "2", "2"},
        {"foveation.strength", " 2.5e-1 ", "0.25"},
        {"foveation.model", "physical", "physical"},
        {"foveation.model", "\"curve\"", "curve"},
        {"overlay.hud", "true", "true"},
        {"operators", "[\"foveate\"]", "foveate"},
        {"operators", "blur, foveate", "blur,foveate"},
        {"blur.sigma_px", "0.5", "0.5"},
        {"gaze.screen_px", "[1920, 1080]", "[1920, 1080]"},
        {"gaze.saccades.seed", "18446744073709551615", "18446744073709551615"},
        {"foveation.curve", "[[0, 60], [5.5, 13]]", "[[0, 60], [5.5, 13]]"},
        {"foveation.display.table", "[0, 0.5, 1]", "[0, 0.5, 1]"},
        {"foveation.display.table", "", ""},
        {"foveation.map.file", "a map.png", "a map.png"},
        {"foveation.map.file", "true", "true"},
        {"foveation.map.file", "", ""},
        {"foveation.map.file", "\"{\\\"\\\\ \\u0001\"", "\"{\\\"\\\\ \\u0001\""},
        {"foveation.map.file", "\" space\"", "\" space\""},
        {"layer.keys.hud", "Shift_R+F9", "Shift_R+F9"},
    };
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_result(set(settings, cases[i][0], cases[i][1]), FOVEA_OK);
        assert_string_equal(get(settings, cases[i][0]), cases[i][2]);
    }
}

TEST(a_group_is_set_as_an_object)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    assert_result(set(settings, "overlay", "{\"hud\": true, \"wipe\": 0.5}"), FOVEA_OK);
    assert_string_equal(get(settings, "overlay.hud"), "true");
    assert_string_equal(get(settings, "overlay.wipe"), "0.5");
}

TEST(mistakes_change_nothing_and_are_explained)
{
    static const char *const cases[][3] = {
        {"foveation.strenght", "2", "did you mean \"strength\"?"},
        {"foveation.strength=1", "2", "unknown key"},
        {"version", "1", "unknown key"},
        {"apps", "{}", "unknown key"},
        {"", "1", "unknown key"},
        {"foveation.strength", "9", "0 to 8; found 9"},
        {"foveation.model", "papers", "did you mean \"paper\"?"},
        {"overlay", "{\"hud\": true, \"wipe\": 7}", "0 to 1; found 7"},
    };
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    const struct fovea_settings defaults = fovea_settings_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct recorded recorded = {0};
        assert_result(
            fovea_settings_set(settings, cases[i][0], cases[i][1], recorded_log(&recorded)),
            FOVEA_ERROR_CONFIG);
        assert_that(strstr(recorded.last[FOVEA_LOG_ERROR], cases[i][2]), "%s: %s", cases[i][0],
                    recorded.last[FOVEA_LOG_ERROR]);
        assert_same_settings(settings, &defaults);
    }
}

TEST(arguments_are_checked)
{
    const enum fovea_result wrong = FOVEA_ERROR_INVALID_ARGUMENT;
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    char text[8] = "before";
    double value = 0;
    assert_result(fovea_settings_create(NULL), wrong);
    assert_result(fovea_settings_copy(settings, NULL), wrong);
    assert_result(set(NULL, "foveation.strength", "1"), wrong);
    assert_result(set(settings, NULL, "1"), wrong);
    assert_result(set(settings, "foveation.strength", NULL), wrong);
    assert_result(fovea_settings_get(NULL, "foveation.strength", text, sizeof text), wrong);
    assert_result(fovea_settings_get(settings, "foveation.strength", NULL, 8), wrong);
    assert_string_equal(text, "before");
    assert_result(fovea_settings_get(settings, "foveation", text, sizeof text), FOVEA_ERROR_CONFIG);
    assert_string_equal(text, "");
    assert_result(fovea_settings_get(settings, "gaze.source", text, 5), wrong); /* "fixed" */
    assert_result(fovea_settings_get(settings, "gaze.source", text, 6), FOVEA_OK);
    assert_result(fovea_settings_get_double(settings, "gaze.source", &value), FOVEA_ERROR_CONFIG);
    assert_result(fovea_settings_get_double(settings, "nothing", &value), FOVEA_ERROR_CONFIG);
    assert_result(fovea_settings_check(NULL, (struct fovea_log){0}), wrong);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    const struct fovea_log silent = {0};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    double value = 0;
    setlocale(LC_ALL, "de_DE.UTF-8");
    assert_result(fovea_settings_set_double(settings, "foveation.strength", 0.1, silent), FOVEA_OK);
    assert_result(fovea_settings_get_double(settings, "foveation.strength", &value), FOVEA_OK);
    assert_true(value == 0.1);
    setlocale(LC_ALL, "C");
    assert_result(fovea_settings_set_double(settings, "overlay.hud", 1, silent), FOVEA_OK);
    assert_string_equal(get(settings, "overlay.hud"), "true");
    assert_result(fovea_settings_get_double(settings, "overlay.hud", &value), FOVEA_OK);
    assert_true(value == 1.0);
    assert_result(fovea_settings_set_double(settings, "cpu_threads", 3, silent), FOVEA_OK);
    assert_result(fovea_settings_get_double(settings, "cpu_threads", &value), FOVEA_OK);
    assert_true(value == 3.0);
    assert_result(fovea_settings_set_double(settings, "cpu_threads", 2.5, silent),
                  FOVEA_ERROR_CONFIG);
    assert_result(fovea_settings_set_double(settings, "overlay.hud", 2, silent),
                  FOVEA_ERROR_CONFIG);
    assert_result(fovea_settings_set_double(settings, "gaze.source", 1, silent),
                  FOVEA_ERROR_CONFIG);
    assert_result(fovea_settings_set_double(settings, "foveation.strength", (double)NAN, silent),
                  FOVEA_ERROR_INVALID_ARGUMENT);
}

static const float cells[] = {1, 2, 3, 4, 5, 6};

static void assert_has_cells(const struct fovea_settings *settings)
{
    const struct fovea_map *map = &settings->foveation.map;
    assert_int_equal(map->kind, FOVEA_MAP_ARRAY);
    assert_int_equal(map->width, 3);
    assert_int_equal(map->height, 2);
    assert_memory_equal(map->values, cells, sizeof cells);
}

/* Every owner goes before the next one is looked at. */
TEST(a_map_belongs_to_the_settings)
{
    struct fovea_settings *settings = create();
    struct fovea_settings *copy = NULL;
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    struct recorded recorded = {0};
    float *values = malloc(sizeof cells);
    assert_non_null(values);
    memcpy(values, cells, sizeof cells);
    assert_result(fovea_settings_set_map(settings, values, 3, 1), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_result(fovea_settings_set_map(settings, NULL, 3, 2), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_result(fovea_settings_set_map(settings, values, 3, 2), FOVEA_OK);
    assert_result(fovea_settings_set_map(settings, values, 3, 2), FOVEA_OK);
    free(values);
    assert_result(fovea_settings_copy(settings, &copy), FOVEA_OK);
    fovea_settings_destroy(&settings);
    assert_has_cells(copy);
    write_text("map.json", "{\"foveation\": {\"strength\": 2}}");
    struct fovea_config_desc desc = only_file("map.json", &recorded);
    desc.defaults = copy;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    desc.ignore_changes = true;
    fovea_settings_destroy(&copy);
    assert_has_cells(fovea_config_settings(config));
    assert_result(fovea_settings_copy(fovea_config_settings(config), &copy), FOVEA_OK);
    fovea_config_destroy(&config);
    assert_has_cells(copy);
    assert_string_equal(get(copy, "foveation.strength"), "2");
    desc.defaults = copy;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    fovea_settings_destroy(&copy);
    assert_has_cells(fovea_config_settings(config));
}

TEST(transfer_is_one_of_those_that_there_are)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    uint64_t hashes[2];
    assert_result(fovea_settings_hash(settings, &hashes[0]), FOVEA_OK);
    assert_result(fovea_settings_set_transfer(settings, FOVEA_TRANSFER_PQ), FOVEA_OK);
    assert_int_equal(settings->foveation.transfer, FOVEA_TRANSFER_PQ);
    assert_result(fovea_settings_hash(settings, &hashes[1]), FOVEA_OK);
    assert_int_not_equal(hashes[0], hashes[1]);
    assert_result(fovea_settings_set_transfer(settings, (enum fovea_transfer)3),
                  FOVEA_ERROR_INVALID_ARGUMENT);
}

/* Whatever the table says, each default is understood as itself. That units, ranges and words are
 * those of the settings, test_schema.py says. */
TEST(the_table_is_told_whole)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = create();
    struct fovea_setting info;
    const size_t count = fovea_setting_count();
    assert_in_range(count, 60, 1000);
    for (size_t i = 0; i < count; i++) {
        fovea_setting_init(&info);
        assert_result(fovea_setting_info(i, &info), FOVEA_OK);
        print_message("%s\n", info.path);
        assert_string_equal(get(settings, info.path), info.default_text);
        assert_result(set(settings, info.path, info.default_text), FOVEA_OK);
        assert_string_equal(get(settings, info.path), info.default_text);
        assert_int_equal(info.words != NULL,
                         info.type == FOVEA_SETTING_WORD || info.type == FOVEA_SETTING_WORDS);
        assert_true(info.type != FOVEA_SETTING_NUMBER || info.least < info.most);
        assert_true(info.help[0] && info.expected[0] && info.unit);
    }
    const struct fovea_settings defaults = fovea_settings_default();
    assert_same_settings(settings, &defaults);
    assert_result(fovea_setting_info(count, &info), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_result(fovea_setting_info(0, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
}

/* ---- Structs of another version */

struct older {
    size_t struct_bytes;
    int a;
    int reserved;
};
struct ours {
    size_t struct_bytes;
    int a;
    int b; /* reserved in the older one */
    void *c;
};
struct newer {
    struct ours ours;
    void *d;
};

TEST(a_smaller_struct_is_filled_with_nothing)
{
    const struct older given = {.struct_bytes = sizeof given, .a = 7};
    struct ours taken = {.b = 5, .c = &taken};
    assert_true(struct_take(&taken, sizeof taken, &given));
    assert_int_equal(taken.struct_bytes, sizeof taken);
    assert_int_equal(taken.a, 7);
    assert_int_equal(taken.b, 0);
    assert_null(taken.c);
}

TEST(a_larger_struct_is_taken_if_it_asks_for_nothing_new)
{
    struct newer given = {.ours = {.struct_bytes = sizeof given, .a = 7}};
    struct ours taken;
    assert_true(struct_take(&taken, sizeof taken, &given));
    assert_int_equal(taken.a, 7);
    given.d = &taken;
    assert_false(struct_take(&taken, sizeof taken, &given));
    assert_non_null(strstr(struct_refusal(&given), "newer"));
    given.ours.struct_bytes = 0;
    assert_false(struct_take(&taken, sizeof taken, &given));
    assert_non_null(strstr(struct_refusal(&given), "struct_bytes is not set"));
    given.ours.struct_bytes = (size_t)-1;
    assert_false(struct_take(&taken, sizeof taken, &given));
}

TEST(a_size_that_ends_inside_a_member_is_none)
{
    struct ours given = {.a = 7, .c = &given};
    struct ours taken;
    for (size_t bytes = 0; bytes <= sizeof given; bytes++) {
        given.struct_bytes = bytes;
        const bool whole = bytes == offsetof(struct ours, a) || bytes == offsetof(struct ours, c) ||
                           bytes == sizeof given;
        assert_int_equal(struct_take(&taken, sizeof taken, &given), whole);
        assert_int_equal(struct_give(&given, &taken, sizeof taken), whole);
    }
}

TEST(what_is_given_back_fits)
{
    const struct ours from = {.struct_bytes = sizeof from, .a = 7, .c = (void *)state};
    struct {
        struct older older;
        int guard;
    } small = {{.struct_bytes = sizeof small.older}, 42};
    struct newer large = {.ours = {.struct_bytes = sizeof large}, .d = &small};
    assert_true(struct_give(&small.older, &from, sizeof from));
    assert_int_equal(small.older.a, 7);
    assert_int_equal(small.guard, 42);
    assert_true(struct_give(&large, &from, sizeof from));
    assert_int_equal(large.ours.struct_bytes, sizeof large);
    assert_ptr_equal(large.ours.c, state);
    assert_ptr_equal(large.d, &small); /* a struct_bytes that is wrong costs nothing behind ours */
    small.older.struct_bytes = 0;
    assert_false(struct_give(&small.older, &from, sizeof from));
}

/* Whoever compares settings by their bytes, as the gaze's sources are, finds equal ones equal. */
TEST(a_longer_text_leaves_nothing_behind)
{
    static const char *const texts[][3] = {
        {"gaze.udp.bind", "255.255.255.255", "127.0.0.1"},
        {"gaze.scanpath.file", "/a/long/path/to/a/scanpath.csv", "/b.csv"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        OWNED(fovea_settings_destroy) struct fovea_settings *once = NULL;
        OWNED(fovea_settings_destroy) struct fovea_settings *again = NULL;
        assert_result(fovea_settings_create(&once), FOVEA_OK);
        assert_result(fovea_settings_create(&again), FOVEA_OK);
        assert_result(set(again, texts[i][0], texts[i][1]), FOVEA_OK);
        assert_memory_not_equal(&once->gaze, &again->gaze, sizeof once->gaze);
        assert_result(set(again, texts[i][0], texts[i][2]), FOVEA_OK);
        assert_result(set(once, texts[i][0], texts[i][2]), FOVEA_OK);
        assert_memory_equal(&once->gaze, &again->gaze, sizeof once->gaze);
    }
}
