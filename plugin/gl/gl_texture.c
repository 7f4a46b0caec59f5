/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_texture.h"

#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Kinds of textures by what the driver says of their values: bits of red, green, blue. */
static const struct kind {
    int32_t type; /* of red */
    int32_t bits[3];
    enum fovea_format format;
    uint32_t gl_format;
    uint32_t gl_type;
} KINDS[] = {
    {GL_UNSIGNED_NORMALIZED, {8, 8, 8}, FOVEA_FORMAT_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
    {GL_UNSIGNED_NORMALIZED,
     {10, 10, 10},
     FOVEA_FORMAT_A2B10G10R10,
     GL_RGBA,
     GL_UNSIGNED_INT_2_10_10_10_REV},
    {GL_FLOAT, {11, 11, 10}, FOVEA_FORMAT_B10G11R11F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
    {GL_FLOAT, {16, 16, 16}, FOVEA_FORMAT_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
    {GL_FLOAT, {32, 32, 32}, FOVEA_FORMAT_RGBA32F, GL_RGBA, GL_FLOAT},
};

static int32_t level_number(const struct gl_api *api, uint32_t target, uint32_t name)
{
    int32_t value = 0;
    api->GetTexLevelParameteriv(target, 0, name, &value);
    return value;
}

static const struct kind *kind_of(const struct gl_api *api, uint32_t target, int32_t bits[3],
                                  int32_t *out_type)
{
    *out_type = level_number(api, target, GL_TEXTURE_RED_TYPE);
    bits[0] = level_number(api, target, GL_TEXTURE_RED_SIZE);
    bits[1] = level_number(api, target, GL_TEXTURE_GREEN_SIZE);
    bits[2] = level_number(api, target, GL_TEXTURE_BLUE_SIZE);
    if (level_number(api, target, GL_TEXTURE_COMPRESSED)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        if (KINDS[i].type == *out_type && !memcmp(KINDS[i].bits, bits, sizeof KINDS[i].bits)) {
            return &KINDS[i];
        }
    }
    return NULL;
}

static uint32_t binding_of(uint32_t target)
{
    return target == GL_TEXTURE_RECTANGLE ? GL_TEXTURE_BINDING_RECTANGLE : GL_TEXTURE_BINDING_2D;
}

/* Its target's texture is bound. */
static enum fovea_result look_bound(const struct gl_api *api, struct gl_texture *texture,
                                    char *out_why, size_t why_bytes)
{
    const uint32_t target = texture->given.target;
    const int32_t width = level_number(api, target, GL_TEXTURE_WIDTH);
    const int32_t height = level_number(api, target, GL_TEXTURE_HEIGHT);
    int32_t bits[3];
    int32_t type = 0;
    const struct kind *kind = kind_of(api, target, bits, &type);
    if (width < 1 || height < 1) {
        snprintf(out_why, why_bytes, "texture %u has no level 0 of target 0x%x",
                 texture->given.name, target);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!kind) {
        snprintf(out_why, why_bytes,
                 "texture %u has the internal format 0x%x, of %d, %d, %d bits and type 0x%x; it "
                 "must be one that fovea_gl.h lists, as RGBA8, SRGB8_ALPHA8, RGBA16F or RGBA32F",
                 texture->given.name,
                 (unsigned)level_number(api, target, GL_TEXTURE_INTERNAL_FORMAT), bits[0], bits[1],
                 bits[2], (unsigned)type);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    texture->width_px = (uint32_t)width;
    texture->height_px = (uint32_t)height;
    texture->format = kind->format;
    texture->gl_format = kind->gl_format;
    texture->gl_type = kind->gl_type;
    return FOVEA_OK;
}

enum fovea_result gl_texture_look(const struct gl_api *api, const struct fovea_gl_texture *given,
                                  struct gl_texture *out, char *out_why, size_t why_bytes)
{
    *out = (struct gl_texture){.given = *given};
    if (out->given.target == 0) {
        out->given.target = GL_TEXTURE_2D;
    }
    if (out->given.target != GL_TEXTURE_2D && out->given.target != GL_TEXTURE_RECTANGLE) {
        snprintf(out_why, why_bytes,
                 "target 0x%x is neither GL_TEXTURE_2D nor GL_TEXTURE_RECTANGLE (of several "
                 "samples: resolve them first)",
                 out->given.target);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!api->IsTexture(given->name)) {
        snprintf(out_why, why_bytes, "%u is no texture of the context that is current",
                 given->name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    api->BindTexture(out->given.target, given->name);
    if (api->GetError() != GL_NO_ERROR) {
        snprintf(out_why, why_bytes, "texture %u is of another target than 0x%x", given->name,
                 out->given.target);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return look_bound(api, out, out_why, why_bytes);
}

/* ---- State */

static const uint32_t PACK[] = {GL_PACK_SWAP_BYTES,  GL_PACK_LSB_FIRST,   GL_PACK_ROW_LENGTH,
                                GL_PACK_SKIP_ROWS,   GL_PACK_SKIP_PIXELS, GL_PACK_ALIGNMENT,
                                GL_PACK_SKIP_IMAGES, GL_PACK_IMAGE_HEIGHT};
static const int32_t PACKED[] = {0, 0, 0, 0, 0, 1, 0, 0};
static const uint32_t UNPACK[] = {GL_UNPACK_SWAP_BYTES, GL_UNPACK_LSB_FIRST,   GL_UNPACK_ROW_LENGTH,
                                  GL_UNPACK_SKIP_ROWS,  GL_UNPACK_SKIP_PIXELS, GL_UNPACK_ALIGNMENT};
_Static_assert(COUNT_OF(PACK) == COUNT_OF(((struct gl_state *)0)->pack), "all are kept");
_Static_assert(COUNT_OF(UNPACK) == COUNT_OF(((struct gl_state *)0)->unpack), "all are kept");

static void store(const struct gl_api *api, const uint32_t *names, size_t count,
                  const int32_t *values)
{
    for (size_t i = 0; i < count; i++) {
        api->PixelStorei(names[i], values[i]);
    }
}

static void get(const struct gl_api *api, const uint32_t *names, size_t count, int32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        api->GetIntegerv(names[i], &out[i]);
    }
}

static const uint32_t SCALES[] = {GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE};

/* Pixels arrive as they are. False: there is no room to keep what was set. */
static bool take_transfer(const struct gl_api *api)
{
    api->PushAttrib(GL_PIXEL_MODE_BIT);
    if (api->GetError() != GL_NO_ERROR) {
        return false;
    }
    api->PixelTransferf(GL_MAP_COLOR, 0.0f);
    for (size_t i = 0; i < COUNT_OF(SCALES); i++) {
        api->PixelTransferf(SCALES[i], 1.0f);
        api->PixelTransferf(SCALES[i] + 1, 0.0f); /* GL_RED_BIAS and so on */
    }
    return true;
}

void gl_state_take(const struct gl_api *api, bool with_rectangles, struct gl_state *out)
{
    memset(out, 0, sizeof *out);
    get(api, PACK, COUNT_OF(PACK), out->pack);
    get(api, UNPACK, COUNT_OF(UNPACK), out->unpack);
    api->GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &out->pack_buffer);
    api->GetIntegerv(GL_PIXEL_UNPACK_BUFFER_BINDING, &out->unpack_buffer);
    api->GetIntegerv(GL_TEXTURE_BINDING_2D, &out->texture_2d);
    if (with_rectangles) {
        api->GetIntegerv(binding_of(GL_TEXTURE_RECTANGLE), &out->texture_rectangle);
    }
    api->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    api->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    store(api, PACK, COUNT_OF(PACK), PACKED);
    store(api, UNPACK, COUNT_OF(UNPACK), PACKED);
    out->is_pushed = api->transfers && take_transfer(api);
}

void gl_state_give_back(const struct gl_api *api, bool with_rectangles,
                        const struct gl_state *state)
{
    if (state->is_pushed) {
        api->PopAttrib();
    }
    store(api, PACK, COUNT_OF(PACK), state->pack);
    store(api, UNPACK, COUNT_OF(UNPACK), state->unpack);
    api->BindBuffer(GL_PIXEL_PACK_BUFFER, (uint32_t)state->pack_buffer);
    api->BindBuffer(GL_PIXEL_UNPACK_BUFFER, (uint32_t)state->unpack_buffer);
    api->BindTexture(GL_TEXTURE_2D, (uint32_t)state->texture_2d);
    if (with_rectangles) {
        api->BindTexture(GL_TEXTURE_RECTANGLE, (uint32_t)state->texture_rectangle);
    }
}

/* ---- Pixels */

void gl_texture_read(const struct gl_api *api, const struct gl_texture *texture, void *pixels)
{
    api->BindTexture(texture->given.target, texture->given.name);
    api->GetTexImage(texture->given.target, 0, texture->gl_format, texture->gl_type, pixels);
}

void gl_texture_write(const struct gl_api *api, const struct gl_texture *texture,
                      const void *pixels)
{
    api->BindTexture(texture->given.target, texture->given.name);
    api->TexSubImage2D(texture->given.target, 0, 0, 0, (int32_t)texture->width_px,
                       (int32_t)texture->height_px, texture->gl_format, texture->gl_type, pixels);
}
