/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads JSON from the front to the back, and says where what is wrong stands. It takes no memory
 * but that of spots, and reads numbers as JSON writes them in any locale. Every function that
 * returns a bool is false after the first problem, which stays. */
#pragma once

#include "json_text.h"

#define JSON_DEPTH_MAX 16
#define JSON_NAME_BYTES 64

/* Says where a value stands. Values are numbered as they begin in the text: an object, then its
 * first value, and so on. */
struct json_spot {
    uint32_t name; /* byte at which the value's name begins; its own where it has none */
    uint32_t begin;
    uint32_t end;
    uint32_t next; /* number of the first value that is not inside this one */
};

struct json_spots {
    struct json_spot *all; /* to be freed, after failures too */
    size_t count;
    size_t capacity;
    bool no_memory; /* was left for them, which is the problem */
};

struct json_scan {
    const char *bytes;
    size_t count;
    size_t at;
    char *plain; /* a copy of the bytes, in which comments become spaces; NULL: there may be none */
    /* Filled by json_pass, which then takes strings only that can be decoded; NULL: nobody asks. */
    struct json_spots *spots;
    bool has_places; /* the problem begins with "line:column: " */
    char *problem; /* "": none */
    size_t problem_bytes;
};

/* ---- Problems. All return false. */

__attribute__((format(printf, 2, 3))) bool json_fail(struct json_scan *scan, const char *format,
                                                     ...);
__attribute__((format(printf, 3, 4))) bool json_fail_at(struct json_scan *scan, size_t at,
                                                        const char *format, ...);
/* "expected <what>; found <the word, the character or the end that is here>" */
bool json_expected(struct json_scan *scan, const char *what);

/* ---- Values, each at its first byte but for white space, which is passed over */

/* Passes over white space and comments. */
bool json_space(struct json_scan *scan);
/* Says whether it comes next. */
bool json_sees(struct json_scan *scan, char c);
/* A finite number; it may end in a point. */
bool json_number(struct json_scan *scan, double *out_number);
/* A string without escapes, which is short and ASCII. */
bool json_word(struct json_scan *scan, char out_word[JSON_NAME_BYTES]);
/* Any value, no more than JSON_DEPTH_MAX of them in each other. */
bool json_pass(struct json_scan *scan);
/* Nothing comes any more. */
bool json_end(struct json_scan *scan);

/* An object or a list that is being read:
 *
 *     for (bool good = json_open(scan, '[', &list); good && json_next(scan, &list);) { a value } */
struct json_list {
    size_t open_at;
    char close;
    bool begun;
};
bool json_open(struct json_scan *scan, char open, struct json_list *out_list);
/* Goes to the next value or name. False: the list is over, and passed, or something is wrong. */
bool json_next(struct json_scan *scan, struct json_list *list);

/* Reads the members of an object, each by the function, which reads the value that comes next. A
 * name is cut off and has question marks instead of all but plain letters. */
typedef bool (*json_member_fn)(struct json_scan *scan, const char *name, void *user);
bool json_object(struct json_scan *scan, json_member_fn member, void *user);
