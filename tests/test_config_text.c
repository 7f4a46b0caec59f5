/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files may say this, and exactly this is said of those that are wrong. */
#include "test_config_support.h"

#include "core/log.h"

#include <locale.h>

struct bad {
    const char *text;
    const char *message;
};

static void assert_refused(const char *bytes, size_t count, const char *message)
{
    struct recorded recorded = {0};
    write_bytes("bad.json", bytes, count);
    struct fovea_config_desc desc = only_file("bad.json", &recorded);
    struct fovea_config *config = (struct fovea_config *)&recorded;
    assert_result(fovea_config_create(&desc, &config), FOVEA_ERROR_CONFIG);
    assert_null(config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], message);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 0);
}

/* Goes through rows up to one without a text. */
static void assert_all_refused(const struct bad *cases)
{
    for (; cases->text; cases++) {
        OWNED(owned_free) char *text = json(cases->text);
        OWNED(owned_free) char *message = json(cases->message);
        print_message("%s\n", text);
        assert_refused(text, strlen(text), message);
    }
}

/* A test whose table follows; its texts and messages are those of json(). */
#define REFUSED(name)                                                                              \
    static const struct bad name##_cases[32];                                                      \
    TEST(name)                                                                                     \
    {                                                                                              \
        assert_all_refused(name##_cases);                                                          \
    }                                                                                              \
    static const struct bad name##_cases[32]

static struct fovea_settings load(const char *text)
{
    struct recorded recorded = {0};
    write_json("good.json", text);
    struct fovea_config_desc desc = only_file("good.json", &recorded);
    struct fovea_config *config = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    struct fovea_settings settings = *fovea_config_settings(config);
    fovea_config_destroy(&config);
    assert_null(config);
    return settings;
}

REFUSED(unknown_keys_name_the_near_miss) = {
    {"{'foveation': {\n  'strenght': 2}}",
     "bad.json:2:3: foveation.strenght: unknown key; did you mean 'strength'?"},
    {"{'Backend': 'cpu'}", "bad.json:1:2: Backend: unknown key; did you mean 'backend'?"},
    {"{'foveation': {'ct0': 0.1}}",
     "bad.json:1:16: foveation.ct0: unknown key; did you mean 'foveation.paper.ct0'?"},
    {"{'gaze': {'udp': {'prot': 1}}}",
     "bad.json:1:19: gaze.udp.prot: unknown key; did you mean 'port'?"},
    {"{'gaze': {'zebra': 1}}",
     "bad.json:1:11: gaze.zebra: unknown key; expected one of source, space, origin, over, "
     "screen_px, screen_deg, fixed, scanpath, saccades, saliency, udp, lsl, opengaze, osc, pupil, "
     "neon, filter, vergence, validity, late"},
    {"{'app': {}}", "bad.json:1:2: app: unknown key; did you mean 'apps'?"},
    {"{'foveation.strength': 1}",
     "bad.json:1:2: foveation.strength: unknown key; write objects in each other instead of dots"},
    {"{'': 1}", "bad.json:1:2: '': unknown key; expected one of $schema, version, backend, "
                "backend_measure, cuda_context, operators, cpu_threads, watchdog_ms, log, "
                "foveation, blur, dof, lens, gaze, overlay, record, layer, apps"},
    {"{'log': {'le\\nvel': 1}}", "bad.json:1:10: log.le?vel: unknown key; did you mean 'level'?"},
};

REFUSED(wrong_numbers_name_their_range) = {
    {"{'foveation':\n {'paper': {'fragment_px': 3}}}",
     "bad.json:2:28: foveation.paper.fragment_px: expected a whole number, 4 to 128; found 3"},
    {"{'foveation': {'paper': {'fragment_px': 16.5}}}",
     "bad.json:1:41: foveation.paper.fragment_px: expected a whole number, 4 to 128; found 16.5"},
    {"{'foveation': {'paper': {'fragment_px': '16'}}}",
     "bad.json:1:41: foveation.paper.fragment_px: expected a whole number, 4 to 128; found '16'"},
    {"{'foveation': {'paper': {'ct0': 1}}}",
     "bad.json:1:33: foveation.paper.ct0: expected a number, above 0, below 1; found 1"},
    {"{'foveation': {'paper': {'e2_deg': 0}}}",
     "bad.json:1:36: foveation.paper.e2_deg: expected a number, above 0, at most 100; found 0"},
    {"{'foveation': {'strength': 1e999}}",
     "bad.json:1:28: foveation.strength: expected a number, 0 to 8; found 1e999"},
    {"{'foveation': {'strength': -1}}",
     "bad.json:1:28: foveation.strength: expected a number, 0 to 8; found -1"},
    {"{'foveation': {'strength': null}}",
     "bad.json:1:28: foveation.strength: expected a number, 0 to 8; found null"},
    {"{'foveation': {'strength': {'x': 1}}}",
     "bad.json:1:28: foveation.strength: expected a number, 0 to 8; found an object"},
    {"{'gaze': {'screen_px': [1920]}}", "bad.json:1:24: gaze.screen_px: expected an array of 2 "
                                        "whole numbers, each 0 to 65536; found [1920]"},
    {"{'gaze': {'screen_px': [1920, -1]}}", "bad.json:1:24: gaze.screen_px: expected an array of 2 "
                                            "whole numbers, each 0 to 65536; found [1920, -1]"},
    {"{'gaze': {'screen_px': 1920}}", "bad.json:1:24: gaze.screen_px: expected an array of 2 whole "
                                      "numbers, each 0 to 65536; found 1920"},
    {"{'gaze': {'udp': {'port': 65536}}}",
     "bad.json:1:27: gaze.udp.port: expected a whole number, 0 to 65535; found 65536"},
    {"{'gaze': {'saccades': {'seed': -1}}}", "bad.json:1:32: gaze.saccades.seed: expected a whole "
                                             "number, 0 to 18446744073709551615; found -1"},
    {"{'gaze': {'saccades': {'seed': 18446744073709551616}}}",
     "bad.json:1:32: gaze.saccades.seed: expected a whole number, 0 to 18446744073709551615; found "
     "18446744073709551616"},
    {"{'version': 2}", "bad.json:1:13: version: expected a number, 1; found 2"},
};

REFUSED(wrong_objects_and_names_name_what_was_expected) = {
    {"{'foveation': 2}", "bad.json:1:15: foveation: expected an object; found 2; one of its keys "
                         "is foveation.model"},
    {"[1, 2]", "bad.json:1:1: expected an object; found [1, 2]"},
    {"'text'", "bad.json:1:1: expected an object; found 'text'"},
    {"{'gaze': {'source': 'muose'}}",
     "bad.json:1:21: gaze.source: expected one of 'fixed', 'mouse', 'scanpath', 'saccades', 'udp', "
     "'openxr', 'saliency', 'lsl', 'opengaze', 'osc', 'pupil', 'replay', 'neon'; found 'muose'; "
     "did you mean 'mouse'?"},
    {"{'gaze': {'space': 1}}",
     "bad.json:1:20: gaze.space: expected one of 'uv', 'ndc', 'pixels', 'degrees'; found 1"},
    {"{'foveation': {'model': 'zebra'}}",
     "bad.json:1:25: foveation.model: expected one of 'paper', 'physical', 'curve', 'map', "
     "'relative'; found 'zebra'"},
    {"{'overlay': {'hud': 1}}", "bad.json:1:21: overlay.hud: expected true or false; found 1"},
};

REFUSED(wrong_strings_and_keys_name_what_was_expected) = {
    {"{'gaze': {'udp': {'bind': "
     "'0123456789012345678901234567890123456789012345678901234567890123'}}}",
     "bad.json:1:27: gaze.udp.bind: expected a string, at most 63 bytes; found "
     "'01234567890123456789012345678901234567890123456789012345678..."},
    {"{'layer': {'keys': {'hud': 'Shift_Q+F2'}}}",
     "bad.json:1:28: layer.keys.hud: expected a string, 1 to 4 names of keys with + between them, "
     "such as 'Shift_R+F2', or ''; found 'Shift_Q+F2'; no key is called 'Shift_Q'; did you mean "
     "'Shift_L'?"},
    {"{'layer': {'keys': {'hud': 'Shift_R+'}}}",
     "bad.json:1:28: layer.keys.hud: expected a string, 1 to 4 names of keys with + between them, "
     "such as 'Shift_R+F2', or ''; found 'Shift_R+'"},
    {"{'layer': {'keys': {'hud': 'F1+F2+F3+F4+F5'}}}",
     "bad.json:1:28: layer.keys.hud: expected a string, 1 to 4 names of keys with + between them, "
     "such as 'Shift_R+F2', or ''; found 'F1+F2+F3+F4+F5'"},
    {"{'$schema': 1}", "bad.json:1:13: $schema: expected a string, any; found 1"},
};

#define CURVE_EXPECTED                                                                             \
    "foveation.curve: expected an array, 1 to 32 points [degrees, cycles per degree]; degrees "    \
    "rise from 0 or more to 180 or less, cycles are 0.01 to 1000; found "

REFUSED(wrong_curves_name_the_point) = {
    {"{'foveation': {'curve': 5}}", "bad.json:1:25: " CURVE_EXPECTED "5"},
    {"{'foveation': {'curve': {'0': 60}}}", "bad.json:1:25: " CURVE_EXPECTED "an object"},
    {"{'foveation': {'curve': []}}", "bad.json:1:25: " CURVE_EXPECTED "[]"},
    {"{'foveation': {'curve': [0, 60]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[0, 60]; wrong at point 1"},
    {"{'foveation': {'curve': [[0, 60], [5]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60], [5]]; wrong at point 2"},
    {"{'foveation': {'curve': [[0, 60, 1]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60, 1]]; wrong at point 1"},
    {"{'foveation': {'curve': [[0, 60], [5, '27']]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60], [5, '27']]; wrong at point 2"},
    {"{'foveation': {'curve': [[0, 60], [5, 27], [5, 20]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60], [5, 27], [5, 20]]; wrong at point 3"},
    {"{'foveation': {'curve': [[0, 60], [9, 0]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60], [9, 0]]; wrong at point 2"},
    {"{'foveation': {'curve': [[-1, 60]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[-1, 60]]; wrong at point 1"},
    {"{'foveation': {'curve': [[0, 60], [181, 1]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 60], [181, 1]]; wrong at point 2"},
    {"{'foveation': {'curve': [[0, 1001]]}}",
     "bad.json:1:25: " CURVE_EXPECTED "[[0, 1001]]; wrong at point 1"},
    {"{'foveation': {'curve': "
     "[[0,1],[1,1],[2,1],[3,1],[4,1],[5,1],[6,1],[7,1],[8,1],[9,1],[10,1],[11,1],[12,1],[13,1],[14,"
     "1],[15,1],[16,1],[17,1],[18,1],[19,1],[20,1],[21,1],[22,1],[23,1],[24,1],[25,1],[26,1],[27,1]"
     ",[28,1],[29,1],[30,1],[31,1],[32,1]]}}",
     "bad.json:1:25: " CURVE_EXPECTED
     "[[0,1],[1,1],[2,1],[3,1],[4,1],[5,1],[6,1],[7,1],[8,1],[9,1]...; wrong at point 33"},
};

#define TABLE_EXPECTED                                                                             \
    "bad.json:1:37: foveation.display.table: expected an array, 2 to 1024 numbers, 0 or more, "    \
    "that do not fall and do rise; or the name of a file of them; or ''; found "
#define TABLE(value) "{'foveation': {'display': {'table': " value "}}}"

TEST(wrong_tables_name_the_number)
{
    write_text("letters.csv", "0\n0.5\nwhite\n");
    write_text("falls.csv", "# cd/m2\n0.2, 9, 120, 119.5\n");
    write_text("empty.csv", "# cd/m2\n\n");
    static const struct bad cases[] = {
        {TABLE("5"), TABLE_EXPECTED "5"},
        {TABLE("{}"), TABLE_EXPECTED "an object"},
        {TABLE("[]"), TABLE_EXPECTED "[]"},
        {TABLE("[1]"), TABLE_EXPECTED "[1]; wrong at number 1"},
        {TABLE("[0, 2, 1]"), TABLE_EXPECTED "[0, 2, 1]; wrong at number 3"},
        {TABLE("[-1, 2]"), TABLE_EXPECTED "[-1, 2]; wrong at number 1"},
        {TABLE("[2, 2, 2]"), TABLE_EXPECTED "[2, 2, 2]; wrong at number 3"},
        {TABLE("[0, 1e99]"), TABLE_EXPECTED "[0, 1e99]; wrong at number 2"},
        {TABLE("[0, '1']"), TABLE_EXPECTED "[0, '1']; wrong at number 2"},
        {TABLE("'letters.csv'"), TABLE_EXPECTED "'letters.csv'; wrong at number 3"},
        {TABLE("'falls.csv'"), TABLE_EXPECTED "'falls.csv'; wrong at number 4"},
        {TABLE("'empty.csv'"), TABLE_EXPECTED "'empty.csv'; there are no numbers in it"},
        {TABLE("'none.csv'"),
         TABLE_EXPECTED "'none.csv'; there is no such file, or none to be read"},
        {TABLE("'.'"), TABLE_EXPECTED "'.'; it is no file"},
        {"{'foveation': {'light': 'table'}}",
         "configuration: foveation.light is 'table' and there is no foveation.display.table"},
        {NULL, NULL},
    };
    assert_all_refused(cases);
}

/* Numbers of a file as spreadsheets and instruments write them. */
TEST(tables_come_from_lists_and_files)
{
    struct fovea_display display = load(TABLE("[0.25, 0.25, 8, 120.5]")).foveation.display;
    assert_int_equal(display.table_count, 4);
    assert_float_equal(display.table[1], 0.25, 0);
    assert_float_equal(display.table[3], 120.5, 0);
    write_text("screen.csv", "# cd/m2, a screen\r\n0.25\r\n  0.25;\n8,\t1.205e2\n\n# end");
    display = load(TABLE("'screen.csv'")).foveation.display;
    assert_int_equal(display.table_count, 4);
    assert_float_equal(display.table[1], 0.25, 0);
    assert_float_equal(display.table[3], 120.5, 0);
    write_text("screen.csv", "0 1e-3 2.5E-1 0.7 12 1230e-1 4.5e+2 123456789");
    static const float numbers[] = {0, 1e-3f, 0.25f, 0.7f, 12, 123, 450, 123456792};
    display = load(TABLE("'screen.csv'")).foveation.display;
    assert_int_equal(display.table_count, 8);
    assert_memory_equal(display.table, numbers, sizeof numbers);
    assert_int_equal(load(TABLE("''")).foveation.display.table_count, 0);
    char text[8 * (FOVEA_DISPLAY_MAX + 1)] = "";
    for (int i = 0; i < FOVEA_DISPLAY_MAX; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d\n", i);
    }
    write_text("screen.csv", text);
    display = load(TABLE("'screen.csv'")).foveation.display;
    assert_int_equal(display.table_count, FOVEA_DISPLAY_MAX);
    assert_float_equal(display.table[1023], 1023, 0);
    snprintf(text + strlen(text), sizeof text - strlen(text), "2000\n");
    write_text("screen.csv", text);
    static const struct bad cases[] = {
        {TABLE("'screen.csv'"), TABLE_EXPECTED "'screen.csv'; wrong at number 1025"}, {NULL, NULL}};
    assert_all_refused(cases);
}

/* A program that writes its numbers with a comma, as Qt and GTK let it, has our files read all the
 * same. */
TEST(a_comma_locale_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool has_comma = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !has_comma; i++) {
        has_comma = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    }
    if (!has_comma) {
        assert_non_null(setlocale(LC_ALL, "C"));
        skip();
    }
    const struct fovea_settings settings =
        load("{'foveation': {'strength': 1.25, 'paper': {'ct0': 1.5e-2}}}");
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_float_equal(settings.foveation.strength, 1.25, 0);
    assert_float_equal(settings.foveation.paper.ct0, 0.015, 0);
}

