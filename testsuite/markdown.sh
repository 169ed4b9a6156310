# SPDX-License-Identifier: GPL-2.0-or-later
# run_markdown PAGE KIND: runs the examples of a page in Markdown. An example is a fence of sh behind `<!-- KIND -->`; each
# `<!-- prints: REGEX -->` behind it says what a line of its output looks like. With `<!-- KIND: background COMMAND -->` the command
# is run again and again meanwhile. A fence behind `<!-- file: NAME -->` is a file of that name. Beside them is the program `work`;
# `spile` has the options of $spile_options.
run_markdown()
{
	local page=$1 kind=$2 example
	gcc -g -O2 -o work "$TOP/examples/quickstart/work.c" || fail "work.c does not compile"
	awk -v kind="$kind" '
		/^<!-- file: / { file = $3; armed = 1; next }
		/^<!-- run/ { is_own = ($2 == kind || $2 == kind ":"); if (!is_own) next
			file = "example." ++n; armed = 1; line = $0
			if (sub(/^<!-- [a-z-]+: background /, "", line)) { sub(/ -->$/, "", line); print line > (file ".background") } next }
		/^<!-- prints: / { if (is_own) { sub(/^<!-- prints: /, ""); sub(/ -->$/, ""); print > ("example." n ".prints") } next }
		/^```/ && armed { inside = 1; armed = 0; next }
		/^```/ { inside = 0; next }
		inside { print > file }' "$page"
	[ -e example.1 ] || fail "no examples"
	for example in $(ls | grep -xE 'example\.[0-9]+'); do
		if [ -e "$example.background" ]; then
			while :; do touch victim; bash "./$example.background"; sleep 0.1; done >/dev/null 2>&1 &
		fi
		(set -e; . "./$example") >out 2>err || [ "$kind" != run ] || fail "exit status $? of $(cat "$example")"
		[ ! -e "$example.background" ] || { kill $! 2>/dev/null; wait $! 2>/dev/null; }
		[ -e "$example.prints" ] || fail "nothing says what this prints: $(cat "$example")"
		while IFS= read -r line; do
			prints "$line"
		done <"$example.prints"
	done
}
spile() { "$SPILE" $spile_options "$@"; }
spile-run() { "$SPILE_RUN" $spile_options "$@"; }
