/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "panels.h"

#include "headset.h"
#include "say.h"
#include "sigmas.h"
#include "values.h"
#include "viridis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENCE_GAIN 4
#define PANELS 4
#define SHOWN 1

/* The places of things, by the size of a panel. */
struct layout {
    int gap_px;
    int title_px; /* strip above a panel */
    int caption_px;
    float letter_px;
    int panels;
    int corners_px[PANELS][2];
    int width_px;
    int height_px;
};

bool panels_warped(const struct fovea_settings *settings)
{
    return strstr(value_words(settings, "operators").text, "lens") != NULL;
}

/* Two by two. Both eyes are twice as wide: one below the other, and without the difference. So is a
 * picture behind a lens, where that would be one of places. */
static struct layout layout_of(const struct panels_desc *desc)
{
    const struct picture *panel = desc->drawn;
    const bool below = desc->marks.eyes > 1 || panels_warped(desc->settings);
    const int columns = below ? 1 : 2;
    const int rows = below ? 3 : 2;
    struct layout l = {0};
    float unit = fmaxf((float)panel->width_px / 1280.0f, 0.25f);
    l.letter_px = 26.0f * unit;
    l.gap_px = (int)(18.0f * unit);
    l.title_px = (int)(42.0f * unit);
    l.caption_px = (int)((float)PANELS_CAPTION_LINES * 36.0f * unit + 20.0f * unit);
    l.panels = columns * rows;
    for (int i = 0; i < l.panels; i++) {
        l.corners_px[i][0] = l.gap_px + i % columns * (l.gap_px + panel->width_px);
        l.corners_px[i][1] = l.title_px + i / columns * (l.title_px + panel->height_px);
    }
    l.width_px = l.gap_px + columns * (l.gap_px + panel->width_px);
    l.height_px = rows * (l.title_px + panel->height_px) + l.caption_px;
    return l;
}

static float line_px(const struct pane *pane)
{
    return fmaxf(1.0f, (float)pane->width_px / 640.0f);
}

/* Rings are no circles where the picture is a view and the gaze is off its axis. */
static bool draw_rings(const struct pane *pane, struct fovea_point_uv gaze,
                       const struct fovea_settings *rings, const struct sign_font *font)
{
    static const double degrees[] = {2.0, 5.0, 10.0, 20.0};
    const uint32_t width = (uint32_t)pane->width_px;
    const uint32_t height = (uint32_t)pane->height_px;
    const float line = line_px(pane);
    float *eccentricity = malloc((size_t)width * height * sizeof *eccentricity);
    bool fine = eccentricity &&
                fovea_eccentricity_map(rings, width, height, gaze, eccentricity) == FOVEA_OK;
    for (size_t i = 0; fine && i < sizeof degrees / sizeof degrees[0]; i++) {
        const double up_right =
            fovea_eccentricity_px(rings, width, height, gaze, -45.0, degrees[i]);
        char label[16];
        snprintf(label, sizeof label, "%g\xc2\xb0", degrees[i]);
        pane_contour(pane, eccentricity, (float)degrees[i], 0.8f * line);
        if (font && up_right > 0.0) {
            const float at[2] = {(float)(gaze.x_uv * width + 0.71 * up_right) + 2.0f * line,
                                 (float)(gaze.y_uv * height - 0.71 * up_right) - line};
            fine = pane_label(pane, font, label, at, 9.0f + 7.0f * line);
        }
    }
    free(eccentricity);
    return fine;
}

/* One eye's part of a pane, and where it looks there. */
struct eye_pane {
    struct pane pane;
    struct fovea_gaze gaze;
};

static struct eye_pane eye_pane_of(const struct pane *pane, const struct panels_marks *marks,
                                   uint32_t eye)
{
    struct eye_pane part = {.pane = *pane};
    part.pane.width_px = (int)headset_eye_width_px((uint32_t)pane->width_px, marks->eyes);
    part.pane.x += (int)eye * part.pane.width_px;
    part.gaze = headset_gaze(marks->gaze, eye, marks->eyes, (uint32_t)part.pane.width_px,
                             (uint32_t)part.pane.height_px);
    return part;
}

