// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of directions. See sink.h.
 */
#include "base/sink.h"

#include <string.h>

static const char *const names[] = {
	[KD_BETTER_NONE] = "none",
	[KD_BETTER_HIGHER] = "higher",
	[KD_BETTER_LOWER] = "lower",
};

const char *kd_better_name(enum kd_better better)
{
	return names[better];
}

enum kd_better kd_better_parse(const char *name)
{
	if (!strcmp(name, "higher"))
		return KD_BETTER_HIGHER;
	if (!strcmp(name, "lower"))
		return KD_BETTER_LOWER;
	return KD_BETTER_NONE;
}
