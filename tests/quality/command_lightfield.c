/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lightfield [RAW --geometry FILE]: what a light field has in it, as pictures. Without a raw
 * picture one is drawn: a wall and two discs before it. lightfield calibrate: command_calibrate.c.
 */
#include "commands.h"
#include "lightfield_draw.h"
#include "lightfield_gaze.h"
#include "lightfield_views.h"
#include "raw_file.h"
#include "say.h"
#include "sheet.h"
#include "wishes.h"

#include "progress.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define MOST_SETS 32

struct job {
    const char *raw_path, *array_path, *white_path, *output;
    const char *photo_path, *photo_depth_path;
    double least_px, most_px; /* patch sizes */
    const char *far, *near; /* of --far and --near with a unit, dioptres or metres; NULL: px */
    double black, maximum;
    bool views, window;
    double frames; /* of what a gaze sees */
    const char *config;
    const char *sets[MOST_SETS];
    size_t set_count;
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield *field;
    struct fovea_lightfield_raw raw;
    struct picture picture;
    float *depths;
};

/* ---- Arguments */

static bool read_number(const char *name, double least, double most, double *out)
{
    char *end = NULL;
    *out = strtod(optarg, &end);
    if (end == optarg || *end != '\0' || !(*out >= least && *out <= most)) {
        say_error("--%s is a number, %g to %g, not '%s'", name, least, most, optarg);
        return false;
    }
    return true;
}

/* Patch sizes are known at once; distances, once the array is. */
static bool read_depth(const char *name, double *out_px, const char **out_distance)
{
    const size_t length = strlen(optarg);
    const char unit = length > 0 ? optarg[length - 1] : '\0';
    *out_distance = unit == 'D' || unit == 'm' ? optarg : NULL;
    return *out_distance || read_number(name, 1.0, 1024.0, out_px);
}

static bool patch_of(const struct job *job, const char *name, const char *distance, double *out_px)
{
    const struct fovea_log log = say_log(FOVEA_LOG_WARNING);
    char *end = NULL;
    const double value = distance ? strtod(distance, &end) : 1.0;
    if (distance && (end == distance || end[1] != '\0' || !(value > 0.0))) {
        say_error("--%s is a patch size, dioptres or metres (11, 2D, 0.5m), not '%s'", name,
                  distance);
        return false;
    }
    return !distance || fovea_lightfield_patch_of(&job->geometry, *end == 'm' ? 1.0 / value : value,
                                                  &log, out_px) == FOVEA_OK;
}

static bool add_set(struct job *job)
{
    if (!strchr(optarg, '=') || job->set_count == MOST_SETS) {
        say_error("--set is key.path=value, and %d of them at most, not '%s'", MOST_SETS, optarg);
        return false;
    }
    job->sets[job->set_count++] = optarg;
    return true;
}

static bool read_option(struct job *job, int option)
{
    switch (option) {
    case 'c':
        job->config = optarg;
        return true;
    case 'F':
        return read_number("frames", 1.0, 1000.0, &job->frames);
    case 'p':
        job->photo_path = optarg;
        return true;
    case 'P':
        job->photo_depth_path = optarg;
        return true;
    case 's':
        return add_set(job);
    case 'W':
        job->window = true;
        return true;
    case 'a':
        job->array_path = optarg;
        return true;
    case 'b':
        return read_number("black", 0.0, 65535.0, &job->black);
    case 'f':
        return read_depth("far", &job->least_px, &job->far);
    case 'm':
        return read_number("maximum", 1.0, 65535.0, &job->maximum);
    case 'n':
        return read_depth("near", &job->most_px, &job->near);
    case 'o':
        job->output = optarg;
        return true;
    case 'v':
        job->views = true;
        return true;
    case 'w':
        job->white_path = optarg;
        return true;
    default:
        return false;
    }
}

