/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include <stdio.h>
#include <unistd.h>

static const char text[] =
    "{fovea_demo} renders a village and foveates every frame of it.\n"
    "\n"
    "Without flags: 240 frames of 1280x720, 60 a second of scene time, no display needed. Writes\n"
    "demo.png, some frames and, where ffmpeg is, demo.mp4 into out/.\n"
    "\n"
    "{What is shown}\n"
    "  --window             open a window; the mouse is the gaze; F1 lists the keys\n"
    "  --fullscreen         likewise, as large as the screen; F11 changes that\n"
    "  --hmd                both eyes of a headset, side by side, each with its own gaze, for a\n"
    "                       display behind lenses; --set operators=foveate leaves them out\n"
    "  --frames N           how many frames; 240, in a window until it is closed\n"
    "  --size WxH           1280x720; with --hmd of both eyes together, 1920x1080\n"
    "  --seed N             another village; 1\n"
    "  --lightfield RAW     a light field in place of the village: what is under the gaze gets "
    "into\n"
    "                       focus; the raw picture of a camera (PNG, JPEG), or drawn\n"
    "  --geometry FILE      where the lenses of RAW are; ./run lightfield calibrate makes it\n"
    "  --focus FAR,NEAR     what is looked for under the gaze, as patch sizes (7,14; drawn: "
    "5,12),\n"
    "                       dioptres (0.5D,2D) or metres (2m,0.5m), if FILE knows the optics\n"
    "\n"
    "{Where the gaze is}\n"
    "  --gaze x,y           it stays there; 0..1 over the image, from the top left corner;\n"
    "                       or the name of a source: saliency goes from blob to blob;\n"
    "                       or scanpath:FILE: that of a recording, docs/gaze.md says which;\n"
    "                       or replay:FILE: that of a record, frame by frame\n"
    "  --config FILE        settings from FILE; without it from what FOVEA_CONFIG names, or else\n"
    "                       ./fovea.json, ~/.config/fovea/ and /etc/fovea/; where none of them "
    "is,\n"
    "                       from sample_scene/demo.json, where a scanpath is (not in a window)\n"
    "  --set KEY.PATH=VALUE one setting, as often as wanted: --set foveation.strength=0.5\n"
    "  --export-settings FILE  writes all settings in force, with their hash; --config takes it\n"
    "  --frozen             nothing changes while it runs: files are read once, keys do nothing\n"
    "                       but end it, and the backend is the one that is named\n"
    "\n"
    "{Who does the work}\n"
    "  --backend NAME       auto, cuda, vulkan or cpu\n"
    "  --device N           Vulkan device N, in place of the fastest\n"
    "  --list-devices       show them and stop\n"
    "  --path made|copy     draw into images that Fovea made, without a copy (made, the default),\n"
    "                       or into the engine's own\n"
    "  --format NAME        bgra8-srgb, rgba8-srgb, bgra8, rgba8, rgba16f, rgb10a2, bgr10a2, "
    "rg11b10f\n"
    "\n"
    "{What comes out}\n"
    "  --output DIR         out\n"
    "  --no-video           pictures only\n"
    "  --quiet              no progress and no notes\n"
    "  --validate           with Vulkan's validation layer; its messages are errors\n"
    "  --help               this\n"
    "\n"
    "Ends with 0; with 1 when something failed, 2 when a flag was wrong, 130 on Ctrl-C.\n";

/* Braces are bold on a terminal. */
void options_help(void)
{
    bool terminal = isatty(STDOUT_FILENO);
    for (const char *c = text; *c; c++) {
        if (*c != '{' && *c != '}') {
            putchar(*c);
        } else if (terminal) {
            fputs(*c == '{' ? "\033[1m" : "\033[0m", stdout);
        }
    }
}
