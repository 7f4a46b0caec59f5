/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings as text, whole: what messages show of them (value.c) may be cut. */

#include "object.h"
#include "value.h"
#include "words.h"

#include <string.h>

struct writer {
    char *text;
    size_t size;
    size_t used; /* without the end; size or more: it did not fit */
};

static void add_bytes(struct writer *writer, const char *bytes, size_t count)
{
    if (count < writer->size && writer->used < writer->size - count) {
        memcpy(writer->text + writer->used, bytes, count);
        writer->text[writer->used + count] = '\0';
        writer->used += count;
    } else {
        writer->used = writer->size;
    }
}

static void add(struct writer *writer, const char *text)
{
    add_bytes(writer, text, strlen(text));
}

static void add_number(struct writer *writer, double value)
{
    add(writer, config_number(value).text);
}

/* A bare word would be taken for JSON, or lose the white space around it. */
static bool wants_quotes(const char *text, size_t count)
{
    return count > 0 && (strchr("\"{[", text[0]) || (unsigned char)text[0] <= ' ' ||
                         (unsigned char)text[count - 1] <= ' ');
}

static void add_character(struct writer *writer, char c)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char code = (unsigned char)c;
    if (c == '"' || c == '\\') {
        add(writer, "\\");
    }
    if (code < ' ') {
        const char escape[] = {'\\', 'u', '0', '0', digits[code >> 4], digits[code & 15], '\0'};
        add(writer, escape);
    } else {
        add_bytes(writer, &c, 1);
    }
}

static void add_string(struct writer *writer, const char *text, size_t count)
{
    if (!wants_quotes(text, count)) {
        add_bytes(writer, text, count);
        return;
    }
    add(writer, "\"");
    for (size_t i = 0; i < count; i++) {
        add_character(writer, text[i]);
    }
    add(writer, "\"");
}

static void add_curve(struct writer *writer, const struct fovea_curve *curve)
{
    add(writer, "[");
    for (uint32_t i = 0; i < curve->count && i < FOVEA_CURVE_MAX; i++) {
        add(writer, i ? ", [" : "[");
        add_number(writer, curve->eccentricity_deg[i]);
        add(writer, ", ");
        add_number(writer, curve->cutoff_cpd[i]);
        add(writer, "]");
    }
    add(writer, "]");
}

static void add_table(struct writer *writer, const struct fovea_display *display)
{
    if (display->table_count == 0) {
        return; /* "" is no table */
    }
    add(writer, "[");
    for (uint32_t i = 0; i < display->table_count && i < FOVEA_DISPLAY_MAX; i++) {
        add(writer, i ? ", " : "");
        add_number(writer, (double)display->table[i]);
    }
    add(writer, "]");
}

/* "foveate,blur": a bare word for fovea_settings_set. */
static void add_operators(struct writer *writer, const struct config_key *key,
                          const struct fovea_operators *operators)
{
    for (uint32_t i = 0; i < operators->count && i < FOVEA_OPERATOR_COUNT; i++) {
        const enum fovea_operator name = operators->order[i];
        add(writer, i ? "," : "");
        add(writer, (size_t)name < FOVEA_OPERATOR_COUNT ? key->names[name] : "");
    }
}

static void add_enumerator(struct writer *writer, const struct config_key *key,
                           const struct fovea_settings *settings)
{
    const size_t wanted = (size_t)config_value_number(key, settings);
    for (size_t i = 0; key->names[i]; i++) {
        if (i == wanted) {
            add(writer, key->names[i]);
        }
    }
}

bool config_value_text(const struct config_key *key, const struct fovea_settings *settings,
                       char *text, size_t size)
{
    const char *member = (const char *)settings + key->offset;
    struct writer writer = {.text = text, .size = size};
    text[0] = '\0';
    switch (key->type) {
    case CONFIG_STRING:
    case CONFIG_PATH:
    case CONFIG_KEYS:
        add_string(&writer, member, strnlen(member, key->bytes));
        break;
    case CONFIG_ENUM:
        add_enumerator(&writer, key, settings);
        break;
    case CONFIG_OPERATORS:
        add_operators(&writer, key, &settings->operators);
        break;
    case CONFIG_CURVE:
        add_curve(&writer, &settings->foveation.curve);
        break;
    case CONFIG_TABLE:
        add_table(&writer, &settings->foveation.display);
        break;
    default:
        add(&writer, config_value_words(key, settings).text);
    }
    return writer.used < size;
}
