/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "commands.h"

int main(int argc, char **argv)
{
    return command_measure(argc, argv);
}
