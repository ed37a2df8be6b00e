// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which network namespace, and work in another one. See netns.h.
 *
 * setns(2) and unshare(2) change the calling thread alone, so that work
 * elsewhere is done by a thread that ends with it.
 */
#include "knobs/netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif
#define OWN "/proc/thread-self/ns/net"

struct call {
	int ns;
	int (*fn)(void *arg);
	void *arg;
	int r;
};

int kd_netns_own(struct kd_netns_id *id)
{
	socklen_t len = sizeof(id->cookie);
	struct stat st;
	int fd;

	id->cookie = 0;
	if (stat(OWN, &st))
		return -errno;
	id->inode = st.st_ino;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &id->cookie, &len))
		id->cookie = 0;
	close(fd);
	return 0;
}

bool kd_netns_is_same(const struct kd_netns_id *a, const struct kd_netns_id *b)
{
	return a->inode == b->inode && a->cookie == b->cookie;
}

static void *in_there(void *arg)
{
	struct call *c = arg;

	if (c->ns < 0 ? unshare(CLONE_NEWNET) : setns(c->ns, CLONE_NEWNET))
		c->r = -errno;
	else
		c->r = c->fn(c->arg);
	return NULL;
}

int kd_netns_call(int fd, int (*fn)(void *arg), void *arg)
{
	struct call c = { .ns = fd, .fn = fn, .arg = arg };
	pthread_t thread;
	int r = pthread_create(&thread, NULL, in_there, &c);

	if (r)
		return -r;
	pthread_join(thread, NULL);
	return c.r;
}

static int check_id(void *arg)
{
	const struct kd_netns_id *id = arg;
	struct kd_netns_id own;
	int r = kd_netns_own(&own);

	return r ? r : kd_netns_is_same(id, &own) ? 0 : -ESTALE;
}

static int try_path(const struct kd_netns_id *id, const char *path)
{
	struct stat st;
	int fd, r;

	if (stat(path, &st) || st.st_ino != id->inode)
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = kd_netns_call(fd, check_id, (void *)id);
	if (!r)
		return fd;
	close(fd);
	return r;
}

static int search(const struct kd_netns_id *id, const char *folder,
		  const char *tail, bool numbers)
{
	DIR *dir = opendir(folder);
	char path[512];
	struct dirent *e;
	int r = -ENOENT;

	while (dir && r < 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    (numbers && !isdigit((unsigned char)e->d_name[0])))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", folder, e->d_name,
			 tail);
		r = try_path(id, path);
		/* the inode is in use again: it can be nowhere else */
		if (r == -ESTALE)
			break;
	}
	if (dir)
		closedir(dir);
	return r;
}

int kd_netns_find(const struct kd_netns_id *id)
{
	int r = try_path(id, OWN);

	if (r == -ENOENT)
		r = search(id, "/proc", "/ns/net", true);
	if (r == -ENOENT)
		r = search(id, "/run/netns", "", false);
	return r < 0 ? -ENOENT : r;
}

/* the namespace that was there first has the smallest inode number */
static int open_oldest(void)
{
	DIR *dir = opendir("/proc");
	uint64_t least = UINT64_MAX;
	char path[64], best[64] = "";
	struct dirent *e;
	struct stat st;
	int fd;

	while (dir && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/ns/net", e->d_name);
		if (stat(path, &st) || st.st_ino >= least)
			continue;
		least = st.st_ino;
		strcpy(best, path);
	}
	if (dir)
		closedir(dir);
	fd = *best ? open(best, O_RDONLY | O_CLOEXEC) : -1;
	return fd < 0 ? -ENOENT : fd;
}

int kd_netns_first(void)
{
	/* process 1 may be closed even to root, as in a sandbox */
	int fd = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? open_oldest() : fd;
}

bool kd_netns_is_first(void)
{
	struct stat own, first;
	int fd = kd_netns_first();
	bool same = fd < 0 || fstat(fd, &first) || stat(OWN, &own) ||
		    own.st_ino == first.st_ino;

	if (fd >= 0)
		close(fd);
	return same;
}
