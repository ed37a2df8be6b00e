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
