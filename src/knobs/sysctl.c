// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysctl:net.ipv4.tcp_wmem is /proc/sys/net/ipv4/tcp_wmem. As sysctl(8) has it
 * a '/' stands for a '.' inside a part ("net.ipv4.conf.eth0/100.forwarding"),
 * and the other way round where the name begins "net/".
 *
 * /proc/sys/net shows the network namespace of the thread that opens a file
 * (kernel: net/sysctl_net.c). What a namespace created now does not have, or
 * cannot write, is the whole machine's: it is read and written in the first
 * namespace then.
 */
#include "knobs/sysctl.h"

#include "base/buf.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"
#include "knobs/netns.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TOP "/proc/sys/"

struct opening {
	const struct kd_root *root;
	const char *path;
	int flags;
};

int kd_sysctl_path(const char *name, char *out, size_t size, struct kd_diag *d)
{
	const char *sep = strpbrk(name, "./");
	bool dotted = !sep || *sep == '.';
	int n = snprintf(out, size, TOP "%s", name);
	char *p;

	if (n < 0 || (size_t)n >= size || !*name || !sep || sep == name ||
	    !sep[1])
		return kd_fail(d, -EINVAL,
			       "\"%s\" is no name of a sysctl, such as net.ipv4.tcp_wmem",
			       name);
	for (p = out + strlen(TOP); dotted && *p; p++)
		*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	if (strstr(out, "/../") || strstr(out, "//") || out[n - 1] == '/' ||
	    (n > 3 && !strcmp(out + n - 3, "/..")))
		return kd_fail(d, -EINVAL, "\"%s\" is no name of a sysctl",
			       name);
	return 0;
}

void kd_sysctl_name(const char *path, char *out, size_t size)
{
	snprintf(out, size, "%s", path + strlen(TOP));
	for (; *out; out++)
		*out = *out == '.' ? '/' : *out == '/' ? '.' : *out;
}

static int check(const char *name, struct kd_diag *d)
{
	char path[512];

	return kd_sysctl_path(name, path, sizeof(path), d);
}

static bool is_net(const char *path)
{
	return kd_str_has_prefix(path, TOP "net/");
}

/* by the name alone: what most of them are */
static unsigned int scope(const char *name)
{
	char path[512];

	return !kd_sysctl_path(name, path, sizeof(path), NULL) &&
	       is_net(path) ? KD_KNOB_NETNS : 0;
}

/* settings of an interface are those of lo in a namespace without it */
static void general_path(const char *path, char *out, size_t size)
{
	static const char *const with_if[] = {
		TOP "net/ipv4/conf/", TOP "net/ipv6/conf/",
		TOP "net/ipv4/neigh/", TOP "net/ipv6/neigh/",
		TOP "net/mpls/conf/",
	};

	snprintf(out, size, "%s", path);
	for (size_t i = 0; i < KD_ARRAY_SIZE(with_if); i++) {
		size_t n = strlen(with_if[i]);
		const char *rest = kd_str_has_prefix(path, with_if[i]) ?
			strchr(path + n, '/') : NULL;

		if (rest)
			snprintf(out, size, "%slo%s", with_if[i], rest);
	}
}

static int is_writable(void *arg)
{
	const struct opening *o = arg;
	char path[512];
	mode_t mode = 0;

	general_path(o->path, path, sizeof(path));
	return !kd_knob_file_mode(o->root, path, &mode) && (mode & 0222);
}

unsigned int kd_sysctl_flags_here(const struct kd_root *root, const char *path)
{
	struct opening o = { .root = root, .path = path };
	mode_t mode = 0;

	if (!is_net(path))
		return 0;
	/* a read-only one is told by the write bits of its own only */
	if (!kd_knob_file_mode(root, path, &mode) && !(mode & 0222)) {
		char general[512];

		general_path(path, general, sizeof(general));
		return kd_knob_file_mode(root, general, &mode) ?
			       0 : KD_KNOB_NETNS;
	}
	return is_writable(&o) ? KD_KNOB_NETNS : 0;
}

static int flags_in_this(void *arg)
{
	const struct opening *o = arg;

	return (int)kd_sysctl_flags_here(o->root, o->path);
}

static unsigned int look(const struct kd_knob_env *env, const char *name)
{
	struct opening o = { .root = env->root };
	unsigned int flags;
	char path[512];
	int r;

	if (kd_sysctl_path(name, path, sizeof(path), NULL))
		return 0;
	flags = kd_knob_file_flags(env->root, path);
	if (!is_net(path))
		return flags;
	o.path = path;
	/* a namespace is only made where this one does not tell: making one
	 * takes milliseconds, and the kernel longer to clean up after it */
	if (!kd_root_is_live(env->root))
		r = -ENOSYS;
	else if (kd_netns_is_first())
		r = kd_netns_call(-1, flags_in_this, &o);
	else
		r = flags_in_this(&o);
	return flags | (r < 0 ? KD_KNOB_NETNS : (unsigned int)r);
}

static int open_there(void *arg)
{
	const struct opening *o = arg;

	return kd_root_openat(o->root, o->path, o->flags);
}

/* here, else in the machine's first namespace */
static int open_path(const struct kd_root *root, const char *path, int flags)
{
	struct opening o = { root, path, flags };
	bool write = flags & O_WRONLY;
	mode_t mode = 0;
	int r = kd_knob_file_mode(root, path, &mode);
	int first, fd;

	if (!r && (!write || (mode & 0222)))
		return open_there(&o);
	if (!r)
		r = -EACCES;
	if (!is_net(path) || !kd_root_is_live(root))
		return r;
	first = kd_netns_first();
	if (first < 0)
		return r;
	fd = kd_netns_call(first, open_there, &o);
	close(first);
	return fd < 0 ? r : fd;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	char path[512];
	int r = kd_sysctl_path(name, path, sizeof(path), d);

	if (r)
		return r;
	return kd_knob_fd_get(env->root, open_path(env->root, path,
						   O_RDONLY | O_NONBLOCK),
			      path, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	char path[512];
	int r = kd_sysctl_path(name, path, sizeof(path), d);

	if (r)
		return r;
	return kd_knob_fd_set(env->root, open_path(env->root, path,
						   O_WRONLY | O_NONBLOCK),
			      path, value, d);
}

const struct kd_knob_ops kd_knob_sysctl_ops = {
	.name = "sysctl",
	.summary = "a file under /proc/sys, named as sysctl(8) does: sysctl:net.ipv4.tcp_wmem",
	.scope = scope,
	.look = look,
	.check = check,
	.list = kd_sysctl_list,
	.get = get,
	.set = set,
};
