/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"
#include "measure.h"
#include "memory.h"
#include "report.h"
#include "say.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define EXIT_SKIPPED 77

struct wishes {
    bool quick;
    const char *report;
    const char *backend; /* NULL: all that are there */
    char **files;
    size_t file_count;
};

static bool read_wishes(int argc, char **argv, struct wishes *out)
{
    static const struct option options[] = {{"quick", no_argument, NULL, 'q'},
                                            {"report", required_argument, NULL, 'r'},
                                            {"backend", required_argument, NULL, 'b'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'q') {
            out->quick = true;
        } else if (option == 'r') {
            out->report = optarg;
        } else if (option == 'b') {
            out->backend = optarg;
        } else {
            return false;
        }
    }
    out->files = argv + optind;
    out->file_count = (size_t)(argc - optind);
    return true;
}

static void open_backends(struct measurement *m, const char *only)
{
    for (size_t i = 0; backend_at(i); i++) {
        struct backend backend = *backend_at(i);
        const char *name = fovea_backend_name(backend.kind);
        if (only && strcmp(only, name) != 0) {
            continue;
        }
        if (backend.open(&backend)) {
            m->backends[m->backend_count++] = backend;
        } else {
            say_note("%s: not on this machine", name);
        }
    }
}

static bool take_samples(struct measurement *m, const struct wishes *wishes)
{
    const size_t drawn = samples_count(wishes->quick);
    m->samples = memory_make(drawn + wishes->file_count, sizeof *m->samples);
    for (size_t i = 0; i < drawn; i++) {
        m->sample_count += sample_draw(i, m->width_px, m->height_px, &m->samples[m->sample_count]);
    }
    for (size_t i = 0; i < wishes->file_count; i++) {
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
    for (size_t b = 0; b < m->backend_count; b++) {
        m->backends[b].close(&m->backends[b]);
        free(m->paper_sum[b].values);
    }
    free(m->samples);
    free(m->scores);
}

int command_measure(int argc, char **argv)
{
    struct wishes wishes = {0};
    if (!read_wishes(argc, argv, &wishes)) {
        return EXIT_USAGE;
    }
    struct measurement m = {.width_px = wishes.quick ? 160 : 640,
                            .height_px = wishes.quick ? 90 : 360,
                            .step_count = wishes.quick ? 3 : 12};
    open_backends(&m, wishes.backend);
    if (m.backend_count == 0) {
        say_error("the backend is not here: %s", wishes.backend ? wishes.backend : "none is");
        return EXIT_SKIPPED;
    }
    bool fine = take_samples(&m, &wishes);
    if (fine) {
        measure_all(&m);
        measure_moving_gaze(&m);
        fine = report_write(&m, wishes.report);
        fine = report_within_bounds(&m) && fine;
    }
    finish(&m);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
