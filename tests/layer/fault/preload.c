/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Preloaded into a program under Fovea's layer (LD_PRELOAD):
 *
 *     FOVEA_STORM_LAYER=NAME               the layer's file, for another than Vulkan's
 *     FOVEA_STORM_ALLOCATION=FIRST:COUNT   so many allocations of the layer fail, beginning with
 *                                          that one, from 1
 *     FOVEA_STORM_WHILE=PATH               all that it makes on the program's threads fail while
 *                                          there is such a file
 *     FOVEA_STORM_SLOW_MS=MS               each stat and each open of a file of settings, a map or
 *                                          a scanpath takes so long
 *     FOVEA_STORM_HOLD=PATH                each of those waits while there is such a file, into
 *                                          which it writes a letter
 *
 * At the end the allocations of the layer are counted on stderr, and the threads that it has
 * started, and how often those have read the environment, with the last name. */

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *layer_file = "libVkLayer_fovea.so";
static const char *fail_while;
static const char *hold;
static uintptr_t layer_begin, layer_end; /* before is_known is set */
static atomic_bool is_known;
static atomic_uint allocations;
static unsigned fail_first, fail_count;
static long slow_ms;
static _Thread_local bool is_layers;

static int find_layer(struct dl_phdr_info *info, size_t bytes, void *user)
{
    if (!info->dlpi_name || !strstr(info->dlpi_name, layer_file)) {
        return 0;
    }
    layer_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t end =
            info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        layer_end = info->dlpi_phdr[i].p_type == PT_LOAD && end > layer_end ? end : layer_end;
    }
    return 1;
}

/* The layer is noticed when it is loaded. */
void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *, int);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    }
    void *library = next(file, mode);
    if (library && file && strstr(file, layer_file) && !is_known) {
        dl_iterate_phdr(find_layer, NULL);
        is_known = layer_end > layer_begin;
    }
    return library;
}

static bool is_layer(const void *return_address)
{
    const uintptr_t at = (uintptr_t)return_address;
    return is_known && at >= layer_begin && at < layer_end;
}

static bool fails(const void *return_address)
{
    if (!is_layer(return_address)) {
        return false;
    }
    const unsigned number = atomic_fetch_add(&allocations, 1) + 1;
    if (fail_while && !is_layers && access(fail_while, F_OK) == 0) {
        return true;
    }
    return fail_first > 0 && number >= fail_first && number - fail_first < fail_count;
}

/* Other names of parameters than in headers that may change them. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

/* glibc's own, under the names that it keeps for whoever replaces them. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

static char *copy(const char *text, size_t length)
{
    char *out = __libc_malloc(length + 1);
    if (out) {
        memcpy(out, text, length);
        out[length] = '\0';
    }
    return out;
}

char *strdup(const char *text)
{
    return fails(__builtin_return_address(0)) ? NULL : copy(text, strlen(text));
}

char *strndup(const char *text, size_t most)
{
    return fails(__builtin_return_address(0)) ? NULL : copy(text, strnlen(text, most));
}

/* ---- Slow files */

static void wait_while_held(int (*next_open)(const char *, int, ...))
{
    const int file = hold ? next_open(hold, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file >= 0) {
        const bool told = write(file, "h", 1) == 1;
        close(file);
        while (told && access(hold, F_OK) == 0) {
            usleep(5000);
        }
    }
}

static void wait_for(const char *path)
{
    if (!strstr(path, "fovea.json") && !strstr(path, "map.png") && !strstr(path, "scanpath.csv")) {
        return;
    }
    const struct timespec time = {slow_ms / 1000, slow_ms % 1000 * 1000000};
    nanosleep(&time, NULL);
    int (*next_open)(const char *, int, ...);
    *(void **)&next_open = dlsym(RTLD_NEXT, "open");
    wait_while_held(next_open);
}

int stat(const char *path, struct stat *out)
{
    static int (*next)(const char *, struct stat *);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "stat");
    }
    wait_for(path);
    return next(path, out);
}

int open(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "open");
    }
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    wait_for(path);
    return next(path, flags, mode);
}

/* ---- The environment, which the program may change at any time */

static atomic_uint threads, readings;
static char last_read[64];

struct start {
    void *(*run)(void *);
    void *user;
};

static void *run_layers(void *user)
{
    const struct start start = *(struct start *)user;
    free(user);
    is_layers = true;
    return start.run(start.user);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    }
    struct start *start =
        is_layer(__builtin_return_address(0)) ? __libc_malloc(sizeof *start) : NULL;
    if (!start) {
        return next(thread, attributes, run, user);
    }
    *start = (struct start){run, user};
    threads++;
    return next(thread, attributes, run_layers, start);
}

static void note(const char *name)
{
    if (is_layers) {
        atomic_fetch_add(&readings, 1);
        snprintf(last_read, sizeof last_read, "%s", name);
    }
}

char *getenv(const char *name)
{
    static char *(*next)(const char *);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "getenv");
    }
    note(name);
    return next(name);
}

char *secure_getenv(const char *name)
{
    static char *(*next)(const char *);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "secure_getenv");
    }
    note(name);
    return next(name);
}

__attribute__((constructor)) static void begin(void)
{
    const char *allocation = getenv("FOVEA_STORM_ALLOCATION");
    const char *slow = getenv("FOVEA_STORM_SLOW_MS");
    const char *layer = getenv("FOVEA_STORM_LAYER");
    if (!allocation || sscanf(allocation, "%u:%u", &fail_first, &fail_count) != 2) {
        fail_first = 0;
    }
    slow_ms = slow ? strtol(slow, NULL, 10) : 0;
    layer_file = layer ? layer : layer_file;
    fail_while = getenv("FOVEA_STORM_WHILE");
    hold = getenv("FOVEA_STORM_HOLD");
}

__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "storm: %u allocations of the layer\n", allocations);
    fprintf(stderr, "storm: %u threads of the layer read the environment %u times: %s\n", threads,
            readings, last_read);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
