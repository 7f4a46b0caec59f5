/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The program's instance, with the extensions that tell a gaze beside its own, where the runtime
 * has them. */

#include "plugin/openxr/xr_layer.h"

#include <stdlib.h>

#define EXTENSIONS 128 /* of the program's */
#define MOST_LISTED 4096

static const struct wanted {
    uint32_t bit;
    const char *name;
} wanted[] = {
    {OPENXR_GAZE, XR_EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME},
    {OPENXR_EYES, XR_EYE_TRACKING_EXTENSION},
    {OPENXR_FOVEATION, XR_FOVEATION_EXTENSION},
    {OPENXR_FOVEATION_FB, XR_FB_FOVEATION_EXTENSION_NAME},
    {OPENXR_FOVEATION_LEVELS, XR_FB_FOVEATION_CONFIGURATION_EXTENSION_NAME},
    {OPENXR_FOVEATION_VULKAN, XR_FB_FOVEATION_VULKAN_EXTENSION_NAME},
    {OPENXR_SWAPCHAIN_STATE, XR_FB_SWAPCHAIN_UPDATE_STATE_EXTENSION_NAME},
    {OPENXR_TIMESPEC, "XR_KHR_convert_timespec_time"},
};
#define WANTED (sizeof wanted / sizeof wanted[0])
#define BLIND (OPENXR_GAZE | OPENXR_EYES) /* tried where nobody lists them */

/* Finds, in what the layer has use for, that which the program has asked for itself. */
static uint32_t named_by(const XrInstanceCreateInfo *info)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        for (size_t w = 0; w < WANTED; w++) {
            named |=
                strcmp(info->enabledExtensionNames[i], wanted[w].name) == 0 ? wanted[w].bit : 0;
        }
    }
    return named;
}

/* The last one's next is the loader, which asks the runtime. Layers between have no say there, and
 * may not be asked without an instance. */
static PFN_xrEnumerateInstanceExtensionProperties find_enumerate(
    const struct xr_layer_create_info *layer)
{
    const struct xr_layer_next_info *last = layer->next;
    while (last->next) {
        last = last->next;
    }
    PFN_xrVoidFunction function = NULL;
    const XrResult result = last->get_instance_proc_addr(
        XR_NULL_HANDLE, "xrEnumerateInstanceExtensionProperties", &function);
    return result == XR_SUCCESS ? (PFN_xrEnumerateInstanceExtensionProperties)function : NULL;
}

static uint32_t bits_of(const XrExtensionProperties *properties, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (size_t w = 0; w < WANTED; w++) {
            bits |= strcmp(properties[i].extensionName, wanted[w].name) == 0 ? wanted[w].bit : 0;
        }
    }
    return bits;
}

/* Those that the runtime lists. False: it does not tell. */
static bool list(const struct xr_layer_create_info *layer, uint32_t *out_listed)
{
    PFN_xrEnumerateInstanceExtensionProperties enumerate = find_enumerate(layer);
    uint32_t room = 0;
    uint32_t count = 0;
    if (!enumerate || XR_FAILED(enumerate(NULL, 0, &room, NULL)) || room > MOST_LISTED) {
        return false;
    }
    XrExtensionProperties *properties = calloc((size_t)room + 1, sizeof *properties);
    for (uint32_t i = 0; properties && i < room; i++) {
        properties[i].type = XR_TYPE_EXTENSION_PROPERTIES;
    }
    const bool told =
        properties && XR_SUCCEEDED(enumerate(NULL, room, &count, properties)) && count <= room;
    *out_listed = told ? bits_of(properties, count) : 0;
    if (!(*out_listed & OPENXR_FOVEATION)) {
        *out_listed &= BLIND | OPENXR_TIMESPEC; /* the others serve that one */
    }
    free(properties);
    return told;
}

/* Some layers bring a gaze along. Those of validation and dumps do not, and log what they refuse.
 */
static bool may_offer_more(const struct xr_layer_create_info *layer)
{
    bool may = false;
    for (const struct xr_layer_next_info *at = layer->next->next; at; at = at->next) {
        may = may || strncmp(at->name, "XR_APILAYER_LUNARG_", 19) != 0;
    }
    return may;
}

