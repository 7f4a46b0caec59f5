/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_api.h"

#include "core/log.h"

#include <dlfcn.h>
#include <stdlib.h>

/* A library that makes contexts current, and how it is asked. */
struct maker {
    const char *library;
    const char *current_context;
    const char *get_proc_address;
};

static const struct maker MAKERS[] = {
    {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
};

/* ISO C knows no way from a pointer to data to one to a function. */
static fovea_gl_function_fn function_of(void *library, const char *name)
{
    void *data = dlsym(library, name);
    fovea_gl_function_fn function = NULL;
    _Static_assert(sizeof data == sizeof function, "POSIX has them alike");
    memcpy(&function, &data, sizeof function);
    return function;
}

/* A library of GL's gives functions by name, and takes no user. */
union getter {
    fovea_gl_function_fn any;
    fovea_gl_function_fn (*get)(const char *name);
    void *(*current)(void);
};

static fovea_gl_function_fn ask(void *user, const char *name)
{
    const union getter *getter = user;
    return getter->get(name);
}

/* The library whose context is current on this thread. It stays loaded while that is so; Fovea's
 * own reference keeps it as long as the process, as its functions are kept. */
static bool find_maker(struct gl_api *api, union getter *out_getter)
{
    for (size_t i = 0; i < sizeof MAKERS / sizeof *MAKERS; i++) {
        void *library = dlopen(MAKERS[i].library, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        if (!library) {
            continue;
        }
        const union getter current = {.any = function_of(library, MAKERS[i].current_context)};
        const union getter getter = {.any = function_of(library, MAKERS[i].get_proc_address)};
        dlclose(library);
        if (current.current && getter.get && current.current()) {
            api->current_context = current.current;
            api->library = MAKERS[i].library;
            *out_getter = getter;
            return true;
        }
    }
    return false;
}

/* Each function that the list names, into its member; the name of the last that is missing. */
#define GL_FUNCTION(returns, name, arguments)                                                      \
    function = get(user, "gl" #name);                                                              \
    memcpy(&api->name, &function, sizeof function);                                                \
    missing = function ? missing : "gl" #name;

static const char *find_functions(struct gl_api *api, fovea_gl_get_proc_address_fn get, void *user)
{
    fovea_gl_function_fn function = NULL;
    const char *missing = NULL;
    GL_FUNCTIONS(GL_FUNCTION)
    return missing;
}

static bool find_transfers(struct gl_api *api, fovea_gl_get_proc_address_fn get, void *user)
{
    fovea_gl_function_fn function = NULL;
    const char *missing = NULL;
    GL_TRANSFER_FUNCTIONS(GL_FUNCTION)
    return !missing;
}

static bool find_sharing(struct gl_api *api, fovea_gl_get_proc_address_fn get, void *user)
{
    fovea_gl_function_fn function = NULL;
    const char *missing = NULL;
    GL_SHARING_FUNCTIONS(GL_FUNCTION)
    return !missing;
}

static bool find_semaphores(struct gl_api *api, fovea_gl_get_proc_address_fn get, void *user)
{
    fovea_gl_function_fn function = NULL;
    const char *missing = NULL;
    GL_SEMAPHORE_FUNCTIONS(GL_FUNCTION)
    return !missing;
}
#undef GL_FUNCTION

static bool has_extension(const struct gl_api *api, const char *name)
{
    int32_t count = 0;
    api->GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (int32_t i = 0; i < count; i++) {
        const char *one = (const char *)api->GetStringi(GL_EXTENSIONS, (uint32_t)i);
        if (one && !strcmp(one, name)) {
            return true;
        }
    }
    return false;
}

/* Addresses alone say nothing: some drivers have them for every name. */
static void find_extensions(struct gl_api *api, fovea_gl_get_proc_address_fn get, void *user)
{
    api->shares = find_sharing(api, get, user) && has_extension(api, "GL_EXT_memory_object") &&
                  has_extension(api, "GL_EXT_memory_object_fd");
    api->shares_semaphores = api->shares && find_semaphores(api, get, user) &&
                             has_extension(api, "GL_EXT_semaphore") &&
                             has_extension(api, "GL_EXT_semaphore_fd");
}

/* "4.5 (Core Profile) Mesa 22.3.6"; "OpenGL ES 3.2 Mesa 22.3.6". */
static bool is_new_enough(const char *version)
{
    return version[0] >= '3' && version[0] <= '9';
}

/* "3.1 Mesa" may be either, and has it if it says so. */
static bool is_old(const struct gl_api *api, const char *version)
{
    int32_t profile = 0;
    if (!strncmp(version, "3.0", 3)) {
        return true;
    }
    if (!strncmp(version, "3.1", 3)) {
        return has_extension(api, "GL_ARB_compatibility");
    }
    api->GetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    return !(profile & GL_CONTEXT_CORE_PROFILE_BIT);
}

enum fovea_result gl_api_load(const struct fovea_gl_desc *desc, struct gl_api *out)
{
    union getter getter = {0};
    *out = (struct gl_api){0};
    /* It is asked for a program's own functions, too: it finds who knows the context that is
     * current. */
    if (!find_maker(out, &getter) && !desc->get_proc_address) {
        log_error(desc->log, "OpenGL: no context is current on this thread (neither GLX's nor "
                             "EGL's; others: fovea_gl_desc.get_proc_address)");
        return FOVEA_ERROR_INVALID_STATE;
    }
    const bool given = desc->get_proc_address != NULL;
    out->library = given ? "the program's own functions" : out->library;
    const fovea_gl_get_proc_address_fn get = given ? desc->get_proc_address : ask;
    void *user = given ? desc->get_proc_address_user : &getter;
    const char *missing = find_functions(out, get, user);
    if (missing) {
        log_error(desc->log, "OpenGL has no %s in %s", missing, out->library);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const char *version = (const char *)out->GetString(GL_VERSION);
    if (!version) {
        log_error(desc->log, "OpenGL: no context is current on this thread");
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (!is_new_enough(version)) {
        log_error(desc->log, "OpenGL 3.0 or later is needed; the context is \"%s\"", version);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    find_extensions(out, get, user);
    out->transfers = find_transfers(out, get, user) && is_old(out, version);
    return FOVEA_OK;
}

bool gl_api_is_current(const struct gl_api *api)
{
    return !api->current_context || api->current_context();
}

const char *gl_error_name(uint32_t error)
{
    static const char *const NAMES[] = {"GL_INVALID_ENUM",
                                        "GL_INVALID_VALUE",
                                        "GL_INVALID_OPERATION",
                                        "GL_STACK_OVERFLOW",
                                        "GL_STACK_UNDERFLOW",
                                        "GL_OUT_OF_MEMORY",
                                        "GL_INVALID_FRAMEBUFFER_OPERATION",
                                        "GL_CONTEXT_LOST"};
    const uint32_t first = 0x0500;
    return error >= first && error - first < sizeof NAMES / sizeof *NAMES ? NAMES[error - first]
                                                                          : "an unknown error";
}
