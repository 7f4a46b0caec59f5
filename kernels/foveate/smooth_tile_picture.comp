#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method, last: the picture. A workgroup loads its tile's window of samples, sums down
 * its columns and then across its rows, each sample with the sigma of its own place, and writes the pixels,
 * or the cubic B-spline through the level's samples. Sigma changes little within a Gaussian's reach, so
 * that the two passes give what one of two dimensions would; where it is so small that it would show, both
 * axes are summed at once. Sums are floats, what lies in shared memory halves. Bound by arithmetic. */

#extension GL_GOOGLE_include_directive : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_levels.glsl"
#include "gaze_latched.glsl"
#include "foveate_tiles.glsl"

const int THREADS = 256;
layout(local_size_x = THREADS) in;

const int GROUP = 4; /* sums that a thread makes at once; the grid of sigma has every fourth sample */
const int BEFORE = 2; /* samples of a level left of and above its tile's first pixel, for the spline */
const ivec2 PLACE_PX = ivec2(SHADER_PLACE_WIDTH_PX, SHADER_PLACE_HEIGHT_PX);

/* The window, afterwards a level's blurred samples; then what was summed down its columns. */
shared uvec2 room[SHADER_TILE_ROOM];
shared float grid[80];
shared float sigma_of_pixel[SHADER_PLACE_WIDTH_PX * SHADER_PLACE_HEIGHT_PX];

foveate_frame now;

struct tile_shape {
    int level;
    ivec2 first; /* output, in samples of the level */
    ivec2 outputs;
    int radius;
    int aside; /* columns of the grid left of the first output, times the group */
    int grid_columns;
    int columns; /* of the window */
    int rows;
    int pitch; /* odd, so that columns meet no conflicts of banks */
    int lines; /* where the sums down begin */
};

tile_shape shape_of(int level, ivec2 first_px, int radius)
{
    tile_shape s;
    s.level = level;
    int side = (level > 1 ? SHADER_TILE_PX : SHADER_PLACE_WIDTH_PX) >> level;
    s.first = level > 0 ? (first_px >> level) - BEFORE : first_px;
    s.outputs = level > 0 ? ivec2(side + 2 * BEFORE) : PLACE_PX;
    s.radius = radius;
    s.aside = (radius + GROUP - 1) / GROUP * GROUP;
    s.grid_columns = (s.outputs.x + 2 * s.aside) / GROUP + 1;
    s.columns = s.outputs.x + 2 * radius;
    s.rows = s.outputs.y + 2 * radius;
    s.pitch = s.columns | 1;
    s.lines = s.rows * s.pitch;
    return s;
}

/* ---- Sigma, at every fourth sample. Of a level: the variance in samples squared. Of the picture: the law
 * before its ramp, whose kinks a grid would smooth away just where the blur begins. */

void fill_grid(tile_shape s)
{
    int rows = s.outputs.y / GROUP + 1;
    for (int i = int(gl_LocalInvocationIndex); i < s.grid_columns * rows; i += THREADS) {
        ivec2 at = GROUP * ivec2(i % s.grid_columns, i / s.grid_columns) - ivec2(s.aside, 0);
        float plain = law_plain(now, (vec2(s.first + at) + 0.5) * float(1 << s.level));
        grid[i] = s.level == 0 ? plain : tile_rest(law_applied(plain), s.level);
    }
}

float variance(tile_shape s, float value)
{
    if (s.level > 0) {
        return value;
    }
    float sigma_px = law_applied(value);
    return sigma_px * sigma_px;
}

/* Of four samples in a row, from the grid's value at the first one towards the next. */
vec4 variances_between(tile_shape s, float first, float next)
{
    vec4 values = first + (next - first) * vec4(0.0, 0.25, 0.5, 0.75);
    return vec4(variance(s, values.x), variance(s, values.y), variance(s, values.z),
                variance(s, values.w));
}

/* ---- The window */

void load_pixels(tile_shape s)
{
    ivec2 first = s.first - s.radius;
    int thread = int(gl_LocalInvocationIndex);
    for (int y = thread / 32; y < s.rows; y += THREADS / 32) {
        for (int x = thread % 32; x < s.columns; x += 32) {
            room[y * s.pitch + x] = halves_of(sample_of(fetch_pixel(first + ivec2(x, y))));
        }
    }
}

