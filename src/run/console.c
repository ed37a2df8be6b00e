// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A device's console while one run is on it. See console.h.
 */
#include "run/console.h"

#include "run/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP_BYTES 8192
#define OWN_WORDS "kdelta-board: "

int kd_console_open(struct kd_console *c, char *const *argv, struct kd_diag *d)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; argv[i] && argv[i + 1]; i++)
		if (!strcmp(argv[i], "--console")) {
			c->kept = true;
			c->path = strdup(argv[i + 1]);
			return c->path ? 0 :
					 kd_fail(d, -ENOMEM, "out of memory");
		}
	if (asprintf(&c->path, "%s/kdelta-console.XXXXXX",
		     dir && *dir ? dir : "/tmp") < 0) {
		c->path = NULL;
		return kd_fail(d, -ENOMEM, "out of memory");
	}
	fd = mkostemp(c->path, O_CLOEXEC);
	if (fd < 0) {
		int r = kd_fail_errno(d, "cannot make %s", c->path);

		free(c->path);
		c->path = NULL;
		return r;
	}
	close(fd);
	return 0;
}

/* the last bytes, from the start of a line on, without '\r' */
static size_t read_end(const struct kd_console *c, char *out, size_t size)
{
	FILE *f = c->path ? fopen(c->path, "re") : NULL;
	size_t n, kept = 0;
	long end;

	out[0] = '\0';
	if (!f)
		return 0;
	fseek(f, 0, SEEK_END);
	end = ftell(f);
	fseek(f, end > (long)size - 1 ? end - (long)size + 1 : 0, SEEK_SET);
	n = fread(out, 1, size - 1, f);
	fclose(f);
	for (size_t i = 0; i < n; i++)
		if (out[i] && out[i] != '\r')
			out[kept++] = out[i];
	while (kept && out[kept - 1] == '\n')
		kept--;
	out[kept] = '\0';
	return kept;
}

void kd_console_reason(const struct kd_console *c, char *out, size_t size)
{
	char text[KEEP_BYTES];
	const char *line;

	out[0] = '\0';
	if (!read_end(c, text, sizeof(text)))
		return;
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!strncmp(line, OWN_WORDS, strlen(OWN_WORDS)))
		snprintf(out, size, "%s", line + strlen(OWN_WORDS));
}

void kd_console_keep(const struct kd_console *c, struct kd_store_run *run)
{
	char text[KEEP_BYTES];
	struct kd_record rec;

	if (!read_end(c, text, sizeof(text)))
		return;
	kd_record_init(&rec, run);
	rec.sink.event(&rec.sink, "console", 0, 0, text);
}

void kd_console_close(struct kd_console *c)
{
	if (c->path && !c->kept)
		unlink(c->path);
	free(c->path);
	c->path = NULL;
}
