# SPDX-License-Identifier: GPL-2.0-or-later
# Every source file says its licence in its first two lines (a script has its #! first).
cd "$TOP" || exit 1
find compiler runtime tapsets testsuite/unit testsuite/fuzz testsuite/progs testsuite/lint testsuite/cli testsuite/vm testsuite/root \
		testsuite/runtests bench m4/sp_* configure.ac Makefile.am quickstart .ci/run \
		-type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.stpm' -o -path 'tapsets/*.stp' \
		-o -name '*.m4' -o -name '*.am' -o -name '*.ac' -o -name runtests -o -name quickstart -o -path .ci/run \) -print0 |
	xargs -0 awk '
		function end() { if (file != "" && !has) print file ": no SPDX line" }
		FNR == 1 { end(); file = FILENAME; has = 0 }
		FNR <= 2 && /SPDX-License-Identifier: GPL-2.0-or-later/ { has = 1 }
		END { end() }' >"$TMP/missing"
sort "$TMP/missing"
[ ! -s "$TMP/missing" ]
