/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_watch.h"

#include "core/log.h"
#include "plugin/godot/api/godot_api.h"
#include "plugin/godot/api/godot_log.h"
#include "plugin/godot/device/godot_device.h"

#include <stdatomic.h>

/* A program that loads for long has few ticks, and one without a limit of frames not too many. */
#define TICK_NS INT64_C(10000000)
#define TICKS 200

static atomic_bool done; /* one was called, the warning was given, or nobody can tell */
static _Atomic uint64_t newest; /* the engine's number of the object */
static _Atomic int64_t last_ns;
static atomic_uint ticks; /* in a row in which that one was enabled */

static bool is_time(void)
{
    int64_t last = atomic_load(&last_ns);
    const int64_t now = fovea_time_ns();
    return now - last >= TICK_NS && atomic_compare_exchange_strong(&last_ns, &last, now);
}

static bool is_enabled(uint64_t object_id)
{
    uint8_t enabled = 0;
    struct godot_object *object = object_id ? godot.object_get_instance_from_id(object_id) : NULL;
    if (object) {
        GODOT_GET(CompositorEffect_get_enabled, object, &enabled);
    }
    return enabled != 0;
}

static void say(void)
{
    log_warning(godot_log(), "an effect is enabled and Godot does not call it: %s",
                godot_device_find()
                    ? "it must be in the Compositor of a WorldEnvironment or of the Camera3D that "
                      "is in use"
                    : "it needs the Forward+ renderer, not Compatibility");
}

static void tick(void)
{
    if (atomic_load(&done) || godot.is_editor || !is_time()) {
        return;
    }
    if (!is_enabled(atomic_load(&newest))) {
        atomic_store(&ticks, 0);
    } else if (atomic_fetch_add(&ticks, 1) + 1 == TICKS) {
        atomic_store(&done, true);
        if (godot_device_draws()) {
            say();
        }
    }
}

void godot_watch_start(void)
{
    static const struct godot_main_loop_callbacks callbacks = {.frame = tick};
    atomic_store(&done, !godot.methods[GODOT_CompositorEffect_get_enabled]);
    atomic_store(&newest, 0);
    atomic_store(&ticks, 0);
    if (godot.register_main_loop_callbacks) {
        godot.register_main_loop_callbacks(godot.library, &callbacks);
    }
}

void godot_watch_effect(uint64_t object_id)
{
    if (!atomic_load(&done)) {
        atomic_store(&newest, object_id);
        tick();
    }
}

void godot_watch_called(void)
{
    if (!atomic_load(&done)) {
        atomic_store(&done, true);
    }
}
