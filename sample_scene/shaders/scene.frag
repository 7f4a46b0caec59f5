#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors
#include "output.glsl"

layout(constant_id = 0) const int MATERIAL = 0;

layout(set = 0, binding = 1) uniform sampler2DArray textures;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow_map;

layout(location = 0) in vec2 in_uv;
layout(location = 1) flat in vec2 in_layers;
layout(location = 2) in vec4 in_sunlight;
layout(location = 3) in vec3 in_ambient;
layout(location = 4) in vec4 in_haze;
layout(location = 5) in vec4 in_shadow;
layout(location = 6) in vec3 in_mirror;

layout(location = 0) out vec4 out_color;

void main()
{
    vec4 texel = texture(textures, vec3(in_uv, in_layers.x));
    if (MATERIAL == 1) {
        texel = mix(texel, texture(textures, vec3(in_uv * 1.37, in_layers.y)), in_sunlight.w);
    }
    if (MATERIAL == 2 && texel.a < 0.5) {
        discard;
    }
    float lit = mix(1.0, texture(shadow_map, in_shadow.xyz), in_shadow.w);
    vec3 light = texel.rgb * (in_ambient + in_sunlight.rgb * lit);
    if (MATERIAL == 0) {
        light += in_mirror * texel.a;
    }
    out_color = to_attachment(light * in_haze.w + in_haze.rgb);
}
