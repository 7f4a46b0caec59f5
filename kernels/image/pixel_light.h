/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels of UNORM formats as light and back, by a transfer function: sRGB's (IEC 61966-2-1), PQ
 * (SMPTE ST 2084), HLG (ITU-R BT.2100, table 5: the inverse of its OETF, then the OOTF of a display
 * whose black is 0), or a display's own: a power, or samples of it. A format of one colour is grey.
 *
 * Light runs from 0 to 1 (HLG's to 1.6). Alpha is not touched: it is no light. */
#pragma once

#include "pixel.h"

#define PIXEL_LIGHT_OCTAVES 40 /* at most, from 2^-40 to 1 */
#define PIXEL_LIGHT_STEPS 256 /* in an octave */
#define PIXEL_LIGHT_STEP_BITS 15 /* of a float, below those that say the step */
#define PIXEL_LIGHT_ENTRIES (PIXEL_LIGHT_OCTAVES * PIXEL_LIGHT_STEPS + 2)

struct pixel_light {
    uint32_t highest_level; /* 255, 1023 or 65535 */
    float light[1024]; /* of a level */
    const float *light_of_16_bits; /* where there are more; else NULL */
    float line_end; /* light up to this is a line of this slope */
    float line_slope;
    uint32_t first_bits; /* of the float where the table begins */
    /* The level over the light: the value where an entry begins, of light whose float has these
     * high bits. Straight lines between entries are at most 0.0005 levels away. */
    float level[PIXEL_LIGHT_ENTRIES];
    float system_gamma; /* HLG; else 0 */
    bool blue_first;
    uint32_t sample_count; /* table; else 0 */
    float samples[FOVEA_DISPLAY_MAX];
};

/* A function from stored values to light. */
struct pixel_transfer {
    int32_t light; /* IMAGE_LIGHT_*; STORED for formats of 16 bits alone */
    float value; /* HLG: the system gamma; gamma: it; table: how many samples it has */
    const float *samples; /* table: from 0 to 1, not falling; value of them */
};

/* Returns what the settings say: IMAGE_LIGHT_*. AUTO is light, as LINEAR. */
int32_t pixel_light_of(enum fovea_light light, enum fovea_transfer transfer);
/* The same of settings whole: the method blockwise averages values as they are stored where nobody
 * says otherwise. */
int32_t pixel_light_of_settings(const struct fovea_foveation *foveation);
/* struct pixel_transfer has it beside that. */
float pixel_light_value(int32_t light, const struct fovea_display *display);
/* Samples of a display's table; 0: that light has none. */
uint32_t pixel_light_samples(int32_t light, const struct fovea_display *display);
/* So many of them, black 0 and white 1: a mean does not depend on what black gives off. */
void pixel_light_fill_samples(int32_t light, const struct fovea_display *display,
                              float *out_samples);
/* Whether it would write these. */
bool pixel_light_fills_samples(int32_t light, const struct fovea_display *display,
                               const float *samples);

/* HLG's, of a display of that peak: 1.2 + 0.42 log10(peak / 1000) from 400 to 2000 cd/m^2 (ITU-R
 * BT.2100, note 5f), 1.2 * 1.111^log2(peak / 1000) beyond (ITU-R BT.2390, 6.2). */
double pixel_light_system_gamma(double peak_cd_m2);

/* True if pixels of the format are levels that stand for light. */
bool pixel_light_known(enum fovea_format format);

/* For a format of which that is true. */
void pixel_light_init(struct pixel_light *light, enum fovea_format format,
                      const struct pixel_transfer *transfer);

/* For formats of 16 bits; keeps a pointer to light. IMAGE_LIGHT_STORED is a light as well: a part
 * of the highest level. */
#define PIXEL_LIGHT_16_BITS 65536
void pixel_light_init_16_bits(struct pixel_light *light, float light_of[PIXEL_LIGHT_16_BITS],
                              const struct pixel_transfer *transfer);

/* `pixels` pixels of `channels` floats, in place; the first `colors` of each are converted. Levels
 * are whole numbers within the format's range. */
void pixel_light_from_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                             uint32_t channels, uint32_t colors);
/* Light outside what there is becomes the nearest of it. */
void pixel_light_to_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                           uint32_t channels, uint32_t colors);

/* ---- Of both depths, made once */

struct pixel_lights {
    struct pixel_light bits8;
    struct pixel_light bits10;
};

/* If values stay as they are stored it makes sRGB's, which nobody then asks for. */
void pixel_lights_init(struct pixel_lights *lights, const struct pixel_transfer *transfer);
/* Before the workers of a batch start: which of its images' colours is red. */
void pixel_lights_order(struct pixel_lights *lights, int32_t light);
/* NULL where the pixels are averaged as they are stored. */
const struct pixel_light *pixel_lights_get(const struct pixel_lights *lights, int32_t light,
                                           enum fovea_format format);
