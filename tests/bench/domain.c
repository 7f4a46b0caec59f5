/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "domain.h"
#include "random.h"
#include "report.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Chance ---------------------------------------------------------------------------------- */

/* Every factor of two is as likely as another. */
static double log_uniform(uint64_t *state, double from, double to)
{
    return exp(random_uniform(state, log(from), log(to)));
}

/* An index below count, by parts of their sum. */
static size_t weighted(uint64_t *state, const double *parts, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += parts[i];
    }
    double at = random_uniform(state, 0.0, sum);
    size_t i = 0;
    while (i + 1 < count && at >= parts[i]) {
        at -= parts[i++];
    }
    return i;
}

/* ---- Points ---------------------------------------------------------------------------------- */

#define SMALLEST_PX 48
#define LARGEST_BATCH_PX 512
#define SMALLEST_PICTURE_PX (160.0 * 120.0)
#define LARGEST_PICTURE_PX (7680.0 * 4320.0)

static uint32_t clamp_px(double px, uint32_t most)
{
    return px < SMALLEST_PX ? SMALLEST_PX : px > most ? most : (uint32_t)px;
}

static void choose_picture(uint64_t *state, const struct domain_limits *limits,
                           struct domain_point *point)
{
    const double most = fmin(LARGEST_PICTURE_PX, (double)limits->most_pixels);
    const double area = log_uniform(state, SMALLEST_PICTURE_PX, most);
    const double aspect = log_uniform(state, 0.5, 2.4);
    point->size = (struct bench_size){.name = "",
                                      .width_px = clamp_px(sqrt(area * aspect), 16384),
                                      .height_px = clamp_px(sqrt(area / aspect), 16384)};
    point->images = 1;
}

/* Mostly as many as fill a GPU; now and then the few that one agent or eight see. */
static void choose_batch(uint64_t *state, const struct domain_limits *limits,
                         struct domain_point *point)
{
    static const uint32_t few[] = {2, 8, 64};
    const double side = log_uniform(state, SMALLEST_PX, LARGEST_BATCH_PX);
    const double aspect = log_uniform(state, 0.6, 1.7);
    point->size = (struct bench_size){.name = "",
                                      .width_px = clamp_px(side * sqrt(aspect), LARGEST_BATCH_PX),
                                      .height_px = clamp_px(side / sqrt(aspect), LARGEST_BATCH_PX)};
    const uint64_t pixels = (uint64_t)point->size.width_px * point->size.height_px;
    const uint64_t full = limits->batch_pixels / pixels + 1;
    const bool is_few = random_uniform(state, 0.0, 1.0) < 0.15;
    point->images = is_few ? few[random_next(state) % COUNT(few)] : (uint32_t)full;
    if (point->images * pixels > limits->most_pixels) {
        point->images = (uint32_t)(limits->most_pixels / pixels);
    }
}

static void choose_format(uint64_t *state, const struct domain_limits *limits,
                          struct domain_point *point)
{
    static const struct {
        enum fovea_format format;
        double part;
        bool surface;
    } formats[] = {
        {FOVEA_FORMAT_RGBA8, 0.36, true},      {FOVEA_FORMAT_RGB8, 0.24, false},
        {FOVEA_FORMAT_R8, 0.08, false},        {FOVEA_FORMAT_A2B10G10R10, 0.1, true},
        {FOVEA_FORMAT_B10G11R11F, 0.06, true}, {FOVEA_FORMAT_RGBA16F, 0.1, true},
        {FOVEA_FORMAT_RGBA32F, 0.06, false},
    };
    double parts[COUNT(formats)];
    for (size_t i = 0; i < COUNT(formats); i++) {
        const bool possible = formats[i].surface || !limits->surfaces_only;
        parts[i] = possible ? formats[i].part : 0.0;
    }
    point->format = formats[weighted(state, parts, COUNT(formats))].format;
}

static void choose_law(uint64_t *state, struct fovea_foveation *foveation)
{
    static const double models[] = {0.5, 0.2, 0.15, 0.15}; /* in the order of enum fovea_model */
    foveation->model = (enum fovea_model)weighted(state, models, COUNT(models));
    foveation->map.degrees =
        random_uniform(state, 0.0, 1.0) < 0.5 ? FOVEA_MAP_DEGREES_PAPER : FOVEA_MAP_DEGREES_VIEW;
    foveation->strength = log_uniform(state, 0.5, 8.0);
}

static void choose_method(uint64_t *state, struct fovea_foveation *foveation)
{
    const bool blockwise = random_uniform(state, 0.0, 1.0) < 0.15;
    foveation->method = blockwise ? FOVEA_METHOD_BLOCKWISE : FOVEA_METHOD_SMOOTH;
    foveation->paper.fragment_px = (uint32_t)log_uniform(state, 4.0, 129.0);
}