void load_level(tile_shape s)
{
    ivec2 first = s.first - s.radius + MARGIN;
    foveate_level from = levels[s.level];
    ivec2 last = ivec2(from.width, from.height) + 2 * MARGIN - 1;
    int thread = int(gl_LocalInvocationIndex);
    for (int y = thread / 32; y < s.rows; y += THREADS / 32) {
        int line = from.first + clamp(first.y + y, 0, last.y) * from.pitch;
        for (int x = thread % 32; x < s.columns; x += 32) {
            room[y * s.pitch + x] = samples[line + clamp(first.x + x, 0, last.x)];
        }
    }
}

/* ---- Gaussians: weights g^(i^2) at distances of i samples */

/* Of the first neighbour. In the picture the Gaussian's own: it is the definition. On levels the weights
 * together must have just the variance v, or the sum of variances does not come out: for a narrow Gaussian
 * exp(-1/(2v)) has less, and a polynomial meets it. */
vec4 first_weights(int level, vec4 v)
{
    vec4 gaussian = exp(-0.5 / max(v, 0.005));
    if (level == 0) {
        return gaussian;
    }
    vec4 narrow = v * 10.55670533 - 13.13284221;
    narrow = v * narrow + 3.22919751;
    narrow = v * narrow + 0.30924196;
    narrow = v * narrow + 0.49422777;
    narrow = v * (v * narrow + 0.50034221);
    return mix(narrow, gaussian, greaterThan(v, vec4(0.6)));
}

/* Of four outputs; from each weight to the next the ratio grows by a constant factor: g, g^3, g^5. */
struct gaussians {
    vec4 weight;
    vec4 ratio;
    vec4 factor;
    vec4 total;
};

void add_pairs(inout vec4 sums[GROUP], inout gaussians g, vec4 left_0, vec4 left_1, vec4 left_2,
               vec4 left_3, vec4 right_0, vec4 right_1, vec4 right_2, vec4 right_3)
{
    sums[0] += g.weight.x * (left_0 + right_0);
    sums[1] += g.weight.y * (left_1 + right_1);
    sums[2] += g.weight.z * (left_2 + right_2);
    sums[3] += g.weight.w * (left_3 + right_3);
    g.total += g.weight;
    g.weight *= g.ratio;
    g.ratio *= g.factor;
}

/* Four outputs of a line from `centre` on, `apart` from each other. The samples left and right of them move
 * on by one for each distance: a ring of four names. */
void blur_four(int level, int centre, int apart, int radius, vec4 v, out vec4 sums[GROUP])
{
    vec4 first = first_weights(level, v);
    gaussians g = gaussians(first, first * first * first, first * first, vec4(0.0));
    vec4 a = of_halves(room[centre]);
    vec4 b = of_halves(room[centre + apart]);
    vec4 c = of_halves(room[centre + 2 * apart]);
    vec4 d = of_halves(room[centre + 3 * apart]);
    vec4 e = a;
    vec4 f = b;
    vec4 h = c;
    vec4 i = d;
    sums = vec4[GROUP](a, b, c, d);
    int before = centre;
    int after = centre + 3 * apart;
    for (int distance = 1; distance <= radius; distance += 4) {
        d = of_halves(room[before - apart]);
        e = of_halves(room[after + apart]);
        add_pairs(sums, g, d, a, b, c, f, h, i, e);
        if (distance + 1 > radius) {
            break;
        }
        c = of_halves(room[before - 2 * apart]);
        f = of_halves(room[after + 2 * apart]);
        add_pairs(sums, g, c, d, a, b, h, i, e, f);
        if (distance + 2 > radius) {
            break;
        }
        b = of_halves(room[before - 3 * apart]);
        h = of_halves(room[after + 3 * apart]);
        add_pairs(sums, g, b, c, d, a, i, e, f, h);
        if (distance + 3 > radius) {
            break;
        }
        before -= 4 * apart;
        after += 4 * apart;
        a = of_halves(room[before]);
        i = of_halves(room[after]);
        add_pairs(sums, g, a, b, c, d, e, f, h, i);
    }
    vec4 scale = 1.0 / (1.0 + 2.0 * g.total);
    sums[0] *= scale.x;
    sums[1] *= scale.y;
    sums[2] *= scale.z;
    sums[3] *= scale.w;
}

