/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The extension for Godot says this to an engine that it cannot work in, and asks nothing of the
 * loader. */

#include "cmocka_all.h"
#include "plugin/godot/api/godot_abi.h"

#include <dlfcn.h>

typedef uint8_t (*init_fn)(godot_get_proc_address_fn find, struct godot_class_library *library,
                           struct godot_initialization *out);

static uint32_t version_minor;
static char said[1024];

static void get_version(struct godot_version *out)
{
    *out = (struct godot_version){.major = 4, .minor = version_minor, .text = "an engine"};
}

static void say_error(const char *description, const char *message, const char *function,
                      const char *file, int32_t line, uint8_t notify)
{
    snprintf(said, sizeof said, "%s", message);
}

/* An engine that has these two functions alone. */
static godot_any_fn find(const char *name)
{
    return strcmp(name, "get_godot_version") == 0          ? (godot_any_fn)get_version
           : strcmp(name, "print_error_with_message") == 0 ? (godot_any_fn)say_error
                                                           : NULL;
}

static uint8_t load_into(uint32_t minor)
{
    void *library = dlopen(FOVEA_GODOT, RTLD_NOW | RTLD_LOCAL);
    struct godot_initialization initialization = {0};
    init_fn init = NULL;
    if (!library) {
        fail_msg("%s", dlerror());
        return 0;
    }
    *(void **)&init = dlsym(library, "fovea_godot_init");
    assert_non_null(init);
    assert_null(dlsym(library, "fovea_version"));
    version_minor = minor;
    said[0] = '\0';
    const uint8_t result = init(find, NULL, &initialization);
    assert_int_equal(dlclose(library), 0);
    return result;
}

TEST(an_engine_before_4_4_is_told_what_is_needed)
{
    assert_int_equal(load_into(3), 0);
    assert_non_null(strstr(said, "Godot 4.4"));
}

TEST(an_engine_without_a_function_is_told_which)
{
    assert_int_equal(load_into(4), 0);
    assert_non_null(strstr(said, "has no function"));
}
