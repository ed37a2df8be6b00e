// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knobs that are files of /proc and /sys. See file.h.
 */
#include "knobs/file.h"

#include "base/buf.h"
#include "base/diag.h"
#include "base/root.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALUE_MAX 16384

static int explain(int r, const char *path, const char *what, struct kd_diag *d)
{
	kd_fail(d, r, "cannot %s %s: %s", what, path, strerror(-r));
	if (r == -ENOENT)
		kd_diag_hint(d, "this kernel or device does not have it; kdelta knobs lists what there is");
	else if (r == -EACCES || r == -EPERM)
		kd_diag_hint(d, "it is read-only, or needs root");
	else if (r == -EINVAL || r == -ERANGE)
		kd_diag_hint(d, "the kernel refused the value");
	return r;
}

int kd_knob_file_get(const struct kd_root *root, const char *path,
		     struct kd_buf *out, struct kd_diag *d)
{
	char value[VALUE_MAX];
	ssize_t n = kd_root_read(root, path, value, sizeof(value));

	if (n < 0)
		return explain((int)n, path, "read", d);
	while (n && value[n - 1] == '\n')
		n--;
	return kd_buf_add(out, value, (size_t)n);
}

int kd_knob_file_set(const struct kd_root *root, const char *path,
		     const char *value, struct kd_diag *d)
{
	struct kd_buf line = { 0 };
	struct stat st;
	int fd = kd_root_openat(root, path, O_RDONLY | O_PATH);
	int r;

	if (fd < 0)
		return explain(fd, path, "find", d);
	r = fstat(fd, &st) ? -errno : 0;
	close(fd);
	if (!r && !(st.st_mode & 0222))
		r = -EACCES;
	if (!r)
		r = kd_buf_printf(&line, "%s\n", value);
	if (!r)
		r = kd_root_write(root, path, line.data);
	kd_buf_fini(&line);
	return r ? explain(r, path, "write", d) : 0;
}
