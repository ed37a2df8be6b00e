#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Reference figures for tests/unit/stats/test_vectors.c, by SciPy.
#   /usr/bin/python3 tools/mk-stats-vectors.py > tests/data/stats/scipy.txt
# A line is: name, then numbers; "case" starts a case of the kind named.
import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20240501)


def put(name, *values):
    flat = np.concatenate([np.atleast_1d(v).astype(float) for v in values])
    print(name, *(repr(float(v)) for v in flat))


def case(kind):
    print("case", kind)


def exact(kind, x, y, statistic, permutation_type):
    r = stats.permutation_test((y, x), statistic, vectorized=True,
                               permutation_type=permutation_type,
                               n_resamples=np.inf)
    # SciPy's two-sided p doubles the smaller tail; here it is by size
    null, seen = np.abs(r.null_distribution), abs(r.statistic)
    case(kind)
    put("x", x)
    put("y", y)
    put("p", np.mean(null >= seen - 1e-9))


def mean_difference(a, b, axis):
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


print("# SciPy", scipy.__version__, "NumPy", np.__version__)
for n in (2, 3, 5, 6, 9, 12):
    x = rng.normal(10, 1, n).round(2)
    exact("perm-paired", x, (x + rng.normal(0.5, 1, n)).round(2),
          mean_difference, "samples")
# ties: many arrangements give the very same sum
exact("perm-paired", np.array([1., 2, 3, 4, 5, 6]),
      np.array([2., 2, 4, 4, 6, 5]), mean_difference, "samples")
for nx, ny in ((2, 2), (4, 5), (5, 3), (2, 6), (8, 8), (3, 9)):
    exact("perm-means", rng.normal(10, 1, nx).round(2),
          rng.normal(10.8, 1, ny).round(2), mean_difference, "independent")
exact("perm-means", np.array([1., 1, 2, 2, 3]), np.array([2., 2, 3, 3, 3, 4]),
      mean_difference, "independent")


def bca(kind, data, statistic, paired, **extra):
    r = stats.bootstrap(data, statistic, paired=paired, vectorized=False,
                        n_resamples=60000, method="BCa", batch=1000,
                        confidence_level=0.95, random_state=1)
    case(kind)
    for name, v in zip("xy", data):
        put(name, v)
    for name, v in extra.items():
        put(name, v)
    put("est", statistic(*data))
    put("ci", r.confidence_interval.low, r.confidence_interval.high)


x = rng.lognormal(2, 0.4, 30)
bca("bca-quantile", (x,), np.median, False, q=0.5)
bca("bca-quantile", (x,), lambda v: np.percentile(v, 75), False, q=0.75)
x = rng.lognormal(3, 0.3, 24)
y = x * rng.normal(1.3, 0.1, 24)
bca("bca-ratio", (x, y), lambda a, b: np.sum(b) / np.sum(a), True)
