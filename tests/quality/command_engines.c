/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* engines PICTURE: a picture through every engine of blur, each beside its difference from the
 * first one, with numbers. --set of blur.* holds for all that know it; an engine that cannot do
 * what is set says why in its place. */
#include "commands.h"
#include "metrics.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"
#include "wishes.h"

#include <stdio.h>

#define DIFFERENCE_GAIN 8
#define PANEL_MAX_PX 320
#define GAP_PX 8
#define TITLE_PX 30
#define ACROSS 2 /* engines of a row */

/* The words of blur.engine. */
static const char *const *engine_words(void)
{
    static struct fovea_setting setting;
    fovea_setting_init(&setting);
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        if (fovea_setting_info(i, &setting) == FOVEA_OK &&
            strcmp(setting.path, "blur.engine") == 0) {
            break;
        }
    }
    return setting.words;
}

#define WHY_BYTES 256

struct row {
    const char *name;
    char why[WHY_BYTES]; /* what the library said where it makes no picture; else empty */
    struct test_image made;
    struct test_image difference; /* from the first row */
    struct score score;
};

#define ROWS_MOST 16

/* The last error counts; what comes before it is said as always. */
static void keep_why(void *user, enum fovea_log_level level, const char *message)
{
    if (level >= FOVEA_LOG_ERROR) {
        snprintf(user, WHY_BYTES, "%s", message);
    } else {
        say_note("%s", message);
    }
}

static enum fovea_result run(const struct fovea_settings *base, uint32_t engine,
                             const struct fovea_image *src, struct row *row)
{
    struct fovea_settings settings = *base;
    struct fovea_context_desc desc;
    struct fovea_context *context = NULL;
    settings.backend = FOVEA_BACKEND_CPU;
    settings.operators.count = 1;
    settings.operators.order[0] = FOVEA_OPERATOR_blur;
    settings.own.blur_engine = engine;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = (struct fovea_log){.fn = keep_why, .user = row->why, .min_level = FOVEA_LOG_WARNING};
    enum fovea_result result = fovea_context_create(&desc, &context);
    if (result >= 0) {
        result = fovea_context_run(context, src, &row->made.view, (struct fovea_point_uv){0.5, 0.5},
                                   NULL);
    }
    fovea_context_destroy(&context);
    return result;
}

static void fill_difference(const struct row *row, const struct row *first)
{
    const unsigned char *a = row->made.view.data;
    const unsigned char *b = first->made.view.data;
    unsigned char *out = row->difference.view.data;
    for (size_t i = 0; i < (size_t)row->made.view.width_px * row->made.view.height_px * 4; i++) {
        const int difference = DIFFERENCE_GAIN * abs(a[i] - b[i]);
        out[i] = (unsigned char)(i % 4 == 3 ? 255 : difference > 255 ? 255 : difference);
    }
}

/* False: there is nothing to compare the others with. */
static bool make_row(const struct fovea_settings *settings, uint32_t engine,
                     const struct fovea_image *src, struct row *rows)
{
    struct row *row = &rows[engine];
    row->name = engine_words()[engine];
    row->made = image_make_packed(src->width_px, src->height_px, src->format);
    row->difference = image_make_packed(src->width_px, src->height_px, src->format);
    const enum fovea_result result = run(settings, engine, src, row);
    if (result < 0) {
        if (!row->why[0]) {
            snprintf(row->why, sizeof row->why, "%s", fovea_result_name(result));
        }
        (engine == 0 ? say_error : say_note)("%s makes no picture: %s", row->name, row->why);
        return engine > 0;
    }
    row->why[0] = '\0';
    row->score = metrics_score(&row->made.view, &rows[0].made.view);
    fill_difference(row, &rows[0]);
    say_note("%s: %g levels from %s at most, %.3f on average, SSIM %.5f", row->name,
             row->score.max_levels, rows[0].name, row->score.mean_levels, row->score.ssim);
    return true;
}

static void put_panel(struct picture *sheet, const struct test_image *image, int factor,
                      bool largest, int x, int y)
{
    const struct picture whole = sheet_view(image);
    struct picture panel = sheet_shrink(&whole, factor, largest);
    picture_put(sheet, &panel, x, y);
    picture_finish(&panel);
}

