/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "search.h"

#include <math.h>
#include <stdio.h>

#define CANARY 0xa5
#define SHEET_PX 251

static bool has_words(enum fovea_format format)
{
    return format == FOVEA_FORMAT_A2B10G10R10 || format == FOVEA_FORMAT_B10G11R11F;
}

static uint32_t channel_bytes(enum fovea_format format)
{
    return has_words(format) ? image_bytes(format) : image_bytes(format) / image_channels(format);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Distances of a layout whose images go upwards. */
struct distances {
    size_t sample, pixel, row, plane, next; /* the next image's */
    size_t planes;
    size_t bytes; /* of all */
};

static struct distances distances_of(const struct search_point *p, const struct search_layout *l,
                                     uint32_t count)
{
    const enum fovea_format format = (enum fovea_format)p->format;
    const size_t channel = channel_bytes(format);
    struct distances d = {.planes = p->planes ? image_channels(format) : 1};
    d.sample = p->planes ? channel : image_bytes(format);
    d.pixel = d.sample + l->pixel_gap * channel;
    const size_t row = p->width_px * d.pixel + l->row_gap * channel;
    d.row = l->beside ? row * count : row;
    d.plane = row * p->height_px + l->plane_gap * channel;
    d.next = l->beside   ? row
             : p->planes ? d.planes * d.plane + l->next_gap * channel
                         : row * p->height_px + l->next_gap * channel;
    d.bytes = (count - 1) * d.next + (d.planes - 1) * d.plane + (p->height_px - 1) * d.row +
              (p->width_px - 1) * d.pixel + d.sample;
    return d;
}

struct search_memory search_memory_make(const struct search_point *point,
                                        const struct search_layout *layout, uint32_t count)
{
    const struct distances d = distances_of(point, layout, count);
    const enum fovea_format format = (enum fovea_format)point->format;
    const size_t before = layout->guard_bytes + layout->shift * channel_bytes(format);
    struct search_memory m = {.count = count, .bytes = before + d.bytes + layout->guard_bytes};
    m.memory = malloc(m.bytes);
    if (!m.memory) {
        abort();
    }
    memset(m.memory, CANARY, m.bytes);
    const ptrdiff_t up = layout->bottom_up ? -1 : 1;
    const ptrdiff_t on = layout->backwards ? -1 : 1;
    const size_t first = (layout->bottom_up ? (point->height_px - 1) * d.row : 0) +
                         (layout->backwards ? (count - 1) * d.next + (d.planes - 1) * d.plane : 0);
    m.first = (struct fovea_image){
        .data = m.memory + before + first,
        .width_px = point->width_px,
        .height_px = point->height_px,
        .format = format,
        .row_stride_bytes = up * (ptrdiff_t)d.row,
        .pixel_stride_bytes = layout->pixel_gap ? (ptrdiff_t)d.pixel : 0,
    };
    m.next_bytes = on * (ptrdiff_t)d.next;
    m.plane_bytes = point->planes ? on * (ptrdiff_t)d.plane : 0;
    return m;
}

void search_memory_free(struct search_memory *memory)
{
    free(memory->memory);
    *memory = (struct search_memory){0};
}

struct search_memory search_packed(struct test_image *image)
{
    const struct search_memory memory = {
        .first = image->view, .count = 1, .bytes = image->memory_bytes, .memory = image->memory};
    *image = (struct test_image){0};
    return memory;
}

/* Does something with each part of a picture that lies together, and its place in a packed one. */
typedef void (*part_fn)(unsigned char *part, unsigned char *packed, size_t bytes);

static void each_part(const struct search_memory *m, uint32_t index,
                      const struct fovea_image *packed, part_fn do_part)
{
    const size_t pixel = image_bytes(m->first.format);
    const size_t sample = m->plane_bytes ? channel_bytes(m->first.format) : pixel;
    const ptrdiff_t stride =
        m->first.pixel_stride_bytes ? m->first.pixel_stride_bytes : (ptrdiff_t)sample;
    unsigned char *to = packed->data;
    for (uint32_t y = 0; y < m->first.height_px; y++) {
        unsigned char *row = (unsigned char *)m->first.data + (ptrdiff_t)index * m->next_bytes +
                             (ptrdiff_t)y * m->first.row_stride_bytes;
        for (uint32_t x = 0; x < m->first.width_px; x++, to += pixel) {
            for (size_t i = 0; i * sample < pixel; i++) {
                do_part(row + (ptrdiff_t)x * stride + (ptrdiff_t)i * m->plane_bytes,
                        to + i * sample, sample);
            }
        }
    }
}

static void to_packed(unsigned char *part, unsigned char *packed, size_t bytes)
{
    memcpy(packed, part, bytes);
}

static void from_packed(unsigned char *part, unsigned char *packed, size_t bytes)
{
    memcpy(part, packed, bytes);
}

static void to_canary(unsigned char *part, unsigned char *packed, size_t bytes)
{
    memset(part, CANARY, bytes);
}

void search_gather(const struct search_memory *memory, uint32_t index,
                   const struct fovea_image *packed)
{
    each_part(memory, index, packed, to_packed);
}

void search_scatter(const struct search_memory *memory, uint32_t index,
                    const struct fovea_image *packed)
{
    each_part(memory, index, packed, from_packed);
}

bool search_guards_intact(const struct search_memory *memory)
{
    struct test_image any =
        image_make_packed(memory->first.width_px, memory->first.height_px, memory->first.format);
    for (uint32_t i = 0; i < memory->count; i++) {
        each_part(memory, i, &any.view, to_canary);
    }
    image_free(&any);
    return memory->memory[0] == CANARY &&
           memcmp(memory->memory, memory->memory + 1, memory->bytes - 1) == 0;
}

/* ---- What is in them ------------------------------------------------------------------------- */

/* A sheet of the pattern is repeated, elsewhere in each image: a large picture takes long to draw.
 */
void search_draw_packed(const struct search_point *point, uint32_t index,
                        const struct fovea_image *packed)
{
    const size_t bytes = image_bytes(packed->format);
    OWNED_IMAGE sheet = image_make_packed(
        packed->width_px < SHEET_PX ? packed->width_px : SHEET_PX,
        packed->height_px < SHEET_PX ? packed->height_px : SHEET_PX, packed->format);
    image_draw(&sheet.view, (enum image_pattern)(point->fill % IMAGE_PATTERN_COUNT), point->fill);
    for (uint32_t y = 0; y < packed->height_px; y++) {
        for (uint32_t x = 0; x < packed->width_px; x++) {
            memcpy(image_pixel(packed, x, y),
                   image_pixel(&sheet.view, (x + 37 * index) % sheet.view.width_px,
                               (y + 11 * index) % sheet.view.height_px),
                   bytes);
        }
    }
}

void search_draw(const struct search_point *point, const struct search_memory *memory)
{
    OWNED_IMAGE packed =
        image_make_packed(memory->first.width_px, memory->first.height_px, memory->first.format);
    for (uint32_t i = 0; i < memory->count; i++) {
        search_draw_packed(point, i, &packed.view);
        search_scatter(memory, i, &packed.view);
    }
}

static double draw_sigma(uint64_t *state)
{
    static const double odd[] = {(double)NAN, (double)INFINITY, -1.0, 0.0, 1e30, 0.1, 1e-30};
    const uint64_t random = random_next(state);
    return random % 16 == 0 ? odd[random / 16 % 7]
                            : 40.0 * pow(random_uniform(state, 0.0, 1.0), 3.0);
}

/* Sigma changes a little from one of them to the next, in jumps of tiles, or anyhow. */
static void fill_sigmas(uint32_t kind, uint64_t *state, const struct fovea_image *packed)
{
    const double most_px = draw_sigma(state);
    for (uint32_t y = 0; y < packed->height_px; y++) {
        for (uint32_t x = 0; x < packed->width_px; x++) {
            const double ramp = most_px * (double)(x + y) / (packed->width_px + packed->height_px);
            const double jump = (x / 24 + y / 16) % 2 ? most_px : 0.5;
            image_set(packed, x, y, 0, kind == 0 ? ramp : kind == 1 ? jump : draw_sigma(state));
        }
    }
}

struct search_memory search_sigmas_make(const struct search_point *point)
{
    struct search_point p = *point;
    p.format = point->sigmas == 1 ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_R16F;
    p.planes = 0;
    const uint32_t count = p.one_sigmas ? 1 : search_images(point);
    struct search_memory memory = search_memory_make(&p, &point->of_sigmas, count);
    OWNED_IMAGE packed = image_make_packed(p.width_px, p.height_px, memory.first.format);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t state = (uint64_t)p.fill << 32 | i;
        fill_sigmas(p.fill % 3, &state, &packed.view);
        search_scatter(&memory, i, &packed.view);
    }
    return memory;
}

