/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "fovea_quality measures how exact the library is, and makes pictures of what it does.\n"
    "\n"
    "  fovea_quality [--quick] [--backend cpu|vulkan|cuda] [--report FILE] [PICTURE...]\n"
    "      every case on drawn pictures and on these, against the formulas; docs/quality.md\n"
    "  fovea_quality compare PICTURE [--gaze x,y] [--set key.path=value] [--output DIR]\n"
    "      a picture through every model and method beside the exact result; with --set of\n"
    "      foveation.model, .method, .light or .map.kind through what the settings say alone\n"
    "  fovea_quality models PICTURE FILE\n"
    "      docs/models.png, of a picture 160 pixels wide times a whole number\n"
    "  fovea_quality maps PICTURE FILE\n"
    "      docs/maps.png, of a picture 240 pixels wide times a whole number\n"
    "\n"
    "PICTURE is a PNG or JPEG file. Ends with 0; with 1 when something failed or a bound is "
    "broken, 2\n"
    "when an argument was wrong, 77 when the backend is not there.\n";

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    if (wants_help(argc, argv)) {
        fputs(help, stdout);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "compare") == 0) {
        return command_compare(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "models") == 0) {
        return command_models(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "maps") == 0) {
        return command_maps(argc - 1, argv + 1);
    }
    return command_measure(argc, argv);
}
