/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_device.h"

#define STAGE_COMPUTE INT64_C(4)
#define LIMIT_SHARED_BYTES INT64_C(27)
#define SHARED_BYTES_AT_LEAST 16384 /* what Vulkan promises */

struct godot_object *godot_device_find(void)
{
    struct godot_object *server = godot_rendering_server();
    struct godot_object *device = NULL;
    if (server) {
        GODOT_GET(RenderingServer_get_rendering_device, server, &device);
    }
    return device;
}

bool godot_device_draws(void)
{
    struct godot_object *server = godot_rendering_server();
    char text[2] = "?";
    if (server && godot.methods[GODOT_RenderingServer_get_video_adapter_name]) {
        struct godot_string name = godot_string_make("");
        GODOT_GET(RenderingServer_get_video_adapter_name, server, &name);
        godot_string_text(&name, text, sizeof text);
        godot_string_finish(&name);
    }
    return text[0] != '\0';
}

uint32_t godot_device_shared_bytes(struct godot_object *device)
{
    static const int64_t limit = LIMIT_SHARED_BYTES;
    int64_t bytes = 0;
    GODOT_CALL(RenderingDevice_limit_get, device, &bytes, &limit);
    return bytes > SHARED_BYTES_AT_LEAST && bytes < UINT32_MAX ? (uint32_t)bytes
                                                               : SHARED_BYTES_AT_LEAST;
}

struct godot_rid godot_device_shader(struct godot_object *device, const uint32_t *code,
                                     size_t bytes)
{
    static const int64_t stage = STAGE_COMPUTE;
    struct godot_rid shader = {0};
    struct godot_object *spirv = godot_object_make("RDShaderSPIRV");
    if (!spirv) {
        return shader;
    }
    struct godot_bytes words = godot_bytes_make(code, bytes);
    struct godot_string name = godot_string_make("Fovea");
    GODOT_CALL(RDShaderSPIRV_set_stage_bytecode, spirv, NULL, &stage, &words);
    GODOT_CALL(RenderingDevice_shader_create_from_spirv, device, &shader, &spirv, &name);
    godot_string_finish(&name);
    godot_bytes_finish(&words);
    godot_object_release(spirv);
    return shader;
}

/* ---- Pipelines */

/* The engine compares the type of a value with the shader's. */
static struct godot_object *make_special(int64_t id, bool is_bool, int32_t value)
{
    uint8_t boolean = value != 0;
    int64_t integer = value;
    struct godot_variant variant;
    struct godot_object *special = godot_object_make("RDPipelineSpecializationConstant");
    if (special) {
        void *from = is_bool ? (void *)&boolean : (void *)&integer;
        godot.get_variant_from_type_constructor(is_bool ? GODOT_BOOL : GODOT_INT)(&variant, from);
        GODOT_CALL(RDPipelineSpecializationConstant_set_constant_id, special, NULL, &id);
        GODOT_CALL(RDPipelineSpecializationConstant_set_value, special, NULL, &variant);
        godot.variant_destroy(&variant);
    }
    return special;
}

struct godot_rid godot_device_pipeline(struct godot_object *device, struct godot_rid shader,
                                       const struct godot_spirv *declared,
                                       const int32_t special[GODOT_SPIRV_SPECIALS])
{
    struct godot_rid pipeline = {0};
    struct godot_array specials = godot_array_make("RDPipelineSpecializationConstant");
    for (int i = 0; i < GODOT_SPIRV_SPECIALS; i++) {
        struct godot_object *each = declared->specials[i].declared
                                        ? make_special(i, declared->specials[i].is_bool, special[i])
                                        : NULL;
        if (each) {
            godot_array_take(&specials, each);
        }
    }
    GODOT_CALL(RenderingDevice_compute_pipeline_create, device, &pipeline, &shader, &specials);
    godot_array_finish(&specials);
    return pipeline;
}

/* ---- Memory */

struct godot_rid godot_device_storage(struct godot_object *device, const void *data, size_t bytes)
{
    static const int64_t none = 0;
    const int64_t size = (int64_t)bytes;
    struct godot_rid buffer = {0};
    struct godot_bytes from = godot_bytes_make(data, data ? bytes : 0);
    GODOT_CALL(RenderingDevice_storage_buffer_create, device, &buffer, &size, &from, &none, &none);
    godot_bytes_finish(&from);
    return buffer;
}

