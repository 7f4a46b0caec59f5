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

/* Enumerators, and their words in the same order. */
struct names {
    const char *path;
    const char *words;
    uint32_t values[12];
};

static void assert_value_names(const struct names *names)
{
    const struct config_key *key = config_key_find(names->path);
    assert_non_null(key);
    const char *word = names->words;
    for (size_t i = 0; *word; i++) {
        struct fovea_settings settings = fovea_settings_default();
        memcpy((unsigned char *)&settings + key->offset, &names->values[i],
               sizeof names->values[i]);
        const int length = (int)strcspn(word, " ");
        assert_string_equal(config_value_words(key, &settings).text,
                            test_text("\"%.*s\"", length, word));
        word += length + (word[length] == ' ');
    }
}

TEST(names_follow_the_enumerators)
{
    static const struct names cases[] = {
        {"backend",
         "auto cuda vulkan cpu",
         {FOVEA_BACKEND_AUTO, FOVEA_BACKEND_CUDA, FOVEA_BACKEND_VULKAN, FOVEA_BACKEND_CPU}},
        {"backend_measure",
         "cached always never",
         {FOVEA_MEASURE_CACHED, FOVEA_MEASURE_ALWAYS, FOVEA_MEASURE_NEVER}},
        {"cuda_context", "shared own", {FOVEA_CUDA_CONTEXT_SHARED, FOVEA_CUDA_CONTEXT_OWN}},
        {"log.level",
         "debug info warning error",
         {FOVEA_LOG_DEBUG, FOVEA_LOG_INFO, FOVEA_LOG_WARNING, FOVEA_LOG_ERROR}},
        {"foveation.model",
         "paper physical curve map relative",
         {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL, FOVEA_MODEL_CURVE, FOVEA_MODEL_MAP,
          FOVEA_MODEL_RELATIVE}},
        {"foveation.map.kind",
         "human streak file array kangaroo hawk dog",
         {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK, FOVEA_MAP_FILE, FOVEA_MAP_ARRAY, FOVEA_MAP_KANGAROO,
          FOVEA_MAP_HAWK, FOVEA_MAP_DOG}},
        {"foveation.map.law", "sqrt linear", {FOVEA_MAP_LAW_SQRT, FOVEA_MAP_LAW_LINEAR}},
        {"foveation.map.degrees", "paper view", {FOVEA_MAP_DEGREES_PAPER, FOVEA_MAP_DEGREES_VIEW}},
        {"foveation.map.eye",
         "both left right",
         {FOVEA_MAP_EYE_BOTH, FOVEA_MAP_EYE_LEFT, FOVEA_MAP_EYE_RIGHT}},
        {"foveation.method", "blockwise smooth", {FOVEA_METHOD_BLOCKWISE, FOVEA_METHOD_SMOOTH}},
        {"foveation.light",
         "auto encoded linear",
         {FOVEA_LIGHT_AUTO, FOVEA_LIGHT_ENCODED, FOVEA_LIGHT_LINEAR}},
        {"foveation.alpha", "keep premultiplied", {FOVEA_ALPHA_KEEP, FOVEA_ALPHA_PREMULTIPLIED}},
        {"foveation.paper.filter_length",
         "code printed",
         {FOVEA_FILTER_LENGTH_CODE, FOVEA_FILTER_LENGTH_PRINTED}},
        {"gaze.source",
         "fixed mouse scanpath saccades udp saliency lsl opengaze osc pupil replay neon",
         {FOVEA_GAZE_FIXED, FOVEA_GAZE_MOUSE, FOVEA_GAZE_SCANPATH, FOVEA_GAZE_SACCADES,
          FOVEA_GAZE_UDP, FOVEA_GAZE_SALIENCY, FOVEA_GAZE_LSL, FOVEA_GAZE_OPENGAZE, FOVEA_GAZE_OSC,
          FOVEA_GAZE_PUPIL, FOVEA_GAZE_REPLAY, FOVEA_GAZE_NEON}},
        {"gaze.neon.transport", "udp tcp", {FOVEA_NEON_UDP, FOVEA_NEON_TCP}},
        {"gaze.space",
         "uv ndc pixels",
         {FOVEA_GAZE_SPACE_UV, FOVEA_GAZE_SPACE_NDC, FOVEA_GAZE_SPACE_PIXELS}},
        {"gaze.origin",
         "top-left bottom-left center",
         {FOVEA_GAZE_ORIGIN_TOP_LEFT, FOVEA_GAZE_ORIGIN_BOTTOM_LEFT, FOVEA_GAZE_ORIGIN_CENTER}},
        {"gaze.over", "drawn shown", {FOVEA_GAZE_OVER_DRAWN, FOVEA_GAZE_OVER_SHOWN}},
        {"gaze.validity.fallback",
         "center last none saliency",
         {FOVEA_GAZE_FALLBACK_CENTER, FOVEA_GAZE_FALLBACK_LAST, FOVEA_GAZE_FALLBACK_NONE,
          FOVEA_GAZE_FALLBACK_SALIENCY}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_value_names(&cases[i]);
    }
    assert_string_equal(fovea_backend_name(FOVEA_BACKEND_VULKAN), "vulkan");
    assert_string_equal(fovea_backend_name((enum fovea_backend)4), "unknown backend");
    assert_string_equal(fovea_backend_name((enum fovea_backend) - 1), "unknown backend");
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
