# SPDX-License-Identifier: GPL-2.0-or-later
# Help, man pages and completion say what the option tables say.
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${KDELTA%/src/cli/kdelta}
exec python3 "$here/tests/cli/docs.py" "$build"
