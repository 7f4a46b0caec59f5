/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A host of our own that stands for Godot 4 in tests: it loads an extension, supplies the interface
 * by name, keeps classes and objects, and runs RenderingDevice's compute on a real Vulkan device
 * with validation. It is as strict as the engine's debug builds, and stricter where a release
 * build would go on with undefined results. There is one host in a process.
 *
 *     if (!host_open(&(struct host_options){.minor = 5})) { return; }  // no Vulkan device
 *     assert_true(host_load(path, "fovea_godot_init"));
 *     struct object *effect = host_construct("FoveaEffect");
 *     host_set(effect, "strength", host_float(0.5));
 *     host_frame(effect, &frame);
 *     host_release(effect);
 *     host_unload();
 *     assert_int_equal(host_close(), 0); // leaks
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct object;

struct host_options {
    uint32_t minor; /* of version 4.minor; 0: 5 */
    bool headless; /* get_rendering_device returns NULL, no frames come */
    bool compatibility; /* beside headless: OpenGL draws, else nothing does */
    bool render_thread; /* frames come on a thread of their own, as with thread_model = 2 */
    bool mobile; /* the colour buffer of the Mobile renderer */
    bool editor; /* is_editor_hint */
    bool double_precision; /* the engine says that it is built so; its values are not larger */
    bool no_barriers; /* lists and add_barrier order nothing: validation must see it */
    bool times; /* of dispatches on the GPU; without validation, which would be measured, too */
    uint32_t busy_px; /* before each callback, as engine_busy_create has it; 0: not */
    const char *refused; /* "Class.method": every hash of it is refused */
};

/* False: there is no Vulkan device. */
bool host_open(const struct host_options *options);
/* Returns how many things are left: objects, references, values, RIDs; the console names them. */
uint32_t host_close(void);

/* Opens the library and calls its entry, then each level, with the engine's classes and singletons
 * that are there at it. The first library is loaded as the engine starts, others while it runs.
 * NULL: the program itself is the library. False: it could not be opened, or it refused. */
bool host_load(const char *path, const char *entry);
/* Levels in the reverse order, then closes the library. */
void host_unload(void);

/* Does what the engine does between frames on its main thread: deferred calls and main-loop
 * callbacks. */
void host_idle(void);

/* ---- Objects ---- */

/* With one reference, which the caller owns. NULL: there is no such class. */
struct object *host_construct(const char *class_name);
void host_release(struct object *object);

struct host_value {
    int type; /* enum gd_type; GD_NIL where there is no such property */
    union {
        bool b;
        int64_t i;
        double d;
        float f[4];
        char s[160];
    };
};
struct host_value host_bool(bool value);
struct host_value host_int(int64_t value);
struct host_value host_float(double value);
struct host_value host_vector2(float x, float y);
struct host_value host_string(const char *value);

/* Through the registered setter, as the inspector and GDScript do. */
bool host_set(struct object *object, const char *name, struct host_value value);
/* The getter is called by Variants and by pointers; both must return the same. */
struct host_value host_get(struct object *object, const char *name);
/* Calls a method that the extension registered; NULL args for none. */
struct host_value host_call(struct object *object, const char *name, const struct host_value *args,
                            int count);
/* The engine's own switch of a CompositorEffect. */
void host_enable(struct object *effect, bool enabled);
/* Returns a property that a class registered, in their order, as "name:type:hint:hint_string". NULL
 * behind the last. */
const char *host_property(const char *class_name, uint32_t index);
bool host_has_signal(const char *class_name, const char *name);
uint32_t host_emitted(const char *name); /* how often the signal was emitted */

/* ---- Frames ---- */

#define HOST_NEAR_M 0.05
#define HOST_FAR_M 4000.0

struct host_frame {
    uint32_t width_px, height_px;
    uint32_t views; /* 0: 1 */
    uint32_t viewport; /* 0 to 3: each has its own buffers and render target */
    bool msaa;
    bool early; /* the callback is that of PRE_OPAQUE, whatever the type that was set */
    double fov_y_deg; /* of the camera; 0: 75 */
    double up_tan; /* by so much its frustum reaches further up, and less far down */
    double right_tan; /* and further to the right */
    double orthographic_m; /* the height of what an orthographic camera sees; 0: it is none */
    /* Depths as the engine has them, 1 at HOST_NEAR_M and 0 at HOST_FAR_M, layers below each other.
     * NULL: there is no texture of them. */
    const float *depths;
    bool depths_unread; /* no shader may read them */
    const void *pixels; /* RGBA16F, layers below each other; NULL: as the last frame left them */
    void *out; /* the colour buffer after the frame; may be NULL */
};

/* Uploads, calls _render_callback on the render thread, runs what was recorded, reads back. False:
 * the effect was not called. */
bool host_frame(struct object *effect, const struct host_frame *frame);

/* Before each call of "Class.method", and before each "print", on the thread that calls: false: the
 * engine cannot do it, and the method returns 0. NULL ends it; so does host_close. */
void host_at(const char *what, bool (*run)(void *user), void *user);

/* ---- What was seen ---- */

struct host_counts {
    uint32_t engine_errors; /* misuse that the engine reports */
    uint32_t extension_errors, extension_warnings; /* what the extension printed */
    uint32_t unexpected_lookups; /* names that are not in the table */
    uint32_t refused_hashes;
    uint32_t rids; /* alive, of the extension */
    uint32_t objects; /* alive, the host's own left out */
    uint32_t names, values; /* references to StringNames; Strings, arrays, Callables alive */
    uint32_t messages; /* of validation */
    bool validates; /* the validation layer is there */
    uint32_t callbacks, dispatches;
    uint32_t syncs; /* calls of force_sync */
    uint32_t descriptions; /* of classes, that an editor took */
    int64_t callback_ns; /* what the last callback took */
    int64_t gpu_ns; /* the dispatches of the last frame, where options.times; 0: there were none */
    int64_t kernels_ns; /* the same without the first and the last one */
};
struct host_counts host_counts(void);
/* Whether a message with these words was printed since the console was cleared. */
bool host_said(const char *words);
void host_clear(void); /* the console, and the counts of errors, lookups, hashes and messages */
const char *host_console(void);
/* Fails the test where the engine, the extension or validation has said something. */
void host_expect_clean(void);

/* A host with this library of Fovea's and a FoveaEffect. */
struct object *host_open_effect(const char *library, const struct host_options *options);