/* The settings with the eye's frustum in them; the caller destroys them. */
static struct fovea_settings *settings_of_eye(const struct fovea_settings *settings,
                                              const struct eye_pane *part, uint32_t eye,
                                              uint32_t eyes)
{
    struct fovea_settings *own = NULL;
    if (fovea_settings_copy(settings, &own) == FOVEA_OK && eyes > 1) {
        const struct fovea_geometry geometry =
            headset_geometry(eye, (uint32_t)part->pane.width_px, (uint32_t)part->pane.height_px);
        value_set_number(own, "foveation.geometry.tan_left", geometry.tan_left);
        value_set_number(own, "foveation.geometry.tan_right", geometry.tan_right);
        value_set_number(own, "foveation.geometry.tan_up", geometry.tan_up);
        value_set_number(own, "foveation.geometry.tan_down", geometry.tan_down);
    }
    return own;
}

static bool mark_eye(const struct eye_pane *part, const struct panels_marks *marks, uint32_t eye)
{
    const struct pane *pane = &part->pane;
    const float middle[2] = {(float)part->gaze.point.x_uv * (float)pane->width_px,
                             (float)part->gaze.point.y_uv * (float)pane->height_px};
    if (!part->gaze.usable) {
        return true;
    }
    pane_cross(pane, middle, 7.0f * line_px(pane), line_px(pane));
    if (!marks->rings) {
        return true;
    }
    struct fovea_settings *rings = settings_of_eye(marks->rings, part, eye, marks->eyes);
    const bool fine = rings && draw_rings(pane, part->gaze.point, rings, marks->font);
    fovea_settings_destroy(&rings);
    return fine;
}

bool panels_mark(const struct pane *pane, const struct panels_marks *marks)
{
    bool fine = true;
    for (uint32_t eye = 0; eye < marks->eyes; eye++) {
        const struct eye_pane part = eye_pane_of(pane, marks, eye);
        fine = mark_eye(&part, marks, eye) && fine;
    }
    return fine;
}

static struct sigmas_view sigmas_view_of(const struct panels_desc *desc,
                                         const struct eye_pane *part, uint32_t eye,
                                         const struct fovea_settings *settings)
{
    return (struct sigmas_view){.settings = settings,
                                .width_px = (uint32_t)part->pane.width_px,
                                .height_px = (uint32_t)part->pane.height_px,
                                .gaze = part->gaze,
                                .depth = desc->depth + (size_t)eye * (size_t)part->pane.width_px,
                                .depth_pitch = (uint32_t)desc->drawn->width_px};
}

/* sigma is the whole pane's, eye after eye. */
static bool sigma_of_eyes(const struct pane *pane, const struct panels_desc *desc, float *sigma)
{
    bool fine = true;
    for (uint32_t eye = 0; eye < desc->marks.eyes; eye++) {
        const struct eye_pane part = eye_pane_of(pane, &desc->marks, eye);
        const uint32_t width = (uint32_t)part.pane.width_px;
        const uint32_t height = (uint32_t)part.pane.height_px;
        struct fovea_settings *settings =
            settings_of_eye(desc->settings, &part, eye, desc->marks.eyes);
        const struct sigmas_view view = sigmas_view_of(desc, &part, eye, settings);
        fine = settings && sigmas_fill(&view, sigma + (size_t)eye * width * height) && fine;
        fovea_settings_destroy(&settings);
    }
    return fine;
}

static float fill_heat(const struct pane *pane, const struct panels_desc *desc, float *sigma)
{
    const int width = (int)headset_eye_width_px((uint32_t)pane->width_px, desc->marks.eyes);
    const size_t eye_values = (size_t)width * (size_t)pane->height_px;
    if (!sigma_of_eyes(pane, desc, sigma)) {
        return -1.0f;
    }
    float most = 0.0f;
    for (size_t i = 0; i < eye_values * desc->marks.eyes; i++) {
        most = fmaxf(most, sigma[i]);
    }
    for (int y = 0; y < pane->height_px; y++) {
        for (int x = 0; x < width * (int)desc->marks.eyes; x++) {
            const size_t eye = (size_t)(x / width);
            const float value =
                sigma[eye * eye_values + (size_t)y * (size_t)width + (size_t)(x % width)];
            picture_fill(pane->picture, (const int[4]){pane->x + x, pane->y + y, 1, 1},
                         viridis(most > 0.0f ? value / most : 0.0f));
        }
    }
    return most;
}

