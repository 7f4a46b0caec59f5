/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Points of the domain as tables: how many keep each bound, and the worst of all. */

#include "domain.h"

#define WORST 10

/* Above 1: the bound is broken. 0: the library refused the point. */
static double part_of_bound(const struct domain_result *row)
{
    return row->bound_us > 0.0 ? row->times.median_us / row->bound_us : 0.0;
}

static double x_copy(const struct domain_result *row)
{
    return row->copy_us > 0.0 ? row->times.median_us / row->copy_us : 0.0;
}

static double ps_per_pixel(const struct domain_result *row)
{
    return row->times.median_us * 1e6 /
           ((double)row->images * row->size.width_px * row->size.height_px);
}

static int compare_parts(const void *a, const void *b)
{
    const double x = part_of_bound(*(const struct domain_result *const *)a);
    const double y = part_of_bound(*(const struct domain_result *const *)b);
    return (x < y) - (x > y);
}

/* The worst first. */
static const struct domain_result **sorted(const struct results *results, const char *backend,
                                           size_t *out_count)
{
    const struct domain_result **rows = bench_memory(results->domain_count, sizeof(void *));
    *out_count = 0;
    for (size_t i = 0; i < results->domain_count; i++) {
        if (strcmp(results->domain[i].backend, backend) == 0) {
            rows[(*out_count)++] = &results->domain[i];
        }
    }
    qsort(rows, *out_count, sizeof *rows, compare_parts);
    return rows;
}

static void print_worst(const struct domain_result *const *rows, size_t count, FILE *out)
{
    fputs("\nThe worst, by their part of the bound; above 1 it is broken.\n\n"
          "| point | what | us | x copy | ps a pixel | bound, us | part of it |\n"
          "|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < count && i < WORST && rows[i]->bound_words;
         i++) { /* the refused are last */
        fprintf(out, "| %u | %s | %.1f | %.1f | %.1f | %.1f | %.2f |\n", rows[i]->number,
                rows[i]->words, rows[i]->times.median_us, x_copy(rows[i]), ps_per_pixel(rows[i]),
                rows[i]->bound_us, part_of_bound(rows[i]));
    }
}

/* Points of one bound: the first of it stands for all. */
static void print_bound(const struct domain_result *const *rows, size_t count, size_t first,
                        FILE *out)
{
    size_t of_it = 0;
    size_t broken = 0;
    for (size_t i = first; i < count; i++) {
        if (rows[i]->bound_words == rows[first]->bound_words) {
            of_it++;
            broken += part_of_bound(rows[i]) > 1.0;
        }
    }
    fprintf(out, "| %s | %zu | %zu | %.2f |\n", rows[first]->bound_words, of_it, broken,
            part_of_bound(rows[first]));
}

static bool is_first_of_its_bound(const struct domain_result *const *rows, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (rows[i]->bound_words == rows[at]->bound_words) {
            return false;
        }
    }
    return rows[at]->bound_words != NULL;
}

static bool report_backend(const struct results *results, const char *backend, FILE *out)
{
    size_t count = 0;
    const struct domain_result **rows = sorted(results, backend, &count);
    size_t refused = 0;
    bool kept = true;
    if (count > 0) {
        fprintf(out,
                "\n%s: %zu random points of the domain, seed %llu.\n\n"
                "| bound | points | broken | worst part of it |\n|---|---|---|---|\n",
                backend, count, (unsigned long long)results->domain_seed);
        for (size_t i = 0; i < count; i++) {
            refused += !rows[i]->bound_words;
            kept = kept && part_of_bound(rows[i]) <= 1.0;
            if (is_first_of_its_bound(rows, i)) {
                print_bound(rows, count, i, out);
            }
        }
        print_worst(rows, count, out);
        if (refused > 0) {
            fprintf(out, "\nRefused, because no image of that size needs such a blur: %zu.\n",
                    refused);
        }
    }
    free(rows);
    return kept;
}

bool domain_report(const struct results *results, FILE *out)
{
    static const char *const backends[] = {"cuda", "vulkan", "cpu"};
    bool kept = true;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        kept = report_backend(results, backends[i], out) && kept;
    }
    return kept;
}