static bool read_arguments(int argc, char **argv, struct job *job)
{
    static const struct option options[] = {{"array", required_argument, NULL, 'a'},
                                            {"geometry", required_argument, NULL, 'a'},
                                            {"black", required_argument, NULL, 'b'},
                                            {"maximum", required_argument, NULL, 'm'},
                                            {"views", no_argument, NULL, 'v'},
                                            {"white", required_argument, NULL, 'w'},
                                            {"far", required_argument, NULL, 'f'},
                                            {"near", required_argument, NULL, 'n'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"window", no_argument, NULL, 'W'},
                                            {"config", required_argument, NULL, 'c'},
                                            {"set", required_argument, NULL, 's'},
                                            {"frames", required_argument, NULL, 'F'},
                                            {"photo", required_argument, NULL, 'p'},
                                            {"photo-depth", required_argument, NULL, 'P'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!read_option(job, option)) {
            return false;
        }
    }
    job->raw_path = optind < argc ? argv[optind] : NULL;
    if (optind + 1 < argc || !job->raw_path != !job->array_path) {
        say_error("lightfield needs one raw picture and its --geometry FILE, or neither; "
                  "'./run lightfield calibrate WHITE' makes the file");
        return false;
    }
    if (!job->photo_path != !job->photo_depth_path || (job->photo_path && job->raw_path)) {
        say_error("--photo FILE and --photo-depth FILE go together, in place of a raw picture");
        return false;
    }
    if (job->white_path && !job->raw_path) {
        say_error("--white is of a raw picture");
        return false;
    }
    if (job->window && job->views) {
        say_error("--window shows what is blended, and --views what is not");
        return false;
    }
    if ((job->far || job->near) && !job->raw_path) {
        say_error("--far and --near as distances are of a raw picture and its --geometry");
        return false;
    }
    return true;
}

static bool check_depths(struct job *job)
{
    if (!patch_of(job, "far", job->far, &job->least_px) ||
        !patch_of(job, "near", job->near, &job->most_px)) {
        return false;
    }
    if (job->least_px >= job->most_px) {
        say_error("--far is a smaller patch size than --near, and not %g and %g px", job->least_px,
                  job->most_px);
    }
    return job->least_px < job->most_px;
}

/* ---- The raw picture */

/* The raw picture's vignetting, divided out in place. */
static bool divide(struct job *job)
{
    struct fovea_lightfield_raw picture;
    struct fovea_lightfield_white *white = NULL;
    struct fovea_lightfield_white_desc desc;
    if (!raw_load(job->white_path, &picture)) {
        return false;
    }
    fovea_lightfield_white_desc_init(&desc);
    desc.white = &picture;
    desc.black = job->black;
    desc.log = say_log(FOVEA_LOG_WARNING);
    const bool fine =
        fovea_lightfield_white_create(&desc, &white) == FOVEA_OK &&
        fovea_lightfield_white_divide(white, &job->raw, (void *)(uintptr_t)job->raw.data,
                                      job->raw.row_stride_bytes) == FOVEA_OK;
    fovea_lightfield_white_destroy(&white);
    raw_free(&picture);
    return fine;
}

static bool load_raw(struct job *job)
{
    const struct fovea_log log = say_log(FOVEA_LOG_WARNING);
    if (fovea_lightfield_geometry_read(job->array_path, &log, &job->geometry) != FOVEA_OK ||
        !check_depths(job) || !raw_load(job->raw_path, &job->raw) ||
        (job->white_path && !divide(job))) {
        return false;
    }
    if (job->raw.format >= FOVEA_LIGHTFIELD_FORMAT_R16) {
        job->raw.maximum = (uint32_t)job->maximum;
        raw_choose_maximum(&job->raw);
    }
    return true;
}

static bool make_field(struct job *job)
{
    struct fovea_lightfield_desc desc;
    fovea_lightfield_geometry_init(&job->geometry);
    fovea_lightfield_raw_init(&job->raw);
    const struct draw_wishes wishes = {job->photo_path, job->photo_depth_path, job->least_px,
                                       job->most_px};
    if (!(job->raw_path
              ? load_raw(job)
              : check_depths(job) && lightfield_draw(&wishes, &job->geometry, &job->raw))) {
        return false;
    }
    const double pitch_px = fmin(job->geometry.pitch_x_px, job->geometry.pitch_y_px);
    if (!job->views && job->most_px > pitch_px) {
        say_error("--near is a patch size of %g px, and lenses are %g px apart: it is no larger",
                  job->most_px, pitch_px);
        return false;
    }
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &job->geometry;
    desc.log = say_log(FOVEA_LOG_WARNING);
    return fovea_lightfield_create(&desc, &job->field) == FOVEA_OK;
}

