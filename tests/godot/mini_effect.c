/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A small extension for the host's own test: InvertEffect inverts the colour by one compute
 * shader. Its property `fault` makes it break one rule of the engine's in each frame. */

#include "mini_effect.h"
#include "mini_interface.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t spirv[] =
#include "invert.inc"
    ;

#define RD_CALL(method, hash, args, ret)                                                           \
    mini_call(effect->device, "RenderingDevice", method, hash, args, ret)

/* ---- The effect ---- */

struct effect {
    void *object, *device;
    double scale;
    int64_t fault;
    word shader, pipeline, buffer, sampler, tint, set, set_of;
    float scale_in_buffer;
};

static void append_object(word *array, void *object)
{
    struct variant_words variant = {{0}};
    gd.from_object(&variant, &object);
    gd.append(array, ARGS(&variant), NULL, 1);
    gd.variant_destroy(&variant);
}

static void add_uniform(word *array, int64_t type, int64_t binding, const word *rids, int count)
{
    void *uniform = mini_make("RDUniform");
    mini_call(uniform, "RDUniform", "set_uniform_type", 1664894931, ARGS(&type), NULL);
    mini_call(uniform, "RDUniform", "set_binding", 1286410249, ARGS(&binding), NULL);
    for (int i = 0; i < count; i++) {
        mini_call(uniform, "RDUniform", "add_id", 2722037293, ARGS(&rids[i]), NULL);
    }
    append_object(array, uniform);
    mini_unmake(uniform);
}

static void create_shader(struct effect *effect)
{
    void *source = mini_make("RDShaderSPIRV");
    struct packed bytes;
    word empty = 0;
    const int64_t stage = 4;
    mini_fill(&bytes, spirv, sizeof spirv);
    mini_call(source, "RDShaderSPIRV", "set_stage_bytecode", 3514097977, ARGS(&stage, &bytes),
              NULL);
    RD_CALL("shader_create_from_spirv", effect->fault == FAULT_HASH ? 342949006 : 342949005,
            ARGS(&source, &empty), &effect->shader);
    gd.finish_bytes(&bytes);
    mini_unmake(source);
}

static void create_pipeline(struct effect *effect)
{
    void *constant = mini_make("RDPipelineSpecializationConstant");
    struct variant_words value = {{0}};
    const int64_t id = 5;
    int64_t one = 1;
    uint8_t yes = 1;
    word constants = 0;
    if (effect->fault == FAULT_CONSTANT_TYPE) {
        gd.from_int(&value, &one);
    } else {
        gd.from_bool(&value, &yes);
    }
    mini_call(constant, "RDPipelineSpecializationConstant", "set_constant_id", 1286410249,
              ARGS(&id), NULL);
    mini_call(constant, "RDPipelineSpecializationConstant", "set_value", 1114965689, ARGS(&value),
              NULL);
    gd.variant_destroy(&value);
    gd.init_array(&constants, NULL);
    append_object(&constants, constant);
    mini_unmake(constant);
    RD_CALL("compute_pipeline_create", 1448838280, ARGS(&effect->shader, &constants),
            &effect->pipeline);
    gd.finish_array(&constants);
}

/* One black pixel, which is added. */
static void create_tint(struct effect *effect)
{
    void *format = mini_make("RDTextureFormat"), *view = mini_make("RDTextureView");
    const int64_t rgba8 = 36, usage = 1 | 64;
    const uint8_t black[4] = {0};
    struct packed bytes;
    word layers = 0;
    mini_call(format, "RDTextureFormat", "set_format", 565531219, ARGS(&rgba8), NULL);
    mini_call(format, "RDTextureFormat", "set_usage_bits", 245642367, ARGS(&usage), NULL);
    mini_fill(&bytes, black, sizeof black);
    gd.init_array(&layers, NULL);
    struct variant_words variant = {{0}};
    gd.from_bytes(&variant, &bytes);
    gd.append(&layers, ARGS(&variant), NULL, 1);
    gd.variant_destroy(&variant);
    gd.finish_bytes(&bytes);
    RD_CALL("texture_create", 3709173589, ARGS(&format, &view, &layers), &effect->tint);
    gd.finish_array(&layers);
    mini_unmake(format);
    mini_unmake(view);
}

