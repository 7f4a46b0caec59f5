/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Our reader of JSON: what it takes, what it refuses, and that another one reads the same. */

#include "core/json.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of a copy without a byte to spare, so that a sanitizer sees each step over it. */
static enum fovea_result parse(const char *text, size_t bytes, struct json_value **out_root)
{
    char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, text, bytes);
    const enum fovea_result result = json_parse(copy, bytes, NULL, out_root);
    free(copy);
    assert_int_equal(*out_root != NULL, result == FOVEA_OK);
    return result;
}

static struct json_value *parse_good(const char *text)
{
    struct json_value *root = NULL;
    if (parse(text, strlen(text), &root) != FOVEA_OK) {
        fail_msg("refused: %s", text);
    }
    return root;
}

static void every_kind_of_value_is_read(void **state)
{
    (void)state;
    struct json_value *root =
        parse_good(" {\"n\": null, \"t\": true, \"f\" : false, \"d\": -12.5e-1,"
                   "\"s\": \"a\\n\\u00e4\\ud83d\\ude00\\/\", \"a\": [1, [], {}, 2],"
                   "\"n\": 1}\r\n\t");
    assert_true(json_is(root, JSON_OBJECT));
    assert_int_equal(root->count, 7);
    assert_true(json_is(json_member(root, "n"), JSON_NULL)); /* the first of two */
    assert_true(json_is_true(json_member(root, "t")));
    assert_true(json_is(json_member(root, "f"), JSON_BOOL));
    assert_false(json_is_true(json_member(root, "f")));
    assert_true(json_member(root, "d")->number == -1.25);
    assert_string_equal(json_member(root, "s")->string, "a\n\xc3\xa4\xf0\x9f\x98\x80/");
    const struct json_value *array = json_member(root, "a");
    assert_int_equal(array->count, 4);
    assert_true(json_is(json_element(array, 1), JSON_ARRAY));
    assert_int_equal(json_element(array, 2)->count, 0);
    assert_true(json_element(array, 3)->number == 2.0);
    assert_null(json_element(array, 4));
    assert_null(json_member(root, "N"));
    json_destroy(&root);
    assert_null(root);
    json_destroy(&root);
    json_destroy(NULL);
}

static void nothing_has_no_type_and_no_members(void **state)
{
    (void)state;
    struct json_value *root = parse_good("[7]");
    assert_false(json_is(NULL, JSON_NULL));
    assert_false(json_is_true(NULL));
    assert_null(json_member(NULL, "a"));
    assert_null(json_member(root, "a"));
    assert_null(json_element(NULL, 0));
    assert_null(json_element(json_element(root, 0), 0));
    json_destroy(&root);
}

static const char *const BAD[] = {
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{'a':1}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "{1:1}",
    "nul",
    "nulll",
    "True",
    "tru",
    "fals",
    "NaN",
    "Infinity",
    "-",
    "+1",
    "01",
    "-01",
    ".5",
    "5.",
    "1e",
    "1e+",
    "1.e1",
    "0x10",
    "1_0",
    "1,",
    "1 1",
    "\"",
    "\"a",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud800\\n\"",
    "\"\\udc00\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\x01\"",
    "// c\n1",
    "[1]]",
    "\xef\xbb\xbf"
    "1",
    "1111111111111111111111111111111111111111111111111111111111111111",
};

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct json_value *root = NULL;
        if (parse(BAD[i], strlen(BAD[i]), &root) != FOVEA_ERROR_CONFIG) {
            fail_msg("not refused: %s", BAD[i]);
        }
    }
    struct json_value *root = NULL;
    assert_int_equal(parse("1\0", 2, &root), FOVEA_ERROR_CONFIG);
    assert_int_equal(parse("\"\0\"", 3, &root), FOVEA_ERROR_CONFIG);
}

static void no_beginning_of_a_text_is_one(void **state)
{
    (void)state;
    static const char text[] =
        "{\"a\": [true, false, null, {\"b\": \"c\\u0041\\\\\"}], \"d\": [-1.5e+3]}";
    struct json_value *root = NULL;
    for (size_t bytes = 0; bytes < sizeof text - 1; bytes++) {
        assert_int_equal(parse(text, bytes, &root), FOVEA_ERROR_CONFIG);
    }
    assert_int_equal(parse(text, sizeof text - 1, &root), FOVEA_OK);
    json_destroy(&root);
}

static void what_follows_is_the_callers_where_it_asks(void **state)
{
    (void)state;
    static const char text[] = " {} \n[";
    const char *end = NULL;
    struct json_value *root = NULL;
    assert_int_equal(json_parse(text, sizeof text - 1, &end, &root), FOVEA_OK);
    assert_ptr_equal(end, text + 3);
    json_destroy(&root);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    for (int depth = 64; depth <= 65; depth++) {
        char text[131];
        struct json_value *root = NULL;
        memset(text, '[', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ']', (size_t)depth);
        assert_int_equal(parse(text, (size_t)(2 * depth + 1), &root),
                         depth == 64 ? FOVEA_OK : FOVEA_ERROR_CONFIG);
        json_destroy(&root);
    }
}

