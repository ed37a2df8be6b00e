/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_CLI_STOP_H
#define KD_CLI_STOP_H

#include <signal.h>

/** kd_cli_catch_stop() - from now on SIGINT, SIGTERM and SIGHUP set what is
 * returned, and SIGPIPE is an error of write() */
const volatile sig_atomic_t *kd_cli_catch_stop(void);

#endif
