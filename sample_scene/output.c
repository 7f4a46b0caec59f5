/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "output.h"

#include "pixels.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

static bool make_folder(const char *path)
{
    char part[PATH_BYTES];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        say_error("--output: the name of the folder is too long");
        return false;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            say_error("--output: cannot make the folder %s: %s", part, strerror(errno));
            return false;
        }
    }
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        say_error("--output: %s is not a folder", path);
        return false;
    }
    if (access(path, W_OK | X_OK) != 0) {
        say_error("--output: cannot write into the folder %s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static bool file_path(const struct output *output, const char *name, char path[static PATH_BYTES])
{
    int length = snprintf(path, PATH_BYTES, "%s/%s", output->folder, name);
    return length > 0 && length < PATH_BYTES;
}

static bool open_video(struct output *output)
{
    char path[PATH_BYTES];
    if (!video_available()) {
        say_note("no ffmpeg on PATH: there will be pictures and no video");
        return true;
    }
    return file_path(output, "demo.mp4", path) &&
           video_open(path, output->pair.width_px, output->pair.height_px, &output->video);
}

bool output_init(struct output *output, const struct output_desc *desc)
{
    int width = (int)desc->extent.width;
    int height = (int)desc->extent.height;
    *output = (struct output){.folder = desc->folder,
                              .format = desc->format,
                              .eyes = desc->eyes,
                              .settings = desc->settings};
    for (uint64_t i = 0; i < OUTPUT_CHOSEN; i++) {
        uint64_t number = desc->frames * i / (OUTPUT_CHOSEN - 1);
        output->chosen[i] = number < desc->frames ? number : desc->frames - 1;
    }
    if (!make_folder(desc->folder)) {
        return false;
    }
    output->panel.depth = calloc((size_t)width * (size_t)height, sizeof *output->panel.depth);
    if (!output->panel.depth || !picture_init(&output->drawn, width, height) ||
        !picture_init(&output->shown, width, height) ||
        !picture_init(&output->panel.drawn, width, height) ||
        !picture_init(&output->panel.shown, width, height) ||
        !picture_init(&output->pair, 2 * width, height)) {
        say_error("out of memory for pictures of %dx%d", width, height);
        return false;
    }
    return !desc->video || open_video(output);
}

static bool is_chosen(const struct output *output, uint64_t number)
{
    for (int i = 0; i < OUTPUT_CHOSEN; i++) {
        if (output->chosen[i] == number) {
            return true;
        }
    }
    return false;
}

bool output_wants(const struct output *output, uint64_t number)
{
    return output->video || is_chosen(output, number);
}

static void add_to_video(struct output *output, struct fovea_gaze gaze)
{
    int width = output->drawn.width_px;
    picture_put(&output->pair, &output->drawn, 0, 0);
    picture_put(&output->pair, &output->shown, width, 0);
    for (int i = 0; i < 2; i++) {
        const struct pane pane = {&output->pair, i * width, 0, width, output->drawn.height_px};
        const struct panels_marks marks = {.gaze = gaze, .eyes = output->eyes};
        if (i == 0 || !panels_warped(output->settings)) {
            panels_mark(&pane, &marks);
        }
    }
    if (!video_add(output->video, &output->pair)) {
        output->failed = true;
    }
}

/* The panels show the second of the chosen frames, or the first where there is no more. */
static void keep_for_panels(struct output *output, const struct frames_picture *picture)
{
    size_t bytes = (size_t)output->drawn.width_px * (size_t)output->drawn.height_px * 4;
    memcpy(output->panel.drawn.rgba, output->drawn.rgba, bytes);
    memcpy(output->panel.shown.rgba, output->shown.rgba, bytes);
    if (picture->depth) {
        memcpy(output->panel.depth, picture->depth, bytes / 4 * sizeof *picture->depth);
    }
    output->panel.gaze = picture->gaze;
    output->panel.taken = true;
}

static void write_frame(struct output *output, uint64_t number)
{
    char name[32];
    char path[PATH_BYTES];
    snprintf(name, sizeof name, "frame_%03llu.png", (unsigned long long)number);
    if (!file_path(output, name, path) || !picture_write_png(&output->shown, path)) {
        output->failed = true;
    }
}

void output_take(void *user, const struct frames_picture *picture)
{
    struct output *output = user;
    size_t count = (size_t)output->drawn.width_px * (size_t)output->drawn.height_px;
    pixels_to_rgba8(output->format, picture->drawn, count, output->drawn.rgba);
    pixels_to_rgba8(output->format, picture->shown, count, output->shown.rgba);
    if (output->video) {
        add_to_video(output, picture->gaze);
    }
    if (is_chosen(output, picture->number)) {
        write_frame(output, picture->number);
        if (picture->number <= output->chosen[1]) {
            keep_for_panels(output, picture);
        }
    }
}

bool output_write_panels(struct output *output, const char *const caption[PANELS_CAPTION_LINES],
                         bool passed_through)
{
    char path[PATH_BYTES];
    struct panels_desc desc = {.drawn = &output->panel.drawn,
                               .foveated = &output->panel.shown,
                               .marks = {.gaze = output->panel.gaze, .eyes = output->eyes},
                               .depth = output->panel.depth,
                               .settings = output->settings,
                               .passed_through = passed_through};
    memcpy(desc.caption, caption, sizeof desc.caption);
    return !output->panel.taken ||
           (file_path(output, "demo.png", path) && panels_write(&desc, path));
}

void output_finish(struct output *output)
{
    if (!video_close(&output->video)) {
        output->failed = true;
    }
    picture_finish(&output->drawn);
    picture_finish(&output->shown);
    picture_finish(&output->pair);
    picture_finish(&output->panel.drawn);
    picture_finish(&output->panel.shown);
    free(output->panel.depth);
    output->panel.depth = NULL;
}
