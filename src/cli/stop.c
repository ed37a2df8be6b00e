// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user has had enough. See stop.h.
 */
#include "cli/stop.h"

#include <stddef.h>

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = sig;
}

const volatile sig_atomic_t *kd_cli_catch_stop(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	return &stopped;
}
