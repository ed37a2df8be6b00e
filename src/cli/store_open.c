// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/store_open.h"

#include "store/store.h"

int kd_store_open_named(const char *path, const char *text, int write,
			struct kd_store **store, int64_t *id,
			struct kd_diag *d)
{
	struct kd_store *s;
	int r = kd_store_open_read(path, &s, d);

	if (r)
		return r;
	if (write) {
		kd_store_close(s);
		r = kd_store_open(path, &s, d);
		if (r)
			return r;
	}
	r = kd_store_find(s, text, id, d);
	if (r)
		kd_store_close(s);
	else
		*store = s;
	return r;
}
