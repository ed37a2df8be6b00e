// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/report.h"

#include <string.h>

const struct kd_report_ops *kd_report_find(const char *name)
{
	for (size_t i = 0; kd_report_table[i]; i++)
		if (!strcmp(kd_report_table[i]->name, name))
			return kd_report_table[i];
	return NULL;
}
