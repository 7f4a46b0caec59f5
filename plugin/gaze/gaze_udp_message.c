/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_udp_message.h"

#include "core/json.h"

#include <math.h>

/* Also the NUL that some senders put at the end. */
static bool is_padding(const char *begin, const char *end)
{
    for (const char *p = begin; p < end; p++) {
        if (*p != ' ' && *p != '\t' && *p != '\r' && *p != '\n' && *p != '\0') {
            return false;
        }
    }
    return true;
}

/* Absent is fine and leaves *out as it is. */
static bool read_number(const struct json_value *object, const char *key, double *out)
{
    const struct json_value *item = json_member(object, key);
    if (!item) {
        return true;
    }
    if (!json_is(item, JSON_NUMBER) || !isfinite(item->number)) {
        return false;
    }
    *out = item->number;
    return true;
}

static bool read_blink(const struct json_value *object, bool *out)
{
    const struct json_value *item = json_member(object, "blink");
    *out = json_is_true(item);
    return !item || json_is(item, JSON_BOOL);
}

static const char *read_point(const struct json_value *object, struct fovea_gaze_sample *sample)
{
    sample->x = NAN;
    sample->y = NAN;
    const bool understood =
        read_number(object, "x", &sample->x) && read_number(object, "y", &sample->y);
    if (!understood || !isfinite(sample->x) || !isfinite(sample->y)) {
        return "x and y must be finite numbers";
    }
    return NULL;
}

static const char *read_message(const struct json_value *object, struct gaze_udp_message *out)
{
    struct fovea_gaze_sample *sample = &out->sample;
    if (!json_is(object, JSON_OBJECT)) {
        return "it must be a JSON object";
    }
    if (!read_blink(object, &sample->blink)) {
        return "blink must be true or false";
    }
    if (!read_number(object, "confidence", &sample->confidence) || sample->confidence < 0.0 ||
        sample->confidence > 1.0) {
        return "confidence must be 0 to 1";
    }
    out->t_s = NAN;
    if (!read_number(object, "t", &out->t_s)) {
        return "t must be a finite number of seconds";
    }
    out->has_time = isfinite(out->t_s);
    return sample->blink ? NULL : read_point(object, sample);
}

const char *gaze_udp_message_parse(const char *text, size_t bytes, struct gaze_udp_message *out)
{
    *out = (struct gaze_udp_message){.sample = {.confidence = 1.0}};
    if (bytes > GAZE_UDP_MESSAGE_BYTES) {
        return "it is longer than 1024 bytes";
    }
    const char *end = NULL;
    struct json_value *object = NULL;
    const enum fovea_result result = json_parse(text, bytes, &end, &object);
    if (result < 0) {
        return result == FOVEA_ERROR_OUT_OF_MEMORY ? "out of memory" : "it is not JSON";
    }
    const char *why = "there is more than one JSON value";
    if (is_padding(end, text + bytes)) {
        why = read_message(object, out);
    }
    json_destroy(&object);
    return why;
}
