/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The functions and numbers of OpenGL that Fovea uses, found at run time in the library that the
 * program draws with. No header of GL's is needed to build this. */
#pragma once

#include "fovea_gl.h"

/* Khronos's registry has these numbers. */
enum gl_number {
    GL_NONE = 0,
    GL_NO_ERROR = 0,
    GL_TEXTURE_2D = 0x0DE1,
    GL_TEXTURE_RECTANGLE = 0x84F5,
    GL_TEXTURE_BINDING_2D = 0x8069,
    GL_TEXTURE_BINDING_RECTANGLE = 0x84F6,
    GL_TEXTURE_WIDTH = 0x1000,
    GL_TEXTURE_HEIGHT = 0x1001,
    GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
    GL_TEXTURE_RED_SIZE = 0x805C,
    GL_TEXTURE_GREEN_SIZE = 0x805D,
    GL_TEXTURE_BLUE_SIZE = 0x805E,
    GL_TEXTURE_ALPHA_SIZE = 0x805F,
    GL_TEXTURE_RED_TYPE = 0x8C10,
    GL_TEXTURE_COMPRESSED = 0x86A1,
    GL_UNSIGNED_NORMALIZED = 0x8C17,
    GL_UNSIGNED_BYTE = 0x1401,
    GL_FLOAT = 0x1406,
    GL_HALF_FLOAT = 0x140B,
    GL_UNSIGNED_INT_2_10_10_10_REV = 0x8368,
    GL_UNSIGNED_INT_10F_11F_11F_REV = 0x8C3B,
    GL_RGB = 0x1907,
    GL_RGBA = 0x1908,
    GL_UNPACK_SWAP_BYTES = 0x0CF0,
    GL_UNPACK_LSB_FIRST = 0x0CF1,
    GL_UNPACK_ROW_LENGTH = 0x0CF2,
    GL_UNPACK_SKIP_ROWS = 0x0CF3,
    GL_UNPACK_SKIP_PIXELS = 0x0CF4,
    GL_UNPACK_ALIGNMENT = 0x0CF5,
    GL_PACK_SWAP_BYTES = 0x0D00,
    GL_PACK_LSB_FIRST = 0x0D01,
    GL_PACK_ROW_LENGTH = 0x0D02,
    GL_PACK_SKIP_ROWS = 0x0D03,
    GL_PACK_SKIP_PIXELS = 0x0D04,
    GL_PACK_ALIGNMENT = 0x0D05,
    GL_PACK_SKIP_IMAGES = 0x806B,
    GL_PACK_IMAGE_HEIGHT = 0x806C,
    GL_PIXEL_PACK_BUFFER = 0x88EB,
    GL_PIXEL_UNPACK_BUFFER = 0x88EC,
    GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
    GL_RENDERER = 0x1F01,
    GL_VERSION = 0x1F02,
    GL_EXTENSIONS = 0x1F03,
    GL_NUM_EXTENSIONS = 0x821D,
    GL_PIXEL_MODE_BIT = 0x20,
    GL_MAP_COLOR = 0x0D10,
    GL_RED_SCALE = 0x0D14,
    GL_GREEN_SCALE = 0x0D18,
    GL_BLUE_SCALE = 0x0D1A,
    GL_ALPHA_SCALE = 0x0D1C,
    GL_CONTEXT_PROFILE_MASK = 0x9126,
    GL_CONTEXT_CORE_PROFILE_BIT = 1,
    GL_SCISSOR_TEST = 0x0C11,
    GL_NEAREST = 0x2600,
    GL_COLOR_BUFFER_BIT = 0x4000,
    GL_RGB10_A2 = 0x8059,
    GL_RGBA8 = 0x8058,
    GL_RGBA16F = 0x881A,
    GL_R11F_G11F_B10F = 0x8C3A,
    GL_READ_FRAMEBUFFER = 0x8CA8,
    GL_DRAW_FRAMEBUFFER = 0x8CA9,
    GL_DRAW_FRAMEBUFFER_BINDING = 0x8CA6,
    GL_READ_FRAMEBUFFER_BINDING = 0x8CAA,
    GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_FRAMEBUFFER_SRGB = 0x8DB9,
    GL_DEDICATED_MEMORY_OBJECT = 0x9581,
    GL_HANDLE_TYPE_OPAQUE_FD = 0x9586,
    GL_LAYOUT_GENERAL = 0x958D,
    GL_NUM_DEVICE_UUIDS = 0x9596,
    GL_DEVICE_UUID = 0x9597,
    GL_DRIVER_UUID = 0x9598,
};

/* RETURNS, name without gl, arguments. */
#define GL_FUNCTIONS(F)                                                                            \
    F(const unsigned char *, GetString, (uint32_t name))                                           \
    F(uint32_t, GetError, (void))                                                                  \
    F(void, GetIntegerv, (uint32_t name, int32_t * out))                                           \
    F(unsigned char, IsTexture, (uint32_t texture))                                                \
    F(void, BindTexture, (uint32_t target, uint32_t texture))                                      \
    F(void, BindBuffer, (uint32_t target, uint32_t buffer))                                        \
    F(void, PixelStorei, (uint32_t name, int32_t value))                                           \
    F(void, GetTexLevelParameteriv,                                                                \
      (uint32_t target, int32_t level, uint32_t name, int32_t * out))                              \
    F(void, GetTexImage,                                                                           \
      (uint32_t target, int32_t level, uint32_t format, uint32_t type, void *out))                 \
    F(void, TexSubImage2D,                                                                         \
      (uint32_t target, int32_t level, int32_t x, int32_t y, int32_t width, int32_t height,        \
       uint32_t format, uint32_t type, const void *pixels))

