/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BRACKETS 4

uint32_t json_index(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

bool json_once(struct json_scan *scan, const char *name, uint32_t bit, uint32_t *has)
{
    if (*has & bit) {
        return json_fail(scan, "\"%s\" is there twice", name);
    }
    *has |= bit;
    return true;
}

static bool read_word(struct json_scan *scan, const char *const *words, uint32_t *out_number)
{
    char word[JSON_NAME_BYTES];
    char all[128] = "";
    if (!json_word(scan, word)) {
        return false;
    }
    *out_number = json_index(words, word);
    if (words[*out_number]) {
        return true;
    }
    for (uint32_t i = 0; words[i]; i++) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", words[i]);
    }
    return json_fail(scan, "there is no \"%s\"; there are %s", word, all);
}

/* ---- Numbers */

/* Numbers are put into doubles or into floats. */
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

/* One number needs no brackets. */
static bool put_all(struct json_scan *scan, size_t least, struct target *to)
{
    const bool put = json_sees(scan, '[') ? put_list(scan, to, 0) : put_number(scan, to);
    if (!put || to->filled >= least) {
        return !scan->problem[0];
    }
    return json_fail(scan, "there are %zu numbers; there must be %zu", to->filled, to->most);
}

bool json_floats(struct json_scan *scan, size_t count, float *out_floats)
{
    return put_all(scan, count, &(struct target){.floats = out_floats, .most = count});
}

static bool read_numbers(struct json_scan *scan, const struct json_member *member, double *out)
{
    struct target to = {.doubles = out, .most = member->most};
    if (!put_all(scan, member->least, &to)) {
        return false;
    }
    for (size_t i = 0; i < to.filled && member->from < member->to; i++) {
        if (!(out[i] >= member->from && out[i] <= member->to) ||
            (member->whole && out[i] != floor(out[i]))) {
            return json_fail(scan, "\"%s\" is %g to %g%s", member->name, member->from, member->to,
                             member->whole ? ", whole numbers" : "");
        }
    }
    return true;
}

/* ---- Objects */

bool json_member_read(struct json_scan *scan, const struct json_members *members, const char *name,
                      void *to, uint32_t *has)
{
    const struct json_member *member = members->all;
    while (member->name && strcmp(member->name, name) != 0) {
        member++;
    }
    if (!member->name) {
        return members->passes ? json_pass(scan)
                               : json_fail(scan, "there is no \"%s\" in %s%s", name, members->what,
                                           members->more ? members->more : "");
    }
    void *at = (char *)to + member->at;
    if (!json_once(scan, name, 1u << (member - members->all), has)) {
        return false;
    }
    return member->words  ? read_word(scan, member->words, at)
           : member->read ? member->read(scan, at)
                          : read_numbers(scan, member, at);
}

bool json_members_need(struct json_scan *scan, const struct json_members *members, uint32_t has)
{
    for (uint32_t i = 0; members->all[i].name; i++) {
        if (members->needs & ~has & 1u << i) {
            return json_fail(scan, "%s has no \"%s\"", members->what, members->all[i].name);
        }
    }
    return true;
}

struct reading {
    const struct json_members *members;
    void *to;
    uint32_t *has;
};

static bool read_member(struct json_scan *scan, const char *name, void *user)
{
    const struct reading *reading = user;
    return json_member_read(scan, reading->members, name, reading->to, reading->has);
}

bool json_members_read(struct json_scan *scan, const struct json_members *members, void *to,
                       uint32_t *out_has)
{
    struct reading reading = {members, to, out_has};
    *out_has = 0;
    return json_object(scan, read_member, &reading) && json_members_need(scan, members, *out_has);
}
