// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knobs that are files of /proc and /sys. See file.h.
 */
#include "knobs/file.h"

#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALUE_MAX 65536

struct nearest {
	const char *word;
	unsigned int best;
	char name[256];
};

int kd_knob_dir_each(const struct kd_root *root, const char *path,
		     int (*each)(void *arg, const char *name), void *arg)
{
	int fd = kd_root_openat(root, path, O_RDONLY | O_DIRECTORY);
	struct dirent *e;
	DIR *dir;
	int r = 0;

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!r && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			r = each(arg, e->d_name);
	closedir(dir);
	return r;
}

static int nearer(void *arg, const char *name)
{
	struct nearest *n = arg;
	unsigned int far = kd_str_distance(n->word, name);

	if (far < n->best) {
		n->best = far;
		snprintf(n->name, sizeof(n->name), "%s", name);
	}
	return 0;
}

/* walk down to the first part that is not there, and look beside it */
static void hint_absent(const struct kd_root *root, const char *path,
			struct kd_diag *d)
{
	char dir[512], part[256];
	size_t end = 0, len = strlen(path);

	if (len >= sizeof(dir))
		return;
	while (path[end]) {
		size_t start = end + 1, n = strcspn(path + start, "/");
		struct nearest near = { .word = part };
		mode_t mode;

		if (n >= sizeof(part))
			return;
		memcpy(dir, path, start + n);
		dir[start + n] = '\0';
		if (!kd_knob_file_mode(root, dir, &mode)) {
			end = start + n;
			continue;
		}
		snprintf(part, sizeof(part), "%.*s", (int)n, path + start);
		dir[end] = '\0';
		near.best = n < 4 ? 2 : n < 9 ? 3 : 4;
		kd_knob_dir_each(root, dir, nearer, &near);
		if (near.name[0])
			kd_diag_hint(d, "%s/ has no \"%s\"; did you mean \"%s\"?",
				     dir, part, near.name);
		else
			kd_diag_hint(d, "%s/ has no \"%s\"; kdelta knobs lists what there is",
				     dir, part);
		return;
	}
}

static int explain(const struct kd_root *root, int r, const char *path,
		   const char *what, struct kd_diag *d)
{
	mode_t mode = 0;

	switch (r) {
	case -ENOENT:
	case -ENOTDIR:
		r = kd_fail(d, -ENOENT, "%s is absent: %s", path, strerror(-r));
		hint_absent(root, path, d);
		return r;
	case -EACCES:
	case -EPERM:
		kd_knob_file_mode(root, path, &mode);
		if (*what == 'w' && !(mode & 0222)) {
			kd_fail(d, -EACCES, "%s is read-only: %s", path,
				strerror(EACCES));
			return -EACCES;
		}
		kd_fail(d, -EPERM, "cannot %s %s: %s", what, path,
			strerror(-r));
		kd_diag_hint(d, geteuid() ? "it needs root" :
			     "the kernel forbids it even to root here: a container, or lockdown");
		return -EPERM;
	case -EINVAL:
	case -ERANGE:
	case -EDOM:
		kd_fail(d, r == -EDOM ? -ERANGE : r,
			"%s: the kernel refused the value: %s", path,
			strerror(-r));
		kd_diag_hint(d, "it is out of range, or not of the form that this file takes");
		return d ? d->err : r;
	default:
		return kd_fail(d, r, "cannot %s %s: %s", what, path,
			       strerror(-r));
	}
}

int kd_knob_file_mode(const struct kd_root *root, const char *path,
		      mode_t *mode)
{
	int fd = kd_root_openat(root, path, O_PATH);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		r = -errno;
	else
		*mode = st.st_mode;
	close(fd);
	return r;
}

unsigned int kd_knob_file_flags(const struct kd_root *root, const char *path)
{
	mode_t mode;

	return !kd_knob_file_mode(root, path, &mode) && S_ISREG(mode) &&
	       !(mode & 0444) ? KD_KNOB_WRITE_ONLY : 0;
}

int kd_knob_fd_get(const struct kd_root *root, int fd, const char *path,
		   struct kd_buf *out, struct kd_diag *d)
{
	size_t start = out->len;
	ssize_t n = 1;

	if (fd < 0)
		return explain(root, fd, path, "read", d);
	while (n > 0 && out->len - start < VALUE_MAX) {
		if (kd_buf_reserve(out, 4096)) {
			n = -ENOMEM;
			break;
		}
		n = read(fd, out->data + out->len, 4096);
		if (n > 0)
			out->len += (size_t)n;
		else if (n < 0)
			n = errno == EINTR ? 1 : -errno;
		out->data[out->len] = '\0';
	}
	close(fd);
	if (n > 0)
		return kd_fail(d, -E2BIG, "%s holds more than a value", path);
	if (n < 0)
		return explain(root, (int)n, path, "read", d);
	/* a value is text to its first NUL, as in the device tree's files */
	out->len = start + strlen(out->data + start);
	while (out->len > start && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return 0;
}

int kd_knob_fd_set(const struct kd_root *root, int fd, const char *path,
		   const char *value, struct kd_diag *d)
{
	struct kd_buf line = { 0 };
	ssize_t n;
	int r;

	if (fd < 0)
		return explain(root, fd, path, "write", d);
	r = kd_buf_printf(&line, "%s\n", value);
	if (!r) {
		n = write(fd, line.data, line.len);
		/* some files take the value and leave the line end */
		r = n < 0 ? -errno : (size_t)n + 1 < line.len ? -EIO : 0;
		/* a plain file of a recorded tree is not replaced by itself */
		if (!r && !kd_root_is_live(root) && ftruncate(fd, n))
			r = -errno;
	}
	if (close(fd) && !r)
		r = -errno;
	kd_buf_fini(&line);
	return r ? explain(root, r, path, "write", d) : 0;
}

int kd_knob_file_get(const struct kd_root *root, const char *path,
		     struct kd_buf *out, struct kd_diag *d)
{
	/* never wait for a file that is a stream of events */
	int fd = kd_root_openat(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

	return kd_knob_fd_get(root, fd, path, out, d);
}

int kd_knob_file_set(const struct kd_root *root, const char *path,
		     const char *value, struct kd_diag *d)
{
	mode_t mode = 0;
	int fd = kd_knob_file_mode(root, path, &mode);

	/* root may open what has no write bits where the tree is recorded */
	if (!fd)
		fd = mode & 0222 ? kd_root_openat(root, path,
				O_WRONLY | O_NONBLOCK | O_NOCTTY) : -EACCES;
	return kd_knob_fd_set(root, fd, path, value, d);
}
