/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_gaze.h"

#include "progress.h"
#include "say.h"
#include "sheet.h"

#include "config/settings.h"

#include <stdio.h>
#include <string.h>

#define MARKER_RADIUS_PX 10.0f

/* Whether somebody has asked for how it looks around. */
static bool names_saliency(const struct gaze_wishes *wishes)
{
    bool names = wishes->config != NULL;
    for (size_t i = 0; i < wishes->set_count; i++) {
        names = names || strncmp(wishes->sets[i], "gaze.saliency.", 14) == 0;
    }
    return names;
}

/* In four seconds it comes to near things and far ones, and rests until they are in focus. */
static bool look_around(struct gaze_chain *chain)
{
    static const char *const values[][2] = {{"gaze.saliency.amplitude_deg", "12"},
                                            {"gaze.saliency.center_deg", "0"},
                                            {"gaze.saliency.dwell_ms", "700"}};
    bool fine = true;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        fine = fine && fovea_settings_set(chain->settings, values[i][0], values[i][1],
                                          say_log(FOVEA_LOG_WARNING)) >= 0;
    }
    return fine;
}

static bool open_settings(struct gaze_chain *chain, const char *usual)
{
    struct fovea_config_desc desc;
    char source[64];
    fovea_config_desc_init(&desc);
    desc.file = chain->wishes->config;
    desc.sets = chain->wishes->sets;
    desc.set_count = chain->wishes->set_count;
    desc.program_name = "lightfield";
    desc.ignore_changes = true;
    desc.log = say_log(FOVEA_LOG_WARNING);
    if (fovea_config_create(&desc, &chain->config) < 0 ||
        fovea_settings_copy(fovea_config_settings(chain->config), &chain->settings) < 0 ||
        fovea_settings_get(chain->settings, "gaze.source", source, sizeof source) < 0) {
        return false;
    }
    /* "fixed" is what nobody has asked for, but with a place. */
    bool asked = strstr(source, "fixed") == NULL;
    for (size_t i = 0; i < desc.set_count; i++) {
        asked = asked || strncmp(desc.sets[i], "gaze.source=", strlen("gaze.source=")) == 0 ||
                strncmp(desc.sets[i], "gaze.fixed.", strlen("gaze.fixed.")) == 0;
    }
    return asked || (fovea_settings_set(chain->settings, "gaze.source", usual, desc.log) >= 0 &&
                     (names_saliency(chain->wishes) || look_around(chain)));
}

static bool is_mouse(const struct fovea_settings *settings)
{
    char source[64];
    return fovea_settings_get(settings, "gaze.source", source, sizeof source) >= 0 &&
           strstr(source, "mouse") != NULL;
}

static struct fovea_image image_of(const struct picture *picture)
{
    return (struct fovea_image){.data = picture->rgba,
                                .width_px = (uint32_t)picture->width_px,
                                .height_px = (uint32_t)picture->height_px,
                                .format = FOVEA_FORMAT_RGBA8,
                                .row_stride_bytes = 4 * (ptrdiff_t)picture->width_px};
}

static bool open_source(struct gaze_chain *chain)
{
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = chain->settings;
    desc.log = say_log(FOVEA_LOG_WARNING);
    return fovea_gaze_source_create(&desc, &chain->source) >= 0;
}

static bool open_context(struct gaze_chain *chain)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = chain->settings;
    desc.log = say_log(FOVEA_LOG_WARNING);
    return fovea_context_create(&desc, &chain->context) >= 0;
}

bool gaze_wishes_are_fine(const struct gaze_wishes *wishes)
{
    struct gaze_chain chain = {.wishes = wishes};
    const bool fine = open_settings(&chain, "saliency");
    gaze_chain_close(&chain);
    return fine;
}

static struct fovea_lightfield_refocusing refocusing_of(const struct gaze_wishes *wishes)
{
    struct fovea_lightfield_refocusing refocusing;
    fovea_lightfield_refocusing_init(&refocusing);
    refocusing.first_px = wishes->far_px;
    refocusing.last_px = wishes->near_px;
    return refocusing;
}

/* Settings do not change while it runs. */
static bool find_rings(struct gaze_chain *chain)
{
    const struct gaze_wishes *wishes = chain->wishes;
    const struct fovea_lightfield_refocusing refocusing = refocusing_of(wishes);
    fovea_lightfield_foveation_init(&chain->foveation);
    return fovea_lightfield_rings(chain->settings, wishes->geometry, &refocusing,
                                  (uint32_t)wishes->width_px, (uint32_t)wishes->height_px,
                                  &chain->foveation) == FOVEA_OK;
}

