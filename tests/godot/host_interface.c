/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* get_proc_address, and what of the interface is of no kind of things. */

#include "host_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *name;
    uint32_t since;
    gd_any_fn function;
} rows[64];
static uint32_t row_count;

void interface_add(const char *name, uint32_t since, gd_any_fn function)
{
    if (row_count == sizeof rows / sizeof rows[0]) {
        abort();
    }
    rows[row_count].name = name;
    rows[row_count].since = since;
    rows[row_count++].function = function;
}

static void get_version(struct gd_version *out)
{
    static char text[32];
    snprintf(text, sizeof text, "Godot Engine v4.%u.1.stable", the_host.options.minor);
    *out = (struct gd_version){4, the_host.options.minor, 1, text};
}

static void print(uint32_t *count, const char *kind, const char *description, const char *message)
{
    host_may("print");
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    console_add("%s: %s %s\n", kind, description ? description : "", message ? message : "");
}

static void print_error(const char *description, const char *message, const char *function,
                        const char *file, int32_t line, uint8_t notify)
{
    if (!function || !file) {
        engine_error("print_error_with_message: no function or file");
    }
    print(&the_host.counts.extension_errors, "ERROR", description, message);
}

static void print_warning(const char *description, const char *message, const char *function,
                          const char *file, int32_t line, uint8_t notify)
{
    if (!function || !file) {
        engine_error("print_warning_with_message: no function or file");
    }
    print(&the_host.counts.extension_warnings, "WARNING", description, message);
}

/* Those of servers are told when all levels are initialized. */
static void *get_singleton(const void *name)
{
    static const struct {
        const char *name;
        int level;
    } told[] = {{"Engine", GD_CORE},
                {"ProjectSettings", GD_CORE},
                {"OS", GD_CORE},
                {"RenderingServer", GD_LEVEL_COUNT}};
    const struct class_row *row = NULL;
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (strcmp(told[i].name, name_text(name)) == 0 && told[i].level <= the_host.level) {
            row = class_find(told[i].name);
        }
    }
    for (struct object *object = the_host.objects; object && row; object = object->next) {
        if (object->of_host && object->row == row) {
            return object;
        }
    }
    engine_error("Failed to retrieve non-existent singleton '%s'.", name_text(name));
    return NULL;
}

static void load_help(const char *xml)
{
    if (the_host.level < GD_EDITOR) {
        engine_error("Parameter \"editor_help_load_xml_buffer\" is null.");
        return;
    }
    the_host.counts.descriptions++;
    if (!xml || !strstr(xml, "<class ")) {
        engine_error("the class documentation is no XML of a class");
    }
}

static void register_loop(const void *library, const struct gd_main_loop_callbacks *callbacks)
{
    if (library != &the_host.library) {
        engine_error("register_main_loop_callbacks: wrong token");
        return;
    }
    the_host.loop = *callbacks;
}

INTERFACE(get_godot_version, 1, get_version);
INTERFACE(print_error_with_message, 1, print_error);
INTERFACE(print_warning_with_message, 1, print_warning);
INTERFACE(global_get_singleton, 1, get_singleton);
INTERFACE(editor_help_load_xml_from_utf8_chars, 3, load_help);
INTERFACE(register_main_loop_callbacks, 5, register_loop);

gd_any_fn interface_get(const char *name)
{
    uint32_t i = 0;
    while (i < row_count && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    if (i == row_count) {
        the_host.counts.unexpected_lookups++;
        console_add("LOOKUP: %s is not in the host\n", name);
        return NULL;
    }
    if (rows[i].since > the_host.options.minor) {
        engine_error("Attempt to get non-existent interface function: '%s'.", name);
        return NULL;
    }
    return rows[i].function;
}
