// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which format a log is of, and reading it.
 */
#include "imports/import.h"

#include "base/buf.h"
#include "base/str.h"
#include "imports/doc.h"
#include "imports/foreign.h"
#include "stats/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define FORMATS_MAX 31

const struct kd_import_ops *kd_import_find(const char *name)
{
	for (size_t i = 0; kd_import_table[i]; i++)
		if (!strcmp(kd_import_table[i]->name, name))
			return kd_import_table[i];
	return NULL;
}

static void hint_formats(struct kd_diag *d)
{
	struct kd_buf names = { 0 };

	for (size_t i = 0; kd_import_table[i]; i++)
		kd_buf_printf(&names, "%s%s", i ? ", " : "",
			      kd_import_table[i]->name);
	kd_diag_hint(d, "known are: %s", kd_buf_str(&names));
	kd_buf_fini(&names);
}

/* how many numbers the first line holds, 0 where there is anything else */
static size_t count_numbers(const struct kd_import_file *f)
{
	const char *p = f->data;
	size_t n = 0;
	double v;

	while (isspace((unsigned char)*p))
		p++;
	while (*p && *p != '\n' && *p != '\r') {
		p = kd_number_scan(p, false, &v, NULL);
		if (!p || (*p && !isspace((unsigned char)*p)))
			return 0;
		n++;
		p += strspn(p, " \t");
	}
	return n;
}

static int unknown_format(const struct kd_import_file *f, struct kd_diag *d)
{
	size_t n = count_numbers(f);

	if (n > 1) {
		kd_fail_at(d, -EINVAL, f->name, 1, 1,
			   "%zu columns of numbers without a header: which one is the figure?",
			   n);
		kd_diag_hint(d, "give one column alone, as awk '{print $3}' does");
		return -EINVAL;
	}
	kd_fail_at(d, -EINVAL, f->name, 0, 0, "not a format that I know");
	hint_formats(d);
	return -EINVAL;
}

static int read_text(const struct kd_import_file *f,
		     const struct kd_import_ops *const *ops,
		     struct kd_dataset *ds, struct kd_diag *d)
{
	struct kd_doc doc;
	int r = kd_doc_open(&doc, f, ds, d);

	if (r)
		return r;
	r = kd_doc_read(&doc, ops);
	kd_doc_close(&doc);
	if (r == -ENOENT)
		return unknown_format(f, d);
	return r;
}

static int read_as(const struct kd_import_ops *ops,
		   const struct kd_import_file *f, struct kd_dataset *ds,
		   struct kd_diag *d)
{
	const struct kd_import_ops *one[2] = { ops, NULL };

	if (ops->read)
		return ops->read(f, ds, d);
	return read_text(f, one, ds, d);
}

static int find_and_read(const struct kd_import_file *f, struct kd_dataset *ds,
			 struct kd_diag *d)
{
	const struct kd_import_ops *blocks[FORMATS_MAX + 1] = { NULL };
	const struct kd_import_ops *best = NULL;
	size_t n = 0;
	int most = 0, r;

	for (size_t i = 0; kd_import_table[i]; i++) {
		const struct kd_import_ops *ops = kd_import_table[i];
		int sure = ops->detect ? ops->detect(f) : 0;

		if (sure > most) {
			most = sure;
			best = ops;
		}
		if (ops->claim && n < FORMATS_MAX)
			blocks[n++] = ops;
	}
	if (best)
		return best->read(f, ds, d);
	r = kd_foreign_check(f, d);
	return r ? r : read_text(f, blocks, ds, d);
}

int kd_import_read(const struct kd_import_file *file, const char *format,
		   struct kd_dataset *ds, struct kd_diag *d)
{
	struct kd_import_file text = *file, *f = &text;
	const struct kd_import_ops *ops = NULL;
	size_t blank = 0, before = 0, after = 0;
	int r;

	/* a byte order mark is no part of the first word */
	if (f->len >= 3 && !memcmp(f->data, "\xef\xbb\xbf", 3)) {
		f->data += 3;
		f->len -= 3;
	}
	if (f->len > KD_IMPORT_BYTES_MAX)
		return kd_fail_at(d, -E2BIG, f->name, 0, 0,
				  "a log of %zu MiB; at most %u can be read",
				  f->len >> 20, KD_IMPORT_BYTES_MAX >> 20);
	while (blank < f->len && isspace((unsigned char)f->data[blank]))
		blank++;
	if (blank == f->len)
		return kd_fail_at(d, -EINVAL, f->name, 0, 0, "it is empty");
	if (format) {
		ops = kd_import_find(format);
		if (!ops) {
			kd_fail(d, -EINVAL, "there is no format \"%s\"",
				format);
			hint_formats(d);
			return -EINVAL;
		}
	}
	for (size_t i = 0; i < ds->n_measures; i++)
		before += ds->measures[i].n_samples;
	r = ops ? read_as(ops, f, ds, d) : find_and_read(f, ds, d);
	kd_diag_subject(r ? d : NULL, "%s", f->name);
	if (r)
		return r;
	for (size_t i = 0; i < ds->n_measures; i++)
		after += ds->measures[i].n_samples;
	if (after > before)
		return 0;
	kd_fail_at(d, -EINVAL, f->name, 0, 0, "no result in it%s%s",
		   ds->n_notes ? ": " : "",
		   ds->n_notes ? ds->notes[ds->n_notes - 1] : "");
	return -EINVAL;
}
