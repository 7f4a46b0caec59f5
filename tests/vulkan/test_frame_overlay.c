/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Marks are drawn over a frame, and not where nothing may be drawn. */

#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "sanitized.h"
#include "stereo.h"

#define WIDTH_PX 640
#define HEIGHT_PX 360
static const struct compare_rect whole = {0, 0, WIDTH_PX, HEIGHT_PX};

struct pictures {
    struct test_image src;
    struct test_image plain; /* foveated, nothing drawn */
    struct test_image drawn;
};

static struct pictures make_at(struct rig *rig, VkFormat format, struct fovea_overlay overlay,
                               struct fovea_point_uv point)
{
    enum fovea_format pixel = rig_pixel_format(format);
    struct pictures p = {image_make_packed(WIDTH_PX, HEIGHT_PX, pixel),
                         image_make_packed(WIDTH_PX, HEIGHT_PX, pixel),
                         image_make_packed(WIDTH_PX, HEIGHT_PX, pixel)};
    image_draw(&p.src.view, IMAGE_PHOTO, 1);
    struct fovea_gaze gaze = rig_gaze(point.x_uv, point.y_uv);
    rig->settings.overlay = (struct fovea_overlay){0};
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
    assert_ok(rig_frame(rig, RIG_MADE_TO_MADE, format, &p.src.view, gaze, &p.plain.view));
    rig->settings.overlay = overlay;
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
    assert_ok(rig_frame(rig, RIG_MADE_TO_MADE, format, &p.src.view, gaze, &p.drawn.view));
    return p;
}

static struct pictures make(struct rig *rig, VkFormat format, struct fovea_overlay overlay)
{
    return make_at(rig, format, overlay, (struct fovea_point_uv){0.5, 0.5});
}

static void drop(struct pictures *p)
{
    image_free(&p->src);
    image_free(&p->plain);
    image_free(&p->drawn);
}

static uint32_t changed_pixels(const struct pictures *p, struct compare_rect rect)
{
    size_t bytes = image_bytes(p->src.view.format);
    uint32_t count = 0;
    for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
        for (uint32_t x = rect.x; x < rect.x + rect.width; x++) {
            count += memcmp(image_pixel(&p->plain.view, x, y), image_pixel(&p->drawn.view, x, y),
                            bytes) != 0;
        }
    }
    return count;
}

TEST(the_hud_says_that_there_is_a_record)
{
    for (int recorded = 0; recorded < 2; recorded++) {
        char folder[] = "/tmp/fovea-hud-XXXXXX";
        assert_non_null(mkdtemp(folder));
        struct fovea_settings settings = rig_settings();
        if (recorded) {
            snprintf(settings.record.file, sizeof settings.record.file, "%s/x", folder);
        }
        struct rig rig;
        rig_open(&rig, &settings);
        struct pictures p =
            make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.hud = true});
        assert_int_equal(strstr(rig.fovea->hud.text, "REC") != NULL, recorded);
        drop(&p);
        rig_close(&rig);
        assert_int_equal(system(test_text("ls %s | wc -l | grep -qx %d", folder, 4 * recorded)), 0);
        assert_int_equal(system(test_text("rm -r %s", folder)), 0);
    }
}

/* Every pixel of the square is of that value, its alpha too where it is 255 anyway. */
static void assert_patch(const struct pictures *p, uint8_t value)
{
    for (uint32_t y = HEIGHT_PX - HEIGHT_PX / 10; y < HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < HEIGHT_PX / 10; x++) {
            const uint8_t *pixel = image_pixel(&p->drawn.view, x, y);
            assert_that(pixel[0] == value && pixel[1] == value && pixel[2] == value,
                        "%u, %u: %d %d %d", x, y, pixel[0], pixel[1], pixel[2]);
        }
    }
    assert_int_equal(
        changed_pixels(p, (struct compare_rect){0, 0, WIDTH_PX, HEIGHT_PX - HEIGHT_PX / 10}) +
            changed_pixels(
                p, (struct compare_rect){HEIGHT_PX / 10, 0, WIDTH_PX - HEIGHT_PX / 10, HEIGHT_PX}),
        0);
}