/* Old contexts do this to pixels on their way. */
#define GL_TRANSFER_FUNCTIONS(F)                                                                   \
    F(void, PushAttrib, (uint32_t mask))                                                           \
    F(void, PopAttrib, (void))                                                                     \
    F(void, PixelTransferf, (uint32_t name, float value))

/* The shared way takes these besides: framebuffers, and GL_EXT_memory_object(_fd). */
#define GL_SHARING_FUNCTIONS(F)                                                                    \
    F(const unsigned char *, GetStringi, (uint32_t name, uint32_t index))                          \
    F(void, Enable, (uint32_t what))                                                               \
    F(void, Disable, (uint32_t what))                                                              \
    F(unsigned char, IsEnabled, (uint32_t what))                                                   \
    F(void, Flush, (void))                                                                         \
    F(void, Finish, (void))                                                                        \
    F(void, GenTextures, (int32_t count, uint32_t * out))                                          \
    F(void, DeleteTextures, (int32_t count, const uint32_t *names))                                \
    F(void, GenFramebuffers, (int32_t count, uint32_t * out))                                      \
    F(void, DeleteFramebuffers, (int32_t count, const uint32_t *names))                            \
    F(void, BindFramebuffer, (uint32_t target, uint32_t name))                                     \
    F(void, FramebufferTexture2D,                                                                  \
      (uint32_t target, uint32_t attachment, uint32_t texture_target, uint32_t texture,            \
       int32_t level))                                                                             \
    F(uint32_t, CheckFramebufferStatus, (uint32_t target))                                         \
    F(void, BlitFramebuffer,                                                                       \
      (int32_t x0, int32_t y0, int32_t x1, int32_t y1, int32_t to_x0, int32_t to_y0,               \
       int32_t to_x1, int32_t to_y1, uint32_t mask, uint32_t filter))                              \
    F(void, GetUnsignedBytevEXT, (uint32_t name, unsigned char *out))                              \
    F(void, GetUnsignedBytei_vEXT, (uint32_t name, uint32_t index, unsigned char *out))            \
    F(void, CreateMemoryObjectsEXT, (int32_t count, uint32_t * out))                               \
    F(void, DeleteMemoryObjectsEXT, (int32_t count, const uint32_t *names))                        \
    F(void, MemoryObjectParameterivEXT, (uint32_t memory, uint32_t name, const int32_t *values))   \
    F(void, ImportMemoryFdEXT,                                                                     \
      (uint32_t memory, uint64_t bytes, uint32_t handle_type, int32_t fd))                         \
    F(void, TexStorageMem2DEXT,                                                                    \
      (uint32_t target, int32_t levels, uint32_t internal, int32_t width, int32_t height,          \
       uint32_t memory, uint64_t offset))

/* GL_EXT_semaphore(_fd). */
#define GL_SEMAPHORE_FUNCTIONS(F)                                                                  \
    F(void, GenSemaphoresEXT, (int32_t count, uint32_t * out))                                     \
    F(void, DeleteSemaphoresEXT, (int32_t count, const uint32_t *names))                           \
    F(void, ImportSemaphoreFdEXT, (uint32_t semaphore, uint32_t handle_type, int32_t fd))          \
    F(void, WaitSemaphoreEXT,                                                                      \
      (uint32_t semaphore, uint32_t buffers, const uint32_t *buffer_names, uint32_t textures,      \
       const uint32_t *texture_names, const uint32_t *layouts))                                    \
    F(void, SignalSemaphoreEXT,                                                                    \
      (uint32_t semaphore, uint32_t buffers, const uint32_t *buffer_names, uint32_t textures,      \
       const uint32_t *texture_names, const uint32_t *layouts))

struct gl_api {
#define GL_FUNCTION(returns, name, arguments) returns(*name) arguments;
    GL_FUNCTIONS(GL_FUNCTION)
    GL_TRANSFER_FUNCTIONS(GL_FUNCTION) /* without `transfers` they may be NULL */
    GL_SHARING_FUNCTIONS(GL_FUNCTION) /* without `shares` they may be NULL */
    GL_SEMAPHORE_FUNCTIONS(GL_FUNCTION) /* without `shares_semaphores` they may be NULL */
#undef GL_FUNCTION
    bool transfers; /* pixels are scaled and shifted on their way, as old contexts can */
    bool shares;
    bool shares_semaphores;
    void *(*current_context)(void); /* NULL: the program gave the functions, and nobody knows */
    const char *library; /* in words, for the log */
};

/* FOVEA_ERROR_INVALID_STATE: no context is current; FOVEA_ERROR_UNSUPPORTED: this GL is too old or
 * lacks a function, which is logged. */
enum fovea_result gl_api_load(const struct fovea_gl_desc *desc, struct gl_api *out);

/* False where it is known that there is none. */
bool gl_api_is_current(const struct gl_api *api);

/* "GL_OUT_OF_MEMORY" and so on. */
const char *gl_error_name(uint32_t error);
