/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads what a compute shader declares from its SPIR-V, as the specification has it. */

#include "rd.h"

#include <stdlib.h>
#include <string.h>

#define IDS_AT_MOST_READ 65536

enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT,
    OP_TYPE_FLOAT,
    OP_TYPE_VECTOR,
    OP_TYPE_MATRIX,
    OP_TYPE_IMAGE,
    OP_TYPE_SAMPLER,
    OP_TYPE_SAMPLED_IMAGE,
    OP_TYPE_ARRAY,
    OP_TYPE_RUNTIME_ARRAY,
    OP_TYPE_STRUCT,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE,
    OP_SPEC,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE
};
enum {
    SPEC_ID = 1,
    BUFFER_BLOCK = 3,
    ARRAY_STRIDE = 6,
    MATRIX_STRIDE = 7,
    NON_WRITABLE = 24,
    BINDING = 33,
    SET,
    OFFSET
};
enum { UNIFORM_CONSTANT, UNIFORM = 2, PUSH_CONSTANT = 9, STORAGE_CLASS = 12 };

struct id {
    uint16_t op;
    uint32_t at; /* of its instruction, in words */
    uint32_t set, binding, spec_id, stride;
    bool has_binding, has_spec_id, buffer_block, non_writable;
};
struct module {
    const uint32_t *words;
    size_t count;
    struct id *ids;
    uint32_t bound;
};

static void decorate(struct module *module, uint32_t at, uint32_t length)
{
    struct id *id = &module->ids[module->words[at + 1] % module->bound];
    const uint32_t value = length > 3 ? module->words[at + 3] : 0;
    switch (module->words[at + 2]) {
    case SPEC_ID:
        id->spec_id = value;
        id->has_spec_id = true;
        break;
    case BUFFER_BLOCK:
        id->buffer_block = true;
        break;
    case ARRAY_STRIDE:
        id->stride = value;
        break;
    case NON_WRITABLE:
        id->non_writable = true;
        break;
    case BINDING:
        id->binding = value;
        id->has_binding = true;
        break;
    case SET:
        id->set = value;
        break;
    default:
        break;
    }
}

/* Returns which word of an instruction is the id of its result; 0: it has none that matters here.
 */
static uint32_t result_word(uint32_t op)
{
    if (op >= OP_TYPE_BOOL && op <= OP_TYPE_POINTER) {
        return 1;
    }
    return op == OP_CONSTANT || (op >= OP_SPEC_TRUE && op <= OP_SPEC) || op == OP_VARIABLE ? 2 : 0;
}

static bool read_ids(struct module *module)
{
    for (uint32_t at = 5; at < module->count;) {
        const uint32_t op = module->words[at] & 0xffff, length = module->words[at] >> 16;
        if (length == 0 || at + length > module->count) {
            return false;
        }
        if (op == OP_DECORATE && length >= 3) {
            decorate(module, at, length);
        }
        const uint32_t result = result_word(op);
        if (result && result < length) {
            struct id *id = &module->ids[module->words[at + result] % module->bound];
            id->op = (uint16_t)op;
            id->at = at;
        }
        at += length;
    }
    return true;
}

static const uint32_t *word(const struct module *module, uint32_t id, uint32_t index)
{
    return &module->words[module->ids[id % module->bound].at + index];
}

static uint32_t member_decoration(const struct module *module, uint32_t type, uint32_t member,
                                  uint32_t decoration)
{
    for (uint32_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const uint32_t *w = &module->words[at];
        if ((w[0] & 0xffff) == OP_MEMBER_DECORATE && w[0] >> 16 > 4 && w[1] == type &&
            w[2] == member && w[3] == decoration) {
            return w[4];
        }
    }
    return 0;
}

/* Nesting is of blocks in blocks: recursion ends with the types. */
static uint32_t type_bytes(const struct module *module, uint32_t type, uint32_t matrix_stride)
{
    const uint32_t op = module->ids[type % module->bound].op;
    switch (op) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        return *word(module, type, 2) / 8;
    case OP_TYPE_VECTOR:
        return *word(module, type, 3) * type_bytes(module, *word(module, type, 2), 0);
    case OP_TYPE_MATRIX:
        return *word(module, type, 3) * matrix_stride;
    case OP_TYPE_ARRAY:
        return *word(module, *word(module, type, 3), 3) * module->ids[type % module->bound].stride;
    case OP_TYPE_STRUCT: {
        const uint32_t members = (*word(module, type, 0) >> 16) - 2;
        uint32_t end = 0;
        for (uint32_t i = 0; i < members; i++) {
            const uint32_t last = member_decoration(module, type, i, OFFSET) +
                                  type_bytes(module, *word(module, type, 2 + i),
                                             member_decoration(module, type, i, MATRIX_STRIDE));
            end = last > end ? last : end;
        }
        return end;
    }
    default:
        return 4;
    }
}

