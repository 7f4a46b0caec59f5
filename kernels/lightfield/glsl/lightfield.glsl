/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places in the raw picture and samples of it, by kernels/lightfield/README.md. No device needs doubles: what needs
 * them is in tables, and places are whole numbers, of the smallest part of a pixel with which 32 bits have the raw
 * picture, 2^-16 px or less. A place is a lens's centre and how far a pixel is from it, which is small. */

#include "kernels/image/pixel.glsl"

/* enum lightfield_way */
layout(constant_id = 3) const int WAY = 0;
const bool NEAREST = (WAY & 1) != 0;
const bool GREY = (WAY & 2) != 0;
const bool HEXAGONAL = (WAY & 4) != 0;
const bool BLUE_FIRST = (WAY & 8) != 0;
const bool PATCHES = (WAY & 16) != 0;
const bool FOCUS = (WAY & 32) != 0;
const bool CHOOSE = (WAY & 64) != 0;
const bool CONFIDENCE = (WAY & 128) != 0;
const bool KEEP = (WAY & 256) != 0;
const bool BOX = (WAY & 512) != 0;
const int BAYER = WAY >> 10; /* enum fovea_lightfield_bayer */

/* struct lightfield_constants */
layout(push_constant) uniform Constants {
    ivec2 size_px;
    ivec2 lenses;
    vec2 turn;
    float flip;
    float tall;
    float reach_px;
    float pitch_px;
    float most;
    float white;
    vec2 gaze_px;
    float full_square;
    float next_square;
    float given_px;
    float step_px;
    int all_range;
    int place_bits;
    vec2 view_px;
    float factor;
    int size_count;
    int apart;
    float left;
    float hysteresis_px;
    float start_px;
    ivec4 window;
};

layout(set = 0, binding = 0) uniform texture2D raw_picture;
layout(set = 0, binding = 8) uniform sampler gathers;

/* lightfield_glsl_fill: from a lens's centre to the one 5 before .. 5 behind it, x and y along columns and along rows;
 * then of each column of the picture, in straight rows of lenses and in shifted ones, and of each row: the nearest
 * lens, how far the pixel is from it in lenses, and where its centre is; then the same of each lens. */
layout(std430, set = 0, binding = 2) readonly buffer Tables {
    ivec4 table[];
};
const int RANGE_MAX = 5; /* LIGHTFIELD_RANGE_MAX */
const int STEPS = 2 * RANGE_MAX + 1;

/* binding 3: costs; 7: what is in focus, which begins as zeros */
layout(std430, set = 0, binding = 3) buffer Costs {
    float costs[];
};
layout(std430, set = 0, binding = 7) buffer Focus {
    float focus_px;
    float wanted_px;
    int was_there;
    int unused;
};

const float NO_COST = 3.0e38; /* of a patch size that is not compared */

/* Threads of a workgroup, where each has a pixel. LIGHTFIELD_GROUP_WIDTH, _HEIGHT */
const int GROUP_WIDTH = 32;
const int GROUP_HEIGHT = 8;

/* ---- Places */

struct spot {
    ivec4 columns[2]; /* in straight rows of lenses, and in shifted ones */
    ivec4 row;
};

spot spot_of(ivec2 pixel)
{
    ivec4 straight = table[STEPS + pixel.x];
    ivec4 shifted = HEXAGONAL ? table[STEPS + size_px.x + pixel.x] : straight;
    return spot(ivec4[2](straight, shifted), table[STEPS + 2 * size_px.x + pixel.y]);
}

bool is_shifted(int row)
{
    return HEXAGONAL && (row & 1) != 0;
}

ivec4 column_of(spot at, int row)
{
    return is_shifted(row) ? at.columns[1] : at.columns[0];
}

/* Lenses so far away have a place of the patch in their micro-image. */
bool is_within(int away, float patch_px)
{
    return away == 0 || float(2 * abs(away) + 1) * patch_px <= reach_px;
}

/* Distances from the centre of a lens that is so far from the nearest. */
float along_columns(ivec4 column, int right, float patch_px)
{
    return flip * (intBitsToFloat(column.y) - float(right)) * patch_px;
}

float along_rows(ivec4 row, int down, float patch_px)
{
    return flip * (intBitsToFloat(row.y) - float(down)) * patch_px * tall;
}

ivec2 fixed_of(vec2 px)
{
    return ivec2(round(px * float(1 << place_bits)));
}

/* The two parts of a place. */
ivec2 column_place(ivec4 column, int right, float from_px)
{
    return column.zw + table[RANGE_MAX + right].xy + fixed_of(turn * from_px);
}

ivec2 row_place(ivec4 row, int down, float from_px)
{
    return row.zw + table[RANGE_MAX + down].zw + fixed_of(vec2(-turn.y, turn.x) * from_px);
}

/* The two parts of a lens's centre. */
ivec2 column_center(int column, int row)
{
    int first = STEPS + 2 * size_px.x + size_px.y + (is_shifted(row) ? lenses.x : 0);
    return table[first + column].zw;
}

