/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host for tests declares Godot's GDExtension interface here, from its description and not
 * from anybody's header: an extension that reads it otherwise is found out here. Builtin values are
 * opaque words: StringName, String, Array and RID 8 bytes, PackedByteArray and Callable 16. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum gd_type {
    GD_NIL,
    GD_BOOL,
    GD_INT,
    GD_FLOAT,
    GD_STRING,
    GD_VECTOR2,
    GD_VECTOR2I,
    GD_VECTOR3 = 9,
    GD_VECTOR4 = 12,
    GD_TRANSFORM3D = 18,
    GD_PROJECTION,
    GD_COLOR,
    GD_STRING_NAME,
    GD_RID = 23,
    GD_OBJECT,
    GD_CALLABLE,
    GD_DICTIONARY = 27,
    GD_ARRAY,
    GD_PACKED_BYTE_ARRAY,
    GD_TYPE_COUNT,
};

enum gd_level { GD_CORE, GD_SERVERS, GD_SCENE, GD_EDITOR, GD_LEVEL_COUNT };

typedef void (*gd_any_fn)(void);
typedef gd_any_fn (*gd_get_proc_fn)(const char *name);

struct gd_initialization {
    int32_t minimum_level;
    void *user;
    void (*initialize)(void *user, int32_t level);
    void (*deinitialize)(void *user, int32_t level);
};
typedef uint8_t (*gd_entry_fn)(gd_get_proc_fn get, void *library, struct gd_initialization *out);

struct gd_version {
    uint32_t major, minor, patch;
    const char *string;
};
struct gd_version2 {
    uint32_t major, minor, patch, hex;
    const char *status, *build, *hash;
    uint64_t timestamp;
    const char *string;
};

struct gd_call_error {
    int32_t error; /* 0: none */
    int32_t argument, expected;
};

struct gd_property_info {
    int32_t type;
    void *name, *class_name; /* StringNames */
    uint32_t hint;
    void *hint_string; /* String */
    uint32_t usage;
};

typedef void (*gd_method_call_fn)(void *user, void *instance, const void *const *args,
                                  int64_t count, void *ret, struct gd_call_error *error);
typedef void (*gd_method_ptrcall_fn)(void *user, void *instance, const void *const *args,
                                     void *ret);
struct gd_method_info {
    void *name;
    void *user;
    gd_method_call_fn call;
    gd_method_ptrcall_fn ptrcall;
    uint32_t flags;
    uint8_t has_return;
    struct gd_property_info *return_info;
    int32_t return_metadata;
    uint32_t argument_count;
    struct gd_property_info *arguments;
    int32_t *argument_metadata;
    uint32_t default_count;
    void **defaults; /* Variants */
};

typedef void (*gd_virtual_fn)(void *instance, const void *const *args, void *ret);

/* 4.4 and later have it: classdb_register_extension_class4, 5 and 6. */
struct gd_class_info {
    uint8_t is_virtual, is_abstract, is_exposed, is_runtime;
    const void *icon_path; /* String, or NULL */
    uint8_t (*set)(void *instance, const void *name, const void *variant);
    uint8_t (*get)(void *instance, const void *name, void *variant);
    const struct gd_property_info *(*get_property_list)(void *instance, uint32_t *count);
    void (*free_property_list)(void *instance, const struct gd_property_info *list, uint32_t count);
    uint8_t (*property_can_revert)(void *instance, const void *name);
    uint8_t (*property_get_revert)(void *instance, const void *name, void *variant);
    uint8_t (*validate_property)(void *instance, struct gd_property_info *info);
    void (*notification)(void *instance, int32_t what, uint8_t reversed);
    void (*to_string)(void *instance, uint8_t *is_valid, void *string);
    void (*reference)(void *instance);
    void (*unreference)(void *instance);
    void *(*create_instance)(void *user, uint8_t notify_postinitialize);
    void (*free_instance)(void *user, void *instance);
    void *(*recreate_instance)(void *user, void *object);
    gd_virtual_fn (*get_virtual)(void *user, const void *name, uint32_t hash);
    void *(*get_virtual_call_data)(void *user, const void *name, uint32_t hash);
    void (*call_virtual_with_data)(void *instance, const void *name, void *data,
                                   const void *const *args, void *ret);
    void *user;
};

struct gd_binding_callbacks {
    void *(*create)(void *token, void *instance);
    void (*free)(void *token, void *instance, void *binding);
    uint8_t (*reference)(void *token, void *binding, uint8_t reference);
};

struct gd_custom_callable {
    void *user, *token;
    uint64_t object_id;
    void (*call)(void *user, const void *const *args, int64_t count, void *ret,
                 struct gd_call_error *error);
    uint8_t (*is_valid)(void *user);
    void (*free)(void *user);
    uint32_t (*hash)(void *user);
    uint8_t (*equal)(void *a, void *b);
    uint8_t (*less_than)(void *a, void *b);
    void (*to_string)(void *user, uint8_t *is_valid, void *string);
    int64_t (*argument_count)(void *user, uint8_t *is_valid);
};

struct gd_main_loop_callbacks {
    void (*startup)(void);
    void (*shutdown)(void);
    void (*frame)(void);
};
