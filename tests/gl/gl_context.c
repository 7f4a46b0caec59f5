/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_context.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Khronos's registry has these numbers. */
enum {
    EGL_OPENGL_API = 0x30A2,
    EGL_OPENGL_ES_API = 0x30A0,
    EGL_PLATFORM_DEVICE = 0x313F,
    EGL_MAJOR = 0x3098,
    EGL_MINOR = 0x30FB,
    EGL_PROFILE = 0x30FD,
    EGL_CORE = 1,
    EGL_NONE = 0x3038,
    EGL_RENDERABLE = 0x3040,
    EGL_OPENGL_BIT = 0x0008,
    EGL_ES2_BIT = 0x0004,
    EGL_SURFACE_TYPE = 0x3033,
    DEVICES_AT_MOST = 16,
};

#define EGL_FUNCTIONS(F)                                                                           \
    F(void *, GetProcAddress, (const char *name))                                                  \
    F(uint32_t, Initialize, (void *display, int32_t *major, int32_t *minor))                       \
    F(uint32_t, BindAPI, (uint32_t api))                                                           \
    F(uint32_t, ChooseConfig,                                                                      \
      (void *display, const int32_t *wanted, void **out, int32_t most, int32_t *out_count))        \
    F(void *, CreateContext, (void *display, void *config, void *shared, const int32_t *wanted))   \
    F(uint32_t, DestroyContext, (void *display, void *context))                                    \
    F(uint32_t, MakeCurrent, (void *display, void *draw, void *read, void *context))

static struct {
#define EGL_FUNCTION(returns, name, arguments) returns(*name) arguments;
    EGL_FUNCTIONS(EGL_FUNCTION)
#undef EGL_FUNCTION
} egl;

struct gl_test_api gl;

static void *display;
static void *context;

fovea_gl_function_fn gl_context_function(void *user, const char *name)
{
    void *address = egl.GetProcAddress(name);
    fovea_gl_function_fn function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

static bool load(void)
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW);
    void *address = NULL;
    bool all = library != NULL;
#define EGL_FUNCTION(returns, name, arguments)                                                     \
    address = all ? dlsym(library, "egl" #name) : NULL;                                            \
    all = all && address;                                                                          \
    memcpy(&egl.name, &address, sizeof address);
    EGL_FUNCTIONS(EGL_FUNCTION)
#undef EGL_FUNCTION
    return all;
}

/* Opens the first device that has a display: no window system is asked. */
static bool open_display(void)
{
    union {
        fovea_gl_function_fn any;
        uint32_t (*devices)(int32_t most, void **out, int32_t *out_count);
        void *(*display)(uint32_t platform, void *device, const int32_t *wanted);
    } query = {.any = gl_context_function(NULL, "eglQueryDevicesEXT")},
      get = {.any = gl_context_function(NULL, "eglGetPlatformDisplayEXT")};
    void *devices[DEVICES_AT_MOST];
    int32_t count = 0;
    if (!query.any || !get.any || !query.devices(DEVICES_AT_MOST, devices, &count)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        display = get.display(EGL_PLATFORM_DEVICE, devices[i], NULL);
        if (display && egl.Initialize(display, NULL, NULL)) {
            return true;
        }
    }
    display = NULL;
    return false;
}

static void *new_context(enum gl_kind kind)
{
    const bool es = kind == GL_KIND_ES;
    const int32_t renders[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE,
                               es ? EGL_ES2_BIT : EGL_OPENGL_BIT, EGL_NONE};
    const int32_t desktop[] = {EGL_MAJOR,
                               3,
                               EGL_MINOR,
                               kind == GL_KIND_CORE ? 3 : 0,
                               kind == GL_KIND_CORE ? EGL_PROFILE : EGL_NONE,
                               EGL_CORE,
                               EGL_NONE};
    const int32_t small[] = {EGL_MAJOR, 3, EGL_NONE};
    void *config = NULL;
    int32_t count = 0;
    if (!egl.BindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
        !egl.ChooseConfig(display, renders, &config, 1, &count) || count < 1) {
        return NULL;
    }
    return egl.CreateContext(display, config, NULL, es ? small : desktop);
}

bool gl_context_make(enum gl_kind kind)
{
    if (!display && (!load() || !open_display())) {
        return false;
    }
    gl_context_drop();
    context = new_context(kind);
    if (!context || !egl.MakeCurrent(display, NULL, NULL, context)) {
        return false;
    }
    fovea_gl_function_fn function = NULL;
    bool all = true;
#define GL_FUNCTION(returns, name, arguments)                                                      \
    function = gl_context_function(NULL, "gl" #name);                                              \
    memcpy(&gl.name, &function, sizeof function);                                                  \
    all = all && function;
    GL_TEST_FUNCTIONS(GL_FUNCTION)
#undef GL_FUNCTION
    return all;
}

void gl_context_drop(void)
{
    if (context) {
        egl.MakeCurrent(display, NULL, NULL, NULL);
        egl.DestroyContext(display, context);
        context = NULL;
    }
}
