/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "fovea_quality measures how exact the library is, and makes pictures of what it does.\n"
    "\n"
    "  fovea_quality [--quick] [--backend cpu|vulkan|cuda] [--size WxH] [--only REGEX]\n"
    "                [--pictures REGEX] [--report FILE] [PICTURE...]\n"
    "      every case on drawn pictures of 640x360 pixels, and on these as they are, against the\n"
    "      formulas, and five smooth cases at 1280x720; docs/quality.md. --size: one size alone, "
    "of any\n"
    "      other size every case; --only: the cases with such names, at every size; --pictures:\n"
    "      the drawn pictures with such names\n"
    "  fovea_quality compare PICTURE [--gaze x,y] [--set key.path=value] [--output DIR]\n"
    "      a picture through every model and method beside the exact result; with --set of\n"
    "      foveation.model, .method, .light or .map.kind through what the settings say alone\n"
    "  fovea_quality engines PICTURE [--set key.path=value] [--output DIR]\n"
    "      a picture through every engine of blur, beside its difference from the Gaussian\n"
    "  fovea_quality blobs PICTURE... [--map] [--max N] [--scales N] [--threshold X] [--overlap "
    "X]\n"
    "                [--output DIR]\n"
    "      pictures, or folders of them, with their blobs drawn, and lists of them as CSV; --map: "
    "the\n"
    "      largest response of all scales, too; docs/saliency.md\n"
    "  fovea_quality lightfield [RAW --geometry FILE] [--white FILE] [--black N] [--maximum N]\n"
    "                [--far M] [--near M] [--views] [--output DIR]\n"
    "      pictures, depths and a refocus from the raw picture of a light field, or from a drawn "
    "one;\n"
    "      docs/lightfield.md\n"
    "  fovea_quality lightfield calibrate WHITE [--rows any|rectangular|hexagonal] [--pitch N]\n"
    "                [--flip] [--output DIR]\n"
    "      the geometry FILE of a camera, from a white picture\n"
    "  fovea_quality models PICTURE FILE\n"
    "      docs/models.png, of a picture 160 pixels wide times a whole number\n"
    "  fovea_quality maps PICTURE FILE\n"
    "      docs/maps.png, of a picture 240 pixels wide times a whole number\n"
    "  fovea_quality blur FILE\n"
    "      docs/blur.png\n"
    "  fovea_quality draw NAME WxH FILE\n"
    "      one of the drawn pictures, as a PNG\n"
    "  fovea_quality foveate PICTURE --output FILE [--gaze x,y] [--set key.path=value]\n"
    "      a picture as the settings say, as a PNG\n"
    "\n"
    "PICTURE is a PNG or JPEG file, the way up that its EXIF says. Ends with 0; with 1 when\n"
    "something failed or a bound is broken, 2 when an argument was wrong, 77 when the backend is\n"
    "not there.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"compare", command_compare}, {"models", command_models},   {"maps", command_maps},
    {"draw", command_draw},       {"foveate", command_foveate}, {"blur", command_blur},
    {"engines", command_engines}, {"blobs", command_blobs},     {"lightfield", command_lightfield},
};

static int run(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return command_measure(argc, argv);
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int say_help(void)
{
    fputs(help, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const int status = wants_help(argc, argv) ? say_help() : run(argc, argv);
    if (status == 2) { /* an argument was wrong */
        fputs("--help lists the flags\n", stderr);
    }
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        fputs("fovea_quality: error: standard output cannot be written\n", stderr);
        return 1;
    }
    return status;
}
