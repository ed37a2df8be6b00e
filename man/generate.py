#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""generate.py PROGRAM TEMPLATE: an scdoc page, its @SECTION@ lines filled in.

The sections come from the option tables of PROGRAM, so that the page cannot
disagree with --help.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
import dump  # noqa: E402


def plain(text):
    """text that scdoc prints as it is"""
    return re.sub(r"([\\*_`#\[\]<>~])", r"\\\1", text)


def marked(text):
    """as plain(), but *bold* and _underlined_ words stay so; the rule is that
    of details() in src/cli/help.c"""
    out = []
    for i, c in enumerate(text):
        before = text[i - 1] if i else " "
        after = text[i + 1] if i + 1 < len(text) else ""
        starts = before in " ("
        ends = after == "" or after in " ),.;:"
        if c in "*_" and starts != ends:
            out.append(c)
        else:
            out.append(plain(c))
    return "".join(out)


def option(o, dashes):
    words = plain(o.help)
    if o.choices:
        words += ": " + ", ".join(f"*{plain(c)}*" for c in o.choices)
    if "repeat" in o.flags:
        words += "; may be repeated"
    if o.default and not (dashes and o.type == "bool"):
        words += f" (default {plain(o.default)})"
    arg = f"_{plain(o.arg)}_"
    if not dashes:
        return f"*{o.name}*: {arg}\n\t{words}.\n"
    letter = f"*-{o.letter}*, " if o.letter else ""
    if o.type == "bool":
        no = "[no-]" if o.default.startswith("y") else ""
        return f"{letter}*--{plain(no)}{o.name}*\n\t{words}.\n"
    return f"{letter}*--{o.name}*={arg}\n\t{words}.\n"


def options(item, dashes):
    return [option(o, dashes) for o in item.options]


def commands(tables):
    out = []
    for c in tables["command"].values():
        usage = " [OPTION...]" if c.options else ""
        usage += f" {c.usage}" if c.usage else ""
        out.append(f"## kdelta {c.name}{plain(usage)}\n")
        out.append(f"{plain(c.summary[:1].upper() + c.summary[1:])}.\n")
        out += [f"{marked(t)}\n" for t in c.text if t.strip()]
        out += options(c, True)
    return out


def named(tables, kind):
    out = []
    for i in tables[kind].values():
        out.append(f"## {plain(i.name)}\n")
        out.append(f"{plain(i.summary[:1].upper() + i.summary[1:])}.\n")
        out += options(i, False)
        if i.metrics:
            out.append("Measures:\n")
        for m in i.metrics:
            unit = f" ({plain(m.unit)})" if m.unit else ""
            out.append(f"*{plain(m.name)}*{unit}\n\t{plain(m.help)}.\n")
    return out


def listed(tables, kind):
    return [f"*{plain(i.name)}*\n\t{plain(i.summary)}.\n"
            for i in tables[kind].values()]


def main():
    program, template = sys.argv[1:]
    tables = dump.load(program)
    sections = {
        "COMMANDS": lambda: commands(tables),
        "PLAN": lambda: options(tables["plan"]["plan"], False),
        "RUN": lambda: options(tables["run"]["run"], False),
        "WORKLOADS": lambda: named(tables, "workload"),
        "OBSERVERS": lambda: named(tables, "observer"),
        "TRANSPORTS": lambda: named(tables, "transport"),
        "KNOBS": lambda: listed(tables, "knob"),
        "REPORTS": lambda: listed(tables, "report"),
        "IMPORTS": lambda: listed(tables, "import"),
    }
    for line in pathlib.Path(template).read_text().splitlines():
        m = re.fullmatch(r"@([A-Z]+)@", line)
        print("\n".join(sections[m[1]]()) if m else line)


main()
