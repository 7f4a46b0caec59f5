/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One setting: from a JSON value into a struct fovea_settings, and out of it again. */
#pragma once

#include "document.h"
#include "key.h"

/* A JSON value with its own letters, which say what a double cannot: the seed has 64 bits. */
struct config_value {
    const cJSON *item;
    const char *bytes;
    size_t count;
    bool local; /* of a fovea.json that nobody has named: local.h */
};

/* Writes the value into settings, or says on failure what is wrong: "expected a whole number, 4 to
 * 128; found 3". Then settings is unchanged. */
FOVEA_MUST_CHECK bool config_value_store(const struct config_key *key,
                                         const struct config_value *value, const char *directory,
                                         struct fovea_settings *settings,
                                         struct config_words *out_complaint);

/* True if the member has a value that a file could have given it; else out_found is that value. */
FOVEA_MUST_CHECK bool config_value_check(const struct config_key *key,
                                         const struct fovea_settings *settings,
                                         struct config_words *out_found);

/* Takes bools, enumerators and single numbers; a whole number beyond 2^53 becomes the nearest. */
double config_value_number(const struct config_key *key, const struct fovea_settings *settings);

/* The member as JSON; arrays in brackets. Cut where it does not fit. */
struct config_words config_value_words(const struct config_key *key,
                                       const struct fovea_settings *settings);
