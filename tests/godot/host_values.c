/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Builtin values: StringName, String, PackedByteArray, Array, Callable and Variant. */

#include "host_internal.h"

#include <stdlib.h>
#include <string.h>

const uint8_t value_bytes[GD_TYPE_COUNT] = {
    [GD_BOOL] = 1,        [GD_INT] = 8,      [GD_FLOAT] = 8,
    [GD_STRING] = 8,      [GD_VECTOR2] = 8,  [GD_VECTOR2I] = 8,
    [GD_VECTOR3] = 12,    [GD_VECTOR4] = 16, [GD_TRANSFORM3D] = 48,
    [GD_PROJECTION] = 64, [GD_COLOR] = 16,   [GD_STRING_NAME] = 8,
    [GD_RID] = 8,         [GD_OBJECT] = 8,   [GD_CALLABLE] = 16,
    [GD_DICTIONARY] = 8,  [GD_ARRAY] = 8,    [GD_PACKED_BYTE_ARRAY] = 16};
_Static_assert(sizeof(struct variant) == 24 && sizeof(struct bytes) == 16 &&
                   sizeof(struct callable) == 16,
               "as in the engine's 64-bit builds");

static void count_value(int change)
{
    __atomic_fetch_add(&the_host.counts.values, (uint32_t)change, __ATOMIC_RELAXED);
}

/* ---- StringName ---- */

struct name *name_of(const char *text)
{
    if (!text || !text[0]) {
        return NULL;
    }
    pthread_mutex_lock(&the_host.mutex);
    struct name *name = the_host.names;
    while (name && strcmp(name->text, text) != 0) {
        name = name->next;
    }
    if (!name) {
        name = calloc(1, sizeof *name + strlen(text) + 1);
        strcpy(name->text, text);
        name->next = the_host.names;
        the_host.names = name;
    }
    name->references++;
    the_host.counts.names++;
    pthread_mutex_unlock(&the_host.mutex);
    return name;
}

void name_release(struct name *name)
{
    if (!name) {
        return;
    }
    pthread_mutex_lock(&the_host.mutex);
    if (name->references == 0) {
        engine_error("StringName \"%s\" is released once too often", name->text);
    } else {
        the_host.counts.names--;
        name->references--;
        /* It stays in the table, which is emptied when the library goes: its address then moves. */
    }
    pthread_mutex_unlock(&the_host.mutex);
}

const char *name_text(const void *string_name)
{
    const struct name *name = string_name ? *(struct name *const *)string_name : NULL;
    return name ? name->text : "";
}

void string_name_new(void *out, const char *text, uint8_t is_static)
{
    struct name *name = name_of(text);
    if (name && is_static) { /* never released */
        pthread_mutex_lock(&the_host.mutex);
        the_host.counts.names--;
        pthread_mutex_unlock(&the_host.mutex);
    }
    *(struct name **)out = name;
}

/* ---- String ---- */

char *string_of(const char *text)
{
    if (!text || !text[0]) {
        return NULL;
    }
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    count_value(1);
    return copy;
}

const char *string_text(const void *string)
{
    const char *text = string ? *(char *const *)string : NULL;
    return text ? text : "";
}

void string_new_utf8(void *out, const char *text)
{
    *(char **)out = string_of(text);
}

/* Writes no NUL. Returns the whole length. */
int64_t string_to_utf8(const void *string, char *out, int64_t capacity)
{
    const char *text = string_text(string);
    const int64_t length = (int64_t)strlen(text);
    if (out && capacity > 0) {
        memcpy(out, text, (size_t)(length < capacity ? length : capacity));
    }
    return length;
}

/* ---- PackedByteArray ---- */

static struct bytes_head *head_of(const struct bytes *bytes)
{
    return bytes->data ? (struct bytes_head *)(void *)bytes->data - 1 : NULL;
}

int64_t bytes_size(const struct bytes *bytes)
{
    return bytes->data ? head_of(bytes)->size : 0;
}

static void bytes_release(struct bytes *bytes)
{
    struct bytes_head *head = head_of(bytes);
    if (head && --head->references == 0) {
        free(head);
        count_value(-1);
    }
    bytes->data = NULL;
}

