/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "document.h"

#include "core/log.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* cJSON 1.7 reads at most 63 characters of a number. */
#define NUMBER_MAX_BYTES 60

struct scanner {
    const struct config_text *text;
    size_t at;
    uint32_t depth;
    size_t spot_capacity;
    struct config_scan out;
};

static enum fovea_result scan_value(struct scanner *scanner, size_t name);

static bool at_end(const struct scanner *scanner)
{
    return scanner->at == scanner->text->count;
}

/* The byte that is next; 0 at the end. */
static char peek(const struct scanner *scanner)
{
    return at_end(scanner) ? 0 : scanner->text->bytes[scanner->at];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '+' || c == '.' || c == '$';
}

static enum fovea_result out_of_memory(const struct scanner *scanner)
{
    log_error(scanner->text->log, "%s: out of memory", scanner->text->name);
    return FOVEA_ERROR_OUT_OF_MEMORY;
}

/* Returns the word here for a message: a word, a character, or the end. */
static struct config_quote found(const struct scanner *scanner)
{
    const char *bytes = scanner->text->bytes + scanner->at;
    size_t left = scanner->text->count - scanner->at;
    if (left == 0) {
        return config_quote("the end", 7);
    }
    size_t length = 0;
    while (length < left && is_word(bytes[length])) {
        length++;
    }
    return config_quote(bytes, length ? length : config_utf8_length(bytes, left));
}

static enum fovea_result expected(const struct scanner *scanner, const char *what)
{
    return config_text_fail(scanner->text, scanner->at, "", "expected %s; found %s", what,
                            found(scanner).text);
}

static size_t line_length(const char *bytes, size_t left)
{
    size_t length = 0;
    while (length < left && bytes[length] != '\n' && bytes[length] != '\r') {
        length++;
    }
    return length;
}

/* 0: it does not end. */
static size_t block_comment_length(const char *bytes, size_t left)
{
    const char *close = memmem(bytes + 2, left - 2, "*/", 2);
    return close ? (size_t)(close - bytes) + 2 : 0;
}

static enum fovea_result skip_comment(struct scanner *scanner)
{
    size_t begin = scanner->at;
    const char *bytes = scanner->text->bytes + begin;
    size_t left = scanner->text->count - begin;
    char kind = left > 1 ? bytes[1] : 0;
    size_t length = 0;
    if (kind == '/') {
        length = line_length(bytes, left);
    } else if (kind == '*') {
        length = block_comment_length(bytes, left);
    } else {
        return expected(scanner, "// or /* for a comment");
    }
    if (length == 0) {
        return config_text_fail(scanner->text, begin, "", "the comment /* has no */");
    }
    memset(scanner->out.plain + begin, ' ', length);
    scanner->at += length;
    return FOVEA_OK;
}

static enum fovea_result skip_space(struct scanner *scanner)
{
    for (;;) {
        char c = peek(scanner);
        if (c == '/') {
            FOVEA_TRY(skip_comment(scanner));
        } else if (is_space(c)) {
            scanner->at++;
        } else {
            return FOVEA_OK;
        }
    }
}

static enum fovea_result push_spot(struct scanner *scanner, size_t name)
{
    struct config_scan *out = &scanner->out;
    if (out->spot_count == scanner->spot_capacity) {
        size_t capacity = scanner->spot_capacity ? scanner->spot_capacity * 2 : 64;
        struct config_spot *spots = realloc(out->spots, capacity * sizeof *spots);
        if (!spots) {
            return out_of_memory(scanner);
        }
        out->spots = spots;
        scanner->spot_capacity = capacity;
    }
    out->spots[out->spot_count++] =
        (struct config_spot){.name = (uint32_t)name, .begin = (uint32_t)scanner->at};
    return FOVEA_OK;
}

/* \u and four digits at the given place; UINT32_MAX: not that. */
static uint32_t read_unit(const struct scanner *scanner, size_t at)
{
    const struct config_text *text = scanner->text;
    if (at + 6 > text->count || text->bytes[at] != '\\' || text->bytes[at + 1] != 'u') {
        return UINT32_MAX;
    }
    uint32_t unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = text->bytes[i];
        char lower = (char)(c | 0x20);
        if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) {
            return UINT32_MAX;
        }
        unit = unit << 4 | (uint32_t)(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return unit;
}