static bool is_float(enum fovea_format format)
{
    return format == FOVEA_FORMAT_B10G11R11F || format == FOVEA_FORMAT_RGBA16F ||
           format == FOVEA_FORMAT_RGBA32F;
}

/* Linear is the default of the smooth method. PQ and HLG mean something where pixels are averaged
 * as light. */
static void choose_light(uint64_t *state, struct domain_point *point)
{
    static const double transfers[] = {0.8, 0.1, 0.1}; /* in the order of enum fovea_transfer */
    const bool linear = random_uniform(state, 0.0, 1.0) < 0.6;
    const size_t transfer = weighted(state, transfers, COUNT(transfers));
    const bool unorm = !is_float(point->format);
    point->foveation.light = unorm && linear ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
    point->foveation.transfer =
        unorm && linear ? (enum fovea_transfer)transfer : FOVEA_TRANSFER_SRGB;
}

struct domain_point domain_point(uint64_t seed, uint32_t number, const struct domain_limits *limits)
{
    uint64_t state = seed * 0x2545f4914f6cdd1du + number;
    struct domain_point point = {.foveation = fovea_settings_default().foveation};
    (void)random_next(&state);
    if (random_uniform(&state, 0.0, 1.0) < 0.45 && limits->batch_pixels > 0) {
        choose_batch(&state, limits, &point);
    } else {
        choose_picture(&state, limits, &point);
    }
    choose_format(&state, limits, &point);
    choose_law(&state, &point.foveation);
    choose_method(&state, &point.foveation);
    choose_light(&state, &point);
    point.gaze.x_uv = random_uniform(&state, 0.0, 1.0);
    point.gaze.y_uv = random_uniform(&state, 0.0, 1.0);
    return point;
}

