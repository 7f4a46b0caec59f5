/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_properties.h"

#include "core/log.h"
#include "plugin/godot/api/godot_log.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define PATH_FOVEATION "foveation."
#define SOURCE_PATH "gaze.source"
/* Fovea's name of the source that the program feeds. */
#define SOURCE_FED "mouse"
#define SOURCE_FED_HERE "script"
#define SOURCE_ELSEWHERE "openxr" /* no program can open it */

static const char *const debug_words[] = {"off", "marker", "rings", "heatmap", "split", NULL};
_Static_assert(sizeof debug_words / sizeof debug_words[0] == GODOT_DEBUG_COUNT + 1, "a word each");

/* ---- Which settings there are, and what they are called */

/* Those of how Fovea runs by itself, and of pixels that are no floats, as the engine's are light.
 */
static bool is_property(const char *path)
{
    static const char *const without[] = {
        "backend",  "cuda_context", "cpu_threads", "watchdog_ms",     "log.",
        "overlay.", "layer.",       "gaze.late",   "foveation.light", "foveation.display.",
    };
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        if (strncmp(path, without[i], strlen(without[i])) == 0) {
            return false;
        }
    }
    return true;
}

static void write_name(const char *path, char *out, size_t bytes)
{
    const size_t skipped = strlen(PATH_FOVEATION);
    snprintf(out, bytes, "%s", strncmp(path, PATH_FOVEATION, skipped) == 0 ? path + skipped : path);
    for (; *out; out++) {
        *out = *out == '.' ? '_' : *out;
    }
}

/* "Paper" of "foveation.paper.ct0", "Foveation" of "foveation.model", "Gaze" of "gaze.udp.port". */
static void write_group(const char *path, char *out, size_t bytes)
{
    const size_t skipped = strlen(PATH_FOVEATION);
    const bool deep = strncmp(path, PATH_FOVEATION, skipped) == 0 && strchr(path + skipped, '.');
    const char *from = deep ? path + skipped : path;
    snprintf(out, bytes, "%.*s", (int)strcspn(from, "."), from);
    out[0] = (char)toupper((unsigned char)out[0]);
}

/* ---- Hints */

static void add_text(char *out, size_t bytes, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, bytes - used, "%s", text);
}

static void write_words(const char *const *words, char *out, size_t bytes)
{
    out[0] = '\0';
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], SOURCE_ELSEWHERE) == 0) {
            continue;
        }
        add_text(out, bytes, i ? "," : "");
        add_text(out, bytes, strcmp(words[i], SOURCE_FED) == 0 ? SOURCE_FED_HERE : words[i]);
    }
}

/* "0,8,0.0001,suffix:deg". The inspector rounds to steps. */
static void write_range(const struct fovea_setting *setting, char *out, size_t bytes)
{
    const double least = setting->or_zero ? 0 : setting->least;
    const double step = setting->type == FOVEA_SETTING_INTEGER ? 1
                        : least > 0 && least < 1e-4            ? least
                        : setting->most - setting->least > 10  ? 0.001
                                                               : 0.0001;
    snprintf(out, bytes, "%.17g,%.17g,%.17g", least, setting->most, step);
    if (setting->unit[0]) {
        add_text(out, bytes, ",suffix:");
        add_text(out, bytes, setting->unit);
    }
}

static void set_type(const struct fovea_setting *setting, struct godot_property *out)
{
    /* Lists, several words, and arrays of numbers are text as in a configuration file. */
    out->type = GODOT_STRING;
    if (setting->type == FOVEA_SETTING_BOOL) {
        out->type = GODOT_BOOL;
    } else if (setting->type == FOVEA_SETTING_WORD) {
        out->hint_kind = GODOT_HINT_ENUM;
        write_words(setting->words, out->hint, sizeof out->hint);
    } else if (setting->type == FOVEA_SETTING_FILE) {
        /* Lenses, kernels and recordings come under many names. */
        out->hint_kind = strstr(setting->path, "record") ? GODOT_HINT_NONE : GODOT_HINT_FILE;
        snprintf(out->hint, sizeof out->hint, "%s", strstr(setting->path, "map") ? "*.png" : "");
    } else if (setting->elements == 1 &&
               (setting->type == FOVEA_SETTING_INTEGER || setting->type == FOVEA_SETTING_NUMBER)) {
        out->type = setting->type == FOVEA_SETTING_INTEGER ? GODOT_INT : GODOT_FLOAT;
        if (setting->most < 0x1p53) { /* a seed has more digits than the inspector's ranges */
            out->hint_kind = GODOT_HINT_RANGE;
            write_range(setting, out->hint, sizeof out->hint);
        }
    }
}