static enum fovea_result scan_unicode_escape(struct scanner *scanner)
{
    uint32_t unit = read_unit(scanner, scanner->at);
    size_t length = 6;
    bool good = unit != UINT32_MAX && unit != 0 && !(unit >= 0xdc00 && unit <= 0xdfff);
    if (good && unit >= 0xd800 && unit <= 0xdbff) {
        uint32_t low = read_unit(scanner, scanner->at + 6);
        good = low >= 0xdc00 && low <= 0xdfff;
        length = 12;
    }
    if (!good) {
        return config_text_fail(scanner->text, scanner->at, "",
                                "expected \\u and four hexadecimal digits of a character");
    }
    scanner->at += length;
    return FOVEA_OK;
}

static enum fovea_result scan_escape(struct scanner *scanner)
{
    size_t next = scanner->at + 1;
    char c = next < scanner->text->count ? scanner->text->bytes[next] : 0;
    if (c == 'u') {
        return scan_unicode_escape(scanner);
    }
    if (c == 0 || !strchr("\"\\/bfnrt", c)) {
        return config_text_fail(scanner->text, scanner->at, "",
                                "unknown escape in a string; a backslash is written \\\\");
    }
    scanner->at += 2;
    return FOVEA_OK;
}

static enum fovea_result scan_string(struct scanner *scanner)
{
    size_t begin = scanner->at++;
    while (!at_end(scanner) && peek(scanner) != '"' && (uint8_t)peek(scanner) >= 0x20) {
        if (peek(scanner) == '\\') {
            FOVEA_TRY(scan_escape(scanner));
        } else {
            scanner->at++;
        }
    }
    char c = peek(scanner);
    if (!at_end(scanner) && c != '"' && c != '\n' && c != '\r') {
        return config_text_fail(scanner->text, scanner->at, "",
                                "a control character in a string is written \\u%04x", (unsigned)c);
    }
    if (c != '"') {
        return config_text_fail(scanner->text, begin, "",
                                "the string has no closing \" on its line");
    }
    scanner->at++;
    return FOVEA_OK;
}

static enum fovea_result scan_word(struct scanner *scanner)
{
    const char *bytes = scanner->text->bytes + scanner->at;
    size_t left = scanner->text->count - scanner->at;
    size_t length = 0;
    while (length < left && is_word(bytes[length])) {
        length++;
    }
    bool literal = (length == 4 && (!strncmp(bytes, "true", 4) || !strncmp(bytes, "null", 4))) ||
                   (length == 5 && !strncmp(bytes, "false", 5));
    if (!literal && !config_is_json_number(bytes, length)) {
        return expected(scanner, "a value as JSON writes it");
    }
    if (!literal && length > NUMBER_MAX_BYTES) {
        return config_text_fail(scanner->text, scanner->at, "",
                                "expected a number of at most %d characters", NUMBER_MAX_BYTES);
    }
    scanner->at += length;
    return FOVEA_OK;
}

/* After a value in an object or array: its end, or a comma and another one. */
static enum fovea_result scan_separator(struct scanner *scanner, char close, size_t open_at,
                                        bool *out_closed)
{
    *out_closed = false;
    FOVEA_TRY(skip_space(scanner));
    size_t comma = scanner->at;
    if (peek(scanner) == ',') {
        scanner->at++;
        FOVEA_TRY(skip_space(scanner));
        if (peek(scanner) == close) {
            return config_text_fail(scanner->text, comma, "",
                                    "a comma before %c: JSON has no trailing commas", close);
        }
        return FOVEA_OK;
    }
    if (peek(scanner) == close) {
        scanner->at++;
        *out_closed = true;
        return FOVEA_OK;
    }
    if (at_end(scanner)) {
        struct config_place place = config_text_place(scanner->text, open_at);
        return config_text_fail(scanner->text, scanner->at, "",
                                "the text ends, but the %c of line %u, column %u has no %c",
                                scanner->text->bytes[open_at], place.line, place.column, close);
    }
    return expected(scanner, close == '}' ? "a comma or }" : "a comma or ]");
}