void domain_words(const struct domain_point *point, char out[RESULT_TEXT_BYTES])
{
    static const char *const models[] = {"paper", "physical", "curve", "map", "relative"};
    static const char *const transfers[] = {"linear", "linear of PQ", "linear of HLG"};
    const struct fovea_foveation *f = &point->foveation;
    char method[24] = "";
    char count[16] = "";
    if (f->method == FOVEA_METHOD_BLOCKWISE) {
        snprintf(method, sizeof method, ", blockwise %u px", f->paper.fragment_px);
    }
    if (point->images > 1) {
        snprintf(count, sizeof count, "%u x ", point->images);
    }
    snprintf(out, RESULT_TEXT_BYTES, "%s%ux%u %s, %s x%.2f%s, %s%s", count, point->size.width_px,
             point->size.height_px, bench_format_name(point->format), models[f->model], f->strength,
             method,
             is_float(point->format)          ? "floats"
             : f->light == FOVEA_LIGHT_LINEAR ? transfers[f->transfer]
                                              : "encoded",
             point->images > 1 ? ", a gaze each" : "");
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

#define FULL_BATCH_PIXELS UINT64_C(8000000)
#define SMALL_BATCH_PX 96
#define US_OF_FEW 30.0
/* Every point of the domain should take no longer, on one thread. */
#define CPU_NS_PER_PIXEL 18.0

static uint64_t all_pixels(const struct domain_point *point)
{
    return (uint64_t)point->images * point->size.width_px * point->size.height_px;
}

static bool is_plain(const struct domain_point *point)
{
    return point->format == FOVEA_FORMAT_RGBA8 || point->format == FOVEA_FORMAT_RGB8 ||
           point->format == FOVEA_FORMAT_R8;
}

/* The same in the stored values of bytes. */
static struct domain_point in_bytes(struct domain_point point)
{
    point.format = FOVEA_FORMAT_RGBA8;
    point.foveation.transfer = FOVEA_TRANSFER_SRGB;
    return point;
}

static struct domain_bound of_copy(double factor, const char *words)
{
    return (struct domain_bound){.against = DOMAIN_COPY, .factor = factor, .words = words};
}

static struct domain_bound bound_of_batch(const struct domain_point *point)
{
    const struct bench_size *size = &point->size;
    const uint32_t least_px = size->width_px < size->height_px ? size->width_px : size->height_px;
    if (all_pixels(point) < FULL_BATCH_PIXELS) {
        return (struct domain_bound){
            .against = DOMAIN_TIME,
            .factor = US_OF_FEW * (1.0 + (double)all_pixels(point) / 500000.0),
            .words = "few images: 30 us and 30 us more for each half million pixels"};
    }
    if (is_plain(point) && point->foveation.light == FOVEA_LIGHT_LINEAR) {
        struct domain_bound bound = {.against = DOMAIN_COMPANION,
                                     .words = "batch in light: 1.35 x encoded, PQ and HLG 2.5 x",
                                     .companion = *point};
        bound.companion.foveation.light = FOVEA_LIGHT_ENCODED;
        bound.companion.foveation.transfer = FOVEA_TRANSFER_SRGB;
        bound.factor = point->foveation.transfer == FOVEA_TRANSFER_SRGB ? 1.35 : 2.5;
        return bound;
    }
    if (!is_plain(point)) {
        return of_copy(6.0, "batch, wide formats: 6 x copy");
    }
    if (point->format == FOVEA_FORMAT_R8) {
        return of_copy(15.0, "batch of R8: 15 x copy");
    }
    if (least_px < SMALL_BATCH_PX || point->foveation.strength < 0.75) {
        return of_copy(10.0, "batch, small or weak: 10 x copy");
    }
    return of_copy(8.0, "batch: 8 x copy");
}

/* Small pictures against 1080p, large ones against themselves at strength 1. */
static struct domain_bound bound_of_picture(const struct domain_point *point)
{
    struct domain_bound bound = {.against = DOMAIN_COMPANION, .factor = 2.0, .companion = *point};
    struct domain_point *companion = &bound.companion;
    if (!is_plain(point) || point->foveation.transfer != FOVEA_TRANSFER_SRGB) {
        *companion = in_bytes(*point);
        companion->foveation.light = FOVEA_LIGHT_LINEAR;
        bound.factor = 2.5;
        bound.words = "wide formats, PQ, HLG: 2.5 x RGBA8 in light";
        return bound;
    }
    companion->format = FOVEA_FORMAT_RGBA8;
    companion->foveation.strength = 1.0;
    companion->foveation.model = FOVEA_MODEL_PAPER;
    companion->gaze = (struct fovea_point_uv){0.5, 0.5};
    if (all_pixels(point) <= 1920 * 1080) {
        companion->size = (struct bench_size){"", 1920, 1080};
        bound.words = "up to 1080p: 2 x 1080p at strength 1";
    } else {
        bound.words = "above 1080p: 2 x itself, paper at strength 1";
    }
    return bound;
}

struct domain_bound domain_bound(const char *backend, const struct domain_point *point,
                                 uint32_t threads)
{
    if (strcmp(backend, "cpu") == 0) {
        const double ns_per_pixel = CPU_NS_PER_PIXEL / (threads > 1 ? 0.9 * threads : 1.0);
        return (struct domain_bound){.against = DOMAIN_TIME,
                                     .factor = ns_per_pixel * 1e-3 * (double)all_pixels(point),
                                     .words = "cpu: 18 ns a pixel and thread"};
    }
    if (point->foveation.method == FOVEA_METHOD_BLOCKWISE) {
        return of_copy(10.0, "blockwise: 10 x copy");
    }
    return point->images > 1 ? bound_of_batch(point) : bound_of_picture(point);
}

/* ---- The run --------------------------------------------------------------------------------- */

static double bound_us(const struct domain_device *device, const struct domain_bound *bound,
                       double copy_us)
{
    struct domain_result companion = {0};
    switch (bound->against) {
    case DOMAIN_COPY:
        return bound->factor * copy_us;
    case DOMAIN_TIME:
        return bound->factor;
    case DOMAIN_COMPANION:
        break;
    }
    bench_must(device->time(device->user, &bound->companion, &companion), "companion");
    return bound->factor * companion.times.median_us;
}

/* A run may be cut: what it has measured by then is told, and lies in the file. */
static void tell(const struct bench *bench, const struct domain_result *result, const char *name)
{
    if (result->bound_words) {
        bench_say("%s: %.1f us, %.2f x copy, %.2f of its bound", name, result->times.median_us,
                  result->times.median_us / result->copy_us,
                  result->times.median_us / result->bound_us);
    } else {
        bench_say("%s: refused", name);
    }
    bench_need(!bench->wishes.json || report_json_so_far(&bench->results, bench->wishes.json),
               "what is measured cannot be kept");
}

static void run_point(struct bench *bench, const struct domain_device *device, uint32_t number)
{
    const struct domain_point point = domain_point(bench->wishes.seed, number, &device->limits);
    struct domain_result result = {.backend = device->backend, .number = number};
    domain_words(&point, result.words);
    char name[RESULT_NAME_BYTES + RESULT_TEXT_BYTES];
    snprintf(name, sizeof name, "%s/domain/%u: %s", device->backend, number, result.words);
    if (!bench_wants(bench, name)) {
        return;
    }
    bench_say("%s", name);
    result.size = point.size;
    result.images = point.images;
    result.strength = point.foveation.strength;
    const enum fovea_result timed = device->time(device->user, &point, &result);
    if (timed != FOVEA_ERROR_INVALID_ARGUMENT) { /* more blur than there is */
        bench_must(timed, name);
        const struct domain_bound bound = domain_bound(device->backend, &point, device->threads);
        result.bound_us = bound_us(device, &bound, result.copy_us);
        result.bound_words = bound.words;
    }
    *results_add_domain(&bench->results) = result;
    tell(bench, &result, name);
}

void domain_run(struct bench *bench, const struct domain_device *device)
{
    for (uint32_t i = 0; i < bench->wishes.domain_points; i++) {
        run_point(bench, device, i);
    }
}