/* In the middle of where the panels would be. */
static bool write_why(const struct sheet_pen *pen, const struct row *row, const int at[2],
                      int factor)
{
    char text[WHY_BYTES + 16];
    const int height = (int)row->made.view.height_px / factor;
    const float place[2] = {(float)at[0], (float)(at[1] + height / 2)};
    snprintf(text, sizeof text, "no picture: %s", row->why);
    return sheet_write(
        pen, false, text, place, 12.0f,
        (float)(GAP_PX + 2 * sheet_column_px((int)row->made.view.width_px / factor)));
}

/* Two panels at a place. */
static bool draw_panels(const struct sheet_pen *pen, const struct row *row, bool first,
                        const int at[2], int factor)
{
    const int step = GAP_PX + sheet_column_px((int)row->made.view.width_px / factor);
    char text[128] = "what the others are compared with";
    if (!first) {
        snprintf(text, sizeof text, "difference times %d: SSIM %.4f, %g levels at most",
                 DIFFERENCE_GAIN, row->score.ssim, row->score.max_levels);
    }
    put_panel(pen->picture, &row->made, factor, false, at[0], at[1]);
    put_panel(pen->picture, &row->difference, factor, true, at[0] + step, at[1]);
    return sheet_write(pen, false, text, (float[]){(float)(at[0] + step), (float)at[1] - 8.0f},
                       12.0f, (float)(step - GAP_PX));
}

static bool draw_row(const struct sheet_pen *pen, const struct row *row, bool first,
                     const int at[2], int factor)
{
    const float title[2] = {(float)at[0], (float)at[1] - 8.0f};
    return sheet_write(pen, true, row->name, title, 17.0f,
                       (float)sheet_column_px((int)row->made.view.width_px / factor)) &&
           (row->why[0] ? write_why(pen, row, at, factor)
                        : draw_panels(pen, row, first, at, factor));
}

static bool write_sheet(const struct row *rows, uint32_t count, const char *path)
{
    const int width = (int)rows[0].made.view.width_px;
    const int height = (int)rows[0].made.view.height_px;
    const int factor = 1 + (width - 1) / PANEL_MAX_PX;
    const int row_px = TITLE_PX + height / factor;
    const int column_px = 2 * (GAP_PX + sheet_column_px(width / factor));
    struct picture sheet;
    OWNED(sheet_close) struct sheet_pen pen;
    bool fine = sheet_open(&pen, &sheet, GAP_PX + ACROSS * column_px,
                           ((int)count + ACROSS - 1) / ACROSS * row_px + GAP_PX);
    for (uint32_t i = 0; fine && i < count; i++) {
        const int at[2] = {GAP_PX + (int)(i % ACROSS) * column_px,
                           TITLE_PX + (int)(i / ACROSS) * row_px};
        fine = draw_row(&pen, &rows[i], i == 0, at, factor);
    }
    fine = fine && picture_write_png(&sheet, path);
    return fine;
}

static bool compare(const struct fovea_settings *settings, const struct fovea_image *src,
                    const char *path)
{
    struct row rows[ROWS_MOST] = {0};
    uint32_t count = 0;
    bool fine = true;
    while (fine && count < ROWS_MOST && engine_words()[count]) {
        fine = make_row(settings, count++, src, rows);
    }
    fine = fine && write_sheet(rows, count, path);
    for (uint32_t i = 0; i < count; i++) {
        image_free(&rows[i].made);
        image_free(&rows[i].difference);
    }
    return fine;
}

int command_engines(int argc, char **argv)
{
    struct picture_wishes wishes = {.output = "out/compare"};
    struct fovea_settings settings;
    struct sample sample;
    char path[FOVEA_PATH_MAX];
    if (!picture_wishes_read(argc, argv, &wishes)) {
        return 2;
    }
    snprintf(path, sizeof path, "%s/engines.png", wishes.output);
    if (!picture_wishes_all(&wishes, &settings) || !picture_wishes_folder(&wishes) ||
        !picture_wishes_spare(&wishes, path) || !sample_load(wishes.picture, &sample)) {
        return EXIT_FAILURE;
    }
    const bool large = sample.image.view.width_px >= METRICS_REGION_PX &&
                       sample.image.view.height_px >= METRICS_REGION_PX;
    if (!large) {
        say_error("%s: smaller than 32x32 pixels", wishes.picture);
    }
    const bool fine = large && compare(&settings, &sample.image.view, path);
    sample_free(&sample);
    if (fine) {
        printf("%s\n", path);
    }
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
