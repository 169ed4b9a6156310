# SPDX-License-Identifier: GPL-2.0-or-later
# spile's own passes, by its marks.
. "$SUITE/lib.sh"
PATH=$BUILD:$PATH
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # what is traced cannot be searched for leaks
cat >passes.stp <<'S'
global at, session_of
probe stap.pass0, stap.pass1a, stap.pass2, stap.pass3, stap.pass4, stap.pass5,
      stap.pass0.end, stap.pass1.end, stap.pass2.end, stap.pass3.end, stap.pass4.end, stap.pass5.end
{
  if (at && session != session_of) println("another session")
  session_of = session
  printf("%d %s\n", ++at, pn())
}
S
expect 0 "$SPILE" --engine=user -c '"$SPILE" -e "probe begin { exit() }"' passes.stp
is '1 stap.pass0
2 stap.pass0.end
3 stap.pass1a
4 stap.pass1.end
5 stap.pass2
6 stap.pass2.end
7 stap.pass3
8 stap.pass3.end
9 stap.pass4
10 stap.pass4.end
11 stap.pass5
12 stap.pass5.end'
# What ends early has ended the pass it was in.
expect 0 "$SPILE" --engine=user -c '"$SPILE" -p2 -e "probe begin { exit() }"' passes.stp
[ "$(grep stap out | tail -n1)" = '6 stap.pass2.end' ] || fail "the last one is another"
expect 0 "$SPILE" --engine=user -c '"$SPILE" -e nonsense; true' passes.stp
[ "$(tail -n1 out)" = '4 stap.pass1.end' ] || fail "the last one is another"
