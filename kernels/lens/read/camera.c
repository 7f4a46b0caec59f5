/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* OpenCV's calibrations, as YAML and as JSON; camera_info of ROS, and Kalibr's chain, of which the
 * first camera counts: they have the same values. Their names are those that these programs and
 * their manuals use. A pixel's centre is at whole numbers. */
#include "read.h"

/* The names of a value, and how many numbers it has at most. */
enum { MATRIX, TERMS, WIDTH, HEIGHT, SIZE, FISHEYE };
static const struct {
    const char *const names[10];
    size_t most;
} values[] = {
    [MATRIX] = {{"camera_matrix", "Camera_Matrix", "cameraMatrix", "intrinsic_matrix", "mtx", "K",
                 "k", "intrinsics"},
                9},
    [TERMS] = {{"distortion_coefficients", "Distortion_Coefficients", "distortion_coeffs",
                "distCoeffs", "dist_coeffs", "dist_coeff", "dist", "D", "d"},
               14},
    [WIDTH] = {{"image_width", "image_Width", "width"}, 1},
    [HEIGHT] = {{"image_height", "image_Height", "height"}, 1},
    [SIZE] = {{"image_size", "imageSize", "img_size", "resolution"}, 2},
    [FISHEYE] = {{"fisheye_model"}, 1},
};
static const char *const model_names[] = {"distortion_model", NULL};
static const char *const camera_names[] = {"camera_model", NULL};
static const char *const second_names[] = {"cam1", NULL};
static const char *const data_names[] = {"data", NULL};

static bool knows(struct json_scan *scan)
{
    const bool knows =
        lens_text_go(scan, 0, values[MATRIX].names) && lens_text_go(scan, 0, values[TERMS].names);
    scan->at = 0;
    return knows;
}

/* Numbers beside the name, or those of the matrix that is there: its data. */
static bool read_numbers(struct json_scan *scan, int value, double *out_numbers, size_t *out_count)
{
    const size_t most = values[value].most;
    *out_count = 0;
    if (!lens_text_go(scan, 0, values[value].names)) {
        return true;
    }
    const size_t from = scan->at;
    if (!lens_text_numbers(scan, most, out_numbers, out_count)) {
        return false;
    }
    return *out_count > 0 || !lens_text_go(scan, from, data_names) ||
           lens_text_numbers(scan, most, out_numbers, out_count);
}

static bool read_size(struct json_scan *scan, double size_px[2])
{
    size_t width = 0;
    size_t height = 0;
    if (!read_numbers(scan, WIDTH, &size_px[0], &width) ||
        !read_numbers(scan, HEIGHT, &size_px[1], &height)) {
        return false;
    }
    if (width == 1 && height == 1) {
        return true;
    }
    return read_numbers(scan, SIZE, size_px, &width) &&
           (width == 2 || json_fail(scan, "there is no size of the pictures: add image_width "
                                          "and image_height"));
}

/* Kalibr has its four values alone: fx, fy, cx, cy. */
static bool read_matrix(struct json_scan *scan, struct lens_formula *formula)
{
    double matrix[9];
    size_t count = 0;
    if (!read_numbers(scan, MATRIX, matrix, &count)) {
        return false;
    }
    if (count != 9 && count != 4) {
        return json_fail(scan, "the camera matrix has %zu numbers; there must be 9", count);
    }
    if (count == 9 && matrix[1] != 0.0) {
        return json_fail(scan, "a camera matrix with a skew is not read: make a grid of the map");
    }
    for (int i = 0; i < 2; i++) {
        formula->unit[i] = matrix[count == 9 ? 4 * i : i];
        formula->center[i] = matrix[count == 9 ? 3 * i + 2 : 2 + i] + 0.5;
    }
    return true;
}

/* One of the words, or nothing. */
static bool read_model(struct json_scan *scan, const char *const *names, const char *const *words,
                       uint32_t *out_number)
{
    char word[JSON_NAME_BYTES] = "";
    if (lens_text_go(scan, 0, names)) {
        lens_text_word(scan, word);
    }
    *out_number = json_index(words, word);
    return words[*out_number] ||
           json_fail(scan, "a %s \"%s\" is not read: make a grid of the map", names[0], word);
}

/* ROS and Kalibr call it equidistant, OpenCV's sample writes a number. */
static bool read_models(struct json_scan *scan, struct lens_camera *camera)
{
    static const char *const cameras[] = {"", "pinhole", NULL};
    static const char *const models[] = {"equidistant",         "fisheye", "",  "plumb_bob",
                                         "rational_polynomial", "radtan",  NULL};
    uint32_t number = 0;
    double fisheye = 0.0;
    size_t count = 0;
    if (!read_model(scan, camera_names, cameras, &number) ||
        !read_numbers(scan, FISHEYE, &fisheye, &count) ||
        (fisheye == 0.0 && !read_model(scan, model_names, models, &number))) {
        return false;
    }
    camera->fisheye = fisheye != 0.0 || number < 2;
    return true;
}

static bool read_terms(struct json_scan *scan, struct lens_camera *camera)
{
    size_t count = 0;
    if (!read_numbers(scan, TERMS, camera->terms, &count)) {
        return false;
    }
    const bool right = count == 4 || (!camera->fisheye &&
                                      (count == 5 || count == 8 || count == 12 || count == 14));
    return right || json_fail(scan, "there are %zu coefficients; there must be %s", count,
                              camera->fisheye ? "4" : "4, 5, 8, 12 or 14");
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct lens_camera camera = {.fisheye = false};
    const size_t all = scan->count;
    scan->count = lens_text_go(scan, 0, second_names) ? scan->at : all;
    scan->count = knows(scan) ? scan->count : all;
    return read_models(scan, &camera) && read_terms(scan, &camera) &&
           read_matrix(scan, &camera.formula) && read_size(scan, camera.formula.size) &&
           lens_camera_finish(scan, &camera, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_camera = {knows, read};
