#version 450
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

layout(set = 0, binding = 1) uniform sampler2DArray textures;
layout(location = 0) in vec3 in_uv;

void main()
{
    if (texture(textures, in_uv).a < 0.5) {
        discard;
    }
}
