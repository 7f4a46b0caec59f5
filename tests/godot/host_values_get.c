/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The functions of values that extensions look up: constructors, destructors, conversions and
 * builtin methods, each a function for its type. */

#include "host_internal.h"

#include <string.h>

/* The types that extensions make and keep. */
#define TYPES(X)                                                                                   \
    X(GD_STRING)                                                                                   \
    X(GD_STRING_NAME)                                                                              \
    X(GD_PACKED_BYTE_ARRAY)                                                                        \
    X(GD_ARRAY)                                                                                    \
    X(GD_CALLABLE)
#define ALL_TYPES(X)                                                                               \
    TYPES(X)                                                                                       \
    X(GD_BOOL)                                                                                     \
    X(GD_INT)                                                                                      \
    X(GD_FLOAT)                                                                                    \
    X(GD_VECTOR2)                                                                                  \
    X(GD_VECTOR2I)                                                                                 \
    X(GD_VECTOR3)                                                                                  \
    X(GD_VECTOR4)                                                                                  \
    X(GD_TRANSFORM3D)                                                                              \
    X(GD_PROJECTION)                                                                               \
    X(GD_COLOR)                                                                                    \
    X(GD_RID)                                                                                      \
    X(GD_OBJECT)

#define MAKERS(type)                                                                               \
    static void init_##type(void *out, const void *const *args)                                    \
    {                                                                                              \
        value_init(type, out);                                                                     \
    }                                                                                              \
    static void copy_##type(void *out, const void *const *args)                                    \
    {                                                                                              \
        value_copy(type, out, args[0]);                                                            \
    }                                                                                              \
    static void finish_##type(void *value)                                                         \
    {                                                                                              \
        value_finish(type, value);                                                                 \
    }
TYPES(MAKERS)

#define CONVERTERS(kind)                                                                           \
    static void from_##kind(void *out, void *value)                                                \
    {                                                                                              \
        variant_from(out, kind, value);                                                            \
    }                                                                                              \
    static void to_##kind(void *out, void *value)                                                  \
    {                                                                                              \
        if (!variant_to(value, kind, out)) {                                                       \
            engine_error("a Variant of type %d is asked for a " #kind,                             \
                         ((struct variant *)value)->type);                                         \
        }                                                                                          \
    }
ALL_TYPES(CONVERTERS)

static void callable_of_method(void *out, const void *const *args)
{
    const struct object *object = *(struct object *const *)args[0];
    *(struct callable *)out = (struct callable){.method = name_of(name_text(args[1])),
                                                .object_id = object ? object->id : 0};
}

static void name_of_string(void *out, const void *const *args)
{
    *(struct name **)out = name_of(string_text(args[0]));
}

static void string_of_name(void *out, const void *const *args)
{
    *(char **)out = string_of(name_text(args[0]));
}

typedef void (*constructor_fn)(void *out, const void *const *args);
static constructor_fn get_constructor(int32_t type, int32_t index)
{
    if (index == 2) {
        constructor_fn from = type == GD_CALLABLE      ? callable_of_method
                              : type == GD_STRING_NAME ? name_of_string
                              : type == GD_STRING      ? string_of_name
                                                       : NULL;
        if (from) {
            return from;
        }
    }
    switch (type) {
#define CASE(type)                                                                                 \
    case type:                                                                                     \
        if (index == 0 || index == 1) {                                                            \
            return index ? copy_##type : init_##type;                                              \
        }                                                                                          \
        break;
        TYPES(CASE)
#undef CASE
    default:
        break;
    }
    engine_error("constructor %d of type %d is not in the host", index, type);
    return NULL;
}

typedef void (*finish_fn)(void *value);
static finish_fn get_destructor(int32_t type)
{
    switch (type) {
#define CASE(type)                                                                                 \
    case type:                                                                                     \
        return finish_##type;
        TYPES(CASE)
#undef CASE
    default:
        return NULL; /* as for every type that needs none */
    }
}

typedef void (*convert_fn)(void *out, void *value);
static convert_fn get_converter(int32_t type, bool to)
{
    switch (type) {
#define CASE(type)                                                                                 \
    case type:                                                                                     \
        return to ? to_##type : from_##type;
        ALL_TYPES(CASE)
#undef CASE
    default:
        engine_error("Variants of type %d are not in the host", type);
        return NULL;
    }
}

static convert_fn get_from(int32_t type)
{
    return get_converter(type, false);
}

static convert_fn get_to(int32_t type)
{
    return get_converter(type, true);
}

