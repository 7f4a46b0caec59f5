#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors
#include "frame.glsl"
#include "output.glsl"

layout(constant_id = 2) const float CLOUD_LAYER = 0.0;

layout(set = 0, binding = 1) uniform sampler2DArray textures;

layout(location = 0) in vec3 in_way;
layout(location = 0) out vec4 out_color;

void main()
{
    vec3 way = normalize(in_way);
    vec3 light = sky_color(way);
    float towards = dot(way, frame.to_sun.xyz);
    light += vec3(14.0, 12.0, 9.0) * smoothstep(0.99945, 0.99975, towards);

    float height = max(way.y, 0.015) + 0.08;
    vec2 place = way.xz / height * 0.16 + frame.drift.xy;
    vec2 cloud = texture(textures, vec3(place, CLOUD_LAYER)).rg;
    float fine = texture(textures, vec3(place * 3.7 + 0.3, CLOUD_LAYER)).r;
    float thick = clamp(cloud.r * 1.3 + (fine - 0.4) * 0.5 * cloud.r, 0.0, 1.0);
    thick *= smoothstep(0.0, 0.16, way.y);
    vec3 lit = mix(vec3(0.62, 0.68, 0.78), vec3(1.75, 1.66, 1.52), cloud.g);
    lit += vec3(0.9, 0.7, 0.45) * pow(max(towards, 0.0), 12.0);
    out_color = to_attachment(mix(light, lit, 0.92 * thick));
}
