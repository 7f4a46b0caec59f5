/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Methods of the engine's classes with their hashes. A signature is ret(args) [const]: an enum is
 * #Class.Enum, a default stands behind =, {} is an empty PackedByteArray. */

#include "rd.h"
#include "resources.h"

#define M(class_name, name, hash, signature, run)                                                  \
    {                                                                                              \
        class_name, name, hash, 0, signature, 0, run, 0, 0                                         \
    }
#define F(class_name, name, hash, signature, run, field)                                           \
    {                                                                                              \
        class_name, name, hash, 0, signature, 0, run, field, 0                                     \
    }
#define RD "RenderingDevice"
#define RS "RenderingServer"
#define BUFFERS "RenderSceneBuffersRD"
#define INTO(field_class, suffix, hash, type, field)                                               \
    F(field_class, "set_" suffix, hash, "void(" type ")", method_set_field, field)
#define FROM(field_class, suffix, hash, type, field)                                               \
    F(field_class, "get_" suffix, hash, type "() const", method_get_field, field)
#define CREATION "#RenderingDevice.BufferCreationBits=0"
#define STORAGE "int,PackedByteArray={},#RenderingDevice.StorageBufferUsage=0"

/* clang-format off */
const struct method method_rows[] = {
    M("RefCounted", "init_ref", 2240911060, "bool()", method_init_ref),
    M("RefCounted", "unreference", 2240911060, "bool()", method_unreference),
    M("Object", "notification", 4023243586, "void(int,bool=false)", method_notification),
    M("Object", "call_deferred", 3400424181, "Variant(StringName,...)", method_call_deferred),
    M("ProjectSettings", "globalize_path", 3135753539, "String(String) const", method_globalize_path),
    M("OS", "has_feature", 3927539163, "bool(String) const", method_has_feature),
    M("Engine", "is_editor_hint", 36873697, "bool() const", method_is_editor_hint),
    M(RS, "get_rendering_device", 1405107940, "RenderingDevice() const", method_get_rendering_device),
    M(RS, "get_video_adapter_name", 201670096, "String() const", method_adapter_name),
    M(RS, "call_on_render_thread", 1611583062, "void(Callable)", method_call_on_render_thread),
    M(RS, "force_sync", 3218959716, "void()", method_force_sync),
    M("CompositorEffect", "set_effect_callback_type", 1390728419, "void(#CompositorEffect.EffectCallbackType)", method_set_callback_type),
    M("CompositorEffect", "get_enabled", 36873697, "bool() const", method_get_enabled),
    INTO("RDTextureFormat", "format", 565531219, "#RenderingDevice.DataFormat", FORMAT_FORMAT),
    FROM("RDTextureFormat", "format", 2235804183, "#RenderingDevice.DataFormat", FORMAT_FORMAT),
    INTO("RDTextureFormat", "width", 1286410249, "int", FORMAT_WIDTH),
    INTO("RDTextureFormat", "height", 1286410249, "int", FORMAT_HEIGHT),
    INTO("RDTextureFormat", "usage_bits", 245642367, "#RenderingDevice.TextureUsageBits", FORMAT_USAGE),
    FROM("RDTextureFormat", "usage_bits", 1313398998, "#RenderingDevice.TextureUsageBits", FORMAT_USAGE),
    M("RDPipelineSpecializationConstant", "set_constant_id", 1286410249, "void(int)", method_set_constant_id),
    M("RDPipelineSpecializationConstant", "set_value", 1114965689, "void(Variant)", method_set_constant_value),
    M("RDUniform", "set_uniform_type", 1664894931, "void(#RenderingDevice.UniformType)", method_set_uniform_type),
    M("RDUniform", "set_binding", 1286410249, "void(int)", method_set_binding),
    M("RDUniform", "add_id", 2722037293, "void(RID)", method_add_id),
    M("RDShaderSPIRV", "set_stage_bytecode", 3514097977, "void(#RenderingDevice.ShaderStage,PackedByteArray)", method_set_bytecode),
    M("RenderData", "get_render_scene_buffers", 2793216201, "RenderSceneBuffers() const", method_get_buffers),
    M("RenderData", "get_render_scene_data", 1288715698, "RenderSceneData() const", method_get_scene_data),
    M(BUFFERS, "get_color_layer", 3087988589, "RID(int,bool=false)", method_color_layer),
    M(BUFFERS, "get_depth_layer", 3087988589, "RID(int,bool=false)", method_depth_layer),
    M(BUFFERS, "get_internal_size", 3690982128, "Vector2i() const", method_buffers_size),
    M(BUFFERS, "get_view_count", 3905245786, "int() const", method_buffers_views),
    M(BUFFERS, "get_render_target", 2944877500, "RID() const", method_render_target),
    M("RenderSceneData", "get_view_projection", 3179846605, "Projection(int) const", method_view_projection),
    M(RD, "texture_get_format", 1374471690, "RDTextureFormat(RID)", method_texture_format),
    M(RD, "texture_create", 3709173589, "RID(RDTextureFormat,RDTextureView,Array=[])", method_texture_create),
    F(RD, "uniform_set_is_valid", 3521089500, "bool(RID)", method_is_valid, RD_SET),
    M(RD, "shader_create_from_spirv", 342949005, "RID(RDShaderSPIRV,String=)", method_shader_create),
    {RD, "uniform_buffer_create", 34556762, 2089548973, "RID(int,PackedByteArray={})", "RID(int,PackedByteArray={}," CREATION ")", method_buffer_create, 0, 0},
    {RD, "storage_buffer_create", 2316365934, 1609052553, "RID(" STORAGE ")", "RID(" STORAGE "," CREATION ")", method_buffer_create, 1, 0},
    M(RD, "uniform_set_create", 2280795797, "RID(Array,RID,int)", method_set_create),
    M(RD, "compute_pipeline_create", 1448838280, "RID(RID,Array=[])", method_pipeline_create),
    M(RD, "compute_list_begin", 2455072627, "int()", method_list_begin),
    M(RD, "compute_list_bind_compute_pipeline", 4040184819, "void(int,RID)", method_list_pipeline),
    M(RD, "compute_list_bind_uniform_set", 749655778, "void(int,RID,int)", method_list_set),
    M(RD, "compute_list_set_push_constant", 2772371345, "void(int,PackedByteArray,int)", method_list_push),
    M(RD, "compute_list_dispatch", 4275841770, "void(int,int,int,int)", method_list_dispatch),
    M(RD, "compute_list_add_barrier", 1286410249, "void(int)", method_list_barrier),
    M(RD, "compute_list_end", 3218959716, "void()", method_list_end),
    M(RD, "buffer_get_data_async", 2370287848, "#Error(RID,Callable,int=0,int=0)", method_buffer_get_async),
    M(RD, "free_rid", 2722037293, "void(RID)", method_rd_free),
    M(RD, "limit_get", 1559202131, "int(#RenderingDevice.Limit) const", method_limit),
};
const uint32_t method_row_count = sizeof method_rows / sizeof method_rows[0];