REFUSED(settings_that_do_not_agree_are_refused_with_their_keys) = {
    {"{'foveation': {'geometry': {'tan_left': 1, 'tan_right': 1}}}",
     "configuration: foveation.geometry.tan_up is 0 and others are not; give all four tangents or "
     "none (1e-9 is an edge on the view axis)"},
};

TEST(a_curve_replaces_the_default_whole)
{
    struct fovea_curve curve =
        load("{'foveation': {'curve': [[0, 40], [90, 0.5]]}}").foveation.curve;
    assert_int_equal(curve.count, 2);
    assert_float_equal(curve.eccentricity_deg[1], 90, 0);
    assert_float_equal(curve.cutoff_cpd[1], 0.5, 0);
    for (size_t i = 2; i < FOVEA_CURVE_MAX; i++) {
        assert_float_equal(curve.eccentricity_deg[i], 0, 0);
        assert_float_equal(curve.cutoff_cpd[i], 0, 0);
    }
}

REFUSED(a_key_given_twice_names_both_lines) = {
    {"{'foveation': {'strength': 1,\n'alpha': 'keep',\n 'strength': 1}}",
     "bad.json:3:2: foveation.strength: given twice; first on line 1"},
    {"{'log': {},\n'l\\u006fg': {}}", "bad.json:2:1: log: given twice; first on line 1"},
    {"{'apps': {'exe:a': {},\n 'exe:a': {}}}",
     "bad.json:2:2: apps.exe:a: given twice; first on line 1"},
};

