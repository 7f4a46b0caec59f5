/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_udp_message.h"

#include "core/json_scan.h"

#include <math.h>
#include <string.h>

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

enum number { X, Y, CONFIDENCE, SECONDS, NUMBERS };

/* The members that count, each as it comes first. */
struct members {
    double numbers[NUMBERS]; /* NAN: none is there */
    bool wrong[NUMBERS];
    bool has[NUMBERS];
    bool has_blink;
    bool blink;
    bool blink_is_wrong;
};

static bool is_span(const char *begin, const char *end, const char *word)
{
    return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, strlen(word)) == 0;
}

/* Reads a value after it was passed over, which only bad JSON prevents. */
static bool take_member(struct json_scan *scan, const char *name, void *user)
{
    static const char *const names[NUMBERS] = {"x", "y", "confidence", "t"};
    struct members *members = user;
    if (!json_space(scan)) {
        return false;
    }
    const char *begin = scan->bytes + scan->at;
    if (!json_pass(scan)) {
        return false;
    }
    const char *end = scan->bytes + scan->at;
    for (int i = 0; i < NUMBERS; i++) {
        if (!members->has[i] && strcmp(name, names[i]) == 0) {
            members->has[i] = true;
            members->wrong[i] =
                !json_decimal(begin, end, &members->numbers[i]) || !isfinite(members->numbers[i]);
        }
    }
    if (!members->has_blink && strcmp(name, "blink") == 0) {
        members->has_blink = true;
        members->blink = is_span(begin, end, "true");
        members->blink_is_wrong = !members->blink && !is_span(begin, end, "false");
    }
    return true;
}

static const char *judge(const struct members *members, struct gaze_udp_message *out)
{
    const double *numbers = members->numbers;
    if (members->blink_is_wrong) {
        return "blink must be true or false";
    }
    if (members->wrong[CONFIDENCE] || numbers[CONFIDENCE] < 0.0 || numbers[CONFIDENCE] > 1.0) {
        return "confidence must be 0 to 1";
    }
    if (members->wrong[SECONDS]) {
        return "t must be a finite number of seconds";
    }
    if (!members->blink && !(isfinite(numbers[X]) && isfinite(numbers[Y]))) {
        return "x and y must be finite numbers";
    }
    out->sample = (struct fovea_gaze_sample){.x = members->blink ? 0.0 : numbers[X],
                                             .y = members->blink ? 0.0 : numbers[Y],
                                             .confidence = numbers[CONFIDENCE],
                                             .blink = members->blink};
    out->t_s = numbers[SECONDS];
    out->has_time = members->has[SECONDS];
    return NULL;
}

const char *gaze_udp_message_parse(const char *text, size_t bytes, struct gaze_udp_message *out)
{
    struct members members = {.numbers = {NAN, NAN, 1.0, NAN}};
    char problem[64] = "";
    struct json_scan scan = {
        .bytes = text, .count = bytes, .problem = problem, .problem_bytes = sizeof problem};
    *out = (struct gaze_udp_message){.sample = {.confidence = 1.0}};
    if (bytes > GAZE_UDP_MESSAGE_BYTES) {
        return "it is longer than 1024 bytes";
    }
    const bool is_object = json_sees(&scan, '{');
    if (!(is_object ? json_object(&scan, take_member, &members) : json_pass(&scan))) {
        return "it is not JSON";
    }
    if (!is_padding(text + scan.at, text + bytes)) {
        return "there is more than one JSON value";
    }
    return is_object ? judge(&members, out) : "it must be a JSON object";
}
