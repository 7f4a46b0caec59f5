/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Methods of the objects that describe something: formats, uniforms, shaders, effects;
 * and of the small singletons. */

#include "resources.h"

#include "host_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void method_set_field(struct call *call)
{
    struct fields *fields = call->self->data;
    fields->values[call->method->field] = call->args[0].i;
    fields->set[call->method->field] = true;
}

/* RDTextureFormat has these values unless it is told otherwise. */
static int64_t field_default(int field)
{
    static const int64_t defaults[12] = {
        [FORMAT_FORMAT] = 8, [FORMAT_WIDTH] = 1,   [FORMAT_HEIGHT] = 1, [FORMAT_DEPTH] = 1,
        [FORMAT_LAYERS] = 1, [FORMAT_MIPMAPS] = 1, [FORMAT_TYPE] = 1};
    return defaults[field];
}

void method_get_field(struct call *call)
{
    const struct fields *fields = call->self->data;
    const int field = call->method->field;
    call->ret.i = fields->set[field] ? fields->values[field] : field_default(field);
}

void method_set_constant_id(struct call *call)
{
    ((struct constant_data *)call->self->data)->id = call->args[0].i;
}

void method_set_constant_value(struct call *call)
{
    struct constant_data *constant = call->self->data;
    const struct variant *value = call->args[0].variant;
    const float single = (float)value->d;
    constant->type = value->type;
    constant->value = value->type == GD_BOOL ? value->b : (uint32_t)value->i;
    if (value->type == GD_FLOAT) {
        memcpy(&constant->value, &single, sizeof single);
    } else if (value->type != GD_BOOL && value->type != GD_INT) {
        engine_error("a specialization constant is a bool, an int or a float");
    }
}

void method_set_uniform_type(struct call *call)
{
    ((struct uniform_data *)call->self->data)->type = call->args[0].i;
}

void method_set_binding(struct call *call)
{
    ((struct uniform_data *)call->self->data)->binding = call->args[0].i;
}

void method_add_id(struct call *call)
{
    struct uniform_data *uniform = call->self->data;
    if (uniform->id_count == IDS_AT_MOST) {
        engine_error("more ids than the host keeps for one uniform");
        return;
    }
    uniform->ids[uniform->id_count++] = call->args[0].rid;
}

void spirv_finish(void *data)
{
    free(((struct spirv_data *)data)->words);
}

void method_set_bytecode(struct call *call)
{
    struct spirv_data *spirv = call->self->data;
    const struct bytes *bytes = call->args[1].opaque;
    if (call->args[0].i != 4) {
        engine_error("the host has the compute stage (4) alone");
        return;
    }
    free(spirv->words);
    spirv->bytes = (size_t)bytes_size(bytes);
    spirv->words = malloc(spirv->bytes + 1);
    if (spirv->bytes > 0) {
        memcpy(spirv->words, bytes->data, spirv->bytes);
    }
}

/* ---- CompositorEffect ---- */

void method_set_callback_type(struct call *call)
{
    struct effect_data *effect = call->self->data;
    effect->type = 1 + call->args[0].i;
    effect->type_was_set = true;
}

void host_enable(struct object *effect, bool enabled)
{
    ((struct effect_data *)effect->data)->disabled = !enabled;
}

void method_get_enabled(struct call *call)
{
    call->ret.b = !((struct effect_data *)call->self->data)->disabled;
}

/* ---- Object, ProjectSettings, Engine ---- */

static void emit_signal(const struct object *object, const char *name)
{
    if (!object->extension || !host_has_signal(object->extension->name, name)) {
        engine_error("Can't emit non-existing signal \"%s\".", name);
        return;
    }
    for (size_t i = 0; i < sizeof the_host.emitted / sizeof the_host.emitted[0]; i++) {
        if (strcmp(the_host.emitted[i].name, name) == 0 || the_host.emitted[i].count == 0) {
            snprintf(the_host.emitted[i].name, sizeof the_host.emitted[i].name, "%s", name);
            the_host.emitted[i].count++;
            break;
        }
    }
}

uint32_t host_emitted(const char *name)
{
    for (size_t i = 0; i < sizeof the_host.emitted / sizeof the_host.emitted[0]; i++) {
        if (strcmp(the_host.emitted[i].name, name) == 0) {
            return the_host.emitted[i].count;
        }
    }
    return 0;
}

/* ---- Deferred calls: run by host_idle ---- */

struct deferred {
    struct deferred *next;
    uint64_t object_id;
    char name[64];
    struct variant args[4];
    int64_t count;
};
static struct deferred *deferred_calls;

static void variant_copy(struct variant *out, const struct variant *from)
{
    uint64_t words[8];
    variant_to(from, from->type, words);
    variant_from(out, from->type, words);
    if (from->type != GD_OBJECT) {
        value_finish(from->type, words);
    }
}

void method_call_deferred(struct call *call)
{
    struct deferred *made = calloc(1, sizeof *made);
    made->object_id = call->self->id;
    snprintf(made->name, sizeof made->name, "%s", name_text(call->args[0].opaque));
    for (int64_t i = 1; i < call->variant_count && made->count < 4; i++) {
        variant_copy(&made->args[made->count++], call->variants[i]);
    }
    pthread_mutex_lock(&the_host.mutex);
    struct deferred **last = &deferred_calls;
    while (*last) {
        last = &(*last)->next;
    }
    *last = made;
    pthread_mutex_unlock(&the_host.mutex);
    call->ret.words[0] = call->ret.words[1] = 0; /* nil */
}

static void run_deferred(struct deferred *made)
{
    struct object *object = object_of_id(made->object_id);
    struct variant ret = {0};
    const void *args[4];
    for (int i = 0; i < 4; i++) {
        args[i] = &made->args[i];
    }
    if (object && strcmp(made->name, "emit_signal") == 0) {
        emit_signal(object, name_text(made->args[0].words));
    } else if (object && !extension_call(object, made->name, args, made->count, &ret)) {
        engine_error("deferred call of %s failed", made->name);
    }
    variant_finish(&ret);
    for (int64_t i = 0; i < made->count; i++) {
        variant_finish(&made->args[i]);
    }
    free(made);
}

void host_idle(void)
{
    if (the_host.loop.frame) {
        the_host.loop.frame();
    }
    render_thread_run(NULL, NULL);
    for (;;) {
        pthread_mutex_lock(&the_host.mutex);
        struct deferred *first = deferred_calls;
        deferred_calls = first ? first->next : NULL;
        pthread_mutex_unlock(&the_host.mutex);
        if (!first) {
            return;
        }
        run_deferred(first);
    }
}

void method_globalize_path(struct call *call)
{
    const char *path = string_text(call->args[0].opaque);
    *(char **)call->ret.words = string_of(strncmp(path, "res://", 6) == 0 ? path + 6 : path);
}

void method_has_feature(struct call *call)
{
    const char *own = the_host.options.double_precision ? "double" : "single";
    call->ret.b = strcmp(string_text(call->args[0].opaque), own) == 0;
}

void method_is_editor_hint(struct call *call)
{
    call->ret.b = the_host.options.editor;
}