struct godot_rid godot_device_uniforms(struct godot_object *device, size_t bytes)
{
    static const int64_t none = 0;
    const int64_t size = (int64_t)bytes;
    struct godot_rid buffer = {0};
    struct godot_bytes from = godot_bytes_make(NULL, bytes);
    GODOT_CALL(RenderingDevice_uniform_buffer_create, device, &buffer, &size, &from, &none);
    godot_bytes_finish(&from);
    return buffer;
}

struct godot_rid godot_device_texture(struct godot_object *device, struct godot_vector2i size,
                                      int64_t format, int64_t usage)
{
    const int64_t width = size.x;
    const int64_t height = size.y;
    struct godot_rid texture = {0};
    struct godot_object *kind = godot_object_make("RDTextureFormat");
    struct godot_object *view = godot_object_make("RDTextureView");
    if (kind && view) {
        struct godot_array data = {0};
        godot.variant_get_ptr_constructor(GODOT_ARRAY, 0)(&data, NULL);
        GODOT_CALL(RDTextureFormat_set_format, kind, NULL, &format);
        GODOT_CALL(RDTextureFormat_set_width, kind, NULL, &width);
        GODOT_CALL(RDTextureFormat_set_height, kind, NULL, &height);
        GODOT_CALL(RDTextureFormat_set_usage_bits, kind, NULL, &usage);
        GODOT_CALL(RenderingDevice_texture_create, device, &texture, &kind, &view, &data);
        godot_array_finish(&data);
    }
    godot_object_release(view);
    godot_object_release(kind);
    return texture;
}

struct godot_texture_format godot_device_format(struct godot_object *device,
                                                struct godot_rid texture)
{
    struct godot_texture_format out = {0};
    struct godot_object *kind = NULL;
    GODOT_CALL(RenderingDevice_texture_get_format, device, &kind, &texture);
    if (kind) {
        GODOT_GET(RDTextureFormat_get_format, kind, &out.format);
        GODOT_GET(RDTextureFormat_get_usage_bits, kind, &out.usage);
        godot_object_release(kind);
    }
    return out;
}

/* ---- Uniform sets */

static struct godot_object *make_uniform(int64_t binding, int64_t type, struct godot_rid rid)
{
    struct godot_object *uniform = godot_object_make("RDUniform");
    if (uniform) {
        GODOT_CALL(RDUniform_set_uniform_type, uniform, NULL, &type);
        GODOT_CALL(RDUniform_set_binding, uniform, NULL, &binding);
        GODOT_CALL(RDUniform_add_id, uniform, NULL, &rid);
    }
    return uniform;
}

struct godot_rid godot_device_set(struct godot_object *device, struct godot_rid shader,
                                  const struct godot_spirv *declared,
                                  const struct godot_rid bound[GODOT_SPIRV_BINDINGS])
{
    static const int64_t index = 0;
    struct godot_rid set = {0};
    struct godot_array uniforms = godot_array_make("RDUniform");
    for (int i = 0; i < GODOT_SPIRV_BINDINGS; i++) {
        const int64_t type = declared->bindings[i].type;
        struct godot_object *uniform =
            type != GODOT_UNIFORM_NONE ? make_uniform(i, type, bound[i]) : NULL;
        if (uniform) {
            godot_array_take(&uniforms, uniform);
        }
    }
    GODOT_CALL(RenderingDevice_uniform_set_create, device, &set, &uniforms, &shader, &index);
    godot_array_finish(&uniforms);
    return set;
}

bool godot_device_set_is_valid(struct godot_object *device, struct godot_rid set)
{
    uint8_t valid = 0;
    if (set.id) {
        GODOT_CALL(RenderingDevice_uniform_set_is_valid, device, &valid, &set);
    }
    return valid != 0;
}

void godot_device_free(struct godot_object *device, struct godot_rid *rid)
{
    if (rid->id) {
        GODOT_CALL(RenderingDevice_free_rid, device, NULL, rid);
    }
    *rid = (struct godot_rid){0};
}
