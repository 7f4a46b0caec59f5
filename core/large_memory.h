/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Memory of plans and workers, which come and go with the sizes of images. What is large is mapped,
 * so that the system has it back when it is freed: the C library keeps large blocks in its heap
 * once it has seen some freed. */
#pragma once

#include <stddef.h>

/* count elements, all bytes 0; NULL: out of memory. Aligned to 16 bytes, what is large to a line of
 * the cache. */
void *large_memory_make(size_t count, size_t element_bytes);
void large_memory_free(void *memory);