/* ---- Pictures. Of the raw's own resolution in the middle of the depths. */

static struct fovea_image view_of(const struct job *job)
{
    return (struct fovea_image){.data = job->picture.rgba,
                                .width_px = (uint32_t)job->picture.width_px,
                                .height_px = (uint32_t)job->picture.height_px,
                                .format = FOVEA_FORMAT_RGBA8,
                                .row_stride_bytes = 4 * (ptrdiff_t)job->picture.width_px};
}

static struct fovea_image depths_of(const struct job *job)
{
    struct fovea_image image = view_of(job);
    image.data = job->depths;
    image.format = FOVEA_FORMAT_R32F;
    return image;
}

static bool write_picture(const struct job *job, const char *name)
{
    char path[FOVEA_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.png", job->output, name);
    return picture_write_png(&job->picture, path);
}

static bool render(const struct job *job, double patch_px, double view_px, bool all_in_focus,
                   const char *name)
{
    struct fovea_lightfield_rendering rendering;
    const struct fovea_image image = view_of(job);
    const struct fovea_image depths = depths_of(job);
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = patch_px;
    rendering.view_x_px = view_px;
    rendering.patches = all_in_focus ? &depths : NULL;
    return fovea_lightfield_render(job->field, &job->raw, &rendering, &image, NULL) == FOVEA_OK &&
           (!name || write_picture(job, name));
}

static bool find_depths(const struct job *job)
{
    struct fovea_lightfield_matching matching;
    const struct fovea_image depths = depths_of(job);
    fovea_lightfield_matching_init(&matching);
    matching.first_px = job->least_px;
    matching.last_px = job->most_px;
    matching.step_px = 0.25;
    matching.box = 1;
    return fovea_lightfield_depth(job->field, &job->raw, &matching, &depths, NULL, NULL) ==
           FOVEA_OK;
}

static bool write_depths(const struct job *job)
{
    const size_t count = (size_t)job->picture.width_px * (size_t)job->picture.height_px;
    for (size_t i = 0; i < count; i++) {
        const double part =
            ((double)job->depths[i] - job->least_px) / (job->most_px - job->least_px);
        memset(job->picture.rgba + 4 * i, (int)(255.0 * part + 0.5), 3);
    }
    return write_picture(job, "depth");
}

static bool write_frames(const struct job *job)
{
    struct progress progress = progress_start(LIGHTFIELD_FRAMES, true);
    progress.what = "refocused picture";
    bool fine = true;
    for (int i = 0; fine && i < LIGHTFIELD_FRAMES; i++) {
        char name[32];
        const double part = 0.5 - 0.5 * cos(2.0 * M_PI * i / LIGHTFIELD_FRAMES);
        snprintf(name, sizeof name, "refocus-%02d", i);
        fine = render(job, job->least_px + part * (job->most_px - job->least_px), 0.0, false, name);
        progress_update(&progress, (uint64_t)i + 1);
    }
    progress_end(&progress);
    return fine;
}

static uint8_t byte_at(const struct fovea_lightfield_raw *raw, size_t x, size_t y, size_t channel)
{
    static const size_t channels[] = {0, 1, 3, 4, 1, 3, 4};
    const uint8_t *row = (const uint8_t *)raw->data + y * (size_t)raw->row_stride_bytes;
    const size_t at = channels[raw->format] * x + (channels[raw->format] > 1 ? channel : 0);
    if (raw->format < FOVEA_LIGHTFIELD_FORMAT_R16) {
        return row[at];
    }
    const double level = (double)((const uint16_t *)(const void *)row)[at] / raw->maximum;
    return (uint8_t)(fmin(level, 1.0) * 255.0 + 0.5);
}

/* A part of the middle of the raw picture, 12 lenses wide. */
static bool write_raw(const struct job *job)
{
    const uint32_t wanted = (uint32_t)(12.0 * job->geometry.pitch_x_px);
    const uint32_t width = wanted < job->raw.width_px ? wanted : job->raw.width_px;
    const uint32_t height = wanted < job->raw.height_px ? wanted : job->raw.height_px;
    struct picture part;
    char path[FOVEA_PATH_MAX];
    if (!picture_init(&part, (int)width, (int)height)) {
        return false;
    }
    for (size_t i = 0; i < (size_t)3 * width * height; i++) {
        const size_t x = (job->raw.width_px - width) / 2 + i / 3 % width;
        const size_t y = (job->raw.height_px - height) / 2 + i / 3 / width;
        part.rgba[i / 3 * 4 + i % 3] = byte_at(&job->raw, x, y, i % 3);
    }
    snprintf(path, sizeof path, "%s/raw.png", job->output);
    const bool fine = picture_write_png(&part, path);
    picture_finish(&part);
    return fine;
}

static bool make_views(struct job *job)
{
    const struct views_wishes views = {job->field, &job->raw, &job->geometry, job->output};
    return write_raw(job) && views_write(&views);
}

/* Looks at it in a window, or writes files. */
static bool look(const struct job *job)
{
    const struct gaze_wishes wishes = {
        .field = job->field,
        .raw = &job->raw,
        .geometry = &job->geometry,
        .width_px = job->picture.width_px,
        .height_px = job->picture.height_px,
        .far_px = job->least_px,
        .near_px = job->most_px,
        .output = job->output,
        .config = job->config,
        .sets = job->sets,
        .set_count = job->set_count,
        .frames = (uint32_t)job->frames,
        .shown = &job->picture,
    };
    return job->window ? gaze_window(&wishes) : gaze_write(&wishes);
}

/* A source that looks at pictures sees one that has all in focus; see `look`. */
static bool make_all(struct job *job)
{
    const double middle_px = 0.5 * (job->least_px + job->most_px);
    const double scale = middle_px / job->geometry.pitch_x_px;
    const int width = (int)lround(job->geometry.columns * job->geometry.pitch_x_px * scale);
    const int height = (int)lround(job->geometry.rows * job->geometry.pitch_y_px * scale);
    if (!picture_init(&job->picture, width, height) || !(job->window || write_raw(job))) {
        return false;
    }
    job->depths = calloc((size_t)width * (size_t)height, sizeof *job->depths);
    const double aside_px = 0.25 * job->geometry.pitch_x_px;
    if (!job->depths || !find_depths(job)) {
        return false;
    }
    if (job->window) {
        return render(job, middle_px, 0.0, true, NULL) && look(job);
    }
    return render(job, middle_px, -aside_px, true, "left") &&
           render(job, middle_px, aside_px, true, "right") && write_depths(job) &&
           write_frames(job) && render(job, middle_px, 0.0, true, "all-in-focus") && look(job);
}

int command_lightfield(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "calibrate") == 0) {
        return command_calibrate(argc - 1, argv + 1);
    }
    struct job job = {.output = "out/lightfield", .least_px = 7.0, .most_px = 14.0};
    if (!read_arguments(argc, argv, &job)) {
        return EXIT_USAGE;
    }
    const struct gaze_wishes settings = {
        .config = job.config, .sets = job.sets, .set_count = job.set_count};
    const struct picture_wishes folder = {.output = job.output};
    const bool fine = gaze_wishes_are_fine(&settings) &&
                      (job.window || picture_wishes_folder(&folder)) && make_field(&job) &&
                      (job.views ? make_views(&job) : make_all(&job));
    if (fine && job.views) {
        printf("%s: raw.png (a part of it), view.png, view-*.png, sum.png, refocus-*.png\n",
               job.output);
    } else if (fine && !job.window) {
        printf("%s: raw.png (a part of it), all-in-focus.png, left.png, right.png, depth.png, "
               "refocus-*.png, gaze-*.png\n",
               job.output);
    }
    fovea_lightfield_destroy(&job.field);
    picture_finish(&job.picture);
    free(job.depths);
    raw_free(&job.raw);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
