/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads objects of JSON by tables of their members. */
#pragma once

#include "json_scan.h"

/* A member's value is one of the words, or what the function reads, or numbers. */
struct json_member {
    const char *name;
    size_t at; /* offset in the struct that is filled: of a uint32_t for words, of a double[] for
                  numbers, of anything for the function */
    size_t least, most; /* how many numbers */
    double from, to; /* range of each number; both 0: any */
    bool whole;
    const char *const *words; /* they end with NULL; the number of one is stored */
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

/* Bits are counted as the members in `all`. */
struct json_members {
    const char *what; /* what messages call the object: "the polynomial" */
    const char *more; /* ends the message that a member is unknown; NULL: nothing does */
    bool passes; /* over unknown members; else they are wrong */
    uint32_t needs; /* bits of members that must be there */
    const struct json_member *all; /* up to 32; the last one has no name */
};

/* Reads an object into *to, and says which members are there. None may be there twice. */
bool json_members_read(struct json_scan *scan, const struct json_members *members, void *to,
                       uint32_t *out_has);
/* Reads one of them, whose name was read, and adds its bit. */
bool json_member_read(struct json_scan *scan, const struct json_members *members, const char *name,
                      void *to, uint32_t *has);
/* Fails, and says which it is, if a member that must be there is not. */
bool json_members_need(struct json_scan *scan, const struct json_members *members, uint32_t has);

/* Returns the number of a name among those that end with NULL; how many there are: it is none of
 * them. */
uint32_t json_index(const char *const *names, const char *name);
/* Fails if the bit is set, and sets it. */
bool json_once(struct json_scan *scan, const char *name, uint32_t bit, uint32_t *has);
/* Reads so many numbers, which may be in brackets by rows and pairs. */
bool json_floats(struct json_scan *scan, size_t count, float *out_floats);
