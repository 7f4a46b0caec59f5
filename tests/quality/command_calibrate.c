/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lightfield calibrate WHITE: the array of lenses of a white picture, as a file. */
#include "commands.h"
#include "raw_file.h"
#include "say.h"
#include "wishes.h"

#include "progress.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define STEPS 1000

struct job {
    const char *path, *output;
    struct fovea_lightfield_calibration calibration;
    struct fovea_lightfield_raw white;
    struct progress progress;
};

/* ---- Arguments */

static bool read_rows(struct job *job)
{
    static const char *const words[] = {"any", "rectangular", "hexagonal"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(optarg, words[i]) == 0) {
            job->calibration.rows = (enum fovea_lightfield_rows_wanted)i;
            return true;
        }
    }
    say_error("--rows is any, rectangular or hexagonal, not '%s'", optarg);
    return false;
}

static bool read_pitch(struct job *job)
{
    char *end = NULL;
    job->calibration.pitch_px = strtod(optarg, &end);
    if (end == optarg || *end != '\0' ||
        !(job->calibration.pitch_px >= 4.0 && job->calibration.pitch_px <= 1024.0)) {
        say_error("--pitch is the distance of lenses, 4 to 1024 pixels, not '%s'", optarg);
        return false;
    }
    return true;
}

static bool read_option(struct job *job, int option)
{
    switch (option) {
    case 'f':
        job->calibration.flip = 1;
        return true;
    case 'o':
        job->output = optarg;
        return true;
    case 'p':
        return read_pitch(job);
    case 'r':
        return read_rows(job);
    default:
        return false;
    }
}

static bool read_arguments(int argc, char **argv, struct job *job)
{
    static const struct option options[] = {{"flip", no_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"pitch", required_argument, NULL, 'p'},
                                            {"rows", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!read_option(job, option)) {
            return false;
        }
    }
    if (optind + 1 != argc) {
        say_error("lightfield calibrate needs one white picture");
        return false;
    }
    job->path = argv[optind];
    return true;
}

/* ---- The array */

static void show(void *user, double part)
{
    progress_update(user, (uint64_t)(part * STEPS));
}

static void report(const struct fovea_lightfield_geometry *geometry,
                   const struct fovea_lightfield_fit *fit)
{
    printf("  %ux%u lenses in %s rows, %.3f x %.3f px apart, turned by %.3f degrees\n",
           geometry->columns, geometry->rows,
           geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? "hexagonal" : "rectangular",
           geometry->pitch_x_px, geometry->pitch_y_px, geometry->rotation_deg);
    printf(
        "  %u of %u lenses used; they lie %.2f px from it (root of the mean square), and columns "
        "%.3f degrees from a right angle to rows\n",
        fit->lenses_used, fit->lenses_seen, fit->residual_px, fit->shear_deg);
}

static bool calibrate(struct job *job)
{
    const struct fovea_log log = say_log(FOVEA_LOG_WARNING);
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_fit fit;
    char path[FOVEA_PATH_MAX];
    fovea_lightfield_geometry_init(&geometry);
    fovea_lightfield_fit_init(&fit);
    job->calibration.progress = show;
    job->calibration.progress_user = &job->progress;
    job->calibration.log = log;
    job->progress = progress_start(STEPS, true);
    job->progress.what = NULL;
    const enum fovea_result result =
        fovea_lightfield_calibrate(&job->white, &job->calibration, &geometry, &fit);
    if (result == FOVEA_OK) {
        progress_update(&job->progress, STEPS);
    }
    progress_end(&job->progress);
    snprintf(path, sizeof path, "%s/array.json", job->output);
    if (result != FOVEA_OK || fovea_lightfield_geometry_write(path, &log, &geometry) != FOVEA_OK) {
        return false;
    }
    printf("%s\n", path);
    report(&geometry, &fit);
    return true;
}

int command_calibrate(int argc, char **argv)
{
    struct job job = {.output = "out/lightfield"};
    fovea_lightfield_calibration_init(&job.calibration);
    if (!read_arguments(argc, argv, &job)) {
        return EXIT_USAGE;
    }
    const struct picture_wishes wishes = {.output = job.output};
    const bool fine =
        raw_load(job.path, &job.white) && picture_wishes_folder(&wishes) && calibrate(&job);
    raw_free(&job.white);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
