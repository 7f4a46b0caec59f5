/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur FILE: docs/blur.png, a drawn picture as it is and through the operator blur, which averages
 * stored values or light. */
#include "backends.h"
#include "commands.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"

#define SIDE_PX 240
#define GAP_PX 6
#define TITLE_PX 26
#define PICTURE "discs"

static const struct panel {
    const char *title;
    double sigma_px;
    enum fovea_light light;
} panels[] = {{"sigma 0", 0.0, FOVEA_LIGHT_LINEAR},
              {"sigma 4, stored values", 4.0, FOVEA_LIGHT_ENCODED},
              {"sigma 4, light", 4.0, FOVEA_LIGHT_LINEAR}};
#define PANEL_COUNT (sizeof panels / sizeof panels[0])

static bool draw(struct sample *sample)
{
    size_t index = 0;
    while (index < samples_count(false) && strcmp(sample_name(index), PICTURE) != 0) {
        index++;
    }
    return sample_draw(index, SIDE_PX, SIDE_PX, sample);
}

static void run(struct fovea_context *context, const struct panel *panel,
                const struct fovea_image *src, const struct fovea_image *dst)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.operators.order[0] = FOVEA_OPERATOR_blur;
    settings.own.blur_sigma_px = panel->sigma_px;
    settings.foveation.light = panel->light;
    backend_must(fovea_context_set_settings(context, &settings), "settings");
    backend_must(fovea_context_run(context, src, dst, (struct fovea_point_uv){0.5, 0.5}, NULL),
                 "blur");
}

static bool fill(struct sheet_pen *pen, struct fovea_context *context, const struct sample *sample)
{
    OWNED_IMAGE done = image_make_packed(SIDE_PX, SIDE_PX, sample->image.view.format);
    const struct picture picture = sheet_view(&done);
    bool fine = true;
    for (size_t i = 0; fine && i < PANEL_COUNT; i++) {
        const int left = GAP_PX + (int)i * (SIDE_PX + GAP_PX);
        run(context, &panels[i], &sample->image.view, &done.view);
        picture_put(pen->picture, &picture, left, TITLE_PX);
        const float at[2] = {(float)left, TITLE_PX - 8.0f};
        fine = sheet_write(pen, true, panels[i].title, at, 17.0f, SIDE_PX);
    }
    return fine;
}

int command_blur(int argc, char **argv)
{
    struct sample sample;
    if (argc != 2) {
        say_error("blur needs a file to write");
        return 2;
    }
    if (!draw(&sample)) {
        return EXIT_FAILURE;
    }
    struct backend cpu = backend_cpu;
    struct picture sheet;
    struct sheet_pen pen;
    cpu.open(&cpu);
    bool fine = sheet_open(&pen, &sheet, GAP_PX + (int)PANEL_COUNT * (SIDE_PX + GAP_PX),
                           TITLE_PX + SIDE_PX + GAP_PX);
    fine = fine && fill(&pen, cpu.state, &sample) && picture_write_png(&sheet, argv[1]);
    sheet_close(&pen);
    cpu.close(&cpu);
    sample_free(&sample);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
