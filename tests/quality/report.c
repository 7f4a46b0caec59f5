/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "report.h"

#include "memory.h"
#include "say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKWISE_MAX_LEVELS 1.0
#define BLOCKWISE_MEAN_LEVELS 0.05
#define SMOOTH_MAX_LEVELS 3.0
#define SMOOTH_SSIM 0.9995
#define SMOOTH_SSIM_WORST 0.995

/* Over all pictures of a case and a gaze. */
struct summary {
    double max_levels;
    double mean_levels; /* of the picture with the largest mean */
    double ties; /* of the picture that has most */
    double psnr_db; /* lowest */
    double ssim; /* average */
    double ssim_lowest; /* of a picture */
    double ssim_worst; /* of a window */
    const char *max_name;
    const char *worst_name;
};

static struct summary summarise(const struct measurement *m, size_t c, size_t gaze, size_t backend)
{
    struct summary s = {
        .max_levels = -1.0, .psnr_db = (double)INFINITY, .ssim_lowest = 2.0, .ssim_worst = 2.0};
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct score *score = measure_score(m, i, c, gaze, backend);
        if (score->max_levels > s.max_levels) {
            s.max_levels = score->max_levels;
            s.max_name = m->samples[i].name;
        }
        if (score->ssim_worst < s.ssim_worst) {
            s.ssim_worst = score->ssim_worst;
            s.worst_name = m->samples[i].name;
        }
        s.mean_levels = fmax(s.mean_levels, score->mean_levels);
        s.ties = fmax(s.ties, score->ties);
        s.psnr_db = fmin(s.psnr_db, score->psnr_db);
        s.ssim_lowest = fmin(s.ssim_lowest, score->ssim);
        s.ssim += score->ssim / (double)m->sample_count;
    }
    return s;
}

static bool within(const struct quality_case *c, const struct summary *s)
{
    if (c->method == FOVEA_METHOD_BLOCKWISE) {
        return s->max_levels <= BLOCKWISE_MAX_LEVELS && s->mean_levels < BLOCKWISE_MEAN_LEVELS;
    }
    return s->max_levels <= SMOOTH_MAX_LEVELS && s->ssim >= SMOOTH_SSIM &&
           s->ssim_worst >= SMOOTH_SSIM_WORST;
}

bool report_within_bounds(const struct measurement *m)
{
    bool all = true;
    for (size_t i = 0; i < m->backend_count * quality_case_count * GAZE_COUNT; i++) {
        const size_t gaze = i % GAZE_COUNT;
        const size_t c = i / GAZE_COUNT % quality_case_count;
        const size_t b = i / GAZE_COUNT / quality_case_count;
        const struct summary s = summarise(m, c, gaze, b);
        if (!within(&quality_cases[c], &s)) {
            say_error(
                "%s, %s, gaze %s: %g levels (%s), mean %.4f, SSIM %.5f, worst window %.5f (%s)",
                fovea_backend_name(m->backends[b].kind), quality_cases[c].name,
                quality_gazes[gaze].name, s.max_levels, s.max_name, s.mean_levels, s.ssim,
                s.ssim_worst, s.worst_name);
            all = false;
        }
    }
    return all;
}

static void write_exactness(const struct measurement *m, size_t b, FILE *out)
{
    fputs("| case | gaze | largest error | where | mean error | ties | PSNR, dB | SSIM | lowest "
          "picture | "
          "worst window | where | bounds |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < quality_case_count * GAZE_COUNT; i++) {
        const struct quality_case *c = &quality_cases[i / GAZE_COUNT];
        const struct summary s = summarise(m, i / GAZE_COUNT, i % GAZE_COUNT, b);
        fprintf(out, "| %s | %s | %g | %s | %.4f | %.2g %% | ", c->name,
                quality_gazes[i % GAZE_COUNT].name, s.max_levels,
                s.max_levels > 0.0 ? s.max_name : "", s.mean_levels, 100.0 * s.ties);
        fprintf(out, isinf(s.psnr_db) ? "same" : "%.1f", s.psnr_db);
        fprintf(out, " | %.6f | %.6f | %.5f | %s | %s |\n", s.ssim, s.ssim_lowest, s.ssim_worst,
                s.ssim_worst < 1.0 ? s.worst_name : "", within(c, &s) ? "kept" : "**broken**");
    }
}

