/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "report.h"

#include "memory.h"
#include "say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define BLOCKWISE_MAX_LEVELS 1.0
#define BLOCKWISE_MEAN_LEVELS 0.1
#define SMOOTH_MAX_LEVELS 3.0
#define SMOOTH_SSIM 0.9995
#define SMOOTH_SSIM_WORST 0.995

/* This sums up all pictures of a case and a gaze. */
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

static struct summary summarise(const struct measurement *m, size_t place, size_t gaze,
                                size_t backend)
{
    struct summary s = {
        .max_levels = -1.0, .psnr_db = (double)INFINITY, .ssim_lowest = 2.0, .ssim_worst = 2.0};
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct score *score = measure_score(m, i, place, gaze, backend);
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
    for (size_t i = 0; i < m->backend_count * m->case_count * GAZE_COUNT; i++) {
        const size_t gaze = i % GAZE_COUNT;
        const size_t place = i / GAZE_COUNT % m->case_count;
        const size_t b = i / GAZE_COUNT / m->case_count;
        const struct quality_case *c = &quality_cases[m->cases[place]];
        const struct summary s = summarise(m, place, gaze, b);
        if (!within(c, &s)) {
            say_error("%s, %ux%u, %s, gaze %s: %g levels (%s), mean %.4f, SSIM %.5f, worst window "
                      "%.5f (%s)",
                      fovea_backend_name(m->backends[b].kind), m->width_px, m->height_px, c->name,
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
    for (size_t i = 0; i < m->case_count * GAZE_COUNT; i++) {
        const struct quality_case *c = &quality_cases[m->cases[i / GAZE_COUNT]];
        const struct summary s = summarise(m, i / GAZE_COUNT, i % GAZE_COUNT, b);
        fprintf(out, "| %s | %s | %g | %s | %.4f | %.2g %% | ", c->name,
                quality_gazes[i % GAZE_COUNT].name, s.max_levels,
                s.max_levels > 0.0 ? s.max_name : "", s.mean_levels, 100.0 * s.ties);
        fprintf(out, isinf(s.psnr_db) ? "same" : "%.1f", s.psnr_db);
        fprintf(out, " | %.6f | %.6f | %.5f | %s | %s |\n", s.ssim, s.ssim_lowest, s.ssim_worst,
                s.ssim_worst < 1.0 ? s.worst_name : "", within(c, &s) ? "kept" : "**broken**");
    }
}

static bool any_moves(const struct measurement *m)
{
    bool any = false;
    for (size_t i = 0; i < MOVING_CASES; i++) {
        any = any || measure_has(m, measure_step_cases[i]);
    }
    return any;
}

static void write_moving(struct measurement *m, size_t b, FILE *out)
{
    fprintf(out, "\nA gaze that moves to the right from the middle, %zu steps:\n\n", m->step_count);
    fputs("| case | step | largest change, levels | mean change | mean of the step that changes "
          "most |\n"
          "|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < MOVING_CASES * STEPS_MAX; i++) {
        if (!measure_has(m, measure_step_cases[i / STEPS_MAX])) {
            continue;
        }
        const struct steps *s = measure_steps(m, i / STEPS_MAX, i % STEPS_MAX, b);
        fprintf(out, "| %s | %g px | %g | %.4f | %.4f |\n",
                quality_cases[measure_step_cases[i / STEPS_MAX]].name,
                measure_step_px[i % STEPS_MAX], s->largest_levels, s->mean_levels,
                s->worst_mean_levels);
    }
}

static void write_paper_set(const struct measurement *m, size_t set, size_t b, FILE *out)
{
    static const char *const names[PAPER_SETS] = {"landscapes", "all"};
    const struct ssim_map *sum = &m->paper_sum[set][b];
    struct ssim_map map = *sum;
    map.values = memory_make((size_t)map.width * map.height, sizeof *map.values);
    double lowest = 1.0;
    for (size_t i = 0; i < (size_t)map.width * map.height; i++) {
        map.values[i] = sum->values[i] / (double)m->paper_count[set];
        lowest = fmin(lowest, map.values[i]);
    }
    const bool is_papers = set == 0 && m->paper_size.width_px == quality_paper.width_px;
    fprintf(out, "| %s, %zu | %.4f | %.4f | %.4f | %s |\n", names[set], m->paper_count[set],
            metrics_mean(&map), metrics_worst(&map), lowest, is_papers ? "0.971" : "");
    free(map.values);
}

static void write_paper(const struct measurement *m, size_t b, FILE *out)
{
    fprintf(out,
            "\nBlockwise, 32 px, beside the smooth method, paper, encoded, at %ux%u, gaze in the "
            "centre; SSIM maps of pictures, averaged:\n\n"
            "| pictures | average | worst region of 32x32 pixels | worst place | the paper's worst "
            "region |\n|---|---|---|---|---|\n",
            m->paper_size.width_px, m->paper_size.height_px);
    for (size_t set = 0; set < PAPER_SETS; set++) {
        if (m->paper_count[set] > 0) {
            write_paper_set(m, set, b, out);
        }
    }
}

/* The text of a section of an older report, between its marks and with them; NULL: it has none; the
 * caller frees it. */
static char *old_section(const char *old, const char *name)
{
    char mark[64];
    snprintf(mark, sizeof mark, "<!-- begin %s -->", name);
    const char *begin = old ? strstr(old, mark) : NULL;
    snprintf(mark, sizeof mark, "<!-- end %s -->", name);
    const char *end = begin ? strstr(begin, mark) : NULL;
    return end ? strndup(begin, (size_t)(end - begin) + strlen(mark)) : NULL;
}

static void write_kept(const char *old, const char *name, FILE *out)
{
    OWNED(owned_free) char *kept = old_section(old, name);
    if (kept) {
        fprintf(out, "%s\n\n", kept);
    }
}

static void write_size(struct measurement *m, size_t b, FILE *out)
{
    const char *name = fovea_backend_name(m->backends[b].kind);
    fprintf(out, "<!-- begin %s %ux%u -->\n### %ux%u\n\n%zu pictures of %ux%u pixels.\n\n", name,
            m->width_px, m->height_px, m->width_px, m->height_px, m->sample_count, m->width_px,
            m->height_px);
    write_exactness(m, b, out);
    if (any_moves(m)) {
        write_moving(m, b, out);
    }
    if (m->paper_count[PAPER_SETS - 1] > 0) {
        write_paper(m, b, out);
    }
    fprintf(out, "<!-- end %s %ux%u -->\n\n", name, m->width_px, m->height_px);
}

static bool is_of(const struct measurement *m, const struct quality_size *size)
{
    return m->width_px == size->width_px && m->height_px == size->height_px;
}

static bool is_of_report(const struct measurement *m)
{
    bool is = false;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        is = is || is_of(m, &quality_sizes[i]);
    }
    return is;
}

/* Measured now, or as it was. */
static void write_known_size(const struct report *r, const struct quality_size *size, size_t b,
                             const char *old, FILE *out)
{
    for (size_t i = 0; i < r->size_count; i++) {
        if (is_of(&r->sizes[i], size)) {
            write_size(&r->sizes[i], b, out);
            return;
        }
    }
    char name[64];
    snprintf(name, sizeof name, "%s %ux%u", fovea_backend_name(r->sizes->backends[b].kind),
             size->width_px, size->height_px);
    write_kept(old, name, out);
}

static void write_section(const struct report *r, size_t b, const char *old, FILE *out)
{
    const char *name = fovea_backend_name(r->sizes->backends[b].kind);
    fprintf(out, "<!-- begin %s -->\n## %s\n\n", name, name);
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        write_known_size(r, &quality_sizes[i], b, old, out);
    }
    for (size_t i = 0; i < r->size_count; i++) {
        if (!is_of_report(&r->sizes[i])) {
            write_size(&r->sizes[i], b, out);
        }
    }
    fprintf(out, "<!-- end %s -->\n\n", name);
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

static void write_all(const struct report *r, const char *old, FILE *out)
{
    static const enum fovea_backend order[] = {FOVEA_BACKEND_CUDA, FOVEA_BACKEND_VULKAN,
                                               FOVEA_BACKEND_CPU};
    const size_t backend_count = r->sizes->backend_count;
    fputs(report_preface, out);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        size_t b = 0;
        while (b < backend_count && r->sizes->backends[b].kind != order[i]) {
            b++;
        }
        if (b < backend_count) {
            write_section(r, b, old, out);
        } else {
            write_kept(old, fovea_backend_name(order[i]), out);
        }
    }
    write_kept(old, "fovvideovdp", out);
}

bool report_write(const struct report *report, const char *path)
{
    for (size_t b = 0; b < report->sizes->backend_count; b++) {
        write_section(report, b, NULL, stdout);
    }
    if (!path) {
        return true;
    }
    OWNED(owned_free) char *old = read_text(path);
    FILE *file = fopen(path, "w");
    if (file) {
        write_all(report, old, file);
    }
    if (!file || fclose(file) != 0) {
        say_error("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    return true;
}
