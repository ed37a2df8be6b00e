// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOOT "11111111-2222-3333-4444-555555555555"

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

void tree_open(struct tree *t)
{
	strcpy(t->dir, "/tmp/kd-knobs-XXXXXX");
	must(mkdtemp(t->dir) != NULL, "mkdtemp");
	must(!kd_root_open(t->dir, &t->root, NULL), "root");
	tree_put(t, "/proc/sys/kernel/random/boot_id", BOOT "\n");
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *f)
{
	return remove(path);
}

void tree_close(struct tree *t)
{
	kd_root_close(t->root);
	nftw(t->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void tree_put(struct tree *t, const char *path, const char *text)
{
	char full[1024];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", t->dir, path);
	for (char *p = full + strlen(t->dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		must(!mkdir(full, 0755) || errno == EEXIST, full);
		*p = '/';
	}
	f = fopen(full, "w");
	must(f != NULL, full);
	must(fputs(text, f) >= 0 && !fclose(f), full);
}

void tree_mode(struct tree *t, const char *path, mode_t mode)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s%s", t->dir, path);
	must(!chmod(full, mode), full);
}

const char *tree_get(struct tree *t, const char *path)
{
	static char text[65536];
	ssize_t n = kd_root_read(t->root, path, text, sizeof(text));

	must(n >= 0, path);
	return text;
}
