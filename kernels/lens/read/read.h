/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations from files. */
#pragma once

#include "core/json_members.h"
#include "kernels/lens/calibration.h"

/* Reads a file's content, whose kind the content tells. The caller owns one share.
 * FOVEA_ERROR_CONFIG: out_problem says what is wrong, after "line:column: " where there is a place.
 */
FOVEA_MUST_CHECK enum fovea_result lens_read_file(const char *bytes, size_t count,
                                                  char out_problem[LENS_PROBLEM_BYTES],
                                                  struct shared_data **out_data);

/* ---- One for each kind of file. The first that knows the content reads it: fills in what is
 * empty, or says what is wrong. Nothing is checked yet. */

struct lens_reader {
    bool (*knows)(struct json_scan *scan);
    bool (*read)(struct json_scan *scan, struct lens_calibration *calibration);
};

extern const struct lens_reader lens_reader_vive;
extern const struct lens_reader lens_reader_json; /* ours and Monado's; knows all JSON */
extern const struct lens_reader lens_reader_camera; /* OpenCV's, ROS's and Kalibr's */
extern const struct lens_reader lens_reader_colmap;
extern const struct lens_reader lens_reader_lensfun;
extern const struct lens_reader lens_reader_panotools; /* and PTGui's */

/* Follows what says that a member of ours is none. */
#define LENS_READ_MORE "; docs/lens.md says what is read, and how a grid is made of all else"

/* ---- What is no JSON of ours: lines, and values by their names as YAML and JSON have them. Of
 * these it knows no more than names, words and numbers, because that is all that lenses need. */

struct lens_line {
    const char *at;
    const char *end;
};

/* The next line from *at on, which moves behind it. */
struct lens_line lens_text_line(const struct json_scan *scan, size_t *at);
bool lens_text_is_space(char c);
bool lens_text_holds(const struct json_scan *scan, const char *words);
/* Goes behind the first of the names, which end with NULL, that has a value from the place on; the
 * order of names counts first. False: none has, and the place stays. */
bool lens_text_go(struct json_scan *scan, size_t from, const char *const *names);
/* The numbers at the place, in brackets, by rows in brackets, or as items of a YAML list; 0: there
 * are none. False: there are more than so many, or a bracket stays open, which is said. */
bool lens_text_numbers(struct json_scan *scan, size_t most, double *out_numbers, size_t *out_count);
/* A word consists of letters, digits, _ and -, in quotes or not. */
void lens_text_word(struct json_scan *scan, char out_word[JSON_NAME_BYTES]);

/* ---- Formulas that are no polynomial of r in a picture's pixels: quadratic between points */

struct lens_formula {
    double size[2]; /* of the picture, in any unit */
    double center[2]; /* from its corner */
    double unit[2]; /* of places: a camera's focal lengths */
    /* Gives the source of a place; both are from the centre. */
    void (*source)(const struct lens_formula *formula, int color, const double at[2],
                   double out_at[2]);
    int color_count; /* 1, which is all colours', or LENS_COLORS */
};

/* Makes the points of it, or says what is wrong. */
bool lens_read_formula(struct json_scan *scan, const struct lens_formula *formula,
                       struct lens_points *points);

/* A camera's lens by its coefficients, whatever file they come from. The shown picture is what a
 * camera without distortion would have taken, with the same focal lengths and centre. */
struct lens_camera {
    struct lens_formula formula; /* in pixels */
    bool fisheye;
    /* k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 and two angles of a tilted sensor, which must be 0; of a
     * fisheye k1 k2 k3 k4 */
    double terms[14];
};
bool lens_camera_finish(struct json_scan *scan, struct lens_camera *camera, struct lens_map *map);
