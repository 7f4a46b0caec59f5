/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "value.h"

#include "combo.h"
#include "curve.h"
#include "guess.h"
#include "operators.h"
#include "table.h"
#include "words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members are reached by offset and size; enumerators are as wide as this. */
_Static_assert(sizeof(enum fovea_backend) == sizeof(uint32_t), "enum is not 32 bits wide");

/* Holds any value of any number type of the settings, exactly. */
struct number {
    double value;
    uint64_t whole; /* counts for CONFIG_U64 */
};

static struct number load_number(const struct config_key *key, const unsigned char *member)
{
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    struct number number = {0};
    switch (key->type) {
    case CONFIG_U16:
        memcpy(&u16, member, sizeof u16);
        number.value = u16;
        break;
    case CONFIG_U64:
        memcpy(&number.whole, member, sizeof number.whole);
        break;
    case CONFIG_DOUBLE:
        memcpy(&number.value, member, sizeof number.value);
        break;
    default:
        memcpy(&u32, member, sizeof u32);
        number.value = u32;
    }
    return number;
}

static void store_number(const struct config_key *key, struct number number, unsigned char *member)
{
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    switch (key->type) {
    case CONFIG_U16:
        u16 = (uint16_t)number.value;
        memcpy(member, &u16, sizeof u16);
        break;
    case CONFIG_U64:
        memcpy(member, &number.whole, sizeof number.whole);
        break;
    case CONFIG_DOUBLE:
        memcpy(member, &number.value, sizeof number.value);
        break;
    default:
        u32 = (uint32_t)number.value;
        memcpy(member, &u32, sizeof u32);
    }
}

static bool in_range(const struct config_key *key, double value)
{
    if (key->type == CONFIG_U64) {
        return true;
    }
    if (key->or_zero && value == 0) {
        return true;
    }
    bool above = key->min_excluded ? value > key->min : value >= key->min;
    bool below = key->max_excluded ? value < key->max : value <= key->max;
    return isfinite(value) && above && below;
}

/* A seed may have more digits than a double. */
static bool parse_u64(const struct config_value *value, struct number *out_number)
{
    char digits[32] = {0};
    if (value->count >= sizeof digits || value->count == 0) {
        return false;
    }
    memcpy(digits, value->bytes, value->count);
    if (strspn(digits, "0123456789") != value->count) {
        return false;
    }
    errno = 0;
    out_number->whole = strtoull(digits, NULL, 10);
    return errno == 0;
}

static bool parse_number(const struct config_key *key, const struct config_value *value,
                         struct number *out_number)
{
    if (!cJSON_IsNumber(value->item)) {
        return false;
    }
    if (key->type == CONFIG_U64) {
        return parse_u64(value, out_number);
    }
    double number = value->item->valuedouble;
    out_number->value = number;
    return in_range(key, number) && (key->type == CONFIG_DOUBLE || number == floor(number));
}

static bool store_numbers(const struct config_key *key, const struct config_value *value,
                          unsigned char *member)
{
    struct number numbers[4];
    size_t count = config_key_elements(key);
    if (count == 1) {
        if (!parse_number(key, value, &numbers[0])) {
            return false;
        }
    } else {
        if (!cJSON_IsArray(value->item) || cJSON_GetArraySize(value->item) != (int)count) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            struct config_value element = {.item = cJSON_GetArrayItem(value->item, (int)i)};
            if (!parse_number(key, &element, &numbers[i])) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        store_number(key, numbers[i], member + i * (key->bytes / count));
    }
    return true;
}

static bool store_name(const struct config_key *key, const struct config_value *value,
                       unsigned char *member)
{
    if (!cJSON_IsString(value->item)) {
        return false;
    }
    for (uint32_t i = 0; key->names[i]; i++) {
        if (strcmp(key->names[i], value->item->valuestring) == 0) {
            memcpy(member, &i, sizeof i);
            return true;
        }
    }
    return false;
}

/* The rest of the member is cleared, so that equal settings are equal bytes. */
static bool store_string(const struct config_key *key, const struct config_value *value,
                         const char *directory, unsigned char *member)
{
    if (!cJSON_IsString(value->item)) {
        return false;
    }
    const char *text = value->item->valuestring;
    bool relative = key->type == CONFIG_PATH && text[0] != 0 && text[0] != '/';
    size_t before = relative ? strlen(directory) : 0;
    size_t length = strlen(text);
    if (before + length >= key->bytes) {
        return false;
    }
    memset(member, 0, key->bytes);
    memcpy(member, directory, before);
    memcpy(member + before, text, length);
    return true;
}

static bool store_bool(const struct config_value *value, unsigned char *member)
{
    if (!cJSON_IsBool(value->item)) {
        return false;
    }
    bool on = cJSON_IsTrue(value->item);
    memcpy(member, &on, sizeof on);
    return true;
}

static struct fovea_curve load_curve(const unsigned char *member)
{
    struct fovea_curve curve;
    memcpy(&curve, member, sizeof curve);
    return curve;
}

