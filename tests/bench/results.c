/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "results.h"

#include "bench.h"

#include <stdarg.h>
#include <stdio.h>

static void *grow(void *items, size_t count, size_t bytes)
{
    void *grown = realloc(items, (count + 1) * bytes);
    bench_need(grown, "out of memory");
    memset((char *)grown + count * bytes, 0, bytes);
    return grown;
}

struct result *results_add(struct results *results)
{
    results->rows = grow(results->rows, results->row_count, sizeof *results->rows);
    struct result *row = &results->rows[results->row_count++];
    row->images = 1;
    return row;
}

void results_add_batch(struct results *results, const char *backend, const struct bench_size *size,
                       const char *what, enum fovea_format format, uint32_t images, const char *way,
                       const struct bench_times *times)
{
    *results_add(results) = (struct result){RESULT_BATCH, backend, size, what,           NULL,
                                            format,       images,  way,  .times = *times};
}

struct domain_result *results_add_domain(struct results *results)
{
    results->domain = grow(results->domain, results->domain_count, sizeof *results->domain);
    return &results->domain[results->domain_count++];
}

static void fill_note(struct result_note *note, const char *what, const char *why)
{
    snprintf(note->what, sizeof note->what, "%s", what);
    snprintf(note->why, sizeof note->why, "%s", why);
}

void results_absent(struct results *results, const char *what, const char *why)
{
    for (size_t i = 0; i < results->absent_count; i++) {
        if (strcmp(results->absent[i].what, what) == 0) {
            return;
        }
    }
    results->absent = grow(results->absent, results->absent_count, sizeof *results->absent);
    fill_note(&results->absent[results->absent_count++], what, why);
    bench_say("%s: %s", what, why);
}

void results_machine(struct results *results, const char *what, const char *value)
{
    results->machine = grow(results->machine, results->machine_count, sizeof *results->machine);
    fill_note(&results->machine[results->machine_count++], what, value);
}

const char *results_words(struct results *results, const char *format, ...)
{
    char text[RESULT_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    results->words = grow(results->words, results->word_count, sizeof *results->words);
    char *kept = strdup(text);
    bench_need(kept, "out of memory");
    results->words[results->word_count++] = kept;
    return kept;
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->word_count; i++) {
        free(results->words[i]);
    }
    free(results->words);
    free(results->rows);
    free(results->domain);
    free(results->absent);
    free(results->machine);
    *results = (struct results){0};
}

static double bytes_of(const struct result *row)
{
    return 2.0 * (double)row->images * (double)bench_image_bytes(row->size, row->format);
}

double result_gb_per_s(const struct result *row)
{
    return row->times.median_us > 0.0 ? bytes_of(row) / row->times.median_us * 1e-3 : 0.0;
}

double result_ps_per_pixel(const struct result *row)
{
    const double pixels = (double)row->size->width_px * row->size->height_px * row->images;
    return row->times.median_us * 1e6 / pixels;
}

double results_copy_gb_per_s(const struct results *results, const char *backend)
{
    const struct result *largest = NULL;
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (row->kind == RESULT_PICTURE && strcmp(row->backend, backend) == 0 &&
            strcmp(row->what, "copy") == 0 && (!largest || bytes_of(row) > bytes_of(largest))) {
            largest = row;
        }
    }
    return largest ? result_gb_per_s(largest) : 0.0;
}
