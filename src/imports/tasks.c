// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU shares per task: "   81.5653%        195114        0:swapper", that is
 * share, samples or ticks, pid:name. Tasks are matched by name, as their pids
 * differ between boots; those of one name are added up.
 */
#include "imports/doc.h"
#include "imports/import.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
	double share;
	double ticks;
	char name[64];
};

static bool scan(const char *line, struct task *t)
{
	const char *p = line + strspn(line, " \t");
	size_t n;

	if (!isdigit((unsigned char)*p))
		return false;
	p = kd_number_scan(p, false, &t->share, NULL);
	if (!p || *p != '%' || t->share > 100)
		return false;
	p += 1 + strspn(p + 1, " \t");
	p = isdigit((unsigned char)*p) ?
		kd_number_scan(p, false, &t->ticks, NULL) : NULL;
	if (!p || (*p != ' ' && *p != '\t'))
		return false;
	p += strspn(p, " \t");
	n = strspn(p, "0123456789");
	if (!n || p[n] != ':' || !p[n + 1])
		return false;
	p += n + 1;
	n = strlen(p);
	while (n && strchr(" \t\r", p[n - 1]))
		n--;
	if (!n || n >= sizeof(t->name))
		return false;
	snprintf(t->name, sizeof(t->name), "%.*s", (int)n, p);
	return true;
}

static size_t claim(const struct kd_doc *doc, size_t i)
{
	struct task t;
	size_t n = 0;

	while (i + n < doc->n && scan(doc->lines[i + n].text, &t))
		n++;
	return n;
}

static int by_name(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->share < y->share) - (x->share > y->share);
}

/* all rows must tell of one total, within what the places shown allow */
static int check(struct kd_doc *doc, size_t i, const struct task *tasks,
		 size_t n)
{
	double ticks = 0, share = 0, total;

	for (size_t k = 0; k < n; k++) {
		ticks += tasks[k].ticks;
		share += tasks[k].share;
	}
	if (share > 100.5)
		return kd_note(doc->ds, "%s: the shares from line %d on add up to %.1f %%",
			       doc->stem, doc->lines[i].no, share);
	total = share > 0 ? ticks / share * 100 : 0;
	for (size_t k = 0; k < n && total > 0; k++)
		if (fabs(tasks[k].ticks / total * 100 - tasks[k].share) >
		    0.01 + 0.002 * tasks[k].share)
			return kd_note(doc->ds, "%s: %s has %.4g %%, but %.0f of about %.0f samples; the share is used",
				       doc->stem, tasks[k].name,
				       tasks[k].share, tasks[k].ticks, total);
	return 0;
}

static int block(struct kd_doc *doc, size_t i, size_t n)
{
	char variant[KD_IMPORT_LABEL_MAX], workload[KD_IMPORT_LABEL_MAX];
	struct task *tasks = calloc(n, sizeof(*tasks));
	int r = tasks ? kd_doc_place(doc, "", variant, workload) :
			kd_fail(doc->d, -ENOMEM, "out of memory");

	for (size_t k = 0; k < n && !r; k++)
		scan(doc->lines[i + k].text, &tasks[k]);
	if (!r)
		r = check(doc, i, tasks, n);
	if (!r)
		qsort(tasks, n, sizeof(*tasks), by_name);
	for (size_t k = 0, next; k < n && !r; k = next) {
		char metric[96];
		double share = 0;

		for (next = k; next < n &&
		     !strcmp(tasks[next].name, tasks[k].name); next++)
			share += tasks[next].share;
		snprintf(metric, sizeof(metric), "cpu share[%s]",
			 tasks[k].name);
		r = kd_figure_add(doc->ds, &(struct kd_figure){
			.variant = variant, .workload = workload,
			.metric = metric, .unit = "%", .value = share,
			.exploratory = true,
		}, doc->d);
	}
	free(tasks);
	return r;
}

const struct kd_import_ops kd_import_tasks_ops = {
	.name = "tasks",
	.summary = "CPU shares: percent, samples, pid:name",
	.claim = claim,
	.block = block,
};
