/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says what a texture of the program's is, and moves its pixels from and to memory. */
#pragma once

#include "gl_api.h"

#include "fovea_image.h"

struct gl_texture {
    struct fovea_gl_texture given; /* its target is never 0 */
    uint32_t width_px;
    uint32_t height_px;
    enum fovea_format format; /* of its pixels in memory */
    uint32_t gl_format; /* the same in GL's words */
    uint32_t gl_type;
};

/* `what` is "src" or "dst", for the log, which is written to where `out_why` is not NULL only: why
 * the texture is none that can be taken. */
enum fovea_result gl_texture_look(const struct gl_api *api, const struct fovea_gl_texture *given,
                                  struct gl_texture *out, char *out_why, size_t why_bytes);

/* The calls below change this much of GL's state, and this is what it was before. */
struct gl_state {
    int32_t pack[8];
    int32_t unpack[6];
    int32_t pack_buffer;
    int32_t unpack_buffer;
    int32_t texture_2d;
    int32_t texture_rectangle;
    bool is_pushed; /* how pixels are changed on their way, in old contexts */
};

/* Pixels without gaps, from and to memory of the processor, textures bound by the two below.
 * with_rectangles: one of the textures is of GL_TEXTURE_RECTANGLE, which old drivers lack. */
void gl_state_take(const struct gl_api *api, bool with_rectangles, struct gl_state *out);
void gl_state_give_back(const struct gl_api *api, bool with_rectangles,
                        const struct gl_state *state);

void gl_texture_read(const struct gl_api *api, const struct gl_texture *texture, void *pixels);
void gl_texture_write(const struct gl_api *api, const struct gl_texture *texture,
                      const void *pixels);