static void numbers_are_alike_in_every_locale(void **state)
{
    (void)state;
    /* Where the machine has no such language the test says less; ./run test makes one. */
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
    struct json_value *root = parse_good("[2.5, 1e999, -1e999, 1e-999, 0.1, 9007199254740993]");
    assert_true(json_element(root, 0)->number == 2.5);
    assert_true(isinf(json_element(root, 1)->number) && isinf(json_element(root, 2)->number));
    assert_true(json_element(root, 3)->number == 0.0);
    assert_true(json_element(root, 4)->number == 0.1);
    assert_true(json_element(root, 5)->number == 9007199254740992.0);
    json_destroy(&root);
    if (locale) {
        setlocale(LC_ALL, "C");
    }
}

/* ---- Beside cJSON */

struct text {
    uint32_t seed;
    size_t bytes;
    char made[8192];
};

static uint32_t next(struct text *text, uint32_t below)
{
    text->seed = text->seed * 1664525u + 1013904223u;
    return (text->seed >> 8) % below;
}

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->bytes += (size_t)vsnprintf(text->made + text->bytes, sizeof text->made - text->bytes,
                                     format, arguments);
    va_end(arguments);
    assert_true(text->bytes < sizeof text->made);
}

static void add_string(struct text *text)
{
    static const char *const parts[] = {
        "a", "key", " ", "\\n", "\\\"", "\\\\", "\\/", "\\u00df", "\\ud83d\\ude00", "\xc3\xa4"};
    add(text, "\"");
    for (uint32_t i = next(text, 6); i > 0; i--) {
        add(text, "%s", parts[next(text, COUNT(parts))]);
    }
    add(text, "\"");
}

static void add_value(struct text *text, int depth)
{
    static const char *const words[] = {"null", "true", "false"};
    const uint32_t kind = next(text, depth > 0 && text->bytes < 4000 ? 6 : 3);
    if (kind == 0) {
        add(text, "%s", words[next(text, 3)]);
    } else if (kind == 1) {
        add(text, "%.*g", (int)next(text, 17) + 1,
            ((double)next(text, 1000000) - 5e5) * pow(10.0, (double)next(text, 60) - 30.0));
    } else if (kind == 2) {
        add_string(text);
    } else {
        const bool object = kind == 3;
        add(text, object ? "{ " : "[\n");
        for (uint32_t i = 0, count = next(text, 5); i < count; i++) {
            add(text, i > 0 ? "," : "");
            if (object) {
                add_string(text);
                add(text, " :");
            }
            add_value(text, depth - 1);
        }
        add(text, object ? "}" : " ]");
    }
}

static void assert_same(const struct json_value *ours, const cJSON *theirs)
{
    assert_true(json_is(ours, JSON_NULL) == cJSON_IsNull(theirs));
    assert_true(json_is(ours, JSON_BOOL) == cJSON_IsBool(theirs));
    assert_true(json_is_true(ours) == cJSON_IsTrue(theirs));
    assert_true(json_is(ours, JSON_NUMBER) == cJSON_IsNumber(theirs));
    assert_true(json_is(ours, JSON_STRING) == cJSON_IsString(theirs));
    assert_true(json_is(ours, JSON_ARRAY) == cJSON_IsArray(theirs));
    assert_true(json_is(ours, JSON_OBJECT) == cJSON_IsObject(theirs));
    assert_true(!json_is(ours, JSON_NUMBER) || ours->number == theirs->valuedouble);
    if (json_is(ours, JSON_STRING)) {
        assert_string_equal(ours->string, theirs->valuestring);
    }
    const struct json_value *child = ours->child;
    for (const cJSON *item = theirs->child; item; item = item->next, child = child->next) {
        assert_non_null(child);
        assert_true((child->name != NULL) == (item->string != NULL));
        if (child->name) {
            assert_string_equal(child->name, item->string);
        }
        assert_same(child, item);
    }
    assert_null(child);
    assert_int_equal(ours->count, cJSON_GetArraySize(theirs));
}

static void another_reader_reads_the_same(void **state)
{
    (void)state;
    struct text text = {.seed = 1};
    for (int i = 0; i < 20000; i++) {
        text.bytes = 0;
        add_value(&text, 6);
        struct json_value *ours = parse_good(text.made);
        cJSON *theirs = cJSON_Parse(text.made);
        assert_non_null(theirs);
        assert_same(ours, theirs);
        cJSON_Delete(theirs);
        json_destroy(&ours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(nothing_has_no_type_and_no_members),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(no_beginning_of_a_text_is_one),
        cmocka_unit_test(what_follows_is_the_callers_where_it_asks),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(numbers_are_alike_in_every_locale),
        cmocka_unit_test(another_reader_reads_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
