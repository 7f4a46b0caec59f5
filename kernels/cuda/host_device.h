/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* HOST_DEVICE: a small function of a header that C and CUDA's device code include.
 * DEVICE: a function of device code, which becomes part of those that call it; in a struct it has
 * no object. MEMBER: such a function of a struct's object. */
#pragma once

#ifdef __CUDACC__
#define HOST_DEVICE static inline __host__ __device__
#define DEVICE static __device__ __forceinline__
#define MEMBER __device__ __forceinline__
#else
#define HOST_DEVICE static inline
#endif
