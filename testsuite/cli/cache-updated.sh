# SPDX-License-Identifier: GPL-2.0-or-later
# A program is updated: what the probe cache has of the old build is not used, that is told, and it is resolved again for the new one.
. "$SUITE/lib.sh"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
mkdir home
export HOME=$TMP/home
build() { # NAME EXPRESSION
	${CC:-gcc} -g -O2 -Wl,--build-id -o "$1" -x c - <<<"__attribute__((noipa)) int first(int n) { return n $2; } int main(int argc, char **argv) { return first(argc) + !argv; }" ||
		skip "no compiler"
}
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
build old '+ 1'
build new '+ 2'
old=$(id_of old) new=$(id_of new)
[ -n "$old" ] && [ "$old" != "$new" ] || skip "the compiler writes no build-ids"
f="process(\"$TMP/prog\").function(\"first\")"
cp old prog
expect 0 "$SPILE" cache add "$f"
expect 0 "$SPILE" cache add --all-functions ./prog
listed() { "$SPILE" cache list | grep "$1 probes of " | sort; }
listed "$old" >before
diff before - <<E || fail "listed otherwise"
$old probes of $TMP/prog: --all-functions
$old probes of $TMP/prog: $f
E
expect 0 "$SPILE" cache verify
is '0 compiled scripts and listings and 2 files of probes were looked at'

# The new one has no debug information: both build-ids are told, and nothing is resolved.
strip -o prog new
listed "$old" | diff - <(sed "s/\$/    (it is now of the build $new)/" before) || fail "list does not tell"
expect 1 "$SPILE" --no-cache -L "$f"
says "the probe cache has that of the build $old, and this is $new"
expect 1 "$SPILE" cache verify
prints "^process.*function..first.. was resolved for the build $old, and this is $new: it is resolved again\$"
says "^ERROR: .*"
listed "$old" | diff - <(sed "s/\$/    (it is now of the build $new)/" before) || fail "list does not tell"

# It has: then the cache has both builds.
cp new prog
expect 0 "$SPILE" cache verify
prints "^--all-functions was resolved for the build $old, and this is $new: it is resolved again\$"
prints "^$new $TMP/prog: [0-9]+ bytes\$"
expect 0 "$SPILE" cache verify
is '0 compiled scripts and listings and 4 files of probes were looked at'
listed "$old" | diff - before || fail "list tells what is done"
for build in old new; do
	cp $build prog
	"$SPILE" --no-cache -L "$f" >with
	strip prog
	"$SPILE" --no-cache -L "$f" | diff with - || fail "other answers for the $build one"
	grep -q '\$n:int' with || fail "no variables"
done
