/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "read.h"

#include <string.h>

/* JSON is last but for lines: it knows all of its kind. */
static const struct lens_reader *const readers[] = {
    &lens_reader_vive,    &lens_reader_camera,    &lens_reader_json,
    &lens_reader_lensfun, &lens_reader_panotools, &lens_reader_colmap,
};

/* Formats that many have and no map holds, and the way from there. */
static const struct {
    const char *words, *way;
} refused[] = {
    {"\"screen_to_lens_distance\"",
     "a Cardboard profile does not say how large the screen is: write a polynomial, \"green\": "
     "[1, 0, k1 s^2, 0, k2 s^4], s half an eye's width over screen_to_lens_distance"},
    {"\"DistortionMeshes\"", "a mesh of vertices is not read: write its points as a grid"},
    {"<opencv_storage", "OpenCV's XML is not read: save it as .yml or .json"},
};

static bool refuse(struct json_scan *scan)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (lens_text_holds(scan, refused[i].words)) {
            return !json_fail(scan, "%s", refused[i].way);
        }
    }
    return false;
}

static bool read_kind(struct json_scan *scan, struct lens_calibration *calibration)
{
    if (scan->count >= 3 && memcmp(scan->bytes, "\xef\xbb\xbf", 3) == 0) {
        return json_fail(scan, "expected UTF-8 without a byte order mark; found one");
    }
    if (refuse(scan)) {
        return false;
    }
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i]->knows(scan)) {
            return readers[i]->read(scan, calibration);
        }
    }
    scan->at = 0;
    return json_fail(scan,
                     "expected a calibration: JSON, or as hugin, PTGui, OpenCV, ROS, Kalibr, "
                     "COLMAP or lensfun write it; docs/lens.md says how a grid is made of all "
                     "else");
}

enum fovea_result lens_read_file(const char *bytes, size_t count,
                                 char out_problem[LENS_PROBLEM_BYTES],
                                 struct shared_data **out_data)
{
    struct json_scan scan = {.bytes = bytes,
                             .count = count,
                             .has_places = true,
                             .problem = out_problem,
                             .problem_bytes = LENS_PROBLEM_BYTES};
    struct lens_calibration *made = lens_calibration_make();
    out_problem[0] = '\0';
    const bool read = made && read_kind(&scan, made);
    return lens_calibration_finish(made, read, out_problem, out_data);
}
