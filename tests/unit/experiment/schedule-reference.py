#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders of rounds by a second implementation, for test_schedule.c."""
M = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return z ^ (z >> 31)


class Random:
    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state + GOLDEN) & M
        return mix(self.state)

    def below(self, n):
        limit = (1 << 64) % n
        while True:
            x = self.next()
            if x >= limit:
                return x % n

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            k = self.below(i + 1)
            items[i], items[k] = items[k], items[i]
        return items


def order(seed, rnd, nv, nw):
    r = Random(mix((seed + GOLDEN) & M) ^ mix(((rnd & M) * GOLDEN + 1) & M))
    vs = r.shuffle(list(range(nv)))
    ws = r.shuffle(list(range(nw)))
    return [(v, w) for v in vs for w in ws]


# the published test vector of splitmix64: first output for state 1234567
assert Random(1234567).next() == 6457827717110365317
for seed, rnd in ((1, 0), (1, 1), (1, -1), (2**63, 7)):
    print(seed, rnd, " ".join(f"{v}{w}" for v, w in order(seed, rnd, 4, 3)))
