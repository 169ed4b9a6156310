# SPDX-License-Identifier: GPL-2.0-or-later
# The library's examples that need the kernel, in it: one script of all of them, as most of the time is the start. Each waits
# for its turn, and what ends it gives the turn to the next.
mkdir examples
(cd "$TOP/tapsets" && find . -name '*.stp' -o -name '*.stpm' | sort | xargs awk -v to="$OLDPWD/examples" -f "$SUITE/tapset/extract.awk")
"$SPILE_RUN" --describe >target || exit 1
n=0
echo "global turn" >all.stp
for script in examples/kernel.*.stp; do
	case $(cat "$script") in
	*'kernel.function('*) grep -qw kprobe target || continue ;;
	*'kernel.trace('*) ;;
	*) continue ;;
	esac
	sed "s/^\(probe kernel[^{]*{\)/\1 if (pid() != target() || turn != $n) next;/; s/\<exit()/turn++/" "$script" >>all.stp
	cat "${script%.stp}.out" >>expected
	n=$((n + 1))
done
echo "probe timer.ms(50) { if (turn == $n) exit() }" >>all.stp
echo 'while :; do cd /; read x </dev/null; done' >busy.sh
timeout 400 "$SPILE" -T 300 -c 'sh busy.sh' all.stp >out 2>err || { cat err; exit 1; }
[ $n -gt 0 ] && diff expected out && [ ! -s err ] || { cat err; exit 1; }
