/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs' shaders share this: buffers, tables, and responses between samples. Sums are whole numbers, some of them as
 * floats, and between samples floats in the processor's order: `precise` keeps products from being fused with sums. No
 * subgroup is used, and no double. */

#extension GL_EXT_control_flow_attributes : require

/* struct saliency_constants */
layout(push_constant) uniform Constants {
    ivec2 size_px;
    int channels;
    int most;
    int bin_pitch, bin_rows;
    int masks;
    int responses, response_count;
    int counts;
    int candidates, candidate_capacity;
    int orders;
    int sorted, states, near;
    int candidate_most;
    int blob_max;
    int scale_count, fine_count;
    int level_count;
    int levels, scales, overlaps;
    int channel_first, channel_count; /* of planes that are made at once */
    int bin_first, bin_count;
    int slot;
    float threshold;
};

layout(std430, set = 0, binding = 2) readonly buffer Tables {
    int table[];
};
layout(std430, set = 0, binding = 3) buffer Work {
    uint work[];
};

const int BINS = 128;
const int PAD = 20; /* SALIENCY_GLSL_PAD_PX */
const int SEGMENT = 32; /* SALIENCY_GLSL_SEGMENT */
const int SAMPLES = 8; /* SALIENCY_GLSL_SAMPLES */
const int TILE = 32; /* SALIENCY_GLSL_TILE */
const int BLOCK = 8; /* SALIENCY_GLSL_BLOCK */
const int CANDIDATE_INTS = 6;
const int BLOB_INTS = 4;

/* ---- Tables, as saliency_glsl.c fills them */

/* Along an axis: samples of planes, counted from `first`, and of responses. */
struct axis_entry {
    int first, count;
    int out_first, out_count;
};

struct level_entry {
    int step_px;
    int pitch; /* of a plane; samples behind the last are like it, and one is there at least */
    axis_entry x, y;
    int scale_first, scale_end;
    int plane, mask; /* places of the first */
    int tiles; /* of a channel's responses */
};

const int LEVEL_INTS = 15; /* SALIENCY_GLSL_LEVEL_INTS */

axis_entry axis_at(int at)
{
    return axis_entry(table[at], table[at + 1], table[at + 2], table[at + 3]);
}

level_entry level_of(int number)
{
    int at = levels + LEVEL_INTS * number;
    return level_entry(table[at], table[at + 1], axis_at(at + 2), axis_at(at + 6), table[at + 10], table[at + 11],
                       table[at + 12], masks + table[at + 13], table[at + 14]);
}

/* Words of a plane's row */
int words_of(level_entry of)
{
    return of.pitch / 2;
}

/* Words in which a channel's planes say which of them differ from the one before: four for SAMPLES of a row */
int mask_words_of(level_entry of)
{
    return of.pitch / SAMPLES * of.y.count * 4;
}

/* The place of a word that says which of 32 bins a channel's pixels have. Bits of others may be set before a picture. */
int there_word_of(int channel, int bin)
{
    return counts + 1 + channel * BINS / 32 + bin / 32;
}

/* channel, bin: counted from the first of those made at once. Planes of other bins are like those before them, and nobody
 * looks at them. */
bool is_there(int channel, int bin)
{
    int own = bin_first + bin;
    return (work[there_word_of(channel_first + channel, own)] >> own % 32 & 1u) != 0u;
}

/* channel, bin: counted from the first of those made at once */
int plane_of(level_entry of, int channel, int bin)
{
    return of.plane + (channel * bin_count + bin) * of.y.count * words_of(of);
}

/* The outermost word of a row whose samples are all alike, and like those beyond */
int last_word_of(level_entry of)
{
    return of.x.count / 2;
}

struct scale_entry {
    float sigma_px;
    int level;
    int reach;
    int width, height;
    int response;
    int lines; /* p and q by distance */
};

scale_entry scale_of(int number)
{
    int at = scales + 46 * number;
    return scale_entry(intBitsToFloat(table[at]), table[at + 1], table[at + 2], table[at + 3], table[at + 4],
                       responses + table[at + 5], at + 6);
}

/* ---- Responses at pixels */

const float UNIT = 1.0 / 268435456.0; /* of a whole number of responses */

/* The weights of the samples -2 .. 3 at t in 0 .. 1. */
void weigh(float t, out float weights[6])
{
    precise float a = t + 2.0;
    precise float b = t + 1.0;
    precise float c = t - 1.0;
    precise float d = t - 2.0;
    precise float e = t - 3.0;
    precise float ab = a * b;
    precise float de = d * e;
    precise float tc = t * c;
    precise float w0 = b * tc * de * (-1.0 / 120.0);
    precise float w1 = a * tc * de * (1.0 / 24.0);
    precise float w2 = ab * c * de * (-1.0 / 12.0);
    precise float w3 = ab * t * de * (1.0 / 12.0);
    precise float w4 = ab * tc * e * (-1.0 / 24.0);
    precise float w5 = ab * tc * d * (1.0 / 120.0);
    weights = float[6](w0, w1, w2, w3, w4, w5);
}

/* Returns where a pixel lies between two samples, 0 .. 1, exactly: steps are powers of two. */
float between(int pixel, int step_px)
{
    return float(pixel % step_px) * intBitsToFloat((127 - bitCount(step_px - 1)) << 23);
}

/* Weighs six neighbours of a row. */
float sum_row(int at, float across[6])
{
    precise float sum = across[0] * float(int(work[at]));
    for (int i = 1; i < 6; i++) { /* glslc's copies of an unrolled loop lose `precise` */
        precise float product = across[i] * float(int(work[at + i]));
        sum = sum + product;
    }
    return sum;
}

/* Weighs sums of six rows. */
float sum_column(float sums[6], float down[6])
{
    precise float response = down[0] * sums[0];
    for (int j = 1; j < 6; j++) {
        precise float product = down[j] * sums[j];
        response = response + product;
    }
    precise float value = response * UNIT;
    return value;
}

bool is_fine(scale_entry of)
{
    return of.level == 0 && fine_count > 0;
}

float fine_at(scale_entry of, ivec2 pixel)
{
    return float(int(work[of.response + pixel.y * of.width + pixel.x])) * UNIT;
}

/* Rows first, then columns, as kernels/saliency/cpu/maxima.c has it. */
float response_at(scale_entry of, ivec2 pixel)
{
    if (is_fine(of)) {
        return fine_at(of, pixel);
    }
    int step_px = table[levels + LEVEL_INTS * of.level];
    float across[6];
    float down[6];
    float sums[6];
    weigh(between(pixel.x, step_px), across);
    weigh(between(pixel.y, step_px), down);
    for (int j = 0; j < 6; j++) {
        sums[j] = sum_row(of.response + (pixel.y / step_px + j) * of.width + pixel.x / step_px, across);
    }
    return sum_column(sums, down);
}
