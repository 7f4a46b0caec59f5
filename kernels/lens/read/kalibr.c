/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kalibr's chain of cameras, of which the first one counts. A pixel's centre is at whole numbers.
 */

#include "camera.h"
#include "text.h"

#include <string.h>

static const char *const camera_names[] = {"camera_model", NULL};
static const char *const intrinsics_names[] = {"intrinsics", NULL};
static const char *const model_names[] = {"distortion_model", NULL};
static const char *const terms_names[] = {"distortion_coeffs", NULL};
static const char *const size_names[] = {"resolution", NULL};
static const char *const second_names[] = {"cam1", NULL};

static bool knows(struct json_scan *scan)
{
    const bool knows =
        lens_text_go(scan, 0, camera_names) && lens_text_go(scan, 0, intrinsics_names);
    scan->at = 0;
    return knows;
}

static bool read_numbers(struct json_scan *scan, const char *const *names, size_t count,
                         double *out_numbers)
{
    size_t found = 0;
    if (lens_text_go(scan, 0, names) && !lens_text_numbers(scan, count, out_numbers, &found)) {
        return false;
    }
    return found == count ||
           json_fail(scan, "%s has %zu numbers; there must be %zu", names[0], found, count);
}

static bool read_word(struct json_scan *scan, const char *const *names, const char *first,
                      const char *second, bool *out_second)
{
    char word[JSON_NAME_BYTES] = "";
    if (lens_text_go(scan, 0, names)) {
        lens_text_word(scan, word);
    }
    *out_second = strcmp(word, second) == 0;
    return *out_second || strcmp(word, first) == 0 ||
           json_fail(scan, "a %s \"%s\" is not read: make a grid of the map", names[0], word);
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct lens_camera camera = {.fisheye = false};
    double values[4] = {0.0};
    bool second = false;
    if (lens_text_go(scan, 0, second_names)) {
        scan->count = scan->at;
    }
    if (!read_word(scan, camera_names, "pinhole", "pinhole", &second) ||
        !read_word(scan, model_names, "radtan", "equidistant", &camera.fisheye) ||
        !read_numbers(scan, terms_names, 4, camera.terms) ||
        !read_numbers(scan, intrinsics_names, 4, values) ||
        !read_numbers(scan, size_names, 2, camera.size_px)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        camera.focal_px[i] = values[i];
        camera.center_px[i] = values[2 + i] + 0.5;
    }
    return lens_camera_finish(scan, &camera, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_kalibr = {knows, read};
