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

enum { X, Y, VALID, SECONDS, NUMBERS };

/* -> what the name is of, NUMBERS: nothing that counts. */
static int number_of(struct span name, enum fovea_opengaze_point point)
{
    const char words[NUMBERS][6] = {{NAMES[point][0], 'P', 'O', 'G', 'X'},
                                    {NAMES[point][0], 'P', 'O', 'G', 'Y'},
                                    {NAMES[point][0], 'P', 'O', 'G', 'V'},
                                    "TIME"};
    for (int i = 0; i < NUMBERS; i++) {
        if (is_word(name, words[i])) {
            return i;
        }
    }
    return NUMBERS;
}

static bool read_number(struct span value, double *out)
{
    return json_decimal(value.at, value.end, out) == value.end && isfinite(*out);
}

static const char *judge(const double *numbers, struct gaze_opengaze_record *out)
{
    out->has_gaze = !isnan(numbers[X]) && !isnan(numbers[Y]) && !isnan(numbers[VALID]);
    out->x = numbers[X];
    out->y = numbers[Y];
    out->valid = numbers[VALID] > 0.0;
    out->has_time = !isnan(numbers[SECONDS]);
    out->time_s = numbers[SECONDS];
    return NULL;
}

const char *gaze_opengaze_parse(const char *line, size_t bytes, enum fovea_opengaze_point point,
                                struct gaze_opengaze_record *out)
{
    static const char begin[] = "<REC";
    struct span rest = {.at = line, .end = line + bytes};
    double numbers[NUMBERS] = {NAN, NAN, NAN, NAN};
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
        double number = NAN;
        const int which = number_of(name, point);
        if (which < NUMBERS && !read_number(value, &number)) {
            return "a number in it is not one";
        }
        if (which < NUMBERS) {
            numbers[which] = number;
        }
    }
    return judge(numbers, out);
}
