# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of all manual pages but spile(1) run: those behind `.\" example:`. What is printed has lines that are like what
# `.\" prints: REGEX` behind it says. A page with spile-run's own name has one, too.
. "$SUITE/lib.sh"
grep -q SODIUM_SONAME "$BUILD/Makefile" || skip "built without libsodium"
command -v minisign >/dev/null || skip "minisign is not installed"
gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || fail "work.c does not compile"
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD
spile() { "$SPILE" "$@"; }
spile-run() { "$SPILE_RUN" --engine=user "$@"; }
ssh() { local host=$1; shift; "$@"; } # the hosts are this machine
echo 'probe begin { println("tool") exit() }' >tool.stp
mkdir machines
for page in "$TOP"/compiler/cli/spile-*.[1-9] "$TOP"/runtime/*.1; do
	name=${page##*/}
	awk -v name="$name" '/^\.\\" example:/ { n++; named = 1; next }
	     /^\.\\" prints: / { sub(/^\.\\" prints: /, ""); print > (name "." n ".prints"); next }
	     /^\.Bd / && named { inside = 1; named = 0; next }
	     /^\.Ed/ { inside = 0 }
	     inside { gsub(/\\e/, "\\"); print > (name "." n) }' "$page"
	[ -e "$name.1" ] || fail "$name has no examples"
	for example in $(ls | grep -xE "${name//./\\.}\.[0-9]+"); do
		(set -e; . "./$example") >out 2>err || fail "exit status $? of $(cat "$example")"
		quiet
		[ -e "$example.prints" ] || fail "nothing says what this prints: $(cat "$example")"
		while IFS= read -r line; do
			prints "$line"
		done <"$example.prints"
	done
done