static void create_all(struct effect *effect)
{
    void *state = mini_make("RDSamplerState");
    struct packed bytes;
    const float block[4] = {(float)effect->scale, 0, 0, 0};
    const int64_t size = effect->fault == FAULT_UNIFORM_BYTES ? 8 : sizeof block;
    create_shader(effect);
    if (effect->shader) {
        create_pipeline(effect);
    }
    mini_fill(&bytes, block, size);
    RD_CALL("uniform_buffer_create", 34556762, ARGS(&size, &bytes), &effect->buffer);
    effect->scale_in_buffer = block[0];
    gd.finish_bytes(&bytes);
    RD_CALL("sampler_create", 2327892535, ARGS(&state), &effect->sampler);
    mini_unmake(state);
    create_tint(effect);
}

static void free_all(void *user)
{
    struct effect *effect = user;
    const word sampler = effect->sampler;
    word *rids[] = {&effect->set,    &effect->pipeline, &effect->shader,
                    &effect->buffer, &effect->sampler,  &effect->tint};
    uint8_t valid = 0;
    RD_CALL("uniform_set_is_valid", 3521089500, ARGS(&effect->set), &valid);
    for (int i = valid ? 0 : 1; i < 6; i++) {
        if (*rids[i]) {
            RD_CALL("free_rid", 2722037293, ARGS(rids[i]), NULL);
        }
        *rids[i] = 0;
    }
    if (effect->fault == FAULT_FREED_TWICE) {
        RD_CALL("free_rid", 2722037293, ARGS(&sampler), NULL);
    }
    effect->set = effect->set_of = 0;
}

static void create_set(struct effect *effect, word color)
{
    word uniforms = 0, name = 0;
    struct variant_words nil = {{0}};
    const int64_t index = 0;
    gd.name(&name, "RDUniform", 0);
    gd.init_array(&uniforms, NULL);
    gd.array_set_typed(&uniforms, GD_OBJECT, &name, &nil);
    gd.finish_name(&name);
    add_uniform(&uniforms, 3, 0, &color, 1);
    if (effect->fault != FAULT_BINDING) {
        add_uniform(&uniforms, 7, 1, &effect->buffer, 1);
    }
    const word tint[2] = {effect->sampler, effect->fault == FAULT_USAGE ? color : effect->tint};
    add_uniform(&uniforms, 1, 2, tint, 2);
    RD_CALL("uniform_set_create", 2280795797, ARGS(&uniforms, &effect->shader, &index),
            &effect->set);
    gd.finish_array(&uniforms);
    effect->set_of = color;
}

static void update_scale(struct effect *effect)
{
    struct packed bytes;
    const int64_t offset = 0, size = 16;
    int64_t result = 0;
    const float block[4] = {(float)effect->scale, 0, 0, 0};
    if (effect->scale_in_buffer != block[0]) {
        mini_fill(&bytes, block, size);
        RD_CALL("buffer_update", 3454956949, ARGS(&effect->buffer, &offset, &size, &bytes),
                &result);
        gd.finish_bytes(&bytes);
        effect->scale_in_buffer = block[0];
    }
}

