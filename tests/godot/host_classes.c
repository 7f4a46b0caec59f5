/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Classes, methods, properties and signals that an extension registers, and calls into them. */

#include "host_internal.h"

#include "resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_AT_MOST 4

struct extension_method {
    struct extension_method *next;
    char *name;
    void *user;
    gd_method_call_fn call;
    gd_method_ptrcall_fn ptrcall;
    int ret, args[ARGUMENTS_AT_MOST]; /* types; ret -1: none */
    uint32_t count;
};
struct extension_property {
    struct extension_property *next;
    char *name, *setter, *getter;
    int type;
    char described[1024];
};
struct extension_signal {
    struct extension_signal *next;
    char *name;
};

static char *copy_of(const void *string_name)
{
    const char *text = name_text(string_name);
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

struct extension_class *extension_class_find(const char *name)
{
    struct extension_class *found = the_host.classes;
    while (found && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    return found;
}

static struct extension_class *class_of(const void *library, const void *name)
{
    struct extension_class *found = extension_class_find(name_text(name));
    if (library != &the_host.library || !found) {
        engine_error("class %s is not registered by this library", name_text(name));
        return NULL;
    }
    return found;
}

static struct extension_method *method_of(const struct extension_class *owner, const char *name)
{
    struct extension_method *found = owner->methods;
    while (found && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    return found;
}

static struct extension_property *property_of(const struct extension_class *owner, const char *name)
{
    struct extension_property *found = owner->properties;
    while (found && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    return found;
}

/* ---- Registering ---- */

static void register_class(const void *library, const void *name, const void *parent,
                           const struct gd_class_info *info, uint32_t version)
{
    const struct class_row *row = class_find(name_text(parent));
    if (library != &the_host.library || !row || extension_class_find(name_text(name))) {
        engine_error("class %s: wrong token, no parent %s, or twice", name_text(name),
                     name_text(parent));
        return;
    }
    if (!info->create_instance || !info->free_instance || !info->recreate_instance) {
        engine_error("class %s cannot be created, freed or reloaded", name_text(name));
        return;
    }
    if (info->icon_path) {
        (void)string_text(info->icon_path);
    }
    struct extension_class *made = calloc(1, sizeof *made);
    made->name = copy_of(name);
    made->parent = row;
    made->info = *info;
    made->version = version;
    made->next = the_host.classes;
    the_host.classes = made;
}

#define REGISTER(version)                                                                          \
    static void register_class##version(const void *library, const void *name, const void *parent, \
                                        const struct gd_class_info *info)                          \
    {                                                                                              \
        register_class(library, name, parent, info, version);                                      \
    }
REGISTER(4)
REGISTER(5)

static bool info_is_whole(const struct gd_property_info *info)
{
    return info && info->name && info->class_name && info->hint_string;
}

static void register_method(const void *library, const void *name,
                            const struct gd_method_info *info)
{
    struct extension_class *owner = class_of(library, name);
    bool whole = owner && info->name && info->call && info->ptrcall &&
                 info->argument_count <= ARGUMENTS_AT_MOST &&
                 (!info->has_return || info_is_whole(info->return_info));
    for (uint32_t i = 0; whole && i < info->argument_count; i++) {
        whole = info_is_whole(&info->arguments[i]) && info->argument_metadata;
    }
    if (!whole || method_of(owner, name_text(info->name))) {
        engine_error("a method of %s is not whole, or there is one already", name_text(name));
        return;
    }
    struct extension_method *made = calloc(1, sizeof *made);
    made->name = copy_of(info->name);
    made->user = info->user;
    made->call = info->call;
    made->ptrcall = info->ptrcall;
    made->ret = info->has_return ? info->return_info->type : -1;
    made->count = info->argument_count;
    for (uint32_t i = 0; i < made->count; i++) {
        made->args[i] = info->arguments[i].type;
    }
    made->next = owner->methods;
    owner->methods = made;
}

static void append_property(struct extension_class *owner, struct extension_property *made)
{
    struct extension_property **last = &owner->properties;
    while (*last) {
        last = &(*last)->next;
    }
    *last = made;
}

static void register_property(const void *library, const void *name,
                              const struct gd_property_info *info, const void *setter,
                              const void *getter)
{
    struct extension_class *owner = class_of(library, name);
    if (!owner || !info_is_whole(info) || property_of(owner, name_text(info->name))) {
        engine_error("a property of %s is not whole, or there is one already", name_text(name));
        return;
    }
    const struct extension_method *set = method_of(owner, name_text(setter));
    const struct extension_method *get = method_of(owner, name_text(getter));
    if ((name_text(setter)[0] && (!set || set->count != 1 || set->args[0] != info->type)) || !get ||
        get->count != 0 || get->ret != info->type) {
        engine_error("property %s: no such setter or getter, or of another type",
                     name_text(info->name));
        return;
    }
    struct extension_property *made = calloc(1, sizeof *made);
    made->name = copy_of(info->name);
    made->setter = copy_of(setter);
    made->getter = copy_of(getter);
    made->type = info->type;
    snprintf(made->described, sizeof made->described, "%s:%d:%u:%s", made->name, info->type,
             info->hint, string_text(info->hint_string));
    append_property(owner, made);
}

static void register_group(const void *library, const void *name, const void *group,
                           const void *prefix)
{
    struct extension_class *owner = class_of(library, name);
    if (!owner || !group || !prefix) {
        engine_error("a property group of %s is not whole", name_text(name));
        return;
    }
    struct extension_property *made = calloc(1, sizeof *made);
    made->name = calloc(1, 1); /* found by no name */
    made->setter = calloc(1, 1);
    made->getter = calloc(1, 1);
    snprintf(made->described, sizeof made->described, "group:%s:%s", string_text(group),
             string_text(prefix));
    append_property(owner, made);
}

static void register_signal(const void *library, const void *name, const void *signal,
                            const struct gd_property_info *arguments, int64_t count)
{
    struct extension_class *owner = class_of(library, name);
    bool whole = owner && name_text(signal)[0];
    for (int64_t i = 0; whole && i < count; i++) {
        whole = info_is_whole(&arguments[i]);
    }
    if (!whole) {
        engine_error("a signal of %s is not whole", name_text(name));
        return;
    }
    struct extension_signal *made = calloc(1, sizeof *made);
    made->name = copy_of(signal);
    made->next = owner->signals;
    owner->signals = made;
}

static void free_class(struct extension_class *owner)
{
    for (struct extension_method *method = owner->methods, *next; method; method = next) {
        next = method->next;
        free(method->name);
        free(method);
    }
    for (struct extension_property *property = owner->properties, *next; property;
         property = next) {
        next = property->next;
        free(property->name);
        free(property->setter);
        free(property->getter);
        free(property);
    }
    for (struct extension_signal *signal = owner->signals, *next; signal; signal = next) {
        next = signal->next;
        free(signal->name);
        free(signal);
    }
    free(owner->name);
    free(owner);
}

static void unregister_class(const void *library, const void *name)
{
    struct extension_class *owner = class_of(library, name);
    if (!owner) {
        return;
    }
    for (struct object *object = the_host.objects; object; object = object->next) {
        if (object->extension == owner) {
            engine_error("class %s goes while an object of it lives", owner->name);
            object->extension = NULL;
            object->instance = NULL;
        }
    }
    struct extension_class **link = &the_host.classes;
    while (*link != owner) {
        link = &(*link)->next;
    }
    *link = owner->next;
    free_class(owner);
}

INTERFACE(classdb_register_extension_class4, 4, register_class4);
INTERFACE(classdb_register_extension_class5, 5, register_class5);
INTERFACE(classdb_register_extension_class_method, 1, register_method);
INTERFACE(classdb_register_extension_class_property, 1, register_property);
INTERFACE(classdb_register_extension_class_property_group, 1, register_group);
INTERFACE(classdb_register_extension_class_signal, 1, register_signal);
INTERFACE(classdb_unregister_extension_class, 1, unregister_class);

/* ---- Calling ---- */

bool extension_call(struct object *object, const char *name, const void *const *args, int64_t count,
                    struct variant *ret)
{
    const struct extension_method *method =
        object->extension ? method_of(object->extension, name) : NULL;
    if (!method) {
        return false;
    }
    struct gd_call_error error = {0};
    method->call(method->user, object->instance, args, count, ret, &error);
    if (error.error) {
        engine_error("%s.%s was called with wrong arguments: error %d, argument %d",
                     object->extension->name, name, error.error, error.argument);
    }
    return error.error == 0;
}

bool extension_render(struct object *object, int64_t type, struct object *render_data)
{
    const struct gd_class_info *info = &object->extension->info;
    struct object *data = render_data;
    const void *args[2] = {&type, &data};
    struct name *name = name_of("_render_callback");
    const uint32_t hash = 2153422729; /* void(int enum EffectCallbackType, RenderData) */
    gd_virtual_fn run = info->get_virtual ? info->get_virtual(info->user, &name, hash) : NULL;
    void *cookie = !run && info->get_virtual_call_data
                       ? info->get_virtual_call_data(info->user, &name, hash)
                       : NULL;
    if (run) {
        run(object->instance, args, NULL);
    } else if (cookie && info->call_virtual_with_data) {
        info->call_virtual_with_data(object->instance, &name, cookie, args, NULL);
    }
    name_release(name);
    return run || cookie;
}

/* ---- For tests ---- */

static void to_variant(const struct host_value *value, struct variant *out)
{
    char *string = NULL;
    const uint8_t as_bool = value->type == GD_BOOL && value->b;
    const void *plain = value->type == GD_BOOL ? (const void *)&as_bool : (const void *)&value->i;
    if (value->type == GD_STRING) {
        string = string_of(value->s);
        variant_from(out, GD_STRING, &string);
        value_finish(GD_STRING, &string);
    } else {
        variant_from(out, value->type, plain);
    }
}

static struct host_value from_typed(int type, const void *value)
{
    struct host_value out;
    memset(&out, 0, sizeof out); /* compared as bytes */
    out.type = type;
    if (type == GD_STRING) {
        snprintf(out.s, sizeof out.s, "%s", string_text(value));
    } else {
        memcpy(&out.i, value, value_bytes[type]);
    }
    return out;
}

static struct host_value from_variant(struct variant *variant)
{
    struct host_value out = {.type = variant->type};
    if (variant->type != GD_NIL) {
        out = from_typed(variant->type, variant->words);
    }
    variant_finish(variant);
    return out;
}

struct host_value host_call(struct object *object, const char *name, const struct host_value *args,
                            int count)
{
    struct variant ret = {0}, variants[ARGUMENTS_AT_MOST];
    const void *pointers[ARGUMENTS_AT_MOST] = {NULL};
    for (int i = 0; i < count; i++) {
        to_variant(&args[i], &variants[i]);
        pointers[i] = &variants[i];
    }
    if (!extension_call(object, name, pointers, count, &ret)) {
        engine_error("method %s could not be called", name);
    }
    for (int i = 0; i < count; i++) {
        variant_finish(&variants[i]);
    }
    return from_variant(&ret);
}

bool host_set(struct object *object, const char *name, struct host_value value)
{
    const struct extension_property *property =
        object->extension ? property_of(object->extension, name) : NULL;
    if (!property || !property->setter[0]) {
        return false;
    }
    host_call(object, property->setter, &value, 1);
    return true;
}

struct host_value host_get(struct object *object, const char *name)
{
    const struct extension_property *property =
        object->extension ? property_of(object->extension, name) : NULL;
    if (!property) {
        return (struct host_value){.type = GD_NIL};
    }
    const struct host_value by_variant = host_call(object, property->getter, NULL, 0);
    const struct extension_method *method = method_of(object->extension, property->getter);
    uint64_t words[8] = {0};
    method->ptrcall(method->user, object->instance, NULL, words);
    const struct host_value by_pointer = from_typed(property->type, words);
    value_finish(property->type, words);
    if (memcmp(&by_variant, &by_pointer, sizeof by_pointer) != 0) {
        engine_error("property %s: its getter answers two calls differently", name);
    }
    return by_variant;
}

const char *host_property(const char *class_name, uint32_t index)
{
    const struct extension_class *owner = extension_class_find(class_name);
    const struct extension_property *property = owner ? owner->properties : NULL;
    while (property && index-- > 0) {
        property = property->next;
    }
    return property ? property->described : NULL;
}

bool host_has_signal(const char *class_name, const char *name)
{
    const struct extension_class *owner = extension_class_find(class_name);
    const struct extension_signal *signal = owner ? owner->signals : NULL;
    while (signal && strcmp(signal->name, name) != 0) {
        signal = signal->next;
    }
    return signal;
}
