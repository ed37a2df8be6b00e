// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where this program is. See self.h.
 */
#include "cli/self.h"

#include "base/diag.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int kd_cli_agent(char **out, struct kd_diag *d)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return kd_fail_errno(d, "cannot find this program");
	path[n] = '\0';
	if (asprintf(out, "'%s' agent", path) < 0)
		return kd_fail(d, -ENOMEM, "out of memory");
	return 0;
}
