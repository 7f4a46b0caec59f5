/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Objects, their ids and references, and the engine's classes. */

#include "host_internal.h"

#include "resources.h"

#include <stdlib.h>
#include <string.h>

static const struct class_row class_rows[] = {
    {"Object", NULL, GD_CORE, false, false, 0, NULL},
    {"RefCounted", "Object", GD_CORE, true, true, 0, NULL},
    {"Resource", "RefCounted", GD_CORE, true, true, 0, NULL},
    {"CompositorEffect", "Resource", GD_SCENE, true, true, sizeof(struct effect_data), NULL},
    {"RDTextureFormat", "RefCounted", GD_SERVERS, true, true, sizeof(struct fields), NULL},
    {"RDTextureView", "RefCounted", GD_SERVERS, true, true, sizeof(struct fields), NULL},
    {"RDPipelineSpecializationConstant", "RefCounted", GD_SERVERS, true, true,
     sizeof(struct constant_data), NULL},
    {"RDUniform", "RefCounted", GD_SERVERS, true, true, sizeof(struct uniform_data), NULL},
    {"RDShaderSPIRV", "Resource", GD_SERVERS, true, true, sizeof(struct spirv_data), spirv_finish},
    {"RenderData", "Object", GD_SERVERS, false, false, sizeof(struct render_data), NULL},
    {"RenderSceneBuffers", "RefCounted", GD_SERVERS, true, false, 0, NULL},
    {"RenderSceneBuffersRD", "RenderSceneBuffers", GD_SERVERS, true, false,
     sizeof(struct buffers *), NULL},
    {"RenderSceneData", "Object", GD_SERVERS, false, false, sizeof(struct scene_data), NULL},
    {"RenderingServer", "Object", GD_SERVERS, false, false, 0, NULL},
    {"RenderingDevice", "Object", GD_SERVERS, false, false, 0, NULL},
    {"ProjectSettings", "Object", GD_CORE, false, false, 0, NULL},
    {"Engine", "Object", GD_CORE, false, false, 0, NULL},
    {"OS", "Object", GD_CORE, false, false, 0, NULL},
};

const struct class_row *class_find(const char *name)
{
    for (size_t i = 0; i < sizeof class_rows / sizeof class_rows[0]; i++) {
        if (name && class_rows[i].level <= the_host.level &&
            strcmp(class_rows[i].name, name) == 0) {
            return &class_rows[i];
        }
    }
    return NULL;
}

bool class_is(const struct class_row *row, const char *name)
{
    while (row && strcmp(row->name, name) != 0) {
        row = class_find(row->parent);
    }
    return row;
}

/* ---- Life ---- */

struct object *object_create(const struct class_row *row)
{
    struct object *object = calloc(1, sizeof *object);
    object->row = row;
    object->references = 1;
    object->data = row->data_bytes ? calloc(1, row->data_bytes) : NULL;
    pthread_mutex_lock(&the_host.mutex);
    object->id = ++the_host.last_id | (uint64_t)row->ref_counted << 63;
    object->next = the_host.objects;
    the_host.objects = object;
    the_host.counts.objects++;
    pthread_mutex_unlock(&the_host.mutex);
    return object;
}

struct object *object_create_of(const char *class_name)
{
    struct object *object = object_create(class_find(class_name));
    object->claimed = true;
    return object;
}

bool object_alive(const struct object *object)
{
    pthread_mutex_lock(&the_host.mutex);
    const struct object *found = the_host.objects;
    while (found && found != object) {
        found = found->next;
    }
    pthread_mutex_unlock(&the_host.mutex);
    return found;
}

struct object *object_of_id(uint64_t id)
{
    pthread_mutex_lock(&the_host.mutex);
    struct object *found = the_host.objects;
    while (found && found->id != id) {
        found = found->next;
    }
    pthread_mutex_unlock(&the_host.mutex);
    return found;
}

