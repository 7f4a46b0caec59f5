#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The last step blends 16x16 pixels from the few nodes of the ladder around their sigmas.
 *
 * Workgroup: 64 threads for a tile of 16x16 pixels, four pixels of a column each;
 * 13 KB: window[24][29] of samples, sums[24][17], weights across and down. Tiles of fragments begin where fragments do:
 * one of 16 px and more that is a multiple has one sigma then, and one of 8 px four at most.
 * PICTURED: sigma comes from a picture of them and not from the law. LAYERED: it, the picture and the result lie
 * among the samples.
 *
 * A node's picture is two sums of a window of samples of its level, across and down, blur and up-sampling at once;
 * each pixel blends the nodes' pictures. The cost depends on the number of nodes and not on sigma. The issue
 * of instructions bounds it; registers and shared memory leave room for eight or nine workgroups a multiprocessor. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#define FOR_ONE_LAW
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "gaze_latched.glsl"
#include "tiles.glsl"
#include "gather.glsl"
#include "ladder.glsl"

const int TILE = SHADER_NODE_TILE_PX;
const int EACH = 4; /* outputs that a thread sums at once */
const int GROUPS = TILE / EACH;
const int THREADS = TILE * GROUPS;
layout(local_size_x = THREADS) in;

/* Beyond it lies a tenth of a level of stored values (gauss/pyramid.h),
 * where a Gaussian has many samples. Layers are floats. */
const float REACH_STORED = LIGHT || LADDER_FLOATS ? REACH : 3.5;

/* Samples at a time. Less shared memory is more workgroups at once; larger windows, of level 0 and of light above all,
 * are summed in parts. */
const int COLUMNS = 28;
const int ROWS = 24;
/* Odd pitches: neighbours down a column have no bank conflicts. */
const int PITCH = COLUMNS + 1;
const int SUM_PITCH = TILE + 1;

shared uvec2 window[ROWS * PITCH];
shared uvec2 sums[ROWS * SUM_PITCH]; /* each row of the window, for the tile's columns */
/* A sample's weights in each pixel, across and then down, and zeros after the last. */
const int DOWN = (COLUMNS + 1) * GROUPS;
shared vec4 weights[DOWN + (ROWS + 1) * GROUPS];
shared vec4 totals[4 * GROUPS]; /* sums of a pixel's weights: of even samples, then of odd ones */
shared uint sigmas_bits[LADDER_TOGETHER]; /* the least of the tile, then those above it if few are all */
shared uint highest_bits;
shared uint seen_groups[LADDER_TOGETHER]; /* a bit for each group across that has pixels of the tile's sigma */

const uint NO_SIGMA = 0x7f800000u; /* above all others */

/* Otherwise nodes take level 0 from the picture itself. */
const bool LEVEL_0_IS_STORED = LIGHT_WIDE || LADDER_FLOATS;

void add(inout vec4 sum, float weight, vec4 value)
{
    sum.xyz += weight * value.xyz;
    if (AVERAGE_ALPHA) {
        sum.w += weight * value.w;
    }
}

/* A node's source: a level, and a Gaussian in its samples, which are counted from the one that the tile begins in. */
struct node_of_level {
    int level;
    float per_px; /* samples a pixel */
    float reach;
    float falloff; /* of powers of 2 */
    float log_scale; /* of weights, which sum up to about 1, so that halves hold sums of any */
    ivec2 origin; /* that sample */
    ivec2 phase_px; /* the tile's first pixel in it */
};

node_of_level node_of(float sigma_px, ivec2 tile_px)
{
    int k = level_for(sigma_px);
    float per_px = exp2(-float(k));
    float residual = max(sqrt(sigma_px * sigma_px - level_variance(k)) * per_px, 0.05);
    float reach = residual * (residual < RESIDUAL ? REACH : REACH_STORED);
    /* gauss_node_reach */
    reach = residual >= 0.4 ? max(reach, 2.01) : reach;
    ivec2 origin = tile_px >> k;
    return node_of_level(k, per_px, reach, -0.72134752 / (residual * residual),
                         log2(min(0.36 / residual, 0.9)), origin,
                         tile_px - (origin << k));
}

