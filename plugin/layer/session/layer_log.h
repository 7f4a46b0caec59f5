/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "fovea.h"

/* By the session, before anything is logged and after everything was. */
void layer_log_open(void);
void layer_log_close(void);
void layer_log_set_level(enum fovea_log_level level);
