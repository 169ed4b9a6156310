# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of README.md run and print what is written under them. An example is a fenced block behind a comment
# `<!-- example: COMMAND -->`; `<!-- prints: REGEX -->` behind it says what a line of its output looks like.
. "$SUITE/lib.sh"
gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || fail "work.c does not compile"
awk '/^<!-- example: / { sub(/^<!-- example: /, ""); sub(/ -->$/, ""); n++; print > ("example." n ".cmd"); armed = 1; next }
     /^```stp/ && armed { inside = 1; next }
     /^```/ && inside { inside = armed = 0; next }
     inside { print > ("example." n ".stp") }
     /^<!-- prints: / { sub(/^<!-- prints: /, ""); sub(/ -->$/, ""); print > ("example." n ".re") }' "$TOP/README.md"
[ -e example.1.cmd ] || fail "no examples"
for cmd in example.*.cmd; do
	example=${cmd%.cmd}
	eval "set -- $(sed "s,@WORK@,$PWD/work,g; s,^spile ,\"\$SPILE\" --engine=user ," "$cmd")"
	expect 0 timeout 30 "$@" <"$example.stp"
	quiet
	[ ! -e "$example.re" ] || prints "$(cat "$example.re")"
done
