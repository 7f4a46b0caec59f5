/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A line for each thing that must be there, and how to mend what is not. */
#pragma once

#include "options.h"
#include "probe.h"

enum mark {
    MARK_OK,
    MARK_NOTE, /* worth knowing; programs are foveated nevertheless */
    MARK_MISSING,
};

struct checklist {
    const struct options *options;
    const struct probe *probe; /* NULL: it could not be had */
    struct manifest *manifests; /* those that the loader finds */
    size_t manifest_count;
    struct manifest own;
    bool own_known; /* this program has a manifest of its own */
    bool pointer_wanted; /* the gaze is the pointer */
    bool cuda_wanted; /* and nothing else */
    unsigned missing;
};

__attribute__((format(printf, 4, 5))) void check_line(struct checklist *list, enum mark mark,
                                                      const char *what, const char *format, ...);

/* The parts, in the order of the lines. */
void check_loader(struct checklist *list);
void check_manifests(struct checklist *list);
void check_layer(struct checklist *list);
void check_switches(struct checklist *list);
void check_devices(struct checklist *list);
void check_cuda(struct checklist *list);
void check_settings(struct checklist *list);
void check_display(struct checklist *list);
void check_openxr(struct checklist *list);
void check_program(struct checklist *list);
