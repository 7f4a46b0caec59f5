/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"
#include "memory.h"
#include "report.h"
#include "say.h"

#include <getopt.h>
#include <regex.h>
#include <stdio.h>

#define EXIT_USAGE 2
#define EXIT_SKIPPED 77

struct wishes {
    bool quick;
    const char *report;
    const char *backend; /* NULL: all that are there */
    struct quality_size size; /* 0: those of the report */
    const char *only; /* a regular expression; NULL: the cases of the size */
    const char *pictures; /* a regular expression; NULL: all */
    char **files;
    size_t file_count;
};

/* A regular expression of the command line leaves these. */
struct chosen {
    bool given;
    regex_t by;
};

static bool read_size(const char *text, struct quality_size *out)
{
    char rest;
    const bool fine = sscanf(text, "%5ux%5u%c", &out->width_px, &out->height_px, &rest) == 2 &&
                      out->width_px >= METRICS_REGION_PX && out->height_px >= METRICS_REGION_PX;
    if (!fine) {
        say_error("--size is WxH, at least 32x32 pixels, not %s", text);
    }
    return fine;
}

static bool read_wishes(int argc, char **argv, struct wishes *out)
{
    static const struct option options[] = {{"quick", no_argument, NULL, 'q'},
                                            {"report", required_argument, NULL, 'r'},
                                            {"backend", required_argument, NULL, 'b'},
                                            {"size", required_argument, NULL, 's'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"pictures", required_argument, NULL, 'p'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'q') {
            out->quick = true;
        } else if (option == 'r') {
            out->report = optarg;
        } else if (option == 'b') {
            out->backend = optarg;
        } else if (option == 'o') {
            out->only = optarg;
        } else if (option == 'p') {
            out->pictures = optarg;
        } else if (option != 's' || !read_size(optarg, &out->size)) {
            return false;
        }
    }
    if ((out->only || out->pictures) && out->report) {
        say_error("--only and --pictures have no report: what they leave out would be lost there");
        return false;
    }
    out->files = argv + optind;
    out->file_count = (size_t)(argc - optind);
    return true;
}

static size_t open_backends(struct backend backends[BACKENDS_MAX], const char *only)
{
    size_t count = 0;
    for (size_t i = 0; backend_at(i); i++) {
        struct backend backend = *backend_at(i);
        const char *name = fovea_backend_name(backend.kind);
        if (only && strcmp(only, name) != 0) {
            continue;
        }
        if (backend.open(&backend)) {
            backends[count++] = backend;
        } else {
            say_note("%s: not on this machine", name);
        }
    }
    return count;
}

static bool names(const struct chosen *chosen, const char *name)
{
    return regexec(&chosen->by, name, 0, NULL, 0) == 0;
}

/* By name if that is wished; at the larger size its own; else all. */
static void choose_cases(struct measurement *m, const struct chosen *only)
{
    const struct quality_size *larger = &quality_sizes[SIZE_COUNT - 1];
    const bool is_larger = m->width_px == larger->width_px && m->height_px == larger->height_px;
    for (size_t i = 0; i < quality_case_count && m->case_count < CASES_MAX; i++) {
        const struct quality_case *c = &quality_cases[i];
        if (only->given ? names(only, c->name) : c->larger || !is_larger) {
            m->cases[m->case_count++] = i;
        }
    }
}

static bool take_samples(struct measurement *m, const struct wishes *wishes,
                         const struct chosen *pictures, bool with_files)
{
    const size_t file_count = with_files ? wishes->file_count : 0;
    const size_t drawn = samples_count(wishes->quick);
    m->samples = memory_make(drawn + file_count, sizeof *m->samples);
    for (size_t i = 0; i < drawn; i++) {
        if (pictures->given && !names(pictures, sample_name(i))) {
            continue;
        }
        m->sample_count += sample_draw(i, m->width_px, m->height_px, &m->samples[m->sample_count]);
    }
    if (m->sample_count + file_count == 0) {
        say_error("--pictures %s: no picture has such a name", wishes->pictures);
        return false;
    }
    for (size_t i = 0; i < file_count; i++) {
        if (!sample_load(wishes->files[i], &m->samples[m->sample_count])) {
            return false;
        }
        const struct fovea_image *image = &m->samples[m->sample_count++].image.view;
        if (image->width_px < METRICS_REGION_PX || image->height_px < METRICS_REGION_PX) {
            say_error("%s: smaller than 32x32 pixels", wishes->files[i]);
            return false;
        }
    }
    return true;
}

