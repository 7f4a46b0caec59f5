/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield.h"

#include "core/json_members.h"

#include <math.h>
#include <stdio.h>

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

struct file {
    double raw[2], lenses[2], pitch[2], origin[2], rotation;
    uint32_t hexagonal, flip;
    double focal_length_mm, main_to_array_mm, array_to_sensor_mm;
    uint32_t behind;
};

static bool read_version(struct json_scan *scan, void *to)
{
    double version = 0.0;
    (void)to;
    return json_number(scan, &version) &&
           (version == 1.0 || json_fail(scan, "this version reads \"fovea-lightfield\": 1 alone"));
}

static bool read_flip(struct json_scan *scan, void *to)
{
    *(uint32_t *)to = json_sees(scan, 't') ? 1 : 0;
    return json_sees(scan, 't') || json_sees(scan, 'f') ? json_pass(scan)
                                                        : json_expected(scan, "true or false");
}

static bool read_optics(struct json_scan *scan, void *to)
{
    static const char *const images[] = {"before", "behind", NULL};
    static const struct json_member members[] = {
        JSON_NUMBERS("focal_length_mm", struct file, focal_length_mm, 1e3 * METRES_MIN,
                     1e3 * METRES_MAX, false),
        JSON_NUMBERS("main_to_array_mm", struct file, main_to_array_mm, 1e3 * METRES_MIN,
                     1e3 * METRES_MAX, false),
        JSON_NUMBERS("array_to_sensor_mm", struct file, array_to_sensor_mm, 1e3 * SENSOR_MIN_M,
                     1e3 * SENSOR_MAX_M, false),
        {.name = "image", .at = offsetof(struct file, behind), .words = images},
        {.name = NULL}};
    static const struct json_members optics = {.what = "\"optics\"", .needs = 7, .all = members};
    uint32_t has = 0;
    return json_members_read(scan, &optics, to, &has);
}

enum { VERSION, RAW, LENSES, PITCH, ORIGIN };
static const char *const rows_words[] = {"rectangular", "hexagonal", NULL};
static const struct json_member file_members[] = {
    {.name = "fovea-lightfield", .read = read_version},
    JSON_NUMBERS("raw", struct file, raw, 1.0, LIGHTFIELD_RAW_MOST_PX, true),
    JSON_NUMBERS("lenses", struct file, lenses, 1.0, LIGHTFIELD_RAW_MOST_PX, true),
    JSON_NUMBERS("pitch", struct file, pitch, 0.0, 0.0, false),
    JSON_NUMBERS("origin", struct file, origin, 0.0, 0.0, false),
    JSON_NUMBERS("rotation", struct file, rotation, 0.0, 0.0, false),
    {.name = "rows", .at = offsetof(struct file, hexagonal), .words = rows_words},
    {.name = "flip", .at = offsetof(struct file, flip), .read = read_flip},
    {.name = "optics", .read = read_optics},
    {.name = NULL}};
static const struct json_members file_object = {.what = "a light field",
                                                .needs = 1u << VERSION | 1u << RAW | 1u << LENSES |
                                                         1u << PITCH,
                                                .all = file_members};

static void take_file(const struct file *file, struct fovea_lightfield_geometry *own)
{
    fovea_lightfield_geometry_init(own);
    own->raw_width_px = (uint32_t)file->raw[0];
    own->raw_height_px = (uint32_t)file->raw[1];
    own->columns = (uint32_t)file->lenses[0];
    own->rows = (uint32_t)file->lenses[1];
    own->pitch_x_px = file->pitch[0];
    own->pitch_y_px = file->pitch[1];
    own->origin_x_px = file->origin[0];
    own->origin_y_px = file->origin[1];
    own->rotation_deg = file->rotation;
    own->arrangement =
        file->hexagonal ? FOVEA_LIGHTFIELD_ROWS_HEXAGONAL : FOVEA_LIGHTFIELD_ROWS_RECTANGULAR;
    own->flip = file->flip;
    own->focal_length_m = file->focal_length_mm / 1e3;
    own->main_to_array_m = file->main_to_array_mm / 1e3;
    own->array_to_sensor_m = file->array_to_sensor_mm / 1e3;
    own->image_behind = file->behind;
}

bool lightfield_geometry_parse(const char *bytes, size_t count,
                               struct fovea_lightfield_geometry *out,
                               char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    struct fovea_lightfield_geometry own;
    struct file file = {.rotation = 0.0};
    uint32_t has = 0;
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    struct json_scan scan = {.bytes = bytes,
                             .count = count,
                             .has_places = true,
                             .problem = out_problem,
                             .problem_bytes = LIGHTFIELD_PROBLEM_BYTES};
    out_problem[0] = '\0';
    if (!json_members_read(&scan, &file_object, &file, &has) || !json_end(&scan)) {
        return false;
    }
    for (int i = 0; i < 2 && !(has >> ORIGIN & 1); i++) {
        file.origin[i] = file.pitch[i] / 2.0;
    }
    take_file(&file, &own);
    if (!lightfield_geometry_check(&own, problem)) {
        return json_fail_at(&scan, 0, "%s", problem);
    }
    *out = own;
    return true;
}
