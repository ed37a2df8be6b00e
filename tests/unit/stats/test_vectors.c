// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Against figures of R and SciPy; tools/mk-stats-vectors.R and .py made the
 * files and say how to read them.
 */
#include "stats/bootstrap.h"
#include "stats/holm.h"
#include "stats/perm.h"
#include "stats/power.h"
#include "stats/ratio.h"
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIELDS_MAX 12
#define VALUES_MAX 64

struct field {
	char name[16];
	double v[VALUES_MAX];
	size_t n;
};

struct test_case {
	char kind[32];
	struct field f[FIELDS_MAX];
	size_t n;
};

static const struct field *get(const struct test_case *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->f[i].name, name))
			return &c->f[i];
	fail_msg("%s has no %s", c->kind, name);
	abort();
}

static double one(const struct test_case *c, const char *name)
{
	const struct field *f = get(c, name);

	assert_int_equal(f->n, 1);
	return f->v[0];
}

static void read_field(struct test_case *c, const char *name, char *rest)
{
	struct field *f = &c->f[c->n];
	char *word, *save;

	assert_true(c->n < FIELDS_MAX);
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->n = 0;
	while ((word = strtok_r(rest, " \n", &save))) {
		rest = NULL;
		assert_true(f->n < VALUES_MAX);
		f->v[f->n++] = strtod(word, NULL);
	}
	c->n++;
}

typedef void (*case_fn)(const struct test_case *c);

/* calls @fn for every case of @kind; there must be @want of them */
static void for_each(const char *file, const char *kind, int want, case_fn fn)
{
	static struct test_case c;
	char line[4096], path[512], *word, *save;
	int seen = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", KD_TEST_DATA, file);
	f = fopen(path, "re");
	assert_non_null(f);
	c.kind[0] = '\0';
	for (bool more = true; more;) {
		more = fgets(line, sizeof(line), f);
		word = more ? strtok_r(line, " \n", &save) : NULL;
		if (more && (!word || word[0] == '#'))
			continue;
		if (!more || !strcmp(word, "case")) {
			if (!strcmp(c.kind, kind)) {
				fn(&c);
				seen++;
			}
			c.n = 0;
			if (more)
				snprintf(c.kind, sizeof(c.kind), "%s",
					 strtok_r(NULL, " \n", &save));
			continue;
		}
		read_field(&c, word, save);
	}
	fclose(f);
	assert_int_equal(seen, want);
}

static void near(const struct test_case *c, const char *what, double got,
		 double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want) + relative * 1e-3))
		fail_msg("%s %s: %.15g, reference %.15g", c->kind, what, got,
			 want);
}

static void check_effect(const struct test_case *c, const struct kd_effect *e,
			 bool difference)
{
	const struct field *ci = get(c, "ci");
	double lo, hi;

	assert_int_equal(e->difference, difference);
	near(c, "est", e->est, one(c, "est"), 1e-10);
	near(c, "se", e->se, one(c, "se"), 1e-9);
	near(c, "df", e->df, one(c, "df"), 1e-9);
	near(c, "p", kd_effect_p(e), one(c, "p"), 1e-8);
	kd_effect_interval(e, 0.05, &lo, &hi);
	near(c, "lo", lo, ci->v[0], 1e-8);
	near(c, "hi", hi, ci->v[1], 1e-8);
}

static int take_paired(const struct test_case *c, struct kd_effect *e)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	double z[VALUES_MAX];

	return kd_effect_paired(x->v, y->v, x->n, z, e);
}

static int take_welch(const struct test_case *c, struct kd_effect *e)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");

	return kd_effect_welch(x->v, x->n, y->v, y->n, e);
}

static void check_paired(const struct test_case *c)
{
	struct kd_effect e;

	assert_int_equal(take_paired(c, &e), 0);
	check_effect(c, &e, false);
}

static void check_welch(const struct test_case *c)
{
	struct kd_effect e;

	assert_int_equal(take_welch(c, &e), 0);
	check_effect(c, &e, false);
}

static void check_paired_plain(const struct test_case *c)
{
	struct kd_effect e;

	assert_int_equal(take_paired(c, &e), 0);
	check_effect(c, &e, true);
}

static void check_welch_plain(const struct test_case *c)
{
	struct kd_effect e;

	assert_int_equal(take_welch(c, &e), 0);
	check_effect(c, &e, true);
}

static int widened;

