/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files of weights: text with a row of numbers a line, or a PNG picture, white 1 and black 0. */

#include "kernels/blur/table.h"

#include "core/log.h"
#include "kernels/foveate/model/map_png.h"
#include "kernels/operator/operator.h"

#include <locale.h>
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

/* ---- Text */

struct text {
    const char *at;
    const char *end;
    uint32_t line;
    char *problem;
    double *weights;
    size_t count;
    size_t capacity;
};

static enum fovea_result wrong(const struct text *text, const char *what)
{
    snprintf(text->problem, BLUR_PROBLEM_BYTES, "%u:1: %s", text->line, what);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result add_weight(struct text *text, double weight)
{
    if (!(weight >= 0.0) || !isfinite(weight)) {
        return wrong(text, "weights are numbers from 0 on");
    }
    if (text->count == text->capacity) {
        const size_t capacity = text->capacity ? 2 * text->capacity : 256;
        double *grown = realloc(text->weights, capacity * sizeof *grown);
        if (!grown) {
            return FOVEA_ERROR_OUT_OF_MEMORY;
        }
        text->weights = grown;
        text->capacity = capacity;
    }
    text->weights[text->count++] = weight;
    return FOVEA_OK;
}

static bool separates(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

_Static_assert(BLUR_PROBLEM_BYTES == OPERATOR_PROBLEM_BYTES, "one for all");

#define NUMBER_BYTES 64 /* of one that is written down */

/* What is left of the line from the number on; strtod would read beyond the file's end. */
static enum fovea_result read_number(struct text *text)
{
    char word[NUMBER_BYTES];
    size_t length = 0;
    while (text->at < text->end && *text->at != '\n' && *text->at != '#' && !separates(*text->at)) {
        if (length + 1 == sizeof word) {
            return wrong(text, "this is no number");
        }
        word[length++] = *text->at++;
    }
    word[length] = '\0';
    char *after = NULL;
    const double weight = strtod(word, &after);
    return after == word || *after != '\0' ? wrong(text, "this is no number")
                                           : add_weight(text, weight);
}

/* The numbers of a line, which may be none. */
static enum fovea_result read_line(struct text *text, uint32_t *out_count)
{
    *out_count = 0;
    text->line++;
    while (text->at < text->end && *text->at != '\n') {
        if (separates(*text->at)) {
            text->at++;
        } else if (*text->at == '#') {
            while (text->at < text->end && *text->at != '\n') {
                text->at++;
            }
        } else {
            FOVEA_TRY(read_number(text));
            (*out_count)++;
        }
    }
    text->at += text->at < text->end ? 1 : 0;
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
            return wrong(text, "this row has another number of weights than the first one");
        }
        *out_columns = count;
        if (++*out_rows > BLUR_TABLE_MOST || count > BLUR_TABLE_MOST) {
            return wrong(text, "a table has at most 1025 rows and columns");
        }
    }
    const char *problem = wrong_with(text->weights, text->count);
    return problem ? wrong(text, problem) : FOVEA_OK;
}

static enum fovea_result read_text(const char *bytes, size_t count, char *out_problem,
                                   struct shared_data **out_data)
{
    struct text text = {.at = bytes, .end = bytes + count, .problem = out_problem};
    uint32_t columns;
    uint32_t rows;
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* has points in numbers */
    if (!c_locale) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const locale_t programs = uselocale(c_locale); /* of this thread alone */
    const enum fovea_result result = read_rows(&text, &columns, &rows);
    uselocale(programs);
    freelocale(c_locale);
    if (result < 0) {
        free(text.weights);
        return result;
    }
    return make_table(text.weights, columns, rows, out_data);
}

/* ---- Pictures */

static enum fovea_result wrong_picture(char *out_problem, const char *what)
{
    snprintf(out_problem, BLUR_PROBLEM_BYTES, "%s", what);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result take_picture(const struct foveate_map_picture *picture, char *out_problem,
                                      struct shared_data **out_data)
{
    const size_t count = (size_t)picture->width * picture->height;
    if (picture->width > BLUR_TABLE_MOST || picture->height > BLUR_TABLE_MOST) {
        return wrong_picture(out_problem, "a picture has at most 1025 x 1025 pixels");
    }
    double *weights = malloc(count * sizeof *weights);
    if (!weights) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        weights[i] = (double)picture->values[i];
    }
    if (wrong_with(weights, count)) {
        free(weights);
        return wrong_picture(out_problem, "the picture is black");
    }
    return make_table(weights, picture->width, picture->height, out_data);
}

static enum fovea_result read_picture(const char *bytes, size_t count, char *out_problem,
                                      struct shared_data **out_data)
{
    struct foveate_map_picture picture;
    const struct fovea_log silent = {0}; /* its words are of maps */
    const enum fovea_result result =
        foveate_map_png_decode((const unsigned char *)bytes, count, "blur.file", silent, &picture);
    if (result == FOVEA_ERROR_UNSUPPORTED) {
        (void)wrong_picture(out_problem, "this build of Fovea reads no pictures (libstb-dev)");
        return result;
    }
    if (result < 0) {
        return result == FOVEA_ERROR_OUT_OF_MEMORY
                   ? result
                   : wrong_picture(out_problem, "it is no picture that can be read");
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
