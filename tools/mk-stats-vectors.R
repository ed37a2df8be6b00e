#!/usr/bin/env Rscript
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference figures for tests/unit/stats/test_vectors.c, by R's own functions.
#   Rscript tools/mk-stats-vectors.R > tests/data/stats/r.txt
# A line is: name, then numbers; "case" starts a case of the kind named.

options(digits = 17)
set.seed(20240501)
put <- function(name, ...) cat(name, format(c(...), digits = 17), "\n")
case <- function(kind) cat("case", kind, "\n")

cat("#", R.version.string, "\n")

# relative change, by the covariance form of the delta method
delta_paired <- function(x, y) {
	n <- length(x)
	mx <- mean(x); my <- mean(y)
	v <- var(x) / mx^2 + var(y) / my^2 - 2 * cov(x, y) / (mx * my)
	est <- log(my / mx); se <- sqrt(v / n)
	case("paired"); put("x", x); put("y", y)
	put("est", est); put("se", se); put("df", n - 1)
	put("p", 2 * pt(-abs(est / se), n - 1))
	put("ci", est + c(-1, 1) * qt(0.975, n - 1) * se)
}
for (n in c(2, 3, 5, 10, 30)) {
	level <- 100 * (1 + 0.05 * rnorm(n))
	x <- level * (1 + 0.01 * rnorm(n))
	y <- 1.02 * level * (1 + 0.01 * rnorm(n))
	delta_paired(x, y)
}

# Welch on values scaled by their own mean has the delta method's variance and
# degrees of freedom
welch_ratio <- function(x, y) {
	t <- t.test(y / mean(y), x / mean(x))
	est <- log(mean(y) / mean(x))
	se <- t$stderr; df <- unname(t$parameter)
	case("welch"); put("x", x); put("y", y)
	put("est", est); put("se", se); put("df", df)
	put("p", 2 * pt(-abs(est / se), df))
	put("ci", est + c(-1, 1) * qt(0.975, df) * se)
}
for (n in list(c(2, 2), c(4, 5), c(10, 10), c(7, 30)))
	welch_ratio(50 + 0.8 * rnorm(n[1]), 51 + 1.4 * rnorm(n[2]))

# where no ratio is to be had: t.test itself
plain <- function(x, y, paired) {
	t <- t.test(y, x, paired = paired)
	case(if (paired) "paired-plain" else "welch-plain")
	put("x", x); put("y", y)
	put("est", mean(y) - mean(x)); put("se", t$stderr)
	put("df", unname(t$parameter)); put("p", t$p.value)
	put("ci", t$conf.int)
}
for (paired in c(TRUE, FALSE)) {
	plain(rnorm(8), rnorm(8) + 0.7, paired)
	plain(-100 + 30 * rnorm(12), -120 + 10 * rnorm(12), paired)
}

# wide noise: the t of the plain difference, where it is the smaller one
for (i in 1:4) {
	x <- exp(rnorm(8)); y <- 2 * exp(rnorm(8))
	case("wide"); put("x", x); put("y", y)
	put("t", unname(t.test(y, x, paired = TRUE)$statistic))
}

for (n in c(1, 2, 5, 10, 31)) {
	x <- round(rnorm(n), 2)
	case("quantile"); put("x", x)
	put("q", 0, 0.1, 0.25, 0.5, 0.9, 0.99, 1)
	put("v", quantile(x, c(0, 0.1, 0.25, 0.5, 0.9, 0.99, 1), type = 7))
	if (n > 1)
		put("sd", sd(x))
	put("mean", mean(x))
}

# with and without ties; p by t with n - 2 degrees
for (n in c(6, 10, 25)) for (digits in c(0, 6)) {
	x <- round(2 * rnorm(n), digits); y <- round(x + 2 * rnorm(n), digits)
	rho <- cor(x, y, method = "spearman")
	case("spearman"); put("x", x); put("y", y); put("rho", rho)
	put("p", cor.test(rank(x), rank(y))$p.value)
}

for (n in c(1, 2, 5, 12)) {
	p <- runif(n)^3
	case("holm"); put("p", p); put("adj", p.adjust(p, "holm"))
}
case("holm"); put("p", 0.01, 0.04, 0.03, 0.005); put("adj",
	p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"))

for (df in c(1, 2, 4.5, 9, 38, 500)) for (ncp in c(0, 0.5, 2, 5))
	for (t in c(-2, 0, 1, 2.5, 12)) {
		case("nct"); put("t", t); put("df", df); put("ncp", ncp)
		put("cdf", pt(t, df, ncp))
	}

# runs needed: sd of one run a side, effect, alpha, power, runs
for (type in c("paired", "two.sample")) for (d in c(0.1, 0.5, 1, 2.5))
	for (alpha in c(0.05, 0.005)) {
		n <- power.t.test(delta = d, sd = 1, sig.level = alpha,
				  power = 0.8, type = type, strict = TRUE,
				  tol = 1e-9)$n
		case("needed"); put("pairs", as.numeric(type == "paired"))
		put("delta", d); put("alpha", alpha); put("n", ceiling(n))
	}
