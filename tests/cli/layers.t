# SPDX-License-Identifier: GPL-2.0-or-later
exec python3 tools/check-layers.py src