REFUSED(entries_of_apps_are_checked_even_if_they_do_not_match) = {
    {"{'apps': 1}", "bad.json:1:10: apps: expected an object, 'exe:pattern': settings; found 1"},
    {"{'apps': {'scene': {}}}",
     "bad.json:1:11: apps.scene: expected 'exe:' and a pattern of a program's name"},
    {"{'apps': {'exe:': {}}}",
     "bad.json:1:11: apps.exe:: expected 'exe:' and a pattern of a program's name"},
    {"{'apps': {'exe:other': 7}}", "bad.json:1:24: apps.exe:other: expected an object; found 7"},
    {"{'apps': {'exe:other': {'foveation': {'strength': 9}}}}",
     "bad.json:1:51: apps.exe:other.foveation.strength: expected a number, 0 to 8; found 9"},
    {"{'apps': {'exe:other': {'bakend': 9}}}",
     "bad.json:1:25: apps.exe:other.bakend: unknown key; did you mean 'backend'?"},
    {"{'apps': {'exe:other': {'version': 1}}}",
     "bad.json:1:25: apps.exe:other.version: unknown key; expected one of backend, "
     "backend_measure, cuda_context, operators, cpu_threads, watchdog_ms, log, foveation, blur, "
     "dof, lens, gaze, overlay, record, layer"},
    {"{'apps': {'exe:a.b': {'apps': {}}}}",
     "bad.json:1:23: apps.exe:a.b.apps: unknown key; expected one of backend, backend_measure, "
     "cuda_context, operators, cpu_threads, watchdog_ms, log, foveation, blur, dof, lens, gaze, "
     "overlay, record, layer"},
};

