/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "bench_opencv.h"

#include "core/thread_pool.h"

#include <stdio.h>
#include <string.h>

/* What ours took; 0: it was not measured. */
static double ours_us(const struct results *results, const struct result *like)
{
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (strcmp(row->backend, "cpu") == 0 && row->size == like->size && row->gaze &&
            strcmp(row->what, "smooth") == 0 && strcmp(row->gaze, like->gaze) == 0) {
            return row->times.median_us;
        }
    }
    return 0.0;
}

/* One line: version, repetitions, median, 10th and 90th percentile in microseconds. */
static bool ask(const struct bench *bench, const struct bench_size *size,
                const struct bench_gaze *gaze, struct result *out)
{
    const struct fovea_point_uv point = bench_gaze_uv(gaze, size);
    const uint32_t threads =
        bench->wishes.threads ? bench->wishes.threads : thread_pool_core_count();
    char command[1024];
    char version[64] = "";
    const int length = snprintf(command, sizeof command, "%s %u %u %.8f %.8f %u %s",
                                bench->wishes.opencv, size->width_px, size->height_px, point.x_uv,
                                point.y_uv, threads, bench->wishes.quick ? "quick" : "full");
    if (length < 0 || (size_t)length >= sizeof command) {
        return false;
    }
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): the command line's own */
    if (!pipe) {
        return false;
    }
    const int read = fscanf(pipe, "%63s %zu %lf %lf %lf", version, &out->times.count, /* NOLINT */
                            &out->times.median_us, &out->times.p10_us, &out->times.p90_us);
    snprintf(out->note, sizeof out->note, "OpenCV %s, %u threads", version, threads);
    return pclose(pipe) == 0 && read == 5;
}

static void run_case(struct bench *bench, const struct bench_size *size,
                     const struct bench_gaze *gaze)
{
    struct result row = {.kind = RESULT_BESIDE,
                         .backend = "opencv",
                         .size = size,
                         .what = "pyramid and blend",
                         .gaze = gaze->name,
                         .format = FOVEA_FORMAT_RGBA8,
                         .images = 1,
                         .way = "clock"};
    char name[RESULT_NAME_BYTES];
    snprintf(name, sizeof name, "opencv/%s/pyramid/%s", size->name, gaze->name);
    if (!bench_wants(bench, name)) {
        return;
    }
    bench_say("%s", name);
    if (!ask(bench, size, gaze, &row)) {
        bench_fail("'%s' does not answer", bench->wishes.opencv);
    }
    row.reference_us = ours_us(&bench->results, &row);
    *results_add(&bench->results) = row;
}

void bench_opencv(struct bench *bench)
{
    static const char *const names[] = {"720p", "1080p"};
    size_t count = 0;
    const struct bench_size *quick = bench_sizes(true, &count);
    if (!bench->wishes.opencv) {
        if (bench->results.row_count > 0) {
            results_absent(&bench->results, "OpenCV", "not asked for (./run bench --opencv)");
        }
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t g = 0; g < bench_gaze_count; g++) {
            run_case(bench, bench->wishes.quick ? &quick[0] : bench_size_named(names[i]),
                     &bench_gazes[g]);
        }
        if (bench->wishes.quick) {
            return;
        }
    }
}
