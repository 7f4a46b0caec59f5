/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators.h"

#include "guess.h"
#include "words.h"

#include <string.h>

bool config_operators_have(const struct fovea_operators *operators, enum fovea_operator name)
{
    bool have = false;
    for (uint32_t i = 0; i < operators->count; i++) {
        have = have || operators->order[i] == name;
    }
    return have;
}

bool config_operators_are_standard(const struct fovea_operators *operators)
{
    return memcmp(operators, &config_settings_standard()->operators, sizeof *operators) == 0;
}

bool config_operators_foveate(const struct fovea_operators *operators)
{
    return config_operators_have(operators, config_settings_standard()->operators.order[0]);
}

static void add_unknown(const char *const *names, const char *word, struct config_words *problem)
{
    struct config_guess guess = config_guess_begin(word);
    for (size_t i = 0; names[i]; i++) {
        config_guess_offer(&guess, names[i]);
    }
    if (word[0]) {
        config_words_add(problem->text, sizeof problem->text, "; there is no %s",
                         config_quote(word, strlen(word)).text);
    }
    if (guess.best[0]) {
        config_words_add(problem->text, sizeof problem->text, "; did you mean \"%s\"?",
                         names[guess.best_offer]);
    }
}

static bool add_word(const char *const *names, const char *word, struct fovea_operators *operators,
                     struct config_words *problem)
{
    uint32_t number = 0;
    while (names[number] && strcmp(names[number], word) != 0) {
        number++;
    }
    if (!names[number]) {
        add_unknown(names, word, problem);
        return false;
    }
    if (config_operators_have(operators, (enum fovea_operator)number)) {
        config_words_add(problem->text, sizeof problem->text, "; %s is there twice", word);
        return false;
    }
    operators->order[operators->count++] = (enum fovea_operator)number;
    return true;
}

/* "foveate, blur" */
static bool add_text(const char *const *names, const char *text, struct fovea_operators *operators,
                     struct config_words *problem)
{
    while (true) {
        char word[FOVEA_NAME_MAX];
        text += strspn(text, " ");
        const size_t end = strcspn(text, ",");
        size_t length = end;
        while (length > 0 && text[length - 1] == ' ') {
            length--;
        }
        config_words_copy(word, sizeof word, text, length);
        if (!add_word(names, word, operators, problem)) {
            return false;
        }
        if (!text[end]) {
            return true;
        }
        text += end + 1;
    }
}

bool config_operators_store(const char *const *names, const cJSON *item,
                            struct fovea_operators *out, struct config_words *out_problem)
{
    struct fovea_operators operators = {0};
    if (cJSON_IsString(item)) {
        if (!add_text(names, item->valuestring, &operators, out_problem)) {
            return false;
        }
    } else if (!cJSON_IsArray(item)) {
        return false;
    }
    for (const cJSON *word = cJSON_IsArray(item) ? item->child : NULL; word; word = word->next) {
        if (!cJSON_IsString(word) || !add_word(names, word->valuestring, &operators, out_problem)) {
            return false;
        }
    }
    if (operators.count == 0) {
        return false;
    }
    *out = operators;
    return true;
}

bool config_operators_are_good(const struct fovea_operators *operators)
{
    bool taken[FOVEA_OPERATOR_COUNT] = {false};
    if (operators->count < 1 || operators->count > FOVEA_OPERATOR_COUNT) {
        return false;
    }
    for (uint32_t i = 0; i < operators->count; i++) {
        const size_t name = (size_t)operators->order[i];
        if (name >= FOVEA_OPERATOR_COUNT || taken[name]) {
            return false;
        }
        taken[name] = true;
    }
    return true;
}

struct config_words config_operators_words(const char *const *names,
                                           const struct fovea_operators *operators)
{
    struct config_words words = {0};
    config_words_add(words.text, sizeof words.text, "[");
    for (uint32_t i = 0; i < operators->count && i < FOVEA_OPERATOR_COUNT; i++) {
        const size_t name = (size_t)operators->order[i];
        config_words_add(words.text, sizeof words.text, "%s\"%s\"", i ? ", " : "",
                         name < FOVEA_OPERATOR_COUNT ? names[name] : "?");
    }
    config_words_add(words.text, sizeof words.text, "]");
    return words;
}
