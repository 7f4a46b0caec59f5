/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea-run: starts a program with Fovea's Vulkan layer, says what is missing for that, and puts
 * the layer's manifest where the loader looks.
 *
 *     options.c      the command line
 *     variables.c    what the program's environment gets
 *     manifest.c     manifests: what they say, and which ones the loader finds (places.c: where)
 *     install.c      putting one there for the user, and taking it away
 *     openxr.c       the layer for headsets
 *     needs.c        what a program needs: Vulkan, or OpenGL alone
 *     check.c        --check, line by line; probe.c asks loader and drivers in a process of its own
 *
 * The layer itself is not linked: it is found as the loader finds it. */
#pragma once

#include "config/settings.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LAYER_NAME "VK_LAYER_FOVEA_foveation"
#define LAYER_LIBRARY "libVkLayer_fovea.so"
#define LAYER_MANIFEST "VkLayer_FOVEA_foveation.json"
#define LAYER_PLACE "vulkan/implicit_layer.d" /* below a folder of data or configuration */
#define LAYER_ENABLE "FOVEA_ENABLE"
#define LAYER_DISABLE "FOVEA_DISABLE"

/* These are env(1)'s. Otherwise the status is the program's own. */
enum {
    EXIT_ABSENT = 1, /* of --check, --install, --uninstall */
    EXIT_OWN_FAULT = 125, /* nothing was started: a flag, a setting or the layer */
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127,
};

struct options;

/* ---- say.c: to the person, on standard error ------------------------------------------------- */

__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
/* Warnings and errors of the library as lines of ours. */
struct fovea_log say_log(void);

/* ---- places.c -------------------------------------------------------------------------------- */

#define PLACES_MAX 64

/* Folders, in the order in which the loader looks for implicit layers. */
struct places {
    char folder[PLACES_MAX][PATH_MAX];
    size_t count;
};

#define XDG_CONFIG_DIRS_STANDARD "/etc/xdg"
#define XDG_DATA_DIRS_STANDARD "/usr/local/share:/usr/share"

void places_find(struct places *out_places);
/* The value of an environment variable; standard, which may be NULL, where it is not set, or set to
 * nothing. */
const char *variable_or(const char *name, const char *standard);
/* The folder of data of this program's own installation or build, "" where it cannot be told. */
bool places_own_data(char out_folder[PATH_MAX]);
/* False: the result does not fit. */
__attribute__((format(printf, 2, 3))) bool path_print(char out_path[PATH_MAX], const char *format,
                                                      ...);

/* ---- manifest.c ------------------------------------------------------------------------------ */

#define MANIFESTS_MAX 16

struct manifest {
    char path[PATH_MAX];
    char library[PATH_MAX]; /* absolute, or a bare name that the dynamic linker looks for */
    char fault[256]; /* why the loader cannot use it; "": it can */
    unsigned version; /* implementation_version */
    bool by_us; /* put there by fovea-run --install */
    int folders; /* that were made for it then: the innermost of its path */
};

/* False: there is no file, it cannot be read, or it is of another layer. */
bool manifest_read(const char *path, struct manifest *out_manifest);
/* All of Fovea's where the loader looks, in its order. */
size_t manifests_find(struct manifest out_manifests[MANIFESTS_MAX]);
/* The one of this program's own installation or build. */
bool manifest_own(struct manifest *out_manifest);
/* The text of a manifest for that library, which remembers how many folders were made for it; to be
 * freed. NULL: no memory. */
char *manifest_text(const char *library, int folders);

/* ---- variables.c ----------------------------------------------------------------------------- */

#define VARIABLES_MAX 12

struct variables {
    const char *name[VARIABLES_MAX];
    char *value[VARIABLES_MAX];
    size_t count;
};

/* The layer that the program gets is not the one beside this fovea-run: its library; "": it is. */
void variables_other_layer(char out_library[PATH_MAX]);
/* The value, to be freed, is the list's from then on; NULL: no memory, which is said. */
bool variables_add(struct variables *variables, const char *name, char *value);
/* Makes the variables that the program's environment gets in addition. False: it said why. */
bool variables_make(const struct options *options, struct variables *out_variables);
/* Whether the word is one of a list's, which has colons between them. */
bool variables_lists(const char *word, const char *list);
bool variables_apply(const struct variables *variables);
void variables_print(const struct variables *variables);
void variables_free(struct variables *variables);
/* Whether VK_LOADER_LAYERS_DISABLE takes the layer away; out_filter is the filter that does. */
bool variables_loader_disables(const char **out_filter);

/* ---- openxr.c -------------------------------------------------------------------------------- */

/* Makes the variables with which OpenXR's loader finds the layer for headsets. Without that layer
 * it makes none, and returns false, and says so, if the layer is needed. */
bool openxr_variables(struct variables *variables, bool needed);

/* ---- program.c ------------------------------------------------------------------------------- */

struct program {
    char path[PATH_MAX]; /* as it would be executed; "": there is none */
    bool executable;
    bool set_id; /* runs with rights that its file gives it */
    bool foreign_word; /* an ELF file of another word size than ours */
    bool windows; /* a file of Windows */
};

void program_find(const char *name, struct program *out_program);
/* Finds the interpreter of a script by its first line; false: it is no script. */
bool program_interpreter(const char *path, char out_path[PATH_MAX]);
/* Settings are those of that program from now on; its command line ends with NULL. */
void program_become(const char *const *arguments);
/* Does not return where the program starts. */
int program_start(char *const *arguments);

/* ---- needs.c --------------------------------------------------------------------------------- */

struct needs {
    char opengl[64]; /* the library of OpenGL's that it needs; "": none */
    char through[128]; /* the library that leads to it; "": the program names it itself */
    bool vulkan; /* it needs Vulkan's loader, or opens it and needs no OpenGL */
    bool either; /* it, or its toolkit, opens Vulkan's loader where it is asked to */
};

void program_needs(const char *path, struct needs *out_needs);
/* Somebody has asked Mesa to draw OpenGL with Vulkan. */
bool program_asks_zink(void);
/* It needs OpenGL alone, and nobody has. */
bool program_misses_vulkan(const struct needs *needs);

/* ---- settings.c ------------------------------------------------------------------------------ */

/* The configuration that the program will have; NULL: wrong, and said in log. */
struct fovea_config *settings_read(const struct options *options, struct fovea_log log);

/* ---- The modes ------------------------------------------------------------------------------- */

int install_manifest(void);
int uninstall_manifest(void);
int check(const struct options *options);
