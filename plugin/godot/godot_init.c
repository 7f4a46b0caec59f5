/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The library's only symbol, which fovea.gdextension names. */

#include "godot_class.h"
#include "godot_effect.h"
#include "plugin/godot/api/godot_api.h"

static bool registered;

static void initialize(void *user, int32_t level)
{
    (void)user;
    if (level == GODOT_LEVEL_SCENE) {
        registered = godot_class_register() == FOVEA_OK;
    } else if (level == GODOT_LEVEL_EDITOR && registered) {
        godot_class_describe();
    }
}

/* Nothing of the library may run once it is unloaded: the render thread is waited for. */
static void deinitialize(void *user, int32_t level)
{
    (void)user;
    if (level == GODOT_LEVEL_SCENE && registered) {
        registered = false;
        godot_class_unregister();
        godot_effects_wait();
    }
}

GODOT_EXPORT uint8_t fovea_godot_init(godot_get_proc_address_fn get_proc_address,
                                      struct godot_class_library *library,
                                      struct godot_initialization *out_initialization);

uint8_t fovea_godot_init(godot_get_proc_address_fn get_proc_address,
                         struct godot_class_library *library,
                         struct godot_initialization *out_initialization)
{
    if (godot_api_init(get_proc_address, library) < 0) {
        return 0;
    }
    *out_initialization = (struct godot_initialization){
        .minimum_level = GODOT_LEVEL_SCENE, .initialize = initialize, .deinitialize = deinitialize};
    return 1;
}
