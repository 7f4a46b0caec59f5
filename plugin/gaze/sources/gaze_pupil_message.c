/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_pupil_message.h"

#include <math.h>
#include <string.h>

#define CUT_OFF "it is cut off, or not MessagePack"

/* ---- MessagePack */

enum kind { NUMBER, TEXT, LIST, MAP, OTHER };

struct head {
    enum kind kind;
    double number;
    uint64_t count; /* bytes that follow, of a list elements, of a map pairs */
};

struct reader {
    const uint8_t *at;
    const uint8_t *end;
};

static bool take_bytes(struct reader *reader, size_t count, uint64_t *out)
{
    if ((size_t)(reader->end - reader->at) < count) {
        return false;
    }
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        *out = *out << 8 | *reader->at++;
    }
    return true;
}

static double signed_of(uint64_t bits, size_t bytes)
{
    if (bytes == 0) {
        return 0.0;
    }
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (double)(bits & (sign - 1)) - (bits & sign ? ldexp(1.0, 8 * (int)bytes - 1) : 0.0);
}

static double float_of(uint64_t bits, size_t bytes)
{
    if (bytes == sizeof(float)) {
        const uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The codes from 0xc0 to 0xdf, each with the bytes of its length or number. */
static const struct {
    enum kind kind;
    uint8_t bytes;
    uint8_t more; /* bytes behind that: the type of an extension, and what it always has */
    char number; /* 'f'loat, 'u'nsigned, 'i'nteger */
} CODES[32] = {
    {OTHER, 0, 0, 0},    {OTHER, 0, 0, 0},    {OTHER, 0, 0, 0},    {OTHER, 0, 0, 0},
    {OTHER, 1, 0, 0},    {OTHER, 2, 0, 0},    {OTHER, 4, 0, 0},    {OTHER, 1, 1, 0},
    {OTHER, 2, 1, 0},    {OTHER, 4, 1, 0},    {NUMBER, 4, 0, 'f'}, {NUMBER, 8, 0, 'f'},
    {NUMBER, 1, 0, 'u'}, {NUMBER, 2, 0, 'u'}, {NUMBER, 4, 0, 'u'}, {NUMBER, 8, 0, 'u'},
    {NUMBER, 1, 0, 'i'}, {NUMBER, 2, 0, 'i'}, {NUMBER, 4, 0, 'i'}, {NUMBER, 8, 0, 'i'},
    {OTHER, 0, 2, 0},    {OTHER, 0, 3, 0},    {OTHER, 0, 5, 0},    {OTHER, 0, 9, 0},
    {OTHER, 0, 17, 0},   {TEXT, 1, 0, 0},     {TEXT, 2, 0, 0},     {TEXT, 4, 0, 0},
    {LIST, 2, 0, 0},     {LIST, 4, 0, 0},     {MAP, 2, 0, 0},      {MAP, 4, 0, 0},
};

static bool read_coded(struct reader *reader, uint8_t code, struct head *out)
{
    const size_t index = code - 0xc0u;
    const size_t bytes = CODES[index].bytes;
    uint64_t bits = 0;
    if (!take_bytes(reader, bytes, &bits)) {
        return false;
    }
    out->kind = CODES[index].kind;
    switch (CODES[index].number) {
    case 'f':
        out->number = float_of(bits, bytes);
        break;
    case 'u':
        out->number = (double)bits;
        break;
    case 'i':
        out->number = signed_of(bits, bytes);
        break;
    default:
        out->count = bits + CODES[index].more;
        break;
    }
    return true;
}

static bool read_head(struct reader *reader, struct head *out)
{
    uint64_t code = 0;
    *out = (struct head){.kind = NUMBER};
    if (!take_bytes(reader, 1, &code)) {
        return false;
    }
    if (code >= 0xc0 && code <= 0xdf) {
        return read_coded(reader, (uint8_t)code, out);
    }
    if (code >= 0xa0 && code < 0xc0) {
        *out = (struct head){.kind = TEXT, .count = code & 0x1f};
    } else if (code >= 0x80 && code < 0xa0) {
        *out = (struct head){.kind = code < 0x90 ? MAP : LIST, .count = code & 0x0f};
    } else {
        out->number = code < 0x80 ? (double)code : (double)code - 256.0;
    }
    return true;
}

/* Passes over what a head is followed by, with all that is in it. Each step takes a byte or ends.
 */
static bool pass_rest(struct reader *reader, struct head head)
{
    uint64_t values = 0;
    for (;;) {
        if (head.kind == LIST || head.kind == MAP) {
            values += head.kind == MAP ? 2 * head.count : head.count;
        } else if ((size_t)(reader->end - reader->at) < head.count) {
            return false;
        } else {
            reader->at += head.count;
        }
        if (values == 0) {
            return true;
        }
        values--;
        if (!read_head(reader, &head)) {
            return false;
        }
    }
}

static bool pass(struct reader *reader)
{
    struct head head;
    return read_head(reader, &head) && pass_rest(reader, head);
}

static bool read_key(struct reader *reader, const char **out, size_t *out_bytes)
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    *out = (const char *)reader->at;
    *out_bytes = head.kind == TEXT ? (size_t)head.count : 0;
    return pass_rest(reader, head);
}

static bool is_key(const char *key, size_t bytes, const char *word)
{
    return bytes == strlen(word) && memcmp(key, word, bytes) == 0;
}

/* ---- The gaze */

/* NAN: it is no number. */
static bool read_number(struct reader *reader, double *out)
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    *out = head.kind == NUMBER ? head.number : NAN;
    return pass_rest(reader, head);
}

