/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A log that remembers, by level, for what is said on one thread. */
#pragma once

#include "cmocka_all.h"
#include "fovea_base.h"

/* Messages since the last recorded_clear. */
struct recorded {
    size_t count[FOVEA_LOG_ERROR + 1];
    char last[FOVEA_LOG_ERROR + 1][2048];
};

static inline void recorded_line(void *user, enum fovea_log_level level, const char *message)
{
    struct recorded *recorded = user;
    assert_null(strchr(message, '\n'));
    recorded->count[level]++;
    snprintf(recorded->last[level], sizeof recorded->last[level], "%s", message);
}

/* The user is a char[RECORDED_WORDS], which has the last message. */
#define RECORDED_WORDS 512
static inline void recorded_words(void *user, enum fovea_log_level level, const char *message)
{
    snprintf(user, RECORDED_WORDS, "%s", message);
}

static inline struct fovea_log recorded_log(struct recorded *recorded)
{
    return (struct fovea_log){.fn = recorded_line, .user = recorded, .min_level = FOVEA_LOG_DEBUG};
}

static inline void recorded_clear(struct recorded *recorded)
{
    *recorded = (struct recorded){0};
}

static inline size_t recorded_warnings(const struct recorded *recorded)
{
    return recorded->count[FOVEA_LOG_WARNING] + recorded->count[FOVEA_LOG_ERROR];
}
