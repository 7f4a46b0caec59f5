/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Vectors and matrices. World space is in metres, right-handed, y up; matrices are column-major and
 * multiply column vectors. */
#pragma once

#include <math.h>

#define SCENE_PI 3.14159265f

struct vec3 {
    float x, y, z;
};

struct mat4 {
    float m[16];
};

static inline struct vec3 vec3(float x, float y, float z)
{
    return (struct vec3){x, y, z};
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 vec3_scale(struct vec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

/* a + b * s */
static inline struct vec3 vec3_madd(struct vec3 a, struct vec3 b, float s)
{
    return vec3_add(a, vec3_scale(b, s));
}

static inline float vec3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float vec3_length(struct vec3 a)
{
    return sqrtf(vec3_dot(a, a));
}

static inline struct vec3 vec3_normalize(struct vec3 a)
{
    float length = vec3_length(a);
    return length > 0.0f ? vec3_scale(a, 1.0f / length) : a;
}

static inline float mix_f(float a, float b, float t)
{
    return a + (b - a) * t;
}

static inline float clamp_f(float v, float low, float high)
{
    return v < low ? low : v > high ? high : v;
}

static inline float smoothstep_f(float low, float high, float v)
{
    float t = clamp_f((v - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

static inline struct mat4 mat4_mul(struct mat4 a, struct mat4 b)
{
    struct mat4 out;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            float sum = 0.0f;
            for (int k = 0; k < 4; k++) {
                sum += a.m[k * 4 + row] * b.m[column * 4 + k];
            }
            out.m[column * 4 + row] = sum;
        }
    }
    return out;
}

/* World to eye: x right, y up, looking along -z. */
static inline struct mat4 mat4_look(struct vec3 eye, struct vec3 forward, struct vec3 up)
{
    struct vec3 f = vec3_normalize(forward);
    struct vec3 r = vec3_normalize(vec3_cross(f, up));
    struct vec3 u = vec3_cross(r, f);
    return (struct mat4){{r.x, u.x, -f.x, 0.0f, r.y, u.y, -f.y, 0.0f, r.z, u.z, -f.z, 0.0f,
                          -vec3_dot(r, eye), -vec3_dot(u, eye), vec3_dot(f, eye), 1.0f}};
}

/* Vulkan's clip space, depth 1 at the near plane and 0 at infinity: a float depth buffer then has
 * its precision where a landscape needs it. */
static inline struct mat4 mat4_perspective(const float tangents[4], float near_m)
{
    const float width = tangents[0] + tangents[1];
    const float height = tangents[2] + tangents[3];
    return (struct mat4){{2.0f / width, 0, 0, 0, 0, -2.0f / height, 0, 0,
                          (tangents[1] - tangents[0]) / width, (tangents[3] - tangents[2]) / height,
                          0, -1, 0, 0, near_m, 0}};
}

/* Depth 0 at near_m, 1 at far_m. */
static inline struct mat4 mat4_ortho(float half_m, float near_m, float far_m)
{
    float depth = 1.0f / (far_m - near_m);
    return (struct mat4){{1.0f / half_m, 0, 0, 0, 0, -1.0f / half_m, 0, 0, 0, 0, -depth, 0, 0, 0,
                          -near_m * depth, 1.0f}};
}
