/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's loops on the processor in doubles, and Fovea's blobs beside them. */

#include "csdd_sizes.h"
#include "fovea_blobs.h"

#include <stdio.h>
#include <stdlib.h>

#define BLOBS 1000
#define CALLS 5

/* The last is no multiple of 256, and otherwise as large as the one before it. */
static const struct csdd_size sizes[] = {{"480x640", 480, 640},
                                         {"320x240", 320, 240},
                                         {"512x768", 512, 768},
                                         {"768x768", 768, 768},
                                         {"760x760", 760, 760}};
#define SIZES (sizeof sizes / sizeof sizes[0])

static bool wanted(struct bench *bench, const struct csdd_size *of, const char *what)
{
    char name[RESULT_NAME_BYTES];
    snprintf(name, sizeof name, "cpu/%s/csdd-thesis/%s", of->name, what);
    if (!bench_wants(bench, name)) {
        return false;
    }
    bench_say("%s", name);
    return true;
}

static struct result *add_row(struct bench *bench, const struct bench_size *size, const char *what,
                              double *us, size_t count)
{
    struct result *row = results_add(&bench->results);
    *row = (struct result){.kind = RESULT_CSDD,
                           .backend = "cpu",
                           .size = size,
                           .what = what,
                           .format = FOVEA_FORMAT_RGBA8,
                           .images = 1,
                           .way = "clock",
                           .times = bench_times_of(us, count)};
    return row;
}

static void run_thesis(struct bench *bench, const struct csdd_size *of,
                       const struct bench_size *size, uint32_t threads)
{
    const char *what = threads == 1 ? "the thesis's loops, one thread" : "the thesis's loops";
    struct csdd_picture picture;
    double ns[3];
    if (!wanted(bench, of, what)) {
        return;
    }
    csdd_picture_make(of, false, CSDD_THESIS_BINS, &picture);
    const int64_t begin_ns = fovea_time_ns();
    csdd_picture_solve(&picture, threads, ns);
    double us = (double)(fovea_time_ns() - begin_ns) * 1e-3;
    struct result *row = add_row(bench, size, what, &us, 1);
    const double all = (ns[0] + ns[1] + ns[2]) * 1e-2;
    snprintf(row->note, sizeof row->note, "kernel 1 %.0f %%, kernel 2 %.0f %%, kernel 3 %.0f %%",
             ns[0] / all, ns[1] / all, ns[2] / all);
    csdd_picture_free(&picture);
}

static void run_ours(struct bench *bench, const struct csdd_size *of, const struct bench_size *size)
{
    const char *what = "Fovea, 3 channels, 19 scales, with the list";
    const struct bench_size picture = {"", (uint32_t)of->columns, (uint32_t)of->rows};
    struct fovea_blobs_desc desc;
    OWNED(fovea_blobs_destroy) struct fovea_blobs *blobs = NULL;
    uint32_t count = 0;
    double us[CALLS];
    if (!wanted(bench, of, what)) {
        return;
    }
    OWNED(owned_free)
    uint8_t *pixels = bench_memory(bench_image_bytes(&picture, FOVEA_FORMAT_RGB8), 1);
    OWNED(owned_free) struct fovea_blob *found = bench_memory(BLOBS, sizeof *found);
    csdd_draw_rgb(pixels, picture.width_px, picture.height_px);
    const struct fovea_image image =
        bench_image(&picture, FOVEA_FORMAT_RGB8, FOVEA_MEMORY_CPU, pixels);
    fovea_blobs_desc_init(&desc);
    desc.log = bench_log();
    desc.cpu_threads = bench->wishes.threads;
    bench_must(fovea_blobs_create(&desc, &blobs), what);
    for (int i = -1; i < CALLS; i++) {
        const int64_t begin_ns = fovea_time_ns();
        bench_must(fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL), what);
        us[i < 0 ? 0 : i] = (double)(fovea_time_ns() - begin_ns) * 1e-3;
    }
    add_row(bench, size, what, us, CALLS);
}

void cpu_csdd_thesis(struct bench *bench)
{
    static struct bench_size named[SIZES]; /* which rows keep */
    for (size_t i = 0; i < (bench->wishes.quick ? 0 : SIZES); i++) {
        named[i] =
            (struct bench_size){sizes[i].name, (uint32_t)sizes[i].rows, (uint32_t)sizes[i].columns};
        run_thesis(bench, &sizes[i], &named[i], 1);
        run_thesis(bench, &sizes[i], &named[i], bench->wishes.threads);
        run_ours(bench, &sizes[i], &named[i]);
    }
}