float place_among(node_of_level node, int px)
{
    return (float(px) + 0.5) * node.per_px - 0.5;
}

/* Returns the first sample that a pixel sees, and the one after the last. */
int first_seen(node_of_level node, int px)
{
    return int(ceil(place_among(node, px) - node.reach));
}

int end_seen(node_of_level node, int px)
{
    return int(floor(place_among(node, px) + node.reach)) + 1;
}

/* Loads a part of a level. */
struct part {
    int level;
    ivec2 origin;
    ivec2 first;
    ivec2 end;
};

/* Loads of four rows are issued before the first is used. */
const int AT_ONCE = 4;

/* The level's numbers are asked for once: drivers ask again for each sample. */
void load_window(part p)
{
    int thread = int(gl_LocalInvocationIndex);
    int bits = p.end.x - p.first.x > 16 ? 5 : 4;
    int rows = THREADS >> bits;
    int x = p.first.x + (thread & ((1 << bits) - 1));
    if (x >= p.end.x) {
        return;
    }
    bool stored = p.level > 0 || LEVEL_0_IS_STORED;
    gauss_level from = levels[p.level];
    int margin = level_margin(p.level);
    int column = from.first + clamp(p.origin.x + x, -margin, from.width + margin - 1) + margin;
    for (int y = p.first.y + (thread >> bits); y < p.end.y; y += AT_ONCE * rows) {
        uvec2 four[AT_ONCE];
        if (stored) {
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                int row = p.origin.y + min(y + n * rows, p.end.y - 1);
                four[n] = samples[column + (clamp(row, -margin, from.height + margin - 1) + margin) * from.pitch];
            }
        } else {
            uvec4 raw[AT_ONCE];
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                raw[n] = fetch_pixel(p.origin + ivec2(x, min(y + n * rows, p.end.y - 1)));
            }
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                four[n] = halves_of(sample_of(raw[n]));
            }
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            if (y + n * rows < p.end.y) {
                window[(y + n * rows - p.first.y) * PITCH + x - p.first.x] = four[n];
            }
        }
    }
}

/* A thread makes every other weight of a pixel along an axis. Weights out of reach are zeros if others of the group
 * reach the sample, and for the one after those. */
void fill_weights(node_of_level node, part p)
{
    int thread = int(gl_LocalInvocationIndex);
    bool odd = thread >= 2 * TILE;
    bool down = thread % (2 * TILE) >= TILE;
    int own = thread % TILE;
    int group = own / EACH;
    int px = (down ? node.phase_px.y : node.phase_px.x) + own;
    int group_px = px - own % EACH;
    int first = down ? p.first.y : p.first.x;
    int count = (down ? p.end.y : p.end.x) - first;
    int to = (down ? DOWN : 0) + group;
    int end = end_seen(node, group_px + EACH - 1);
    float centre = place_among(node, px);
    float total = 0.0;
    for (int s = first_seen(node, group_px) + (odd ? 1 : 0); s <= end; s += 2) {
        float apart = float(s) - centre;
        float weight = abs(apart) <= node.reach ? exp2(node.falloff * apart * apart + node.log_scale) : 0.0;
        total += weight;
        int at = s - first;
        if (at >= 0 && at <= count) {
            weights[at * GROUPS + to][own % EACH] = at < count ? weight : 0.0;
        }
    }
    totals[(odd ? 2 * GROUPS : 0) + (down ? GROUPS : 0) + group][own % EACH] = total;
}

void add_to_four(inout vec4 four[EACH], vec4 weight, vec4 value)
{
    [[unroll]] for (int n = 0; n < EACH; n++) {
        add(four[n], weight[n], value);
    }
}

