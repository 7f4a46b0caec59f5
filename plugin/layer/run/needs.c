/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Libraries that a program needs are read from its file and theirs, as the dynamic linker would:
 * what it opens by itself while it runs cannot be told. */
#include "run.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARIES_MAX 256
#define NAME_BYTES 128

static const char *const opengl[] = {"libGL.so.1",     "libGLX.so.0",    "libEGL.so.1",
                                     "libOpenGL.so.0", "libGLESv2.so.2", "libGLESv1_CM.so.1"};

/* They draw with either, and open Vulkan's loader by themselves. */
static const char *const toolkits[] = {"libSDL2-2.0.so.0", "libSDL3.so.0",  "libQt5Gui.so.5",
                                       "libQt6Gui.so.6",   "libgtk-4.so.1", "libglfw.so.3",
                                       "libwgpu_native.so"};

static const char *const folders[] = {"/lib/x86_64-linux-gnu",
                                      "/usr/lib/x86_64-linux-gnu",
                                      "/lib/aarch64-linux-gnu",
                                      "/usr/lib/aarch64-linux-gnu",
                                      "/lib64",
                                      "/usr/lib64",
                                      "/lib",
                                      "/usr/lib",
                                      "/usr/local/lib"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found |= strcmp(names[i], name) == 0;
    }
    return found;
}

/* ---- One file -------------------------------------------------------------------------------- */

struct elf {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Phdr *parts;
    size_t part_count;
    const char *names; /* its table of strings, */
    size_t names_size; /* which ends with 0 */
};

static const void *at(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset ? elf->bytes + offset : NULL;
}

static bool open_elf(const char *path, struct elf *elf)
{
    struct stat status;
    *elf = (struct elf){0};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return false;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        elf->bytes = bytes == MAP_FAILED ? NULL : bytes;
        elf->size = elf->bytes ? (size_t)status.st_size : 0;
    }
    close(file);
    return elf->bytes != NULL;
}

static void close_elf(struct elf *elf)
{
    if (elf->bytes) {
        munmap((void *)elf->bytes, elf->size);
    }
    *elf = (struct elf){0};
}

static bool read_parts(struct elf *elf)
{
    const Elf64_Ehdr *head = at(elf, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        head->e_phentsize != sizeof *elf->parts || head->e_phoff % 8 != 0) {
        return false;
    }
    elf->part_count = head->e_phnum;
    elf->parts = at(elf, head->e_phoff, elf->part_count * sizeof *elf->parts);
    return elf->parts != NULL;
}

/* The bytes at that address once the file is loaded; NULL: there are none of that length. */
static const void *at_address(const struct elf *elf, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < elf->part_count; i++) {
        const Elf64_Phdr *part = &elf->parts[i];
        if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
            address - part->p_vaddr < part->p_filesz &&
            part->p_offset <= UINT64_MAX - (address - part->p_vaddr)) {
            return at(elf, part->p_offset + (address - part->p_vaddr), bytes);
        }
    }
    return NULL;
}

static const Elf64_Dyn *find_dynamic(const struct elf *elf, size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < elf->part_count; i++) {
        const Elf64_Phdr *part = &elf->parts[i];
        if (part->p_type == PT_DYNAMIC && part->p_offset % 8 == 0) {
            *out_count = part->p_filesz / sizeof(Elf64_Dyn);
            return at(elf, part->p_offset, *out_count * sizeof(Elf64_Dyn));
        }
    }
    return NULL;
}

static bool read_names(struct elf *elf, const Elf64_Dyn *dynamic, size_t count)
{
    uint64_t address = 0;
    for (size_t i = 0; i < count; i++) {
        address = dynamic[i].d_tag == DT_STRTAB ? dynamic[i].d_un.d_ptr : address;
        elf->names_size = dynamic[i].d_tag == DT_STRSZ ? dynamic[i].d_un.d_val : elf->names_size;
    }
    elf->names = elf->names_size > 0 ? at_address(elf, address, elf->names_size) : NULL;
    return elf->names && elf->names[elf->names_size - 1] == '\0';
}

static const char *name_at(const struct elf *elf, uint64_t offset)
{
    return offset < elf->names_size ? elf->names + offset : "";
}

/* ---- All of them ----------------------------------------------------------------------------- */

struct library {
    char name[NAME_BYTES];
    char path[PATH_MAX]; /* "": it was not found, or is not looked into */
    size_t first; /* the one that the program names itself and that leads here */
};

struct walk {
    struct library *libraries; /* the program is the first */
    size_t count;
    bool opens_vulkan; /* the program's file has the name of Vulkan's loader in it */
};

static bool try_folder(struct library *library, const char *folder, int length)
{
    return length > 0 && path_print(library->path, "%.*s/%s", length, folder, library->name) &&
           access(library->path, R_OK) == 0;
}

