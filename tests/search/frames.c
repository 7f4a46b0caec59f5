/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of a Vulkan engine: submitted and recorded, with views anywhere in them. */

#include "cmocka_all.h"
#include "depth_image.h"
#include "search.h"
#include "stereo.h"

/* One engine for all points; it takes long to start, with validation above all. */
static struct rig rig;
static bool is_open;

bool search_frames_open(const struct search_limits *limits)
{
    char *arguments[] = {"", limits->backend == SEARCH_NVIDIA ? "nvidia" : "vulkan"};
    if (!is_open && rig_choose_backend(2, arguments)) {
        const struct engine_options options = rig_engine_options();
        is_open = engine_open(&rig.engine, &options);
    }
    return is_open;
}

struct engine *search_frames_engine(void)
{
    return &rig.engine;
}

static void choose_recorded(const struct search_limits *limits, bool recorded)
{
    const char *name = recorded                           ? "recorded"
                       : limits->backend == SEARCH_NVIDIA ? "nvidia"
                                                          : "vulkan";
    (void)rig_choose_backend(2, (char *[]){"", (char *)name});
}

/* ---- Views ----------------------------------------------------------------------------------- */

static const struct fovea_geometry frusta[] = {
    {.tan_left = 1.0, .tan_right = 0.8, .tan_up = 0.9, .tan_down = 1.1},
    {.tan_left = 0.8, .tan_right = 1.0, .tan_up = 0.9, .tan_down = 1.1}};

static struct fovea_vk_view view_of(const struct search_point *p, uint32_t index,
                                    const float *gazes_uv)
{
    const uint32_t columns = p->count ? p->columns : 1;
    const uint32_t gap = p->count ? p->gap_px : 0;
    const float *gaze_uv = gazes_uv + 2 * (size_t)index;
    const struct fovea_point_uv gaze = {(double)gaze_uv[0], (double)gaze_uv[1]};
    struct fovea_vk_view view;
    fovea_vk_view_init(&view);
    view.x_px = gap + index % columns * (p->width_px + gap);
    view.y_px = gap + index / columns * (p->height_px + gap);
    view.width_px = p->width_px;
    view.height_px = p->height_px;
    view.layer = p->layered ? index : 0;
    view.gaze = rig_gaze(gaze.x_uv, gaze.y_uv);
    if (p->frusta) {
        view.eye = index % 2 ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT;
        view.geometry = &frusta[index % 2];
    }
    return view;
}

static struct stereo scene_of(const struct search_point *p)
{
    float gazes_uv[2 * FOVEA_VK_MAX_VIEWS];
    struct stereo scene = {.view_count = p->count, .layer_count = 1};
    stereo_set_format((VkFormat)p->vk_format);
    search_gazes(p, gazes_uv);
    for (uint32_t i = 0; i < search_images(p); i++) {
        scene.views[i] = view_of(p, i, gazes_uv);
        const uint32_t right = scene.views[i].x_px + p->width_px + (p->count ? p->gap_px : 0);
        const uint32_t bottom = scene.views[i].y_px + p->height_px + (p->count ? p->gap_px : 0);
        scene.width_px = right > scene.width_px ? right : scene.width_px;
        scene.height_px = bottom > scene.height_px ? bottom : scene.height_px;
        scene.layer_count = scene.views[i].layer + 1;
    }
    return scene;
}

/* ---- What is expected ------------------------------------------------------------------------ */

/* Contexts have red first. */
static void order_colours(const struct search_point *p, const struct fovea_image *image)
{
    const bool swapped = p->vk_format == VK_FORMAT_B8G8R8A8_UNORM ||
                         p->vk_format == VK_FORMAT_B8G8R8A8_SRGB ||
                         p->vk_format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    for (uint32_t y = 0; swapped && y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            const double first = image_get(image, x, y, 0);
            image_set(image, x, y, 0, image_get(image, x, y, 2));
            image_set(image, x, y, 2, first);
        }
    }
}

