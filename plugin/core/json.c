/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define NUMBER_MAX_BYTES 63

struct reader {
    const char *at;
    const char *end;
    uint32_t depth;
    locale_t c_locale;
    struct json_value *nodes; /* the next free one */
    char *strings; /* the next free byte */
};

static bool read_value(struct reader *reader, struct json_value *out);

static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : 0;
}

static bool take(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c) {
        return false;
    }
    reader->at++;
    return true;
}

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && memchr(" \t\r\n", *reader->at, 4)) {
        reader->at++;
    }
}

static bool take_word(struct reader *reader, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

static bool skip_digits(struct reader *reader)
{
    const char *begin = reader->at;
    while (peek(reader) >= '0' && peek(reader) <= '9') {
        reader->at++;
    }
    return reader->at > begin;
}

/* -? (0 | 1-9 digits) (. digits)? ([eE] [+-]? digits)? */
static bool skip_number(struct reader *reader)
{
    (void)take(reader, '-');
    if (!take(reader, '0') && !skip_digits(reader)) {
        return false;
    }
    if (take(reader, '.') && !skip_digits(reader)) {
        return false;
    }
    if (!take(reader, 'e') && !take(reader, 'E')) {
        return true;
    }
    if (!take(reader, '+')) {
        (void)take(reader, '-');
    }
    return skip_digits(reader);
}

static bool read_number(struct reader *reader, struct json_value *out)
{
    const char *begin = reader->at;
    char digits[NUMBER_MAX_BYTES + 1] = "";
    if (!skip_number(reader) || reader->at - begin > NUMBER_MAX_BYTES) {
        return false;
    }
    memcpy(digits, begin, (size_t)(reader->at - begin));
    out->type = JSON_NUMBER;
    out->number = strtod_l(digits, NULL, reader->c_locale);
    return true;
}

/* Four hexadecimal digits; UINT32_MAX: others. */
static uint32_t read_unit(struct reader *reader)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        const char c = peek(reader);
        const char lower = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            unit = unit << 4 | (uint32_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit << 4 | (uint32_t)(lower - 'a' + 10);
        } else {
            return UINT32_MAX;
        }
    }
    return unit;
}

static void put_utf8(struct reader *reader, uint32_t character)
{
    const uint32_t more = character < 0x80      ? 0
                          : character < 0x800   ? 1
                          : character < 0x10000 ? 2
                                                : 3;
    static const uint8_t lead[] = {0x00, 0xc0, 0xe0, 0xf0};
    *reader->strings++ = (char)(lead[more] | character >> (6 * more));
    for (uint32_t i = more; i-- > 0;) {
        *reader->strings++ = (char)(0x80 | (character >> (6 * i) & 0x3f));
    }
}

/* After \u: a character, or both halves of one. */
static bool read_unicode(struct reader *reader)
{
    uint32_t character = read_unit(reader);
    if (character >= 0xd800 && character <= 0xdbff) {
        const uint32_t low = take_word(reader, "\\u") ? read_unit(reader) : 0;
        if (low < 0xdc00 || low > 0xdfff) {
            return false;
        }
        character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
    } else if (character == 0 || character > 0xffff ||
               (character >= 0xdc00 && character <= 0xdfff)) {
        return false;
    }
    put_utf8(reader, character);
    return true;
}

static bool read_escape(struct reader *reader)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char c = peek(reader);
    if (c == 'u') {
        reader->at++;
        return read_unicode(reader);
    }
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter) {
        return false;
    }
    reader->at++;
    *reader->strings++ = meant[letter - letters];
    return true;
}

static bool read_string(struct reader *reader, const char **out)
{
    *out = reader->strings;
    if (!take(reader, '"')) {
        return false;
    }
    while (!take(reader, '"')) {
        if (take(reader, '\\')) {
            if (!read_escape(reader)) {
                return false;
            }
        } else if ((uint8_t)peek(reader) >= 0x20) {
            *reader->strings++ = *reader->at++;
        } else {
            return false;
        }
    }
    *reader->strings++ = '\0';
    return true;
}

