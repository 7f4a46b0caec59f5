/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host's life, its console, and the library's. */

#include "host_internal.h"

#include "cmocka_all.h"

#include "resources.h"

#include <dlfcn.h>

struct host the_host;
static struct name *old_names; /* of libraries that were unloaded */

/* ---- Console ---- */

static void append(const char *line)
{
    pthread_mutex_lock(&the_host.mutex);
    const size_t length = strlen(line);
    if (the_host.console_bytes + length < sizeof the_host.console) {
        memcpy(the_host.console + the_host.console_bytes, line, length + 1);
        the_host.console_bytes += length;
    }
    if (getenv("FOVEA_TEST_VERBOSE")) {
        fputs(line, stderr);
    }
    pthread_mutex_unlock(&the_host.mutex);
}

void console_add(const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    append(line);
}

void engine_error(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    __atomic_fetch_add(&the_host.counts.engine_errors, 1, __ATOMIC_RELAXED);
    console_add("ENGINE: %s\n", line);
}

bool host_said(const char *words)
{
    return strstr(the_host.console, words);
}

const char *host_console(void)
{
    return the_host.console;
}

void host_clear(void)
{
    struct host_counts *counts = &the_host.counts;
    counts->engine_errors = counts->extension_errors = counts->extension_warnings = 0;
    counts->unexpected_lookups = counts->refused_hashes = 0;
    engine_take_messages(&the_host.engine);
    the_host.console[0] = '\0';
    the_host.console_bytes = 0;
}

void host_at(const char *what, bool (*run)(void *user), void *user)
{
    the_host.at.run = run;
    the_host.at.user = user;
    __atomic_store_n(&the_host.at.what, what, __ATOMIC_RELEASE);
}

bool host_may(const char *what)
{
    const char *at = __atomic_load_n(&the_host.at.what, __ATOMIC_ACQUIRE);
    return !at || strcmp(at, what) != 0 || the_host.at.run(the_host.at.user);
}

struct host_counts host_counts(void)
{
    struct host_counts counts = the_host.counts;
    counts.messages = the_host.engine.messages;
    counts.validates = the_host.engine.validation;
    counts.rids = device_rids();
    return counts;
}

/* ---- Values of tests ---- */

struct host_value host_bool(bool value)
{
    return (struct host_value){.type = GD_BOOL, .b = value};
}

struct host_value host_int(int64_t value)
{
    return (struct host_value){.type = GD_INT, .i = value};
}

struct host_value host_float(double value)
{
    return (struct host_value){.type = GD_FLOAT, .d = value};
}

struct host_value host_vector2(float x, float y)
{
    return (struct host_value){.type = GD_VECTOR2, .f = {x, y}};
}

struct host_value host_string(const char *value)
{
    struct host_value out = {.type = GD_STRING};
    snprintf(out.s, sizeof out.s, "%s", value);
    return out;
}

/* ---- Open and close ---- */

static void own(const char *class_name, struct object **out)
{
    struct object *object = object_create_of(class_name);
    object->of_host = true;
    the_host.counts.objects--;
    if (out) {
        *out = object;
    }
}

bool host_open(const struct host_options *options)
{
    static struct host fresh;
    if (the_host.open) {
        host_close(); /* of a test that failed */
    }
    the_host = fresh;
    the_host.level = GD_LEVEL_COUNT; /* the host's own objects are made at no level */
    the_host.options = *options;
    if (options->minor == 0) {
        the_host.options.minor = 5;
    }
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_host.mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (!options->headless && !device_open()) {
        pthread_mutex_destroy(&the_host.mutex);
        return false;
    }
    own("RenderingServer", &the_host.server);
    own("RenderingDevice", &the_host.device);
    own("ProjectSettings", NULL);
    own("Engine", NULL);
    own("OS", NULL);
    scene_open();
    render_thread_open();
    the_host.level = GD_CORE;
    the_host.open = true;
    return true;
}

static void free_names(struct name *name)
{
    for (struct name *next; name; name = next) {
        next = name->next;
        free(name);
    }
}

static uint32_t leaks(void)
{
    const struct host_counts counts = host_counts();
    for (const struct object *object = the_host.objects; object; object = object->next) {
        if (!object->of_host) {
            console_add("LEAK: a %s with %u references\n", object->row->name, object->references);
        }
    }
    for (const struct name *name = the_host.names; name; name = name->next) {
        if (name->references > 0) {
            console_add("LEAK: StringName %s, %u references\n", name->text, name->references);
        }
    }
    device_name_leaks();
    if (counts.values > 0) {
        console_add("LEAK: %u Strings, arrays or Callables\n", counts.values);
    }
    return counts.objects + counts.names + counts.values + counts.rids;
}

