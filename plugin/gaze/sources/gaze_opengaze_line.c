/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_opengaze_line.h"

#include "core/json_text.h"

#include <math.h>
#include <string.h>

static const char *const NAMES[] = {
    [FOVEA_OPENGAZE_BEST] = "BEST",
    [FOVEA_OPENGAZE_FIXATION] = "FIX",
    [FOVEA_OPENGAZE_LEFT] = "LEFT",
    [FOVEA_OPENGAZE_RIGHT] = "RIGHT",
};

const char *gaze_opengaze_name(enum fovea_opengaze_point point)
{
    return NAMES[point];
}

struct span {
    const char *at;
    const char *end;
};

static bool is_word(struct span span, const char *word)
{
    const size_t bytes = strlen(word);
    return (size_t)(span.end - span.at) == bytes && memcmp(span.at, word, bytes) == 0;
}

static void pass_spaces(struct span *rest)
{
    while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t' || *rest->at == '\r')) {
        rest->at++;
    }
}

/* Up to the character, which is passed. False: it does not come. */
static bool take_until(struct span *rest, char c, struct span *out)
{
    const char *found = memchr(rest->at, c, (size_t)(rest->end - rest->at));
    if (!found) {
        return false;
    }
    *out = (struct span){.at = rest->at, .end = found};
    rest->at = found + 1;
    return true;
}

/* name="value" */
static bool take_attribute(struct span *rest, struct span *name, struct span *value)
{
    struct span nothing;
    return take_until(rest, '=', name) && take_until(rest, '"', &nothing) &&
           nothing.at == nothing.end && take_until(rest, '"', value);
}

/* A point has these values, and so has each eye. */
enum { X, Y, VALID, NUMBERS };
enum { POINT, LEFT_EYE, RIGHT_EYE, POINTS };

struct numbers {
    double of[POINTS][NUMBERS]; /* NAN: it is not there */
    double time_s;
};

/* -> which of a point's the name is, NUMBERS: none. */
static int number_of(struct span name, char point)
{
    const char words[NUMBERS][6] = {
        {point, 'P', 'O', 'G', 'X'}, {point, 'P', 'O', 'G', 'Y'}, {point, 'P', 'O', 'G', 'V'}};
    int i = 0;
    while (i < NUMBERS && !is_word(name, words[i])) {
        i++;
    }
    return i;
}

static bool read_number(struct span value, double *out)
{
    return json_decimal(value.at, value.end, out) == value.end && isfinite(*out);
}

static bool is_whole(const double of[NUMBERS])
{
    return !isnan(of[X]) && !isnan(of[Y]) && !isnan(of[VALID]);
}

static void judge(const struct numbers *numbers, struct gaze_opengaze_record *out)
{
    const double *point = numbers->of[POINT];
    out->has_gaze = is_whole(point);
    out->x = point[X];
    out->y = point[Y];
    out->valid = point[VALID] > 0.0;
    out->has_time = !isnan(numbers->time_s);
    out->time_s = numbers->time_s;
    out->has_eyes = true;
    for (int i = 0; i < 2; i++) {
        const double *eye = numbers->of[LEFT_EYE + i];
        out->has_eyes = out->has_eyes && is_whole(eye) && eye[VALID] > 0.0;
        out->eyes_x[i] = eye[X];
        out->eyes_y[i] = eye[Y];
    }
}

/* False: a number of the point is none. One of an eye's counts as not there. */
static bool take_number(struct span name, struct span value, const char points[POINTS],
                        struct numbers *numbers)
{
    double number = NAN;
    const bool good = read_number(value, &number);
    if (is_word(name, "TIME")) {
        numbers->time_s = number;
        return good;
    }
    bool counts = false;
    for (int i = 0; i < POINTS; i++) {
        const int which = number_of(name, points[i]);
        if (which < NUMBERS) {
            numbers->of[i][which] = good ? number : (double)NAN;
            counts = counts || i == POINT;
        }
    }
    return good || !counts;
}

const char *gaze_opengaze_parse(const char *line, size_t bytes, enum fovea_opengaze_point point,
                                struct gaze_opengaze_record *out)
{
    static const char begin[] = "<REC";
    const char points[POINTS] = {NAMES[point][0], NAMES[FOVEA_OPENGAZE_LEFT][0],
                                 NAMES[FOVEA_OPENGAZE_RIGHT][0]};
    struct span rest = {.at = line, .end = line + bytes};
    struct numbers numbers = {.of = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}},
                              .time_s = NAN};
    *out = (struct gaze_opengaze_record){0};
    pass_spaces(&rest);
    if ((size_t)(rest.end - rest.at) < sizeof begin - 1 ||
        memcmp(rest.at, begin, sizeof begin - 1) != 0) {
        return rest.at == rest.end || *rest.at == '<' ? NULL : "it is not a line of Open Gaze";
    }
    rest.at += sizeof begin - 1;
    for (pass_spaces(&rest); rest.at < rest.end && *rest.at != '/'; pass_spaces(&rest)) {
        struct span name;
        struct span value;
        if (!take_attribute(&rest, &name, &value)) {
            return "it must be <REC NAME=\"value\" ... />";
        }
        if (!take_number(name, value, points, &numbers)) {
            return "a number in it is not one";
        }
    }
    judge(&numbers, out);
    return NULL;
}
