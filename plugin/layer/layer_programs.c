/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_programs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
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

bool layer_programs_left_alone(const char *name)
{
    for (size_t i = 0; i < sizeof left_alone / sizeof left_alone[0]; i++) {
        if (fnmatch(left_alone[i], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

const char *layer_programs_refusal(void)
{
    if (getauxval(AT_SECURE)) {
        return "it runs with somebody else's rights";
    }
    return layer_programs_left_alone(program_invocation_short_name)
               ? "it is on the list of programs to stay out of"
               : NULL;
}
