// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The thesis's ways in GLSL share this. A thread of a compute shader makes a pixel, or a fragment is one (FRAGMENT);
// pictures are RGBA32F; beyond the picture the outermost pixels go on.

#ifdef FRAGMENT
layout(location = 0) out vec4 made_pixel;
#else
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(set = 0, binding = 1, rgba32f) uniform image2D dst;
#endif
layout(constant_id = 2) const int known_taps = 0; // that the compiler knows; 0: params has them
layout(constant_id = 3) const int tile_pixels = 1; // of shared memory

layout(set = 0, binding = 0) uniform sampler2D src;
layout(set = 0, binding = 2, std140) uniform uniform_weights
{
    vec4 four_weights[2048];
};
layout(set = 0, binding = 3) uniform samplerBuffer texture_weights;

layout(push_constant) uniform push_constants
{
    int width_px; // of what is written
    int height_px;
    int from_width_px; // of what is read
    int from_height_px;
    int taps; // odd; of a summed-area table: look-ups of a pass
    int step_px; // of a summed-area table: between look-ups
    int move_x_px; // of spreading: where to
    int move_y_px;
    int border_px; // that spreading leaves out
    float factor;
}
params;

#ifdef FRAGMENT

ivec2 own_pixel()
{
    return ivec2(gl_FragCoord.xy);
}

void store(ivec2 at, vec4 value)
{
    made_pixel = value;
}

#else

ivec2 own_pixel()
{
    return ivec2(gl_GlobalInvocationID.xy);
}

bool is_inside(ivec2 at)
{
    return at.x < params.width_px && at.y < params.height_px;
}

void store(ivec2 at, vec4 value)
{
    if (is_inside(at)) {
        imageStore(dst, at, value);
    }
}

#endif

// Places are texels, of which a whole number and a half is the middle.
vec4 look_up(vec2 at)
{
    return textureLod(src, at / vec2(params.from_width_px, params.from_height_px), 0.0);
}

// Without the sampler's weights.
vec4 source(ivec2 at)
{
    return texelFetch(src, clamp(at, ivec2(0), ivec2(params.from_width_px, params.from_height_px) - 1),
                      0);
}

int tap_count()
{
    return known_taps > 0 ? known_taps : params.taps;
}

float weight_at(int i)
{
    return four_weights[i >> 2][i & 3];
}
