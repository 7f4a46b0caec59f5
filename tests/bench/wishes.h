/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The command line. */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct wishes {
    /* 0 or 1, as getopt_long sets them. */
    int quick; /* a tiny size and few repetitions: to see that it works */
    int list;
    int alpha; /* pictures that are not opaque */
    int surfaces; /* CUDA: pictures in arrays, as frames of engines are */
    int launches; /* CUDA: separate launches instead of graphs */
    int lens_paper; /* ways to warp for a lens instead of the tables */
    int foveation_paper; /* a paper's kernel for foveation instead of the tables */
    int blur_thesis; /* a thesis's ways to blur instead of the tables */
    int lightfield_paper; /* a paper's kernels for light fields instead of the tables */
    int csdd_thesis; /* a thesis's kernels for blobs instead of the tables */
    int check; /* with the last four: nothing is timed */
    uint32_t domain_points; /* random points instead of the tables; 0: the tables */
    uint64_t seed; /* of those */
    uint32_t threads; /* of the cpu backend; 0: one for each core */
    uint32_t seconds; /* after which no case begins; 0: they take as long as they take */
    const char *backend; /* NULL: all */
    const char *json; /* NULL: none */
    const char *only_text;
    regex_t only; /* compiled where only_text is given */
};

enum wishes_result { WISHES_OK, WISHES_HELP, WISHES_WRONG };

enum wishes_result wishes_read(int argc, char **argv, struct wishes *out);
void wishes_free(struct wishes *wishes);
void wishes_help(void);
/* The backend, and the name of the case. */
bool wishes_backend(const struct wishes *wishes, const char *backend);
/* One of the comparisons with what is published. */
bool wishes_paper(const struct wishes *wishes);
bool wishes_name(const struct wishes *wishes, const char *name);
