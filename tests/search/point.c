/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "search.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Most are small, some are thin, few are as large as a screen. */
static void draw_size(uint64_t *state, const struct search_limits *limits, struct search_point *p)
{
    const bool small = limits->small || limits->backend >= SEARCH_VULKAN;
    const uint32_t kind = search_below(state, 100);
    const uint32_t most = kind < 45 ? (limits->small ? 24 : 64) : small ? 160 : 320;
    p->width_px = 1 + search_below(state, most);
    p->height_px = 1 + search_below(state, most);
    if (kind >= 84 && kind < 94) {
        const uint32_t length = 1 + search_below(state, small ? 400 : 4000);
        const bool wide = search_one_in(state, 2);
        const uint32_t thickness = 1 + search_below(state, 4);
        p->width_px = wide ? length : thickness;
        p->height_px = wide ? thickness : length;
    } else if (kind >= 94 && !small) {
        const uint32_t scale = kind == 99 && search_one_in(state, 2) ? 2 : 1;
        p->width_px = scale * (960 + search_below(state, 961));
        p->height_px = scale * (540 + search_below(state, 541));
    }
}

static void draw_layout(uint64_t *state, struct search_layout *layout)
{
    static const uint32_t guards[] = {0, 64, 256};
    layout->guard_bytes = guards[search_below(state, COUNT(guards))];
    layout->shift = search_one_in(state, 3) ? search_below(state, 16) : 0;
    layout->pixel_gap = search_one_in(state, 4) ? 1 + search_below(state, 4) : 0;
    layout->row_gap = search_one_in(state, 2) ? search_below(state, 40) : 0;
    layout->plane_gap = search_one_in(state, 2) ? search_below(state, 9) : 0;
    layout->next_gap = search_one_in(state, 2) ? search_below(state, 9) : 0;
    layout->bottom_up = search_one_in(state, 4);
    layout->backwards = search_one_in(state, 4);
    layout->beside = search_one_in(state, 4);
}

static void draw_batch(uint64_t *state, const struct search_limits *limits, struct search_point *p)
{
    const uint32_t pixels = p->width_px * p->height_px;
    const uint32_t most = (limits->small ? 6000 : 400000) / pixels;
    p->count = search_one_in(state, 2) ? 1 + search_below(state, 8) : 1 + search_below(state, 300);
    p->count = p->count > most ? most + 1 : p->count;
    const bool has_planes = p->format == FOVEA_FORMAT_RGB8 || p->format == FOVEA_FORMAT_RGB16F ||
                            p->format == FOVEA_FORMAT_RGB32F || p->format == FOVEA_FORMAT_RGB16;
    p->planes = has_planes && search_one_in(state, 2);
    p->shared = search_one_in(state, 5);
    p->cuda_gazes = limits->backend == SEARCH_CUDA && search_one_in(state, 2);
    p->gazeless = !p->cuda_gazes && search_one_in(state, 20);
    p->others = search_one_in(state, 4) ? 1 + search_below(state, FOVEA_FOVEAS_MAX - 1) : 0;
    if (p->planes) {
        p->src.beside = p->dst.beside = 0;
    }
}

static void draw_images(uint64_t *state, const struct search_limits *limits, struct search_point *p)
{
    p->format = FOVEA_FORMAT_RGBA8 + search_below(state, FOVEA_FORMAT_R16);
    if (search_one_in(state, 2)) {
        p->format = FOVEA_FORMAT_RGBA8 + search_below(state, 3);
    }
    draw_layout(state, &p->src);
    draw_layout(state, &p->dst);
    if (search_one_in(state, 3)) {
        p->src = p->dst = (struct search_layout){.guard_bytes = p->src.guard_bytes};
    }
    if (search_one_in(state, 2)) {
        draw_batch(state, limits, p);
    }
    p->own_stream = limits->backend == SEARCH_CUDA && search_one_in(state, 2);
    p->graph = p->own_stream && search_one_in(state, 3);
    p->before =
        search_one_in(state, 4) ? FOVEA_FORMAT_RGBA8 + search_below(state, FOVEA_FORMAT_R16) : 0;
    p->threads = limits->backend == SEARCH_CPU ? 1 + search_below(state, 4) : 0;
}

