/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A driver stays loaded as a whole: a part of it that stays, and meets the rest when that is loaded
 * again, breaks the program's heap. */

#include "cmocka_all.h"
#include "sanitized.h"
#include "vulkan/vk_loaded.h"

#include <dlfcn.h>

static bool is_loaded(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        dlclose(library);
    }
    return library;
}

/* Nothing is unloaded where leaks are looked for (keep_loaded.c). */
static void assert_gone(const char *path)
{
    assert_true(TEST_SANITIZED || !is_loaded(path));
}

/* Does as vkCreateInstance. */
static void *open_driver(int *out_fronts)
{
    void *front = dlopen(FRONT, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(front);
    int (*begin)(void) = NULL;
    void *symbol = dlsym(front, "front_begin");
    memcpy(&begin, &symbol, sizeof begin);
    *out_fronts = begin();
    return front;
}

static void *submit_of(void *front)
{
    void *(*get)(void *, const char *) = NULL;
    void *symbol = dlsym(front, "vk_icdGetInstanceProcAddr");
    memcpy(&get, &symbol, sizeof get);
    return get(NULL, "vkQueueSubmit");
}

static void a_driver_that_nobody_keeps_goes(void)
{
    int fronts = 0;
    dlclose(open_driver(&fronts));
    assert_int_equal(fronts, 1);
    assert_gone(FRONT);
    assert_gone(CORE);
}

static void a_driver_that_is_kept_stays_whole(void)
{
    int fronts = 0;
    void *front = open_driver(&fronts);
    vk_loaded_keep(submit_of(front));
    dlclose(front);
    assert_true(is_loaded(CORE));
    assert_true(is_loaded(FRONT));
}

static void a_driver_below_a_layer_stays_with_it(void)
{
    int fronts = 0;
    void *front = open_driver(&fronts);
    void *layer = dlopen(LAYER, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(layer);
    vk_loaded_keep(dlsym(layer, "layer_submit"));
    dlclose(layer);
    dlclose(front);
    assert_true(is_loaded(LAYER));
    assert_true(is_loaded(FRONT));
    assert_true(is_loaded(CORE));
}

static void a_function_of_neither_stays_too(void)
{
    void *core = dlopen(CORE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(core);
    vk_loaded_keep(dlsym(core, "core_submit"));
    dlclose(core);
    assert_true(is_loaded(CORE));
    assert_gone(FRONT);
}

/* A library that stays loaded stays for the cases after it, so each runs in a process of its own.
 */
static void run_apart(void (*of_child)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        of_child();
        _exit(0);
    }
    assert_int_equal(test_status_of(child), 0);
}

/* Each runs in a process of its own. */
#define APART(name)                                                                                \
    TEST(name##_apart)                                                                             \
    {                                                                                              \
        run_apart(name);                                                                           \
    }
APART(a_driver_that_nobody_keeps_goes)
APART(a_driver_that_is_kept_stays_whole)
APART(a_driver_below_a_layer_stays_with_it)
APART(a_function_of_neither_stays_too)
