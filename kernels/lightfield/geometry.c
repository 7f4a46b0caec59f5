/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield.h"

#include "core/json_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE 0.017453292519943295
#define LENSES_MAX 4096
#define PITCH_MIN_PX 2.0
#define PITCH_MAX_PX 1024.0
#define METRES_MIN 1e-4
#define METRES_MAX 10.0
#define SENSOR_MIN_M 1e-6
#define SENSOR_MAX_M 1.0
#define ROTATION_MAX_DEG 45.0

void lightfield_lens_center(const struct fovea_lightfield_geometry *geometry, int32_t column,
                            int32_t row, double out_px[2])
{
    const double shift = lightfield_row_is_shifted(geometry, row) ? 0.5 : 0.0;
    const double x = (column + shift) * geometry->pitch_x_px;
    const double y = row * geometry->pitch_y_px;
    const double turn = geometry->rotation_deg * DEGREE;
    out_px[0] = geometry->origin_x_px + cos(turn) * x - sin(turn) * y;
    out_px[1] = geometry->origin_y_px + sin(turn) * x + cos(turn) * y;
}

/* ---- Check */

#define PROBLEM(out, ...) (snprintf((out), LIGHTFIELD_PROBLEM_BYTES, __VA_ARGS__), false)

static bool check_whole(const char *name, uint32_t value, uint32_t least, uint32_t most, char *out)
{
    return (value >= least && value <= most) ||
           PROBLEM(out, "%s is %u; it must be %u to %u", name, value, least, most);
}

static bool check_number(const char *name, double value, double least, double most, char *out)
{
    return (value >= least && value <= most) ||
           PROBLEM(out, "%s is %g; it must be %g to %g", name, value, least, most);
}

/* An affine array lies in the picture where the ends of its first and last rows do; shifted rows
 * have ends of their own. */
static bool check_lenses(const struct fovea_lightfield_geometry *geometry, char *out)
{
    const int32_t columns[] = {0, (int32_t)geometry->columns - 1};
    const int32_t last = (int32_t)geometry->rows - 1;
    const int32_t rows[] = {0, last > 0 ? 1 : 0, last > 0 ? last - 1 : 0, last};
    for (int i = 0; i < 8; i++) {
        double center[2];
        lightfield_lens_center(geometry, columns[i % 2], rows[i / 2], center);
        if (!(center[0] >= 0.0 && center[0] <= geometry->raw_width_px && center[1] >= 0.0 &&
              center[1] <= geometry->raw_height_px)) {
            return PROBLEM(out,
                           "columns and rows: the lens in column %d of row %d has its centre at "
                           "%.1f, %.1f, outside of the raw picture of %ux%u pixels",
                           columns[i % 2], rows[i / 2], center[0], center[1],
                           geometry->raw_width_px, geometry->raw_height_px);
        }
    }
    return true;
}

static bool check_words(const struct fovea_lightfield_geometry *geometry, char *out)
{
    if (geometry->arrangement != FOVEA_LIGHTFIELD_ROWS_RECTANGULAR &&
        geometry->arrangement != FOVEA_LIGHTFIELD_ROWS_HEXAGONAL) {
        return PROBLEM(out, "arrangement is %d, which is none", (int)geometry->arrangement);
    }
    return geometry->flip <= 1 || PROBLEM(out, "flip is %u; it must be 0 or 1", geometry->flip);
}

static bool check_optics(const struct fovea_lightfield_geometry *geometry, char *out)
{
    const bool is_known = geometry->focal_length_m != 0.0 || geometry->main_to_array_m != 0.0 ||
                          geometry->array_to_sensor_m != 0.0;
    if (geometry->image_behind > 1 || geometry->reserved != 0) {
        return PROBLEM(out, "image_behind is not 0 or 1, or reserved is not 0");
    }
    return !is_known ||
           (check_number("focal_length_m", geometry->focal_length_m, METRES_MIN, METRES_MAX, out) &&
            check_number("main_to_array_m", geometry->main_to_array_m, METRES_MIN, METRES_MAX,
                         out) &&
            check_number("array_to_sensor_m", geometry->array_to_sensor_m, SENSOR_MIN_M,
                         SENSOR_MAX_M, out));
}