static VkFormat image_format(uint32_t format)
{
    static const VkFormat formats[40] = {[1] = VK_FORMAT_R32G32B32A32_SFLOAT,
                                         [2] = VK_FORMAT_R16G16B16A16_SFLOAT,
                                         [3] = VK_FORMAT_R32_SFLOAT,
                                         [4] = VK_FORMAT_R8G8B8A8_UNORM,
                                         [6] = VK_FORMAT_R32G32_SFLOAT,
                                         [7] = VK_FORMAT_R16G16_SFLOAT,
                                         [8] = VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                         [9] = VK_FORMAT_R16_SFLOAT,
                                         [10] = VK_FORMAT_R16G16B16A16_UNORM,
                                         [30] = VK_FORMAT_R32G32B32A32_UINT,
                                         [31] = VK_FORMAT_R16G16B16A16_UINT,
                                         [32] = VK_FORMAT_R8G8B8A8_UINT,
                                         [33] = VK_FORMAT_R32_UINT,
                                         [35] = VK_FORMAT_R32G32_UINT};
    return format < 40 ? formats[format] : VK_FORMAT_UNDEFINED;
}

static int uniform_type(const struct module *module, uint32_t type, uint32_t storage,
                        VkFormat *format)
{
    const struct id *id = &module->ids[type % module->bound];
    if (id->op == OP_TYPE_STRUCT) {
        return storage == STORAGE_CLASS || id->buffer_block ? UNIFORM_STORAGE_BUFFER
                                                            : UNIFORM_BUFFER;
    }
    if (id->op == OP_TYPE_IMAGE) {
        const bool stored = *word(module, type, 7) == 2;
        *format = stored ? image_format(*word(module, type, 8)) : VK_FORMAT_UNDEFINED;
        return stored ? UNIFORM_IMAGE : UNIFORM_TEXTURE;
    }
    return id->op == OP_TYPE_SAMPLED_IMAGE ? UNIFORM_SAMPLER_WITH_TEXTURE
           : id->op == OP_TYPE_SAMPLER     ? UNIFORM_SAMPLER
                                           : -1;
}

/* A block is that of which each member is. */
static bool is_non_writable(const struct module *module, uint32_t variable, uint32_t type)
{
    const bool block = module->ids[type % module->bound].op == OP_TYPE_STRUCT;
    const uint32_t members = block ? (*word(module, type, 0) >> 16) - 2 : 0;
    uint32_t decorated = 0;
    for (uint32_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const uint32_t *w = &module->words[at];
        decorated += (w[0] & 0xffff) == OP_MEMBER_DECORATE && w[1] == type && w[3] == NON_WRITABLE;
    }
    return module->ids[variable].non_writable || (members > 0 && decorated == members);
}

static const char *read_variable(const struct module *module, uint32_t id,
                                 struct shader_reflection *out)
{
    const uint32_t storage = *word(module, id, 3);
    const uint32_t type = *word(module, *word(module, id, 1), 3);
    const struct id *variable = &module->ids[id];
    if (storage == PUSH_CONSTANT) {
        out->push_bytes = (type_bytes(module, type, 0) + 15) / 16 * 16;
        return out->push_bytes > PUSH_BYTES_AT_MOST ? "push constants over 128 bytes" : NULL;
    }
    if (!variable->has_binding) {
        return NULL;
    }
    struct shader_binding binding = {.set = variable->set, .binding = variable->binding};
    binding.type = uniform_type(module, type, storage, &binding.format);
    binding.writable = (binding.type == UNIFORM_IMAGE || binding.type == UNIFORM_STORAGE_BUFFER) &&
                       !is_non_writable(module, id, type);
    binding.bytes =
        binding.type == UNIFORM_BUFFER ? (type_bytes(module, type, 0) + 15) / 16 * 16 : 0;
    if (binding.type < 0 || binding.set >= SETS_AT_MOST || out->binding_count == BINDINGS_AT_MOST) {
        return "a binding of a kind that the host has not";
    }
    out->bindings[out->binding_count++] = binding;
    return NULL;
}

static const char *read_all(const struct module *module, struct shader_reflection *out)
{
    const char *wrong = NULL;
    for (uint32_t id = 0; id < module->bound && !wrong; id++) {
        const struct id *it = &module->ids[id];
        if (it->op == OP_VARIABLE) {
            wrong = read_variable(module, id, out);
        } else if (it->has_spec_id && out->constant_count < 16) {
            const uint32_t type = *word(module, id, 1);
            const bool is_float = module->ids[type % module->bound].op == OP_TYPE_FLOAT;
            out->constants[out->constant_count++] =
                (struct shader_constant){it->spec_id, it->op != OP_SPEC ? GD_BOOL
                                                      : is_float        ? GD_FLOAT
                                                                        : GD_INT};
        }
    }
    return wrong;
}

const char *spirv_reflect(const uint8_t *bytes, size_t size, struct shader_reflection *out)
{
    *out = (struct shader_reflection){0};
    if (size < 20 || size % 4) {
        return "no SPIR-V";
    }
    uint32_t *words = malloc(size);
    memcpy(words, bytes, size);
    struct module module = {words, size / 4, NULL, words[3]};
    const char *wrong = "no SPIR-V, or more ids than the host reads";
    if (words[0] == 0x07230203 && module.bound > 0 && module.bound <= IDS_AT_MOST_READ) {
        module.ids = calloc(module.bound, sizeof *module.ids);
        wrong = read_ids(&module) ? read_all(&module, out) : "SPIR-V that is cut off";
    }
    free(module.ids);
    free(words);
    return wrong;
}
