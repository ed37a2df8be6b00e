#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py REPORT.json: one line a figure: WORKLOAD METRIC VARIANT MEDIAN.
figures.py --fixed REPORT.json: the report without what differs between two runs
of one experiment: its number in the store, the date, the host."""
import json
import sys


def main():
    *fixed, path = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    if fixed:
        for key in ("id", "date", "store", "host"):
            report["meta"].pop(key, None)
        print(json.dumps(report, sort_keys=True))
        return
    for m in report["measures"]:
        for v in m["variants"]:
            print(m["workload"], m["metric"], v["variant"], v["median"])


main()