uint32_t host_close(void)
{
    the_host.open = false;
    render_thread_close();
    const uint32_t left = leaks();
    if (left > 0) {
        fputs(the_host.console, stderr);
    }
    while (the_host.objects) {
        the_host.objects->extension = NULL;
        the_host.objects->binding = (struct binding){0};
        object_delete(the_host.objects);
    }
    if (!the_host.options.headless) {
        device_close();
    }
    free_names(the_host.names);
    free_names(old_names);
    old_names = NULL;
    pthread_mutex_destroy(&the_host.mutex);
    return left;
}

/* ---- The library ---- */

bool host_load(const char *path, const char *entry)
{
    the_host.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    gd_any_fn found = NULL;
    if (the_host.library) {
        *(void **)&found = dlsym(the_host.library, entry);
    }
    if (!found) {
        engine_error("%s cannot be opened, or has no %s: %s", path ? path : "the program", entry,
                     dlerror());
        return false;
    }
    snprintf(the_host.library_path, sizeof the_host.library_path, "%s", path ? path : "");
    the_host.initialization = (struct gd_initialization){0};
    if (!((gd_entry_fn)found)(interface_get, &the_host.library, &the_host.initialization)) {
        console_add("the library refused\n");
        dlclose(the_host.library);
        the_host.library = NULL;
        return false;
    }
    const struct gd_initialization *own = &the_host.initialization;
    if (!own->initialize || !own->deinitialize || own->minimum_level > GD_SCENE) {
        engine_error("the initialization is not whole");
    }
    for (int level = GD_CORE; level < GD_LEVEL_COUNT && own->initialize; level++) {
        the_host.level = the_host.level > level ? the_host.level : level;
        own->initialize(own->user, level);
    }
    the_host.level = GD_LEVEL_COUNT;
    if (the_host.loop.startup) {
        the_host.loop.startup();
    }
    return true;
}

void host_unload(void)
{
    const struct gd_initialization *own = &the_host.initialization;
    if (!the_host.library) {
        return;
    }
    if (the_host.loop.shutdown) {
        the_host.loop.shutdown();
    }
    the_host.loop = (struct gd_main_loop_callbacks){0};
    host_idle();
    for (int level = GD_EDITOR; level >= GD_CORE && own->deinitialize; level--) {
        own->deinitialize(own->user, level);
    }
    host_idle();
    if (the_host.classes) {
        engine_error("class %s is still registered", the_host.classes->name);
    }
    dlclose(the_host.library);
    the_host.library = NULL;
    /* Texts get new addresses for the next library, which may have kept the old ones. Those whose
     * references are leaks stay. */
    if (the_host.counts.names == 0) {
        struct name **last = &the_host.names;
        while (*last) {
            last = &(*last)->next;
        }
        *last = old_names;
        old_names = the_host.names;
        the_host.names = NULL;
    }
}

/* ---- Objects for tests ---- */

struct object *host_construct(const char *class_name)
{
    struct extension_class *extension = extension_class_find(class_name);
    const struct class_row *row = class_find(class_name);
    struct object *object = NULL;
    if (extension && !extension->info.is_abstract && extension->info.is_exposed) {
        object = extension->info.create_instance(extension->info.user, true);
    } else if (row && row->constructible) {
        object = object_create(row);
    }
    if (!object) {
        return NULL;
    }
    if (extension && object->extension != extension) {
        engine_error("an object of %s has no instance of it", class_name);
    }
    object_reference(object);
    return object;
}

void host_release(struct object *object)
{
    object_drop(object);
}

struct object *host_open_effect(const char *library, const struct host_options *options)
{
    assert_true(host_open(options));
    assert_true(host_load(library, "fovea_godot_init"));
    struct object *effect = host_construct("FoveaEffect");
    assert_non_null(effect);
    return effect;
}

void host_expect_clean(void)
{
    const struct host_counts counts = host_counts();
    assert_that(!(counts.engine_errors + counts.extension_errors + counts.extension_warnings +
                  counts.messages),
                "%u messages of validation; console:\n%s", counts.messages, host_console());
}

/* A test without a main has this. */
__attribute__((weak)) int main(void)
{
    if (!host_open(&(struct host_options){0})) {
        return 77;
    }
    assert_int_equal(host_close(), 0);
    return tests_run(NULL, NULL);
}
