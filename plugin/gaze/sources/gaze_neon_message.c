/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_neon_message.h"

#include <math.h>
#include <string.h>

#define WORN 255

struct reader {
    const uint8_t *at;
};

static double take(struct reader *reader)
{
    const uint8_t *b = reader->at;
    const uint32_t bits =
        (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
    float value;
    memcpy(&value, &bits, sizeof value);
    reader->at += sizeof value;
    return value;
}

static void take_states(struct reader *reader, struct gaze_neon_datum *out)
{
    for (int i = 0; i < 2; i++) {
        (void)take(reader); /* the pupil's diameter in mm, which nothing here asks for */
        for (int axis = 0; axis < 3; axis++) {
            out->eyes[i].center_mm[axis] = take(reader);
        }
        for (int axis = 0; axis < 3; axis++) {
            out->eyes[i].axis[axis] = take(reader);
        }
    }
}

static void take_lids(struct reader *reader, struct gaze_neon_datum *out)
{
    for (int i = 0; i < 2; i++) {
        (void)take(reader); /* the angles of the upper and the lower lid */
        (void)take(reader);
        out->eyes[i].aperture_mm = take(reader);
    }
}

static void take_place(struct reader *reader, double *x, double *y)
{
    *x = take(reader);
    *y = take(reader);
}

const char *gaze_neon_parse(const uint8_t *bytes, size_t count, struct gaze_neon_datum *out)
{
    const struct gaze_neon_eye nothing = {.x = NAN,
                                          .y = NAN,
                                          .center_mm = {NAN, NAN, NAN},
                                          .axis = {NAN, NAN, NAN},
                                          .aperture_mm = NAN};
    *out = (struct gaze_neon_datum){.x = NAN, .y = NAN, .eyes = {nothing, nothing}};
    if (count != 9 && count != 17 && count != 25 && count != 65 && count != 89 && count != 105) {
        return "its length is none of those of Neon and Invisible";
    }
    struct reader reader = {.at = bytes};
    const bool is_pair = count == 17;
    take_place(&reader, is_pair ? &out->eyes[0].x : &out->x, is_pair ? &out->eyes[0].y : &out->y);
    out->worn = *reader.at++ == WORN;
    if (count >= 65) {
        take_states(&reader, out);
    }
    if (count >= 89) {
        take_lids(&reader, out);
    }
    if (count == 25 || count == 105) {
        take_place(&reader, &out->eyes[0].x, &out->eyes[0].y);
    }
    if (is_pair || count == 25 || count == 105) {
        take_place(&reader, &out->eyes[1].x, &out->eyes[1].y);
    }
    return NULL;
}

static bool is_place(double x, double y)
{
    return isfinite(x) && isfinite(y);
}

/* Both eyes' place where the app says none for them together: their middle, or the one's. */
static void middle_of(const struct gaze_neon_eye eyes[2], double *x, double *y)
{
    const bool left = is_place(eyes[0].x, eyes[0].y);
    const bool right = is_place(eyes[1].x, eyes[1].y);
    *x = left && right ? 0.5 * (eyes[0].x + eyes[1].x) : left ? eyes[0].x : eyes[1].x;
    *y = left && right ? 0.5 * (eyes[0].y + eyes[1].y) : left ? eyes[0].y : eyes[1].y;
}

/* A closed lid is told; one that is not told is open. */
static bool is_closed(const struct gaze_neon_datum *datum, enum fovea_gaze_eye wanted,
                      double closed_mm)
{
    const bool left = datum->eyes[0].aperture_mm <= closed_mm;
    const bool right = datum->eyes[1].aperture_mm <= closed_mm;
    return closed_mm > 0 && (left || wanted == FOVEA_GAZE_EYE_RIGHT) &&
           (right || wanted == FOVEA_GAZE_EYE_LEFT);
}

void gaze_neon_sample(const struct gaze_neon_datum *datum, enum fovea_gaze_eye wanted,
                      double closed_mm, struct fovea_gaze_sample *out)
{
    double x = datum->x;
    double y = datum->y;
    if (wanted != FOVEA_GAZE_EYE_BOTH) {
        const struct gaze_neon_eye *eye = &datum->eyes[wanted == FOVEA_GAZE_EYE_LEFT ? 0 : 1];
        const struct gaze_neon_eye *other = &datum->eyes[wanted == FOVEA_GAZE_EYE_LEFT ? 1 : 0];
        const bool is_told = is_place(eye->x, eye->y) || is_place(other->x, other->y);
        x = is_told ? eye->x : x;
        y = is_told ? eye->y : y;
    } else if (!is_place(x, y)) {
        middle_of(datum->eyes, &x, &y);
    }
    const bool is_seen = datum->worn && is_place(x, y);
    *out = (struct fovea_gaze_sample){
        .x = is_seen ? x : 0.0,
        .y = is_seen ? y : 0.0,
        .confidence = is_seen ? 1.0 : 0.0,
        .blink = datum->worn && is_closed(datum, wanted, closed_mm),
    };
}

bool gaze_neon_sights(const struct gaze_neon_datum *datum, double closed_mm,
                      struct gaze_sight out[2])
{
    for (int i = 0; i < 2; i++) {
        const struct gaze_neon_eye *eye = &datum->eyes[i];
        for (int axis = 0; axis < 3; axis++) {
            out[i].eye_m[axis] = 1e-3 * eye->center_mm[axis];
            out[i].way[axis] = eye->axis[axis];
        }
    }
    return datum->worn && !is_closed(datum, FOVEA_GAZE_EYE_LEFT, closed_mm) &&
           !is_closed(datum, FOVEA_GAZE_EYE_RIGHT, closed_mm);
}
