/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_spirv.h"

#include <stdlib.h>

#define MAGIC 0x07230203u
#define HEADER_WORDS 5
#define MAX_IDS 65536u
#define MAX_MEMBERS 32

/* The numbers are those of SPIR-V's specification. */
enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
};
enum {
    DECORATION_SPEC_ID = 1,
    DECORATION_BUFFER_BLOCK = 3,
    DECORATION_NON_WRITABLE = 24,
    DECORATION_BINDING = 33,
    DECORATION_DESCRIPTOR_SET = 34,
    DECORATION_OFFSET = 35,
};
enum {
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_UNIFORM = 2,
    STORAGE_PUSH_CONSTANT = 9,
    STORAGE_STORAGE_BUFFER = 12,
};

struct id {
    const uint32_t *type; /* the instruction of a type; NULL: it is none */
    int32_t binding; /* -1: none */
    int32_t set;
    int32_t special; /* constant_id; -1: none */
    uint32_t written_never; /* members that are NonWritable; of variables 1 */
    uint32_t member_offsets[MAX_MEMBERS];
    bool buffer_block; /* how SPIR-V before 1.3 marks a storage buffer */
};

struct module {
    const uint32_t *words;
    uint32_t word_count;
    uint32_t id_count;
    struct id *ids;
};

static uint32_t opcode(const uint32_t *instruction)
{
    return instruction[0] & 0xffffu;
}

static uint32_t length(const uint32_t *instruction)
{
    return instruction[0] >> 16;
}

/* NULL: the id is out of bounds. */
static struct id *id_at(const struct module *module, uint32_t id)
{
    return id < module->id_count ? &module->ids[id] : NULL;
}

static void decorate(struct id *id, uint32_t decoration, uint32_t value)
{
    switch (decoration) {
    case DECORATION_SPEC_ID:
        id->special = (int32_t)value;
        break;
    case DECORATION_BUFFER_BLOCK:
        id->buffer_block = true;
        break;
    case DECORATION_NON_WRITABLE:
        id->written_never = 1;
        break;
    case DECORATION_BINDING:
        id->binding = (int32_t)value;
        break;
    case DECORATION_DESCRIPTOR_SET:
        id->set = (int32_t)value;
        break;
    default:
        break;
    }
}

static void decorate_member(struct id *id, uint32_t member, uint32_t decoration, uint32_t value)
{
    if (decoration == DECORATION_NON_WRITABLE) {
        id->written_never++;
    } else if (decoration == DECORATION_OFFSET && member < MAX_MEMBERS) {
        id->member_offsets[member] = value;
    }
}

/* ---- Bytes of push constants, as the engine's reflection has them: a struct ends at a multiple
 * of 16. */

