/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whose code stays loaded when a program destroys its instance. */
#pragma once

/* Programs that end badly destroy the instance while frames are under way and contexts are left.
 * The loader then takes the driver's code away from under its own threads, and from under a worker
 * of ours that is on its way out of vkSignalSemaphore: so that stays, to the end of the process. A
 * driver that is used again is there already. `function`: of the device's. Any thread. */
void vk_loaded_keep(const void *function);
