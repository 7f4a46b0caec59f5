/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host's files share this. */
#pragma once

#include "busy.h"
#include "engine.h"
#include "gdextension.h"
#include "host.h"

#include <pthread.h>

/* ---- Values ---- */

struct name { /* what a StringName points at: equal texts share one; NULL is the empty one */
    struct name *next;
    uint32_t references; /* those of static names are not counted */
    char text[];
};

struct bytes { /* PackedByteArray */
    void *proxy;
    uint8_t *data; /* behind a struct bytes_head; shared until it is written */
};
struct bytes_head {
    int64_t references, size;
};

struct variant {
    int32_t type;
    int32_t unused;
    union {
        bool b;
        int64_t i;
        double d;
        float f[4];
        uint64_t words[2]; /* the opaque value; an Object's id and pointer */
        void *block; /* of types over 16 bytes */
    };
};

struct array {
    int64_t references, count, capacity;
    struct variant *items;
    int32_t type; /* of its elements, 0 where it is not typed */
    const char *class_name;
};

struct custom {
    struct gd_custom_callable info;
    uint32_t references;
};
struct callable {
    struct name *method; /* NULL: custom, or empty */
    union {
        uint64_t object_id;
        struct custom *custom;
    };
};

extern const uint8_t value_bytes[GD_TYPE_COUNT];
struct name *name_of(const char *text); /* adds a reference */
void name_release(struct name *name);
const char *name_text(const void *string_name);
char *string_of(const char *text); /* what a String points at; NULL is the empty one */
const char *string_text(const void *string);
void bytes_resize(struct bytes *bytes, int64_t size);
int64_t bytes_size(const struct bytes *bytes);
void array_resize(struct array *array, int64_t count);
/* Functions of the interface as extensions call them. */
void string_name_new(void *out, const char *text, uint8_t is_static);
void string_new_utf8(void *out, const char *text);
int64_t string_to_utf8(const void *string, char *out, int64_t capacity);
uint8_t *bytes_at(void *self, int64_t index);
struct variant *array_at(void *self, int64_t index);
void array_set_typed(void *self, int32_t type, const void *class_name, const void *script);
void callable_custom_create(void *out, struct gd_custom_callable *info);
/* Takes any builtin type; dst need not be initialised. */
void value_init(int type, void *dst);
void value_copy(int type, void *dst, const void *src);
void value_finish(int type, void *value);
void variant_from(struct variant *out, int type, const void *value);
/* Copies the value out, converting between bool, int and float, String and StringName. */
bool variant_to(const struct variant *variant, int type, void *out);
void variant_finish(struct variant *variant);
/* Calls it with one argument, or NULL: with none. */
bool callable_call(const struct callable *callable, const struct variant *argument);

/* ---- Objects ---- */

struct class_row {
    const char *name, *parent;
    int level; /* from which the engine has it */
    bool ref_counted, constructible;
    size_t data_bytes;
    void (*finish)(void *data);
};
const struct class_row *class_find(const char *name); /* NULL: there is none at this level */
bool class_is(const struct class_row *row, const char *name);

struct binding {
    void *token, *binding;
    struct gd_binding_callbacks callbacks;
};
struct object {
    struct object *next;
    uint64_t id;
    const struct class_row *row;
    struct extension_class *extension;
    void *instance;
    struct binding binding;
    uint32_t references;
    bool claimed; /* init_ref was called, or a Ref took it */
    bool of_host; /* not counted */
    void *data;
};
struct object *object_create(const struct class_row *row);
struct object *object_create_of(const char *class_name); /* claimed */
void object_delete(struct object *object);
bool object_alive(const struct object *object);
void object_reference(struct object *object);
void object_drop(struct object *object); /* as a Ref does: deletes what has none left */
struct object *object_of_id(uint64_t id);
gd_any_fn interface_get(const char *name);
void interface_add(const char *name, uint32_t since, gd_any_fn function);
/* A function of the interface, and the minor version that first had it: 4.1 and 4.2 are nobody's
 * here, but what is known is said. Class registrations before 4.4's are left out: Fovea needs 4.4.
 */
