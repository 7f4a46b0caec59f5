/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_class.h"

#include "core/log.h"
#include "godot_effect.h"
#include "godot_frame.h"
#include "godot_help.h"
#include "godot_properties.h"
#include "godot_watch.h"
#include "plugin/godot/api/godot_log.h"

#include <stdlib.h>
#include <string.h>

#define CLASS "FoveaEffect"
#define PARENT "CompositorEffect"
/* The only place that has the whole picture. */
#define POST_TRANSPARENT INT64_C(4)
#define POSTINITIALIZE INT64_C(0)

static struct godot_property properties[GODOT_PROPERTY_COUNT_MAX];
static size_t property_count;
static struct godot_name callback_name; /* of the virtual method that frames call */
static struct godot_name class_name;

/* ---- Instances */

static void *binding_create(void *token, void *object)
{
    (void)token;
    (void)object;
    return NULL;
}

static void binding_free(void *token, void *object, void *binding)
{
    (void)token;
    (void)object;
    (void)binding;
}

static uint8_t binding_reference(void *token, void *binding, uint8_t reference)
{
    (void)token;
    (void)binding;
    (void)reference;
    return 1;
}

static const struct godot_binding_callbacks binding_callbacks = {binding_create, binding_free,
                                                                 binding_reference};

static struct godot_effect *make_instance(struct godot_object *object)
{
    struct godot_effect *effect = godot_effect_create(object);
    if (effect) {
        godot.object_set_instance_binding(object, godot.library, effect, &binding_callbacks);
        godot_watch_effect(effect->object_id);
    } else {
        log_error(godot_log(), "there is no memory for an effect");
    }
    return effect;
}

/* Godot before 4.6 goes on calling what its constructor chose, unless a type is set once. */
static void set_type(struct godot_object *object)
{
    static const int64_t type = POST_TRANSPARENT;
    GODOT_CALL(CompositorEffect_set_effect_callback_type, object, NULL, &type);
}

static struct godot_object *create_instance(void *user, uint8_t notify)
{
    static const int64_t what = POSTINITIALIZE;
    static const uint8_t reversed = 0;
    (void)user;
    struct godot_name parent = godot_name_make(PARENT);
    struct godot_object *object = godot.classdb_construct_object2(&parent);
    godot_name_finish(&parent);
    if (!object) {
        return NULL;
    }
    struct godot_effect *effect = make_instance(object);
    if (!effect) {
        godot.object_destroy(object);
        return NULL;
    }
    godot.object_set_instance(object, &class_name, effect);
    if (notify) {
        GODOT_CALL(Object_notification, object, NULL, &what, &reversed);
    }
    set_type(object);
    return object;
}

static void free_instance(void *user, void *instance)
{
    (void)user;
    godot_effect_retire(instance);
}

/* The library was loaded again: the engine keeps the object, and sets its properties after this. */
static void *recreate_instance(void *user, struct godot_object *object)
{
    (void)user;
    return make_instance(object);
}

static void render_callback(void *instance, const void *const *args, void *out_result)
{
    (void)out_result;
    int64_t type = 0;
    struct godot_object *data = NULL;
    memcpy(&type, args[0], sizeof type);
    memcpy(&data, args[1], sizeof data);
    godot_watch_called();
    if (type != POST_TRANSPARENT) {
        godot_frame_misplaced(instance);
    } else if (data) {
        godot_frame_render(instance, data);
    }
}

static godot_virtual_fn get_virtual(void *user, const struct godot_name *name, uint32_t hash)
{
    (void)user;
    (void)hash; /* the engine has had one signature of it so far */
    return name->data == callback_name.data ? render_callback : NULL;
}

/* ---- Setters and getters: one of each for all, with the property as their own. */

