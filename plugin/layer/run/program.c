/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

#include "core/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void judge(struct program *program)
{
    struct stat status;
    unsigned char head[EI_NIDENT] = {0};
    const unsigned char own = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    program->executable = access(program->path, X_OK) == 0;
    if (stat(program->path, &status) == 0) {
        program->executable &= S_ISREG(status.st_mode);
        program->set_id = (status.st_mode & (S_ISUID | S_ISGID)) ||
                          getxattr(program->path, "security.capability", NULL, 0) > 0;
    }
    const int file = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) {
        const ssize_t count = read(file, head, sizeof head);
        program->foreign_word = count == (ssize_t)sizeof head &&
                                memcmp(head, ELFMAG, SELFMAG) == 0 && head[EI_CLASS] != own;
        program->windows = count > 2 && memcmp(head, "MZ", 2) == 0;
        close(file);
    }
}

/* Looks where execvp looks. */
void program_find(const char *name, struct program *out_program)
{
    const char *list = getenv("PATH");
    *out_program = (struct program){0};
    if (strchr(name, '/')) {
        if (access(name, F_OK) == 0 && path_print(out_program->path, "%s", name)) {
            judge(out_program);
        }
        return;
    }
    for (list = list ? list : "/bin:/usr/bin"; !out_program->executable;) {
        const size_t length = strcspn(list, ":");
        char path[PATH_MAX];
        if (path_print(path, "%.*s%s%s", (int)length, list, length ? "/" : "./", name) &&
            access(path, F_OK) == 0) {
            path_print(out_program->path, "%s", path);
            judge(out_program);
        }
        if (!list[length]) {
            return;
        }
        list += length + 1;
    }
}

bool program_interpreter(const char *path, char out_path[PATH_MAX])
{
    char line[PATH_MAX] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t count = file < 0 ? 0 : read(file, line, sizeof line - 1);
    if (file >= 0) {
        close(file);
    }
    line[count > 0 ? count : 0] = '\0';
    if (count < 2 || strncmp(line, "#!", 2) != 0) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    const char *word = line + 2 + strspn(line + 2, " \t");
    const char *next = word + strcspn(word, " \t");
    next += strspn(next, " \t");
    struct program program = {0};
    if (strncmp(word, "/usr/bin/env", 12) == 0 && next[0]) {
        char name[PATH_MAX];
        path_print(name, "%.*s", (int)strcspn(next, " \t"), next);
        program_find(name, &program);
    }
    return program.path[0] ? path_print(out_path, "%s", program.path)
                           : path_print(out_path, "%.*s", (int)strcspn(word, " \t"), word);
}

#define COMMAND_MAX 16 /* what follows names no program any more */

/* Starts a script as the kernel does. */
void program_become(const char *const *arguments)
{
    static char interpreter[PATH_MAX];
    static const char *command[COMMAND_MAX] = {interpreter};
    struct program program = {0};
    size_t count = 0;
    while (arguments[count] && count < COMMAND_MAX - 1) {
        command[1 + count] = arguments[count];
        count++;
    }
    if (count > 0) {
        program_find(arguments[0], &program);
    }
    if (program.path[0] && program_interpreter(program.path, interpreter)) {
        program_names_become(command, 1 + count);
    } else {
        program_names_become(command + 1, count);
    }
}

int program_start(char *const *arguments)
{
    execvp(arguments[0], arguments);
    const int error = errno;
    say("%s: %s", arguments[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
