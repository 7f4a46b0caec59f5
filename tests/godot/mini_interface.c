/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "mini_interface.h"

#include <string.h>

struct mini_interface gd;

#define GET(member, text) (*(gd_any_fn *)&gd.member = gd.get(text))

void mini_look_up(void)
{
    void *(*constructor)(int32_t, int32_t) = NULL;
    void *(*destructor)(int32_t) = NULL, *(*from)(int32_t) = NULL, *(*to)(int32_t) = NULL;
    void *(*builtin)(int32_t, const void *, int64_t) = NULL;
    *(gd_any_fn *)&constructor = gd.get("variant_get_ptr_constructor");
    *(gd_any_fn *)&destructor = gd.get("variant_get_ptr_destructor");
    *(gd_any_fn *)&from = gd.get("get_variant_from_type_constructor");
    *(gd_any_fn *)&to = gd.get("get_variant_to_type_constructor");
    *(gd_any_fn *)&builtin = gd.get("variant_get_ptr_builtin_method");
    GET(name, "string_name_new_with_latin1_chars");
    GET(string, "string_new_with_utf8_chars");
    GET(byte, "packed_byte_array_operator_index");
    GET(array_set_typed, "array_set_typed");
    GET(variant_destroy, "variant_destroy");
    GET(singleton, "global_get_singleton");
    GET(construct, "classdb_construct_object2");
    GET(bind, "classdb_get_method_bind");
    GET(ptrcall, "object_method_bind_ptrcall");
    GET(set_instance, "object_set_instance");
    GET(set_binding, "object_set_instance_binding");
    GET(destroy, "object_destroy");
    GET(print_error, "print_error_with_message");
    GET(custom_callable, "callable_custom_create2");
    *(void **)&gd.finish_name = destructor(GD_STRING_NAME);
    *(void **)&gd.finish_string = destructor(GD_STRING);
    *(void **)&gd.init_bytes = constructor(GD_PACKED_BYTE_ARRAY, 0);
    *(void **)&gd.finish_bytes = destructor(GD_PACKED_BYTE_ARRAY);
    *(void **)&gd.init_array = constructor(GD_ARRAY, 0);
    *(void **)&gd.finish_array = destructor(GD_ARRAY);
    *(void **)&gd.from_object = from(GD_OBJECT);
    *(void **)&gd.from_float = from(GD_FLOAT);
    *(void **)&gd.from_int = from(GD_INT);
    *(void **)&gd.from_bool = from(GD_BOOL);
    *(void **)&gd.from_bytes = from(GD_PACKED_BYTE_ARRAY);
    *(void **)&gd.to_float = to(GD_FLOAT);
    *(void **)&gd.to_int = to(GD_INT);
    word resize = 0, append = 0;
    gd.name(&resize, "resize", 0);
    gd.name(&append, "append", 0);
    *(void **)&gd.resize = builtin(GD_PACKED_BYTE_ARRAY, &resize, 848867239);
    *(void **)&gd.append = builtin(GD_ARRAY, &append, 3316032543);
    gd.finish_name(&resize);
    gd.finish_name(&append);
}

void mini_call(void *self, const char *class_name, const char *method, int64_t hash,
               const void *const *args, void *ret)
{
    word class_word = 0, method_word = 0;
    gd.name(&class_word, class_name, 0);
    gd.name(&method_word, method, 0);
    const void *bind = gd.bind(&class_word, &method_word, hash);
    gd.finish_name(&class_word);
    gd.finish_name(&method_word);
    if (bind) {
        gd.ptrcall(bind, self, args, ret);
    }
}

void *mini_make(const char *class_name)
{
    word name = 0;
    uint8_t unused = 0;
    gd.name(&name, class_name, 0);
    void *object = gd.construct(&name);
    gd.finish_name(&name);
    mini_call(object, "RefCounted", "init_ref", 2240911060, NULL, &unused);
    return object;
}

void mini_unmake(void *object)
{
    uint8_t last = 0;
    mini_call(object, "RefCounted", "unreference", 2240911060, NULL, &last);
    if (last) {
        gd.destroy(object);
    }
}

void mini_fill(struct packed *bytes, const void *from, int64_t size)
{
    int64_t unused = 0;
    gd.init_bytes(bytes, NULL);
    gd.resize(bytes, ARGS(&size), &unused, 1);
    memcpy(gd.byte(bytes, 0), from, (size_t)size);
}