static void draw_frame(uint64_t *state, struct search_point *p)
{
    static const struct {
        uint32_t vk_format, format;
    } formats[] = {{37, FOVEA_FORMAT_RGBA8}, /* VK_FORMAT_R8G8B8A8_UNORM and _SRGB */
                   {43, FOVEA_FORMAT_RGBA8},
                   {44, FOVEA_FORMAT_RGBA8}, /* B8G8R8A8 */
                   {50, FOVEA_FORMAT_RGBA8},
                   {51, FOVEA_FORMAT_RGBA8}, /* A8B8G8R8_*_PACK32 */
                   {57, FOVEA_FORMAT_RGBA8},
                   {64, FOVEA_FORMAT_A2B10G10R10}, /* A2B10G10R10 and A2R10G10B10 */
                   {58, FOVEA_FORMAT_A2B10G10R10},
                   {122, FOVEA_FORMAT_B10G11R11F}, /* B10G11R11_UFLOAT_PACK32 */
                   {97, FOVEA_FORMAT_RGBA16F}}; /* R16G16B16A16_SFLOAT */
    const uint32_t i = search_below(state, COUNT(formats));
    p->vk_format = formats[i].vk_format;
    p->format = formats[i].format;
    p->path = search_below(state, 10);
    p->recorded = search_one_in(state, 2);
    if (search_one_in(state, 2)) {
        p->count = 1 + search_below(state, 4);
        p->columns = 1 + search_below(state, 4);
        p->gap_px = search_one_in(state, 2) ? search_below(state, 30) : 0;
        p->layered = search_one_in(state, 3);
        p->frusta = search_one_in(state, 4);
    }
}

/* ---- Gazes ----------------------------------------------------------------------------------- */

static double draw_place(uint64_t *state)
{
    static const double odd[] = {0.0, 1.0, 0.5, -0.001, 1.5, -3.0, 40.0, -1e9, 1e30};
    if (search_one_in(state, 6)) {
        return odd[search_below(state, COUNT(odd))];
    }
    return search_one_in(state, 8) ? random_uniform(state, -0.7, 1.7)
                                   : random_uniform(state, 0.0, 1.0);
}

