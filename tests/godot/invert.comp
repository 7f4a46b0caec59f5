#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One pixel a thread: white minus the colour, scaled. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 5) const bool INVERTS = true;
layout(set = 0, binding = 0, rgba16f) uniform image2D color;
layout(set = 0, binding = 1) uniform Scale { float scale; };
layout(set = 0, binding = 2) uniform sampler2D tint;
layout(push_constant) uniform Constants { ivec2 size; float white; };

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size))) {
        return;
    }
    const vec4 was = imageLoad(color, at);
    imageStore(color, at, INVERTS ? vec4((white - was.rgb) * scale + textureLod(tint, vec2(0.5), 0.0).rgb, was.a) : was);
}
