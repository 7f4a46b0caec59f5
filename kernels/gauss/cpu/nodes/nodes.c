/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "nodes.h"

#include "kernels/gauss/cpu/common/planes.h"
#include "kernels/gauss/cpu/common/words.h"
#include "tile.h"

#include <string.h>

#define PX GAUSS_CPU_NODE_PX
#define PIXELS GAUSS_CPU_NODE_PIXELS
#define MAX_CHANNELS GAUSS_CPU_MAX_CHANNELS
#define ROWS GAUSS_CPU_NODE_ROWS
#define PITCH GAUSS_CPU_NODE_PITCH
#define TILES GAUSS_CPU_NODE_TILES
#define SLACK_BYTES 128 /* for whole registers, at the end of every part */
#define LINE_BYTES 64
#define MAX_ROWS (GAUSS_LADDER_TAPS + PX + 2)
/* The nodes of one tile, from the picture itself to the largest sigma. */
#define MAX_NODES GAUSS_LADDER_NODES

/* ---- Scratch memory */

/* The tile's rows, ROWS at a time, that blend a node: a bit each, in a byte, as there is one for
 * each node. */
typedef uint8_t row_bits;

typedef float row_weights __attribute__((vector_size(4 * ROWS), aligned(4), may_alias));

/* Tiles side by side, and what they are made in. */
struct strip {
    const struct gauss_cpu_picture *picture;
    const struct gauss_cpu_ladder *ladder;
    struct gauss_cpu_node_tile *tiles;
    int32_t count;
    row_bits *blends; /* MAX_NODES of each tile */
    int32_t *next; /* each tile's first node that is not blended yet */
    int32_t *places; /* and its place on the ladder; INT32_MAX: there is none */
    const float **seen; /* the rows of samples under the tiles, from the first column on */
    const float **rows; /* of these those that a few rows of pixels see, each once */
    float *weights; /* and their weights */
    float *samples; /* ROWS rows of samples that are averaged along y; before, a row of sigmas */
    float *values;
};

