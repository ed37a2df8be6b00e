# SPDX-License-Identifier: GPL-2.0-or-later
KILLS=10
. "$(dirname "$0")/kill.sh"
