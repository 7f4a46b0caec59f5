/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "report.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

static void cell_us(FILE *out, double us)
{
    fprintf(out, us < 100.0 ? " %.2f |" : us < 1000.0 ? " %.1f |" : " %.0f |", us);
}

static void cell_spread(FILE *out, const struct bench_times *times)
{
    const char *format = times->median_us < 100.0 ? " %.2f to %.2f |" : " %.0f to %.0f |";
    fprintf(out, format, times->p10_us, times->p90_us);
}

/* Nothing where it is unknown. */
static void cell_known(FILE *out, const char *format, double value)
{
    if (value > 0.0) {
        fprintf(out, format, value);
    } else {
        fputs(" |", out);
    }
}

static double ratio_of(const struct result *row)
{
    return row->reference_us > 0.0 ? row->times.median_us / row->reference_us : 0.0;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void name_cells(const struct result *row, FILE *out)
{
    fprintf(out, "| %s | %s | %s | %s | %s |", row->backend, row->size->name, row->what,
            row->gaze ? row->gaze : "", bench_format_name(row->format));
}

static void picture_row(const struct results *results, const struct result *row, FILE *out)
{
    const double copy_gb_per_s = results_copy_gb_per_s(results, row->backend);
    const double gb_per_s = result_gb_per_s(row);
    name_cells(row, out);
    cell_us(out, row->times.median_us);
    cell_spread(out, &row->times);
    cell_known(out, " %.2f |", ratio_of(row));
    fprintf(out, gb_per_s < 10.0 ? " %.2f |" : " %.0f |", gb_per_s);
    cell_known(out, " %.1f |", copy_gb_per_s > 0.0 ? 100.0 * gb_per_s / copy_gb_per_s : 0.0);
    fprintf(out, " %.2f | %s |\n", result_ps_per_pixel(row), row->way);
}

static void batch_row(const struct results *results, const struct result *row, FILE *out)
{
    fprintf(out, "| %s | %u x %ux%u | %s | %s |", row->backend, row->images, row->size->width_px,
            row->size->height_px, row->what, bench_format_name(row->format));
    cell_us(out, row->times.median_us);
    cell_spread(out, &row->times);
    cell_known(out, " %.2f |", ratio_of(row));
    fprintf(out, " %.0f | %s |\n", row->images / row->times.median_us * 1e6, row->way);
}

static void lens_row(const struct results *results, const struct result *row, FILE *out)
{
    fprintf(out, "| %s | %s | %s |", row->backend, row->size->name, row->what);
    cell_us(out, row->times.median_us);
    cell_spread(out, &row->times);
    cell_known(out, " %.2f |", ratio_of(row));
    cell_known(out, " %.2f |", row->warm.median_us);
    cell_known(out, " %.2f |", row->ours_us > 0.0 ? row->times.median_us / row->ours_us : 0.0);
    fprintf(out, " %s | %s |\n", row->way, row->note);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct {
    const char *title;
    const char *head;
    void (*row)(const struct results *, const struct result *, FILE *);
} tables[RESULT_KIND_COUNT] = {
    [RESULT_PICTURE] =
        {"One picture. x copy: against `copy` of the same size and format. GB/s: one read and one "
         "write of\nevery pixel. % of copy: of this backend's largest copy.",
         "| backend | size | mode | gaze | format | us | p10 to p90 | x copy | GB/s | % of copy | "
         "ps a "
         "pixel | timed by |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
         picture_row},
    [RESULT_BATCH] =
        {"Many small pictures in one go, each with a gaze of its own. x copy: ours against "
         "the copy of RGB8, a copy against its own. And blobs, in a call and step by step, and "
         "light fields.",
         "| backend | pictures | mode | format | us | p10 to p90 | x copy | pictures "
         "a second | timed by |\n|---|---|---|---|---|---|---|---|---|\n",
         batch_row},
    [RESULT_LENS] =
        {"Ways to warp a picture of RGBA8 for a lens: those of the paper, of others, and Fovea's. "
         "Warm: "
         "the same\npicture again and again. x Fovea: against its way that takes the same pixels.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | pixels "
         "|\n|---|---|---|---|---|---|---|---|---|---|\n",
         lens_row},
    [RESULT_FOVEATION] =
        {"A paper's kernel for foveation, with and without what it gained by, a pyramid, and "
         "Fovea. "
         "Warm: the\nsame picture again and again. x Fovea: against Fovea of the same format, "
         "strength and gaze.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | against "
         "double precision |\n|---|---|---|---|---|---|---|---|---|---|\n",
         lens_row},
    [RESULT_THESIS] =
        {"A thesis's ways to blur, and Fovea's engines. Warm: the same picture again and again. x "
         "Fovea:\nagainst Fovea's Gaussian of the same format and sigma.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | against "
         "double precision |\n|---|---|---|---|---|---|---|---|---|---|\n",
         lens_row},
    [RESULT_LIGHTFIELD] =
        {"A paper's kernels for light fields, and Fovea's. x copy: against a copy of the raw "
         "picture. "
         "Warm: the same\nraw picture again and again. x Fovea: against Fovea's with the nearest "
         "pixels.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | against "
         "double precision |\n|---|---|---|---|---|---|---|---|---|---|\n",
         lens_row},
    [RESULT_CSDD] =
        {"A thesis's kernels for blobs, one channel and one scale where nothing else is said, and "
         "Fovea's.\nx copy: against a copy of the picture in floats.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | against "
         "double precision |\n|---|---|---|---|---|---|---|---|---|---|\n",
         lens_row},
};

static void print_table(const struct results *results, enum result_kind kind, FILE *out)
{
    bool begun = false;
    for (size_t i = 0; i < results->row_count; i++) {
        if (results->rows[i].kind != kind) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n%s\n\n%s", tables[kind].title, tables[kind].head);
            begun = true;
        }
        tables[kind].row(results, &results->rows[i], out);
    }
}

void report_text(const struct results *results, FILE *out)
{
    fputs("| | |\n|---|---|\n", out);
    for (size_t i = 0; i < results->machine_count; i++) {
        fprintf(out, "| %s | %s |\n", results->machine[i].what, results->machine[i].why);
    }
    for (int kind = 0; kind < RESULT_KIND_COUNT; kind++) {
        print_table(results, (enum result_kind)kind, out);
    }
    for (size_t i = 0; i < results->absent_count; i++) {
        fprintf(out, "%s- %s: %s\n", i == 0 ? "\n" : "", results->absent[i].what,
                results->absent[i].why);
    }
}