void bytes_resize(struct bytes *bytes, int64_t size)
{
    struct bytes_head *old = head_of(bytes);
    if (size <= 0) {
        bytes_release(bytes);
        return;
    }
    struct bytes_head *head = calloc(1, sizeof *head + (size_t)size);
    *head = (struct bytes_head){1, size};
    count_value(1);
    if (old) {
        memcpy(head + 1, old + 1, (size_t)(old->size < size ? old->size : size));
    }
    bytes_release(bytes);
    bytes->data = (uint8_t *)(head + 1);
}

uint8_t *bytes_at(void *self, int64_t index)
{
    struct bytes *bytes = self;
    if (index < 0 || index >= bytes_size(bytes)) {
        engine_error("index %lld of a PackedByteArray of %lld", (long long)index,
                     (long long)bytes_size(bytes));
        return NULL;
    }
    if (head_of(bytes)->references > 1) {
        bytes_resize(bytes, bytes_size(bytes)); /* its own copy */
    }
    return bytes->data + index;
}

/* ---- Array ---- */

static struct array *array_new(void)
{
    struct array *array = calloc(1, sizeof *array);
    array->references = 1;
    count_value(1);
    return array;
}

static void array_release(struct array *array)
{
    if (array && --array->references == 0) {
        for (int64_t i = 0; i < array->count; i++) {
            variant_finish(&array->items[i]);
        }
        free(array->items);
        free(array);
        count_value(-1);
    }
}

void array_resize(struct array *array, int64_t count)
{
    for (int64_t i = count; i < array->count; i++) {
        variant_finish(&array->items[i]);
    }
    if (count > array->capacity) {
        array->items = realloc(array->items, (size_t)count * sizeof *array->items);
        array->capacity = count;
    }
    for (int64_t i = array->count; i < count; i++) {
        array->items[i] = (struct variant){0};
    }
    array->count = count;
}

struct variant *array_at(void *self, int64_t index)
{
    struct array *array = *(struct array **)self;
    if (index < 0 || index >= array->count) {
        engine_error("index %lld of an Array of %lld", (long long)index, (long long)array->count);
        return NULL;
    }
    return &array->items[index];
}

void array_set_typed(void *self, int32_t type, const void *class_name, const void *script)
{
    struct array *array = *(struct array **)self;
    const struct class_row *row = class_find(name_text(class_name));
    if (array->count > 0 || !script || (name_text(class_name)[0] && !row)) {
        engine_error("array_set_typed: an empty array, a class and a script's Variant are needed");
        return;
    }
    array->type = type;
    array->class_name = row ? row->name : NULL;
}

/* ---- Callable ---- */

void callable_custom_create(void *out, struct gd_custom_callable *info)
{
    struct custom *custom = calloc(1, sizeof *custom);
    *custom = (struct custom){*info, 1};
    count_value(1);
    *(struct callable *)out = (struct callable){.custom = custom};
}

bool callable_call(const struct callable *callable, const struct variant *argument)
{
    struct variant ret = {0};
    struct gd_call_error error = {0};
    if (callable->method) {
        struct object *object = object_of_id(callable->object_id);
        bool called = object && extension_call(object, callable->method->text, NULL, 0, &ret);
        variant_finish(&ret);
        return called;
    }
    const struct gd_custom_callable *info = callable->custom ? &callable->custom->info : NULL;
    if (!info || (info->object_id && !object_of_id(info->object_id)) ||
        (info->is_valid && !info->is_valid(info->user))) {
        return false;
    }
    info->call(info->user, (const void *)&argument, argument ? 1 : 0, &ret, &error);
    variant_finish(&ret);
    return error.error == 0;
}

static void callable_release(struct callable *callable)
{
    struct custom *custom = callable->method ? NULL : callable->custom;
    if (custom && --custom->references == 0) {
        if (custom->info.free) {
            custom->info.free(custom->info.user);
        }
        free(custom);
        count_value(-1);
    }
    name_release(callable->method);
    *callable = (struct callable){0};
}

