# SPDX-License-Identifier: GPL-2.0-or-later
# See doc/examples. Each area is compiled by one of these cases, each script is run by a case.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples turns -p3 processes programs security syscalls

sed -n 's/^compile_examples turns -p3 //p' "$SUITE"/doc/examples*.sh | tr ' ' '\n' | sort >compiled
ls -d "$TOP"/examples/*/ | sed -E 's,.*/(.*)/$,\1,' | grep -v quickstart | sort | diff - compiled >diff || fail "not the areas of examples/: $(cat diff)"

(cd "$SUITE" && cat root/examples_*.sh vm/examples*.sh) | grep -v '^#' >runs
for script in "$TOP"/examples/*/*.stp; do
	name=${script##*/} name=${name%.stp}
	[[ $name == work ]] || grep -qE "(\" |/)$name(\.stp)?\"?( |\$)" runs || fail "no case runs the example $name"
done
