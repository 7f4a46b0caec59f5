/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "images.h"
#include "random.h"

#include <math.h>

#define CANARY 0xa5
#define GUARD_BYTES 256

/* ---- Formats */

struct format {
    uint32_t bytes;
    uint32_t channels;
    uint32_t channel_bytes; /* the whole word where channels share one */
    bool is_float;
};

static struct format format_of(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA8:
        return (struct format){4, 4, 1, false};
    case FOVEA_FORMAT_RGB8:
        return (struct format){3, 3, 1, false};
    case FOVEA_FORMAT_R8:
        return (struct format){1, 1, 1, false};
    case FOVEA_FORMAT_A2B10G10R10:
        return (struct format){4, 4, 4, false};
    case FOVEA_FORMAT_B10G11R11F:
        return (struct format){4, 3, 4, true};
    case FOVEA_FORMAT_RGBA16F:
        return (struct format){8, 4, 2, true};
    case FOVEA_FORMAT_RGBA32F:
        return (struct format){16, 4, 4, true};
    case FOVEA_FORMAT_RGB16F:
        return (struct format){6, 3, 2, true};
    case FOVEA_FORMAT_R16F:
        return (struct format){2, 1, 2, true};
    case FOVEA_FORMAT_RGB32F:
        return (struct format){12, 3, 4, true};
    case FOVEA_FORMAT_R32F:
        return (struct format){4, 1, 4, true};
    case FOVEA_FORMAT_RGBA16:
        return (struct format){8, 4, 2, false};
    case FOVEA_FORMAT_RGB16:
        return (struct format){6, 3, 2, false};
    case FOVEA_FORMAT_R16:
        return (struct format){2, 1, 2, false};
    case FOVEA_FORMAT_NONE:
        break;
    }
    abort();
}

uint32_t image_bytes(enum fovea_format format)
{
    return format_of(format).bytes;
}

uint32_t image_channels(enum fovea_format format)
{
    return format_of(format).channels;
}

bool image_is_float(enum fovea_format format)
{
    return format_of(format).is_float;
}

bool image_is_half(enum fovea_format format)
{
    return format_of(format).is_float && format_of(format).channel_bytes == 2;
}

const float image_map[IMAGE_MAP_WIDTH * IMAGE_MAP_HEIGHT] = {
    3, 1, 0, 2,  5,  1, 0.5f, /* the fovea is in the third row, another peak in its corner */
    2, 4, 6, 9,  7,  2, 1, //
    1, 5, 9, 20, 12, 8, 11, //
    0, 2, 5, 8,  7,  9, 14, //
    1, 0, 1, 3,  2,  6, 8,
};

double image_white(enum fovea_format format, uint32_t channel)
{
    if (image_is_float(format)) {
        return channel == 3 ? 1.0 : 16.0;
    }
    if (format == FOVEA_FORMAT_A2B10G10R10) {
        return channel == 3 ? 3.0 : 1023.0;
    }
    return format_of(format).channel_bytes == 2 ? 65535.0 : 255.0;
}

/* ---- Floats with five bits of exponent */

static double small_decode(uint32_t bits, int mantissa)
{
    const int exponent = (int)(bits >> mantissa);
    const double fraction = bits & ((1u << mantissa) - 1u);
    if (exponent == 31) {
        return fraction != 0.0 ? (double)NAN : (double)INFINITY;
    }
    if (exponent == 0) {
        return ldexp(fraction, -14 - mantissa);
    }
    return ldexp(fraction + ldexp(1.0, mantissa), exponent - 15 - mantissa);
}

static uint32_t small_encode(double value, int mantissa)
{
    const uint32_t infinity = 31u << mantissa;
    if (isnan(value)) {
        return infinity | 1u;
    }
    if (isinf(value)) {
        return infinity;
    }
    int exponent = 0;
    frexp(value, &exponent);
    exponent = exponent - 1 < -14 || value == 0.0 ? -14 : exponent - 1;
    /* A fraction that rounds up to the next power of two carries into the exponent by itself. */
    const double units = nearbyint(ldexp(value, mantissa - exponent));
    const uint32_t bits = ((uint32_t)(exponent + 14) << mantissa) + (uint32_t)units;
    return bits < infinity ? bits : infinity - 1u;
}

static uint16_t half_encode(double value)
{
    return (uint16_t)(small_encode(fabs(value), 10) | (signbit(value) ? 0x8000u : 0u));
}

/* ---- Words of several channels */

struct field {
    uint32_t shift;
    uint32_t bits;
};

