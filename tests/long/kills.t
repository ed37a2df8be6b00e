# SPDX-License-Identifier: GPL-2.0-or-later
KILLS=100
. "$(dirname "$0")/../netns/kill.sh"
