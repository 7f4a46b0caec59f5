/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "smooth_scene.h"

#include "smooth_model.h"

#include "kernels/foveate/cuda/foveate_cuda.h"
#include "kernels/foveate/cuda/tiles/tiles.h"

struct scene smooth_scene_default(void)
{
    struct scene scene = scene_default();
    scene.foveation.method = FOVEA_METHOD_SMOOTH;
    scene.foveation.light = FOVEA_LIGHT_LINEAR;
    return scene;
}

/* ---- Budgets */

/* Three levels of 8 bits, from the rounded reference. */
static double exact_budget(enum fovea_format format, uint32_t channel, double exact)
{
    const double white = image_white(format, channel);
    if (image_is_float(format)) {
        /* Half a step of the shortest mantissa, and the three levels; of what is far above white,
         * levels are rounded to 11 bits. */
        return fmax(3.0 / 255.0 * white, fabs(exact) / 500.0) +
               (format == FOVEA_FORMAT_B10G11R11F ? exact / 64.0 : 0.0);
    }
    return 0.5 + 3.0 / 255.0 * white;
}

/* ---- Comparing */

struct place {
    uint32_t x, y, channel;
};

static void fail_at(const struct scene *scene, const char *what, struct place at, double actual,
                    double low, double high)
{
    fail_msg("%s: format %d, %ux%u, model %d, light %d, gaze %.3f %.3f, strength %.2f, %s: x %u, y "
             "%u, channel %u is %.9g, expected %.9g to %.9g",
             what, (int)scene->format, scene->width_px, scene->height_px,
             (int)scene->foveation.model, (int)scene->foveation.light, scene->gaze.x_uv,
             scene->gaze.y_uv, scene->foveation.strength, image_pattern_name(scene->pattern), at.x,
             at.y, at.channel, actual, low, high);
}

/* One value: within the method's range, near the reference, alpha kept. NULL: not asked. */
struct expected {
    struct smooth_range range;
    double *exact;
};

static void assert_value(const struct scene *scene, const struct expected *expected, size_t index,
                         struct place at, double actual)
{
    const double low = expected->range.low[index];
    const double high = expected->range.high[index];
    const bool kept = at.channel == 3 && scene->foveation.alpha == FOVEA_ALPHA_KEEP;
    /* Tiles and nodes are other approximations: as near to the method as to the reference. */
    const double allowed = kept ? 0.0 : exact_budget(scene->format, at.channel, high);
    if (!isfinite(low) || !isfinite(high)) {
        return;
    }
    if (!(actual >= low - allowed && actual <= high + allowed)) {
        fail_at(scene, "the method", at, actual, low, high);
    }
    if (expected->exact) {
        const double exact = expected->exact[index];
        if (!(fabs(actual - exact) <= exact_budget(scene->format, at.channel, exact))) {
            fail_at(scene, "the reference", at, actual, exact, exact);
        }
    }
}

static void assert_picture(const struct scene *scene, const struct expected *expected,
                           const struct test_image *dst)
{
    size_t index = 0;
    for (uint32_t y = 0; y < scene->height_px; y++) {
        for (uint32_t x = 0; x < scene->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(scene->format); c++, index++) {
                assert_value(scene, expected, index, (struct place){x, y, c},
                             image_get(&dst->view, x, y, c));
            }
        }
    }
    assert_true(image_guards_intact(dst));
}

/* ---- Running */

static void assert_linear(const struct cuda_fixture *fixture, const struct scene *scene,
                          const struct prepared *p, const struct expected *expected,
                          const struct test_image *src)
{
    struct test_image dst =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    scene_run_linear(fixture, p, src, &dst, scene->shift);
    assert_picture(scene, expected, &dst);
    image_free(&dst);
}

static void assert_surface(const struct cuda_fixture *fixture, const struct scene *scene,
                           const struct prepared *p, const struct expected *expected,
                           const struct test_image *src)
{
    struct test_image packed = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image dst = image_make_packed(scene->width_px, scene->height_px, scene->format);
    image_mirror(&src->view, &packed.view, false, false);
    scene_run_surface(fixture, p, &packed.view, &dst.view);
    assert_picture(scene, expected, &dst);
    image_free(&dst);
    image_free(&packed);
}

bool smooth_in_tiles(const struct cuda_fixture *fixture, const struct prepared *p,
                     enum fovea_format format)
{
    struct foveate_tiles tiles;
    return foveate_cuda_tiles_plan(p->plan, fixture->tile_slope, &tiles) &&
           foveate_cuda_tiles_take_format(format);
}

void smooth_assert_picture(const struct cuda_fixture *fixture, const struct scene *scene,
                           const struct test_image *src)
{
    struct prepared p = {0};
    scene_prepare(fixture, &p, scene);
    struct expected expected = {.range = smooth_model(p.plan, &p.frame, &src->view)};
    if (!scene->no_reference) {
        expected.exact = exact_picture(p.plan, &p.frame, &src->view);
    }
    assert_linear(fixture, scene, &p, &expected, src);
    if (scene_has_surface(scene->format)) {
        assert_surface(fixture, scene, &p, &expected, src);
    }
    smooth_range_free(&expected.range);
    free(expected.exact);
    scene_finish(fixture, &p);
}

void smooth_assert(const struct cuda_fixture *fixture, const struct scene *scene)
{
    struct test_image src =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    image_draw(&src.view, scene->pattern, 7);
    smooth_assert_picture(fixture, scene, &src);
    image_free(&src);
}
