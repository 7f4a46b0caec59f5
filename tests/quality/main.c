/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"

#include <string.h>

int main(int argc, char **argv)
{
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
