/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The rules that InvertEffect breaks, by its property `fault`. */
#ifndef FOVEA_TESTS_GODOT_MINI_EFFECT_H
#define FOVEA_TESTS_GODOT_MINI_EFFECT_H

#include "gdextension.h"

uint8_t mini_effect_init(gd_get_proc_fn get, void *library, struct gd_initialization *out);
/* Asks at every level for singletons, a class and a method that come with later ones. */
uint8_t mini_early_init(gd_get_proc_fn get, void *library, struct gd_initialization *out);

enum mini_fault {
    FAULT_NONE,
    FAULT_HASH, /* a method with a hash of no version */
    FAULT_BINDING, /* a uniform set without one of the shader's bindings */
    FAULT_PUSH, /* push constants of 12 bytes where the block is rounded up to 16 */
    FAULT_COPY_FROM, /* the colour buffer is read without the usage for it */
    FAULT_FREED_TWICE,
    FAULT_OPEN_LIST, /* the frame ends within a compute list */
    FAULT_KEPT_BUFFERS, /* a reference to the scene's buffers is not given back */
    FAULT_WRONG_THREAD, /* RIDs are freed on the main thread */
    FAULT_USAGE, /* one compute list samples and stores the same texture */
    FAULT_CONSTANT_TYPE, /* an int for a bool of the shader */
    FAULT_UNIFORM_BYTES, /* a uniform buffer that is smaller than the shader's block */
};

#endif