/* Sums four pixels of each row of samples across, in those groups of columns that have pixels of the node. Neighbouring
 * threads have neighbouring rows and the same weights. Four samples at a time and then two, here and down: a driver that
 * unrolls loops itself takes a fifth more registers. */
void sum_across(node_of_level node, part p, ivec2 offset, bool first_part, uint groups)
{
    int first_group = findLSB(groups);
    int rows = p.end.y - p.first.y;
    int count = rows * (findMSB(groups) - first_group + 1);
    float per_row = 1.0 / float(rows);
    for (int i = int(gl_LocalInvocationIndex); i < count; i += THREADS) {
        int group = int((float(i) + 0.5) * per_row);
        int row = i - group * rows;
        group += first_group;
        int px = node.phase_px.x + group * EACH;
        int s = max(first_seen(node, px), p.first.x) - p.first.x;
        int end = min(end_seen(node, px + EACH - 1), p.end.x) - p.first.x;
        int at = (row + offset.y) * PITCH + offset.x;
        int to = row * SUM_PITCH + group * EACH;
        vec4 four[EACH];
        [[unroll]] for (int n = 0; n < EACH; n++) {
            four[n] = vec4(0.0);
        }
        for (; s + 4 <= end; s += 4) {
            uvec2 read[4];
            vec4 weight[4];
            [[unroll]] for (int n = 0; n < 4; n++) {
                read[n] = window[at + s + n];
                weight[n] = weights[(s + n) * GROUPS + group];
            }
            [[unroll]] for (int n = 0; n < 4; n++) {
                add_to_four(four, weight[n], of_halves(read[n]));
            }
        }
        for (; s < end; s += 2) {
            uvec2 one = window[at + s];
            uvec2 next = window[at + min(s + 1, end - 1)];
            vec4 weight = weights[s * GROUPS + group];
            vec4 next_weight = weights[(s + 1) * GROUPS + group];
            add_to_four(four, weight, of_halves(one));
            add_to_four(four, next_weight, of_halves(next));
        }
        if (!first_part) {
            [[unroll]] for (int n = 0; n < EACH; n++) {
                four[n] += of_halves(sums[to + n]);
            }
        }
        [[unroll]] for (int n = 0; n < EACH; n++) {
            sums[to + n] = halves_of(four[n]);
        }
    }
}

/* Sums a thread's four pixels, one below the other. */
void sum_down(node_of_level node, part p, inout vec4 made[EACH])
{
    int column = int(gl_LocalInvocationIndex) % TILE;
    int group = int(gl_LocalInvocationIndex) / TILE;
    int px = node.phase_px.y + group * EACH;
    int s = max(first_seen(node, px), p.first.y) - p.first.y;
    int end = min(end_seen(node, px + EACH - 1), p.end.y) - p.first.y;
    for (; s + 4 <= end; s += 4) {
        uvec2 read[4];
        vec4 weight[4];
        [[unroll]] for (int n = 0; n < 4; n++) {
            read[n] = sums[(s + n) * SUM_PITCH + column];
            weight[n] = weights[DOWN + (s + n) * GROUPS + group];
        }
        [[unroll]] for (int n = 0; n < 4; n++) {
            add_to_four(made, weight[n], of_halves(read[n]));
        }
    }
    for (; s < end; s += 2) {
        uvec2 one = sums[s * SUM_PITCH + column];
        uvec2 next = sums[min(s + 1, end - 1) * SUM_PITCH + column];
        vec4 weight = weights[DOWN + s * GROUPS + group];
        vec4 next_weight = weights[DOWN + (s + 1) * GROUPS + group];
        add_to_four(made, weight, of_halves(one));
        add_to_four(made, next_weight, of_halves(next));
    }
}