static uint32_t round_up(uint32_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static uint32_t size_of(const struct module *module, uint32_t type_id, int depth)
{
    const struct id *id = id_at(module, type_id);
    if (!id || !id->type || depth > 4) {
        return 0;
    }
    const uint32_t *type = id->type;
    switch (opcode(type)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        return type[2] / 8;
    case OP_TYPE_VECTOR:
        return type[3] * size_of(module, type[2], depth + 1);
    case OP_TYPE_STRUCT: {
        const uint32_t count = length(type) - 2;
        return count == 0 || count > MAX_MEMBERS
                   ? 0
                   : round_up(id->member_offsets[count - 1] +
                              size_of(module, type[1 + count], depth + 1));
    }
    default:
        return 0;
    }
}

/* ---- Variables and constants */

static enum godot_uniform type_of(const struct id *type, uint32_t storage)
{
    const uint32_t op = opcode(type->type);
    if (op == OP_TYPE_IMAGE && length(type->type) > 7) {
        return type->type[7] == 2 ? GODOT_UNIFORM_IMAGE : GODOT_UNIFORM_TEXTURE;
    }
    if (op == OP_TYPE_STRUCT) {
        return storage == STORAGE_STORAGE_BUFFER || type->buffer_block ? GODOT_UNIFORM_STORAGE
                                                                       : GODOT_UNIFORM_BUFFER;
    }
    return GODOT_UNIFORM_NONE;
}

static bool is_written(const struct id *variable, const struct id *type, enum godot_uniform kind)
{
    const bool block = kind == GODOT_UNIFORM_STORAGE;
    const bool never =
        variable->written_never > 0 || (block && type->written_never >= length(type->type) - 2);
    return (block || kind == GODOT_UNIFORM_IMAGE) && !never;
}

static bool add_variable(const struct module *module, const uint32_t *instruction,
                         struct godot_spirv *out)
{
    const struct id *pointer = id_at(module, instruction[1]);
    const struct id *variable = id_at(module, instruction[2]);
    const uint32_t storage = instruction[3];
    if (!pointer || !pointer->type || length(pointer->type) < 4 || !variable) {
        return false;
    }
    if (storage == STORAGE_PUSH_CONSTANT) {
        out->constant_bytes = size_of(module, pointer->type[3], 0);
        return out->constant_bytes > 0;
    }
    if (storage != STORAGE_UNIFORM_CONSTANT && storage != STORAGE_UNIFORM &&
        storage != STORAGE_STORAGE_BUFFER) {
        return true;
    }
    const struct id *type = id_at(module, pointer->type[3]);
    if (!type || !type->type || variable->set != 0 || variable->binding < 0 ||
        variable->binding >= GODOT_SPIRV_BINDINGS) {
        return false;
    }
    const enum godot_uniform kind = type_of(type, storage);
    out->bindings[variable->binding].type = kind;
    out->bindings[variable->binding].writable = is_written(variable, type, kind);
    return kind != GODOT_UNIFORM_NONE;
}

static bool add_special(const struct module *module, const uint32_t *instruction,
                        struct godot_spirv *out)
{
    const struct id *constant = id_at(module, instruction[2]);
    if (!constant || constant->special >= GODOT_SPIRV_SPECIALS) {
        return false;
    }
    if (constant->special >= 0) {
        out->specials[constant->special].declared = true;
        out->specials[constant->special].is_bool = opcode(instruction) != OP_SPEC_CONSTANT;
    }
    return true;
}

/* Decorations and types come before variables. */
static bool read_instruction(const struct module *module, const uint32_t *at,
                             struct godot_spirv *out)
{
    const uint32_t words = length(at);
    struct id *id = words > 1 ? id_at(module, at[1]) : NULL;
    switch (opcode(at)) {
    case OP_DECORATE:
        if (id && words > 2) {
            decorate(id, at[2], words > 3 ? at[3] : 0);
        }
        return id;
    case OP_MEMBER_DECORATE:
        if (id && words > 3) {
            decorate_member(id, at[2], at[3], words > 4 ? at[4] : 0);
        }
        return id;
    case OP_TYPE_BOOL:
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
    case OP_TYPE_VECTOR:
    case OP_TYPE_IMAGE:
    case OP_TYPE_STRUCT:
    case OP_TYPE_POINTER:
        if (id) {
            id->type = at;
        }
        return id;
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
    case OP_SPEC_CONSTANT:
        return words > 2 && add_special(module, at, out);
    case OP_VARIABLE:
        return words > 3 && add_variable(module, at, out);
    default:
        return true;
    }
}

static bool read_module(const struct module *module, struct godot_spirv *out)
{
    for (uint32_t i = 0; i < module->id_count; i++) {
        module->ids[i].binding = module->ids[i].special = -1;
    }
    uint32_t at = HEADER_WORDS;
    while (at < module->word_count) {
        const uint32_t *instruction = &module->words[at];
        const uint32_t words = length(instruction);
        if (words == 0 || words > module->word_count - at ||
            !read_instruction(module, instruction, out)) {
            return false;
        }
        at += words;
    }
    return true;
}

bool godot_spirv_read(const uint32_t *code, size_t bytes, struct godot_spirv *out)
{
    *out = (struct godot_spirv){0};
    const size_t words = bytes / 4;
    if (words <= HEADER_WORDS || words > UINT32_MAX || code[0] != MAGIC || code[3] > MAX_IDS) {
        return false;
    }
    struct module module = {.words = code, .word_count = (uint32_t)words, .id_count = code[3]};
    module.ids = calloc(module.id_count, sizeof *module.ids);
    const bool read = module.ids && read_module(&module, out);
    free(module.ids);
    return read;
}
