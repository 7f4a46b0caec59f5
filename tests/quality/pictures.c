/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pictures.h"

#include "paint.h"
#include "say.h"
#include "signs.h"

#include <stdio.h>

struct kind {
    const char *name;
    paint_fn paint; /* NULL: a page of text */
    uint64_t seed;
};

/* The first QUICK_COUNT are what tests have time for. */
#define QUICK_COUNT 5
static const struct kind kinds[] = {
    {"white noise", paint_white_noise, 1},
    {"checker, 1 px", paint_checker, 1},
    {"strokes, black on white", paint_strokes, 2},
    {"landscape 1", paint_photo, 1},
    {"zone plate", paint_zone_plate, 0},
    {"noise, black and white", paint_binary_noise, 2},
    {"noise, 12 darkest levels", paint_dark_noise, 3},
    {"pink noise 1", paint_pink_noise, 4},
    {"pink noise 2", paint_pink_noise, 5},
    {"checker, 2 px", paint_checker, 2},
    {"checker, 3 px", paint_checker, 3},
    {"rows, 1 px", paint_rows, 1},
    {"columns, 1 px", paint_columns, 1},
    {"columns, 5 px", paint_columns, 5},
    {"dots, white on black", paint_dots, 0},
    {"dots, black on white", paint_dots, 1},
    {"zone plate, colours", paint_zone_plate, 1},
    {"star of 72 rays", paint_star, 0},
    {"gradient, faint", paint_gradient, 0},
    {"gradient, colours", paint_gradient, 1},
    {"colour bars", paint_colour_bars, 0},
    {"edges in all directions 1", paint_edges, 6},
    {"edges in all directions 2", paint_edges, 7},
    {"discs", paint_discs, 8},
    {"strokes, white on black", paint_strokes, 3},
    {"text, black on white", NULL, 0},
    {"text, white on black", NULL, 1},
    {"text, colours", NULL, 2},
    {"landscape 2", paint_photo, 2},
    {"landscape 3", paint_photo, 3},
    {"landscape 4", paint_photo, 4},
    {"landscape 5", paint_photo, 5},
    {"landscape 6", paint_photo, 6},
    {"landscape 7", paint_photo, 7},
};

size_t samples_count(bool quick)
{
    return quick ? QUICK_COUNT : sizeof kinds / sizeof kinds[0];
}

const char *sample_name(size_t index)
{
    return kinds[index].name;
}

static void fill(const struct fovea_image *image, const struct kind *kind)
{
    struct place at = {.width = image->width_px, .height = image->height_px, .seed = kind->seed};
    for (at.y = 0; at.y < at.height; at.y++) {
        for (at.x = 0; at.x < at.width; at.x++) {
            double rgb[3];
            kind->paint(&at, rgb);
            unsigned char *pixel = image_pixel(image, at.x, at.y);
            for (int c = 0; c < 3; c++) {
                pixel[c] = (unsigned char)(rgb[c] * 255.0 + 0.5);
            }
            pixel[3] = 255;
        }
    }
}

/* Geisler and Perry's law in words, in sizes from 9 to 29 pixels. */
static const char *const words[] = {
    "The eye resolves fine detail only in the fovea, the two degrees around the point it looks at.",
    "Contrast threshold: CT(f, e) = CT0 exp(alpha f (e + e2) / e2), with f in cycles a degree",
    "0123456789 +-*/ () [] {} <> @ # $ % & quick brown fox jumps over the lazy dog, twice a day",
    "illicit million willful hilly WMWMWM 88888 |||||| ////// ------ ...... :::::: mnmnmnmn uvuvuv",
};

static bool write_page(const struct fovea_image *image, uint64_t style)
{
    static const uint8_t inks[3][3] = {{0, 0, 0}, {255, 255, 255}, {230, 220, 40}};
    static const uint8_t grounds[3][3] = {{255, 255, 255}, {0, 0, 0}, {20, 40, 110}};
    OWNED(sign_font_destroy) struct sign_font *font = NULL;
    if (!sign_font_create(false, &font)) {
        return false;
    }
    struct sign_page page = {image->data, (int)image->width_px, (int)image->height_px, {0}};
    memcpy(page.color, inks[style], 3);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            unsigned char *pixel = image_pixel(image, x, y);
            memcpy(pixel, grounds[style], 3);
            pixel[3] = 255;
        }
    }
    bool fine = true;
    float base = 4.0f;
    for (int line = 0; fine && base < (float)image->height_px; line++) {
        const float height = 9.0f + 4.0f * (float)(line % 6);
        base += 1.1f * height;
        fine = sign_font_draw(font, &page, words[line % 4], 3.0f, base, height);
    }
    return fine;
}

bool sample_draw(size_t index, uint32_t width_px, uint32_t height_px, struct sample *out_sample)
{
    const struct kind *kind = &kinds[index];
    snprintf(out_sample->name, sizeof out_sample->name, "%s", kind->name);
    out_sample->image = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA8);
    if (kind->paint) {
        fill(&out_sample->image.view, kind);
        return true;
    }
    if (write_page(&out_sample->image.view, kind->seed)) {
        return true;
    }
    sample_free(out_sample);
    return false;
}

void sample_free(struct sample *sample)
{
    image_free(&sample->image);
}
