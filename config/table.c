/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "table.h"

#include "core/json_text.h"
#include "local.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES 65536 /* 64 a sample */
#define BETWEEN ",; \t\r\n"

static void add_sample(struct config_table *table, double sample)
{
    if (table->count < FOVEA_DISPLAY_MAX) {
        table->samples[table->count] = (float)sample;
    }
    table->count++;
}

static double number_of(const char *bytes, size_t count)
{
    double number = (double)NAN;
    if (json_is_number(bytes, count)) {
        json_decimal(bytes, bytes + count, &number);
    }
    return number;
}

static bool is_between(char c)
{
    return c != 0 && strchr(BETWEEN, c);
}

/* Numbers with commas, semicolons or white space between them; a line that begins with # does not
 * count. What is not a number becomes NAN. */
static void of_text(const char *bytes, size_t count, struct config_table *out_table)
{
    *out_table = (struct config_table){0};
    bool line_begins = true;
    for (size_t at = 0; at < count;) {
        size_t length = 0;
        if (is_between(bytes[at])) {
            line_begins = line_begins || bytes[at] == '\n';
            at++;
            continue;
        }
        const bool comment = line_begins && bytes[at] == '#';
        while (at + length < count &&
               (comment ? bytes[at + length] != '\n' : !is_between(bytes[at + length]))) {
            length++;
        }
        if (!comment) {
            add_sample(out_table, number_of(bytes + at, length));
        }
        line_begins = false;
        at += length;
    }
}

static const char *read_file(int fd, char *bytes, size_t *out_count)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        return "it is no file";
    }
    size_t count = 0;
    while (count <= FILE_MAX_BYTES) {
        const ssize_t got = read(fd, bytes + count, FILE_MAX_BYTES + 1 - count);
        if (got < 0 && errno != EINTR) {
            return "it cannot be read";
        }
        if (got == 0) {
            break;
        }
        count += got > 0 ? (size_t)got : 0;
    }
    *out_count = count;
    return count > FILE_MAX_BYTES ? "it has more than 65536 bytes" : NULL;
}

static const char *table_of_open_file(int fd, struct config_table *table)
{
    size_t count = 0;
    char *bytes = malloc(FILE_MAX_BYTES + 1);
    if (!bytes) {
        return "out of memory";
    }
    const char *problem = read_file(fd, bytes, &count);
    if (!problem) {
        of_text(bytes, count, table);
        problem = table->count == 0 ? "there are no numbers in it" : NULL;
    }
    free(bytes);
    return problem;
}

static const char *table_of_file(const char *name, const char *directory, bool local,
                                 struct config_table *table)
{
    char path[FOVEA_PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : directory, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return "its name is too long";
    }
    if (local && !config_local_is_of_folder(directory, path)) {
        return CONFIG_LOCAL_FILES_ONLY;
    }
    /* O_NONBLOCK: opening a named pipe would otherwise wait for its writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return "there is no such file, or none to be read";
    }
    const char *problem = table_of_open_file(fd, table);
    close(fd);
    return problem;
}

void config_table_parse(const cJSON *item, const char *directory, bool local,
                        struct config_table *out_table)
{
    *out_table = (struct config_table){0};
    if (cJSON_IsString(item)) {
        out_table->problem = table_of_file(item->valuestring, directory, local, out_table);
        return;
    }
    if (!cJSON_IsArray(item)) {
        out_table->problem = "";
        return;
    }
    for (const cJSON *sample = item->child; sample; sample = sample->next) {
        add_sample(out_table, cJSON_IsNumber(sample) ? sample->valuedouble : (double)NAN);
    }
}

uint32_t config_table_wrong_sample(const float *samples, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool fits = i < FOVEA_DISPLAY_MAX;
        const bool right = fits && isfinite(samples[i]) && samples[i] >= 0.0f &&
                           (i == 0 || samples[i] >= samples[i - 1]);
        if (!right) {
            return i + 1;
        }
    }
    return count > 0 && (count == 1 || samples[count - 1] <= samples[0]) ? count : 0;
}

struct config_words config_table_words(const float *samples, uint32_t count)
{
    struct config_words words = {0};
    if (count == 0) {
        config_words_add(words.text, sizeof words.text, "\"\"");
        return words;
    }
    config_words_add(words.text, sizeof words.text, "[");
    for (uint32_t i = 0; i < count && i < FOVEA_DISPLAY_MAX; i++) {
        config_words_add(words.text, sizeof words.text, "%s%s", i ? ", " : "",
                         config_number((double)samples[i]).text);
    }
    config_words_add(words.text, sizeof words.text, "]");
    return words;
}
