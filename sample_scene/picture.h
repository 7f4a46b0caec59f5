/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures in memory, four bytes a pixel, and drawing on them. */
#pragma once

#include "signs.h"

struct picture {
    uint8_t *rgba;
    int width_px;
    int height_px;
};

struct color {
    uint8_t r, g, b;
};

/* Black. False: out of memory. */
bool picture_init(struct picture *picture, int width_px, int height_px);
void picture_finish(struct picture *picture);
/* With a message when the file cannot be written. */
bool picture_write_png(const struct picture *picture, const char *path);

/* Why stb_image read no file, by its stbi_failure_reason: it has no words for some kinds of damage,
 * and for some it has the file's own bytes. */
static inline const char *picture_problem(const char *reason)
{
    const char *at = reason ? reason : "";
    while (*at >= ' ' && *at <= '~') {
        at++;
    }
    return reason && at > reason && *at == '\0' ? reason : "its data is damaged";
}

void picture_fill(struct picture *picture, const int rectangle_px[4], struct color color);
/* Puts `from` with its corner at x, y. It must fit. */
void picture_put(struct picture *picture, const struct picture *from, int x, int y);

/* A part of a picture in which marks are drawn and cut off; in its coordinates. */
struct pane {
    struct picture *picture;
    int x, y;
    int width_px;
    int height_px;
};

/* Lines are light with a dark rim, to be seen on anything. */
/* Draws the line on which values, one for each pixel of the pane, pass through a level. */
void pane_contour(const struct pane *pane, const float *values, float level, float line_px);
void pane_cross(const struct pane *pane, const float middle_px[2], float arm_px, float line_px);
/* Text from its left end on the base line, light with a dark rim. */
bool pane_label(const struct pane *pane, const struct sign_font *font, const char *text,
                const float at_px[2], float height_px);
