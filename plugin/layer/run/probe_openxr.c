/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "probe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENSIONS_MAX 1024
#define OWN_LAYER "XR_APILAYER_FOVEA"

/* OpenXR's specification declares it so; its headers may be absent where Fovea is built. */
struct extension {
    int type;
    void *next;
    char name[128];
    uint32_t version;
};
#define TYPE_EXTENSION 2
typedef int (*enumerate_extensions)(const char *layer, uint32_t capacity, uint32_t *count,
                                    struct extension *extensions);

static void note(struct probe *probe, const struct extension *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        probe->openxr_both_eyes |= strcmp(all[i].name, "XR_EXT_eye_gaze_interaction") == 0;
        probe->openxr_centers |= strcmp(all[i].name, "XR_META_foveation_eye_tracked") == 0;
        probe->openxr_each_eye |= strcmp(all[i].name, "XR_FB_eye_tracking_social") == 0;
    }
}

/* The loader opens the runtime for that; no instance is made. Returns an XrResult. */
static int ask(struct probe *probe, enumerate_extensions enumerate)
{
    uint32_t count = 0;
    int result = enumerate(NULL, 0, &count, NULL);
    struct extension *all =
        result >= 0 && count <= EXTENSIONS_MAX ? calloc(count + 1, sizeof *all) : NULL;
    for (uint32_t i = 0; all && i < count; i++) {
        all[i].type = TYPE_EXTENSION;
    }
    if (all) {
        result = enumerate(NULL, count, &count, all);
    }
    if (all && result >= 0) {
        note(probe, all, count);
    }
    free(all);
    return result;
}

/* Fovea's own layer lists the gaze that it may provide, which is not the runtime's. */
static void leave_own_out(void)
{
    const char *list = getenv("XR_ENABLE_API_LAYERS");
    char *others = list ? strdup(list) : NULL;
    if (!others) {
        return;
    }
    char *end = others;
    while (*list) {
        const size_t length = strcspn(list, ":");
        if (length != strlen(OWN_LAYER) || strncmp(list, OWN_LAYER, length) != 0) {
            memcpy(end, list, length);
            end += length;
            *end++ = ':';
        }
        list += length + (list[length] == ':');
    }
    end[end > others ? -1 : 0] = '\0';
    (void)setenv("XR_ENABLE_API_LAYERS", others, 1); /* or the check says too much */
    free(others);
}

void probe_openxr(struct probe *probe)
{
    leave_own_out();
    void *loader = dlopen("libopenxr_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    enumerate_extensions enumerate = NULL;
    void *symbol = loader ? dlsym(loader, "xrEnumerateInstanceExtensionProperties") : NULL;
    if (!symbol) {
        snprintf(probe->openxr_fault, sizeof probe->openxr_fault,
                 "OpenXR's loader is not there (Debian: libopenxr-loader1)");
        return;
    }
    memcpy(&enumerate, &symbol, sizeof symbol);
    const int result = ask(probe, enumerate);
    probe->openxr_fault[0] = '\0';
    if (result < 0) {
        snprintf(probe->openxr_fault, sizeof probe->openxr_fault,
                 "OpenXR's loader finds no runtime that works (%d): XR_RUNTIME_JSON names one, or "
                 "openxr/1/active_runtime.json in ~/.config or /etc/xdg",
                 result);
    }
}
