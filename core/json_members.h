/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads objects of JSON by tables of their members. */
#ifndef FOVEA_CORE_JSON_MEMBERS_H
#define FOVEA_CORE_JSON_MEMBERS_H

#include "json_scan.h"

/* It is one of the words, or what the function reads, or numbers. */
struct json_member {
    const char *name;
    size_t at; /* where it goes in what the object is read into: uint32_t, anything, or double[] */
    size_t least, most; /* so many numbers */
    double from, to; /* each of them; both 0: any */
    bool whole;
    const char *const *words; /* they end with NULL */
    bool (*read)(struct json_scan *scan, void *to);
};

/* The file has as many numbers as the member of the struct holds. */
#define JSON_NUMBERS(word, type, member, low, high, are_whole)                                     \
    {                                                                                              \
        .name = word, .at = offsetof(type, member),                                                \
        .least = sizeof((type *)0)->member / sizeof(double),                                       \
        .most = sizeof((type *)0)->member / sizeof(double), .from = low, .to = high,               \
        .whole = are_whole                                                                         \
    }

struct json_members {
    const char *what; /* "the polynomial" */
    const char *more; /* follows what says that a member is none of these; NULL: nothing */
    bool passes; /* over members that are none of these */
    uint32_t needs; /* bits of members that must be there */
    const struct json_member *all; /* the last one has no name */
};

/* The bits of the members that are there come last. None may be there twice. */
bool json_members_read(struct json_scan *scan, const struct json_members *members, void *to,
                       uint32_t *out_has);
/* One of them, whose name was read. */
bool json_member_read(struct json_scan *scan, const struct json_members *members, const char *name,
                      void *to, uint32_t *has);
/* Says which member that it needs an object lacks. */
bool json_members_need(struct json_scan *scan, const struct json_members *members, uint32_t has);

/* The number of a name among those that end with NULL; how many there are: it is none of them. */
uint32_t json_index(const char *const *names, const char *name);
/* Fails if the bit is set, and sets it. */
bool json_once(struct json_scan *scan, const char *name, uint32_t bit, uint32_t *has);
/* So many numbers, which may be in brackets by rows and pairs. */
bool json_floats(struct json_scan *scan, size_t count, float *out_floats);

#endif