/* Down the window's columns, into the lines. */
void blur_down(tile_shape s)
{
    int tasks = s.columns * (s.outputs.y / GROUP);
    for (int i = int(gl_LocalInvocationIndex); i < tasks; i += THREADS) {
        int group = i / s.columns;
        int column = i - group * s.columns;
        int place = column + s.aside - s.radius;
        int at = group * s.grid_columns + place / GROUP;
        float part = float(place % GROUP) / float(GROUP);
        vec4 v = variances_between(
            s, mix(grid[at], grid[at + 1], part),
            mix(grid[at + s.grid_columns], grid[at + s.grid_columns + 1], part));
        vec4 sums[GROUP];
        int row = group * GROUP;
        blur_four(s.level, (row + s.radius) * s.pitch + column, s.pitch, s.radius, v, sums);
        int to = s.lines + row * s.pitch + column;
        room[to] = halves_of(sums[0]);
        room[to + s.pitch] = halves_of(sums[1]);
        room[to + 2 * s.pitch] = halves_of(sums[2]);
        room[to + 3 * s.pitch] = halves_of(sums[3]);
    }
}

/* Four outputs of a row of the lines. */
void blur_across(tile_shape s, int row, int group, out vec4 sums[GROUP])
{
    int at = row / GROUP * s.grid_columns + s.aside / GROUP + group;
    float part = float(row % GROUP) / float(GROUP);
    vec4 v = variances_between(s, mix(grid[at], grid[at + s.grid_columns], part),
                               mix(grid[at + 1], grid[at + s.grid_columns + 1], part));
    blur_four(s.level, s.lines + row * s.pitch + group * GROUP + s.radius, 1, s.radius, v, sums);
}

/* ---- Pixels */

bool in_picture(ivec2 pixel)
{
    return pixel.x < frame.width_px && pixel.y < frame.height_px;
}

/* raw: the source's pixel, where alpha is kept. */
void store_over(ivec2 pixel, vec4 value, uvec4 raw)
{
    value = LIGHT ? from_light(value) : value + sample_zero();
    imageStore(result, place_of(frame, pixel), encode(value, raw, frame.blur_alpha != 0));
}

void store_pixel(ivec2 pixel, vec4 value)
{
    if (in_picture(pixel)) {
        uvec4 raw = uvec4(0u);
        if (frame.blur_alpha == 0) {
            raw = texelFetch(source, place_of(frame, pixel), 0);
        }
        store_over(pixel, value, raw);
    }
}

void copy_place(ivec2 first_px)
{
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.x * PLACE_PX.y; i += THREADS) {
        ivec2 pixel = first_px + ivec2(i % PLACE_PX.x, i / PLACE_PX.x);
        if (in_picture(pixel)) {
            ivec2 place = place_of(frame, pixel);
            imageStore(result, place, texelFetch(source, place, 0));
        }
    }
}

/* ---- A tile of the picture itself */

/* Around a sample of the window, over the square that its sigma reaches. */
vec4 average_square(tile_shape s, int centre, float sigma_px)
{
    int reach = min(int(REACH * sigma_px), s.radius);
    float first = exp(-0.5 / (sigma_px * sigma_px));
    vec4 sum = vec4(0.0);
    float total = 0.0;
    float down = 1.0;
    float down_ratio = first;
    for (int j = 0; j <= reach; j++) {
        vec4 row = vec4(0.0);
        float weights = 0.0;
        float weight = 1.0;
        float ratio = first;
        int above = centre - j * s.pitch;
        int below = centre + j * s.pitch;
        for (int i = 0; i <= reach; i++) {
            vec4 four = of_halves(room[above - i]) + of_halves(room[above + i]) +
                        of_halves(room[below - i]) + of_halves(room[below + i]);
            float times = i == 0 ? 0.5 * weight : weight;
            row += times * four;
            weights += times;
            weight *= ratio;
            ratio *= first * first;
        }
        float times = j == 0 ? 0.5 * down : down;
        sum += times * row;
        total += times * weights;
        down *= down_ratio;
        down_ratio *= first * first;
    }
    return sum / (4.0 * total);
}

/* The pixels whose sigma is below fine_sigma_px, copies among them. */
void write_fine(tile_shape s)
{
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.x * PLACE_PX.y; i += THREADS) {
        ivec2 at = ivec2(i % PLACE_PX.x, i / PLACE_PX.x);
        ivec2 pixel = s.first + at;
        float sigma_px = law_sigma(now, pixel);
        sigma_of_pixel[i] = sigma_px;
        if (!in_picture(pixel) || sigma_px >= fine_sigma_px) {
            continue;
        }
        ivec2 place = place_of(frame, pixel);
        uvec4 raw = texelFetch(source, place, 0);
        if (sigma_px * REACH >= 1.0) {
            int centre = (at.y + s.radius) * s.pitch + at.x + s.radius;
            store_over(pixel, average_square(s, centre, sigma_px), raw);
        } else {
            imageStore(result, place, raw);
        }
    }
}

