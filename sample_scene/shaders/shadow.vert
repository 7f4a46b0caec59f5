#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors
#include "frame.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec2 in_uv;
layout(location = 4) in uvec4 in_layers;
layout(location = 5) in vec4 in_place;
layout(location = 6) in vec4 in_turn;

layout(location = 0) out vec3 out_uv;

void main()
{
    vec3 p = in_position;
    vec3 turned = vec3(in_turn.x * p.x + in_turn.y * p.z, p.y, in_turn.x * p.z - in_turn.y * p.x);
    out_uv = vec3(in_uv, float(in_layers.x));
    gl_Position = frame.shadow_from_world * vec4(turned * in_place.w + in_place.xyz, 1.0);
}
