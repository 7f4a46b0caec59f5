/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A driver may be more than one library: NVIDIA's vkQueueSubmit lies in one that the library which
 * the loader knows has loaded itself. It stays whole or not at all: where a part stays and the
 * other is unloaded and comes again with the next instance, that one begins on what the former has
 * left behind, and the heap is broken. So the library stays that the loader knows; what it has
 * loaded it gives back only when it is unloaded. */

#include "vk_loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Every driver and every layer has these. */
static const char of_drivers[] = "vk_icdGetInstanceProcAddr";
static const char of_layers[] = "vkNegotiateLoaderLayerInterfaceVersion";

static void keep(const char *path)
{
    /* Nobody needs the handle: it is not what keeps it. */
    (void)dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool keep_if_it_has(const char *path, const char *symbol)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) {
        return false;
    }
    const bool has = dlsym(library, symbol);
    if (has) {
        keep(path);
    }
    dlclose(library);
    return has;
}

/* Paths one behind the other, each with its end. */
struct paths {
    char *text;
    size_t bytes;
};

/* The lock of the list of libraries is held: nothing is opened here. */
static int note_path(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct paths *paths = user;
    if (!info->dlpi_name || !strchr(info->dlpi_name, '/')) {
        return 0;
    }
    const size_t bytes = strlen(info->dlpi_name) + 1;
    char *text = realloc(paths->text, paths->bytes + bytes);
    if (!text) {
        return 1;
    }
    memcpy(text + paths->bytes, info->dlpi_name, bytes);
    paths->text = text;
    paths->bytes += bytes;
    return 0;
}

/* Nobody says which of them the device is of. False: there is none. */
static bool keep_drivers(void)
{
    struct paths paths = {0};
    bool any = false;
    (void)dl_iterate_phdr(note_path, &paths);
    for (size_t at = 0; at < paths.bytes; at += strlen(paths.text + at) + 1) {
        any = keep_if_it_has(paths.text + at, of_drivers) || any;
    }
    free(paths.text);
    return any;
}

void vk_loaded_keep(const void *function)
{
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname || keep_if_it_has(info.dli_fname, of_drivers)) {
        return;
    }
    const bool layer = keep_if_it_has(info.dli_fname, of_layers);
    if (!keep_drivers() && !layer) {
        keep(info.dli_fname);
    }
}
