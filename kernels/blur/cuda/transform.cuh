/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of transform.h by a block's threads. */
#ifndef FOVEA_KERNELS_BLUR_CUDA_TRANSFORM_CUH
#define FOVEA_KERNELS_BLUR_CUDA_TRANSFORM_CUH

#include "transform.h"

template <typename Real> struct alignas(2 * sizeof(Real)) complex_of {
    Real real;
    Real imaginary;
};

template <typename Real>
static __device__ complex_of<Real> operator+(complex_of<Real> a, complex_of<Real> b)
{
    return {a.real + b.real, a.imaginary + b.imaginary};
}

template <typename Real>
static __device__ complex_of<Real> operator-(complex_of<Real> a, complex_of<Real> b)
{
    return {a.real - b.real, a.imaginary - b.imaginary};
}

template <typename Real>
static __device__ complex_of<Real> operator*(complex_of<Real> a, complex_of<Real> b)
{
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
}

template <typename Real>
static __device__ complex_of<Real> operator*(Real scale, complex_of<Real> a)
{
    return {scale * a.real, scale * a.imaginary};
}

/* A quarter turn back: times -i. */
template <typename Real> static __device__ complex_of<Real> back_quarter(complex_of<Real> a)
{
    return {a.imaginary, -a.real};
}

template <typename Real> static __device__ complex_of<Real> swapped(complex_of<Real> a)
{
    return {a.imaginary, a.real};
}

/* ---- Transforms of a few numbers, in their order */

template <int RADIX> struct few;

template <> struct few<2> {
    template <typename Real> static __device__ void transform(complex_of<Real> *v)
    {
        const complex_of<Real> difference = v[0] - v[1];
        v[0] = v[0] + v[1];
        v[1] = difference;
    }
};

template <> struct few<3> {
    template <typename Real> static __device__ void transform(complex_of<Real> *v)
    {
        const Real half_root_3 = (Real)0.86602540378443864676;
        const complex_of<Real> sum = v[1] + v[2];
        const complex_of<Real> rotated = half_root_3 * back_quarter(v[1] - v[2]);
        const complex_of<Real> middle = v[0] - (Real)0.5 * sum;
        v[0] = v[0] + sum;
        v[1] = middle + rotated;
        v[2] = middle - rotated;
    }
};

template <> struct few<4> {
    template <typename Real> static __device__ void transform(complex_of<Real> *v)
    {
        const complex_of<Real> even = v[0] + v[2];
        const complex_of<Real> even_rotated = v[0] - v[2];
        const complex_of<Real> odd = v[1] + v[3];
        const complex_of<Real> odd_rotated = back_quarter(v[1] - v[3]);
        v[0] = even + odd;
        v[1] = even_rotated + odd_rotated;
        v[2] = even - odd;
        v[3] = even_rotated - odd_rotated;
    }
};

template <> struct few<5> {
    template <typename Real> static __device__ void transform(complex_of<Real> *v)
    {
        const Real cos_1 = (Real)0.30901699437494742410; /* of a fifth of a turn, and of two */
        const Real cos_2 = (Real)-0.80901699437494742410;
        const Real sin_1 = (Real)0.95105651629515357212;
        const Real sin_2 = (Real)0.58778525229247312917;
        const complex_of<Real> near = v[1] + v[4];
        const complex_of<Real> far = v[2] + v[3];
        const complex_of<Real> near_rotated = back_quarter(v[1] - v[4]);
        const complex_of<Real> far_rotated = back_quarter(v[2] - v[3]);
        const complex_of<Real> even_1 = v[0] + cos_1 * near + cos_2 * far;
        const complex_of<Real> even_2 = v[0] + cos_2 * near + cos_1 * far;
        const complex_of<Real> odd_1 = sin_1 * near_rotated + sin_2 * far_rotated;
        const complex_of<Real> odd_2 = sin_2 * near_rotated - sin_1 * far_rotated;
        v[0] = v[0] + near + far;
        v[1] = even_1 + odd_1;
        v[2] = even_2 + odd_2;
        v[3] = even_2 - odd_2;
        v[4] = even_1 - odd_1;
    }
};

template <> struct few<8> {
    template <typename Real> static __device__ void transform(complex_of<Real> *v)
    {
        const Real half_root = (Real)0.70710678118654752440;
        complex_of<Real> even[4] = {v[0], v[2], v[4], v[6]};
        complex_of<Real> odd[4] = {v[1], v[3], v[5], v[7]};
        few<4>::transform(even);
        few<4>::transform(odd);
        odd[1] = half_root * (odd[1] + back_quarter(odd[1]));
        odd[2] = back_quarter(odd[2]);
        odd[3] = half_root * (back_quarter(odd[3]) - odd[3]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            v[i] = even[i] + odd[i];
            v[i + 4] = even[i] - odd[i];
        }
    }
};

/* ---- Lines */

