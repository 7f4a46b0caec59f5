/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_scanpath_file.h"

#include "core/log.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 64 /* longer than any number worth writing */
#define QUOTE_BYTES 40
#define TIME_LIMIT_NS 4e18

enum column { COLUMN_T, COLUMN_X, COLUMN_Y, COLUMN_CONFIDENCE, COLUMN_KINDS };

static const char *const COLUMN_NAMES[] = {"t", "x", "y", "confidence"};

/* A part of the text. */
struct span {
    const char *begin;
    const char *end;
};

struct parser {
    const char *name;
    struct fovea_log log;
    locale_t c_locale; /* the program's may write numbers with a comma */
    struct span rest;
    struct span line; /* the line being read, without its ends */
    size_t line_number;
    enum column columns[COLUMN_KINDS];
    size_t column_count;
    double ns_per_unit; /* of the time column */
    double first_t;
    size_t capacity;
    struct gaze_scanpath_rows rows;
};

static size_t span_bytes(struct span span)
{
    return (size_t)(span.end - span.begin);
}

static bool span_is(struct span span, const char *text)
{
    return span_bytes(span) == strlen(text) && memcmp(span.begin, text, span_bytes(span)) == 0;
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
static void quote(struct span span, char out[QUOTE_BYTES])
{
    size_t n = 0;
    for (const char *p = span.begin; p < span.end && n < QUOTE_BYTES - 1; p++) {
        out[n++] = *p >= ' ' && *p <= '~' ? *p : '?';
    }
    out[n] = '\0';
}

static enum fovea_result wrong(const struct parser *parser, const char *where, const char *what)
{
    log_error(parser->log, "%s:%zu:%zu: %s", parser->name, parser->line_number,
              (size_t)(where - parser->line.begin) + 1, what);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result wrong_field(const struct parser *parser, struct span field,
                                     const char *column, const char *expected)
{
    char text[QUOTE_BYTES];
    char what[192];
    quote(field, text);
    snprintf(what, sizeof what, "%s is \"%s\"; it must be %s", column, text, expected);
    return wrong(parser, field.begin, what);
}

/* The next line that says something; false at the end. */
static bool next_line(struct parser *parser)
{
    while (parser->rest.begin < parser->rest.end) {
        const char *newline = memchr(parser->rest.begin, '\n', span_bytes(parser->rest));
        const char *end = newline ? newline : parser->rest.end;
        parser->line = (struct span){parser->rest.begin, end};
        parser->line_number++;
        parser->rest.begin = newline ? newline + 1 : end;
        const struct span content = trimmed(parser->line);
        if (span_bytes(content) > 0 && *content.begin != '#') {
            return true;
        }
    }
    return false;
}

/* Takes the field before the next comma out of *fields, whose begin is NULL after the last one. */
static bool next_field(struct span *fields, struct span *out_field)
{
    if (!fields->begin) {
        return false;
    }
    const char *comma = memchr(fields->begin, ',', span_bytes(*fields));
    *out_field = trimmed((struct span){fields->begin, comma ? comma : fields->end});
    fields->begin = comma ? comma + 1 : NULL;
    return true;
}

static bool parse_number(const struct parser *parser, struct span field, double *out)
{
    char text[NUMBER_BYTES];
    const size_t bytes = span_bytes(field);
    if (bytes == 0 || bytes >= sizeof text) {
        return false;
    }
    memcpy(text, field.begin, bytes);
    text[bytes] = '\0';
    if (strspn(text, "0123456789+-.eE") != bytes) {
        return false;
    }
    char *end = NULL;
    *out = strtod_l(text, &end, parser->c_locale);
    return end == text + bytes && isfinite(*out);
}

/* The column that a head names, and the unit of time that it gives. */
static bool head_column(struct span head, enum column *out_column, double *out_ns_per_unit)
{
    static const struct {
        const char *name;
        double ns_per_unit;
    } times[] = {{"t", 1e9}, {"t_s", 1e9}, {"t_ms", 1e6}, {"t_ns", 1.0}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (span_is(head, times[i].name)) {
            *out_column = COLUMN_T;
            *out_ns_per_unit = times[i].ns_per_unit;
            return true;
        }
    }
    for (int column = COLUMN_X; column < COLUMN_KINDS; column++) {
        if (span_is(head, COLUMN_NAMES[column])) {
            *out_column = (enum column)column;
            return true;
        }
    }
    return false;
}

static bool has_column(const struct parser *parser, enum column column)
{
    for (size_t i = 0; i < parser->column_count; i++) {
        if (parser->columns[i] == column) {
            return true;
        }
    }
    return false;
}

static enum fovea_result parse_header(struct parser *parser)
{
    if (!next_line(parser)) {
        parser->line = parser->rest;
        parser->line_number++;
        return wrong(parser, parser->line.begin,
                     "nothing here; the first line must be t,x,y[,confidence]");
    }
    struct span fields = parser->line;
    struct span head;
    while (next_field(&fields, &head)) {
        enum column column;
        if (!head_column(head, &column, &parser->ns_per_unit)) {
            return wrong_field(parser, head, "the column's name",
                               "one of t (or t_s, t_ms, t_ns), x, y and confidence");
        }
        if (has_column(parser, column)) {
            return wrong(parser, head.begin, "this column is named twice");
        }
        parser->columns[parser->column_count++] = column;
    }
    for (int column = COLUMN_T; column <= COLUMN_Y; column++) {
        if (!has_column(parser, (enum column)column)) {
            return wrong(parser, parser->line.end, "t, x and y are needed; one is not named");
        }
    }
    return FOVEA_OK;
}

static enum fovea_result append(struct parser *parser, const struct gaze_scanpath_row *row)
{
    struct gaze_scanpath_rows *rows = &parser->rows;
    if (rows->count == parser->capacity) {
        const size_t capacity = parser->capacity ? parser->capacity * 2 : 256;
        struct gaze_scanpath_row *grown = realloc(rows->rows, capacity * sizeof *grown);
        if (!grown) {
            log_error(parser->log, "%s: out of memory after %zu rows", parser->name, rows->count);
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        rows->rows = grown;
        parser->capacity = capacity;
    }
    rows->rows[rows->count++] = *row;
    return FOVEA_OK;
}

/* The difference is taken before the scaling: seconds since 1970 leave no digits to waste. */
static enum fovea_result check_time(struct parser *parser, struct span field, double value,
                                    int64_t *out_t_ns)
{
    const struct gaze_scanpath_rows *rows = &parser->rows;
    if (rows->count == 0) {
        parser->first_t = value;
    }
    const double t_ns = (value - parser->first_t) * parser->ns_per_unit;
    if (!(fabs(t_ns) < TIME_LIMIT_NS)) {
        return wrong_field(parser, field, "t", "within a hundred years of the first row");
    }
    *out_t_ns = llround(t_ns);
    if (rows->count > 0 && *out_t_ns < rows->rows[rows->count - 1].t_ns) {
        return wrong_field(parser, field, "t", "no earlier than in the row before");
    }
    return FOVEA_OK;
}

static enum fovea_result parse_value(struct parser *parser, enum column column, struct span field,
                                     struct gaze_scanpath_row *row)
{
    double value = 0.0;
    if (!parse_number(parser, field, &value)) {
        return wrong_field(parser, field, COLUMN_NAMES[column],
                           "a finite number (a missing sample is a row with confidence 0)");
    }
    switch (column) {
    case COLUMN_T:
        return check_time(parser, field, value, &row->t_ns);
    case COLUMN_X:
        row->x = value;
        break;
    case COLUMN_Y:
        row->y = value;
        break;
    default:
        row->confidence = value;
        if (value < 0.0 || value > 1.0) {
            return wrong_field(parser, field, "confidence", "0 to 1");
        }
    }
    return FOVEA_OK;
}

static enum fovea_result parse_row(struct parser *parser)
{
    struct gaze_scanpath_row row = {.confidence = 1.0};
    struct span fields = parser->line;
    struct span field = fields;
    for (size_t i = 0; i < parser->column_count; i++) {
        if (!next_field(&fields, &field)) {
            return wrong(parser, parser->line.end, "there are fewer values than columns");
        }
        FOVEA_TRY(parse_value(parser, parser->columns[i], field, &row));
    }
    if (next_field(&fields, &field)) {
        return wrong(parser, field.begin, "there are more values than columns");
    }
    return append(parser, &row);
}

static enum fovea_result parse_all(struct parser *parser)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (span_bytes(parser->rest) >= 3 && memcmp(parser->rest.begin, byte_order_mark, 3) == 0) {
        parser->rest.begin += 3;
    }
    FOVEA_TRY(parse_header(parser));
    while (next_line(parser)) {
        FOVEA_TRY(parse_row(parser));
    }
    if (parser->rows.count == 0) {
        return wrong(parser, parser->line.end, "there are no rows below the columns' names");
    }
    return FOVEA_OK;
}

enum fovea_result gaze_scanpath_parse(const char *text, size_t bytes, const char *name,
                                      struct fovea_log log, struct gaze_scanpath_rows *out)
{
    *out = (struct gaze_scanpath_rows){0};
    struct parser parser = {.name = name, .log = log, .rest = {text, text + bytes}};
    parser.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!parser.c_locale) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = parse_all(&parser);
    freelocale(parser.c_locale);
    *out = parser.rows;
    if (result < 0) {
        gaze_scanpath_rows_finish(out);
    }
    return result;
}

void gaze_scanpath_rows_finish(struct gaze_scanpath_rows *rows)
{
    free(rows->rows);
    *rows = (struct gaze_scanpath_rows){0};
}