/* Returns what sums of a thread's pixels are multiplied by: their weights' sums along both axes are not 1. */
vec4 scales()
{
    int column = int(gl_LocalInvocationIndex) % TILE;
    int across = column / EACH;
    int down = GROUPS + int(gl_LocalInvocationIndex) / TILE;
    float total = totals[across][column % EACH] + totals[2 * GROUPS + across][column % EACH];
    return 1.0 / (total * (totals[down] + totals[2 * GROUPS + down]));
}

/* Returns the root that wide light is blended by. A layer's coverage, too: what is divided by it must come out of the
 * same blend, of a ten-thousandth of it as well. */
vec4 roots(vec4 light)
{
    return vec4(sqrt(max(light.rgb, 0.0)), LAYERS ? sqrt(max(light.a, 0.0)) : light.a);
}

/* Adds the node's picture at a thread's pixels, by their shares. `loaded` says what the window holds, and `own` which of
 * the tile's own sigmas the node is; below 0 it may be any pixel's. */
void add_node(node_of_level node, vec4 shares, int own, inout part loaded, inout vec4 values[EACH])
{
    bool wanted = any(notEqual(shares, vec4(0.0)));
    ivec2 end_px = node.phase_px + TILE - 1;
    ivec2 first = ivec2(first_seen(node, node.phase_px.x), first_seen(node, node.phase_px.y));
    ivec2 end = ivec2(end_seen(node, end_px.x), end_seen(node, end_px.y));
    ivec2 each = end - first;
    if (each.x > COLUMNS || each.y > ROWS) {
        ivec2 parts = (each - 1) / ivec2(COLUMNS, ROWS) + 1;
        each = (each - 1) / parts + 1;
    }
    vec4 wide[EACH];
    if (LIGHT_WIDE) {
        [[unroll]] for (int n = 0; n < EACH; n++) {
            wide[n] = vec4(0.0);
        }
    }
    for (int y = first.y; y < end.y; y += each.y) {
        part p;
        for (int x = first.x; x < end.x; x += each.x) {
            p = part(node.level, node.origin, ivec2(x, y), min(ivec2(x, y) + each, end));
            barrier();
            if (p.level != loaded.level || any(lessThan(p.first, loaded.first)) ||
                any(greaterThan(p.end, loaded.end))) {
                load_window(p);
                loaded = p;
            }
            fill_weights(node, p);
            barrier();
            uint groups = own >= 0 ? seen_groups[own] : (1u << GROUPS) - 1u;
            sum_across(node, p, p.first - loaded.first, x == first.x, groups);
        }
        barrier();
        if (wanted) {
            vec4 scale = shares * scales();
            vec4 sum[EACH];
            [[unroll]] for (int n = 0; n < EACH; n++) {
                sum[n] = LIGHT_WIDE ? wide[n] : vec4(0.0);
            }
            sum_down(node, p, sum);
            [[unroll]] for (int n = 0; n < EACH; n++) {
                if (LIGHT_WIDE) {
                    wide[n] = sum[n];
                } else {
                    values[n] += scale[n] * sum[n];
                }
            }
        }
    }
    if (LIGHT_WIDE) {
        vec4 scale = scales();
        [[unroll]] for (int n = 0; n < EACH; n++) {
            values[n] += shares[n] * roots(wide[n] * scale[n]);
        }
    }
}

#if defined(LAYERED)
float sigma_of(gauss_frame frame, ivec2 pixel)
{
    ivec2 inside = min(pixel, ivec2(frame.width_px, frame.height_px) - 1);
    float value = uintBitsToFloat(samples[layer_sigmas + inside.y * frame.width_px + inside.x].y);
    return value >= 0.1 ? min(value, law_table[0]) : 0.0;
}
#elif defined(PICTURED)
layout(set = 0, binding = 6) uniform texture2D sigmas; /* one of the view's size */

/* Does gauss_law_pictured. GLSL leaves open what min and max make of NaN. */
float sigma_of(gauss_frame frame, ivec2 pixel)
{
    float value = texelFetch(sigmas, min(pixel, ivec2(frame.width_px, frame.height_px) - 1), 0).r;
    return value >= 0.1 ? min(value, law_table[0]) : 0.0;
}
#else
#define BY_LAW
#endif

