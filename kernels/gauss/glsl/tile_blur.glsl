/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blurs a tile: a window of samples in shared memory is summed down its columns and then across its rows; each
 * sample has the sigma of its own place. Sigma changes little within a Gaussian's support, so two passes give what
 * one pass in two dimensions would. Sums are floats, shared memory has halves. Include it after
 * gauss/glsl/tiles.glsl; THREADS is the workgroup's. */

const int GROUP = 4; /* sums that a thread makes at once; the grid of sigma has every fourth sample */
const int BEFORE = 2; /* samples of a level left of and above its tile's first pixel, for the spline */
const ivec2 PLACE_PX = ivec2(SHADER_PLACE_WIDTH_PX, SHADER_PLACE_HEIGHT_PX);

/* The window, later a level's blurred samples; then the sums down its columns. */
shared uvec2 scratch[SHADER_TILE_SCRATCH];
const int GRID_PITCH = 16; /* no shape has more columns, nor more rows than six */
shared float grid[GRID_PITCH * 6];

gauss_frame now;

struct tile_shape {
    int level;
    ivec2 first; /* the first output, in samples of the level */
    ivec2 outputs;
    int radius;
    int aside; /* columns of the grid left of the first output, times the group */
    int columns; /* of the window */
    int rows;
    int pitch; /* odd, so that columns have no bank conflicts */
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
    s.columns = s.outputs.x + 2 * radius;
    s.rows = s.outputs.y + 2 * radius;
    s.pitch = s.columns | 1;
    s.lines = s.rows * s.pitch;
    return s;
}

/* ---- Sigma at every fourth sample. On a level a value is the variance in samples squared. In the picture it is
 * the law before its ramp, because a grid would smooth the ramp's kinks away where the blur begins. */

