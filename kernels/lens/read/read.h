/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations from files. */
#ifndef FOVEA_KERNELS_LENS_READ_H
#define FOVEA_KERNELS_LENS_READ_H

#include "core/json_scan.h"
#include "kernels/lens/calibration.h"

#include <stddef.h>

/* Reads a file's content, whose kind the content tells. The caller owns one share.
 * FOVEA_ERROR_CONFIG: out_problem says what is wrong, after "line:column: " where there is a place.
 */
FOVEA_MUST_CHECK enum fovea_result lens_calibration_read(const char *bytes, size_t count,
                                                         char out_problem[LENS_PROBLEM_BYTES],
                                                         struct lens_calibration **out_calibration);

/* The same as struct operators_file asks for it. */
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

/* ---- Objects of JSON, as tables of their members */

/* It is one of the words, or what the function reads, or numbers. */
struct lens_member {
    const char *name;
    size_t at; /* where it goes in what the object is read into: uint32_t, anything, or double[] */
    size_t least, most; /* so many numbers */
    double from, to; /* each of them; both 0: any */
    bool whole;
    const char *const *words; /* they end with NULL */
    bool (*read)(struct json_scan *scan, void *to);
};

/* The file has as many numbers as the member of the struct holds. */
#define LENS_NUMBERS(word, type, member, low, high, are_whole)                                     \
    {                                                                                              \
        .name = word, .at = offsetof(type, member),                                                \
        .least = sizeof((type *)0)->member / sizeof(double),                                       \
        .most = sizeof((type *)0)->member / sizeof(double), .from = low, .to = high,               \
        .whole = are_whole                                                                         \
    }

struct lens_object {
    const char *what; /* "the polynomial" */
    bool passes; /* over members that are none of these */
    uint32_t needs; /* bits of members that must be there */
    const struct lens_member *members; /* the last one has no name */
};

/* The bits of the members that are there come last. None may be there twice. */
bool lens_read_object(struct json_scan *scan, const struct lens_object *object, void *to,
                      uint32_t *out_has);
bool lens_read_member(struct json_scan *scan, const struct lens_object *object, const char *name,
                      void *to, uint32_t *has);
/* Says which member that it needs an object lacks. */
bool lens_read_needs(struct json_scan *scan, const struct lens_object *object, uint32_t has);

/* The number of a name among those that end with NULL; how many there are: it is none of them. */
uint32_t lens_read_index(const char *const *names, const char *name);
/* Fails if the bit is set, and sets it. */
bool lens_read_once(struct json_scan *scan, const char *name, uint32_t bit, uint32_t *has);
/* So many numbers, which may be in brackets by rows and pairs. */
bool lens_read_floats(struct json_scan *scan, size_t count, float *out_floats);

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

#endif
