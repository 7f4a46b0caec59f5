/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "tables.h"

#include "core/thread_steps.h"

#include <math.h>
#include <stdlib.h>

static double factor_at(const struct lens_paper_lens *lens, double r)
{
    return 1.0 + lens->k1 * r * r + lens->k2 * r * r * r * r;
}

void lens_paper_source(struct lens_paper_size size, const struct lens_paper_lens *lens, double x_px,
                       double y_px, double out_px[2])
{
    const double from_x = x_px - size.width_px / 2.0;
    const double from_y = y_px - size.height_px / 2.0;
    const double factor = factor_at(lens, hypot(from_x, from_y) / lens->unit_px);
    out_px[0] = size.width_px / 2.0 + from_x * factor;
    out_px[1] = size.height_px / 2.0 + from_y * factor;
}

/* The other way equation 1 is no closed form: r (1 + k1 r^2 + k2 r^4) = r_source, by Newton. */
static double shown_r(const struct lens_paper_lens *lens, double r_source)
{
    double r = r_source / factor_at(lens, r_source);
    for (int i = 0; i < 50; i++) {
        const double slope = 1.0 + 3.0 * lens->k1 * r * r + 5.0 * lens->k2 * r * r * r * r;
        const double step = (r * factor_at(lens, r) - r_source) / slope;
        r -= step;
        if (fabs(step) < 1e-15 * (1.0 + r)) {
            break;
        }
    }
    return r;
}

static void shown_at(struct lens_paper_size size, const struct lens_paper_lens *lens, double x_px,
                     double y_px, double out_px[2])
{
    const double from_x = x_px - size.width_px / 2.0;
    const double from_y = y_px - size.height_px / 2.0;
    const double r = hypot(from_x, from_y) / lens->unit_px;
    const double part = r > 0.0 ? shown_r(lens, r) / r : 1.0;
    out_px[0] = size.width_px / 2.0 + from_x * part;
    out_px[1] = size.height_px / 2.0 + from_y * part;
}

static bool pixel_at(struct lens_paper_size size, const double px[2], struct lens_paper_pixel *out)
{
    const bool inside =
        px[0] >= 0.0 && px[1] >= 0.0 && px[0] < size.width_px && px[1] < size.height_px;
    *out = (struct lens_paper_pixel){LENS_PAPER_NOWHERE, LENS_PAPER_NOWHERE};
    if (inside) {
        *out = (struct lens_paper_pixel){(int32_t)px[0], (int32_t)px[1]};
    }
    return inside;
}

static void make_one(const struct lens_paper_tables *t, int32_t x, int32_t y)
{
    const struct lens_paper_pixel own = {x, y};
    const int32_t i = lens_paper_address(t->size, own);
    struct lens_paper_pixel at;
    double px[2];
    lens_paper_source(t->size, &t->lens, x + 0.5, y + 0.5, px);
    const bool inside = pixel_at(t->size, px, &at);
    t->x[i] = at.x;
    t->y[i] = at.y;
    t->key[i] = inside ? lens_paper_key(t->size, at) : LENS_PAPER_NOWHERE;
    t->address[i] = inside ? lens_paper_address(t->size, at) : LENS_PAPER_NOWHERE;
    shown_at(t->size, &t->lens, x + 0.5, y + 0.5, px);
    t->forward[i] = pixel_at(t->size, px, &at) ? lens_paper_key(t->size, at) : LENS_PAPER_NOWHERE;
}

static void make_row(void *user, uint32_t worker, int32_t y)
{
    const struct lens_paper_tables *tables = user;
    for (int32_t x = 0; x < tables->size.width_px; x++) {
        make_one(tables, x, y);
    }
}

bool lens_paper_tables_make(struct thread_pool *pool, struct lens_paper_size size,
                            const struct lens_paper_lens *lens, struct lens_paper_tables *out)
{
    const size_t count = (size_t)size.width_px * (size_t)size.height_px;
    int32_t **const tables[] = {&out->x, &out->y, &out->key, &out->address, &out->forward};
    *out = (struct lens_paper_tables){.size = size, .lens = *lens};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        *tables[i] = malloc(count * sizeof **tables[i]);
        if (!*tables[i]) {
            lens_paper_tables_free(out);
            return false;
        }
    }
    thread_chunks_run(size.height_px, pool, thread_pool_worker_max(pool), make_row, out);
    return true;
}

int32_t *lens_paper_pairs(const struct lens_paper_tables *tables)
{
    const size_t count = (size_t)tables->size.width_px * (size_t)tables->size.height_px;
    int32_t *pairs = malloc(2 * count * sizeof *pairs);
    for (size_t i = 0; pairs && i < count; i++) {
        pairs[2 * i] = tables->x[i];
        pairs[2 * i + 1] = tables->y[i];
    }
    return pairs;
}

void lens_paper_tables_free(struct lens_paper_tables *tables)
{
    free(tables->x);
    free(tables->y);
    free(tables->key);
    free(tables->address);
    free(tables->forward);
    *tables = (struct lens_paper_tables){0};
}

struct lens_paper_counts lens_paper_count(const struct lens_paper_tables *tables)
{
    const size_t count = (size_t)tables->size.width_px * (size_t)tables->size.height_px;
    struct lens_paper_counts counts = {0};
    unsigned char *written = calloc(count > 0 ? count : 1, 1);
    if (!written) {
        return counts;
    }
    for (size_t i = 0; i < count; i++) {
        if (tables->forward[i] != LENS_PAPER_NOWHERE) {
            const struct lens_paper_pixel at =
                lens_paper_pixel_of(tables->size, tables->forward[i]);
            written[lens_paper_address(tables->size, at)] = 1;
            counts.copies++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const bool inside = tables->key[i] != LENS_PAPER_NOWHERE;
        counts.inside += inside;
        counts.holes += inside && !written[i];
        counts.strays += !inside && written[i];
    }
    free(written);
    return counts;
}
