/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_osc_packet.h"

#include <math.h>
#include <string.h>

#define BUNDLES_MAX 4 /* in each other */
#define NUMBERS_MAX 6
#define DEG_PER_RAD (180.0 / 3.14159265358979323846)
#define OPEN_LID                                                                                   \
    0.75 /* of the parameters of VRCFaceTracking's second version: wide eyes have more */

#define LEFT 1
#define RIGHT 2
#define BOTH (LEFT | RIGHT)

/* ---- What a message means */

enum meaning { PITCH_YAW, DIRECTION, CLOSED, TANGENT_RIGHT, TANGENT_UP, LID };

/* The numbers of each eye come one after the other. */
struct message {
    const char *name;
    enum meaning meaning;
    int eyes;
    size_t numbers; /* at least so many */
};

static const struct message TRACKING[] = {
    {"LeftRightPitchYaw", PITCH_YAW, BOTH, 4},  {"CenterPitchYaw", PITCH_YAW, BOTH, 2},
    {"CenterPitchYawDist", PITCH_YAW, BOTH, 2}, {"LeftRightVec", DIRECTION, BOTH, 6},
    {"CenterVec", DIRECTION, BOTH, 3},          {"CenterVecFull", DIRECTION, BOTH, 3},
    {"EyesClosedAmount", CLOSED, BOTH, 1},
};

static const struct message PARAMETERS[] = {
    {"EyeLeftX", TANGENT_RIGHT, LEFT, 1},
    {"EyeRightX", TANGENT_RIGHT, RIGHT, 1},
    {"EyeX", TANGENT_RIGHT, BOTH, 1},
    {"EyeLeftY", TANGENT_UP, LEFT, 1},
    {"EyeRightY", TANGENT_UP, RIGHT, 1},
    {"EyeY", TANGENT_UP, BOTH, 1},
    {"LeftEyeX", TANGENT_RIGHT, LEFT, 1},
    {"RightEyeX", TANGENT_RIGHT, RIGHT, 1},
    {"EyesX", TANGENT_RIGHT, BOTH, 1},
    {"LeftEyeY", TANGENT_UP, LEFT, 1},
    {"RightEyeY", TANGENT_UP, RIGHT, 1},
    {"EyesY", TANGENT_UP, BOTH, 1},
    {"EyeLidLeft", LID, LEFT, 1},
    {"EyeLidRight", LID, RIGHT, 1},
    {"EyeLid", LID, BOTH, 1},
    {"LeftEyeLid", LID, LEFT, 1},
    {"RightEyeLid", LID, RIGHT, 1},
};

static double to_unit(double value)
{
    return fmin(fmax(value, 0.0), 1.0);
}

static void take_numbers(enum meaning meaning, const double *numbers, struct gaze_osc_eye *eye)
{
    switch (meaning) {
    case PITCH_YAW: /* the pitch is positive below the horizon */
        eye->up_deg = -numbers[0];
        eye->right_deg = numbers[1];
        break;
    case DIRECTION: /* right, up, ahead; no eye looks back, and none looks nowhere */
        if (!(numbers[2] > 0.0)) {
            break;
        }
        eye->right_deg = atan2(numbers[0], numbers[2]) * DEG_PER_RAD;
        eye->up_deg = atan2(numbers[1], numbers[2]) * DEG_PER_RAD;
        break;
    case CLOSED:
        eye->open = to_unit(1.0 - numbers[0]);
        break;
    case TANGENT_RIGHT:
        eye->right_deg = atan(numbers[0]) * DEG_PER_RAD;
        break;
    case TANGENT_UP:
        eye->up_deg = atan(numbers[0]) * DEG_PER_RAD;
        break;
    case LID:
        eye->open = to_unit(numbers[0] / OPEN_LID);
        break;
    }
}

static void take_message(const struct message *message, const double *numbers,
                         struct gaze_osc_eyes *eyes)
{
    const bool apart = message->numbers >= 4;
    const bool across = message->meaning == PITCH_YAW || message->meaning == DIRECTION ||
                        message->meaning == TANGENT_RIGHT;
    if (across) {
        eyes->apart = apart || message->eyes != BOTH;
    }
    for (int i = 0; i < 2; i++) {
        if (message->eyes & (1 << i)) {
            eyes->anew[i] = eyes->anew[i] || across;
            take_numbers(message->meaning, numbers + (apart && i == 1 ? message->numbers / 2 : 0),
                         &eyes->eye[i]);
        }
    }
    eyes->changed = true;
}

static const struct message *find(const struct message *all, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, name) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

/* Parameters may have the names of folders before theirs: "v2/", "FT/v2/". */
static const struct message *message_of(const char *address)
{
    static const char tracking[] = "/tracking/eye/";
    static const char parameters[] = "/avatar/parameters/";
    if (strncmp(address, tracking, sizeof tracking - 1) == 0) {
        return find(TRACKING, sizeof TRACKING / sizeof TRACKING[0], address + sizeof tracking - 1);
    }
    if (strncmp(address, parameters, sizeof parameters - 1) == 0) {
        return find(PARAMETERS, sizeof PARAMETERS / sizeof PARAMETERS[0],
                    strrchr(address, '/') + 1);
    }
    return NULL;
}

/* ---- The bytes */

struct bytes {
    const uint8_t *at;
    const uint8_t *end;
};

