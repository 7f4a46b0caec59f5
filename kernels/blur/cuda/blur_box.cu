/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine box of pictures of levels: all boxes along x in one kernel and all along y in another,
 * between which the picture lies as four numbers of 16 bits a pixel, white 65,535. A block has
 * parts of lines in shared memory, with as much around them as their boxes reach. A thread makes 17
 * places that follow each other, by what comes into a box and what leaves it: an odd number, so
 * that neighbouring threads' places lie in different banks. Sums begin anew in each thread, and
 * levels are not far from each other, so that differences leave no trace. What bounds it is the
 * issue of instructions, some 10 a number and box. */

#include "blur_pixels.cuh"

#define EACH BLUR_BOX_EACH
#define AROUND (BLUR_BOX_AROUND * EACH) /* places on both sides that are 0 */
#define WHITE 65535.0f

/* Floats from here on have steps of 1, so that their last 16 bits are a number of 16 bits. */
#define STEPS_OF_1 8388608.0f
#define STEPS_OF_1_BITS 0x4b000000u

/* Number c of a sample, and STEPS_OF_1 more. */
static __device__ float part_of(uint2 sample, int c)
{
    return __uint_as_float(
        __byte_perm(c < 2 ? sample.x : sample.y, STEPS_OF_1_BITS, c & 1 ? 0x7632 : 0x7610));
}

static __device__ uint32_t joined(float low, float high)
{
    return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x5410);
}

static __device__ uint2 sample_of(float4 v)
{
    return make_uint2(joined(v.x + STEPS_OF_1, v.y + STEPS_OF_1),
                      joined(v.z + STEPS_OF_1, v.w + STEPS_OF_1));
}

static __device__ float4 values_of(uint2 sample)
{
    return make_float4(part_of(sample, 0) - STEPS_OF_1, part_of(sample, 1) - STEPS_OF_1,
                       part_of(sample, 2) - STEPS_OF_1, part_of(sample, 3) - STEPS_OF_1);
}

extern __shared__ __align__(16) char box_shared[];

/* A line of a block, of which each thread has a part. */
struct box_line {
    uint2 *places; /* from the first part's first one on */
    float4 *sums; /* of parts */
    int part;

    __device__ explicit box_line(const blur_box_lines &own) : part((int)threadIdx.x)
    {
        const int line = (int)threadIdx.y;
        const int parts = (int)blockDim.x + 2 * BLUR_BOX_AROUND;
        uint2 *all = (uint2 *)box_shared + line * own.line_places;
        places = all + AROUND;
        sums = (float4 *)((uint2 *)box_shared + (int)blockDim.y * own.line_places) + line * parts +
               BLUR_BOX_AROUND;
    }

    __device__ void clear_around() const
    {
        const int made = (int)blockDim.x * EACH;
        for (int i = part; i < AROUND; i += (int)blockDim.x) {
            places[i - AROUND] = places[made + i] = make_uint2(0, 0);
        }
        for (int i = part; i < BLUR_BOX_AROUND; i += (int)blockDim.x) {
            sums[i - BLUR_BOX_AROUND] = sums[(int)blockDim.x + i] =
                make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }

    template <int COUNT>
    __device__ void add(int first, int count, float sign, float (&sum)[COUNT]) const
    {
        for (int i = first; i < first + count; i++) {
            const uint2 sample = places[i];
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                sum[c] += sign * (part_of(sample, c) - STEPS_OF_1);
            }
        }
    }

    template <int COUNT> __device__ void put_sum(const float (&sum)[COUNT]) const
    {
        sums[part] = make_float4(sum[0], sum[1], sum[2], COUNT > 3 ? sum[COUNT - 1] : 0.0f);
    }

    template <int COUNT> __device__ void sum_part() const
    {
        float sum[COUNT] = {};
        add(part * EACH, EACH, 1.0f, sum);
        put_sum(sum);
    }