/* ---- Builtin methods ---- */

typedef void (*builtin_fn)(void *base, const void *const *args, void *ret, int32_t count);

static void packed_resize(void *base, const void *const *args, void *ret, int32_t count)
{
    bytes_resize(base, *(const int64_t *)args[0]);
    if (ret) {
        *(int64_t *)ret = 0;
    }
}

static void packed_size(void *base, const void *const *args, void *ret, int32_t count)
{
    *(int64_t *)ret = bytes_size(base);
}

static void items_resize(void *base, const void *const *args, void *ret, int32_t count)
{
    array_resize(*(struct array **)base, *(const int64_t *)args[0]);
    if (ret) {
        *(int64_t *)ret = 0;
    }
}

static void items_size(void *base, const void *const *args, void *ret, int32_t count)
{
    *(int64_t *)ret = (*(struct array **)base)->count;
}

static void items_clear(void *base, const void *const *args, void *ret, int32_t count)
{
    array_resize(*(struct array **)base, 0);
}

static void items_append(void *base, const void *const *args, void *ret, int32_t count)
{
    struct array *array = *(struct array **)base;
    const struct variant *item = args[0];
    struct object *object = NULL;
    if (item->type == GD_OBJECT) {
        object = (struct object *)(uintptr_t)item->words[1];
    }
    if (array->type && (item->type != array->type || (array->class_name && object &&
                                                      !class_is(object->row, array->class_name)))) {
        engine_error("an Array of %s takes no such value", array->class_name);
        return;
    }
    array_resize(array, array->count + 1);
    struct variant *last = &array->items[array->count - 1];
    if (item->type == GD_OBJECT) {
        variant_from(last, GD_OBJECT, &object);
    } else {
        last->type = item->type;
        value_copy(item->type, last->words, item->words);
    }
}

static builtin_fn get_builtin(int32_t type, const void *name, int64_t hash)
{
    static const struct {
        int32_t type;
        const char *name;
        builtin_fn run;
        int ret;
        bool is_const;
        int arg; /* -1: none */
    } rows[] = {{GD_PACKED_BYTE_ARRAY, "resize", packed_resize, GD_INT, false, GD_INT},
                {GD_PACKED_BYTE_ARRAY, "size", packed_size, GD_INT, true, -1},
                {GD_ARRAY, "resize", items_resize, GD_INT, false, GD_INT},
                {GD_ARRAY, "size", items_size, GD_INT, true, -1},
                {GD_ARRAY, "clear", items_clear, -1, false, -1},
                {GD_ARRAY, "append", items_append, -1, false, GD_NIL},
                {GD_ARRAY, "push_back", items_append, -1, false, GD_NIL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].type == type && strcmp(rows[i].name, name_text(name)) == 0 &&
            builtin_hash(rows[i].ret, rows[i].is_const, &rows[i].arg, rows[i].arg >= 0) == hash) {
            return rows[i].run;
        }
    }
    the_host.counts.refused_hashes++;
    engine_error("builtin method %s of type %d with hash %lld is not known", name_text(name), type,
                 (long long)hash);
    return NULL;
}

static void variant_new_nil(void *out)
{
    *(struct variant *)out = (struct variant){0};
}

static void variant_destroy(void *variant)
{
    variant_finish(variant);
}

static int32_t variant_get_type(const void *variant)
{
    return ((const struct variant *)variant)->type;
}

INTERFACE(string_name_new_with_latin1_chars, 2, string_name_new);
INTERFACE(string_new_with_utf8_chars, 1, string_new_utf8);
INTERFACE(string_to_utf8_chars, 1, string_to_utf8);
INTERFACE(variant_get_ptr_constructor, 1, get_constructor);
INTERFACE(variant_get_ptr_destructor, 1, get_destructor);
INTERFACE(variant_get_ptr_builtin_method, 1, get_builtin);
INTERFACE(get_variant_from_type_constructor, 1, get_from);
INTERFACE(get_variant_to_type_constructor, 1, get_to);
INTERFACE(variant_new_nil, 1, variant_new_nil);
INTERFACE(variant_destroy, 1, variant_destroy);
INTERFACE(variant_get_type, 1, variant_get_type);
INTERFACE(packed_byte_array_operator_index, 1, bytes_at);
INTERFACE(array_operator_index, 1, array_at);
INTERFACE(array_set_typed, 1, array_set_typed);
INTERFACE(callable_custom_create2, 3, callable_custom_create);
