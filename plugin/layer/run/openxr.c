/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layer for headsets, which OpenXR's loader is shown beside those that it knows. */

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XR_LAYER_NAME "XR_APILAYER_FOVEA"
#define XR_LAYER_MANIFEST "XrApiLayer_FOVEA.json"
#define XR_LAYER_PLACE "openxr/1/api_layers/explicit.d"

/* The folder of the manifest beside this fovea-run. False: there is none that a list can hold. */
static bool own_folder(char out_folder[PATH_MAX])
{
    char data[PATH_MAX];
    char manifest[PATH_MAX];
    return places_own_data(data) && path_print(out_folder, "%s/" XR_LAYER_PLACE, data) &&
           path_print(manifest, "%s/" XR_LAYER_MANIFEST, out_folder) &&
           access(manifest, R_OK) == 0 && !strchr(out_folder, ':');
}

static void write_folders(FILE *file, const char *list)
{
    while (*list) {
        const size_t length = strcspn(list, ":");
        if (length > 0) {
            fprintf(file, "%.*s/" XR_LAYER_PLACE ":", (int)length, list);
        }
        list += length + (list[length] == ':');
    }
}

/* XR_API_LAYER_PATH takes the place of all that the loader would search. */
static char *search_path(const char *own)
{
    const char *path = variable_or("XR_API_LAYER_PATH", NULL);
    const char *data_home = variable_or("XDG_DATA_HOME", NULL);
    const char *home = variable_or("HOME", NULL);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return NULL;
    }
    if (path) {
        fprintf(file, "%s:", path);
    } else {
        write_folders(file, variable_or("XDG_CONFIG_DIRS", XDG_CONFIG_DIRS_STANDARD));
        write_folders(file, "/etc");
        write_folders(file, variable_or("XDG_DATA_DIRS", XDG_DATA_DIRS_STANDARD));
        if (data_home) {
            write_folders(file, data_home);
        } else if (home) {
            fprintf(file, "%s/.local/share/" XR_LAYER_PLACE ":", home);
        }
    }
    fputs(own, file);
    return fclose(file) == 0 ? text : NULL;
}

/* The first one stands nearest to the program: above layers that were asked for. */
static char *enabled(void)
{
    const char *list = getenv("XR_ENABLE_API_LAYERS");
    char *text = NULL;
    const bool some = list && *list;
    if (some && variables_lists(XR_LAYER_NAME, list)) {
        return strdup(list);
    }
    return asprintf(&text, XR_LAYER_NAME "%s%s", some ? ":" : "", some ? list : "") < 0 ? NULL
                                                                                        : text;
}

bool openxr_variables(struct variables *variables, bool needed)
{
    char own[PATH_MAX];
    if (!own_folder(own)) {
        if (needed) {
            say("--provide-gaze: there is no " XR_LAYER_MANIFEST " with fovea-run; fovea-run "
                "--check says more");
        }
        return !needed;
    }
    return variables_add(variables, "XR_API_LAYER_PATH", search_path(own)) &&
           variables_add(variables, "XR_ENABLE_API_LAYERS", enabled());
}

static void check_eyes(struct checklist *list)
{
    const struct probe *probe = list->probe;
    if (probe->openxr_fault[0]) {
        check_line(list, MARK_NOTE, "eyes", "%s: nobody tells where they look",
                   probe->openxr_fault);
    } else if (probe->openxr_centers || probe->openxr_each_eye || probe->openxr_both_eyes) {
        const bool each = probe->openxr_centers || probe->openxr_each_eye;
        check_line(list, MARK_OK, "eyes",
                   "the OpenXR runtime has what it takes for a gaze of %s%s%s; whether the headset "
                   "tracks eyes, programs are told",
                   probe->openxr_centers    ? "each eye (XR_META_foveation_eye_tracked)"
                   : probe->openxr_each_eye ? "each eye (XR_FB_eye_tracking_social)"
                                            : "",
                   each && probe->openxr_both_eyes ? " and of " : "",
                   probe->openxr_both_eyes ? "both (XR_EXT_eye_gaze_interaction)" : "");
    } else {
        check_line(list, MARK_NOTE, "eyes",
                   "the OpenXR runtime has no extension for a gaze: each eye's is straight ahead, "
                   "or where gaze.source has it");
    }
}

void check_openxr(struct checklist *list)
{
    char own[PATH_MAX];
    if (own_folder(own)) {
        check_line(list, MARK_OK, "headsets", XR_LAYER_NAME ", %s/" XR_LAYER_MANIFEST, own);
        check_eyes(list);
    } else {
        check_line(list, MARK_NOTE, "headsets",
                   "there is no " XR_LAYER_MANIFEST " with fovea-run: eyes of OpenXR programs are "
                   "shown as drawn; build Fovea with OpenXR's headers (Debian: libopenxr-dev)");
    }
}
