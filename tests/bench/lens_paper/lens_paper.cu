/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of lens_paper.h, a thread a pixel.
 *
 *     naive_*      equation 1 for every pixel, in floats, in doubles, in doubles by pow()
 *     lut          two tables, of x and of y
 *     lut_pairs    one array of both
 *     backward     one table of equation 2's numbers; backward_blocks: for blocks of any shape
 *     forward      the same, asked by the source; which of several that meet is shown, chance says
 *     by_address   one table of addresses */

#include "lens_paper.h"

namespace {

__device__ bool own_pixel(const lens_paper_params &p, lens_paper_pixel &at)
{
    at.x = blockIdx.x * blockDim.x + threadIdx.x;
    at.y = blockIdx.y * blockDim.y + threadIdx.y;
    return at.x < p.size.width_px && at.y < p.size.height_px;
}

__device__ void copy(const lens_paper_params &p, int32_t from, int32_t to)
{
    ((uint32_t *)p.dst)[to] = ((const uint32_t *)p.src)[from];
}

/* The powers of r are the plain ones of the formula. */
template <typename Number> struct plain_powers {
    static __device__ Number factor(Number r2, Number k1, Number k2)
    {
        return Number(1) + k1 * r2 + k2 * r2 * r2;
    }
};

struct called_powers {
    static __device__ double factor(double r2, double k1, double k2)
    {
        const double r = sqrt(r2);
        return 1.0 + k1 * pow(r, 2.0) + k2 * pow(r, 4.0);
    }
};

template <typename Number, typename Powers> __device__ void naive(const lens_paper_params &p)
{
    lens_paper_pixel at;
    if (!own_pixel(p, at)) {
        return;
    }
    const Number middle_x = Number(p.size.width_px) / Number(2);
    const Number middle_y = Number(p.size.height_px) / Number(2);
    const Number from_x = Number(at.x) + Number(0.5) - middle_x;
    const Number from_y = Number(at.y) + Number(0.5) - middle_y;
    const Number r2 = (from_x * from_x + from_y * from_y) / (middle_x * middle_x);
    const Number factor = Powers::factor(r2, Number(p.k1), Number(p.k2));
    const int32_t x = int32_t(floor(middle_x + from_x * factor));
    const int32_t y = int32_t(floor(middle_y + from_y * factor));
    if (x >= 0 && y >= 0 && x < p.size.width_px && y < p.size.height_px) {
        copy(p, lens_paper_address(p.size, {x, y}), lens_paper_address(p.size, at));
    }
}

__device__ void backward(const lens_paper_params &p)
{
    lens_paper_pixel at;
    if (own_pixel(p, at)) {
        const int32_t i = lens_paper_address(p.size, at);
        const int32_t key = ((const int32_t *)p.table)[i];
        if (key != LENS_PAPER_NOWHERE) {
            copy(p, lens_paper_address(p.size, lens_paper_pixel_of(p.size, key)), i);
        }
    }
}

} // namespace

#define KERNEL_OF(name, threads)                                                                   \
    extern "C" __global__ void __launch_bounds__(threads)                                          \
        lens_paper_##name(const __grid_constant__ lens_paper_params p)
#define KERNEL(name) KERNEL_OF(name, LENS_PAPER_SIDE *LENS_PAPER_SIDE)

KERNEL(naive_float)
{
    naive<float, plain_powers<float>>(p);
}

KERNEL(naive_double)
{
    naive<double, plain_powers<double>>(p);
}

KERNEL(naive_pow)
{
    naive<double, called_powers>(p);
}

KERNEL(lut)
{
    lens_paper_pixel at;
    if (own_pixel(p, at)) {
        const int32_t i = lens_paper_address(p.size, at);
        const lens_paper_pixel from = {((const int32_t *)p.table)[i],
                                       ((const int32_t *)p.table_y)[i]};
        if (from.x != LENS_PAPER_NOWHERE) {
            copy(p, lens_paper_address(p.size, from), i);
        }
    }
}

KERNEL(lut_pairs)
{
    lens_paper_pixel at;
    if (own_pixel(p, at)) {
        const int32_t i = lens_paper_address(p.size, at);
        const int2 from = ((const int2 *)p.table)[i];
        if (from.x != LENS_PAPER_NOWHERE) {
            copy(p, lens_paper_address(p.size, {from.x, from.y}), i);
        }
    }
}

KERNEL(backward)
{
    backward(p);
}

KERNEL_OF(backward_blocks, LENS_PAPER_MOST_THREADS)
{
    backward(p);
}

KERNEL(forward)
{
    lens_paper_pixel at;
    if (own_pixel(p, at)) {
        const int32_t i = lens_paper_address(p.size, at);
        const int32_t key = ((const int32_t *)p.table)[i];
        if (key != LENS_PAPER_NOWHERE) {
            copy(p, i, lens_paper_address(p.size, lens_paper_pixel_of(p.size, key)));
        }
    }
}

KERNEL(by_address)
{
    lens_paper_pixel at;
    if (own_pixel(p, at)) {
        const int32_t i = lens_paper_address(p.size, at);
        const int32_t from = ((const int32_t *)p.table)[i];
        if (from != LENS_PAPER_NOWHERE) {
            copy(p, from, i);
        }
    }
}
