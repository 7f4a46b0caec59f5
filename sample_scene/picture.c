/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "picture.h"

#include "say.h"
#include "vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

bool picture_init(struct picture *picture, int width_px, int height_px)
{
    *picture =
        (struct picture){calloc((size_t)width_px * (size_t)height_px, 4), width_px, height_px};
    return picture->rgba != NULL;
}

void picture_finish(struct picture *picture)
{
    free(picture->rgba);
    *picture = (struct picture){0};
}

/* stb's own way into a file does not look whether the disk takes what it is given. */
struct png_file {
    FILE *file;
    bool fine;
};

static void add_bytes(void *context, void *bytes, int count)
{
    struct png_file *png = context;
    png->fine = fwrite(bytes, (size_t)count, 1, png->file) == 1 && png->fine;
}

/* Nobody should take it for a picture. A device or a link stays. */
static void remove_cut_file(const char *path)
{
    const int why = errno;
    struct stat found;
    if (lstat(path, &found) == 0 && S_ISREG(found.st_mode) && remove(path) != 0) {
        say_error("cannot remove %s, which is cut: %s", path, strerror(errno));
    }
    errno = why;
}

static bool write_rgb(const struct picture *picture, const uint8_t *rgb, const char *path)
{
    struct png_file png = {fopen(path, "wb"), true};
    if (!png.file) {
        return false;
    }
    const bool made = stbi_write_png_to_func(add_bytes, &png, picture->width_px, picture->height_px,
                                             3, rgb, 0) != 0;
    const bool written = fclose(png.file) == 0 && png.fine && made;
    if (!written) {
        remove_cut_file(path);
    }
    return written;
}

bool picture_write_png(const struct picture *picture, const char *path)
{
    size_t count = (size_t)picture->width_px * (size_t)picture->height_px;
    uint8_t *rgb = malloc(count * 3);
    if (!rgb) {
        say_error("out of memory for %s", path);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(rgb + i * 3, picture->rgba + i * 4, 3);
    }
    errno = 0;
    bool written = write_rgb(picture, rgb, path);
    if (!written) {
        say_error("cannot write %s: %s", path, errno ? strerror(errno) : "no memory");
    }
    free(rgb);
    return written;
}

static uint8_t *pixel_at(const struct picture *picture, int x, int y)
{
    return picture->rgba + ((size_t)y * (size_t)picture->width_px + (size_t)x) * 4;
}

void picture_fill(struct picture *picture, const int rectangle_px[4], struct color color)
{
    for (int y = rectangle_px[1]; y < rectangle_px[1] + rectangle_px[3]; y++) {
        for (int x = rectangle_px[0]; x < rectangle_px[0] + rectangle_px[2]; x++) {
            uint8_t *pixel = pixel_at(picture, x, y);
            pixel[0] = color.r;
            pixel[1] = color.g;
            pixel[2] = color.b;
            pixel[3] = 255;
        }
    }
}

void picture_put(struct picture *picture, const struct picture *from, int x, int y)
{
    for (int row = 0; row < from->height_px; row++) {
        memcpy(pixel_at(picture, x, y + row), pixel_at(from, 0, row), (size_t)from->width_px * 4);
    }
}

/* ---- Marks, smooth by the distance to the line ---- */

static void blend(const struct pane *pane, int x, int y, float coverage, float shade)
{
    if (x < 0 || y < 0 || x >= pane->width_px || y >= pane->height_px || coverage <= 0.0f) {
        return;
    }
    uint8_t *pixel = pixel_at(pane->picture, pane->x + x, pane->y + y);
    for (int c = 0; c < 3; c++) {
        pixel[c] = (uint8_t)(mix_f(pixel[c], shade, fminf(coverage, 1.0f)) + 0.5f);
    }
}

/* `away_px` from the middle of a line: a light core within a dark rim. */
static void stroke(const struct pane *pane, int x, int y, float away_px, float line_px)
{
    blend(pane, x, y, 0.75f * clamp_f(line_px * 1.3f + 0.5f - away_px, 0.0f, 1.0f), 0.0f);
    blend(pane, x, y, clamp_f(line_px * 0.5f + 0.5f - away_px, 0.0f, 1.0f), 255.0f);
}

/* By how much a value changes a pixel, from its neighbours. */
static float slope_at(const struct pane *pane, const float *values, int x, int y)
{
    const int left = x > 0 ? x - 1 : x;
    const int right = x + 1 < pane->width_px ? x + 1 : x;
    const int above = y > 0 ? y - 1 : y;
    const int below = y + 1 < pane->height_px ? y + 1 : y;
    const float *row = values + (size_t)y * (size_t)pane->width_px;
    const float *upper = values + (size_t)above * (size_t)pane->width_px;
    const float *lower = values + (size_t)below * (size_t)pane->width_px;
    return hypotf((row[right] - row[left]) / fmaxf((float)(right - left), 1.0f),
                  (lower[x] - upper[x]) / fmaxf((float)(below - above), 1.0f));
}

void pane_contour(const struct pane *pane, const float *values, float level, float line_px)
{
    for (int y = 0; y < pane->height_px; y++) {
        for (int x = 0; x < pane->width_px; x++) {
            const float away =
                fabsf(values[(size_t)y * (size_t)pane->width_px + (size_t)x] - level);
            const float slope = slope_at(pane, values, x, y);
            if (away < slope * (3.0f * line_px + 1.0f)) {
                stroke(pane, x, y, away / slope, line_px);
            }
        }
    }
}

void pane_cross(const struct pane *pane, const float middle_px[2], float arm_px, float line_px)
{
    int reach = (int)(arm_px + 3.0f * line_px) + 1;
    float x0 = clamp_f(middle_px[0], -1e6f, 1e6f);
    float y0 = clamp_f(middle_px[1], -1e6f, 1e6f);
    for (int y = (int)y0 - reach; y <= (int)y0 + reach; y++) {
        for (int x = (int)x0 - reach; x <= (int)x0 + reach; x++) {
            float dx = fabsf((float)x + 0.5f - x0);
            float dy = fabsf((float)y + 0.5f - y0);
            float flat = hypotf(fmaxf(dx - arm_px, 0.0f), dy);
            float upright = hypotf(dx, fmaxf(dy - arm_px, 0.0f));
            stroke(pane, x, y, fminf(flat, upright), line_px);
        }
    }
}

bool pane_label(const struct pane *pane, const struct sign_font *font, const char *text,
                const float at_px[2], float height_px)
{
    float width = sign_font_width_px(font, text, height_px);
    if (at_px[0] < 2.0f || at_px[1] < height_px ||
        at_px[0] + width > (float)pane->width_px - 2.0f ||
        at_px[1] > (float)pane->height_px - 4.0f) {
        return true; /* outside: nothing to read there */
    }
    struct sign_page page = {
        pane->picture->rgba, pane->picture->width_px, pane->picture->height_px, {0}};
    float x = (float)pane->x + at_px[0];
    float y = (float)pane->y + at_px[1];
    float rim = fmaxf(1.0f, height_px / 14.0f);
    for (int i = 0; i < 8; i++) {
        float angle = (float)i * SCENE_PI / 4.0f;
        if (!sign_font_draw(font, &page, text, x + rim * cosf(angle), y + rim * sinf(angle),
                            height_px)) {
            return false;
        }
    }
    memset(page.color, 255, sizeof page.color);
    return sign_font_draw(font, &page, text, x, y, height_px);
}
