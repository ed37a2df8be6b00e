# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of kdelta, out of the lines of "kdelta --dump-options"."""
import collections
import subprocess

Option = collections.namedtuple(
    "Option", "name letter type arg choices default flags help")
Metric = collections.namedtuple("Metric", "name unit help")


class Item:
    """A command, workload, observer, knob, transport, report or import."""

    def __init__(self, name, summary, usage=""):
        self.name = name
        self.summary = summary
        self.usage = usage
        self.text = []
        self.options = []
        self.metrics = []


def load(program):
    """kind -> {name: Item}, in the tables' order."""
    tables = collections.defaultdict(dict)
    lines = subprocess.check_output([program, "--dump-options"], text=True)
    for line in lines.splitlines():
        kind, owner, *rest = line.split("\t")
        kind, _, part = kind.partition("-")
        if not part:
            tables[kind][owner] = Item(owner, *rest)
            continue
        item = tables[kind][owner]
        if part == "option":
            name, letter, type_, arg, choices, default, flags, help_ = rest
            item.options.append(Option(name, letter, type_, arg,
                                       choices.split(), default, flags, help_))
        elif part == "metric":
            item.metrics.append(Metric(*rest))
        else:
            item.text.append(rest[0])
    return tables
