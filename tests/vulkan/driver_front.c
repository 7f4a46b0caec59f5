/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The loader of Vulkan knows this of a driver. */

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef void (*function)(void);

__attribute__((visibility("default"))) function vk_icdGetInstanceProcAddr(void *instance,
                                                                          const char *name);
__attribute__((visibility("default"))) int front_begin(void);

static void *core;

int front_begin(void)
{
    int (*begin)(void) = NULL;
    core = dlopen(CORE, RTLD_NOW | RTLD_LOCAL);
    void *symbol = core ? dlsym(core, "core_begin") : NULL;
    memcpy(&begin, &symbol, sizeof begin);
    return begin ? begin() : 0;
}

__attribute__((destructor)) static void end(void)
{
    if (core) {
        dlclose(core);
    }
}

function vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    function found = NULL;
    void *symbol = dlsym(core, "core_submit");
    memcpy(&found, &symbol, sizeof found);
    return found;
}