static bool read_argument(const struct godot_property *property,
                          const struct godot_variant *variant, union godot_value *out)
{
    struct godot_variant *from = (struct godot_variant *)variant; /* the engine only reads it */
    const int32_t type = godot.variant_get_type(variant);
    *out = (union godot_value){0};
    if (type == property->type || (type == GODOT_STRING_NAME && property->type == GODOT_STRING)) {
        godot.get_variant_to_type_constructor(property->type)(out, from);
    } else if (type == GODOT_INT && property->type == GODOT_FLOAT) {
        int64_t whole = 0;
        godot.get_variant_to_type_constructor(GODOT_INT)(&whole, from);
        out->number = (double)whole;
    } else if (type == GODOT_FLOAT && property->type == GODOT_INT) {
        double number = 0;
        godot.get_variant_to_type_constructor(GODOT_FLOAT)(&number, from);
        out->integer = number > -0x1p62 && number < 0x1p62 ? (int64_t)number : 0;
    } else {
        return false;
    }
    return true;
}

static bool count_is(int64_t count, int64_t wanted, struct godot_call_error *out_error)
{
    *out_error = (struct godot_call_error){.error = count < wanted   ? GODOT_CALL_TOO_FEW_ARGUMENTS
                                                    : count > wanted ? GODOT_CALL_TOO_MANY_ARGUMENTS
                                                                     : GODOT_CALL_OK,
                                           .expected = (int32_t)wanted};
    return count == wanted;
}

static void set_property(struct godot_effect *effect, const struct godot_property *property,
                         const union godot_value *value)
{
    godot_property_set(effect, property, value);
    godot_watch_effect(effect->object_id);
}

static void set_call(void *user, void *instance, const struct godot_variant *const *args,
                     int64_t count, struct godot_variant *out_result,
                     struct godot_call_error *out_error)
{
    const struct godot_property *property = user;
    union godot_value value;
    (void)out_result; /* nil already */
    if (!count_is(count, 1, out_error)) {
        return;
    }
    if (!read_argument(property, args[0], &value)) {
        *out_error = (struct godot_call_error){GODOT_CALL_INVALID_ARGUMENT, 0, property->type};
        return;
    }
    set_property(instance, property, &value);
    if (property->type == GODOT_STRING) {
        godot_string_finish(&value.string);
    }
}

static void set_ptrcall(void *user, void *instance, const void *const *args, void *out_result)
{
    static const size_t bytes[] = {[GODOT_BOOL] = 1,
                                   [GODOT_INT] = sizeof(int64_t),
                                   [GODOT_FLOAT] = sizeof(double),
                                   [GODOT_STRING] = sizeof(struct godot_string),
                                   [GODOT_VECTOR2] = sizeof(struct godot_vector2)};
    const struct godot_property *property = user;
    union godot_value value = {0};
    (void)out_result;
    memcpy(&value, args[0], bytes[property->type]);
    set_property(instance, property, &value);
}

static void get_call(void *user, void *instance, const struct godot_variant *const *args,
                     int64_t count, struct godot_variant *out_result,
                     struct godot_call_error *out_error)
{
    const struct godot_property *property = user;
    union godot_value value;
    (void)args;
    if (!count_is(count, 0, out_error)) {
        return;
    }
    godot_property_get(instance, property, &value);
    godot.get_variant_from_type_constructor(property->type)(out_result, &value);
    if (property->type == GODOT_STRING) {
        godot_string_finish(&value.string);
    }
}

static void get_ptrcall(void *user, void *instance, const void *const *args, void *out_result)
{
    const struct godot_property *property = user;
    union godot_value value;
    (void)args;
    godot_property_get(instance, property, &value);
    if (property->type == GODOT_STRING) {
        godot_string_finish(out_result); /* the caller's was made already */
        memcpy(out_result, &value.string, sizeof value.string);
    } else {
        const size_t bytes =
            property->type == GODOT_BOOL ? sizeof value.boolean : sizeof value.integer;
        memcpy(out_result, &value, bytes);
    }
}

/* ---- Registration */

/* The strings that a property's info points at. */
struct info {
    struct godot_name name;
    struct godot_name no_class;
    struct godot_string hint;
    struct godot_property_info info;
};