static enum fovea_result expect_view(const struct search_point *p, const struct fovea_vk_view *view,
                                     const struct fovea_image *src, const struct fovea_image *dst,
                                     const struct fovea_image *sigmas,
                                     const struct fovea_image *depths)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = search_settings(p);
    OWNED(fovea_context_destroy) struct fovea_context *context = NULL;
    enum fovea_result result = settings ? FOVEA_OK : FOVEA_ERROR_CONFIG;
    const float gaze_uv[] = {(float)view->gaze.point.x_uv, (float)view->gaze.point.y_uv};
    struct search_given given = {.gazes_uv = gaze_uv};
    if (sigmas) {
        given.sigmas = (struct search_memory){.first = *sigmas, .memory = sigmas->data};
    }
    struct search_point alone = *p;
    if (depths) {
        given.depths = (struct search_memory){.first = *depths, .memory = depths->data};
        alone.depths = FOVEA_DEPTH_FORMAT_R32F;
    }
    if (result == FOVEA_OK && view->eye) {
        const char *eye = view->eye == FOVEA_MAP_EYE_LEFT ? "left" : "right";
        struct fovea_geometry geometry = *view->geometry;
        geometry.screen_width_m = settings->foveation.geometry.screen_width_m;
        geometry.distance_m = settings->foveation.geometry.distance_m;
        settings->foveation.geometry = geometry;
        result = fovea_settings_set(settings, "foveation.map.eye", eye, (struct fovea_log){0});
    }
    result = result == FOVEA_OK ? search_context(settings, "cpu", 1, &context) : result;
    if (result == FOVEA_OK) {
        order_colours(p, src);
        result = search_run_alone(&alone, context, src, dst, &given);
        order_colours(p, src);
        order_colours(p, dst);
    }
    return result;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

struct frame {
    const struct search_point *point;
    struct engine_image sigmas[FOVEA_VK_MAX_VIEWS]; /* none where the point has none */
    struct depth_image depths[FOVEA_VK_MAX_VIEWS]; /* likewise */
    struct fovea_depth depth; /* what their values say */
    struct stereo scene;
    struct test_image src, before, dst;
    enum fovea_result result;
    enum fovea_result wanted[FOVEA_VK_MAX_VIEWS];
    struct fovea_settings *settings; /* those before come first, if any */
    char *text;
};

/* The picture of sigmas of a view, packed. The caller frees it; empty where there is none. */
static struct test_image sigmas_of(const struct search_point *p, uint32_t index)
{
    if (!p->sigmas) {
        return (struct test_image){0};
    }
    OWNED(search_memory_free) struct search_memory all = search_sigmas_make(p);
    struct test_image packed = image_make_packed(p->width_px, p->height_px, all.first.format);
    search_gather(&all, p->one_sigmas ? 0 : index, &packed.view);
    return packed;
}