/* A bar on the right side with the values at its ends and in its middle. */
static bool draw_scale(const struct pane *pane, const struct sign_font *font, float most)
{
    int width = pane->width_px / 50 + 2;
    int height = pane->height_px * 6 / 10;
    int left = pane->width_px - 2 * width;
    int top = (pane->height_px - height) / 2;
    float letter = 9.0f + 7.0f * line_px(pane);
    picture_fill(pane->picture,
                 (const int[4]){pane->x + left - 2, pane->y + top - 2, width + 4, height + 4},
                 (struct color){255, 255, 255});
    for (int y = 0; y < height; y++) {
        float t = 1.0f - ((float)y + 0.5f) / (float)height;
        picture_fill(pane->picture, (const int[4]){pane->x + left, pane->y + top + y, width, 1},
                     viridis(t));
    }
    bool fine = true;
    for (int i = 0; i <= 2; i++) {
        char label[32];
        snprintf(label, sizeof label, i == 2 ? "%.1f px" : "%.1f",
                 (double)(most * (float)i * 0.5f));
        const float at[2] = {(float)left - 8.0f - sign_font_width_px(font, label, letter),
                             (float)top + (float)height * (1.0f - 0.5f * (float)i) +
                                 0.35f * letter};
        fine = fine && pane_label(pane, font, label, at, letter);
    }
    return fine;
}

/* Labels the sigma at the gaze of the first eye: operators other than foveate may blur there,
 * too. */
static bool label_gaze(const struct pane *pane, const struct panels_desc *desc,
                       const struct sign_font *font, const float *sigma)
{
    const struct eye_pane part = eye_pane_of(pane, &desc->marks, 0);
    const struct sigmas_view view = sigmas_view_of(desc, &part, 0, desc->settings);
    const float at[2] = {(float)(part.gaze.point.x_uv * part.pane.width_px) + 6.0f * line_px(pane),
                         (float)(part.gaze.point.y_uv * part.pane.height_px) + 9.0f +
                             14.0f * line_px(pane)};
    char label[32];
    snprintf(label, sizeof label, "%.1f px", (double)sigmas_at_gaze(&view, sigma));
    return !part.gaze.usable || pane_label(pane, font, label, at, 9.0f + 7.0f * line_px(pane));
}

static bool draw_heat(const struct pane *pane, const struct panels_desc *desc,
                      const struct sign_font *font)
{
    float *sigma = calloc((size_t)pane->width_px * (size_t)pane->height_px, sizeof *sigma);
    float most = sigma ? fill_heat(pane, desc, sigma) : -1.0f;
    const bool fine =
        most >= 0.0f && draw_scale(pane, font, most) &&
        (!value_operators(desc->settings).text[0] || label_gaze(pane, desc, font, sigma));
    free(sigma);
    return fine;
}

static void draw_difference(const struct pane *pane, const struct panels_desc *desc)
{
    for (int y = 0; y < pane->height_px; y++) {
        for (int x = 0; x < pane->width_px; x++) {
            size_t at = ((size_t)y * (size_t)pane->width_px + (size_t)x) * 4;
            uint8_t out[3];
            for (int c = 0; c < 3; c++) {
                int difference =
                    abs(desc->drawn->rgba[at + (size_t)c] - desc->foveated->rgba[at + (size_t)c]);
                out[c] =
                    (uint8_t)(difference * DIFFERENCE_GAIN > 255 ? 255
                                                                 : difference * DIFFERENCE_GAIN);
            }
            picture_fill(pane->picture, (const int[4]){pane->x + x, pane->y + y, 1, 1},
                         (struct color){out[0], out[1], out[2]});
        }
    }
}

/* Writes what the map of sigmas shows, for the first eye; its focus goes there within
 * dof.focus_time_s. */
static void title_heat(const struct panels_desc *desc, const struct pane *pane, char *out,
                       size_t bytes)
{
    const struct eye_pane part = eye_pane_of(pane, &desc->marks, 0);
    const struct sigmas_view view = sigmas_view_of(desc, &part, 0, desc->settings);
    const struct value_words operators = value_operators(desc->settings);
    const bool follows = view.gaze.usable && value_is(desc->settings, "dof.focus", "gaze");
    char focus[80] = "";
    if (sigmas_have(desc->settings, "dof")) {
        snprintf(focus, sizeof focus, "; focus at %.3g m%s", sigmas_focus_m(&view),
                 follows ? ", under the gaze" : "");
    }
    const bool named = operators.text[0];
    snprintf(out, bytes, "Blur: \xcf\x83 of the Gaussian, px%s%s%s%s", named ? " (" : "",
             operators.text, named ? ")" : "", focus);
}

