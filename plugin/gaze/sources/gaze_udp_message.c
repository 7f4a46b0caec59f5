/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_udp_message.h"

#include <json.h>

#include <math.h>

/* Some senders put a NUL at the end. */
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
static bool read_number(const cJSON *object, const char *key, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item) {
        return true;
    }
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
        return false;
    }
    *out = item->valuedouble;
    return true;
}

static bool read_blink(const cJSON *object, bool *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "blink");
    *out = cJSON_IsTrue(item);
    return !item || cJSON_IsBool(item);
}

static const char *read_point(const cJSON *object, struct fovea_gaze_sample *sample)
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

static const char *read_message(const cJSON *object, struct gaze_udp_message *out)
{
    struct fovea_gaze_sample *sample = &out->sample;
    if (!cJSON_IsObject(object)) {
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
    cJSON *object = json_parse(text, bytes, &end, false);
    if (!object) {
        return "it is not JSON";
    }
    const char *why = "there is more than one JSON value";
    if (is_padding(end, text + bytes)) {
        why = read_message(object, out);
    }
    cJSON_Delete(object);
    return why;
}