/* A tile has parts of so many fragments along an axis, since these have 4 px and more. */
const int FRAGMENTS = (TILE - 2) / 4 + 2;
const int FRAGMENTS_PITCH = 8; /* of which a division is a shift */
shared float fragment_sigmas[FRAGMENTS * FRAGMENTS_PITCH];

bool in_picture(ivec2 pixel)
{
    return all(greaterThanEqual(pixel, ivec2(0))) &&
           all(lessThan(pixel, ivec2(frame.width_px, frame.height_px)));
}

/* Returns sigma of a pixel that has a neighbour within its reach, or 0: it is copied. Of layers all are blended: what is
 * in focus weighs a thirtieth of what is beside it. */
float sigma_seen(float sigma_px, ivec2 pixel)
{
    return in_picture(pixel) && (LAYERS || sigma_px * REACH >= 1.0) ? sigma_px : 0.0;
}

/* A tile's nodes: its own sigmas, of which a pixel takes one, or some of the ladder. */
struct own_nodes {
    tile_nodes nodes;
    bool own;
};

float node_sigma_px(own_nodes all, int i)
{
    return all.own ? uintBitsToFloat(sigmas_bits[i])
                   : ladder_sigma_px(all.nodes.first + i * all.nodes.apart);
}

/* Returns a node's shares in a thread's pixels. They are found at each node: kept, they would be looked up by an index,
 * which is an array in memory to drivers. */
vec4 shares_of(own_nodes all, int i, float node_px, vec4 sigmas_px, vec4 places)
{
    if (all.own) {
        return vec4(equal(sigmas_px, vec4(node_px)));
    }
    vec4 shares = mix(ladder_shares(all.nodes, i, places), vec4(0.0), equal(sigmas_px, vec4(0.0)));
    float close = LADDER_FLOATS ? ladder_close(all.nodes, i) : 0.0;
    if (close != 0.0) { /* in few nodes, of the whole workgroup */
        shares += close * ladder_close_factors(places);
    }
    return shares;
}

void blend(own_nodes all, vec4 sigmas_px, ivec2 tile_px, out vec4 values[EACH])
{
    part loaded = part(-1, ivec2(0), ivec2(0), ivec2(0));
    vec4 places;
    [[unroll]] for (int n = 0; n < EACH; n++) {
        places[n] = all.own ? 0.0 : ladder_place_among(all.nodes, sigmas_px[n]);
    }
    [[unroll]] for (int n = 0; n < EACH; n++) {
        values[n] = vec4(0.0);
    }
    /* The largest node comes first: those after it see a part of its window of a level. */
    for (int i = all.nodes.count - 1; i >= 0; i--) {
        float node_px = node_sigma_px(all, i);
        vec4 shares = shares_of(all, i, node_px, sigmas_px, places);
        int own = all.own && all.nodes.count > 1 ? i : -1;
        add_node(node_of(node_px, tile_px), shares, own, loaded, values);
    }
    [[unroll]] for (int n = 0; n < EACH; n++) {
        values[n] += sample_zero();
    }
}

bool is_finite(vec4 value)
{
    return all(notEqual(floatBitsToUint(value) & 0x7f800000u, uvec4(0x7f800000u)));
}

/* Blending overshoots black and white a little. */
vec4 as_stored(vec4 value)
{
    if (LADDER_FLOATS) {
        return value;
    }
    if (LIGHT) {
        vec3 root = max(value.rgb, 0.0);
        vec3 light = LIGHT_WIDE ? root * root : root;
        return from_light(vec4(light, clamp(value.a, 0.0, 1.0)), frame.light_value);
    }
    float opaque = PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 255.0;
    return clamp(value, vec4(0.0), vec4(vec3(pixel_white()), opaque));
}

