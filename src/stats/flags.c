// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words for flags and verdicts, one list for all reports.
 */
#include "stats/analysis.h"

static const char *const flag_texts[KD_FLAG_COUNT] = {
	"outliers beyond 3.5 scaled median absolute deviations",
	"drifts with time (rank correlation)",
	"two separate groups of values",
	"all values are equal",
	"few distinct values: the figure's resolution is coarse",
	"rounds without a run: only complete rounds are paired",
	"unequal numbers of runs",
	"t test and permutation test disagree",
	"too few rounds to check by permutation",
	"but under the smallest effect of interest",
	"no ratio to be had (negative values, or a mean too near zero or too "
	"uncertain): plain difference in the unit",
	"many runs of one boot are one sample",
	"spread over 30 % of the mean",
	"values that are no finite numbers, or beyond 1e150",
};

const char *kd_flag_text(enum kd_flag flag)
{
	for (int i = 0; i < KD_FLAG_COUNT; i++)
		if (flag == 1 << i)
			return flag_texts[i];
	return "";
}

static const char *const verdict_names[KD_VERDICT_COUNT] = {
	[KD_VERDICT_BETTER] = "better",
	[KD_VERDICT_WORSE] = "worse",
	[KD_VERDICT_SAME] = "same",
	[KD_VERDICT_UNCLEAR] = "unclear",
	[KD_VERDICT_CHANGED] = "changed",
	[KD_VERDICT_NONE] = "none",
};

const char *kd_verdict_name(enum kd_verdict v)
{
	return (unsigned int)v < KD_VERDICT_COUNT ? verdict_names[v] : "none";
}