/* The drawn picture is the second of two frames. */
TEST(the_patch_goes_with_the_frame_or_the_gaze)
{
    RIG(rig, NULL);
    struct fovea_overlay overlay = {.patch = FOVEA_PATCH_GAZE, .patch_size = 0.1};
    for (int right = 0; right < 2; right++) {
        OWNED(drop)
        struct pictures p = make_at(&rig, VK_FORMAT_R8G8B8A8_UNORM, overlay,
                                    (struct fovea_point_uv){right ? 0.51 : 0.49, 0.5});
        assert_patch(&p, right ? 255 : 0);
    }
    overlay.patch = FOVEA_PATCH_FRAME;
    OWNED(drop) struct pictures p = make(&rig, VK_FORMAT_R8G8B8A8_UNORM, overlay);
    assert_int_equal(rig.fovea->frame % 2, 0);
    assert_patch(&p, 0);
    assert_ok(rig_frame(&rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &p.src.view,
                        rig_gaze(0.5, 0.5), &p.drawn.view));
    assert_patch(&p, 255);
}

TEST(left_of_the_wipe_is_the_engines_image)
{
    RIG(rig, NULL);
    OWNED(drop)
    struct pictures p =
        make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.wipe_uv = 0.25});
    struct compare_rect left = {0, 0, WIDTH_PX / 4 - 3, HEIGHT_PX};
    struct compare_rect right = {WIDTH_PX / 4 + 3, 0, WIDTH_PX * 3 / 4 - 3, HEIGHT_PX};
    compare_assert_same(&p.drawn.view, &p.src.view, left, "left of the wipe");
    compare_assert_same(&p.drawn.view, &p.plain.view, right, "right of the wipe");
    drop(&p);
    p = make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.wipe_uv = 1});
    compare_assert_all_same(&p.drawn.view, &p.src.view, "compare");
}

/* Each format is drawn in by shaders of its own, which a CPU takes seconds for: a sample has one of
 * them, beside the one of the other tests. */
TEST(every_format_is_drawn_in_at_the_gaze_and_nowhere_else)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_B10G11R11_UFLOAT_PACK32,
                                       VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_B8G8R8A8_UNORM};
    const int count = (int)(sizeof formats / sizeof formats[0]);
    RIG(rig, NULL);
    for (int i = test_first(count); i < count; i += TEST_STEP(i)) {
        OWNED(drop)
        struct pictures p = make(&rig, formats[i], (struct fovea_overlay){.marker = true});
        struct compare_rect around = {WIDTH_PX / 2 - 18, HEIGHT_PX / 2 - 18, 36, 36};
        uint32_t inside = changed_pixels(&p, around);
        assert_true(inside > 100);
        assert_int_equal(changed_pixels(&p, whole), inside);
        drop(&p);
        p = make(&rig, formats[i], (struct fovea_overlay){.wipe_uv = 1});
        compare_assert_all_same(&p.drawn.view, &p.src.view, "compare");
        drop(&p);
        p = make(&rig, formats[i], (struct fovea_overlay){.hud = true});
        assert_in_range(changed_pixels(&p, whole), 2000, WIDTH_PX * HEIGHT_PX / 2);
    }
}

TEST(rings_lie_where_the_model_puts_them)
{
    RIG(rig, NULL);
    OWNED(drop)
    struct pictures p = make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.rings = true});
    double radius_px = fovea_eccentricity_px(&rig.settings, WIDTH_PX, HEIGHT_PX,
                                             (struct fovea_point_uv){0.5, 0.5}, 0.0, 10.0);
    assert_true(radius_px > 20 && radius_px < 100);
    struct compare_rect on = {(uint32_t)(WIDTH_PX / 2.0 + radius_px) - 1, HEIGHT_PX / 2, 2, 1};
    struct compare_rect beside = {on.x + 6, HEIGHT_PX / 2, 2, 1};
    assert_true(changed_pixels(&p, on) > 0);
    assert_int_equal(changed_pixels(&p, beside), 0);
}

/* ---- Rings by angle */

static double angle_deg(const double a[3], const double b[3])
{
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const double lengths =
        sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    return acos(dot / lengths) * 180.0 / acos(-1.0);
}

