#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen-table.py TYPE TABLE PATTERN NAME...: a const table of operations.

PATTERN holds a %s for each name: "kd_obs_%s_ops". Prints C to stdout.
"""
import sys


def main():
    kind, table, pattern, *names = sys.argv[1:]
    rows = [pattern % n.replace("-", "_") for n in names]
    print(f"/* generated from the list in meson.build */\n#include <stddef.h>\n\nstruct {kind};")
    for r in rows:
        print(f"extern const struct {kind} {r};")
    print(f"extern const struct {kind} *const {table}[];")
    print(f"const struct {kind} *const {table}[] = {{")
    for r in rows:
        print(f"\t&{r},")
    print("\tNULL,\n};")


main()
