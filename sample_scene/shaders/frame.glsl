// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// struct frame_uniforms of renderer.h.
layout(set = 0, binding = 0) uniform Frame
{
    mat4 clip_from_world;
    mat4 shadow_from_world;
    vec4 eye; // xyz; w: how far shadows reach, m
    vec4 to_sun; // xyz; w: density of the haze, 1/m
    vec4 look[3]; // right, up, forward, scaled so that clip.x * right + clip.y * up + forward is a ray
    vec4 drift; // xy: of the clouds
}
frame;

const vec3 SUN_LIGHT = vec3(3.10, 2.72, 2.15);
const vec3 SKY_LIGHT = vec3(0.46, 0.60, 0.86);
const vec3 GROUND_LIGHT = vec3(0.26, 0.24, 0.19);
const vec3 ZENITH = vec3(0.13, 0.30, 0.66);
const vec3 HORIZON = vec3(0.62, 0.74, 0.86);
const vec3 GLOW = vec3(1.00, 0.72, 0.42);

// Clear sky in a direction, without clouds and without the sun's disc.
vec3 sky_color(vec3 way)
{
    float up = max(way.y, 0.0);
    vec3 clear = mix(HORIZON, ZENITH, 1.0 - (1.0 - up) * (1.0 - up));
    float towards = max(dot(way, frame.to_sun.xyz), 0.0);
    return clear + GLOW * (0.35 * pow(towards, 8.0) * (1.0 - 0.6 * up));
}
