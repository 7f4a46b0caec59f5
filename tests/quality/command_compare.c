/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* compare PICTURE: a picture through every model and method beside the exact result; or, where the
 * settings choose a model or a method, through that one. */
#include "backends.h"
#include "cases.h"
#include "commands.h"
#include "metrics.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"
#include "wishes.h"

#include "kernels/foveate/model/map_copy.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define EXIT_USAGE 2
#define ERROR_GAIN 32
#define PANEL_MAX_PX 960
#define GAP_PX 12
#define TITLE_PX 44

/* The rows of the sheet are to show this. */
struct plan {
    struct fovea_foveation base;
    struct foveate_map_copy map; /* the reference reads no files */
    const struct look *looks;
    size_t count;
    struct look chosen; /* by the settings */
    char title[128];
};

/* One row of the sheet. */
struct row {
    pthread_t thread;
    bool threaded;
    struct fovea_foveation foveation;
    struct fovea_point_uv gaze;
    const struct fovea_image *src;
    struct test_image actual, exact, error;
    struct score score;
};

static bool is_named(const struct picture_wishes *wishes, const char *key)
{
    for (size_t i = 0; i < wishes->set_count; i++) {
        const char *set = wishes->sets[i] + strspn(wishes->sets[i], " ");
        const size_t length = strlen(key);
        if (strncmp(set, key, length) == 0 && set[length + strspn(set + length, " ")] == '=') {
            return true;
        }
    }
    return false;
}

/* By --set, or by a file or FOVEA_SET where it is not the default. */
static bool settings_choose(const struct picture_wishes *wishes, const struct fovea_foveation *f)
{
    return is_named(wishes, "foveation.model") || is_named(wishes, "foveation.method") ||
           is_named(wishes, "foveation.light") || is_named(wishes, "foveation.map.kind") ||
           f->model != FOVEA_MODEL_PAPER || f->method != FOVEA_METHOD_SMOOTH ||
           f->light != FOVEA_LIGHT_AUTO || f->map.kind != FOVEA_MAP_HUMAN;
}

static void name_chosen(struct plan *plan)
{
    static const char *const models[] = {"paper", "physical", "curve", "map", "relative"};
    static const char *const kinds[] = {" human",    " streak", " file", " array",
                                        " kangaroo", " hawk",   " dog"};
    const struct fovea_foveation *f = &plan->base;
    const bool blockwise = f->method == FOVEA_METHOD_BLOCKWISE;
    const bool linear =
        f->light == FOVEA_LIGHT_LINEAR || (f->light == FOVEA_LIGHT_AUTO && !blockwise);
    snprintf(plan->title, sizeof plan->title, "%s, %s%s, %s", blockwise ? "blockwise" : "smooth",
             models[f->model], f->model == FOVEA_MODEL_MAP ? kinds[f->map.kind] : "",
             linear ? "linear" : "encoded");
    plan->chosen = (struct look){.file = "chosen",
                                 .title = plan->title,
                                 .method = f->method,
                                 .model = f->model,
                                 .light = f->light,
                                 .map = f->map.kind};
}

static bool make_plan(const struct picture_wishes *wishes, struct plan *out)
{
    *out = (struct plan){.looks = looks, .count = LOOK_COUNT};
    if (!picture_wishes_settings(wishes, &out->base)) {
        return false;
    }
    if (!settings_choose(wishes, &out->base)) {
        return true;
    }
    if (out->base.map.kind != FOVEA_MAP_HUMAN && !is_named(wishes, "foveation.model") &&
        out->base.model == FOVEA_MODEL_PAPER) {
        out->base.model = FOVEA_MODEL_MAP; /* a kind of map is a wish for one */
    }
    struct foveate_map_copy none = {0};
    name_chosen(out);
    if (out->base.model == FOVEA_MODEL_MAP &&
        foveate_map_copy_make(&out->base.map, &none, say_log(FOVEA_LOG_WARNING), &out->map) < 0) {
        return false;
    }
    say_note("the settings choose %s: it is shown alone", out->title);
    out->chosen.map = out->base.map.kind;
    out->looks = &out->chosen;
    out->count = 1;
    return true;
}

