/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cmocka_all.h"

int main(void)
{
    return tests_run(NULL, NULL);
}
