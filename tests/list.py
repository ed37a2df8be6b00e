#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""list.py BUILD [--only SUITE] [--not SUITE]...: name TAB command of meson's tests."""
import json
import shlex
import subprocess
import sys


def main():
    build, *rest = sys.argv[1:]
    only = {rest[i + 1] for i, a in enumerate(rest) if a == "--only"}
    drop = {rest[i + 1] for i, a in enumerate(rest) if a == "--not"}
    tests = json.loads(subprocess.check_output(
        ["meson", "introspect", "--tests", build]))
    for t in tests:
        suites = {s.split(":")[-1] for s in t["suite"]}
        if suites & drop or (only and not suites & only):
            continue
        env = [f"{k}={v}" for k, v in t["env"].items()]
        cmd = shlex.join((["env"] + env if env else []) + t["cmd"])
        if t["workdir"]:
            cmd = f"cd {shlex.quote(t['workdir'])} && {cmd}"
        print(f"{t['name']}\t{cmd}")


main()