static struct field field_of(enum fovea_format format, uint32_t channel)
{
    static const struct field unorm[] = {{0, 10}, {10, 10}, {20, 10}, {30, 2}};
    static const struct field floats[] = {{0, 11}, {11, 11}, {22, 10}};
    return format == FOVEA_FORMAT_A2B10G10R10 ? unorm[channel] : floats[channel];
}

static double word_get(uint32_t word, enum fovea_format format, uint32_t channel)
{
    const struct field field = field_of(format, channel);
    const uint32_t bits = word >> field.shift & ((1u << field.bits) - 1u);
    return format == FOVEA_FORMAT_B10G11R11F ? small_decode(bits, (int)field.bits - 5) : bits;
}

static uint32_t word_set(uint32_t word, enum fovea_format format, uint32_t channel, double value)
{
    const struct field field = field_of(format, channel);
    const uint32_t mask = ((1u << field.bits) - 1u) << field.shift;
    const double positive = value < 0.0 ? 0.0 : value;
    const uint32_t bits = format == FOVEA_FORMAT_B10G11R11F
                              ? small_encode(positive, (int)field.bits - 5)
                              : (uint32_t)floor(positive + 0.5);
    return (word & ~mask) | (bits << field.shift & mask);
}

/* ---- Pixels */

unsigned char *image_pixel(const struct fovea_image *image, uint32_t x, uint32_t y)
{
    const ptrdiff_t stride = image->pixel_stride_bytes ? image->pixel_stride_bytes
                                                       : (ptrdiff_t)format_of(image->format).bytes;
    return (unsigned char *)image->data + (ptrdiff_t)y * image->row_stride_bytes +
           (ptrdiff_t)x * stride;
}

double image_get(const struct fovea_image *image, uint32_t x, uint32_t y, uint32_t channel)
{
    const unsigned char *pixel = image_pixel(image, x, y);
    uint32_t word = 0;
    uint16_t half = 0;
    float value = 0.0f;
    switch (image->format) {
    case FOVEA_FORMAT_RGBA16F:
    case FOVEA_FORMAT_RGB16F:
    case FOVEA_FORMAT_R16F:
        memcpy(&half, pixel + channel * sizeof half, sizeof half);
        return copysign(small_decode(half & 0x7fffu, 10), half & 0x8000u ? -1.0 : 1.0);
    case FOVEA_FORMAT_RGBA32F:
    case FOVEA_FORMAT_RGB32F:
    case FOVEA_FORMAT_R32F:
        memcpy(&value, pixel + channel * sizeof value, sizeof value);
        return (double)value;
    case FOVEA_FORMAT_RGBA16:
    case FOVEA_FORMAT_RGB16:
    case FOVEA_FORMAT_R16:
        memcpy(&half, pixel + channel * sizeof half, sizeof half);
        return half;
    case FOVEA_FORMAT_A2B10G10R10:
    case FOVEA_FORMAT_B10G11R11F:
        memcpy(&word, pixel, sizeof word);
        return word_get(word, image->format, channel);
    default:
        return pixel[channel];
    }
}

void image_set(const struct fovea_image *image, uint32_t x, uint32_t y, uint32_t channel,
               double value)
{
    unsigned char *pixel = image_pixel(image, x, y);
    const bool is_float = image_is_float(image->format);
    const uint16_t half = is_float ? half_encode(value) : (uint16_t)floor(value + 0.5);
    const float single = (float)value;
    uint32_t word = 0;
    switch (image->format) {
    case FOVEA_FORMAT_RGBA16F:
    case FOVEA_FORMAT_RGB16F:
    case FOVEA_FORMAT_R16F:
    case FOVEA_FORMAT_RGBA16:
    case FOVEA_FORMAT_RGB16:
    case FOVEA_FORMAT_R16:
        memcpy(pixel + channel * sizeof half, &half, sizeof half);
        break;
    case FOVEA_FORMAT_RGBA32F:
    case FOVEA_FORMAT_RGB32F:
    case FOVEA_FORMAT_R32F:
        memcpy(pixel + channel * sizeof single, &single, sizeof single);
        break;
    case FOVEA_FORMAT_A2B10G10R10:
    case FOVEA_FORMAT_B10G11R11F:
        memcpy(&word, pixel, sizeof word);
        word = word_set(word, image->format, channel, value);
        memcpy(pixel, &word, sizeof word);
        break;
    default:
        pixel[channel] = (unsigned char)floor(value + 0.5);
        break;
    }
}

