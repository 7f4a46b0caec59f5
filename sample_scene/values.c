/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "values.h"

#include "say.h"

#include <stdio.h>
#include <string.h>

struct text {
    char text[FOVEA_SETTING_TEXT_MAX];
};

static void tell(enum fovea_result result, const char *path)
{
    if (result < 0) {
        say_error("the setting %s: %s", path, fovea_result_name(result));
    }
}

static const char *text_of(const struct fovea_settings *settings, const char *path,
                           struct text *text)
{
    tell(fovea_settings_get(settings, path, text->text, sizeof text->text), path);
    return text->text;
}

double value_number(const struct fovea_settings *settings, const char *path)
{
    double value = 0.0;
    tell(fovea_settings_get_double(settings, path, &value), path);
    return value;
}

bool value_is(const struct fovea_settings *settings, const char *path, const char *word)
{
    struct text text;
    return strcmp(text_of(settings, path, &text), word) == 0;
}

bool value_names(const struct fovea_settings *settings, const char *path)
{
    struct text text;
    const char *name = text_of(settings, path, &text);
    return name[strspn(name, "\"")] != '\0';
}

struct value_words value_words(const struct fovea_settings *settings, const char *path)
{
    struct text text;
    struct value_words words;
    const char *whole = text_of(settings, path, &text);
    const char *slash = strrchr(whole, '/');
    snprintf(words.text, sizeof words.text, "%.80s", slash ? slash + 1 : whole);
    return words;
}

struct value_words value_operators(const struct fovea_settings *settings)
{
    const struct value_words list = value_words(settings, "operators");
    struct value_words words = {""};
    size_t length = 0;
    for (const char *c = list.text; *c && length + 2 < sizeof words.text; c++) {
        if (!strchr("[]\" ", *c)) {
            words.text[length++] = *c;
        }
        if (*c == ',') {
            words.text[length++] = ' ';
        }
    }
    return strcmp(words.text, "foveate") == 0 ? (struct value_words){""} : words;
}

/* "[1, 2]", "[[1, 2], [3, 4]]" */
unsigned value_count(const struct fovea_settings *settings, const char *path)
{
    struct text text;
    const char *whole = text_of(settings, path, &text);
    const bool pairs = strncmp(whole, "[[", 2) == 0;
    unsigned count = !pairs && whole[0] == '[' && whole[1] != ']' ? 1 : 0;
    for (const char *c = whole + (whole[0] != '\0'); *c; c++) {
        count += *c == (pairs ? '[' : ',');
    }
    return count;
}

enum fovea_backend value_backend(const struct fovea_settings *settings)
{
    enum fovea_backend backend = FOVEA_BACKEND_CPU;
    while (backend > FOVEA_BACKEND_AUTO &&
           !value_is(settings, "backend", fovea_backend_name(backend))) {
        backend = (enum fovea_backend)((int)backend - 1);
    }
    return backend;
}

enum fovea_log_level value_log_level(const struct fovea_settings *settings)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    int level = FOVEA_LOG_ERROR;
    while (level > FOVEA_LOG_DEBUG && !value_is(settings, "log.level", names[level])) {
        level--;
    }
    return (enum fovea_log_level)level;
}

void value_set(struct fovea_settings *settings, const char *path, const char *value)
{
    tell(fovea_settings_set(settings, path, value, say_log(FOVEA_LOG_WARNING)), path);
}

void value_set_number(struct fovea_settings *settings, const char *path, double value)
{
    tell(fovea_settings_set_double(settings, path, value, say_log(FOVEA_LOG_WARNING)), path);
}

/* The path of setting i; NULL: it does not begin so. */
static const char *path_with(size_t i, const char *prefix)
{
    struct fovea_setting setting;
    fovea_setting_init(&setting);
    tell(fovea_setting_info(i, &setting), prefix);
    return strncmp(setting.path, prefix, strlen(prefix)) == 0 ? setting.path : NULL;
}

bool values_are_the_same(const struct fovea_settings *a, const struct fovea_settings *b,
                         const char *prefix)
{
    bool same = true;
    for (size_t i = 0; i < fovea_setting_count() && same; i++) {
        struct text text;
        const char *path = path_with(i, prefix);
        same = !path || value_is(a, path, text_of(b, path, &text));
    }
    return same;
}

void values_copy(const struct fovea_settings *from, struct fovea_settings *to, const char *prefix)
{
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        struct text text;
        const char *path = path_with(i, prefix);
        if (path && !value_is(to, path, text_of(from, path, &text))) {
            value_set(to, path, text.text);
        }
    }
}
