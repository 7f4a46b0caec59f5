/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* get_proc_address: every name that the host knows, and since when the engine has it. */

#include "host_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minor versions. 4.1 and 4.2 are nobody's here, but the table says what is known. Class
 * registrations before 4.4's are left out: Fovea needs 4.4. */
const struct interface_row interface_rows[] = {
    {"get_godot_version", 1},
    {"print_error_with_message", 1},
    {"print_warning_with_message", 1},
    {"string_name_new_with_latin1_chars", 2},
    {"string_new_with_utf8_chars", 1},
    {"string_to_utf8_chars", 1},
    {"variant_get_ptr_constructor", 1},
    {"variant_get_ptr_destructor", 1},
    {"get_variant_from_type_constructor", 1},
    {"get_variant_to_type_constructor", 1},
    {"variant_new_nil", 1},
    {"variant_destroy", 1},
    {"variant_get_type", 1},
    {"variant_get_ptr_builtin_method", 1},
    {"packed_byte_array_operator_index", 1},
    {"array_operator_index", 1},
    {"array_set_typed", 1},
    {"global_get_singleton", 1},
    {"classdb_construct_object", 1},
    {"classdb_construct_object2", 4},
    {"classdb_get_method_bind", 1},
    {"object_method_bind_ptrcall", 1},
    {"object_method_bind_call", 1},
    {"classdb_register_extension_class4", 4},
    {"classdb_register_extension_class5", 5},
    {"classdb_register_extension_class_method", 1},
    {"classdb_register_extension_class_property", 1},
    {"classdb_register_extension_class_property_group", 1},
    {"classdb_register_extension_class_signal", 1},
    {"classdb_unregister_extension_class", 1},
    {"object_set_instance", 1},
    {"object_set_instance_binding", 1},
    {"object_destroy", 1},
    {"callable_custom_create2", 3},
    {"object_get_instance_id", 1},
    {"object_get_instance_from_id", 1},
    {"editor_help_load_xml_from_utf8_chars", 3},
    {"register_main_loop_callbacks", 5},
};
const uint32_t interface_row_count = sizeof interface_rows / sizeof interface_rows[0];

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

static gd_any_fn own_function(const char *name)
{
    static const struct {
        const char *name;
        gd_any_fn function;
    } rows[] = {
        {"get_godot_version", (gd_any_fn)get_version},
        {"print_error_with_message", (gd_any_fn)print_error},
        {"print_warning_with_message", (gd_any_fn)print_warning},
        {"global_get_singleton", (gd_any_fn)get_singleton},
        {"editor_help_load_xml_from_utf8_chars", (gd_any_fn)load_help},
        {"register_main_loop_callbacks", (gd_any_fn)register_loop},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].function;
        }
    }
    return NULL;
}

gd_any_fn interface_get(const char *name)
{
    uint32_t i = 0;
    while (i < interface_row_count && strcmp(interface_rows[i].name, name) != 0) {
        i++;
    }
    if (i == interface_row_count) {
        the_host.counts.unexpected_lookups++;
        console_add("LOOKUP: %s is not in the host\n", name);
        return NULL;
    }
    if (interface_rows[i].since > the_host.options.minor) {
        engine_error("Attempt to get non-existent interface function: '%s'.", name);
        return NULL;
    }
    gd_any_fn (*const tables[])(const char *) = {own_function, value_function, object_function,
                                                 class_function, method_function};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        gd_any_fn found = tables[t](name);
        if (found) {
            return found;
        }
    }
    engine_error("%s stands in the host's table alone", name);
    return NULL;
}