REFUSED(slips_of_grammar_name_their_place) = {
    {"", "bad.json:1:1: expected at least {}; found nothing"},
    {" \n // nothing\n", "bad.json:1:1: expected at least {}; found nothing"},
    {"{'version': 1,\n}", "bad.json:1:14: a comma before }: JSON has no trailing commas"},
    {"{'gaze': {'screen_px': [1, 2, /* ! */ ]}}",
     "bad.json:1:29: a comma before ]: JSON has no trailing commas"},
    {"{'version': 1\n 'backend': 'cpu'}", "bad.json:2:2: expected a comma or }; found '"},
    {"{'foveation': {'strength': 1",
     "bad.json:1:29: the text ends, but the { of line 1, column 15 has no }"},
    {"{'version': 1,", "bad.json:1:15: the text ends, but the { of line 1, column 1 has no }"},
    {"{", "bad.json:1:2: the text ends, but the { of line 1, column 1 has no }"},
    {"{'version'", "bad.json:1:11: expected a colon after the key; found the end"},
    {"{'version':", "bad.json:1:12: expected a value; found the end"},
    {"{version: 1}", "bad.json:1:2: expected a key in double quotes; found version"},
    {"{'version': 1} {}", "bad.json:1:16: expected nothing more; found {"},
    {"{'version' 1}", "bad.json:1:12: expected a colon after the key; found 1"},
    {"{,}", "bad.json:1:2: expected a key in double quotes; found ,"},
};

