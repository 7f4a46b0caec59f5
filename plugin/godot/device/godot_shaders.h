/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pipelines of the shaders that frames take, made when they are first asked for, and the two
 * shaders of our own that copy colour to raw words and back. */
#pragma once

#include "godot_device.h"

#define GODOT_PIPELINES_MAX 160

/* Binding 0 is read, binding 1 written; no push constants; a thread a pixel. */
extern const struct shader godot_shader_from_colour;
extern const struct shader godot_shader_to_colour;

struct godot_pipeline {
    const struct shader *shader; /* NULL: none */
    int32_t special[GODOT_SPIRV_SPECIALS]; /* the first is the format */
    struct godot_spirv declared;
    struct godot_rid shader_rid;
    struct godot_rid rid;
    uint64_t last_used; /* the view's number */
};

struct godot_shaders {
    struct godot_pipeline pipelines[GODOT_PIPELINES_MAX];
    uint64_t view; /* whoever records one counts; what is found stays until the next */
};

/* Evicts the pipeline that was used longest ago, with its uniform sets, where all places are taken.
 * NULL: the engine does not take the shader, or one view wants more than there is place for. */
const struct godot_pipeline *godot_shaders_find(struct godot_shaders *shaders,
                                                struct godot_object *device,
                                                const struct operator_shader *wanted);
void godot_shaders_finish(struct godot_shaders *shaders, struct godot_object *device);