static void *take_part(char *memory, size_t *bytes, size_t wanted)
{
    void *part = memory ? memory + *bytes : NULL;
    *bytes += (wanted + SLACK_BYTES + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return part;
}

/* With memory NULL the bytes are only counted. */
static size_t lay_out(float *scratch, struct strip *out)
{
    char *memory = (char *)scratch;
    size_t bytes = 0;
    const size_t plane = PIXELS * sizeof *scratch;
    out->tiles = take_part(memory, &bytes, TILES * sizeof *out->tiles);
    out->blends = take_part(memory, &bytes, TILES * MAX_NODES * sizeof *out->blends);
    out->next = take_part(memory, &bytes, TILES * sizeof *out->next);
    out->places = take_part(memory, &bytes, TILES * sizeof *out->places);
    out->seen = take_part(memory, &bytes, MAX_ROWS * sizeof *out->seen);
    out->rows = take_part(memory, &bytes, MAX_ROWS * sizeof *out->rows);
    out->weights = take_part(memory, &bytes, (size_t)MAX_ROWS * ROWS * sizeof *out->weights);
    /* Samples that are written before the first row fall into the slack of the part before. */
    out->samples = take_part(memory, &bytes, (size_t)ROWS * MAX_CHANNELS * PITCH * sizeof *scratch);
    out->values = take_part(memory, &bytes, (size_t)MAX_CHANNELS * PX * sizeof *scratch);
    for (int32_t i = 0; i < TILES; i++) {
        struct gauss_cpu_node_tile tile = {
            .sigma_px = take_part(memory, &bytes, plane),
            .places = take_part(memory, &bytes, plane),
            .firsts = take_part(memory, &bytes, plane),
            .weights = take_part(memory, &bytes, GAUSS_LADDER_TOGETHER * plane),
            .pixels = take_part(memory, &bytes, MAX_CHANNELS * plane),
        };
        if (memory) {
            out->tiles[i] = tile;
        }
    }
    return bytes;
}

/* ---- A node under neighbouring tiles */

/* Tiles of a strip, from `first` on, that blend a node. */
struct run {
    const struct gauss_cpu_node *node;
    int32_t first, end;
};

/* Samples along x: `first` to before `last` are seen, `from` to before `to` of them are stored. */
struct columns {
    int32_t first, last;
    int32_t from, to;
};

static int32_t first_sample(const struct gauss_cpu_node *node, int32_t px)
{
    return (px >> node->level) + gauss_cpu_node_phase_at(node, px)->first;
}

static struct columns columns_of(const struct strip *strip, const struct run *run)
{
    const struct gauss_cpu_node *node = run->node;
    const int32_t margin = gauss_level_margin(node->level);
    const int32_t stored = strip->picture->plan->levels[node->level].width + margin;
    const int32_t last_px = strip->tiles[run->end - 1].x_px;
    struct columns columns = {
        .first = first_sample(node, strip->tiles[run->first].x_px),
        .last = first_sample(node, last_px) + gauss_cpu_node_phase_at(node, last_px)->count,
    };
    columns.from = bounds_clamped(columns.first, -margin, stored - 1);
    columns.to = bounds_clamped(columns.last, columns.from + 1, stored);
    return columns;
}

/* Finds the rows of samples that `ROWS` rows of pixels see. Beyond the outermost row that is stored
 * there are only repetitions of it, whose weights are added. */
static void find_window(const struct strip *strip, const struct gauss_cpu_node *node,
                        int32_t first_y, struct gauss_cpu_node_window *out)
{
    const struct gauss_cpu_node_phase *phase = gauss_cpu_node_phase_at(node, strip->tiles[0].y_px);
    const int32_t first = phase->row_first[first_y];
    const int32_t count = phase->row_first[first_y + ROWS - 1] + node->taps - first;
    const float *const *seen = strip->seen + first;
    const float *weights = phase->columns + (ptrdiff_t)first * PX + first_y;
    out->rows = seen;
    out->count = count;
    out->weights = weights;
    out->stride = PX;
    if (seen[0] != seen[1] && seen[count - 1] != seen[count - 2]) {
        return;
    }
    out->rows = strip->rows;
    out->weights = strip->weights;
    out->stride = ROWS;
    out->count = 0;
    float *sums = strip->weights - ROWS;
    for (int32_t i = 0; i < count; i++, weights += PX) {
        const bool again = i > 0 && seen[i] == seen[i - 1];
        if (!again) {
            strip->rows[out->count++] = seen[i];
            sums += ROWS;
        }
        row_weights sum = *(const row_weights *)weights;
        if (again) {
            sum += *(row_weights *)sums;
        }
        *(row_weights *)sums = sum;
    }
}

/* Beyond the outermost samples there are only repetitions of them. Up to a register more is written
 * before each row and after it. */
static void repeat_outermost(const struct columns *columns, int32_t rows, float *samples)
{
    const int32_t before = columns->from - columns->first;
    const int32_t end = columns->to - columns->first;
    const int32_t last = columns->last - columns->first;
    for (int32_t i = 0; i < rows && (before > 0 || end < last); i++, samples += PITCH) {
        const lanes left = samples[before] - (lanes){0};
        const lanes right = samples[end - 1] - (lanes){0};
        for (int32_t x = before; x > 0; x -= LANES) {
            *(lanes *)(samples + x - LANES) = left;
        }
        for (int32_t x = end; x < last; x += LANES) {
            *(lanes *)(samples + x) = right;
        }
    }
}

/* Returns whether a tile of the run blends the node, its next one, in these rows. */
static bool blends(const struct strip *strip, int32_t tile, int32_t first_y)
{
    return strip->blends[tile * MAX_NODES + strip->next[tile]] >> first_y / ROWS & 1;
}

/* Adds a node to some rows of the run's tiles. */
static void add_rows(const struct strip *strip, struct run run, int32_t first_y)
{
    const int32_t channels = strip->picture->channels;
    const struct gauss_cpu_node *node = run.node;
    while (run.first < run.end && !blends(strip, run.first, first_y)) {
        run.first++;
    }
    while (run.end > run.first && !blends(strip, run.end - 1, first_y)) {
        run.end--;
    }
    if (run.first == run.end) {
        return;
    }
    const struct columns columns = columns_of(strip, &run);
    struct gauss_cpu_node_window window = {.plane = gauss_cpu_plane(strip->picture),
                                           .first = columns.from};
    find_window(strip, node, first_y, &window);
    gauss_cpu_node_down(&window, columns.to - columns.from, channels,
                        strip->samples + (columns.from - columns.first));
    repeat_outermost(&columns, ROWS * channels, strip->samples);
    for (int32_t i = run.first; i < run.end; i++) {
        if (blends(strip, i, first_y)) {
            const struct gauss_cpu_node_tile *tile = &strip->tiles[i];
            const int32_t skip = first_sample(node, tile->x_px) - columns.first;
            gauss_cpu_node_across(tile, node, strip->next[i], first_y, strip->samples + skip);
        }
    }
}

static void add_run(const struct strip *strip, const struct run *run)
{
    const struct gauss_cpu_picture *picture = strip->picture;
    const struct gauss_cpu_node *node = run->node;
    const int32_t y_px = strip->tiles[0].y_px;
    const int32_t margin = gauss_level_margin(node->level);
    const int32_t last = picture->plan->levels[node->level].height + margin - 1;
    const int32_t first = first_sample(node, y_px);
    const int32_t count = gauss_cpu_node_phase_at(node, y_px)->count;
    const float *outermost = gauss_cpu_plane_row(picture, node->level, 0, -margin);
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = bounds_clamped(first + i, -margin, last) + margin;
        strip->seen[i] = outermost + (ptrdiff_t)row * picture->plan->levels[node->level].pitch;
    }
    for (int32_t y = 0; y < strip->tiles[0].height_px; y += ROWS) {
        add_rows(strip, *run, y);
    }
}

