#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# install-deps.sh: install what tools/packages.txt lists and this machine lacks.
# Says what it will install before it does; changes nothing where all is there.
set -eu
cd "$(dirname "$0")"

missing=
for p in $(sed -e 's/#.*//' packages.txt | awk 'NF { print $1 }'); do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || :)
	[ "$status" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "kdelta needs these Debian packages or their like:$missing" >&2
	exit 1
fi
echo "Installing with apt-get:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
	sudo=$(command -v sudo || :)
	if [ -z "$sudo" ]; then
		echo "As root, please: apt-get install$missing" >&2
		exit 1
	fi
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >/dev/null || echo "apt-get update failed; trying with the lists that are here" >&2
# shellcheck disable=SC2086
if ! $sudo apt-get install -q -y --no-install-recommends $missing >/dev/null; then
	echo "apt-get could not install them. Needed:$missing" >&2
	exit 1
fi