#define INTERFACE(name, since, function)                                                           \
    __attribute__((constructor)) static void interface_has_##name(void)                            \
    {                                                                                              \
        interface_add(#name, since, (gd_any_fn)function);                                          \
    }

struct extension_class {
    struct extension_class *next;
    char *name;
    const struct class_row *parent;
    struct gd_class_info info;
    uint32_t version;
    struct extension_method *methods;
    struct extension_property *properties;
    struct extension_signal *signals;
};
struct extension_class *extension_class_find(const char *name);
bool extension_call(struct object *object, const char *method, const void *const *args,
                    int64_t count, struct variant *ret);
/* Calls the virtual _render_callback, or the bound method of versions that know no virtual. */
bool extension_render(struct object *object, int64_t type, struct object *render_data);

/* ---- Methods of the engine's classes ---- */

union cell {
    bool b;
    int64_t i;
    double d;
    uint64_t rid;
    float f[16];
    struct object *object;
    uint64_t words[2];
    const void *opaque; /* an argument's String, StringName, Array, PackedByteArray, Callable */
    const struct variant *variant;
};
struct call {
    const struct method *method;
    struct object *self;
    union cell args[10];
    union cell ret; /* opaque values are made in words; objects come with a reference */
    const void *const *variants; /* of a vararg method */
    int64_t variant_count;
};
struct method {
    const char *class_name, *name;
    uint32_t hash, other_hash; /* other: of 4.3 or of 4.4 and later, 0 where there is one */
    const char *signature, *other_signature;
    void (*run)(struct call *call);
    int field;
    uint32_t since; /* minor version; 0: 3 */
};
extern const struct method method_rows[];
extern const uint32_t method_row_count;

struct slot {
    int type;
    char class_name[64];
    bool has_default;
    char default_text[8];
};
struct signature {
    struct slot ret, args[10]; /* ret.type -1: void */
    int count;
    bool is_const, is_vararg;
};
/* These are builtin types' methods. */
uint32_t builtin_hash(int ret, bool is_const, const int *args, int count);

#define OF_METHOD(name) void method_##name(struct call *call);
#include "methods.def"
#undef OF_METHOD

/* ---- The rendering device and the scene ---- */

bool device_open(void);
void device_close(void);
uint32_t device_rids(void);
void device_end_frame(void); /* runs what was recorded, waits, destroys what was freed */
void device_name_leaks(void);
void scene_open(void);
void render_thread_open(void);
void render_thread_close(void);
bool on_render_thread(void);
void render_thread_run(void (*run)(void *user), void *user); /* waits for it */

/* ---- The host itself ---- */

struct host {
    struct host_options options;
    struct {
        const char *what; /* NULL: nothing */
        bool (*run)(void *user);
        void *user;
    } at;
    struct host_counts counts;
    struct engine engine;
    struct engine_busy busy;
    void *library; /* of dlopen; its address is the token, too */
    char library_path[512];
    struct gd_initialization initialization;
    struct gd_main_loop_callbacks loop;
    bool open;
    int level; /* the one that extensions are at; GD_LEVEL_COUNT: the program runs */
    struct name *names;
    struct object *objects;
    struct extension_class *classes;
    uint64_t last_id;
    pthread_mutex_t mutex; /* of names, objects and the console */
    char console[1 << 16];
    size_t console_bytes;
    struct {
        char name[64];
        uint32_t count;
    } emitted[16];
    struct object *server, *device;
};
extern struct host the_host;

__attribute__((format(printf, 1, 2))) void engine_error(const char *format, ...);
/* False: the test wants the engine to fail at it. */
bool host_may(const char *what);
__attribute__((format(printf, 1, 2))) void console_add(const char *format, ...);
