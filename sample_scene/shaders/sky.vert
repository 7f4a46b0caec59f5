#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// One triangle over the whole picture, at infinity: depth 0.
#include "frame.glsl"

layout(location = 0) out vec3 out_way;

void main()
{
    vec2 clip = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    out_way = frame.look[0].xyz * clip.x + frame.look[1].xyz * clip.y + frame.look[2].xyz;
    gl_Position = vec4(clip, 0.0, 1.0);
}
