/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea's own declarations of the parts of GDExtension's interface that it uses, of Godot 4.4 and
 * later. The interface only ever grows, and every function is
 * looked up by name, so that these need no header of the engine's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GODOT_EXPORT __attribute__((visibility("default")))

/* Levels of initialization. */
enum { GODOT_LEVEL_CORE, GODOT_LEVEL_SERVERS, GODOT_LEVEL_SCENE, GODOT_LEVEL_EDITOR };

/* Types of Variant that we use. */
enum godot_type {
    GODOT_NIL = 0,
    GODOT_BOOL = 1,
    GODOT_INT = 2,
    GODOT_FLOAT = 3,
    GODOT_STRING = 4,
    GODOT_VECTOR2 = 5,
    GODOT_STRING_NAME = 21,
    GODOT_OBJECT = 24,
    GODOT_CALLABLE = 25,
    GODOT_ARRAY = 28,
    GODOT_PACKED_BYTE_ARRAY = 29,
};

/* Values of the engine's, whose insides are its own. Sizes are those of 64-bit builds with floats
 * of single precision, which is what Godot ships. */
struct godot_string {
    void *data;
};
/* Equal names have the same pointer. */
struct godot_name {
    void *data;
};
struct godot_variant {
    uint64_t words[3];
};
struct godot_array {
    void *data;
};
struct godot_bytes {
    void *data[2];
};
struct godot_callable {
    uint64_t words[2];
};
struct godot_rid {
    uint64_t id; /* 0: none */
};
struct godot_vector2 {
    float x;
    float y;
};
struct godot_vector2i {
    int32_t x;
    int32_t y;
};
/* Four columns of four. */
struct godot_projection {
    float columns[4][4];
};

_Static_assert(sizeof(struct godot_variant) == 24, "Variant");
_Static_assert(sizeof(struct godot_string) == 8, "String");
_Static_assert(sizeof(struct godot_name) == 8, "StringName");
_Static_assert(sizeof(struct godot_array) == 8, "Array");
_Static_assert(sizeof(struct godot_bytes) == 16, "PackedByteArray");
_Static_assert(sizeof(struct godot_callable) == 16, "Callable");
_Static_assert(sizeof(struct godot_projection) == 64, "Projection");

struct godot_object; /* an Object of the engine's */
struct godot_method_bind;
struct godot_class_library; /* this extension, as the engine knows it */

typedef void (*godot_any_fn)(void);
typedef godot_any_fn (*godot_get_proc_address_fn)(const char *name);

struct godot_initialization {
    int32_t minimum_level;
    void *user;
    void (*initialize)(void *user, int32_t level);
    void (*deinitialize)(void *user, int32_t level);
};
_Static_assert(sizeof(struct godot_initialization) == 32, "GDExtensionInitialization");

struct godot_version {
    uint32_t major;
    uint32_t minor;
    uint32_t patch;
    const char *text;
};
_Static_assert(sizeof(struct godot_version) == 24, "GDExtensionGodotVersion");

/* No pointer may be NULL. */
struct godot_property_info {
    int32_t type;
    const struct godot_name *name;
    const struct godot_name *class_name;
    uint32_t hint;
    const struct godot_string *hint_text;
    uint32_t usage;
};
_Static_assert(sizeof(struct godot_property_info) == 48, "GDExtensionPropertyInfo");

enum {
    GODOT_HINT_NONE = 0,
    GODOT_HINT_RANGE = 1,
    GODOT_HINT_ENUM = 2,
    GODOT_HINT_FILE = 13,
};
#define GODOT_USAGE_DEFAULT 6u

enum {
    GODOT_CALL_OK = 0,
    GODOT_CALL_INVALID_ARGUMENT = 2,
    GODOT_CALL_TOO_MANY_ARGUMENTS = 3,
    GODOT_CALL_TOO_FEW_ARGUMENTS = 4,
};
struct godot_call_error {
    int32_t error;
    int32_t argument;
    int32_t expected;
};

/* The engine calls a method with Variants, or with typed values. */
typedef void (*godot_method_call_fn)(void *user, void *instance,
                                     const struct godot_variant *const *args, int64_t count,
                                     struct godot_variant *out_result,
                                     struct godot_call_error *out_error);
typedef void (*godot_method_ptrcall_fn)(void *user, void *instance, const void *const *args,
                                        void *out_result);

struct godot_method_info {
    const struct godot_name *name;
    void *user;
    godot_method_call_fn call;
    godot_method_ptrcall_fn ptrcall;
    uint32_t flags;
    uint8_t has_result;
    const struct godot_property_info *result;
    int32_t result_metadata;
    uint32_t argument_count;
    const struct godot_property_info *arguments;
    const int32_t *argument_metadata;
    uint32_t default_count;
    struct godot_variant *const *defaults;
};
_Static_assert(sizeof(struct godot_method_info) == 88, "GDExtensionClassMethodInfo");
#define GODOT_METHOD_NORMAL 1u

typedef void (*godot_virtual_fn)(void *instance, const void *const *args, void *out_result);

/* GDExtensionClassCreationInfo4, which is 5 too, and in a call for 6 differs in nothing that
 * matters to a class that makes its objects as ours does. */
struct godot_class_info {
    uint8_t is_virtual;
    uint8_t is_abstract;
    uint8_t is_exposed;
    uint8_t is_runtime;
    const struct godot_string *icon_path;
    godot_any_fn set;
    godot_any_fn get;
    godot_any_fn get_property_list;
    godot_any_fn free_property_list;
    godot_any_fn property_can_revert;
    godot_any_fn property_get_revert;
    godot_any_fn validate_property;
    void (*notification)(void *instance, int32_t what, uint8_t reversed);
    godot_any_fn to_string;
    godot_any_fn reference;
    godot_any_fn unreference;
    struct godot_object *(*create_instance)(void *user, uint8_t notify);
    void (*free_instance)(void *user, void *instance);
    void *(*recreate_instance)(void *user, struct godot_object *object);
    godot_virtual_fn (*get_virtual)(void *user, const struct godot_name *name, uint32_t hash);
    godot_any_fn get_virtual_call_data;
    godot_any_fn call_virtual_with_data;
    void *user;
};
_Static_assert(sizeof(struct godot_class_info) == 160, "GDExtensionClassCreationInfo4");

struct godot_binding_callbacks {
    void *(*create)(void *token, void *object);
    void (*free)(void *token, void *object, void *binding);
    uint8_t (*reference)(void *token, void *binding, uint8_t reference);
};

/* GDExtensionCallableCustomInfo2. */
struct godot_callable_info {
    void *user;
    void *token;
    uint64_t object_id;
    void (*call)(void *user, const struct godot_variant *const *args, int64_t count,
                 struct godot_variant *out_result, struct godot_call_error *out_error);
    uint8_t (*is_valid)(void *user);
    void (*free)(void *user);
    godot_any_fn hash;
    godot_any_fn equal;
    godot_any_fn less_than;
    godot_any_fn to_string;
    godot_any_fn get_argument_count;
};
_Static_assert(sizeof(struct godot_callable_info) == 88, "GDExtensionCallableCustomInfo2");

/* Any of them may be NULL. */
struct godot_main_loop_callbacks {
    void (*startup)(void);
    void (*shutdown)(void);
    void (*frame)(void);
};