/* ---- The table */

struct own {
    const char *name;
    const char *before; /* the property that it stands before; NULL: at the end */
    const char *group;
    int32_t type;
    uint32_t hint_kind;
    const char *hint;
    size_t offset;
    const char *const *words;
};

#define MEMBER(name) offsetof(struct godot_choices, name)
static const struct own owns[] = {
    {"geometry_from_camera", "geometry_tan_left", "Geometry", GODOT_BOOL, GODOT_HINT_NONE, "",
     MEMBER(geometry_from_camera), NULL},
    {"gaze_uv", "gaze_space", "Gaze", GODOT_VECTOR2, GODOT_HINT_NONE, "", MEMBER(gaze_uv), NULL},
    {"gaze_valid", "gaze_space", "Gaze", GODOT_BOOL, GODOT_HINT_NONE, "", MEMBER(gaze_valid), NULL},
    {"gaze_per_eye", "gaze_space", "Gaze", GODOT_BOOL, GODOT_HINT_NONE, "", MEMBER(gaze_per_eye),
     NULL},
    {"gaze_uv_left", "gaze_space", "Gaze", GODOT_VECTOR2, GODOT_HINT_NONE, "", MEMBER(gaze_uv_left),
     NULL},
    {"gaze_uv_right", "gaze_space", "Gaze", GODOT_VECTOR2, GODOT_HINT_NONE, "",
     MEMBER(gaze_uv_right), NULL},
    {"debug_view", NULL, "Debug", GODOT_STRING, GODOT_HINT_ENUM, "off,marker,rings,heatmap,split",
     MEMBER(debug_view), debug_words},
    {"debug_split", NULL, "Debug", GODOT_FLOAT, GODOT_HINT_RANGE, "0,1,0.001", MEMBER(debug_split),
     NULL},
};

struct list {
    struct godot_property *properties;
    size_t count;
    int32_t file_count;
    char group[32]; /* of the last */
};

static struct godot_property *append(struct list *list, const char *group)
{
    struct godot_property *property = &list->properties[list->count++];
    *property = (struct godot_property){.file = -1};
    if (strcmp(group, list->group) != 0) {
        snprintf(property->group, sizeof property->group, "%s", group);
        snprintf(list->group, sizeof list->group, "%s", group);
    }
    return property;
}

/* Those of ours that stand before a setting's property; NULL: those of the end. */
static void append_owns(struct list *list, const char *before)
{
    for (size_t i = 0; i < sizeof owns / sizeof owns[0]; i++) {
        const bool here = before && owns[i].before ? strcmp(before, owns[i].before) == 0
                                                   : !before && !owns[i].before;
        if (here && list->count < GODOT_PROPERTY_COUNT_MAX) {
            struct godot_property *property = append(list, owns[i].group);
            snprintf(property->name, sizeof property->name, "%s", owns[i].name);
            snprintf(property->hint, sizeof property->hint, "%s", owns[i].hint);
            property->type = owns[i].type;
            property->hint_kind = owns[i].hint_kind;
            property->offset = owns[i].offset;
            property->words = owns[i].words;
        }
    }
}

static void append_setting(struct list *list, const struct fovea_setting *setting)
{
    char name[sizeof list->properties->name];
    char group[sizeof list->properties->group];
    write_name(setting->path, name, sizeof name);
    write_group(setting->path, group, sizeof group);
    append_owns(list, name);
    if (list->count < GODOT_PROPERTY_COUNT_MAX) {
        struct godot_property *property = append(list, group);
        memcpy(property->name, name, sizeof name);
        property->path = setting->path;
        set_type(setting, property);
        if (setting->type == FOVEA_SETTING_FILE && list->file_count < GODOT_FILE_COUNT) {
            property->file = list->file_count++;
        }
    }
}

size_t godot_properties_make(struct godot_property out[GODOT_PROPERTY_COUNT_MAX])
{
    struct list list = {.properties = out};
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        struct fovea_setting setting;
        fovea_setting_init(&setting);
        if (fovea_setting_info(i, &setting) == FOVEA_OK && is_property(setting.path)) {
            append_setting(&list, &setting);
        }
    }
    append_owns(&list, NULL);
    return list.count;
}
