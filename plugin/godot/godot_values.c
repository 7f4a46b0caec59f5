/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Properties set and read: from the engine's values into settings, and back. */

#include "core/log.h"
#include "godot_properties.h"
#include "plugin/godot/api/godot_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fovea calls the source that its program feeds after the pointer; scripts feed it here. */
static const char *to_fovea(const struct godot_property *property, const char *text)
{
    return strcmp(property->path, "gaze.source") == 0 && strcmp(text, "script") == 0 ? "mouse"
                                                                                     : text;
}

static const char *from_fovea(const struct godot_property *property, const char *text)
{
    return strcmp(property->path, "gaze.source") == 0 && strcmp(text, "mouse") == 0 ? "script"
                                                                                    : text;
}

/* Whether one of the words between commas is this one. */
static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Files: the project's have names of the engine's. */

static bool is_of_project(const char *name)
{
    static const char *const places[] = {"res://", "user://", "uid://"};
    bool found = false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        found |= strncmp(name, places[i], strlen(places[i])) == 0;
    }
    return found;
}

static void find_file(const char *name, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s", name);
    if (is_of_project(name) && godot.project_settings &&
        godot.methods[GODOT_ProjectSettings_globalize_path]) {
        struct godot_string from = godot_string_make(name);
        struct godot_string to = godot_string_make("");
        GODOT_CALL(ProjectSettings_globalize_path, godot.project_settings, &to, &from);
        if (!godot_string_text(&to, out, bytes)) {
            log_error(godot_log(), "%s has a name that is too long", name);
        }
        godot_string_finish(&to);
        godot_string_finish(&from);
    }
}

/* ---- Settings */

static enum fovea_result change(struct fovea_settings *settings,
                                const struct godot_property *property,
                                const union godot_value *value, const char *text,
                                struct fovea_log log)
{
    char digits[32];
    switch (property->type) {
    case GODOT_BOOL:
        return fovea_settings_set(settings, property->path, value->boolean ? "true" : "false", log);
    case GODOT_INT:
        snprintf(digits, sizeof digits, "%" PRId64, value->integer);
        return fovea_settings_set(settings, property->path, digits, log);
    case GODOT_FLOAT:
        return fovea_settings_set_double(settings, property->path, value->number, log);
    default:
        return fovea_settings_set(settings, property->path, text, log);
    }
}

/* The engine is called while nothing is locked: it may call a script, which asks the effect. */
static void set_setting(struct godot_effect *effect, const struct godot_property *property,
                        const union godot_value *value, const char *text)
{
    struct godot_note note = {0};
    char file[FOVEA_PATH_MAX];
    if (property->file >= 0) {
        find_file(text, file, sizeof file);
    }
    if (strcmp(property->path, "gaze.source") == 0 && !is_listed(property->hint, text)) {
        /* The settings' own message has Fovea's words, of which one differs here. */
        log_error(godot_log(), "%s is \"%s\"; it must be one of %s", property->name, text,
                  property->hint);
        return;
    }
    pthread_mutex_lock(&effect->turn);
    struct fovea_settings changed = *effect->settings;
    if (change(&changed, property, value, property->file >= 0 ? file : to_fovea(property, text),
               godot_note_log(&note)) >= 0) {
        godot_effect_set(effect, &changed, &note);
        pthread_mutex_lock(&effect->lock);
        if (property->file >= 0) {
            snprintf(effect->files[property->file], FOVEA_PATH_MAX, "%s", text);
        }
        pthread_mutex_unlock(&effect->lock);
    }
    pthread_mutex_unlock(&effect->turn);
    godot_note_print(&note);
}

static void get_setting(struct godot_effect *effect, const struct godot_property *property,
                        union godot_value *out, char *text, size_t bytes)
{
    double number = 0;
    switch (property->type) {
    case GODOT_BOOL:
    case GODOT_FLOAT:
        if (fovea_settings_get_double(effect->settings, property->path, &number) < 0) {
            number = 0;
        }
        if (property->type == GODOT_BOOL) {
            out->boolean = number != 0;
        } else {
            out->number = number;
        }
        break;
    default:
        if (fovea_settings_get(effect->settings, property->path, text, bytes) < 0) {
            text[0] = '\0';
        }
        if (property->type == GODOT_INT) {
            out->integer = (int64_t)strtoll(text, NULL, 10);
        } else if (property->file >= 0) {
            snprintf(text, bytes, "%s", effect->files[property->file]);
        }
    }
}

