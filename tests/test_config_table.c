/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One truth in three places: the table in key.c, struct fovea_settings, default.json. That
 * schema.json and docs/configuration.md say the same, test_schema.py proves. */
#include "test_config_support.h"

#include "config/key.h"
#include "config/value.h"

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
    case CONFIG_KEYS:
        return 64; /* as maxLength of schema.json has it */
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
