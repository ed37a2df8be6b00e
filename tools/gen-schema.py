#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen-schema.py FILE...: the SQL files as a C array of strings, in order."""
import sys


def quoted(line):
    return '\t"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def main():
    print('/* generated from src/store/schema */\n#include "store/internal.h"\n')
    print("const char *const kd_store_schema[] = {")
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as f:
            lines = [l for l in f.read().split("\n") if l and not l.startswith("--")]
        print("\n".join(quoted(l) for l in lines) + ",")
    print("\tNULL,\n};")


main()
