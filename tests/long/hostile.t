# SPDX-License-Identifier: GPL-2.0-or-later
# tests/netns/hostile.t with ten thousand connections.
HOSTILE=10000 exec bash "$(dirname "$0")/../netns/hostile.t"
