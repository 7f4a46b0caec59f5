/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A library that bears cuFFT's name and has none of its functions. */

__attribute__((visibility("default"))) int fovea_no_fft(void);

int fovea_no_fft(void)
{
    return 0;
}