/* Returns how far a pixel's centre is from the gaze, by the formula. */
static double eccentricity_deg(const struct fovea_geometry *g, struct fovea_point_uv gaze,
                               uint32_t x, uint32_t y)
{
    if (!g) { /* the relative model's own unit */
        const double px = hypot(x + 0.5 - gaze.x_uv * WIDTH_PX, y + 0.5 - gaze.y_uv * HEIGHT_PX);
        return px / fmin(WIDTH_PX, HEIGHT_PX) * 2.0;
    }
    const double across = g->tan_left + g->tan_right;
    const double down = g->tan_up + g->tan_down;
    const double pixel[3] = {(x + 0.5) / WIDTH_PX * across - g->tan_left,
                             (y + 0.5) / HEIGHT_PX * down - g->tan_up, 1.0};
    const double from[3] = {gaze.x_uv * across - g->tan_left, gaze.y_uv * down - g->tan_up, 1.0};
    return angle_deg(pixel, from);
}

static bool is_changed(const struct pictures *p, uint32_t x, uint32_t y)
{
    return memcmp(image_pixel(&p->plain.view, x, y), image_pixel(&p->drawn.view, x, y),
                  image_bytes(p->src.view.format)) != 0;
}

/* Every pixel's centre counts. */
static double *eccentricities_deg(const struct fovea_geometry *geometry, struct fovea_point_uv gaze)
{
    double *all = test_memory(1, sizeof *all * WIDTH_PX * HEIGHT_PX);
    for (uint32_t y = 0; y < HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < WIDTH_PX; x++) {
            all[y * WIDTH_PX + x] = eccentricity_deg(geometry, gaze, x, y);
        }
    }
    return all;
}

/* A pixel whose square the ring crosses is drawn on; one of which no corner of the 5 x 5 pixels
 * around it lies on the other side of any ring is not. */
static void assert_rings(const struct pictures *p, const struct fovea_geometry *geometry,
                         struct fovea_point_uv gaze, const char *what)
{
    static const double degrees[] = {2, 5, 10, 20};
    static const double parts[] = {0.2, 0.3, 0.5, 0.9}; /* all, 1/2, 1/4, 1/8 are left */
    const double *rings_deg = geometry ? degrees : parts;
    OWNED(owned_free) double *all_deg = eccentricities_deg(geometry, gaze);
    uint32_t crossed[4] = {0};
    for (uint32_t y = 3; y < HEIGHT_PX - 3; y++) {
        for (uint32_t x = 3; x < WIDTH_PX - 3; x++) {
            bool on = false;
            bool near = false;
            const double here = all_deg[y * WIDTH_PX + x];
            for (int i = 0; i < 4; i++) {
                const bool inside = here < rings_deg[i];
                for (int k = 0; k < 49 && fabs(here - rings_deg[i]) < 5.0; k++) {
                    const uint32_t other_x = x + (uint32_t)(k % 7) - 3;
                    const uint32_t other_y = y + (uint32_t)(k / 7) - 3;
                    const double there = all_deg[other_y * WIDTH_PX + other_x];
                    const bool apart = inside != (there < rings_deg[i]);
                    near |= apart;
                    const bool beside =
                        (other_x == x + 1 && other_y == y) || (other_x == x && other_y == y + 1);
                    crossed[i] += apart && beside;
                    on |= apart && beside;
                }
            }
            assert_that(on == is_changed(p, x, y) || !((on || !near)),
                        "%s: pixel %u, %u at %.3f degrees is %sdrawn on", what, x, y, here,
                        on ? "not " : "");
        }
    }
    for (int i = 0; i < 4; i++) {
        assert_true(crossed[i] > 8);
    }
}

