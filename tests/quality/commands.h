/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_quality: how exact the library is, and pictures of what it does. */
#pragma once

/* Exit statuses of their commands: 0; 1 something failed or a bound is broken; 2 wrong arguments;
 * 77 the backend asked for is not there. */
int command_measure(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_models(int argc, char **argv);
int command_maps(int argc, char **argv);
int command_blobs(int argc, char **argv);
int command_blur(int argc, char **argv);
int command_lightfield(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_engines(int argc, char **argv);
int command_draw(int argc, char **argv);
int command_foveate(int argc, char **argv);
