// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One value for a file of each CPU. See many.h.
 */
#include "knobs/many.h"

#include "base/buf.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number_of(const char *label)
{
	while (*label && !isdigit((unsigned char)*label))
		label++;
	return strtol(label, NULL, 10);
}

int kd_many_add(struct kd_many *m, const char *label, const char *path)
{
	struct kd_many_file *grown = reallocarray(m->files, m->n + 1,
						  sizeof(*grown));
	size_t at = m->n;

	if (!grown)
		return -ENOMEM;
	m->files = grown;
	while (at && number_of(m->files[at - 1].label) > number_of(label)) {
		m->files[at] = m->files[at - 1];
		at--;
	}
	snprintf(m->files[at].label, sizeof(m->files[at].label), "%s", label);
	snprintf(m->files[at].path, sizeof(m->files[at].path), "%s", path);
	m->n++;
	return 0;
}

int kd_many_get(const struct kd_root *root, const struct kd_many *m,
		struct kd_buf *out, struct kd_diag *d)
{
	struct kd_buf list = { 0 }, first = { 0 };
	bool agree = true;
	int r = 0;

	for (size_t i = 0; !r && i < m->n; i++) {
		struct kd_buf value = { 0 };

		r = kd_knob_file_get(root, m->files[i].path, &value, d);
		if (!i)
			kd_buf_puts(&first, kd_buf_str(&value));
		else if (strcmp(kd_buf_str(&first), kd_buf_str(&value)))
			agree = false;
		kd_buf_printf(&list, "%s%s=%s", i ? " " : "",
			      m->files[i].label, kd_buf_str(&value));
		kd_buf_fini(&value);
	}
	if (!r)
		r = kd_buf_puts(out, kd_buf_str(agree ? &first : &list));
	kd_buf_fini(&list);
	kd_buf_fini(&first);
	return r;
}

/* the value of @label in "cpu0=1 cpu1=0" into @out; false where it has none */
static bool of_label(const char *value, const char *label, struct kd_buf *out)
{
	size_t n = strlen(label);

	while (*value) {
		size_t len = strcspn(value, " ");

		if (len > n && !strncmp(value, label, n) && value[n] == '=') {
			kd_buf_add(out, value + n + 1, len - n - 1);
			return true;
		}
		value += len + (value[len] == ' ');
	}
	return false;
}

static bool is_list(const struct kd_many *m, const char *value)
{
	for (size_t i = 0; i < m->n; i++) {
		size_t n = strlen(m->files[i].label);

		if (!strncmp(value, m->files[i].label, n) && value[n] == '=')
			return true;
	}
	return false;
}

int kd_many_set(const struct kd_root *root, const struct kd_many *m,
		const char *value, struct kd_diag *d)
{
	bool list = is_list(m, value);
	int r = 0;

	for (size_t i = 0; !r && i < m->n; i++) {
		struct kd_buf one = { 0 };

		if (!list)
			r = kd_knob_file_set(root, m->files[i].path, value, d);
		else if (of_label(value, m->files[i].label, &one))
			r = kd_knob_file_set(root, m->files[i].path,
					     kd_buf_str(&one), d);
		kd_buf_fini(&one);
	}
	return r;
}

void kd_many_fini(struct kd_many *m)
{
	free(m->files);
	m->files = NULL;
	m->n = 0;
}
