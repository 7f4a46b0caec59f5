/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of transform.h by a block's threads. */
#pragma once

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

/* The powers of a turn from the first one on. */
template <int RADIX, typename Real>
static __device__ void fill_powers(complex_of<Real> turn, complex_of<Real> *power)
{
    power[1] = turn;
#pragma unroll
    for (int i = 2; i < RADIX; i++) {
        power[i] = power[i / 2] * power[i - i / 2];
    }
}

template <int RADIX, typename Real>
static __device__ void turn_each(complex_of<Real> *v, const complex_of<Real> *power)
{
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

/* Swaps the bits of 8 and 16: threads next to each other leave out every second part of 64 numbers,
 * as neighbouring ones would lie in the same banks. */
static __device__ int every_second_part(int i)
{
    return (i & ~24) | (i & 8) << 1 | (i & 16) >> 1;
}

/* Lines that threads of a block transform, each thread the same places of all. Numbers that are
 * taken with their parts swapped, and put so, are transformed back. All threads of the block call
 * the same functions. What has been there is in an order in which neighbouring threads have
 * neighbours. */
template <typename Real> struct transformed_lines {
    typedef complex_of<Real> number;

    const blur_transform &transform;
    number *numbers;
    int count;
    int places; /* of a line */
    int thread;
    int threads;

    __device__ number &at(int line, int i) const
    {
        return numbers[line * places + blur_transform_place(i)];
    }

    /* left: the length of the parts that follow, which is 8 or a multiple of 16; parts: of the
     * line, `left * RADIX` long. What is taken and put has a line, a number and its place. */
    template <int RADIX, bool BACK, typename Take, typename Put>
    __device__ void step(int left, uint32_t inverse, int parts, Take take, Put put) const
    {
        const number *turns = (const number *)transform.turns;
        const int groups = transform.length / RADIX;
        const bool is_narrow = left == BLUR_TRANSFORM_LAST;
        const int odd = blur_transform_place(left); /* from a place to the next, and next but one */
        const int even = odd + (is_narrow ? 1 : 0);
        const bool swaps = is_narrow && groups % 32 == 0;
        for (int k = thread; k < groups; k += threads) {
            const int i = swaps ? every_second_part(k) : k;
            const int part = (int)__umulhi((uint32_t)i, inverse);
            const int along = i - part * left;
            const int first = part * left * RADIX + along;
            number *own = numbers + blur_transform_place(first);
            number power[RADIX];
            fill_powers<RADIX>(turns[along * parts], power);
            for (int line = 0; line < count; line++, own += places) {
                number *at[RADIX] = {own};
                number v[RADIX];
#pragma unroll
                for (int k = 0; k < RADIX; k++) {
                    at[k] = k == 0 ? own : at[k - 1] + (k % 2 ? odd : even);
                    v[k] = take(line, first + k * left, *at[k]);
                    v[k] = BACK ? swapped(v[k]) : v[k];
                }
                if (BACK) {
                    turn_each<RADIX>(v, power);
                }
                few<RADIX>::transform(v);
                if (!BACK) {
                    turn_each<RADIX>(v, power);
                }
#pragma unroll
                for (int k = 0; k < RADIX; k++) {
                    put(line, first + k * left, *at[k], BACK ? swapped(v[k]) : v[k]);
                }
            }
        }
    }

    template <bool BACK, typename Take, typename Put>
    __device__ void step_of(int i, int left, int parts, Take take, Put put) const
    {
        with_radix(transform.radix[i], [&](auto radix) {
            this->template step<decltype(radix)::value, BACK>(left, transform.inverse[i], parts,
                                                              take, put);
        });
        __syncthreads();
    }

    /* All steps there but the last, of which the first one takes what get(line, number) returns. */
    template <typename Get> __device__ void there(Get get) const
    {
        const auto from = [&](int line, int i, const number &) { return get(line, i); };
        const auto take = [](int, int, const number &place) { return place; };
        const auto put = [](int, int, number &place, number v) { place = v; };
        int left = transform.length / transform.radix[0];
        step_of<false>(0, left, 1, from, put);
        for (int i = 1, parts = transform.radix[0]; i < transform.steps - 1; i++) {
            left /= transform.radix[i];
            step_of<false>(i, left, parts, take, put);
            parts *= transform.radix[i];
        }
    }

    /* All steps back but the first, of which the last one gives give(line, number, value) what it
     * makes. */
    template <typename Give> __device__ void back(Give give) const
    {
        const auto take = [](int, int, const number &place) { return place; };
        const auto put = [](int, int, number &place, number v) { place = v; };
        const auto to = [&](int line, int i, number &, number v) { give(line, i, v); };
        int left = BLUR_TRANSFORM_LAST;
        int parts = transform.length / left;
        for (int i = transform.steps - 2; i > 0; i--) {
            parts /= transform.radix[i];
            step_of<true>(i, left, parts, take, put);
            left *= transform.radix[i];
        }
        step_of<true>(0, left, 1, take, to);
    }

    /* The last step there if THERE, which gives turn(line, number, value) what it makes, and the
     * first one back if BACK, which takes what that made of it. */
    template <bool THERE, bool BACK, typename Turn> __device__ void at_the_end(Turn turn) const
    {
        const int each = BLUR_TRANSFORM_LAST;
        const int groups = transform.length / each;
        for (int i = thread; i < groups; i += threads) {
            for (int line = 0; line < count; line++) {
                number *group = &at(line, i * each);
                number v[each] = {};
#pragma unroll
                for (int k = 0; k < each && THERE; k++) {
                    v[k] = group[k];
                }
                few<each>::transform(v);
#pragma unroll
                for (int k = 0; k < each; k++) {
                    turn(line, i + k * groups, v[k]);
                    v[k] = swapped(v[k]);
                }
                few<each>::transform(v);
#pragma unroll
                for (int k = 0; k < each && BACK; k++) {
                    group[k] = swapped(v[k]);
                }
            }
        }
        __syncthreads();
    }
};
