/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes, as a file and as the list in FOVEA_SET. Either they are right, and then so is each
 * setting, or there is one message about them that can be shown as it is. */
#include "config/agree.h"
#include "config/apply.h"
#include "config/value.h"
#include "config/words.h"
#include "core/json_text.h"

#include "require.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool searching;

/* An input may name any file of the machine, for instance as a display's table: a pipe somebody
 * reads, or a device. None of them is opened; the fuzzer's own files are. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (searching) {
        errno = ENOENT;
        return -1;
    }
    return __real_open(path, flags, mode);
}

static void count_message(void *user, enum fovea_log_level level, const char *message)
{
    size_t *count = user;
    *count += level == FOVEA_LOG_ERROR ? 1 : 0;
    for (size_t i = 0, left = strlen(message); left > 0;) {
        size_t length = json_utf8_length(message + i, left);
        REQUIRE(length > 0 && (uint8_t)message[i] >= 0x20);
        i += length;
        left -= length;
    }
}

static enum fovea_result apply_file(const struct config_text *text, struct fovea_settings *settings)
{
    struct config_document document;
    enum fovea_result result = config_document_parse(text, &document);
    if (result < 0) {
        REQUIRE(!document.root && !document.spots);
        return result;
    }
    result = config_apply_file(&document, settings);
    const struct program_names names = {.name = "scene"};
    size_t match_count = 0;
    if (result == FOVEA_OK) {
        result = config_apply_apps(&document, &names, settings, &match_count);
    }
    config_document_finish(&document);
    return result;
}

static void judge(enum fovea_result result, size_t messages, const struct fovea_settings *settings)
{
    /* Memory: cJSON did not take what the scanner took. */
    REQUIRE(result == FOVEA_OK || result == FOVEA_ERROR_CONFIG);
    REQUIRE(messages == (result == FOVEA_OK ? 0 : 1));
    struct fovea_log silent = {0};
    struct config_words found;
    for (size_t i = 0; i < config_key_count; i++) {
        REQUIRE(config_value_check(&config_keys[i], settings, &found));
    }
    REQUIRE((fovea_settings_check(settings, silent) == FOVEA_OK) ==
            config_settings_agree(settings, &found));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = exact_copy(data, size);
    char *terminated = malloc(size + 1);
    REQUIRE(terminated);
    searching = true;
    memcpy(terminated, data, size);
    terminated[size] = 0;

    size_t messages = 0;
    struct fovea_log log = {.fn = count_message, .user = &messages};
    struct fovea_settings settings = fovea_settings_default();
    struct config_text text = {.name = "fuzz.json",
                               .directory = "/somewhere/",
                               .bytes = bytes,
                               .count = size,
                               .lines = true,
                               .log = log};
    enum fovea_result result = apply_file(&text, &settings);
    judge(result, messages, &settings);

    messages = 0;
    settings = fovea_settings_default();
    result = config_apply_set_list(terminated, "FOVEA_SET", log, &settings);
    judge(result, messages, &settings);
    searching = false;
    free(bytes);
    free(terminated);
    return 0;
}