TEST(keys_have_double_quotes)
{
    assert_refused("{'version': 1}", 14, "bad.json:1:2: expected a key in double quotes; found '");
}

REFUSED(values_that_are_not_as_json_writes_them_name_their_place) = {
    {"{'version': NaN}", "bad.json:1:13: expected a value as JSON writes it; found NaN"},
    {"{'version': -Infinity}",
     "bad.json:1:13: expected a value as JSON writes it; found -Infinity"},
    {"{'version': 01}", "bad.json:1:13: expected a value as JSON writes it; found 01"},
    {"{'version': .5}", "bad.json:1:13: expected a value as JSON writes it; found .5"},
    {"{'version': 1.}", "bad.json:1:13: expected a value as JSON writes it; found 1."},
    {"{'version': 1e}", "bad.json:1:13: expected a value as JSON writes it; found 1e"},
    {"{'version': +1}", "bad.json:1:13: expected a value as JSON writes it; found +1"},
    {"{'version': 0x10}", "bad.json:1:13: expected a value as JSON writes it; found 0x10"},
    {"{'version': -}", "bad.json:1:13: expected a value as JSON writes it; found -"},
    {"{'version': True}", "bad.json:1:13: expected a value as JSON writes it; found True"},
    {"{'version': 1.0000000000000000000000000000000000000000000000000000000000000}",
     "bad.json:1:13: expected a number of at most 60 characters"},
    {"{'version': }", "bad.json:1:13: expected a value; found }"},
};