static void fill_error(const struct row *row)
{
    const unsigned char *a = row->actual.view.data;
    const unsigned char *b = row->exact.view.data;
    unsigned char *out = row->error.view.data;
    for (size_t i = 0; i < (size_t)row->src->width_px * row->src->height_px * 4; i++) {
        const int error = ERROR_GAIN * abs(a[i] - b[i]);
        out[i] = (unsigned char)(i % 4 == 3 ? 255 : error > 255 ? 255 : error);
    }
}

static void *make_exact(void *user)
{
    struct row *row = user;
    OWNED(owned_free) double *levels = exact_levels(&row->foveation, row->src, row->gaze);
    exact_round(levels, &row->actual.view, EXACT_TIE_LEVELS, &row->exact.view);
    row->score = metrics_score(&row->actual.view, &row->exact.view);
    fill_error(row);
    return NULL;
}

static void make_rows(struct row rows[LOOK_COUNT], const struct fovea_image *src,
                      const struct plan *plan, struct fovea_point_uv gaze)
{
    struct backend cpu = backend_cpu;
    cpu.open(&cpu);
    for (size_t i = 0; i < plan->count; i++) {
        struct row *row = &rows[i];
        *row = (struct row){
            .foveation = look_foveation(&plan->looks[i], &plan->base), .gaze = gaze, .src = src};
        row->actual = image_make_packed(src->width_px, src->height_px, src->format);
        row->exact = image_make_packed(src->width_px, src->height_px, src->format);
        row->error = image_make_packed(src->width_px, src->height_px, src->format);
        cpu.run(&cpu, &row->foveation, src, gaze, &row->actual.view);
    }
    cpu.close(&cpu);
    say_note("the exact results take a while: %ux%u pixels, one Gaussian each", src->width_px,
             src->height_px);
    for (size_t i = 0; i < plan->count; i++) {
        rows[i].threaded = pthread_create(&rows[i].thread, NULL, make_exact, &rows[i]) == 0;
        if (!rows[i].threaded) {
            make_exact(&rows[i]);
        }
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (rows[i].threaded) {
            pthread_join(rows[i].thread, NULL);
        }
        say_note("%s: %g levels at most, %.4f on average, SSIM %.5f", plan->looks[i].title,
                 rows[i].score.max_levels, rows[i].score.mean_levels, rows[i].score.ssim);
    }
}

static bool write_single(const struct picture_wishes *wishes, const struct test_image *image,
                         const char *name, const char *kind)
{
    char path[FOVEA_PATH_MAX];
    const struct picture picture = sheet_view(image);
    snprintf(path, sizeof path, "%s/%s%s.png", wishes->output, name, kind);
    return picture_wishes_spare(wishes, path) && picture_write_png(&picture, path);
}

static void put_panel(struct picture *sheet, const struct test_image *image, int factor,
                      bool largest, const int at[2])
{
    const struct picture whole = sheet_view(image);
    struct picture panel = sheet_shrink(&whole, factor, largest);
    picture_put(sheet, &panel, at[0], at[1]);
    picture_finish(&panel);
}

static bool draw_row(const struct sheet_pen *pen, const struct row *row, const char *title,
                     const int at[2], int factor)
{
    const int step = GAP_PX + sheet_column_px((int)row->src->width_px / factor);
    const struct score *s = &row->score;
    char text[256];
    snprintf(text, sizeof text,
             "largest error %g levels, mean %.4f, PSNR %.1f dB, SSIM %.5f, worst 32\xc3\x97"
             "32 %.5f",
             s->max_levels, s->mean_levels, s->psnr_db, s->ssim, s->ssim_worst);
    const float places[3][2] = {{(float)at[0], (float)at[1] - 12.0f},
                                {(float)(at[0] + step), (float)at[1] - 12.0f},
                                {(float)(at[0] + 2 * step), (float)at[1] - 12.0f}};
    put_panel(pen->picture, &row->actual, factor, false, (const int[2]){at[0], at[1]});
    put_panel(pen->picture, &row->exact, factor, false, (const int[2]){at[0] + step, at[1]});
    put_panel(pen->picture, &row->error, factor, true, (const int[2]){at[0] + 2 * step, at[1]});
    const float room = (float)(step - GAP_PX);
    return sheet_write(pen, true, title, places[0], 24.0f, room) &&
           sheet_write(pen, false, "exact", places[1], 24.0f, room) &&
           sheet_write(pen, false, text, places[2], 24.0f, room);
}

