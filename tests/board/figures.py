#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""figures.py REPORT.json: one line a figure: WORKLOAD METRIC VARIANT MEDIAN."""
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        report = json.load(f)
    for m in report["measures"]:
        for v in m["variants"]:
            print(m["workload"], m["metric"], v["variant"], v["median"])


main()
