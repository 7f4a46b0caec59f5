/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "read.h"

#include <stdio.h>
#include <string.h>

#define MOST_BRACKETS 4

uint32_t lens_read_index(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

bool lens_read_once(struct json_scan *scan, const char *name, bool *has)
{
    if (*has) {
        return json_fail(scan, "\"%s\" is there twice", name);
    }
    *has = true;
    return true;
}

bool lens_read_choice(struct json_scan *scan, const char *const *words, uint32_t *out_number)
{
    char word[JSON_NAME_BYTES];
    if (!json_word(scan, word)) {
        return false;
    }
    *out_number = lens_read_index(words, word);
    if (words[*out_number]) {
        return true;
    }
    char all[128] = "";
    for (uint32_t i = 0; words[i]; i++) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", words[i]);
    }
    return json_fail(scan, "there is no \"%s\"; there are %s", word, all);
}

/* Where numbers go: one of both. */
struct target {
    double *doubles;
    float *floats;
    size_t most;
    size_t filled;
};

static bool put_number(struct json_scan *scan, struct target *to)
{
    double number = 0.0;
    if (!json_number(scan, &number)) {
        return false;
    }
    if (to->filled == to->most) {
        return json_fail(scan, "there are more than %zu numbers", to->most);
    }
    if (to->floats) {
        to->floats[to->filled++] = (float)number;
    } else if (to->doubles) {
        to->doubles[to->filled++] = number;
    }
    return true;
}

static bool put_list(struct json_scan *scan, struct target *to, int depth)
{
    struct json_list list;
    bool good = json_open(scan, '[', &list);
    if (good && depth == MOST_BRACKETS) {
        return json_fail(scan, "there are more than %d brackets in each other", depth);
    }
    while (good && json_next(scan, &list)) {
        good = json_sees(scan, '[') ? put_list(scan, to, depth + 1) : put_number(scan, to);
    }
    return good && !scan->problem[0];
}

static bool put_all(struct json_scan *scan, size_t least, struct target *to)
{
    const bool put = json_sees(scan, '[') ? put_list(scan, to, 0) : put_number(scan, to);
    if (!put || to->filled >= least) {
        return !scan->problem[0];
    }
    return least == to->most
               ? json_fail(scan, "there are %zu numbers; there must be %zu", to->filled, least)
               : json_fail(scan, "there are %zu numbers; there must be %zu or %zu", to->filled,
                           least, to->most);
}

bool lens_read_numbers(struct json_scan *scan, size_t least, size_t most, double *out_numbers)
{
    return put_all(scan, least, &(struct target){.doubles = out_numbers, .most = most});
}

bool lens_read_floats(struct json_scan *scan, size_t count, float *out_floats)
{
    return put_all(scan, count, &(struct target){.floats = out_floats, .most = count});
}