static bool write_sheet(const struct picture_wishes *wishes, const struct plan *plan,
                        const struct row rows[LOOK_COUNT], const struct sample *sample)
{
    const int width = (int)sample->image.view.width_px;
    const int height = (int)sample->image.view.height_px;
    const int factor = (width + PANEL_MAX_PX - 1) / PANEL_MAX_PX;
    const int row_px = TITLE_PX + height / factor;
    struct picture sheet;
    struct sheet_pen pen;
    char text[256];
    char path[FOVEA_PATH_MAX];
    bool fine = sheet_open(&pen, &sheet, GAP_PX + 3 * (GAP_PX + sheet_column_px(width / factor)),
                           TITLE_PX + (int)plan->count * row_px + GAP_PX);
    for (size_t i = 0; fine && i < plan->count; i++) {
        const int at[2] = {GAP_PX, 2 * TITLE_PX + (int)i * row_px};
        fine = draw_row(&pen, &rows[i], plan->looks[i].title, at, factor);
    }
    snprintf(text, sizeof text,
             "%.60s, %dx%d, gaze %g, %g: by the library, exact, and the error times %d",
             sample->name, width, height, wishes->gaze.x_uv, wishes->gaze.y_uv, ERROR_GAIN);
    const float at[2] = {GAP_PX, 30.0f};
    fine = fine && sheet_write(&pen, true, text, at, 26.0f, (float)(sheet.width_px - 2 * GAP_PX));
    snprintf(path, sizeof path, "%s/compare.png", wishes->output);
    fine = fine && picture_wishes_spare(wishes, path) && picture_write_png(&sheet, path);
    sheet_close(&pen);
    return fine;
}

static bool write_all(const struct picture_wishes *wishes, const struct plan *plan,
                      const struct row rows[LOOK_COUNT], const struct sample *sample)
{
    bool fine = true;
    for (size_t i = 0; fine && i < plan->count; i++) {
        fine = write_single(wishes, &rows[i].actual, plan->looks[i].file, "") &&
               write_single(wishes, &rows[i].exact, plan->looks[i].file, "-exact") &&
               write_single(wishes, &rows[i].error, plan->looks[i].file, "-error");
    }
    return fine && write_sheet(wishes, plan, rows, sample);
}

static bool compare(const struct picture_wishes *wishes, const struct plan *plan,
                    const struct sample *sample)
{
    struct row rows[LOOK_COUNT];
    const struct fovea_image *src = &sample->image.view;
    if (src->width_px < METRICS_REGION_PX || src->height_px < METRICS_REGION_PX) {
        say_error("%s: smaller than 32x32 pixels", wishes->picture);
        return false;
    }
    /* A folder that nothing can be written to is told before what takes long. */
    if (!picture_wishes_folder(wishes) || !write_single(wishes, &sample->image, "original", "")) {
        return false;
    }
    make_rows(rows, src, plan, wishes->gaze);
    const bool fine = write_all(wishes, plan, rows, sample);
    for (size_t i = 0; i < plan->count; i++) {
        image_free(&rows[i].actual);
        image_free(&rows[i].exact);
        image_free(&rows[i].error);
    }
    return fine;
}

int command_compare(int argc, char **argv)
{
    struct picture_wishes wishes = {.output = "out/compare", .gaze = {0.5, 0.5}};
    struct plan plan;
    struct sample sample;
    if (!picture_wishes_read(argc, argv, &wishes)) {
        return EXIT_USAGE;
    }
    bool fine = make_plan(&wishes, &plan);
    if (fine) {
        fine = sample_load(wishes.picture, &sample);
        if (fine) {
            fine = compare(&wishes, &plan, &sample);
            sample_free(&sample);
        }
        foveate_map_copy_finish(&plan.map);
    }
    if (fine) {
        printf("%s/compare.png\n", wishes.output);
    }
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