static bool read_member(struct reader *reader, struct json_value *out)
{
    if (!read_string(reader, &out->name)) {
        return false;
    }
    skip_space(reader);
    if (!take(reader, ':')) {
        return false;
    }
    skip_space(reader);
    return read_value(reader, out);
}

static bool read_items(struct reader *reader, struct json_value *container, char close)
{
    const struct json_value **link = &container->child;
    do {
        struct json_value *item = reader->nodes++;
        *link = item;
        link = &item->next;
        container->count++;
        skip_space(reader);
        const bool good =
            container->type == JSON_OBJECT ? read_member(reader, item) : read_value(reader, item);
        if (!good) {
            return false;
        }
        skip_space(reader);
    } while (take(reader, ','));
    return take(reader, close);
}

static bool read_container(struct reader *reader, struct json_value *out)
{
    const bool object = peek(reader) == '{';
    const char close = object ? '}' : ']';
    out->type = object ? JSON_OBJECT : JSON_ARRAY;
    reader->at++;
    skip_space(reader);
    if (take(reader, close)) {
        return true;
    }
    const bool good = ++reader->depth <= DEPTH_MAX && read_items(reader, out, close);
    reader->depth--;
    return good;
}

static bool read_value(struct reader *reader, struct json_value *out)
{
    switch (peek(reader)) {
    case '{':
    case '[':
        return read_container(reader, out);
    case '"':
        out->type = JSON_STRING;
        return read_string(reader, &out->string);
    case 't':
        out->type = JSON_BOOL;
        out->number = 1.0;
        return take_word(reader, "true");
    case 'f':
        out->type = JSON_BOOL;
        return take_word(reader, "false");
    case 'n':
        return take_word(reader, "null");
    default:
        return read_number(reader, out);
    }
}

/* The root, and at most one for each of these. */
static size_t most_values(const char *text, size_t bytes)
{
    size_t count = 1;
    for (size_t i = 0; i < bytes; i++) {
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
    return count;
}

static bool read_text(struct reader *reader, const char **out_end, struct json_value *root)
{
    skip_space(reader);
    if (!read_value(reader, root)) {
        return false;
    }
    if (out_end) {
        *out_end = reader->at;
        return true;
    }
    skip_space(reader);
    return reader->at == reader->end;
}

enum fovea_result json_parse(const char *text, size_t bytes, const char **out_end,
                             struct json_value **out_root)
{
    *out_root = NULL;
    /* A string needs no more bytes here than there, with its quotes. */
    const size_t values = most_values(text, bytes);
    struct json_value *root = calloc(1, values * sizeof *root + bytes);
    struct reader reader = {.at = text, .end = text + bytes, .nodes = root + 1};
    reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!root || !reader.c_locale) {
        free(root);
        if (reader.c_locale) {
            freelocale(reader.c_locale);
        }
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    reader.strings = (char *)(root + values);
    const bool good = read_text(&reader, out_end, root);
    freelocale(reader.c_locale);
    if (!good) {
        free(root);
        return FOVEA_ERROR_CONFIG;
    }
    *out_root = root;
    return FOVEA_OK;
}

void json_destroy(struct json_value **root)
{
    if (root) {
        free(*root);
        *root = NULL;
    }
}

bool json_is(const struct json_value *value, enum json_type type)
{
    return value && value->type == type;
}

bool json_is_true(const struct json_value *value)
{
    return json_is(value, JSON_BOOL) && value->number != 0.0;
}

const struct json_value *json_member(const struct json_value *object, const char *name)
{
    if (!json_is(object, JSON_OBJECT)) {
        return NULL;
    }
    for (const struct json_value *member = object->child; member; member = member->next) {
        if (strcmp(member->name, name) == 0) {
            return member;
        }
    }
    return NULL;
}

const struct json_value *json_element(const struct json_value *array, uint32_t index)
{
    if (!json_is(array, JSON_ARRAY)) {
        return NULL;
    }
    const struct json_value *element = array->child;
    for (; element && index > 0; index--) {
        element = element->next;
    }
    return element;
}
