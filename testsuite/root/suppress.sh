# SPDX-License-Identifier: GPL-2.0-or-later
# MAXERRORS and --suppress-handler-errors count for handlers in the kernel; errors at one of several sites name it.
. "$SUITE/lib.sh"
script='global n
probe process("'$BUILD'/testsuite/progs/shapes").function("*@shapes.c") { n++; println(n); if (n < 4) println(1 / (n - n)) }
probe end { println("end ", n) } probe error { println("error ", n) }'
run() { expect "$1" timeout 60 "$SPILE" --engine=kernel -e "$script" -c "$BUILD/testsuite/progs/shapes >/dev/null" "${@:2}"; }
run 1
is "1
error 1"
says 'probe process\(".*"\)\.function\("main@'
run 1 -DMAXERRORS=1
is "1
2
error 2"
says 'function\("visit@'
run 1 -DMAXERRORS=3
prints '^end [0-9]+$'
[ "$(grep -c '^ERROR: division by 0' err)" = 3 ] || fail "not three errors"
run 0 --suppress-handler-errors
prints '^end [0-9]+$'
[ "$(grep -c '^WARNING: division by 0' err)" = 3 ] || fail "not three warnings"
