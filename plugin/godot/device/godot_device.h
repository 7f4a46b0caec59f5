/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's RenderingDevice: the few of its calls that frames take. On the render thread alone.
 * What is made is freed by godot_device_free; a texture's, buffer's or shader's end ends the
 * uniform sets and pipelines of it, too. */
#pragma once

#include "godot_spirv.h"
#include "kernels/operator/operator_glsl.h"
#include "plugin/godot/api/godot_api.h"

/* The engine numbers them so. */
enum {
    GODOT_FORMAT_RGBA16_UINT = 94,
    GODOT_FORMAT_RGBA16_SFLOAT = 96,
    GODOT_FORMAT_R16_SFLOAT = 75,
    GODOT_FORMAT_R32_SFLOAT = 99,
    GODOT_FORMAT_D16_UNORM = 123,
    GODOT_FORMAT_X8_D24_UNORM = 124,
    GODOT_FORMAT_D32_SFLOAT = 125,
    GODOT_FORMAT_D24_UNORM_S8_UINT = 128,
    GODOT_FORMAT_D32_SFLOAT_S8_UINT = 129,
    GODOT_USAGE_SAMPLING = 1,
    GODOT_USAGE_STORAGE = 8,
};

/* NULL: the engine has none, as without a GPU and with the Compatibility renderer. */
struct godot_object *godot_device_find(void);
/* False with --headless, where no device draws; on any thread. */
bool godot_device_draws(void);
/* Bytes that a workgroup may share. */
uint32_t godot_device_shared_bytes(struct godot_object *device);

/* All of these return {0} where the engine could not; it has said why. */
struct godot_rid godot_device_shader(struct godot_object *device, const uint32_t *code,
                                     size_t bytes);
struct godot_rid godot_device_pipeline(struct godot_object *device, struct godot_rid shader,
                                       const struct godot_spirv *declared,
                                       const int32_t special[GODOT_SPIRV_SPECIALS]);
/* Without data a storage buffer has any contents, and uniforms are 0. */
struct godot_rid godot_device_storage(struct godot_object *device, const void *data, size_t bytes);
struct godot_rid godot_device_uniforms(struct godot_object *device, size_t bytes);
struct godot_rid godot_device_texture(struct godot_object *device, struct godot_vector2i size,
                                      int64_t format, int64_t usage);
/* Resources are found by binding; those that the shader does not declare are left out. */
struct godot_rid godot_device_set(struct godot_object *device, struct godot_rid shader,
                                  const struct godot_spirv *declared,
                                  const struct godot_rid bound[GODOT_SPIRV_BINDINGS]);
bool godot_device_set_is_valid(struct godot_object *device, struct godot_rid set);
/* Leaves {0}; accepts it. */
void godot_device_free(struct godot_object *device, struct godot_rid *rid);

struct godot_texture_format {
    int64_t format;
    int64_t usage;
};
struct godot_texture_format godot_device_format(struct godot_object *device,
                                                struct godot_rid texture);
