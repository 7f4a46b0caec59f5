/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_context_support.h"

static void hear(void *user, enum fovea_log_level level, const char *message)
{
    struct said *said = user;
    assert_null(strchr(message, '\n'));
    if (level >= FOVEA_LOG_WARNING) {
        said->count++;
        snprintf(said->last, sizeof said->last, "%s", message);
    } else if (level == FOVEA_LOG_INFO) {
        said->info_count++;
        snprintf(said->info, sizeof said->info, "%s", message);
    }
}

struct fovea_log said_log(struct said *said)
{
    return (struct fovea_log){.fn = hear, .user = said, .min_level = FOVEA_LOG_DEBUG};
}

struct fovea_settings *settings_with(const char *const *paths_and_values, struct said *said)
{
    struct fovea_settings *settings = NULL;
    assert_ok(fovea_settings_create(&settings));
    for (const char *const *word = paths_and_values; *word; word += 2) {
        assert_ok(fovea_settings_set(settings, word[0], word[1], said_log(said)));
    }
    return settings;
}

struct fovea_context *context_of(const struct fovea_settings *settings, struct said *said)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = said_log(said);
    struct fovea_context *context = NULL;
    assert_ok(fovea_context_create(&desc, &context));
    assert_non_null(context);
    return context;
}

void assert_said(struct said *said, const char *word)
{
    assert_that(said->count == 1 && strstr(said->last, word),
                "%d messages, the last \"%s\"; expected one with \"%s\"", said->count, said->last,
                word);
    *said = (struct said){0};
}

void assert_silent(const struct said *said)
{
    assert_that(said->count == 0, "expected silence, got \"%s\"", said->last);
}
