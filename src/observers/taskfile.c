// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of one task. See taskfile.h.
 */
#include "observers/taskfile.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t kd_taskfile_read(int fd, char *out, size_t size)
{
	ssize_t n = pread(fd, out, size - 1, 0);

	if (n < 0)
		return -errno;
	out[n] = '\0';
	return n;
}

static int open_file(int proc_fd, int pid, int tid, const char *file)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%d/task/%d/%s", pid, tid, file);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kd_taskfile_open(int proc_fd, int pid, int tid, enum kd_taskfile file)
{
	return open_file(proc_fd, pid, tid,
			 file == KD_TASKFILE_STAT ? "stat" : "schedstat");
}

/* "12 (a) b) S 1 ..." : a name may hold blanks and brackets */
static int parse_stat(const char *text, uint64_t *out)
{
	const char *p = strrchr(text, ')');
	unsigned long long user, system;

	if (!p || sscanf(p + 1,
			 " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu",
			 &user, &system) != 2)
		return -EINVAL;
	*out = user + system;
	return 0;
}

int kd_taskfile_counter(int fd, enum kd_taskfile file, uint64_t *out)
{
	char text[1024];

	if (kd_taskfile_read(fd, text, sizeof(text)) <= 0)
		return -ESRCH;
	if (file == KD_TASKFILE_STAT)
		return parse_stat(text, out);
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	*out = strtoull(text, NULL, 10);
	return 0;
}

void kd_taskfile_name(int proc_fd, int pid, int tid, char *out)
{
	int fd = open_file(proc_fd, pid, tid, "comm");
	char text[KD_TASK_NAME_SIZE];
	ssize_t n;

	if (fd < 0)
		return;
	n = kd_taskfile_read(fd, text, sizeof(text));
	close(fd);
	if (n <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (kd_str_has_prefix(text, "kworker/"))
		text[strcspn(text, ":")] = '\0';
	memcpy(out, text, strlen(text) + 1);
}