struct sheet {
    struct picture picture;
    struct pane pane; /* of a panel's size */
    struct layout layout;
    struct sign_font *bold;
    struct sign_font *plain;
};

static bool write_line(struct sheet *sheet, const struct sign_font *font, const char *text,
                       const float at_px[2], float height_px)
{
    struct sign_page page = {
        sheet->picture.rgba, sheet->picture.width_px, sheet->picture.height_px, {236, 238, 240}};
    float room = (float)sheet->picture.width_px - at_px[0] - (float)sheet->layout.gap_px;
    float width = sign_font_width_px(font, text, height_px);
    height_px *= width > room ? room / width : 1.0f;
    return sign_font_draw(font, &page, text, at_px[0], at_px[1], height_px);
}

static bool write_words(struct sheet *sheet, const struct panels_desc *desc)
{
    const char *shown = desc->passed_through                      ? "Shown as drawn"
                        : value_operators(desc->settings).text[0] ? "Shown"
                                                                  : "Foveated";
    char heat[256];
    title_heat(desc, &sheet->pane, heat, sizeof heat);
    const char *const titles[PANELS] = {"Drawn by the engine", shown, heat,
                                        "Difference \xc3\x97 4"};
    const struct layout *l = &sheet->layout;
    bool fine = true;
    for (int i = 0; i < l->panels; i++) {
        const float at[2] = {(float)l->corners_px[i][0],
                             (float)l->corners_px[i][1] - 0.42f * l->letter_px};
        fine = fine && write_line(sheet, sheet->bold, titles[i], at, l->letter_px);
    }
    for (int i = 0; i < PANELS_CAPTION_LINES; i++) {
        float top = (float)(l->height_px - l->caption_px);
        const float at[2] = {(float)l->gap_px, top + 1.4f * l->letter_px * ((float)i + 1.0f)};
        fine = fine && write_line(sheet, sheet->plain, desc->caption[i], at, l->letter_px);
    }
    return fine;
}

static bool draw_sheet(struct sheet *sheet, const struct panels_desc *desc)
{
    const struct layout *l = &sheet->layout;
    const int whole[4] = {0, 0, l->width_px, l->height_px};
    picture_fill(&sheet->picture, whole, (struct color){24, 26, 30});
    struct pane panes[PANELS];
    struct panels_marks marks = desc->marks;
    marks.rings = desc->settings;
    marks.font = sheet->bold;
    for (int i = 0; i < PANELS; i++) {
        panes[i] = (struct pane){&sheet->picture, l->corners_px[i][0], l->corners_px[i][1],
                                 desc->drawn->width_px, desc->drawn->height_px};
    }
    picture_put(&sheet->picture, desc->drawn, panes[0].x, panes[0].y);
    picture_put(&sheet->picture, desc->foveated, panes[1].x, panes[1].y);
    sheet->pane = panes[0];
    bool fine = draw_heat(&panes[2], desc, sheet->bold);
    if (l->panels == PANELS) {
        draw_difference(&panes[3], desc);
    }
    for (int i = 0; i < l->panels; i++) {
        fine = fine &&
               ((i == SHOWN && panels_warped(desc->settings)) || panels_mark(&panes[i], &marks));
    }
    return fine && write_words(sheet, desc);
}

bool panels_write(const struct panels_desc *desc, const char *path)
{
    struct sheet sheet = {.layout = layout_of(desc)};
    bool written = true;
    sheet.bold = sign_font_find(true);
    sheet.plain = sign_font_find(false);
    if (!(picture_init(&sheet.picture, sheet.layout.width_px, sheet.layout.height_px) &&
          draw_sheet(&sheet, desc))) {
        say_error("out of memory for %s", path);
        written = false;
    }
    written = written && picture_write_png(&sheet.picture, path);
    picture_finish(&sheet.picture);
    sign_font_destroy(&sheet.bold);
    sign_font_destroy(&sheet.plain);
    return written;
}