/* with so much noise the smaller t of the two is the one that holds */
static void check_wide(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	double log_se, z[VALUES_MAX], mx = kd_mean(x->v, x->n),
	       my = kd_mean(y->v, y->n), t_log, t_plain = one(c, "t");
	struct kd_effect e;

	assert_int_equal(take_paired(c, &e), 0);
	if (e.difference)
		return;
	for (size_t i = 0; i < x->n; i++)
		z[i] = y->v[i] / my - x->v[i] / mx;
	log_se = kd_sd(z, x->n) / sqrt((double)x->n);
	t_log = log(my / mx) / log_se;
	assert_true(log_se > 0.1);
	near(c, "t", fabs(e.est / e.se), fmin(fabs(t_log), fabs(t_plain)),
	     1e-9);
	widened += fabs(t_plain) < fabs(t_log);
}

static void effects(void **state)
{
	for_each("r.txt", "paired", 5, check_paired);
	for_each("r.txt", "welch", 4, check_welch);
	for_each("r.txt", "paired-plain", 2, check_paired_plain);
	for_each("r.txt", "welch-plain", 2, check_welch_plain);
	for_each("r.txt", "wide", 4, check_wide);
	assert_true(widened > 0);
}

static void check_quantile(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *q = get(c, "q"), *v = get(c, "v");
	double s[VALUES_MAX];

	memcpy(s, x->v, sizeof(s));
	kd_sort(s, x->n);
	for (size_t i = 0; i < q->n; i++)
		near(c, "v", kd_quantile(s, x->n, q->v[i]), v->v[i], 1e-12);
	near(c, "mean", kd_mean(x->v, x->n), one(c, "mean"), 1e-12);
	if (x->n > 1)
		near(c, "sd", kd_sd(x->v, x->n), one(c, "sd"), 1e-12);
}

static void check_spearman(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	double rx[VALUES_MAX], ry[VALUES_MAX], p;
	size_t order[VALUES_MAX];

	kd_ranks(x->v, x->n, rx, order);
	kd_ranks(y->v, x->n, ry, order);
	near(c, "rho", kd_spearman(rx, ry, x->n, &p), one(c, "rho"), 1e-12);
	near(c, "p", p, one(c, "p"), 1e-8);
}

static void check_holm(const struct test_case *c)
{
	const struct field *in = get(c, "p"), *adj = get(c, "adj");
	size_t order[VALUES_MAX], n = in->n;
	double p[VALUES_MAX];

	memcpy(p, in->v, sizeof(p));
	/* members of no family in between change nothing */
	p[n] = NAN;
	assert_int_equal(kd_holm(p, n + 1, order), n);
	for (size_t i = 0; i < n; i++)
		near(c, "adj", p[i], adj->v[i], 1e-12);
	assert_true(isnan(p[n]));
}

static void simple_figures(void **state)
{
	for_each("r.txt", "quantile", 5, check_quantile);
	for_each("r.txt", "spearman", 6, check_spearman);
	for_each("r.txt", "holm", 5, check_holm);
}

static void check_nct(const struct test_case *c)
{
	double got = kd_nct_cdf(one(c, "t"), one(c, "df"), one(c, "ncp"));

	if (fabs(got - one(c, "cdf")) > 1e-6)
		fail_msg("nct t=%g df=%g ncp=%g: %.10g, R %.10g", one(c, "t"),
			 one(c, "df"), one(c, "ncp"), got, one(c, "cdf"));
}

static void check_needed(const struct test_case *c)
{
	struct kd_effect e = { .n = one(c, "pairs") > 0 ? 9 : 0, .var_x = 1 };
	unsigned int n, want = (unsigned int)one(c, "n");

	e.var_y = e.n ? 0 : 1;
	n = kd_power_needed(&e, one(c, "delta"), one(c, "alpha"), 0.8);
	if (n != (want < 2 ? 2 : want))
		fail_msg("needs %u, R says %u", n, want);
}

static void power(void **state)
{
	for_each("r.txt", "nct", 120, check_nct);
	for_each("r.txt", "needed", 16, check_needed);
}

static void check_perm_paired(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	double d[VALUES_MAX], scratch[2 * VALUES_MAX];
	struct kd_perm p;

	for (size_t i = 0; i < x->n; i++)
		d[i] = y->v[i] - x->v[i];
	kd_perm_paired(d, x->n, 1, scratch, &p);
	assert_true(p.exact);
	near(c, "p", p.p, one(c, "p"), 1e-12);
}