/* Values that are not finite must reach only those pixels that see them. */
uvec4 made_raw(ivec2 pixel, float sigma_px, vec4 value, uvec4 raw)
{
    bool sees_others = LADDER_FLOATS && !is_finite(value);
    return encode(sees_others ? gather(pixel, sigma_px) : as_stored(value), raw);
}

/* Returns a pixel as it is. */
uvec4 raw_of(ivec2 pixel)
{
    return LAYERS ? uvec4(samples[sample_index(0, pixel.x, pixel.y)], 0, 0) : fetch_pixel(pixel);
}

void put(ivec2 pixel, bool blurred, float sigma_px, vec4 value, uvec4 raw)
{
#ifdef LAYERED
    vec4 root = max(value, 0.0);
    vec4 made = LIGHT_WIDE ? root * root : value;
    if (blurred && !is_finite(value)) {
        made = gather(pixel, sigma_px);
    }
    samples[layer_made + pixel.y * frame.width_px + pixel.x] = blurred ? halves_of(made) : raw.xy;
#else
    imageStore(result, place_of(frame, pixel),
               blurred ? made_raw(pixel, sigma_px, value, raw) : raw);
#endif
}

/* Returns sigmas of a thread's pixels, and has a barrier. Those of fragments are found once for all their pixels.
 * The law is long: drivers compile it once where it stands in one place, in a loop that stays one. */
vec4 find_sigmas(gauss_frame seen, ivec2 shift, ivec2 own_px, ivec2 tile_px)
{
    vec4 found = vec4(0.0);
#ifdef BY_LAW
    int thread = int(gl_LocalInvocationIndex);
    int side_px = seen.fragment_px;
    bool by_fragments = side_px > 0;
    ivec2 first = ivec2(0);
    ivec2 middle = ivec2(0);
    if (by_fragments) {
        first = ivec2((vec2(tile_px + shift) + 0.5) / float(side_px)); /* exact below 2^20 */
        middle = grid_middle_of(first + ivec2(thread % FRAGMENTS_PITCH, thread / FRAGMENTS_PITCH), shift, side_px);
    }
    bool has_fragment = thread < FRAGMENTS * FRAGMENTS_PITCH;
    int laws = !by_fragments ? EACH : has_fragment ? 1 : 0;
    [[dont_unroll]] for (int n = 0; n < laws; n++) {
        float sigma_px = law_sigma_at(seen, own_px + ivec2(0, n), middle);
        found = vec4(found.yzw, sigma_px);
    }
    if (by_fragments && has_fragment) {
        fragment_sigmas[thread] = found.w;
    }
    barrier();
    if (by_fragments) {
        vec2 inside = vec2(own_px + shift - first * side_px) + 0.5;
        float per_px = 1.0 / float(side_px);
        int column = int(inside.x * per_px);
        [[unroll]] for (int n = 0; n < EACH; n++) {
            found[n] = fragment_sigmas[int((inside.y + float(n)) * per_px) * FRAGMENTS_PITCH + column];
        }
    }
#else
    [[unroll]] for (int n = 0; n < EACH; n++) {
        found[n] = sigma_of(frame, own_px + ivec2(0, n));
    }
    barrier();
#endif
    return found;
}

/* Finds a tile's nodes. Those of fragments are their sigmas, if the ladder has no fewer nodes for the tile: they are
 * found one after the other, by sigmas_bits. The only sigma of a tile is its node, too, as others around it would
 * have weights below 0. */
