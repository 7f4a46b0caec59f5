/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings by their paths, as every program reads and writes them. All paths stand in our sources:
 * one that is not there is told as an error, and read as 0 or "". */
#pragma once

#include "fovea.h"

double value_number(const struct fovea_settings *settings, const char *path);
bool value_is(const struct fovea_settings *settings, const char *path, const char *word);
/* It is the name of a file, and not empty. */
bool value_names(const struct fovea_settings *settings, const char *path);

/* A word, or the name of a file: the last part of a long one. */
struct value_words {
    char text[96];
};
struct value_words value_words(const struct fovea_settings *settings, const char *path);

/* "foveate, lens"; "" where foveate alone is at work. */
struct value_words value_operators(const struct fovea_settings *settings);

/* Counts the items of a list. */
unsigned value_count(const struct fovea_settings *settings, const char *path);

enum fovea_backend value_backend(const struct fovea_settings *settings);
enum fovea_log_level value_log_level(const struct fovea_settings *settings);

void value_set(struct fovea_settings *settings, const char *path, const char *value);
void value_set_number(struct fovea_settings *settings, const char *path, double value);

/* All settings whose paths begin so. */
bool values_are_the_same(const struct fovea_settings *a, const struct fovea_settings *b,
                         const char *prefix);
void values_copy(const struct fovea_settings *from, struct fovea_settings *to, const char *prefix);
