/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_programs.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Launchers, compositors and tools: what they present is not a game's picture. */
static const char *const left_alone[] = {
    "steam",         "steamwebhelper",    "steam-runtime-*",
    "gldriverquery", "vulkandriverquery", "heroic",
    "lutris*",       "gamescope*",        "kwin_*",
    "gnome-shell",   "mutter*",           "sway",
    "weston",        "Xwayland",          "vrcompositor",
    "vrserver",      "vrmonitor",         "monado-service",
    "obs",           "plasmashell",       "wineserver",
    "explorer.exe",  "services.exe",      "winedevice.exe",
    "rpcss.exe",     "plugplay.exe",      "svchost.exe",
    "fovea_demo",    "fovea_bench",       "fovea_quality",
};

bool layer_programs_left_alone(const struct program_names *names)
{
    const char *name = names->script[0] ? names->script : names->name;
    bool listed = false;
    for (size_t i = 0; i < sizeof left_alone / sizeof *left_alone && !listed; i++) {
        listed = fnmatch(left_alone[i], name, 0) == 0;
    }
    return listed;
}

const char *layer_programs_refusal(const struct program_names *names)
{
    if (getauxval(AT_SECURE)) {
        return "it runs with somebody else's rights";
    }
    if (getenv("FOVEA_DISABLE")) { /* the loader asks for it where the layer is implicit */
        return "FOVEA_DISABLE is set";
    }
    return layer_programs_left_alone(names) ? "it is on the list of programs to stay out of" : NULL;
}