ivec2 row_center(int row)
{
    return table[STEPS + 2 * size_px.x + size_px.y + 2 * lenses.x + row].zw;
}

/* Lenses to each side that count, by the nearest lens's distance from the gaze. */
int range_of(spot at, int range)
{
    float shift = is_shifted(at.row.x) ? 0.5 : 0.0;
    vec2 lens = vec2(float(column_of(at, at.row.x).x) + shift, float(at.row.x)) + 0.5;
    vec2 away_px = lens / vec2(lenses) * vec2(size_px) - gaze_px;
    float square = dot(away_px, away_px);
    return square <= full_square ? range : min(range, square <= next_square ? 1 : 0);
}

/* ---- Samples, in levels */

/* round() is a conversion, of which GPUs make few at once: this sum has no bits left for parts. */
vec4 whole_of(vec4 levels)
{
    precise vec4 moved = levels + 12582912.0; /* 1.5 * 2^23 */
    precise vec4 whole = moved - 12582912.0;
    return whole;
}

/* Sums of whole levels are exact, and of equal costs the first is the least. */
vec4 levels_of(vec4 color)
{
    vec4 levels = color * most;
    return min(NEAREST ? whole_of(levels) : levels, vec4(white));
}

vec4 texel(ivec2 at)
{
    vec4 color = texelFetch(raw_picture, at, 0);
    return levels_of(GREY ? color.rrrr : color);
}

/* One channel of two by two pixels, by one load: w z above, x y below. Its corner lies half a pixel from where any other
 * pixel's begins, so that nothing is rounded to another one. */
vec4 four_at(ivec2 first)
{
    vec2 corner = vec2(first + 1) * (1.0 / vec2(textureSize(raw_picture, 0)));
    return levels_of(textureGather(sampler2D(raw_picture, gathers), corner));
}

/* Between equal values it is that value, which mix may round: of a wall no patch size costs more than another. */
vec4 between(vec4 a, vec4 b, vec4 part)
{
    return a + part * (b - a);
}

/* Each of the four pixels of a mosaic's square is a lattice of one colour. Any two by two pixels have one of each, so
 * that the four between which each lattice is interpolated are two by two such squares; `first` is the first pixel. */
vec4 lattices_at(ivec2 place, out ivec2 first)
{
    ivec2 at = place - (1 << place_bits) / 2;
    ivec2 last = textureSize(raw_picture, 0) - 1;
    if (NEAREST) {
        first = clamp(at >> place_bits, ivec2(0), last - 1);
        return four_at(first);
    }
    first = clamp((at >> place_bits) - 1, ivec2(0), last - 3);
    vec2 from = vec2(at - (first << place_bits)) / float(2 << place_bits);
    vec4 part = clamp(vec4(from, from - 0.5), 0.0, 1.0);
    vec4 above = between(four_at(first), four_at(first + ivec2(2, 0)), part.xzzx);
    vec4 below = between(four_at(first + ivec2(0, 2)), four_at(first + 2), part.xzzx);
    return between(above, below, part.wwyy);
}

vec3 mosaic_at(ivec2 place)
{
    ivec2 first;
    vec4 four = lattices_at(place, first);
    ivec2 red = (ivec2(BAYER - 1, (BAYER - 1) >> 1) ^ first) & 1;
    four = red.x != 0 ? four.yxwz : four;
    four = red.y != 0 ? four.wzyx : four;
    return vec3(four.w, 0.5 * (four.z + four.x), four.y);
}

vec3 raw_at(ivec2 place)
{
    if (BAYER != 0) {
        return mosaic_at(place);
    }
    ivec2 last = textureSize(raw_picture, 0) - 1;
    if (NEAREST) {
        return texel(clamp(place >> place_bits, ivec2(0), last)).rgb;
    }
    ivec2 at = clamp(place - (1 << place_bits) / 2, ivec2(0), last << place_bits);
    ivec2 first = min(at >> place_bits, last - 1);
    vec2 part = vec2(at - (first << place_bits)) / float(1 << place_bits);
    if (GREY) {
        vec4 four = four_at(first);
        vec4 rows = between(four.wxwx, four.zyzy, part.xxxx);
        return between(rows.xxxx, rows.yyyy, part.yyyy).rgb;
    }
    vec4 above = between(texel(first), texel(first + ivec2(1, 0)), part.xxxx);
    vec4 below = between(texel(first + ivec2(0, 1)), texel(first + ivec2(1, 1)), part.xxxx);
    return between(above, below, part.yyyy).rgb;
}

/* ---- Differences of patch sizes */

float apart_of(vec3 a, vec3 b)
{
    vec3 difference = abs(a - b);
    return difference.x + difference.y + difference.z;
}

/* The lenses next to the nearest count always, or there would be nothing to compare. */
bool is_compared(int away, float patch_px)
{
    return abs(away) <= 1 || is_within(away, patch_px);
}
