/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Simulated heat diffusion with c = 1/4: from global memory, through texture units, and through
 * shared memory, a launch a step, two buffers by turns. */

#include "thesis.h"

#include <math.h>
#include <string.h>

#define STEPS_MOST_LARGE 100 /* of pictures above 2048 px */

static void run(struct thesis *t, const char *kernel, const char *words, int32_t steps)
{
    const char *what = results_words(&t->ways.b->bench->results, "%s, %d steps", words, steps);
    const bool textures = strstr(kernel, "textures") != NULL;
    const bool shared = strstr(kernel, "shared") != NULL;
    if ((textures && !t->textures) || !thesis_want(t, what)) {
        return;
    }
    OWNED(thesis_end) struct thesis_way way = thesis_begin(t, what, sqrt(steps / 2.0));
    int from = THESIS_SRC;
    for (int32_t i = 0; i < steps; i++) {
        const int to = i == steps - 1 ? THESIS_DST : from == THESIS_A ? THESIS_B : THESIS_A;
        struct thesis_step *step = textures ? thesis_add_texture(&way, kernel, from, to)
                                            : thesis_add(&way, kernel, from, to);
        step->shared_bytes = shared ? (BLUR_THESIS_TILE + 2) * (BLUR_THESIS_TILE + 2) * 16 : 0;
        from = to;
    }
    way.exact = (struct exact_blur){.kind = EXACT_DIFFUSION, .levels = steps};
    way.timed_once = steps > 50;
}

void thesis_diffusions(struct thesis *t)
{
    static const int32_t steps[] = {1, 2, 3, 5, 10, 18, 50, 72, 150, 288}; /* 18, 72, 288: sigmas */
    const bool quick = t->ways.b->bench->wishes.quick;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const bool sigma = steps[i] == 18 || steps[i] == 72 || steps[i] == 288;
        if ((quick && steps[i] > 18) || (t->side_px != 1024 && !sigma && steps[i] != 10) ||
            (t->side_px > 2048 && steps[i] > STEPS_MOST_LARGE)) {
            continue;
        }
        run(t, "blur_thesis_diffuse_global", "diffusion, global memory", steps[i]);
        run(t, "blur_textures_diffuse", "diffusion, texture units", steps[i]);
        run(t, "blur_thesis_diffuse_shared", "diffusion, shared memory", steps[i]);
    }
}
