/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blobs PICTURE...: pictures with their blobs drawn as circles, and lists of them as CSV. */
#include "commands.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"
#include "wishes.h"

#include "fovea_blobs.h"
#include "progress.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_USAGE 2
#define PATHS_MAX 10000

struct job {
    struct fovea_blobs_desc desc;
    const char *output;
    bool wants_map;
    char *paths[PATHS_MAX];
    size_t path_count;
    struct fovea_blobs *blobs;
    struct fovea_blob *found;
};

/* ---- Arguments */

static bool is_picture(const char *name)
{
    static const char *const ends[] = {".png", ".jpg", ".jpeg"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && name[0] != '.' && i < sizeof ends / sizeof ends[0]; i++) {
        if (strcasecmp(end, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether it is what this program has written. */
static bool is_result(const char *folder, const char *name)
{
    char path[FOVEA_PATH_MAX];
    const size_t length = strlen(name);
    if (length > 10 && strcmp(name + length - 10, "-blobs.png") == 0) {
        return true;
    }
    if (length <= 8 || strcmp(name + length - 8, "-map.png") != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%.*s-blobs.png", folder, (int)length - 8, name);
    return access(path, F_OK) == 0;
}

static bool add_path(struct job *job, const char *folder, const char *name)
{
    char path[FOVEA_PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    if (length < 0 || (size_t)length >= sizeof path || job->path_count == PATHS_MAX) {
        say_error("%s: more than %d pictures, or its path is too long", path, PATHS_MAX);
        return false;
    }
    job->paths[job->path_count] = strdup(path);
    return job->paths[job->path_count++] != NULL;
}

/* Its PNG and JPEG files, in the order of their names. */
static bool add_folder(struct job *job, const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    const size_t before = job->path_count;
    bool has_results = false;
    bool fine = count >= 0;
    if (!fine) {
        say_error("%s: %s", path, strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (fine && is_picture(name) && is_result(path, name)) {
            say_note("%s/%s is left out, as a result of an earlier run", path, name);
            has_results = true;
        } else if (fine && is_picture(name)) {
            fine = add_path(job, path, name);
        }
        free(entries[i]);
    }
    free(entries);
    if (fine && job->path_count == before) {
        say_error("%s: no %sPNG or JPEG file is in this folder", path, has_results ? "other " : "");
    }
    return fine && job->path_count > before;
}

static bool add_argument(struct job *job, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return add_folder(job, path);
    }
    return add_path(job, "", path);
}

static bool read_number(const char *name, const char *text, double low, double high, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= low && *out <= high)) {
        say_error("--%s is a number from %g to %g, not '%s'", name, low, high, text);
        return false;
    }
    return true;
}

static bool read_count(const char *name, const char *text, uint32_t low, uint32_t high,
                       uint32_t *out)
{
    double value = 0.0;
    if (!read_number(name, text, low, high, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    if (value != *out) {
        say_error("--%s is a whole number, not '%s'", name, text);
        return false;
    }
    return true;
}

enum option_id { OPTION_MAX, OPTION_SCALES, OPTION_THRESHOLD, OPTION_OVERLAP };

static bool read_option(struct job *job, int option)
{
    double value = 0.0;
    switch (option) {
    case OPTION_MAX:
        return read_count("max", optarg, 1, 65536, &job->desc.blob_max);
    case OPTION_SCALES:
        return read_count("scales", optarg, 3, 25, &job->desc.scale_count);
    case OPTION_THRESHOLD:
        /* 0 is the library's default. */
        return read_number("threshold", optarg, 0, 3, &value) &&
               (job->desc.threshold = value > 0.0 ? value : -1.0, true);
    case OPTION_OVERLAP:
        return read_number("overlap", optarg, 0.001, 1, &job->desc.overlap);
    case 'm':
        job->wants_map = true;
        return true;
    case 'o':
        job->output = optarg;
        return true;
    default:
        return false;
    }
}

static bool read_arguments(int argc, char **argv, struct job *job)
{
    static const struct option options[] = {
        {"max", required_argument, NULL, OPTION_MAX},
        {"scales", required_argument, NULL, OPTION_SCALES},
        {"threshold", required_argument, NULL, OPTION_THRESHOLD},
        {"overlap", required_argument, NULL, OPTION_OVERLAP},
        {"map", no_argument, NULL, 'm'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!read_option(job, option)) {
            return false;
        }
    }
    if (optind == argc) {
        say_error("blobs needs pictures (PNG or JPEG files), or folders of them");
        return false;
    }
    return true;
}

/* ---- What is written */

/* Finds a picture's name without folder and end, which is so long. */
static const char *stem_of(const char *picture, int *out_length)
{
    const char *slash = strrchr(picture, '/');
    const char *name = slash ? slash + 1 : picture;
    const char *dot = strrchr(name, '.');
    *out_length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    return name;
}

/* A file of a picture has its stem, and another end. */
static void name_file(const struct job *job, const char *picture, const char *end,
                      char out[FOVEA_PATH_MAX])
{
    int length;
    const char *name = stem_of(picture, &length);
    snprintf(out, FOVEA_PATH_MAX, "%s/%.*s%s", job->output, length, name, end);
}

static int by_file(const void *one, const void *other)
{
    const struct stat *a = one;
    const struct stat *b = other;
    return a->st_ino != b->st_ino   ? (a->st_ino > b->st_ino ? 1 : -1)
           : a->st_dev != b->st_dev ? (a->st_dev > b->st_dev ? 1 : -1)
                                    : 0;
}

/* Whether no result would be written over a picture, which may lie where results go. */
static bool pictures_stay(const struct job *job)
{
    static const char *const ends[] = {"-blobs.png", "-blobs.csv", "-map.png"};
    struct stat *files = calloc(job->path_count + 1, sizeof *files);
    bool stay = files != NULL;
    for (size_t i = 0; stay && i < job->path_count; i++) {
        (void)stat(job->paths[i], &files[i]); /* who cannot be read is named later */
    }
    if (stay) {
        qsort(files, job->path_count, sizeof *files, by_file);
    }
    for (size_t i = 0; stay && i < job->path_count; i++) {
        for (size_t e = 0; stay && e < (job->wants_map ? 3 : 2); e++) {
            char path[FOVEA_PATH_MAX];
            struct stat file;
            name_file(job, job->paths[i], ends[e], path);
            stay = stat(path, &file) != 0 ||
                   !bsearch(&file, files, job->path_count, sizeof *files, by_file);
            if (!stay) {
                say_error("%s: the result of %s would be written over this picture; give another "
                          "--output",
                          path, job->paths[i]);
            }
        }
    }
    free(files);
    return stay;
}

static int by_stem(const void *one, const void *other)
{
    int length[2];
    const char *stem[] = {stem_of(*(char *const *)one, &length[0]),
                          stem_of(*(char *const *)other, &length[1])};
    const int least = length[0] < length[1] ? length[0] : length[1];
    const int order = strncmp(stem[0], stem[1], (size_t)least);
    return order ? order : length[0] - length[1];
}

/* Whether no picture's files would be written over another's. */
static bool names_differ(const struct job *job)
{
    char **sorted = malloc((job->path_count + 1) * sizeof *sorted);
    if (!sorted) {
        say_error("there is no memory for the names of %zu pictures", job->path_count);
        return false;
    }
    bool differ = true;
    memcpy(sorted, job->paths, job->path_count * sizeof *sorted);
    qsort(sorted, job->path_count, sizeof *sorted, by_stem);
    for (size_t i = 1; differ && i < job->path_count; i++) {
        if (by_stem(&sorted[i - 1], &sorted[i]) == 0) {
            say_error(
                "%s and %s: the results of both would have one name; give each its own --output",
                sorted[i - 1], sorted[i]);
            differ = false;
        }
    }
    free(sorted);
    return differ;
}

static bool write_list(const struct job *job, const char *picture, uint32_t count)
{
    char path[FOVEA_PATH_MAX];
    name_file(job, picture, "-blobs.csv", path);
    FILE *file = fopen(path, "w");
    bool fine = file && fputs("x_px,y_px,sigma_px,strength\n", file) >= 0;
    for (uint32_t i = 0; fine && i < count; i++) {
        const struct fovea_blob *blob = &job->found[i];
        fine = fprintf(file, "%.3f,%.3f,%.3f,%.5f\n", (double)blob->x_px, (double)blob->y_px,
                       (double)blob->sigma_px, (double)blob->strength) > 0;
    }
    fine = (!file || fclose(file) == 0) && fine;
    if (!fine) {
        say_error("%s: %s", path, strerror(errno));
    }
    return fine;
}

/* The largest response of all scales, as grey levels of which white is the largest of all. */
static bool fill_map(const struct job *job, const struct fovea_image *image, float *values,
                     float *row)
{
    const size_t count = (size_t)image->width_px * image->height_px;
    const ptrdiff_t pitch = (ptrdiff_t)(image->width_px * sizeof *row);
    const uint32_t scales = job->desc.scale_count ? job->desc.scale_count : 19;
    for (uint32_t scale = 0; scale < scales; scale++) {
        if (fovea_blobs_response(job->blobs, scale, row, pitch) != FOVEA_OK) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            values[i] = fmaxf(values[i], row[i]);
        }
    }
    return true;
}

static bool write_map(const struct job *job, const char *path_of_picture,
                      const struct fovea_image *image)
{
    char path[FOVEA_PATH_MAX];
    struct picture map;
    const size_t count = (size_t)image->width_px * image->height_px;
    float *values = calloc(2 * count, sizeof *values);
    bool fine = values && fill_map(job, image, values, values + count);
    float most = 1e-6f;
    name_file(job, path_of_picture, "-map.png", path);
    for (size_t i = 0; fine && i < count; i++) {
        most = fmaxf(most, values[i]);
    }
    if (fine && (fine = picture_init(&map, (int)image->width_px, (int)image->height_px))) {
        for (size_t i = 0; i < count; i++) {
            memset(map.rgba + 4 * i, (int)(255.0f * fmaxf(values[i], 0.0f) / most + 0.5f), 3);
        }
        fine = picture_write_png(&map, path);
        picture_finish(&map);
    }
    free(values);
    return fine;
}

/* ---- A picture */

static bool write_all(const struct job *job, const char *path, const struct sample *sample,
                      uint32_t count)
{
    char drawn[FOVEA_PATH_MAX];
    const struct picture picture = sheet_view(&sample->image);
    name_file(job, path, "-blobs.png", drawn);
    for (uint32_t i = count; i > 0; i--) {
        const struct fovea_blob *blob = &job->found[i - 1];
        sheet_circle(&picture, blob->x_px, blob->y_px, 1.41421356f * blob->sigma_px);
    }
    if (!picture_write_png(&picture, drawn) || !write_list(job, path, count)) {
        return false;
    }
    printf("%s: %u blobs\n", drawn, count);
    return true;
}

static bool run_picture(const struct job *job, const char *path)
{
    struct sample sample;
    uint32_t count = 0;
    if (!sample_load(path, &sample)) {
        return false;
    }
    const struct fovea_image *image = &sample.image.view;
    const enum fovea_result result =
        fovea_blobs_run(job->blobs, image, 1, 0, job->found, &count, NULL);
    bool fine = result == FOVEA_OK;
    if (!fine) {
        say_error("%s: %s", path, fovea_result_name(result));
    }
    fine = fine && (!job->wants_map || write_map(job, path, image));
    fine = fine && write_all(job, path, &sample, count);
    sample_free(&sample);
    return fine;
}

/* Those that cannot be read are named, and the others go on. */
static bool run_all(struct job *job)
{
    const uint32_t most = job->desc.blob_max ? job->desc.blob_max : FOVEA_BLOBS_DEFAULT;
    const struct picture_wishes wishes = {.output = job->output};
    struct progress progress = progress_start(job->path_count, job->path_count > 1);
    progress.what = "picture";
    job->desc.log = say_log(FOVEA_LOG_WARNING);
    job->found = calloc(most, sizeof *job->found);
    bool fine = job->found && picture_wishes_folder(&wishes) &&
                fovea_blobs_create(&job->desc, &job->blobs) == FOVEA_OK;
    for (size_t i = 0; job->blobs && i < job->path_count; i++) {
        fine = run_picture(job, job->paths[i]) && fine;
        progress_update(&progress, i + 1);
    }
    if (job->path_count > 1) {
        progress_end(&progress);
    }
    return fine;
}

int command_blobs(int argc, char **argv)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        return EXIT_FAILURE;
    }
    fovea_blobs_desc_init(&job->desc);
    job->output = "out/blobs";
    int status = EXIT_USAGE;
    if (read_arguments(argc, argv, job)) {
        bool fine = true;
        for (int i = optind; i < argc; i++) {
            fine = add_argument(job, argv[i]) && fine;
        }
        fine =
            job->path_count > 0 && names_differ(job) && pictures_stay(job) && run_all(job) && fine;
        status = fine ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    for (size_t i = 0; i < job->path_count; i++) {
        free(job->paths[i]);
    }
    fovea_blobs_destroy(&job->blobs);
    free(job->found);
    free(job);
    return status;
}