static void give_sigmas(struct frame *frame)
{
    const struct search_point *p = frame->point;
    for (uint32_t i = 0; p->sigmas && i < search_images(p); i++) {
        const VkFormat format = p->sigmas == 1 ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_R16_SFLOAT;
        OWNED_IMAGE packed = sigmas_of(p, i);
        frame->sigmas[i] = engine_sampled_create(&rig.engine, format, p->width_px, p->height_px);
        frame->scene.views[i].sigmas = (struct fovea_vk_sigmas){
            frame->sigmas[i].raw_view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        engine_write(&rig.engine, frame->sigmas[i].image, p->width_px, p->height_px, format,
                     packed.view.data, VK_IMAGE_LAYOUT_UNDEFINED,
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    }
}

static void take_sigmas(struct frame *frame)
{
    engine_idle(&rig.engine);
    for (uint32_t i = 0; i < FOVEA_VK_MAX_VIEWS; i++) {
        engine_image_destroy(&rig.engine, &frame->sigmas[i]);
    }
}

#define DEPTHS_BEYOND_PX 3 /* behind a view's */

struct value_of {
    const struct search_point *point;
    const struct fovea_image *packed;
};

/* The view lies somewhere in its image of depths, among values of no view. */
static double value_at(const void *user, uint32_t x, uint32_t y)
{
    const struct value_of *of = user;
    const uint32_t own_x = x - of->point->depths_x; /* large before it */
    const uint32_t own_y = y - of->point->depths_y;
    return own_x < of->packed->width_px && own_y < of->packed->height_px
               ? search_depth_value(of->point, of->packed, own_x, own_y)
               : (double)((x + y) % 2);
}

static bool has_offset(const struct search_point *p)
{
    return p->depths_x || p->depths_y;
}

static uint32_t depths_width(const struct search_point *p)
{
    return p->depths_x + p->width_px + (has_offset(p) ? DEPTHS_BEYOND_PX : 0);
}

static void give_view_depth(struct frame *frame, uint32_t index)
{
    const struct search_point *p = frame->point;
    struct depth_image *image = &frame->depths[index];
    struct fovea_vk_depth *depth = &frame->scene.views[index].depth;
    if (p->depths_attached && p->depths <= FOVEA_DEPTH_FORMAT_D24) { /* others are colours */
        depth_image_attach(&rig.engine, image);
    }
    *depth = depth_image_given(image, &frame->depth);
    depth->x_px = p->depths_x;
    depth->y_px = p->depths_y;
    depth->width_px = p->width_px;
    depth->height_px = p->height_px;
}

static void give_depths(struct frame *frame)
{
    static const VkFormat formats[] = {
        [FOVEA_DEPTH_FORMAT_D16] = VK_FORMAT_D16_UNORM,
        [FOVEA_DEPTH_FORMAT_D24] = VK_FORMAT_D24_UNORM_S8_UINT,
        [FOVEA_DEPTH_FORMAT_R32F] = VK_FORMAT_R32_SFLOAT,
        [FOVEA_DEPTH_FORMAT_R16F] = VK_FORMAT_R16_SFLOAT,
    };
    const struct search_point *p = frame->point;
    if (!p->depths) {
        return;
    }
    OWNED(search_memory_free) struct search_memory all = search_depths_make(p);
    OWNED_IMAGE packed = image_make_packed(p->width_px, p->height_px, all.first.format);
    frame->depth = search_depth_of(p, &packed.view, 0);
    for (uint32_t i = 0; i < search_images(p); i++) {
        const struct value_of of = {p, &packed.view};
        search_gather(&all, p->one_depths ? 0 : i, &packed.view);
        frame->depths[i] = depth_image_create(
            &rig.engine, depth_image_format_or(&rig.engine, formats[p->depths]), depths_width(p),
            p->depths_y + p->height_px + (has_offset(p) ? DEPTHS_BEYOND_PX : 0), value_at, &of);
        give_view_depth(frame, i);
    }
}

/* The depths of a view as its image has stored them, as floats. The caller frees it; empty where
 * there are none. */
static struct test_image depths_of(const struct frame *frame, uint32_t index)
{
    const struct search_point *p = frame->point;
    if (!p->depths) {
        return (struct test_image){0};
    }
    struct test_image packed = image_make_packed(p->width_px, p->height_px, FOVEA_FORMAT_R32F);
    for (uint32_t i = 0; i < p->width_px * p->height_px; i++) {
        const uint32_t x = i % p->width_px;
        const uint32_t y = i / p->width_px;
        image_set(&packed.view, x, y, 0,
                  frame->depths[index]
                      .values[(size_t)(p->depths_y + y) * depths_width(p) + p->depths_x + x]);
    }
    return packed;
}

static void take_depths(struct frame *frame)
{
    for (uint32_t i = 0; frame->point->depths && i < search_images(frame->point); i++) {
        depth_image_destroy(&rig.engine, &frame->depths[i]);
    }
}

/* A view that is refused has all of its frame passed through; one without a gaze is copied. */
static bool passes(const struct frame *frame)
{
    if (frame->result == FOVEA_PASSED_THROUGH && search_names_engine(frame->point)) {
        return true;
    }
    for (uint32_t i = 0; i < search_images(frame->point); i++) {
        if (frame->wanted[i] != FOVEA_OK && frame->result == FOVEA_PASSED_THROUGH) {
            return true;
        }
    }
    return false;
}

static bool view_is_right(struct frame *frame, const struct fovea_image *expected, uint32_t index)
{
    const struct fovea_vk_view *view = &frame->scene.views[index];
    const bool has_gaze = isfinite(view->gaze.point.x_uv) && isfinite(view->gaze.point.y_uv);
    const bool copied = passes(frame) || (frame->wanted[index] != FOVEA_OK && !has_gaze);
    if (!copied && frame->wanted[index] != FOVEA_OK) {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "view %u: %s, the cpu backend %s", index,
                 fovea_result_name(frame->result), fovea_result_name(frame->wanted[index]));
        return false;
    }
    OWNED_IMAGE src = stereo_cut_out(&frame->scene, view, &frame->src.view);
    OWNED_IMAGE actual = stereo_cut_out(&frame->scene, view, &frame->dst.view);
    char what[SEARCH_TEXT_BYTES] = "";
    const bool same =
        search_same(frame->point, &actual.view, copied ? &src.view : expected, copied, what);
    if (!same) {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "view %u%s: %.400s", index,
                 copied ? " copied" : "", what);
    }
    return same;
}

