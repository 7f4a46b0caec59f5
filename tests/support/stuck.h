/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A test that may get stuck in a driver says in which step, and where each thread is, before it
 * ends. */
#pragma once

/* After this call a step that takes longer ends the process with 3; a process that aborts shows its
 * threads, too. */
void stuck_watch(double seconds_a_step);
/* The step that begins; standard error has what the one before took. */
void stuck_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
