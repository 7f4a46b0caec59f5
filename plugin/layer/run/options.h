/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#pragma once

#include "run.h"

enum mode {
    MODE_RUN = 0,
    MODE_CHECK,
    MODE_INSTALL,
    MODE_UNINSTALL,
    MODE_PRINT_ENV,
    MODE_VERSION,
    MODE_HELP,
};

struct options {
    enum mode mode;
    const char *config; /* NULL: none */
    const char **sets; /* "key.path=value" each */
    size_t set_count;
    bool above; /* the layer is to stand above others, as far as folders decide it */
    bool provide_gaze; /* to OpenXR programs: the layer for Vulkan is left out */
    bool zink; /* OpenGL is to be drawn with Vulkan */
    char **program; /* and its arguments, as main got them; ends with NULL, may be empty */
};

/* False: a flag was wrong, and said. Free the options in any case. */
bool options_read(int argc, char **argv, struct options *out_options);
void options_free(struct options *options);
void options_help(void);