/* ---- Tiles side by side */

/* Finds the rows of pixels that blend each node. */
static void find_rows(const struct gauss_cpu_node_tile *tile, row_bits *out)
{
    const bool all = tile->nodes.count == tile->nodes.together;
    memset(out, all ? (1 << PX / ROWS) - 1 : 0, (size_t)tile->nodes.count * sizeof *out);
    for (int32_t y = 0; !all && y < tile->height_px; y += ROWS) {
        const float *firsts = tile->firsts + (ptrdiff_t)y * PX;
        const int32_t below = tile->height_px - y;
        lanes low = *lanes_at(firsts);
        lanes high = low;
        for (int32_t i = LANES; i < PX * (below < ROWS ? below : ROWS); i += LANES) {
            low = lanes_lesser(&low, lanes_at(firsts + i));
            high = lanes_greater(&high, lanes_at(firsts + i));
        }
        const int32_t end = (int32_t)lanes_most(&high) + tile->nodes.together;
        for (int32_t n = (int32_t)lanes_least(&low); n < end; n++) {
            out[n] |= (row_bits)(1 << y / ROWS);
        }
    }
}

/* Says which of its nodes a tile blends next. */
static void set_next(const struct strip *strip, int32_t tile, int32_t index)
{
    const struct gauss_tile_nodes *nodes = &strip->tiles[tile].nodes;
    strip->next[tile] = index;
    strip->places[tile] = index < nodes->count ? nodes->first + index * nodes->apart : INT32_MAX;
}

static int32_t lowest_place(const struct strip *strip)
{
    int32_t lowest = INT32_MAX;
    for (int32_t i = 0; i < strip->count; i++) {
        lowest = strip->places[i] < lowest ? strip->places[i] : lowest;
    }
    return lowest;
}

static void blend_nodes(const struct strip *strip)
{
    const int32_t last = strip->ladder->count - 1;
    int32_t place;
    for (int32_t i = 0; i < strip->count; i++) {
        set_next(strip, i, 0);
    }
    while ((place = lowest_place(strip)) < INT32_MAX) {
        for (int32_t i = 0; i < strip->count; i++) {
            struct run run = {
                .node = &strip->ladder->nodes[place < last ? place : last], .first = i, .end = i};
            while (run.end < strip->count && strip->places[run.end] == place) {
                run.end++;
            }
            if (run.end > run.first) {
                add_run(strip, &run);
            }
            for (; i < run.end; i++) {
                set_next(strip, i, strip->next[i] + 1);
            }
        }
    }
}

static int32_t blend_of(const struct gauss_cpu_picture *picture)
{
    if (!pixel_light_known(picture->view.src.format)) {
        const bool wide = image_light_is_wide(gauss_plan_light(picture->plan));
        return wide && picture->of_light ? GAUSS_BLEND_WIDE : GAUSS_BLEND_FLOATS;
    }
    return gauss_light_blend(picture->light ? picture->view.frame.light : IMAGE_LIGHT_STORED);
}

/* Returns how far apart `count` nodes may lie, at most, if the first of them is at `first`. */
static int32_t most_apart(int32_t blend, int32_t first, int32_t count)
{
    return gauss_blend_apart(blend, (float)first >= gauss_blend_far(blend), count);
}

/* gauss_tile_nodes_of, but nodes lie at multiples of their distance, so that neighbouring tiles
 * have the same. */