static size_t left(const struct bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static bool take_word(struct bytes *bytes, uint32_t *out)
{
    if (left(bytes) < 4) {
        return false;
    }
    const uint8_t *b = bytes->at;
    *out = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    bytes->at += 4;
    return true;
}

/* It ends with a NUL, and is a multiple of four bytes. */
static bool take_string(struct bytes *bytes, const char **out)
{
    const uint8_t *end = memchr(bytes->at, '\0', left(bytes));
    if (!end) {
        return false;
    }
    const size_t whole = ((size_t)(end - bytes->at) / 4 + 1) * 4;
    if (whole > left(bytes)) {
        return false;
    }
    *out = (const char *)bytes->at;
    bytes->at += whole;
    return true;
}

static bool take_number(struct bytes *bytes, char type, double *out)
{
    uint32_t high = 0;
    uint32_t low = 0;
    if (!strchr("fid", type) || !take_word(bytes, &high) ||
        (type == 'd' && !take_word(bytes, &low))) {
        return false;
    }
    if (type == 'd') {
        const uint64_t word = (uint64_t)high << 32 | low;
        memcpy(out, &word, sizeof word);
    } else if (type == 'f') {
        float value;
        memcpy(&value, &high, sizeof value);
        *out = value;
    } else {
        *out = (int32_t)high;
    }
    return isfinite(*out);
}

static const char *parse_message(struct bytes bytes, struct gaze_osc_eyes *eyes)
{
    const char *address = NULL;
    const char *types = NULL;
    if (!take_string(&bytes, &address) || address[0] != '/') {
        return "it is not OSC";
    }
    const struct message *message = message_of(address);
    if (!message) {
        return NULL;
    }
    double numbers[NUMBERS_MAX] = {0};
    if (!take_string(&bytes, &types) || types[0] != ',') {
        return "an eye's message has no types";
    }
    for (size_t i = 0; i < message->numbers; i++) {
        if (types[i + 1] == '\0' || !take_number(&bytes, types[i + 1], &numbers[i])) {
            return "an eye's message has too few finite numbers";
        }
    }
    take_message(message, numbers, eyes);
    return NULL;
}

static const char *parse_packet(struct bytes bytes, int depth, struct gaze_osc_eyes *eyes)
{
    static const uint8_t head[8] = "#bundle";
    const size_t time_bytes = 8;
    if (left(&bytes) < sizeof head + time_bytes || memcmp(bytes.at, head, sizeof head) != 0) {
        return parse_message(bytes, eyes);
    }
    bytes.at += sizeof head + time_bytes;
    while (left(&bytes) > 0) {
        uint32_t count = 0;
        if (!take_word(&bytes, &count) || count > left(&bytes) || depth == 0) {
            return "a bundle of OSC is cut off, or in too many others";
        }
        const struct bytes part = {.at = bytes.at, .end = bytes.at + count};
        const char *why = parse_packet(part, depth - 1, eyes);
        if (why) {
            return why;
        }
        bytes.at += count;
    }
    return NULL;
}

const char *gaze_osc_parse(const uint8_t *bytes, size_t count, struct gaze_osc_eyes *eyes)
{
    const struct bytes all = {.at = bytes, .end = bytes + count};
    return parse_packet(all, BUNDLES_MAX, eyes);
}

/* ---- The gaze */

void gaze_osc_eyes_init(struct gaze_osc_eyes *eyes)
{
    *eyes = (struct gaze_osc_eyes){.eye = {{NAN, NAN, 1.0}, {NAN, NAN, 1.0}}};
}

static bool counts(const struct gaze_osc_eyes *eyes, enum fovea_gaze_eye wanted, int i)
{
    static const enum fovea_gaze_eye others[2] = {FOVEA_GAZE_EYE_RIGHT, FOVEA_GAZE_EYE_LEFT};
    const struct gaze_osc_eye *eye = &eyes->eye[i];
    return wanted != others[i] && isfinite(eye->right_deg) && isfinite(eye->up_deg);
}

/* An eye that is far more closed than the other does not count: its gaze is an old one. */
bool gaze_osc_sample(const struct gaze_osc_eyes *eyes, enum fovea_gaze_eye wanted,
                     struct fovea_gaze_sample *out)
{
    int counted = 0;
    double open = 0.0;
    for (int i = 0; i < 2; i++) {
        open = counts(eyes, wanted, i) ? fmax(open, eyes->eye[i].open) : open;
    }
    *out = (struct fovea_gaze_sample){.confidence = open};
    for (int i = 0; i < 2; i++) {
        const struct gaze_osc_eye *eye = &eyes->eye[i];
        if (counts(eyes, wanted, i) && eye->open >= open / 2) {
            counted++;
            out->x += (eye->right_deg - out->x) / counted;
            out->y += (eye->up_deg - out->y) / counted;
        }
    }
    return counted > 0;
}

bool gaze_osc_places(const struct gaze_osc_eyes *eyes, double out_right_deg[2],
                     double out_up_deg[2], double *out_open)
{
    bool are_known = eyes->apart;
    *out_open = 1.0;
    for (int i = 0; i < 2; i++) {
        are_known = are_known && counts(eyes, FOVEA_GAZE_EYE_BOTH, i);
        out_right_deg[i] = eyes->eye[i].right_deg;
        out_up_deg[i] = eyes->eye[i].up_deg;
        *out_open = fmin(*out_open, eyes->eye[i].open);
    }
    return are_known;
}
