# SPDX-License-Identifier: GPL-2.0-or-later
# spile cache add: definitions in perf's cache, by build-id; perf lists them.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
[ "$(uname -m)" = x86_64 ] || skip "registers of x86_64"
mkdir home
export HOME=$TMP/home
cp "$PROGS/calls" prog
p="process(\"./prog\").function(\"add\")"
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "the compiler writes no build-ids"
expect 0 "$SPILE" cache add "$p \$a \$b"
prints "^$id $TMP/prog: [0-9]+ bytes\$"
prints "^$id $TMP/prog: add a b\$"
quiet
expect 0 "$SPILE" cache add "$p.return \$return"
prints "^$id $TMP/prog: add%return .retval\$"
file=home/.debug/.build-id/${id:0:2}/${id:2}/probes
offset=0x$(nm prog | sed -n 's/^0*\([0-9a-f]*\) T add$/\1/p')
sed -E 's/:s[0-9]+/:sN/g' "$file" >probes
cat >expected <<E
#add a b
p:probe_prog/add $TMP/prog:$offset a=%di:sN b=%si:sN
#add%return \$retval
r:probe_prog/add__return $TMP/prog:$offset \$retval:sN
E
diff expected probes || fail "other probes"
# What is there is replaced.
cp "$file" before
expect 0 "$SPILE" cache add "$p \$a \$b"
sort "$file" | diff <(sort before) - || fail "added twice"
[ -L "home/.debug/.build-id/${id:0:2}/${id:2}" ] || fail "no link"
expect 0 "$SPILE" cache list
prints "^$id perf's probes of $TMP/prog: add a b\$"
prints "^$id perf's probes of $TMP/prog: add%return .retval\$"
# Marks that perf buildid-cache has found are listed, too.
printf '%%sdt_prog:go=go\np:sdt_prog/go %s:0x1234\n' "$TMP/prog" >>"$file"
expect 0 "$SPILE" cache list
prints "^$id perf's probes of $TMP/prog: %sdt_prog:go\$"
# Another build is another object: its build-id is another.
if cc -g -o prog -x c - <<<'int add(long a) { return a; } int main(void) { return add(1); }' -Wl,--build-id 2>/dev/null; then
	expect 0 "$SPILE" cache add "$p \$a"
	grep -q '^#add a b$' "$file" || fail "the old one is gone"
	[ "$(find home -name probes | wc -l)" = 2 ] || fail "it is the same file"
fi
expect 1 "$SPILE" cache add "$p \$nosuch"
says 'no place of the probe point has a variable \$nosuch$'
expect 1 "$SPILE" cache add 'process("./prog").function("nosuch")'
expect 2 "$SPILE" cache add --no-such-option "$p"
expect 2 "$SPILE" cache add "$p" "$p"
says '^ERROR: cache add takes one probe point or program at a time$'
mkdir 'with blank' && cp prog 'with blank/prog'
expect 1 "$SPILE" cache add 'process("./with blank/prog").function("add")'
says 'is left out: tracefs takes no path with a blank$'
objcopy --remove-section .note.gnu.build-id prog
expect 1 "$SPILE" cache add 'process("./prog").function("main")'
says 'has no build-id: the probe cache could not tell it from others$'
# A file that cannot be written.
rm -r home/.debug && : >home/.debug
cp "$PROGS/calls" prog
expect 1 "$SPILE" cache add "$p"
says "^ERROR: cannot make $HOME/\.debug"
rm home/.debug
expect 0 "$SPILE" cache add "$p \$a \$b"
command -v perf >/dev/null || { echo "perf is not installed: it was not asked" >&2; exit 0; }
perf probe --cache --list >listed 2>/dev/null || exit 0
grep -q "^$TMP/prog ($id):" listed && grep -qx 'add a b' listed || fail "perf lists: $(cat listed)"