static bool store_curve(const struct config_value *value, unsigned char *member)
{
    struct fovea_curve curve = config_curve_parse(value->item);
    if (config_curve_wrong_point(&curve) > 0) {
        return false;
    }
    memcpy(member, &curve, sizeof curve);
    return true;
}

/* The only one there is: its count lies beside it. */
static bool store_table(const struct config_value *value, const char *directory,
                        struct fovea_display *display, struct config_words *out_problem)
{
    if (cJSON_IsString(value->item) && value->item->valuestring[0] == 0) {
        display->table_count = 0;
        return true;
    }
    struct config_table *table = malloc(sizeof *table);
    if (!table) {
        config_words_add(out_problem->text, sizeof out_problem->text, "; out of memory");
        return false;
    }
    config_table_parse(value->item, directory, value->local, table);
    const uint32_t wrong = config_table_wrong_sample(table->samples, table->count);
    if (table->problem && table->problem[0]) {
        config_words_add(out_problem->text, sizeof out_problem->text, "; %s", table->problem);
    } else if (wrong > 0) {
        config_words_add(out_problem->text, sizeof out_problem->text, "; wrong at number %u",
                         wrong);
    }
    const bool good = !table->problem && wrong == 0 && table->count > 0;
    if (good) {
        display->table_count = table->count;
        memcpy(display->table, table->samples, sizeof display->table);
    }
    free(table);
    return good;
}

static const char *near_name(const struct config_key *key, const struct config_value *value)
{
    struct config_guess guess = {0};
    if (key->type == CONFIG_ENUM && cJSON_IsString(value->item)) {
        guess = config_guess_begin(value->item->valuestring);
        for (size_t i = 0; key->names[i]; i++) {
            config_guess_offer(&guess, key->names[i]);
        }
    }
    return guess.best[0] ? key->names[guess.best_offer] : NULL;
}

static struct config_words complain(const struct config_key *key, const struct config_value *value)
{
    struct config_words expectation = config_key_expectation(key);
    struct config_words words = {0};
    bool object = cJSON_IsObject(value->item);
    config_words_add(words.text, sizeof words.text, "expected %s; found %s", expectation.text,
                     object ? "an object" : config_quote(value->bytes, value->count).text);
    if (key->type == CONFIG_CURVE && cJSON_IsArray(value->item)) {
        struct fovea_curve curve = config_curve_parse(value->item);
        if (curve.count > 0) {
            config_words_add(words.text, sizeof words.text, "; wrong at point %u",
                             config_curve_wrong_point(&curve));
        }
    }
    if (key->type == CONFIG_KEYS && cJSON_IsString(value->item)) {
        config_combo_complain(value->item->valuestring, &words);
    }
    const char *near = near_name(key, value);
    if (near) {
        config_words_add(words.text, sizeof words.text, "; did you mean \"%s\"?", near);
    }
    return words;
}

bool config_value_store(const struct config_key *key, const struct config_value *value,
                        const char *directory, struct fovea_settings *settings,
                        struct config_words *out_complaint)
{
    unsigned char *member = (unsigned char *)settings + key->offset;
    struct config_words problem = {0};
    bool good = false;
    switch (key->type) {
    case CONFIG_SCHEMA:
        good = cJSON_IsString(value->item);
        break;
    case CONFIG_VERSION:
        good = cJSON_IsNumber(value->item) && in_range(key, value->item->valuedouble);
        break;
    case CONFIG_APPS:
        good = cJSON_IsObject(value->item);
        break;
    case CONFIG_BOOL:
        good = store_bool(value, member);
        break;
    case CONFIG_ENUM:
        good = store_name(key, value, member);
        break;
    case CONFIG_STRING:
    case CONFIG_PATH:
        good = store_string(key, value, directory, member);
        break;
    case CONFIG_KEYS:
        good = config_combo_is_good(value->item) && store_string(key, value, "", member);
        break;
    case CONFIG_CURVE:
        good = store_curve(value, member);
        break;
    case CONFIG_OPERATORS:
        good = config_operators_store(key->names, value->item, &settings->operators, &problem);
        break;
    case CONFIG_TABLE:
        good = store_table(value, directory, &settings->foveation.display, &problem);
        break;
    default:
        good = store_numbers(key, value, member);
    }
    if (!good) {
        *out_complaint = complain(key, value);
        config_words_add(out_complaint->text, sizeof out_complaint->text, "%s", problem.text);
    }
    return good;
}

static uint32_t count_names(const struct config_key *key)
{
    uint32_t count = 0;
    while (key->names[count]) {
        count++;
    }
    return count;
}

static bool numbers_are_good(const struct config_key *key, const unsigned char *member)
{
    size_t count = config_key_elements(key);
    for (size_t i = 0; i < count; i++) {
        if (!in_range(key, load_number(key, member + i * (key->bytes / count)).value)) {
            return false;
        }
    }
    return true;
}

