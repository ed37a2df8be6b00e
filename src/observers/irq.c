// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts per line, soft interrupts per kind, and the network backlog:
 *   /proc/interrupts        " 17:  9  7  GICv2  30 Level     arch_timer"
 *   /proc/softirqs          "NET_RX:  20939063  41515467"
 *   /proc/net/softnet_stat  hex per core: processed dropped time_squeeze ...
 * The kernel counts all of them in 32 bits per core and they wrap. A sum over
 * cores differs from the true one by a multiple of 2^32, so the difference of
 * two sums modulo 2^32 is right up to 4.29e9 a window.
 */
#include "base/root.h"
#include "base/str.h"
#include "observers/number.h"
#include "observers/observer.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 1024
#define NAME_SIZE 48
#define TEXT_SIZE (1 << 20)

enum metric {
	M_RATE, M_TOTAL, M_SOFTIRQ, M_PROCESSED, M_DROPPED, M_SQUEEZED,
};

static const struct kd_metric_desc metrics[] = {
	[M_RATE] = { "irq.rate", "1/s", KD_BETTER_LOWER,
		     "interrupts of one line" },
	[M_TOTAL] = { "irq.total", "1/s", KD_BETTER_LOWER,
		      "interrupts of all lines" },
	[M_SOFTIRQ] = { "softirq.rate", "1/s", KD_BETTER_LOWER,
			"soft interrupts of one kind" },
	[M_PROCESSED] = { "softnet.processed", "1/s", KD_BETTER_NONE,
			  "packets taken from the backlog or by NAPI" },
	[M_DROPPED] = { "softnet.dropped", "1/s", KD_BETTER_LOWER,
			"packets dropped as the backlog was full" },
	[M_SQUEEZED] = { "softnet.squeezed", "1/s", KD_BETTER_LOWER,
			 "polls that ended with work left" },
	{ 0 },
};

struct line {
	char name[NAME_SIZE];
	uint64_t count;
};

struct table {
	struct line *lines;
	size_t n;
	unsigned int cores;
	bool cut;
};

struct softnet {
	uint32_t v[3];
	unsigned int cores;
};

enum { IRQS, SOFTIRQS, N_TABLES };

struct state {
	int fd[N_TABLES], softnet_fd;
	char *text;
	struct table first[N_TABLES], last[N_TABLES];
	struct softnet net0, net1;
	uint64_t t0_ns, t1_ns;
	int error;
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/*
 * What uses a line stands last, after two blanks: "30 Level     arch_timer",
 * "1-edge      eth0", "7  timer". A line nobody uses ends with the trigger.
 */
static void name_line(const char *label, char *what, char *out)
{
	static const char *const triggers[] = {
		"-edge", "-level", "-fasteoi", "Edge", "Level", "None",
	};
	size_t len = strlen(what);
	char *user = NULL;
	bool used;

	used = len && what[len - 1] != ' ';
	what = kd_str_trim(what);
	for (char *p = what; (p = strstr(p, "  ")); p++)
		user = p + 2;
	used = used && user && *user && !isdigit((unsigned char)*user);
	for (size_t i = 0; used && i < KD_ARRAY_SIZE(triggers); i++)
		used = !ends_with(user, triggers[i]);
	if (used)
		snprintf(out, NAME_SIZE, "%s", user);
	else
		snprintf(out, NAME_SIZE, "irq%.16s", label);
}

static struct line *find_line(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->lines[i].name, name))
			return &t->lines[i];
	return NULL;
}

static void add_line(struct table *t, const char *name, uint64_t count)
{
	struct line *l = find_line(t, name);

	if (l) {
		l->count += count;
	} else if (t->n < MAX_LINES) {
		l = &t->lines[t->n++];
		snprintf(l->name, sizeof(l->name), "%s", name);
		l->count = count;
	} else {
		t->cut = true;
	}
}

static void parse_line(struct table *t, char *line)
{
	char *colon = strchr(line, ':'), *p, name[NAME_SIZE], *label;
	uint64_t sum = 0;

	if (!colon)
		return;
	*colon = '\0';
	label = kd_str_trim(line);
	p = colon + 1;
	for (unsigned int i = 0; i < t->cores; i++) {
		char *q = p + strspn(p, " ");

		if (!isdigit((unsigned char)*q))
			break;
		sum += strtoull(q, &p, 10);
	}
	if (isdigit((unsigned char)label[0]))
		name_line(label, p, name);
	else
		snprintf(name, sizeof(name), "%s", label);
	add_line(t, name, sum);
}

/* the first line names the cores; a last line without its end was cut */
static void parse(char *text, struct table *t)
{
	char *end, *line = text;

	t->n = 0;
	t->cores = 0;
	t->cut = false;
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (t->cores) {
			parse_line(t, line);
			continue;
		}
		for (char *p = line; (p = strstr(p, "CPU")); p += 3)
			t->cores++;
		if (!t->cores)
			return;
	}
	if (*line)
		t->cut = true;
}