static void record(struct effect *effect, const int32_t size[2])
{
    const struct {
        int32_t size[2];
        float white, unused;
    } constants = {{size[0], size[1]}, 1, 0};
    const int64_t bytes_count = effect->fault == FAULT_PUSH ? 12 : 16, zero = 0, one = 1;
    const int64_t x = (size[0] + 7) / 8, y = (size[1] + 7) / 8;
    struct packed bytes;
    int64_t list = 0;
    mini_fill(&bytes, &constants, bytes_count);
    RD_CALL("compute_list_begin", 2455072627, NULL, &list);
    RD_CALL("compute_list_bind_compute_pipeline", 4040184819, ARGS(&list, &effect->pipeline), NULL);
    RD_CALL("compute_list_bind_uniform_set", 749655778, ARGS(&list, &effect->set, &zero), NULL);
    RD_CALL("compute_list_set_push_constant", 2772371345, ARGS(&list, &bytes, &bytes_count), NULL);
    RD_CALL("compute_list_dispatch", 4275841770, ARGS(&list, &x, &y, &one), NULL);
    if (effect->fault != FAULT_OPEN_LIST) {
        RD_CALL("compute_list_end", 3218959716, NULL, NULL);
    }
    gd.finish_bytes(&bytes);
}

static void run_view(struct effect *effect, void *buffers, int64_t view)
{
    word color = 0;
    uint8_t msaa = 0, valid = 0;
    int32_t size[2] = {0};
    const char *class_name = "RenderSceneBuffersRD";
    mini_call(buffers, class_name, "get_internal_size", 3690982128, NULL, size);
    if (size[0] == 0) {
        return;
    }
    mini_call(buffers, class_name, "get_color_layer", 3087988589, ARGS(&view, &msaa), &color);
    if (!effect->shader) {
        create_all(effect);
    }
    if (effect->fault == FAULT_COPY_FROM) {
        struct packed bytes = {{0}};
        const int64_t layer = 0;
        RD_CALL("texture_get_data", 1859412099, ARGS(&color, &layer), &bytes);
        gd.finish_bytes(&bytes);
    }
    update_scale(effect);
    RD_CALL("uniform_set_is_valid", 3521089500, ARGS(&effect->set), &valid);
    if (!valid || effect->set_of != color) {
        if (valid) {
            RD_CALL("free_rid", 2722037293, ARGS(&effect->set), NULL);
        }
        create_set(effect, color);
    }
    record(effect, size);
}

static void render(void *self, const void *const *args, void *ret)
{
    struct effect *effect = self;
    void *data = *(void *const *)args[1], *buffers = NULL;
    int64_t views = 0;
    mini_call(data, "RenderData", "get_render_scene_buffers", 2793216201, NULL, &buffers);
    mini_call(buffers, "RenderSceneBuffersRD", "get_view_count", 3905245786, NULL, &views);
    for (int64_t i = 0; effect->device && i < views; i++) {
        run_view(effect, buffers, i);
    }
    if (effect->fault != FAULT_KEPT_BUFFERS) {
        mini_unmake(buffers);
    }
}

/* ---- The class ---- */

static void *create_instance(void *user, uint8_t notify)
{
    static const struct gd_binding_callbacks none;
    word parent = 0, name = 0;
    const int64_t post_transparent = 4;
    struct effect *effect = calloc(1, sizeof *effect);
    gd.name(&parent, "CompositorEffect", 0);
    gd.name(&name, "InvertEffect", 0);
    effect->object = gd.construct(&parent);
    effect->scale = 1;
    gd.set_instance(effect->object, &name, effect);
    gd.set_binding(effect->object, gd.library, effect, &none);
    mini_call(effect->object, "CompositorEffect", "set_effect_callback_type", 1390728419,
              ARGS(&post_transparent), NULL);
    gd.finish_name(&parent);
    gd.finish_name(&name);
    gd.name(&name, "RenderingServer", 0);
    void *server = gd.singleton(&name);
    gd.finish_name(&name);
    mini_call(server, "RenderingServer", "get_rendering_device", 1405107940, NULL, &effect->device);
    return effect->object;
}

static void free_on_render_thread(void *user, const void *const *args, int64_t count, void *ret,
                                  struct gd_call_error *error)
{
    error->error = 0;
    free_all(user);
    free(user);
}