double *image_to_doubles(const struct fovea_image *image)
{
    const uint32_t channels = image_channels(image->format);
    double *values = calloc((size_t)image->width_px * image->height_px * channels, sizeof *values);
    if (!values) {
        abort();
    }
    double *out = values;
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                *out++ = image_get(image, x, y, c);
            }
        }
    }
    return values;
}

/* ---- Memory */

struct test_image image_make(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                             struct image_layout layout)
{
    const struct format f = format_of(format);
    const size_t pixel_bytes = f.bytes + (size_t)layout.pixel_gap * f.channel_bytes;
    const size_t row_bytes = (width_px + (size_t)layout.row_gap) * pixel_bytes;
    struct test_image image = {.memory_bytes = row_bytes * height_px + 2 * GUARD_BYTES};
    image.memory = malloc(image.memory_bytes);
    if (!image.memory) {
        abort();
    }
    memset(image.memory, CANARY, image.memory_bytes);
    const size_t first_row = layout.bottom_up ? height_px - 1 : 0;
    image.view = (struct fovea_image){
        .data = image.memory + GUARD_BYTES + first_row * row_bytes,
        .width_px = width_px,
        .height_px = height_px,
        .format = format,
        .row_stride_bytes = layout.bottom_up ? -(ptrdiff_t)row_bytes : (ptrdiff_t)row_bytes,
        .pixel_stride_bytes = layout.pixel_gap ? (ptrdiff_t)pixel_bytes : 0,
    };
    return image;
}

struct test_image image_make_packed(uint32_t width_px, uint32_t height_px, enum fovea_format format)
{
    return image_make(width_px, height_px, format, (struct image_layout){0});
}

void image_free(struct test_image *image)
{
    free(image->memory);
    *image = (struct test_image){0};
}

bool image_guards_intact(const struct test_image *image)
{
    OWNED(owned_free) unsigned char *owned = calloc(image->memory_bytes, 1);
    if (!owned) {
        abort();
    }
    for (uint32_t y = 0; y < image->view.height_px; y++) {
        for (uint32_t x = 0; x < image->view.width_px; x++) {
            const ptrdiff_t at = image_pixel(&image->view, x, y) - image->memory;
            memset(owned + at, 1, format_of(image->view.format).bytes);
        }
    }
    bool intact = true;
    for (size_t i = 0; i < image->memory_bytes; i++) {
        intact = intact && (owned[i] || image->memory[i] == CANARY);
    }
    return intact;
}

/* ---- Patterns: a value 0..1 for a pixel's channel */

struct spot {
    uint32_t x, y, channel;
    uint32_t width, height;
    uint64_t seed;
};

static double pattern_random(const struct spot *s)
{
    return random_hash(s->x | (uint64_t)s->y << 32, s->channel, s->seed);
}

static double pattern_checker(const struct spot *s)
{
    const uint32_t size = s->channel == 2 ? 2 : 1;
    return (s->x / size + s->y / size + (s->channel & 1u)) % 2 ? 1.0 : 0.0;
}

static double pattern_zone_plate(const struct spot *s)
{
    const double x = s->x - 0.5 * s->width;
    const double y = s->y - 0.5 * s->height;
    const double size = s->width > s->height ? s->width : s->height;
    return 0.5 + 0.5 * cos(acos(-1.0) * (x * x + y * y) / size + s->channel);
}

static double pattern_strokes(const struct spot *s)
{
    const uint32_t cell_x = s->x / 7;
    const uint32_t cell_y = s->y / 11;
    const uint32_t x = s->x % 7;
    const uint32_t y = s->y % 11;
    if (x == 6 || y > 8 || random_hash(cell_x, cell_y, s->seed) < 0.15) {
        return 1.0;
    }
    const bool upright = random_hash(cell_x, cell_y, s->seed + 1 + x) < 0.4;
    const bool level = random_hash(cell_x, cell_y, s->seed + 11 + y) < 0.25;
    return upright || level ? 0.0 : 1.0;
}

#define DISCS 12

struct disc {
    double x, y, radius;
};

/* The discs of the last picture that was drawn are kept: each of its pixels asks for them. */
static const struct disc *discs_of(uint64_t seed)
{
    static _Thread_local struct disc discs[DISCS];
    static _Thread_local uint64_t kept;
    if (kept != seed || discs[0].radius == 0.0) {
        for (uint32_t i = 0; i < DISCS; i++) {
            discs[i] = (struct disc){random_hash(i, 0, seed), random_hash(i, 1, seed),
                                     0.02 + 0.1 * random_hash(i, 2, seed)};
        }
        kept = seed;
    }
    return discs;
}

