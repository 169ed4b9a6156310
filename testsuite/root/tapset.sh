# SPDX-License-Identifier: GPL-2.0-or-later
# The library's examples that need the kernel, in it: one script of all of them, as most of the time is the start. Each waits
# for its turn, and what ends it gives the turn to the next.
for file in $(cd "$TOP/tapsets" && find . -name '*.stp' -o -name '*.stpm' | sed 's,^\./,,' | sort); do
	awk -v out="$PWD/example" -v file="$file" -f "$SUITE/tapset/extract.awk" "$TOP/tapsets/$file"
done
"$SPILE_RUN" --describe >target || exit 1
n=0
echo "global turn" >all.stp
for script in example.*.kernel.stp; do
	base=${script%.stp}
	[ -e "$base.out" ] || continue # what it prints is not the same everywhere
	case $(cat "$script") in
	*'kernel.function('*) grep -qw kprobe target || continue ;;
	*'kernel.trace('*) ;;
	*) continue ;;
	esac
	sed "s/^\(probe kernel[^{]*{\)/\1 if (pid() != target() || turn != $n) next;/; s/\<exit()/turn++/" "$script" >>all.stp
	cat "$base.out" >>expected
	n=$((n + 1))
done
echo "probe timer.ms(50) { if (turn == $n) exit() }" >>all.stp
echo 'while :; do cd /; read x </dev/null; done' >busy.sh
timeout 400 "$SPILE" -T 300 -c 'sh busy.sh' all.stp >out 2>err || { cat err; exit 1; }
[ $n -gt 0 ] && diff expected out && [ ! -s err ] || { cat err; exit 1; }
