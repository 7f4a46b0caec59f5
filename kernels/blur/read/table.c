/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files of weights: text with a row of numbers a line, or a PNG picture, white 1 and black 0. */

#include "kernels/blur/table.h"

#include "core/json_text.h"
#include "core/log.h"
#include "kernels/image/png_samples.h"
#include "kernels/operator/operator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_table(struct shared_data *data)
{
    free(((struct blur_table *)data)->weights);
    free(data);
}

/* The weights are the table's from then on. */
static enum fovea_result make_table(double *weights, uint32_t columns, uint32_t rows,
                                    struct shared_data **out_data)
{
    struct blur_table *table = calloc(1, sizeof *table);
    if (!table) {
        free(weights);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    shared_data_init(&table->base, free_table);
    table->columns = columns;
    table->rows = rows;
    table->weights = weights;
    *out_data = &table->base;
    return FOVEA_OK;
}

/* NULL: nothing. A sum that is not finite would leave no weight of any. */
static const char *wrong_with(const double *weights, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i];
    }
    return !(sum > 0.0)     ? "there is no weight above 0"
           : !isfinite(sum) ? "the weights are too large to be added"
                            : NULL;
}

/* The whole file is wrong, and no place in it. */
static enum fovea_result wrong_whole(char *out_problem, const char *what)
{
    snprintf(out_problem, BLUR_PROBLEM_BYTES, "%s", what);
    return FOVEA_ERROR_CONFIG;
}

/* ---- Text */

struct text {
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
    char *problem;
    double *weights;
    size_t count;
    size_t capacity;
};

static enum fovea_result wrong(const struct text *text, const char *at, const char *what)
{
    snprintf(text->problem, BLUR_PROBLEM_BYTES, "%u:%zu: %s", text->line,
             (size_t)(at - text->line_start) + 1, what);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result add_weight(struct text *text, double weight)
{
    if (text->count == text->capacity) {
        const size_t capacity = text->capacity ? 2 * text->capacity : 256;
        double *grown = realloc(text->weights, capacity * sizeof *grown);
        FOVEA_TRY_MEMORY(grown);
        text->weights = grown;
        text->capacity = capacity;
    }
    text->weights[text->count++] = weight;
    return FOVEA_OK;
}

static bool ends_line(const struct text *text, const char *at)
{
    return at == text->end || *at == '\n' || *at == '#' ||
           (*at == '\r' && (at + 1 == text->end || at[1] == '\n'));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && is_blank(*text->at)) {
        text->at++;
    }
}

_Static_assert(BLUR_PROBLEM_BYTES == OPERATOR_PROBLEM_BYTES, "one for all");

static enum fovea_result read_number(struct text *text)
{
    const char *start = text->at;
    double weight = 0.0;
    while (!ends_line(text, text->at) && !is_blank(*text->at) && *text->at != ',') {
        text->at++;
    }
    if (text->at == start) {
        return wrong(text, start, "there is no number before this comma");
    }
    if (json_decimal(start, text->at, &weight) != text->at) {
        return wrong(text, start, "this is no number");
    }
    return weight >= 0.0 && isfinite(weight)
               ? add_weight(text, weight)
               : wrong(text, start, "weights are numbers from 0 on, below 1.8e308");
}

/* A comma between two numbers is as good as a blank; the other side of it is not empty. */
static enum fovea_result read_separator(struct text *text)
{
    skip_blanks(text);
    if (text->at < text->end && *text->at == ',') {
        const char *comma = text->at++;
        skip_blanks(text);
        if (ends_line(text, text->at)) {
            return wrong(text, comma, "there is no number behind this comma");
        }
    }
    return FOVEA_OK;
}

/* The numbers of a line, which may be none. */
static enum fovea_result read_line(struct text *text, uint32_t *out_count)
{
    *out_count = 0;
    text->line++;
    text->line_start = text->at;
    skip_blanks(text);
    while (!ends_line(text, text->at)) {
        FOVEA_TRY(read_number(text));
        FOVEA_TRY(read_separator(text));
        (*out_count)++;
    }
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    text->at = newline ? newline + 1 : text->end;
    return FOVEA_OK;
}

static enum fovea_result read_rows(struct text *text, uint32_t *out_columns, uint32_t *out_rows)
{
    *out_columns = *out_rows = 0;
    while (text->at < text->end) {
        uint32_t count;
        FOVEA_TRY(read_line(text, &count));
        if (count == 0) {
            continue;
        }
        if (*out_rows > 0 && count != *out_columns) {
            return wrong(text, text->line_start,
                         "this row has another number of weights than the first one");
        }
        *out_columns = count;
        if (++*out_rows > BLUR_TABLE_MOST || count > BLUR_TABLE_MOST) {
            return wrong(text, text->line_start, "a table has at most 1025 rows and columns");
        }
    }
    const char *problem = wrong_with(text->weights, text->count);
    return problem ? wrong_whole(text->problem, problem) : FOVEA_OK;
}

static enum fovea_result read_text(const char *bytes, size_t count, char *out_problem,
                                   struct shared_data **out_data)
{
    struct text text = {.at = bytes, .end = bytes + count, .problem = out_problem};
    uint32_t columns;
    uint32_t rows;
    const enum fovea_result result = read_rows(&text, &columns, &rows);
    if (result < 0) {
        free(text.weights);
        return result;
    }
    return make_table(text.weights, columns, rows, out_data);
}

/* ---- Pictures */

static enum fovea_result take_picture(const struct image_png *picture, char *out_problem,
                                      struct shared_data **out_data)
{
    const size_t count = (size_t)picture->width * picture->height;
    if (picture->width > BLUR_TABLE_MOST || picture->height > BLUR_TABLE_MOST) {
        return wrong_whole(out_problem, "a picture has at most 1025 x 1025 pixels");
    }
    double *weights = malloc(count * sizeof *weights);
    FOVEA_TRY_MEMORY(weights);
    for (size_t i = 0; i < count; i++) {
        weights[i] = (double)picture->values[i];
    }
    if (wrong_with(weights, count)) {
        free(weights);
        return wrong_whole(out_problem, "the picture is black");
    }
    return make_table(weights, picture->width, picture->height, out_data);
}

static enum fovea_result read_picture(const char *bytes, size_t count, char *out_problem,
                                      struct shared_data **out_data)
{
    struct image_png picture;
    const struct fovea_log silent = {0}; /* its words are of maps */
    const enum fovea_result result =
        image_png_decode((const unsigned char *)bytes, count, "blur.file", silent, &picture);
    if (result == FOVEA_ERROR_UNSUPPORTED) {
        (void)wrong_whole(out_problem, "this build of Fovea reads no pictures (libstb-dev)");
        return result;
    }
    if (result < 0) {
        return result == FOVEA_ERROR_OUT_OF_MEMORY
                   ? result
                   : wrong_whole(out_problem, "it is no picture that can be read");
    }
    const enum fovea_result taken = take_picture(&picture, out_problem, out_data);
    free(picture.values);
    return taken;
}

enum fovea_result blur_read_file(const char *bytes, size_t count,
                                 char out_problem[BLUR_PROBLEM_BYTES],
                                 struct shared_data **out_data)
{
    static const char png[] = "\x89PNG";
    *out_data = NULL;
    snprintf(out_problem, BLUR_PROBLEM_BYTES, "out of memory");
    return count >= 4 && memcmp(bytes, png, 4) == 0
               ? read_picture(bytes, count, out_problem, out_data)
               : read_text(bytes, count, out_problem, out_data);
}
