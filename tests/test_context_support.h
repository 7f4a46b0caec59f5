/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "cmocka_all.h"
#include "config/settings.h"
#include "images.h"

/* A context said this. */
struct said {
    int count; /* of warnings and errors */
    char last[512];
    int info_count;
    char info[512]; /* the last */
};

struct fovea_log said_log(struct said *said);

/* Settings of paths and values by turns, up to NULL. The caller destroys them. */
struct fovea_settings *settings_with(const char *const *paths_and_values, struct said *said);

struct fovea_context *context_of(const struct fovea_settings *settings, struct said *said);

/* Fails unless exactly one message came since the last call, with `word` in it. */
void assert_said(struct said *said, const char *word);
void assert_silent(const struct said *said);
#define assert_invalid(call) assert_int_equal(call, FOVEA_ERROR_INVALID_ARGUMENT)