static void parse_softnet(char *text, struct softnet *net)
{
	char *rest = text, *line;

	memset(net, 0, sizeof(*net));
	while ((line = strsep(&rest, "\n")) && *line) {
		for (int i = 0; i < 3; i++)
			net->v[i] += (uint32_t)strtoul(line, &line, 16);
		net->cores++;
	}
}

static void free_all(struct state *s)
{
	for (int i = 0; i < N_TABLES; i++) {
		kd_number_close(s->fd[i]);
		free(s->first[i].lines);
		free(s->last[i].lines);
	}
	kd_number_close(s->softnet_fd);
	free(s->text);
}

static int start(void *priv, const struct kd_obs_env *env, const void *opts,
		 struct kd_diag *d)
{
	static const char *const paths[] = { "/proc/interrupts",
					     "/proc/softirqs" };
	struct state *s = priv;
	bool memory;

	s->text = malloc(TEXT_SIZE);
	memory = s->text;
	for (int i = 0; i < N_TABLES; i++) {
		s->fd[i] = kd_root_openat(env->root, paths[i], O_RDONLY);
		s->first[i].lines = calloc(MAX_LINES, sizeof(struct line));
		s->last[i].lines = calloc(MAX_LINES, sizeof(struct line));
		memory = memory && s->first[i].lines && s->last[i].lines;
	}
	s->softnet_fd = kd_root_openat(env->root, "/proc/net/softnet_stat",
				       O_RDONLY);
	if (memory && s->fd[IRQS] >= 0)
		return 0;
	free_all(s);
	if (!memory)
		return kd_fail(d, -ENOMEM, "out of memory");
	return kd_fail(d, s->fd[IRQS], "cannot open /proc/interrupts");
}

static void sample(void *priv, enum kd_obs_when when, uint64_t now_ns)
{
	struct state *s = priv;
	bool begin = when == KD_OBS_BEGIN;

	if (when == KD_OBS_TICK)
		return;
	*(begin ? &s->t0_ns : &s->t1_ns) = now_ns;
	if (begin)
		s->error = 0;
	for (int i = 0; i < N_TABLES; i++) {
		struct table *t = begin ? &s->first[i] : &s->last[i];

		t->n = 0;
		if (s->fd[i] < 0)
			continue;
		if (kd_pread_text(s->fd[i], s->text, TEXT_SIZE) > 0)
			parse(s->text, t);
		else
			s->error = -EIO;
	}
	if (s->softnet_fd >= 0 &&
	    kd_pread_text(s->softnet_fd, s->text, TEXT_SIZE) > 0)
		parse_softnet(s->text, begin ? &s->net0 : &s->net1);
}

/* not interrupts: lines that count errors of the controller */
static bool is_error(const char *name)
{
	return !strcasecmp(name, "ERR") || !strcmp(name, "MIS");
}

static double report(struct kd_sink *sink, const struct table *a,
		     const struct table *b, enum metric m, double span_s)
{
	double all = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct line *was = find_line(a, b->lines[i].name);
		uint32_t count = (uint32_t)(b->lines[i].count -
					    (was ? was->count : 0));

		/* a line that was idle all the time says nothing */
		if (!count)
			continue;
		sink->metric(sink, &metrics[m], b->lines[i].name,
			     count / span_s);
		if (!is_error(b->lines[i].name))
			all += count / span_s;
	}
	if (a->cut || b->cut)
		sink->event(sink, "note", 0, 0, "irq: too many lines to keep all");
	return all;
}

static void result(void *priv, struct kd_sink *sink)
{
	static const enum metric net_metrics[] = { M_PROCESSED, M_DROPPED,
						   M_SQUEEZED };
	struct state *s = priv;
	double span_s = (double)(s->t1_ns - s->t0_ns) / 1e9;
	double all;

	if (s->error || s->t1_ns <= s->t0_ns || !s->first[IRQS].n) {
		sink->event(sink, "note", 0, 0,
			    "irq: /proc/interrupts gave nothing to count");
		return;
	}
	if (s->first[IRQS].cores != s->last[IRQS].cores) {
		sink->event(sink, "note", 0, 0,
			    "irq: a core came or went, so nothing is counted");
		return;
	}
	all = report(sink, &s->first[IRQS], &s->last[IRQS], M_RATE, span_s);
	sink->metric(sink, &metrics[M_TOTAL], NULL, all);
	report(sink, &s->first[SOFTIRQS], &s->last[SOFTIRQS], M_SOFTIRQ,
	       span_s);
	if (!s->net0.cores || s->net0.cores != s->net1.cores)
		return;
	for (int i = 0; i < 3; i++)
		sink->metric(sink, &metrics[net_metrics[i]], NULL,
			     (uint32_t)(s->net1.v[i] - s->net0.v[i]) / span_s);
}

static void stop(void *priv)
{
	free_all(priv);
}

const struct kd_obs_ops kd_obs_irq_ops = {
	.name = "irq",
	.summary = "interrupts per line, soft interrupts, network backlog",
	.priv_size = sizeof(struct state),
	.metrics = metrics,
	.start = start,
	.sample = sample,
	.result = result,
	.stop = stop,
};