    /* A box around the part's first place: whole parts, and at both sides some places more, or less
     * where that takes fewer. */
    template <int COUNT> __device__ void sum_first(int half_px, float (&sum)[COUNT]) const
    {
        const int before = (half_px + EACH / 2) / EACH;
        const int after = (half_px + 1 + EACH / 2) / EACH;
        for (int i = part - before; i < part + after; i++) {
            const float values[4] = {sums[i].x, sums[i].y, sums[i].z, sums[i].w};
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                sum[c] += values[c];
            }
        }
        const int first = part * EACH;
        const int left = half_px - before * EACH;
        const int right = half_px + 1 - after * EACH;
        add(first - max(half_px, before * EACH), abs(left), left > 0 ? 1.0f : -1.0f, sum);
        add(first + min(half_px + 1, after * EACH), abs(right), right > 0 ? 1.0f : -1.0f, sum);
    }

    /* Makes the part's places of a box each. A place's mean differs from that of the place before
     * by the ends of both. */
    template <int COUNT>
    __device__ void make(const blur_box_lines &own, uint2 (&made)[EACH], float (&sum)[COUNT]) const
    {
        const uint2 *leaves = places + part * EACH - own.half_px - 1;
        const uint2 *comes = places + part * EACH + own.half_px + 1;
        uint2 left = leaves[0];
        uint2 right = comes[0];
        float mean[COUNT] = {};
        uint32_t total[COUNT] = {};
        sum_first(own.half_px, mean);
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float ends = part_of(left, c) - STEPS_OF_1 + (part_of(right, c) - STEPS_OF_1);
            mean[c] = own.scale * (mean[c] + own.end * ends);
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            float rounded[4] = {STEPS_OF_1, STEPS_OF_1, STEPS_OF_1, STEPS_OF_1};
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                rounded[c] = mean[c] + STEPS_OF_1;
                total[c] += __float_as_uint(rounded[c]);
            }
            made[i] = make_uint2(joined(rounded[0], rounded[1]), joined(rounded[2], rounded[3]));
            if (i + 1 == EACH) {
                break;
            }
            const uint2 gone = leaves[i + 1];
            const uint2 come = comes[i + 1];
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                mean[c] += own.inner * (part_of(right, c) - part_of(gone, c));
                mean[c] += own.outer * (part_of(come, c) - part_of(left, c));
            }
            left = gone;
            right = come;
        }
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            sum[c] = (float)(total[c] - (uint32_t)EACH * STEPS_OF_1_BITS);
        }
    }

    /* Parts that a box makes no place of that counts stay as they were. */
    template <int COUNT> __device__ void make_boxes(const blur_box_lines &own) const
    {
        sum_part<COUNT>();
        __syncthreads();
        const int first = part * EACH;
        const int length = (int)blockDim.x * EACH;
        for (int i = 1; i <= own.boxes; i++) {
            const bool counts =
                first + EACH > i * own.reach_px && first < length - i * own.reach_px;
            uint2 made[EACH];
            float sum[COUNT];
            if (counts) {
                make<COUNT>(own, made, sum);
            }
            __syncthreads();
            if (counts) {
#pragma unroll
                for (int k = 0; k < EACH; k++) {
                    places[first + k] = made[k];
                }
                put_sum(sum);
            }
            __syncthreads();
        }
    }
};

/* Reads a place of a view: its light as numbers to 65,535. */
template <typename Pixel> struct box_levels {
    const blur_image_frame &frame;
    float color_scale; /* there, and back */
    float alpha_scale;
    float color_back;

    __device__ explicit box_levels(const blur_image_frame &of)
        : frame(of), color_scale(of.light != IMAGE_LIGHT_STORED ? WHITE : WHITE / Pixel::white),
          alpha_scale(WHITE / Pixel::alpha_white),
          color_back(of.light != IMAGE_LIGHT_STORED ? 1.0f / WHITE : Pixel::white / WHITE)
    {
    }

    __device__ uint2 load(typename Pixel::word word) const
    {
        float4 v = Pixel::decode(word);
        if (has_light<Pixel>(frame)) {
            v = levels_in_light<Pixel>(v, light_of(frame));
        }
        return sample_of(make_float4(color_scale * v.x, color_scale * v.y, color_scale * v.z,
                                     Pixel::channels > 3 ? alpha_scale * v.w : 0.0f));
    }

    __device__ typename Pixel::word store(uint2 sample) const
    {
        const float4 v = values_of(sample);
        float4 value = make_float4(color_back * v.x, color_back * v.y, color_back * v.z,
                                   Pixel::alpha_white / WHITE * v.w);
        if (has_light<Pixel>(frame)) {
            value = light_in_levels<Pixel>(value, light_of(frame));
        }
        return Pixel::encode(value);
    }

    __device__ bool averages_alpha() const
    {
        return Pixel::channels > 3 && frame.averages_alpha;
    }

    __device__ void make_boxes(const box_line &line, const blur_box_lines &own) const
    {
        if (averages_alpha()) {
            line.make_boxes<4>(own);
        } else {
            line.make_boxes<3>(own);
        }
    }
};

