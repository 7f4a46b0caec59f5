/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "signs.h"

#include <string.h>

struct strip {
    const char *title;
    const char *below; /* a smaller second line; NULL: none */
    uint8_t ground[3];
    uint8_t ink[3];
};

static const struct strip strips[SIGN_STRIP_COUNT] = {
    [SIGN_TOWN] = {"FOVEA", "District of Retina", {246, 205, 42}, {20, 20, 20}},
    [SIGN_BAKERY] = {"BAKERY", "bread and rolls since 1889", {96, 48, 24}, {250, 226, 170}},
    [SIGN_BOOKS] = {"OLD BOOKS",
                    "prints \xc2\xb7 maps \xc2\xb7 rare editions",
                    {24, 58, 44},
                    {236, 214, 150}},
    [SIGN_CAFE] = {"Caf\xc3\xa9 Helmholtz",
                   "coffee \xc2\xb7 cake \xc2\xb7 ices",
                   {244, 238, 222},
                   {120, 30, 34}},
    [SIGN_OPTICIAN] = {"OPTICIAN",
                       "eye tests, no appointment needed",
                       {22, 52, 104},
                       {240, 244, 250}},
    [SIGN_CLOCKS] = {"Clockmaker", "repairs while you wait", {28, 28, 32}, {222, 184, 92}},
    [SIGN_FLOWERS] = {"FLOWERS", "fresh from the fields every day", {206, 232, 200}, {36, 92, 48}},
    [SIGN_MAPS] = {"Maps & Globes", "1 : 25 000 and smaller", {36, 84, 110}, {238, 232, 206}},
    [SIGN_STATION] = {"STATION 1.2 km", "on foot 15 min", {20, 92, 52}, {255, 255, 255}},
    [SIGN_MUSEUM] = {"Museum of Light",
                     "open 10-17, closed on Mondays",
                     {92, 40, 74},
                     {246, 236, 226}},
    [SIGN_STREET] = {"Saccade Street", NULL, {26, 64, 140}, {255, 255, 255}},
    [SIGN_MARKET] = {"MARKET HALL",
                     "fruit \xc2\xb7 fish \xc2\xb7 cheese \xc2\xb7 wool",
                     {168, 42, 32},
                     {252, 240, 216}},
};

/* A page's lines, each with its height. */
struct line {
    const char *text;
    float height_px;
};

static const struct line eye_chart[] = {
    {"E", 150},
    {"F P", 88},
    {"T O Z", 62},
    {"L P E D", 46},
    {"P E C F D", 36},
    {"E D F C Z P", 28},
    {"F E L O P Z D", 22},
    {"D E F P O T E C", 17},
    {"L E F O D P C T", 13},
};

static const struct line notice[] = {
    {"YOU ARE HERE", 54},
    {"The eye resolves fine detail only in the fovea,", 21},
    {"the two degrees around the point you look at.", 21},
    {"At twenty degrees you could not read this line,", 21},
    {"and would not notice that you cannot.", 21},
    {"Everything outside is seen coarsely and is", 21},
    {"remembered, guessed, or looked at next.", 21},
    {"Three or four times a second the eye jumps.", 21},
    {"", 14},
    {"Please do not feed the pigeons.", 26},
    {"The Town Council", 17},
};

static const struct line timetable[] = {
    {"DEPARTURES", 48},
    {"07:04   Retina Central       2", 26},
    {"07:19   Macula, Optic Disc  1", 26},
    {"07:34   Cornea Beach          4", 26},
    {"08:04   Retina Central       2", 26},
    {"08:22   Lens, Iris, Pupil     3", 26},
    {"08:49   Sclera Harbour       1", 26},
    {"09:04   Retina Central       2", 26},
    {"09:31   Chiasm, Cortex      1", 26},
    {"not on Sundays and public holidays", 20},
};

struct page {
    const struct line *lines;
    size_t count;
    uint8_t ground[3];
    uint8_t ink[3];
    bool centred;
};

