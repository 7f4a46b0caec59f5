/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

enum {
    DIGEST_SIZE = 33, /* of the text with its end */
};

/* Writes the first half of a file's SHA-256 in hexadecimal, as fovea/_settings.py does; "" where it
 * is no file or cannot be read. */
void digest_of_file(const char *path, char out[DIGEST_SIZE]);