static struct fovea_point_uv draw_gaze(uint64_t *state)
{
    static const double none[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct fovea_point_uv gaze = {draw_place(state), draw_place(state)};
    if (search_one_in(state, 40)) {
        *(search_one_in(state, 2) ? &gaze.x_uv : &gaze.y_uv) =
            none[search_below(state, COUNT(none))];
    }
    return gaze;
}

void search_gazes(const struct search_point *point, float *out_gazes_uv)
{
    for (uint32_t i = 0; i < search_images(point); i++) {
        uint64_t state = (uint64_t)point->gazes << 32 | i;
        const struct fovea_point_uv gaze = i == 0 ? point->gaze : draw_gaze(&state);
        *out_gazes_uv++ = (float)gaze.x_uv;
        *out_gazes_uv++ = (float)gaze.y_uv;
        for (uint32_t k = 2; k < 2 * search_foveas(point); k++) {
            *out_gazes_uv++ = (float)draw_place(&state);
        }
    }
}

uint32_t search_foveas(const struct search_point *point)
{
    return point->count && !point->vk_format ? 1 + point->others : 1;
}

uint32_t search_images(const struct search_point *point)
{
    return point->count ? point->count : 1;
}

/* ---- Settings -------------------------------------------------------------------------------- */

static void add_text(struct search_point *p, const char *path, const char *value)
{
    const size_t used = strlen(p->settings);
    snprintf(p->settings + used, sizeof p->settings - used, " %s=%s", path, value);
}

static void add_number(struct search_point *p, const char *path, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    add_text(p, path, text);
}

/* Ends, the neighbourhood of the default, and what is between; with signs near the default alone,
 * as lenses fold elsewhere. */
static double draw_number(uint64_t *state, const struct fovea_setting *s)
{
    const double usual = strtod(s->default_text, NULL);
    const uint32_t kind = search_below(state, 10);
    double value = 0.0;
    if (s->least < 0.0) {
        value = usual + (s->most - s->least) * 0.1 * pow(random_uniform(state, -1.0, 1.0), 3.0);
    } else if (kind == 0) {
        value = s->above_least ? s->least + 0.001 * (s->most - s->least) : s->least;
    } else if (kind == 1) {
        value = s->below_most ? s->most - 0.001 * (s->most - s->least) : s->most;
    } else if (kind < 7 && usual > 0.0) {
        value = usual * exp2(random_uniform(state, -3.0, 3.0));
    } else {
        value = s->least + (s->most - s->least) * pow(random_uniform(state, 0.0, 1.0), 3.0);
    }
    value = fmin(fmax(value, s->least), s->most);
    if (s->or_zero && search_one_in(state, 5)) {
        value = 0.0;
    }
    return s->type == FOVEA_SETTING_INTEGER ? floor(value) : value;
}

static const char *draw_word(uint64_t *state, const struct fovea_setting *s)
{
    uint32_t count = 0;
    while (s->words[count]) {
        count++;
    }
    return s->words[search_below(state, count)];
}

/* Operators that need pictures of depths, which batches and frames have. */
static bool needs_depths(const char *word)
{
    return strcmp(word, "dof") == 0;
}

static void draw_words(uint64_t *state, const struct fovea_setting *s, struct search_point *p)
{
    char text[128] = "";
    for (uint32_t i = 0; i < 3; i++) {
        const char *word = draw_word(state, s);
        /* A frame's shaders take long to make. */
        while (needs_depths(word) && (p->vk_format ? search_one_in(state, 2) : p->count == 0)) {
            word = draw_word(state, s);
        }
        if (!strstr(text, word) && (i == 0 || search_one_in(state, 2))) {
            strcat(text, i == 0 ? "" : ",");
            strcat(text, word);
        }
    }
    add_text(p, s->path, text);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Words are drawn most of the time, numbers now and then, and how strong the blur is as often. */
static void draw_setting(uint64_t *state, const struct fovea_setting *s, struct search_point *p)
{
    const bool tangent = starts_with(s->path, "foveation.geometry.tan_");
    const bool numeric = s->type == FOVEA_SETTING_NUMBER || s->type == FOVEA_SETTING_INTEGER;
    const bool often = strcmp(s->path, "foveation.strength") == 0 ||
                       strcmp(s->path, "foveation.paper.fragment_px") == 0;
    if (numeric && s->elements <= 1 && !tangent && search_one_in(state, often ? 2 : 6)) {
        add_number(p, s->path, draw_number(state, s));
    } else if (s->type == FOVEA_SETTING_BOOL && search_one_in(state, 2)) {
        add_text(p, s->path, search_one_in(state, 2) ? "true" : "false");
    } else if (s->type == FOVEA_SETTING_WORDS && search_one_in(state, 2)) {
        draw_words(state, s, p);
    } else if (s->type == FOVEA_SETTING_WORD && !search_one_in(state, 4)) {
        const char *word = draw_word(state, s);
        if (strcmp(word, "file") == 0 || strcmp(word, "array") == 0) {
            return;
        }
        add_text(p, s->path, word);
    }
}

/* Draws what is right only together. */
static void draw_groups(uint64_t *state, struct search_point *p)
{
    static const char *const edges[] = {"left", "right", "up", "down"};
    char text[256] = "[";
    if (search_one_in(state, 8)) {
        for (int i = 0; i < 4; i++) {
            char path[64];
            snprintf(path, sizeof path, "foveation.geometry.tan_%s", edges[i]);
            add_number(p, path, search_one_in(state, 4) ? -0.05 : random_uniform(state, 0.1, 2.0));
        }
    }
    if (search_one_in(state, 4) || search_has(p, "foveation.light=table")) {
        const uint32_t count = 2 + search_below(state, 12);
        double light = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            /* A flat part of the table makes many levels of next to nothing of light. */
            light += random_uniform(state, 0.3, 1.0);
            snprintf(text + strlen(text), 16, "%s%.3f", i ? "," : "", light);
        }
        add_text(p, "foveation.display.table", strcat(text, "]"));
    }
    if (search_one_in(state, 6)) {
        snprintf(text, sizeof text, "[[0,%.2f],[%.2f,%.2f],[60,%.2f]]",
                 random_uniform(state, 1.0, 90.0), random_uniform(state, 0.5, 50.0),
                 random_uniform(state, 0.5, 40.0), random_uniform(state, 0.02, 9.0));
        add_text(p, "foveation.curve", text);
    }
    p->map_side = search_one_in(state, 8) ? 2 + search_below(state, 30) : 0;
    p->field_side = search_one_in(state, 12) ? 2 + search_below(state, 12) : 0;
    p->transfer = search_one_in(state, 5) ? search_below(state, 3) : 0;
}

static void draw_settings(uint64_t *state, struct search_point *p)
{
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        struct fovea_setting s;
        fovea_setting_init(&s);
        if (fovea_setting_info(i, &s) == FOVEA_OK &&
            (strcmp(s.path, "operators") == 0 || starts_with(s.path, "foveation.") ||
             (starts_with(s.path, "blur.") && search_has(p, "blur")) ||
             (starts_with(s.path, "dof.") && search_has(p, "dof")) ||
             (starts_with(s.path, "lens.") && search_has(p, "lens")))) {
            draw_setting(state, &s, p);
        }
    }
    draw_groups(state, p);
}

