/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compute shaders as SPIR-V, for raw pixels of one word (R32_UINT, the 32-bit formats) and of four
 * (R16G16B16A16_UINT, RGBA16F); a shader that reads no pixels has the same code for both.
 * Specialization constant 0 is the enum fovea_format; those from 1 on are each shader's own.
 *
 * Descriptor set 0 of all of them: 0 sampled image (source), 1 storage image (result), 2 storage
 * buffer (tables), 3 storage buffer (what passes leave for each other), 4 storage buffer (text, of
 * what draws), 5 uniform buffer (what a latch left, where a frame's gaze is late), 6 sampled image
 * of floats (sigmas, of a view's size, where the plan was made for pictures of them; depths, where
 * the operator needs them), 7 storage buffer (SHADER_FOCUS_BYTES for each view, which stay from
 * frame to frame and are zeros before the first; for operators that need depths), 8 sampler (for
 * gathers; clamps to the edge, filters nothing). The latch itself: 2 storage buffer (the block), 3
 * and 4 storage buffers (what it leaves: for the kernels, and for the host). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHADER_SPECIAL_COUNT 3
#define SHADER_FOCUS_BYTES 32

struct shader {
    struct shader_code {
        const uint32_t *code;
        size_t bytes;
    } words[2]; /* for pixels of one word, and of four */
};

/* A struct shader of two arrays of code, which may be the same one. */
#define SHADER_CODE(one, four)                                                                     \
    {                                                                                              \
        {                                                                                          \
            {one, sizeof one},                                                                     \
            {                                                                                      \
                four, sizeof four                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

extern const struct shader shader_latch; /* push constants: struct late_own; one thread */
/* push constants: struct shader_copy; source and result */
extern const struct shader shader_copy;

/* A rectangle of the source, and where it goes in the result. */
struct shader_copy {
    int32_t from_px[2];
    int32_t to_px[2];
    int32_t size_px[2];
};
#define SHADER_COPY_ROWS 4 /* of a thread */

/* A small picture of the view that begins at from_px of the source, into binding 3: `mark`, and a
 * word of 8-bit red, green and blue for each cell. */
struct shader_reduce {
    int32_t from_px[2];
    int32_t size_px[2]; /* of the view */
    int32_t cells[2];
    uint32_t mark;
    uint32_t blue_first;
    uint32_t bottom_up; /* the view's rows count from its lower edge */
};
#define SHADER_REDUCE_SAMPLES 4 /* of a cell along an axis, at most */
extern const struct shader shader_reduce;

static inline uint32_t shader_divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* One thread a pixel, in workgroups of 16 x 16. */
void shader_pixel_groups(uint32_t width, uint32_t height, uint32_t out_groups[2]);
void shader_copy_groups(uint32_t width, uint32_t height, uint32_t out_groups[2]);