/* ---- Depths */

/* How values say distances. */
static const struct {
    enum fovea_depth_kind kind;
    double zero_m, one_m;
} scales[SEARCH_DEPTHS_KINDS] = {
    {FOVEA_DEPTH_LINEAR, 0.0, 10.0},
    {FOVEA_DEPTH_LINEAR, 0.5, 40.5},
    {FOVEA_DEPTH_LINEAR, 65.535, 0.0},
    {FOVEA_DEPTH_PERSPECTIVE, 0.25, 100.0},
    {FOVEA_DEPTH_PERSPECTIVE, 60.0, 0.3},
    {FOVEA_DEPTH_PERSPECTIVE, (double)INFINITY, 0.25},
    {FOVEA_DEPTH_PERSPECTIVE, 0.25, (double)INFINITY},
    {FOVEA_DEPTH_LINEAR, 0.0, 1.0},
    {FOVEA_DEPTH_LINEAR, -1.0, 4.0},
    {FOVEA_DEPTH_LINEAR, 1e9, -1e9},
    {FOVEA_DEPTH_LINEAR, 1.0, 1.0001},
    {FOVEA_DEPTH_PERSPECTIVE, 1e-6, 1e300},
    {FOVEA_DEPTH_PERSPECTIVE, 0.3, -3.0},
};
static const double focuses_m[SEARCH_DEPTHS_FOCUSES] = {0.0, 0.4, 3.0, (double)INFINITY};

