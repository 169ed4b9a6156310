# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers in all combinations of flags, width and precision, by printf() and by sprintf(): what the shell's printf prints.
. "$SUITE/lib.sh"
point=${POINT:-begin}
n=0
: >expected
for conversion in d u x o; do
	for flags in '' - + ' ' '#' 0 -+ '- ' '-#' -0 '+ ' '+#' +0 ' #' ' 0' '#0' '-+ ' '-+#' -+0 '- #' '- 0' '-#0' '+ #' '+ 0' '+#0' ' #0' '+ #0'; do
		for width in '' 9 '*'; do
			for precision in '' .0 .4 '.*'; do
				# The 0 of # stands in front of the digits that the precision asks for, as in the kernel.
				[[ $conversion$flags != o*'#'* || -z $precision ]] || continue
				n=$((n + 1))
				[ $((n % ${STEP:-1})) = 0 ] || continue
				format="$flags$width$precision" values=''
				[ "$width" != '*' ] || values="11, "
				[ "$precision" != '.*' ] || values="${values}3, "
				for value in 42 -7; do
					# shellcheck disable=SC2086,SC2059
					printf "[%$format${conversion}]\n" ${values//,/} $value >>expected
					echo "  printf(\"[%$format${conversion}]%s\\n\", ${values}$value, sprintf(\"[%$format${conversion}]\", ${values}$value))"
				done
			done
		done
	done
done | awk -v point="$point" 'NR % 30 == 1 { if (NR > 1) print "}"; print "probe " point " {" } { print } END { print "}" }' >all.stp
[ "$(wc -l <expected)" -gt 60 ] || fail "few directives"
sed 's/\(.*\)/\1\1/' expected | sort >twice
expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/once" all.stp
quiet
sort out | diff twice - >differences || fail "$(head -20 differences)"
