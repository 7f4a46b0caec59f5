/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One truth in four places: the table in key.c, struct fovea_settings, default.json,
 * schema.json. */
#include "test_config_support.h"

#include "config/curve.h"
#include "config/key.h"
#include "config/value.h"

static char *read_source(const char *path)
{
    static char text[1 << 17];
    FILE *file = fopen(test_text("%s/%s", FOVEA_SOURCE_DIR, path), "rb");
    assert_non_null(file);
    size_t count = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_in_range(count, 100, sizeof text - 2);
    text[count] = 0;
    return text;
}

static bool is_setting(const struct config_key *key)
{
    return key->type > CONFIG_APPS;
}

TEST(default_json_says_what_the_code_says)
{
    struct recorded recorded = {0};
    struct fovea_config_desc desc = only_file(FOVEA_SOURCE_DIR "/config/default.json", &recorded);
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    struct fovea_settings defaults = fovea_settings_default();
    assert_same_settings(fovea_config_settings(config), &defaults);
}

static cJSON *parse_default_json(void)
{
    struct config_text text = {.name = "default.json", .bytes = read_source("config/default.json")};
    text.count = strlen(text.bytes);
    struct config_document document;
    assert_result(config_document_parse(&text, &document), FOVEA_OK);
    cJSON *root = document.root;
    document.root = NULL;
    config_document_finish(&document);
    return root;
}

static const cJSON *at_path(const cJSON *item, const char *path)
{
    char name[FOVEA_NAME_MAX];
    while (item && *path) {
        size_t length = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        item = cJSON_GetObjectItemCaseSensitive(item, name);
        path += length + (path[length] ? 1 : 0);
    }
    return item;
}

TEST(default_json_has_every_key)
{
    cJSON *root = parse_default_json();
    for (size_t i = 0; i < config_key_count; i++) {
        print_message("%s\n", config_keys[i].path);
        assert_non_null(at_path(root, config_keys[i].path));
    }
    cJSON_Delete(root);
}

/* ---- The table ------------------------------------------------------------------------------- */

static size_t element_bytes(enum config_type type)
{
    switch (type) {
    case CONFIG_BOOL:
        return sizeof(bool);
    case CONFIG_U16:
        return sizeof(uint16_t);
    case CONFIG_U32:
    case CONFIG_ENUM:
        return sizeof(uint32_t);
    case CONFIG_U64:
        return sizeof(uint64_t);
    case CONFIG_DOUBLE:
        return sizeof(double);
    case CONFIG_CURVE:
        return sizeof(struct fovea_curve);
    case CONFIG_OPERATORS:
        return sizeof(struct fovea_operators);
    case CONFIG_TABLE:
        return sizeof(((struct fovea_display *)0)->table);
    default:
        return 0;
    }
}

TEST(types_fit_their_members)
{
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        print_message("%s\n", key->path);
        assert_int_equal(key->type == CONFIG_ENUM || key->type == CONFIG_OPERATORS,
                         key->names != NULL);
        if (element_bytes(key->type) > 0) {
            size_t elements = config_key_elements(key);
            assert_in_range(elements, 1, 4);
            assert_int_equal(key->bytes, elements * element_bytes(key->type));
        }
        assert_in_range(strlen(key->help), 5, 120);
    }
}

/* An array is a program's: no file gives it. */
static void leave_out_the_array(unsigned char *used)
{
    memset(used + offsetof(struct fovea_settings, foveation.map.values), 1,
           offsetof(struct fovea_map, own_values) + sizeof(float *) -
               offsetof(struct fovea_map, values));
}

/* Every byte of the settings belongs to one key or is padding, of which 7 bytes is the most there
 * is in a row: a member of 8 bytes that the table forgot shows here. */
