/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's functions, looked up by name when the extension is loaded, and small helpers for its
 * types of values. There is one engine a process, and so one of these. */
#pragma once

#include "fovea_base.h"
#include "godot_abi.h"

#include <stdatomic.h>

/* Methods of the engine's by class and name: GODOT_RefCounted_unreference. */
enum godot_method {
#define GODOT_METHOD(class_name, method, signature, hash) GODOT_##class_name##_##method,
#define GODOT_METHOD_MAY GODOT_METHOD
#define GODOT_METHOD_OR(class_name, method, signature, hash, newer, newer_hash)                    \
    GODOT_METHOD(class_name, method, signature, hash)
#include "godot_methods.def"
#undef GODOT_METHOD
#undef GODOT_METHOD_MAY
#undef GODOT_METHOD_OR
    GODOT_METHOD_COUNT
};

/* Functions of the interface: (name, result, arguments). */
#define GODOT_FUNCTIONS(F)                                                                         \
    F(get_godot_version, void, (struct godot_version * out))                                       \
    F(print_error_with_message, void,                                                              \
      (const char *description, const char *message, const char *function, const char *file,       \
       int32_t line, uint8_t notify))                                                              \
    F(print_warning_with_message, void,                                                            \
      (const char *description, const char *message, const char *function, const char *file,       \
       int32_t line, uint8_t notify))                                                              \
    F(string_name_new_with_latin1_chars, void,                                                     \
      (struct godot_name * out, const char *text, uint8_t is_static))                              \
    F(string_new_with_utf8_chars, void, (struct godot_string * out, const char *text))             \
    F(string_to_utf8_chars, int64_t, (const struct godot_string *string, char *out, int64_t most)) \
    F(variant_get_ptr_constructor, godot_construct_fn, (int32_t type, int32_t index))              \
    F(variant_get_ptr_destructor, godot_destruct_fn, (int32_t type))                               \
    F(get_variant_from_type_constructor, godot_to_variant_fn, (int32_t type))                      \
    F(get_variant_to_type_constructor, godot_from_variant_fn, (int32_t type))                      \
    F(variant_get_ptr_builtin_method, godot_builtin_fn,                                            \
      (int32_t type, const struct godot_name *name, int64_t hash))                                 \
    F(variant_new_nil, void, (struct godot_variant * out))                                         \
    F(variant_destroy, void, (struct godot_variant * variant))                                     \
    F(variant_get_type, int32_t, (const struct godot_variant *variant))                            \
    F(packed_byte_array_operator_index, uint8_t *, (struct godot_bytes * bytes, int64_t index))    \
    F(array_set_typed, void,                                                                       \
      (struct godot_array * array, int32_t type, const struct godot_name *class_name,              \
       const struct godot_variant *script))                                                        \
    F(global_get_singleton, struct godot_object *, (const struct godot_name *name))                \
    F(classdb_construct_object2, struct godot_object *, (const struct godot_name *name))           \
    F(classdb_get_method_bind, const struct godot_method_bind *,                                   \
      (const struct godot_name *class_name, const struct godot_name *name, int64_t hash))          \
    F(object_method_bind_ptrcall, void,                                                            \
      (const struct godot_method_bind *bind, struct godot_object *object, const void *const *args, \
       void *out))                                                                                 \
    F(object_method_bind_call, void,                                                               \
      (const struct godot_method_bind *bind, struct godot_object *object,                          \
       const struct godot_variant *const *args, int64_t count, struct godot_variant *out,          \
       struct godot_call_error *out_error))                                                        \
    F(classdb_register_extension_class_method, void,                                               \
      (struct godot_class_library * library, const struct godot_name *class_name,                  \
       const struct godot_method_info *info))                                                      \
    F(classdb_register_extension_class_property, void,                                             \
      (struct godot_class_library * library, const struct godot_name *class_name,                  \
       const struct godot_property_info *info, const struct godot_name *setter,                    \
       const struct godot_name *getter))                                                           \
    F(classdb_register_extension_class_property_group, void,                                       \
      (struct godot_class_library * library, const struct godot_name *class_name,                  \
       const struct godot_string *group, const struct godot_string *prefix))                       \
    F(classdb_register_extension_class_signal, void,                                               \
      (struct godot_class_library * library, const struct godot_name *class_name,                  \
       const struct godot_name *name, const struct godot_property_info *arguments, int64_t count)) \
    F(classdb_unregister_extension_class, void,                                                    \
      (struct godot_class_library * library, const struct godot_name *class_name))                 \
    F(object_set_instance, void,                                                                   \
      (struct godot_object * object, const struct godot_name *class_name, void *instance))         \
    F(object_set_instance_binding, void,                                                           \
      (struct godot_object * object, void *token, void *binding,                                   \
       const struct godot_binding_callbacks *callbacks))                                           \
    F(object_destroy, void, (struct godot_object * object))                                        \
    F(object_get_instance_id, uint64_t, (const struct godot_object *object))                       \
    F(object_get_instance_from_id, struct godot_object *, (uint64_t id))                           \
    F(callable_custom_create2, void,                                                               \
      (struct godot_callable * out, struct godot_callable_info * info))

