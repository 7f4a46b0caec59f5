/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include <stdio.h>
#include <unistd.h>

static const char text[] =
    "{fovea-run} [flags] [--] PROGRAM [ARGUMENTS] starts a program that draws with Vulkan, in a\n"
    "window or for an OpenXR headset, and its picture is foveated: sharp where you look, blurred\n"
    "elsewhere. The program is not changed.\n"
    "\n"
    "{How it is foveated}\n"
    "  --config FILE        settings from FILE; without it from what FOVEA_CONFIG names, or else\n"
    "                       ./fovea.json, ~/.config/fovea/ and /etc/fovea/\n"
    "  --set KEY.PATH=VALUE one setting, as often as wanted: --set foveation.strength=0.5\n"
    "  --above              what other layers draw, such as MangoHud's HUD, stays sharp\n"
    "  --zink               an OpenGL program, drawn with Vulkan by Mesa's Zink\n"
    "  --frozen             nothing changes while it runs: files are read once, keys do nothing;\n"
    "                       the backend must be named, as in --set backend=vulkan\n"
    "  --provide-gaze       an OpenXR program whose runtime has no gaze gets that of gaze.source;\n"
    "                       its pictures stay as drawn\n"
    "\n"
    "{In place of a program}\n"
    "  --check [PROGRAM]    says what is there and what is missing\n"
    "  --install            lets Vulkan's loader find the layer for this user, so that\n"
    "                       FOVEA_ENABLE=1 PROGRAM does without fovea-run\n"
    "  --uninstall          takes away what --install has put there\n"
    "  --print-env          shows the variables that a program would get, for a shell\n"
    "  --version            this program's version\n"
    "  --help               this\n"
    "\n"
    "FOVEA_LOG_FILE=stderr lets the layer say what it does. FOVEA_LAYER_DUMP=FOLDER has it write\n"
    "every frame into FOLDER as drawn and as shown, with the gaze (docs/layer.md).\n"
    "\n"
    "In Steam, as launch options of a game: fovea-run %command%\n"
    "Ends as the program does; with 125 when nothing was started because a flag, a setting or the\n"
    "layer was wrong, 126 when PROGRAM cannot be executed and 127 when it is not there. --check,\n"
    "--install and --uninstall end with 0, or with 1 where something is missing.\n"
    "Documentation: docs/layer.md, docs/headsets.md, docs/configuration.md\n";

/* Braces are bold on a terminal. */
void options_help(void)
{
    const bool terminal = isatty(STDOUT_FILENO);
    for (const char *c = text; *c; c++) {
        if (*c != '{' && *c != '}') {
            putchar(*c);
        } else if (terminal) {
            fputs(*c == '{' ? "\033[1m" : "\033[0m", stdout);
        }
    }
}
