/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "large_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

/* The C library begins to map blocks of this size, too, before it has seen any freed. */
#define LARGE_BYTES ((size_t)128 << 10)

/* This lies before the memory, and is as long as a line of the cache. */
struct head {
    _Alignas(64) size_t mapped_bytes; /* 0: it is the heap's */
};

/* A sanitizer sees a write beyond the end in the heap alone. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define MAPS_LARGE 0
#else
#define MAPS_LARGE 1
#endif

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    *(size_t *)memory = bytes;
    return memory;
}

void *large_memory_make(size_t count, size_t element_bytes)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, element_bytes, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct head), &bytes)) {
        return NULL;
    }
    char *head = MAPS_LARGE && bytes >= LARGE_BYTES ? map(bytes) : calloc(1, bytes);
    return head ? head + sizeof(struct head) : NULL;
}

void large_memory_free(void *memory)
{
    if (!memory) {
        return;
    }
    char *head = (char *)memory - sizeof(struct head);
    const size_t mapped_bytes = *(size_t *)(void *)head;
    if (mapped_bytes == 0) {
        free(head);
    } else {
        munmap(head, mapped_bytes);
    }
}
