// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A settable root for /proc and /sys. See root.h.
 */
#include "base/root.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kd_root {
	int fd;
	char *path;
};

int kd_root_open(const char *path, struct kd_root **out, struct kd_diag *d)
{
	struct kd_root *root = calloc(1, sizeof(*root));
	int r;

	if (!root)
		return kd_fail(d, -ENOMEM, "out of memory");
	root->path = strdup(path);
	root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0 || !root->path) {
		r = kd_fail_errno(d, "cannot use %s as root", path);
		kd_root_close(root);
		return r;
	}
	*out = root;
	return 0;
}

void kd_root_close(struct kd_root *root)
{
	if (!root)
		return;
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	free(root);
}

const char *kd_root_path(const struct kd_root *root)
{
	return root->path;
}

bool kd_root_is_live(const struct kd_root *root)
{
	return !strcmp(root->path, "/");
}

int kd_root_openat(const struct kd_root *root, const char *path, int flags)
{
	int fd;

	while (*path == '/')
		path++;
	fd = openat(root->fd, *path ? path : ".", flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static ssize_t read_all(int fd, char *out, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t r = read(fd, out + n, size - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		n += (size_t)r;
	}
	return (ssize_t)n;
}

ssize_t kd_root_read(const struct kd_root *root, const char *path, char *out,
		     size_t size)
{
	int fd = kd_root_openat(root, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_all(fd, out, size);
	close(fd);
	if (n < 0)
		return n;
	if ((size_t)n == size) {
		out[size - 1] = '\0';
		return -E2BIG;
	}
	out[n] = '\0';
	return n;
}

ssize_t kd_root_read_line(const struct kd_root *root, const char *path,
			  char *out, size_t size)
{
	ssize_t n = kd_root_read(root, path, out, size);

	if (n < 0)
		return n;
	n = (ssize_t)strcspn(out, "\n");
	out[n] = '\0';
	return n;
}

int kd_root_write(const struct kd_root *root, const char *path,
		  const char *text)
{
	int fd = kd_root_openat(root, path, O_WRONLY);
	size_t len = strlen(text);
	ssize_t n;
	int r;

	if (fd < 0)
		return fd;
	n = write(fd, text, len);
	r = n < 0 ? -errno : (size_t)n < len ? -EIO : 0;
	if (close(fd) && !r)
		r = -errno;
	return r;
}

ssize_t kd_pread_text(int fd, char *out, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		ssize_t r = pread(fd, out + n, size - 1 - n, (off_t)n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		n += (size_t)r;
	}
	out[n] = '\0';
	return (ssize_t)n;
}