TEST(rings_are_angles_from_the_gaze_wherever_it_is)
{
    static const struct {
        const char *name;
        struct fovea_geometry geometry;
        struct fovea_point_uv gaze;
    } cases[] = {
        {"on the axis",
         {.tan_left = 0.44, .tan_right = 0.44, .tan_up = 0.25, .tan_down = 0.25},
         {0.5, 0.5}},
        {"at the left edge",
         {.tan_left = 0.44, .tan_right = 0.44, .tan_up = 0.25, .tan_down = 0.25},
         {0.0, 0.5}},
        /* tan(40 degrees) = 0.839 left of the axis. */
        {"40 degrees off the axis of a headset",
         {.tan_left = 1.38, .tan_right = 0.87, .tan_up = 0.95, .tan_down = 1.21},
         {(1.38 - 0.8390996) / (1.38 + 0.87), 0.95 / (0.95 + 1.21)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fovea_settings settings = rig_settings();
        settings.foveation.model = FOVEA_MODEL_PHYSICAL;
        settings.foveation.geometry = cases[i].geometry;
        settings.foveation.geometry.screen_width_m = 0.53; /* does not count, but must be there */
        settings.foveation.geometry.distance_m = 0.6;
        RIG(rig, &settings);
        OWNED(drop)
        struct pictures p = make_at(&rig, VK_FORMAT_R8G8B8A8_UNORM,
                                    (struct fovea_overlay){.rings = true}, cases[i].gaze);
        assert_rings(&p, &cases[i].geometry, cases[i].gaze, cases[i].name);
    }
}

TEST(rings_of_the_relative_model_are_where_resolution_has_halved)
{
    struct fovea_settings settings = rig_settings();
    settings.foveation.model = FOVEA_MODEL_RELATIVE;
    settings.foveation.relative = (struct fovea_relative){.sharp = 0.2, .halving = 0.1};
    const struct fovea_point_uv gaze = {0.5, 0.45};
    RIG(rig, &settings);
    OWNED(drop)
    struct pictures p =
        make_at(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.rings = true}, gaze);
    assert_rings(&p, NULL, gaze, "relative");
}

/* Returns what the heat alone has: the picture shows through it. */
static double heat_at(const struct pictures *p, uint32_t x, uint32_t y, uint32_t channel)
{
    return image_get(&p->drawn.view, x, y, channel) -
           0.35 * image_get(&p->plain.view, x, y, channel);
}

/* Fragments of 16 px meet at every 16th pixel, and each has one sigma: 40 places of a row may be
 * steps. */
static void assert_heat_of_fragments(const struct pictures *p)
{
    uint32_t steps = 0;
    for (uint32_t x = 1; x < WIDTH_PX; x++) {
        const double green = heat_at(p, x, HEIGHT_PX / 2, 1) - heat_at(p, x - 1, HEIGHT_PX / 2, 1);
        steps += fabs(green) > 1.5;
    }
    assert_in_range(steps, 8, WIDTH_PX / 16);
}

TEST(the_heat_map_covers_everything_and_rises_outwards)
{
    for (int i = 0; i < 2; i++) {
        struct fovea_settings settings = rig_settings();
        settings.foveation.model = i ? FOVEA_MODEL_PHYSICAL : FOVEA_MODEL_PAPER;
        settings.foveation.geometry.ppd = 4.0;
        RIG(rig, &settings);
        OWNED(drop)
        struct pictures p =
            make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.heatmap = true});
        assert_true(changed_pixels(&p, whole) > WIDTH_PX * HEIGHT_PX * 9 / 10);
        /* Yellow outside, dark blue inside: green minus blue grows. */
        double outside = image_get(&p.drawn.view, 2, 2, 1) - image_get(&p.drawn.view, 2, 2, 2);
        double inside = image_get(&p.drawn.view, WIDTH_PX / 2, HEIGHT_PX / 2, 1) -
                        image_get(&p.drawn.view, WIDTH_PX / 2, HEIGHT_PX / 2, 2);
        assert_true(outside > inside + 40);
        assert_heat_of_fragments(&p);
    }
}

static void assert_gaze_line(struct rig *rig, struct fovea_gaze gaze, const char *words,
                             const char *expected)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 1);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    fovea_vk_set_hud_text(rig->fovea, NULL, words);
    rig->fovea->hud_next_ns = 0; /* else the words of the frame before stay for a while */
    assert_ok(
        rig_frame(rig, RIG_MADE_TO_MADE, VK_FORMAT_R8G8B8A8_UNORM, &src.view, gaze, &dst.view));
    const char *line = rig->fovea->hud.text + (size_t)4 * OPERATOR_TEXT_COLUMNS;
    assert_memory_equal(line, expected, strlen(expected));
}

