/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

void check_loader(struct checklist *list)
{
    const struct probe *probe = list->probe;
    const uint32_t version = probe->loader_version;
    if (probe->loader_fault[0]) {
        check_line(list, MARK_MISSING, "loader", "%s; install it (Debian: libvulkan1)",
                   probe->loader_fault);
    } else if (probe->signal == SIGALRM) {
        check_line(list, MARK_MISSING, "loader",
                   "no answer for a long time while %s; a driver or a layer hangs", probe->stage);
    } else if (probe->signal) {
        check_line(list, MARK_MISSING, "loader",
                   "signal %d (%s) while %s; a driver or a layer is broken", probe->signal,
                   strsignal(probe->signal), probe->stage);
    } else {
        check_line(list, MARK_OK, "loader", "Vulkan %u.%u.%u, %s", VK_API_VERSION_MAJOR(version),
                   VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version), probe->loader);
    }
}

/* ---- Manifests ------------------------------------------------------------------------------- */

static void check_own(struct checklist *list)
{
    if (!list->own_known) {
        check_line(list, MARK_MISSING, "manifest",
                   "there is no " LAYER_MANIFEST " where the loader looks, nor beside fovea-run; "
                   "install Fovea as a whole");
    } else if (list->own.fault[0]) {
        check_line(list, MARK_MISSING, "manifest", "%s: %s; build or install Fovea again",
                   list->own.path, list->own.fault);
    } else {
        check_line(list, MARK_OK, "manifest",
                   "%s, which the loader finds only in programs that fovea-run starts; "
                   "fovea-run --install lets it find it in all",
                   list->own.path);
    }
}

static bool same_library(const struct manifest *a, const struct manifest *b)
{
    char first[PATH_MAX];
    char second[PATH_MAX];
    return realpath(a->library, first) && realpath(b->library, second)
               ? strcmp(first, second) == 0
               : strcmp(a->library, b->library) == 0;
}

static void check_second(struct checklist *list, const struct manifest *first,
                         const struct manifest *other)
{
    if (same_library(first, other)) {
        check_line(list, MARK_NOTE, "manifest", "%s names the same library again; one is enough",
                   other->path);
    } else {
        check_line(list, MARK_NOTE, "manifest",
                   "%s is a second Fovea, with %s; remove one (fovea-run --uninstall)", other->path,
                   other->library);
    }
}

void check_manifests(struct checklist *list)
{
    const struct manifest *first = NULL;
    for (size_t i = 0; i < list->manifest_count; i++) {
        const struct manifest *manifest = &list->manifests[i];
        if (manifest->fault[0]) {
            check_line(list, MARK_NOTE, "manifest", "%s: %s; %s", manifest->path, manifest->fault,
                       manifest->by_us ? "fovea-run --install renews it" : "remove it");
        } else if (first) {
            check_second(list, first, manifest);
        } else {
            first = manifest;
            check_line(list, MARK_OK, "manifest", "%s", manifest->path);
        }
    }
    if (!first) {
        check_own(list);
    }
}

/* ---- The layer ------------------------------------------------------------------------------- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The loader opens what the manifest says; the linker makes a path of a bare name. */
static bool names_active(const struct checklist *list, const struct manifest *manifest)
{
    const char *active = list->probe->active;
    const char *library = manifest->library;
    return !manifest->fault[0] &&
           strcmp(library, strchr(library, '/') ? active : file_name(active)) == 0;
}

static const struct manifest *manifest_in_use(const struct checklist *list)
{
    for (size_t i = 0; i < list->manifest_count; i++) {
        if (names_active(list, &list->manifests[i])) {
            return &list->manifests[i];
        }
    }
    return list->own_known && names_active(list, &list->own) ? &list->own : NULL;
}

static void check_version(struct checklist *list)
{
    const struct manifest *manifest = manifest_in_use(list);
    const uint32_t library = list->probe->library_version;
    if (manifest && library && library != manifest->version) {
        check_line(list, MARK_NOTE, "version",
                   "the manifest is of version %u, its library of %u: two installations are mixed; "
                   "install Fovea again",
                   manifest->version, library);
    } else if (library && library != fovea_version()) {
        check_line(list, MARK_NOTE, "version", "the layer is of version %u, fovea-run of %u",
                   library, fovea_version());
    }
}

static void check_inactive(struct checklist *list)
{
    const struct probe *probe = list->probe;
    const char *filter;
    if (probe->library_fault[0]) {
        check_line(list, MARK_MISSING, "layer", "its library cannot be used: %s",
                   probe->library_fault);
    } else if (getenv(LAYER_DISABLE)) {
        check_line(list, MARK_MISSING, "layer",
                   LAYER_DISABLE " is set, to whatever value; unset " LAYER_DISABLE);
    } else if (variables_loader_disables(&filter)) {
        check_line(list, MARK_MISSING, "layer",
                   "VK_LOADER_LAYERS_DISABLE has %s; take it out, or set "
                   "VK_LOADER_LAYERS_ENABLE=" LAYER_NAME,
                   filter);
    } else if (probe->instance_result != VK_SUCCESS) {
        check_line(list, MARK_MISSING, "layer",
                   "Vulkan makes no instance (VkResult %d); try without: vulkaninfo",
                   probe->instance_result);
    } else {
        check_line(list, MARK_MISSING, "layer",
                   "the loader does not load it%s; VK_LOADER_DEBUG=layer,error fovea-run --check "
                   "says why",
                   probe->listed ? " although it lists it" : "");
    }
}

/* Who builds Fovea anew and sees nothing change has an installed one, too. */
static void check_place(struct checklist *list)
{
    struct manifest active = {0};
    path_print(active.library, "%s", list->probe->active);
    if (list->own_known && !list->own.fault[0] && !same_library(&active, &list->own)) {
        check_line(list, MARK_NOTE, "layer",
                   "this is not the one beside fovea-run, %s; remove the other one's manifest, or "
                   "start programs with its own fovea-run",
                   list->own.library);
    }
}

void check_layer(struct checklist *list)
{
    const struct probe *probe = list->probe;
    if (probe->loader_fault[0] || probe->signal) {
        return; /* said */
    }
    if (!probe->active[0] || probe->library_fault[0]) {
        check_inactive(list);
        return;
    }
    check_line(list, MARK_OK, "layer", "%s, loaded", probe->active);
    check_place(list);
    check_version(list);
}

/* ---- The environment ------------------------------------------------------------------------- */

void check_switches(struct checklist *list)
{
    const char *enable = getenv(LAYER_ENABLE);
    const char *own = getenv("VK_IMPLICIT_LAYER_PATH");
    if (enable && strcmp(enable, "1") != 0) {
        check_line(list, MARK_NOTE, LAYER_ENABLE,
                   "is \"%s\"; only 1 switches the layer on. fovea-run sets it to 1", enable);
    }
    if (getenv(LAYER_DISABLE) && list->probe->active[0]) {
        check_line(list, MARK_NOTE, LAYER_DISABLE, "is set, but the layer was loaded");
    }
    if (own && *own) {
        check_line(
            list, MARK_NOTE, "loader",
            "VK_IMPLICIT_LAYER_PATH is set: loaders from 1.3.296 on look there and nowhere else");
    }
}