static double square(double value)
{
    return value * value;
}

static double pattern_photo(const struct spot *s)
{
    const double x = (double)s->x / s->width;
    const double y = (double)s->y / s->height;
    const struct disc *discs = discs_of(s->seed);
    uint32_t i = DISCS; /* the last one covers the others */
    while (i > 0 && square(x - discs[i - 1].x) + square(y - discs[i - 1].y) >=
                        discs[i - 1].radius * discs[i - 1].radius) {
        i--;
    }
    double value = i > 0 ? random_hash(i - 1, 3 + s->channel, s->seed)
                         : 0.35 + 0.2 * sin(5.0 * x + s->channel) + 0.15 * cos(9.0 * y + 3.0 * x);
    value += 0.03 * (pattern_random(s) - 0.5);
    return value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
}

struct pattern {
    const char *name;
    double (*at)(const struct spot *);
};

static const struct pattern patterns[IMAGE_PATTERN_COUNT] = {
    [IMAGE_RANDOM] = {"random", pattern_random},
    [IMAGE_CHECKER] = {"checker", pattern_checker},
    [IMAGE_ZONE_PLATE] = {"zone plate", pattern_zone_plate},
    [IMAGE_STROKES] = {"strokes", pattern_strokes},
    [IMAGE_PHOTO] = {"photo", pattern_photo},
};

const char *image_pattern_name(enum image_pattern pattern)
{
    return patterns[pattern].name;
}

void image_draw(const struct fovea_image *image, enum image_pattern pattern, uint64_t seed)
{
    struct spot spot = {.width = image->width_px, .height = image->height_px, .seed = seed};
    for (spot.y = 0; spot.y < spot.height; spot.y++) {
        for (spot.x = 0; spot.x < spot.width; spot.x++) {
            for (spot.channel = 0; spot.channel < image_channels(image->format); spot.channel++) {
                /* Alpha is noise in every pattern: nothing shows a wrong alpha better. */
                const double value =
                    spot.channel == 3 ? pattern_random(&spot) : patterns[pattern].at(&spot);
                image_set(image, spot.x, spot.y, spot.channel,
                          value * image_white(image->format, spot.channel));
            }
        }
    }
}

static double light_at(uint32_t x, uint32_t y)
{
    return (7 * x + 13 * y + x * y * 5) % 37 == 3 ? 1.0 - 0.1 * ((x + 3 * y) % 8) : 0.0;
}

static void draw_colors(const struct fovea_image *image)
{
    const double white = image_white(image->format, 0);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < 3 && c < image_channels(image->format); c++) {
                const bool patch = (x / 7 + y / 5) % 4 == c;
                const double ramp = floor(white * x / image->width_px * (c + 1) / 3);
                image_set(image, x, y, c, patch ? white : (x / 7) % 2 ? 0 : ramp);
            }
        }
    }
}

struct test_image image_drawn(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                              enum image_pattern pattern, uint64_t seed)
{
    const struct test_image image = image_make_packed(width_px, height_px, format);
    image_draw(&image.view, pattern, seed);
    return image;
}

void image_draw_contrast(const struct fovea_image *image, int pattern)
{
    if (pattern < IMAGE_PATTERN_COUNT) {
        image_draw(image, (enum image_pattern)pattern, 7);
        return;
    }
    if (pattern == IMAGE_COLORS) {
        draw_colors(image);
        return;
    }
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            const bool half = x > image->width_px * 2 / 3;
            const bool point = x % 60 < 4 && y % 40 < 4;
            const double share = pattern == IMAGE_LIGHTS ? light_at(x, y)
                                 : pattern == IMAGE_HALF ? half
                                                         : point;
            for (uint32_t c = 0; c < image_channels(image->format); c++) {
                image_set(image, x, y, c, share * image_white(image->format, c));
            }
        }
    }
}

void image_fill(const struct fovea_image *image, double value)
{
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(image->format); c++) {
                image_set(image, x, y, c, value);
            }
        }
    }
}

void image_mirror(const struct fovea_image *src, const struct fovea_image *dst, bool x, bool y)
{
    for (uint32_t row = 0; row < src->height_px; row++) {
        for (uint32_t column = 0; column < src->width_px; column++) {
            const uint32_t from_x = x ? src->width_px - 1 - column : column;
            const uint32_t from_y = y ? src->height_px - 1 - row : row;
            memcpy(image_pixel(dst, column, row), image_pixel(src, from_x, from_y),
                   format_of(src->format).bytes);
        }
    }
}
