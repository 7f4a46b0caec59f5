/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "failing.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

int failing_after = -1;
int failing_calls;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);

static bool fails(void)
{
    failing_calls++;
    if (failing_after == 0) {
        return true;
    }
    failing_after -= failing_after > 0;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(where, bytes, protection, flags, fd, offset);
}