bool lightfield_geometry_check(const struct fovea_lightfield_geometry *geometry,
                               char out[LIGHTFIELD_PROBLEM_BYTES])
{
    return check_whole("raw_width_px", geometry->raw_width_px, LIGHTFIELD_RAW_LEAST_PX,
                       LIGHTFIELD_RAW_MOST_PX, out) &&
           check_whole("raw_height_px", geometry->raw_height_px, LIGHTFIELD_RAW_LEAST_PX,
                       LIGHTFIELD_RAW_MOST_PX, out) &&
           check_whole("columns", geometry->columns, 1, LENSES_MAX, out) &&
           check_whole("rows", geometry->rows, 1, LENSES_MAX, out) && check_words(geometry, out) &&
           check_number("pitch_x_px", geometry->pitch_x_px, PITCH_MIN_PX, PITCH_MAX_PX, out) &&
           check_number("pitch_y_px", geometry->pitch_y_px, PITCH_MIN_PX, PITCH_MAX_PX, out) &&
           check_number("rotation_deg", geometry->rotation_deg, -ROTATION_MAX_DEG, ROTATION_MAX_DEG,
                        out) &&
           check_number("origin_x_px", geometry->origin_x_px, 0.0, LIGHTFIELD_RAW_MOST_PX, out) &&
           check_number("origin_y_px", geometry->origin_y_px, 0.0, LIGHTFIELD_RAW_MOST_PX, out) &&
           check_lenses(geometry, out) && check_optics(geometry, out);
}

/* ---- Files:
 *
 *     {"fovea-lightfield": 1, "raw": [7176, 5382], "lenses": [96, 72], "pitch": [74.75, 74.75],
 *      "origin": [37.375, 37.375], "rotation": 0, "rows": "rectangular", "flip": false,
 *      "optics": {"focal_length_mm": 80, "main_to_array_mm": 95, "array_to_sensor_mm": 1.4,
 *                 "image": "before"}}
 *
 * The last five may be left out: the first lens touches the corner, and nothing is rotated. */

enum {
    MEMBER_KIND,
    MEMBER_RAW,
    MEMBER_LENSES,
    MEMBER_PITCH,
    MEMBERS_NEEDED,
    MEMBER_ORIGIN = 4,
    MEMBER_ROTATION,
    MEMBER_ROWS,
    MEMBER_FLIP,
    MEMBER_OPTICS,
    MEMBER_COUNT
};

static const char *const member_names[MEMBER_COUNT] = {
    "fovea-lightfield", "raw", "lenses", "pitch", "origin", "rotation", "rows", "flip", "optics"};

struct reading {
    struct fovea_lightfield_geometry *own;
    bool has[MEMBER_COUNT];
};

static bool read_pair(struct json_scan *scan, double out[2])
{
    struct json_list list;
    uint32_t count = 0;
    bool good = json_open(scan, '[', &list);
    while (good && json_next(scan, &list)) {
        good =
            count < 2 ? json_number(scan, &out[count]) : json_fail(scan, "two numbers are enough");
        count++;
    }
    if (scan->problem[0]) {
        return false;
    }
    return count == 2 || json_fail(scan, "expected two numbers, [x, y]");
}

static bool read_wholes(struct json_scan *scan, uint32_t *out_x, uint32_t *out_y)
{
    double pair[2] = {0.0, 0.0};
    if (!read_pair(scan, pair)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!(pair[i] >= 1.0 && pair[i] <= LIGHTFIELD_RAW_MOST_PX) || pair[i] != floor(pair[i])) {
            return json_fail(scan, "expected two whole numbers, 1 to %d", LIGHTFIELD_RAW_MOST_PX);
        }
    }
    *out_x = (uint32_t)pair[0];
    *out_y = (uint32_t)pair[1];
    return true;
}

static bool read_doubles(struct json_scan *scan, double *out_x, double *out_y)
{
    double pair[2] = {0.0, 0.0};
    const bool good = read_pair(scan, pair);
    *out_x = pair[0];
    *out_y = pair[1];
    return good;
}

static bool read_kind(struct json_scan *scan)
{
    double version = 0.0;
    return json_number(scan, &version) &&
           (version == 1.0 || json_fail(scan, "this version reads \"fovea-lightfield\": 1 alone"));
}

static bool read_rows(struct json_scan *scan, enum fovea_lightfield_rows *out)
{
    char word[JSON_NAME_BYTES];
    if (!json_word(scan, word)) {
        return false;
    }
    *out = strcmp(word, "hexagonal") == 0 ? FOVEA_LIGHTFIELD_ROWS_HEXAGONAL
                                          : FOVEA_LIGHTFIELD_ROWS_RECTANGULAR;
    return *out == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL || strcmp(word, "rectangular") == 0 ||
           json_fail(scan, "rows are \"rectangular\" or \"hexagonal\"");
}

