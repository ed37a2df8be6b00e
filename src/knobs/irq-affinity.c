// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irq-affinity:24 or, by a name of /proc/interrupts that only one line has,
 * irq-affinity:eth0-rx-0. The value is a list of CPUs: "0,2-3", as in
 * /proc/irq/24/smp_affinity_list.
 *
 * A line of /proc/interrupts:
 *   41:       5051          0 PCI-MSIX-0000:00:04.0   1-edge      virtio3-rx
 */
#include "base/buf.h"
#include "base/parse.h"
#include "base/root.h"
#include "base/str.h"
#include "knobs/file.h"
#include "knobs/knob.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4096
#define INTERRUPTS_MAX (1 << 20)

struct line {
	unsigned int irq;
	const char *action;	/* what comes last: "virtio3-rx" */
};

/* false for the heading and for lines without a number ("NMI:") */
static bool parse_line(char *text, struct line *l)
{
	char *end, *last;

	text = kd_str_trim(text);
	if (!isdigit((unsigned char)*text))
		return false;
	l->irq = (unsigned int)strtoul(text, &end, 10);
	if (*end != ':')
		return false;
	last = strrchr(end, ' ');
	/* names that share a line: "ehci_hcd:usb1, uhci_hcd:usb2" */
	while (last && last > end && last[-1] == ',') {
		char *before = last - 1;

		while (before > end && *before != ' ')
			before--;
		last = before;
	}
	l->action = last ? last + 1 : "";
	return true;
}

static int read_lines(const struct kd_knob_env *env, char **text,
		      struct kd_diag *d)
{
	ssize_t n;

	*text = malloc(INTERRUPTS_MAX);
	if (!*text)
		return kd_fail(d, -ENOMEM, "out of memory");
	n = kd_root_read(env->root, "/proc/interrupts", *text, INTERRUPTS_MAX);
	if (n >= 0)
		return 0;
	free(*text);
	return kd_fail(d, (int)n, "cannot read /proc/interrupts: %s",
		       strerror((int)-n));
}

static int check(const char *name, struct kd_diag *d)
{
	if (*name && strlen(name) < 64 && !strchr(name, '/'))
		return 0;
	kd_fail(d, -EINVAL, "\"%.60s\" is no interrupt", name);
	kd_diag_hint(d, "write irq-affinity:24, or a name that /proc/interrupts has");
	return -EINVAL;
}

static int by_name(const struct kd_knob_env *env, const char *name,
		   unsigned int *irq, struct kd_diag *d)
{
	char *text, *rest, *row;
	unsigned int n = 0;
	struct line l;
	int r = read_lines(env, &text, d);

	if (r)
		return r;
	rest = text;
	while ((row = strsep(&rest, "\n"))) {
		if (!parse_line(row, &l) || strcmp(l.action, name))
			continue;
		*irq = l.irq;
		n++;
	}
	free(text);
	if (n == 1)
		return 0;
	if (n)
		kd_fail(d, -EINVAL, "%u interrupts are named %s", n, name);
	else
		kd_fail(d, -ENOENT, "/proc/interrupts has no %s: %s", name,
			strerror(ENOENT));
	kd_diag_hint(d, n ? "say which by its number" :
		     "kdelta knobs \"irq-affinity:*\" lists what there is");
	return n ? -EINVAL : -ENOENT;
}

static int path_of(const struct kd_knob_env *env, const char *name,
		   char path[64], struct kd_diag *d)
{
	unsigned int irq = 0;
	uint64_t number;
	int r = check(name, d);

	if (r)
		return r;
	if (!kd_parse_u64(name, &number) && number < UINT32_MAX)
		irq = (unsigned int)number;
	else
		r = by_name(env, name, &irq, d);
	snprintf(path, 64, "/proc/irq/%u/smp_affinity_list", irq);
	return r;
}

static int get(const struct kd_knob_env *env, const char *name,
	       struct kd_buf *out, struct kd_diag *d)
{
	char path[64];
	int r = path_of(env, name, path, d);

	return r ? r : kd_knob_file_get(env->root, path, out, d);
}

static int set(const struct kd_knob_env *env, const char *name,
	       const char *value, struct kd_diag *d)
{
	char path[64];
	int r = path_of(env, name, path, d);

	if (r)
		return r;
	r = kd_knob_file_set(env->root, path, value, d);
	if (r == -EIO)
		kd_diag_hint(d, "the kernel moves no interrupt of this kind: a per-CPU one, or one that a driver manages");
	return r;
}

/* "0,2-3" into a set; false where it is no list */
static bool parse_cpus(const char *s, unsigned char set[CPUS_MAX / 8])
{
	memset(set, 0, CPUS_MAX / 8);
	while (*s) {
		char *end;
		unsigned long first, last;

		if (!isdigit((unsigned char)*s))
			return false;
		first = last = strtoul(s, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= CPUS_MAX ||
		    (*end && *end != ','))
			return false;
		for (unsigned long i = first; i <= last; i++)
			set[i / 8] |= (unsigned char)(1 << i % 8);
		s = end + (*end == ',');
	}
	return true;
}

static enum kd_knob_match match(const char *wanted, const char *seen)
{
	unsigned char a[CPUS_MAX / 8], b[CPUS_MAX / 8];

	return parse_cpus(wanted, a) && parse_cpus(seen, b) &&
	       !memcmp(a, b, sizeof(a)) ? KD_KNOB_SAME : KD_KNOB_DIFFERS;
}

static int list(const struct kd_knob_env *env, const char *pattern,
		void (*found)(void *arg, const char *name, const char *value,
			      unsigned int flags),
		void *arg, struct kd_diag *d)
{
	char *text, *rest, *row;
	struct line l;

	if (read_lines(env, &text, NULL))
		return 0;
	rest = text;
	while ((row = strsep(&rest, "\n"))) {
		struct kd_buf value = { 0 };
		char number[16];

		if (!parse_line(row, &l))
			continue;
		snprintf(number, sizeof(number), "%u", l.irq);
		if ((!pattern || !fnmatch(pattern, number, 0) ||
		     !fnmatch(pattern, l.action, 0)) &&
		    !get(env, number, &value, NULL))
			found(arg, number, kd_buf_str(&value), 0);
		kd_buf_fini(&value);
	}
	free(text);
	return 0;
}

const struct kd_knob_ops kd_knob_irq_affinity_ops = {
	.name = "irq-affinity",
	.summary = "CPUs that take an interrupt, by number or name: irq-affinity:eth0-rx-0",
	.check = check,
	.list = list,
	.get = get,
	.set = set,
	.match = match,
};
