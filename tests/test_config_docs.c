/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* docs/configuration.md has the table of key.c, word for word, and its examples load. To write the
 * table anew: test_config_docs --print */
#include "test_config_support.h"

#include "config/key.h"
#include "config/value.h"
#include "config/words.h"

static char page[1 << 17];

static int read_page(void **state)
{
    FILE *file = fopen(FOVEA_SOURCE_DIR "/docs/configuration.md", "rb");
    if (!file) {
        return -1;
    }
    size_t count = fread(page, 1, sizeof page - 1, file);
    page[count] = 0;
    return fclose(file) == 0 && count < sizeof page - 1 ? enter_folder(state) : -1;
}

static const char *default_of(const struct config_key *key, struct config_words *words)
{
    struct fovea_settings defaults = fovea_settings_default();
    *words = config_value_words(key, &defaults);
    return words->text[0] ? words->text : "";
}

/* One line of the table, with its end. */
static void row(const struct config_key *key, char *text, size_t size)
{
    struct config_words words;
    const char *value = default_of(key, &words);
    const char *tick = value[0] ? "`" : "";
    text[0] = 0;
    config_words_add(text, size, "| `%s` | %s%s | %s%s%s | %s |\n", key->path,
                     config_key_elements(key) > 1 ? "two of " : "", config_key_range(key).text,
                     tick, value, tick, key->help);
}

TEST(the_page_has_a_row_for_every_key_in_order)
{
    const char *at =
        strstr(page, "| Key | Values | Default | Meaning |\n| --- | --- | --- | --- |\n");
    assert_non_null(at);
    at = strchr(strchr(at, '\n') + 1, '\n') + 1;
    for (size_t i = 0; i < config_key_count; i++) {
        char wanted[1024];
        char found[1024];
        row(&config_keys[i], wanted, sizeof wanted);
        const char *end = strchr(at, '\n');
        assert_non_null(end);
        snprintf(found, sizeof found, "%.*s\n", (int)(end - at), at);
        assert_string_equal(found, wanted);
        at = end + 1;
    }
    assert_int_equal(*at, '\n');
}

TEST(examples_load)
{
    static const char fence[] = "```json\n";
    size_t count = 0;
    for (const char *at = strstr(page, fence); at; at = strstr(at + 1, fence)) {
        const char *begin = at + sizeof fence - 1;
        const char *end = strstr(begin, "\n```");
        assert_non_null(end);
        write_bytes("example.json", begin, (size_t)(end - begin));
        struct recorded recorded = {0};
        struct fovea_config_desc desc = only_file("example.json", &recorded);
        struct fovea_config *config = NULL;
        enum fovea_result result = fovea_config_create(&desc, &config);
        assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
        assert_result(result, FOVEA_OK);
        fovea_config_destroy(&config);
        count++;
    }
    assert_in_range(count, 2, 100);
}

static int print_table(void)
{
    printf("| Key | Values | Default | Meaning |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < config_key_count; i++) {
        char text[1024];
        row(&config_keys[i], text, sizeof text);
        fputs(text, stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        return print_table();
    }
    return tests_run(read_page, leave_folder);
}