/* ---- All of them ---- */

void value_init(int type, void *dst)
{
    memset(dst, 0, value_bytes[type]);
    if (type == GD_ARRAY) {
        *(struct array **)dst = array_new();
    }
}

void value_copy(int type, void *dst, const void *src)
{
    memcpy(dst, src, value_bytes[type]);
    if (type == GD_STRING_NAME) {
        *(struct name **)dst = name_of(name_text(src));
    } else if (type == GD_STRING) {
        *(char **)dst = string_of(string_text(src));
    } else if (type == GD_ARRAY) {
        (*(struct array **)dst)->references++;
    } else if (type == GD_PACKED_BYTE_ARRAY && head_of(src)) {
        head_of(src)->references++;
    } else if (type == GD_CALLABLE && ((const struct callable *)src)->method) {
        name_of(((const struct callable *)src)->method->text);
    } else if (type == GD_CALLABLE && ((const struct callable *)src)->custom) {
        ((const struct callable *)src)->custom->references++;
    }
}

void value_finish(int type, void *value)
{
    if (type == GD_STRING_NAME) {
        name_release(*(struct name **)value);
    } else if (type == GD_STRING && *(char **)value) {
        free(*(char **)value);
        count_value(-1);
    } else if (type == GD_ARRAY) {
        array_release(*(struct array **)value);
    } else if (type == GD_PACKED_BYTE_ARRAY) {
        bytes_release(value);
    } else if (type == GD_CALLABLE) {
        callable_release(value);
    }
    memset(value, 0, value_bytes[type]);
}

/* ---- Variant ---- */

void variant_from(struct variant *out, int type, const void *value)
{
    *out = (struct variant){.type = type};
    if (type == GD_OBJECT) {
        struct object *object = *(struct object *const *)value;
        if (object) {
            out->words[0] = object->id;
            out->words[1] = (uint64_t)(uintptr_t)object;
            object_reference(object);
        }
    } else if (value_bytes[type] > sizeof out->words) {
        out->block = malloc(value_bytes[type]);
        memcpy(out->block, value, value_bytes[type]);
        count_value(1);
    } else if (type != GD_NIL) {
        value_copy(type, out->words, value);
    }
}

static double number_of(const struct variant *variant)
{
    return variant->type == GD_BOOL  ? variant->b
           : variant->type == GD_INT ? (double)variant->i
                                     : variant->d;
}

static bool is_number(int type)
{
    return type == GD_BOOL || type == GD_INT || type == GD_FLOAT;
}

bool variant_to(const struct variant *variant, int type, void *out)
{
    const bool text = variant->type == GD_STRING || variant->type == GD_STRING_NAME;
    if (variant->type == type && type == GD_OBJECT) {
        *(void **)out = (void *)(uintptr_t)variant->words[1];
    } else if (variant->type == type) {
        value_copy(type, out,
                   value_bytes[type] > sizeof variant->words ? variant->block : variant->words);
    } else if (type == GD_BOOL && is_number(variant->type)) {
        *(uint8_t *)out = number_of(variant) != 0;
    } else if (type == GD_INT && is_number(variant->type)) {
        *(int64_t *)out = (int64_t)number_of(variant);
    } else if (type == GD_FLOAT && is_number(variant->type)) {
        *(double *)out = number_of(variant);
    } else if (type == GD_STRING && text) {
        *(char **)out = string_of(name_text(variant->words));
    } else if (type == GD_STRING_NAME && text) {
        *(struct name **)out = name_of(string_text(variant->words));
    } else {
        value_init(type, out);
        return type == GD_OBJECT && variant->type == GD_NIL;
    }
    return true;
}

void variant_finish(struct variant *variant)
{
    if (variant->type == GD_OBJECT && variant->words[1]) {
        object_drop((struct object *)(uintptr_t)variant->words[1]);
    } else if (value_bytes[variant->type] > sizeof variant->words) {
        free(variant->block);
        count_value(-1);
    } else if (variant->type != GD_NIL && variant->type != GD_OBJECT) {
        value_finish(variant->type, variant->words);
    }
    *variant = (struct variant){0};
}
