/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Asynchronous copies from global to shared memory, sm_80 and later: they wait in no register, and
 * any number may be in flight. */
#pragma once

#include "ptx.cuh"

#include <stdint.h>

/* Copies 16 bytes, aligned to as many. Older devices never run code that uses it. */
DEVICE void copy_begin(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    ptx_copy_async((uint32_t)__cvta_generic_to_shared(to), from);
#endif
}

/* Copies 4 bytes, aligned to as many. */
DEVICE void copy_word_begin(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    ptx_copy_word_async((uint32_t)__cvta_generic_to_shared(to), from);
#endif
}

/* Waits until this thread's copies have arrived, for this thread. */
DEVICE void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    ptx_copy_wait();
#endif
}
