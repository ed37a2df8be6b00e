// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An experiment file from the disk, or from standard input.
 */
#include "experiment/parse.h"

#include "base/buf.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (1u << 20)

static int read_all(int fd, struct kd_buf *b)
{
	char chunk[16384];
	ssize_t n;

	while (b->len <= FILE_MAX) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		if (kd_buf_add(b, chunk, (size_t)n))
			return -ENOMEM;
	}
	return 0;
}

static int load(const char *path, bool alone, struct kd_experiment *out,
		struct kd_diag *d)
{
	bool is_stdin = !strcmp(path, "-");
	struct kd_buf b = { 0 };
	int fd, r;

	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		kd_fail_errno(d, "cannot open the experiment file %s", path);
		return -errno;
	}
	r = read_all(fd, &b);
	if (!is_stdin)
		close(fd);
	if (r)
		kd_fail(d, r, "cannot read %s: %s", path, strerror(-r));
	else
		r = kd_exp_parse_text(kd_buf_str(&b), b.len,
				      is_stdin ? "stdin" : path, alone, out, d);
	kd_buf_fini(&b);
	return r;
}

int kd_experiment_load(const char *path, struct kd_experiment *out,
		       struct kd_diag *d)
{
	return load(path, false, out, d);
}

int kd_experiment_load_alone(const char *path, struct kd_experiment *out,
			     struct kd_diag *d)
{
	return load(path, true, out, d);
}
