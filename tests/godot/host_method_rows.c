/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Methods of the engine's classes with their hashes. A signature is ret(args) [const]: an enum is
 * #Class.Enum, a default stands behind =, {} is an empty PackedByteArray. A test makes each hash
 * from its signature. */

#include "host_internal.h"
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
#define INTO_INT(suffix, field)                                                                    \
    INTO("RDTextureFormat", suffix, 1286410249, "int", field),                                     \
        FROM("RDTextureFormat", suffix, 3905245786, "int", field)
#define FLAG(name)                                                                                 \
    M("CompositorEffect", "set_" name, 2586408642, "void(bool)", method_set_flag),                 \
        M("CompositorEffect", "get_" name, 36873697, "bool() const", method_get_enabled)
#define CREATE_ARGS                                                                                \
    "StringName,StringName,#RenderingDevice.DataFormat,int,#RenderingDevice.TextureSamples,"       \
    "Vector2i,int,int,bool"
#define CREATION "#RenderingDevice.BufferCreationBits=0"
#define STORAGE "int,PackedByteArray={},#RenderingDevice.StorageBufferUsage=0"

/* clang-format off */
const struct method method_rows[] = {
    M("RefCounted", "init_ref", 2240911060, "bool()", method_init_ref),
    M("RefCounted", "reference", 2240911060, "bool()", method_reference),
    M("RefCounted", "unreference", 2240911060, "bool()", method_unreference),
    M("RefCounted", "get_reference_count", 3905245786, "int() const", method_reference_count),
    M("Object", "notification", 4023243586, "void(int,bool=false)", method_notification),
    M("Object", "get_class", 201670096, "String() const", method_get_class),
    M("Object", "emit_signal", 4047867050, "#Error(StringName,...)", method_emit_signal),
    M("Object", "call_deferred", 3400424181, "Variant(StringName,...)", method_call_deferred),
    M("ProjectSettings", "get_setting", 223050753, "Variant(String,Variant=null) const", method_get_setting),
    M("ProjectSettings", "has_setting", 3927539163, "bool(String) const", method_has_setting),
    M("ProjectSettings", "globalize_path", 3135753539, "String(String) const", method_globalize_path),
    M("OS", "has_feature", 3927539163, "bool(String) const", method_has_feature),
    M("Engine", "is_editor_hint", 36873697, "bool() const", method_is_editor_hint),
    M(RS, "get_rendering_device", 1405107940, "RenderingDevice() const", method_get_rendering_device),
    M(RS, "call_on_render_thread", 1611583062, "void(Callable)", method_call_on_render_thread),
    M(RS, "force_sync", 3218959716, "void()", method_force_sync),
    M(RS, "is_on_render_thread", 2240911060, "bool()", method_is_on_render_thread),
    {RS, "get_current_rendering_driver_name", 201670096, 0, "String() const", 0, method_driver_name, 0, 4},
    {RS, "get_current_rendering_method", 201670096, 0, "String() const", 0, method_rendering_method, 0, 4},
    M(RS, "get_video_adapter_name", 201670096, "String() const", method_adapter_name),
    M("CompositorEffect", "set_effect_callback_type", 1390728419, "void(#CompositorEffect.EffectCallbackType)", method_set_callback_type),
    M("CompositorEffect", "get_effect_callback_type", 1221912590, "#CompositorEffect.EffectCallbackType() const", method_get_callback_type),
    M("CompositorEffect", "set_enabled", 2586408642, "void(bool)", method_set_enabled),
    M("CompositorEffect", "get_enabled", 36873697, "bool() const", method_get_enabled),
    FLAG("access_resolved_color"), FLAG("access_resolved_depth"), FLAG("needs_motion_vectors"),
    INTO("RDTextureFormat", "format", 565531219, "#RenderingDevice.DataFormat", FORMAT_FORMAT),
    FROM("RDTextureFormat", "format", 2235804183, "#RenderingDevice.DataFormat", FORMAT_FORMAT),
    INTO_INT("width", FORMAT_WIDTH), INTO_INT("height", FORMAT_HEIGHT), INTO_INT("depth", FORMAT_DEPTH),
    INTO_INT("array_layers", FORMAT_LAYERS), INTO_INT("mipmaps", FORMAT_MIPMAPS),
    INTO("RDTextureFormat", "texture_type", 652343381, "#RenderingDevice.TextureType", FORMAT_TYPE),
    FROM("RDTextureFormat", "texture_type", 4036357416, "#RenderingDevice.TextureType", FORMAT_TYPE),
    INTO("RDTextureFormat", "samples", 3774171498, "#RenderingDevice.TextureSamples", FORMAT_SAMPLES),
    FROM("RDTextureFormat", "samples", 407791724, "#RenderingDevice.TextureSamples", FORMAT_SAMPLES),
    INTO("RDTextureFormat", "usage_bits", 245642367, "#RenderingDevice.TextureUsageBits", FORMAT_USAGE),
    FROM("RDTextureFormat", "usage_bits", 1313398998, "#RenderingDevice.TextureUsageBits", FORMAT_USAGE),
    INTO("RDTextureView", "format_override", 565531219, "#RenderingDevice.DataFormat", VIEW_FORMAT),
    FROM("RDTextureView", "format_override", 2235804183, "#RenderingDevice.DataFormat", VIEW_FORMAT),
    INTO("RDSamplerState", "mag_filter", 1493420382, "#RenderingDevice.SamplerFilter", SAMPLER_MAG),
    INTO("RDSamplerState", "min_filter", 1493420382, "#RenderingDevice.SamplerFilter", SAMPLER_MIN),
    INTO("RDSamplerState", "mip_filter", 1493420382, "#RenderingDevice.SamplerFilter", SAMPLER_MIP),
    INTO("RDSamplerState", "repeat_u", 246127626, "#RenderingDevice.SamplerRepeatMode", SAMPLER_U),
    INTO("RDSamplerState", "repeat_v", 246127626, "#RenderingDevice.SamplerRepeatMode", SAMPLER_V),
    INTO("RDSamplerState", "repeat_w", 246127626, "#RenderingDevice.SamplerRepeatMode", SAMPLER_W),
    M("RDPipelineSpecializationConstant", "set_constant_id", 1286410249, "void(int)", method_set_constant_id),
    M("RDPipelineSpecializationConstant", "set_value", 1114965689, "void(Variant)", method_set_constant_value),
    M("RDUniform", "set_uniform_type", 1664894931, "void(#RenderingDevice.UniformType)", method_set_uniform_type),
    M("RDUniform", "set_binding", 1286410249, "void(int)", method_set_binding),
    M("RDUniform", "add_id", 2722037293, "void(RID)", method_add_id),
    M("RDUniform", "clear_ids", 3218959716, "void()", method_clear_ids),
    M("RDShaderSPIRV", "set_stage_bytecode", 3514097977, "void(#RenderingDevice.ShaderStage,PackedByteArray)", method_set_bytecode),
    M("RDShaderSPIRV", "get_stage_compile_error", 3354920045, "String(#RenderingDevice.ShaderStage) const", method_get_compile_error),
    M("RenderData", "get_render_scene_buffers", 2793216201, "RenderSceneBuffers() const", method_get_buffers),
    M("RenderData", "get_render_scene_data", 1288715698, "RenderSceneData() const", method_get_scene_data),
    M(BUFFERS, "get_color_texture", 3050822880, "RID(bool=false)", method_color_texture),
    M(BUFFERS, "get_color_layer", 3087988589, "RID(int,bool=false)", method_color_layer),
    M(BUFFERS, "get_internal_size", 3690982128, "Vector2i() const", method_buffers_size),
    M(BUFFERS, "get_target_size", 3690982128, "Vector2i() const", method_buffers_size),
    M(BUFFERS, "get_view_count", 3905245786, "int() const", method_buffers_views),
    M(BUFFERS, "get_texture", 750006389, "RID(StringName,StringName) const", method_buffers_texture),
    M(BUFFERS, "has_texture", 471820014, "bool(StringName,StringName) const", method_buffers_has),
    M(BUFFERS, "get_texture_format", 371461758, "RDTextureFormat(StringName,StringName) const", method_buffers_format),
    M(BUFFERS, "get_texture_slice", 588440706, "RID(StringName,StringName,int,int,int,int)", method_buffers_slice),
    {BUFFERS, "create_texture", 3559915770, 2950875024, "RID(" CREATE_ARGS ")", "RID(" CREATE_ARGS ",bool)", method_buffers_create, 0, 0},
    M(BUFFERS, "clear_context", 3304788590, "void(StringName)", method_buffers_clear),
    M(BUFFERS, "get_render_target", 2944877500, "RID() const", method_render_target),
    M(BUFFERS, "get_msaa_3d", 3109158617, "#RenderingServer.ViewportMSAA() const", method_msaa_3d),
    M(BUFFERS, "get_scaling_3d_mode", 976778074, "#RenderingServer.ViewportScaling3DMode() const", method_scaling_mode),
    M("RenderSceneData", "get_cam_transform", 3229777777, "Transform3D() const", method_cam_transform),
    M("RenderSceneData", "get_cam_projection", 2910717950, "Projection() const", method_cam_projection),
    M("RenderSceneData", "get_view_count", 3905245786, "int() const", method_scene_views),
    M("RenderSceneData", "get_view_eye_offset", 711720468, "Vector3(int) const", method_eye_offset),
    M("RenderSceneData", "get_view_projection", 3179846605, "Projection(int) const", method_view_projection),
    M(RD, "get_driver_resource", 501815484, "int(#RenderingDevice.DriverResource,RID,int)", method_driver_resource),
    M(RD, "texture_get_format", 1374471690, "RDTextureFormat(RID)", method_texture_format),
    M(RD, "texture_create", 3709173589, "RID(RDTextureFormat,RDTextureView,Array=[])", method_texture_create),
    M(RD, "texture_create_shared", 3178156134, "RID(RDTextureView,RID)", method_texture_shared),
    M(RD, "texture_create_shared_from_slice", 1808971279, "RID(RDTextureView,RID,int,int,int=1,#RenderingDevice.TextureSliceType=0)", method_texture_slice),
    F(RD, "texture_is_valid", 3521089500, "bool(RID)", method_is_valid, 1),
    F(RD, "uniform_set_is_valid", 3521089500, "bool(RID)", method_is_valid, 6),
    F(RD, "compute_pipeline_is_valid", 3521089500, "bool(RID)", method_is_valid, 5),
    M(RD, "texture_is_format_supported_for_usage", 2592520478, "bool(#RenderingDevice.DataFormat,#RenderingDevice.TextureUsageBits) const", method_format_supported),
    M(RD, "texture_get_data", 1859412099, "PackedByteArray(RID,int)", method_texture_get_data),
    M(RD, "texture_update", 1349464008, "#Error(RID,int,PackedByteArray)", method_texture_update),
    M(RD, "texture_copy", 2859522160, "#Error(RID,RID,Vector3,Vector3,Vector3,int,int,int,int)", method_texture_copy),
    M(RD, "texture_clear", 3477703247, "#Error(RID,Color,int,int,int,int)", method_texture_clear),
    M(RD, "sampler_create", 2327892535, "RID(RDSamplerState)", method_sampler_create),
    M(RD, "shader_create_from_spirv", 342949005, "RID(RDShaderSPIRV,String=)", method_shader_create),
    {RD, "uniform_buffer_create", 34556762, 2089548973, "RID(int,PackedByteArray={})", "RID(int,PackedByteArray={}," CREATION ")", method_buffer_create, 0, 0},
    {RD, "storage_buffer_create", 2316365934, 1609052553, "RID(" STORAGE ")", "RID(" STORAGE "," CREATION ")", method_buffer_create, 1, 0},
    M(RD, "buffer_update", 3454956949, "#Error(RID,int,int,PackedByteArray)", method_buffer_update),
    M(RD, "buffer_get_data", 3101830688, "PackedByteArray(RID,int=0,int=0)", method_buffer_get_data),
    M(RD, "uniform_set_create", 2280795797, "RID(Array,RID,int)", method_set_create),
    M(RD, "compute_pipeline_create", 1448838280, "RID(RID,Array=[])", method_pipeline_create),
    M(RD, "compute_list_begin", 2455072627, "int()", method_list_begin),
    M(RD, "compute_list_bind_compute_pipeline", 4040184819, "void(int,RID)", method_list_pipeline),
    M(RD, "compute_list_bind_uniform_set", 749655778, "void(int,RID,int)", method_list_set),
    M(RD, "compute_list_set_push_constant", 2772371345, "void(int,PackedByteArray,int)", method_list_push),
    M(RD, "compute_list_dispatch", 4275841770, "void(int,int,int,int)", method_list_dispatch),
    M(RD, "compute_list_dispatch_indirect", 749655778, "void(int,RID,int)", method_list_indirect),
    M(RD, "compute_list_add_barrier", 1286410249, "void(int)", method_list_barrier),
    M(RD, "compute_list_end", 3218959716, "void()", method_list_end),
    M(RD, "free_rid", 2722037293, "void(RID)", method_rd_free),
    M(RD, "capture_timestamp", 83702148, "void(String)", method_timestamp),
    M(RD, "get_captured_timestamps_count", 3905245786, "int() const", method_timestamp_count),
    M(RD, "get_captured_timestamp_gpu_time", 923996154, "int(int) const", method_timestamp_time),
    M(RD, "get_captured_timestamp_name", 844755477, "String(int) const", method_timestamp_name),
    M(RD, "limit_get", 1559202131, "int(#RenderingDevice.Limit) const", method_limit),
    M(RD, "set_resource_name", 2726140452, "void(RID,String)", method_nothing),
    M(RD, "draw_command_begin_label", 1636512886, "void(String,Color)", method_nothing),
    M(RD, "draw_command_end_label", 3218959716, "void()", method_nothing),
};
const uint32_t method_row_count = sizeof method_rows / sizeof method_rows[0];