bool search_names_engine(const struct search_point *point)
{
    return search_has(point, "blur.engine=") && !search_has(point, "blur.engine=gaussian");
}

bool search_has(const struct search_point *point, const char *word)
{
    return strstr(point->settings, word) != NULL;
}

/* A map with a peak somewhere, and black places. */
static enum fovea_result set_map(struct fovea_settings *settings, const struct search_point *p)
{
    float values[32 * 32];
    const uint32_t side = p->map_side;
    uint64_t state = p->fill + 1;
    for (uint32_t i = 0; i < side * side; i++) {
        values[i] = search_one_in(&state, 5) ? 0.0f : (float)random_uniform(&state, 0.0, 1.0);
    }
    values[search_below(&state, side * side)] = 2.0f;
    return fovea_settings_set_map(settings, values, side, side);
}

/* A mesh that bends a little, for one or each colour. By chance: where it is even, whole columns of
 * pixels take places half-way between two, of which each backend may choose either. */
static enum fovea_result set_field(struct fovea_settings *settings, const struct search_point *p)
{
    float xy[2 * 3 * 16 * 16];
    struct fovea_field field;
    fovea_field_init(&field);
    const uint32_t side = p->field_side;
    uint64_t state = p->fill + 2;
    field.xy = xy;
    field.width = field.height = side;
    field.layers = p->fill % 2 ? 3 : 1;
    for (uint32_t i = 0; i < side * side * field.layers; i++) {
        const double x = (double)(i % side) / (side - 1) - 0.5;
        const double y = (double)(i / side % side) / (side - 1) - 0.5;
        const double zoom = 0.9 + 0.2 * (x * x + y * y) + 0.01 * (i / side / side);
        xy[2 * (size_t)i] = (float)(0.5 + x * zoom + random_uniform(&state, -0.005, 0.005));
        xy[2 * (size_t)i + 1] = (float)(0.5 + y * zoom + random_uniform(&state, -0.005, 0.005));
    }
    return fovea_settings_set_field(settings, "lens.file", &field, (struct fovea_log){0});
}

static bool set_words(struct fovea_settings *settings, const char *words)
{
    char text[SEARCH_SETTINGS_BYTES];
    char *more = NULL;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok_r(text, " ", &more); word; word = strtok_r(NULL, " ", &more)) {
        char *value = strchr(word, '=');
        *value = '\0';
        if (fovea_settings_set(settings, word, value + 1, (struct fovea_log){0}) != FOVEA_OK) {
            fprintf(stderr, "search: %s is not to be set to %s\n", word, value + 1);
            return false;
        }
    }
    return true;
}

