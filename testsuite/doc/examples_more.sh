# SPDX-License-Identifier: GPL-2.0-or-later
# See doc/examples.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
areas=(locks memory network processes programs security syscalls)
compile_examples turns -p3 "${areas[@]}"
for area in "$TOP"/examples/*/; do
	area=$(basename "$area")
	case " ${areas[*]} block cpu files functions quickstart " in
	*" $area "*) ;;
	*) fail "no case compiles examples/$area" ;;
	esac
done

# Each is run by a case, beside what it has to tell.
(cd "$SUITE" && cat root/examples_*.sh vm/examples*.sh) | grep -v '^#' >runs
for script in "$TOP"/examples/*/*.stp; do
	name=$(basename "$script" .stp)
	[ "$name" = work ] || grep -qE "(\" |/)$name(\.stp)?\"?( |\$)" runs || fail "no case runs the example $name"
done
