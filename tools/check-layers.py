#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fail on an #include between folders of src/ that the layers do not allow.

Prints TAP: one test a folder.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "proto": {"base"},
    "observers": {"base"},
    "iperf3": {"base"},
    "workloads": {"base", "iperf3"},
    "knobs": {"base"},
    "transports": {"base", "proto"},
    "stats": {"base"},
    "store": {"base", "stats"},
    "imports": {"base", "stats"},
    "reports": {"base", "stats"},
    "experiment": {"base", "stats", "observers", "workloads", "knobs",
                   "transports"},
    "peer": {"base", "iperf3", "workloads"},
    "doctor": {"base", "knobs"},
    "agent": {"base", "proto", "observers", "workloads", "knobs"},
    "run": {"base", "proto", "observers", "workloads", "knobs", "transports",
            "stats", "store", "experiment", "imports", "reports"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_-]+)/', re.M)


def main():
    src = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    folders = sorted(p.name for p in src.iterdir() if p.is_dir())
    print(f"1..{len(folders)}")
    bad = 0
    for n, folder in enumerate(folders, 1):
        wrong = []
        allowed = ALLOWED.get(folder)
        if folder != "cli":
            for f in sorted((src / folder).rglob("*.[ch]")):
                for target in INCLUDE.findall(f.read_text()):
                    if target != folder and target not in (allowed or ()):
                        wrong.append(f"# {f} includes {target}/")
        print("\n".join(wrong) + ("\n" if wrong else "")
              + f"{'not ok' if wrong else 'ok'} {n} - layer {folder}")
        bad += bool(wrong)
    return bad != 0


sys.exit(main())