struct fovea_settings *search_settings(const struct search_point *point)
{
    struct fovea_settings *settings = NULL;
    if (fovea_settings_create(&settings) != FOVEA_OK || !set_words(settings, point->settings) ||
        fovea_settings_set_transfer(settings, (enum fovea_transfer)point->transfer) != FOVEA_OK ||
        (point->map_side && set_map(settings, point) != FOVEA_OK) ||
        (point->field_side && set_field(settings, point) != FOVEA_OK)) {
        fovea_settings_destroy(&settings);
    }
    return settings;
}

struct fovea_settings *search_settings_before(const struct search_point *point)
{
    const struct search_limits limits = {.backend = SEARCH_CPU, .small = true};
    if (!point->earlier) {
        return NULL;
    }
    struct search_point other = search_point_draw(point->earlier, 0, &limits);
    other.transfer = point->transfer;
    return search_settings(&other);
}

/* Operators that take none refuse them. */
static void draw_sigmas(uint64_t *state, struct search_point *p)
{
    const bool takes = search_has(p, "blur");
    if ((p->vk_format ? !takes : p->count == 0) || !search_one_in(state, takes ? 2 : 40)) {
        return;
    }
    p->sigmas = 1 + search_below(state, 2);
    p->one_sigmas = search_one_in(state, 4);
    if (!p->vk_format) {
        draw_layout(state, &p->of_sigmas);
    }
}

/* Draws depths for operators that need them; sigmas are the other half's of batches with both. */
static void draw_depths(uint64_t *state, struct search_point *p)
{
    if (!search_has(p, "dof")) {
        return;
    }
    p->depths = FOVEA_DEPTH_FORMAT_D16 + search_below(state, 4);
    p->depths_kind = search_below(state, SEARCH_DEPTHS_KINDS);
    p->depths_focus = search_one_in(state, 4) ? search_below(state, SEARCH_DEPTHS_FOCUSES) : 0;
    p->depths_vergence = search_one_in(state, 2) ? search_below(state, SEARCH_DEPTHS_FOCUSES) : 0;
    p->one_depths = search_one_in(state, 4);
    p->depths_elapsed = !p->before && !p->earlier && search_one_in(state, 4);
    if (!p->vk_format) {
        draw_layout(state, &p->of_depths);
        return;
    }
    p->depths_x = search_one_in(state, 2) ? search_below(state, 40) : 0;
    p->depths_y = search_one_in(state, 2) ? search_below(state, 40) : 0;
    p->depths_attached = search_one_in(state, 4);
}

/* ---- Points ---------------------------------------------------------------------------------- */

struct search_point search_point_draw(uint64_t seed, uint64_t number,
                                      const struct search_limits *limits)
{
    uint64_t state = seed;
    state = random_next(&state) + number;
    struct search_point p = {.fill = (uint32_t)random_next(&state),
                             .gazes = (uint32_t)random_next(&state)};
    p.gaze = draw_gaze(&state);
    draw_size(&state, limits, &p);
    if (limits->backend >= SEARCH_VULKAN) {
        draw_frame(&state, &p);
    } else {
        draw_images(&state, limits, &p);
    }
    p.earlier = search_one_in(&state, 5) ? 1 + search_below(&state, 1000000) : 0;
    draw_settings(&state, &p);
    draw_sigmas(&state, &p);
    draw_depths(&state, &p);
    /* Filters as long as a thin picture take the cpu backend minutes for a batch, and so do the
     * 3072 steps of a wide diffusion. */
    const bool is_long =
        search_has(&p, "foveation.model=relative") && search_has(&p, "foveation.method=blockwise");
    if ((is_long || search_names_engine(&p)) && p.count > 2) {
        p.count = 2;
    }
    /* Each pixel gives to tens of thousands. */
    if (search_has(&p, "blur.engine=spread") && p.width_px * p.height_px > 10000) {
        p.sigmas = 0;
    }
    return p;
}

#define LAYOUT(end)                                                                                \
    NUMBER(end.guard_bytes), NUMBER(end.shift), NUMBER(end.pixel_gap), NUMBER(end.row_gap),        \
        NUMBER(end.plane_gap), NUMBER(end.next_gap), NUMBER(end.bottom_up), NUMBER(end.backwards), \
        NUMBER(end.beside)
#define NUMBER(member)                                                                             \
    {                                                                                              \
#member, offsetof(struct search_point, member)                                             \
    }

