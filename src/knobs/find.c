// SPDX-License-Identifier: GPL-2.0-or-later
#include "knobs/knob.h"

#include <string.h>

const struct kd_knob_ops *kd_knob_find(const char *knob, const char **name)
{
	size_t len = strcspn(knob, ":");

	for (size_t i = 0; kd_knob_table[i]; i++) {
		if (strlen(kd_knob_table[i]->name) != len ||
		    strncmp(kd_knob_table[i]->name, knob, len))
			continue;
		*name = knob + len + (knob[len] == ':');
		return kd_knob_table[i];
	}
	return NULL;
}
