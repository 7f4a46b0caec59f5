/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "check.h"

#include "plugin/layer/session/layer_programs.h"

#include <stdlib.h>
#include <string.h>

void check_devices(struct checklist *list)
{
    const struct probe *probe = list->probe;
    if (probe->loader_fault[0] || probe->signal) {
        return; /* said */
    }
    for (uint32_t i = 0; i < probe->device_count; i++) {
        const struct probe_device *device = &probe->devices[i];
        check_line(
            list, device->software ? MARK_NOTE : MARK_OK, "device", "%s%s%s%s%s", device->name,
            device->driver[0] ? " (" : "", device->driver, device->driver[0] ? ")" : "",
            device->software ? ", a CPU: programs draw slowly on it, and Fovea takes most of "
                               "each frame"
                             : "");
    }
    if (probe->device_count == 0) {
        check_line(list, MARK_MISSING, "device",
                   "Vulkan finds none; install a driver (Debian: mesa-vulkan-drivers, "
                   "nvidia-vulkan-icd)");
    }
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

static bool is_zero(const uint8_t uuid[16])
{
    static const uint8_t zero[16];
    return memcmp(uuid, zero, sizeof zero) == 0;
}

static const struct probe_device *shared_device(const struct probe *probe)
{
    for (uint32_t i = 0; i < probe->device_count; i++) {
        const struct probe_device *device = &probe->devices[i];
        for (uint32_t k = 0; k < probe->cuda_device_count; k++) {
            const struct probe_device *other = &probe->cuda_devices[k];
            if (device->uuid_known && other->uuid_known && !is_zero(device->uuid) &&
                memcmp(device->uuid, other->uuid, sizeof device->uuid) == 0) {
                return other;
            }
        }
    }
    return NULL;
}

/* Vulkan's own compute shaders do without. */
static void check_driver(struct checklist *list, enum mark mark, const char *rest)
{
    const struct probe *probe = list->probe;
    const struct probe_device *shared = shared_device(probe);
    if (!probe->cuda_there) {
        check_line(list, mark, "cuda", "no driver (libcuda.so.1); %s", rest);
    } else if (probe->cuda_result != 0 || probe->cuda_device_count == 0) {
        check_line(list, mark, "cuda", "the driver finds no device (CUresult %d); %s",
                   probe->cuda_result, rest);
    } else if (!shared) {
        check_line(list, mark, "cuda", "%s is not among Vulkan's devices (another UUID); %s",
                   probe->cuda_devices[0].name, rest);
    } else {
        check_line(list, MARK_OK, "cuda", "driver for CUDA %d.%d, %s is also Vulkan's (same UUID)",
                   probe->cuda_version / 1000, probe->cuda_version % 1000 / 10, shared->name);
    }
}

void check_cuda(struct checklist *list)
{
    const enum mark mark = list->cuda_wanted ? MARK_MISSING : MARK_NOTE;
    const char *rest =
        list->cuda_wanted ? "backend is cuda: set backend=auto" : "another backend does the work";
    if (FOVEA_HAVE_CUDA) {
        check_driver(list, mark, rest);
    } else {
        check_line(list, mark, "cuda", "this Fovea was built without it; %s", rest);
    }
}

/* ---- Pointer and keys ------------------------------------------------------------------------ */

void check_display(struct checklist *list)
{
    const char *display = getenv("DISPLAY");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    const char *fault = list->probe->display_fault[0] ? list->probe->display_fault : NULL;
    const char *gaze =
        list->pointer_wanted ? "; the gaze stays in the middle: choose gaze.source" : "";
    if (display && *display && fault) {
        check_line(list, MARK_NOTE, "pointer, keys", "DISPLAY is %s: %s%s", display, fault, gaze);
    } else if (display && *display) {
        check_line(list, wayland ? MARK_NOTE : MARK_OK, "pointer, keys", "X server %s%s", display,
                   wayland ? "; windows of Wayland itself give neither, those of X11 do" : "");
    } else if (wayland && *wayland) {
        check_line(list, MARK_NOTE, "pointer, keys",
                   "there is Wayland only, which gives neither to others%s", gaze);
    } else {
        check_line(list, MARK_NOTE, "pointer, keys", "DISPLAY is not set%s", gaze);
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

static void check_needs(struct checklist *list, const char *path)
{
    struct needs needs;
    program_needs(path, &needs);
    const char *through = needs.through[0] ? " through " : "";
    if (needs.vulkan || list->options->zink || program_asks_zink()) {
        check_line(list, MARK_OK, "program", "%s", path);
    } else if (!needs.opengl[0]) {
        check_line(list, MARK_NOTE, "program",
                   "%s does not say what it draws with; should that be OpenGL: fovea-run --zink %s",
                   path, path);
    } else if (needs.either) {
        check_line(list, MARK_NOTE, "program",
                   "%s needs OpenGL (%s%s%s) and may draw with Vulkan, too; where it does not: "
                   "fovea-run --zink %s",
                   path, needs.opengl, through, needs.through, path);
    } else {
        check_line(list, MARK_MISSING, "program",
                   "%s draws with OpenGL (%s%s%s), of which Fovea sees nothing; Mesa draws that "
                   "with Vulkan where it is asked to: fovea-run --zink %s",
                   path, needs.opengl, through, needs.through, path);
    }
}

void check_program(struct checklist *list)
{
    struct program program;
    struct program_names names;
    const char *name = list->options->program[0];
    if (!name) {
        return;
    }
    program_find(name, &program);
    program_names_find(&names);
    if (!program.path[0]) {
        check_line(list, MARK_MISSING, "program", "%s is not there", name);
    } else if (!program.executable) {
        check_line(list, MARK_MISSING, "program", "%s cannot be executed", program.path);
    } else if (program.set_id) {
        check_line(list, MARK_MISSING, "program",
                   "%s runs with the rights of another user (setuid): Fovea stays out",
                   program.path);
    } else if (program.foreign_word) {
        check_line(list, MARK_MISSING, "program",
                   "%s is built for another word size than the layer", program.path);
    } else if (program.windows) {
        check_line(list, MARK_MISSING, "program",
                   "%s is a program for Windows; Wine runs it: fovea-run wine %s", program.path,
                   name);
    } else if (layer_programs_left_alone(&names)) {
        check_line(list, MARK_MISSING, "program",
                   "%s is on the list of programs that Fovea stays out of (launchers, compositors, "
                   "tools)",
                   program.path);
    } else {
        check_needs(list, program.path);
    }
}
