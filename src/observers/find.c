// SPDX-License-Identifier: GPL-2.0-or-later
#include "observers/observer.h"

#include <string.h>

const struct kd_obs_ops *kd_obs_find(const char *name)
{
	for (size_t i = 0; kd_obs_table[i]; i++)
		if (!strcmp(kd_obs_table[i]->name, name))
			return kd_obs_table[i];
	return NULL;
}