REFUSED(wrong_strings_comments_and_bytes_name_their_place) = {
    {"{'vers", "bad.json:1:2: the string has no closing ' on its line"},
    {"{'a': '\nb'}", "bad.json:1:7: the string has no closing ' on its line"},
    {"{'a\tb': 1}", "bad.json:1:4: a control character in a string is written \\u0009"},
    {"{'a\\x': 1}", "bad.json:1:4: unknown escape in a string; a backslash is written \\\\"},
    {"{'a\\", "bad.json:1:4: unknown escape in a string; a backslash is written \\\\"},
    {"{'a\\u00g0': 1}", "bad.json:1:4: expected \\u and four hexadecimal digits of a character"},
    {"{'a\\u0000': 1}", "bad.json:1:4: \\u0000 is no character of a setting"},
    {"{'a\\ud800': 1}",
     "bad.json:1:4: \\ud800 is half of a character, and the other half is not beside it"},
    {"{'a\\udc00\\ud800': 1}",
     "bad.json:1:4: \\udc00 is half of a character, and the other half is not beside it"},
    {"{} /* open", "bad.json:1:4: the comment /* has no */"},
    {"{} /*/", "bad.json:1:4: the comment /* has no */"},
    {"{} / nothing", "bad.json:1:4: expected // or /* for a comment; found /"},
    {"{/* \xc3\xa9\xc3\xa9 */'zebra': 1}", /* columns count characters, also in comments */
     "bad.json:1:10: zebra: unknown key; expected one of $schema, version, backend, "
     "backend_measure, cuda_context, operators, cpu_threads, watchdog_ms, log, foveation, blur, "
     "dof, lens, gaze, overlay, record, layer, apps"},
    {"\xef\xbb\xbf{}", "bad.json:1:1: expected UTF-8 without a byte order mark; found one"},
    {"{\n'\xff': 1}", "bad.json:2:2: expected text in UTF-8; found the byte 0xff"},
    {"{'\xc0\xaf': 1}", "bad.json:1:3: expected text in UTF-8; found the byte 0xc0"},
    {"{'\xed\xa0\x80': 1}", "bad.json:1:3: expected text in UTF-8; found the byte 0xed"},
    {"{'\xe2\x82", "bad.json:1:3: expected text in UTF-8; found the byte 0xe2"},
};

TEST(zero_bytes_are_refused)
{
    static const char text[] = "{\"version\": 1}\0";
    assert_refused(text, sizeof text - 1,
                   "bad.json:1:15: expected text in UTF-8; found the byte 0x00");
}

TEST(deep_nesting_is_refused)
{
    static char text[200000];
    memset(text, '[', sizeof text);
    assert_refused(text, sizeof text, "bad.json:1:17: expected at most 16 levels of nesting");
}