static void free_instance(void *user, void *instance)
{
    struct effect *effect = instance;
    struct gd_custom_callable info = {
        .user = effect, .token = gd.library, .call = free_on_render_thread};
    word name = 0;
    struct packed callable = {{0}};
    if (!effect->device || effect->fault == FAULT_WRONG_THREAD) {
        if (effect->device) {
            free_all(effect);
        }
        free(effect);
        return;
    }
    gd.custom_callable(&callable, &info);
    gd.name(&name, "RenderingServer", 0);
    mini_call(gd.singleton(&name), "RenderingServer", "call_on_render_thread", 1611583062,
              ARGS(&callable), NULL);
    gd.finish_name(&name);
    void (*finish)(void *) = NULL;
    void *(*destructor)(int32_t) = NULL;
    *(gd_any_fn *)&destructor = gd.get("variant_get_ptr_destructor");
    *(void **)&finish = destructor(GD_CALLABLE);
    finish(&callable);
}

static void *recreate_instance(void *user, void *object)
{
    return NULL;
}

static word callback_name; /* of this loading of the library */

static gd_virtual_fn get_virtual(void *user, const void *name, uint32_t hash)
{
    return *(const word *)name == callback_name ? render : NULL;
}

/* Two properties: a float (user 0) and an int (user 1). */
static void set_ptrcall(void *user, void *instance, const void *const *args, void *ret)
{
    struct effect *effect = instance;
    if (user) {
        effect->fault = *(const int64_t *)args[0];
    } else {
        effect->scale = *(const double *)args[0];
    }
}

static void get_ptrcall(void *user, void *instance, const void *const *args, void *ret)
{
    const struct effect *effect = instance;
    if (user) {
        *(int64_t *)ret = effect->fault;
    } else {
        *(double *)ret = effect->scale;
    }
}

static void set_call(void *user, void *instance, const void *const *args, int64_t count, void *ret,
                     struct gd_call_error *error)
{
    word value = 0;
    error->error = count == 1 ? 0 : 4;
    if (count == 1) {
        struct variant_words copy;
        memcpy(&copy, args[0], sizeof copy);
        (user ? gd.to_int : gd.to_float)(&value, &copy);
        set_ptrcall(user, instance, ARGS(&value), NULL);
    }
}

static void get_call(void *user, void *instance, const void *const *args, int64_t count, void *ret,
                     struct gd_call_error *error)
{
    word value = 0;
    error->error = 0;
    get_ptrcall(user, instance, NULL, &value);
    (user ? gd.from_int : gd.from_float)(ret, &value);
}

static void register_property(const void *owner, const char *text, int32_t type, void *user)
{
    void (*method)(void *, const void *, const struct gd_method_info *) = NULL;
    void (*property)(void *, const void *, const struct gd_property_info *, const void *,
                     const void *) = NULL;
    *(gd_any_fn *)&method = gd.get("classdb_register_extension_class_method");
    *(gd_any_fn *)&property = gd.get("classdb_register_extension_class_property");
    char setter_text[32] = "set_", getter_text[32] = "get_";
    word name = 0, setter = 0, getter = 0, empty = 0;
    strcat(setter_text, text);
    strcat(getter_text, text);
    gd.name(&name, text, 0);
    gd.name(&setter, setter_text, 0);
    gd.name(&getter, getter_text, 0);
    struct gd_property_info info = {type, &name, &empty, 0, &empty, 6};
    int32_t metadata = 0;
    struct gd_method_info set = {.name = &setter,
                                 .user = user,
                                 .call = set_call,
                                 .ptrcall = set_ptrcall,
                                 .flags = 1,
                                 .argument_count = 1,
                                 .arguments = &info,
                                 .argument_metadata = &metadata};
    struct gd_method_info get = {.name = &getter,
                                 .user = user,
                                 .call = get_call,
                                 .ptrcall = get_ptrcall,
                                 .flags = 1,
                                 .has_return = 1,
                                 .return_info = &info};
    method(gd.library, owner, &set);
    method(gd.library, owner, &get);
    property(gd.library, owner, &info, &setter, &getter);
    gd.finish_name(&name);
    gd.finish_name(&setter);
    gd.finish_name(&getter);
}

