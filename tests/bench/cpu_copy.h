/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The floor of the cpu backend: every byte of a picture read and written in place, by all
 * threads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cpu_copy;

struct cpu_copy *cpu_copy_create(uint32_t threads);
void cpu_copy_destroy(struct cpu_copy **copy);
/* Leaves the bytes as they are. A multiple of 8 of them. */
void cpu_copy_run(struct cpu_copy *copy, void *memory, size_t bytes);