/* A list with : between; $ORIGIN is the folder of who names it. */
static bool try_list(struct library *library, const char *list, const char *origin)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    const int origin_length = (int)(strrchr(origin, '/') ? strrchr(origin, '/') - origin : 0);
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        char folder[PATH_MAX];
        size_t skipped = 0;
        for (size_t i = 0; i < COUNT_OF(words); i++) {
            skipped = strncmp(list, words[i], strlen(words[i])) == 0 ? strlen(words[i]) : skipped;
        }
        if (path_print(folder, "%.*s%.*s", skipped ? origin_length : 0, origin,
                       (int)(length > skipped ? length - skipped : 0), list + skipped) &&
            try_folder(library, folder, (int)strlen(folder))) {
            return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

static void find_library(struct library *library, const char *run_path, const char *origin)
{
    if (strchr(library->name, '/')) {
        path_print(library->path, "%s", library->name);
        return;
    }
    if (try_list(library, run_path, origin) ||
        try_list(library, getenv("LD_LIBRARY_PATH"), origin)) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        if (try_folder(library, folders[i], (int)strlen(folders[i]))) {
            return;
        }
    }
    library->path[0] = '\0';
}

static void add_needed(struct walk *walk, size_t parent, const char *name, const char *run_path)
{
    for (size_t i = 0; i < walk->count; i++) {
        if (strcmp(walk->libraries[i].name, name) == 0) {
            return;
        }
    }
    if (walk->count == LIBRARIES_MAX || strlen(name) >= NAME_BYTES) {
        return;
    }
    struct library *library = &walk->libraries[walk->count];
    *library = (struct library){.first = parent ? walk->libraries[parent].first : walk->count};
    walk->count++;
    snprintf(library->name, sizeof library->name, "%s", name);
    /* The needs of OpenGL's own libraries are not the program's. */
    if (!is_one_of(opengl, COUNT_OF(opengl), name)) {
        find_library(library, run_path, walk->libraries[parent].path);
    }
}

static void look_into(struct walk *walk, size_t index)
{
    struct elf elf;
    size_t count = 0;
    if (!walk->libraries[index].path[0] || !open_elf(walk->libraries[index].path, &elf)) {
        return;
    }
    static const char vulkan[] = "libvulkan.so";
    walk->opens_vulkan |= index == 0 && memmem(elf.bytes, elf.size, vulkan, sizeof vulkan - 1);
    const Elf64_Dyn *dynamic = read_parts(&elf) ? find_dynamic(&elf, &count) : NULL;
    if (dynamic && read_names(&elf, dynamic, count)) {
        const char *run_path = NULL;
        for (size_t i = 0; i < count; i++) {
            if (dynamic[i].d_tag == DT_RPATH || dynamic[i].d_tag == DT_RUNPATH) {
                run_path = name_at(&elf, dynamic[i].d_un.d_val);
            }
        }
        for (size_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++) {
            if (dynamic[i].d_tag == DT_NEEDED) {
                add_needed(walk, index, name_at(&elf, dynamic[i].d_un.d_val), run_path);
            }
        }
    }
    close_elf(&elf);
}

static void judge(const struct walk *walk, struct needs *needs)
{
    for (size_t i = 1; i < walk->count; i++) {
        const struct library *library = &walk->libraries[i];
        needs->vulkan |= strcmp(library->name, "libvulkan.so.1") == 0;
        needs->either |= is_one_of(toolkits, COUNT_OF(toolkits), library->name);
        if (!needs->opengl[0] && is_one_of(opengl, COUNT_OF(opengl), library->name)) {
            snprintf(needs->opengl, sizeof needs->opengl, "%s", library->name);
            if (library->first != i) {
                snprintf(needs->through, sizeof needs->through, "%s",
                         walk->libraries[library->first].name);
            }
        }
    }
    needs->either |= walk->opens_vulkan && needs->opengl[0];
    needs->vulkan |= walk->opens_vulkan && !needs->opengl[0];
}

void program_needs(const char *path, struct needs *out_needs)
{
    struct walk walk = {.libraries = calloc(LIBRARIES_MAX, sizeof *walk.libraries), .count = 1};
    *out_needs = (struct needs){0};
    if (!walk.libraries) {
        return;
    }
    if (!program_interpreter(path, walk.libraries[0].path)) {
        path_print(walk.libraries[0].path, "%s", path);
    }
    for (size_t i = 0; i < walk.count; i++) {
        look_into(&walk, i);
    }
    judge(&walk, out_needs);
    free(walk.libraries);
}

bool program_asks_zink(void)
{
    const char *driver = getenv("MESA_LOADER_DRIVER_OVERRIDE");
    return driver && strcmp(driver, "zink") == 0;
}

bool program_misses_vulkan(const struct needs *needs)
{
    return needs->opengl[0] && !needs->vulkan && !program_asks_zink();
}