TEST(the_table_covers_the_settings)
{
    unsigned char used[sizeof(struct fovea_settings)] = {0};
    for (size_t i = 0; i < config_key_count; i++) {
        print_message("%s\n", config_keys[i].path);
        for (size_t b = 0; b < config_keys[i].bytes; b++) {
            assert_int_equal(used[config_keys[i].offset + b]++, 0);
        }
    }
    leave_out_the_array(used);
#define OPERATOR_FILE(name, setting, help)                                                         \
    memset(used + offsetof(struct fovea_settings, own.name##_##setting##_data), 1, sizeof(void *));
#include "kernels/operators.def"
    size_t gap = 0;
    for (size_t b = 0; b < sizeof used; b++) {
        gap = used[b] ? 0 : gap + 1;
        assert_in_range(gap, 0, 7);
    }
}

struct name {
    const char *path;
    uint32_t value;
    const char *name;
};

static void assert_value_names(const struct name *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct config_key *key = config_key_find(cases[i].path);
        assert_non_null(key);
        struct fovea_settings settings = fovea_settings_default();
        memcpy((unsigned char *)&settings + key->offset, &cases[i].value, sizeof cases[i].value);
        assert_string_equal(config_value_words(key, &settings).text, cases[i].name);
    }
}

TEST(names_follow_the_enumerators)
{
    static const struct name cases[] = {
        {"backend", FOVEA_BACKEND_AUTO, "\"auto\""},
        {"backend", FOVEA_BACKEND_CUDA, "\"cuda\""},
        {"backend", FOVEA_BACKEND_VULKAN, "\"vulkan\""},
        {"backend", FOVEA_BACKEND_CPU, "\"cpu\""},
        {"backend_measure", FOVEA_MEASURE_CACHED, "\"cached\""},
        {"backend_measure", FOVEA_MEASURE_ALWAYS, "\"always\""},
        {"backend_measure", FOVEA_MEASURE_NEVER, "\"never\""},
        {"cuda_context", FOVEA_CUDA_CONTEXT_SHARED, "\"shared\""},
        {"cuda_context", FOVEA_CUDA_CONTEXT_OWN, "\"own\""},
        {"log.level", FOVEA_LOG_DEBUG, "\"debug\""},
        {"log.level", FOVEA_LOG_INFO, "\"info\""},
        {"log.level", FOVEA_LOG_WARNING, "\"warning\""},
        {"log.level", FOVEA_LOG_ERROR, "\"error\""},
    };
    assert_value_names(cases, sizeof cases / sizeof cases[0]);
    assert_string_equal(fovea_backend_name(FOVEA_BACKEND_VULKAN), "vulkan");
    assert_string_equal(fovea_backend_name((enum fovea_backend)4), "unknown backend");
    assert_string_equal(fovea_backend_name((enum fovea_backend) - 1), "unknown backend");
}

TEST(names_follow_the_enumerators_of_foveation)
{
    static const struct name cases[] = {
        {"foveation.model", FOVEA_MODEL_PAPER, "\"paper\""},
        {"foveation.model", FOVEA_MODEL_PHYSICAL, "\"physical\""},
        {"foveation.model", FOVEA_MODEL_CURVE, "\"curve\""},
        {"foveation.model", FOVEA_MODEL_MAP, "\"map\""},
        {"foveation.model", FOVEA_MODEL_RELATIVE, "\"relative\""},
        {"foveation.map.kind", FOVEA_MAP_HUMAN, "\"human\""},
        {"foveation.map.kind", FOVEA_MAP_STREAK, "\"streak\""},
        {"foveation.map.kind", FOVEA_MAP_FILE, "\"file\""},
        {"foveation.map.kind", FOVEA_MAP_ARRAY, "\"array\""},
        {"foveation.map.kind", FOVEA_MAP_KANGAROO, "\"kangaroo\""},
        {"foveation.map.kind", FOVEA_MAP_HAWK, "\"hawk\""},
        {"foveation.map.kind", FOVEA_MAP_DOG, "\"dog\""},
        {"foveation.map.law", FOVEA_MAP_LAW_SQRT, "\"sqrt\""},
        {"foveation.map.law", FOVEA_MAP_LAW_LINEAR, "\"linear\""},
        {"foveation.map.degrees", FOVEA_MAP_DEGREES_PAPER, "\"paper\""},
        {"foveation.map.degrees", FOVEA_MAP_DEGREES_VIEW, "\"view\""},
        {"foveation.map.eye", FOVEA_MAP_EYE_BOTH, "\"both\""},
        {"foveation.map.eye", FOVEA_MAP_EYE_LEFT, "\"left\""},
        {"foveation.map.eye", FOVEA_MAP_EYE_RIGHT, "\"right\""},
        {"foveation.method", FOVEA_METHOD_BLOCKWISE, "\"blockwise\""},
        {"foveation.method", FOVEA_METHOD_SMOOTH, "\"smooth\""},
        {"foveation.light", FOVEA_LIGHT_AUTO, "\"auto\""},
        {"foveation.light", FOVEA_LIGHT_ENCODED, "\"encoded\""},
        {"foveation.light", FOVEA_LIGHT_LINEAR, "\"linear\""},
        {"foveation.alpha", FOVEA_ALPHA_KEEP, "\"keep\""},
        {"foveation.alpha", FOVEA_ALPHA_PREMULTIPLIED, "\"premultiplied\""},
        {"foveation.paper.filter_length", FOVEA_FILTER_LENGTH_CODE, "\"code\""},
        {"foveation.paper.filter_length", FOVEA_FILTER_LENGTH_PRINTED, "\"printed\""},
    };
    assert_value_names(cases, sizeof cases / sizeof cases[0]);
}

TEST(names_follow_the_enumerators_of_the_gaze)
{
    static const struct name cases[] = {
        {"gaze.source", FOVEA_GAZE_FIXED, "\"fixed\""},
        {"gaze.source", FOVEA_GAZE_MOUSE, "\"mouse\""},
        {"gaze.source", FOVEA_GAZE_SCANPATH, "\"scanpath\""},
        {"gaze.source", FOVEA_GAZE_SACCADES, "\"saccades\""},
        {"gaze.source", FOVEA_GAZE_UDP, "\"udp\""},
        {"gaze.source", FOVEA_GAZE_SALIENCY, "\"saliency\""},
        {"gaze.source", FOVEA_GAZE_LSL, "\"lsl\""},
        {"gaze.source", FOVEA_GAZE_OPENGAZE, "\"opengaze\""},
        {"gaze.source", FOVEA_GAZE_OSC, "\"osc\""},
        {"gaze.source", FOVEA_GAZE_PUPIL, "\"pupil\""},
        {"gaze.source", FOVEA_GAZE_REPLAY, "\"replay\""},
        {"gaze.source", FOVEA_GAZE_NEON, "\"neon\""},
        {"gaze.neon.transport", FOVEA_NEON_UDP, "\"udp\""},
        {"gaze.neon.transport", FOVEA_NEON_TCP, "\"tcp\""},
        {"gaze.space", FOVEA_GAZE_SPACE_UV, "\"uv\""},
        {"gaze.space", FOVEA_GAZE_SPACE_NDC, "\"ndc\""},
        {"gaze.space", FOVEA_GAZE_SPACE_PIXELS, "\"pixels\""},
        {"gaze.origin", FOVEA_GAZE_ORIGIN_TOP_LEFT, "\"top-left\""},
        {"gaze.origin", FOVEA_GAZE_ORIGIN_BOTTOM_LEFT, "\"bottom-left\""},
        {"gaze.origin", FOVEA_GAZE_ORIGIN_CENTER, "\"center\""},
        {"gaze.over", FOVEA_GAZE_OVER_DRAWN, "\"drawn\""},
        {"gaze.over", FOVEA_GAZE_OVER_SHOWN, "\"shown\""},
        {"gaze.validity.fallback", FOVEA_GAZE_FALLBACK_CENTER, "\"center\""},
        {"gaze.validity.fallback", FOVEA_GAZE_FALLBACK_LAST, "\"last\""},
        {"gaze.validity.fallback", FOVEA_GAZE_FALLBACK_NONE, "\"none\""},
        {"gaze.validity.fallback", FOVEA_GAZE_FALLBACK_SALIENCY, "\"saliency\""},
    };
    assert_value_names(cases, sizeof cases / sizeof cases[0]);
}

/* ---- The schema ------------------------------------------------------------------------------ */

static const cJSON *resolve(const cJSON *schema, const cJSON *node)
{
    const cJSON *ref = cJSON_GetObjectItemCaseSensitive(node, "$ref");
    if (!ref) {
        return node;
    }
    assert_int_equal(strncmp(ref->valuestring, "#/definitions/", 14), 0);
    return at_path(at_path(schema, "definitions"), ref->valuestring + 14);
}

static const cJSON *schema_of(const cJSON *schema, const cJSON *node, const char *path)
{
    char name[FOVEA_NAME_MAX];
    while (*path) {
        size_t length = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        node = cJSON_GetObjectItemCaseSensitive(node, "properties");
        node = cJSON_GetObjectItemCaseSensitive(node, name);
        assert_non_null(node);
        node = resolve(schema, node);
        path += length + (path[length] ? 1 : 0);
    }
    return node;
}

static void assert_limit(const cJSON *node, const char *name, double wanted, bool present)
{
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(node, name);
    assert_int_equal(limit != NULL, present);
    if (limit) {
        assert_float_equal(limit->valuedouble, wanted, 0);
    }
}

/* 0 or a range: one of {"const": 0} and the range. */
static const cJSON *range_of(const struct config_key *key, const cJSON *node)
{
    const cJSON *either = cJSON_GetObjectItemCaseSensitive(node, "anyOf");
    assert_int_equal(either != NULL, key->or_zero);
    if (!either) {
        return node;
    }
    assert_int_equal(cJSON_GetArraySize(either), 2);
    assert_limit(cJSON_GetArrayItem(either, 0), "const", 0, true);
    return cJSON_GetArrayItem(either, 1);
}

static void assert_range(const struct config_key *key, const cJSON *node)
{
    const char *type = cJSON_GetObjectItemCaseSensitive(node, "type")->valuestring;
    assert_string_equal(type, key->type == CONFIG_DOUBLE ? "number" : "integer");
    node = range_of(key, node);
    assert_limit(node, "minimum", key->min, !key->min_excluded);
    assert_limit(node, "exclusiveMinimum", key->min, key->min_excluded);
    assert_limit(node, "maximum", key->max, !key->max_excluded);
    assert_limit(node, "exclusiveMaximum", key->max, key->max_excluded);
}

static void assert_names(const struct config_key *key, const cJSON *node)
{
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(node, "enum");
    assert_non_null(names);
    int count = cJSON_GetArraySize(names);
    for (int i = 0; i < count; i++) {
        assert_non_null(key->names[i]);
        assert_string_equal(cJSON_GetArrayItem(names, i)->valuestring, key->names[i]);
    }
    assert_null(key->names[count]);
}

static void assert_curve(const cJSON *node)
{
    assert_limit(node, "minItems", 1, true);
    assert_limit(node, "maxItems", FOVEA_CURVE_MAX, true);
    const cJSON *point = cJSON_GetObjectItemCaseSensitive(node, "items");
    assert_limit(point, "minItems", 2, true);
    assert_limit(point, "maxItems", 2, true);
    const cJSON *members = cJSON_GetObjectItemCaseSensitive(point, "items");
    assert_int_equal(cJSON_GetArraySize(members), 2);
    assert_limit(cJSON_GetArrayItem(members, 0), "minimum", 0, true);
    assert_limit(cJSON_GetArrayItem(members, 0), "maximum", CONFIG_CURVE_MAX_DEG, true);
    assert_limit(cJSON_GetArrayItem(members, 1), "minimum", CONFIG_CURVE_MIN_CPD, true);
    assert_limit(cJSON_GetArrayItem(members, 1), "maximum", CONFIG_CURVE_MAX_CPD, true);
}

static void assert_schema_of_type(const struct config_key *key, const cJSON *node)
{
    size_t elements = config_key_elements(key);
    if (key->type == CONFIG_TABLE) {
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(node, "type")),
                         2); /* a string or an array */
        assert_limit(node, "minItems", 2, true);
        assert_limit(node, "maxItems", FOVEA_DISPLAY_MAX, true);
        return;
    }
    const char *type = cJSON_GetObjectItemCaseSensitive(node, "type")->valuestring;
    if (key->type == CONFIG_BOOL) {
        assert_string_equal(type, "boolean");
    } else if (key->type == CONFIG_ENUM) {
        assert_names(key, node);
    } else if (key->type == CONFIG_STRING || key->type == CONFIG_PATH || key->type == CONFIG_KEYS) {
        assert_string_equal(type, "string");
        assert_limit(node, "maxLength", (double)key->bytes - 1, true);
    } else if (key->type == CONFIG_CURVE) {
        assert_string_equal(type, "array");
        assert_curve(node);
    } else if (key->type == CONFIG_OPERATORS) {
        assert_string_equal(type, "array");
        assert_limit(node, "minItems", 1, true);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(node, "uniqueItems")));
        assert_names(key, cJSON_GetObjectItemCaseSensitive(node, "items"));
    } else if (elements > 1) {
        assert_string_equal(type, "array");
        assert_limit(node, "minItems", (double)elements, true);
        assert_limit(node, "maxItems", (double)elements, true);
        assert_range(key, cJSON_GetObjectItemCaseSensitive(node, "items"));
    } else {
        assert_range(key, node);
    }
}

