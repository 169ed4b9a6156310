# SPDX-License-Identifier: GPL-2.0-or-later
# No header includes itself by a detour. tsort prints the members of each loop it finds.
cd "$TOP" || exit 1
find compiler runtime -name '*.h' | xargs grep -Ho '^#include "[^"]*/[^"]*\.h"' |
	sed 's/:#include "/ /; s/"$//' >"$TMP/edges"
loops=$(tsort "$TMP/edges" 2>&1 >/dev/null)
[ -z "$loops" ] || { echo "$loops"; exit 1; }