static bool read_place(struct reader *reader, struct gaze_pupil_datum *datum)
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    if (head.kind != LIST || head.count < 2) {
        return pass_rest(reader, head);
    }
    head.count -= 2;
    return read_number(reader, &datum->x) && read_number(reader, &datum->y) &&
           pass_rest(reader, head);
}

static bool read_member(struct reader *reader, struct gaze_pupil_datum *datum)
{
    const char *key = NULL;
    size_t bytes = 0;
    if (!read_key(reader, &key, &bytes)) {
        return false;
    }
    if (is_key(key, bytes, "norm_pos")) {
        return read_place(reader, datum);
    }
    if (is_key(key, bytes, "confidence")) {
        return read_number(reader, &datum->confidence);
    }
    return is_key(key, bytes, "timestamp") ? read_number(reader, &datum->time_s) : pass(reader);
}

static bool is_usable(const struct gaze_pupil_datum *datum)
{
    return isfinite(datum->x) && isfinite(datum->y) && isfinite(datum->time_s) &&
           datum->confidence >= 0.0 && datum->confidence <= 1.0;
}

/* -> NULL: go on. */
static const char *read_datum(struct reader *reader, gaze_pupil_fn take, void *user)
{
    struct gaze_pupil_datum datum = {NAN, NAN, NAN, NAN};
    struct head head;
    if (!read_head(reader, &head)) {
        return CUT_OFF;
    }
    if (head.kind != MAP) {
        return "a gaze is no map";
    }
    for (uint64_t i = 0; i < head.count; i++) {
        if (!read_member(reader, &datum)) {
            return CUT_OFF;
        }
    }
    if (!is_usable(&datum)) {
        return "a gaze has no norm_pos, confidence of 0 to 1 and timestamp";
    }
    take(user, &datum);
    return NULL;
}

static const char *read_gazes(struct reader *reader, gaze_pupil_fn take, void *user)
{
    struct head head;
    if (!read_head(reader, &head)) {
        return CUT_OFF;
    }
    if (head.kind != LIST) {
        return "gaze_on_surfaces is no list";
    }
    for (uint64_t i = 0; i < head.count; i++) {
        const char *why = read_datum(reader, take, user);
        if (why) {
            return why;
        }
    }
    return NULL;
}

