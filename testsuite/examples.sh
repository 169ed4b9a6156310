# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that run scripts of examples/: `. "$SUITE/examples.sh"`, behind lib.sh.

# example COMMAND NAME ARGUMENT...: the example of that name while COMMAND runs.
example()
{
	expect 0 timeout 120 "$SPILE" -c "$1" "${@:2}"
	quiet
}

# has N REGEX: stdout has exactly N lines that match.
has() { [ "$(grep -cE -- "$2" out)" = "$1" ] || fail "$(grep -cE -- "$2" out) lines, expected $1: $2"; }