/* ---- Choices */

static bool is_finite(const struct godot_property *property, const union godot_value *value)
{
    return property->type == GODOT_FLOAT ? isfinite(value->number)
           : property->type == GODOT_VECTOR2
               ? isfinite(value->vector.x) && isfinite(value->vector.y)
               : true;
}

/* -1: it is none of them. */
static int32_t find_word(const struct godot_property *property, const char *text)
{
    for (int32_t i = 0; property->words[i]; i++) {
        if (strcmp(property->words[i], text) == 0) {
            return i;
        }
    }
    return -1;
}

static void store_choice(char *member, const struct godot_property *property,
                         const union godot_value *value, int32_t word)
{
    if (property->type == GODOT_BOOL) {
        *(uint8_t *)member = value->boolean != 0;
    } else if (property->type == GODOT_FLOAT) {
        const double number = value->number < 0 ? 0 : value->number > 1 ? 1 : value->number;
        memcpy(member, &number, sizeof number);
    } else if (property->type == GODOT_VECTOR2) {
        memcpy(member, &value->vector, sizeof value->vector);
    } else {
        memcpy(member, &word, sizeof word);
    }
}

static void set_choice(struct godot_effect *effect, const struct godot_property *property,
                       const union godot_value *value, const char *text)
{
    const int32_t word = property->words ? find_word(property, text) : 0;
    if (!is_finite(property, value)) {
        log_error(godot_log(), "%s is not finite", property->name);
    } else if (word < 0) {
        log_error(godot_log(), "%s is \"%s\"; it must be one of %s", property->name, text,
                  property->hint);
    } else {
        pthread_mutex_lock(&effect->lock);
        store_choice((char *)&effect->choices + property->offset, property, value, word);
        pthread_mutex_unlock(&effect->lock);
    }
}

static void get_choice(const struct godot_effect *effect, const struct godot_property *property,
                       union godot_value *out, char *text, size_t bytes)
{
    const char *member = (const char *)&effect->choices + property->offset;
    int32_t word = 0;
    if (property->type == GODOT_BOOL) {
        out->boolean = *(const uint8_t *)member;
    } else if (property->type == GODOT_FLOAT) {
        memcpy(&out->number, member, sizeof out->number);
    } else if (property->type == GODOT_VECTOR2) {
        memcpy(&out->vector, member, sizeof out->vector);
    } else {
        memcpy(&word, member, sizeof word);
        snprintf(text, bytes, "%s", property->words[word]);
    }
}

/* ---- Both */

void godot_property_set(struct godot_effect *effect, const struct godot_property *property,
                        const union godot_value *value)
{
    char *text = NULL;
    if (property->type == GODOT_STRING) {
        text = malloc(FOVEA_SETTING_TEXT_MAX);
        if (!text || !godot_string_text(&value->string, text, FOVEA_SETTING_TEXT_MAX)) {
            log_error(godot_log(), "%s is too long", property->name);
            free(text);
            return;
        }
    }
    const char *words = text ? text : "";
    if (property->path) {
        set_setting(effect, property, value, words);
    } else {
        set_choice(effect, property, value, words);
    }
    free(text);
}

void godot_property_get(struct godot_effect *effect, const struct godot_property *property,
                        union godot_value *out_value)
{
    char *text = malloc(FOVEA_SETTING_TEXT_MAX);
    *out_value = (union godot_value){0};
    if (text) {
        text[0] = '\0';
        pthread_mutex_lock(&effect->lock);
        if (property->path) {
            get_setting(effect, property, out_value, text, FOVEA_SETTING_TEXT_MAX);
        } else {
            get_choice(effect, property, out_value, text, FOVEA_SETTING_TEXT_MAX);
        }
        pthread_mutex_unlock(&effect->lock);
    }
    if (property->type == GODOT_STRING) {
        const char *shown = text ? text : "";
        out_value->string = godot_string_make(property->path ? from_fovea(property, shown) : shown);
    }
    free(text);
}