static bool check_curve(const unsigned char *member, struct config_words *out_found)
{
    struct fovea_curve curve = load_curve(member);
    uint32_t point = config_curve_wrong_point(&curve);
    if (point > 0) {
        *out_found = (struct config_words){0};
        if (curve.count == 0) {
            config_words_add(out_found->text, sizeof out_found->text, "without points");
        } else {
            config_words_add(out_found->text, sizeof out_found->text, "wrong at point %u", point);
        }
    }
    return point == 0;
}

static bool check_table(const struct fovea_display *display, struct config_words *out_found)
{
    const uint32_t wrong = config_table_wrong_sample(display->table, display->table_count);
    if (wrong > 0) {
        *out_found = (struct config_words){0};
        config_words_add(out_found->text, sizeof out_found->text, "wrong at number %u", wrong);
    }
    return wrong == 0;
}

bool config_value_check(const struct config_key *key, const struct fovea_settings *settings,
                        struct config_words *out_found)
{
    const unsigned char *member = (const unsigned char *)settings + key->offset;
    bool good = true;
    switch (key->type) {
    case CONFIG_SCHEMA:
    case CONFIG_VERSION:
    case CONFIG_APPS:
        return true;
    case CONFIG_CURVE:
        return check_curve(member, out_found);
    case CONFIG_OPERATORS:
        good = config_operators_are_good(&settings->operators);
        break;
    case CONFIG_TABLE:
        return check_table(&settings->foveation.display, out_found);
    case CONFIG_BOOL:
        good = *member <= 1;
        break;
    case CONFIG_ENUM:
        good = (uint32_t)load_number(key, member).value < count_names(key);
        break;
    case CONFIG_STRING:
    case CONFIG_PATH:
        good = memchr(member, 0, key->bytes);
        break;
    case CONFIG_KEYS:
        good = memchr(member, 0, key->bytes) && config_combo_parses((const char *)member);
        break;
    default:
        good = numbers_are_good(key, member);
    }
    if (!good) {
        *out_found = config_value_words(key, settings);
    }
    return good;
}

double config_value_number(const struct config_key *key, const struct fovea_settings *settings)
{
    const unsigned char *member = (const unsigned char *)settings + key->offset;
    if (key->type == CONFIG_BOOL) {
        return *member ? 1.0 : 0.0;
    }
    const struct number number = load_number(key, member);
    return key->type == CONFIG_U64 ? (double)number.whole : number.value;
}

static void add_numbers(struct config_words *words, const struct config_key *key,
                        const unsigned char *member)
{
    size_t count = config_key_elements(key);
    config_words_add(words->text, sizeof words->text, count > 1 ? "[" : "");
    for (size_t i = 0; i < count; i++) {
        struct number number = load_number(key, member + i * (key->bytes / count));
        config_words_add(words->text, sizeof words->text, i ? ", " : "");
        if (key->type == CONFIG_U64) {
            config_words_add(words->text, sizeof words->text, "%llu",
                             (unsigned long long)number.whole);
        } else {
            config_words_add(words->text, sizeof words->text, "%s",
                             config_number(number.value).text);
        }
    }
    config_words_add(words->text, sizeof words->text, count > 1 ? "]" : "");
}

static void add_name(struct config_words *words, const struct config_key *key,
                     const unsigned char *member)
{
    uint32_t index = (uint32_t)load_number(key, member).value;
    if (index < count_names(key)) {
        config_words_add(words->text, sizeof words->text, "\"%s\"", key->names[index]);
    } else {
        config_words_add(words->text, sizeof words->text, "%u", index);
    }
}

struct config_words config_value_words(const struct config_key *key,
                                       const struct fovea_settings *settings)
{
    const unsigned char *member = (const unsigned char *)settings + key->offset;
    struct config_words words = {0};
    struct fovea_curve curve;
    switch (key->type) {
    case CONFIG_SCHEMA:
    case CONFIG_VERSION:
    case CONFIG_APPS:
        break;
    case CONFIG_CURVE:
        curve = load_curve(member);
        words = config_curve_words(&curve);
        break;
    case CONFIG_OPERATORS:
        words = config_operators_words(key->names, &settings->operators);
        break;
    case CONFIG_TABLE:
        words = config_table_words(settings->foveation.display.table,
                                   settings->foveation.display.table_count);
        break;
    case CONFIG_BOOL:
        config_words_add(words.text, sizeof words.text, "%s",
                         *member == 0   ? "false"
                         : *member == 1 ? "true"
                                        : "not a bool");
        break;
    case CONFIG_ENUM:
        add_name(&words, key, member);
        break;
    case CONFIG_STRING:
    case CONFIG_PATH:
    case CONFIG_KEYS:
        config_words_add(
            words.text, sizeof words.text, "\"%s\"",
            config_quote((const char *)member, strnlen((const char *)member, key->bytes)).text);
        break;
    default:
        add_numbers(&words, key, member);
    }
    return words;
}