static void info_init(struct info *info, const struct godot_property *property)
{
    info->name = godot_name_make(property->name);
    info->no_class = godot_name_make("");
    info->hint = godot_string_make(property->hint);
    info->info = (struct godot_property_info){.type = property->type,
                                              .name = &info->name,
                                              .class_name = &info->no_class,
                                              .hint = property->hint_kind,
                                              .hint_text = &info->hint,
                                              .usage = GODOT_USAGE_DEFAULT};
}

static void info_finish(struct info *info)
{
    godot_string_finish(&info->hint);
    godot_name_finish(&info->no_class);
    godot_name_finish(&info->name);
}

static void register_methods(const struct godot_property *property, const struct info *info,
                             const struct godot_name *setter, const struct godot_name *getter)
{
    static const int32_t no_metadata = 0;
    const struct godot_method_info set = {.name = setter,
                                          .user = (void *)property,
                                          .call = set_call,
                                          .ptrcall = set_ptrcall,
                                          .flags = GODOT_METHOD_NORMAL,
                                          .argument_count = 1,
                                          .arguments = &info->info,
                                          .argument_metadata = &no_metadata};
    const struct godot_method_info get = {.name = getter,
                                          .user = (void *)property,
                                          .call = get_call,
                                          .ptrcall = get_ptrcall,
                                          .flags = GODOT_METHOD_NORMAL,
                                          .has_result = 1,
                                          .result = &info->info};
    godot.classdb_register_extension_class_method(godot.library, &class_name, &set);
    godot.classdb_register_extension_class_method(godot.library, &class_name, &get);
}

static void register_group(const char *text)
{
    struct godot_string group = godot_string_make(text);
    struct godot_string prefix = godot_string_make("");
    godot.classdb_register_extension_class_property_group(godot.library, &class_name, &group,
                                                          &prefix);
    godot_string_finish(&prefix);
    godot_string_finish(&group);
}

static void register_property(const struct godot_property *property)
{
    char text[80];
    struct info info;
    info_init(&info, property);
    snprintf(text, sizeof text, "set_%s", property->name);
    struct godot_name setter = godot_name_make(text);
    snprintf(text, sizeof text, "get_%s", property->name);
    struct godot_name getter = godot_name_make(text);
    register_methods(property, &info, &setter, &getter);
    if (property->group[0]) {
        register_group(property->group);
    }
    godot.classdb_register_extension_class_property(godot.library, &class_name, &info.info, &setter,
                                                    &getter);
    godot_name_finish(&getter);
    godot_name_finish(&setter);
    info_finish(&info);
}

static void register_signal(const char *text)
{
    struct godot_name name = godot_name_make(text);
    godot.classdb_register_extension_class_signal(godot.library, &class_name, &name, NULL, 0);
    godot_name_finish(&name);
}

static void register_class(void)
{
    struct godot_name parent = godot_name_make(PARENT);
    struct godot_string icon = godot_string_make("");
    const struct godot_class_info info = {.is_exposed = 1,
                                          .icon_path = &icon,
                                          .create_instance = create_instance,
                                          .free_instance = free_instance,
                                          .recreate_instance = recreate_instance,
                                          .get_virtual = get_virtual};
    godot.register_class(godot.library, &class_name, &parent, &info);
    godot_string_finish(&icon);
    godot_name_finish(&parent);
}

enum fovea_result godot_class_register(void)
{
    FOVEA_TRY(godot_api_find_methods());
    class_name = godot_name_make(CLASS);
    callback_name = godot_name_make("_render_callback");
    property_count = godot_properties_make(properties);
    godot_watch_start();
    register_class();
    for (size_t i = 0; i < property_count; i++) {
        register_property(&properties[i]);
    }
    register_signal("gaze_lost");
    register_signal("gaze_found");
    return FOVEA_OK;
}

void godot_class_describe(void)
{
    if (godot.load_help && godot.is_editor) {
        godot_help_load(properties, property_count);
    }
}

void godot_class_unregister(void)
{
    godot.classdb_unregister_extension_class(godot.library, &class_name);
    godot_name_finish(&callback_name);
    godot_name_finish(&class_name);
}
