/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* OpenCV's calibrations, as YAML and as JSON, and camera_info of ROS, which has the same values.
 * Their names are those that OpenCV's and ROS's own programs and manuals use. A pixel's centre is
 * at whole numbers. */
#include "camera.h"
#include "text.h"

#include <string.h>

static const char *const matrix_names[] = {
    "camera_matrix", "Camera_Matrix", "cameraMatrix", "intrinsic_matrix", "mtx", "K", "k", NULL};
static const char *const terms_names[] = {"distortion_coefficients",
                                          "Distortion_Coefficients",
                                          "distCoeffs",
                                          "dist_coeffs",
                                          "dist_coeff",
                                          "dist",
                                          "D",
                                          "d",
                                          NULL};
static const char *const width_names[] = {"image_width", "image_Width", "width", NULL};
static const char *const height_names[] = {"image_height", "image_Height", "height", NULL};
static const char *const size_names[] = {"image_size", "imageSize", "img_size", "resolution", NULL};
static const char *const model_names[] = {"distortion_model", NULL};
static const char *const fisheye_names[] = {"fisheye_model", NULL};
static const char *const data_names[] = {"data", NULL};

static bool knows(struct json_scan *scan)
{
    const bool knows = lens_text_go(scan, 0, matrix_names) && lens_text_go(scan, 0, terms_names);
    scan->at = 0;
    return knows;
}

/* Numbers beside the name, or those of the matrix that is there: its data. */
static bool read_numbers(struct json_scan *scan, const char *const *names, size_t most,
                         double *out_numbers, size_t *out_count)
{
    *out_count = 0;
    if (!lens_text_go(scan, 0, names)) {
        return true;
    }
    const size_t from = scan->at;
    if (!lens_text_numbers(scan, most, out_numbers, out_count)) {
        return false;
    }
    if (*out_count == 0 && lens_text_go(scan, from, data_names)) {
        return lens_text_numbers(scan, most, out_numbers, out_count);
    }
    return true;
}

static bool read_size(struct json_scan *scan, struct lens_camera *camera)
{
    size_t width = 0;
    size_t height = 0;
    if (!read_numbers(scan, width_names, 1, &camera->size_px[0], &width) ||
        !read_numbers(scan, height_names, 1, &camera->size_px[1], &height)) {
        return false;
    }
    if (width == 1 && height == 1) {
        return true;
    }
    return read_numbers(scan, size_names, 2, camera->size_px, &width) &&
           (width == 2 || json_fail(scan, "there is no size of the pictures: add image_width "
                                          "and image_height"));
}

static bool read_matrix(struct json_scan *scan, struct lens_camera *camera)
{
    double matrix[9];
    size_t count = 0;
    if (!read_numbers(scan, matrix_names, 9, matrix, &count)) {
        return false;
    }
    if (count != 9) {
        return json_fail(scan, "the camera matrix has %zu numbers; there must be 9", count);
    }
    if (matrix[1] != 0.0) {
        return json_fail(scan, "a camera matrix with a skew is not read: make a grid of the "
                               "map");
    }
    for (int i = 0; i < 2; i++) {
        camera->focal_px[i] = matrix[4 * i];
        camera->center_px[i] = matrix[3 * i + 2] + 0.5;
    }
    return true;
}

/* ROS calls it equidistant, OpenCV's sample writes a number. */
static bool read_model(struct json_scan *scan, struct lens_camera *camera)
{
    char word[JSON_NAME_BYTES] = "";
    double number = 0.0;
    size_t count = 0;
    if (lens_text_go(scan, 0, model_names)) {
        lens_text_word(scan, word);
    }
    const size_t at = scan->at;
    if (!read_numbers(scan, fisheye_names, 1, &number, &count)) {
        return false;
    }
    scan->at = at;
    camera->fisheye =
        number != 0.0 || strcmp(word, "equidistant") == 0 || strcmp(word, "fisheye") == 0;
    return camera->fisheye || word[0] == '\0' || strcmp(word, "plumb_bob") == 0 ||
           strcmp(word, "rational_polynomial") == 0 ||
           json_fail(scan, "a distortion_model \"%s\" is not read: make a grid of the map", word);
}

static bool read_terms(struct json_scan *scan, struct lens_camera *camera)
{
    size_t count = 0;
    if (!read_numbers(scan, terms_names, LENS_CAMERA_TERMS, camera->terms, &count)) {
        return false;
    }
    const bool right = camera->fisheye
                           ? count == 4
                           : count == 4 || count == 5 || count == 8 || count == 12 || count == 14;
    return right || json_fail(scan, "there are %zu coefficients; there must be %s", count,
                              camera->fisheye ? "4" : "4, 5, 8, 12 or 14");
}

static bool read(struct json_scan *scan, struct lens_calibration *calibration)
{
    struct lens_camera camera = {.fisheye = false};
    return read_model(scan, &camera) && read_terms(scan, &camera) && read_matrix(scan, &camera) &&
           read_size(scan, &camera) && lens_camera_finish(scan, &camera, &calibration->eyes[0]);
}

const struct lens_reader lens_reader_opencv = {knows, read};
