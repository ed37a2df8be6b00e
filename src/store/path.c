// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the store is: --store, KDELTA_STORE, or the XDG state folder. Under
 * sudo that is the calling user's, so that one person has one store whether a
 * run needed root or not.
 */
#include "store/store.h"

#include "base/parse.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the home folder; NULL where nobody knows. Borrowed. */
static const char *home_folder(void)
{
	const char *sudo = getenv("SUDO_UID");
	const struct passwd *pw = NULL;
	uint64_t uid;

	if (geteuid() == 0 && sudo && !kd_parse_u64(sudo, &uid) && uid)
		pw = getpwuid((uid_t)uid);
	if (pw)
		return pw->pw_dir;
	if (getenv("HOME") && getenv("HOME")[0] == '/')
		return getenv("HOME");
	pw = getpwuid(geteuid());
	return pw ? pw->pw_dir : NULL;
}

static int copy(const char *path, char **out, struct kd_diag *d)
{
	char *s = strdup(path);

	if (!s)
		return kd_fail(d, -ENOMEM, "out of memory");
	*out = s;
	return 0;
}

int kd_store_path(const char *path, char **out, struct kd_diag *d)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home;
	char *s;

	if (!path)
		path = getenv("KDELTA_STORE");
	if (path && path[0])
		return copy(path, out, d);
	home = home_folder();
	if (state && state[0] == '/') {
		if (asprintf(&s, "%s/kdelta/store.db", state) < 0)
			return kd_fail(d, -ENOMEM, "out of memory");
	} else if (home) {
		if (asprintf(&s, "%s/.local/state/kdelta/store.db", home) < 0)
			return kd_fail(d, -ENOMEM, "out of memory");
	} else {
		kd_fail(d, -ENOENT,
			"no place for the store: HOME is not set");
		kd_diag_hint(d, "name a file with --store");
		return -ENOENT;
	}
	*out = s;
	return 0;
}
