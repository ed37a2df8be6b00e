#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""formats.py DIR: does the report of tests/netns/sweep.t in each format, a file
each, have the form of its kind, and 15 variants of 3 runs inside?"""
import csv
import html.parser
import json
import os
import re
import sys

LIMITS, STREAMS, ROUNDS = 3, 5, 3
VARIANTS = LIMITS * STREAMS
wrong = []


def read(name):
    with open(os.path.join(sys.argv[1], name), newline='') as f:
        return f.read()


def expect(what, seen, wanted):
    if seen != wanted:
        wrong.append(f'{what}: {seen!r}, not {wanted!r}')


def expect_at_most(what, seen, most):
    if seen > most:
        wrong.append(f'{what}: {seen}, over {most}')


def columns(name, most):
    for line in read(name).splitlines():
        expect_at_most(f'{name}: columns of "{line}"', len(line), most)


def text():
    columns('text', 80)
    columns('narrow', 60)
    columns('narrow-verbose', 60)
    for name in 'text', 'narrow':
        rows = re.findall(r'^  lim\S+ +3 +[0-9.]+ ', read(name), re.M)
        expect(f'{name}: rows of figures', len(rows), VARIANTS)
        expect(f'{name}: seed in the method',
               bool(re.search(r'\bseed \d+', read(name))), True)


def commit():
    columns('commit', 72)
    expect_at_most('commit: lines', len(read('commit').splitlines()), 20)
    for word in 'rounds', 'Device: ', 'Kernel: ', 'Best ', 'p ':
        expect(f'commit has "{word}"', word in read('commit'), True)


def comma_separated():
    rows = list(csv.reader(read('csv').splitlines()))
    expect('csv: columns', {len(r) for r in rows}, {len(rows[0])})
    metric = rows[0].index('metric')
    runs = [r for r in rows if r[metric] == 'tcp.tx-throughput']
    expect('csv: runs', len(runs), VARIANTS * ROUNDS)
    value = rows[0].index('value')
    expect('csv: values are positive',
           all(float(r[value]) > 0 for r in runs), True)
    summary = list(csv.reader(read('csv-summary').splitlines()))
    rates = [r for r in summary if r and 'throughput' in r[0] and
             'Delta' not in r[0]]
    expect('csv-summary: rows', len(rates) >= VARIANTS, True)


def as_json():
    report = json.loads(read('json'))
    expect('json: format', report['format'], 'kdelta-report')
    expect('json: factors', [f['name'] for f in report['factors']],
           ['limit', 'streams'])
    expect('json: variants', len(report['variants']), VARIANTS)
    rate = [m for m in report['measures']
            if m['metric'] == 'tcp.tx-throughput']
    expect('json: runs', [v['n'] for v in rate[0]['variants']],
           [ROUNDS] * VARIANTS)
    expect('json: comparisons', len(rate[0]['comparisons']), VARIANTS - 1)
    for c in rate[0]['comparisons']:
        for key in 'p', 'p_adjusted', 'change', 'interval', 'verdict':
            expect(f'json: {key} of {c["variant"]}', c[key] is not None, True)
    # streams of a run are as many as the variant says
    for n in range(STREAMS):
        m = [m for m in report['measures']
             if m['metric'] == f'tcp.tx-stream[{n}]']
        with_it = {v['variant'] for v in m[0]['variants'] if v['n']}
        expect(f'json: variants with stream {n}',
               with_it == {v for v in report['variants']
                           if int(v.split('streams=')[1]) > max(n, 1)}, True)
    best = report['best'][0]
    means = {v['variant']: v['mean'] for v in rate[0]['variants']}
    expect('json: the best', means[best['variant']], max(means.values()))
    expect('json: it is not worse than itself',
           best['variant'] in best['not_shown_worse'], True)
    busy = [m for m in report['measures'] if m['metric'] == 'cpu.busy'][0]
    cost = {v['variant']: v['mean'] for v in busy['variants']}
    front = [v for v in means if not any(
        means[u] >= means[v] and cost[u] <= cost[v] and
        (means[u] > means[v] or cost[u] < cost[v]) for u in means)]
    expect('json: trade-offs with CPU time',
           sorted(report['trade_offs'][0]['variants']), sorted(front))


def markdown():
    bars = {len(re.findall(r'(?<!\\)\|', line))
            for line in read('markdown').splitlines() if line[:1] == '|'}
    expect('markdown: bars a row', bars, {11})
    expect('markdown: verdicts', len(re.findall(r'\*\*\w+\*\* \|$',
                                                read('markdown'), re.M)),
           VARIANTS - 1)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows = [], 0

    def handle_starttag(self, tag, attrs):
        self.rows += tag == 'tr'
        if tag != 'meta':
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            wrong.append(f'html: </{tag}> out of its place')


def page():
    p = Page()
    p.feed(read('html'))
    expect('html: left open', p.open, [])
    expect('html: rows', p.rows > VARIANTS, True)


def ktap():
    lines = [x for x in read('ktap').splitlines() if x[:1] != '#']
    expect('ktap: head', lines[0], 'KTAP version 1')
    plan = re.fullmatch(r'1\.\.(\d+)', lines[1])
    results = [x for x in lines[2:] if re.match(r'(not )?ok \d+ ', x)]
    expect('ktap: results', len(results), int(plan[1]))
    expect('ktap: one a comparison', len(results), VARIANTS - 1)


def others():
    for line in read('lava').splitlines():
        expect(f'lava: {line}', bool(re.search(
            r'TEST_CASE_ID=[^ /]+ RESULT=(pass|fail|skip|unknown)', line)),
            True)
    tests = json.loads(read('kcidb'))['tests']
    expect('kcidb: tests', len(tests) >= VARIANTS - 1, True)
    runs = re.findall(r'^Benchmark\S+ +1 +[0-9.e+]+ \S+$', read('gobench'),
                      re.M)
    expect('gobench: runs', len(runs) >= VARIANTS * ROUNDS, True)


for check in (text, commit, comma_separated, as_json, markdown, page, ktap,
              others):
    check()
if wrong:
    raise SystemExit('\n'.join(wrong[:20]))
