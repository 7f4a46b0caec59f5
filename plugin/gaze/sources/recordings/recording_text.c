/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "recording_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_BYTES 64 /* longer than any number worth writing */

size_t recording_span_bytes(struct span span)
{
    return (size_t)(span.end - span.begin);
}

bool recording_span_is(struct span span, const char *text)
{
    return recording_span_bytes(span) == strlen(text) &&
           strncasecmp(span.begin, text, recording_span_bytes(span)) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct span trimmed(struct span span)
{
    while (span.begin < span.end && is_blank(*span.begin)) {
        span.begin++;
    }
    while (span.end > span.begin && is_blank(span.end[-1])) {
        span.end--;
    }
    return span;
}

/* Text of a file as it may stand in a message: short, and nothing but printable ASCII. */
static void quote(struct span span, char out[RECORDING_QUOTE_BYTES])
{
    size_t n = 0;
    for (const char *p = span.begin; p < span.end && n < RECORDING_QUOTE_BYTES - 1; p++) {
        out[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
    }
    out[n] = '\0';
}

enum fovea_result recording_wrong(const struct recording_text *text, const char *where,
                                  const char *what)
{
    if (text->line_number == 0) { /* names that settings give, of a table that has none */
        log_error(text->log, "%s: %s", text->name, what);
    } else {
        log_error(text->log, "%s:%zu:%zu: %s", text->name, text->line_number,
                  (size_t)(where - text->line.begin) + 1, what);
    }
    return FOVEA_ERROR_CONFIG;
}

enum fovea_result recording_wrong_field(const struct recording_text *text, struct span field,
                                        const char *name, const char *expected)
{
    char quoted[RECORDING_QUOTE_BYTES];
    char what[320];
    quote(field, quoted);
    snprintf(what, sizeof what, "%s is \"%s\"; it must be %s", name, quoted, expected);
    return recording_wrong(text, field.begin, what);
}

bool recording_next_line(struct recording_text *text)
{
    while (text->rest.begin < text->rest.end) {
        const char *newline = memchr(text->rest.begin, '\n', recording_span_bytes(text->rest));
        const char *end = newline ? newline : text->rest.end;
        text->line = (struct span){text->rest.begin, end};
        text->line_number++;
        text->rest.begin = newline ? newline + 1 : end;
        const struct span content = trimmed(text->line);
        if (recording_span_bytes(content) > 0 && *content.begin != '#') {
            return true;
        }
    }
    return false;
}

char recording_delimiter_of(struct span line)
{
    const size_t bytes = recording_span_bytes(line);
    return memchr(line.begin, '\t', bytes)  ? '\t'
           : memchr(line.begin, ';', bytes) ? ';' /* commas may be decimal ones */
                                            : ',';
}

/* Finds where the field that begins here ends. */
static const char *field_end(struct span fields, char delimiter)
{
    const char *from = fields.begin;
    if (from < fields.end && *from == '"') {
        const char *mark = memchr(from + 1, '"', (size_t)(fields.end - from - 1));
        from = mark ? mark : from;
    }
    const char *end = memchr(from, delimiter, (size_t)(fields.end - from));
    return end ? end : fields.end;
}

static struct span unquoted(struct span field)
{
    const size_t bytes = recording_span_bytes(field);
    if (bytes >= 2 && *field.begin == '"' && field.end[-1] == '"') {
        return trimmed((struct span){field.begin + 1, field.end - 1});
    }
    return field;
}

bool recording_next_field(const struct recording_text *text, struct span *fields,
                          struct span *out_field)
{
    if (!fields->begin) {
        return false;
    }
    const char *end = field_end(*fields, text->delimiter);
    *out_field = unquoted(trimmed((struct span){fields->begin, end}));
    fields->begin = end < fields->end ? end + 1 : NULL;
    return true;
}

struct span recording_next_word(struct span *words)
{
    *words = trimmed(*words);
    struct span word = {words->begin, words->begin};
    while (word.end < words->end && !is_blank(*word.end)) {
        word.end++;
    }
    words->begin = word.end;
    return word;
}

/* Turns a decimal comma into a point, in files whose fields no comma separates. */
static void put_point(char *number)
{
    char *comma = strchr(number, ',');
    if (comma && !strchr(number, '.') && !strchr(comma + 1, ',')) {
        *comma = '.';
    }
}

bool recording_number(const struct recording_text *text, struct span field, double *out_number)
{
    char number[NUMBER_BYTES];
    const size_t bytes = recording_span_bytes(field);
    if (bytes == 0 || bytes >= sizeof number) {
        return false;
    }
    memcpy(number, field.begin, bytes);
    number[bytes] = '\0';
    if (text->delimiter != ',') {
        put_point(number);
    }
    if (strspn(number, "0123456789+-.eE") != bytes) {
        return false;
    }
    char *end = NULL;
    *out_number = strtod_l(number, &end, text->c_locale);
    return end == number + bytes && isfinite(*out_number);
}

bool recording_is_lost(struct span field)
{
    static const char *const words[] = {"", ".", "nan", "-nan", "n/a", "na", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (recording_span_is(field, words[i])) {
            return true;
        }
    }
    return false;
}