void fill_grid(tile_shape s)
{
    int i = int(gl_LocalInvocationIndex);
    if (i < GRID_PITCH * (s.outputs.y / GROUP + 1)) {
        ivec2 at = GROUP * ivec2(i % GRID_PITCH, i / GRID_PITCH) - ivec2(s.aside, 0);
        float plain = law_plain(now, (vec2(s.first + at) + 0.5) * float(1 << s.level));
        grid[i] = s.level == 0 ? plain : tile_residual(law_applied(plain), s.level);
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

/* Interpolates four samples in a row, from the grid's value at the first one towards the next. */
vec4 variances_between(tile_shape s, float first, float next)
{
    vec4 values = first + (next - first) * vec4(0.0, 0.25, 0.5, 0.75);
    return vec4(variance(s, values.x), variance(s, values.y), variance(s, values.z),
                variance(s, values.w));
}

/* ---- Gaussians: weights g^(i^2) at distances of i samples */

/* Returns the weight of the first neighbour. In the picture it is the Gaussian's own, which is the definition. On
 * levels the sampled weights must have just the variance v, or variances would not add up: a narrow exp(-1/(2v))
 * has less, so a polynomial replaces it (tests/fit/fits.py). */
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

/* Weights of four outputs; the ratio of a weight to the next one grows by a constant factor: g, g^3, g^5. */
struct gaussians {
    vec4 weight;
    vec4 ratio;
    vec4 factor;
    vec4 total;
};

/* Adds the samples at a distance on both sides of four outputs, which have the same weights. */
void add_four(inout mat4 sums, inout gaussians g, mat4 before, mat4 after)
{
    sums[0] += g.weight.x * before[0] + g.weight.x * after[0];
    sums[1] += g.weight.y * before[1] + g.weight.y * after[1];
    sums[2] += g.weight.z * before[2] + g.weight.z * after[2];
    sums[3] += g.weight.w * before[3] + g.weight.w * after[3];
    g.total += g.weight;
    g.weight *= g.ratio;
    g.ratio *= g.factor;
}

/* Makes four outputs of a line from `centre` on, `apart` from each other. For each distance the samples move on by
 * one, in rings of four names on either side. */
mat4 blur_four(int level, int centre, int apart, int radius, vec4 v)
{
    vec4 first = first_weights(level, v);
    gaussians g = gaussians(first, first * first * first, first * first, vec4(0.0));
    vec4 p = of_halves(scratch[centre]);
    vec4 q = of_halves(scratch[centre + apart]);
    vec4 r = of_halves(scratch[centre + 2 * apart]);
    vec4 d = of_halves(scratch[centre + 3 * apart]);
    mat4 sums = mat4(p, q, r, d);
    vec4 a;
    vec4 b = q;
    vec4 c = r;
    vec4 s;
    int before = centre - apart;
    int after = centre + 4 * apart;
    for (int distance = 1; distance <= radius; distance += 4) {
        a = of_halves(scratch[after]);
        s = of_halves(scratch[before]);
        add_four(sums, g, mat4(s, p, q, r), mat4(b, c, d, a));
        if (distance + 1 > radius) {
            break;
        }
        b = of_halves(scratch[after + apart]);
        r = of_halves(scratch[before - apart]);
        add_four(sums, g, mat4(r, s, p, q), mat4(c, d, a, b));
        if (distance + 2 > radius) {
            break;
        }
        c = of_halves(scratch[after + 2 * apart]);
        q = of_halves(scratch[before - 2 * apart]);
        add_four(sums, g, mat4(q, r, s, p), mat4(d, a, b, c));
        if (distance + 3 > radius) {
            break;
        }
        d = of_halves(scratch[after + 3 * apart]);
        p = of_halves(scratch[before - 3 * apart]);
        add_four(sums, g, mat4(p, q, r, s), mat4(a, b, c, d));
        after += 4 * apart;
        before -= 4 * apart;
    }
    vec4 scale = 1.0 / (1.0 + 2.0 * g.total);
    return mat4(scale.x * sums[0], scale.y * sums[1], scale.z * sums[2], scale.w * sums[3]);
}

/* Divides numbers of tasks, which are small; integers' own division is some thirty instructions. */
int quotient(int i, float each)
{
    return int((float(i) + 0.5) * each);
}

/* Sums down the window's columns, into the lines. */
void blur_down(tile_shape s)
{
    int tasks = s.columns * (s.outputs.y / GROUP);
    float each = 1.0 / float(s.columns);
    for (int i = int(gl_LocalInvocationIndex); i < tasks; i += THREADS) {
        int group = quotient(i, each);
        int column = i - group * s.columns;
        int place = column + s.aside - s.radius;
        int at = group * GRID_PITCH + place / GROUP;
        float part = float(place % GROUP) / float(GROUP);
        vec4 v = variances_between(s, mix(grid[at], grid[at + 1], part),
                                   mix(grid[at + GRID_PITCH], grid[at + GRID_PITCH + 1], part));
        int row = group * GROUP;
        mat4 sums =
            blur_four(s.level, (row + s.radius) * s.pitch + column, s.pitch, s.radius, v);
        int to = s.lines + row * s.pitch + column;
        scratch[to] = halves_of(sums[0]);
        scratch[to + s.pitch] = halves_of(sums[1]);
        scratch[to + 2 * s.pitch] = halves_of(sums[2]);
        scratch[to + 3 * s.pitch] = halves_of(sums[3]);
    }
}

/* Makes four outputs of a row of the lines. */
mat4 blur_across(tile_shape s, int row, int group)
{
    int at = row / GROUP * GRID_PITCH + s.aside / GROUP + group;
    float part = float(row % GROUP) / float(GROUP);
    vec4 v = variances_between(s, mix(grid[at], grid[at + GRID_PITCH], part),
                               mix(grid[at + 1], grid[at + GRID_PITCH + 1], part));
    return blur_four(s.level, s.lines + row * s.pitch + group * GROUP + s.radius, 1, s.radius, v);
}

/* ---- Pixels */

bool in_picture(ivec2 pixel)
{
    return pixel.x < frame.width_px && pixel.y < frame.height_px;
}

/* raw is the source's pixel, whose alpha may be kept. */
void store_at(ivec2 place, vec4 value, uvec4 raw)
{
    value = LIGHT ? from_light(value, frame.light_value) : value + sample_zero();
    imageStore(result, place, encode(value, raw));
}

void store_over(ivec2 pixel, vec4 value, uvec4 raw)
{
    store_at(place_of(frame, pixel), value, raw);
}

uvec4 kept_alpha_at(ivec2 place)
{
    return AVERAGE_ALPHA ? uvec4(0u) : texelFetch(source, place, 0);
}

uvec4 kept_alpha(ivec2 pixel)
{
    return AVERAGE_ALPHA ? uvec4(0u) : fetch_pixel(pixel);
}