void object_delete(struct object *object)
{
    struct extension_class *extension = object->extension;
    if (extension && object->instance) {
        if (extension->info.notification) {
            extension->info.notification(object->instance, 1, true); /* PREDELETE */
        }
        extension->info.free_instance(extension->info.user, object->instance);
    }
    const struct binding *binding = &object->binding;
    if (binding->callbacks.free) {
        binding->callbacks.free(binding->token, object, binding->binding);
    }
    pthread_mutex_lock(&the_host.mutex);
    struct object **link = &the_host.objects;
    while (*link && *link != object) {
        link = &(*link)->next;
    }
    *link = object->next;
    the_host.counts.objects -= !object->of_host;
    pthread_mutex_unlock(&the_host.mutex);
    if (object->row->finish) {
        object->row->finish(object->data);
    }
    free(object->data);
    free(object);
}

void object_reference(struct object *object)
{
    if (!object->row->ref_counted) {
        return;
    }
    /* The first reference is there from the beginning; who takes it first, owns it. */
    if (__atomic_exchange_n(&object->claimed, true, __ATOMIC_ACQ_REL)) {
        __atomic_fetch_add(&object->references, 1, __ATOMIC_ACQ_REL);
    }
}

/* Takes one reference away and deletes nothing. True: it was the last. */
static bool unreference(struct object *object)
{
    if (object->references == 0) {
        engine_error("a %s is unreferenced once too often", object->row->name);
        return false;
    }
    return __atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) == 0;
}

void object_drop(struct object *object)
{
    if (object->row->ref_counted && unreference(object)) {
        object_delete(object);
    }
}

/* ---- As methods ---- */

void method_init_ref(struct call *call)
{
    object_reference(call->self);
    call->ret.b = true;
}

void method_unreference(struct call *call)
{
    call->ret.b = unreference(call->self);
}

void method_notification(struct call *call)
{
    struct extension_class *extension = call->self->extension;
    if (extension && call->self->instance && extension->info.notification) {
        extension->info.notification(call->self->instance, (int32_t)call->args[0].i,
                                     call->args[1].b);
    }
}

/* ---- The interface's ---- */

static void *construct_old(const void *class_name)
{
    const struct class_row *row = class_find(name_text(class_name));
    if (!row || !row->constructible) {
        engine_error("class %s cannot be constructed", name_text(class_name));
        return NULL;
    }
    return object_create(row);
}

static void set_instance(void *self, const void *class_name, void *instance)
{
    struct object *object = self;
    struct extension_class *extension = extension_class_find(name_text(class_name));
    if (!object_alive(object) || !extension || object->row != extension->parent) {
        engine_error("object_set_instance: the class %s is not that of the object",
                     name_text(class_name));
        return;
    }
    object->extension = extension;
    object->instance = instance;
}

static void set_instance_binding(void *self, void *token, void *binding,
                                 const struct gd_binding_callbacks *callbacks)
{
    struct object *object = self;
    if (!object_alive(object) || token != &the_host.library || !callbacks) {
        engine_error("object_set_instance_binding: wrong object, token or callbacks");
        return;
    }
    if (object->binding.binding) {
        engine_error("object_set_instance_binding: the object has one");
        return;
    }
    object->binding = (struct binding){token, binding, *callbacks};
}

static void destroy(void *self)
{
    struct object *object = self;
    if (!object_alive(object)) {
        engine_error("object_destroy: there is no such object");
    } else if (object->of_host ||
               (object->row->ref_counted && object->claimed && object->references > 0)) {
        engine_error("object_destroy: a %s that others still use", object->row->name);
    } else {
        object_delete(object);
    }
}

static uint64_t get_id(const void *object)
{
    return object_alive(object) ? ((const struct object *)object)->id : 0;
}

static void *from_id(uint64_t id)
{
    return object_of_id(id);
}

INTERFACE(classdb_construct_object, 1, construct_old);
INTERFACE(classdb_construct_object2, 4, construct_old);
INTERFACE(object_set_instance, 1, set_instance);
INTERFACE(object_set_instance_binding, 1, set_instance_binding);
INTERFACE(object_destroy, 1, destroy);
INTERFACE(object_get_instance_id, 1, get_id);
INTERFACE(object_get_instance_from_id, 1, from_id);
