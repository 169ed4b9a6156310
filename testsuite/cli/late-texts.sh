# SPDX-License-Identifier: GPL-2.0-or-later
# Of texts that only the runtime can make, @defined says yes where the script prints them, and no where it keeps them: what it says
# yes to compiles, and so does what is left when it says no.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
late='$all->twice$'

# What the body prints at a function that has a parameter with a double in it.
prints_of() # BODY [MORE]
{
	expect 0 "$SPILE" --engine="$engine" -c "$PROGS/whole >/dev/null" -e "probe process(\"$PROGS/whole\").function(\"take\") { $1; next } ${2-}"
	quiet
}

same() # TEXT BODY [MORE]
{
	prints_of "$2" "${3-}"
	is "$1"
}

prints_of "println($late)"
text=$(cat out)
[ -n "$text" ] || fail "the program has no double to show"

for print in "println($late)" "printf(\"%s\\n\", $late)" "println(\"\" . $late)" "println(sprintf(\"%s\", $late))" "print(sprintln($late))"; do
	same "$text" "if (@defined($late)) $print; else println(\"none\")"
done
same "$text" "println(@defined($late) ? $late : \"none\")"
same "$text" "println(@defined($late) && 1 ? $late : \"none\")"
same "$text" "if (!@defined($late)) println(\"none\"); else println($late)"

same none "s = @defined($late) ? $late : \"none\"; println(s)"
same none "if (@defined($late)) { s = $late; println(s) } else println(\"none\")"
same none "println(@defined($late) && pid() ? $late : \"none\")"
same none "printf(\"%s%.0s\\n\", @defined($late) ? \"\" : \"none\", @defined($late) ? $late : \"\")"
same none "n[\"none\"] = 1; if (@defined($late)) n[$late] = 1" 'global n probe end { foreach (k in n) println(k) }'
same none "if (@defined($late) && $late == \"1\") println(1); else println(\"none\")"
same none "println(f())" "function f() { return @defined($late) ? $late : \"none\" }"
same none "println(@defined(\$\$parms\$\$) ? \"\" . sprintf(\"%s%b\", \$\$parms\$\$, 0) : \"none\")"
same none 's = @defined(@cast($all, "struct all")->twice$) ? @cast($all, "struct all")->twice$ : "none"; println(s)'

# A text that a handler can make is there in both.
same 110 's = $all->node$; println(@defined($all->node$), s != "", @defined($all->no$))'
