/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "apply.h"
#include "guess.h"
#include "key.h"
#include "words.h"

#include <string.h>

static struct config_name child_name(const char *group, size_t index, bool in_file)
{
    bool may = in_file || config_keys[index].type > CONFIG_APPS;
    return may ? config_child_name(group, index) : (struct config_name){0};
}

/* A name of this group that is near; else the path of a key elsewhere that has the very name. */
static struct config_guess guess_key(const char *group, const char *name, bool in_file)
{
    struct config_guess guess = config_guess_begin(name);
    for (size_t i = 0; i < config_key_count; i++) {
        config_guess_offer(&guess, child_name(group, i, in_file).text);
    }
    for (size_t i = 0; i < config_key_count && !guess.best[0]; i++) {
        const char *path = config_keys[i].path;
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot + 1, name) == 0) {
            config_words_copy(guess.best, sizeof guess.best, path, strlen(path));
        }
    }
    return guess;
}

static struct config_words names_in(const char *group, bool in_file)
{
    struct config_words words = {0};
    for (size_t i = 0; i < config_key_count; i++) {
        struct config_name name = child_name(group, i, in_file);
        if (name.text[0]) {
            config_words_add(words.text, sizeof words.text, "%s%s", words.text[0] ? ", " : "",
                             name.text);
        }
    }
    return words;
}

enum fovea_result config_unknown_key(const struct config_text *text, size_t offset,
                                     const char *shown_path, size_t key_at, bool in_file)
{
    const char *path = shown_path + key_at;
    const char *dot = strrchr(path, '.');
    const char *name = dot ? dot + 1 : path;
    char group[256];
    config_words_copy(group, sizeof group, path, dot ? (size_t)(dot - path) : 0);
    if (config_key_find(group)) {
        return config_text_fail(text, offset, shown_path, "unknown key; %s holds a value", group);
    }
    struct config_guess guess = guess_key(group, name, in_file);
    if (guess.best[0]) {
        return config_text_fail(text, offset, shown_path, "unknown key; did you mean \"%s\"?",
                                guess.best);
    }
    return config_text_fail(text, offset, shown_path, "unknown key; expected one of %s",
                            names_in(group, in_file).text);
}
