#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.sh BUILD: the main job on this machine, an A/B experiment with an A/A
# variant beside it, in under two minutes.
set -eu
cd "$(dirname "$0")/.."
kdelta=$1/src/cli/kdelta
file=experiments/demo.yaml
[ "$(id -u)" = 0 ] || file=experiments/demo-loopback.yaml
echo "kdelta run $file"
exec "$kdelta" run "$file"