static const struct page pages[SIGN_COUNT - SIGN_STRIP_COUNT] = {
    {eye_chart, sizeof eye_chart / sizeof eye_chart[0], {250, 248, 240}, {12, 12, 12}, true},
    {notice, sizeof notice / sizeof notice[0], {236, 230, 208}, {44, 34, 24}, true},
    {timetable, sizeof timetable / sizeof timetable[0], {18, 34, 60}, {248, 240, 190}, false},
};

struct sign_place sign_place(enum sign sign)
{
    if (sign >= SIGN_STRIP_COUNT) {
        uint32_t layer = LAYER_SIGNS + SIGN_STRIP_COUNT / 4 + (uint32_t)(sign - SIGN_STRIP_COUNT);
        return (struct sign_place){layer, {0.0f, 0.0f, 1.0f, 1.0f}};
    }
    float top = 0.25f * (float)(sign % 4);
    return (struct sign_place){LAYER_SIGNS + (uint32_t)sign / 4, {0.0f, top, 1.0f, top + 0.25f}};
}

static void fill_rows(struct canvas *canvas, int y0, int y1, const uint8_t ground[3],
                      const uint8_t rim[3])
{
    for (int y = y0; y < y1; y++) {
        for (int x = 0; x < TEXTURE_SIDE_PX; x++) {
            int edge = x < 511 - x ? x : 511 - x;
            edge = y - y0 < edge ? y - y0 : edge;
            edge = y1 - 1 - y < edge ? y1 - 1 - y : edge;
            const uint8_t *color = edge >= 6 && edge < 10 ? rim : ground;
            memcpy(canvas->texels[y][x], color, 3);
            canvas->texels[y][x][3] = 10;
        }
    }
}

/* In the middle, smaller if it is too long. */
static bool set_line(const struct sign_font *font, const struct sign_page *page, const char *text,
                     float base_px, float height_px)
{
    float width = sign_font_width_px(font, text, height_px);
    if (width > 470.0f) {
        height_px *= 470.0f / width;
        width = 470.0f;
    }
    return sign_font_draw(font, page, text, 256.0f - 0.5f * width, base_px, height_px);
}

static bool paint_strip(struct canvas *canvas, int slot, const struct strip *strip,
                        const struct sign_font *font)
{
    int top = slot * 128;
    fill_rows(canvas, top, top + 128, strip->ground, strip->ink);
    struct sign_page page = {&canvas->texels[0][0][0], TEXTURE_SIDE_PX, TEXTURE_SIDE_PX, {0}};
    memcpy(page.color, strip->ink, 3);
    float base = (float)top + (strip->below ? 76.0f : 86.0f);
    return set_line(font, &page, strip->title, base, strip->below ? 68.0f : 74.0f) &&
           (!strip->below || set_line(font, &page, strip->below, (float)top + 106.0f, 26.0f));
}

static bool paint_page(struct canvas *canvas, const struct page *page, const struct sign_font *font)
{
    fill_rows(canvas, 0, TEXTURE_SIDE_PX, page->ground, page->ink);
    struct sign_page ink = {&canvas->texels[0][0][0], TEXTURE_SIDE_PX, TEXTURE_SIDE_PX, {0}};
    memcpy(ink.color, page->ink, 3);
    float total = 0.0f;
    for (size_t i = 0; i < page->count; i++) {
        total += page->lines[i].height_px;
    }
    float gap = (480.0f - total) / (float)page->count;
    float y = 16.0f;
    for (size_t i = 0; i < page->count; i++) {
        const struct line *line = &page->lines[i];
        y += line->height_px + gap;
        float base = y - 0.5f * gap - 0.2f * line->height_px;
        bool set = page->centred || i == 0
                       ? set_line(font, &ink, line->text, base, line->height_px)
                       : sign_font_draw(font, &ink, line->text, 36.0f, base, line->height_px);
        if (!set) {
            return false;
        }
    }
    return true;
}

bool signs_paint_layer(struct canvas *canvas, uint32_t index, const struct sign_font *font)
{
    if (index >= SIGN_STRIP_COUNT / 4) {
        return paint_page(canvas, &pages[index - SIGN_STRIP_COUNT / 4], font);
    }
    for (int slot = 0; slot < 4; slot++) {
        if (!paint_strip(canvas, slot, &strips[index * 4 + (uint32_t)slot], font)) {
            return false;
        }
    }
    return true;
}
