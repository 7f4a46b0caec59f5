/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A context of OpenGL without a window, of the libEGL that is here, and textures in it. */
#pragma once

#include "plugin/gl/gl_api.h"

enum gl_kind { GL_KIND_CORE, GL_KIND_COMPATIBLE, GL_KIND_ES };

/* Makes a context current on this thread; the one before is destroyed. False: there is no libEGL or
 * no such context. */
bool gl_context_make(enum gl_kind kind);
void gl_context_drop(void);

fovea_gl_function_fn gl_context_function(void *user, const char *name);

/* All of GL that the tests use. */
#define GL_TEST_FUNCTIONS(F)                                                                       \
    F(void, GenTextures, (int32_t count, uint32_t * out))                                          \
    F(void, DeleteTextures, (int32_t count, const uint32_t *names))                                \
    F(void, BindTexture, (uint32_t target, uint32_t name))                                         \
    F(void, TexImage2D,                                                                            \
      (uint32_t target, int32_t level, int32_t internal, int32_t width, int32_t height,            \
       int32_t border, uint32_t format, uint32_t type, const void *pixels))                        \
    F(void, GetTexImage,                                                                           \
      (uint32_t target, int32_t level, uint32_t format, uint32_t type, void *out))                 \
    F(void, GenBuffers, (int32_t count, uint32_t * out))                                           \
    F(void, DeleteBuffers, (int32_t count, const uint32_t *names))                                 \
    F(void, BindBuffer, (uint32_t target, uint32_t name))                                          \
    F(void, BufferData, (uint32_t target, ptrdiff_t bytes, const void *data, uint32_t usage))      \
    F(void, PixelTransferf, (uint32_t name, float value))                                          \
    F(void, PixelStorei, (uint32_t name, int32_t value))                                           \
    F(void, ActiveTexture, (uint32_t unit))                                                        \
    F(void, GetIntegerv, (uint32_t name, int32_t * out))                                           \
    F(uint32_t, GetError, (void))                                                                  \
    F(const unsigned char *, GetString, (uint32_t name))                                           \
    F(void, Enable, (uint32_t what))                                                               \
    F(void, Disable, (uint32_t what))                                                              \
    F(unsigned char, IsEnabled, (uint32_t what))                                                   \
    F(void, Scissor, (int32_t x, int32_t y, int32_t width, int32_t height))                        \
    F(void, GenFramebuffers, (int32_t count, uint32_t * out))                                      \
    F(void, DeleteFramebuffers, (int32_t count, const uint32_t *names))                            \
    F(void, BindFramebuffer, (uint32_t target, uint32_t name))                                     \
    F(void, TexStorage2D,                                                                          \
      (uint32_t target, int32_t levels, uint32_t internal, int32_t width, int32_t height))         \
    F(void, Finish, (void))

struct gl_test_api {
#define GL_FUNCTION(returns, name, arguments) returns(*name) arguments;
    GL_TEST_FUNCTIONS(GL_FUNCTION)
#undef GL_FUNCTION
};

extern struct gl_test_api gl; /* of the context that was made last */
