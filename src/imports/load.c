// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From words on a command line to a dataset. See load.h.
 */
#include "imports/load.h"

#include "base/buf.h"
#include "imports/import.h"
#include "imports/limits.h"
#include "stats/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct log {
	const char *path;
	char label[KD_IMPORT_LABEL_MAX];
	bool given;
};

static int fill(int fd, const char *path, struct kd_buf *out,
		struct kd_diag *d)
{
	for (;;) {
		ssize_t n;

		if (kd_buf_reserve(out, 65536))
			return kd_fail(d, -ENOMEM, "out of memory");
		n = read(fd, out->data + out->len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			kd_diag_subject(d, "%s", path);
			return kd_fail(d, -EINVAL, "cannot be read: %s",
				       strerror(errno));
		}
		if (!n)
			break;
		out->len += (size_t)n;
		if (out->len > KD_IMPORT_BYTES_MAX) {
			kd_diag_subject(d, "%s", path);
			return kd_fail(d, -E2BIG,
				       "over %u MiB; cut it to the part with results",
				       KD_IMPORT_BYTES_MAX >> 20);
		}
	}
	return kd_buf_add(out, "", 0) ?
		kd_fail(d, -ENOMEM, "out of memory") : 0;
}

static int load(const char *path, struct kd_buf *out, struct kd_diag *d)
{
	bool in = !strcmp(path, "-");
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0) {
		kd_diag_subject(d, "%s", path);
		kd_fail(d, -ENOENT, "cannot be opened: %s", strerror(errno));
		return -ENOENT;
	}
	r = fill(fd, path, out, d);
	if (!in)
		close(fd);
	return r;
}

/* "label=path", where no file has that whole name */
static int take_word(const char *word, struct log *log, struct kd_diag *d)
{
	const char *eq = strchr(word, '=');
	const char *base, *dot;
	size_t n;

	log->path = word;
	log->given = false;
	if (eq && eq > word && eq[1] && access(word, F_OK)) {
		log->path = eq + 1;
		log->given = true;
		base = word;
		n = (size_t)(eq - word);
	} else {
		base = strrchr(word, '/');
		base = base ? base + 1 : word;
		dot = strrchr(base, '.');
		n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	}
	if (!strcmp(log->path, "-") && !log->given) {
		base = "stdin";
		n = 5;
	}
	if (!n || n >= sizeof(log->label))
		return kd_fail(d, -EINVAL,
			       "\"%.60s\": a label of %zu bytes; 1 to %zu are right",
			       word, n, sizeof(log->label) - 1);
	snprintf(log->label, sizeof(log->label), "%.*s", (int)n, base);
	return 0;
}

/* files of one name in two folders are told apart by their paths */
static int tell_apart(struct log *logs, size_t n, struct kd_diag *d)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			if (k == i || logs[i].given || logs[k].given ||
			    strcmp(logs[i].label, logs[k].label))
				continue;
			if (!strcmp(logs[i].path, logs[k].path))
				return kd_fail(d, -EINVAL,
					       "%s is given twice",
					       logs[i].path);
			for (size_t m = 0; m < n; m++) {
				if (m == i || strcmp(logs[m].label,
						     logs[i].label) ||
				    logs[m].given)
					continue;
				snprintf(logs[m].label, sizeof(logs[m].label),
					 "%s", logs[m].path);
			}
			snprintf(logs[i].label, sizeof(logs[i].label), "%s",
				 logs[i].path);
		}
	}
	return 0;
}

static int read_log(const struct log *log, bool alone, const char *format,
		    struct kd_dataset *ds, struct kd_diag *d)
{
	struct kd_buf data = { 0 };
	struct kd_import_file f = {
		.name = strcmp(log->path, "-") ? log->path : "stdin",
		.label = alone && !log->given ? NULL : log->label,
	};
	int r = load(log->path, &data, d);

	if (!r) {
		f.data = data.data;
		f.len = data.len;
		r = kd_import_read(&f, format, ds, d);
	}
	kd_buf_fini(&data);
	return r;
}

int kd_import_files(char *const *words, size_t n, const char *format,
		    struct kd_dataset *ds, struct kd_diag *d)
{
	struct log *logs = calloc(n ? n : 1, sizeof(*logs));
	int r = logs ? 0 : kd_fail(d, -ENOMEM, "out of memory");

	for (size_t i = 0; i < n && !r; i++)
		r = take_word(words[i], &logs[i], d);
	if (!r)
		r = tell_apart(logs, n, d);
	for (size_t i = 0; i < n && !r; i++)
		r = read_log(&logs[i], n == 1, format, ds, d);
	if (!r && n == 1 && !ds->title) {
		ds->title = strdup(logs[0].label);
		if (!ds->title)
			r = kd_fail(d, -ENOMEM, "out of memory");
	}
	free(logs);
	return r;
}