static void write_moving(struct measurement *m, size_t b, FILE *out)
{
    fprintf(out, "\nA gaze that moves to the right from the middle, %zu steps:\n\n", m->step_count);
    fputs("| case | step | largest change, levels | mean change | mean of the step that changes "
          "most |\n"
          "|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < MOVING_CASES * STEPS_MAX; i++) {
        const struct steps *s = measure_steps(m, i / STEPS_MAX, i % STEPS_MAX, b);
        fprintf(out, "| %s | %g px | %g | %.4f | %.4f |\n",
                quality_cases[measure_step_cases[i / STEPS_MAX]].name,
                measure_step_px[i % STEPS_MAX], s->largest_levels, s->mean_levels,
                s->worst_mean_levels);
    }
}

static void write_paper(const struct measurement *m, size_t b, FILE *out)
{
    const struct ssim_map *sum = &m->paper_sum[b];
    struct ssim_map map = *sum;
    map.values = memory_make((size_t)map.width * map.height, sizeof *map.values);
    double lowest = 1.0;
    for (size_t i = 0; i < (size_t)map.width * map.height; i++) {
        map.values[i] = sum->values[i] / (double)m->paper_count;
        lowest = fmin(lowest, map.values[i]);
    }
    fprintf(
        out,
        "\nBlockwise, 32 px, beside the pixel-wise foveation of the paper's law; the SSIM maps of "
        "%zu pictures, averaged:\n\n"
        "| average | worst region of 32x32 pixels | worst place | the paper's worst region |\n"
        "|---|---|---|---|\n"
        "| %.4f | %.4f | %.4f | 0.971 |\n",
        m->paper_count, metrics_mean(&map), metrics_worst(&map), lowest);
    free(map.values);
}

static void write_section(struct measurement *m, size_t b, FILE *out)
{
    const char *name = fovea_backend_name(m->backends[b].kind);
    fprintf(out, "<!-- begin %s -->\n## %s\n\n%zu pictures of %ux%u pixels.\n\n", name, name,
            m->sample_count, m->width_px, m->height_px);
    write_exactness(m, b, out);
    write_moving(m, b, out);
    write_paper(m, b, out);
    fprintf(out, "<!-- end %s -->\n\n", name);
}

