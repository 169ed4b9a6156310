# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are no scripts, and scripts that are no fun. Each gets a diagnostic in little time.
. "$SUITE/lib.sh"
expect 1 "$SPILE" nosuch.stp
says 'nosuch\.stp.*No such file'
mkdir folder.stp
expect 1 "$SPILE" folder.stp
says 'folder\.stp.*[Dd]irectory'
: >empty.stp
expect 1 "$SPILE" empty.stp
says '^parse error: the script is empty \[E108\]$'
says '^    at empty\.stp:1:1$'
echo '// nothing' >comment.stp
expect 1 "$SPILE" comment.stp
says '^parse error: the script is empty \[E108\]$'
head -c 65536 "$(readlink -f /bin/sh)" >binary.stp
expect 1 "$SPILE" binary.stp
says 'E[0-9]{3}'
[ "$(wc -l <err)" -lt 200 ] || fail "$(wc -l <err) lines about garbage"
{ printf 'probe begin { println("'; head -c 1000000 /dev/zero | tr '\0' x; printf '") exit() }'; } >line.stp
timeout 10 "$SPILE" -p4 -o x.spo line.stp >out 2>err
[ $? -le 1 ] || fail "a line of 1 MB"
[ "$(wc -c <err)" -lt 20000 ] || fail "the diagnostic shows the whole line"
nested() { printf 'probe begin { println('; printf "%${1}s" | tr ' ' '('; printf 1; printf "%${1}s" | tr ' ' ')'; printf ') exit() }'; }
nested 50 >some.stp
expect 0 "$SPILE" some.stp
is 1
nested 10000 >deep.stp
expect 1 timeout 10 "$SPILE" deep.stp
says '^parse error: nested more than 1000 levels deep \[E135\]$'
[ "$(grep -c error err)" = 1 ] || fail "several errors of one nesting"
printf 'probe begin { println("no end' >string.stp
expect 1 "$SPILE" string.stp
says 'string\.stp:1:23'
printf 'probe begin { exit() } /* no end' >remark.stp
expect 1 "$SPILE" remark.stp
says 'remark\.stp:1:24'
printf 'probe begin { a = ; b = ) }\nprobe end { if }\nglobal 3\n' >many.stp
expect 1 "$SPILE" many.stp
[ "$(grep -c '^ *\(parse\|semantic\) error' err)" -ge 3 ] || fail "not several errors in one run"
