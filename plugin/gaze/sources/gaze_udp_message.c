/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_udp_message.h"

#include "core/json_scan.h"

#include <math.h>
#include <string.h>

#define NOT_A_SAMPLE "its length is not that of a sample in gaze.udp.format"

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

static const char *parse_json(const char *text, size_t bytes, struct gaze_udp_message *out)
{
    struct members members = {.numbers = {NAN, NAN, 1.0, NAN}};
    char problem[64] = "";
    struct json_scan scan = {
        .bytes = text, .count = bytes, .problem = problem, .problem_bytes = sizeof problem};
    if (bytes > GAZE_UDP_MESSAGE_BYTES) {
        return "it is longer than 1024 bytes";
    }
    const bool is_object = json_sees(&scan, '{');
    if (!(is_object ? json_object(&scan, take_member, &members) : json_pass(&scan))) {
        return "it is not JSON, as gaze.udp.format wants";
    }
    if (!is_padding(text + scan.at, text + bytes)) {
        return "there is more than one JSON value";
    }
    return is_object ? judge(&members, out) : "it must be a JSON object";
}

/* A float or a double, by its bytes, the least one first. */
static double number_at(const uint8_t *bytes, size_t index, size_t number_bytes)
{
    uint64_t word = 0;
    for (size_t i = 0; i < number_bytes; i++) {
        word |= (uint64_t)bytes[index * number_bytes + i] << (8 * i);
    }
    const uint32_t low = (uint32_t)word;
    float single;
    double whole;
    memcpy(&single, &low, sizeof single);
    memcpy(&whole, &word, sizeof whole);
    return number_bytes == sizeof single ? (double)single : whole;
}

/* x and y, and perhaps confidence. A lost eye is sent as NAN. */
static const char *take_numbers(const double *numbers, size_t count, struct gaze_udp_message *out)
{
    const bool lost = isnan(numbers[0]) || isnan(numbers[1]);
    const double confidence = count > 2 ? numbers[2] : 1.0;
    if (!lost && !(isfinite(numbers[0]) && isfinite(numbers[1]))) {
        return "x and y must be finite numbers, or NAN for a lost eye";
    }
    if (!lost && !(confidence >= 0.0 && confidence <= 1.0)) {
        return "confidence must be 0 to 1";
    }
    out->sample = (struct fovea_gaze_sample){.x = lost ? 0.0 : numbers[0],
                                             .y = lost ? 0.0 : numbers[1],
                                             .confidence = lost ? 0.0 : confidence,
                                             .blink = lost};
    return NULL;
}

static const char *parse_numbers(const uint8_t *bytes, size_t count, size_t number_bytes,
                                 struct gaze_udp_message *out)
{
    double numbers[3];
    const size_t numbers_count = count / number_bytes;
    if (count % number_bytes != 0 || numbers_count < 2 || numbers_count > 3) {
        return NOT_A_SAMPLE;
    }
    for (size_t i = 0; i < numbers_count; i++) {
        numbers[i] = number_at(bytes, i, number_bytes);
    }
    return take_numbers(numbers, numbers_count, out);
}

/* x, y and z in centimetres, then yaw, pitch and roll in degrees. Where the head is and how it is
 * tilted move no point of a screen that is given in degrees. */
static const char *parse_opentrack(const uint8_t *bytes, size_t count, struct gaze_udp_message *out)
{
    enum { YAW = 3, PITCH = 4, POSE_NUMBERS = 6 };
    if (count != POSE_NUMBERS * sizeof(double)) {
        return NOT_A_SAMPLE;
    }
    const double angles[] = {number_at(bytes, YAW, sizeof(double)),
                             number_at(bytes, PITCH, sizeof(double))};
    return take_numbers(angles, 2, out);
}

const char *gaze_udp_message_parse(enum fovea_udp_format format, const void *bytes, size_t count,
                                   struct gaze_udp_message *out)
{
    *out = (struct gaze_udp_message){.sample = {.confidence = 1.0}};
    switch (format) {
    case FOVEA_UDP_FLOATS:
        return parse_numbers(bytes, count, sizeof(float), out);
    case FOVEA_UDP_DOUBLES:
        return parse_numbers(bytes, count, sizeof(double), out);
    case FOVEA_UDP_OPENTRACK:
        return parse_opentrack(bytes, count, out);
    case FOVEA_UDP_JSON:
        break;
    }
    return parse_json(bytes, count, out);
}
