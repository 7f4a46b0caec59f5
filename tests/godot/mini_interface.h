/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What InvertEffect looks up in the engine's interface, and calls by it. */
#ifndef FOVEA_TESTS_GODOT_MINI_INTERFACE_H
#define FOVEA_TESTS_GODOT_MINI_INTERFACE_H

#include "gdextension.h"

typedef uint64_t word; /* StringName, String, RID, an Array */

struct packed {
    word words[2];
};
struct variant_words {
    word words[3];
};

struct mini_interface {
    void *library;
    void (*name)(void *out, const char *text, uint8_t is_static);
    void (*string)(void *out, const char *text);
    void (*finish_name)(void *);
    void (*finish_string)(void *);
    void (*init_bytes)(void *, const void *const *), (*finish_bytes)(void *);
    void (*resize)(void *base, const void *const *args, void *ret, int32_t count);
    uint8_t *(*byte)(void *bytes, int64_t index);
    void (*init_array)(void *, const void *const *), (*finish_array)(void *);
    void (*append)(void *base, const void *const *args, void *ret, int32_t count);
    void (*array_set_typed)(void *, int32_t, const void *, const void *);
    void (*from_object)(void *, void *), (*from_float)(void *, void *), (*from_int)(void *, void *);
    void (*from_bool)(void *, void *), (*from_bytes)(void *, void *);
    void (*to_float)(void *, void *), (*to_int)(void *, void *);
    void (*variant_destroy)(void *);
    void *(*singleton)(const void *name);
    void *(*construct)(const void *name);
    const void *(*bind)(const void *class_name, const void *name, int64_t hash);
    void (*ptrcall)(const void *bind, void *self, const void *const *args, void *ret);
    void (*set_instance)(void *, const void *, void *);
    void (*set_binding)(void *, void *, void *, const struct gd_binding_callbacks *);
    void (*destroy)(void *);
    void (*print_error)(const char *, const char *, const char *, const char *, int32_t, uint8_t);
    void (*custom_callable)(void *, struct gd_custom_callable *);
    gd_get_proc_fn get;
};
extern struct mini_interface gd;

#define ARGS(...) ((const void *const[]){__VA_ARGS__})

void mini_look_up(void);
/* Looks the method up each time: a test is not in a hurry. */
void mini_call(void *self, const char *class_name, const char *method, int64_t hash,
               const void *const *args, void *ret);
/* An engine's RefCounted object with one reference, and its end. */
void *mini_make(const char *class_name);
void mini_unmake(void *object);
void mini_fill(struct packed *bytes, const void *from, int64_t size);

#endif
