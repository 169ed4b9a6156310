# SPDX-License-Identifier: GPL-2.0-or-later
# Texts that only the runtime can make, of floating point numbers: a script prints them, and keeps them as any other, and @defined
# says yes.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
late='$all->twice$'

# What the body prints at a function that has a parameter with a double in it.
prints_of() # TEXT BODY [MORE [cut]]
{
	expect 0 "$SPILE" --engine="$engine" -c "$PROGS/whole >/dev/null" -e "probe process(\"$PROGS/whole\").function(\"take\") { $2; next } ${3-}"
	[ "${4-}" = cut ] && says 'strings of .* were cut' || quiet
}

same() # TEXT BODY [MORE [cut]]
{
	prints_of "$@"
	is "$1"
}

prints_of "" "println($late)"
text=$(cat out)
[ -n "$text" ] || fail "the program has no double to show"

for print in "println($late)" "printf(\"%s\\n\", $late)" "println(\"\" . $late)" "println(sprintf(\"%s\", $late))" "print(sprintln($late))"; do
	same "$text" "if (@defined($late)) $print; else println(\"none\")"
done
same "$text" "println(@defined($late) ? $late : \"none\")"
same "$text" "println(@defined($late) && 1 ? $late : \"none\")"
same "$text" "if (!@defined($late)) println(\"none\"); else println($late)"

same "$text" "s = @defined($late) ? $late : \"none\"; println(s)"
same "$text" "if (@defined($late)) { s = $late; println(s) } else println(\"none\")"
same "$text" "println(@defined($late) && pid() ? $late : \"none\")"
same "" "printf(\"%s%.0s\\n\", @defined($late) ? \"\" : \"none\", @defined($late) ? $late : \"\")"
same "none
$text" "n[\"none\"] = 1; if (@defined($late)) n[$late] = 1" 'global n probe end { foreach (k in n) println(k) }'
same none "if (@defined($late) && $late == \"1\") println(1); else println(\"none\")"
same 1 "if (@defined($late) && $late == \"$text\") println(1); else println(\"none\")"
same "$text" "println(f())" "function f() { return @defined($late) ? $late : \"none\" }"
same "all={.yes=1" "println(@defined(\$\$parms\$\$) ? substr(sprintf(\"%s%b\", \$\$parms\$\$, 0), 0, 11) : \"none\")" '' cut
same "$text" 's = @defined(@cast($all, "struct all")->twice$) ? @cast($all, "struct all")->twice$ : "none"; println(s)'

# A text that a handler can make is there in both.
same 110 's = $all->node$; println(@defined($all->node$), s != "", @defined($all->no$))'