static bool read_flip(struct json_scan *scan, uint32_t *out)
{
    *out = json_sees(scan, 't') ? 1 : 0;
    return json_sees(scan, 't') || json_sees(scan, 'f') ? json_pass(scan)
                                                        : json_expected(scan, "true or false");
}

static bool read_image(struct json_scan *scan, uint32_t *out)
{
    char word[JSON_NAME_BYTES];
    if (!json_word(scan, word)) {
        return false;
    }
    *out = strcmp(word, "behind") == 0 ? 1 : 0;
    return *out == 1 || strcmp(word, "before") == 0 ||
           json_fail(scan, "the main lens's image lies \"before\" the lenses or \"behind\" them");
}

static bool read_metres(struct json_scan *scan, double *out)
{
    const bool good = json_number(scan, out);
    *out /= 1e3;
    return good;
}

static bool read_optic(struct json_scan *scan, const char *name, void *user)
{
    struct fovea_lightfield_geometry *own = user;
    if (strcmp(name, "focal_length_mm") == 0) {
        return read_metres(scan, &own->focal_length_m);
    }
    if (strcmp(name, "main_to_array_mm") == 0) {
        return read_metres(scan, &own->main_to_array_m);
    }
    if (strcmp(name, "array_to_sensor_mm") == 0) {
        return read_metres(scan, &own->array_to_sensor_m);
    }
    return strcmp(name, "image") == 0 ? read_image(scan, &own->image_behind)
                                      : json_fail(scan, "optics have no \"%s\"", name);
}

static bool read_optics(struct json_scan *scan, struct fovea_lightfield_geometry *own)
{
    return json_object(scan, read_optic, own) &&
           ((own->focal_length_m > 0.0 && own->main_to_array_m > 0.0 &&
             own->array_to_sensor_m > 0.0) ||
            json_fail(scan, "optics are \"focal_length_mm\", \"main_to_array_mm\" and "
                            "\"array_to_sensor_mm\", all above 0"));
}

static bool read_member(struct json_scan *scan, const char *name, void *user)
{
    struct reading *reading = user;
    struct fovea_lightfield_geometry *own = reading->own;
    int which = 0;
    while (which < MEMBER_COUNT && strcmp(member_names[which], name) != 0) {
        which++;
    }
    if (which == MEMBER_COUNT) {
        return json_fail(scan, "a light field has no \"%s\"", name);
    }
    if (reading->has[which]) {
        return json_fail(scan, "\"%s\" is there twice", name);
    }
    reading->has[which] = true;
    switch (which) {
    case MEMBER_KIND:
        return read_kind(scan);
    case MEMBER_RAW:
        return read_wholes(scan, &own->raw_width_px, &own->raw_height_px);
    case MEMBER_LENSES:
        return read_wholes(scan, &own->columns, &own->rows);
    case MEMBER_PITCH:
        return read_doubles(scan, &own->pitch_x_px, &own->pitch_y_px);
    case MEMBER_ORIGIN:
        return read_doubles(scan, &own->origin_x_px, &own->origin_y_px);
    case MEMBER_ROTATION:
        return json_number(scan, &own->rotation_deg);
    case MEMBER_ROWS:
        return read_rows(scan, &own->arrangement);
    case MEMBER_FLIP:
        return read_flip(scan, &own->flip);
    default:
        return read_optics(scan, own);
    }
}

static bool complete(struct json_scan *scan, struct reading *reading)
{
    for (int i = 0; i < MEMBERS_NEEDED; i++) {
        if (!reading->has[i]) {
            return json_fail_at(scan, 0, "\"%s\" is not there", member_names[i]);
        }
    }
    if (!reading->has[MEMBER_ORIGIN]) {
        reading->own->origin_x_px = reading->own->pitch_x_px / 2.0;
        reading->own->origin_y_px = reading->own->pitch_y_px / 2.0;
    }
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    return lightfield_geometry_check(reading->own, problem) || json_fail_at(scan, 0, "%s", problem);
}

bool lightfield_geometry_parse(const char *bytes, size_t count,
                               struct fovea_lightfield_geometry *out,
                               char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    struct fovea_lightfield_geometry own;
    struct reading reading = {.own = &own};
    struct json_scan scan = {.bytes = bytes,
                             .count = count,
                             .has_places = true,
                             .problem = out_problem,
                             .problem_bytes = LIGHTFIELD_PROBLEM_BYTES};
    fovea_lightfield_geometry_init(&own);
    out_problem[0] = '\0';
    if (!json_object(&scan, read_member, &reading) || !json_end(&scan) ||
        !complete(&scan, &reading)) {
        return false;
    }
    *out = own;
    return true;
}