static void initialize(void *user, int32_t level)
{
    if (level != GD_SCENE) {
        return;
    }
    void (*with)(void *, const void *, const void *, const struct gd_class_info *) = NULL;
    *(gd_any_fn *)&with = gd.get("classdb_register_extension_class4");
    const struct gd_class_info info = {.is_exposed = 1,
                                       .create_instance = create_instance,
                                       .free_instance = free_instance,
                                       .recreate_instance = recreate_instance,
                                       .get_virtual = get_virtual};
    word name = 0, parent = 0;
    mini_look_up();
    gd.name(&callback_name, "_render_callback", 0);
    gd.name(&name, "InvertEffect", 0);
    gd.name(&parent, "CompositorEffect", 0);
    with(gd.library, &name, &parent, &info);
    register_property(&name, "scale", GD_FLOAT, NULL);
    register_property(&name, "fault", GD_INT, &gd);
    gd.finish_name(&name);
    gd.finish_name(&parent);
    gd.get("no_such_function");
}

static void unregister(const char *class_name)
{
    void (*without)(void *, const void *) = NULL;
    word name = 0;
    *(gd_any_fn *)&without = gd.get("classdb_unregister_extension_class");
    gd.name(&name, class_name, 0);
    without(gd.library, &name);
    gd.finish_name(&name);
}

static void deinitialize(void *user, int32_t level)
{
    if (level == GD_SCENE) {
        unregister("InvertEffect");
        gd.finish_name(&callback_name);
    }
}

/* ---- What the engine refuses at each level of initialization */

static void ask_early(void *user, int32_t level)
{
    static const char *const singletons[] = {"Engine", "RenderingServer", "RenderingDevice"};
    word name = 0, parent = 0;
    void (*with)(void *, const void *, const void *, const struct gd_class_info *) = NULL;
    const struct gd_class_info info = {.create_instance = create_instance,
                                       .free_instance = free_instance,
                                       .recreate_instance = recreate_instance};
    mini_look_up();
    *(gd_any_fn *)&with = gd.get("classdb_register_extension_class4");
    for (size_t i = 0; i < sizeof singletons / sizeof singletons[0]; i++) {
        gd.name(&name, singletons[i], 0);
        gd.singleton(&name);
        gd.finish_name(&name);
    }
    if (level == GD_SERVERS) {
        gd.name(&name, "EarlyEffect", 0);
        gd.name(&parent, "CompositorEffect", 0);
        with(gd.library, &name, &parent, &info);
        gd.finish_name(&name);
        gd.finish_name(&parent);
    }
    gd.name(&name, "limit_get", 0);
    gd.name(&parent, "RenderingDevice", 0);
    gd.bind(&parent, &name, 1559202131);
    gd.finish_name(&name);
    gd.finish_name(&parent);
}

static void leave_early(void *user, int32_t level)
{
    if (level == GD_SERVERS) {
        unregister("EarlyEffect");
    }
}

__attribute__((visibility("default"))) uint8_t mini_early_init(gd_get_proc_fn get, void *library,
                                                               struct gd_initialization *out)
{
    gd.get = get;
    gd.library = library;
    *out = (struct gd_initialization){GD_SCENE, NULL, ask_early, leave_early};
    return 1;
}

__attribute__((visibility("default"))) uint8_t mini_effect_init(gd_get_proc_fn get, void *library,
                                                                struct gd_initialization *out)
{
    struct gd_version version = {0};
    void (*get_version)(struct gd_version *) = NULL;
    *(gd_any_fn *)&get_version = get("get_godot_version");
    get_version(&version);
    if (version.minor < 4) {
        return 0;
    }
    gd.get = get;
    gd.library = library;
    *out = (struct gd_initialization){GD_SCENE, NULL, initialize, deinitialize};
    return 1;
}
