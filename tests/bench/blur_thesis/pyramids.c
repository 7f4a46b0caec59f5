/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's four pyramids: 2x2 and 4x4 boxes, quasi-convolution, and mipmaps, which always go
 * down to one pixel. All go up by a biquadratic B-spline. */

#include "thesis.h"

#define LEVELS_MOST 12

struct pyramid {
    struct thesis *t;
    int fine[LEVELS_MOST + 1]; /* buffers: what a level has on the way down */
    int between[LEVELS_MOST + 1]; /* 4x4: after its first pass; and what it has on the way up */
    int count; /* of levels that there are */
};

static void add_down(struct pyramid *p, struct thesis_way *way, enum exact_pyramid kind, int level)
{
    const int from = p->fine[level];
    const int to = p->fine[level + 1];
    if (kind == PYRAMID_BOX_4) {
        thesis_add_texture(way, "blur_textures_down_left", from, p->between[level + 1]);
        thesis_add_texture(way, "blur_textures_mean_right", p->between[level + 1], to);
    } else {
        thesis_add_texture(
            way, kind == PYRAMID_QUASI ? "blur_textures_down_quasi" : "blur_textures_down_box",
            from, to);
    }
}

static void run(struct pyramid *p, const char *words, enum exact_pyramid kind, int levels,
                int levels_down)
{
    struct thesis *t = p->t;
    const char *what = results_words(&t->ways.b->bench->results, "%s, %d levels", words, levels);
    if (levels > p->count || !thesis_want(t, what)) {
        return;
    }
    struct thesis_way way = thesis_begin(t, what, exact_pyramid_sigma(kind, levels));
    for (int level = 0; level < levels_down; level++) {
        add_down(p, &way, kind, level);
    }
    for (int level = levels; level > 0; level--) {
        thesis_add_texture(&way, "blur_textures_up",
                           level == levels ? p->fine[level] : p->between[level],
                           level == 1 ? THESIS_DST : p->between[level - 1]);
    }
    way.exact = (struct exact_blur){
        .kind = EXACT_PYRAMID, .pyramid = kind, .levels = levels, .tolerance = 1e-3};
    thesis_end(&way);
}

void thesis_pyramids(struct thesis *t)
{
    struct pyramid p = {.t = t, .fine = {THESIS_SRC}};
    if (!t->textures) {
        return;
    }
    for (int32_t side = t->side_px / 2; side >= 2 && p.count < LEVELS_MOST; side /= 2) {
        p.count++;
        p.fine[p.count] = thesis_add_buffer(t, side, side);
        p.between[p.count] = thesis_add_buffer(t, side, side);
    }
    for (int levels = 1; levels <= 5; levels++) {
        run(&p, "pyramid 2x2", PYRAMID_BOX_2, levels, levels);
        run(&p, "pyramid quasi", PYRAMID_QUASI, levels, levels);
        run(&p, "pyramid 4x4", PYRAMID_BOX_4, levels, levels);
        run(&p, "pyramid of all mip levels", PYRAMID_BOX_2, levels, p.count);
    }
}
