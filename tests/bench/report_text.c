/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "report.h"

#include <string.h>

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

static void beside_row(const struct results *results, const struct result *row, FILE *out)
{
    name_cells(row, out);
    cell_us(out, row->times.median_us);
    cell_spread(out, &row->times);
    cell_known(out, " %.2f |", row->reference_us);
    cell_known(out, " %.2f |", ratio_of(row));
    fprintf(out, " %s | %s |\n", row->way, row->note);
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
         "the copy of RGB8, a copy against its own.",
         "| backend | pictures | mode | format | us | p10 to p90 | x copy | pictures "
         "a second | timed by |\n|---|---|---|---|---|---|---|---|---|\n",
         batch_row},
    [RESULT_BESIDE] = {"What others need for the same picture. x Fovea: against ours in this run.",
                       "| beside | size | what | gaze | format | us | p10 to p90 | Fovea, us | x "
                       "Fovea | timed by | |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
                       beside_row},
    [RESULT_LENS] =
        {"Ways to warp a picture of RGBA8 for a lens: those of the paper, of others, and Fovea's. "
         "Warm: "
         "the same\npicture again and again. x Fovea: against its way that takes the same pixels.",
         "| on | size | way | us | p10 to p90 | x copy | warm, us | x Fovea | timed by | pixels "
         "|\n|---|---|---|---|---|---|---|---|---|---|\n",
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

static void frame_row(const struct frame_result *frame, FILE *out)
{
    const double gap_us = frame->gap_with_us - frame->gap_without_us;
    fprintf(out, "| %s | %s | %s |", frame->backend, frame->path, frame->size->name);
    cell_us(out, frame->without.median_us);
    cell_us(out, frame->with.median_us);
    fprintf(out, " %.1f |", frame->added.median_us);
    fprintf(out, " %.1f to %.1f |", frame->added.p10_us, frame->added.p90_us);
    cell_us(out, frame->kernel_us);
    fprintf(out, " %.1f |", gap_us - frame->kernel_us);
    cell_us(out, frame->cpu.median_us);
    cell_us(out, frame->submits_cpu_us);
    fprintf(out, " %.1f | %s%s |\n", frame->cpu.median_us - frame->submits_cpu_us, frame->sync,
            frame->queued_late ? ", the GPU waited for the CPU" : "");
}

static void print_frames(const struct results *results, FILE *out)
{
    if (results->frame_count == 0) {
        return;
    }
    fputs(
        "\nA frame of an engine with Fovea, and with as many empty submits in its place; times are "
        "medians, in\nmicroseconds. GPU: by Vulkan's timestamps from the begin of drawing to the "
        "end of what shows the frame; added: from\nthe end of drawing on, with less without, of "
        "each "
        "pair of frames.\nBesides the kernel: copies, and handing over to the kernel "
        "and back. CPU: of the calling thread.\n\n"
        "| backend | path | size | GPU without | GPU with | added | p10 to p90 | kernel | besides "
        "the kernel | "
        "CPU with | CPU of empty submits | CPU added | sync |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        out);
    for (size_t i = 0; i < results->frame_count; i++) {
        frame_row(&results->frames[i], out);
    }
}

static void print_scales(const struct results *results, FILE *out)
{
    if (results->scale_count == 0) {
        return;
    }
    fputs("\nOne process with a thread and a context for each GPU. Of linear: against as many "
          "times what "
          "one GPU\ndoes alone.\n\n"
          "| case | GPUs | pictures a second | p10 to p90 | of linear |\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < results->scale_count; i++) {
        const struct scale_result *scale = &results->scales[i];
        fprintf(out, "| %s | %u | %.0f | %.0f to %.0f | %.1f %% |\n", scale->what, scale->gpus,
                scale->pictures_per_s, scale->least_per_s, scale->most_per_s,
                100.0 * scale->of_linear);
    }
}

static void handover_row(const char *name, const struct bench_times *times, FILE *out)
{
    fprintf(out, "| %s |", name);
    cell_us(out, times->median_us);
    cell_spread(out, times);
    fputc('\n', out);
}

static void print_handover(const struct handover_result *handover, FILE *out)
{
    if (handover->measured) {
        fputs("\nThe hand-over between Vulkan and CUDA on the GPU's own clock, timeline "
              "semaphores.\n\n"
              "| from, to | us | p10 to p90 |\n|---|---|---|\n",
              out);
        handover_row("Vulkan's work before its signal, a kernel's start", &handover->to_kernel,
                     out);
        handover_row("an empty kernel's start, Vulkan's work behind its wait",
                     &handover->from_kernel, out);
        handover_row("both, on Vulkan's clock alone", &handover->both, out);
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
    print_frames(results, out);
    print_scales(results, out);
    print_handover(&results->handover, out);
    for (size_t i = 0; i < results->absent_count; i++) {
        fprintf(out, "%s- %s: %s\n", i == 0 ? "\n" : "", results->absent[i].what,
                results->absent[i].why);
    }
}
