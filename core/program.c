/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const interpreters[] = {"python*", "perl*", "ruby*", "lua*",
                                           "gjs*",    "node",  "*sh"};

/* They are the process's file; its command line is the Windows program's as soon as that runs. */
static const char *const wine_loaders[] = {"wine", "wine64", "wine-*", "wine64-*"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(const char *const *patterns, size_t count, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = fnmatch(patterns[i], name, 0) == 0;
    }
    return found;
}

static bool is_interpreter(const char *name)
{
    return is_one_of(interpreters, COUNT_OF(interpreters), name);
}

static bool is_wine(const char *name)
{
    return is_one_of(wine_loaders, COUNT_OF(wine_loaders), name);
}

/* Windows has the other separator. */
static const char *base_name(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c; c++) {
        base = *c == '/' || *c == '\\' ? c + 1 : base;
    }
    return base;
}

static void copy(char name[PROGRAM_NAME_BYTES], const char *path)
{
    const char *base = base_name(path);
    const size_t length = strnlen(base, PROGRAM_NAME_BYTES - 1);
    memcpy(name, base, length);
    name[length] = '\0';
}

/* The command line from the first argument on that is no option; of 0 arguments: there is none. */
static struct program_facts from_first_word(const struct program_facts *facts)
{
    size_t i = 1;
    while (i < facts->argument_count && facts->arguments[i][0] == '-' &&
           strcmp(facts->arguments[i], "-c") != 0) {
        i++;
    }
    const bool found = i < facts->argument_count && facts->arguments[i][0] != '-';
    return found ? (struct program_facts){.arguments = facts->arguments + i,
                                          .argument_count = facts->argument_count - i}
                 : (struct program_facts){.argument_count = 0};
}

/* Wine's loader before the Windows program runs, or one that has kept its own command line: then
 * the kernel knows the program by the name that Wine has given the process. */
static void name_wine(const struct program_facts *facts, struct program_names *names)
{
    const struct program_facts inner = from_first_word(facts);
    const char *given = facts->short_name ? facts->short_name : "";
    if (given[0] && !is_wine(given)) {
        copy(names->name, given);
    } else if (inner.argument_count > 0) {
        copy(names->name, inner.arguments[0]);
    }
}

static void name_script(const struct program_facts *facts, struct program_names *names)
{
    const struct program_facts inner = from_first_word(facts);
    copy(names->script, inner.argument_count > 0 ? inner.arguments[0] : "");
    if (is_wine(names->script) || is_interpreter(names->script)) { /* a script that starts that */
        program_names_from(&inner, names);
    }
}

void program_names_from(const struct program_facts *facts, struct program_names *out_names)
{
    *out_names = (struct program_names){.name = ""};
    if (facts->argument_count > 0) {
        copy(out_names->name, facts->arguments[0]);
    }
    if (!out_names->name[0]) {
        copy(out_names->name, facts->file ? facts->file : "");
    }
    if (is_wine(out_names->name)) {
        name_wine(facts, out_names);
    } else if (is_interpreter(out_names->name)) {
        name_script(facts, out_names);
    }
}

/* ---- This process ---------------------------------------------------------------------------- */

/* A longer command line is cut off there; no script's name comes so late. */
#define COMMAND_BYTES 16384
#define ARGUMENTS_MAX 8

struct command {
    char file[PATH_MAX];
    char short_name[64];
    char line[COMMAND_BYTES];
    const char *arguments[ARGUMENTS_MAX];
};

/* Ends the text with 0; "" where there is nothing. */
static size_t read_text(const char *path, char *text, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0) {
        close(file);
    }
    text[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0 ? (size_t)bytes : 0;
}

static void read_file(char file[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", file, PATH_MAX - 1);
    file[length > 0 ? length : 0] = '\0';
}

/* The kernel puts an interpreter and its options before the script that was started. */
static struct program_facts read_facts(struct command *command)
{
    const size_t bytes = read_text("/proc/self/cmdline", command->line, sizeof command->line);
    size_t count = 0;
    for (const char *at = command->line; at < command->line + bytes && count < ARGUMENTS_MAX;
         at += strlen(at) + 1) {
        command->arguments[count++] = at;
    }
    read_file(command->file);
    (void)read_text("/proc/self/comm", command->short_name, sizeof command->short_name);
    command->short_name[strcspn(command->short_name, "\n")] = '\0';
    return (struct program_facts){command->file, command->short_name, command->arguments, count};
}

static const char *const *other_arguments;
static size_t other_count;

void program_names_become(const char *const *arguments, size_t count)
{
    other_arguments = arguments;
    other_count = count;
}

void program_names_find(struct program_names *out_names)
{
    if (other_count > 0) {
        const struct program_facts facts = {NULL, NULL, other_arguments, other_count};
        program_names_from(&facts, out_names);
        return;
    }
    struct command *command = calloc(1, sizeof *command);
    if (command) {
        const struct program_facts facts = read_facts(command);
        program_names_from(&facts, out_names);
    }
    if (!command || !out_names->name[0]) { /* without /proc; Wine has broken it */
        *out_names = (struct program_names){.name = ""};
        copy(out_names->name, program_invocation_short_name);
    }
    free(command);
}
