/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "rig.h"

int main(int argc, char **argv)
{
    return rig_run_tests(argc, argv);
}