const char *gaze_pupil_parse(const uint8_t *bytes, size_t count, gaze_pupil_fn take, void *user)
{
    struct reader reader = {.at = bytes, .end = bytes + count};
    struct head head;
    if (!read_head(&reader, &head) || head.kind != MAP) {
        return "it is not a map of MessagePack";
    }
    for (uint64_t i = 0; i < head.count; i++) {
        const char *key = NULL;
        size_t key_bytes = 0;
        if (!read_key(&reader, &key, &key_bytes)) {
            return CUT_OFF;
        }
        if (is_key(key, key_bytes, "gaze_on_surfaces")) {
            return read_gazes(&reader, take, user);
        }
        if (!pass(&reader)) {
            return CUT_OFF;
        }
    }
    return NULL;
}

/* ---- Both eyes */

/* Three numbers. */
static bool read_vector(struct reader *reader, double scale, double out[3])
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    if (head.kind != LIST || head.count != 3) {
        return pass_rest(reader, head);
    }
    for (int i = 0; i < 3; i++) {
        if (!read_number(reader, &out[i])) {
            return false;
        }
        out[i] *= scale;
    }
    return true;
}

/* Reads which eye a key names, by a number or its text; 2: none. */
static bool read_eye(struct reader *reader, size_t *out)
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    const uint8_t *text = reader->at;
    if (!pass_rest(reader, head)) {
        return false;
    }
    const double number = head.kind == TEXT && head.count == 1 ? text[0] - (double)'0'
                          : head.kind == NUMBER                ? head.number
                                                               : 2.0;
    *out = number == 0.0 ? 1 : number == 1.0 ? 0 : 2;
    return true;
}

static bool read_vectors(struct reader *reader, double scale, double *out[2])
{
    struct head head;
    if (!read_head(reader, &head)) {
        return false;
    }
    if (head.kind != MAP) {
        return pass_rest(reader, head);
    }
    for (uint64_t i = 0; i < head.count; i++) {
        size_t eye = 2;
        if (!read_eye(reader, &eye) ||
            !(eye < 2 ? read_vector(reader, scale, out[eye]) : pass(reader))) {
            return false;
        }
    }
    return true;
}

static bool read_eyes_member(struct reader *reader, struct gaze_pupil_eyes *out)
{
    const char *key = NULL;
    size_t bytes = 0;
    double *centers[2] = {out->eyes[0].eye_m, out->eyes[1].eye_m};
    double *ways[2] = {out->eyes[0].way, out->eyes[1].way};
    if (!read_key(reader, &key, &bytes)) {
        return false;
    }
    if (is_key(key, bytes, "eye_centers_3d")) {
        return read_vectors(reader, 1e-3, centers); /* millimetres */
    }
    if (is_key(key, bytes, "gaze_normals_3d")) {
        return read_vectors(reader, 1.0, ways);
    }
    if (is_key(key, bytes, "confidence")) {
        return read_number(reader, &out->confidence);
    }
    return is_key(key, bytes, "timestamp") ? read_number(reader, &out->time_s) : pass(reader);
}

const char *gaze_pupil_parse_eyes(const uint8_t *bytes, size_t count, struct gaze_pupil_eyes *out)
{
    const struct gaze_sight nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    struct reader reader = {.at = bytes, .end = bytes + count};
    struct head head;
    *out = (struct gaze_pupil_eyes){{nothing, nothing}, NAN, NAN};
    if (!read_head(&reader, &head) || head.kind != MAP) {
        return "it is not a map of MessagePack";
    }
    for (uint64_t i = 0; i < head.count; i++) {
        if (!read_eyes_member(&reader, out)) {
            return CUT_OFF;
        }
    }
    return isfinite(out->time_s) && out->confidence >= 0.0 && out->confidence <= 1.0
               ? NULL
               : "a gaze of both eyes has no confidence of 0 to 1 and timestamp";
}
