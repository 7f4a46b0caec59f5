/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "run.h"

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
        close(file);
    }
}

/* As execvp looks. */
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

int program_start(char *const *arguments)
{
    execvp(arguments[0], arguments);
    const int error = errno;
    say("%s: %s", arguments[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
