# SPDX-License-Identifier: GPL-2.0-or-later
# The user engine does not see code that a program maps by itself, and says so when there was some.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
prog=$PROGS/maps_itself
expect 0 "$SPILE" --engine=$ENGINE -c "$prog" -e "global n
	probe process(\"$prog\").function(\"twice\") { n++ }
	probe end { println(n) }"
case $ENGINE in
kernel)
	is $'6\n2'
	quiet
	;;
user)
	is $'6\n1'
	says '^WARNING: code was not probed that a program has mapped by itself: only the dynamic linker says when it does$'
	;;
esac