static void check_perm_means(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	double pool[2 * VALUES_MAX], scratch[2 * VALUES_MAX];
	struct kd_perm p;

	memcpy(pool, x->v, x->n * sizeof(double));
	memcpy(pool + x->n, y->v, y->n * sizeof(double));
	kd_perm_means(pool, x->n, y->n, 1, scratch, &p);
	assert_true(p.exact);
	near(c, "p", p.p, one(c, "p"), 1e-12);
}

static void permutations(void **state)
{
	for_each("scipy.txt", "perm-paired", 7, check_perm_paired);
	for_each("scipy.txt", "perm-means", 7, check_perm_means);
}

/* drawn p is near the exact one, and never zero */
static void draws_are_near_exact(void **state)
{
	double pool[40], d[25], scratch[80];
	struct kd_perm p;

	for (int i = 0; i < 40; i++)
		pool[i] = (i * 37) % 41 + (i >= 20 ? 8 : 0);
	kd_perm_means(pool, 20, 20, 3, scratch, &p);
	assert_false(p.exact);
	assert_int_equal(p.count, KD_PERM_DRAWS);
	/* 0.01292 in 400 000 permutations of the same by NumPy */
	assert_true(fabs(p.p - 0.01292) < 0.004);
	for (int i = 0; i < 25; i++)
		d[i] = 1;
	kd_perm_paired(d, 25, 3, scratch, &p);
	assert_true(p.p > 0 && p.p < 0.0002);
}

/* SciPy's draws are others, so ends agree to a share of the width */
static void check_boot(const struct test_case *c, const struct kd_boot *b)
{
	const struct field *ci = get(c, "ci");
	double slack = 0.06 * (ci->v[1] - ci->v[0]);

	near(c, "est", b->est, one(c, "est"), 1e-12);
	if (fabs(b->lo - ci->v[0]) > slack || fabs(b->hi - ci->v[1]) > slack)
		fail_msg("%s: %g..%g, SciPy %g..%g", c->kind, b->lo, b->hi,
			 ci->v[0], ci->v[1]);
}

static void check_boot_quantile(const struct test_case *c)
{
	const struct field *x = get(c, "x");
	struct kd_boot b;

	assert_int_equal(kd_boot_quantile(x->v, x->n, one(c, "q"), 0.05, 1, &b),
			 0);
	check_boot(c, &b);
}

static void check_boot_ratio(const struct test_case *c)
{
	const struct field *x = get(c, "x"), *y = get(c, "y");
	struct kd_boot b, again;

	assert_int_equal(kd_boot_ratio(x->v, y->v, x->n, 0.05, 1, &b), 0);
	check_boot(c, &b);
	assert_int_equal(kd_boot_ratio(x->v, y->v, x->n, 0.05, 1, &again), 0);
	assert_memory_equal(&b, &again, sizeof(b));
	assert_int_equal(kd_boot_ratio(x->v, y->v, 19, 0.05, 1, &b), -EDOM);
	assert_true(isnan(b.lo));
}

static void bootstraps(void **state)
{
	for_each("scipy.txt", "bca-quantile", 2, check_boot_quantile);
	for_each("scipy.txt", "bca-ratio", 1, check_boot_ratio);
}

/* two samples: the change of a median, paired and not */
static void bootstraps_a_change(void **state)
{
	struct kd_boot paired, apart;
	double x[30], y[30], same[30];

	for (int i = 0; i < 30; i++) {
		x[i] = 100 + (i * 37) % 31;
		y[i] = x[i] * (1.1 + 0.001 * ((i * 11) % 7));
		same[i] = 5;
	}
	assert_int_equal(kd_boot_quantile_change(x, 30, y, 30, true, 0.5, 0.05,
						 1, &paired), 0);
	assert_int_equal(kd_boot_quantile_change(x, 30, y, 30, false, 0.5,
						 0.05, 1, &apart), 0);
	assert_true(paired.est == apart.est);
	assert_true(paired.lo < 0.11 && paired.hi > 0.09);
	/* what rounds have in common drops out only where they are paired */
	assert_true(paired.hi - paired.lo < (apart.hi - apart.lo) / 3);
	assert_true(apart.lo < apart.est && apart.est < apart.hi);
	assert_int_equal(kd_boot_quantile(same, 30, 0.5, 0.05, 1, &apart),
			 -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects),
		cmocka_unit_test(simple_figures),
		cmocka_unit_test(power),
		cmocka_unit_test(permutations),
		cmocka_unit_test(draws_are_near_exact),
		cmocka_unit_test(bootstraps),
		cmocka_unit_test(bootstraps_a_change),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