static const struct number {
    const char *name;
    size_t at;
} numbers[] = {NUMBER(width_px),        NUMBER(height_px),     NUMBER(count),
               NUMBER(format),          NUMBER(fill),          NUMBER(gazes),
               NUMBER(others),          NUMBER(transfer),      NUMBER(map_side),
               NUMBER(field_side),      LAYOUT(src),           LAYOUT(dst),
               NUMBER(planes),          NUMBER(shared),        NUMBER(threads),
               NUMBER(cuda_gazes),      NUMBER(own_stream),    NUMBER(sigmas),
               NUMBER(one_sigmas),      LAYOUT(of_sigmas),     NUMBER(graph),
               NUMBER(depths),          NUMBER(one_depths),    LAYOUT(of_depths),
               NUMBER(depths_kind),     NUMBER(depths_focus),  NUMBER(depths_vergence),
               NUMBER(before),          NUMBER(vk_format),     NUMBER(path),
               NUMBER(recorded),        NUMBER(columns),       NUMBER(gap_px),
               NUMBER(layered),         NUMBER(frusta),        NUMBER(gazeless),
               NUMBER(earlier),         NUMBER(depths_x),      NUMBER(depths_y),
               NUMBER(depths_attached), NUMBER(depths_elapsed)};

static uint32_t *number_at(struct search_point *point, const struct number *number)
{
    return (uint32_t *)((char *)point + number->at);
}

void search_point_print(const struct search_point *point, char out_line[SEARCH_LINE_BYTES])
{
    struct search_point p = *point;
    int used = snprintf(out_line, SEARCH_LINE_BYTES, "gaze=%.17g,%.17g", p.gaze.x_uv, p.gaze.y_uv);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (*number_at(&p, &numbers[i]) != 0) {
            used += snprintf(out_line + used, SEARCH_LINE_BYTES - (size_t)used, " %s=%u",
                             numbers[i].name, *number_at(&p, &numbers[i]));
        }
    }
    snprintf(out_line + used, SEARCH_LINE_BYTES - (size_t)used, "%s", p.settings);
}

static bool read_word(const char *word, struct search_point *p)
{
    const char *value = strchr(word, '=');
    if (!value) {
        return false;
    }
    const size_t length = (size_t)(value - word);
    if (starts_with(word, "gaze=")) {
        return sscanf(value, "=%lf,%lf", &p->gaze.x_uv, &p->gaze.y_uv) == 2;
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (strlen(numbers[i].name) == length && starts_with(word, numbers[i].name)) {
            return sscanf(value, "=%u", number_at(p, &numbers[i])) == 1;
        }
    }
    const size_t used = strlen(p->settings);
    return snprintf(p->settings + used, sizeof p->settings - used, " %s", word) <
           (int)(sizeof p->settings - used);
}

bool search_point_read(const char *line, struct search_point *out_point)
{
    char text[SEARCH_LINE_BYTES];
    char *more = NULL;
    snprintf(text, sizeof text, "%s", line);
    *out_point = (struct search_point){0};
    for (char *word = strtok_r(text, " \n", &more); word && *word != '#';
         word = strtok_r(NULL, " \n", &more)) {
        if (!read_word(word, out_point)) {
            fprintf(stderr, "search: what is %s\n", word);
            return false;
        }
    }
    const struct search_point *p = out_point;
    const bool exists =
        p->width_px && p->height_px && p->map_side <= 32 && p->field_side <= 16 && p->sigmas <= 2 &&
        p->others < FOVEA_FOVEAS_MAX && p->depths <= FOVEA_DEPTH_FORMAT_R16F &&
        p->depths_kind < SEARCH_DEPTHS_KINDS && p->depths_focus < SEARCH_DEPTHS_FOCUSES &&
        p->depths_vergence < SEARCH_DEPTHS_FOCUSES && p->before <= FOVEA_FORMAT_R16 &&
        p->format >= FOVEA_FORMAT_RGBA8 && p->format <= FOVEA_FORMAT_R16;
    if (!exists) {
        fprintf(stderr, "search: a point has a size and a format\n");
    }
    return exists;
}