static const char preface[] =
    "# How exact\n"
    "\n"
    "What each backend makes of pictures, beside the formulas in double precision\n"
    "(kernels/foveate/foveate_reference.c, foveate_reference_smooth.c), rounded to 8 bits. Made "
    "by\n"
    "\n"
    "    ./run quality --report docs/quality.md\n"
    "\n"
    "on the machine's own backends; `--backend NAME` measures one and leaves the sections of the "
    "others\n"
    "as they are. The pictures are drawn by the program: noise, checkers, stripes, zone plates, "
    "text,\n"
    "edges, gradients, landscapes. Photographs alone hide errors.\n"
    "\n"
    "- **largest error**, in levels of 255, of any colour of any pixel of any picture; **mean "
    "error** of\n"
    "  the picture where it is largest; **PSNR** of the picture where it is lowest.\n"
    "- **ties**: how many values lie so close to the middle between two levels (0.01) that either "
    "is a right\n"
    "  rounding, and were rounded the other way than the reference; they count as right. All of a "
    "checker of\n"
    "  one pixel is at 127.5. Share in the picture that has most. Counted strictly, the checker is "
    "noise of\n"
    "  one level to SSIM and breaks the bounds: 0.991 in its worst square, 0.9986 on average of "
    "the five\n"
    "  quick pictures (smooth, paper, encoded, cpu), and a mean error of 0.08 levels for "
    "blockwise, 8 px.\n"
    "- **SSIM** of luma (Wang et al. 2004), uniform windows of 8x8 pixels at every place, C1 = "
    "(0.01 * 255)²,\n"
    "  C2 = (0.03 * 255)²: the average over the pictures; the picture where it is lowest; and the "
    "worst of\n"
    "  all squares of 32x32 pixels, one every 4 pixels.\n"
    "- **bounds**: blockwise at most 1 level and less than 0.05 on average; smooth at most 3 "
    "levels, SSIM at\n"
    "  least 0.9995 on average and 0.995 in the worst square. The program fails where one is "
    "broken.\n"
    "- **cutoffs / 6**: an eye that much worse (`physical.alpha` times 6, the default curve over "
    "6), for as much\n"
    "  blur as the paper's; real ones are mild on 640 pixels.\n"
    "- **ppd** are pixels a degree.\n"
    "- **A gaze that moves**: twelve steps. Blockwise has a grid that follows by whole pixels: "
    "most steps of\n"
    "  a tenth of a pixel change little, and then one changes much.\n"
    "- **The paper's figure** is of Malkin, Deza and Poggio 2020: 30 pictures of theirs, their "
    "program beside\n"
    "  a foveation by the pixel; the window and constants of their SSIM are not published, so the "
    "numbers\n"
    "  stand beside each other and no more. Our smooth method also starts from no blur where the "
    "cutoff\n"
    "  passes the pixels' limit (models.md), and the blockwise one keeps the fragment at the gaze "
    "sharp.\n"
    "\n"
    "What holds for every picture, and the tests that say so:\n"
    "\n"
    "| property | bound | tests |\n"
    "|---|---|---|\n"
    "| identity at strength 0 | every bit | test_foveate_properties, test_smooth_properties: "
    "strength_zero_is_the_identity_in_every_format |\n"
    "| fovea | every bit | test_foveate_properties: "
    "fovea_is_copied_bit_by_bit_and_nothing_around_it; test_foveate_law: "
    "the_fovea_is_copied_bit_by_bit; test_smooth_properties: "
    "pixels_without_sigma_are_copied_bit_by_bit |\n"
    "| mirrored picture and gaze | the mirrored result | test_foveate_properties, "
    "test_foveate_law, test_smooth_properties: mirrored_picture_and_gaze_give_the_mirrored_result "
    "|\n"
    "| constant picture | stays | test_foveate_cover: all_256_levels_stay_what_they_are; "
    "test_foveate_law: a_constant_picture_stays_constant; test_smooth_properties: "
    "flat_pictures_stay_flat_at_every_level |\n"
    "| energy away from borders | kept | test_foveate_properties: mean_of_a_picture_is_kept; "
    "test_smooth_properties: energy_is_kept_in_light |\n"
    "| gaze moved by 0.1 px | bounded | test_foveate_properties: "
    "moving_by_a_tenth_changes_only_where_sigma_changes; test_smooth_properties: "
    "moving_by_a_tenth_of_a_pixel_changes_little; and the tables below |\n"
    "| NaN and Inf | within the filter's reach | test_foveate_formats: "
    "nan_and_inf_reach_as_far_as_the_filter_and_no_further; test_smooth_properties: "
    "nan_stays_within_reach |\n"
    "| 1 level of 8 bits, 1/1000 of a half float | blockwise | test_foveate_exact, "
    "test_foveate_law, test_frame_exact, test_cuda_foveate |\n"
    "\n";

/* The text of a section of an older report, from "<!-- begin" on; the caller frees it. */
static char *old_section(const char *old, const char *name)
{
    char mark[64];
    snprintf(mark, sizeof mark, "<!-- begin %s -->", name);
    const char *begin = old ? strstr(old, mark) : NULL;
    snprintf(mark, sizeof mark, "<!-- end %s -->", name);
    const char *end = begin ? strstr(begin, mark) : NULL;
    return end ? strndup(begin, (size_t)(end - begin) + strlen(mark)) : NULL;
}

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = fopen(path, "r");
    if (file) {
        if (getdelim(&text, &bytes, '\0', file) < 0) {
            free(text);
            text = NULL;
        }
        fclose(file);
    }
    return text;
}

static void write_all(struct measurement *m, const char *old, FILE *out)
{
    static const enum fovea_backend order[] = {FOVEA_BACKEND_CUDA, FOVEA_BACKEND_VULKAN,
                                               FOVEA_BACKEND_CPU};
    fputs(preface, out);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        size_t b = 0;
        while (b < m->backend_count && m->backends[b].kind != order[i]) {
            b++;
        }
        char *kept = b < m->backend_count ? NULL : old_section(old, fovea_backend_name(order[i]));
        if (kept) {
            fprintf(out, "%s\n\n", kept);
        } else if (b < m->backend_count) {
            write_section(m, b, out);
        }
        free(kept);
    }
}

bool report_write(struct measurement *m, const char *path)
{
    for (size_t b = 0; b < m->backend_count; b++) {
        write_section(m, b, stdout);
    }
    if (!path) {
        return true;
    }
    char *old = read_text(path);
    FILE *file = fopen(path, "w");
    if (file) {
        write_all(m, old, file);
    }
    free(old);
    if (!file || fclose(file) != 0) {
        say_error("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    return true;
}