static double draw_value(uint64_t *state)
{
    static const double odd[] = {(double)NAN, (double)INFINITY, -1.0, 0.0, 1.0, 1e30, 1e-30};
    const uint64_t random = random_next(state);
    return random % 16 == 0 ? odd[random / 16 % 7] : random_uniform(state, 0.0, 1.0);
}

static void put_value(enum fovea_depth_format format, double value, const struct fovea_image *image,
                      uint32_t x, uint32_t y)
{
    const double inside = value > 0.0 ? fmin(value, 1.0) : 0.0;
    const uint16_t half = (uint16_t)(inside * 65535.0 + 0.5);
    const uint32_t word = (uint32_t)(inside * 16777215.0 + 0.5) | 0xa7000000u;
    if (format == FOVEA_DEPTH_FORMAT_D16) {
        memcpy(image_pixel(image, x, y), &half, sizeof half);
    } else if (format == FOVEA_DEPTH_FORMAT_D24) {
        memcpy(image_pixel(image, x, y), &word, sizeof word);
    } else {
        image_set(image, x, y, 0, value);
    }
}

/* A slope, things before others, or anything. */
static void fill_depths(const struct search_point *p, uint64_t *state,
                        const struct fovea_image *packed)
{
    double first = random_uniform(state, 0.0, 1.0);
    double second = random_uniform(state, 0.0, 1.0);
    if (p->fill / 3 % 8 == 0) { /* all is one odd value, or half of it */
        first = draw_value(state);
        second = draw_value(state);
    }
    for (uint32_t y = 0; y < packed->height_px; y++) {
        for (uint32_t x = 0; x < packed->width_px; x++) {
            const double part = (double)(x + y) / (packed->width_px + packed->height_px);
            const double slope = first + part * (second - first);
            const double thing = (x / 24 + y / 16) % 2 ? first : second;
            put_value((enum fovea_depth_format)p->depths,
                      p->fill % 3 == 0   ? slope
                      : p->fill % 3 == 1 ? thing
                                         : draw_value(state),
                      packed, x, y);
        }
    }
}

struct search_memory search_depths_make(const struct search_point *point)
{
    struct search_point p = *point;
    const bool is_short = p.depths == FOVEA_DEPTH_FORMAT_D16 || p.depths == FOVEA_DEPTH_FORMAT_R16F;
    p.format = is_short ? FOVEA_FORMAT_R16F : FOVEA_FORMAT_R32F;
    p.planes = 0;
    const uint32_t count = p.one_depths ? 1 : search_images(point);
    struct search_memory memory = search_memory_make(&p, &point->of_depths, count);
    OWNED_IMAGE packed = image_make_packed(p.width_px, p.height_px, memory.first.format);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t state = (uint64_t)p.fill << 32 | (i + 77);
        fill_depths(&p, &state, &packed.view);
        search_scatter(&memory, i, &packed.view);
    }
    return memory;
}

double search_depth_value(const struct search_point *point, const struct fovea_image *image,
                          uint32_t x, uint32_t y)
{
    uint16_t half = 0;
    uint32_t word = 0;
    switch ((enum fovea_depth_format)point->depths) {
    case FOVEA_DEPTH_FORMAT_D16:
        memcpy(&half, image_pixel(image, x, y), sizeof half);
        return half / 65535.0;
    case FOVEA_DEPTH_FORMAT_D24:
        memcpy(&word, image_pixel(image, x, y), sizeof word);
        return (word & 0xffffffu) / 16777215.0;
    default:
        return image_get(image, x, y, 0);
    }
}

