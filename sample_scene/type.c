/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Type setting on stb_truetype. */
#include "say.h"
#include "signs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

struct sign_font {
    stbtt_fontinfo info;
    uint8_t *file;
};

static uint8_t *read_file(const char *path, size_t *out_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    uint8_t *bytes = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)size);
    }
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    *out_bytes = bytes ? (size_t)size : 0;
    fclose(file);
    return bytes;
}

#define PATH_BYTES 4096

/* Finds a font where the build found it; in a bundle for another machine it lies in fonts/, beside
 * the program's bin/. */
static void find_font(const char *name, char out_path[PATH_BYTES])
{
    char program[PATH_BYTES / 2] = "";
    snprintf(out_path, PATH_BYTES, "%s/%s", DEMO_FONT_DIR, name);
    if (access(out_path, R_OK) == 0 ||
        readlink("/proc/self/exe", program, sizeof program - 1) <= 0) {
        return;
    }
    char bundled[PATH_BYTES];
    char *slash = strrchr(program, '/');
    *slash = '\0';
    snprintf(bundled, sizeof bundled, "%s/../fonts/%s", program, name);
    if (access(bundled, R_OK) == 0) {
        memcpy(out_path, bundled, sizeof bundled);
    }
}

/* Returns NULL, or why there is none. */
static const char *open_font(bool bold, char out_path[PATH_BYTES], struct sign_font **out_font)
{
    size_t bytes = 0;
    find_font(bold ? "DejaVuSans-Bold.ttf" : "DejaVuSans.ttf", out_path);
    struct sign_font *font = calloc(1, sizeof *font);
    *out_font = font;
    if (!font) {
        return "out of memory";
    }
    font->file = read_file(out_path, &bytes);
    if (font->file && stbtt_InitFont(&font->info, font->file, 0)) {
        return NULL;
    }
    const char *why = font->file ? "not a TrueType font" : strerrordesc_np(errno);
    sign_font_destroy(out_font);
    return why;
}

#define WHERE_FONTS_ARE "Debian's package fonts-dejavu-core has it"

bool sign_font_create(bool bold, struct sign_font **out_font)
{
    char path[PATH_BYTES];
    const char *why = open_font(bold, path, out_font);
    if (why) {
        say_error("cannot read the font %s: %s; " WHERE_FONTS_ARE, path, why);
    }
    return !why;
}

struct sign_font *sign_font_find(bool bold)
{
    static bool said;
    char path[PATH_BYTES];
    struct sign_font *font = NULL;
    const char *why = open_font(bold, path, &font);
    if (why && !said) {
        say_note(
            "signs and captions have no letters: cannot read the font %s: %s; " WHERE_FONTS_ARE,
            path, why);
        said = true;
    }
    return font;
}

void sign_font_destroy(struct sign_font **font)
{
    if (font && *font) {
        free((*font)->file);
        free(*font);
        *font = NULL;
    }
}

/* Returns the next code point of UTF-8 text; '?' for what is not UTF-8. */
static int next_code_point(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int extra = s[0] < 0x80 ? 0 : (s[0] & 0xe0) == 0xc0 ? 1 : (s[0] & 0xf0) == 0xe0 ? 2 : -1;
    if (extra < 0) {
        *text += 1;
        return '?';
    }
    int code = extra == 0 ? s[0] : s[0] & (extra == 1 ? 0x1f : 0x0f);
    for (int i = 1; i <= extra; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *text += i;
            return '?';
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    *text += extra + 1;
    return code;
}

float sign_font_width_px(const struct sign_font *font, const char *text, float height_px)
{
    if (!font) {
        return 0.0f;
    }
    float scale = stbtt_ScaleForPixelHeight(&font->info, height_px);
    float width = 0.0f;
    int before = 0;
    while (*text) {
        int code = next_code_point(&text);
        int advance = 0;
        stbtt_GetCodepointHMetrics(&font->info, code, &advance, NULL);
        width += scale *
                 (float)(advance +
                         (before ? stbtt_GetCodepointKernAdvance(&font->info, before, code) : 0));
        before = code;
    }
    return width;
}

static void blend(const struct sign_page *page, int x, int y, uint32_t coverage)
{
    if (x < 0 || y < 0 || x >= page->width_px || y >= page->height_px) {
        return;
    }
    uint8_t *pixel = page->pixels + ((size_t)y * (size_t)page->width_px + (size_t)x) * 4;
    for (int c = 0; c < 3; c++) {
        pixel[c] =
            (uint8_t)((pixel[c] * (255u - coverage) + page->color[c] * coverage + 127u) / 255u);
    }
}

static bool draw_glyph(const struct sign_font *font, const struct sign_page *page, int code,
                       float scale, float x_px, float y_px)
{
    int x0, y0, x1, y1;
    float shift = x_px - (float)(int)x_px;
    stbtt_GetCodepointBitmapBoxSubpixel(&font->info, code, scale, scale, shift, 0, &x0, &y0, &x1,
                                        &y1);
    int width = x1 - x0;
    int height = y1 - y0;
    if (width <= 0 || height <= 0) {
        return true;
    }
    uint8_t *coverage = calloc((size_t)width, (size_t)height);
    if (!coverage) {
        return false;
    }
    stbtt_MakeCodepointBitmapSubpixel(&font->info, coverage, width, height, width, scale, scale,
                                      shift, 0, code);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            blend(page, (int)x_px + x0 + x, (int)y_px + y0 + y, coverage[y * width + x]);
        }
    }
    free(coverage);
    return true;
}

bool sign_font_draw(const struct sign_font *font, const struct sign_page *page, const char *text,
                    float x_px, float y_px, float height_px)
{
    if (!font) {
        return true;
    }
    float scale = stbtt_ScaleForPixelHeight(&font->info, height_px);
    int before = 0;
    while (*text) {
        int code = next_code_point(&text);
        x_px +=
            before ? scale * (float)stbtt_GetCodepointKernAdvance(&font->info, before, code) : 0.0f;
        if (!draw_glyph(font, page, code, scale, x_px, y_px)) {
            return false;
        }
        int advance = 0;
        stbtt_GetCodepointHMetrics(&font->info, code, &advance, NULL);
        x_px += scale * (float)advance;
        before = code;
    }
    return true;
}
