# SPDX-License-Identifier: GPL-2.0-or-later
# Listings on a terminal go through $PAGER; what is no listing, and what goes to a file, does not.
. "$SUITE/lib.sh"
command -v script >/dev/null || skip "no script(1) for a terminal"
on_terminal() { TERM=dumb timeout 20 script -qec "$*" screen </dev/null >/dev/null 2>&1; status=$?; }
export PAGER="sed s/^/paged:/"

on_terminal "$SPILE" -l begin
[ $status = 0 ] || fail "status $status"
grep -q '^paged:begin' screen || fail "a listing is not paged: $(cat screen)"
on_terminal "$SPILE" -l nosuch
[ $status = 1 ] || fail "status $status"
on_terminal "$SPILE" -e "'probe begin { println(\"out\") exit() }'"
grep -q '^out' screen || fail "a script is paged: $(cat screen)"
for PAGER in cat ''; do
	on_terminal "$SPILE" -l begin
	grep -q '^begin' screen || fail "no listing with PAGER=$PAGER: $(cat screen)"
done
# Who leaves the pager early has seen enough.
PAGER='head -n 1'
on_terminal "$SPILE" --dump-functions
[ "$(grep -c '(' screen)" = 1 ] || fail "not one line"
PAGER='sed s/^/paged:/'
expect 0 "$SPILE" -l begin
is begin
