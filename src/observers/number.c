// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One number out of a file that stays open. See number.h.
 */
#include "observers/number.h"

#include "base/root.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int kd_number_read(int fd, uint64_t *out)
{
	char text[32];
	ssize_t n = kd_pread_text(fd, text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	*out = strtoull(text, NULL, 10);
	return 0;
}

void kd_number_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
