/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An OpenXR layer above Fovea's that has an instance of its own beside the program's, as layers do
 * that ask a runtime for its extensions. FOVEA_TEST_XR_ABOVE says how long it lives: "before" the
 * program's, "across" its creation, or in the "middle" of a frame. */

#include "plugin/openxr/openxr_loader.h"

#include <stdlib.h>
#include <string.h>

#define LAYERS 8 /* below */

static PFN_xrGetInstanceProcAddr get_below;
static PFN_xrEndFrame end_below;
static xr_create_layer_instance create_below;
static struct xr_layer_create_info chain; /* the loader's, which is gone after the creation */
static struct xr_layer_next_info links[LAYERS];

static int is(const char *when)
{
    const char *wanted = getenv("FOVEA_TEST_XR_ABOVE");
    return wanted && strcmp(wanted, when) == 0;
}

static XrInstance make_own(void)
{
    const XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "above", .apiVersion = XR_CURRENT_API_VERSION}};
    XrInstance made = XR_NULL_HANDLE;
    return create_below(&info, &chain, &made) == XR_SUCCESS ? made : XR_NULL_HANDLE;
}

static void drop_own(XrInstance own)
{
    PFN_xrDestroyInstance destroy = NULL;
    if (own && get_below(own, "xrDestroyInstance", (PFN_xrVoidFunction *)&destroy) == XR_SUCCESS) {
        destroy(own);
    }
}

static XrResult end_frame(XrSession session, const XrFrameEndInfo *info)
{
    static int frame;
    if (frame++ == 1 && is("middle")) {
        drop_own(make_own());
    }
    return end_below(session, info);
}

static XrResult get_proc(XrInstance instance, const char *name, PFN_xrVoidFunction *function)
{
    const XrResult result = get_below(instance, name, function);
    if (result == XR_SUCCESS && strcmp(name, "xrEndFrame") == 0) {
        end_below = (PFN_xrEndFrame)*function;
        *function = (PFN_xrVoidFunction)end_frame;
    }
    return result;
}

static void keep_chain(const struct xr_layer_create_info *layer)
{
    size_t count = 0;
    for (const struct xr_layer_next_info *next = layer->next->next; next && count < LAYERS;
         next = next->next) {
        links[count++] = *next;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        links[i].next = &links[i + 1];
    }
    chain = *layer;
    chain.next = links;
    get_below = layer->next->get_instance_proc_addr;
    create_below = layer->next->create_instance;
}

static XrResult create_instance(const XrInstanceCreateInfo *info,
                                const struct xr_layer_create_info *layer, XrInstance *out)
{
    if (strcmp(layer->next->name, "XR_APILAYER_FOVEA_TEST_above") != 0) { /* as other layers ask */
        return XR_ERROR_INITIALIZATION_FAILED;
    }
    keep_chain(layer);
    if (is("before")) {
        drop_own(make_own());
    }
    const XrInstance own = is("across") ? make_own() : XR_NULL_HANDLE;
    const XrResult result = create_below(info, &chain, out);
    drop_own(own);
    return result;
}

__attribute__((visibility("default"))) XrResult xrNegotiateLoaderApiLayerInterface(
    const struct xr_loader_info *loader, const char *name, struct xr_layer_request *request);

XrResult xrNegotiateLoaderApiLayerInterface(const struct xr_loader_info *loader, const char *name,
                                            struct xr_layer_request *request)
{
    request->interface_version = XR_LOADER_INTERFACE;
    request->api_version = XR_CURRENT_API_VERSION;
    request->get_instance_proc_addr = get_proc;
    request->create_instance = create_instance;
    return XR_SUCCESS;
}