static void finish(struct measurement *m)
{
    for (size_t i = 0; i < m->sample_count; i++) {
        sample_free(&m->samples[i]);
    }
    for (size_t i = 0; i < PAPER_SETS * m->backend_count; i++) {
        free(m->paper_sum[i % PAPER_SETS][i / PAPER_SETS].values);
    }
    free(m->samples);
    free(m->scores);
}

/* Returns how many sizes there are. Files have a size of their own: they are of the first. */
static size_t plan(const struct wishes *wishes, const struct chosen *only,
                   struct measurement out_sizes[SIZE_COUNT])
{
    static const struct quality_size quick = {160, 90};
    const struct quality_size *sizes = quality_sizes;
    size_t count = SIZE_COUNT;
    if (wishes->size.width_px != 0 || wishes->quick) {
        sizes = wishes->size.width_px != 0 ? &wishes->size : &quick;
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        out_sizes[i] = (struct measurement){.width_px = sizes[i].width_px,
                                            .height_px = sizes[i].height_px,
                                            .step_count = wishes->quick ? 3 : 12,
                                            .paper_size = wishes->quick ? quick : quality_paper};
        choose_cases(&out_sizes[i], only);
    }
    return count;
}

static bool measure_sizes(const struct wishes *wishes, const struct chosen *pictures,
                          const struct report *report)
{
    bool fine = true;
    for (size_t i = 0; fine && i < report->size_count; i++) {
        fine = take_samples(&report->sizes[i], wishes, pictures, i == 0);
        if (fine) {
            measure_all(&report->sizes[i]);
            measure_moving_gaze(&report->sizes[i]);
            measure_paper(&report->sizes[i]);
        }
    }
    if (!fine || !report_write(report, wishes->report)) {
        return false;
    }
    for (size_t i = 0; i < report->size_count; i++) {
        fine = report_within_bounds(&report->sizes[i]) && fine;
    }
    return fine;
}

static int measure(const struct wishes *wishes, const struct chosen *only,
                   const struct chosen *pictures)
{
    struct measurement sizes[SIZE_COUNT];
    const struct report report = {sizes, plan(wishes, only, sizes)};
    if (sizes[0].case_count == 0) {
        say_error("--only %s: no case has such a name", wishes->only);
        return EXIT_USAGE;
    }
    struct backend backends[BACKENDS_MAX];
    const size_t backend_count = open_backends(backends, wishes->backend);
    if (backend_count == 0) {
        say_error("the backend is not here: %s", wishes->backend ? wishes->backend : "none is");
        return EXIT_SKIPPED;
    }
    for (size_t i = 0; i < report.size_count; i++) {
        sizes[i].backends = backends;
        sizes[i].backend_count = backend_count;
    }
    const bool fine = measure_sizes(wishes, pictures, &report);
    for (size_t i = 0; i < report.size_count; i++) {
        finish(&sizes[i]);
    }
    for (size_t b = 0; b < backend_count; b++) {
        backends[b].close(&backends[b]);
    }
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool choose_by(const char *option, const char *pattern, struct chosen *out)
{
    out->given = pattern != NULL;
    if (!pattern || regcomp(&out->by, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0) {
        return true;
    }
    say_error("%s %s: not a regular expression", option, pattern);
    out->given = false;
    return false;
}

static void forget(struct chosen *chosen)
{
    if (chosen->given) {
        regfree(&chosen->by);
    }
}

int command_measure(int argc, char **argv)
{
    struct wishes wishes = {0};
    struct chosen only = {0};
    struct chosen pictures = {0};
    const bool fine = read_wishes(argc, argv, &wishes) && choose_by("--only", wishes.only, &only) &&
                      choose_by("--pictures", wishes.pictures, &pictures);
    const int status = fine ? measure(&wishes, &only, &pictures) : EXIT_USAGE;
    forget(&only);
    forget(&pictures);
    return status;
}