/* Takes the views out of both. */
static bool is_kept_beside_views(struct frame *frame)
{
    struct test_image none =
        image_make_packed(frame->point->width_px, frame->point->height_px, frame->src.view.format);
    for (uint32_t i = 0; i < search_images(frame->point); i++) {
        const struct fovea_vk_view *view = &frame->scene.views[i];
        const uint32_t row = stereo_row(&frame->scene, view);
        stereo_copy(&none.view, 0, 0, &frame->dst.view, view->x_px, row, view);
        stereo_copy(&none.view, 0, 0, &frame->before.view, view->x_px, row, view);
    }
    image_free(&none);
    const bool kept = memcmp(frame->dst.memory, frame->before.memory, frame->dst.memory_bytes) == 0;
    if (!kept) {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "written outside of the views");
    }
    return kept;
}

static enum search_verdict compare_frame(struct frame *frame)
{
    const uint32_t count = search_images(frame->point);
    struct test_image expected[FOVEA_VK_MAX_VIEWS];
    for (uint32_t i = 0; i < count; i++) {
        OWNED_IMAGE src = stereo_cut_out(&frame->scene, &frame->scene.views[i], &frame->src.view);
        expected[i] = stereo_cut_out(&frame->scene, &frame->scene.views[i], &frame->src.view);
        OWNED_IMAGE sigmas = sigmas_of(frame->point, i);
        OWNED_IMAGE depths = depths_of(frame, i);
        frame->wanted[i] = expect_view(
            frame->point, &frame->scene.views[i], &src.view, &expected[i].view,
            frame->point->sigmas ? &sigmas.view : NULL, frame->point->depths ? &depths.view : NULL);
    }
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        right = right && view_is_right(frame, &expected[i].view, i);
        image_free(&expected[i]);
    }
    right = right && is_kept_beside_views(frame);
    return !right ? SEARCH_DIFFERENT : passes(frame) ? SEARCH_REFUSED : SEARCH_SAME;
}

/* Makes a frame with the settings before, if any, which may be refused, and sets those that it
 * shall have. */
static enum fovea_result run_before(const struct frame *frame, enum rig_path path)
{
    if (!frame->point->earlier) {
        return FOVEA_OK;
    }
    OWNED_IMAGE made = stereo_picture(&frame->scene, IMAGE_RANDOM, 4);
    memcpy(made.memory, frame->before.memory, frame->before.memory_bytes);
    (void)stereo_run(&rig, &frame->scene, path, &frame->src.view, &made.view);
    return fovea_vk_set_settings(rig.fovea, frame->settings);
}

static enum search_verdict run_frame(struct frame *frame)
{
    const enum rig_path path = (enum rig_path)(frame->point->path % RIG_PATH_COUNT);
    frame->src = stereo_picture(&frame->scene, IMAGE_RANDOM, 1);
    frame->before = stereo_picture(&frame->scene, IMAGE_STROKES, 2);
    search_draw_packed(frame->point, 0, &frame->src.view);
    if (rig_in_place(path)) {
        memcpy(frame->before.memory, frame->src.memory, frame->src.memory_bytes);
    }
    frame->dst = stereo_picture(&frame->scene, IMAGE_RANDOM, 3);
    memcpy(frame->dst.memory, frame->before.memory, frame->dst.memory_bytes);
    stereo_see_layers(frame->point->fill % 2);
    give_sigmas(frame);
    give_depths(frame);
    frame->result = run_before(frame, path);
    if (frame->result == FOVEA_OK) {
        frame->result = stereo_run(&rig, &frame->scene, path, &frame->src.view, &frame->dst.view);
    }
    take_sigmas(frame);
    enum search_verdict verdict = SEARCH_DIFFERENT;
    if (frame->result >= 0) {
        verdict = compare_frame(frame);
    } else {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "%s", fovea_result_name(frame->result));
    }
    take_depths(frame);
    image_free(&frame->src);
    image_free(&frame->before);
    image_free(&frame->dst);
    return verdict;
}

