# SPDX-License-Identifier: GPL-2.0-or-later
# Memory of a program that it has not touched yet: handlers at its functions wait for it, where the kernel lets them.
. "$SUITE/lib.sh"
absent=$PROGS/absent
{
	head -c 100 /dev/zero
	printf 'first\0'
	head -c 3984 /dev/zero
	printf 'second text\0'
	head -c 4090 /dev/zero
} >file

# sees ENGINE BODY [STATUS]: runs a script with a handler of that body.
sees()
{
	expect "${3:-0}" "$SPILE" --engine="$1" -c "$absent file" -e "global seen, one probe begin { one[1] = 2 }
		function text(at) { return user_string(at) }
		probe process(\"$absent\").function(\"look\") { $2 }
		probe end { foreach (s+ in seen) println(s, \" \", seen[s]); if (!one[1]) { seen[text(0)] = 1 } }"
}

# both BODY OUTPUT: it prints that in the kernel and in the user engine.
both()
{
	sees kernel "$1"
	is "$2"
	quiet
	sees user "$1"
	is "$2"
}

"$SPILE_RUN" --describe >target
if ! grep -q '^features.* sleepable-uprobe' target; then
	sed -i 's/^features/& sleepable-uprobe/' target
	"$SPILE" --target target -p4 -o sleeps.spo -e "probe process(\"$absent\").function(\"look\") { println(user_string(\$text)) }" >out 2>err ||
		fail "not compiled"
	expect 3 "$SPILE_RUN" -c "$absent file" sleeps.spo
	says "^ERROR: probe process\(.*\): this kernel's uprobes must not sleep, for which the script was compiled; compile it for this kernel$"
	skip "this kernel's uprobes must not sleep"
fi

both 'println(user_string($text))' $'first\nsecond text'
both 'println(text($text))' $'first\nsecond text'
both 'println(user_string_n($text, 8))' $'first\nsecond t'
both 'println(user_string_n_quoted($text, 3))' $'"fir"\n"sec"'
both 'printf("%d %d\n", $numbers[0], user_int64(&$numbers[1]))' $'0 0\n0 0'
both 'printf("%.5m|%M\n", $text, $text)' $'first|66\nsecon|73'
both 'seen[user_string($text)] = $numbers[0] + 7' $'first 7\nsecond text 7'
both 'try { println(user_string($text)) } catch { println("no") }' $'first\nsecond text'
both 'try { println(user_string($text + 100000000000)) } catch { println("no") }' $'no\nno'
both 'println(user_string_nofault(0), user_string2(0, "none"))' $'none\nnone'

# Nobody waits within a walk of an array, nor with a lock: others would wait for him.
sees kernel 'foreach (k in one) println(user_string_nofault($text))'
is ''
says '^WARNING: 2 strings of process\(.*absent"\)\.function\("look@.*"\) were left empty \(nothing could be read at its address\)$'
sees kernel 'foreach (k in one) println(user_string($text))' 1
is ''
says '^ERROR: read fault at 0x[0-9a-f]+ near identifier .user_string. at '
says '^WARNING: no memory there could be read, which ended the script: user_string2\(address, text\) gives that text instead, try'
sees kernel 'println(@cast(8, "long")[0])' 1
says '^WARNING: no memory there could be read, which ended the script: try \{' # a number has no other text
expect 0 "$SPILE" -w --suppress-handler-errors -c "$absent file" -e "probe process(\"$absent\").function(\"look\") {
	println(user_string(1)) } probe end { println(\"end\") }"
is end
! grep -q 'no memory there' err || fail "nothing ended the script"
