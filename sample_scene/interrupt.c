/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "interrupt.h"

#include <signal.h>

static volatile sig_atomic_t seen;

static void on_signal(int number)
{
    (void)number;
    seen = 1;
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGPIPE, &ignore, NULL); /* ffmpeg may go; write() says so */
}

bool interrupt_seen(void)
{
    return seen != 0;
}
