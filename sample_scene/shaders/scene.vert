#version 450
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// Light, haze and mirrored sky are computed here, a vertex each: the triangles are small, and the
// fragment shader is what costs.
#include "frame.glsl"

layout(constant_id = 0) const int MATERIAL = 0; // enum material: 0 opaque, 1 ground, 2 cut out

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec2 in_uv;
layout(location = 2) in vec4 in_normal;
layout(location = 3) in vec4 in_tint;
layout(location = 4) in uvec4 in_layers;
layout(location = 5) in vec4 in_place;
layout(location = 6) in vec4 in_turn;

layout(location = 0) out vec2 out_uv;
layout(location = 1) flat out vec2 out_layers;
layout(location = 2) out vec4 out_sunlight; // w: share of the second layer
layout(location = 3) out vec3 out_ambient;
layout(location = 4) out vec4 out_haze; // rgb added, w what is left of the surface
layout(location = 5) out vec4 out_shadow; // xyz place in the map, w how much it counts
layout(location = 6) out vec3 out_mirror;

vec3 turned(vec3 v)
{
    return vec3(in_turn.x * v.x + in_turn.y * v.z, v.y, in_turn.x * v.z - in_turn.y * v.x);
}

void main()
{
    vec3 world = turned(in_position) * in_place.w + in_place.xyz;
    vec3 normal = turned(in_normal.xyz);
    vec3 away = world - frame.eye.xyz;
    float distance_m = length(away);
    vec3 way = away / max(distance_m, 1e-4);

    float facing = dot(normal, frame.to_sun.xyz);
    if (MATERIAL == 2) {
        facing = 0.55 * facing + 0.45; // leaves let light through
    }
    vec3 tint = in_tint.rgb * in_tint.rgb * in_turn.z;
    out_sunlight.rgb = tint * SUN_LIGHT * max(facing, 0.0) * (0.5 + 0.5 * in_tint.a);
    out_sunlight.w = float(in_layers.z) / 255.0;
    out_ambient = tint * mix(GROUND_LIGHT, SKY_LIGHT, 0.5 + 0.5 * normal.y) * in_tint.a;

    float clear = exp(-distance_m * frame.to_sun.w);
    vec3 haze = sky_color(normalize(vec3(way.x, 0.02, way.z)));
    out_haze = vec4(haze * (1.0 - clear), clear);

    vec4 shadow = frame.shadow_from_world * vec4(world + normal * 0.06, 1.0);
    float near_map = 1.0 - smoothstep(0.75 * frame.eye.w, 0.95 * frame.eye.w, distance_m);
    out_shadow = vec4(shadow.xy * 0.5 + 0.5, shadow.z, near_map);

    vec3 mirrored = reflect(way, normal);
    float grazing = 1.0 - max(dot(-way, normal), 0.0);
    float fresnel = 0.08 + 0.92 * grazing * grazing * grazing * grazing * grazing;
    out_mirror = sky_color(mirrored) * (fresnel * float(in_layers.w) / 255.0);

    out_uv = in_uv;
    out_layers = vec2(in_layers.xy);
    gl_Position = frame.clip_from_world * vec4(world, 1.0);
}
