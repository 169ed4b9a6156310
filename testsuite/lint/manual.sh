# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages name every option and limit that spile and spile-run know, and no other long one.
cd "$TOP" || exit 1
long_options() { sed -nE 's/^(OPTION|SAME)\("([a-z-]+)", .*/\2/p; s/^[[:space:]]*\{ "([a-z-]+)", [a-z]+_argument, .*/\1/p' "$@"; }
flags_of() # PAGE: what stands behind .Fl, one a line
{
	sed -nE 's/^\.(It |Nm )?Fl (.*)/\2/p' "$1" | sed -E 's/ ((Ar|Cm|Op|Ns|Pa) [^,]*|Fl )/ /g' | grep -oE -- '-?[A-Za-z][a-z-]*'
}
compare() # PAGE LETTERS SOURCE...
{
	flags_of "$1" | sort -u >"$TMP/named"
	{ long_options "${@:3}" | sed 's/^/-/'; grep -o . <<<"$2"; } | sort -u >"$TMP/known"
	comm -13 "$TMP/named" "$TMP/known" | sed "s,^,$1 does not name the option -,"
	comm -23 "$TMP/named" "$TMP/known" | grep -v '^-rlimit-' | sed "s,^,$1 names an option that is unknown: -,"
}
letters() { sed -nE 's/.*short_options\[\] = "([A-Za-z:]*)".*|.*getopt_long\(.*, "[+:]*([A-Za-z:]*)".*/\1\2/p' "$1" | tr -d :; }
# forms NAME: the commands of `spile NAME` and their options, as --help and as the manual page have them, one a line.
words_of() { grep -oE "spile $1 [a-z-]+|[ []--?[a-z][a-z-]*" | tr -d ' [' | sort -u; }
forms()
{
	"$SPILE" "$1" --help | grep "spile $1 " | sed -E 's/([^ ])   .*/\1/' | words_of "$1" >"$TMP/help"
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "compiler/cli/spile-$1.1" | sed -n "/^\.Nm spile Cm $1/,\$p" |
		sed -E 's/\bFl /-/g; s/^\./ /; s/ (Cm|Op)\b//g' | words_of "$1" >"$TMP/page"
	diff "$TMP/page" "$TMP/help" | sed -nE "s/^</spile-$1.1 alone has/p; s/^>/spile $1 --help alone has/p"
}
{
	forms cache
	forms pack
	compare compiler/cli/spile.1 "$(letters compiler/cli/options.c | tr -d daBRbqP)" compiler/cli/option.def
	compare runtime/spile-run.1 "$(letters runtime/main.c)" runtime/main.c
	for limit in $(sed -nE 's/.*\{ "(MAX[A-Z_]*)", &spile->limits.*/\1/p' compiler/driver/session.c); do
		grep -q "^\.It $limit\$" compiler/cli/spile.1 || echo "spile.1 does not name the limit $limit"
	done
	if command -v groff >/dev/null; then
		groff -mdoc -ww -z compiler/cli/spile.1 compiler/cli/spile-cache.1 compiler/cli/spile-pack.1 compiler/cli/spile-pack.5 \
			compiler/cli/spile-probes.7 compiler/cli/spile-language.7 compiler/cli/spile-bpftrace.7 \
			compiler/cli/spile-systemtap.7 runtime/spile-run.1 2>&1
	fi
} >"$TMP/bad"
cat "$TMP/bad"
[ ! -s "$TMP/bad" ]