TEST(many_entries_of_apps_are_refused)
{
    static char text[600000];
    size_t used = (size_t)sprintf(text, "{\"apps\": {");
    for (int i = 0; i < 30000; i++) {
        used += (size_t)sprintf(text + used, "%s\n\"exe:%d\": {}", i ? "," : "", i);
    }
    used += (size_t)sprintf(text + used, "}}");
    assert_refused(text, used, "bad.json:258:1: apps.exe:256: expected at most 256 entries");
}

TEST(every_truncation_of_a_file_is_refused)
{
    static const char text[] = "{\"version\": 1, /* c */ \"gaze\": {\"screen_px\": [1, 2]}, // d\n"
                               "\"log\": {\"level\": \"inf\\u006f\"}}";
    for (size_t count = 0; count < sizeof text - 1; count++) {
        struct recorded recorded = {0};
        write_bytes("cut.json", text, count);
        struct fovea_config_desc desc = only_file("cut.json", &recorded);
        struct fovea_config *config = NULL;
        assert_result(fovea_config_create(&desc, &config), FOVEA_ERROR_CONFIG);
        assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    }
    load(text);
}

TEST(what_json_allows_is_read)
{
    struct fovea_settings settings =
        load("\t{ // line\r\n 'backend'/**/:/* * / */'c\\u0070u' , 'foveation' : { 'strength':"
             "25e-1, 'paper': {'fragment_px': 1.6E1, 'ct0': 0.0133}},\n"
             "'gaze': {'screen_px': [1920 , 1080], 'fixed': {'x': -0.25},"
             "'udp': {'port': 0}, 'saccades': {'seed': 18446744073709551615},"
             "'scanpath': {'file': '/a/b // c.csv', 'loop': false}}} // end");
    assert_int_equal(settings.backend, FOVEA_BACKEND_CPU);
    assert_float_equal(settings.foveation.strength, 2.5, 0);
    assert_int_equal(settings.foveation.paper.fragment_px, 16);
    assert_float_equal(settings.foveation.paper.ct0, 0.0133, 0);
    assert_int_equal(settings.gaze.screen_px[0], 1920);
    assert_int_equal(settings.gaze.screen_px[1], 1080);
    assert_float_equal(settings.gaze.fixed.x_uv, -0.25, 0);
    assert_float_equal(settings.gaze.fixed.y_uv, 0.5, 0);
    assert_int_equal(settings.gaze.udp_port, 0);
    assert_true(settings.gaze.saccades_seed == UINT64_MAX);
    assert_string_equal(settings.gaze.scanpath_file, "/a/b // c.csv");
    assert_false(settings.gaze.scanpath_loop);
}

TEST(an_empty_object_changes_nothing)
{
    struct fovea_settings settings = load("{}");
    struct fovea_settings defaults = fovea_settings_default();
    assert_same_settings(&settings, &defaults);
}

/* fovea_log promises it. The last rows are longer than a message, and would end in a character. */
TEST(any_bytes_make_a_message_of_one_line_of_utf8)
{
    char euros[3 * 1000 + 1] = "";
    char after[2 + sizeof euros];
    for (size_t i = 0; i < 1000; i++) {
        memcpy(euros + 3 * i, "\u20ac", 4);
    }
    snprintf(after, sizeof after, "\n%s", euros);
    const struct bad rows[] = {
        {"", ": No such file"},
        {"maps/b\u00f6se \U0001f441.png", "maps/b\u00f6se \U0001f441.png: No such file"},
        {"a\nb\r\tc\x1b[2J\x7f", "a\\nb\\x0d\\x09c\\x1b[2J\\x7f: No such file"},
        {"\x80\xff \xc2\x9b\xc0\xaf \xed\xa0\x80 \xe2\x82",
         "\\x80\\xff \\xc2\\x9b\\xc0\\xaf \\xed\\xa0\\x80 \\xe2\\x82: No such file"},
        {euros, test_text("%.*s", 3 * 682, euros)},
        {after, test_text("\\n%.*s", 3 * 681, euros)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recorded recorded = {0};
        log_error(recorded_log(&recorded), "%s: No such file", rows[i].text);
        assert_string_equal(recorded.last[FOVEA_LOG_ERROR], rows[i].message);
    }
}
