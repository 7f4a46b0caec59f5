/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture that is written: pixels of frames or, with FLOATS, RGBA32F. */

#ifdef FLOATS
layout(set = 0, binding = 1, rgba32f) uniform writeonly image2D picture;
#endif

void store(ivec2 at, vec3 color)
{
#ifdef FLOATS
    imageStore(picture, at, vec4(color, 1.0));
#else
    vec2 whites = PIXEL == PIXEL_RGBA8            ? vec2(255.0)
                  : PIXEL == PIXEL_A2B10G10R10 ? vec2(1023.0, 3.0)
                                               : vec2(1.0);
    vec3 ordered = (BLUE_FIRST ? color.bgr : color) * whites.x;
    imageStore(result, at, encode(vec4(ordered, whites.y), uvec4(0)));
#endif
}