static __device__ uint2 *samples_of(const blur_image_frame &frame)
{
    return (uint2 *)((float4 *)frame.samples + blockIdx.z * frame.next_samples);
}

/* Block x makes rows, block y a part of them. */
template <typename Pixel, typename Image>
static __device__ void box_rows(const blur_image_frame &frame, const blur_box_lines &own,
                                const Image &src)
{
    const box_levels<Pixel> levels(frame);
    const box_line line(own);
    const int y = (int)(blockIdx.x * blockDim.y + threadIdx.y);
    const int first = (int)blockIdx.y * own.made - own.margin;
    line.clear_around();
    with_whole(src, [&](const auto &image) {
        typename Pixel::word words[EACH]; /* asked for before the first one is there */
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int x = min(max(first + line.part + k * (int)blockDim.x, 0), frame.width_px - 1);
            words[k] = image.load(x, min(y, frame.height_px - 1));
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            line.places[line.part + k * (int)blockDim.x] = levels.load(words[k]);
        }
    });
    __syncthreads();
    levels.make_boxes(line, own);
    const int end = min(own.made, frame.width_px - (first + own.margin));
    uint2 *row = samples_of(frame) + (int64_t)y * frame.width_px + first;
    for (int i = own.margin + line.part; y < frame.height_px && i < own.margin + end;
         i += (int)blockDim.x) {
        row[i] = line.places[i];
    }
}

/* Block x makes columns, block y a part of them. Neighbouring threads move neighbouring columns. */
template <typename Pixel, typename Image>
static __device__ void box_columns(const blur_image_frame &frame, const blur_box_lines &own,
                                   const Image &src, const Image &dst)
{
    const box_levels<Pixel> levels(frame);
    const box_line line(own);
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int column = thread % (int)blockDim.y;
    const int begin = thread / (int)blockDim.y;
    const int x = (int)(blockIdx.x * blockDim.y) + column;
    const int first = (int)blockIdx.y * own.made - own.margin;
    uint2 *places = (uint2 *)box_shared + column * own.line_places + AROUND;
    const uint2 *samples = samples_of(frame) + min(x, frame.width_px - 1);
    line.clear_around();
    uint2 read[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int y = min(max(first + begin + k * (int)blockDim.x, 0), frame.height_px - 1);
        read[k] = samples[(int64_t)y * frame.width_px];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        places[begin + k * (int)blockDim.x] = read[k];
    }
    __syncthreads();
    levels.make_boxes(line, own);
    typename Pixel::word kept[EACH] = {}; /* their alpha */
    if (Pixel::channels > 3 && !frame.averages_alpha) {
        with_whole(src, [&](const auto &image) {
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                const int y = first + own.margin + begin + k * (int)blockDim.x;
                kept[k] = image.load(min(x, frame.width_px - 1), min(y, frame.height_px - 1));
            }
        });
    }
    const int end = min(own.made, frame.height_px - (first + own.margin));
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = begin + k * (int)blockDim.x;
        if (x < frame.width_px && i < end) {
            const typename Pixel::word word = levels.store(places[own.margin + i]);
            dst.store(x, first + own.margin + i,
                      levels.averages_alpha() ? word : Pixel::keep_alpha(word, kept[k]));
        }
    }
}

#define KERNEL extern "C" __global__ void __launch_bounds__(BLUR_BOX_MOST_THREADS)

#define IMAGE_KERNELS(kind, suffix, format)                                                        \
    KERNEL blur_box_rows_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params)    \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const blur_image_frame &frame = params.work.frame;                                         \
        box_rows<pixel<format>>(                                                                   \
            frame, params.work.lines,                                                              \
            image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));               \
    }                                                                                              \
    KERNEL blur_box_columns_##kind##_##suffix(const __grid_constant__ blur_##kind##_params params) \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const blur_image_frame &frame = params.work.frame;                                         \
        box_columns<pixel<format>>(                                                                \
            frame, params.work.lines,                                                              \
            image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes),                \
            image_of_block<pixel<format>>(frame, params.dst, frame.dst_next_bytes));               \
    }
IMAGE_KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
IMAGE_KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
IMAGE_KERNELS(linear, r8, FOVEA_FORMAT_R8)
IMAGE_KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
IMAGE_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
IMAGE_KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
