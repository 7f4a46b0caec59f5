/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* COLMAP's cameras.txt: a line for each camera, of which the first one counts: its number, model,
 * width, height and parameters. The picture's corner is at (0, 0). */
#include "read.h"

#include <string.h>

#define MOST_VALUES 12

/* f and F are the focal lengths across and down, or f both; x and y the centre; digits the terms of
 * struct lens_camera, in the order of the line. */
static const struct model {
    const char *name;
    const char *values;
    bool fisheye;
} models[] = {
    {"SIMPLE_PINHOLE", "fxy", false},        {"PINHOLE", "fFxy", false},
    {"SIMPLE_RADIAL", "fxy0", false},        {"RADIAL", "fxy01", false},
    {"OPENCV", "fFxy0123", false},           {"FULL_OPENCV", "fFxy01234567", false},
    {"SIMPLE_RADIAL_FISHEYE", "fxy0", true}, {"RADIAL_FISHEYE", "fxy01", true},
    {"OPENCV_FISHEYE", "fFxy0123", true},
};

static bool first_line(const struct json_scan *scan, struct lens_line *out_line)
{
    bool found = false;
    for (size_t at = 0; at < scan->count && !found;) {
        *out_line = lens_text_line(scan, &at);
        found = out_line->end > out_line->at && out_line->at[0] != '#' &&
                !lens_text_is_space(out_line->at[0]);
    }
    return found;
}

/* A number, and a word of capitals: nothing else has that. */
static bool knows(struct json_scan *scan)
{
    struct lens_line line;
    if (!first_line(scan, &line)) {
        return false;
    }
    const char *at = line.at;
    while (at < line.end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at > line.at && line.end - at > 2 && at[0] == ' ' && at[1] >= 'A' && at[1] <= 'Z' &&
           at[2] >= 'A' && at[2] <= 'Z';
}

static const struct model *model_of(struct json_scan *scan)
{
    char word[JSON_NAME_BYTES];
    lens_text_word(scan, word);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (strcmp(models[i].name, word) == 0) {
            return &models[i];
        }
    }
    json_fail(scan, "a camera of model \"%s\" is not read: make a grid of its map", word);
    return NULL;
}

static void put_value(struct lens_camera *camera, char name, double value)
{
    struct lens_formula *formula = &camera->formula;
    if (name == 'f') {
        formula->unit[0] = formula->unit[1] = value;
    } else if (name == 'F') {
        formula->unit[1] = value;
    } else if (name == 'x' || name == 'y') {
        formula->center[name - 'x'] = value;
    } else {
        camera->terms[name - '0'] = value;
    }
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct lens_camera camera = {.fisheye = false};
    struct lens_line line = {scan->bytes, scan->bytes};
    char number[JSON_NAME_BYTES];
    double values[2 + MOST_VALUES];
    size_t count = 0;
    (void)first_line(scan, &line); /* which knows() found */
    scan->at = (size_t)(line.at - scan->bytes);
    scan->count = (size_t)(line.end - scan->bytes);
    lens_text_word(scan, number);
    const struct model *model = model_of(scan);
    if (!model || !lens_text_numbers(scan, 2 + MOST_VALUES, values, &count)) {
        return false;
    }
    if (count != 2 + strlen(model->values)) {
        return json_fail(scan, "there are %zu numbers; %s has %zu", count, model->name,
                         2 + strlen(model->values));
    }
    for (size_t i = 0; i < count; i++) {
        if (i < 2) {
            camera.formula.size[i] = values[i];
        } else {
            put_value(&camera, model->values[i - 2], values[i]);
        }
    }
    camera.fisheye = model->fisheye;
    return lens_camera_finish(scan, &camera, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_colmap = {knows, read};
