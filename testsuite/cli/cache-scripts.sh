# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts of the cases of run/, every third: what is made for the cache, what is taken from it, and what is made without it are the
# same bytes and the same messages.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
mkdir cache
sleep 0.1
make_it() # NAME OPTION...
{
	local name=$1
	shift
	"$SPILE" "$@" -p4 -o "$name.spo" $opts "$script" $words >"$name.out" 2>"$name.err"
	echo $? >>"$name.err"
}
n=0 n_taken=0 i=0
for script in "$SUITE"/run/*.stp; do
	i=$((i + 1))
	[ $((i % 3)) = 0 ] || continue
	opts=$(sed -n 's,^// opts: ,,p' "$script" | tr '\n' ' ')
	words=$(sed -n 's,^// args: ,,p' "$script")
	case $opts$words in *[\'\"\\@]*|*-x*|*-c*) continue ;; esac
	rm -f ./*.spo
	make_it made
	make_it taken
	make_it alone --no-cache
	n=$((n + 1))
	for name in made taken; do
		diff <(sed "s/$name/alone/" "$name.err") alone.err >difference || fail "$script: $name: other messages: $(cat difference)"
		[ ! -e alone.spo ] || cmp "$name.spo" alone.spo || fail "$script: $name: another result"
	done
	"$SPILE" -v -p4 -o again.spo $opts "$script" $words 2>&1 | grep -q 'using cached' && n_taken=$((n_taken + 1))
done
# Those with mistakes are not kept.
[ $n -gt 20 ] && [ $n_taken -gt $((n * 2 / 3)) ] || fail "of $n scripts $n_taken were taken from the cache"