void write_rows(tile_shape s, bool fine)
{
    int groups = PLACE_PX.x / GROUP;
    for (int i = int(gl_LocalInvocationIndex); i < PLACE_PX.y * groups; i += THREADS) {
        int row = i / groups;
        int column = i % groups * GROUP;
        vec4 sums[GROUP];
        blur_across(s, row, i % groups, sums);
        for (int n = 0; n < GROUP; n++) {
            if (!fine || sigma_of_pixel[row * PLACE_PX.x + column + n] >= fine_sigma_px) {
                store_pixel(s.first + ivec2(column + n, row), sums[n]);
            }
        }
    }
}

void make_from_picture(ivec2 first_px, uvec2 kind)
{
    tile_shape s = shape_of(0, first_px, int(kind.y));
    fill_light(THREADS);
    fill_grid(s);
    if (LIGHT) {
        barrier();
    }
    load_pixels(s);
    barrier();
    bool fine = (kind.x & KIND_FINE) != 0u;
    if (fine) {
        write_fine(s);
    }
    if ((kind.x & KIND_ALL_FINE) == 0u) {
        blur_down(s);
        barrier();
        write_rows(s, fine);
    }
}

/* ---- A tile from a level */

/* Of a place `part` of a sample beyond the second of four. */
vec4 spline(float part)
{
    float rest = 1.0 - part;
    return vec4(rest * rest * rest, 3.0 * part * part * part - 6.0 * part * part + 4.0,
                3.0 * rest * rest * rest - 6.0 * rest * rest + 4.0, part * part * part) *
           (1.0 / 6.0);
}

vec4 four_across(int at, vec4 weights)
{
    return weights.x * of_halves(room[at]) + weights.y * of_halves(room[at + 1]) +
           (weights.z * of_halves(room[at + 2]) + weights.w * of_halves(room[at + 3]));
}

/* A thread goes down a column of pixels, with the four rows of samples around it at hand. */
void upsample(tile_shape s, ivec2 first_px, int pitch)
{
    int side_px = (s.outputs.x - 2 * BEFORE) << s.level;
    int rows = side_px * side_px / THREADS;
    int x = int(gl_LocalInvocationIndex) % side_px;
    int y = int(gl_LocalInvocationIndex) / side_px * rows;
    float per_px = 1.0 / float(1 << s.level);
    float across = (float(x) + 0.5) * per_px + 0.5;
    int column = int(across);
    vec4 weights = spline(across - float(column));
    int row = int((float(y) + 0.5) * per_px + 0.5);
    int at = row * pitch + column;
    vec4 a = vec4(0.0);
    vec4 b = four_across(at, weights);
    vec4 c = four_across(at + pitch, weights);
    vec4 d = four_across(at + 2 * pitch, weights);
    row--;
    at += 2 * pitch;
    for (int end = y + rows; y < end; y++) {
        float down = (float(y) + 0.5) * per_px + 0.5;
        if (int(down) > row) {
            row++;
            at += pitch;
            a = b;
            b = c;
            c = d;
            d = four_across(at, weights);
        }
        vec4 w = spline(down - float(row));
        store_pixel(first_px + ivec2(x, y), w.x * a + w.y * b + (w.z * c + w.w * d));
    }
}

void make_from_level(int level, ivec2 first_px, int radius)
{
    tile_shape s = shape_of(level, first_px, radius);
    fill_grid(s);
    load_level(s);
    barrier();
    blur_down(s);
    barrier();
    int groups = s.outputs.x / GROUP;
    int pitch = s.outputs.x | 1;
    for (int i = int(gl_LocalInvocationIndex); i < s.outputs.y * groups; i += THREADS) {
        int row = i / groups;
        int group = i - row * groups;
        vec4 sums[GROUP];
        blur_across(s, row, group, sums);
        for (int n = 0; n < GROUP; n++) {
            room[row * pitch + group * GROUP + n] = halves_of(sums[n]);
        }
    }
    barrier();
    upsample(s, first_px, pitch);
}

void main()
{
    ivec2 place = ivec2(gl_WorkGroupID.xy);
    uvec2 kind = samples[kinds + place.y * count_places().x + place.x];
    uint what = kind.x & KIND_MASK;
    ivec2 first_px = place * PLACE_PX;
    now = frame_now(frame);
    if (what == KIND_COPIED) {
        copy_place(first_px);
    } else if (what == KIND_LEVEL_0) {
        make_from_picture(first_px, kind);
    } else if (what > KIND_LEVEL_0) {
        make_from_level(int(what - KIND_LEVEL_0), first_px, int(kind.y));
    }
}