typedef void (*godot_construct_fn)(void *out, const void *const *args);
typedef void (*godot_destruct_fn)(void *value);
typedef void (*godot_to_variant_fn)(struct godot_variant *out, void *value);
typedef void (*godot_from_variant_fn)(void *out, struct godot_variant *variant);
typedef void (*godot_builtin_fn)(void *base, const void *const *args, void *out, int32_t count);
typedef void (*godot_register_class_fn)(struct godot_class_library *library,
                                        const struct godot_name *class_name,
                                        const struct godot_name *parent,
                                        const struct godot_class_info *info);

struct godot_api {
    struct godot_class_library *library;
    struct godot_version version;
#define GODOT_FUNCTION(name, result, arguments) result(*name) arguments;
    GODOT_FUNCTIONS(GODOT_FUNCTION)
#undef GODOT_FUNCTION
    godot_register_class_fn register_class; /* of the newest kind that the engine has */
    void (*load_help)(const char *xml); /* NULL: the engine is no editor */
    /* NULL: it is older than 4.5 */
    void (*register_main_loop_callbacks)(struct godot_class_library *library,
                                         const struct godot_main_loop_callbacks *callbacks);

    /* godot_api_find_methods fills the rest. */
    const struct godot_method_bind *methods[GODOT_METHOD_COUNT];
    godot_builtin_fn bytes_resize;
    godot_builtin_fn bytes_size;
    godot_builtin_fn array_append;
    struct godot_object *project_settings; /* NULL: there is none */
    bool is_editor; /* what runs is the editor, and no game */

    _Atomic(struct godot_object *) rendering_server; /* of godot_rendering_server */
};

extern struct godot_api godot;

/* FOVEA_ERROR_UNSUPPORTED: the engine is older than 4.4 or lacks a function, which the log names.
 */
FOVEA_MUST_CHECK enum fovea_result godot_api_init(godot_get_proc_address_fn get_proc_address,
                                                  struct godot_class_library *library);
/* Once the engine's classes are there: level SCENE. */
FOVEA_MUST_CHECK enum fovea_result godot_api_find_methods(void);

/* Any thread. NULL: there is none yet, since the engine tells its servers' singletons only after
 * all levels of initialization. */
struct godot_object *godot_rendering_server(void);

/* Calls a method with typed values; ints are int64_t, bools uint8_t, objects are pointed at. */
#define GODOT_CALL(method, object, out, ...)                                                       \
    godot_call(GODOT_##method, object, out, (const void *const[]){__VA_ARGS__})
/* One without arguments. */
#define GODOT_GET(method, object, out) godot_call(GODOT_##method, object, out, NULL)
void godot_call(enum godot_method method, struct godot_object *object, void *out,
                const void *const *args);

/* ---- Values. Whoever makes one ends it. */

struct godot_name godot_name_make(const char *text);
void godot_name_finish(struct godot_name *name);
struct godot_string godot_string_make(const char *text);
void godot_string_finish(struct godot_string *string);
/* False: it is longer; then it is cut. */
bool godot_string_text(const struct godot_string *string, char *out, size_t bytes);

/* Zeroed where `data` is NULL. */
struct godot_bytes godot_bytes_make(const void *data, size_t count);
void godot_bytes_finish(struct godot_bytes *bytes);
/* The array takes objects of this class alone. */
struct godot_array godot_array_make(const char *class_name);
/* The array then has the reference that the caller had. */
void godot_array_take(struct godot_array *array, struct godot_object *object);
void godot_array_finish(struct godot_array *array);

/* Makes an object of a class that counts references, with one; NULL: the engine has no such
 * class. */
struct godot_object *godot_object_make(const char *class_name);
/* Accepts NULL. */
void godot_object_release(struct godot_object *object);
