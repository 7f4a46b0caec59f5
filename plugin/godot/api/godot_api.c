/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_api.h"

#include "core/log.h"
#include "godot_log.h"

#include <string.h>

struct godot_api godot;

#define POSTINITIALIZE 0 /* the notification that constructors of the engine's send themselves */
#define RESIZE_HASH 848867239
#define SIZE_HASH 3173160232
#define APPEND_HASH 3316032543

struct method {
    const char *class_name;
    const char *name;
    uint32_t hashes[2]; /* the second may be 0 */
    bool optional;
};

static const struct method methods[GODOT_METHOD_COUNT] = {
#define GODOT_METHOD(class_name, method, signature, hash) {#class_name, #method, {hash}, false},
#define GODOT_METHOD_MAY(class_name, method, signature, hash) {#class_name, #method, {hash}, true},
#define GODOT_METHOD_OR(class_name, method, signature, hash, newer, newer_hash)                    \
    {#class_name, #method, {hash, newer_hash}, false},
#include "godot_methods.def"
};

/* ---- Look-up */

/* A function pointer of any kind from one of another; C has no other way between the two. */
static void store(void *to, godot_any_fn function)
{
    memcpy(to, &function, sizeof function);
}

/* Returns the name of the first that is missing; NULL: all are there. */
static const char *find_functions(godot_get_proc_address_fn find)
{
    const char *missing = NULL;
#define GODOT_FUNCTION(name, result, arguments)                                                    \
    store(&godot.name, find(#name));                                                               \
    missing = missing || godot.name ? missing : #name;
    GODOT_FUNCTIONS(GODOT_FUNCTION)
#undef GODOT_FUNCTION
    return missing;
}

/* Asks for the functions of versions after 4.4 only where they exist, since the engine prints an
 * error for each unknown name. A class that is registered the newer way gives the same as the older
 * way. */
static void find_newer_functions(godot_get_proc_address_fn find)
{
    const bool is_4_4 = godot.version.major == 4 && godot.version.minor == 4;
    store(&godot.register_class,
          find(is_4_4 ? "classdb_register_extension_class4" : "classdb_register_extension_class5"));
    store(&godot.load_help, find("editor_help_load_xml_from_utf8_chars"));
    if (!is_4_4) {
        store(&godot.register_main_loop_callbacks, find("register_main_loop_callbacks"));
    }
}

static enum fovea_result refuse(const char *words)
{
    if (godot.print_error_with_message) {
        godot.print_error_with_message(words, words, __func__, __FILE__, __LINE__, 1);
    }
    return FOVEA_ERROR_UNSUPPORTED;
}

enum fovea_result godot_api_init(godot_get_proc_address_fn get_proc_address,
                                 struct godot_class_library *library)
{
    godot = (struct godot_api){.library = library};
    const char *missing = find_functions(get_proc_address);
    if (godot.get_godot_version) {
        godot.get_godot_version(&godot.version);
        if (godot.version.major < 4 || (godot.version.major == 4 && godot.version.minor < 4)) {
            return refuse("Fovea needs Godot 4.4 or newer");
        }
    }
    if (missing) {
        log_error(godot_log(), "Godot has no function %s, which Fovea needs", missing);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    find_newer_functions(get_proc_address);
    return godot.register_class ? FOVEA_OK
                                : refuse("Godot has no way to register a class that Fovea knows");
}

static bool find_method(size_t index)
{
    const struct method *method = &methods[index];
    struct godot_name class_name = godot_name_make(method->class_name);
    struct godot_name name = godot_name_make(method->name);
    for (size_t i = 0; i < 2 && !godot.methods[index] && method->hashes[i]; i++) {
        godot.methods[index] = godot.classdb_get_method_bind(&class_name, &name, method->hashes[i]);
    }
    godot_name_finish(&name);
    godot_name_finish(&class_name);
    return godot.methods[index];
}

static godot_builtin_fn find_builtin(int32_t type, const char *text, int64_t hash)
{
    struct godot_name name = godot_name_make(text);
    const godot_builtin_fn found = godot.variant_get_ptr_builtin_method(type, &name, hash);
    godot_name_finish(&name);
    return found;
}

static struct godot_object *find_singleton(const char *text)
{
    struct godot_name name = godot_name_make(text);
    struct godot_object *found = godot.global_get_singleton(&name);
    godot_name_finish(&name);
    return found;
}

static bool find_is_editor(void)
{
    uint8_t is_editor = 0;
    struct godot_object *engine = find_singleton("Engine");
    if (engine && godot.methods[GODOT_Engine_is_editor_hint]) {
        GODOT_GET(Engine_is_editor_hint, engine, &is_editor);
    }
    return is_editor != 0;
}

/* Its Variants, vectors and matrices are larger than ours. */
static bool is_of_double_precision(void)
{
    uint8_t has = 0;
    struct godot_object *os = find_singleton("OS");
    struct godot_string feature = godot_string_make("double");
    if (os && godot.methods[GODOT_OS_has_feature]) {
        GODOT_CALL(OS_has_feature, os, &has, &feature);
    }
    godot_string_finish(&feature);
    return has != 0;
}

enum fovea_result godot_api_find_methods(void)
{
    bool complete = true;
    for (size_t i = 0; i < GODOT_METHOD_COUNT; i++) {
        if (!find_method(i) && !methods[i].optional) {
            log_error(godot_log(), "Godot has no method %s.%s as Fovea knows it",
                      methods[i].class_name, methods[i].name);
            complete = false;
        }
    }
    if (is_of_double_precision()) {
        return refuse("Fovea needs a Godot of single precision, and this one is built with "
                      "precision=double");
    }
    godot.bytes_resize = find_builtin(GODOT_PACKED_BYTE_ARRAY, "resize", RESIZE_HASH);
    godot.bytes_size = find_builtin(GODOT_PACKED_BYTE_ARRAY, "size", SIZE_HASH);
    godot.array_append = find_builtin(GODOT_ARRAY, "append", APPEND_HASH);
    godot.project_settings = find_singleton("ProjectSettings");
    godot.is_editor = find_is_editor();
    complete = complete && godot.bytes_resize && godot.bytes_size && godot.array_append;
    return complete ? FOVEA_OK : refuse("Fovea cannot work in this Godot");
}

struct godot_object *godot_rendering_server(void)
{
    struct godot_object *server = atomic_load(&godot.rendering_server);
    if (!server) {
        server = find_singleton("RenderingServer");
        atomic_store(&godot.rendering_server, server);
    }
    return server;
}

void godot_call(enum godot_method method, struct godot_object *object, void *out,
                const void *const *args)
{
    godot.object_method_bind_ptrcall(godot.methods[method], object, args, out);
}

/* ---- Values */

struct godot_name godot_name_make(const char *text)
{
    struct godot_name name = {0};
    godot.string_name_new_with_latin1_chars(&name, text, 0); /* the library may be loaded again */
    return name;
}

void godot_name_finish(struct godot_name *name)
{
    godot.variant_get_ptr_destructor(GODOT_STRING_NAME)(name);
}

struct godot_string godot_string_make(const char *text)
{
    struct godot_string string = {0};
    godot.string_new_with_utf8_chars(&string, text);
    return string;
}

void godot_string_finish(struct godot_string *string)
{
    godot.variant_get_ptr_destructor(GODOT_STRING)(string);
}

bool godot_string_text(const struct godot_string *string, char *out, size_t bytes)
{
    const int64_t length = godot.string_to_utf8_chars(string, NULL, 0);
    const int64_t most = (int64_t)bytes - 1;
    const int64_t written = godot.string_to_utf8_chars(string, out, most);
    out[written < 0 ? 0 : written < most ? written : most] = '\0';
    return length <= most;
}

struct godot_bytes godot_bytes_make(const void *data, size_t count)
{
    struct godot_bytes bytes = {0};
    const int64_t size = (int64_t)count;
    int64_t result = 0;
    godot.variant_get_ptr_constructor(GODOT_PACKED_BYTE_ARRAY, 0)(&bytes, NULL);
    godot.bytes_resize(&bytes, (const void *const[]){&size}, &result, 1);
    if (count > 0) {
        uint8_t *to = godot.packed_byte_array_operator_index(&bytes, 0);
        if (to && data) {
            memcpy(to, data, count);
        } else if (to) {
            memset(to, 0, count);
        }
    }
    return bytes;
}

void godot_bytes_finish(struct godot_bytes *bytes)
{
    godot.variant_get_ptr_destructor(GODOT_PACKED_BYTE_ARRAY)(bytes);
}

struct godot_array godot_array_make(const char *class_name)
{
    struct godot_array array = {0};
    struct godot_variant no_script;
    struct godot_name name = godot_name_make(class_name);
    godot.variant_get_ptr_constructor(GODOT_ARRAY, 0)(&array, NULL);
    godot.variant_new_nil(&no_script);
    godot.array_set_typed(&array, GODOT_OBJECT, &name, &no_script);
    godot.variant_destroy(&no_script);
    godot_name_finish(&name);
    return array;
}

void godot_array_take(struct godot_array *array, struct godot_object *object)
{
    struct godot_variant variant;
    godot.get_variant_from_type_constructor(GODOT_OBJECT)(&variant, &object);
    godot.array_append(array, (const void *const[]){&variant}, NULL, 1);
    godot.variant_destroy(&variant);
    godot_object_release(object);
}

void godot_array_finish(struct godot_array *array)
{
    godot.variant_get_ptr_destructor(GODOT_ARRAY)(array);
}

struct godot_object *godot_object_make(const char *class_name)
{
    static const int64_t what = POSTINITIALIZE;
    static const uint8_t reversed = 0;
    uint8_t first = 0;
    struct godot_name name = godot_name_make(class_name);
    struct godot_object *object = godot.classdb_construct_object2(&name);
    godot_name_finish(&name);
    if (object) {
        GODOT_CALL(Object_notification, object, NULL, &what, &reversed);
        GODOT_GET(RefCounted_init_ref, object, &first);
    }
    return object;
}

void godot_object_release(struct godot_object *object)
{
    uint8_t was_last = 0;
    if (object) {
        GODOT_GET(RefCounted_unreference, object, &was_last);
        if (was_last) {
            godot.object_destroy(object);
        }
    }
}
