// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/workload.h"

#include <string.h>

const struct kd_work_ops *kd_work_find(const char *name)
{
	for (size_t i = 0; kd_work_table[i]; i++)
		if (!strcmp(kd_work_table[i]->name, name))
			return kd_work_table[i];
	return NULL;
}

bool kd_work_has_end(const struct kd_work_ops *ops, const void *opts)
{
	return ops->ends ? ops->ends(opts) : ops->flags & KD_WORK_ENDS;
}

bool kd_work_has_peer(const struct kd_work_ops *ops, const void *opts)
{
	return ops->needs_peer ? ops->needs_peer(opts) :
				 ops->flags & KD_WORK_NEEDS_PEER;
}