static enum fovea_result scan_member(struct scanner *scanner)
{
    size_t name = scanner->at;
    if (peek(scanner) != '"') {
        return expected(scanner, "a key in double quotes");
    }
    FOVEA_TRY(scan_string(scanner));
    FOVEA_TRY(skip_space(scanner));
    if (peek(scanner) != ':') {
        return expected(scanner, "a colon after the key");
    }
    scanner->at++;
    FOVEA_TRY(skip_space(scanner));
    return scan_value(scanner, name);
}

static enum fovea_result scan_container(struct scanner *scanner)
{
    size_t open_at = scanner->at++;
    bool object = scanner->text->bytes[open_at] == '{';
    char close = object ? '}' : ']';
    if (++scanner->depth > CONFIG_DEPTH_MAX) {
        return config_text_fail(scanner->text, open_at, "", "expected at most %d levels of nesting",
                                CONFIG_DEPTH_MAX);
    }
    FOVEA_TRY(skip_space(scanner));
    bool closed = peek(scanner) == close;
    scanner->at += closed ? 1 : 0;
    while (!closed) {
        if (!at_end(scanner)) {
            FOVEA_TRY(object ? scan_member(scanner) : scan_value(scanner, scanner->at));
        }
        FOVEA_TRY(scan_separator(scanner, close, open_at, &closed));
    }
    scanner->depth--;
    return FOVEA_OK;
}

/* name: where the value's name began; scanner->at where it has none. */
static enum fovea_result scan_value(struct scanner *scanner, size_t name)
{
    size_t number = scanner->out.spot_count;
    FOVEA_TRY(push_spot(scanner, name));
    char c = peek(scanner);
    if (c == '{' || c == '[') {
        FOVEA_TRY(scan_container(scanner));
    } else if (c == '"') {
        FOVEA_TRY(scan_string(scanner));
    } else if (is_word(c)) {
        FOVEA_TRY(scan_word(scanner));
    } else {
        return expected(scanner, "a value");
    }
    scanner->out.spots[number].end = (uint32_t)scanner->at;
    scanner->out.spots[number].next = (uint32_t)scanner->out.spot_count;
    return FOVEA_OK;
}

static enum fovea_result check_bytes(const struct config_text *text)
{
    if (text->count > CONFIG_TEXT_MAX_BYTES) {
        return config_text_fail(text, 0, "", "expected at most %u bytes; found %zu",
                                CONFIG_TEXT_MAX_BYTES, text->count);
    }
    if (text->count >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0) {
        return config_text_fail(text, 0, "", "expected UTF-8 without a byte order mark; found one");
    }
    for (size_t i = 0; i < text->count;) {
        size_t length = config_utf8_length(text->bytes + i, text->count - i);
        if (length == 0 || text->bytes[i] == 0) {
            return config_text_fail(text, i, "", "expected text in UTF-8; found the byte 0x%02x",
                                    (unsigned)(uint8_t)text->bytes[i]);
        }
        i += length;
    }
    return FOVEA_OK;
}

static enum fovea_result scan_text(struct scanner *scanner)
{
    const struct config_text *text = scanner->text;
    FOVEA_TRY(check_bytes(text));
    scanner->out.plain = malloc(text->count + 1);
    if (!scanner->out.plain) {
        return out_of_memory(scanner);
    }
    memcpy(scanner->out.plain, text->bytes, text->count);
    scanner->out.plain[text->count] = 0;
    FOVEA_TRY(skip_space(scanner));
    if (at_end(scanner)) {
        return config_text_fail(text, 0, "", "expected at least {}; found nothing");
    }
    FOVEA_TRY(scan_value(scanner, scanner->at));
    FOVEA_TRY(skip_space(scanner));
    return at_end(scanner) ? FOVEA_OK : expected(scanner, "nothing more");
}

enum fovea_result config_scan(const struct config_text *text, struct config_scan *out_scan)
{
    struct scanner scanner = {.text = text};
    enum fovea_result result = scan_text(&scanner);
    if (result < 0) {
        free(scanner.out.plain);
        free(scanner.out.spots);
        return result;
    }
    *out_scan = scanner.out;
    return FOVEA_OK;
}
