/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads the declarations of a compute shader from its SPIR-V. The engine reads the same and accepts
 * nothing else: a uniform set has exactly these bindings, push constants have exactly so many
 * bytes, a specialization constant has exactly its type. */
#pragma once

#include "fovea_base.h"

#define GODOT_SPIRV_BINDINGS 8 /* 0 to 7 */
#define GODOT_SPIRV_SPECIALS 8

/* The engine numbers types of uniforms so. */
enum godot_uniform {
    GODOT_UNIFORM_NONE = 0,
    GODOT_UNIFORM_TEXTURE = 2,
    GODOT_UNIFORM_IMAGE = 3,
    GODOT_UNIFORM_BUFFER = 7,
    GODOT_UNIFORM_STORAGE = 8,
};

struct godot_spirv {
    struct {
        enum godot_uniform type; /* NONE: there is no such binding */
        bool writable;
    } bindings[GODOT_SPIRV_BINDINGS]; /* of set 0 */
    uint32_t constant_bytes; /* of push constants, as the engine counts: a multiple of 16 */
    struct {
        bool declared;
        bool is_bool;
    } specials[GODOT_SPIRV_SPECIALS]; /* by constant_id */
};

/* False: it is no SPIR-V, or declares what Fovea's shaders do not have. */
bool godot_spirv_read(const uint32_t *code, size_t bytes, struct godot_spirv *out);
