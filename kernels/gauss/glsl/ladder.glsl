/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ladder of nodes: gauss/plan/ladder.h in GLSL. Include it after gauss/glsl/levels.glsl. */

const float LADDER_PER_OCTAVE = 16.0;
const int LADDER_TOGETHER = 4;
const bool LADDER_FLOATS = PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F;
const float LADDER_FAR = LIGHT_WIDE ? 41.0 : LADDER_FLOATS ? 37.0 : 16.0;
const float LADDER_WIDE_PX = 0.1;

/* Returns the sum of the sampled Gaussian. */
float ladder_sum(float sigma)
{
    if (sigma < 0.1) {
        return 1.0;
    }
    float q = exp(-0.5 / (sigma * sigma));
    float q4 = q * q * q * q;
    return sigma > 0.8 ? 2.50662827 * sigma : 1.0 + 2.0 * (q + q4 * (1.0 + q4 * q));
}

/* Returns the place of a sigma. */
float ladder_place(float sigma_px)
{
    float w = LIGHT_WIDE ? max(sigma_px * (1.0 / LADDER_WIDE_PX), 1.0) : ladder_sum(sigma_px);
    return LADDER_PER_OCTAVE * log2(w);
}

/* Sigmas of the first nodes, by gauss_ladder_sigma_px; beyond them the sum is sqrt(2 pi) sigma. */
const int LADDER_CLOSE = 17;
const float ladder_close_px[LADDER_CLOSE] = float[LADDER_CLOSE](
    0.0, 0.36223703, 0.40189759, 0.432881444, 0.460394188, 0.486295958, 0.511518175, 0.5366214,
    0.561985217, 0.587887466, 0.614541844, 0.642117696, 0.670751759, 0.700556305, 0.731625646,
    0.764041745, 0.797878995);

float ladder_sigma_px(int node)
{
    float octaves = float(node) / LADDER_PER_OCTAVE;
    if (LIGHT_WIDE) {
        return LADDER_WIDE_PX * exp2(octaves);
    }
    return node < LADDER_CLOSE ? ladder_close_px[node] : exp2(octaves - 1.32574806);
}

/* struct gauss_tile_nodes: first, first + apart, .. */
struct tile_nodes {
    int first;
    int apart;
    int count;
    int together; /* a pixel blends so many neighbours of them */
};

/* gauss_blend_apart */
int ladder_apart(bool is_far, int nodes)
{
    if (LIGHT_WIDE) {
        return nodes == 2 ? 0 : nodes == 3 ? 1 : nodes == 4 || !is_far ? 2 : 3;
    }
    if (LADDER_FLOATS) {
        return nodes == 2 ? 0 : nodes < 5 ? 2 : is_far ? 4 : 3;
    }
    if (is_far) {
        int four = LIGHT ? 4 : 6;
        return nodes == 2 ? 2 : nodes == 3 ? 4 : nodes == 4 ? four : 6;
    }
    if (LIGHT) {
        return nodes - 1;
    }
    return nodes == 2 ? 1 : nodes == 3 ? 3 : nodes == 4 ? 4 : 6;
}

/* gauss_tile_nodes_of */
tile_nodes ladder_nodes(float lowest, float highest)
{
    bool is_far = lowest >= LADDER_FAR;
    int first = int(lowest);
    int reach = int(ceil(highest)) - first;
    if (reach <= 0) {
        return tile_nodes(first, 1, 1, 1);
    }
    for (int n = 2; n <= LADDER_TOGETHER; n++) {
        int apart = (reach + n - 2) / (n - 1);
        if (apart <= ladder_apart(is_far, n)) {
            return tile_nodes(first, apart, n, n);
        }
    }
    int apart = ladder_apart(is_far, LADDER_TOGETHER + 1);
    first = max(first - apart, 0);
    return tile_nodes(first, apart, int((highest - float(first)) / float(apart)) + 3,
                      LADDER_TOGETHER);
}

/* Returns the place of a sigma, counted in nodes of the tile. */
float ladder_place_among(tile_nodes nodes, float sigma_px)
{
    return (ladder_place(sigma_px) - float(nodes.first)) / float(nodes.apart);
}

/* Returns GAUSS_LADDER_CLOSE_0 to _3 for the first nodes of a row that gauss_tile_nodes_close names, else 0. */
float ladder_close(tile_nodes nodes, int i)
{
    bool is_close = nodes.first == 0 && nodes.apart == 3 && nodes.count > nodes.together;
    return !is_close || i > 3 ? 0.0 : i == 0 ? -0.0150 : i == 1 ? 0.0563 : i == 2 ? -0.0686 : 0.0273;
}

/* gauss_ladder_close */
vec4 ladder_close_factors(vec4 places)
{
    vec4 p = min(places, 2.0);
    return p * (p - 1.0) * (p - 2.0) * (p - 3.0);
}

/* Returns the weights of node i for four pixels by their places: gauss_ladder_weights of those that
 * gauss_tile_nodes_at says. `off` is how far a place is beyond the node, as seen from the middle of the
 * pixel's nodes: so a node and its mirror image have one formula. */
vec4 ladder_shares(tile_nodes nodes, int i, vec4 places)
{
    vec4 off = places - float(i);
    if (nodes.together < LADDER_TOGETHER) {
        off = i == 0 ? -off : off;
        return nodes.together == 1   ? vec4(1.0)
               : nodes.together == 2 ? 1.0 + off
               : i == 1              ? (1.0 + off) * (1.0 - off)
                                     : (1.0 + off) * (1.0 + 0.5 * off);
    }
    vec4 among = float(i) - clamp(floor(places) - 1.0, 0.0, float(nodes.count - LADDER_TOGETHER)) - 1.5;
    off = mix(off, -off, lessThan(among, vec4(0.0)));
    vec4 last = mix(0.5 - 0.5 * off, 0.5 + (1.0 / 6.0) * off, greaterThan(abs(among), vec4(1.0)));
    return mix((1.0 + off) * (2.0 + off) * last, vec4(0.0), greaterThan(abs(among), vec4(2.0)));
}
