/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "combo.h"

#include "core/key_combo.h"
#include "guess.h"
#include "words.h"

bool config_combo_parses(const char *text)
{
    struct key_combo combo;
    char wrong[KEY_NAME_MAX];
    return key_combo_parse(text, &combo, wrong);
}

bool config_combo_is_good(const cJSON *item)
{
    return cJSON_IsString(item) && config_combo_parses(item->valuestring);
}

void config_combo_complain(const char *text, struct config_words *words)
{
    struct key_combo combo;
    char wrong[KEY_NAME_MAX];
    if (key_combo_parse(text, &combo, wrong) || !wrong[0]) {
        return;
    }
    config_words_add(words->text, sizeof words->text, "; no key is called \"%s\"",
                     config_quote(wrong, strlen(wrong)).text);
    struct config_guess guess = config_guess_begin(wrong);
    for (size_t i = 0; i < KEY_NAME_COUNT; i++) {
        config_guess_offer(&guess, key_names[i].name);
    }
    if (guess.best[0]) {
        config_words_add(words->text, sizeof words->text, "; did you mean \"%s\"?",
                         key_names[guess.best_offer].name);
    }
}

static const char *keys_of(const struct config_key *key, const struct fovea_settings *settings)
{
    return key->type == CONFIG_KEYS ? (const char *)settings + key->offset : "";
}

static bool are_same(const char *a, const char *b)
{
    struct key_combo combos[2];
    char wrong[KEY_NAME_MAX];
    return a[0] && b[0] && key_combo_parse(a, &combos[0], wrong) &&
           key_combo_parse(b, &combos[1], wrong) && key_combo_equal(&combos[0], &combos[1]);
}

bool config_combos_agree(const struct fovea_settings *settings, struct config_words *complaint)
{
    for (size_t i = 0; i < config_key_count; i++) {
        const char *keys = keys_of(&config_keys[i], settings);
        for (size_t k = 0; k < i; k++) {
            if (are_same(keys, keys_of(&config_keys[k], settings))) {
                config_words_add(complaint->text, sizeof complaint->text,
                                 "%s and %s are both %s; give one of them other keys, or \"\"",
                                 config_keys[k].path, config_keys[i].path, keys);
                return false;
            }
        }
    }
    return true;
}