static void assert_schema_default(const struct config_key *key, const cJSON *node)
{
    struct fovea_settings settings = {0};
    struct fovea_settings defaults = fovea_settings_default();
    struct config_words complaint = {0};
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(node, "default");
    assert_non_null(item);
    char *text = cJSON_PrintUnformatted(item);
    struct config_value value = {.item = item, .bytes = text, .count = strlen(text)};
    bool stored = config_value_store(key, &value, "", &settings, &complaint);
    cJSON_free(text);
    assert_string_equal(complaint.text, "");
    assert_true(stored);
    assert_string_equal(config_value_words(key, &settings).text,
                        config_value_words(key, &defaults).text);
}

TEST(the_schema_describes_every_key_as_the_table_does)
{
    cJSON *schema = cJSON_Parse(read_source("config/schema.json"));
    assert_non_null(schema);
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        print_message("%s\n", key->path);
        const cJSON *node = schema_of(schema, schema, key->path);
        const cJSON *description = cJSON_GetObjectItemCaseSensitive(node, "description");
        assert_non_null(description);
        assert_string_equal(description->valuestring, key->help);
        if (is_setting(key)) {
            assert_schema_of_type(key, node);
            assert_schema_default(key, node);
            assert_ptr_equal(schema_of(schema, at_path(schema, "definitions.entry"), key->path),
                             node);
        }
    }
    cJSON_Delete(schema);
}

/* Counts keys below a node, and asserts that nothing else may stand there. */
static size_t count_keys(const cJSON *schema, const cJSON *node)
{
    node = resolve(schema, node);
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(node, "properties");
    if (!properties) {
        return 1;
    }
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(node, "additionalProperties")));
    size_t count = 0;
    for (const cJSON *child = properties->child; child; child = child->next) {
        count += count_keys(schema, child);
    }
    return count;
}

TEST(the_schema_knows_no_other_keys)
{
    cJSON *schema = cJSON_Parse(read_source("config/schema.json"));
    assert_non_null(schema);
    assert_int_equal(count_keys(schema, schema), config_key_count);
    assert_int_equal(count_keys(schema, at_path(schema, "definitions.entry")),
                     config_key_count - 3);
    cJSON_Delete(schema);
}