static struct gauss_tile_nodes nodes_of(const struct gauss_cpu_node_tile *tile)
{
    const int32_t blend = tile->is_wide ? GAUSS_BLEND_WIDE : tile->blend;
    const int32_t lowest = (int32_t)tile->lowest;
    if (tile->picture->plan->one_sigma_px > 0.0f || (float)lowest == tile->highest) {
        return (struct gauss_tile_nodes){lowest, 1, 1, 1}; /* all nodes are the same, or one is */
    }
    for (int32_t n = 2; n <= GAUSS_LADDER_TOGETHER; n++) {
        for (int32_t apart = 1; apart <= most_apart(blend, lowest, n); apart++) {
            const int32_t first = lowest / apart * apart;
            if (apart <= most_apart(blend, first, n) &&
                (float)(first + (n - 1) * apart) >= tile->highest) {
                return (struct gauss_tile_nodes){first, apart, n, n};
            }
        }
    }
    const int32_t row = GAUSS_LADDER_TOGETHER + 1;
    int32_t apart = most_apart(blend, lowest, row);
    apart = most_apart(blend, lowest / apart * apart, row);
    const int32_t below = lowest / apart - 1;
    const int32_t first = below > 0 ? below * apart : 0;
    const int32_t count = (int32_t)((tile->highest - (float)first) / (float)apart) + 3;
    return (struct gauss_tile_nodes){first, apart, count, GAUSS_LADDER_TOGETHER};
}

static void begin_tile(struct gauss_cpu_node_tile *tile, row_bits *blends)
{
    gauss_cpu_node_places(tile);
    if (tile->highest <= 0.0f) {
        tile->nodes.count = 0;
        return;
    }
    tile->nodes = nodes_of(tile);
    gauss_cpu_node_weigh(tile);
    find_rows(tile, blends);
    memset(tile->pixels, 0, (size_t)tile->picture->channels * PIXELS * sizeof *tile->pixels);
}

static void end_tile(const struct gauss_cpu_node_tile *tile, float *values)
{
    if (tile->nodes.count == 0) {
        gauss_cpu_copy_rows(tile->picture,
                            (struct gauss_cpu_span){tile->x_px, tile->y_px, tile->width_px},
                            tile->height_px);
    } else if (!gauss_cpu_node_write(tile, values)) {
        gauss_cpu_node_gather(tile->picture, tile->sigma_px, tile->x_px, tile->y_px);
    }
}

/* Makes up to TILES tiles. */
static void make_strip(struct strip *strip, int32_t first_px, int32_t y_px)
{
    const struct gauss_frame *frame = &strip->picture->view.frame;
    const int32_t height_px = frame->height_px - y_px < PX ? frame->height_px - y_px : PX;
    strip->count = 0;
    for (int32_t x_px = first_px; x_px < frame->width_px && strip->count < TILES; x_px += PX) {
        struct gauss_cpu_node_tile *tile = &strip->tiles[strip->count];
        tile->picture = strip->picture;
        tile->blend = blend_of(strip->picture);
        tile->is_wide = image_light_is_wide(gauss_plan_light(strip->picture->plan));
        tile->x_px = x_px;
        tile->y_px = y_px;
        tile->width_px = frame->width_px - x_px < PX ? frame->width_px - x_px : PX;
        tile->height_px = height_px;
        strip->count++;
    }
    gauss_cpu_node_sigmas(strip->tiles, strip->count, strip->samples);
    for (int32_t i = 0; i < strip->count; i++) {
        begin_tile(&strip->tiles[i], strip->blends + (ptrdiff_t)i * MAX_NODES);
    }
    blend_nodes(strip);
    for (int32_t i = 0; i < strip->count; i++) {
        end_tile(&strip->tiles[i], strip->values);
    }
}

static void tiles(const struct gauss_cpu_picture *picture, const struct gauss_cpu_ladder *ladder,
                  float *scratch, int32_t y_px)
{
    struct strip strip = {.picture = picture, .ladder = ladder};
    lay_out(scratch, &strip);
    for (int32_t x_px = 0; x_px < picture->view.frame.width_px; x_px += TILES * PX) {
        make_strip(&strip, x_px, y_px);
    }
    gauss_cpu_finish_streams();
}

/* ---- Level 0 */

static void read_rows(const struct gauss_cpu_picture *picture, float *values, int32_t first_row,
                      int32_t end_row)
{
    for (int32_t y = first_row; y < end_row; y++) {
        const struct gauss_cpu_span span = {0, y, picture->view.frame.width_px};
        gauss_cpu_read(picture, &span, values, gauss_cpu_plane_row(picture, 0, 0, y),
                       gauss_cpu_plane(picture));
    }
}

const struct gauss_cpu_nodes GAUSS_CPU_NAME(gauss_cpu_nodes) = {.read_rows = read_rows,
                                                                .tiles = tiles};
#if !defined GAUSS_CPU_AVX2 && !defined GAUSS_CPU_AVX512
size_t gauss_cpu_nodes_floats(void)
{
    struct strip strip;
    return lay_out(NULL, &strip) / sizeof(float);
}
#endif