struct fovea_depth search_depth_of(const struct search_point *point,
                                   const struct fovea_image *first, ptrdiff_t next_bytes)
{
    struct fovea_depth depth;
    fovea_depth_init(&depth);
    depth.data = first->data;
    depth.width_px = first->width_px;
    depth.height_px = first->height_px;
    depth.format = (enum fovea_depth_format)point->depths;
    depth.memory = first->memory;
    depth.row_stride_bytes = first->row_stride_bytes;
    depth.pixel_stride_bytes = first->pixel_stride_bytes;
    depth.next_bytes = point->one_depths ? 0 : next_bytes;
    depth.kind = scales[point->depths_kind].kind;
    depth.zero_m = scales[point->depths_kind].zero_m;
    depth.one_m = scales[point->depths_kind].one_m;
    depth.focus_m = focuses_m[point->depths_focus];
    depth.vergence_m = focuses_m[point->depths_vergence];
    depth.elapsed_s = point->depths_elapsed ? 0.05 : 0.0;
    return depth;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

/* 4 levels of 8 bits and as much of what images draw as white; formats with fewer steps may take
 * the next. */
static double tolerance(enum fovea_format format, uint32_t channel, double expected)
{
    const double four = 4.0 / 255.0 * image_white(format, channel);
    if (format == FOVEA_FORMAT_B10G11R11F) {
        return four + fabs(expected) / 32.0;
    }
    return !image_is_float(format) && four < 1.0 ? 1.0 : four;
}

static bool is_close(enum fovea_format format, uint32_t channel, double actual, double expected)
{
    return fabs(actual - expected) <= tolerance(format, channel, expected) ||
           (isnan(actual) && isnan(expected));
}

/* A lens has blanks and overshoots, premultiplied colours go with their alpha, the three colours of
 * HLG's light depend on each other, and light that spreads by each pixel's sigma may gather. */
static bool is_mean(const struct search_point *point)
{
    return !search_has(point, "lens") && !search_has(point, "premultiplied") &&
           !(search_has(point, "blur.engine=spread") && point->sigmas) &&
           point->transfer != FOVEA_TRANSFER_HLG;
}

bool search_within(const struct search_point *point, const struct fovea_image *made,
                   const struct fovea_image *src, char out_text[SEARCH_TEXT_BYTES])
{
    const uint32_t channels = is_mean(point) ? image_channels(src->format) : 0;
    const uint32_t pixels = src->width_px * src->height_px;
    for (uint32_t c = 0; c < channels; c++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (uint32_t i = 0; i < pixels; i++) {
            const double value = image_get(src, i % src->width_px, i / src->width_px, c);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        const double more = tolerance(src->format, c, most);
        for (uint32_t i = 0; i < pixels; i++) {
            const double value = image_get(made, i % src->width_px, i / src->width_px, c);
            if (!(value >= least - more && value <= most + more)) {
                snprintf(out_text, SEARCH_TEXT_BYTES, "channel %u is %.6g, no mean of %.6g..%.6g",
                         c, value, least, most);
                return false;
            }
        }
    }
    return true;
}

/* At the end of a lens's picture a pixel may fall on either side of it; and where what is taken
 * is the nearest pixel's (alpha's is, but for premultiplied pictures), on either side of half-way,
 * of which places a ten-thousandth of a pixel apart may be on two sides. */
static uint32_t allowed(const struct search_point *point, const struct fovea_image *image)
{
    const uint32_t edge = 2 + (image->width_px + image->height_px) / 8;
    return search_has(point, "lens") ? edge + image->width_px * image->height_px / 1000 : 0;
}

bool search_same(const struct search_point *point, const struct fovea_image *actual,
                 const struct fovea_image *expected, bool exactly, char out_text[SEARCH_TEXT_BYTES])
{
    const enum fovea_format format = actual->format;
    const size_t bytes = (size_t)actual->width_px * actual->height_px * image_bytes(format);
    if (memcmp(actual->data, expected->data, bytes) == 0) {
        return true;
    }
    uint32_t wrong = 0;
    for (uint32_t y = 0; y < actual->height_px; y++) {
        for (uint32_t x = 0; x < actual->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(format); c++) {
                const double a = image_get(actual, x, y, c);
                const double e = image_get(expected, x, y, c);
                if (exactly ? a != e : !is_close(format, c, a, e)) {
                    if (wrong++ == 0) {
                        snprintf(out_text, SEARCH_TEXT_BYTES, "%u,%u channel %u is %.6g, not %.6g",
                                 x, y, c, a, e);
                    }
                    break;
                }
            }
        }
    }
    const size_t used = strlen(out_text);
    snprintf(out_text + used, SEARCH_TEXT_BYTES - used, "; %u pixels differ", wrong);
    return wrong <= (exactly ? 0 : allowed(point, actual));
}