/* Multiplies v[i] by the i-th power of a turn. */
template <int RADIX, typename Real>
static __device__ void turn_each(complex_of<Real> *v, complex_of<Real> turn)
{
    complex_of<Real> power[RADIX];
    power[1] = turn;
#pragma unroll
    for (int i = 2; i < RADIX; i++) {
        power[i] = power[i / 2] * power[i - i / 2];
    }
#pragma unroll
    for (int i = 1; i < RADIX; i++) {
        v[i] = v[i] * power[i];
    }
}

template <int RADIX> struct radix_of {
    static const int value = RADIX;
};

/* Calls work(radix_of<radix>). */
template <typename Work> static __device__ void with_radix(int radix, Work work)
{
    switch (radix) {
    case 2:
        work(radix_of<2>());
        break;
    case 3:
        work(radix_of<3>());
        break;
    case 4:
        work(radix_of<4>());
        break;
    case 5:
        work(radix_of<5>());
        break;
    default:
        work(radix_of<8>());
        break;
    }
}

/* A line that threads of a block transform. Numbers that are taken with their parts swapped, and
 * put so, are transformed back. All threads of the block call the same functions. */
template <typename Real> struct transformed_line {
    typedef complex_of<Real> number;

    const blur_transform &transform;
    number *numbers;
    int thread;
    int threads;

    __device__ number &at(int i) const
    {
        return numbers[blur_transform_place(i)];
    }

    /* left: the length of the parts that follow; parts: of the line, `left * RADIX` long */
    template <int RADIX, bool BACK, typename Get, typename Put>
    __device__ void step(int left, uint32_t inverse, int parts, Get get, Put put) const
    {
        const number *turns = (const number *)transform.turns;
        const int count = transform.length / RADIX;
        for (int i = thread; i < count; i += threads) {
            const int part = left == 1 ? i : (int)__umulhi((uint32_t)i, inverse);
            const int along = i - part * left;
            const int first = part * left * RADIX + along;
            number v[RADIX];
#pragma unroll
            for (int k = 0; k < RADIX; k++) {
                v[k] = get(first + k * left);
                v[k] = BACK ? swapped(v[k]) : v[k];
            }
            if (BACK && left > 1) {
                turn_each<RADIX>(v, turns[along * parts]);
            }
            few<RADIX>::transform(v);
            if (!BACK && left > 1) {
                turn_each<RADIX>(v, turns[along * parts]);
            }
#pragma unroll
            for (int k = 0; k < RADIX; k++) {
                put(first + k * left, BACK ? swapped(v[k]) : v[k]);
            }
        }
    }

    template <bool BACK, typename Get, typename Put>
    __device__ void step_of(int i, int left, int parts, Get get, Put put) const
    {
        with_radix(transform.radix[i], [&](auto radix) {
            this->template step<decltype(radix)::value, BACK>(left, transform.inverse[i], parts,
                                                              get, put);
        });
        __syncthreads();
    }

    /* The first so many steps, of which the first one takes what get(number) returns. */
    template <typename Get> __device__ void there(int steps, Get get) const
    {
        const auto take = [&](int i) { return at(i); };
        const auto put = [&](int i, number v) { at(i) = v; };
        int left = transform.length / transform.radix[0];
        step_of<false>(0, left, 1, get, put);
        for (int i = 1, parts = transform.radix[0]; i < steps; i++) {
            left /= transform.radix[i];
            step_of<false>(i, left, parts, take, put);
            parts *= transform.radix[i];
        }
    }

    /* The last so many steps, of which the last one gives put(number, value) what it makes. */
    template <typename Put> __device__ void back(int steps, Put put) const
    {
        const auto take = [&](int i) { return at(i); };
        const auto keep = [&](int i, number v) { at(i) = v; };
        int left = 1;
        for (int i = transform.steps - 1; i >= steps; i--) {
            left *= transform.radix[i];
        }
        int parts = transform.length / left;
        for (int i = steps - 1; i > 0; i--) {
            parts /= transform.radix[i];
            step_of<true>(i, left, parts, take, keep);
            left *= transform.radix[i];
        }
        step_of<true>(0, left, 1, take, put);
    }

    /* The last step there, times factor(number), and the first one back. */
    template <typename Factor> __device__ void turn_around(Factor factor) const
    {
        with_radix(transform.radix[transform.steps - 1], [&](auto radix) {
            const int each = decltype(radix)::value;
            for (int i = thread; i < transform.length / each; i += threads) {
                number v[each];
#pragma unroll
                for (int k = 0; k < each; k++) {
                    v[k] = at(i * each + k);
                }
                few<each>::transform(v);
#pragma unroll
                for (int k = 0; k < each; k++) {
                    v[k] = swapped(v[k] * factor(i * each + k));
                }
                few<each>::transform(v);
#pragma unroll
                for (int k = 0; k < each; k++) {
                    at(i * each + k) = swapped(v[k]);
                }
            }
        });
        __syncthreads();
    }
};

#endif