/* llvmpipe breaks off what goes round loops 65,535 times, as the smooth method's kernel does for
 * sigmas near 1,000 px in light that is none of sRGB's: pixels are black there. */
static bool is_too_much(const struct fovea_settings *settings, const struct frame *frame)
{
    const struct search_point *p = frame->point;
    VkPhysicalDeviceProperties device;
    vkGetPhysicalDeviceProperties(rig.engine.physical, &device);
    const size_t count = (size_t)p->width_px * p->height_px;
    OWNED(owned_free) float *sigmas_px = malloc(count * sizeof *sigmas_px);
    float most_px = 0.0f;
    for (uint32_t i = 0; sigmas_px && i < search_images(p); i++) {
        const struct fovea_point_uv gaze = frame->scene.views[i].gaze.point;
        const enum fovea_result made =
            fovea_sigma_map(settings, p->width_px, p->height_px, gaze, sigmas_px);
        for (size_t k = 0; made == FOVEA_OK && k < count; k++) {
            most_px = fmaxf(most_px, sigmas_px[k]);
        }
    }
    return device.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && most_px > 500.0f;
}

/* A context has the settings before, if it takes them. */
static enum fovea_result create(const struct search_point *p, const struct fovea_settings *settings,
                                bool may_have_others)
{
    OWNED(fovea_settings_destroy)
    struct fovea_settings *before = may_have_others ? search_settings_before(p) : NULL;
    if (before) {
        before->backend = FOVEA_BACKEND_VULKAN;
        const struct fovea_vk_desc other = engine_fovea_desc(&rig.engine, before);
        if (fovea_vk_create(&other, &rig.fovea) == FOVEA_OK) {
            return FOVEA_OK;
        }
    }
    const struct fovea_vk_desc desc = engine_fovea_desc(&rig.engine, settings);
    return fovea_vk_create(&desc, &rig.fovea);
}

/* Both refuse the settings, or a frame is run. */
static enum search_verdict run_with(struct fovea_settings *settings, struct frame *frame)
{
    struct fovea_context *cpu = NULL;
    const enum fovea_result wanted = search_context(settings, "cpu", 1, &cpu);
    fovea_context_destroy(&cpu);
    settings->backend = FOVEA_BACKEND_VULKAN;
    frame->settings = settings;
    const enum fovea_result result = create(frame->point, settings, wanted == FOVEA_OK);
    enum search_verdict verdict = SEARCH_REFUSED;
    if (result != wanted) {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "created: %s, the cpu backend %s",
                 fovea_result_name(result), fovea_result_name(wanted));
        verdict = SEARCH_DIFFERENT;
    } else if (result == FOVEA_OK) {
        verdict = run_frame(frame);
    }
    engine_idle(&rig.engine);
    fovea_vk_destroy(&rig.fovea);
    if (engine_take_messages(&rig.engine) > 0) {
        snprintf(frame->text, SEARCH_TEXT_BYTES, "validation: %.400s", rig.engine.first_message);
        verdict = SEARCH_DIFFERENT;
    }
    return verdict;
}

enum search_verdict search_run_frame(const struct search_limits *limits,
                                     const struct search_point *point,
                                     char out_text[SEARCH_TEXT_BYTES])
{
    struct search_point p = *point;
    const enum rig_path path = (enum rig_path)(p.path % RIG_PATH_COUNT);
    if (rig_src(path) == RIG_MADE || rig_dst(path) == RIG_MADE) {
        p.layered = 0; /* Fovea makes no arrays */
    }
    if (!search_frames_open(limits)) {
        return SEARCH_NO_DEVICE;
    }
    choose_recorded(limits, p.recorded);
    rig.recordings = 0;
    struct frame frame = {.point = &p, .scene = scene_of(&p), .text = out_text};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = search_settings(&p);
    if (!settings) {
        snprintf(out_text, SEARCH_TEXT_BYTES, "its settings cannot be set");
        return SEARCH_DIFFERENT;
    }
    const enum search_verdict verdict =
        is_too_much(settings, &frame) ? SEARCH_REFUSED : run_with(settings, &frame);
    return verdict;
}
