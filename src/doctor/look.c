// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading below a root, for the checks. See look.h.
 */
#include "doctor/look.h"

#include "base/root.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *kd_look_text(const struct kd_root *root, const char *path,
			 char *out, size_t size)
{
	ssize_t n = kd_root_read(root, path, out, size);

	if (n < 0 && n != -E2BIG)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return kd_str_trim(out);
}

double kd_look_number(const struct kd_root *root, const char *path)
{
	char text[64], *end;
	const char *s = kd_look_text(root, path, text, sizeof(text));
	double v = strtod(s, &end);

	return end > s ? v : NAN;
}

const char *kd_look_choice(const struct kd_root *root, const char *path,
			   char *out, size_t size)
{
	const char *s = kd_look_text(root, path, out, size);
	char *open = strchr(s, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return s;
	*close = '\0';
	return open + 1;
}

bool kd_look_is(const struct kd_root *root, const char *path)
{
	int fd = kd_root_openat(root, path, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_match(const char *name, const char *prefix)
{
	size_t len = strcspn(prefix, "#");

	return name[0] != '.' && !strncmp(name, prefix, len) &&
	       (!prefix[len] || isdigit((unsigned char)name[len]));
}

size_t kd_look_each(const struct kd_root *root, const char *dir,
		    const char *prefix, const char *file,
		    void (*fn)(void *arg, const char *entry, const char *text),
		    void *arg)
{
	int fd = kd_root_openat(root, dir, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	size_t n = 0;

	if (fd >= 0 && !d)
		close(fd);
	while (d && (e = readdir(d))) {
		char path[512], text[256];

		if (!is_match(e->d_name, prefix))
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir, e->d_name, file);
		if (kd_root_read_line(root, path, text, sizeof(text)) < 0)
			continue;
		fn(arg, e->d_name, kd_str_trim(text));
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

void kd_look_say(struct kd_finding *f, enum kd_fitness fitness,
		 const char *fmt, ...)
{
	va_list ap;

	f->fitness = fitness;
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

void kd_look_fix(struct kd_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->fix, sizeof(f->fix), fmt, ap);
	va_end(ap);
}

void kd_tally_add(void *arg, const char *entry, const char *text)
{
	struct kd_tally *t = arg;

	(void)entry;
	t->total++;
	for (size_t i = 0; i < t->n; i++) {
		if (!strncmp(t->text[i], text, sizeof(t->text[i]) - 1)) {
			t->count[i]++;
			return;
		}
	}
	if (t->n == KD_TALLY_MAX)
		return;
	snprintf(t->text[t->n], sizeof(t->text[0]), "%s", text);
	t->count[t->n++] = 1;
}

size_t kd_tally_count(const struct kd_tally *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->text[i], text))
			return t->count[i];
	return 0;
}

const char *kd_tally_words(const struct kd_tally *t, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < t->n && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s on %zu",
					i ? ", " : "", t->text[i],
					t->count[i]);
	return out;
}
