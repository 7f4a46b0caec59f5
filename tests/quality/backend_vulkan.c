/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "backends.h"
#include "memory.h"
#include "rig.h"

static bool open_vulkan(struct backend *backend)
{
    char program[] = "fovea_quality";
    char name[] = "vulkan";
    char *arguments[] = {program, name, NULL};
    if (!rig_choose_backend(2, arguments) || !rig_available()) {
        return false;
    }
    struct rig *rig = memory_make(1, sizeof *rig);
    rig_open(rig, NULL);
    backend->state = rig;
    return true;
}

static void close_vulkan(struct backend *backend)
{
    rig_close(backend->state);
    free(backend->state);
}

static void run_vulkan(struct backend *backend, const struct fovea_foveation *foveation,
                       const struct fovea_image *src, struct fovea_point_uv gaze,
                       const struct fovea_image *dst)
{
    struct rig *rig = backend->state;
    rig->settings.foveation = *foveation;
    backend_must(fovea_vk_set_settings(rig->fovea, &rig->settings), "vulkan");
    backend_must(rig_frame(rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, src,
                           rig_gaze(gaze.x_uv, gaze.y_uv), dst),
                 "vulkan");
}

const struct backend backend_vulkan = {
    .kind = FOVEA_BACKEND_VULKAN, .open = open_vulkan, .close = close_vulkan, .run = run_vulkan};