own_nodes find_nodes(vec4 sigmas_px)
{
    uint lowest = sigmas_bits[0];
    uint highest = highest_bits;
    if (lowest >= highest) {
        return own_nodes(tile_nodes(0, 1, highest > 0u ? 1 : 0, 1), true);
    }
    int count = 1;
    uint last = lowest;
    int most = frame.fragment_px > 0 ? LADDER_TOGETHER : 1;
    for (; count < most && last < highest; count++) {
        uint next = NO_SIGMA;
        [[unroll]] for (int n = 0; n < EACH; n++) {
            uint bits = floatBitsToUint(sigmas_px[n]);
            next = bits > last ? min(next, bits) : next;
        }
        atomicMin(sigmas_bits[count], next);
        barrier();
        last = sigmas_bits[count];
    }
    if (last < highest || count > 2) { /* two are never fewer on the ladder */
        tile_nodes nodes = ladder_nodes(ladder_place(uintBitsToFloat(lowest)),
                                        ladder_place(uintBitsToFloat(highest)));
        if (last < highest || nodes.count < count) {
            return own_nodes(nodes, false);
        }
    }
    int group = int(gl_LocalInvocationIndex) % TILE / EACH;
    for (int i = 0; i < count; i++) {
        if (any(equal(sigmas_px, vec4(uintBitsToFloat(sigmas_bits[i]))))) {
            atomicOr(seen_groups[i], 1u << group);
        }
    }
    return own_nodes(tile_nodes(0, 1, count, 1), true);
}

void main()
{
#ifdef LAYERED
    if (samples[layer_wanted].x == 0u) {
        return;
    }
#endif
    int thread = int(gl_LocalInvocationIndex);
    ivec2 tile_px = ivec2(gl_WorkGroupID.xy) * TILE;
    gauss_frame seen = frame;
    ivec2 shift = ivec2(0);
#ifdef BY_LAW
    seen = frame_now(frame);
    if (seen.fragment_px > 0) {
        shift = seen.late != 0 ? grid_shifts(seen) : ivec2(shift_x_px, shift_y_px);
        tile_px -= shift % TILE;
    }
#endif
    ivec2 own_px = tile_px + ivec2(thread % TILE, thread / TILE * EACH);
    if (thread < LADDER_TOGETHER) {
        sigmas_bits[thread] = NO_SIGMA;
        seen_groups[thread] = 0u;
    }
    if (thread == 0) {
        highest_bits = 0u;
    }
    vec4 sigmas_px = find_sigmas(seen, shift, own_px, tile_px);
    uint lowest = NO_SIGMA;
    uint highest = 0u;
    [[unroll]] for (int n = 0; n < EACH; n++) {
        sigmas_px[n] = sigma_seen(sigmas_px[n], own_px + ivec2(0, n));
        uint bits = floatBitsToUint(sigmas_px[n]);
        lowest = bits > 0u ? min(lowest, bits) : lowest;
        highest = max(highest, bits);
    }
    atomicMin(sigmas_bits[0], lowest);
    atomicMax(highest_bits, highest);
    barrier();

    /* Until the blend ends this is the same for the whole workgroup, so that all or none reach the barriers. */
    own_nodes all = find_nodes(sigmas_px);
    if (!LEVEL_0_IS_STORED && all.nodes.count > 0 && level_for(node_sigma_px(all, 0)) == 0) {
        fill_light(THREADS);
    }
    vec4 values[EACH];
    blend(all, sigmas_px, tile_px, values);
    uvec4 raw[EACH];
    [[unroll]] for (int n = 0; n < EACH; n++) {
        raw[n] = raw_of(own_px + ivec2(0, n));
    }
    [[dont_unroll]] for (int n = 0; n < EACH; n++) {
        ivec2 pixel = own_px + ivec2(0, n);
        if (in_picture(pixel)) {
            vec4 value = n == 0 ? values[0] : n == 1 ? values[1] : n == 2 ? values[2] : values[3];
            uvec4 before = n == 0 ? raw[0] : n == 1 ? raw[1] : n == 2 ? raw[2] : raw[3];
            float sigma_px = n == 0   ? sigmas_px.x
                             : n == 1 ? sigmas_px.y
                             : n == 2 ? sigmas_px.z
                                      : sigmas_px.w;
            put(pixel, sigma_px > 0.0, sigma_px, value, before);
        }
    }
}