static XrResult create_with(const XrInstanceCreateInfo *info,
                            const struct xr_layer_create_info *layer, uint32_t bits, bool withhold,
                            XrInstance *out)
{
    const char *names[EXTENSIONS + WANTED];
    XrInstanceCreateInfo more = *info;
    struct xr_layer_create_info next = *layer;
    next.next = layer->next->next;
    const bool changed = bits || withhold;
    more.enabledExtensionCount = changed ? 0 : info->enabledExtensionCount;
    for (uint32_t i = 0; changed && i < info->enabledExtensionCount; i++) {
        const char *name = info->enabledExtensionNames[i];
        if (!withhold || strcmp(name, XR_EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME) != 0) {
            names[more.enabledExtensionCount++] = name;
        }
    }
    for (size_t w = 0; w < WANTED; w++) {
        if (bits & wanted[w].bit) {
            names[more.enabledExtensionCount++] = wanted[w].name;
        }
    }
    more.enabledExtensionNames = changed ? names : info->enabledExtensionNames;
    return layer->next->create_instance(&more, &next, out);
}

static uint32_t depths_of(const XrInstanceCreateInfo *info)
{
    bool named = false;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        named = named || strcmp(info->enabledExtensionNames[i],
                                XR_KHR_COMPOSITION_LAYER_DEPTH_EXTENSION_NAME) == 0;
    }
    return named ? OPENXR_DEPTHS : 0;
}

bool openxr_extensions_ask_gaze(const XrInstanceCreateInfo *info)
{
    return named_by(info) & OPENXR_GAZE;
}

/* A runtime without an extension refuses the attempt, with results of their own where layers stand
 * between; the last one is what the program wants. Most instances are the first attempt's. */
static XrResult attempt(const XrInstanceCreateInfo *info, const struct xr_layer_create_info *layer,
                        const uint32_t *attempts, bool withhold, XrInstance *out,
                        uint32_t *out_extensions)
{
    const uint32_t own = named_by(info);
    uint32_t tried = UINT32_MAX;
    XrResult result = XR_ERROR_EXTENSION_NOT_PRESENT;
    do {
        const uint32_t bits = *attempts & ~own;
        if (bits != tried) {
            result = create_with(info, layer, bits, withhold, out);
            *out_extensions = bits | own | depths_of(info);
        }
        tried = bits;
    } while (XR_FAILED(result) && *attempts++ != 0);
    *out_extensions &= withhold ? ~(uint32_t)OPENXR_GAZE : UINT32_MAX;
    return result;
}

/* The manifest lists the extension for the eyes, so that a program may ask for it though the
 * runtime has none. A layer between may have it. */
XrResult openxr_extensions_create(const XrInstanceCreateInfo *info,
                                  const struct xr_layer_create_info *layer, bool always,
                                  XrInstance *out, uint32_t *out_extensions, bool *out_withheld)
{
    const bool room = info->enabledExtensionCount <= EXTENSIONS;
    const bool asks = room && openxr_extensions_ask_gaze(info);
    uint32_t listed = 0;
    const bool told = room && list(layer, &listed);
    const bool lacks = told && !(listed & OPENXR_GAZE);
    const uint32_t blind = may_offer_more(layer) ? BLIND : 0;
    listed &= asks ? UINT32_MAX : ~(uint32_t)OPENXR_TIMESPEC;
    const uint32_t told_attempts[] = {listed | blind, listed, 0};
    const uint32_t blind_attempts[] = {BLIND, OPENXR_GAZE, OPENXR_EYES, 0};
    const uint32_t *attempts = told ? told_attempts : room ? blind_attempts : &blind_attempts[3];
    XrResult result = XR_ERROR_EXTENSION_NOT_PRESENT;
    *out_withheld = asks && (always || (lacks && !blind));
    if (!*out_withheld) {
        result = attempt(info, layer, attempts, false, out, out_extensions);
    }
    if (XR_FAILED(result) && asks && (*out_withheld || !told || lacks)) {
        *out_withheld = true;
        result = attempt(info, layer, attempts, true, out, out_extensions);
    }
    return result;
}