TEST(the_hud_names_the_gazes_state_or_what_the_engine_knows_of_it)
{
    struct fovea_settings settings = rig_settings();
    settings.overlay.hud = true;
    RIG(rig, &settings);
    struct fovea_gaze gaze = rig_gaze(0.25, 0.75);
    assert_gaze_line(&rig, gaze, NULL, "gaze tracked  0.250 0.750  age");
    static const char *const words[] = {"tracked", "held", "lost", "fixation", "saccade", "blink"};
    for (int i = 0; i < 6; i++) {
        gaze.state = (enum fovea_gaze_state)i;
        assert_gaze_line(&rig, gaze, NULL, test_text("gaze %s  0.250 0.750  age", words[i]));
    }
    assert_gaze_line(&rig, gaze, "pointer outside", "pointer outside  0.250 0.750  age");
}

TEST(the_hud_is_in_its_corner)
{
    RIG(rig, NULL);
    OWNED(drop)
    struct pictures p = make(&rig, VK_FORMAT_R8G8B8A8_UNORM, (struct fovea_overlay){.hud = true});
    struct compare_rect corner = {8, 8, 64 * 8, 16 * 16};
    uint32_t inside = changed_pixels(&p, corner);
    assert_true(inside > 2000);
    assert_int_equal(changed_pixels(&p, whole), inside);
}

/* A frame of one view, as it is drawn over. */
static struct test_image drawn_alone(struct rig *rig, const struct stereo *scene, uint32_t index,
                                     const struct fovea_image *src)
{
    const struct fovea_vk_view *view = &scene->views[index];
    OWNED_IMAGE part = stereo_cut_out(scene, view, src);
    struct test_image result = stereo_cut_out(scene, view, src);
    assert_ok(
        rig_frame(rig, RIG_ENGINE_TO_ENGINE, STEREO_FORMAT, &part.view, view->gaze, &result.view));
    return result;
}

TEST(every_view_is_drawn_over_as_if_it_were_alone)
{
    struct fovea_settings settings = rig_settings();
    settings.overlay =
        (struct fovea_overlay){.marker = true, .rings = true, .heatmap = true, .wipe_uv = 0.3};
    RIG(rig, &settings);
    struct stereo scene = stereo_side_by_side();
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_PHOTO, 1);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        if (!test_turn(path, RIG_PATH_COUNT, 4)) {
            continue; /* kinds of images have shaders of their own */
        }
        OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_RANDOM, 2);
        assert_ok(stereo_run(&rig, &scene, (enum rig_path)path, &src.view, &dst.view));
        for (uint32_t i = 0; i < 2; i++) {
            OWNED_IMAGE expected = drawn_alone(&rig, &scene, i, &src.view);
            OWNED_IMAGE part = stereo_cut_out(&scene, &scene.views[i], &dst.view);
            compare_assert_all_same(&part.view, &expected.view, rig_path_name((enum rig_path)path));
        }
    }
}

/* Also where that one has no gaze: it is not to jump at a blink. */
TEST(the_hud_is_on_the_first_view_alone)
{
    struct fovea_settings settings = rig_settings();
    settings.overlay.hud = true;
    RIG(rig, &settings);
    for (int blind = 0; blind < 2; blind++) {
        struct stereo scene = stereo_side_by_side();
        OWNED_IMAGE src = stereo_picture(&scene, IMAGE_PHOTO, 1);
        OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_RANDOM, 2);
        OWNED_IMAGE plain = stereo_picture(&scene, IMAGE_RANDOM, 2);
        scene.views[0].gaze.usable = !blind;
        rig.settings.overlay.hud = true;
        assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
        assert_ok(stereo_run(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &dst.view));
        rig.settings.overlay.hud = false;
        assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
        assert_ok(stereo_run(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &plain.view));
        uint32_t changed = 0;
        for (uint32_t y = 0; y < 45; y++) {
            for (uint32_t x = 0; x < 67; x++) {
                changed +=
                    memcmp(image_pixel(&dst.view, x, y), image_pixel(&plain.view, x, y), 4) != 0;
            }
        }
        assert_true(changed > 500);
        struct compare_rect right = {67, 0, 67, 45};
        compare_assert_same(&dst.view, &plain.view, right, "the second view");
    }
}