bool gaze_chain_open(struct gaze_chain *chain, const struct gaze_wishes *wishes, const char *usual)
{
    *chain = (struct gaze_chain){.wishes = wishes, .last_ns = -1};
    if (!open_settings(chain, usual) || !open_source(chain) || !open_context(chain) ||
        !find_rings(chain) ||
        !picture_init(&chain->refocused, wishes->width_px, wishes->height_px) ||
        !picture_init(&chain->foveated, wishes->width_px, wishes->height_px)) {
        gaze_chain_close(chain);
        return false;
    }
    chain->is_mouse = is_mouse(chain->settings);
    if (wishes->shown) {
        const struct fovea_image image = image_of(wishes->shown);
        /* Other sources do not look at pictures. */
        (void)!fovea_gaze_source_show(chain->source, &image);
    }
    return true;
}

void gaze_chain_close(struct gaze_chain *chain)
{
    picture_finish(&chain->foveated);
    picture_finish(&chain->refocused);
    fovea_context_destroy(&chain->context);
    fovea_gaze_source_destroy(&chain->source);
    fovea_settings_destroy(&chain->settings);
    fovea_config_destroy(&chain->config);
}

static bool refocus(struct gaze_chain *chain, double elapsed_s)
{
    const struct gaze_wishes *wishes = chain->wishes;
    struct fovea_lightfield_refocusing refocusing = refocusing_of(wishes);
    const struct fovea_image image = image_of(&chain->refocused);
    const struct fovea_image focus = {.data = &chain->focus_px,
                                      .width_px = 1,
                                      .height_px = 1,
                                      .format = FOVEA_FORMAT_R32F,
                                      .row_stride_bytes = sizeof chain->focus_px};
    chain->foveation.gaze = chain->gaze.point;
    refocusing.elapsed_s = elapsed_s;
    refocusing.foveation = chain->gaze.usable ? &chain->foveation : NULL;
    refocusing.focus = &focus;
    return fovea_lightfield_refocus(wishes->field, wishes->raw, &refocusing, &image, NULL) ==
           FOVEA_OK;
}

bool gaze_chain_frame(struct gaze_chain *chain, int64_t t_ns)
{
    const double elapsed_s = chain->last_ns < 0 ? 0.0 : (double)(t_ns - chain->last_ns) * 1e-9;
    const struct fovea_image src = image_of(&chain->refocused);
    const struct fovea_image dst = image_of(&chain->foveated);
    if (fovea_gaze_source_read(chain->source, t_ns, src.width_px, src.height_px, &chain->gaze) <
            0 ||
        !refocus(chain, elapsed_s)) {
        return false;
    }
    chain->last_ns = t_ns;
    if (!chain->gaze.usable) { /* as it is: nobody looks */
        memcpy(dst.data, src.data, (size_t)src.height_px * (size_t)src.row_stride_bytes);
        return true;
    }
    if (fovea_context_run(chain->context, &src, &dst, chain->gaze.point, NULL) != FOVEA_OK) {
        return false;
    }
    if (!chain->is_mouse) {
        sheet_circle(&chain->foveated, (float)(chain->gaze.point.x_uv * src.width_px - 0.5),
                     (float)(chain->gaze.point.y_uv * src.height_px - 0.5), MARKER_RADIUS_PX);
    }
    return true;
}

bool gaze_write(const struct gaze_wishes *wishes)
{
    const uint32_t frames = wishes->frames ? wishes->frames : GAZE_FRAMES;
    struct gaze_chain chain;
    if (!gaze_chain_open(&chain, wishes, "saliency")) {
        return false;
    }
    const int64_t start_ns = fovea_time_ns();
    struct progress progress = progress_start(frames, true);
    progress.what = "picture of a gaze";
    bool fine = true;
    for (uint32_t i = 0; fine && i < frames; i++) {
        char path[FOVEA_PATH_MAX];
        snprintf(path, sizeof path, "%s/gaze-%03u.png", wishes->output, i);
        fine = gaze_chain_frame(&chain, start_ns + (int64_t)i * 1000000000 / GAZE_HZ) &&
               picture_write_png(&chain.foveated, path);
        progress_update(&progress, (uint64_t)i + 1);
    }
    progress_end(&progress);
    gaze_chain_close(&chain);
    return fine;
}
