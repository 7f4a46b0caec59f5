/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Signatures, the hashes that are made from them, and calls that they decode. */

#include "host_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[GD_TYPE_COUNT] = {
    "Variant",     "bool",       "int",   "float",      "String", "Vector2",
    "Vector2i",    NULL,         NULL,    "Vector3",    NULL,     NULL,
    NULL,          NULL,         NULL,    NULL,         NULL,     NULL,
    "Transform3D", "Projection", "Color", "StringName", NULL,     "RID",
    NULL,          "Callable",   NULL,    NULL,         "Array",  "PackedByteArray"};

/* ---- Signatures ---- */

static int type_of(const char *name)
{
    for (int i = 0; i < GD_TYPE_COUNT; i++) {
        if (type_names[i] && strcmp(type_names[i], name) == 0) {
            return i;
        }
    }
    return strcmp(name, "void") == 0 ? -1 : name[0] == '#' ? GD_INT : GD_OBJECT;
}

static bool slot_read(const char *text, size_t length, struct slot *out)
{
    char word[80];
    if (length >= sizeof word) {
        return false;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    char *equals = strchr(word, '=');
    if (equals) {
        *equals = '\0';
        out->has_default = true;
        if (strlen(equals + 1) >= sizeof out->default_text) {
            return false;
        }
        strcpy(out->default_text, equals + 1);
    }
    out->type = type_of(word);
    const char *class_name = word[0] == '#' ? word + 1 : out->type == GD_OBJECT ? word : "";
    if (strlen(class_name) >= sizeof out->class_name) {
        return false;
    }
    strcpy(out->class_name, class_name);
    return true;
}

static bool read_signature(const char *text, struct signature *out)
{
    *out = (struct signature){0};
    const char *open = strchr(text, '('), *close = strchr(text, ')');
    bool right = open && close && slot_read(text, (size_t)(open - text), &out->ret);
    for (const char *at = open ? open + 1 : NULL; right && at < close;) {
        size_t length = strcspn(at, ",)");
        if (strncmp(at, "...", 3) == 0) {
            out->is_vararg = true;
        } else {
            right = out->count < 10 && slot_read(at, length, &out->args[out->count]);
            out->count++;
        }
        at += length + 1;
    }
    out->is_const = right && strcmp(close + 1, " const") == 0;
    return right;
}

/* ---- Hashes: murmur3 of 32-bit words, as the engine has it ---- */

#define SEED 0x7F07C65u

static uint32_t mix(uint32_t word, uint32_t hash)
{
    word *= 0xcc9e2d51u;
    word = word << 15 | word >> 17;
    word *= 0x1b873593u;
    hash ^= word;
    hash = hash << 13 | hash >> 19;
    return hash * 5 + 0xe6546b64u;
}

static uint32_t finish(uint32_t hash)
{
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

uint32_t builtin_hash(int ret, bool is_const, const int *args, int count)
{
    uint32_t hash = mix(ret >= 0, mix(0, mix(0, mix(is_const, SEED)))); /* static, vararg: no */
    if (ret >= 0) {
        hash = mix((uint32_t)ret, hash);
    }
    hash = mix((uint32_t)count, hash);
    for (int i = 0; i < count; i++) {
        hash = mix((uint32_t)args[i], hash);
    }
    return finish(hash);
}

/* ---- Method binds ---- */

struct bind {
    struct bind *next;
    const struct method *method;
    struct signature signature;
};
static struct bind *binds; /* one for each that was looked up, as long as the program runs */

static const struct bind *bind_of(const struct method *method, const char *signature)
{
    struct bind *bind = calloc(1, sizeof *bind);
    bind->method = method;
    if (!read_signature(signature, &bind->signature)) {
        engine_error("signature %s cannot be read", signature);
    }
    bind->next = binds;
    binds = bind;
    return bind;
}

static bool is_refused(const char *class_name, const char *name)
{
    const char *refused = the_host.options.refused;
    const size_t length = strlen(class_name);
    return refused && strncmp(refused, class_name, length) == 0 && refused[length] == '.' &&
           strcmp(refused + length + 1, name) == 0;
}

/* The second hash came with 4.4; the first is kept by compatibility methods. */
static const struct bind *row_bind(const struct method *row, int64_t hash)
{
    if (row->since > the_host.options.minor) {
        return NULL;
    }
    if (hash == row->hash) {
        return bind_of(row, row->signature);
    }
    return row->other_hash && hash == row->other_hash && the_host.options.minor >= 4
               ? bind_of(row, row->other_signature)
               : NULL;
}

static const void *get_method_bind(const void *class_name, const void *name, int64_t hash)
{
    const char *method = name_text(name);
    const struct bind *found = NULL;
    for (const struct class_row *row = class_find(name_text(class_name)); row && !found;
         row = class_find(row->parent)) {
        for (uint32_t i = 0; i < method_row_count && !found; i++) {
            if (strcmp(method_rows[i].class_name, row->name) == 0 &&
                strcmp(method_rows[i].name, method) == 0 && !is_refused(row->name, method)) {
                found = row_bind(&method_rows[i], hash);
            }
        }
    }
    if (!found) {
        the_host.counts.refused_hashes++;
        engine_error("Method '%s.%s' with hash %lld is not found.", name_text(class_name), method,
                     (long long)hash);
    }
    return found;
}

/* ---- Arguments ---- */

/* Object arguments are taken by a Ref for the call: unclaimed ones are claimed, and gone after. */
static bool take_object(const struct slot *slot, struct object *object, union cell *out)
{
    out->object = object;
    if (!object) {
        return true;
    }
    if (!object_alive(object) || !class_is(object->row, slot->class_name)) {
        engine_error("an argument is no live %s", slot->class_name);
        out->object = NULL;
        return false;
    }
    object_reference(object);
    return true;
}

static bool decode(const struct slot *slot, const void *arg, union cell *out)
{
    switch (slot->type) {
    case GD_BOOL:
        out->b = *(const uint8_t *)arg != 0;
        return true;
    case GD_OBJECT:
        return take_object(slot, *(struct object *const *)arg, out);
    case GD_STRING:
    case GD_STRING_NAME:
    case GD_ARRAY:
    case GD_PACKED_BYTE_ARRAY:
    case GD_CALLABLE:
    case GD_NIL:
        out->opaque = arg;
        return slot->type != GD_ARRAY || *(void *const *)arg;
    default:
        memcpy(out, arg, value_bytes[slot->type]);
        return true;
    }
}

static void encode(const struct slot *slot, union cell *value, void *ret)
{
    switch (slot->type) {
    case -1:
        break;
    case GD_BOOL:
        *(uint8_t *)ret = value->b;
        break;
    case GD_NIL:
        memcpy(ret, value, sizeof(struct variant));
        break;
    case GD_OBJECT: {
        struct object **ref = ret;
        if (*ref && value->object && value->object->row->ref_counted) {
            engine_error("a Ref for a returned object is not empty");
        }
        *ref = value->object;
        break;
    }
    case GD_STRING:
    case GD_STRING_NAME:
    case GD_ARRAY:
    case GD_PACKED_BYTE_ARRAY:
        value_finish(slot->type, ret); /* it is assigned, thus must have been made */
        memcpy(ret, value, value_bytes[slot->type]);
        break;
    default:
        memcpy(ret, value, value_bytes[slot->type]);
    }
}

static void release_arguments(const struct signature *signature, struct call *call)
{
    for (int i = 0; i < signature->count; i++) {
        struct object *object = call->args[i].object;
        if (signature->args[i].type == GD_OBJECT && object && object->row->ref_counted) {
            object_drop(object);
        }
    }
}

static bool may_run(const struct bind *bind, struct object *self)
{
    if (!bind || !object_alive(self) || !class_is(self->row, bind->method->class_name)) {
        engine_error("%s.%s is called on no live object of its class",
                     bind ? bind->method->class_name : "?", bind ? bind->method->name : "?");
        return false;
    }
    if (strcmp(bind->method->class_name, "RenderingDevice") == 0 && !on_render_thread()) {
        engine_error("RenderingDevice.%s is called outside the render thread", bind->method->name);
        return false;
    }
    return true;
}

static void ptrcall(const void *method_bind, void *self, const void *const *args, void *ret)
{
    const struct bind *bind = method_bind;
    if (!may_run(bind, self)) {
        return;
    }
    const struct signature *signature = &bind->signature;
    struct call call = {.method = bind->method, .self = self};
    bool right = !signature->is_vararg;
    for (int i = 0; i < signature->count && right; i++) {
        right = decode(&signature->args[i], args[i], &call.args[i]);
    }
    if (right && (signature->ret.type == -1 || ret)) {
        char what[128];
        snprintf(what, sizeof what, "%s.%s", bind->method->class_name, bind->method->name);
        if (host_may(what)) {
            bind->method->run(&call);
        }
        encode(&signature->ret, &call.ret, ret);
    } else {
        engine_error("%s.%s: wrong arguments", bind->method->class_name, bind->method->name);
    }
    release_arguments(signature, &call);
}

/* An argument's value from its Variant, or from its default. */
static bool from_variant(const struct slot *slot, const struct variant *variant, uint64_t *words)
{
    if (variant && slot->type == GD_NIL) {
        memcpy(words, variant, sizeof *variant); /* borrowed */
        return true;
    }
    if (variant) {
        return variant_to(variant, slot->type, words);
    }
    if (!slot->has_default) {
        return false;
    }
    memset(words, 0, 64);
    if (slot->type == GD_ARRAY) {
        value_init(GD_ARRAY, words);
    } else if (slot->type == GD_INT) {
        *(int64_t *)words = strtoll(slot->default_text, NULL, 10);
    } else if (slot->type == GD_BOOL) {
        *(uint8_t *)words = strcmp(slot->default_text, "true") == 0;
    }
    return true;
}

static void method_call(const void *method_bind, void *self, const void *const *args, int64_t count,
                        void *ret, struct gd_call_error *error)
{
    const struct bind *bind = method_bind;
    *error = (struct gd_call_error){0};
    *(struct variant *)ret = (struct variant){0};
    if (!may_run(bind, self)) {
        error->error = 4; /* INSTANCE_IS_NULL */
        return;
    }
    const struct signature *signature = &bind->signature;
    struct call call = {
        .method = bind->method, .self = self, .variants = args, .variant_count = count};
    uint64_t words[10][8] = {{0}};
    bool right = count <= signature->count || signature->is_vararg;
    int taken = 0;
    for (; taken < signature->count && right; taken++) {
        right = from_variant(&signature->args[taken], taken < count ? args[taken] : NULL,
                             words[taken]) &&
                decode(&signature->args[taken], words[taken], &call.args[taken]);
    }
    uint64_t returned[8] = {0};
    if (right) {
        bind->method->run(&call);
        memcpy(returned, &call.ret, sizeof call.ret);
        if (signature->ret.type == GD_NIL) {
            memcpy(ret, returned, sizeof(struct variant));
        } else if (signature->ret.type >= 0) {
            variant_from(ret, signature->ret.type, returned);
            if (signature->ret.type == GD_OBJECT && call.ret.object) {
                object_drop(call.ret.object); /* the Variant has its own reference */
            }
            value_finish(signature->ret.type, returned);
        }
    } else {
        error->error = 2; /* INVALID_ARGUMENT */
        error->argument = taken - 1;
    }
    release_arguments(signature, &call);
    for (int i = 0; i < taken; i++) {
        if (signature->args[i].type != GD_NIL) {
            value_finish(signature->args[i].type, words[i]);
        }
    }
}

INTERFACE(classdb_get_method_bind, 1, get_method_bind);
INTERFACE(object_method_bind_ptrcall, 1, ptrcall);
INTERFACE(object_method_bind_call, 1, method_call);
